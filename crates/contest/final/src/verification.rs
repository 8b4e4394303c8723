//! Verifies a final from what was published of it. The schedule follows from the secret, which has
//! the digest that was shown before; every record replays by the rules of the game; and the ranks
//! follow from the scores. It does not show that a program decided what its record says: for that,
//! one would have to ask the program again. Nor does it show what a player of the records is called
//! or which files it has: that is what the host says, and is only refused where it contradicts
//! itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use quintain_core::{Catalog, Record, ScenarioSet};
use quintain_standings::ScoringRule;

use crate::document::{DOCUMENT_FORMAT, FinalDocument, FinalPlayer, FinalRank, ShownFinal};
use crate::schedule::{Slot, schedule};
use crate::seeds::commitment;
use crate::standings::{FinalMatch, likely_ranks, rows};

/// How far measures may be apart: machines round logarithms differently.
const TOLERANCE: f64 = 1e-6;

/// Why a final is not what its document says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The match, numbered from 1 in the order of the schedule; none if it is not about one.
    pub number: Option<usize>,
    /// Who played it and where.
    pub title: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "match {number} ({}): {}", self.title, self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal { number: None, title: String::new(), why }
    }
}

/// What was verified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The number of matches that were replayed.
    pub matches: usize,
    /// The number of ranks that were computed again.
    pub ranks: usize,
    /// What a page may show of it.
    pub shown: ShownFinal,
}

/// A verification under way, to which records are given one by one.
pub struct Verification {
    catalog: Catalog,
    document: FinalDocument,
    slots: Vec<Slot>,
    sets: HashMap<String, ScenarioSet>,
    rule: ScoringRule,
    /// By the order of the schedule; none for matches that were not given yet.
    matches: Vec<Option<FinalMatch>>,
}

impl Verification {
    /// Begins a verification: draws the schedule up again.
    ///
    /// # Errors
    /// If the document is of another version, its secret has another digest than was shown, what
    /// it says of a player contradicts the player's name in the records, or its game or a scenario
    /// is not in the catalog.
    pub fn begin(catalog: Catalog, document: FinalDocument) -> Result<Verification, Refusal> {
        if document.format != DOCUMENT_FORMAT {
            let (found, ours) = (document.format, DOCUMENT_FORMAT);
            return Err(format!("the document has form {found}, and this reads {ours}").into());
        }
        if commitment(&document.secret) != document.commitment {
            return Err("the secret does not have the digest that was shown before the final"
                .to_owned()
                .into());
        }
        let ids: HashSet<i64> = document.players.iter().map(|player| player.id).collect();
        let ranked: HashSet<i64> = document.standings.iter().map(|rank| rank.id).collect();
        if ids.len() != document.players.len()
            || ranked != ids
            || ranked.len() != document.standings.len()
        {
            return Err("the result does not have every program once".to_owned().into());
        }
        if !document.standings.is_sorted_by_key(|said| said.rank) {
            return Err("the result is not in the order of the ranks".to_owned().into());
        }
        if let Some(why) = document.players.iter().find_map(contradiction) {
            return Err(why.into());
        }
        let mut sets = HashMap::new();
        for scenario in &document.scenarios {
            let set = ScenarioSet::find(&catalog, &document.game, &scenario.text)
                .map_err(|error| error.to_string())?;
            if set.game().seats() != scenario.seats {
                let (text, seats) = (&scenario.text, set.game().seats());
                return Err(format!("{text} has {seats} seats").into());
            }
            sets.insert(scenario.text.clone(), set);
        }
        let Some(rule) = rule(&sets) else {
            return Err("the final has no scenario".to_owned().into());
        };
        let is_solo = rule.scoring == quintain_core::Scoring::Independent;
        let (players, scenarios) = (document.players.len(), document.scenario_seats());
        let slots = schedule(&document.secret, players, &scenarios, document.rounds, is_solo);
        let matches = vec![None; slots.len()];
        Ok(Verification { catalog, document, slots, sets, rule, matches })
    }

    /// Returns the number of matches in the schedule.
    pub fn count_planned(&self) -> usize {
        self.slots.len()
    }

    /// Replays the record of the match at this place of the schedule, from 0.
    ///
    /// # Errors
    /// If the record was changed, does not replay, or is of another match than the schedule has.
    pub fn check(&mut self, place: usize, record: &str) -> Result<(), Refusal> {
        let Some(slot) = self.slots.get(place) else {
            let planned = self.slots.len();
            return Err(format!("there is a record beyond the {planned} of the schedule").into());
        };
        let played = self.replay(slot, record).map_err(|why| self.refuse(place, why))?;
        self.matches[place] = Some(played);
        Ok(())
    }

