//! The free cells of a torus, and whether a walk still has room among them: how many its head can
//! reach, as in the slides' reachable-cells heuristic.
//!
//! A flood fill at every step would take most of the time. But taking one cell can split a free
//! region only if the free cells in the ring of eight around it fall into two arcs or more; with a
//! single arc its neighbours stay connected around it. So a table of the 256 rings tells when no
//! flood fill is needed, which is nearly always.

use crate::rules::torus::Torus;

/// Which cells of a torus are free, with the tables for flood fills over it.
#[derive(Clone)]
pub struct FreeCells {
    /// 1 if a cell is free; one entry more than cells, which is never free.
    free: Vec<u8>,
    /// The mark of the last flood fill that reached each cell.
    seen: Vec<u32>,
    mark: u32,
    /// Cells that a flood fill has yet to look at, and whether each has the colour of the first.
    stack: Vec<(u16, bool)>,
    /// On tori so narrow that the ring of eight meets itself, and between layers, arcs cannot be
    /// used.
    is_narrow: bool,
    is_bipartite: bool,
}

/// For each set of free cells around a cell (bit 0 right, then clockwise), the number of arcs in
/// which the four sides lie.
const ARCS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut ring = 0;
    while ring < 256 {
        let (mut sides, mut links, mut side) = (0, 0, 0);
        while side < 4 {
            let here = ring >> (2 * side) & 1;
            let corner = ring >> (2 * side + 1) & 1;
            let next = ring >> ((2 * side + 2) % 8) & 1;
            sides += here;
            links += here & corner & next;
            side += 1;
        }
        table[ring] = if links == 4 { 1 } else { (sides - links) as u8 };
        ring += 1;
    }
    table
};

impl FreeCells {
    /// All cells free.
    pub fn new(torus: &Torus) -> FreeCells {
        let cells = torus.cells();
        let mut free = vec![1; cells + 1];
        free[cells] = 0;
        FreeCells {
            free,
            seen: vec![0; cells + 1],
            mark: 0,
            stack: Vec::with_capacity(cells),
            is_narrow: torus.width() < 3 || torus.height() < 3 || torus.depth() > 1,
            is_bipartite: torus.is_bipartite(),
        }
    }

    /// The same cells, but room means enough cells of any colour, as in the slides.
    pub fn ignoring_colours(self) -> FreeCells {
        FreeCells { is_bipartite: false, ..self }
    }

    /// Takes a cell.
    #[inline]
    pub fn take(&mut self, cell: u16) {
        self.free[usize::from(cell)] = 0;
    }

    /// Makes a cell free again.
    #[inline]
    pub fn give(&mut self, cell: u16) {
        self.free[usize::from(cell)] = 1;
    }

    /// Whether a cell is free.
    #[inline]
    pub fn is_free(&self, cell: u16) -> bool {
        self.free[usize::from(cell)] != 0
    }

    /// The number of arcs into which the free sides of a cell fall, in its ring of eight.
    #[inline]
    pub fn arcs(&self, torus: &Torus, cell: u16) -> u8 {
        if self.is_narrow {
            return u8::MAX;
        }
        let [right, down, left, up] = torus.next_of::<4>(usize::from(cell));
        let [_, right_down, _, right_up] = torus.next_of::<4>(usize::from(right));
        let [_, left_down, _, left_up] = torus.next_of::<4>(usize::from(left));
        let ring = [right, right_down, down, left_down, left, left_up, up, right_up];
        let mut bits = 0;
        for (bit, cell) in ring.into_iter().enumerate() {
            bits |= usize::from(self.free[usize::from(cell)]) << bit;
        }
        ARCS[bits]
    }

    /// Whether a walk of `more` further monomers from `cell` (to be taken next, or just taken) has
    /// room in one of the free regions beside it: enough cells of both colours, if colours
    /// alternate.
    pub fn has_room<const WAYS: usize>(&mut self, torus: &Torus, cell: u16, more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let was_free = self.free[usize::from(cell)];
        self.free[usize::from(cell)] = 0;
        if self.mark == u32::MAX {
            self.seen.fill(0);
            self.mark = 0;
        }
        self.mark += 1;
        let mut enough = false;
        for beside in torus.next_of::<WAYS>(usize::from(cell)) {
            if self.is_free(beside) && self.seen[usize::from(beside)] != self.mark {
                enough = self.flood::<WAYS>(torus, beside, more);
                if enough {
                    break;
                }
            }
        }
        self.free[usize::from(cell)] = was_free;
        enough
    }

