//! All the rules of hextris, after the specification of the ICFP Programming Contest 2015: which
//! units come, what a letter does, what it is worth, and when the game is over. The submodules hold
//! the pieces that the rules are made of. The account of a finished text
//! ([`crate::tools::account`]) and the text forms ([`crate::notation`]) are elsewhere.
//!
//! In one turn the single seat speaks a [`CommandString`]: letters up to the lock of the unit at
//! most. The actions on offer are shortest command strings to every place where the unit can lock;
//! any other string without a mistake is accepted too, even a single letter.
//!
//! | | |
//! |---|---|
//! | [`commands`] | letters and what they command |
//! | [`units`], [`board`] | shapes and positions; rows of cells, locking |
//! | [`walk`] | where a unit is and where it may not go again |
//! | [`phrases`] | the automaton that hears phrases of power |
//! | [`problem`] | a problem and the order in which its units come |
//! | [`paths`] | the places that a unit can reach, for the actions on offer |
//! | [`estimate`] | what a board without phrases looks like, for look-ahead |

pub(crate) mod board;
pub(crate) mod commands;
pub(crate) mod errors;
pub(crate) mod estimate;
pub(crate) mod history;
pub(crate) mod paths;
pub(crate) mod phrases;
pub(crate) mod problem;
pub(crate) mod units;
pub(crate) mod walk;

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn};

use crate::notation::{self, CommandString, Observation, ObservedUnit};
use board::Board;
use commands::Letter;
use estimate::{Evaluation, POST_DEFAULT};
use history::Spoken;
use paths::{Paths, Shortcuts};
use phrases::Phrases;
use problem::Problem;
use units::{Position, Unit};
use walk::{MoveResult, Walk};

/// One game of a problem: the board it begins with, the units in the order in which they
/// come for one of the problem's seeds, and the phrases that count.
#[derive(Clone, Debug)]
pub struct Instance {
    problem: Arc<Problem>,
    seed: u32,
    queue: Arc<[u16]>,
    phrases: Arc<Phrases>,
}

/// A position of a game, between two letters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The full cells, except those of the unit on its way.
    pub board: Board,
    /// How many units have come, including the one on its way.
    pub came: u32,
    /// The unit on its way; `None` when the game is over.
    pub walk: Option<Walk>,
    /// Lines removed by the last lock: `ls_old` in the specification.
    pub before: u32,
    /// Points of locks so far.
    pub moves: u64,
    /// Lines removed so far.
    pub lines: u32,
    /// Letters spoken so far.
    pub spoken: u64,
    /// The node of the phrases' automaton after those letters.
    pub node: u16,
    /// How often each phrase has been spoken.
    pub counts: Vec<u32>,
    /// The text so far, for drawings; it counts as equal in all positions.
    pub(crate) text: Spoken,
}

/// What a letter does to the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LetterEffect {
    /// Nothing: white space.
    Nothing,
    /// The unit moved.
    Moved,
    /// The unit locked, and full rows were removed.
    Locked {
        /// The number of those rows.
        lines: u32,
    },
}

/// Why a letter is refused. In the contest, one such letter makes a whole text worthless.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LetterError {
    /// The command would bring the unit back to a position that it has already had.
    #[error("it returns the unit to a position it already had")]
    Repeated,
    /// The byte is not a command.
    #[error("it is not a command")]
    Unknown,
    /// The game was already over.
    #[error("the game is already over")]
    Over,
}

impl Instance {
    /// Creates the game of this problem for a seed.
    pub fn new(problem: Arc<Problem>, seed: u32, phrases: Arc<Phrases>) -> Instance {
        let queue = problem.queue(seed).into();
        Instance { problem, seed, queue, phrases }
    }

    /// The problem of this game.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// The seed that orders the units.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// The phrases that count.
    pub fn phrases(&self) -> &Arc<Phrases> {
        &self.phrases
    }

    /// The units in the order in which they come, as indices.
    #[inline]
    pub fn queue(&self) -> &[u16] {
        &self.queue
    }

