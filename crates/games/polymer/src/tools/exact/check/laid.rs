//! What both checkers ask of laid monomers, computed from the plain position.

use crate::rules::instance::Instance;

/// The free cells beside a head, for the next monomer; `on` has the index of the monomer on each
/// cell. Mirror images are left out: the first step goes right (or down, on a torus that is not
/// square), the first across goes down (right).
pub(super) fn next_cells(
    instance: &Instance,
    laid: &[usize],
    head: usize,
    on: &[Option<usize>],
) -> Vec<usize> {
    let torus = instance.torus();
    let (width, height) = (torus.width(), torus.height());
    let next = torus.next_of::<4>(head);
    let in_row = laid.iter().all(|cell| cell / width == 0);
    let in_column = laid.iter().all(|cell| cell % width == 0);
    let allowed = |way: usize| match (laid.len(), way) {
        (1, 0) => true,
        (1, 1) => width != height,
        (1, _) => false,
        (_, 3) => !in_row,
        (_, 2) => !in_column,
        _ => true,
    };
    let cells = (0..4).filter(|way| allowed(*way)).map(|way| usize::from(next[way]));
    cells.filter(|cell| on[*cell].is_none()).collect()
}

/// R_nc of the laid monomers; the first of their cells has the monomer of index `front`.
pub(super) fn count_gain(
    instance: &Instance,
    front: usize,
    laid: &[usize],
    on: &[Option<usize>],
) -> i32 {
    let charge = |index: usize| i32::from(instance.monomers()[index]);
    let mut gained = 0;
    for (index, cell) in (front..).zip(laid) {
        for next in instance.torus().next_of::<4>(*cell) {
            if let Some(other) = on[usize::from(next)].filter(|other| *other > index + 1) {
                gained += instance.sign() * charge(index) * charge(other);
            }
        }
    }
    gained
}
