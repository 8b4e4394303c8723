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
//! stores them: no hook runs, no filter, and no submodule is fetched. A link is written last, so no
//! file is written through one. The build step runs in the sandbox, without a network; only where
//! programs run unconfined it runs as the user.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use quintain_core::digest;
use toml::{Table, Value};

use crate::bots_file::{BotEntry, find_folder};
use crate::error::ProgramError;
use crate::open::link;
use crate::programs::{Programs, Settings};
use crate::protection::Protection;
use crate::version::{ENTRY, FILES, Version};

/// What comes between a program's name and a revision.
const MARK: &str = "@git:";
/// The versions that came of revisions.
const NOTES: &str = "git.toml";
/// The most bytes of a revision's files, and of what is built of them.
const MAX_BYTES: u64 = 256 << 20;
/// The most files of a revision.
const MAX_FILES: usize = 20_000;
/// How long a build may take.
#[cfg(target_os = "linux")]
const BUILD_TIME: std::time::Duration = std::time::Duration::from_secs(600);

/// A revision of a program's folder.
struct Revision<'a> {
    spec: &'a str,
    folder: PathBuf,
    /// Git's hash of the folder in this revision.
    tree: String,
}

impl Programs {
    /// The version that a player's text names by a revision, if it does; it is built unless that
    /// was done before.
    pub(crate) fn find_revision_of(&self, spec: &str) -> Result<Option<Version>, ProgramError> {
        let Some((name, text)) = spec.strip_prefix("bot:").and_then(|text| text.split_once(MARK))
        else {
            return Ok(None);
        };
        let entry = self.file()?.bot(name)?.clone();
        let folder = find_folder(spec, &entry, &self.base()?)?;
        let revision = Revision::find(spec, folder, text)?;
        let table = self.entry_table(name, &entry, &revision)?;
        let key = digest(format!("{} {table}", revision.tree).as_bytes())[..32].to_owned();
        let notes = self.versions_folder()?.join(name).join(NOTES);
        let noted: Table =
            toml::from_str(&fs::read_to_string(&notes).unwrap_or_default()).unwrap_or_default();
        let known = noted.get(&key).and_then(Value::as_str);
        if let Some(version) =
            self.versions(name)?.into_iter().find(|version| Some(version.hash()) == known)
        {
            return Ok(Some(version));
        }
        let version = self.make_version(name, &entry, &revision, table)?;
        // Read again: another process may have noted another revision in the meantime.
        let mut noted: Table =
            toml::from_str(&fs::read_to_string(&notes).unwrap_or_default()).unwrap_or_default();
        noted.insert(key, version.hash().into());
        let part = notes.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&part, noted.to_string()).and_then(|()| fs::rename(&part, &notes));
        written.map_err(|error| revision.refuse(format!("it cannot be noted: {error}")))?;
        Ok(Some(version))
    }

    /// The entry of a version: that of today, for the files of the revision.
    fn entry_table(
        &self,
        name: &str,
        entry: &BotEntry,
        revision: &Revision<'_>,
    ) -> Result<Table, ProgramError> {
        let text = fs::read_to_string(self.file_path());
        let all = text
            .ok()
            .and_then(|text| toml::from_str::<Table>(text.trim_start_matches('\u{feff}')).ok());
        let table = all.and_then(|mut all| all.remove(name));
        let Some(Value::Table(mut table)) = table else {
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
        fs::create_dir_all(&all).map_err(failed)?;
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
        let files = place.join(FILES);
        let broken = |said: &str, why: String| {
            let lines: Vec<&str> = said.trim_end().lines().collect();
            let last = lines[lines.len().saturating_sub(12)..].join("\n  ");
            revision.refuse(format!("`{step}` failed: {why}\n  {last}"))
        };
        if cfg!(not(target_os = "linux")) || self.settings().protection == Protection::Unconfined {
            let output =
                crate::build::shell(step).current_dir(&files).stdin(Stdio::null()).output();
            let output = output.map_err(|error| revision.refuse(error.to_string()))?;
            let said = [output.stdout, output.stderr].concat();
            return match output.status.success() {
                true => Ok(()),
                false => Err(broken(&String::from_utf8_lossy(&said), output.status.to_string())),
            };
        }
        #[cfg(target_os = "linux")]
        self.build_confined(revision, step, place, entry, &broken)?;
        #[cfg(not(target_os = "linux"))]
        let _ = entry;
        Ok(())
    }

    /// Builds the files in a folder by a job in the sandbox, which has no access to them: it builds
    /// a copy and writes what is there then to its output.
    #[cfg(target_os = "linux")]
    fn build_confined(
        &self,
        revision: &Revision<'_>,
        step: &str,
        place: &Path,
        entry: &Table,
        broken: &dyn Fn(&str, String) -> ProgramError,
    ) -> Result<(), ProgramError> {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD;

        const SCRIPT: &str = "set -e\nmkdir \"$TMPDIR/work\"\ncp -R . \"$TMPDIR/work\"\n\
            cd \"$TMPDIR/work\"\nchmod -R u+w .\nsh -c \"$1\" >&2 </dev/null\n\
            tar -cf \"$TMPDIR/built\" .\nbase64 \"$TMPDIR/built\"\n";
        let job = "build";
        let mut table = Table::new();
        let command = ["sh", "-c", SCRIPT, job, step].map(Value::from);
        table.insert("command".to_owned(), command.to_vec().into());
        for key in ["folder", "read", "environment"] {
            table.extend(entry.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        let limits = "memory = '4GB'\nscratch = '1GB'\noutput = '512MB'\nline = '512MB'\n\
                      processes = 256\nfiles = 1024\ncores = 64";
        let limits: Table = toml::from_str(limits).expect("the limits are well-formed");
        table.insert("limits".to_owned(), Value::Table(limits));
        let file = place.join("build.toml");
        let entry = Table::from_iter([(job.to_owned(), Value::Table(table))]);
        fs::write(&file, entry.to_string()).map_err(|error| revision.refuse(error.to_string()))?;
        let programs = Programs::new(Settings { file, ..self.settings().clone() });
        let bot = programs.bot(&format!("bot:{job}"))?;
        let end = bot.run_to_end(BUILD_TIME, true, None);
        let end = end.map_err(|fault| revision.refuse(fault.to_string()))?;
        let packed = end.output.map_err(|failure| broken(&end.said, failure.to_string()))?;
        let packed: String = packed.split_ascii_whitespace().collect();
        let unreadable = |problem: String| broken(&end.said, problem);
        let bytes = STANDARD.decode(packed).map_err(|error| unreadable(error.to_string()))?;
        let files = place.join(FILES);
        fs::remove_dir_all(&files).map_err(|error| revision.refuse(error.to_string()))?;
        untar(&bytes, &files).map_err(|error| unreadable(error.to_string()))
    }
}

/// Unpacks the files and folders of an archive into a new folder. Whatever else it holds is left
/// out.
#[cfg(target_os = "linux")]
fn untar(bytes: &[u8], into: &Path) -> std::io::Result<()> {
    fs::create_dir(into)?;
    let mut left = MAX_BYTES;
    for entry in tar::Archive::new(bytes).entries()? {
        let mut entry = entry?;
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
    let mut git = Command::new("git");
    git.arg("-C").arg(folder);
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"] {
        git.args(["-c", setting]);
    }
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_NO_REPLACE_OBJECTS", "1");
    git.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    git.stdin(Stdio::null());
    git
}

impl<'a> Revision<'a> {
    /// Finds a revision of a folder.
    fn find(spec: &'a str, folder: PathBuf, text: &str) -> Result<Revision<'a>, ProgramError> {
        let mut revision = Revision { spec, folder, tree: String::new() };
        // A name that begins with a dash would be an option of git.
        if text.is_empty() || text.starts_with('-') || text.contains(['\n', '\0', ':']) {
            return Err(revision.refuse(format!(
                "“{text}” is no revision; expected a branch, a tag or a commit, such as main or \
                 HEAD~1"
            )));
        }
        let within = revision.ask(&["rev-parse", "--show-prefix"])?;
        let Some(within) = within else {
            let folder = revision.folder.display();
            return Err(revision.refuse(format!("{folder} is in no git repository")));
        };
        let commit = format!("{text}^{{commit}}");
        let Some(commit) = revision.ask(&["rev-parse", "--verify", "--quiet", &commit])? else {
            return Err(revision.refuse(format!(
                "there is no revision “{text}” in this repository; if it is on a server, `git \
                 fetch` gets it"
            )));
        };
        let path = format!("{commit}:{}", within.trim_end_matches('/'));
        match revision.ask(&["rev-parse", "--verify", "--quiet", &path])? {
            Some(tree) => revision.tree = tree,
            None => {
                return Err(revision.refuse(format!(
                    "the revision has no folder {}",
                    within.trim_end_matches('/')
                )));
            }
        }
        Ok(revision)
    }

    fn refuse(&self, problem: String) -> ProgramError {
        ProgramError::Files { bot: self.spec.to_owned(), problem }
    }

    /// What git answers, in one line; `None` if it has no answer.
    fn ask(&self, question: &[&str]) -> Result<Option<String>, ProgramError> {
        let output = git(&self.folder).args(question).stderr(Stdio::null()).output();
        let output = output.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                self.refuse("git is not installed, or not in PATH".to_owned())
            }
            _ => self.refuse(format!("git: {error}")),
        })?;
        let said = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        Ok(output.status.success().then_some(said))
    }

    /// Writes the files of the revision to a new folder.
    fn write(&self, into: &Path) -> Result<(), ProgramError> {
        let failed = |error: std::io::Error| self.refuse(format!("its files: {error}"));
        let listed =
            git(&self.folder).args(["ls-tree", "--full-tree", "-r", "-z", &self.tree]).output();
        let listed = String::from_utf8(listed.map_err(failed)?.stdout);
        let listed = listed.map_err(|_| self.refuse("the name of a file is no text".to_owned()))?;
        let entries: Vec<&str> = listed.split_terminator('\0').collect();
        if entries.len() > MAX_FILES {
            return Err(self.refuse(format!("it has more than {MAX_FILES} files")));
        }
        fs::create_dir(into).map_err(failed)?;
        let mut objects = Objects::open(&self.folder).map_err(failed)?;
        let (mut left, mut links, mut names) = (MAX_BYTES, Vec::new(), BTreeSet::new());
        for entry in entries {
            let parts = entry.split_once('\t').and_then(|(about, path)| {
                let mut about = about.split(' ');
                Some((about.next()?, about.nth(1)?, path))
            });
            let Some((mode, object, path)) = parts else {
                return Err(self.refuse("git lists its files in an unknown way".to_owned()));
            };
            // A submodule is another repository, which nobody asked for.
            if mode == "160000" {
                continue;
            }
            let to = place_in(into, Path::new(path)).filter(|_| names.insert(path));
            let to = to.ok_or_else(|| self.refuse(format!("“{path}” is no name of a file")))?;
            let content = objects.read(object, left).map_err(failed)?;
            left -= content.len() as u64;
            match mode {
                "120000" => links.push((content, to)),
                _ => write_file(&to, &content, mode == "100755").map_err(failed)?,
            }
        }
        for (target, to) in links {
            let target = String::from_utf8(target);
            let target = target.map_err(|_| self.refuse("a link leads nowhere".to_owned()))?;
            let around = to.parent().unwrap_or(into);
            fs::create_dir_all(around).map_err(failed)?;
            link(Path::new(&target), &to).map_err(failed)?;
        }
        Ok(())
    }
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
