//! Ways to speak a whole game. Each takes a [`Task`] and hands out every improvement, so
//! that whoever stops it has the best so far; the players made of them are in `players`,
//! the command in `tools`.

pub mod champion;
pub mod post;
pub mod speech;

use quintain_core::{Meter, Rng, Unit};

use crate::play::{Course, State};

/// What a solver is given.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The game.
    pub course: &'a Course,
    /// Where to begin: [`Course::start`], or anywhere in a game.
    pub start: &'a State,
    /// How many threads may work at once.
    pub threads: usize,
    /// How many bytes may be used, about.
    pub memory: usize,
}

impl<'a> Task<'a> {
    /// A whole game on one thread with 1 GiB.
    pub fn new(course: &'a Course, start: &'a State) -> Self {
        Task { course, start, threads: 1, memory: 1 << 30 }
    }
}

/// Speaks a whole game.
pub trait Solving: Send + Sync {
    /// Offers to `best` whatever is found until `meter` is spent. It looks at the meter
    /// often enough that a deadline is kept within a few milliseconds.
    fn solve(&self, task: &Task<'_>, meter: &mut Meter, rng: &mut Rng, best: &mut Best<'_>);

    /// What the meter counts, and how much of it is taken where nothing is said.
    fn work(&self) -> (Unit, u64);
}

/// The best text so far, and who is told of improvements. A text is scored by the rules
/// themselves; one with a mistake in it is worth nothing and is not taken.
pub struct Best<'a> {
    course: &'a Course,
    start: &'a State,
    text: String,
    score: u64,
    found: &'a mut dyn FnMut(&str, u64),
}

impl<'a> Best<'a> {
    /// Nothing said yet, which is worth what the start is.
    pub fn new(task: &Task<'a>, found: &'a mut dyn FnMut(&str, u64)) -> Self {
        let Task { course, start, .. } = *task;
        Best { course, start, text: String::new(), score: course.score(start), found }
    }

    /// Takes a text, spoken from the start of the task, if it is worth more than the best
    /// so far. Gives what it is worth, nothing for one with a mistake.
    pub fn offer(&mut self, text: &str) -> Option<u64> {
        let mut state = self.start.clone();
        for letter in text.bytes() {
            self.course.speak(&mut state, letter).ok()?;
        }
        let score = self.course.score(&state);
        if score > self.score {
            self.score = score;
            self.text = text.to_owned();
            (self.found)(text, score);
        }
        Some(score)
    }

    /// The best text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it is worth.
    pub fn score(&self) -> u64 {
        self.score
    }
}
