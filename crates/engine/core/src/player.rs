//! What a player is: something that decides on actions. [`crate::Decision`] is the question it
//! gets; [`crate::Entry`] is where it is registered.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::budget::Budget;
use crate::build_error::BuildError;
use crate::decision::Decision;
use crate::environment::Scenario;
use crate::log::LogContent;
use crate::outcome::{Fault, Outcome};
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Rng;

/// What a player learns before the first turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchStart {
    /// The game's name.
    pub game: String,
    /// The scenario, in its canonical text.
    pub scenario: String,
    /// The number of seats.
    pub seats: usize,
    /// The player's own seat.
    pub seat: Seat,
    /// A seed for the player's own use, if it has no [`Decision::rng`].
    pub seed: u64,
    /// What it may think.
    pub budget: Budget,
}

impl MatchStart {
    /// The start of a match for seat 0; the match loop fills in the seat and the seed.
    pub fn new(game: &str, scenario: &str, seats: usize) -> MatchStart {
        let (game, scenario) = (game.to_owned(), scenario.to_owned());
        MatchStart { game, scenario, seats, seat: Seat::new(0), seed: 0, budget: Budget::default() }
    }

    /// The same match for another seat, with a seed for its own use and a budget.
    pub fn with_seat(self, seat: Seat, seed: u64, budget: Budget) -> MatchStart {
        MatchStart { seat, seed, budget, ..self }
    }
}

/// Decides on actions from observations. One player plays one seat of one match.
///
/// # Example
/// A player of any game, which takes the first action offered:
/// ```
/// use quintain_core::{Decision, Fault, Player, Rules};
///
/// struct First;
///
/// impl<R: Rules> Player<R> for First {
///     fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
///         Ok(decision.actions().swap_remove(0))
///     }
/// }
/// ```
pub trait Player<R: Rules>: Send {
    /// Called before the match begins.
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match.
    fn start(&mut self, _match_start: &MatchStart) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether the player can [prepare](Player::prepare) its decision while others decide.
    fn can_prepare(&self) -> bool {
        false
    }

    /// On a turn on which several seats move: called before any of them decides, if the player [can
    /// prepare](Player::can_prepare). Such players start to think here, all at once. `decide` then
    /// follows with the same decision.
    fn prepare(&mut self, _decision: &mut Decision<'_, R>) {}

    /// Returns the action for this turn.
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match; built-in players report none.
    fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault>;

    /// Called after the last turn if no seat has failed. A player reports a fault here that shows
    /// only then, such as a surplus answer from a program.
    ///
    /// # Errors
    /// A [`Fault`] takes the seat out of the match at its end.
    fn settle(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Called when the match is over.
    fn finish(&mut self, _outcome: &Outcome) {}

    /// The log since the last call, each entry with its turn. Only programs write one; built-in
    /// players note figures instead.
    fn take_log(&mut self) -> Vec<(u32, LogContent)> {
        Vec::new()
    }
}

/// A player of a game's roster that was looked up, ready for any number of matches.
pub struct PreparedPlayer<R: Rules> {
    make: MakePlayer<R>,
    check: CheckStart<R>,
}

type MakePlayer<R> = Arc<dyn Fn(&R) -> Result<Box<dyn Player<R>>, BuildError> + Send + Sync>;

/// Checks that a player fits a scenario, given its rules and one of the positions in which matches
/// begin.
pub(crate) type CheckStart<R> =
    Arc<dyn Fn(&R, &<R as Rules>::State) -> Result<(), BuildError> + Send + Sync>;

impl<R: Rules> Clone for PreparedPlayer<R> {
    fn clone(&self) -> Self {
        PreparedPlayer { make: Arc::clone(&self.make), check: Arc::clone(&self.check) }
    }
}

impl<R: Rules> PreparedPlayer<R> {
    pub(crate) fn new(
        make: impl Fn(&R) -> Result<Box<dyn Player<R>>, BuildError> + Send + Sync + 'static,
        check: CheckStart<R>,
    ) -> Self {
        PreparedPlayer { make: Arc::new(make), check }
    }

    /// Makes the player for one seat of one match.
    ///
    /// # Errors
    /// If it cannot play there.
    pub fn seat(&self, rules: &R) -> Result<Box<dyn Player<R>>, BuildError> {
        (self.make)(rules)
    }

    /// Checks that the player plays on a scenario. The position used for the check never reaches a
    /// player.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self, scenario: &Scenario<R>) -> Result<(), BuildError> {
        self.seat(scenario.rules())?;
        (self.check)(scenario.rules(), &scenario.start(&mut Rng::from_seed(0)))
    }
}
