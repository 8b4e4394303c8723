//! A problem: a board with its filled cells, units, and the source that determines which unit comes
//! when. Its JSON form is in [`crate::notation`].

use crate::rules::board::Board;
use crate::rules::errors::ProblemError;
use crate::rules::units::Unit;

/// A checked problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    id: u32,
    board: Board,
    units: Vec<Unit>,
    length: usize,
    seeds: Vec<u32>,
}

impl Problem {
    /// Creates a problem.
    ///
    /// # Errors
    /// If there are no units, too many, or no seeds.
    pub fn new(
        id: u32,
        board: Board,
        units: Vec<Unit>,
        length: usize,
        seeds: Vec<u32>,
    ) -> Result<Problem, ProblemError> {
        if units.is_empty() {
            return Err(ProblemError("units: a problem needs at least one unit".to_owned()));
        }
        if units.len() > usize::from(u16::MAX) {
            return Err(ProblemError(format!("units: {} are more than 65535", units.len())));
        }
        if seeds.is_empty() {
            return Err(ProblemError("sourceSeeds: a problem needs at least one seed".to_owned()));
        }
        Ok(Problem { id, board, units, length, seeds })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The board at the start.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The units of the problem.
    #[inline]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The number of units that come.
    #[inline]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The seeds as listed, one game for each. A seed may be listed twice.
    pub fn seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// The distinct seeds, in the order in which they are first listed.
    pub fn distinct_seeds(&self) -> Vec<u32> {
        let mut distinct = Vec::new();
        for seed in &self.seeds {
            if !distinct.contains(seed) {
                distinct.push(*seed);
            }
        }
        distinct
    }

    /// The units of a game, in the order in which they come, as indices into [`Problem::units`].
    pub fn queue(&self, seed: u32) -> Vec<u16> {
        let count = self.units.len();
        Source::new(seed).take(self.length).map(|v| (v as usize % count) as u16).collect()
    }
}

/// The contest's linear congruential generator: bits 30..16 of a state that begins with
/// the seed itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source(u32);

impl Source {
    /// Starts the generator with a seed.
    pub fn new(seed: u32) -> Source {
        Source(seed)
    }
}

impl Iterator for Source {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let number = self.0 >> 16 & 0x7FFF;
        self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_gives_the_numbers_of_the_contests_specification() {
        let numbers: Vec<u32> = Source::new(17).take(10).collect();
        assert_eq!(numbers, [0, 24107, 16552, 12125, 9427, 13152, 21440, 3383, 6873, 16117]);
    }
}
