//! A command as a program and its arguments, and the files that it names. No shell
//! reads it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::BotEntry;
use super::version_of;

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Command(Vec<String>);

/// The forms in which a file gives a command.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Line(String),
    Words(Vec<String>),
}

/// A command whose files have been found.
pub(super) struct Found {
    pub(super) program: PathBuf,
    /// What must be readable beyond system and working folder.
    pub(super) readable: Vec<PathBuf>,
    /// The files that the command names.
    files: Vec<PathBuf>,
}

impl Command {
    /// A command in one line, words as a shell would split them.
    ///
    /// # Errors
    /// If it is empty or a quote is not closed.
    pub fn parse(line: &str) -> Result<Command, String> {
        match shlex::split(line) {
            Some(words) if !words.is_empty() => Ok(Command(words)),
            Some(_) => Err("the command is empty; write for example \"python3 my.py\"".to_owned()),
            None => Err(format!("a quote is not closed in the command “{line}”")),
        }
    }

    /// A command in one line, which may stand in double quotes.
    pub(super) fn in_quotes(text: &str) -> Result<Command, String> {
        let text = text.trim();
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Command::parse(inner.unwrap_or(text))
    }

    /// The arguments, without the program.
    pub fn arguments(&self) -> &[String] {
        &self.0[1..]
    }

    /// Looks for the program: beside the working folder if it names a path, else where
    /// `PATH` says.
    pub(super) fn find(&self, folder: &Path) -> Result<Found, String> {
        let name = &self.0[0];
        let program = if name.contains('/') {
            let path = folder.join(name);
            path.is_file().then_some(path)
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|in_path| in_path.join(name)).find(|p| p.is_file())
        };
        let program = program.ok_or_else(|| match name.contains('/') {
            true => format!("there is no program {name} in {}", folder.display()),
            false => format!("there is no program {name} in PATH; write ./{name} for a file"),
        })?;
        let mut files: Vec<PathBuf> =
            self.arguments().iter().map(|word| folder.join(word)).collect();
        files.retain(|file| file.is_file());
        let mut readable = vec![program.clone()];
        readable.extend(installation(&program));
        if let Ok(real) = program.canonicalize() {
            readable.extend(installation(&real));
            readable.push(real);
        }
        readable.extend(files.iter().cloned());
        Ok(Found { program, readable, files })
    }
}

/// The folder under which a program is installed, if it is one of a program's own: that
/// of `PREFIX/bin/python3` is `PREFIX`.
fn installation(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    let is_bin = matches!(bin.file_name()?.to_str()?, "bin" | "shims" | "libexec");
    let prefix = bin.parent().filter(|_| is_bin)?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = prefix.parent().is_some() && home.is_none_or(|home| !home.starts_with(prefix));
    own.then(|| prefix.to_owned())
}

impl Found {
    /// The version of the program: what it says and what its files hold.
    pub(super) fn version(&self, entry: &BotEntry) -> u32 {
        let mut parts = vec![entry.command.to_string().into_bytes(), entry.protocol.clone().into()];
        let files = self.files.iter().chain([&self.program]);
        parts.extend(files.map(|file| std::fs::read(file).unwrap_or_default()));
        version_of(&parts)
    }
}

impl TryFrom<Written> for Command {
    type Error = String;

    fn try_from(written: Written) -> Result<Command, String> {
        match written {
            Written::Line(line) => Command::parse(&line),
            Written::Words(words) if words.is_empty() => Err("the command is empty".to_owned()),
            Written::Words(words) => Ok(Command(words)),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.iter().map(String::as_str);
        f.write_str(&shlex::try_join(words).unwrap_or_else(|_| self.0.join(" ")))
    }
}
