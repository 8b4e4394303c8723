//! A flood fill by sweeps down and up the board; the carries of an addition fill each row at once.
//! A few sweeps reach cells that waves, as in `quintain-grid`, need many steps for.

use quintain_grid::Rows64 as Cells;

/// The free cells on the first `side` rows that paths of free cells reach from the sources, which
/// are free themselves.
pub(crate) fn flood_fill(free: &Cells, sources: Cells, side: usize) -> Cells {
    let mut reached = sources;
    flood_rows(&free.lanes()[..side], &mut reached.lanes_mut()[..side]);
    reached
}

/// Adds to the reached cells of some rows the free ones that paths within these rows reach from
/// them. The reached ones are free themselves.
pub(crate) fn flood_rows(free: &[u64], reached: &mut [u64]) {
    let rows = reached.len();
    for (lane, &free) in reached.iter_mut().zip(free) {
        *lane = fill(*lane, free);
    }
    loop {
        let mut grown = false;
        for row in 1..rows {
            let come = reached[row - 1] & free[row] & !reached[row];
            if come != 0 {
                reached[row] = fill(reached[row] | come, free[row]);
                grown = true;
            }
        }
        for row in (0..rows.saturating_sub(1)).rev() {
            let come = reached[row + 1] & free[row] & !reached[row];
            if come != 0 {
                reached[row] = fill(reached[row] | come, free[row]);
                grown = true;
            }
        }
        if !grown {
            return;
        }
    }
}

/// The runs of free cells of a row that hold a seed; seeds are free.
#[inline(always)]
fn fill(seeds: u64, free: u64) -> u64 {
    // Adding a seed to its run carries up to the end of the run.
    let up = |seeds: u64, free: u64| (seeds | (free.wrapping_add(seeds) ^ free)) & free;
    let upwards = up(seeds, free);
    up(upwards.reverse_bits(), free.reverse_bits()).reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quintain_grid::reach;

    proptest! {
        #[test]
        fn a_sweep_reaches_what_waves_reach(seed: u64, side in 5usize..=64, share in 0.3..0.9) {
            let mut rng = quintain_core::Rng::from_seed(seed);
            let board = Cells::rectangle(side, side);
            let free: Cells = board.cells().filter(|_| rng.chance(share)).collect();
            let sources: Cells = free.cells().filter(|_| rng.chance(0.02)).collect();
            prop_assert_eq!(flood_fill(&free, sources, side), reach(&free, &sources));
        }
    }
}