    /// Whether the free region of `from` has room for `more` monomers, the first of them on the
    /// colour of `from`.
    fn flood<const WAYS: usize>(&mut self, torus: &Torus, from: u16, more: usize) -> bool {
        // Colours alternate along a walk: this many are needed of the colour of `from`, and of the
        // other.
        let need = if self.is_bipartite { [more / 2, more.div_ceil(2)] } else { [0, more] };
        let mut have = [0usize; 2];
        self.stack.clear();
        self.stack.push((from, true));
        self.seen[usize::from(from)] = self.mark;
        while let Some((cell, is_own)) = self.stack.pop() {
            have[usize::from(is_own)] += 1;
            if have[0] >= need[0] && have[1] >= need[1] {
                return true;
            }
            for next in torus.next_of::<WAYS>(usize::from(cell)) {
                let at = usize::from(next);
                if self.free[at] != 0 && self.seen[at] != self.mark {
                    self.seen[at] = self.mark;
                    self.stack.push((next, !(is_own && self.is_bipartite)));
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn room(torus: &Torus, rows: &[&str]) -> FreeCells {
        let mut room = FreeCells::new(torus);
        for (cell, sign) in rows.concat().chars().enumerate() {
            if sign == 'x' {
                room.take(cell as u16);
            }
        }
        room
    }

    #[test]
    fn a_pocket_too_small_is_no_room() {
        let torus = Torus::new(5, 4).unwrap();
        let mut on = room(&torus, &["xxxxx", "x...x", "xx.xx", "xx.xx"]);
        // From (2, 3) upwards: (2, 2), (2, 1) and one of its sides.
        assert!(on.has_room::<4>(&torus, 17, 3));
        // The other side cannot be used as well, but it is counted: this is only a heuristic.
        assert!(on.has_room::<4>(&torus, 17, 4));
        assert!(!on.has_room::<4>(&torus, 17, 5));
    }

    #[test]
    fn colours_alternate_along_a_walk() {
        // A plus-shaped region has room for three: the four arms are of one colour.
        let torus = Torus::new(6, 6).unwrap();
        let mut on = room(&torus, &["xx.xxx", "xx.xxx", "x...xx", "xx.xxx", "xxxxxx", "xxxxxx"]);
        assert!(on.has_room::<4>(&torus, 2, 3));
        assert!(!on.has_room::<4>(&torus, 2, 5));
    }

    proptest! {
        #[test]
        fn a_cell_whose_sides_lie_in_one_arc_cuts_nothing_off(
            taken in proptest::collection::vec(any::<bool>(), 42),
        ) {
            let torus = Torus::new(7, 6).unwrap();
            let mut room = FreeCells::new(&torus);
            for (cell, taken) in taken.iter().enumerate() {
                if *taken {
                    room.take(cell as u16);
                }
            }
            let size = |room: &FreeCells, from: u16| {
                let mut seen = std::collections::BTreeSet::from([from]);
                let mut stack = vec![from];
                while let Some(cell) = stack.pop() {
                    for &next in torus.next(usize::from(cell)) {
                        if room.is_free(next) && seen.insert(next) {
                            stack.push(next);
                        }
                    }
                }
                seen
            };
            for cell in 0..42u16 {
                if !room.is_free(cell) {
                    continue;
                }
                let before = size(&room, cell).len();
                let arcs = room.arcs(&torus, cell);
                room.take(cell);
                let sides = torus.next(usize::from(cell));
                let is_free = |side: &u16| room.is_free(*side);
                let free: Vec<u16> = sides.iter().copied().filter(is_free).collect();
                if arcs == 1 {
                    prop_assert_eq!(size(&room, free[0]).len(), before - 1);
                }
                prop_assert_eq!(arcs == 0, free.is_empty());
                room.give(cell);
            }
        }
    }
}
