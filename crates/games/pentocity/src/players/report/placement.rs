//! Where to build, by the building alone.

use quintain_grid::{Cell, reach};

use super::{Components, Report, Ties, Where};
use crate::contact::{Counts, Outline};
use crate::forms::Form;
use crate::land::{Cells, Land};
use crate::placements::{Placement, Placements};
use crate::rules::Ruleset;

/// A key to be least.
type Key = [i32; 5];

/// The best place by the parameters' keys.
pub(super) fn best(
    report: &Report,
    land: &Land,
    request: Form,
    reading: Ruleset,
) -> Option<Placement> {
    let mut places = Placements::of(land, request, reading);
    // Without components before it, contact narrows all places at once.
    if report.components != Components::First
        && let Some(outline) = outline(report.placement)
    {
        places.narrow(|form, anchors| Counts::of(land, land.empty(), form, outline).least(anchors));
    }
    places.iter().min_by_key(|place| (key(report, land, place), order(report, place)))
}

/// The best places in order, the best first; at most `count`, or all for 0.
pub(super) fn ranked(
    report: &Report,
    land: &Land,
    request: Form,
    reading: Ruleset,
    count: usize,
) -> Vec<Placement> {
    let places = Placements::of(land, request, reading);
    let mut ranked: Vec<(Key, Key, Placement)> = places
        .iter()
        .map(|place| (key(report, land, &place), order(report, &place), place))
        .collect();
    ranked.sort_by_key(|(key, order, _)| (*key, *order));
    if count > 0 {
        ranked.truncate(count);
    }
    ranked.into_iter().map(|(_, _, place)| place).collect()
}

fn outline(placement: Where) -> Option<Outline> {
    match placement {
        Where::Edges => Some(Outline::Edges),
        Where::Cells => Some(Outline::Cells),
        Where::Rows | Where::Diagonal | Where::Centre => None,
    }
}

/// The placement's key, with components before or after it.
fn key(report: &Report, land: &Land, place: &Placement) -> Key {
    let &Placement { form, at, .. } = place;
    let own = match report.placement {
        Where::Rows => turned(form, i32::from(at.row)),
        Where::Diagonal => turned(form, i32::from(at.row) + i32::from(at.col)),
        Where::Centre => -turned(form, depth(land, form, at)),
        // The outline has a length of its own; the fewest empty cells are the most taken.
        Where::Edges => {
            let empty = form.shape().edges.iter().filter(|&&(down, right)| {
                let row = at.row.checked_add_signed(down);
                let cell = row.zip(at.col.checked_add_signed(right));
                cell.is_some_and(|(row, col)| land.empty().contains(Cell::new(row, col)))
            });
            empty.count() as i32
        }
        Where::Cells => Land::count_beside(land.empty(), form, at) as i32,
    };
    match report.components {
        Components::No => [own, 0, 0, 0, 0],
        Components::First => [components(land, &Land::cells_of(form, at)), own, 0, 0, 0],
        Components::Second => [own, components(land, &Land::cells_of(form, at)), 0, 0, 0],
    }
}

/// Which of equal places: the ties' keys, then the order in which places are looked at.
pub(super) fn order(report: &Report, place: &Placement) -> Key {
    let &Placement { form, at, rotation } = place;
    let (row, col) = (i32::from(at.row), i32::from(at.col));
    let turns = i32::from(rotation);
    let (sum, apart) = (turned(form, row + col), (row - col).abs());
    match report.ties {
        Ties::Diagonal => [sum, apart, turned(form, row), turned(form, col), turns],
        Ties::Sum => [sum, turned(form, row), turned(form, col), turns, 0],
        Ties::Rows => [turned(form, row), turned(form, col), turns, 0, 0],
        Ties::Submitted if form.is_factory() => [row, col, -turns, 0, 0],
        Ties::Submitted => [sum, apart, row, col, turns],
    }
}

/// Factories are built from the other end.
fn turned(form: Form, key: i32) -> i32 {
    if form.is_factory() { -key } else { key }
}

/// Cells between a building and the border.
fn depth(land: &Land, form: Form, at: Cell) -> i32 {
    let side = land.side() as u8;
    let (below, right) = (side - at.row - form.shape().height, side - at.col - form.shape().width);
    i32::from(at.row.min(at.col).min(below).min(right))
}

/// How many vacant components lie around cells once they are taken.
pub(super) fn components(land: &Land, cells: &Cells) -> i32 {
    let free = *land.empty() - *cells;
    let mut left = cells.neighbours() & free;
    // Most often all hangs together close by; then there is no need to look further.
    let around = {
        let wide = cells.neighbours() | *cells;
        (wide | wide.north() | wide.south() | wide.east() | wide.west()) & free
    };
    if let Some(first) = left.first()
        && (left - reach(&around, &Cells::of(first))).is_empty()
    {
        return 1;
    }
    let mut count = 0;
    while let Some(first) = left.first() {
        left = left - reach(&free, &Cells::of(first));
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_those_of_the_whole_land_that_touch_the_cells(seed: u64) {
            let mut rng = quintain_core::Rng::from_seed(seed);
            let mut land = Land::new(12);
            for cell in Cells::rectangle(12, 12).cells() {
                if rng.chance(0.35) {
                    land.lay_road(cell);
                }
            }
            let form = Form::all().nth(rng.below(Form::COUNT)).unwrap();
            for at in land.room_for(form).cells() {
                let own = Land::cells_of(form, at);
                let free = *land.empty() - own;
                let parts = quintain_grid::components(&free);
                let touching = parts.filter(|part| !(*part & own.neighbours()).is_empty());
                prop_assert_eq!(components(&land, &own), touching.count() as i32);
            }
        }
    }
}
