//! Versions of programs from git: `bot:NAME@git:REVISION` is the program as it was in a revision of
//! the repository that its folder belongs to, with its entry in the `bots.toml` of today.
//!
//! The revision's files are written to a clean folder, built there if the entry names a build step,
//! and kept as a version like any other ([`crate::versions`]), so the player is `bot:NAME@HASH`. A
//! note says which version came of which files, by git's hash of them:
//!
//! ```text
//! .quintain-versions/NAME/git.toml    versions by the hash of their sources and their entry
//! ```
//!
//! **A revision may be anybody's**, for example that of a pull request. Its files are read as git
//! stores them: no hook runs, no filter, and no submodule is fetched. Links are written last, after
//! all folders, so nothing is written through one. Files of the program that look like a repository
//! of their own are not taken for one. The build step runs in the sandbox, without a network; only
//! where programs run unconfined it runs as the user.

mod history;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::PoisonError;

use quintain_core::digest;
use toml::{Table, Value};

use crate::bots_file::{BotEntry, find_folder};
use crate::error::ProgramError;
use crate::open::link;
use crate::programs::{Programs, Settings};
use crate::version::{ENTRY, FILES, Version};
use crate::versions::{FOLDER, read_table};

pub use history::Commit;

/// What comes between a program's name and a revision.
const MARK: &str = "@git:";
/// The versions that came of revisions.
const NOTES: &str = "git.toml";
/// The most bytes of a revision's files, and of what is built of them.
const MAX_BYTES: u64 = 256 << 20;
/// The most files of a revision.
const MAX_FILES: usize = 20_000;
/// The most bytes of the list of a revision's files. A small repository can name one folder over
/// and over in itself, so that its list has no end.
const MAX_LIST: u64 = 16 << 20;

/// A revision of a program's folder.
struct Revision<'a> {
    spec: &'a str,
    folder: PathBuf,
    /// The hash of the commit.
    commit: String,
    /// Git's hash of the folder in this revision.
    tree: String,
}

impl Programs {
    /// The version that a player's text names by a revision, if it does; it is built unless that
    /// was done before.
    pub(crate) fn find_revision_of(&self, spec: &str) -> Result<Option<Version>, ProgramError> {
        let version = self.build_revision_of(spec)?;
        if let Some(version) = &version {
            let mut named = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
            named.insert(spec.to_owned(), version.player());
        }
        Ok(version)
    }

    /// The versions that players' texts have named by a revision so far: `bot:NAME@HASH` by
    /// `bot:NAME@git:REVISION`.
    pub fn named_revisions(&self) -> BTreeMap<String, String> {
        self.revisions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn build_revision_of(&self, spec: &str) -> Result<Option<Version>, ProgramError> {
        let Some((name, text)) = spec.strip_prefix("bot:").and_then(|text| text.split_once(MARK))
        else {
            return Ok(None);
        };
        let entry = self.file()?.bot(name)?.clone();
        let folder = find_folder(spec, &entry, &self.base()?)?;
        let revision = Revision::find(spec, folder, text)?;
        self.refuse_tracked_versions(spec)?;
        let table = self.entry_table(name, &entry, &revision)?;
        let key = digest(format!("{} {table}", revision.tree).as_bytes())[..32].to_owned();
        let notes = self.versions_folder()?.join(name).join(NOTES);
        let noted = read_table(&notes);
        let known = noted.get(&key).and_then(Value::as_str);
        if let Some(version) =
            self.versions(name)?.into_iter().find(|version| Some(version.hash()) == known)
        {
            return Ok(Some(version));
        }
        let version = self.make_version(name, &entry, &revision, table)?;
        // Read again: another process may have noted another revision in the meantime.
        let mut noted = read_table(&notes);
        noted.insert(key, version.hash().into());
        let part = notes.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&part, noted.to_string()).and_then(|()| fs::rename(&part, &notes));
        written.map_err(|error| revision.refuse(format!("it cannot be noted: {error}")))?;
        Ok(Some(version))
    }

