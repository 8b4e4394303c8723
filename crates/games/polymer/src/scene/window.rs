//! The part of the torus that is drawn, and where it is cut open. The chain is unrolled so that it
//! is connected where that is possible, and lies in the middle; if a torus is far wider than the
//! chain, only the chain's surroundings are shown. What is drawn is in [`crate::scene`].

use quintain_core::ui::{Point, Slices};

use crate::rules::State;
use crate::rules::instance::Instance;

/// The right, downward and forward part of each step, in the order of
/// [`crate::rules::step::Step`].
const DIRECTIONS: [(i32, i32, i32); 6] =
    [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)];

/// The part of a torus that is drawn.
pub(crate) struct Window {
    torus_width: usize,
    torus_height: usize,
    columns: Span,
    rows: Span,
    /// The layers, drawn side by side.
    layers: Span,
}

impl Window {
    /// The window on a walk. It moves only when the walk leaves it, and is centred once more when
    /// the walk is over.
    pub(crate) fn of(instance: &Instance, state: &State) -> Window {
        let torus = instance.torus();
        let walk = state.walk();
        let (mut column, mut row, mut layer) = (0, 0, 0);
        let (mut columns, mut rows, mut layers) = (vec![0], vec![0], vec![0]);
        for bond in walk.windows(2) {
            let ways = torus.next(usize::from(bond[0]));
            let way = ways.iter().position(|next| *next == bond[1]);
            let (right, down, forward) =
                DIRECTIONS[way.expect("monomers of a bond lie side by side")];
            column += right;
            row += down;
            layer += forward;
            columns.push(column);
            rows.push(row);
            layers.push(layer);
        }
        let stuck = torus.next(state.head()).iter().all(|next| !state.is_free(*next));
        let is_over = walk.len() == instance.len() || stuck;
        // Room for a fold as compact as folds usually are, and half as much again.
        let n = instance.len() as f64;
        let side = if torus.depth() == 1 { n.sqrt() } else { n.cbrt() };
        let room = (1.5 * side).ceil() as usize + 4;
        Window {
            torus_width: torus.width(),
            torus_height: torus.height(),
            columns: Span::of(&columns, torus.width(), room, is_over),
            rows: Span::of(&rows, torus.height(), room, is_over),
            layers: Span::of(&layers, torus.depth(), room, is_over),
        }
    }

    /// Columns and rows of the drawing.
    pub(crate) fn size(&self) -> (usize, usize) {
        let layers = self.layers.length;
        (layers * (self.columns.length_drawn() + 1) - 1, self.rows.length_drawn())
    }

    /// The slices of the drawing, with the margins that show copies.
    pub(crate) fn slices(&self) -> Slices {
        Slices {
            first: Point::new(0, 0),
            columns: self.columns.length_drawn() as i32,
            rows: self.rows.length_drawn() as i32,
            count: self.layers.length as i32,
        }
    }

    /// Whether two points lie in different layers, and in neighbouring ones.
    pub(crate) fn is_apart(&self, from: Point, to: Point) -> bool {
        let layer = |at: Point| at.column / (self.columns.length_drawn() as i32 + 1);
        (layer(from) - layer(to)).abs() == 1
    }

    /// Where a cell is drawn; `None` if it is outside the window.
    pub(crate) fn point(&self, cell: usize) -> Option<Point> {
        let column = self.columns.place(cell % self.torus_width)?;
        let row = self.rows.place(cell / self.torus_width % self.torus_height)?;
        let layer = self.layers.place(cell / (self.torus_width * self.torus_height))?;
        let before = layer - self.layers.margin() as i32;
        Some(Point::new(before * (self.columns.length_drawn() as i32 + 1) + column, row))
    }

    /// The line between two adjacent cells; `ways` are the cells around the first. If it goes
    /// around the torus it is two lines, from either cell outwards. Between layers there is none.
    pub(crate) fn ties(&self, ways: &[u16], from: usize, to: usize) -> Vec<(Point, Point)> {
        let (Some(start), Some(end)) = (self.point(from), self.point(to)) else {
            return Vec::new();
        };
        let mut around = Vec::new();
        for (next, (right, down, forward)) in ways.iter().zip(DIRECTIONS) {
            if usize::from(*next) != to || forward != 0 {
                continue;
            }
            let beside = Point::new(start.column + right, start.row + down);
            if beside == end {
                return vec![(start, end)];
            }
            let opposite = Point::new(end.column - right, end.row - down);
            if self.columns.has_margin(right) && self.rows.has_margin(down) {
                around = vec![(start, beside), (end, opposite)];
            }
        }
        around
    }
}

