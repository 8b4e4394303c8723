//! A game played on to its end by [`Game::playout_action`]: what Monte Carlo
//! searches draw from. It judges nothing.

use std::slice;

use quintain_core::{Game, Rng, Seat, Turn};

/// Plays `state` on until the game is over or `limit` turns are done (chance's
/// moves are no turns), and says whether it is over. `joint` is room to work in.
#[inline]
pub fn play_out<G: Game>(
    game: &G,
    state: &mut G::State,
    limit: u32,
    rng: &mut Rng,
    joint: &mut Vec<G::Action>,
) -> bool {
    let mut left = limit;
    loop {
        match game.turn(state) {
            Turn::Over => return true,
            Turn::Nature => game.nature(state, rng),
            _ if left == 0 => return false,
            Turn::Seat(seat) => {
                let action = game.playout_action(state, seat, rng);
                game.step(state, slice::from_ref(&action));
                left -= 1;
            }
            Turn::Together => {
                joint.clear();
                for seat in Seat::all(game.seats()) {
                    if game.acts(state, seat) {
                        joint.push(game.playout_action(state, seat, rng));
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
pub(crate) fn settle<G: Game>(game: &G, state: &mut G::State, rng: &mut Rng) -> Turn {
    loop {
        match game.turn(state) {
            Turn::Nature => game.nature(state, rng),
            turn => return turn,
        }
    }
}

/// The seats that move on `turn`, in order.
pub(crate) fn acting<G: Game>(game: &G, state: &G::State, turn: Turn, out: &mut Vec<Seat>) {
    out.clear();
    match turn {
        Turn::Over | Turn::Nature => {}
        Turn::Seat(seat) => out.push(seat),
        Turn::Together => {
            out.extend(Seat::all(game.seats()).filter(|seat| game.acts(state, *seat)));
        }
    }
}
