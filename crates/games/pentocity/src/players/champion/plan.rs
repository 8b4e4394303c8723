//! Plans, made beforehand, of where roads, ponds and fields are meant to lie.
//!
//! Where requests are all alike (only bars, say), the densest packing is a regular pattern, which a
//! greedy choice does not find by itself. A plan gives every cell a use; the view adds what a
//! cell's planned use is worth. A plan of rows only draws buildings in between; strict plans also
//! say where each building is to stand ([`Slots`]), so that nothing is left to chance as long as
//! there is room. Whether there is a plan, and its period, are weights like all others.

use quintain_grid::Cell;

use super::kind::Kind;
use super::weights::Weights;
use crate::rules::board::{Board, Cells};
use crate::rules::pieces::Piece;

/// The depth of a bar (the I pentomino) that stands at a right angle to the line that serves it.
const DEPTH: i32 = 5;
/// The first row and column inside the bands of bars along the borders: a band is a line on the
/// border, a bar, and an inner line.
const INNER: i32 = DEPTH + 2;
/// The rows from one inner line of water or park to the next: bars, road, bars, line.
const PERIOD: i32 = 2 * DEPTH + 2;

/// What a cell is meant for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Planned {
    /// No particular use: for buildings, and for whatever serves them.
    Open,
    /// A road, water or park.
    Lay(Kind),
    /// An upright bar, or a lying one.
    Upright,
    Lying,
    /// A 5×5, or residences that are two rows high.
    Square,
    Low,
    /// Nothing: no bar can use the cell.
    Hole,
}

/// Whether the plan says where each building stands: the frame for bars, or strips.
pub(super) fn is_strict(weights: &Weights) -> bool {
    weights.rest("period").round() as i32 <= -1
}

/// The planned use of a cell.
///
/// A period of −1 is the frame, −2 are strips, and −3 are strips only at the upper and the lower
/// border, as many as the weights of the rows say; 0 and 1 are no plan.
pub(super) fn use_at(weights: &Weights, side: usize, cell: Cell) -> Planned {
    let (row, col, side) = (i32::from(cell.row), i32::from(cell.col), side as i32);
    match weights.rest("period").round() as i32 {
        -1 => frame(row, col, side),
        -2 => strips(row, col),
        -3 => {
            let count = |name: &str| weights.rest(name).round() as i32;
            banks(row, col, side, count("road-row"), count("pond-row"))
        }
        period @ 2.. => {
            let first = |name: &str| weights.rest(name).round() as i32;
            let is_along = |name: &str| (row - first(name)).rem_euclid(period) == 0;
            if is_along("pond-row") {
                // Water and park alternate along the line and from line to line, so that a building
                // between two lines touches both.
                let segment = first("segment").max(1);
                let turn = (col / segment + row / period).rem_euclid(2);
                Planned::Lay(if turn == 0 { Kind::Water } else { Kind::Park })
            } else if is_along("road-row") {
                Planned::Lay(Kind::Road)
            } else {
                Planned::Open
            }
        }
        _ => Planned::Open,
    }
}

/// Where buildings are to stand in a strict plan.
#[derive(Clone, PartialEq)]
pub(super) struct Slots {
    /// By top left cell: upright bars, lying bars, 5×5, and residences two rows high.
    places: [Cells; 4],
    /// Where all other pieces may stand, and those that have no slot left.
    open: Cells,
}

impl Slots {
    /// The slots of the plan that the weights describe; nothing if they describe none.
    pub(super) fn new(weights: &Weights, side: usize) -> Option<Box<Slots>> {
        is_strict(weights).then(|| {
            let plan = |row, col| use_at(weights, side, Cell::new(row, col));
            Box::new(slots_of(side, plan))
        })
    }

    /// Where a piece may stand in the plan, by its top left cell.
    pub(super) fn anchors(&self, board: &Board, piece: Piece) -> Cells {
        let open = match self.open.is_empty() {
            true => Cells::EMPTY,
            false => board.find_anchors(&(self.open & *board.empty()), piece),
        };
        slot_kind(piece).map_or(open, |kind| open | self.places[kind])
    }
}

