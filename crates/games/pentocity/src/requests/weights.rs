//! How often each piece is asked for.

use std::sync::LazyLock;

use quintain_core::Rng;

use crate::rules::pieces::{Offset, Piece};

/// A weight for each piece, in proportion to which the piece is drawn; not all are 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights([f64; Piece::COUNT]);

impl Weights {
    /// The weights of these pieces; all others have none.
    pub fn of(pieces: impl IntoIterator<Item = (Piece, f64)>) -> Weights {
        let mut weights = [0.0; Piece::COUNT];
        for (piece, weight) in pieces {
            weights[piece.index()] += weight;
        }
        Weights(weights)
    }

    /// A residence in the shape of a 5-cell self-avoiding walk from (0, 0) over coordinates from 0;
    /// each step is uniform over the free neighbours.
    pub fn walk() -> Weights {
        static WALK: LazyLock<Weights> = LazyLock::new(|| {
            let mut weights = [0.0; Piece::COUNT];
            walks(&mut vec![(0, 0)], 1.0, &mut weights);
            Weights(weights)
        });
        WALK.clone()
    }

    /// A factory whose sides are drawn one by one; `sides[n]` is the weight of n + 1.
    pub fn sides(sides: [f64; 5]) -> Weights {
        let pairs = (1..=5u8).flat_map(|height| (1..=5u8).map(move |width| (height, width)));
        Weights::of(pairs.filter_map(|(height, width)| {
            let weight = |side: u8| sides[usize::from(side) - 1];
            Some((Piece::factory(height, width)?, weight(height) * weight(width)))
        }))
    }

    /// Residences with the probability `share`, otherwise factories.
    pub fn mix(share: f64, residences: &Weights, factories: &Weights) -> Weights {
        let part = |weights: &Weights, share: f64| {
            let sum: f64 = weights.0.iter().sum();
            weights.0.map(|weight| if sum > 0.0 { weight / sum * share } else { 0.0 })
        };
        let (residences, factories) = (part(residences, share), part(factories, 1.0 - share));
        Weights(std::array::from_fn(|index| residences[index] + factories[index]))
    }

    /// These weights plus `times` those of others.
    pub fn plus(&self, others: &Weights, times: f64) -> Weights {
        Weights(std::array::from_fn(|index| self.0[index] + times * others.0[index]))
    }

    /// Whether all weights are 0.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|weight| *weight <= 0.0)
    }

    /// The weight of a piece.
    pub fn get(&self, piece: Piece) -> f64 {
        self.0[piece.index()]
    }

    /// Draws a piece.
    pub fn draw(&self, rng: &mut Rng) -> Piece {
        let index = rng.weighted(&self.0);
        Piece::all().nth(index).expect("a weight for each piece")
    }
}

/// For every walk that continues `walk`, adds its probability to its piece.
fn walks(walk: &mut Vec<Offset>, probability: f64, weights: &mut [f64; Piece::COUNT]) {
    if walk.len() == 5 {
        let cells: Vec<(i64, i64)> =
            walk.iter().map(|&(row, col)| (i64::from(row), i64::from(col))).collect();
        let piece = Piece::of_cells(false, &cells).expect("a walk of five cells is a pentomino");
        weights[piece.index()] += probability;
        return;
    }
    let (row, col) = walk[walk.len() - 1];
    let around =
        [(row.wrapping_sub(1), col), (row, col + 1), (row + 1, col), (row, col.wrapping_sub(1))];
    let free: Vec<Offset> = around
        .into_iter()
        .filter(|next| next.0 < 10 && next.1 < 10 && !walk.contains(next))
        .collect();
    for &next in &free {
        walk.push(next);
        walks(walk, probability / free.len() as f64, weights);
        walk.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_give_each_shape_its_exact_frequency() {
        let walk = Weights::walk();
        let of = |letter: char| -> f64 {
            Piece::all().filter(|piece| piece.letter() == letter).map(|piece| walk.get(piece)).sum()
        };
        let table = [
            ("Pp", 11.0 / 72.0),
            ("I", 1.0 / 8.0),
            ("Ll", 13.0 / 144.0),
            ("V", 1.0 / 12.0),
            ("Nn", 5.0 / 72.0),
            ("WU", 1.0 / 18.0),
            ("Zz", 1.0 / 36.0),
            ("FfTXYy", 0.0),
        ];
        for (letters, expected) in table {
            for letter in letters.chars() {
                assert!((of(letter) - expected).abs() < 1e-12, "{letter}: {}", of(letter));
            }
        }
        let all: f64 = Piece::all().map(|piece| walk.get(piece)).sum();
        assert!((all - 1.0).abs() < 1e-12);
    }
}
