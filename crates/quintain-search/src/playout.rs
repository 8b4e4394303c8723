//! A game played on to its end by [`Rules::rollout_action`]: what Monte Carlo
//! searches draw from. It judges nothing.

use std::slice;

use quintain_core::{Rng, Rules, Seat, Turn};

/// Plays `state` on until the game is over or `limit` turns are done (chance's
/// moves are no turns), and says whether it is over. `joint` is room to work in.
#[inline]
pub fn play_out<R: Rules>(
    game: &R,
    state: &mut R::State,
    limit: u32,
    rng: &mut Rng,
    joint: &mut Vec<R::Action>,
) -> bool {
    let mut left = limit;
    loop {
        match game.turn(state) {
            Turn::Over => return true,
            Turn::Chance => game.sample_chance(state, rng),
            _ if left == 0 => return false,
            Turn::Seat(seat) => {
                let action = game.rollout_action(state, seat, rng);
                game.step(state, slice::from_ref(&action));
                left -= 1;
            }
            Turn::Simultaneous => {
                joint.clear();
                for seat in Seat::all(game.seats()) {
                    if game.is_acting(state, seat) {
                        joint.push(game.rollout_action(state, seat, rng));
                    }
                }
                game.step(state, joint);
                left -= 1;
            }
        }
    }
}

/// Lets chance move until a seat must, or the game is over.
#[inline]
pub(crate) fn settle<R: Rules>(game: &R, state: &mut R::State, rng: &mut Rng) -> Turn {
    loop {
        match game.turn(state) {
            Turn::Chance => game.sample_chance(state, rng),
            turn => return turn,
        }
    }
}

/// The seats that move on `turn`, in order.
pub(crate) fn acting<R: Rules>(game: &R, state: &R::State, turn: Turn, out: &mut Vec<Seat>) {
    out.clear();
    match turn {
        Turn::Over | Turn::Chance => {}
        Turn::Seat(seat) => out.push(seat),
        Turn::Simultaneous => {
            out.extend(Seat::all(game.seats()).filter(|seat| game.is_acting(state, *seat)));
        }
    }
}