    /// Refuses kept versions, and notes about them, that are files of the repository: whoever wrote
    /// one of its commits would choose what a version is.
    pub(crate) fn refuse_tracked_versions(&self, spec: &str) -> Result<(), ProgramError> {
        let base = self.base()?;
        let problem = self.tracked.get_or_init(|| find_tracked(&base, FOLDER));
        problem
            .clone()
            .map_or(Ok(()), |problem| Err(ProgramError::Files { bot: spec.to_owned(), problem }))
    }

    /// The entry of a version: that of today, for the files of the revision.
    fn entry_table(
        &self,
        name: &str,
        entry: &BotEntry,
        revision: &Revision<'_>,
    ) -> Result<Table, ProgramError> {
        let Some(mut table) = self.read_table(name) else {
            return Err(revision.refuse("its entry is gone".to_owned()));
        };
        table.insert("folder".to_owned(), FILES.into());
        if !entry.read.is_empty() {
            let paths = entry.read.iter();
            let paths = paths.map(|path| revision.folder.join(path).display().to_string());
            table.insert("read".to_owned(), paths.map(Value::from).collect::<Vec<_>>().into());
        }
        Ok(table)
    }

    /// Writes the files of a revision, builds them, and keeps the result.
    fn make_version(
        &self,
        name: &str,
        entry: &BotEntry,
        revision: &Revision<'_>,
        mut table: Table,
    ) -> Result<Version, ProgramError> {
        let failed = |error: std::io::Error| revision.refuse(error.to_string());
        let all = self.versions_folder()?;
        self.begin_versions().map_err(failed)?;
        let place = tempfile::Builder::new().prefix(".git-").tempdir_in(&all).map_err(failed)?;
        let files = place.path().join(FILES);
        revision.write(&files)?;
        table.remove("build");
        let write_entry = |table: &Table| {
            let entry = Table::from_iter([(name.to_owned(), Value::Table(table.clone()))]);
            fs::write(place.path().join(ENTRY), entry.to_string()).map_err(failed)
        };
        write_entry(&table)?;
        if let Some(step) = &entry.build {
            self.build_revision(revision, step, place.path(), &table)?;
        }
        let own =
            Programs::new(Settings { file: place.path().join(ENTRY), ..self.settings().clone() });
        let made = own.keep(name).map_err(|error| {
            revision.refuse(error.to_string().trim_start_matches(&format!("bot:{name}: ")).into())
        })?;
        let kept = all.join(name).join(made.hash());
        if !kept.join(ENTRY).is_file() {
            fs::create_dir_all(all.join(name)).map_err(failed)?;
            match fs::rename(made.folder(), &kept) {
                // Another process has kept the same version in the meantime.
                Err(_) if kept.join(ENTRY).is_file() => {}
                moved => moved.map_err(failed)?,
            }
        }
        let found = self.versions(name)?.into_iter().find(|known| known.hash() == made.hash());
        found.ok_or_else(|| revision.refuse("its version is gone".to_owned()))
    }

    /// Builds the files in a folder, in the sandbox if programs are confined.
    fn build_revision(
        &self,
        revision: &Revision<'_>,
        step: &str,
        place: &Path,
        entry: &Table,
    ) -> Result<(), ProgramError> {
        let (said, outcome) = self
            .build_for_stranger(step, place, entry)
            .map_err(|problem| revision.refuse(problem))?;
        outcome.map_err(|why| {
            let lines: Vec<&str> = said.trim_end().lines().collect();
            let last = lines[lines.len().saturating_sub(12)..].join("\n  ");
            revision.refuse(format!("`{step}` failed: {why}\n  {last}"))
        })
    }
}

/// Unpacks the files and folders of an archive into a new folder. Whatever else it holds is left
/// out.
#[cfg(target_os = "linux")]
pub(crate) fn untar(bytes: &[u8], into: &Path) -> std::io::Result<()> {
    fs::create_dir(into)?;
    let mut left = MAX_BYTES;
    for (place, entry) in tar::Archive::new(bytes).entries()?.enumerate() {
        let mut entry = entry?;
        if place >= MAX_FILES {
            return Err(std::io::Error::other(format!("it has more than {MAX_FILES} files")));
        }
        let path = entry.path()?.into_owned();
        let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        if path.as_os_str().is_empty() {
            continue;
        }
        let to = place_in(into, &path).ok_or_else(|| {
            std::io::Error::other(format!("{} is no name of a file", path.display()))
        })?;
        if entry.header().entry_type().is_dir() {
            fs::create_dir_all(to)?;
        } else if entry.header().entry_type().is_file() {
            left = left
                .checked_sub(entry.size())
                .ok_or_else(|| std::io::Error::other("what was built is too large"))?;
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            let is_executable = entry.header().mode()? & 0o100 != 0;
            write_file(&to, &content, is_executable)?;
        }
    }
    Ok(())
}

