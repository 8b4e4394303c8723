//! Players of the roster at the seats that a learner leaves. They are asked as in any match, on
//! what their seats see, with streams of their own; nothing here knows arrays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use crate::budget::Budget;
use crate::decision::Decision;
use crate::encoding::is_acting;
use crate::player::{MatchStart, Player, Prepared};
use crate::rules::{Rules, Turn};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// Who may play the seats that the learner leaves.
pub(crate) struct Opponents<R: Rules> {
    /// One of these, drawn for each seat by the seed of the episode.
    pub(crate) players: Vec<Prepared<R>>,
    /// What each may think.
    pub(crate) budget: Budget,
    /// The learner's seat, or none if the seed of the episode draws it.
    pub(crate) learner: Option<Seat>,
    /// What they are told of each match; seat, seed and budget are filled in.
    pub(crate) match_start: MatchStart,
    /// Set to have them give up what they think.
    pub(crate) stop: Option<Arc<AtomicBool>>,
}

/// The players of one episode.
pub(crate) struct Rivals<R: Rules> {
    /// The seat that the learner has.
    pub(crate) learner: Seat,
    /// By seat; none at the learner's, nor where a player refused. Batches are shared between threads, players are not: the
    /// locks are never taken.
    players: Vec<Option<Mutex<SeatedPlayer<R>>>>,
    budget: Budget,
    stop: Option<Arc<AtomicBool>>,
}

/// A player with its stream.
type SeatedPlayer<R> = (Box<dyn Player<R>>, Rng);

impl<R: Rules> Opponents<R> {
    /// Draws and seats the opponents of an episode. A player that refuses the game, which the
    /// first ones did not, forfeits when it is to move.
    pub(super) fn seat(&self, rules: &R, seed: u64) -> Rivals<R> {
        let streams = Streams::new(seed);
        let mut draw = streams.address("opponents", 0);
        let seats = rules.seats();
        let learner = self.learner.unwrap_or_else(|| Seat::new(draw.below(seats)));
        let players = Seat::all(seats).map(|seat| {
            let prepared = &self.players[draw.below(self.players.len())];
            if seat == learner {
                return None;
            }
            let mut player = prepared.seat(rules).ok()?;
            let rng = streams.player(seat);
            let match_start = MatchStart {
                seat,
                seed: rng.peek(),
                budget: self.budget,
                ..self.match_start.clone()
            };
            player.start(&match_start).ok()?;
            Some(Mutex::new((player, rng)))
        });
        let (players, stop) = (players.collect(), self.stop.clone());
        Rivals { learner, players, budget: self.budget, stop }
    }
}

impl<R: Rules> Rivals<R> {
    /// What every seat that moves does on this turn, in order, `own` being the learner's.
    ///
    /// # Errors
    /// The first seat whose player fails.
    pub(super) fn decide(
        &mut self,
        rules: &R,
        state: &R::State,
        turn: u32,
        mut own: Option<R::Action>,
    ) -> Result<Vec<R::Action>, Seat> {
        let acting: Vec<Seat> = match rules.turn(state) {
            Turn::Seat(seat) => vec![seat],
            _ => Seat::all(rules.seats()).filter(|seat| is_acting(rules, state, *seat)).collect(),
        };
        acting
            .into_iter()
            .map(|seat| match &mut self.players[seat.index()] {
                _ if seat == self.learner => own.take().ok_or(seat),
                Some(seated) => {
                    let (player, rng) = seated.get_mut().unwrap_or_else(PoisonError::into_inner);
                    let mut decision = Decision::new(rules, state, seat, rng)
                        .with_limits(turn, self.budget, None)
                        .with_stop(self.stop.as_ref());
                    // A player that panics forfeits here as it does in a match.
                    catch_unwind(AssertUnwindSafe(|| player.decide(&mut decision)))
                        .ok()
                        .and_then(Result::ok)
                        .filter(|action| rules.check(state, seat, action).is_ok())
                        .ok_or(seat)
                }
                None => Err(seat),
            })
            .collect()
    }
}
