//! The commits that changed a program's folder.

use crate::bots_file::find_folder;
use crate::error::ProgramError;
use crate::programs::Programs;

use super::Revision;

/// The most commits that are listed, the newest.
const MAX_COMMITS: &str = "--max-count=10000";
/// What git says of a commit.
const FORMAT: &str = "--format=%H%x09%h%x09%as%x09%s";

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
        let entry = self.file()?.bot(name)?.clone();
        let find = |revision: &str| {
            let folder = find_folder(&spec, &entry, &self.base()?)?;
            Revision::find(&spec, folder, revision)
        };
        let end = find(until)?;
        let Some(since) = since else { return end.log(&[MAX_COMMITS, &end.commit]) };
        let begin = find(since)?;
        let mut commits = begin.log(&["--max-count=1", "--no-walk", &begin.commit])?;
        let range = format!("{}..{}", begin.commit, end.commit);
        commits.extend(end.log(&[MAX_COMMITS, &range])?);
        Ok(commits)
    }
}

impl Revision<'_> {
    /// The commits that git lists with these arguments, the oldest first.
    fn log(&self, which: &[&str]) -> Result<Vec<Commit>, ProgramError> {
        let usual =
            ["-c", "log.showSignature=false", "log", "--first-parent", "--no-color", FORMAT];
        // A commit that is asked for by name is listed whatever it changed.
        let paths: &[&str] = if which.contains(&"--no-walk") { &[] } else { &["--", "."] };
        let listed = self.ask(&[&usual[..], which, paths].concat())?;
        let listed = listed.ok_or_else(|| self.refuse("git lists no commits".to_owned()))?;
        let read = |line: &str| {
            let mut parts = line.splitn(4, '\t').map(str::to_owned);
            let mut next = || parts.next();
            Some(Commit { id: next()?, short: next()?, day: next()?, title: next()? })
        };
        let mut commits: Vec<Commit> = listed.lines().filter_map(read).collect();
        commits.reverse();
        Ok(commits)
    }
}
