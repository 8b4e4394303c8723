//! The answers that a model has given, in a file: a line for each, written as soon as it comes. So
//! nothing that was answered is asked again, and what was spent is known after a crash too.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use quintain_core::{Access, reason};
use serde::{Deserialize, Serialize};

use crate::completion::Completion;

/// What all requests took together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spent {
    /// Requests, those that brought no answer included.
    pub(crate) calls: u64,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// The answers of one model.
pub(crate) struct Journal {
    file: File,
    answers: HashMap<String, Completion>,
    spent: Spent,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    #[serde(flatten)]
    completion: Completion,
}

/// A line about a request that brought no answer.
#[derive(Serialize, Deserialize)]
struct UnansweredLine {
    unanswered: String,
}

impl Journal {
    /// Opens the file, or makes it with its folder.
    ///
    /// # Errors
    /// If that is not possible, with the reason.
    pub(crate) fn open(path: &Path) -> Result<Journal, String> {
        let fail = |error: io::Error| {
            format!("cannot keep answers in {}: {}", path.display(), reason(&error, Access::Write))
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fail)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut journal =
            Journal { file: file.map_err(fail)?, answers: HashMap::new(), spent: Spent::default() };
        journal.load().map_err(fail)?;
        Ok(journal)
    }

    fn load(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        for line in bytes.split(|byte| *byte == b'\n') {
            // A line that a crash cut off was no answer yet.
            if let Ok(Line { key, completion }) = serde_json::from_slice(line) {
                self.count(key, completion);
            } else if serde_json::from_slice::<UnansweredLine>(line).is_ok() {
                self.spent.calls += 1;
            }
        }
        match bytes.last() {
            None | Some(b'\n') => Ok(()),
            Some(_) => self.file.write_all(b"\n"),
        }
    }

    fn count(&mut self, key: String, completion: Completion) {
        self.spent.calls += 1;
        self.spent.input += completion.input;
        self.spent.output += completion.output;
        self.answers.insert(key, completion);
    }

    /// The answer to a question, if it was asked before.
    pub(crate) fn find(&self, key: &str) -> Option<&Completion> {
        self.answers.get(key)
    }

    /// What all answers took together.
    pub(crate) fn spent(&self) -> Spent {
        self.spent
    }

    /// Keeps an answer, on the disk too.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep(&mut self, key: String, completion: Completion) -> io::Result<()> {
        let line = Line { key, completion };
        let text = serde_json::to_string(&line).expect("answers have a JSON form") + "\n";
        self.count(line.key, line.completion);
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }

    /// Notes a request that brought no answer, since endpoints may count it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn note_unanswered(&mut self, problem: &str) -> io::Result<()> {
        self.spent.calls += 1;
        let line = UnansweredLine { unanswered: problem.to_owned() };
        let text = serde_json::to_string(&line).expect("lines have a JSON form") + "\n";
        self.file.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(text: &str, output: u64) -> Completion {
        Completion { text: text.to_owned(), input: 10, output, ..Completion::default() }
    }

    #[test]
    fn answers_outlive_the_process_and_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/mini.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.keep("a".to_owned(), completion("U", 1)).unwrap();
        journal.keep("b".to_owned(), completion("R\nR", 2)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.find("a"), Some(&completion("U", 1)));
        assert_eq!(journal.find("b"), None);
        assert_eq!(journal.spent(), Spent { calls: 1, input: 10, output: 1 });
        journal.keep("c".to_owned(), completion("D", 4)).unwrap();
        journal.note_unanswered("it answered 429").unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.find("c"), Some(&completion("D", 4)));
        assert_eq!(journal.spent(), Spent { calls: 3, input: 20, output: 5 });
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Journal::open(&folder.path().join("file/mini.jsonl")).err().unwrap();
        assert!(error.starts_with("cannot keep answers in "), "{error}");
    }
}
