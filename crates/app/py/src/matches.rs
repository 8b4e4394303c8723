//! A match in progress, step by step: a position, and the seats to move.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use quintain_core::{AnyGame, AnyMatch, Seat};

use crate::arguments::{self, seat_of};
use crate::catalog::{find_game, refuse};
use crate::json::describe;
use crate::pickle::name_and_scenario;
use crate::{json, picture};

/// A pickled match: game, scenario, seed, the actions of each turn.
type SavedMatch = (String, String, u64, Vec<Vec<String>>);

/// A match in progress: the position, whose move it is, which actions are offered.
#[pyclass(module = "quintain")]
pub(crate) struct Match {
    game: Arc<dyn AnyGame>,
    seed: u64,
    current: Box<dyn AnyMatch>,
    /// What was played, turn by turn: what a saved match is made of again.
    played: Vec<Vec<String>>,
}

/// Restores a pickled match.
#[pyfunction(name = "_restore_match")]
pub(crate) fn restore_match(
    game: &str,
    scenario: &str,
    seed: u64,
    played: Vec<Vec<String>>,
) -> PyResult<Match> {
    let (entry, scenario) = find_game(game, Some(scenario))?;
    let mut restored = Match::new(entry.game(&scenario).map_err(refuse)?, seed);
    played.into_iter().try_for_each(|joint| restored.play_turn(joint))?;
    Ok(restored)
}

impl Match {
    pub(crate) fn new(game: Arc<dyn AnyGame>, seed: u64) -> Match {
        let current = game.begin(seed);
        Match::of(game, seed, current, Vec::new())
    }

    /// A match in progress, with what was played in it.
    pub(crate) fn of(
        game: Arc<dyn AnyGame>,
        seed: u64,
        current: Box<dyn AnyMatch>,
        played: Vec<Vec<String>>,
    ) -> Match {
        Match { game, seed, current, played }
    }

    fn play_turn(&mut self, joint: Vec<String>) -> PyResult<()> {
        let texts: Vec<&str> = joint.iter().map(String::as_str).collect();
        let played = self.current.play(&texts);
        played.map_err(|(seat, problem)| refuse(format!("seat {seat}: {problem}")))?;
        self.played.push(joint);
        Ok(())
    }

    fn seat(&self, seat: usize) -> PyResult<Seat> {
        seat_of(seat, self.game.seats())
    }
}

#[pymethods]
impl Match {
    /// The seats that must move now, in order; none when the match is over.
    #[getter]
    fn acting(&self) -> Vec<usize> {
        self.current.acting().iter().map(|seat| seat.index()).collect()
    }

    /// The number of turns played.
    #[getter]
    fn turn(&self) -> u32 {
        self.current.turn()
    }

    /// Whether the match has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.current.acting().is_empty()
    }

    /// The score of each seat so far.
    #[getter]
    fn scores(&self) -> Vec<f64> {
        self.current.scores()
    }

    /// The outcome once the match is over: scores, ending, metrics; None before that.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.current.outcome().map(|outcome| describe(py, &outcome)).transpose()
    }

    /// Returns what a seat sees.
    #[pyo3(signature = (seat = 0))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.current.observation(self.seat(seat)?))
    }

    /// Returns the actions offered to a seat, in text.
    #[pyo3(signature = (seat = 0))]
    fn actions(
        &self,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<Vec<String>> {
        Ok(self.current.actions(self.seat(seat)?))
    }

    /// Raises ValueError, naming the rule, if a seat may not take this action now.
    #[pyo3(signature = (action, seat = 0))]
    fn check(
        &self,
        #[pyo3(from_py_with = arguments::action)] action: &str,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
    ) -> PyResult<()> {
        self.current.check(self.seat(seat)?, action).map_err(refuse)
    }

    /// Plays a turn, given one action in text, a list with one for each acting seat, or a
    /// dictionary from seats to actions.
    fn play(&mut self, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let joint: Vec<String> = if let Ok(one) = actions.cast::<PyString>() {
            vec![one.extract()?]
        } else if let Ok(by_seat) = actions.cast::<PyDict>() {
            let acting = self.current.acting().iter();
            for given in by_seat.keys() {
                let seat = given.extract::<usize>().ok();
                if !acting.clone().any(|acting| Some(acting.index()) == seat) {
                    let given = given.repr()?;
                    return Err(refuse(format!("seat {given} does not move now")));
                }
            }
            let of = |seat: &Seat| -> PyResult<String> {
                let given = by_seat.get_item(seat.index())?;
                let missing = || refuse(format!("seat {seat} must move too, but has no action"));
                given.ok_or_else(missing)?.extract()
            };
            acting.map(of).collect::<PyResult<_>>()?
        } else {
            let Ok(joint) = actions.extract::<Vec<String>>() else {
                return Err(PyTypeError::new_err(format!(
                    "actions: expected a string, a list of strings (one for each acting seat), or \
                     a dictionary from seats to strings, not {}",
                    actions.repr()?
                )));
            };
            joint
        };
        self.play_turn(joint)
    }

    /// Returns a copy of the match, which goes on independently of this one.
    fn copy(&self) -> Match {
        let game = Arc::clone(&self.game);
        Match::of(game, self.seed, self.current.fork(), self.played.clone())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, SavedMatch)> {
        let restore = py.import("quintain._quintain")?.getattr("_restore_match")?;
        let (game, scenario) = name_and_scenario(self.game.as_ref());
        Ok((restore, (game, scenario, self.seed, self.played.clone())))
    }

    fn __copy__(&self) -> Match {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Match {
        self.copy()
    }

    /// Returns the position as `ansi`, `svg` or `rgb_array`: as one seat sees it, if a seat is
    /// given, and with the named overlays.
    #[pyo3(signature = (mode = "ansi", seat = None, overlays = None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::mode)] mode: &str,
        #[pyo3(from_py_with = arguments::optional_seat)] seat: Option<usize>,
        #[pyo3(from_py_with = arguments::optional_overlays)] overlays: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let observer = seat.map(|seat| self.seat(seat)).transpose()?;
        picture::render(py, &self.current.scene(observer), mode, &overlays.unwrap_or_default(), &[])
    }

    fn _repr_svg_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.render(py, "svg", None, None)
    }

    fn __repr__(&self) -> String {
        let scores = self.current.scores();
        let state = if self.is_over() { "over" } else { "in progress" };
        format!("<Match on turn {}, {state}, scores {scores:?}>", self.current.turn())
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.render(py, "ansi", None, None)
    }
}
