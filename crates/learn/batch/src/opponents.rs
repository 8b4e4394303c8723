//! Players of the roster at the seats that a learner does not play. They are asked as in any match,
//! about what their seats see and with their own streams. Nothing here knows about arrays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use quintain_core::{
    Budget, Decision, MatchStart, Player, PreparedPlayer, Rng, Rules, Seat, Streams, Turn,
    is_acting,
};

/// The players that may play the seats that the learner does not play.
pub(crate) struct Opponents<R: Rules> {
    /// The players, one of which is drawn for each seat by the seed of the episode.
    pub(crate) players: Vec<PreparedPlayer<R>>,
    /// What each may think.
    pub(crate) budget: Budget,
    /// The learner's seat, or none if the seed of the episode draws it.
    pub(crate) learner: Option<Seat>,
    /// The start of each match; seat, seed and budget are filled in.
    pub(crate) match_start: MatchStart,
    /// Set to make them abandon their decisions.
    pub(crate) stop: Option<Arc<AtomicBool>>,
}

/// The players of one episode.
pub(crate) struct Rivals<R: Rules> {
    /// The learner's seat.
    pub(crate) learner: Seat,
    /// The players by seat; none at the learner's seat, nor where a player refused. Batches are
    /// shared between threads but players are not, so the locks are never taken.
    players: Vec<Option<Mutex<SeatedPlayer<R>>>>,
    budget: Budget,
    stop: Option<Arc<AtomicBool>>,
}

/// A player with its stream.
type SeatedPlayer<R> = (Box<dyn Player<R>>, Rng);

impl<R: Rules> Opponents<R> {
    /// Draws and seats the opponents of an episode. A player that refuses this episode's game,
    /// although it accepted the first one, forfeits when it has to move.
    pub(crate) fn seat(&self, rules: &R, seed: u64) -> Rivals<R> {
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
            let match_start = self.match_start.clone().with_seat(seat, rng.peek(), self.budget);
            player.start(&match_start).ok()?;
            Some(Mutex::new((player, rng)))
        });
        let (players, stop) = (players.collect(), self.stop.clone());
        Rivals { learner, players, budget: self.budget, stop }
    }
}

impl<R: Rules> Rivals<R> {
    /// The actions of all seats that move on this turn, in order; `own` is the learner's.
    ///
    /// # Errors
    /// The first seat whose player fails.
    pub(crate) fn decide(
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
