//! A player that is asked outside any match, by a caller that only has an observation in JSON.
//! The match loop does not use it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;

use crate::budget::Budget;
use crate::decision::Decision;
use crate::log::LogContent;
use crate::outcome::{Fault, Note, Outcome};
use crate::player::{MatchStart, Player};
use crate::rules::{Illegal, Rules};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// What is asked of an adviser.
#[derive(Clone, Copy, Debug)]
pub struct Advice<'a> {
    /// What the seat sees, in the game's JSON form.
    pub observation: &'a Value,
    /// The turn of the match, from 0.
    pub turn: u32,
    /// What it may think.
    pub budget: Budget,
    /// The time left to it for the rest of the match, if that is limited.
    pub time_left: Option<Duration>,
    /// When set, the player finishes its decision at once.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// Why a player gives no advice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdviceError {
    /// The observation is not one of the game's; says what is wrong with it.
    #[error("this is not an observation of the game: {0}")]
    Observation(String),
    /// The player failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It would take an action that the rules refuse.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// A player of one seat of one match, of whatever type, asked in JSON.
pub trait AnyAdviser: Send {
    /// The action it would take, in text, and what it noted.
    ///
    /// # Errors
    /// [`AdviceError`] if the observation is not one of this game's, or the player fails.
    fn advise(&mut self, advice: &Advice<'_>) -> Result<(String, Vec<Note>), AdviceError>;

    /// Called when it will not be asked again in this match. See [`Player::settle`].
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match at its end.
    fn settle(&mut self) -> Result<(), Fault>;

    /// Called when the match is over.
    fn finish(&mut self, outcome: &Outcome);

    /// The log since the last call, each entry with its turn.
    fn take_log(&mut self) -> Vec<(u32, LogContent)>;
}

/// A typed player with its stream of random numbers.
pub(crate) struct Adviser<R: Rules> {
    rules: R,
    seat: Seat,
    player: Box<dyn Player<R>>,
    rng: Rng,
    imagination: Rng,
}

impl<R: Rules> Adviser<R> {
    /// Seats a player at a match that is played elsewhere.
    pub(crate) fn new(
        rules: R,
        mut player: Box<dyn Player<R>>,
        match_start: &MatchStart,
        rng: Rng,
    ) -> Result<Self, Fault> {
        player.start(match_start)?;
        let seat = match_start.seat;
        let streams = Streams::new(match_start.seed);
        let imagination = streams.address("imagination", seat.index() as u64);
        Ok(Adviser { rules, seat, player, rng, imagination })
    }
}

impl<R: Rules> AnyAdviser for Adviser<R> {
    fn advise(&mut self, advice: &Advice<'_>) -> Result<(String, Vec<Note>), AdviceError> {
        let observation: R::Observation = serde_json::from_value(advice.observation.clone())
            .map_err(|error| AdviceError::Observation(error.to_string()))?;
        let state = self.rules.determinize(&observation, self.seat, &mut self.imagination);
        let mut notes = Vec::new();
        let mut decision = Decision::new(&self.rules, &state, self.seat, &mut self.rng)
            .with_limits(advice.turn, advice.budget, advice.time_left)
            .with_notes(Some(&mut notes))
            .with_stop(advice.stop);
        let action = self.player.decide(&mut decision)?;
        self.rules.check(&state, self.seat, &action)?;
        Ok((action.to_string(), notes))
    }

    fn settle(&mut self) -> Result<(), Fault> {
        self.player.settle()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }

    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        self.player.take_log()
    }
}
