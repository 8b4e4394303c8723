//! Polyominoes as sets of cells, for claims that are checked by counting: how many there are, how
//! long their outlines are, in how many ways two can lie side by side. These are not the rules' own
//! forms, which could not check themselves.

use std::collections::BTreeSet;

/// Cells, shifted to the corner.
pub(crate) type Cells = BTreeSet<(i32, i32)>;

fn neighbours((row, column): (i32, i32)) -> [(i32, i32); 4] {
    [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
}

fn at_the_corner(cells: impl IntoIterator<Item = (i32, i32)>) -> Cells {
    let cells: Vec<(i32, i32)> = cells.into_iter().collect();
    let row = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
    let column = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
    cells.into_iter().map(|(r, c)| (r - row, c - column)).collect()
}

/// All polyominoes of that many cells, with every rotation and reflection counted separately.
pub(crate) fn list_fixed(size: usize) -> BTreeSet<Cells> {
    let mut all = BTreeSet::from([Cells::from([(0, 0)])]);
    for _ in 1..size {
        let grown = all.iter().flat_map(|cells| {
            let around = cells.iter().flat_map(|cell| neighbours(*cell));
            let free = around.filter(|cell| !cells.contains(cell));
            free.map(|cell| at_the_corner(cells.iter().copied().chain([cell])))
        });
        all = grown.collect();
    }
    all
}

/// Those that no rotation makes equal: mirror images count separately.
pub(crate) fn list_one_sided(size: usize) -> BTreeSet<Cells> {
    let turned = |cells: &Cells| at_the_corner(cells.iter().map(|(row, column)| (*column, -row)));
    let least = |cells: &Cells| {
        let turns = std::iter::successors(Some(cells.clone()), |cells| Some(turned(cells)));
        turns.take(4).min().unwrap_or_default()
    };
    list_fixed(size).iter().map(least).collect()
}

/// The number of sides in the outline.
pub(crate) fn perimeter(cells: &Cells) -> usize {
    cells.iter().flat_map(|cell| neighbours(*cell)).filter(|cell| !cells.contains(cell)).count()
}

/// The number of ways in which some polyomino of this size can lie beside these cells.
pub(crate) fn count_neighbours(cells: &Cells, size: usize) -> usize {
    let far = -(size as i32)..=(cells.len() + size) as i32;
    let touch = |other: &Cells| {
        other.iter().any(|cell| neighbours(*cell).iter().any(|c| cells.contains(c)))
    };
    let mut ways = 0;
    for form in list_fixed(size) {
        for row in far.clone() {
            for column in far.clone() {
                let moved: Cells = form.iter().map(|(r, c)| (r + row, c + column)).collect();
                ways += usize::from(moved.is_disjoint(cells) && touch(&moved));
            }
        }
    }
    ways
}

/// The plus (`X`) or the `U`, which the report uses in its arguments.
pub(crate) fn find_by_letter(letter: &str) -> Cells {
    match letter {
        "X" => Cells::from([(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]),
        _ => Cells::from([(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)]),
    }
}

/// For every way in which a polyomino can lie beside these cells, the number of edges of its
/// outline that touch them, and the number of these cells that it touches.
pub(crate) fn place_beside(cells: &Cells, polyomino: &Cells) -> Vec<(usize, usize)> {
    let turned = |cells: &Cells| at_the_corner(cells.iter().map(|(row, column)| (*column, -row)));
    let turns = std::iter::successors(Some(polyomino.clone()), |cells| Some(turned(cells)));
    let mut ways = Vec::new();
    for form in turns.take(4) {
        for (row, column) in (-5..=8).flat_map(|row| (-5..=8).map(move |column| (row, column))) {
            let moved: Cells = form.iter().map(|(r, c)| (r + row, c + column)).collect();
            if !moved.is_disjoint(cells) {
                continue;
            }
            let around = || moved.iter().flat_map(|cell| neighbours(*cell));
            let touched: Vec<_> = around().filter(|cell| cells.contains(cell)).collect();
            if !touched.is_empty() {
                ways.push((touched.len(), touched.iter().collect::<BTreeSet<_>>().len()));
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_golomb_counts() {
        // Golomb, Polyominoes (1994): fixed 1, 2, 6, 19, 63; one-sided 1, 1, 2, 7, 18.
        assert_eq!([1, 2, 3, 4, 5].map(|size| list_fixed(size).len()), [1, 2, 6, 19, 63]);
        assert_eq!([1, 2, 3, 4, 5].map(|size| list_one_sided(size).len()), [1, 1, 2, 7, 18]);
    }

    #[test]
    fn a_domino_beside_a_cell_has_as_many_places_as_drawn_by_hand() {
        // Across each of the four sides there are three ways to lie, one of them away from it.
        assert_eq!(count_neighbours(&Cells::from([(0, 0)]), 1), 4);
        assert_eq!(count_neighbours(&Cells::from([(0, 0)]), 2), 12);
        assert_eq!(perimeter(&Cells::from([(0, 0), (0, 1)])), 6);
    }
}