/// The columns, or the rows, of a window.
struct Span {
    side: usize,
    /// The first column or row that is shown; may be below 0 or above the side.
    start: i32,
    length: usize,
}

impl Span {
    /// The span for the columns of a walk, counted on as if the torus were a plane.
    fn of(walk: &[i32], side: usize, room: usize, is_over: bool) -> Span {
        let mut span = Span { side, start: 0, length: room.min(side) };
        span.start = walk[0] - span.length as i32 / 2;
        let (mut low, mut high) = (walk[0], walk[0]);
        // How many bonds would be cut before each column.
        let mut cuts = vec![0u32; side];
        for bond in walk.windows(2) {
            let (from, to) = (bond[0], bond[1]);
            let border = from.max(to).rem_euclid(side as i32) as usize;
            if from != to {
                cuts[border] += 1;
            }
            (low, high) = (low.min(to), high.max(to));
            let extent = (high - low + 1) as usize;
            if extent <= side {
                // If only a part of the torus is shown, leave room for a step to every side.
                let margin = i32::from(span.length < side);
                let inside = span.start + margin..span.start + span.length as i32 - margin;
                if !inside.contains(&to) {
                    span.length = span.length.max(extent + 2).min(side);
                    span.centre(low, extent);
                }
            } else {
                span.length = side;
                if from != to && border == span.seam() {
                    span.cut_least(&cuts);
                }
            }
        }
        let extent = (high - low + 1) as usize;
        match extent <= side {
            true if is_over => span.centre(low, extent),
            false if is_over => span.cut_least(&cuts),
            _ => {}
        }
        span
    }

    fn centre(&mut self, low: i32, extent: usize) {
        self.start = low - (self.length as i32 - extent as i32) / 2;
    }

    /// Opens the torus where the fewest bonds are cut; stays where it was if no other place has
    /// fewer.
    fn cut_least(&mut self, cuts: &[u32]) {
        let least = (0..cuts.len()).min_by_key(|border| cuts[*border]);
        if let Some(least) = least.filter(|least| cuts[*least] < cuts[self.seam()]) {
            self.start = least as i32;
        }
    }

    fn seam(&self) -> usize {
        self.start.rem_euclid(self.side as i32) as usize
    }

    /// Whether copies are drawn outside the frame; a step in another direction needs none.
    fn has_margin(&self, by: i32) -> bool {
        by == 0 || self.margin() > 0
    }

    fn margin(&self) -> usize {
        usize::from(self.length == self.side && self.side > 2)
    }

    fn length_drawn(&self) -> usize {
        self.length + 2 * self.margin()
    }

    fn place(&self, at: usize) -> Option<i32> {
        let place = (at as i32 - self.start).rem_euclid(self.side as i32);
        (place < self.length as i32).then_some(place + self.margin() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_over_the_edge_is_shown_in_one_piece() {
        let span = Span::of(&[0, -1, -2, -1], 8, 8, true);
        assert_eq!([0, 7, 6].map(|at| span.place(at)), [Some(5), Some(4), Some(3)]);
        assert_eq!(span.length_drawn(), 10);
    }

    #[test]
    fn a_walk_around_the_torus_is_cut_where_it_crosses_least() {
        // Three times across the border before column 1, once across each of the others.
        let span = Span::of(&[0, 1, 0, 1, 2, 3, 4], 4, 4, true);
        assert_ne!(span.seam(), 1);
    }

    #[test]
    fn of_a_wide_torus_only_the_surroundings_are_shown() {
        let compact = Span::of(&[0, 1, 1, 0], 100, 10, true);
        assert_eq!((compact.length_drawn(), compact.place(0)), (10, Some(4)));
        let straight: Vec<i32> = (0..20).collect();
        let straight = Span::of(&straight, 100, 10, true);
        assert_eq!((straight.length_drawn(), straight.place(0)), (22, Some(1)));
    }

    #[test]
    fn a_window_stays_as_long_as_the_walk_is_in_it() {
        let starts: Vec<i32> =
            (1..=4).map(|laid| Span::of(&[0, 1, 2, 1][..laid], 20, 9, false).start).collect();
        assert_eq!(starts, [-4; 4]);
    }
}
