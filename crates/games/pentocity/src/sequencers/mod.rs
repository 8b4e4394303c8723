//! Who asks for buildings: weighted mixtures in phases, lists, and one that looks at the
//! land; the class's own are in [`Class`]. Under which names and parameters they are
//! played is in [`crate::scenarios`].

mod class;

use std::sync::LazyLock;

use quintain_core::Rng;

use crate::forms::{Form, Offset};
use crate::land::Land;
use crate::placements::Placements;
use crate::rules::{Ruleset, Tally};

pub use class::{Class, ClassSequencer};

/// What a sequencer may look at. All that a sequencer remembers follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The land as it is now: who asks may adapt to it.
    pub land: &'a Land,
    /// What was asked for, built and earned.
    pub tally: &'a Tally,
    /// Whose reading of the rules.
    pub scoring: Ruleset,
}

impl Past<'_> {
    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.residences() + self.factories()
    }

    /// Residences asked for so far.
    pub fn residences(&self) -> usize {
        usize::from(self.tally.residences_asked)
    }

    /// Factories asked for so far.
    pub fn factories(&self) -> usize {
        usize::from(self.tally.factories_asked)
    }
}

/// Asks for buildings, one by one.
pub trait Sequencer: Send + Sync {
    /// The next request.
    fn next(&self, past: &Past<'_>, rng: &mut Rng) -> Form;

    /// How many requests there are; without, they go on for ever.
    fn length(&self) -> Option<usize> {
        None
    }
}

/// A weight for each form, not all nothing: what is drawn in proportion.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights([f64; Form::COUNT]);

impl Weights {
    /// Of these forms.
    pub fn of(forms: impl IntoIterator<Item = (Form, f64)>) -> Weights {
        let mut weights = [0.0; Form::COUNT];
        for (form, weight) in forms {
            weights[form.index()] += weight;
        }
        Weights(weights)
    }

    /// A residence by a 5-cell self-avoiding walk from (0, 0) over coordinates from 0,
    /// each step uniform over the free neighbours.
    pub fn walk() -> Weights {
        static WALK: LazyLock<Weights> = LazyLock::new(|| {
            let mut weights = [0.0; Form::COUNT];
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
            Some((Form::factory(height, width)?, weight(height) * weight(width)))
        }))
    }

    /// Residences with this probability, otherwise factories.
    pub fn mixed(share: f64, residences: &Weights, factories: &Weights) -> Weights {
        let part = |weights: &Weights, share: f64| {
            let sum: f64 = weights.0.iter().sum();
            weights.0.map(|weight| if sum > 0.0 { weight / sum * share } else { 0.0 })
        };
        let (residences, factories) = (part(residences, share), part(factories, 1.0 - share));
        Weights(std::array::from_fn(|index| residences[index] + factories[index]))
    }

    /// These, and others so many times.
    pub fn plus(&self, others: &Weights, times: f64) -> Weights {
        Weights(std::array::from_fn(|index| self.0[index] + times * others.0[index]))
    }

    /// Whether there is no weight on anything.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|weight| *weight <= 0.0)
    }

    /// The weight of a form.
    pub fn get(&self, form: Form) -> f64 {
        self.0[form.index()]
    }

    /// Draws one.
    pub fn draw(&self, rng: &mut Rng) -> Form {
        let index = rng.weighted(&self.0);
        Form::all().nth(index).expect("a weight for each form")
    }
}

