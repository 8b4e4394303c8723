//! Who asks for buildings: the class's 15 request sequencers, weighted mixtures in
//! phases, lists, and one that looks at the land. Under which names and parameters they
//! are played is in [`crate::scenarios`].

use std::sync::LazyLock;

use quintain_core::{Rng, choices};

use crate::forms::{Form, LETTERS, Offset};
use crate::land::Land;
use crate::placements::Placements;
use crate::rules::{Scoring, Tally};

/// What a sequencer may look at. All that a sequencer remembers follows from it.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The land as it is now: who asks may adapt to it.
    pub land: &'a Land,
    /// What was asked for, built and earned.
    pub tally: &'a Tally,
    /// Whose reading of the rules.
    pub scoring: Scoring,
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
    /// All of them.
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

    /// The sequencer of this name.
    pub fn sequencer(self) -> ClassSequencer {
        ClassSequencer { class: self, walk: Weights::walk() }
    }
}

/// A sequencer of the class.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassSequencer {
    class: Class,
    walk: Weights,
}

fn residence(letter: char) -> Form {
    Form::residence(letter, 0).expect("a letter of a pentomino")
}

fn factory(height: usize, width: usize) -> Form {
    Form::factory(height as u8, width as u8).expect("sides from 1 to 5")
}

/// A factory whose sides are uniform from `least` to `greatest`, drawn one by one.
fn uniform(least: usize, greatest: usize, rng: &mut Rng) -> Form {
    let mut side = || least + rng.below(greatest - least + 1);
    factory(side(), side())
}

impl Sequencer for ClassSequencer {
    fn next(&self, past: &Past<'_>, rng: &mut Rng) -> Form {
        let (residences, factories) = (past.residences(), past.factories());
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
                let t = past.requests() as i32;
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
                } else if past.requests() < 140 {
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
            Class::G5 => match (past.requests().is_multiple_of(2), rng.chance(0.5)) {
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
fn cycle(letters: &str, turn: usize) -> Form {
    let letters = letters.as_bytes();
    residence(char::from(letters[turn % letters.len()]))
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
    fn requests(sequencer: &dyn Sequencer, count: usize, seed: u64) -> Vec<Form> {
        let land = Land::new(50);
        let mut tally = Tally::default();
        let mut rng = Rng::from_seed(seed);
        (0..count)
            .map(|_| {
                let past = Past { land: &land, tally: &tally, scoring: Scoring::Simulator };
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
    fn the_cycles_are_those_of_the_class() {
        let words = |class: Class, count| words(&class.sequencer(), count);
        assert_eq!(words(Class::G2, 8), "X 1x1 l 1x1 T 1x1 L 1x1");
        assert_eq!(words(Class::G6, 3), "I I I");
        let of = |class: Class, is_factory: bool, count| -> String {
            let forms = requests(&class.sequencer(), 60, 1);
            let forms = forms.iter().filter(|form| form.is_factory() == is_factory).take(count);
            forms.map(|form| form.to_string() + " ").collect()
        };
        assert_eq!(of(Class::G3, false, 7), "p l z l X Z p ");
        assert_eq!(of(Class::G3, true, 4), "5x5 1x1 5x5 1x1 ");
        assert_eq!(of(Class::G10, true, 5), "2x2 3x3 4x4 1x1 2x2 ");
        assert_eq!(of(Class::G4, true, 11), "5x5 ".repeat(11));
        assert!(of(Class::G4, false, 16).ends_with(" X X X X X "));
        let g8 = requests(&Class::G8.sequencer(), 200, 1);
        assert!(g8[..105].iter().all(|form| !form.is_factory()));
        assert!(g8[105..].iter().all(|form| form.is_factory()));
        let g5 = requests(&Class::G5.sequencer(), 40, 1);
        assert!(g5.iter().step_by(2).all(|form| ["f", "1x1"].contains(&&*form.to_string())));
        assert!(
            g5.iter().skip(1).step_by(2).all(|form| ["F", "5x5"].contains(&&*form.to_string()))
        );
    }

    #[test]
    fn shares_are_those_of_the_class() {
        let share = |class: Class, from: usize, count: usize, is: fn(Form) -> bool| {
            let forms = requests(&class.sequencer(), from + count, 2);
            let hits = forms[from..].iter().filter(|form| is(**form)).count();
            hits as f64 / count as f64
        };
        // Of 20 000 draws: five standard deviations are at most 0.018.
        let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.018, "{share}");
        let residence = |form: Form| !form.is_factory();
        near(share(Class::Random, 0, 20_000, residence), 0.7);
        near(
            share(Class::Tailheavy, 0, 20_000, |form| form.to_string() == "5x5"),
            0.3 * 0.447 * 0.447,
        );
        near(share(Class::Stars, 0, 20_000, |form| form.letter() == 'X'), 0.9);
        near(share(Class::Misfits, 0, 20_000, |form| form.is_factory()), 0.5);
        near(share(Class::Tanks, 0, 20_000, |form| form.letter() == 'p'), 0.25);
        near(share(Class::G1, 140, 20_000, |form| form.letter() == 'I'), 0.32);
        near(share(Class::G1, 140, 20_000, |form| form.to_string() == "5x5"), 0.2);
        near(share(Class::G9, 0, 20_000, residence), 0.5);
        near(share(Class::G10, 0, 20_000, residence), 0.2);
    }

    #[test]
    fn industry_comes_late_and_shrinks() {
        let forms = requests(&Class::Industrialization.sequencer(), 2_000, 3);
        assert!(forms[..50].iter().filter(|form| !form.is_factory()).count() > 35);
        assert!(forms[1_500..].iter().all(|form| form.is_factory()));
        let size = |forms: &[Form]| {
            let sizes: Vec<u32> =
                forms.iter().filter(|form| form.is_factory()).map(|form| form.size()).collect();
            f64::from(sizes.iter().sum::<u32>()) / sizes.len() as f64
        };
        assert!(size(&forms[..100]) < size(&forms[1_500..]));
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
