//! A lesson and its file.

use std::path::{Path, PathBuf};

use quintain_core::{AnyGame, keep_file, read_text, reading_as_record};
use quintain_core::{Budget, Catalog, FilesOfRecords, Seat, SpecError, TextFileError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The format of lessons that this version writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// A position, the actions that are mistakes there, and better ones.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// [`FORMAT`] when it was written.
    pub format: u32,
    /// The game.
    pub game: String,
    /// The version of its rules.
    pub rules: u32,
    /// The scenario.
    pub scenario: String,
    /// The files that the scenario names by their digests, each as its lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Vec<String>>,
    /// The seed of the match.
    pub seed: u64,
    /// What the player may think for each decision.
    #[serde(default)]
    pub budget: Budget,
    /// What was played before, turn by turn, seat by seat, separated by spaces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actions: String,
    /// The seat that decides.
    pub seat: Seat,
    /// The actions that are mistakes.
    pub mistakes: Vec<String>,
    /// Better actions, the best first.
    pub better: Vec<String>,
    /// Why, in a sentence or two.
    pub sentence: String,
    /// How it was checked.
    pub verified: Verification,
    /// The simplest opponent against which all of it holds, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<Opponent>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What a program hears up to the decision, line by line, so that its own tests can ask it
    /// without Quintain; none if that is too much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}

/// How a lesson was checked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Verification {
    /// Whether an exact solver has proved it; otherwise it rests on the search below.
    pub exact: bool,
    /// The player that played on from both actions.
    pub player: String,
    /// Its budget for each decision.
    pub budget: Budget,
    /// The score after the better action.
    pub better: f64,
    /// The score after the mistake.
    pub mistake: f64,
    /// Where players cannot know how the match started: the number of continuations over which both
    /// scores are averages. Each has a start that looks the same to them so far, and other luck.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continuations: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The simplest of a game's players that punishes the mistake: the player of [`Verification`] plays
/// on against it from both actions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Opponent {
    /// The opponent.
    pub player: String,
    /// The mean score after the better action.
    pub better: f64,
    /// The mean score after the mistake.
    pub mistake: f64,
}

/// The decision from which a lesson was made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The id of the match's record.
    pub record: String,
    /// The turns played before the decision.
    pub turn: u32,
}

/// Why a lesson cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LessonFileError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] TextFileError),
    /// It is not a lesson.
    #[error("{path}: not a lesson: {problem}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A later version wrote it.
    #[error(
        "{path}: lesson format {found}, but this version reads formats up to {FORMAT}",
        path = .path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: u32,
    },
}

impl Lesson {
    /// Reads a lesson's file.
    ///
    /// # Errors
    /// [`LessonFileError`] if it cannot be read.
    pub fn read(path: &Path) -> Result<Lesson, LessonFileError> {
        Lesson::parse(path, &read_text(path)?)
    }

    /// Reads the text of a lesson's file, which need not be there.
    ///
    /// # Errors
    /// As [`Lesson::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Lesson, LessonFileError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let unreadable = |error: serde_json::Error| LessonFileError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        let Head { format: found } = serde_json::from_str(text).map_err(unreadable)?;
        if found > FORMAT {
            return Err(LessonFileError::Format { path: path.to_owned(), found });
        }
        serde_json::from_str(text).map_err(unreadable)
    }

    /// The JSON form, for a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a lesson has a JSON form") + "\n"
    }

    /// The game on the lesson's scenario. No file on disk is read: a lesson may come from a
    /// stranger.
    ///
    /// # Errors
    /// If this catalog has no such game or scenario.
    pub fn build(&self, catalog: &Catalog) -> Result<Arc<dyn AnyGame>, SpecError> {
        let files = self.files.iter().map(|lines| keep_file(&lines.join("\n")));
        let files: Vec<String> = files.collect();
        let build = || catalog.game(&self.game, &self.scenario);
        let game = reading_as_record(FilesOfRecords::Never, build)?;
        // Another lesson may hold a file that this one names.
        if let Some(digest) = game.files().iter().find(|digest| !files.contains(digest)) {
            return Err(SpecError::Mismatch(format!(
                "its scenario names a file with digest {digest}, but its files have {}; a board \
                 that was edited is another lesson",
                if files.is_empty() { "none".to_owned() } else { files.join(", ") }
            )));
        }
        Ok(game)
    }

    /// The actions before the decision.
    pub fn action_texts(&self) -> impl Iterator<Item = &str> {
        self.actions.split_ascii_whitespace()
    }
}

impl LessonFileError {
    /// What is wrong, without the name of the file.
    pub fn problem(&self) -> String {
        match self {
            LessonFileError::Unreadable { problem, .. } => format!("not a lesson: {problem}"),
            other => {
                let text = other.to_string();
                text.split_once(": ").map_or(text.clone(), |(_, problem)| problem.to_owned())
            }
        }
    }
}

/// The lines of a file, as a lesson keeps them.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}

/// The files of a folder that hold lessons, in order: those whose names end in `.json`.
///
/// # Errors
/// If the folder cannot be read.
pub fn lesson_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The next free file for a lesson in a folder: `0001.json`, and so on.
pub fn next_file(folder: &Path) -> PathBuf {
    let names = (1..).map(|number: u32| folder.join(format!("{number:04}.json")));
    let mut free = names.filter(|path| !path.exists());
    free.next().expect("there are more numbers than files")
}
