//! The solvers as players: they plan the whole game on their first turn and say it unit
//! by unit.

use std::sync::Arc;

use quintain_core::{Meter, Plan, Planner, Player, Rng, Solver, Unit, parameters};

use crate::evaluation::{Factors, Weights};
use crate::notation::Breath;
use crate::paths::Shortcuts;
use crate::play::{Course, Did, State};
use crate::rules::Hextris;
use crate::solvers::champion::{Champion, Settings};
use crate::solvers::post::Post;
use crate::solvers::{Best, Solving, Task};

parameters! {
    /// The post's solver; every part is a switch.
    pub(crate) struct PostParameters {
        /// The problem of the post whose weights are taken; −1 for the weights of unknown
        /// problems, −2 for those of the problem's own number.
        weights: i32 = -2, in -2..=24;
        /// Units to look ahead; 0 for what the weights say.
        depth: u32 = 0, in 0..=4;
        /// While above every full cell the unit only falls.
        falling: bool = true;
        /// No rotations while more positions than this wait; 0 for no limit.
        waiting: usize = 40, in 0..=1_000_000;
        /// Phrases are spoken on the way.
        speaks: bool = true;
        /// Games played, the first with the post's weights, others with its other weights
        /// and then weights nearby; 0 for as many as there is time for.
        rounds: u64 = 1, in 0..=1_000_000;
        /// What the weight of cells low on the board is multiplied by.
        gravity: f64 = 1.0, in -1000.0..=1000.0;
        /// The same of empty cells under a full one to the upper right.
        right: f64 = 1.0, in -1000.0..=1000.0;
        /// The same of empty cells under a full one to the upper left.
        left: f64 = 1.0, in -1000.0..=1000.0;
        /// The same of empty cells under two full ones.
        both: f64 = 1.0, in -1000.0..=1000.0;
        /// The same of rows nearly full.
        unfinished: f64 = 1.0, in -1000.0..=1000.0;
        /// The same of changes between full and empty along the rows.
        rough: f64 = 1.0, in -1000.0..=1000.0;
    }
}

impl From<&PostParameters> for Post {
    fn from(given: &PostParameters) -> Post {
        let &PostParameters { weights, depth, falling, waiting, speaks, rounds, .. } = given;
        let &PostParameters { gravity, right, left, both, unfinished, rough, .. } = given;
        let factors = Factors { gravity, right, left, both, unfinished, rough };
        // A number of no problem has the weights of unknown ones.
        let weights = match weights {
            -2 => None,
            number => Some(Weights::of_problem(u32::try_from(number).unwrap_or(u32::MAX))),
        };
        let shortcuts = Shortcuts { falling, waiting: Some(waiting).filter(|most| *most > 0) };
        Post { weights, factors, depth, shortcuts, speaks, rounds }
    }
}

parameters! {
    /// Places and phrases sought together.
    pub(crate) struct ChampionParameters {
        /// Boards that go on from unit to unit, in one run; 0 for as many as there is time
        /// for, after trying which weights suit the problem.
        width: usize = 0, in 0..=1_000_000;
        /// States of speech carried from unit to unit.
        carried: usize = 8, in 1..=24;
        /// States of speech at a position on the way.
        listed: usize = 8, in 2..=24;
        /// States so many points worse than the best at a position are given up.
        margin: i32 = 10, in 0..=1_000;
    }
}

impl From<&ChampionParameters> for Champion {
    fn from(given: &ChampionParameters) -> Champion {
        let &ChampionParameters { width, carried, listed, margin } = given;
        let settings = Settings { carried, listed, margin, ..Settings::default() };
        Champion { settings, width, ..Champion::default() }
    }
}

/// Seats a solver.
pub(crate) fn seat(solving: Arc<dyn Solving>) -> Box<dyn Player<Hextris>> {
    Box::new(Planner::new(PlayerHandle(solving)))
}

/// A solver as the workbench knows them.
struct PlayerHandle(Arc<dyn Solving>);

impl Solver<Hextris> for PlayerHandle {
    fn solve(
        &mut self,
        game: &Hextris,
        state: &State,
        meter: &mut Meter,
        rng: &mut Rng,
        found: &mut dyn FnMut(&Plan<Breath>),
    ) -> Option<Plan<Breath>> {
        let course = game.course();
        let task = Task::new(course, state);
        let plan = |text: &str, score: u64| Plan {
            actions: breaths(course, state, text),
            score: score as f64,
            notes: Vec::new(),
        };
        let mut tell = |text: &str, score: u64| found(&plan(text, score));
        let mut best = Best::new(&task, &mut tell);
        self.0.solve(&task, meter, rng, &mut best);
        let (text, score) = (best.text().to_owned(), best.score());
        if text.is_empty() { None } else { Some(plan(&text, score)) }
    }

    fn work(&self) -> (Unit, u64) {
        self.0.work()
    }
}

/// A text, cut after every lock.
pub(crate) fn breaths(course: &Course, start: &State, text: &str) -> Vec<Breath> {
    let mut state = start.clone();
    let mut breaths = Vec::new();
    let mut breath = String::new();
    for letter in text.bytes() {
        let Ok(did) = course.speak(&mut state, letter) else { break };
        if did != Did::Nothing {
            breath.push(char::from(letter.to_ascii_lowercase()));
        }
        if matches!(did, Did::Locked { .. }) {
            breaths.push(Breath::ours(std::mem::take(&mut breath)));
        }
    }
    if !breath.is_empty() {
        breaths.push(Breath::ours(breath));
    }
    breaths
}