fn slots_of(side: usize, plan: impl Fn(u8, u8) -> Planned) -> Slots {
    let board = Board::new(side);
    let at = |row: i32, col: i32| {
        let (row, col) = (u8::try_from(row).ok()?, u8::try_from(col).ok()?);
        board.has(Cell::new(row, col)).then(|| plan(row, col))
    };
    let (mut slots, mut open) = ([Cells::EMPTY; 4], Cells::EMPTY);
    for cell in board.empty().cells() {
        let (row, col) = (i32::from(cell.row), i32::from(cell.col));
        let own = at(row, col);
        let (kind, down, right) = match own {
            Some(Planned::Upright) => (0, 1, 0),
            Some(Planned::Lying) => (1, 0, 1),
            Some(Planned::Square) if col % DEPTH == 0 && at(row - 1, col) != own => (2, 1, 0),
            Some(Planned::Open) => {
                open.insert(cell);
                continue;
            }
            Some(Planned::Low) if at(row - 1, col) != own => {
                slots[3].insert(cell);
                continue;
            }
            _ => continue,
        };
        // The bars along a line are counted from the start of the line.
        let is_own = |steps: i32| at(row + down * steps, col + right * steps) == own;
        let before = (1..).take_while(|steps| is_own(-*steps)).count() as i32;
        if before % DEPTH == 0 && (1..DEPTH).all(is_own) {
            slots[kind].insert(cell);
        }
    }
    Slots { places: slots, open }
}

/// The index of a piece's slots in [`Slots`]; nothing if it has none.
fn slot_kind(piece: Piece) -> Option<usize> {
    let shape = piece.shape();
    match (piece.is_factory(), shape.height, shape.width) {
        (false, 5, 1) => Some(0),
        (false, 1, 5) => Some(1),
        (true, 5, 5) => Some(2),
        (false, 2, _) => Some(3),
        _ => None,
    }
}

/// The plan for 5×5 and pieces that fit in two rows: strips of them between lines of road and lines
/// of water and park in turn, so that each strip has both. Along a line, water and park alternate
/// so that every square touches both.
fn strips(row: i32, col: i32) -> Planned {
    let (cycle, row) = (row / 15, row % 15);
    let (strip, what) = match row {
        0..=5 => (0, Planned::Square),
        6..=11 => (1, Planned::Square),
        _ => (2, Planned::Low),
    };
    if !matches!(row, 5 | 11 | 14) {
        return what;
    }
    line((cycle + strip) % 2 == 0, col)
}

/// Strips for 5×5 at the upper and at the lower border, with the same lines between them as in
/// [`strips`]; the cells in the middle are open for all other pieces.
fn banks(row: i32, col: i32, side: i32, above: i32, below: i32) -> Planned {
    let height = DEPTH + 1;
    let from_border = match side - 1 - row {
        from_below if row >= above * height && from_below < below * height => from_below,
        _ if row < above * height => row,
        _ => return Planned::Open,
    };
    if from_border % height < DEPTH {
        return Planned::Square;
    }
    line(from_border / height % 2 == 0, col)
}

/// A line between strips: a road, or water and park in turn.
fn line(is_wet: bool, col: i32) -> Planned {
    if !is_wet {
        return Planned::Lay(Kind::Road);
    }
    // Squares begin at every fifth column; each has a border of two segments in its middle.
    let segment = match col {
        0..=20 => [4, 8, 12, 17].iter().filter(|first| col >= **first).count() as i32,
        _ => (col + 4) / DEPTH,
    };
    Planned::Lay(if segment % 2 == 0 { Kind::Water } else { Kind::Park })
}

