//! The 15 request sources of the class of 2016, exact where the original was read.

use quintain_core::{Rng, choices};

use super::distribution::{Factories, Kind, NextRequest, Residences};
use super::source::{RequestHistory, RequestSource};
use crate::rules::pieces::{LETTERS, Piece};

choices! {
    /// The request sequencers of the class.
    pub enum Class {
        /// 70 % walk, else sides 2 to 4.
        Random = "random",
        /// 70 % walk, else large factories.
        Tailheavy = "tailheavy",
        /// 90 % X, 10 % 5×5.
        Stars = "stars",
        /// Residences give way to factories, which shrink.
        Industrialization = "industrialization",
        /// Bars, X and T.
        Misfits = "misfits",
        /// 5×5, P and p.
        Tanks = "tanks",
        /// X and I; small factories, later 5×5.
        G1 = "g1",
        /// Residences in a cycle, and 1×1.
        G2 = "g2",
        /// Six shapes in a cycle; 5×5 and 1×1 in turn.
        G3 = "g3",
        /// 11 5×5 and 11 walks, then squares and X.
        G4 = "g4",
        /// f or 1×1, then F or 5×5.
        G5 = "g5",
        /// Only I.
        G6 = "g6",
        /// 105 residences, then factories.
        G8 = "g8",
        /// 1×1 and I.
        G9 = "g9",
        /// X, and squares in a cycle.
        G10 = "g10",
    }
}

impl Class {
    /// All sequencers of the class.
    pub const ALL: [Class; 15] = [
        Class::Random,
        Class::Tailheavy,
        Class::Stars,
        Class::Industrialization,
        Class::Misfits,
        Class::Tanks,
        Class::G1,
        Class::G2,
        Class::G3,
        Class::G4,
        Class::G5,
        Class::G6,
        Class::G8,
        Class::G9,
        Class::G10,
    ];

    /// The request source of this name.
    pub fn source(self) -> ClassSource {
        ClassSource { class: self }
    }
}

/// A request source of the class.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassSource {
    class: Class,
}

impl RequestSource for ClassSource {
    fn next(&self, history: &RequestHistory<'_>, rng: &mut Rng) -> Piece {
        self.class.next(history.residences(), history.factories()).draw(rng)
    }
}

/// The letters of G2 and of G3, in the order of their cycles.
const G2_LETTERS: [char; 10] = ['X', 'l', 'T', 'L', 'U', 'P', 'p', 'I', 'N', 'V'];
const G3_LETTERS: [char; 6] = ['Z', 'p', 'l', 'z', 'l', 'X'];

impl Class {
    /// What is asked for after so many residences and factories.
    pub(crate) fn next(self, residences: usize, factories: usize) -> NextRequest {
        let requests = residences + factories;
        let half = Kind::ResidenceBy(0.5);
        let (kind, residence, factory) = match self {
            Class::Random => (Kind::ResidenceBy(0.7), Residences::Walk, Factories::Sides(2, 4)),
            Class::Tailheavy => {
                let sides = Factories::WeightedSides([0.185, 0.142, 0.120, 0.106, 0.447]);
                (Kind::ResidenceBy(0.7), Residences::Walk, sides)
            }
            Class::Stars => (Kind::ResidenceBy(0.9), Residences::One('X'), Factories::One(5, 5)),
            Class::Industrialization => {
                let kind = Kind::ResidenceBy(0.99 * 0.994f64.powi(requests as i32));
                (kind, Residences::Walk, Factories::Shrinking(requests))
            }
            Class::Misfits => (Kind::Quarters, Residences::Two('X', 'T', 0.5), Factories::Bar),
            Class::Tanks => (Kind::Quarters, Residences::Two('P', 'p', 0.5), Factories::One(5, 5)),
            Class::G1 => {
                let is_early = requests < 140;
                let factory = if is_early { Factories::ShortRow } else { Factories::One(5, 5) };
                (Kind::ResidenceBy(0.8), Residences::Two('X', 'I', 0.6), factory)
            }
            Class::G2 => {
                let letters = Residences::Cycle(&G2_LETTERS, residences);
                (Kind::InTurn(residences <= factories), letters, Factories::One(1, 1))
            }
            Class::G3 => {
                let letters = Residences::Cycle(&G3_LETTERS, residences + 1);
                (half, letters, Factories::Cycle(&[5, 1], factories))
            }
            Class::G4 => {
                let is_early = [residences < 11, factories < 11];
                let residence = if is_early[0] { Residences::Walk } else { Residences::One('X') };
                let factory = if is_early[1] { Factories::One(5, 5) } else { Factories::Squares };
                (half, residence, factory)
            }
            Class::G5 => {
                let letters = Residences::Cycle(&['f', 'F'], requests);
                (half, letters, Factories::Cycle(&[1, 5], requests))
            }
            Class::G6 => (Kind::Residence, Residences::One('I'), Factories::One(1, 1)),
            Class::G8 => {
                let kind = if residences < 105 { Kind::Residence } else { Kind::Factory };
                (kind, Residences::Cycle(&LETTERS, residences), Factories::Sides(1, 5))
            }
            Class::G9 => (Kind::FactoryBy(0.5), Residences::One('I'), Factories::One(1, 1)),
            Class::G10 => {
                let squares = Factories::Cycle(&[2, 3, 4, 1], factories);
                (Kind::ResidenceBy(0.2), Residences::One('X'), squares)
            }
        };
        NextRequest { kind, residence, factory }
    }