    /// The n-th unit to come, counted from 0.
    #[inline]
    pub fn nth(&self, n: usize) -> &Unit {
        &self.problem.units()[usize::from(self.queue[n])]
    }

    /// The unit on its way.
    #[inline]
    pub fn unit(&self, state: &State) -> &Unit {
        self.nth(state.came as usize - 1)
    }

    /// The unit for which there was no room, if that ended the game.
    pub fn unit_without_room(&self, state: &State) -> Option<&Unit> {
        self.is_stuck(state).then(|| self.nth(state.came as usize))
    }

    /// Returns the state at the start: the first unit has come, if there is room for it.
    pub fn start(&self) -> State {
        let mut state = State {
            board: self.problem.board().clone(),
            came: 0,
            walk: None,
            before: 0,
            moves: 0,
            lines: 0,
            spoken: 0,
            node: 0,
            counts: vec![0; self.phrases.len()],
            text: Spoken::default(),
        };
        self.spawn(&mut state);
        state
    }

    /// Lets the next unit come if there is one and there is room for it; otherwise ends the game.
    #[inline]
    fn spawn(&self, state: &mut State) {
        state.walk = None;
        if (state.came as usize) < self.queue.len() {
            let unit = self.nth(state.came as usize);
            if unit.fits(&state.board, unit.spawn()) {
                state.came += 1;
                state.walk = Some(Walk::new(unit, unit.spawn()));
            }
        }
    }

    /// Whether the game ended because there was no room, rather than no more units.
    pub fn is_stuck(&self, state: &State) -> bool {
        state.walk.is_none() && (state.came as usize) < self.queue.len()
    }

    /// Speaks one letter, the step from which everything else is built.
    ///
    /// # Errors
    /// Says why the letter is refused; the state is unchanged.
    #[inline]
    pub fn speak(&self, state: &mut State, letter: u8) -> Result<LetterEffect, LetterError> {
        let effect = match Letter::of(letter) {
            Letter::Ignored => LetterEffect::Nothing,
            Letter::Unknown => return Err(LetterError::Unknown),
            Letter::Command(command) => {
                let Some(walk) = &mut state.walk else { return Err(LetterError::Over) };
                let unit = self.nth(state.came as usize - 1);
                match walk.go(unit, &state.board, command) {
                    MoveResult::Repeated => return Err(LetterError::Repeated),
                    MoveResult::Moved => LetterEffect::Moved,
                    MoveResult::Locks => {
                        let lines = unit.lock(&mut state.board, walk.position());
                        state.moves += points(unit.size(), lines, state.before);
                        state.before = lines;
                        state.lines += lines;
                        self.spawn(state);
                        LetterEffect::Locked { lines }
                    }
                }
            }
        };
        state.spoken += 1;
        state.text.add(letter);
        state.node = self.phrases.after(state.node, letter);
        for phrase in self.phrases.phrases_at(state.node) {
            state.counts[usize::from(*phrase)] += 1;
        }
        Ok(effect)
    }

    /// The points of the phrases spoken: for each phrase, twice its length every time, plus
    /// [`phrases::ONCE`] once.
    pub fn power(&self, state: &State) -> u64 {
        self.phrases.power(&state.counts)
    }

    /// The score: the points of locks and of phrases.
    pub fn score(&self, state: &State) -> u64 {
        state.moves + self.power(state)
    }
}

/// The points of a lock: the unit's size, plus 100 for the first line and for each further one 100
/// more than for the line before; and a tenth of that again for every line beyond the first of the
/// *previous* lock.
#[inline]
pub fn points(size: usize, lines: u32, before: u32) -> u64 {
    let lines = u64::from(lines);
    let points = size as u64 + 100 * (1 + lines) * lines / 2;
    let bonus = if before > 1 { u64::from(before - 1) * points / 10 } else { 0 };
    points + bonus
}

/// The rules, for one instance.
#[derive(Clone, Debug)]
pub struct Hextris {
    instance: Arc<Instance>,
    evaluation: Arc<Evaluation>,
    floor: f64,
}

