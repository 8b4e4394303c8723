//! The 15 request sources of the class of 2016, exact where the original was read.

use quintain_core::{Rng, choices};

use super::source::{RequestHistory, RequestSource};
use super::weights::Weights;
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
        ClassSource { class: self, walk: Weights::walk() }
    }
}

/// A request source of the class.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassSource {
    class: Class,
    walk: Weights,
}

fn residence(letter: char) -> Piece {
    Piece::residence(letter, 0).expect("a letter of a pentomino")
}

fn factory(height: usize, width: usize) -> Piece {
    Piece::factory(height as u8, width as u8).expect("sides from 1 to 5")
}

/// A factory whose sides are uniform from `least` to `greatest`, drawn one by one.
fn uniform(least: usize, greatest: usize, rng: &mut Rng) -> Piece {
    let mut side = || least + rng.below(greatest - least + 1);
    factory(side(), side())
}

impl RequestSource for ClassSource {
    fn next(&self, history: &RequestHistory<'_>, rng: &mut Rng) -> Piece {
        let (residences, factories) = (history.residences(), history.factories());
        match self.class {
            Class::Random => {
                if rng.chance(0.7) {
                    self.walk.draw(rng)
                } else {
                    uniform(2, 4, rng)
                }
            }
            Class::Tailheavy => {
                if rng.chance(0.7) {
                    self.walk.draw(rng)
                } else {
                    let mut side = || 1 + rng.weighted(&[0.185, 0.142, 0.120, 0.106, 0.447]);
                    factory(side(), side())
                }
            }
            Class::Stars => {
                if rng.chance(0.9) {
                    residence('X')
                } else {
                    factory(5, 5)
                }
            }
            Class::Industrialization => {
                let t = history.requests() as i32;
                if rng.chance(0.99 * 0.994f64.powi(t)) {
                    return self.walk.draw(rng);
                }
                // On the first request the formula would give a side of 0.
                let mut side = || {
                    let less = rng.unit().powf(f64::from(t) / 50.0) / 0.2;
                    5 - (less.floor() as usize).min(4)
                };
                factory(side(), side())
            }
            Class::Misfits => match rng.below(4) {
                0 => residence('X'),
                1 => residence('T'),
                _ if rng.chance(0.5) => factory(1, 5),
                _ => factory(5, 1),
            },
            Class::Tanks => match rng.below(4) {
                0 => residence('P'),
                1 => residence('p'),
                _ => factory(5, 5),
            },
            Class::G1 => {
                if rng.chance(0.8) {
                    residence(if rng.chance(0.6) { 'X' } else { 'I' })
                } else if history.requests() < 140 {
                    factory(1, 1 + rng.below(2))
                } else {
                    factory(5, 5)
                }
            }
            Class::G2 => {
                if residences > factories {
                    factory(1, 1)
                } else {
                    cycle("XlTLUPpINV", residences)
                }
            }
            Class::G3 => {
                if rng.chance(0.5) {
                    cycle("ZplzlX", residences + 1)
                } else {
                    let side = if factories.is_multiple_of(2) { 5 } else { 1 };
                    factory(side, side)
                }
            }
            Class::G4 => {
                if rng.chance(0.5) {
                    if residences < 11 { self.walk.draw(rng) } else { residence('X') }
                } else {
                    let side = if factories < 11 { 5 } else { 1 + rng.below(5) };
                    factory(side, side)
                }
            }
            Class::G5 => match (history.requests().is_multiple_of(2), rng.chance(0.5)) {
                (true, true) => residence('f'),
                (true, false) => factory(1, 1),
                (false, true) => residence('F'),
                (false, false) => factory(5, 5),
            },
            Class::G6 => residence('I'),
            Class::G8 => {
                if residences < 105 {
                    residence(LETTERS[residences % LETTERS.len()])
                } else {
                    uniform(1, 5, rng)
                }
            }
            Class::G9 => {
                if rng.chance(0.5) {
                    factory(1, 1)
                } else {
                    residence('I')
                }
            }
            Class::G10 => {
                if rng.chance(0.2) {
                    residence('X')
                } else {
                    let side = [2, 3, 4, 1][factories % 4];
                    factory(side, side)
                }
            }
        }
    }
}

/// The residence whose turn it is in a cycle of letters.
fn cycle(letters: &str, turn: usize) -> Piece {
    let letters = letters.as_bytes();
    residence(char::from(letters[turn % letters.len()]))
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
