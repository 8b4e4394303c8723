//! The marks of a proof, one by one.

use std::str::Chars;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::ProofError;

/// What is left of the marks of a proof.
pub(super) struct Marks<'a> {
    rest: Chars<'a>,
    /// The length of the whole proof, in bytes.
    length: usize,
    /// Set when the user wants the check to stop.
    stop: &'a AtomicBool,
}

impl<'a> Marks<'a> {
    /// The marks in the lines of `rest`, the end of a proof of this length.
    pub(super) fn new(rest: &'a str, length: usize, stop: &'a AtomicBool) -> Marks<'a> {
        Marks { rest: rest.chars(), length, stop }
    }

    /// The next mark.
    pub(super) fn next(&mut self) -> Option<char> {
        self.rest.find(|mark| !matches!(mark, '\n' | '\r'))
    }

    /// The first mark of a segment or prefix.
    ///
    /// # Errors
    /// If the check is to stop.
    pub(super) fn next_unless_stopped(&mut self) -> Result<Option<char>, ProofError> {
        if !self.stop.load(Ordering::Relaxed) {
            return Ok(self.next());
        }
        let (length, read) = (self.length, self.length - self.rest.as_str().len());
        let problem =
            format!("stopped after {read} of {length} bytes: nothing is known of the proof");
        Err(ProofError(problem))
    }

    /// Checks that no mark is left.
    ///
    /// # Errors
    /// If one is.
    pub(super) fn end(mut self) -> Result<(), ProofError> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err("marks are left over at the end".into()),
        }
    }
}
