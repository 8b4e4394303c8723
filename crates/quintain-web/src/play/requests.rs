//! What a page asks for.

use std::time::Duration;

use quintain_core::{Budget, Seat};
use quintain_human::{HumanMatch, HumanMatchConfig, PlayError};
use serde::{Deserialize, Serialize};

use super::questions::ModuleQuestion;

/// A new match; with all that was played, the match as it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMatchRequest {
    /// The game's name.
    pub game: String,
    /// The scenario.
    pub scenario: String,
    /// Who has the other seats.
    #[serde(default)]
    pub opponent: String,
    /// The person's seat.
    #[serde(default)]
    pub seat: usize,
    /// The person's name.
    #[serde(default = "guest")]
    pub name: String,
    /// What the others may think: milliseconds, or, where there is no clock, units of work.
    #[serde(default = "usual_thinking")]
    pub think: u64,
    /// The seed of all chance, if it is chosen.
    pub seed: Option<u64>,
    /// What was played before, turn by turn, seat by seat: the match goes on from there.
    #[serde(default)]
    pub actions: Vec<String>,
}

fn guest() -> String {
    "guest".to_owned()
}

fn usual_thinking() -> u64 {
    300
}

impl NewMatchRequest {
    /// The match that is asked for, on this scenario.
    pub fn config(&self, scenario: String, seed: u64, budget: Budget) -> HumanMatchConfig {
        HumanMatchConfig {
            game: self.game.clone(),
            scenario,
            seed,
            name: self.name.clone(),
            seat: self.seat,
            opponent: self.opponent.clone(),
            budget,
        }
    }
}

/// A move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// The person's action; none where others move alone.
    #[serde(default)]
    action: Option<String>,
    /// What the page's own module does at other seats.
    #[serde(default)]
    others: Vec<(u16, String)>,
}

impl MoveRequest {
    /// Plays it, and what the others do then.
    ///
    /// # Errors
    /// As [`HumanMatch::play_together`].
    pub fn play(&self, human_match: &mut HumanMatch) -> Result<(), PlayError> {
        let own = self.action.as_deref().map(|action| (human_match.seat(), action));
        let others = self.others.iter();
        let others = others.map(|(seat, action)| (Seat::new(usize::from(*seat)), action.as_str()));
        let moves: Vec<(Seat, &str)> = own.into_iter().chain(others).collect();
        human_match.play_together(&moves)
    }
}

/// Time for an answer of a module where the others' is not limited.
const USUAL: Duration = Duration::from_secs(1);

/// What a module in the page is to be asked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionRequest {
    /// The seat that is asked; the person's where it is left out.
    seat: Option<u16>,
}

impl QuestionRequest {
    /// The question to a module in the match of this id, whose seed at the first seat would be `seed`.
    ///
    /// # Errors
    /// As [`HumanMatch::question`].
    pub fn ask(
        &self,
        human_match: &HumanMatch,
        id: &str,
        seed: u64,
    ) -> Result<ModuleQuestion, PlayError> {
        let seat = self.seat.map_or(human_match.seat(), |seat| Seat::new(usize::from(seat)));
        let seed = seed.wrapping_add(seat.index() as u64);
        let (mut start, mut question) = human_match.question(seat, seed)?;
        if question.time.is_none() {
            // The page has a clock of its own.
            start = start.with_seat(seat, seed, Budget::time(USUAL));
            question = question.with_time(Some(USUAL));
        }
        let id = format!("{id} {}", seat.index());
        Ok(ModuleQuestion::new(id, human_match.game(), &start, &question))
    }
}

/// A gesture: a cell that is pointed at, and marks around it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointRequest {
    pub(super) row: i32,
    pub(super) column: i32,
    #[serde(default)]
    pub(super) turns: u8,
    /// A key, and the cell that it marks: row and column.
    #[serde(default)]
    pub marks: Vec<(char, i32, i32)>,
}
