//! Code shared by the examples: random boards, and matches turn by turn between engines. The
//! engines' modules are private to the crate and therefore compiled in here.

#![allow(dead_code)]

#[path = "../../src/players/champion/mod.rs"]
pub(crate) mod champion;
#[path = "../../src/players/contest2010/mod.rs"]
pub(crate) mod contest2010;
#[path = "../../src/rules/direction.rs"]
pub(crate) mod direction;
#[path = "../../src/players/duel.rs"]
pub(crate) mod duel;

use champion::Champion;
use champion::settings::Settings;
use direction::Direction;
use duel::{Duel, Order};
use quintain_core::{Rng, Seat};
use quintain_grid::{Cell, Rows, Rows128};
use quintain_tron::{State, Tron};

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The first player's points, in halves: 0, 1 or 2.
    Points(u32),
    /// A draw, by both entering one cell.
    HeadOn,
}

/// A random board of 13×13 to 30×30 with up to 20 % of obstacles, made from its number.
pub(crate) fn board(number: u64) -> (Tron, State) {
    let mut rng = Rng::from_seed(number);
    let [width, height] = [(); 2].map(|()| 13 + rng.below(18));
    let density = rng.below(21) as f64 / 100.0;
    let symmetry = if rng.chance(0.5) { "point" } else { "mirror" };
    let spec =
        format!("obstacles?width={width}&height={height}&density={density}&symmetry={symmetry}");
    let (scenario, _) = quintain_tron::entry().build(&spec).unwrap_or_else(|e| panic!("{e}"));
    (scenario.rules().clone(), scenario.start(&mut rng))
}

/// The position as the engines see it.
pub(crate) fn duel_of(state: &State) -> Duel {
    let width = state.width();
    let cell = |number: usize| Cell::new((number / width) as u8, (number % width) as u8);
    let free: Rows128 =
        (0..width * state.height()).filter(|&number| state.is_free(number)).map(cell).collect();
    let heads = [0, 1].map(|seat| cell(state.head(Seat::new(seat))));
    Duel { height: state.height(), width, free, heads, order: Order::Simultaneous }
}

/// Whether both could meet on one cell, by the parity of their distance.
pub(crate) fn is_even([one, other]: [Cell; 2]) -> bool {
    (one.row.abs_diff(other.row) + one.col.abs_diff(other.col)) % 2 == 0
}

/// The directions in which a head meets a free cell.
pub(crate) fn exits(duel: &Duel, seat: usize) -> Vec<Direction> {
    let is_open = |direction: &Direction| duel.free.contains(direction.step(duel.heads[seat]));
    Direction::ALL.into_iter().filter(is_open).collect()
}

/// Moves both, or says how it ended.
pub(crate) fn step(duel: &mut Duel, moves: [Direction; 2]) -> Option<Ending> {
    let to = [0, 1].map(|seat| moves[seat].step(duel.heads[seat]));
    let crashes = to.map(|cell| !duel.free.contains(cell));
    match crashes {
        [true, true] => return Some(Ending::Points(1)),
        [true, false] => return Some(Ending::Points(0)),
        [false, true] => return Some(Ending::Points(2)),
        [false, false] if to[0] == to[1] => return Some(Ending::HeadOn),
        [false, false] => {}
    }
    to.into_iter().for_each(|cell| duel.free.remove(cell));
    duel.heads = to;
    None
}

/// Whether no free cell can be reached by both.
pub(crate) fn are_apart(duel: &Duel) -> bool {
    let reach = |head| quintain_grid::reach(&duel.free, &Rows::of(head));
    (reach(duel.heads[0]) & reach(duel.heads[1])).is_empty()
}

/// Searches at most this many nodes.
pub(crate) fn choose(
    champion: &mut Champion,
    duel: &Duel,
    seat: usize,
    nodes: u64,
) -> duel::Choice {
    let mut left = nodes;
    champion.choose(duel, seat, &mut || {
        left -= 1;
        left > 0
    })
}

/// The first player's points once the players are apart: whoever fills more wins, if both fill
/// alike.
pub(crate) fn judge_race(duel: &Duel) -> Ending {
    let settings = Settings { table_bits: 10, ..Settings::default() };
    let lengths =
        [0, 1].map(|seat| choose(&mut Champion::new(settings.clone()), duel, seat, 1_500).value);
    Ending::Points(match lengths[0].cmp(&lengths[1]) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    })
}
