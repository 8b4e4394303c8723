//! The decisions of recorded matches as positions to learn from. They are written as shards of the
//! same form as those of self-play; the policy is the action that was played, and the value the
//! outcome of the match.

use std::path::{Path, PathBuf};
use std::{fs, io};

use quintain_batch::{AnyTeacher, NumberedDecision, make_teacher};
use quintain_core::{
    Catalog, Layout, Objective, Record, RecordError, SEED, Scoring, Spec, SpecError,
};
use quintain_search::utility::{range_of, utilities_of};
use serde_json::{Value, json};

use crate::description::{DESCRIPTION, Positions, describe};
use crate::self_play::shard_path;
use crate::shard::{self, Form, Position};

/// The approximate number of positions per shard.
const SHARD: usize = 4096;

/// Why positions could not be written, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImitationError {
    /// A record's game or scenario is unknown, or has no such encoding.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A record does not replay.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The records do not go together, or the folder already holds positions.
    #[error("{0}")]
    Unfit(String),
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

/// The result of writing positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Imitated {
    /// Records read.
    pub matches: u64,
    /// Positions written.
    pub positions: u64,
    /// Decisions for which the encoding has no number.
    pub without: u64,
    /// The encoding.
    pub encoding: &'static str,
    /// The game's other encodings.
    pub others: Vec<&'static str>,
}

impl Imitated {
    /// A message about the decisions without a number, if there are any.
    pub fn left_out(&self) -> Option<String> {
        let (decisions, actions) = match self.without {
            0 => return None,
            1 => ("one decision is left out".to_owned(), "its action"),
            count => (format!("{count} decisions are left out"), "their actions"),
        };
        let elsewhere = match self.others.is_empty() {
            true => String::new(),
            false => format!("; another may have one: --encoding {}", self.others.join(" or ")),
        };
        let encoding = self.encoding;
        Some(format!("{decisions}: the encoding {encoding} has no number for {actions}{elsewhere}"))
    }
}

/// Writes the decisions of records, one record after another, into a folder.
pub struct PositionWriter<'a> {
    catalog: &'a Catalog,
    folder: PathBuf,
    encoding: Option<String>,
    player: Option<String>,
    common: Option<Common>,
    positions: Vec<Position>,
    shards: u64,
    done: Imitated,
}

/// What all records have in common.
struct Common {
    game: String,
    /// The scenario of the first record.
    first: String,
    /// The part on which all scenarios agree.
    scenario: Spec,
    /// The scenario of the last record, and what reads its records.
    last: (String, Box<dyn AnyTeacher>),
    layout: Layout,
    encoding: &'static str,
    range: Option<(f64, f64)>,
    objective: Objective,
    scoring: Scoring,
}

