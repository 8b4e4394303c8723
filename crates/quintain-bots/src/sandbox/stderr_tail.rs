//! The end of a program's standard error, for its author. It is read all the time, since a
//! full pipe would stop the program, but only the last bytes are kept.

use std::collections::VecDeque;
use std::io::Read;
use std::process::ChildStderr;

/// The number of bytes that are kept.
const MOST_BYTES: usize = 4096;
/// The number of lines that are reported.
const MOST_LINES: usize = 20;

/// The end of a program's standard error.
pub(super) struct StderrTail {
    pub(super) pipe: Option<ChildStderr>,
    tail: VecDeque<u8>,
    total: usize,
}

impl StderrTail {
    pub(super) fn new(pipe: ChildStderr) -> StderrTail {
        StderrTail { pipe: Some(pipe), tail: VecDeque::new(), total: 0 }
    }

    /// Reads what is there. Returns whether the total is within `limit` bytes.
    pub(super) fn drain(&mut self, limit: usize) -> bool {
        let mut chunk = [0; 4096];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.total += count;
                    self.tail.extend(&chunk[..count]);
                    let surplus = self.tail.len().saturating_sub(MOST_BYTES);
                    self.tail.drain(..surplus);
                    if self.total > limit {
                        return false;
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return true,
            }
        }
        true
    }

    pub(super) fn last_lines(&self) -> Vec<String> {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(MOST_LINES)..]
            .iter()
            .map(|&line| line.to_owned())
            .collect()
    }

    /// Why the program was not started, if the last line is that of the *confine* stage.
    pub(super) fn refusal(&self) -> Option<String> {
        let lines = self.last_lines();
        Some(lines.last()?.strip_prefix(super::confine::REFUSAL)?.to_owned())
    }
}
