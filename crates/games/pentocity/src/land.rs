//! The land as bit boards: what stands where, which water is a pond, what can still be
//! reached by road, and where a building may go. No turns and no score here: those are
//! in [`crate::rules`].
//!
//! A land is 4 KB of plain data: copying one is the undo.

use quintain_grid::{Cell, Rows64};

use crate::forms::Form;
use crate::sweep::sweep;

/// A set of cells of the land.
pub type Cells = Rows64;

/// The least side of a land, and the greatest.
pub const SIDES: std::ops::RangeInclusive<usize> = 5..=64;

/// How many cells of water are a pond, of park a field.
pub const POND: usize = 4;

/// What stands on a cell.
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

/// What stands where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Land {
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

impl Land {
    /// Empty land.
    ///
    /// # Panics
    /// If the side is not among [`SIDES`].
    pub fn new(side: usize) -> Land {
        assert!(SIDES.contains(&side), "a land of {side} cells a side");
        Land {
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

    /// Cells a side.
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
    pub fn taken(&self) -> Cells {
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

    /// Cells of roads; the ring around the land is not among them.
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

    /// What stands on a cell of the land.
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

    /// Whether a cell is on the land.
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

    /// Whether some cell of a building is among the `depth` outermost rings.
    #[inline(always)]
    pub fn is_in_rings(&self, form: Form, at: Cell, depth: u8) -> bool {
        let shape = form.shape();
        at.row < depth
            || at.col < depth
            || at.row + shape.height + depth > self.side
            || at.col + shape.width + depth > self.side
    }

    /// The cells of a building.
    #[inline]
    pub fn cells_of(form: Form, at: Cell) -> Cells {
        let mut cells = Cells::EMPTY;
        let lanes = cells.lanes_mut();
        let shape = form.shape();
        for row in 0..usize::from(shape.height) {
            lanes[usize::from(at.row) + row] = u64::from(shape.rows[row]) << at.col;
        }
        cells
    }

    /// Whether a building lies on the land and on cells of `cells` only.
    #[inline]
    pub fn lies_on(&self, cells: &Cells, form: Form, at: Cell) -> bool {
        let shape = form.shape();
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
    pub fn count_beside(cells: &Cells, form: Form, at: Cell) -> u32 {
        beside(form, at).map(|(row, lane)| (lane & cells.lanes()[row]).count_ones()).sum()
    }

    /// Whether a cell beside a building is among `cells`.
    #[inline]
    pub fn touches(cells: &Cells, form: Form, at: Cell) -> bool {
        beside(form, at).any(|(row, lane)| lane & cells.lanes()[row] != 0)
    }

    /// Builds on empty cells that may take it.
    #[inline]
    pub fn build(&mut self, form: Form, at: Cell) {
        let of = if form.is_factory() { &mut self.factories } else { &mut self.residences };
        let shape = form.shape();
        for row in 0..usize::from(shape.height) {
            let own = u64::from(shape.rows[row]) << at.col;
            of.lanes_mut()[usize::from(at.row) + row] |= own;
            self.empty.lanes_mut()[usize::from(at.row) + row] &= !own;
        }
    }

    /// Makes an empty cell a part of a residence: how lands are read.
    pub(crate) fn settle(&mut self, cell: Cell) {
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

    /// Where a form's bounding box may have its top left cell, by what is built now:
    /// on empty cells, no residence beside a factory. Roads are another question.
    pub fn room_for(&self, form: Form) -> Cells {
        let others = if form.is_factory() { &self.residences } else { &self.factories };
        let free = self.empty - others.neighbours();
        self.anchors_within(&free, form)
    }

    /// Where a form's bounding box may have its top left cell so that all its cells are
    /// among `cells`.
    #[inline]
    pub fn anchors_within(&self, cells: &Cells, form: Form) -> Cells {
        let (shape, side) = (form.shape(), self.side());
        let (height, width) = (usize::from(shape.height), usize::from(shape.width));
        let lanes = cells.lanes();
        let mut anchors = Cells::EMPTY;
        if height > side || width > side {
            return anchors;
        }
        let out = anchors.lanes_mut();
        let last = side - height;
        if form.is_factory() {
            let mut narrow = [0u64; 64];
            for row in 0..side {
                let lane = lanes[row];
                narrow[row] = (1..width).fold(lane, |all, by| all & (lane >> by));
            }
            for row in 0..=last {
                out[row] = narrow[row..row + height].iter().fold(!0, |all, lane| all & lane);
            }
        } else {
            // One pass over the rows for each of five cells, so that rows run together.
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

    /// Where a form's bounding box would have its top left cell so that some of its
    /// cells are among `cells`. Whether it lies on the land is another question.
    #[inline]
    pub fn anchors_meeting(&self, cells: &Cells, form: Form) -> Cells {
        let side = self.side();
        let lanes = cells.lanes();
        let mut anchors = Cells::EMPTY;
        let out = anchors.lanes_mut();
        for &(down, right) in &form.shape().cells {
            let from = &lanes[usize::from(down)..side];
            for (anchor, lane) in out[..side].iter_mut().zip(from) {
                *anchor |= lane >> right;
            }
        }
        anchors
    }

    /// The cells that a road could begin on: empty ones at the border or beside a road.
    pub fn road_ends(&self) -> Cells {
        (self.rings(1) | self.roads.neighbours()) & self.empty
    }

    /// The empty cells that a road can come to. What is empty and not among them is cut
    /// off for good.
    pub fn open(&self) -> Cells {
        sweep(&self.empty, self.road_ends(), self.side())
    }
}

/// The rows of cells beside a building, those of the land only: numbers and lanes.
#[inline(always)]
fn beside(form: Form, at: Cell) -> impl Iterator<Item = (usize, u64)> {
    let shape = form.shape();
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
        // Groups that are no pond yet are small, so a list does.
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

/// The cells above, right, below and left of a cell; those outside wrap to numbers that
/// no land has.
#[inline(always)]
pub fn neighbours(cell: Cell) -> [Cell; 4] {
    [
        Cell::new(cell.row.wrapping_sub(1), cell.col),
        Cell::new(cell.row, cell.col.wrapping_add(1)),
        Cell::new(cell.row.wrapping_add(1), cell.col),
        Cell::new(cell.row, cell.col.wrapping_sub(1)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scattered(seed: u64, side: usize) -> Land {
        let mut land = Land::new(side);
        let mut rng = quintain_core::Rng::from_seed(seed);
        for row in 0..side as u8 {
            for col in 0..side as u8 {
                let cell = Cell::new(row, col);
                match rng.below(12) {
                    0 => land.build(Form::factory(1, 1).unwrap(), cell),
                    1 => land.settle(cell),
                    2 => land.lay_road(cell),
                    3 => land.lay_water(&[cell]),
                    4 => land.lay_park(&[cell]),
                    _ => {}
                }
            }
        }
        land
    }

    proptest! {
        #[test]
        fn ponds_grow_to_the_groups_of_four_and_more(seed: u64, side in 5usize..=64) {
            let land = scattered(seed, side);
            for (cells, large) in [(land.water(), land.ponds()), (land.park(), land.fields())] {
                let groups = quintain_grid::components(cells).filter(|g| g.count() >= 4);
                prop_assert_eq!(*large, groups.fold(Cells::EMPTY, |all, group| all | group));
            }
        }

        #[test]
        fn room_is_where_every_cell_is_empty_and_no_neighbour_of_the_other_kind(
            seed: u64, side in 5usize..=64, number in 0..Form::COUNT
        ) {
            let land = scattered(seed, side);
            let form = Form::all().nth(number).unwrap();
            let room = land.room_for(form);
            let other = if form.is_factory() { Use::Residence } else { Use::Factory };
            for cell in Cells::rectangle(64, 64).cells() {
                let fits = form.shape().cells.iter().all(|&(down, right)| {
                    let own = Cell::new(cell.row + down, cell.col + right);
                    land.has(own)
                        && land.at(own) == Use::Empty
                        && neighbours(own).iter().all(|side| !land.has(*side) || land.at(*side) != other)
                });
                prop_assert_eq!(room.contains(cell), fits, "{} at {}", form, cell);
                if fits {
                    prop_assert!(land.lies_on(land.empty(), form, cell));
                    let own = Land::cells_of(form, cell);
                    prop_assert_eq!(own.count(), form.size());
                    let around = own.neighbours() - own;
                    let counted = Land::count_beside(land.empty(), form, cell);
                    prop_assert_eq!(counted, (around & *land.empty()).count());
                    for depth in 1..3 {
                        let meets = !(own & land.rings(depth)).is_empty();
                        prop_assert_eq!(land.is_in_rings(form, cell, depth as u8), meets);
                        prop_assert_eq!(
                            land.anchors_meeting(&land.rings(depth), form).contains(cell), meets
                        );
                    }
                }
            }
        }
    }
}
