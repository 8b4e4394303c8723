//! The square board (the sources' land) as bit boards: what is on each cell, which water is a pond,
//! which cells a road can still reach, and where a building may go. Turns and scores are in
//! [`crate::rules`].
//!
//! A board is 4 KB of plain data: to undo a move, keep a copy.

use quintain_grid::{Cell, Rows64};

use crate::rules::flood::flood_fill;
use crate::rules::pieces::Piece;

/// A set of cells of the board.
pub type Cells = Rows64;

/// The possible sides of a board.
pub const SIDES: std::ops::RangeInclusive<usize> = 5..=64;

/// The least number of cells that make water a pond, and park a field.
pub const POND: usize = 4;

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Nothing.
    Empty,
    /// A part of a residence.
    Residence,
    /// A part of a factory.
    Factory,
    /// A road.
    Road,
    /// Water.
    Water,
    /// Park.
    Park,
}

/// The contents of all cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    side: u8,
    empty: Cells,
    residences: Cells,
    factories: Cells,
    roads: Cells,
    water: Cells,
    park: Cells,
    ponds: Cells,
    fields: Cells,
}

impl Board {
    /// A board with nothing on it.
    ///
    /// # Panics
    /// If the side is not among [`SIDES`].
    pub fn new(side: usize) -> Board {
        assert!(SIDES.contains(&side), "a land of {side} cells a side");
        Board {
            side: side as u8,
            empty: Cells::rectangle(side, side),
            residences: Cells::EMPTY,
            factories: Cells::EMPTY,
            roads: Cells::EMPTY,
            water: Cells::EMPTY,
            park: Cells::EMPTY,
            ponds: Cells::EMPTY,
            fields: Cells::EMPTY,
        }
    }

    /// Returns the number of cells along each side.
    #[inline(always)]
    pub fn side(&self) -> usize {
        usize::from(self.side)
    }

    /// Cells with nothing on them.
    #[inline(always)]
    pub fn empty(&self) -> &Cells {
        &self.empty
    }

    /// Cells with anything on them.
    #[inline(always)]
    pub fn occupied(&self) -> Cells {
        Cells::rectangle(self.side(), self.side()) - self.empty
    }

    /// Cells of residences.
    #[inline(always)]
    pub fn residences(&self) -> &Cells {
        &self.residences
    }

    /// Cells of factories.
    #[inline(always)]
    pub fn factories(&self) -> &Cells {
        &self.factories
    }

    /// Cells of roads; the ring around the board is not among them.
    #[inline(always)]
    pub fn roads(&self) -> &Cells {
        &self.roads
    }

    /// Cells of water.
    #[inline(always)]
    pub fn water(&self) -> &Cells {
        &self.water
    }

    /// Cells of park.
    #[inline(always)]
    pub fn park(&self) -> &Cells {
        &self.park
    }

    /// Cells of water in connected groups of four and more.
    #[inline(always)]
    pub fn ponds(&self) -> &Cells {
        &self.ponds
    }

    /// Cells of park in connected groups of four and more.
    #[inline(always)]
    pub fn fields(&self) -> &Cells {
        &self.fields
    }

    /// The content of a cell of the board.
    pub fn at(&self, cell: Cell) -> Use {
        let uses = [
            (&self.empty, Use::Empty),
            (&self.residences, Use::Residence),
            (&self.factories, Use::Factory),
            (&self.roads, Use::Road),
            (&self.water, Use::Water),
        ];
        uses.into_iter().find(|(cells, _)| cells.contains(cell)).map_or(Use::Park, |(_, is)| is)
    }

    /// Whether a cell lies on the board.
    pub fn has(&self, cell: Cell) -> bool {
        cell.row < self.side && cell.col < self.side
    }

    /// The cells of the `depth` outermost rings.
    pub fn rings(&self, depth: usize) -> Cells {
        let side = self.side();
        let mut rings = Cells::rectangle(side, side);
        if side > 2 * depth {
            let inner = Cells::rectangle(side - 2 * depth, side - 2 * depth);
            let lanes = rings.lanes_mut();
            for row in depth..side - depth {
                lanes[row] &= !(inner.lanes()[row - depth] << depth);
            }
        }
        rings
    }

    /// Whether some cell of a building lies in the `depth` outermost rings.
    #[inline(always)]
    pub fn is_in_rings(&self, piece: Piece, at: Cell, depth: u8) -> bool {
        let shape = piece.shape();
        at.row < depth
            || at.col < depth
            || at.row + shape.height + depth > self.side
            || at.col + shape.width + depth > self.side
    }

    /// The cells of a building.
    #[inline]
    pub fn cells_of(piece: Piece, at: Cell) -> Cells {
        let mut cells = Cells::EMPTY;
        let lanes = cells.lanes_mut();
        let shape = piece.shape();
        for row in 0..usize::from(shape.height) {
            lanes[usize::from(at.row) + row] = u64::from(shape.rows[row]) << at.col;
        }
        cells
    }

