//! What actions are worth: exactly where the game can tell, else by a strong player that plays on
//! at every seat.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{ActionWorth, AnyGame, AnyMatch, Budget, Objective, PlayerHandle, Seat};
use quintain_play::{AnalysisError, Continuation};

/// The budget at which a lesson is verified, as a multiple of that of the search for it.
pub(crate) const VERIFICATION: f64 = 10.0;
/// Of opponents with more actions than this, only the strong player's own choice is a reply.
const MOST_REPLIES: usize = 4;

/// A position in which a seat decides.
#[derive(Clone, Copy)]
pub(crate) struct Decision<'a> {
    pub(crate) game: &'a dyn AnyGame,
    pub(crate) state: &'a dyn AnyMatch,
    pub(crate) seat: Seat,
    pub(crate) seed: u64,
}

/// A strong player that plays on from positions.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) game: &'a dyn AnyGame,
    pub(crate) player: &'a PlayerHandle,
    pub(crate) budget: Budget,
    pub(crate) seed: u64,
    pub(crate) stop: Option<&'a Arc<AtomicBool>>,
}

impl Search<'_> {
    /// The score of a seat that takes an action, with the opponent's reply that is worst for it.
    /// None if the work is used up.
    pub(crate) fn weigh(
        &self,
        state: &dyn AnyMatch,
        seat: Seat,
        action: &str,
        work: &mut Work,
    ) -> Result<Option<ActionWorth>, AnalysisError> {
        self.weigh_down_to(state, seat, (action, ""), f64::NEG_INFINITY, work)
    }

    /// The same, but for the reply that is tried first, and as long as the seat gains more than
    /// `least`: then it is of no interest how much less it is.
    pub(crate) fn weigh_down_to(
        &self,
        state: &dyn AnyMatch,
        seat: Seat,
        (action, first): (&str, &str),
        least: f64,
        work: &mut Work,
    ) -> Result<Option<ActionWorth>, AnalysisError> {
        let Search { game, player, budget, seed, stop } = *self;
        let way = Continuation { game, player, opponent: None, budget, seed, stop };
        let mut decisions = work.decisions(budget);
        let granted = decisions;
        let mut worst: Option<(f64, String)> = None;
        let others: Vec<Seat> =
            state.acting().iter().copied().filter(|other| *other != seat).collect();
        let mut replies = match others[..] {
            [] => vec![Vec::new()],
            [other] if state.actions(other).len() <= MOST_REPLIES => {
                state.actions(other).into_iter().map(|reply| vec![reply]).collect()
            }
            _ => match way.play(state, &mut decisions)? {
                None => return Ok(None),
                Some(playout) => {
                    let first = playout.first.into_iter().filter(|(other, _)| *other != seat);
                    vec![first.map(|(_, reply)| reply).collect()]
                }
            },
        };
        replies.sort_by_key(|reply| reply.first().is_none_or(|own| own != first));
        for reply in replies {
            let mut given = reply.iter().map(String::as_str);
            let joint = state.acting().iter().map(|other| match *other == seat {
                true => action,
                false => given.next().unwrap_or_default(),
            });
            let joint: Vec<&str> = joint.collect();
            let mut after = state.fork();
            if after.play(&joint).is_err() {
                continue;
            }
            let Some(playout) = way.play(after.as_ref(), &mut decisions)? else { return Ok(None) };
            let score = playout.scores.get(seat.index()).copied().unwrap_or_default();
            let is_worse = |known: f64| match game.objective() {
                Objective::Maximize => score < known,
                Objective::Minimize => score > known,
            };
            if worst.as_ref().is_none_or(|(known, _)| is_worse(*known)) {
                worst = Some((score, reply.join(" ")));
            }
            if game.objective().gain(score) <= least {
                break;
            }
        }
        work.take(granted - decisions, budget);
        Ok(worst.map(|(score, reply)| ActionWorth {
            action: action.to_owned(),
            expected: score,
            least: score,
            reply,
        }))
    }
}

impl Search<'_> {
    /// The score of a seat after this turn.
    pub(crate) fn score(
        &self,
        state: &dyn AnyMatch,
        seat: Seat,
        joint: &[&str],
        work: &mut Work,
    ) -> Result<Option<f64>, AnalysisError> {
        let Search { game, player, budget, seed, stop } = *self;
        let way = Continuation { game, player, opponent: None, budget, seed, stop };
        let mut after = state.fork();
        if after.play(joint).is_err() {
            return Ok(None);
        }
        let granted = work.decisions(budget);
        let mut decisions = granted;
        let playout = way.play(after.as_ref(), &mut decisions)?;
        work.take(granted - decisions, budget);
        Ok(playout.and_then(|playout| playout.scores.get(seat.index()).copied()))
    }
}

/// The nodes that are left for a lesson.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) left: u64,
}

impl Work {
    /// The decisions with this budget that are left.
    pub(crate) fn decisions(&self, budget: Budget) -> u64 {
        self.left / nodes_of(budget)
    }

    /// Takes decisions with this budget.
    pub(crate) fn take(&mut self, decisions: u64, budget: Budget) {
        self.left = self.left.saturating_sub(decisions.saturating_mul(nodes_of(budget)));
    }
}

/// The nodes of a decision.
pub(crate) fn nodes_of(budget: Budget) -> u64 {
    budget.nodes.or(budget.iterations).unwrap_or(1).max(1)
}

/// The same budget times `factor`.
pub(crate) fn scaled(budget: Budget, factor: f64) -> Budget {
    let times = |count: Option<u64>| count.map(|count| ((count as f64 * factor) as u64).max(1));
    Budget { nodes: times(budget.nodes), iterations: times(budget.iterations), ..budget }
}