impl Hextris {
    /// Creates the rules for an instance.
    pub fn new(instance: Instance) -> Hextris {
        let evaluation = Evaluation::new(POST_DEFAULT, instance.problem().board());
        let floor = evaluation.floor();
        Hextris { instance: Arc::new(instance), evaluation: Arc::new(evaluation), floor }
    }

    /// The instance: problem, seed and phrases.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The evaluation by which [`Rules::estimate`] judges boards.
    pub(crate) fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The places where the unit can lock, with a shortest command string to each.
    pub(crate) fn places(&self, state: &State) -> Paths {
        let mut paths = Paths::new();
        if let Some(walk) = &state.walk {
            paths.explore(self.instance.unit(state), &state.board, walk, Shortcuts::default());
        }
        paths
    }
}

impl Rules for Hextris {
    type State = State;
    type Action = CommandString;
    type Observation = Observation;

    // A unit can be led through every cell and rotation of a large board before it locks.
    const LONGEST_ACTION: usize = 512 << 10;

    fn seats(&self) -> usize {
        1
    }

    fn setting(&self) -> serde_json::Value {
        let setting = notation::setting(
            self.instance.problem(),
            self.instance.seed(),
            self.instance.phrases().texts(),
        );
        serde_json::to_value(setting).expect("it has a JSON form")
    }

