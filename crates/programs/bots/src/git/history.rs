//! The commits that changed a program's folder.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::bots_file::find_folder;
use crate::error::ProgramError;
use crate::programs::Programs;

use super::{Revision, git_with_remotes};

/// The most commits that are listed, the newest.
const MAX_COMMITS: &str = "--max-count=10000";
/// What git says of a commit.
const FORMAT: &str = "--format=%H%x09%h%x09%as%x09%<(200,trunc)%s";

/// The digits of a whole hash of a commit, where git uses its shortest kind.
const HASH_DIGITS: usize = 40;

/// How long remotes may take to send what is new.
const FETCH_TIMEOUT: Duration = Duration::from_secs(120);
/// How often a command is looked at whose output has ended.
const GLANCE: Duration = Duration::from_millis(10);
/// Bytes of what git says that are read.
const MAX_SAID: u64 = 64 << 10;

/// A commit of the repository that a program's folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commit {
    /// Its hash.
    pub id: String,
    /// The beginning of its hash, as git shortens it.
    pub short: String,
    /// When it was written: `2015-08-07`.
    pub day: String,
    /// The first line of its message, which may be any text.
    pub title: String,
}

impl Programs {
    /// The commits after `since`, up to `until`, that changed the folder of a program, the oldest
    /// first: those of the branch itself, not of what was merged into it. Before them comes `since`
    /// itself, if it is given.
    ///
    /// # Errors
    /// If there is no such program, its folder is in no repository, or there is no such revision.
    pub fn commits(
        &self,
        name: &str,
        since: Option<&str>,
        until: &str,
    ) -> Result<Vec<Commit>, ProgramError> {
        let spec = format!("bot:{name}");
        let end = self.revision(&spec, until)?;
        let Some(since) = since else { return end.log(&[MAX_COMMITS, &end.commit]) };
        let begin = self.revision(&spec, since)?;
        let mut commits = vec![begin.describe()?];
        let range = format!("{}..{}", begin.commit, end.commit);
        commits.extend(end.log(&[MAX_COMMITS, &range])?);
        Ok(commits)
    }

    /// The commit that a revision is, in the repository of a program's folder.
    ///
    /// # Errors
    /// As [`Programs::commits`].
    pub fn commit(&self, name: &str, revision: &str) -> Result<Commit, ProgramError> {
        self.revision(&format!("bot:{name}"), revision)?.describe()
    }

    /// Whether one revision is another one or comes before it, as all of a branch come before its
    /// last one unless the branch is rewritten.
    ///
    /// # Errors
    /// As [`Programs::commits`].
    pub fn is_part_of(&self, name: &str, one: &str, until: &str) -> Result<bool, ProgramError> {
        let spec = format!("bot:{name}");
        let (one, end) = (self.revision(&spec, one)?, self.revision(&spec, until)?);
        Ok(end.ask(&["merge-base", "--is-ancestor", &one.commit, &end.commit])?.is_some())
    }

    /// Whether the clone that a program's folder belongs to lacks older commits.
    ///
    /// # Errors
    /// As [`Programs::commits`].
    pub fn is_in_shallow_clone(&self, name: &str) -> Result<bool, ProgramError> {
        self.revision(&format!("bot:{name}"), "HEAD")?.is_in_shallow_clone()
    }

    /// Asks the remotes of a program's repository for what is new, unless it has this commit.
    /// Returns why they could not be asked, if so: what is wanted may be there all the same.
    ///
    /// # Errors
    /// If there is no such program, or it has no folder.
    pub fn fetch(&self, name: &str, revision: &str) -> Result<Option<String>, ProgramError> {
        let is_hash =
            revision.len() >= HASH_DIGITS && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && self.commit(name, revision).is_ok() {
            return Ok(None);
        }
        let mut fetch = git_with_remotes(&self.folder_of(name)?);
        fetch.args(["fetch", "--quiet", "--all", "--no-recurse-submodules"]);
        Ok(ask_remotes(fetch, FETCH_TIMEOUT).err())
    }