    /// Whether a building lies on the board and on cells of `cells` only.
    #[inline]
    pub fn lies_on(&self, cells: &Cells, piece: Piece, at: Cell) -> bool {
        let shape = piece.shape();
        let end = |first: u8, length: u8| u16::from(first) + u16::from(length);
        let side = u16::from(self.side);
        if end(at.row, shape.height) > side || end(at.col, shape.width) > side {
            return false;
        }
        let lanes = cells.lanes();
        (0..usize::from(shape.height)).all(|row| {
            let own = u64::from(shape.rows[row]) << at.col;
            own & !lanes[usize::from(at.row) + row] == 0
        })
    }

    /// How many cells beside a building are among `cells`.
    #[inline]
    pub fn count_beside(cells: &Cells, piece: Piece, at: Cell) -> u32 {
        edge_lanes(piece, at).map(|(row, lane)| (lane & cells.lanes()[row]).count_ones()).sum()
    }

    /// Whether a cell beside a building is among `cells`.
    #[inline]
    pub fn touches(cells: &Cells, piece: Piece, at: Cell) -> bool {
        edge_lanes(piece, at).any(|(row, lane)| lane & cells.lanes()[row] != 0)
    }

    /// Builds on empty cells where the building is allowed.
    #[inline]
    pub fn build(&mut self, piece: Piece, at: Cell) {
        let of = if piece.is_factory() { &mut self.factories } else { &mut self.residences };
        let shape = piece.shape();
        for row in 0..usize::from(shape.height) {
            let own = u64::from(shape.rows[row]) << at.col;
            of.lanes_mut()[usize::from(at.row) + row] |= own;
            self.empty.lanes_mut()[usize::from(at.row) + row] &= !own;
        }
    }

    /// Makes an empty cell a part of a residence, for parsing boards.
    pub(crate) fn set_residence(&mut self, cell: Cell) {
        self.residences.insert(cell);
        self.empty.remove(cell);
    }

    /// Lays road on an empty cell.
    #[inline]
    pub fn lay_road(&mut self, cell: Cell) {
        self.roads.insert(cell);
        self.empty.remove(cell);
    }

    /// Lays water on empty cells.
    #[inline]
    pub fn lay_water(&mut self, cells: &[Cell]) {
        lay(&mut self.empty, &mut self.water, &mut self.ponds, cells);
    }

    /// Lays park on empty cells.
    #[inline]
    pub fn lay_park(&mut self, cells: &[Cell]) {
        lay(&mut self.empty, &mut self.park, &mut self.fields, cells);
    }

    /// Where the top left cell of a piece's bounding box may be, given what is built now: on empty
    /// cells, no residence beside a factory. Roads are not considered.
    pub fn room_for(&self, piece: Piece) -> Cells {
        let others = if piece.is_factory() { &self.residences } else { &self.factories };
        let free = self.empty - others.neighbours();
        self.find_anchors(&free, piece)
    }

    /// Where the top left cell of a piece's bounding box may be so that all cells of the piece are
    /// among `cells`.
    #[inline]
    pub fn find_anchors(&self, cells: &Cells, piece: Piece) -> Cells {
        let (shape, side) = (piece.shape(), self.side());
        let (height, width) = (usize::from(shape.height), usize::from(shape.width));
        let lanes = cells.lanes();
        let mut anchors = Cells::EMPTY;
        if height > side || width > side {
            return anchors;
        }
        let out = anchors.lanes_mut();
        let last = side - height;
        if piece.is_factory() {
            let mut narrow = [0u64; 64];
            for row in 0..side {
                let lane = lanes[row];
                narrow[row] = (1..width).fold(lane, |all, by| all & (lane >> by));
            }
            for row in 0..=last {
                out[row] = narrow[row..row + height].iter().fold(!0, |all, lane| all & lane);
            }
        } else {
            // One pass over the rows for each of the five cells, so that the rows are processed
            // together.
            out[..=last].fill(!0);
            for &(down, right) in &shape.cells {
                let from = &lanes[usize::from(down)..=usize::from(down) + last];
                for (anchor, lane) in out[..=last].iter_mut().zip(from) {
                    *anchor &= lane >> right;
                }
            }
        }
        anchors
    }

    /// Where the top left cell of a piece's bounding box would be so that some cells of the piece
    /// are among `cells`. Whether the piece lies on the board is not checked.
    #[inline]
    pub fn anchors_meeting(&self, cells: &Cells, piece: Piece) -> Cells {
        let side = self.side();
        let lanes = cells.lanes();
        let mut anchors = Cells::EMPTY;
        let out = anchors.lanes_mut();
        for &(down, right) in &piece.shape().cells {
            let from = &lanes[usize::from(down)..side];
            for (anchor, lane) in out[..side].iter_mut().zip(from) {
                *anchor |= lane >> right;
            }
        }
        anchors
    }