/// Adds the probability of every walk that goes on from `walk` to its form.
fn walks(walk: &mut Vec<Offset>, probability: f64, weights: &mut [f64; Form::COUNT]) {
    if walk.len() == 5 {
        let cells: Vec<(i64, i64)> =
            walk.iter().map(|&(row, col)| (i64::from(row), i64::from(col))).collect();
        let form = Form::of_cells(false, &cells).expect("a walk of five cells is a pentomino");
        weights[form.index()] += probability;
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

/// Draws from weights that may change once, on a request counted from 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Mixture {
    /// From the first request on.
    pub first: Weights,
    /// From this request on, these.
    pub then: Option<(usize, Weights)>,
}

impl Sequencer for Mixture {
    fn next(&self, past: &Past<'_>, rng: &mut Rng) -> Form {
        match &self.then {
            Some((from, weights)) if past.requests() >= *from => weights.draw(rng),
            _ => self.first.draw(rng),
        }
    }
}

/// Asks for what a list says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    /// The requests; at least one.
    pub forms: Vec<Form>,
    /// After the last, the first again.
    pub repeat: bool,
}

impl Sequencer for List {
    fn next(&self, past: &Past<'_>, _rng: &mut Rng) -> Form {
        self.forms[past.requests() % self.forms.len()]
    }

    fn length(&self) -> Option<usize> {
        (!self.repeat).then_some(self.forms.len())
    }
}

/// Draws several requests and asks for the one that has the fewest placements left.
#[derive(Clone, PartialEq, Debug)]
pub struct Contrary {
    /// What is drawn from.
    pub weights: Weights,
    /// How many are drawn.
    pub draws: usize,
}

impl Sequencer for Contrary {
    fn next(&self, past: &Past<'_>, rng: &mut Rng) -> Form {
        let room = |form: Form| Placements::of(past.land, form, past.scoring).count();
        let drawn = (0..self.draws.max(1)).map(|_| self.weights.draw(rng));
        drawn.min_by_key(|form| room(*form)).expect("at least one is drawn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_give_each_shape_its_exact_frequency() {
        let walk = Weights::walk();
        let of = |letter: char| -> f64 {
            Form::all().filter(|form| form.letter() == letter).map(|form| walk.get(form)).sum()
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
        let all: f64 = Form::all().map(|form| walk.get(form)).sum();
        assert!((all - 1.0).abs() < 1e-12);
    }

    /// The first requests of a sequencer, on empty land.
    pub(super) fn requests(sequencer: &dyn Sequencer, count: usize, seed: u64) -> Vec<Form> {
        let land = Land::new(50);
        let mut tally = Tally::default();
        let mut rng = Rng::from_seed(seed);
        (0..count)
            .map(|_| {
                let past = Past { land: &land, tally: &tally, scoring: Ruleset::Simulator };
                let form = sequencer.next(&past, &mut rng);
                if form.is_factory() {
                    tally.factories_asked += 1;
                } else {
                    tally.residences_asked += 1;
                }
                form
            })
            .collect()
    }

    fn words(sequencer: &dyn Sequencer, count: usize) -> String {
        let forms: Vec<String> =
            requests(sequencer, count, 1).iter().map(ToString::to_string).collect();
        forms.join(" ")
    }

    #[test]
    fn a_list_ends_or_repeats() {
        let forms: Vec<Form> = ["X", "2x3"].iter().map(|text| text.parse().unwrap()).collect();
        let once = List { forms: forms.clone(), repeat: false };
        assert_eq!(once.length(), Some(2));
        let again = List { forms, repeat: true };
        assert_eq!((again.length(), words(&again, 5)), (None, "X 2x3 X 2x3 X".to_owned()));
    }

    #[test]
    fn a_mixture_changes_on_its_request() {
        let one = |text: &str| Weights::of([(text.parse().unwrap(), 1.0)]);
        let mixture = Mixture { first: one("V"), then: Some((2, one("4x4"))) };
        assert_eq!(words(&mixture, 4), "V V 4x4 4x4");
    }

    #[test]
    fn the_contrary_asks_for_what_has_the_least_room() {
        let weights = Weights::of(["1x1", "5x5"].map(|text| (text.parse().unwrap(), 1.0)));
        let asked = requests(&Contrary { weights, draws: 30 }, 20, 1);
        assert!(asked.iter().all(|form| form.to_string() == "5x5"));
    }
}
