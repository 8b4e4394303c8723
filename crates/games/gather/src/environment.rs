//! How a match of gather starts: everybody stands on a cell, drawn at random unless the cells are
//! given, and has its own ids. Nothing after that is random.

use quintain_core::{Environment, Rng, Scenario};

use crate::rules::Gather;
use crate::rules::ids::Ids;
use crate::rules::state::State;
use crate::rules::torus::Cell;
use crate::rules::variant::Variant;

/// Returns the scenario in which everybody starts on a cell of `starts`, in the order of seats;
/// without `starts`, on cells drawn for each match.
pub fn scenario(rules: Gather, starts: Option<Vec<Cell>>) -> Scenario<Gather> {
    Scenario::new(rules, Starts(starts))
}

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