impl<'a> PositionWriter<'a> {
    /// Creates a writer into an empty or new folder, for the decisions of one player or of all, in
    /// the given encoding of the game or its default one.
    ///
    /// # Errors
    /// If the folder holds positions.
    pub fn new(
        catalog: &'a Catalog,
        folder: &Path,
        player: Option<&str>,
        encoding: Option<&str>,
    ) -> Result<Self, ImitationError> {
        if folder.join(DESCRIPTION).exists() || shard_path(folder, 0).exists() {
            return Err(ImitationError::Unfit(format!(
                "{} holds positions already; name another folder by --out",
                folder.display()
            )));
        }
        Ok(PositionWriter {
            catalog,
            folder: folder.to_owned(),
            encoding: encoding.map(str::to_owned),
            player: player.map(str::to_owned),
            common: None,
            positions: Vec::new(),
            shards: 0,
            done: Imitated::default(),
        })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it does not replay, if its game has no such encoding, or if it does not match the earlier
    /// records.
    pub fn add(&mut self, record: &Record) -> Result<(), ImitationError> {
        self.meet(record)?;
        let Some(common) = &self.common else { return Ok(()) };
        let seats = &record.fixture.seats;
        let wanted = |seat: quintain_core::Seat| {
            self.player.as_ref().is_none_or(|player| seats.get(seat.index()) == Some(player))
        };
        let values = utilities_of(common.objective, common.scoring, &record.outcome.scores);
        let (number, actions) = (self.done.matches, common.layout.actions);
        let positions = &mut self.positions;
        let mut each = |decision: NumberedDecision| {
            let value = values.get(decision.seat.index()).map_or(0.0, |value| *value as f32);
            let mut position = Position {
                number,
                turn: decision.turn,
                seat: decision.seat.index() as u16,
                board: decision.board,
                features: decision.features,
                legal: vec![0; actions],
                policy: vec![0.0; actions],
                search_value: value,
                value,
                estimate: f32::NAN,
            };
            for legal in decision.legal {
                position.legal[legal] = 1;
            }
            position.policy[decision.chosen] = 1.0;
            positions.push(position);
        };
        self.done.without += common.last.1.decisions(record, &wanted, &mut each)?;
        self.done.matches += 1;
        if self.positions.len() >= SHARD {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what is left, and the description.
    ///
    /// # Errors
    /// If that cannot be done, or there was no decision.
    pub fn finish(mut self) -> Result<Imitated, ImitationError> {
        self.flush()?;
        let Some(common) = &self.common else {
            return Err(ImitationError::Unfit("there is no such match".to_owned()));
        };
        let entry = self.catalog.entry(&common.game)?;
        self.done.encoding = common.encoding;
        self.done.others = entry.encodings();
        self.done.others.retain(|other| *other != common.encoding);
        if self.done.positions == 0 {
            let player = self.player.as_deref().unwrap_or("anybody");
            let nobodys = || format!("none of the matches has a decision of {player}");
            let why = self.done.left_out().unwrap_or_else(nobodys);
            return Err(ImitationError::Unfit(format!("there is no position: {why}")));
        }
        let path = self.folder.join(DESCRIPTION);
        let text = serde_json::to_string_pretty(&self.describe(common)).unwrap_or_default() + "\n";
        fs::write(&path, text).map_err(|error| ImitationError::Write { path, error })?;
        Ok(self.done)
    }

    /// The data that trainers need, in the form that self-play uses.
    fn describe(&self, common: &Common) -> Value {
        let positions = Positions {
            game: &common.game,
            scenario: &common.scenario.to_string(),
            encoding: common.encoding,
            layout: &common.layout,
            range: common.range,
        };
        describe(&positions, json!({ "imitates": self.player, "matches": self.done.matches }))
    }

    fn flush(&mut self) -> Result<(), ImitationError> {
        let Some(common) = self.common.as_ref().filter(|_| !self.positions.is_empty()) else {
            return Ok(());
        };
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| ImitationError::Write { path, error }
        };
        fs::create_dir_all(&self.folder).map_err(failed(&self.folder))?;
        let path = shard_path(&self.folder, self.shards);
        shard::write(&path, &Form::of(&common.layout), &self.positions).map_err(failed(&path))?;
        self.shards += 1;
        self.done.positions += self.positions.len() as u64;
        self.positions.clear();
        Ok(())
    }

    /// Finds what reads this record, and checks that it matches the other records.
    fn meet(&mut self, record: &Record) -> Result<(), ImitationError> {
        let fixture = &record.fixture;
        if let Some(common) = &self.common {
            if common.game != fixture.game {
                return Err(ImitationError::Unfit(format!(
                    "there are matches of {} and of {}; choose a game by --game",
                    common.game, fixture.game
                )));
            }
            if common.last.0 == fixture.scenario {
                return Ok(());
            }
        }
        let unknown = |error: SpecError| ImitationError::Spec(error);
        let entry = self.catalog.entry(&fixture.game).map_err(unknown)?;
        let teacher = make_teacher(entry, &fixture.scenario, self.encoding.as_deref())?;
        let game = entry.game(&fixture.scenario)?;
        let (objective, scoring) = (game.objective(), game.scoring());
        let are_rivals = scoring == Scoring::Adversarial && game.seats() > 1;
        let range = game.score_range().map(|range| range_of(range, objective, are_rivals));
        let spec: Spec =
            fixture.scenario.parse().map_err(|error| unknown(SpecError::from(error)))?;
        let Some(common) = &mut self.common else {
            self.common = Some(Common {
                game: fixture.game.clone(),
                first: fixture.scenario.clone(),
                scenario: spec,
                layout: teacher.layout().clone(),
                encoding: teacher.encoding(),
                last: (fixture.scenario.clone(), teacher),
                range,
                objective,
                scoring,
            });
            return Ok(());
        };
        if *teacher.layout() != common.layout {
            return Err(ImitationError::Unfit(format!(
                "{} has another board or other actions than {}; a network is for one shape: choose \
                 matches by --tournament",
                fixture.scenario, common.first
            )));
        }
        common.range = common.range.zip(range).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        let parameter = entry.instance_parameter(&spec.path)?;
        keep_common(&mut common.scenario, &spec, parameter);
        common.last = (fixture.scenario.clone(), teacher);
        Ok(())
    }
}

/// Keeps the parts of a scenario that another one has too. If both are instances of one set,
/// numbered by this parameter, the set remains.
fn keep_common(scenario: &mut Spec, other: &Spec, instances: Option<&str>) {
    let number_of = |spec: &Spec| {
        spec.arguments.iter().find(|(key, _)| Some(key.as_str()) == instances).cloned()
    };
    let is_set = number_of(scenario) != number_of(other);
    scenario.arguments.retain(|known| other.arguments.contains(known));
    if let Some(parameter) = instances.filter(|_| is_set) {
        scenario.arguments.push((parameter.to_owned(), SEED.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_without_a_number_suggest_other_encodings() {
        let left_out = |without, others: &[&'static str]| {
            let encoding = "head";
            let others = others.to_vec();
            Imitated { without, encoding, others, ..Imitated::default() }.left_out()
        };
        assert_eq!(left_out(0, &["torus"]), None);
        let one = "one decision is left out: the encoding head has no number for its action";
        assert_eq!(left_out(1, &[]).as_deref(), Some(one));
        let several = "5 decisions are left out: the encoding head has no number for their \
                       actions; \
                       another may have one: --encoding torus or tail";
        assert_eq!(left_out(5, &["torus", "tail"]).as_deref(), Some(several));
    }

    #[test]
    fn instances_are_named_by_the_set_that_they_have_in_common() {
        let common = |scenarios: &[&str]| {
            let mut all = scenarios.iter().map(|text| text.parse::<Spec>().unwrap());
            let mut first = all.next().unwrap();
            all.for_each(|other| keep_common(&mut first, &other, Some("seed")));
            first.to_string()
        };
        assert_eq!(common(&["drawn?size=8", "drawn?size=8"]), "drawn?size=8");
        // A seed with its default value is not written.
        let instances =
            ["drawn?size=8", "drawn?filling=noise&seed=2&size=8", "drawn?seed=3&size=8"];
        assert_eq!(common(&instances), "drawn?size=8&seed={seed}");
        assert_eq!(common(&["drawn?seed=4&size=8", "drawn?size=8"]), "drawn?size=8&seed={seed}");
    }
}
