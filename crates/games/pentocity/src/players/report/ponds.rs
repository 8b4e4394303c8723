//! Which pond or field is laid with a residence: an extension of one nearby, or the best among
//! random walks and all straight ones.

use quintain_core::Rng;
use quintain_grid::Cell;

use super::parameters::{LARGEST, Ponds, Report};
use crate::rules::board::{Board, Cells, neighbours};
use crate::rules::paths::{Prefer, shortest, sides_on};
use crate::rules::pieces::Piece;

/// The cells of a pond, with room for the largest one; a smaller pond uses the first cells.
type Pond = [Cell; LARGEST];

/// The surroundings of a residence that is about to be built.
pub(super) struct Site<'a> {
    report: &'a Report,
    building: Cells,
    /// Cells that water or park may be laid on.
    free: Cells,
    /// Cells that are taken, including those that the move lays.
    taken: Cells,
    /// For each edge of the outline, the free cell beyond it.
    starts: Vec<Cell>,
}

impl<'a> Site<'a> {
    pub(super) fn new(
        report: &'a Report,
        board: &Board,
        piece: Piece,
        at: Cell,
        road: &[Cell],
    ) -> Site<'a> {
        let building = Board::cells_of(piece, at);
        let mut site = Site {
            report,
            building,
            free: *board.empty() - building,
            taken: board.occupied(),
            starts: Vec::with_capacity(12),
        };
        for &(down, right) in &piece.shape().edges {
            let row = at.row.checked_add_signed(down);
            if let Some((row, col)) = row.zip(at.col.checked_add_signed(right)) {
                site.starts.push(Cell::new(row, col));
            }
        }
        site.take(road);
        site
    }

    /// Marks cells that the move lays as taken.
    pub(super) fn take(&mut self, cells: &[Cell]) {
        for &cell in cells {
            self.free.remove(cell);
            self.taken.insert(cell);
        }
        self.starts.retain(|cell| self.free.contains(*cell));
    }

    /// The cells to lay for a bonus; none if nothing is found. `large` are the existing ponds (or
    /// fields).
    pub(super) fn best(&self, large: &Cells, rng: &mut Rng) -> Vec<Cell> {
        let report = self.report;
        if report.extension > 0 {
            let ends = large.neighbours() & self.free;
            let (longest, prefer) = (report.extension, report.prefer);
            let path = shortest(&self.free, &self.building, &ends, longest, prefer, &self.taken);
            if let Some(extension) = path {
                return extension;
            }
        }
        let mut best: Option<(u32, Pond)> = None;
        let mut offer = |pond: Pond| {
            let contact = self.contact(&pond);
            let better = match (report.prefer, best) {
                (_, None) => true,
                (Prefer::Any, _) => false,
                (Prefer::Least, Some((least, _))) => contact < least,
                (Prefer::Most, Some((most, _))) => contact > most,
            };
            if better {
                best = Some((contact, pond));
            }
        };
        if let Ponds::Walks(walks) = report.ponds {
            for _ in 0..walks {
                if let Some(pond) = self.walk(rng) {
                    offer(pond);
                }
            }
        }
        if report.straight {
            self.straight(&mut offer);
        }
        best.map_or_else(Vec::new, |(_, pond)| pond[..report.size].to_vec())
    }

    /// How many neighbours are taken, each counted as often as the pond touches it.
    fn contact(&self, pond: &Pond) -> u32 {
        pond[..self.report.size].iter().map(|cell| sides_on(&self.taken, *cell)).sum()
    }

    /// A random self-avoiding walk from beside the building; nothing if it runs into a dead end.
    fn walk(&self, rng: &mut Rng) -> Option<Pond> {
        let mut free = self.free;
        let mut at = *rng.pick(&self.starts)?;
        let mut pond = [at; LARGEST];
        free.remove(at);
        for next in &mut pond[1..self.report.size] {
            let sides = free.sides(at);
            let open = sides.iter().filter(|is| **is).count();
            if open == 0 {
                return None;
            }
            let chosen = rng.below(open);
            let exits = neighbours(at).into_iter().zip(sides).filter(|(_, is)| *is);
            at = exits.map(|(cell, _)| cell).nth(chosen)?;
            *next = at;
            free.remove(at);
        }
        Some(pond)
    }

    /// Offers every straight pond that begins beside the building.
    fn straight(&self, offer: &mut impl FnMut(Pond)) {
        for &start in &self.starts {
            for side in 0..4 {
                let mut pond = [start; LARGEST];
                for index in 1..self.report.size {
                    pond[index] = neighbours(pond[index - 1])[side];
                }
                if pond.iter().all(|cell| self.free.contains(*cell)) {
                    offer(pond);
                }
            }
        }
    }
}
