//! A match played on to its end by one player at every seat, or by one at a seat against another.
//! Only the first moves and the scores are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{
    Advice, AnyAdviser, AnyGame, AnyMatch, Budget, MatchStart, PlayerHandle, Seat, Streams, panics,
};

use crate::error::AnalysisError;

/// The player that plays on, and the budget of each decision.
#[derive(Clone, Copy)]
pub struct Continuation<'a> {
    /// The game.
    pub game: &'a dyn AnyGame,
    /// The player at every seat, or at those that have no opponent.
    pub player: &'a PlayerHandle,
    /// The player at all seats but this one, if it is another.
    pub opponent: Option<(Seat, &'a PlayerHandle)>,
    /// The budget of each decision.
    pub budget: Budget,
    /// The seed of the match.
    pub seed: u64,
    /// When set, ends the work.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// How a match went on.
#[derive(Clone, PartialEq, Debug)]
pub struct Playout {
    /// The actions of its first turn, by seat; empty if the match was over.
    pub first: Vec<(Seat, String)>,
    /// The scores at its end.
    pub scores: Vec<f64>,
    /// The turns played.
    pub turns: u32,
}

/// The last position of a match, and the actions of the first turn, by seat.
type Ended = (Box<dyn AnyMatch>, Vec<(Seat, String)>);

impl Continuation<'_> {
    /// Whether a stop was requested.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Plays on from a position, and takes every decision from `decisions`. Returns none if too few
    /// of them were left, or it was stopped.
    ///
    /// # Errors
    /// [`AnalysisError`] if the player refuses the game or fails.
    pub fn play(
        &self,
        from: &dyn AnyMatch,
        decisions: &mut u64,
    ) -> Result<Option<Playout>, AnalysisError> {
        self.play_after(from, None, decisions)
    }

    /// Like [`Continuation::play`], with the action that a seat takes on the first turn.
    ///
    /// # Errors
    /// As [`Continuation::play`], or if the seat cannot take this action.
    pub fn play_after(
        &self,
        from: &dyn AnyMatch,
        given: Option<(Seat, &str)>,
        decisions: &mut u64,
    ) -> Result<Option<Playout>, AnalysisError> {
        let begun = from.turn();
        let ended = self.play_to_end(from, given, decisions)?;
        Ok(ended.map(|(state, first)| Playout {
            first,
            scores: state.scores(),
            turns: state.turn() - begun,
        }))
    }

    /// The figures at the end of the match, as [`AnyGame::figures`] gives them, if it is played on
    /// from a position.
    ///
    /// # Errors
    /// As [`Continuation::play`].
    pub fn figures(
        &self,
        from: &dyn AnyMatch,
        decisions: &mut u64,
    ) -> Result<Option<Vec<(String, f64)>>, AnalysisError> {
        let ended = self.play_to_end(from, None, decisions)?;
        let outcome = ended.and_then(|(state, _)| state.outcome());
        Ok(outcome.map(|outcome| self.game.figures(&outcome)))
    }

    /// The last position, and the actions of the first turn.
    fn play_to_end(
        &self,
        from: &dyn AnyMatch,
        given: Option<(Seat, &str)>,
        decisions: &mut u64,
    ) -> Result<Option<Ended>, AnalysisError> {
        let mut state = from.fork();
        let mut advisers: Vec<Option<Box<dyn AnyAdviser>>> =
            (0..self.game.seats()).map(|_| None).collect();
        let mut first = Vec::new();
        let begun = state.turn();
        loop {
            let acting = state.acting().to_vec();
            if acting.is_empty() {
                return Ok(Some((state, first)));
            }
            let mut joint = Vec::with_capacity(acting.len());
            for &seat in &acting {
                if let Some((_, action)) = given.filter(|(own, _)| *own == seat)
                    && state.turn() == begun
                {
                    joint.push(action.to_owned());
                    continue;
                }
                if *decisions == 0 || self.is_stopped() {
                    return Ok(None);
                }
                *decisions -= 1;
                joint.push(self.ask(&mut advisers[seat.index()], state.as_ref(), seat)?);
            }
            // The answer of a player that was stopped means nothing.
            if self.is_stopped() {
                return Ok(None);
            }
            let turn = state.turn();
            let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
            let played = state.play(&texts);
            played.map_err(|(seat, problem)| self.fails(seat, turn, &problem))?;
            if turn == begun {
                first = acting.into_iter().zip(joint).collect();
            }
        }
    }

    /// What the player does at a seat. It is seated there when it is first asked.
    fn ask(
        &self,
        adviser: &mut Option<Box<dyn AnyAdviser>>,
        state: &dyn AnyMatch,
        seat: Seat,
    ) -> Result<String, AnalysisError> {
        let advice = Advice {
            observation: &state.observation(seat),
            turn: state.turn(),
            budget: self.budget,
            time_left: None,
            stop: self.stop,
        };
        let answer = panics::catch(|| {
            let adviser = match adviser {
                Some(seated) => seated,
                None => adviser.insert(self.seat(seat)?),
            };
            adviser.advise(&advice).map_err(|error| self.fails(seat, advice.turn, &error))
        });
        let (action, _) = answer.map_err(|panic| self.fails(seat, advice.turn, &panic))??;
        Ok(action)
    }

    fn seat(&self, seat: Seat) -> Result<Box<dyn AnyAdviser>, AnalysisError> {
        let (game, streams) = (self.game, Streams::new(self.seed));
        let match_start = MatchStart::new(game.name(), game.scenario(), game.seats()).with_seat(
            seat,
            streams.player_seed(seat),
            self.budget,
        );
        Ok(game.adviser(self.player_at(seat), &match_start, streams.player(seat))?)
    }

    fn player_at(&self, seat: Seat) -> &PlayerHandle {
        self.opponent.filter(|(own, _)| *own != seat).map_or(self.player, |(_, other)| other)
    }

    fn fails(&self, seat: Seat, turn: u32, problem: &dyn std::fmt::Display) -> AnalysisError {
        let (player, problem) = (self.player_at(seat).spec.clone(), problem.to_string());
        AnalysisError::Player { player, turn, problem }
    }
}
