//! Solvers, which speak a whole game at once. Each takes a [`SolverInput`] and hands every
//! improvement to an [`Incumbent`], so that stopping it at any time leaves the best text so far.
//! [`plan_with`] makes a player of a solver; the command `solve` calls solvers directly.

use std::sync::Arc;

use quintain_core::{Meter, Player, Rng, Unit};
use quintain_search::planner::{Planner, SolvedGame, Solver};

use crate::notation::CommandString;
use crate::rules::{Hextris, Instance, LetterEffect, State};

/// The game that a solver is to speak, and the resources that it may use.
#[derive(Clone, Copy, Debug)]
pub struct SolverInput<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// Where to begin: [`Instance::start`], or anywhere in a game.
    pub start: &'a State,
    /// How many threads may work at once.
    pub threads: usize,
    /// Roughly how many bytes may be used.
    pub memory: usize,
}

impl<'a> SolverInput<'a> {
    /// The input for a whole game on one thread with 1 GiB.
    pub fn new(instance: &'a Instance, start: &'a State) -> Self {
        SolverInput { instance, start, threads: 1, memory: 1 << 30 }
    }

    /// The number of units to come, with the one on its way.
    pub(crate) fn units_to_come(&self) -> usize {
        (self.instance.queue().len() + 1).saturating_sub(self.start.came as usize)
    }
}

/// A solver: it speaks a whole game.
pub trait TextSolver: Send + Sync {
    /// Offers every text that it finds to `best` until `meter` is spent. It looks at the meter
    /// often enough to stop within a few milliseconds of a deadline.
    fn solve(
        &self,
        input: &SolverInput<'_>,
        meter: &mut Meter,
        rng: &mut Rng,
        best: &mut Incumbent<'_>,
    );

    /// The unit that the meter counts, and the amount of it that is used if no budget is given.
    fn work(&self) -> (Unit, u64);
}

/// The best text found so far, and the listener for improvements. Texts are scored by the rules
/// themselves; a text with a mistake is worth nothing and is rejected.
pub struct Incumbent<'a> {
    instance: &'a Instance,
    start: &'a State,
    text: String,
    score: u64,
    is_optimal: bool,
    found: &'a mut dyn FnMut(&str, u64),
}

impl<'a> Incumbent<'a> {
    /// Starts with the empty text, which is worth what the start is.
    pub fn new(input: &SolverInput<'a>, found: &'a mut dyn FnMut(&str, u64)) -> Self {
        let SolverInput { instance, start, .. } = *input;
        let score = instance.score(start);
        Incumbent { instance, start, text: String::new(), score, is_optimal: false, found }
    }

    /// Takes a text, spoken from where the input starts, if it is worth more than the best so far.
    /// Returns its score, or `None` if there is a mistake in it.
    pub fn offer(&mut self, text: &str) -> Option<u64> {
        let mut state = self.start.clone();
        for letter in text.bytes() {
            self.instance.speak(&mut state, letter).ok()?;
        }
        let score = self.instance.score(&state);
        if score > self.score {
            self.score = score;
            self.text = text.to_owned();
            (self.found)(text, score);
        }
        Some(score)
    }

    /// Marks the best text so far as one that no other is worth more than.
    pub fn prove(&mut self) {
        self.is_optimal = true;
    }

    /// Whether it is [proved](Incumbent::prove) that no text is worth more.
    pub fn is_optimal(&self) -> bool {
        self.is_optimal
    }

    /// The best text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The score of the best text so far.
    pub fn score(&self) -> u64 {
        self.score
    }
}

/// Builds a player that plans its whole game with a solver on its first turn and then speaks it
/// unit by unit.
pub(crate) fn plan_with(solver: Arc<dyn TextSolver>) -> Box<dyn Player<Hextris>> {
    Box::new(Planner::new(PlannedText(solver)))
}

/// Adapts a [`TextSolver`] to the workbench's solvers.
struct PlannedText(Arc<dyn TextSolver>);

impl Solver<Hextris> for PlannedText {
    fn solve(
        &mut self,
        rules: &Hextris,
        state: &State,
        meter: &mut Meter,
        rng: &mut Rng,
        found: &mut dyn FnMut(&SolvedGame<CommandString>),
    ) -> Option<SolvedGame<CommandString>> {
        let instance = rules.instance();
        let input = SolverInput::new(instance, state);
        let plan = |text: &str, score: u64| SolvedGame {
            actions: split_at_locks(instance, state, text),
            score: score as f64,
            notes: Vec::new(),
        };
        let mut report = |text: &str, score: u64| found(&plan(text, score));
        let mut best = Incumbent::new(&input, &mut report);
        self.0.solve(&input, meter, rng, &mut best);
        let (text, score) = (best.text().to_owned(), best.score());
        if text.is_empty() { None } else { Some(plan(&text, score)) }
    }

    fn work(&self) -> (Unit, u64) {
        self.0.work()
    }
}

/// Cuts a text after every lock, into the turns in which a seat speaks it.
fn split_at_locks(instance: &Instance, start: &State, text: &str) -> Vec<CommandString> {
    let mut state = start.clone();
    let mut command_strings = Vec::new();
    let mut commands = String::new();
    for letter in text.bytes() {
        let Ok(effect) = instance.speak(&mut state, letter) else { break };
        if effect != LetterEffect::Nothing {
            commands.push(char::from(letter.to_ascii_lowercase()));
        }
        if matches!(effect, LetterEffect::Locked { .. }) {
            command_strings.push(CommandString::from_commands(std::mem::take(&mut commands)));
        }
    }
    if !commands.is_empty() {
        command_strings.push(CommandString::from_commands(commands));
    }
    command_strings
}