    /// A revision of the folder of the program that a player's text names.
    fn revision<'a>(&self, spec: &'a str, revision: &str) -> Result<Revision<'a>, ProgramError> {
        let entry = self.file()?.bot(spec.trim_start_matches("bot:"))?.clone();
        Revision::find(spec, find_folder(spec, &entry, &self.base()?)?, revision)
    }
}

/// Runs a command that asks remotes, for no longer than `limit`: a remote may be slow, or never end
/// its answer. Returns why it failed, if it did.
fn ask_remotes(mut command: Command, limit: Duration) -> Result<(), String> {
    // What it starts has to end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| error.to_string())?;
    let mut errors = child.stderr.take().expect("standard error is a pipe");
    let (child, is_late) = (Mutex::new(child), AtomicBool::new(false));
    let child = || child.lock().unwrap_or_else(PoisonError::into_inner);
    let mut said = Vec::new();
    thread::scope(|scope| {
        let (over, is_over) = mpsc::channel::<()>();
        let is_late = &is_late;
        scope.spawn(move || {
            if is_over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                is_late.store(true, Ordering::Relaxed);
                end(&mut child());
            }
        });
        let _ = errors.by_ref().take(MAX_SAID).read_to_end(&mut said);
        let _ = io::copy(&mut errors, &mut io::sink());
        let ended = loop {
            match child().try_wait() {
                Ok(None) => thread::sleep(GLANCE),
                Ok(Some(status)) => break Ok(status),
                Err(error) => break Err(error),
            }
        };
        drop(over);
        match ended {
            _ if is_late.load(Ordering::Relaxed) => {
                Err(format!("they have not answered within {} seconds", limit.as_secs()))
            }
            Ok(status) if status.success() => Ok(()),
            Ok(_) => {
                let said = String::from_utf8_lossy(&said);
                Err(said.lines().next().unwrap_or("git fetch failed").to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    })
}

/// Ends a process, and on Unix its group.
fn end(child: &mut Child) {
    // The number of one that has ended may be somebody else's.
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    }
    let _ = child.kill();
}

impl Revision<'_> {
    /// The revision's commit.
    fn describe(&self) -> Result<Commit, ProgramError> {
        let mut listed = self.log(&["--max-count=1", "--no-walk", &self.commit])?;
        listed.pop().ok_or_else(|| self.refuse("git does not describe its commit".to_owned()))
    }

    /// The commits that git lists with these arguments, the oldest first.
    fn log(&self, which: &[&str]) -> Result<Vec<Commit>, ProgramError> {
        let usual = [
            "-c",
            "log.showSignature=false",
            "-c",
            "log.mailmap=false",
            "log",
            "--first-parent",
            "--no-color",
            FORMAT,
        ];
        // A commit that is asked for by name is listed whatever it changed.
        let paths: &[&str] = if which.contains(&"--no-walk") { &[] } else { &["--", "."] };
        let listed = self.ask(&[&usual[..], which, paths].concat())?;
        let listed = listed.ok_or_else(|| self.refuse("git lists no commits".to_owned()))?;
        let read = |line: &str| {
            let mut parts = line.splitn(4, '\t').map(str::to_owned);
            let mut next = || parts.next();
            let (id, short, day) = (next()?, next()?, next()?);
            // Git fills short ones with spaces.
            Some(Commit { id, short, day, title: next()?.trim_end().to_owned() })
        };
        let mut commits: Vec<Commit> = listed.lines().filter_map(read).collect();
        commits.reverse();
        Ok(commits)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn remotes_that_never_end_their_answer_are_left() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let long = Duration::from_secs(3600);
        let moment = Duration::from_millis(50);
        // What it starts has its standard error, too.
        for script in ["sleep 3600 & wait", "exec sleep 3600", "exec 2>&-; exec sleep 3600"] {
            let late = ask_remotes(shell(script), moment).unwrap_err();
            assert!(late.contains("have not answered within"), "{late}");
        }
        assert_eq!(ask_remotes(shell("true"), long), Ok(()));
        let refused = ask_remotes(shell("echo no >&2; echo more >&2; exit 1"), long);
        assert_eq!(refused, Err("no".to_owned()));
    }
}
