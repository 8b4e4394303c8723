//! A command as a program and its arguments, and the files that it names. It is split as a
//! shell would split it, but no shell runs it: nothing in it is expanded.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use quintain_core::digest;

use crate::error::CommandError;

/// A program and its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "CommandForm")]
pub struct Command(Vec<String>);

/// The forms in which a file gives a command.
#[derive(Deserialize)]
#[serde(untagged)]
enum CommandForm {
    Line(String),
    Words(Vec<String>),
}

/// A command whose files have been found.
pub(crate) struct ResolvedCommand {
    pub(crate) program: PathBuf,
    /// The files and folders that it must be able to read, besides the system's and its
    /// working folder.
    pub(crate) readable: Vec<PathBuf>,
    /// The files that the command names.
    files: Vec<PathBuf>,
}

impl Command {
    /// Parses a command in one line, split into words as a shell would.
    ///
    /// # Errors
    /// [`CommandError`] if it is empty or a quote is not closed.
    pub fn parse(line: &str) -> Result<Command, CommandError> {
        match shlex::split(line) {
            Some(words) if !words.is_empty() => Ok(Command(words)),
            Some(_) => Err(CommandError::EmptyLine),
            None => Err(CommandError::OpenQuote(line.to_owned())),
        }
    }

    /// Parses a command in one line, which may be enclosed in double quotes.
    pub(crate) fn parse_quoted(text: &str) -> Result<Command, CommandError> {
        let text = text.trim();
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Command::parse(inner.unwrap_or(text))
    }

    /// The arguments, without the program.
    pub fn arguments(&self) -> &[String] {
        &self.0[1..]
    }

    /// Finds the program: relative to the working folder if the command names a path, else in
    /// `PATH`.
    pub(crate) fn find(&self, folder: &Path) -> Result<ResolvedCommand, CommandError> {
        let name = &self.0[0];
        let program = if name.contains('/') {
            let path = folder.join(name);
            path.is_file().then_some(path)
        } else {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).map(|in_path| in_path.join(name)).find(|p| p.is_file())
        };
        let program = program.ok_or_else(|| match name.contains('/') {
            true => CommandError::NotInFolder {
                program: name.clone(),
                folder: folder.display().to_string(),
            },
            false => CommandError::NotInPath(name.clone()),
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
        Ok(ResolvedCommand { program, readable, files })
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

impl ResolvedCommand {
    /// The version of the program: a digest of its command, its protocol, and the contents of
    /// the files that it names and of the program itself. Records of another version are
    /// other fixtures, so that results of an edited program are never mixed with old ones.
    pub(crate) fn version(&self, command: &Command, protocol: &str) -> u32 {
        let mut parts = vec![command.to_string().into_bytes(), protocol.into()];
        let files = self.files.iter().chain([&self.program]);
        parts.extend(files.map(|file| std::fs::read(file).unwrap_or_default()));
        let digest = digest(&parts.concat());
        u32::from_str_radix(&digest[..8], 16).expect("a digest is hexadecimal")
    }
}

impl TryFrom<CommandForm> for Command {
    type Error = CommandError;

    fn try_from(form: CommandForm) -> Result<Command, CommandError> {
        match form {
            CommandForm::Line(line) => Command::parse(&line),
            CommandForm::Words(words) if words.is_empty() => Err(CommandError::EmptyList),
            CommandForm::Words(words) => Ok(Command(words)),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.iter().map(String::as_str);
        f.write_str(&shlex::try_join(words).unwrap_or_else(|_| self.0.join(" ")))
    }
}
