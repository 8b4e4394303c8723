//! Two players without search: one hugs walls, the other goes where there is most room. They are
//! what a newcomer's first program looks like, and what it should beat.

use quintain_core::{Decision, Fault, Player, parameters};

use crate::rules::Tron;
use crate::rules::direction::Direction;
use crate::rules::state::State;
use crate::rules::territory::reachable;

parameters! {
    /// Keeps to the walls, and straight on where that is equal.
    pub(crate) struct WallHugger {
        /// Goes straight on where directions are equally good.
        straight: bool = true;
    }
}

parameters! {
    /// Goes where the most cells can be reached.
    pub(crate) struct Space {
        /// Hugs walls where directions are equally good; if false, takes the first of them.
        hug: bool = true;
    }
}

/// The number of taken cells around `cell`.
fn walls_around(state: &State, cell: usize) -> usize {
    Direction::ALL.iter().filter(|to| !state.is_free(state.neighbour(cell, **to))).count()
}

/// The free direction with the greatest value, the first among equals; up if none is free.
fn best_by<K: Ord>(
    state: &State,
    decision: &Decision<'_, Tron>,
    value: impl Fn(Direction, usize) -> K,
) -> Direction {
    let seat = decision.seat();
    let open: Vec<Direction> = state.free_directions(seat).collect();
    let key = |to: &Direction| value(*to, state.neighbour(state.head(seat), *to));
    open.into_iter().rev().max_by_key(key).unwrap_or(Direction::Up)
}

/// The direction in which the head last moved: away from its own trail.
fn heading(state: &State, decision: &Decision<'_, Tron>) -> Option<Direction> {
    let head = state.head(decision.seat());
    let own = crate::rules::state::Cell::Trail(decision.seat());
    let behind = |to: &Direction| state.cell(state.neighbour(head, *to)) == own;
    let mut trails = Direction::ALL.into_iter().filter(behind);
    // Beside an older part of its own trail it is unclear where it came from.
    match (trails.next(), trails.next()) {
        (Some(back), None) => Some(back.opposite()),
        _ => None,
    }
}

impl Player<Tron> for WallHugger {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        let heading = if self.straight { heading(&state, decision) } else { None };
        Ok(best_by(&state, decision, |direction, cell| {
            // A cell with walls all around is a dead end.
            let walls = walls_around(&state, cell);
            (walls < 4, walls, Some(direction) == heading)
        }))
    }
}

impl Player<Tron> for Space {
    fn decide(&mut self, decision: &mut Decision<'_, Tron>) -> Result<Direction, Fault> {
        let state = decision.observation();
        Ok(best_by(&state, decision, |_, cell| {
            let walls = if self.hug { walls_around(&state, cell) } else { 0 };
            (reachable(&state, cell), walls)
        }))
    }
}