/// Where a file lies in a folder; `None` if its path leads out of it, or is one that git keeps for
/// itself.
fn place_in(folder: &Path, path: &Path) -> Option<PathBuf> {
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            !name.eq_ignore_ascii_case(".git") && !name.contains(['\\', ':'])
        }
        _ => false,
    };
    path.components().all(is_plain).then(|| folder.join(path))
}

/// The first of these paths that lies within another one, as in no tree that git itself makes: what
/// is written there could follow a link out of the folder. Some systems take names that differ in
/// case for the same.
fn find_within_file<'a, P: Iterator<Item = &'a str>>(paths: impl Fn() -> P) -> Option<&'a str> {
    let files: BTreeSet<String> = paths().map(str::to_lowercase).collect();
    paths().find(|path| {
        let path = path.to_lowercase();
        path.match_indices('/').any(|(at, _)| files.contains(&path[..at]))
    })
}

/// Whether git would take the files of a folder for a repository without a working folder.
fn looks_like_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}

/// Writes a file that is not there yet, and the folders around it.
fn write_file(to: &Path, content: &[u8], is_executable: bool) -> std::io::Result<()> {
    if let Some(around) = to.parent() {
        fs::create_dir_all(around)?;
    }
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if is_executable { 0o755 } else { 0o644 });
    }
    #[cfg(not(unix))]
    let _ = is_executable;
    options.open(to)?.write_all(content)
}

/// Git, in a way in which nothing of a repository runs and nothing is fetched.
fn git(folder: &Path) -> Command {
    let mut git = git_with_remotes(folder);
    // No protocol has this name; unlike a setting, this beats what the repository's own file says.
    git.env("GIT_ALLOW_PROTOCOL", "none");
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0");
    git
}

/// The same, but remotes may be asked, as far as they ask for nothing. Those that are commands of
/// their own (`ext::`) are no remotes here.
fn git_with_remotes(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh");
    // Files of a program can look like a repository without a working folder: somebody who writes
    // them would choose its settings, and what its revisions are.
    for setting in
        ["core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit"]
    {
        git.args(["-c", setting]);
    }
    git.env("GIT_NO_REPLACE_OBJECTS", "1");
    git.env("GIT_TERMINAL_PROMPT", "0").env("SSH_ASKPASS_REQUIRE", "force");
    git.env("SSH_ASKPASS", "false").stdin(Stdio::null());
    git
}

/// Says why nothing of this name in a folder is believed, if git tracks it.
fn find_tracked(base: &Path, name: &str) -> Option<String> {
    base.join(name).symlink_metadata().ok()?;
    let mut command = git(base);
    // Only the list of tracked files is read, whoever the repository belongs to. Some systems take
    // names that differ in case for the same.
    let path = format!(":(icase){name}");
    command.args(["-c", "safe.directory=*", "ls-files", "-z", "--", &path]);
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    // Without git, there are no commits here.
    let mut git = spawned.ok()?;
    let mut first = Vec::new();
    let output = git.stdout.take().expect("its output is a pipe");
    let read = output.take(1).read_to_end(&mut first);
    if !first.is_empty() {
        let _ = git.kill();
    }
    let ended = git.wait();
    if !first.is_empty() {
        return Some(format!(
            "git tracks {name}, so its versions are what a commit says and are not used: run \
             git rm -r {name} and commit that"
        ));
    }
    let is_answer = read.is_ok() && ended.is_ok_and(|status| status.success());
    let in_repository = || base.ancestors().any(|folder| folder.join(".git").exists());
    (!is_answer && in_repository()).then(|| {
        format!(
            "git does not say whether it tracks {name}, so its versions are not used; see what \
             git ls-files says in {}",
            base.display()
        )
    })
}

