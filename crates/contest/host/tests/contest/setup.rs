//! A contest for a test, and programs to submit.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use quintain_bots::sandbox::Protection;
use quintain_core::Catalog;
use quintain_host::admin::{self, PhaseChoice};
use quintain_host::{
    ExportOptions, HostError, NewContest, ProgramMaker, VerificationReport, export, init, invite,
    verify,
};
use zip::write::SimpleFileOptions;

use crate::processes;
use crate::server::Server;

/// The executable that starts programs.
pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_quintain-host-launch");

/// A player of any game that chooses at random.
pub(crate) const WALKER: &str = include_str!("programs/walker.py");

/// Returns the walker with a line at the beginning of its function `choose`.
pub(crate) fn walker_choosing(line: &str) -> String {
    replace(WALKER, "actions, match):\n", &format!("actions, match):\n    {line}\n"))
}

/// Returns the walker with a line at the beginning of its function `main`.
pub(crate) fn walker_beginning(line: &str) -> String {
    replace(WALKER, "def main():\n", &format!("def main():\n    {line}\n"))
}

/// Replaces a text that must be there.
pub(crate) fn replace(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}: {text}");
    text.replace(from, to)
}

/// Makes a zip of files.
pub(crate) fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Unpacks a zip.
pub(crate) fn unzip(bytes: &[u8], to: &Path) {
    zip::ZipArchive::new(Cursor::new(bytes)).unwrap().extract(to).unwrap();
}

/// Returns whether a tool is installed; says so if not.
pub(crate) fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no {tool}");
    }
    found
}

/// Returns the best protection that this machine has for programs.
fn find_protection() -> Option<Protection> {
    let check = |protection| {
        let launcher = PathBuf::from(LAUNCHER);
        ProgramMaker { launcher, protection, catalog: quintain_games::catalog() }.check()
    };
    [Protection::Full, Protection::Basic].into_iter().find(|protection| check(*protection).is_ok())
}

/// A contest in a folder of its own.
pub(crate) struct Contest {
    folder: tempfile::TempDir,
    pub(crate) catalog: Catalog,
    /// The organiser's token.
    pub(crate) organiser: String,
    pub(crate) protection: Protection,
}

impl Contest {
    /// Creates a contest of tron on a small board; none if this machine cannot confine a program.
    pub(crate) fn new() -> Option<Contest> {
        Contest::of("tron", &["empty?width=7&height=7"], &["random", "wall-hugger"])
    }

    /// Creates a contest of a game on these scenarios, with these house players.
    pub(crate) fn of(game: &str, scenarios: &[&str], house: &[&str]) -> Option<Contest> {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Contest::create(&NewContest {
            game: game.to_owned(),
            scenarios: list(scenarios),
            house: list(house),
            ..NewContest::default()
        })
    }

    /// Creates a contest.
    pub(crate) fn create(new: &NewContest) -> Option<Contest> {
        if !has("python3") {
            return None;
        }
        let Some(protection) = find_protection() else {
            eprintln!("skipped: this machine cannot confine programs");
            return None;
        };
        let (folder, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let new = NewContest { budget: Some("move=600ms".to_owned()), ..new.clone() };
        let organiser = init(&folder.path().join("cup"), &new, &catalog).unwrap();
        let contest = Contest { folder, catalog, organiser, protection };
        if protection == Protection::Basic {
            contest.edit(&[("sandbox = \"full\"", "sandbox = \"basic\"")]);
        }
        Some(contest)
    }

    /// Returns the folder in which the contest's folder is.
    pub(crate) fn at(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the contest's folder.
    pub(crate) fn cup(&self) -> PathBuf {
        self.at().join("cup")
    }

    fn file(&self) -> PathBuf {
        self.cup().join("host.toml")
    }

    /// Returns the text of host.toml.
    pub(crate) fn settings(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    /// Changes host.toml; every text to be replaced must be there.
    pub(crate) fn edit(&self, changes: &[(&str, &str)]) {
        let text =
            changes.iter().fold(self.settings(), |text, (from, to)| replace(&text, from, to));
        fs::write(self.file(), text).unwrap();
    }

    /// Adds text to the end of host.toml.
    pub(crate) fn append(&self, text: &str) {
        fs::write(self.file(), format!("{}\n{text}", self.settings())).unwrap();
    }

    /// Opens the contest's database.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.cup().join("host.sqlite")).unwrap()
    }

    /// Returns a number from the contest's database.
    pub(crate) fn one(&self, sql: &str) -> i64 {
        self.database().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Invites somebody; returns their token.
    pub(crate) fn invite(&self, name: &str) -> String {
        invite(&self.cup(), name, &self.catalog).unwrap().token
    }

    /// Pauses or resumes the matches; returns whether that changed anything.
    pub(crate) fn pause(&self, is_paused: bool) -> bool {
        admin::pause(&self.cup(), &self.catalog, is_paused).unwrap()
    }

    /// Bans somebody, or lifts the ban; returns whether that changed anything.
    pub(crate) fn ban(&self, name: &str, is_banned: bool) -> bool {
        admin::ban(&self.cup(), &self.catalog, name, is_banned).unwrap()
    }

    /// Makes a phase the current one.
    pub(crate) fn choose_phase(&self, name: &str, begins_final: bool) -> Result<(), HostError> {
        let choice = PhaseChoice { name: Some(name), begins_final, is_confirmed: begins_final };
        admin::choose_phase(&self.cup(), &self.catalog, choice)
    }

    /// Returns what was done, the latest first, one line each.
    pub(crate) fn audit(&self) -> String {
        let all = admin::audit(&self.cup(), &self.catalog, 1000).unwrap();
        all.into_iter().map(|(_, who, what)| format!("{who}: {what}\n")).collect()
    }

    /// Returns the grades.
    pub(crate) fn grades(&self, columns: &[&str]) -> String {
        let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
        admin::grades(&self.cup(), &self.catalog, &columns).unwrap()
    }

    /// Replays every record; none may be bad.
    pub(crate) fn verify(&self) -> VerificationReport {
        let report = verify(&self.cup(), &self.catalog).unwrap();
        assert_eq!(report.bad, Vec::<String>::new());
        report
    }

    /// Writes the contest as a site of files; returns its folder.
    pub(crate) fn export(&self, to: &str, matches: u32, is_anonymous: bool) -> PathBuf {
        let to = self.at().join(to);
        let options = ExportOptions { matches, is_anonymous };
        export(&self.cup(), &to, &self.catalog, options).unwrap();
        to
    }

    /// Serves the contest from a thread.
    pub(crate) fn serve(&self) -> Server {
        self.try_serve().unwrap()
    }

    /// Serves the contest from a thread, if that is possible.
    pub(crate) fn try_serve(&self) -> Result<Server, HostError> {
        Server::start(&self.cup(), None)
    }

    /// Serves the contest from a process, which is killed when the server is dropped.
    pub(crate) fn serve_to_be_killed(&self) -> Server {
        processes::start_host(&self.cup(), &[])
    }
}
