//! The board as a flat array with a border of walls, as engines of 2010 kept it.

use super::super::duel::Duel;
use crate::Direction;
use quintain_grid::Cell;

pub(super) struct Board {
    /// Cells from one row to the next.
    pub(super) stride: usize,
    /// Everything that cannot be entered, the border included.
    pub(super) walls: Vec<bool>,
    /// Ours, then theirs; both are walls.
    pub(super) heads: [usize; 2],
}

impl Board {
    pub(super) fn of(duel: &Duel) -> Board {
        let stride = duel.width + 2;
        let index = |cell: Cell| (cell.row as usize + 1) * stride + cell.col as usize + 1;
        let mut walls = vec![true; stride * (duel.height + 2)];
        for cell in duel.free.cells() {
            walls[index(cell)] = false;
        }
        Board { stride, walls, heads: duel.heads.map(index) }
    }

    /// The cell next to this one; directions are numbered as in
    /// [`Direction::ALL`].
    pub(super) fn neighbour(&self, cell: usize, direction: usize) -> usize {
        match direction {
            0 => cell - self.stride,
            1 => cell + 1,
            2 => cell + self.stride,
            _ => cell - 1,
        }
    }

    pub(super) fn neighbours(&self, cell: usize) -> [usize; 4] {
        [cell - self.stride, cell + 1, cell + self.stride, cell - 1]
    }

    /// The number of free cells around this cell.
    pub(super) fn exits(&self, cell: usize) -> i32 {
        self.neighbours(cell).iter().filter(|&&next| !self.walls[next]).count() as i32
    }

    pub(super) fn can_move(&self, player: usize) -> bool {
        self.exits(self.heads[player]) > 0
    }

    /// A direction that does not crash, or up if all do.
    pub(super) fn any_open(&self, player: usize) -> Direction {
        let around = self.neighbours(self.heads[player]);
        Direction::ALL[around.iter().position(|&cell| !self.walls[cell]).unwrap_or(0)]
    }

    pub(super) fn free_cells(&self) -> usize {
        self.walls.iter().filter(|&&wall| !wall).count()
    }

    /// The colour of a cell as on a chess board.
    pub(super) fn colour(&self, cell: usize) -> usize {
        (cell / self.stride + cell % self.stride) % 2
    }

    pub(super) fn enter(&mut self, heads: [usize; 2]) {
        self.heads = heads;
        heads.into_iter().for_each(|head| self.walls[head] = true);
    }

    /// Undoes the last [`Board::enter`].
    pub(super) fn leave(&mut self, before: [usize; 2]) {
        self.heads.into_iter().for_each(|head| self.walls[head] = false);
        self.heads = before;
    }
}
