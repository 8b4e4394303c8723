//! What a distribution asks for next. Sources of requests draw from it, and players judge requests
//! by it.

use quintain_core::Rng;

use super::weights::Weights;
use crate::rules::pieces::Piece;

/// How the next request is drawn: first whether it is a residence or a factory, then which.
pub(crate) struct NextRequest {
    pub(super) kind: Kind,
    pub(super) residence: Residences,
    pub(super) factory: Factories,
}

/// How it is drawn whether a residence or a factory is asked for.
pub(super) enum Kind {
    /// Certainly a residence.
    Residence,
    /// Certainly a factory.
    Factory,
    /// A residence and a factory in turn; whether it is the residence's turn.
    InTurn(bool),
    /// A residence with this probability.
    ResidenceBy(f64),
    /// A factory with this probability.
    FactoryBy(f64),
    /// One draw of four: each of [`Residences::Two`], or twice a factory.
    Quarters,
}

/// How a residence is drawn.
pub(super) enum Residences {
    /// In the shape of a random walk.
    Walk,
    /// Always this letter.
    One(char),
    /// One of two letters, the first with this probability.
    Two(char, char, f64),
    /// The letters in a cycle, this turn of it.
    Cycle(&'static [char], usize),
}

/// How a factory is drawn.
pub(super) enum Factories {
    /// Of this height and width.
    One(usize, usize),
    /// Two sides drawn one by one, all from the first to the second equally likely.
    Sides(usize, usize),
    /// Two sides drawn one by one; the weights are those of 1 to 5.
    WeightedSides([f64; 5]),
    /// Two sides drawn one by one, which shrink with the number of requests.
    Shrinking(usize),
    /// A square whose side is drawn, from 1 to 5.
    Squares,
    /// Squares with these sides in a cycle, this turn of it.
    Cycle(&'static [usize], usize),
    /// A row, one or two wide.
    ShortRow,
    /// Five cells, lying or standing.
    Bar,
}

impl NextRequest {
    /// Draws a request.
    pub(super) fn draw(&self, rng: &mut Rng) -> Piece {
        let is_residence = match self.kind {
            Kind::Residence | Kind::InTurn(true) => true,
            Kind::Factory | Kind::InTurn(false) => false,
            Kind::ResidenceBy(share) => rng.chance(share),
            Kind::FactoryBy(share) => !rng.chance(share),
            Kind::Quarters => match (rng.below(4), &self.residence) {
                (0, Residences::Two(first, _, _)) => return residence(*first),
                (1, Residences::Two(_, second, _)) => return residence(*second),
                _ => false,
            },
        };
        if is_residence { self.residence.draw(rng) } else { self.factory.draw(rng) }
    }

    /// How often each piece is asked for here; on average over their turns if it is not known whose
    /// turn it is, which is `in_order` otherwise.
    pub(crate) fn weights(&self, in_order: bool) -> Weights {
        let residences = || self.residence.weights(in_order);
        let factories = || self.factory.weights(in_order);
        let mix = |share| Weights::mix(share, &residences(), &factories());
        match self.kind {
            Kind::InTurn(_) if !in_order => mix(0.5),
            Kind::Residence | Kind::InTurn(true) => residences(),
            Kind::Factory | Kind::InTurn(false) => factories(),
            Kind::ResidenceBy(share) => mix(share),
            Kind::FactoryBy(share) => mix(1.0 - share),
            Kind::Quarters => mix(0.5),
        }
    }
}

impl Residences {
    fn draw(&self, rng: &mut Rng) -> Piece {
        match *self {
            Residences::Walk => Weights::walk().draw(rng),
            Residences::One(letter) => residence(letter),
            Residences::Two(first, second, share) => {
                residence(if rng.chance(share) { first } else { second })
            }
            Residences::Cycle(letters, turn) => residence(letters[turn % letters.len()]),
        }
    }

    fn weights(&self, in_order: bool) -> Weights {
        match *self {
            Residences::Walk => Weights::walk(),
            Residences::One(letter) => Weights::of([(residence(letter), 1.0)]),
            Residences::Two(first, second, share) => {
                Weights::of([(residence(first), share), (residence(second), 1.0 - share)])
            }
            Residences::Cycle(letters, turn) => {
                Weights::of(one_or_all(letters, turn, in_order).map(|one| (residence(*one), 1.0)))
            }
        }
    }
}

impl Factories {
    fn draw(&self, rng: &mut Rng) -> Piece {
        match *self {
            Factories::One(height, width) => factory(height, width),
            Factories::Sides(least, greatest) => {
                let mut side = || least + rng.below(greatest - least + 1);
                factory(side(), side())
            }
            Factories::WeightedSides(weights) => {
                let mut side = || 1 + rng.weighted(&weights);
                factory(side(), side())
            }
            Factories::Shrinking(requests) => {
                // On the first request the formula would give a side of 0.
                let mut side = || {
                    let less = rng.unit().powf(requests as f64 / 50.0) / 0.2;
                    5 - (less.floor() as usize).min(4)
                };
                factory(side(), side())
            }
            Factories::Squares => {
                let side = 1 + rng.below(5);
                factory(side, side)
            }
            Factories::Cycle(sides, turn) => {
                let side = sides[turn % sides.len()];
                factory(side, side)
            }
            Factories::ShortRow => factory(1, 1 + rng.below(2)),
            Factories::Bar => match rng.chance(0.5) {
                true => factory(1, 5),
                false => factory(5, 1),
            },
        }
    }

    fn weights(&self, in_order: bool) -> Weights {
        let square = |side: usize| (factory(side, side), 1.0);
        match *self {
            Factories::One(height, width) => Weights::of([(factory(height, width), 1.0)]),
            Factories::Sides(least, greatest) => {
                let is_drawn = |index| (least..=greatest).contains(&(index + 1));
                Weights::sides(std::array::from_fn(|index| f64::from(u8::from(is_drawn(index)))))
            }
            Factories::WeightedSides(weights) => Weights::sides(weights),
            Factories::Shrinking(requests) => {
                let power = 50.0 / (requests as f64).max(1.0);
                let below = |x: f64| x.powf(power);
                // The side is 5 less the number of whole fifths drawn.
                let side =
                    |side: i32| below(f64::from(6 - side) / 5.0) - below(f64::from(5 - side) / 5.0);
                Weights::sides(std::array::from_fn(|index| side(index as i32 + 1)))
            }
            Factories::Squares => Weights::of((1..=5).map(square)),
            Factories::Cycle(sides, turn) => {
                Weights::of(one_or_all(sides, turn, in_order).map(|side| square(*side)))
            }
            Factories::ShortRow => Weights::of([1, 2].map(|width| (factory(1, width), 1.0))),
            Factories::Bar => Weights::of([factory(1, 5), factory(5, 1)].map(|bar| (bar, 1.0))),
        }
    }
}

/// What a cycle asks for at this turn, or all that it ever asks for.
fn one_or_all<T>(cycle: &[T], turn: usize, is_one: bool) -> impl Iterator<Item = &T> {
    let turn = turn % cycle.len();
    if is_one { cycle[turn..=turn].iter() } else { cycle.iter() }
}

fn residence(letter: char) -> Piece {
    Piece::residence(letter, 0).expect("a letter of a pentomino")
}

fn factory(height: usize, width: usize) -> Piece {
    Piece::factory(height as u8, width as u8).expect("sides from 1 to 5")
}
