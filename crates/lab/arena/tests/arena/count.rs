//! A game to test tournaments with, the smallest for any number of seats: seats take turns adding
//! one to three to a total, and the seat that reaches the target wins. Alone, the score is the
//! number of turns taken. `work` makes a turn cost something.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;
use std::sync::Arc;

use quintain_core::parameters::NoParameters;
use quintain_core::{
    BuildError, Catalog, Decision, Description, Ending, Entry, Fault, Illegal, MatchStart, Player,
    Rng, Rules, Scenario, Scoring, Seat, Turn, parameters,
};

#[derive(Clone, Debug)]
pub struct Count {
    target: u32,
    seats: u32,
    work: u32,
    broken: bool,
    /// Whether the first seat always wins.
    cheated: bool,
}

/// The total and the turns taken.
type Position = (u32, u32);

#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Debug,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Add(u32);

impl fmt::Display for Add {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Add {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Add)
    }
}

impl Rules for Count {
    type State = Position;
    type Action = Add;
    type Observation = Position;

    fn seats(&self) -> usize {
        self.seats as usize
    }
    fn scoring(&self) -> Scoring {
        if self.seats == 1 { Scoring::Independent } else { Scoring::Adversarial }
    }
    fn turn(&self, (total, turns): &Position) -> Turn {
        if *total >= self.target {
            return Turn::Over;
        }
        Turn::Seat(Seat::new((*turns % self.seats) as usize))
    }
    fn actions(&self, _: &Position, _seat: Seat, out: &mut Vec<Add>) {
        out.extend((1..=3).map(Add));
    }
    fn check(&self, (total, _): &Position, _seat: Seat, add: &Add) -> Result<(), Illegal> {
        if (1..=3).contains(&add.0) {
            return Ok(());
        }
        Err(Illegal::new(format!("{add} cannot be added to {total}")))
    }
    fn step(&self, (total, turns): &mut Position, joint: &[Add]) {
        assert!(!self.broken, "the table collapses");
        for _ in 0..self.work {
            black_box(&total);
        }
        *total += joint[0].0;
        *turns += 1;
    }
    fn observe(&self, state: &Position, _seat: Seat) -> Position {
        *state
    }
    fn determinize(&self, seen: &Position, _seat: Seat, _rng: &mut Rng) -> Position {
        *seen
    }
    fn score(&self, (total, turns): &Position, seat: Seat) -> f64 {
        if self.seats == 1 {
            return f64::from(*turns);
        }
        if self.cheated {
            return f64::from(u8::from(seat.index() == 0));
        }
        let last = (turns + self.seats - 1) % self.seats;
        f64::from(u8::from(*total >= self.target && seat.index() == last as usize))
    }
    fn ending(&self, _: &Position) -> Ending {
        Ending::new("target reached")
    }
    fn forfeit(&self, _: &Position, seat: Seat) -> Vec<f64> {
        Seat::all(self.seats()).map(|other| f64::from(u8::from(other != seat))).collect()
    }
    /// A player alone cannot take more turns than the target has ones.
    fn metrics(&self, _: &Position) -> Vec<(&'static str, f64)> {
        match self.seats {
            1 => vec![("most turns", f64::from(self.target))],
            _ => Vec::new(),
        }
    }
}

parameters! {
    /// Where to count.
    struct Table {
        /// The total to reach.
        target: u32 = 10, in 1..=10_000;
        /// Seats.
        seats: u32 = 2, in 1..=200;
        /// How much a turn costs.
        work: u32 = 0, in 0..=1_000_000;
    }
}

parameters! {
    /// A table whose target is drawn.
    struct Drawn {
        /// What it is drawn from.
        seed: u64 = 1;
    }
}

parameters! {
    /// A player that always adds the same number.
    struct Steady {
        /// What it adds.
        add: u32 = 1, in 1..=3;
    }
}

/// A player made from a function.
struct Does<F>(F);