    fn setting_schema() -> serde_json::Value {
        schemars::schema_for!(notation::Setting).to_value()
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn turn(&self, state: &State) -> Turn {
        if state.walk.is_some() { Turn::Seat(Seat::new(0)) } else { Turn::Over }
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<CommandString>) {
        let paths = self.places(state);
        out.extend(
            paths
                .places()
                .iter()
                .map(|place| CommandString::from_commands(paths.commands_to(place))),
        );
    }

    fn actions_are_all(&self) -> bool {
        false
    }

    fn random_action(&self, state: &State, _seat: Seat, rng: &mut Rng) -> CommandString {
        let paths = self.places(state);
        CommandString::from_commands(
            paths.commands_to(&paths.places()[rng.below(paths.places().len())]),
        )
    }

    fn rollout_action(&self, state: &State, seat: Seat, rng: &mut Rng) -> CommandString {
        self.random_action(state, seat, rng)
    }

    fn check(&self, state: &State, _seat: Seat, commands: &CommandString) -> Result<(), Illegal> {
        let mut after = state.clone();
        let mut locked = false;
        for (index, letter) in commands.text().bytes().enumerate() {
            let refuse = |why: String| {
                let (number, shown) = (index + 1, char::from(letter).escape_default());
                Err(Illegal::new(format!("command {number} (“{shown}”) of “{commands}”: {why}")))
            };
            if locked {
                return refuse("the unit has already locked; a turn is one unit".to_owned());
            }
            match self.instance.speak(&mut after, letter) {
                Ok(effect) => locked = matches!(effect, LetterEffect::Locked { .. }),
                Err(error) => return refuse(error.to_string()),
            }
        }
        Ok(())
    }

    fn step(&self, state: &mut State, joint: &[CommandString]) {
        state.text.begin_turn();
        for letter in joint[0].text().bytes() {
            let spoken = self.instance.speak(state, letter);
            debug_assert!(spoken.is_ok(), "{spoken:?}");
        }
    }

    fn observe(&self, state: &State, _seat: Seat) -> Observation {
        observe(&self.instance, state)
    }

    fn determinize(&self, observation: &Observation, _seat: Seat, _rng: &mut Rng) -> State {
        restore(&self.instance, observation)
    }

    /// What was heard of a phrase tells how the last unit was moved, once the next one has come.
    fn effect(&self, state: &State, _seat: Seat) -> serde_json::Value {
        let mut seen = observe(&self.instance, state);
        if seen.unit.as_ref().is_none_or(|unit| unit.had.len() == 1) {
            seen.heard.clear();
        }
        serde_json::to_value(seen).expect("observations have a JSON form")
    }

    fn score(&self, state: &State, _seat: Seat) -> f64 {
        self.instance.score(state) as f64
    }

    fn estimate(&self, state: &State, seat: Seat) -> f64 {
        // No board on which the game goes on looks worse than the end of the game.
        let going_on = state.walk.is_some();
        let board = if going_on { self.evaluation.of(&state.board) - self.floor } else { 0.0 };
        self.score(state, seat) + board
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if self.instance.is_stuck(state) { "no room" } else { "all units placed" };
        Ending::new(reason)
    }

    fn forfeit(&self, state: &State, seat: Seat) -> Vec<f64> {
        vec![self.score(state, seat)]
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let distinct = state.counts.iter().filter(|count| **count > 0).count();
        vec![
            ("moves", state.moves as f64),
            ("power", self.instance.power(state) as f64),
            ("lines", f64::from(state.lines)),
            ("phrases", distinct as f64),
            ("units", f64::from(state.came)),
            ("letters", state.spoken as f64),
        ]
    }
}

/// Returns what the seat sees of a state: all of it, in words and drawings.
fn observe(instance: &Instance, state: &State) -> Observation {
    let board = state.board.rows().iter().map(|row| {
        let sign = |x: usize| if row >> x & 1 == 1 { '#' } else { '.' };
        (0..state.board.width()).map(sign).collect()
    });
    let unit = state.walk.as_ref().map(|walk| {
        let (unit, at) = (instance.unit(state), walk.position());
        let mut had = Vec::new();
        for rotation in 0..unit.period() {
            let left = unit.shapes(rotation)[(at.y & 1) as usize].left as i16;
            let seen = walk.visited_columns()[usize::from(rotation)];
            let columns = (0..128).filter(|x| seen >> x & 1 == 1);
            had.extend(columns.map(|x| (rotation, x - left)));
        }
        let index = instance.queue()[state.came as usize - 1];
        ObservedUnit { unit: index, x: at.x, y: at.y, rotation: at.rotation, had }
    });
    let counts = instance.phrases().texts().iter().cloned().zip(state.counts.iter().copied());
    Observation {
        board: board.collect(),
        came: state.came,
        unit,
        before: state.before,
        moves: state.moves,
        lines: state.lines,
        spoken: state.spoken,
        heard: instance.phrases().beginning(state.node),
        phrases: counts.collect(),
    }
}

/// Restores the state from an observation: the inverse of [`observe`].
fn restore(instance: &Instance, observation: &Observation) -> State {
    let mut board = instance.problem().board().clone();
    for (row, drawn) in board.rows_mut().iter_mut().zip(&observation.board) {
        let full = drawn.bytes().enumerate().filter(|(_, sign)| *sign == b'#');
        *row = full.fold(0, |row, (x, _)| row | 1 << x);
    }
    let walk = observation.unit.as_ref().map(|on| {
        let unit = &instance.problem().units()[usize::from(on.unit)];
        let mut seen = [0; 6];
        for (rotation, x) in &on.had {
            let left = unit.shapes(*rotation)[(on.y & 1) as usize].left;
            seen[usize::from(*rotation)] |= 1 << (i32::from(*x) + left);
        }
        let position = Position { x: on.x, y: on.y, rotation: on.rotation };
        Walk::restore(position, seen)
    });
    let phrases = instance.phrases();
    let count = |text: &String| observation.phrases.get(text).copied().unwrap_or_default();
    State {
        board,
        came: observation.came,
        walk,
        before: observation.before,
        moves: observation.moves,
        lines: observation.lines,
        spoken: observation.spoken,
        node: observation.heard.bytes().fold(0, |node, byte| phrases.after(node, byte)),
        counts: phrases.texts().iter().map(count).collect(),
        text: Spoken::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_contests_formula() {
        assert_eq!(points(4, 0, 0), 4);
        assert_eq!(points(4, 1, 1), 104);
        assert_eq!(points(5, 2, 0), 305);
        assert_eq!(points(5, 2, 3), 305 + 61);
        assert_eq!(points(7, 0, 2), 7);
        assert_eq!(points(19, 0, 2), 20);
    }
}
