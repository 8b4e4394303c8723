//! A queue of tests, and how answers about it are written.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

use quintain_report::describe_obstacles;
use quintain_scene::{TEXT_WIDTH, clean};
use quintain_store::{QueuedTest, Store, TestState};

use crate::context::Context;
use crate::failure::Failure;
use crate::fleet;
#[cfg(feature = "programs")]
use crate::messages::print_notice;

/// What stands before the sentences about a test.
pub(super) const INDENT: &str = "      ";
/// The states of a test that is not over.
pub(super) const OPEN: [TestState; 2] = [TestState::Proposed, TestState::Running];

/// A queue, and how its answers are written.
pub(super) struct Desk<'a, 'b> {
    pub(super) store: &'a Path,
    /// Whether there may be no store yet.
    pub(super) may_be_new: bool,
    pub(super) context: &'a Context<'b>,
    /// What is added to commands, so that they are about the same queue.
    pub(super) option: String,
    /// The server at which members ask, if they do.
    pub(super) at: Option<String>,
    /// The columns of the terminal, if there is one.
    pub(super) width: Option<usize>,
    /// What a member has to be told besides the answer.
    pub(super) notes: RefCell<Vec<String>>,
}

impl Desk<'_, '_> {
    /// Tells whoever asks something besides the answer: here at once, elsewhere with the answer.
    #[cfg(feature = "programs")]
    pub(super) fn note(&self, text: &str) {
        match self.at {
            None => print_notice(&clean(text)),
            Some(_) => self.notes.borrow_mut().push(clean(text)),
        }
    }

    /// The queue, as whoever asks knows it.
    pub(super) fn name(&self) -> String {
        match &self.at {
            None => format!("the queue of {}", self.store.display()),
            Some(server) => format!("the queue at {server}"),
        }
    }

    /// Says in which queue a test is, and who plays it.
    pub(super) fn describe_queue(&self) -> String {
        let (queue, option) = (self.name(), &self.option);
        match self.at {
            None => format!("in {queue}; `quintain tests run{option}` plays it"),
            Some(_) => format!("in {queue}, which {} answers", fleet::machine()),
        }
    }

    /// Writes which of these tests nobody plays, and why.
    pub(super) fn write_obstacles(
        &self,
        tests: &[QueuedTest],
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let lines = describe_obstacles(tests, self.is_answered()?, &self.option);
        lines.iter().try_for_each(|line| self.write_wrapped(line, "", out))
    }

    /// Whether a process answers the queue.
    pub(super) fn is_answered(&self) -> Result<bool, Failure> {
        Ok(!Store::open_to_read(self.store)?.test_runners()?.is_empty())
    }

    /// Writes a sentence about a test in lines that fit.
    pub(super) fn write_indented(&self, text: &str, out: &mut dyn Write) -> Result<(), Failure> {
        self.write_wrapped(text, INDENT, out)
    }

    fn write_wrapped(&self, text: &str, indent: &str, out: &mut dyn Write) -> Result<(), Failure> {
        let options = textwrap::Options::new(self.width.unwrap_or(TEXT_WIDTH).max(20));
        let options = options.initial_indent(indent).subsequent_indent(indent);
        // Commands are copied.
        let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
        Ok(writeln!(out, "{}", textwrap::fill(&clean(text), options.break_words(false)))?)
    }
}

/// How the queue of a store on this machine is called.
pub(super) fn name_queue(store: &Path) -> String {
    let whole = dunce::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    format!("{} on {}", whole.display(), fleet::machine())
}
