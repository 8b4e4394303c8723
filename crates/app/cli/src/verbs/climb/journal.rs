//! What happened in a climb, a line of JSON for each event, written before the next begins. The
//! edits are on record for good: whoever runs the same command again asks for none of them twice,
//! and judges them by the same matches.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::{Access, TextFileError, read_text, reason};
use serde_json::{Value, json};

use crate::failure::Failure;

/// What decides which matches are played.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Settings {
    pub(super) game: String,
    pub(super) scenarios: Vec<String>,
    pub(super) against: Vec<String>,
    pub(super) seed: u64,
    pub(super) budget: String,
    pub(super) matches: u64,
    pub(super) delta: Option<f64>,
    /// The version of the program with which the climb began.
    pub(super) origin: String,
}

impl Settings {
    fn to_json(&self) -> Value {
        let Settings { game, scenarios, against, seed, budget, matches, delta, origin } = self;
        json!({
            "game": game, "scenarios": scenarios, "against": against, "seed": seed,
            "budget": budget, "matches": matches, "delta": delta, "origin": origin,
        })
    }
}

/// One edit.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Edit {
    pub(super) round: u64,
    /// The version that was edited.
    pub(super) from: String,
    /// The version that it became; `None` if that cannot play.
    pub(super) to: Option<String>,
    /// Why it cannot play.
    pub(super) problem: String,
    /// What was said about that, such as the end of its standard error.
    pub(super) details: String,
    /// What was changed, in a few lines.
    pub(super) changed: String,
}

/// What became of an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// Kept: it is certainly better.
    Better,
    /// Kept: it is not worse.
    Level,
    Rejected,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::Better => "kept, better",
            Decision::Level => "kept",
            Decision::Rejected => "rejected",
        })
    }
}

/// The record of a climb.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    edits: Vec<Edit>,
    decisions: Vec<(u64, String)>,
}

impl Journal {
    /// Opens the record in a folder, or begins one.
    pub(super) fn open(folder: &Path, settings: &Settings) -> Result<Journal, Failure> {
        let path = folder.join("climb.jsonl");
        let fail = |error: std::io::Error| {
            let why = reason(&error, Access::Write);
            Failure::Failed(format!("cannot keep the record {}: {why}", path.display()))
        };
        let text = match read_text(&path) {
            Ok(text) => text,
            Err(TextFileError::Missing(_)) => String::new(),
            Err(error) => {
                return Err(Failure::Failed(format!("cannot keep the record {error}")));
            }
        };
        // A line that a crash cut off is not counted.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let lines = text[..whole].lines().filter_map(|line| serde_json::from_str(line).ok());
        let lines: Vec<Value> = lines.collect();
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(fail)?;
        file.set_len(whole as u64).map_err(fail)?;
        let mut journal = Journal { path, file, edits: Vec::new(), decisions: Vec::new() };
        let wanted = settings.to_json();
        match lines.first() {
            None => journal.write(&json!({ "settings": wanted }))?,
            Some(first) => refuse_other_settings(&first["settings"], &wanted, folder)?,
        }
        for line in &lines {
            journal.read(line);
        }
        Ok(journal)
    }

    fn read(&mut self, line: &Value) {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let Some(round) = line["round"].as_u64() else { return };
        if let Some(decision) = text(&line["decision"]) {
            self.decisions.push((round, decision));
        } else if let Some(from) = text(&line["from"]) {
            let [problem, details, changed] =
                ["problem", "details", "changed"].map(|key| text(&line[key]).unwrap_or_default());
            let to = text(&line["to"]);
            self.edits.push(Edit { round, from, to, problem, details, changed });
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The edit of a round, if there was one.
    pub(super) fn edit(&self, round: u64) -> Option<&Edit> {
        self.edits.iter().find(|edit| edit.round == round)
    }

    pub(super) fn note_edit(&mut self, edit: &Edit) -> Result<(), Failure> {
        let Edit { round, from, to, problem, details, changed } = edit;
        self.write(&json!({
            "round": round, "from": from, "to": to, "problem": problem, "details": details,
            "changed": changed,
        }))
    }

    /// Records what became of a round's edit, or compares it with what is on record.
    pub(super) fn note(
        &mut self,
        round: u64,
        decision: Decision,
        why: &str,
    ) -> Result<(), Failure> {
        let decision = decision.to_string();
        match self.decisions.iter().find(|(known, _)| *known == round) {
            Some((_, known)) if *known == decision => Ok(()),
            Some((_, known)) => Err(Failure::Failed(format!(
                "{}: round {round} was {known}, but its matches now say: {decision}: {why}; its \
                 store was changed",
                self.path.display()
            ))),
            None => self.write(&json!({ "round": round, "decision": decision, "why": why })),
        }
    }

    fn write(&mut self, line: &Value) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.and_then(|()| self.file.sync_data()).map_err(|error| {
            let why = reason(&error, Access::Write);
            Failure::Failed(format!("cannot keep the record {}: {why}", self.path.display()))
        })
    }
}

fn refuse_other_settings(known: &Value, wanted: &Value, folder: &Path) -> Result<(), Failure> {
    let keys = wanted.as_object().into_iter().flat_map(|keys| keys.keys());
    let changed: Vec<String> = keys
        .filter(|key| known[key.as_str()] != wanted[key.as_str()])
        .map(|key| match key.as_str() {
            "origin" => "the program was changed since".to_owned(),
            key => format!("{key} was {}, and is {} now", known[key], wanted[key]),
        })
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is of another climb: {}; move that folder away to begin a new one",
        folder.display(),
        changed.join(", ")
    )))
}