/// The plan for bars. A band of bars lies along each border, where they need no road, between a
/// line on the border and an inner line. Inside the bands are pairs of rows of bars, with lines of
/// road and of water or park in turn.
///
/// A bar's end touches one cell, so an inner bar has one bonus, unless its long side touches
/// something as well: at every fifth column of the inner line, which changes between water and park
/// there, a bar is moved up into the line. The bar of the band, moved to the border, does the same
/// at the line there. One of the inner lines is two rows wide: it has squares of water and of park,
/// and between any two of them two bars that meet.
fn frame(row: i32, col: i32, side: i32) -> Planned {
    use Planned::{Hole, Lay, Lying, Open, Upright};
    let wet = |is_park: bool| Lay(if is_park { Kind::Park } else { Kind::Water });
    let last = side - 1;
    let inside = side - 2 * INNER;
    // The inner rows, from the first: bars, road, bars, line, bars, road, … bars. Of the remaining
    // rows, one is the second row of the first line; the others are open, beside the last line.
    let lines = (inside - 2 * DEPTH - 1) / PERIOD;
    if inside < 2 * DEPTH + 1 || lines == 0 {
        return Open;
    }
    let remain = inside - (2 * DEPTH + 1) - lines * PERIOD;
    let is_wide = remain == 1 || remain > 1 && lines > 1;

    // The bands above and below. Bars are moved at the second inner column and every fifth from
    // there; the lines change between water and park there.
    let moved = (col - INNER - 1).div_euclid(5);
    let moved_last = (inside - 5) / 5;
    let is_moved = (0..=moved_last).contains(&moved) && (col - INNER - 1).rem_euclid(5) == 0;
    let is_even = moved.clamp(-1, moved_last) % 2 != 0;
    match row.min(last - row) {
        depth if is_moved && depth < DEPTH => return Upright,
        depth if is_moved && depth < INNER - 1 => return Hole,
        depth if is_moved && depth == INNER - 1 => return Upright,
        0 => return wet(!is_even),
        depth if depth < INNER - 1 => return Upright,
        depth if depth == INNER - 1 => return wet(is_even),
        _ => {}
    }

    // The position of the inner row, counted as if all lines were one row wide.
    let row = row - INNER;
    let after_wide = row - i32::from(is_wide && row > PERIOD - 1);
    let last_line = lines * PERIOD - 1;
    let open = remain - i32::from(is_wide);
    let is_open = after_wide > last_line && after_wide <= last_line + open;
    let narrow = if after_wide > last_line + open { after_wide - open } else { after_wide };
    let (pair, step) = (narrow / PERIOD, narrow % PERIOD);
    if step == DEPTH && !is_open && col <= last - INNER {
        return Lay(Kind::Road);
    }

    // The bands at the left (park on the border) and at the right (water on the border).
    match col.min(last - col) {
        0 => return wet(col == 0),
        depth if depth < INNER - 1 => return Lying,
        depth if depth == INNER - 1 => return wet(col > INNER),
        _ => {}
    }
    if is_open {
        return Open;
    }
    // Roads to bars that were moved.
    if is_moved && (row == DEPTH - 1 || row == inside - DEPTH) {
        return Lay(Kind::Road);
    }
    let col = col - INNER;
    if is_wide && pair == 0 && step > DEPTH || is_wide && pair == 1 && step < DEPTH {
        // Between two squares the bars meet, and each needs one more cell of road.
        let meets = col % 3 == 2 && col < inside - 2;
        let is_square = step == PERIOD - 1;
        return match (meets, is_square) {
            (true, _) if pair == 0 && step == DEPTH + 1 => Lay(Kind::Road),
            (true, _) if pair == 1 && step == DEPTH - 1 => Lay(Kind::Road),
            (true, _) | (false, false) => Upright,
            (false, true) => wet((col / 3).min((inside - 2) / 3) % 2 == 0),
        };
    }
    if step < PERIOD - 1 { Upright } else { wet(2 * col < inside) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame as it is drawn: roads, water, park, upright and lying bars, holes.
    fn drawn(side: i32) -> Vec<String> {
        let sign = |row, col| match frame(row, col, side) {
            Planned::Lay(Kind::Road) => '#',
            Planned::Lay(Kind::Water) => '~',
            Planned::Lay(_) => '*',
            Planned::Upright => '|',
            Planned::Lying => '-',
            Planned::Square | Planned::Low => 'o',
            Planned::Hole => ' ',
            Planned::Open => '?',
        };
        (0..side).map(|row| (0..side).map(|col| sign(row, col)).collect()).collect()
    }

    #[test]
    fn the_frame_is_drawn_as_the_documentation_has_it() {
        let rows = drawn(50);
        assert_eq!(rows[0], "~~~~~~~~|****|~~~~|****|~~~~|****|~~~~|***********");
        assert_eq!(rows[5], "|||||||| |||| |||| |||| |||| |||| |||| |||||||||||");
        assert_eq!(rows[6], "********|~~~~|****|~~~~|****|~~~~|****|~~~~~~~~~~~");
        assert_eq!(rows[11], "*-----~|#||||#||||#||||#||||#||||#||||#||||*-----~");
        assert_eq!(rows[18], "*-----~**|~~|**|~~|**|~~|**|~~|**|~~|**|~~~*-----~");
        assert_eq!(rows[24], "*-----~||#||#||#||#||#||#||#||#||#||#||#|||*-----~");
    }

    /// The number of bars, of bonuses, and of bars without a road, if each slot of a frame has its
    /// bar.
    fn count(side: i32) -> (u32, u32, u32) {
        let mut board = Board::new(side as usize);
        let at = |cell: Cell| frame(i32::from(cell.row), i32::from(cell.col), side);
        for cell in board.empty().cells().collect::<Vec<Cell>>() {
            match at(cell) {
                Planned::Lay(Kind::Road) => board.lay_road(cell),
                Planned::Lay(Kind::Water) => board.lay_water(&[cell]),
                Planned::Lay(_) => board.lay_park(&[cell]),
                _ => {}
            }
        }
        let reached = Board::new(side as usize).rings(2) | joined_roads(&board).neighbours();
        let (mut bars, mut bonuses, mut apart) = (0, 0, 0);
        for (kind, slots) in frame_slots(side).places[..2].iter().enumerate() {
            let bar = Piece::residence('I', 1 - kind as u8).unwrap();
            assert_eq!(slot_kind(bar), Some(kind));
            for at in slots.cells() {
                assert!(board.lies_on(board.empty(), bar, at), "{at:?}: two on one cell");
                let own = Board::cells_of(bar, at);
                bars += 1;
                bonuses += u32::from(Board::touches(board.ponds(), bar, at));
                bonuses += u32::from(Board::touches(board.fields(), bar, at));
                apart += u32::from((own & reached).is_empty());
            }
            slots.cells().for_each(|at| board.build(bar, at));
        }
        (bars, bonuses, apart)
    }

    fn frame_slots(side: i32) -> Slots {
        slots_of(side as usize, |row, col| frame(i32::from(row), i32::from(col), side))
    }

    /// The roads that are joined to the border.
    fn joined_roads(board: &Board) -> Cells {
        let mut joined = *board.roads() & board.rings(1);
        loop {
            let more = joined | (joined.neighbours() & *board.roads());
            if more == joined {
                return joined;
            }
            joined = more;
        }
    }

    #[test]
    fn the_frame_has_385_bars_with_602_bonuses() {
        assert_eq!(count(50), (385, 602, 0));
    }

    #[test]
    fn on_every_side_bars_of_the_frame_have_roads_and_room() {
        for side in 37..=64 {
            let (bars, _, apart) = count(side);
            assert!(apart == 0 && bars as i32 * 5 > side * side * 3 / 5, "{side}: {bars}, {apart}");
        }
        assert!(frame_slots(30).places.iter().all(Cells::is_empty));
    }

    /// Every 5×5 of a plan has room, a pond and a field, and a road or the border.
    fn count_squares(slots: &Slots, plan: impl Fn(i32, i32) -> Planned) -> usize {
        let mut board = Board::new(50);
        for cell in board.empty().cells().collect::<Vec<Cell>>() {
            match plan(i32::from(cell.row), i32::from(cell.col)) {
                Planned::Lay(Kind::Road) => board.lay_road(cell),
                Planned::Lay(Kind::Water) => board.lay_water(&[cell]),
                Planned::Lay(_) => board.lay_park(&[cell]),
                _ => {}
            }
        }
        let reached = Board::new(50).rings(2) | joined_roads(&board).neighbours();
        let square = Piece::factory(5, 5).unwrap();
        let places = slots.anchors(&board, square) & slots.places[2];
        for at in places.cells() {
            assert!(board.lies_on(board.empty(), square, at), "{at:?}");
            assert!(Board::touches(board.ponds(), square, at), "{at:?} has no pond");
            assert!(Board::touches(board.fields(), square, at), "{at:?} has no field");
            assert!(!(Board::cells_of(square, at) & reached).is_empty(), "{at:?} has no road");
            board.build(square, at);
        }
        places.count() as usize
    }

    #[test]
    fn strips_have_seventy_squares_with_all_they_need_and_room_for_low_residences() {
        let slots = slots_of(50, |row, col| strips(i32::from(row), i32::from(col)));
        assert_eq!(count_squares(&slots, strips), 70);
        let low = Piece::residence('P', 0).unwrap();
        let places = slots.anchors(&Board::new(50), low);
        let rows: Vec<u8> = places.cells().map(|cell| cell.row).collect();
        assert!([12, 27, 42].iter().all(|row| rows.contains(row)));
        assert!(slots.anchors(&Board::new(50), low.rotated(1)).is_empty(), "three rows high");
    }

    #[test]
    fn between_banks_all_is_open() {
        let plan = |row, col| banks(row, col, 50, 2, 1);
        let slots = slots_of(50, |row, col| plan(i32::from(row), i32::from(col)));
        assert_eq!(count_squares(&slots, plan), 30);
        let open = |piece: &str| slots.anchors(&Board::new(50), piece.parse().unwrap());
        assert!(open("1x1").cells().all(|cell| (12..44).contains(&cell.row)));
        assert_eq!(open("1x1").count(), 32 * 50);
        assert!(open("5x5").contains(Cell::new(0, 5)) && !open("5x5").contains(Cell::new(0, 4)));
    }
}
