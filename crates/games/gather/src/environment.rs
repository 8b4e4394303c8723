//! How a match of gather starts: everybody stands on a cell, drawn at random unless the cells are
//! given, and has its own ids. Nothing after that is random.

use std::collections::HashSet;
use std::sync::Arc;

use quintain_core::{Environment, Rng, Scenario, Seat};

use crate::rules::Gather;
use crate::rules::ids::Ids;
use crate::rules::state::State;
use crate::rules::torus::{Cell, Torus};
use crate::rules::variant::Variant;

/// Returns the scenario in which everybody starts on a cell of `starts`, in the order of seats;
/// without `starts`, on cells drawn for each match.
pub fn scenario(rules: Gather, starts: Option<Vec<Cell>>) -> Scenario<Gather> {
    Scenario::new(rules, Starts(starts))
}

/// How often groups are placed, at most, until nobody starts on a cell of another.
const DRAWS: usize = 100;

struct Starts(Option<Vec<Cell>>);

impl Environment<Gather> for Starts {
    fn start(&self, rules: &Gather, rng: &mut Rng) -> State {
        let variant = rules.variant();
        let cells = self.0.clone().unwrap_or_else(|| draw_cells(variant, rng));
        let ids = match variant.masked {
            true => Ids::with_random_masks(cells.len(), rng),
            false => Ids::in_order(cells.len()),
        };
        rules.first_state(cells, ids)
    }

    fn hides_start(&self) -> bool {
        self.0.is_none()
    }

    /// Players that have seen anything of each other stay together; where one such group is on the
    /// board relative to the others, nobody can know. If all are in one group, the start is the
    /// same but for where the board begins.
    fn redraw_start(&self, rules: &Gather, positions: &[State], rng: &mut Rng) -> Option<State> {
        let first = positions.first().filter(|_| self.hides_start())?;
        let variant = rules.variant();
        let groups = find_groups(variant.torus, positions);
        let (torus, area) = (variant.torus, variant.torus.area());
        (0..DRAWS).find_map(|_| {
            let shifts: Vec<Cell> = groups.iter().map(|_| torus.cell(rng.below(area))).collect();
            let moved = first.starts.iter().zip(&groups);
            let cells: Vec<Cell> =
                moved.map(|(start, group)| shift(torus, *start, shifts[*group])).collect();
            let distinct: HashSet<Cell> = cells.iter().copied().collect();
            let is_start = variant.shared || distinct.len() == cells.len();
            is_start.then(|| rules.first_state_seen_as(cells, Arc::clone(&first.ids)))
        })
    }
}

/// The cell as far to the east and south of a cell as `by` is from the first one.
fn shift(torus: Torus, cell: Cell, by: Cell) -> Cell {
    torus.shift(cell, by.column.into(), by.row.into())
}

/// The group of each seat, named by one of its members: whoever has seen a player, its trail or its
/// unit is in one group with it.
fn find_groups(torus: Torus, positions: &[State]) -> Vec<usize> {
    let seats = positions.first().map_or(0, State::seats);
    let mut groups: Vec<usize> = (0..seats).collect();
    for state in positions {
        for seat in 0..seats {
            let at = state.at[seat];
            let around = torus.around(at).into_iter();
            let seen = around.flat_map(|cell| state.trail(cell).chain(state.players_on(cell)));
            for other in seen.chain(state.holdings(Seat::new(seat))) {
                let (old, new) = (groups[other], groups[seat]);
                groups.iter_mut().filter(|group| **group == old).for_each(|group| *group = new);
            }
        }
    }
    groups
}

/// Draws a cell for everybody: any cells if they may be shared, otherwise distinct ones.
fn draw_cells(variant: &Variant, rng: &mut Rng) -> Vec<Cell> {
    let (area, players) = (variant.torus.area(), variant.players);
    let starts: Vec<usize> = if variant.shared {
        (0..players).map(|_| rng.below(area)).collect()
    } else {
        // The first places of a shuffle of all cells.
        let mut cells: Vec<usize> = (0..area).collect();
        for place in 0..players {
            cells.swap(place, place + rng.below(area - place));
        }
        cells.truncate(players);
        cells
    };
    starts.into_iter().map(|index| variant.torus.cell(index)).collect()
}