impl<F> Player<Count> for Does<F>
where
    F: FnMut(&mut Decision<'_, Count>) -> Result<Add, Fault> + Send,
{
    fn decide(&mut self, decision: &mut Decision<'_, Count>) -> Result<Add, Fault> {
        (self.0)(decision)
    }
}

/// A player that tells when a match begins, and plays like `random`.
struct Herald(Arc<dyn Fn() + Send + Sync>);

impl Player<Count> for Herald {
    fn start(&mut self, _: &MatchStart) -> Result<(), Fault> {
        (self.0)();
        Ok(())
    }

    fn decide(&mut self, decision: &mut Decision<'_, Count>) -> Result<Add, Fault> {
        Ok(decision.random_action())
    }
}

fn from_nought(rules: Count) -> Scenario<Count> {
    Scenario::new(rules, |_: &Count, _: &mut Rng| (0, 0))
}

type Build = Result<Box<dyn Player<Count>>, BuildError>;

/// The game with its roster. `hook` is called at every decision of the player `hooked`
/// and at every beginning of a match of `herald`, which both play like `random`.
pub fn catalog_with(hook: Arc<dyn Fn() + Send + Sync>) -> Catalog {
    catalog_that(None, hook)
}

/// How a game and its players deviate from what their names and versions say.
#[derive(Clone, Copy, PartialEq)]
#[allow(dead_code, reason = "tests of workers that are not trusted lie")]
pub enum Lie {
    /// The player `steady` adds three whatever it should add.
    Moves,
    /// The rules let the first seat win.
    Scores,
}

/// The game with its roster, as a lying worker has it.
#[allow(dead_code, reason = "tests of workers that are not trusted lie")]
pub fn lying_catalog(lie: Lie) -> Catalog {
    catalog_that(Some(lie), Arc::new(|| {}))
}

fn catalog_that(lie: Option<Lie>, hook: Arc<dyn Fn() + Send + Sync>) -> Catalog {
    let cheated = lie == Some(Lie::Scores);
    let begun = Arc::clone(&hook);
    let random = |d: &mut Decision<'_, Count>| Ok(d.random_action());
    let entry = Entry::new("count", 1, "count to a target", "tests")
        .scenario("table", "counting", "tests", move |table: &mut Table| {
            let Table { target, seats, work } = *table;
            Ok(from_nought(Count { target, seats, work, broken: false, cheated }))
        })
        .scenario("drawn", "counting to a drawn target", "tests", move |drawn: &mut Drawn| {
            let target = 10 + (drawn.seed % 7) as u32;
            Ok(from_nought(Count { target, seats: 2, work: 0, broken: false, cheated }))
        })
        .instances("seed")
        .scenario("broken", "rules that panic", "tests", |_: &mut NoParameters| {
            Ok(from_nought(Count { target: 10, seats: 2, work: 0, broken: true, cheated: false }))
        })
        .player(
            Description { name: "random", version: 1, summary: "", source: "" },
            move |_: &Count, _: &NoParameters| -> Build { Ok(Box::new(Does(random))) },
        )
        .player(
            Description { name: "steady", version: 1, summary: "", source: "" },
            move |_: &Count, steady: &Steady| -> Build {
                let add = if lie == Some(Lie::Moves) { 3 } else { steady.add };
                Ok(Box::new(Does(move |_: &mut Decision<'_, Count>| Ok(Add(add)))))
            },
        )
        .player(
            Description { name: "greedy", version: 1, summary: "adds too much", source: "" },
            |_: &Count, _: &NoParameters| -> Build {
                Ok(Box::new(Does(|_: &mut Decision<'_, Count>| Ok(Add(9)))))
            },
        )
        .player(
            Description { name: "panics", version: 1, summary: "", source: "" },
            |_: &Count, _: &NoParameters| -> Build {
                Ok(Box::new(Does(|_: &mut Decision<'_, Count>| -> Result<Add, Fault> {
                    panic!("lost count")
                })))
            },
        )
        .player(
            Description { name: "refuses", version: 1, summary: "", source: "" },
            |rules: &Count, _: &NoParameters| -> Build {
                Err(format!("{} seats are not to its taste", rules.seats).into())
            },
        )
        .player(
            Description { name: "hooked", version: 1, summary: "", source: "" },
            move |_: &Count, _: &NoParameters| -> Build {
                let hook = Arc::clone(&hook);
                Ok(Box::new(Does(move |d: &mut Decision<'_, Count>| {
                    hook();
                    Ok(d.random_action())
                })))
            },
        )
        .player(
            Description { name: "herald", version: 1, summary: "", source: "" },
            move |_: &Count, _: &NoParameters| -> Build {
                Ok(Box::new(Herald(Arc::clone(&begun))))
            },
        )
        .regret(|score, metrics| Some(metrics.get("most turns")? - score))
        .showcase("table", ["random", "steady"]);
    Catalog::new().with(entry)
}

/// The game with its roster.
pub fn catalog() -> Catalog {
    catalog_with(Arc::new(|| {}))
}
