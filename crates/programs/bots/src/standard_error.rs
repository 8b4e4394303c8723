//! What a program writes to its standard error, for its author. It is read whenever the program is
//! waited for and after every answer, so that what was written before an answer is known along with
//! it. Of the whole text the end is kept, to show why the program failed. Of the text that came
//! since it was last taken, the beginning and the end are kept.

use std::collections::VecDeque;

/// The number of bytes that are kept from the end of the text.
const MAX_BYTES: usize = 4096;
/// The number of lines of it that are reported.
const MAX_LINES: usize = 20;
/// The number of bytes that are kept from the beginning of the new text, and from its end.
const HALF: usize = 2048;

/// What a program has written to its standard error, as far as it is kept.
#[derive(Default)]
pub(crate) struct ErrorText {
    /// The end of all that was written.
    tail: VecDeque<u8>,
    /// What came since the last [`ErrorText::take`].
    first: Vec<u8>,
    last: VecDeque<u8>,
    left_out: usize,
    /// Bytes since the last [`ErrorText::renew_allowance`].
    total: u64,
}

impl ErrorText {
    /// Whether something has been read that has not been taken yet.
    pub(crate) fn has_new(&self) -> bool {
        !self.first.is_empty()
    }

    /// Begins a new allowance, at the start of a match.
    pub(crate) fn renew_allowance(&mut self) {
        self.total = 0;
    }

    /// The number of bytes since the allowance began.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Notes what has been read.
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
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
