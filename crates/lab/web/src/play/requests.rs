//! Requests from a page.

use std::time::Duration;

use quintain_core::{Budget, Seat};
use quintain_play::{HumanMatch, HumanMatchConfig, PlayError};
use serde::{Deserialize, Serialize};

use super::questions::ModuleQuestion;

/// A new match; together with all actions played, also the form in which a match is stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMatchRequest {
    /// The game's name.
    pub game: String,
    /// The scenario.
    pub scenario: String,
    /// The player at the other seats.
    #[serde(default)]
    pub opponent: String,
    /// The person's seat.
    #[serde(default)]
    pub seat: usize,
    /// The person's name.
    #[serde(default = "guest")]
    pub name: String,
    /// How much the others may think: in milliseconds, or in units of work where there is no clock.
    #[serde(default = "usual_thinking")]
    pub think: u64,
    /// The seed of all randomness, if one is chosen.
    pub seed: Option<u64>,
    /// The actions played before, turn by turn and seat by seat; the match continues from there.
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
    /// Returns the configuration of the requested match on this scenario, against this opponent.
    pub fn config(
        &self,
        scenario: String,
        opponent: String,
        seed: u64,
        budget: Budget,
    ) -> HumanMatchConfig {
        HumanMatchConfig {
            game: self.game.clone(),
            scenario,
            seed,
            name: self.name.clone(),
            seat: self.seat,
            opponent,
            budget,
        }
    }
}

/// A move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// The person's action; none if only others move.
    #[serde(default)]
    action: Option<String>,
    /// The actions of the page's own module at other seats.
    #[serde(default)]
    others: Vec<(u16, String)>,
    /// The turn for which it is meant; none if it is meant whatever the turn is.
    #[serde(default)]
    turn: Option<u32>,
}

impl MoveRequest {
    /// Whether the move is meant for this turn: another page may have gone on with the match.
    pub fn is_for(&self, turn: u32) -> bool {
        self.turn.is_none_or(|meant| meant == turn)
    }

    /// Plays it, followed by the others' moves.
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

/// Time for a module's answer in a match without a time limit.
const USUAL: Duration = Duration::from_secs(1);

/// A request for the question to a module in the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionRequest {
    /// The seat that is asked; by default the person's.
    seat: Option<u16>,
}

impl QuestionRequest {
    /// Returns the question to a module in the match with this id; at the first seat, its seed
    /// would be `seed`.
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
            // The page has a clock, even where the match has none.
            start = start.with_seat(seat, seed, Budget::time(USUAL));
            question = question.with_time(Some(USUAL));
        }
        let id = format!("{id} {}", seat.index());
        Ok(ModuleQuestion::new(id, human_match.game(), &start, &question))
    }
}

/// A gesture: the cell that is pointed at, and marks around it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointRequest {
    pub(super) row: i32,
    pub(super) column: i32,
    #[serde(default)]
    pub(super) turns: u8,
    /// A key, and the row and column of the cell that it marks.
    #[serde(default)]
    pub marks: Vec<(char, i32, i32)>,
}

impl PointRequest {
    /// The rows and columns of all cells that it names.
    pub fn cells(&self) -> impl Iterator<Item = (i32, i32)> {
        let marked = self.marks.iter().map(|(_, row, column)| (*row, *column));
        std::iter::once((self.row, self.column)).chain(marked)
    }
}