    /// The cells on which a road can begin: empty ones at the border or beside a road.
    pub fn road_ends(&self) -> Cells {
        (self.rings(1) | self.roads.neighbours()) & self.empty
    }

    /// The empty cells that a road can reach. An empty cell that is not among them is cut off for
    /// good.
    pub fn open(&self) -> Cells {
        flood_fill(&self.empty, self.road_ends(), self.side())
    }
}

/// The cells beside a building that lie on the board, as numbers of rows and their lanes.
#[inline(always)]
fn edge_lanes(piece: Piece, at: Cell) -> impl Iterator<Item = (usize, u64)> {
    let shape = piece.shape();
    (0..usize::from(shape.height) + 2).filter_map(move |row| {
        let lane = u64::from(shape.beside[row]);
        let lane = if at.col == 0 { lane >> 1 } else { lane << (at.col - 1) };
        let row = (usize::from(at.row) + row).wrapping_sub(1);
        (row < 64).then_some((row, lane))
    })
}

/// Lays water or park; groups that have grown to four cells become ponds or fields.
#[inline]
fn lay(empty: &mut Cells, of: &mut Cells, large: &mut Cells, cells: &[Cell]) {
    for &cell in cells {
        of.insert(cell);
        empty.remove(cell);
    }
    for &cell in cells {
        if large.contains(cell) {
            continue;
        }
        // Groups that are not ponds yet are small, so a list is enough.
        let mut group = vec![cell];
        let mut is_large = false;
        let mut next = 0;
        while next < group.len() {
            for (side, has) in neighbours(group[next]).into_iter().zip(of.sides(group[next])) {
                if has && large.contains(side) {
                    is_large = true;
                } else if has && !group.contains(&side) {
                    group.push(side);
                }
            }
            next += 1;
        }
        if is_large || group.len() >= POND {
            group.into_iter().for_each(|cell| large.insert(cell));
        }
    }
}

/// The cells above, right, below and left of a cell; those outside wrap to numbers that no board
/// has.
#[inline(always)]
pub fn neighbours(cell: Cell) -> [Cell; 4] {
    [
        Cell::new(cell.row.wrapping_sub(1), cell.col),
        Cell::new(cell.row, cell.col.wrapping_add(1)),
        Cell::new(cell.row.wrapping_add(1), cell.col),
        Cell::new(cell.row, cell.col.wrapping_sub(1)),
    ]
}

/// A board with all kinds of things on about half of its cells.
#[cfg(test)]
pub(crate) fn scatter(seed: u64, side: usize) -> Board {
    let mut rng = quintain_core::Rng::from_seed(seed);
    let mut board = Board::new(side);
    for cell in Board::new(side).empty().cells() {
        match rng.below(11) {
            0 => board.build(Piece::factory(1, 1).unwrap(), cell),
            1 => board.set_residence(cell),
            2 => board.lay_road(cell),
            3 => board.lay_water(&[cell]),
            4 => board.lay_park(&[cell]),
            _ => {}
        }
    }
    board
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ponds_grow_to_the_groups_of_four_and_more(seed: u64, side in 5usize..=64) {
            let board = scatter(seed, side);
            for (cells, large) in [(board.water(), board.ponds()), (board.park(), board.fields())] {
                let groups = quintain_grid::components(cells).filter(|g| g.count() >= 4);
                prop_assert_eq!(*large, groups.fold(Cells::EMPTY, |all, group| all | group));
            }
        }

        #[test]
        fn room_is_where_every_cell_is_empty_and_no_neighbour_of_the_other_kind(
            seed: u64, side in 5usize..=64, number in 0..Piece::COUNT
        ) {
            let board = scatter(seed, side);
            let piece = Piece::all().nth(number).unwrap();
            let room = board.room_for(piece);
            let other = if piece.is_factory() { Use::Residence } else { Use::Factory };
            for cell in Cells::rectangle(64, 64).cells() {
                let fits = piece.shape().cells.iter().all(|&(down, right)| {
                    let own = Cell::new(cell.row + down, cell.col + right);
                    board.has(own)
                        && board.at(own) == Use::Empty
                        && neighbours(own)
                            .iter()
                            .all(|side| !board.has(*side) || board.at(*side) != other)
                });
                prop_assert_eq!(room.contains(cell), fits, "{} at {}", piece, cell);
                if fits {
                    prop_assert!(board.lies_on(board.empty(), piece, cell));
                    let own = Board::cells_of(piece, cell);
                    prop_assert_eq!(own.count(), piece.size());
                    let around = own.neighbours() - own;
                    let counted = Board::count_beside(board.empty(), piece, cell);
                    prop_assert_eq!(counted, (around & *board.empty()).count());
                    for depth in 1..3 {
                        let meets = !(own & board.rings(depth)).is_empty();
                        prop_assert_eq!(board.is_in_rings(piece, cell, depth as u8), meets);
                        prop_assert_eq!(
                            board.anchors_meeting(&board.rings(depth), piece).contains(cell), meets
                        );
                    }
                }
            }
        }
    }
}