impl<'a> Revision<'a> {
    /// Finds a revision of a folder.
    fn find(spec: &'a str, folder: PathBuf, text: &str) -> Result<Revision<'a>, ProgramError> {
        let mut revision = Revision { spec, folder, commit: String::new(), tree: String::new() };
        // A name that begins with a dash would be an option of git.
        if text.is_empty() || text.starts_with('-') || text.contains(['\n', '\0', ':']) {
            return Err(revision.refuse(format!(
                "“{text}” is no revision; expected a branch, a tag or a commit, such as main or \
                 HEAD~1"
            )));
        }
        let within = revision.ask(&["rev-parse", "--show-prefix"])?;
        let Some(within) = within else {
            return Err(revision.refuse(match looks_like_repository(&revision.folder) {
                true => format!(
                    "{}: HEAD, objects and refs are a repository among the program's own files, \
                     which is not taken for one; remove them",
                    revision.folder.display()
                ),
                false => format!("{} is in no git repository", revision.folder.display()),
            }));
        };
        let commit = format!("{text}^{{commit}}");
        let Some(commit) = revision.ask(&["rev-parse", "--verify", "--quiet", &commit])? else {
            let fetch = match revision.is_in_shallow_clone()? {
                true => "git fetch --unshallow",
                false => "git fetch",
            };
            return Err(revision.refuse(format!(
                "there is no revision “{text}” in this repository; if it is on a server, `{fetch}` \
                 gets it"
            )));
        };
        let path = format!("{commit}:{}", within.trim_end_matches('/'));
        match revision.ask(&["rev-parse", "--verify", "--quiet", &path])? {
            Some(tree) => (revision.commit, revision.tree) = (commit, tree),
            None => {
                return Err(revision.refuse(format!(
                    "the revision has no folder {}",
                    within.trim_end_matches('/')
                )));
            }
        }
        Ok(revision)
    }

    fn is_in_shallow_clone(&self) -> Result<bool, ProgramError> {
        Ok(self.ask(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true"))
    }

    fn refuse(&self, problem: String) -> ProgramError {
        ProgramError::Files { bot: self.spec.to_owned(), problem }
    }

    /// What git answers, without the last line break; `None` if it has no answer.
    fn ask(&self, question: &[&str]) -> Result<Option<String>, ProgramError> {
        let mut command = git(&self.folder);
        let git = command.args(question).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut git = git.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                self.refuse("git is not installed, or not in PATH".to_owned())
            }
            _ => self.refuse(format!("git: {error}")),
        })?;
        let output = git.stdout.take().expect("its output is a pipe");
        let mut said = Vec::new();
        let read = output.take(MAX_LIST + 1).read_to_end(&mut said);
        if said.len() as u64 > MAX_LIST {
            let _ = git.kill();
        }
        let ended = read.and_then(|_| git.wait());
        let status = ended.map_err(|error| self.refuse(format!("git: {error}")))?;
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        Ok(status.success().then_some(said))
    }

