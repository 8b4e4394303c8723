//! Rollouts: games played to their end by [`Rules::rollout_action`], the samples of Monte Carlo
//! searches. The search decides how to value the end.

use std::slice;

use quintain_core::{Rng, Rules, Seat, Turn};

/// Plays `state` on until the game is over or `limit` turns of seats are done (moves of chance do
/// not count), and returns whether it is over. `joint` is a buffer for the actions of a turn; the
/// caller keeps it so that rollouts do not allocate.
#[inline]
pub fn rollout<R: Rules>(
    rules: &R,
    state: &mut R::State,
    limit: u32,
    rng: &mut Rng,
    joint: &mut Vec<R::Action>,
) -> bool {
    let mut left = limit;
    loop {
        match rules.turn(state) {
            Turn::Over => return true,
            Turn::Chance => rules.sample_chance(state, rng),
            _ if left == 0 => return false,
            Turn::Seat(seat) => {
                let action = rules.rollout_action(state, seat, rng);
                rules.step(state, slice::from_ref(&action));
                left -= 1;
            }
            Turn::Simultaneous => {
                joint.clear();
                for seat in Seat::all(rules.seats()) {
                    if rules.is_acting(state, seat) {
                        joint.push(rules.rollout_action(state, seat, rng));
                    }
                }
                rules.step(state, joint);
                left -= 1;
            }
        }
    }
}

/// Lets chance move until a seat must move or the game is over, and returns the turn.
#[inline]
pub(crate) fn resolve_chance<R: Rules>(rules: &R, state: &mut R::State, rng: &mut Rng) -> Turn {
    loop {
        match rules.turn(state) {
            Turn::Chance => rules.sample_chance(state, rng),
            turn => return turn,
        }
    }
}

/// Replaces the contents of `out` by the seats that move on `turn`, in order.
pub(crate) fn collect_acting<R: Rules>(
    rules: &R,
    state: &R::State,
    turn: Turn,
    out: &mut Vec<Seat>,
) {
    out.clear();
    match turn {
        Turn::Over | Turn::Chance => {}
        Turn::Seat(seat) => out.push(seat),
        Turn::Simultaneous => {
            out.extend(Seat::all(rules.seats()).filter(|seat| rules.is_acting(state, *seat)));
        }
    }
}