    /// The same by the number of requests alone, with as many residences as usual among them.
    pub(crate) fn next_after(self, requests: usize) -> NextRequest {
        match self {
            Class::G8 => self.next(requests.min(105), requests.saturating_sub(105)),
            _ if self.has_order() => self.next(requests / 2, requests / 2),
            // Which of the requests were residences does not matter.
            _ => self.next(0, requests),
        }
    }

    /// Whether the numbers of residences and of factories say more about the next request than
    /// their sum.
    pub(crate) fn has_order(self) -> bool {
        matches!(self, Class::G2 | Class::G3 | Class::G4 | Class::G5 | Class::G8 | Class::G10)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::requests;
    use super::*;

    fn words(class: Class, count: usize) -> String {
        let pieces = requests(&class.source(), count, 1);
        pieces.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_cycles_are_those_of_the_class() {
        assert_eq!(words(Class::G2, 8), "X 1x1 l 1x1 T 1x1 L 1x1");
        assert_eq!(words(Class::G6, 3), "I I I");
        let of = |class: Class, is_factory: bool, count| -> String {
            let pieces = requests(&class.source(), 60, 1);
            let pieces = pieces.iter().filter(|piece| piece.is_factory() == is_factory).take(count);
            pieces.map(|piece| piece.to_string() + " ").collect()
        };
        assert_eq!(of(Class::G3, false, 7), "p l z l X Z p ");
        assert_eq!(of(Class::G3, true, 4), "5x5 1x1 5x5 1x1 ");
        assert_eq!(of(Class::G10, true, 5), "2x2 3x3 4x4 1x1 2x2 ");
        assert_eq!(of(Class::G4, true, 11), "5x5 ".repeat(11));
        assert!(of(Class::G4, false, 16).ends_with(" X X X X X "));
        let g8 = requests(&Class::G8.source(), 200, 1);
        assert!(g8[..105].iter().all(|piece| !piece.is_factory()));
        assert!(g8[105..].iter().all(|piece| piece.is_factory()));
        let g5 = requests(&Class::G5.source(), 40, 1);
        assert!(g5.iter().step_by(2).all(|piece| ["f", "1x1"].contains(&&*piece.to_string())));
        assert!(
            g5.iter().skip(1).step_by(2).all(|piece| ["F", "5x5"].contains(&&*piece.to_string()))
        );
    }

    #[test]
    fn shares_are_those_of_the_class() {
        let share = |class: Class, from: usize, count: usize, is: fn(Piece) -> bool| {
            let pieces = requests(&class.source(), from + count, 2);
            let hits = pieces[from..].iter().filter(|piece| is(**piece)).count();
            hits as f64 / count as f64
        };
        // Of 20 000 draws: five standard deviations are at most 0.018.
        let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.018, "{share}");
        let residence = |piece: Piece| !piece.is_factory();
        near(share(Class::Random, 0, 20_000, residence), 0.7);
        near(
            share(Class::Tailheavy, 0, 20_000, |piece| piece.to_string() == "5x5"),
            0.3 * 0.447 * 0.447,
        );
        near(share(Class::Stars, 0, 20_000, |piece| piece.letter() == 'X'), 0.9);
        near(share(Class::Misfits, 0, 20_000, |piece| piece.is_factory()), 0.5);
        near(share(Class::Tanks, 0, 20_000, |piece| piece.letter() == 'p'), 0.25);
        near(share(Class::G1, 140, 20_000, |piece| piece.letter() == 'I'), 0.32);
        near(share(Class::G1, 140, 20_000, |piece| piece.to_string() == "5x5"), 0.2);
        near(share(Class::G9, 0, 20_000, residence), 0.5);
        near(share(Class::G10, 0, 20_000, residence), 0.2);
    }

    #[test]
    fn industry_comes_late_and_shrinks() {
        let pieces = requests(&Class::Industrialization.source(), 2_000, 3);
        assert!(pieces[..50].iter().filter(|piece| !piece.is_factory()).count() > 35);
        assert!(pieces[1_500..].iter().all(|piece| piece.is_factory()));
        let size = |pieces: &[Piece]| {
            let sizes: Vec<u32> = pieces
                .iter()
                .filter(|piece| piece.is_factory())
                .map(|piece| piece.size())
                .collect();
            f64::from(sizes.iter().sum::<u32>()) / sizes.len() as f64
        };
        assert!(size(&pieces[..100]) < size(&pieces[1_500..]));
    }
}