    /// Lists the files of the revision. Folders are read one by one: a small commit can nest
    /// empty ones so that git's own list never ends and shows nothing.
    fn list(&self, objects: &mut Objects) -> Result<Vec<Entry>, ProgramError> {
        let failed = |error: std::io::Error| self.refuse(format!("its files: {error}"));
        let too_many = || self.refuse(format!("it has more than {MAX_FILES} files and folders"));
        let mut entries: Vec<Entry> = Vec::new();
        let mut folders = vec![(self.tree.clone(), String::new())];
        let (mut seen, mut left) = (0, MAX_LIST);
        while let Some((tree, folder)) = folders.pop() {
            let content = objects.read(&tree, left).map_err(failed)?;
            left -= content.len() as u64;
            let listed = read_tree(&content, self.tree.len() / 2);
            for (mode, name, object) in listed
                .ok_or_else(|| self.refuse("git lists its files in an unknown way".to_owned()))?
            {
                let name = String::from_utf8(name.to_owned());
                let name =
                    name.map_err(|_| self.refuse("the name of a file is no text".to_owned()))?;
                // In no tree that git itself makes; it would be the same place under another path.
                if matches!(&name[..], "" | "." | "..") || name.contains('/') {
                    return Err(self.refuse(format!("“{folder}{name}” is no name of a file")));
                }
                let path = format!("{folder}{name}");
                seen += 1;
                left = left.checked_sub(path.len() as u64).ok_or_else(too_many)?;
                match mode {
                    b"40000" | b"040000" => folders.push((object, path + "/")),
                    // A submodule is another repository, which nobody asked for.
                    b"160000" => {}
                    _ => entries.push(Entry { mode: mode.to_owned(), object, path }),
                }
            }
            if seen > MAX_FILES {
                return Err(too_many());
            }
        }
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// Writes the files of the revision to a new folder.
    fn write(&self, into: &Path) -> Result<(), ProgramError> {
        let failed = |error: std::io::Error| self.refuse(format!("its files: {error}"));
        let mut objects = Objects::open(&self.folder).map_err(failed)?;
        let entries = self.list(&mut objects)?;
        let paths = || entries.iter().map(|entry| entry.path.as_str());
        if let Some(path) = find_within_file(paths) {
            return Err(self.refuse(format!("“{path}” lies in a file, or in a link")));
        }
        fs::create_dir(into).map_err(failed)?;
        let (mut left, mut links, mut names) = (MAX_BYTES, Vec::new(), BTreeSet::new());
        for Entry { mode, object, path } in &entries {
            let to = place_in(into, Path::new(path)).filter(|_| names.insert(path));
            let to = to.ok_or_else(|| self.refuse(format!("“{path}” is no name of a file")))?;
            let content = objects.read(object, left).map_err(failed)?;
            left -= content.len() as u64;
            match &mode[..] {
                b"120000" => links.push((content, to)),
                mode => write_file(&to, &content, mode == b"100755").map_err(failed)?,
            }
        }
        for (_, to) in &links {
            fs::create_dir_all(to.parent().unwrap_or(into)).map_err(failed)?;
        }
        for (target, to) in links {
            let target = String::from_utf8(target);
            let target = target.map_err(|_| self.refuse("a link leads nowhere".to_owned()))?;
            link(Path::new(&target), &to).map_err(failed)?;
        }
        Ok(())
    }
}

/// A file or a link in a revision.
struct Entry {
    /// As git has it: `100644`, `100755` for a program, `120000` for a link.
    mode: Vec<u8>,
    object: String,
    path: String,
}

/// The mode, the name and the object of an entry of a tree.
type TreeEntry<'a> = (&'a [u8], &'a [u8], String);

/// Reads the entries of a tree, each with its mode, its name and its object, whose hash has this
/// many bytes. None if it is no tree.
fn read_tree(mut content: &[u8], hash: usize) -> Option<Vec<TreeEntry<'_>>> {
    let mut entries = Vec::new();
    while !content.is_empty() {
        let space = content.iter().position(|byte| *byte == b' ')?;
        let (mode, rest) = (&content[..space], &content[space + 1..]);
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let object = rest.get(..hash)?.iter().map(|byte| format!("{byte:02x}")).collect();
        entries.push((mode, name, object));
        content = &rest[hash..];
    }
    Some(entries)
}

/// The contents of a repository's objects, from one process of git.
struct Objects {
    git: std::process::Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Objects {
    fn open(folder: &Path) -> std::io::Result<Objects> {
        let mut command = git(folder);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = command.stderr(Stdio::null()).spawn()?;
        let answers = git.stdout.take().map(BufReader::new).expect("its output is a pipe");
        Ok(Objects { git, answers })
    }

    /// The content of an object of at most this size.
    fn read(&mut self, object: &str, most: u64) -> std::io::Result<Vec<u8>> {
        let question = self.git.stdin.as_mut().expect("its input is a pipe");
        writeln!(question, "{object}")?;
        let mut heading = String::new();
        self.answers.read_line(&mut heading)?;
        let size = heading.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let size = size.ok_or_else(|| std::io::Error::other(format!("{object} is missing")))?;
        if size > most {
            return Err(std::io::Error::other(format!("they have more than {MAX_BYTES} bytes")));
        }
        // The content ends with a line break of git's.
        let mut content = vec![0; size as usize + 1];
        self.answers.read_exact(&mut content)?;
        content.pop();
        Ok(content)
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        drop(self.git.stdin.take());
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

#[cfg(all(test, unix))]
mod tests;
