//! Why a program cannot be seated; each reason is one line for the person who named it.

use quintain_core::ExternalError;

/// A command that cannot be read, or whose program cannot be found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The line contains no word.
    #[error("the command is empty; write for example \"python3 my.py\"")]
    EmptyLine,
    /// The list contains no word.
    #[error("the command is empty")]
    EmptyList,
    /// A quote is not closed, with the line.
    #[error("a quote is not closed in the command “{0}”")]
    OpenQuote(String),
    /// A word that only a shell would obey.
    #[error(
        "“{0}” in the command is for a shell, and no shell runs it: leave it out, write sh -c \
         \"…\", or give the words as a list if the program wants it"
    )]
    ForAShell(String),
    /// The command names a path at which there is no file.
    #[error("there is no program {program} in {folder}")]
    NotInFolder {
        /// The path, as the command gives it.
        program: String,
        /// The program's working folder.
        folder: String,
    },
    /// The program is missing and has to be built.
    #[error("there is no program {program} in {folder}; did you build it? {step}")]
    NotBuilt {
        /// The path, as the command gives it.
        program: String,
        /// The program's working folder.
        folder: String,
        /// What builds it.
        step: String,
    },
    /// The command names a file that may not be run.
    #[error("{0} is not executable; run chmod +x on it, or name its interpreter: python3 {0}")]
    NotExecutable(String),
    /// The command names a program that `PATH` does not have.
    #[error("there is no program {0} in PATH; write ./{0} for a file")]
    NotInPath(String),
    /// The same for an interpreter of Python, on Windows.
    #[error(
        "there is no program {0} in PATH; Python for Windows is at python.org, and py -3 finds \
         every version that is installed"
    )]
    NoPython(String),
}

/// A program that cannot be seated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// Full protection is wanted, with what the machine lacks and what helps.
    #[error("programs are not run here, because this machine lacks {0}")]
    Protection(String),
    /// Full protection is wanted on a system without our sandbox.
    #[error(
        "this system has no sandbox for programs (Linux has one); --sandbox off runs those that \
         you trust, and a WebAssembly module (wasm:FILE) plays confined on every system"
    )]
    NoSandbox,
    /// There is no `bots.toml` at this path.
    #[error(
        "there is no {0}, which lists programs; `quintain new player NAME` makes one, or name a \
         command: exec:\"…\""
    )]
    NoFile(String),
    /// The `bots.toml` cannot be read.
    #[error("cannot read {file}: {problem}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        problem: String,
    },
    /// The `bots.toml` is malformed.
    #[error("{file}:{line}: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was expected.
        problem: String,
    },
    /// The `bots.toml` has no program of this name.
    #[error("{file}: {problem}")]
    UnknownBot {
        /// The file.
        file: String,
        /// The name, and one that is like it.
        problem: String,
    },
    /// The player's text begins with neither prefix.
    #[error("“{0}” is neither bot:NAME nor exec:\"COMMAND\"")]
    Prefix(String),
    /// The command in the player's text cannot be read.
    #[error(transparent)]
    Text(#[from] CommandError),
    /// The program of a command cannot be found.
    #[error("{bot}: {source}")]
    Command {
        /// The player's text.
        bot: String,
        /// What is wrong with the command.
        source: CommandError,
    },
    /// The program's working folder cannot be used.
    #[error("{bot}: folder {folder}: {problem}")]
    Folder {
        /// The player's text.
        bot: String,
        /// The folder.
        folder: String,
        /// What the system says.
        problem: String,
    },
    /// The program's files cannot be copied.
    #[error("{bot}: {problem}")]
    Files {
        /// The player's text.
        bot: String,
        /// What is wrong with them.
        problem: String,
    },
    /// The program's protocol is not known.
    #[error("{bot}: {problem}")]
    UnknownProtocol {
        /// The player's text.
        bot: String,
        /// The protocol's name, and one that is like it.
        problem: String,
    },
    /// The program's protocol is one of another game.
    #[error("{bot} speaks {protocol}, a protocol of {theirs}; it cannot play {game}")]
    OtherGame {
        /// The player's text.
        bot: String,
        /// The protocol's name.
        protocol: &'static str,
        /// The game of the protocol.
        theirs: &'static str,
        /// The game that it should play.
        game: String,
    },
    /// The program says that it plays other games.
    #[error("{bot} does not play {game}; it says that it plays {}", games.join(", "))]
    NotItsGame {
        /// The player's text.
        bot: String,
        /// The game that it should play.
        game: String,
        /// The games that it plays.
        games: Vec<String>,
    },
    /// The program does not start, or does not say that it is ready.
    #[error("{bot} never starts: {problem}; to see more: quintain bot check {check}")]
    NeverStarts {
        /// The player's text.
        bot: String,
        /// What happens instead.
        problem: String,
        /// The program as `bot check` takes it.
        check: String,
    },
    /// The system has no current folder.
    #[error("{0}")]
    System(String),
}

impl ProgramError {
    /// Whether it is about the files of one program: others can play without it.
    pub fn is_of_its_files(&self) -> bool {
        use ProgramError::{Command, Files, Folder};
        matches!(self, Command { .. } | Files { .. } | Folder { .. })
    }
}

impl From<ProgramError> for ExternalError {
    fn from(error: ProgramError) -> Self {
        ExternalError::from(error.to_string())
    }
}
