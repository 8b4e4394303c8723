//! Beam search and NRPA on Python games of one seat: whole lines of play.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quintain_core::{Rng, Rules, Seat, Turn, key_of};
use quintain_search::beam::{Branch, Branching, search};
use quintain_search::nested::{self, NrpaOptions};
use quintain_search::solitaire::Solitaire;

use super::rules::{Number, PythonGame, State};
use crate::arguments;
use crate::catalog::refuse;

/// A position that can step back because it remembers its path.
#[derive(Clone)]
struct Line {
    game: PythonGame,
    /// The states from the root to the current one.
    states: Vec<State>,
}

impl Line {
    fn state(&self) -> &State {
        self.states.last().expect("a line begins with its root")
    }

    fn goes(&mut self, number: Number) {
        let after = self.game.apply(self.state(), number);
        self.states.push(after);
    }
}

impl Branching for Line {
    type Step = Number;

    fn branches(&mut self, _: Option<&Branch<Number>>, out: &mut Vec<Branch<Number>>) {
        for step in self.game.list_actions(self.state()) {
            let after = self.game.apply(self.state(), step);
            let key = self.game.objective().gain(self.game.estimate(&after, Seat::new(0)));
            out.push(Branch { step, key, hash: key_of(&after) });
        }
    }

    fn step(&mut self, step: Number) {
        self.goes(step);
    }

    fn undo(&mut self) {
        self.states.pop();
    }
}

impl Solitaire for Line {
    type Step = Number;

    fn steps(&mut self, out: &mut Vec<Number>) {
        out.extend(self.game.list_actions(self.state()));
    }

    fn step(&mut self, step: Number) {
        self.goes(step);
    }

    fn undo(&mut self) {
        self.states.pop();
    }

    fn rollout(&mut self, rng: &mut Rng) -> f64 {
        let here = self.states.len();
        loop {
            let offered = self.game.list_actions(self.state());
            if offered.is_empty() {
                break;
            }
            self.goes(offered[rng.below(offered.len())]);
        }
        let value = self.value();
        self.states.truncate(here);
        value
    }

    fn code(&self, step: Number) -> u64 {
        key_of(&(self.states.len(), step))
    }

    /// Not on a scale from 0 to 1: NRPA only compares values.
    fn value(&self) -> f64 {
        self.game.gain(self.state(), 0)
    }
}

/// Makes the line of a game, if it has one seat.
fn line(game: &Bound<'_, PyAny>, state: Option<Py<PyAny>>) -> PyResult<Line> {
    let rules = PythonGame::new(game)?;
    if rules.seats() != 1 {
        return Err(refuse(format!(
            "the game has {} seats; beam and nrpa are for games of one seat",
            rules.seats()
        )));
    }
    let root = rules.root(state, game.py())?;
    Ok(Line { game: rules, states: vec![root] })
}

/// The result dictionary of a list of actions.
fn result_of<'py>(
    py: Python<'py>,
    mut line: Line,
    steps: &[Number],
) -> PyResult<Bound<'py, PyDict>> {
    for step in steps {
        line.goes(*step);
    }
    let (game, last) = (line.game.clone(), line.state().clone());
    let score = game.score(&last, Seat::new(0));
    let over = game.turn(&last) == Turn::Over;
    game.check()?;
    let actions: Vec<Py<PyAny>> = steps.iter().map(|step| game.object(py, *step)).collect();
    let fields = PyDict::new(py);
    fields.set_item("actions", actions)?;
    fields.set_item("score", score)?;
    fields.set_item("over", over)?;
    fields.set_item("state", last.object())?;
    Ok(fields)
}

/// Returns the best line that beam search finds in a Python game of one seat. At every level it
/// keeps the `width` positions with the best `estimate` (or `score`), equal ones only once.
///
/// The result is a dictionary: `actions`, the `state` and `score` that they lead to, and whether
/// the game is `over` there.
#[pyfunction]
#[pyo3(signature = (game, state = None, *, width = 100, depth = 1000))]
pub(crate) fn beam<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    state: Option<Py<PyAny>>,
    #[pyo3(from_py_with = arguments::width)] width: usize,
    #[pyo3(from_py_with = arguments::depth)] depth: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let mut line = line(game, state)?;
    let mut meter = line.game.meter(u64::MAX);
    let steps = search(&mut line, depth, width, &mut meter);
    line.game.check()?;
    result_of(py, line, &steps.unwrap_or_default())
}

/// Returns the best line that nested rollout policy adaptation (Rosin 2011) finds in a Python game
/// of one seat, after `iterations` to the power of `level` lines of play.
///
/// The result is a dictionary like that of `beam`.
#[pyfunction]
#[pyo3(signature = (game, state = None, *, level = 2, iterations = 30, rate = 1.0, seed = 1))]
pub(crate) fn nrpa<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    state: Option<Py<PyAny>>,
    #[pyo3(from_py_with = arguments::level)] level: u32,
    #[pyo3(from_py_with = arguments::iterations)] iterations: u32,
    #[pyo3(from_py_with = arguments::rate)] rate: f64,
    #[pyo3(from_py_with = arguments::seed)] seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    if !rate.is_finite() {
        return Err(refuse(format!("rate={rate}: expected a finite number")));
    }
    let mut line = line(game, state)?;
    let options = NrpaOptions { level, iterations, rate };
    let (mut meter, mut rng) = (line.game.meter(u64::MAX), Rng::from_seed(seed));
    let found = nested::nrpa(&mut line, options, &mut meter, &mut rng);
    line.game.check()?;
    result_of(py, line, &found.steps)
}
