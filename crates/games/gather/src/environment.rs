//! How a match of gather starts: everybody on a cell drawn at random. Nothing is left to
//! chance after that.

use quintain_core::Rng;

use crate::rules::Gather;
use crate::rules::state::State;

/// Places everybody: on any cells if they may be shared, otherwise on distinct ones.
pub(crate) fn start(rules: &Gather, rng: &mut Rng) -> State {
    let variant = rules.variant();
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
    let cells = starts.into_iter().map(|index| variant.torus.cell(index)).collect();
    rules.start_on(cells, rng)
}
