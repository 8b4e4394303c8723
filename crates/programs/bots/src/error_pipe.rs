//! A program's standard error as a pipe that is read without blocking.

use std::io::{ErrorKind, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::standard_error::ErrorText;

/// How many times a pipe is read before the clock is checked again: more than fits into a pipe.
const MAX_READS: usize = 64;

/// A program's standard error.
pub(crate) struct ErrorPipe {
    /// None once the program has closed it.
    pipe: Option<PipeReader>,
    pub(crate) text: ErrorText,
}

impl ErrorPipe {
    /// Reads from a pipe, which is made not to block.
    pub(crate) fn new(pipe: PipeReader) -> std::io::Result<ErrorPipe> {
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(ErrorPipe { pipe: Some(pipe), text: ErrorText::default() })
    }

    /// The descriptor to wait for, unless the program has closed it.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
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
                    self.text.keep(&chunk[..count]);
                    if self.text.total() > limit {
                        return false;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return true,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeWriter, Write, pipe};

    use super::*;

    fn new() -> (ErrorPipe, PipeWriter) {
        let (reader, writer) = pipe().unwrap();
        (ErrorPipe::new(reader).unwrap(), writer)
    }

    #[test]
    fn new_output_is_taken_once_and_its_end_is_kept() {
        let (mut stderr, mut program) = new();
        assert!(stderr.drain(100) && stderr.text.take().is_none());
        program.write_all(b"depth 3\n").unwrap();
        assert!(stderr.drain(100));
        assert_eq!(stderr.text.take().as_deref(), Some("depth 3\n"));
        program.write_all(b"depth 4\n").unwrap();
        drop(program);
        assert!(stderr.drain(100) && stderr.descriptor().is_none());
        assert_eq!(stderr.text.take().as_deref(), Some("depth 4\n"));
        assert!(stderr.text.take().is_none());
        assert_eq!(stderr.text.last_lines(), ["depth 3", "depth 4"]);
    }

    #[test]
    fn of_much_the_beginning_and_the_end_are_kept() {
        let (mut stderr, mut program) = new();
        program.write_all(b"first ").unwrap();
        program.write_all(&[b'.'; 10_000]).unwrap();
        program.write_all(b" last").unwrap();
        assert!(stderr.drain(1 << 20));
        let text = stderr.text.take().unwrap();
        assert!(text.starts_with("first .") && text.ends_with(". last"), "{text}");
        assert!(text.contains("… 5915 bytes left out …"), "{text}");
        assert!(text.len() < 2 * 2048 + 64);
    }

    #[test]
    fn too_much_output_is_reported_for_each_match() {
        let (mut stderr, mut program) = new();
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(stderr.drain(100));
        stderr.text.renew_allowance();
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(stderr.drain(100));
        program.write_all(&[b'.'; 60]).unwrap();
        assert!(!stderr.drain(100));
    }
}
