//! Finds every position that a unit can come to, breadth first, with a shortest path to each: the
//! macro moves of the post, with its two shortcuts. [`crate::players::champion::reach`] finds the
//! positions much faster, but without the paths.

use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::units::{Position, Unit};
use crate::rules::walk::Walk;

/// The post's ways to look at fewer positions; without them, all are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shortcuts {
    /// While the unit is above every full cell, it only falls: south-east from even rows,
    /// south-west from odd ones.
    pub falling: bool,
    /// Rotations are left out while more positions than this are waiting.
    pub waiting: Option<usize>,
}

impl Shortcuts {
    /// Both shortcuts, as in the post.
    pub const POST: Shortcuts = Shortcuts { falling: true, waiting: Some(40) };
}

/// A place where the unit can lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockPlace {
    /// The position in which the unit locks.
    pub position: Position,
    /// A command that finds no room and so locks the unit.
    pub lock: Command,
    /// The place's index among the positions found.
    pub index: usize,
}

/// The positions found, and the command that led to each. It is made once and used for every unit,
/// so that it does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// In the order in which they were found.
    found: Vec<Position>,
    /// The index of the previous position and the command from there.
    from: Vec<(u32, Command)>,
    /// By rotation, topmost row and leftmost column: the search that last found the position.
    marks: Vec<u32>,
    /// By topmost row, leftmost column and form: the search that last found the place.
    taken: Vec<u32>,
    search: u32,
    places: Vec<LockPlace>,
}

impl Paths {
    /// Creates an object that has found nothing yet.
    pub fn new() -> Paths {
        Paths::default()
    }

    /// Finds the positions to which a unit can come, and the places where it can lock; places with
    /// equal cells count once.
    pub fn explore(&mut self, unit: &Unit, board: &Board, walk: &Walk, shortcuts: Shortcuts) {
        let (width, height) = (board.width(), board.height());
        let cells = width * height;
        if self.marks.len() != 6 * cells || self.search == u32::MAX {
            self.marks = vec![0; 6 * cells];
            self.taken = vec![0; 12 * cells];
            self.search = 0;
        }
        self.search += 1;
        self.found.clear();
        self.from.clear();
        self.places.clear();
        let search = self.search;
        let mark = |unit: &Unit, position: Position| {
            let shape = unit.shape(position);
            let left = (i32::from(position.x) + shape.left) as usize;
            let top = (i32::from(position.y) + shape.top) as usize;
            usize::from(position.rotation) * cells + top * width + left
        };
        let roof = board.rows().iter().position(|row| *row != 0).unwrap_or(height) as i32;
        let start = walk.position();
        let first = mark(unit, start);
        self.marks[first] = search;
        self.found.push(start);
        self.from.push((0, Command::West));
        let mut next = 0;
        while next < self.found.len() {
            let position = self.found[next];
            let mut lock = None;
            let waiting = self.found.len() - next - 1;
            let turns = shortcuts.waiting.is_none_or(|most| waiting <= most);
            let shape = unit.shape(position);
            let lowest = i32::from(position.y) + shape.top + shape.height - 1;
            let falls = shortcuts.falling && lowest + 1 < roof;
            let straight =
                if position.y & 1 == 0 { Command::SouthEast } else { Command::SouthWest };
            for command in Command::ALL {
                if falls && command != straight
                    || !turns && matches!(command, Command::Clockwise | Command::CounterClockwise)
                {
                    continue;
                }
                let to = position.after(command, unit.period());
                if !unit.fits(board, to) {
                    lock = lock.or(Some(command));
                    continue;
                }
                let mark = mark(unit, to);
                if self.marks[mark] != search {
                    self.marks[mark] = search;
                    if to.y > start.y || !walk.has_been(unit, to) {
                        self.found.push(to);
                        self.from.push((next as u32, command));
                    }
                }
            }
            if let Some(lock) = lock {
                let (left, top, form) = unit.footprint(position);
                let key = usize::from(form) * cells + top as usize * width + left as usize;
                if self.taken[key] != search {
                    self.taken[key] = search;
                    self.places.push(LockPlace { position, lock, index: next });
                }
            }
            next += 1;
        }
    }

    /// The places where the unit can lock, in the order in which they were found.
    pub fn places(&self) -> &[LockPlace] {
        &self.places
    }

    /// The positions found.
    pub fn positions(&self) -> &[Position] {
        &self.found
    }

    /// Returns a shortest command string to a place, including the lock, with the first letter of
    /// each command.
    pub fn commands_to(&self, place: &LockPlace) -> String {
        let mut letters = vec![place.lock.letter()];
        let mut index = place.index;
        while index != 0 {
            let (before, command) = self.from[index];
            letters.push(command.letter());
            index = before as usize;
        }
        letters.iter().rev().map(|letter| char::from(*letter)).collect()
    }
}