    fn refuse(&self, place: usize, why: String) -> Refusal {
        let slot = &self.slots[place];
        let label = |&seat: &usize| self.document.players[seat].label.as_str();
        let seats: Vec<&str> = slot.seats.iter().map(label).collect();
        let title = format!("{} on {}", seats.join(" – "), slot.scenario);
        Refusal { number: Some(place + 1), title, why }
    }

    fn replay(&self, slot: &Slot, text: &str) -> Result<FinalMatch, String> {
        let record = Record::from_json(text).map_err(|error| error.to_string())?;
        let fixture = &record.fixture;
        let game = self.sets[&slot.scenario].instance(slot.seed);
        let seats = slot.seats.iter().map(|&seat| &self.document.players[seat]);
        if fixture.game != self.document.game
            || fixture.scenario != game.scenario()
            || fixture.seed != slot.seed
            || !seats.clone().map(|player| &player.player).eq(&fixture.seats)
        {
            return Err("its record is of another match than the schedule has here".to_owned());
        }
        self.catalog.verify(&record).map_err(|error| error.to_string())?;
        Ok(FinalMatch {
            round: slot.round,
            scenario: slot.scenario.clone(),
            seed: slot.seed,
            players: seats.map(|player| player.id).collect(),
            scores: record.outcome.scores,
            fault_seat: record.outcome.fault.map(|fault| fault.seat.index()),
        })
    }

    /// Computes the ranks again, once all records were given.
    ///
    /// # Errors
    /// If a record is missing, or the ranks are others.
    pub fn finish(&self) -> Result<Verdict, Refusal> {
        let mut matches = Vec::new();
        for (place, played) in self.matches.iter().enumerate() {
            let missing = || self.refuse(place, "there is no record of it".to_owned());
            matches.push(played.clone().ok_or_else(missing)?);
        }
        let players: Vec<i64> = self.document.players.iter().map(|player| player.id).collect();
        let rows = rows(self.rule, &players, &matches).map_err(|error| error.to_string())?;
        let likely = likely_ranks(self.rule, &rows, &matches);
        let computed: BTreeMap<i64, FinalRank> = rows
            .iter()
            .zip(likely)
            .filter_map(|(row, likely)| {
                let id = row.player.parse().ok()?;
                Some((id, FinalRank { id, rank: row.rank, likely, measure: row.measure }))
            })
            .collect();
        for said in &self.document.standings {
            let player = self.document.players.iter().find(|player| player.id == said.id);
            let label = player.map_or("somebody", |player| player.label.as_str());
            match computed.get(&said.id) {
                Some(own) if is_same(own, said) => (),
                Some(own) => {
                    let (theirs, ours) = (describe(said), describe(own));
                    return Err(format!("{label} has {theirs}, but the matches give {ours}").into());
                }
                None => return Err(format!("{label} did not play").into()),
            }
        }
        Ok(Verdict { matches: matches.len(), ranks: computed.len(), shown: self.document.shown() })
    }
}

/// Returns how what is said of a player contradicts its name in the records, if it does.
fn contradiction(said: &FinalPlayer) -> Option<String> {
    let FinalPlayer { player, label, digest, .. } = said;
    let without_settings = |name: &str| name.split('?').next().map(str::to_owned);
    let Some((_, program)) = player.split_once(':').filter(|(kind, _)| !kind.contains('?')) else {
        let is_called_so = without_settings(player) == without_settings(label);
        return match (is_called_so, digest) {
            (false, _) => Some(format!("{player} is a built-in player, but is called {label}")),
            (true, Some(_)) => Some(format!("{player} is a built-in player, but has a digest")),
            (true, None) => None,
        };
    };
    let number = program.rsplit_once('.').map_or("", |(_, number)| number);
    match label.rsplit_once(" v") {
        Some((_, own)) if own == number => match digest {
            Some(_) => None,
            None => Some(format!("{player} has no digest of its files")),
        },
        _ => Some(format!("{player} is version {number}, but is called {label}")),
    }
}

/// Returns how the matches are scored, by the rules of the game.
fn rule(sets: &HashMap<String, ScenarioSet>) -> Option<ScoringRule> {
    let game = sets.values().next()?.game();
    Some(ScoringRule { objective: game.objective(), scoring: game.scoring() })
}

fn is_same(one: &FinalRank, other: &FinalRank) -> bool {
    let is_close = match (one.measure, other.measure) {
        (Some(one), Some(other)) => (one - other).abs() <= TOLERANCE * one.abs().max(1.0),
        (one, other) => one.is_none() && other.is_none(),
    };
    (one.rank, one.likely) == (other.rank, other.likely) && is_close
}

fn describe(rank: &FinalRank) -> String {
    let mut text = format!("rank {}", rank.rank);
    if let Some((best, worst)) = rank.likely {
        text += &format!(" (likely {best} to {worst})");
    }
    if let Some(measure) = rank.measure {
        text += &format!(" by {measure:.3}");
    }
    text
}
