//! The report's Voronoi diagrams: every cell of the grid goes to the nearer of the two heads by
//! plain distance, as if there were no walls; the advanced bot first checks which zone (connected
//! region) the cell lies in. The sums are the rewards of the report's three bots (sections “Basic
//! version” and “Advanced version”). True distances around walls are in
//! [`crate::rules::territory`].

use quintain_core::choices;

use crate::rules::direction::Direction;
use crate::rules::state::State;

choices! {
    /// The distance between two cells.
    pub(crate) enum Metric {
        /// Steps along rows and columns.
        Manhattan = "manhattan",
        /// As the crow flies.
        Euclidean = "euclidean",
    }
}

impl Metric {
    fn distance(self, (row, column): (i32, i32), (other_row, other_column): (i32, i32)) -> i32 {
        let (rows, columns) = ((row - other_row).abs(), (column - other_column).abs());
        match self {
            Metric::Manhattan => rows + columns,
            Metric::Euclidean => rows * rows + columns * columns,
        }
    }
}

/// The rewards of a cell, by the nearer head and the zone in which it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ZoneRewards {
    /// A cell outside the zone of one's own head.
    pub(crate) outside: i64,
    /// A cell in one's own zone when the other head is in another.
    pub(crate) apart: i64,
}

/// The connected regions of free cells, numbered from 1; taken cells have 0.
pub(crate) fn zones(state: &State) -> Vec<u16> {
    let mut zones = vec![0; state.width() * state.height()];
    let mut last = 0;
    for start in 0..zones.len() {
        if zones[start] != 0 || !state.is_free(start) {
            continue;
        }
        last += 1;
        let mut stack = vec![start];
        while let Some(cell) = stack.pop() {
            if zones[cell] == 0 && state.is_free(cell) {
                zones[cell] = last;
                stack.extend(Direction::ALL.map(|direction| state.neighbour(cell, direction)));
            }
        }
    }
    zones
}

/// The sum of a diagram: +1 for a cell nearer to `own`, −1 for one nearer to `other`, 0 between.
pub(crate) fn plain_sum(state: &State, metric: Metric, own: usize, other: usize) -> i64 {
    sum(state, |cell| nearer(state, metric, cell, own, other))
}

/// The sum of a diagram with zones (the report's `gen_voronoi_wblocks`).
pub(crate) fn zoned_sum(
    state: &State,
    zones: &[u16],
    rewards: ZoneRewards,
    metric: Metric,
    own: usize,
    other: usize,
) -> i64 {
    let together = zones[own] == zones[other];
    sum(state, |cell| {
        if zones[cell] != zones[own] {
            rewards.outside
        } else if together {
            nearer(state, metric, cell, own, other)
        } else {
            rewards.apart
        }
    })
}

fn sum(state: &State, reward: impl Fn(usize) -> i64) -> i64 {
    (0..state.width() * state.height()).map(reward).sum()
}

fn nearer(state: &State, metric: Metric, cell: usize, own: usize, other: usize) -> i64 {
    let place = |cell: usize| ((cell / state.width()) as i32, (cell % state.width()) as i32);
    let to = |head: usize| metric.distance(place(cell), place(head));
    i64::from((to(other) - to(own)).signum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_drawn;

    #[test]
    fn walls_do_not_count_in_a_plain_diagram() {
        let state = parse_drawn("#######\n#A #  #\n#  # B#\n#######");
        // By columns the heads are 4 apart, by rows 1: the cells split evenly except for the seven
        // that are equally near to both.
        let (own, other) = (8, 19);
        let sum = plain_sum(&state, Metric::Manhattan, own, other);
        assert_eq!(sum, -plain_sum(&state, Metric::Manhattan, other, own));
        let counted: i64 = (0..28)
            .map(|cell: i64| {
                let (row, column) = (cell / 7, cell % 7);
                let to_own = (row - 1).abs() + (column - 1).abs();
                let to_other = (row - 2).abs() + (column - 5).abs();
                (to_other - to_own).signum()
            })
            .sum();
        assert_eq!(sum, counted);
    }

    #[test]
    fn zones_are_the_regions_between_walls() {
        let state = parse_drawn("#######\n#A #  #\n#  # B#\n#######");
        let zones = zones(&state);
        assert_eq!(zones[9], zones[15], "left of the wall");
        assert_eq!(zones[11], zones[18], "right of the wall");
        assert_ne!(zones[9], zones[11]);
        assert_eq!(zones[10], 0, "a wall has no zone");
    }

    #[test]
    fn cells_of_another_zone_count_against_the_player() {
        let state = parse_drawn("#######\n#A #  #\n#  # B#\n#######");
        let zones = zones(&state);
        let rewards = ZoneRewards { outside: -1, apart: 0 };
        // Own zone: 9, 15 and 16 (three free cells); 25 of 28 cells lie outside.
        assert_eq!(zoned_sum(&state, &zones, rewards, Metric::Manhattan, 9, 18), -25);
        // Within one zone the nearer head takes the cell.
        let inside = zoned_sum(&state, &zones, rewards, Metric::Manhattan, 9, 15);
        assert_eq!(inside, -25 + 1 - 1);
    }
}
