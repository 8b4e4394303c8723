//! Hextris as a game of one seat: an action is what is spoken in one breath, up to the
//! lock of the unit at most. Offered are shortest ways to every place where the unit can
//! lock; any other string without a mistake is accepted, single commands too. What
//! letters do is in [`crate::play`].

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Rng, Rules, Scoring, Seat, Turn};

use crate::evaluation::{Evaluation, POST_DEFAULT};
use crate::notation::{self, Breath, Position};
use crate::paths::{Paths, Shortcuts};
use crate::play::{Course, Did, State};

/// The rules, for one game of a problem.
#[derive(Clone, Debug)]
pub struct Hextris {
    course: Arc<Course>,
    evaluation: Arc<Evaluation>,
    floor: f64,
}

impl Hextris {
    /// The game of this course.
    pub fn new(course: Course) -> Hextris {
        let evaluation = Evaluation::new(POST_DEFAULT, course.problem().board());
        let floor = evaluation.floor();
        Hextris { course: Arc::new(course), evaluation: Arc::new(evaluation), floor }
    }

    /// Problem, seed and phrases.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// How boards are estimated.
    pub(crate) fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The places where the unit can lock.
    pub(crate) fn places(&self, state: &State) -> Paths {
        let mut paths = Paths::new();
        if let Some(walk) = &state.walk {
            paths.explore(self.course.unit(state), &state.board, walk, Shortcuts::default());
        }
        paths
    }
}

impl Rules for Hextris {
    type State = State;
    type Action = Breath;
    type Observation = Position;

    fn seats(&self) -> usize {
        1
    }

    fn setting(&self) -> serde_json::Value {
        let problem = notation::write_problem(self.course.problem());
        let mut problem: serde_json::Value =
            serde_json::from_str(&problem).expect("a problem is written in JSON");
        // The one game that is played: which units come is known, as it was in the contest.
        problem["sourceSeeds"] = [self.course.seed()].as_slice().into();
        serde_json::json!({ "problem": problem, "phrases": self.course.phrases().texts() })
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn turn(&self, state: &State) -> Turn {
        if state.walk.is_some() { Turn::Seat(Seat::new(0)) } else { Turn::Over }
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Breath>) {
        let paths = self.places(state);
        out.extend(paths.places().iter().map(|place| Breath::ours(paths.way(place))));
    }

    fn actions_are_all(&self) -> bool {
        false
    }

    fn random_action(&self, state: &State, _seat: Seat, rng: &mut Rng) -> Breath {
        let paths = self.places(state);
        Breath::ours(paths.way(&paths.places()[rng.below(paths.places().len())]))
    }

    fn rollout_action(&self, state: &State, seat: Seat, rng: &mut Rng) -> Breath {
        self.random_action(state, seat, rng)
    }

    fn check(&self, state: &State, _seat: Seat, breath: &Breath) -> Result<(), Illegal> {
        let mut after = state.clone();
        let mut locked = false;
        for (index, letter) in breath.text().bytes().enumerate() {
            let refuse = |why: String| {
                let (number, shown) = (index + 1, char::from(letter).escape_default());
                Err(Illegal(format!("command {number} (“{shown}”) of “{breath}”: {why}")))
            };
            if locked {
                return refuse("the unit has locked: one unit a turn".to_owned());
            }
            match self.course.speak(&mut after, letter) {
                Ok(did) => locked = matches!(did, Did::Locked { .. }),
                Err(wrong) => return refuse(wrong.to_string()),
            }
        }
        Ok(())
    }

    fn step(&self, state: &mut State, joint: &[Breath]) {
        for letter in joint[0].text().bytes() {
            let spoken = self.course.speak(state, letter);
            debug_assert!(spoken.is_ok(), "{spoken:?}");
        }
    }

    fn observe(&self, state: &State, _seat: Seat) -> Position {
        Position::of(&self.course, state)
    }

    fn determinize(&self, observation: &Position, _seat: Seat, _rng: &mut Rng) -> State {
        observation.state(&self.course)
    }

    fn score(&self, state: &State, _seat: Seat) -> f64 {
        self.course.score(state) as f64
    }

    fn estimate(&self, state: &State, seat: Seat) -> f64 {
        // No board on which the game goes on looks worse than its end.
        let going_on = state.walk.is_some();
        let board = if going_on { self.evaluation.of(&state.board) - self.floor } else { 0.0 };
        self.score(state, seat) + board
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if self.course.is_stuck(state) { "no room" } else { "all units placed" };
        Ending { reason, truncated: false }
    }

    fn forfeit(&self, state: &State, seat: Seat) -> Vec<f64> {
        vec![self.score(state, seat)]
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let distinct = state.counts.iter().filter(|count| **count > 0).count();
        vec![
            ("moves", state.moves as f64),
            ("power", self.course.power(state) as f64),
            ("lines", f64::from(state.lines)),
            ("phrases", distinct as f64),
            ("units", f64::from(state.came)),
            ("letters", state.spoken as f64),
        ]
    }
}
