//! What a program writes to its standard error, for its author. It is read whenever the program is
//! waited for and after every answer, so that what was written before an answer is known along with
//! it. Of the whole text the end is kept, to show why the program failed. Of the text that came
//! since it was last taken, the beginning and the end are kept.

use std::collections::VecDeque;
use std::io::{ErrorKind, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// The number of bytes that are kept from the end of the text.
const MAX_BYTES: usize = 4096;
/// The number of lines of it that are reported.
const MAX_LINES: usize = 20;
/// How many times a pipe is read before the clock is checked again: more than fits into a pipe.
const MAX_READS: usize = 64;
/// The number of bytes that are kept from the beginning of the new text, and from its end.
const HALF: usize = 2048;

/// A program's standard error.
pub(crate) struct StandardError {
    /// None once the program has closed it.
    pipe: Option<PipeReader>,
    /// The end of all that was written.
    tail: VecDeque<u8>,
    /// What came since the last [`StandardError::take`].
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: usize,
    /// Bytes since the last [`StandardError::renew_allowance`].
    total: u64,
}

impl StandardError {
    /// Reads from a pipe, which is made not to block.
    pub(crate) fn new(pipe: PipeReader) -> std::io::Result<StandardError> {
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(StandardError {
            pipe: Some(pipe),
            tail: VecDeque::new(),
            first: Vec::new(),
            last: VecDeque::new(),
            left_out: 0,
            total: 0,
        })
    }

    /// The descriptor to wait for, unless the program has closed it.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Whether something has been read that has not been taken yet.
    pub(crate) fn has_new(&self) -> bool {
        !self.first.is_empty()
    }

    /// Begins a new allowance, at the start of a match.
    pub(crate) fn renew_allowance(&mut self) {
        self.total = 0;
    }

    /// Reads what is there. Returns whether the total is within `limit` bytes.
    pub(crate) fn drain(&mut self, limit: u64) -> bool {
        let mut chunk = [0; 8192];
        // A program that writes as fast as it is read must not hold up its own clock.
        for _ in 0..MAX_READS {
            let Some(pipe) = &mut self.pipe else { break };
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.keep(&chunk[..count]);
                    if self.total > limit {
                        return false;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return true,
            }
        }
        true
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.tail.extend(bytes);
        cut(&mut self.tail, MAX_BYTES);
        let room = HALF - self.first.len();
        let (begin, rest) = bytes.split_at(room.min(bytes.len()));
        self.first.extend_from_slice(begin);
        self.last.extend(rest);
        self.left_out += cut(&mut self.last, HALF);
    }

    /// What it has written since the last call; if that was much, only the beginning and the end.
    pub(crate) fn take(&mut self) -> Option<String> {
        if self.first.is_empty() {
            return None;
        }
        let first = std::mem::take(&mut self.first);
        let last: Vec<u8> = std::mem::take(&mut self.last).into();
        let left_out = std::mem::take(&mut self.left_out);
        if left_out == 0 {
            return Some(String::from_utf8_lossy(&[first, last].concat()).into_owned());
        }
        let (first, last) = (String::from_utf8_lossy(&first), String::from_utf8_lossy(&last));
        Some(format!("{first}\n… {left_out} bytes left out …\n{last}"))
    }

    /// The last lines that it has written.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(MAX_LINES)..].iter().map(|&line| line.to_owned()).collect()
    }
}

/// Drops the oldest bytes above `most`; returns how many were dropped.
fn cut(bytes: &mut VecDeque<u8>, most: usize) -> usize {
    let surplus = bytes.len().saturating_sub(most);
    bytes.drain(..surplus);
    surplus
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write, pipe};

    use super::*;

    fn new() -> (StandardError, PipeWriter) {
        let (reader, writer) = pipe().unwrap();
        (StandardError::new(reader).unwrap(), writer)
    }

    #[test]
    fn new_output_is_taken_once_and_its_end_is_kept() {
        let (mut stderr, mut program) = new();
        assert!(stderr.drain(100) && stderr.take().is_none());
        program.write_all(b"depth 3\n").unwrap();
        assert!(stderr.drain(100));
        assert_eq!(stderr.take().as_deref(), Some("depth 3\n"));
        program.write_all(b"depth 4\n").unwrap();
        drop(program);
        assert!(stderr.drain(100) && stderr.descriptor().is_none());
        assert_eq!(stderr.take().as_deref(), Some("depth 4\n"));
        assert!(stderr.take().is_none());
        assert_eq!(stderr.last_lines(), ["depth 3", "depth 4"]);
    }

    #[test]
    fn of_much_the_beginning_and_the_end_are_kept() {
        let (mut stderr, mut program) = new();
        program.write_all(b"first ").unwrap();
        program.write_all(&[b'.'; 10_000]).unwrap();
        program.write_all(b" last").unwrap();
        assert!(stderr.drain(1 << 20));
        let text = stderr.take().unwrap();
        assert!(text.starts_with("first .") && text.ends_with(". last"), "{text}");
        assert!(text.contains("… 5915 bytes left out …"), "{text}");
        assert!(text.len() < 2 * HALF + 64);
    }

    #[test]
    fn too_much_output_is_reported_for_each_match() {
        let (mut stderr, mut program) = new();
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(stderr.drain(100));
        stderr.renew_allowance();
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(stderr.drain(100));
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(!stderr.drain(100));
    }
}
