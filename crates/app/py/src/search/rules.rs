//! A Python object as the rules of a game: `start()`, `to_act(state)`, `actions(state)`,
//! `apply(state, action)`, `score(state, seat)`; optionally `estimate(state, seat)`, `seats`,
//! `goal`, `score_range`.
//!
//! Searches do not know exceptions. So the first exception (Ctrl-C is one too) is kept and stops
//! the search's meter. From then on every position is over, so that the search ends soon; then the
//! exception is raised.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use quintain_core::{
    Ending, Illegal, Meter, Objective, Rng, Rules, Scoring, Seat, Turn, did_you_mean,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::calls::Calls;

/// The methods that an object must have.
const NEEDED: [&str; 5] = ["start", "to_act", "actions", "apply", "score"];

/// Asks the interpreter; the first exception ends the search, and the answer is then `otherwise`.
fn ask<T>(calls: &Calls, otherwise: T, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
    if calls.is_over() {
        return otherwise;
    }
    // A game may run no Python code of its own in which signals would be noticed.
    let ask = |py: Python<'_>| py.check_signals().and_then(|()| question(py));
    Python::attach(ask).unwrap_or_else(|error| {
        calls.end(error);
        otherwise
    })
}

/// A Python position. It must not change: `apply` returns another one.
#[derive(Clone)]
pub(crate) struct State {
    object: Arc<Py<PyAny>>,
    /// The seat to move, once asked: where a search begins, it stays the same whatever is raised.
    turn: OnceLock<Turn>,
    calls: Arc<Calls>,
}

impl State {
    pub(crate) fn object(&self) -> &Py<PyAny> {
        &self.object
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        let equal = |py: Python<'_>| self.object.bind(py).eq(other.object.bind(py));
        Arc::ptr_eq(&self.object, &other.object) || ask(&self.calls, false, equal)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_isize(ask(&self.calls, 0, |py| self.object.bind(py).hash()));
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Python::attach(|py| match self.object.bind(py).repr() {
            Ok(text) => write!(f, "{text}"),
            Err(_) => f.write_str("a position"),
        })
    }
}

/// An action by the number under which it was met first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Number(u32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Number {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Number)
    }
}

/// The actions met so far.
#[derive(Default)]
struct Known {
    objects: Vec<Py<PyAny>>,
    /// The numbers of actions, by hash.
    numbers: HashMap<isize, Vec<u32>>,
}

struct Inner {
    object: Py<PyAny>,
    seats: usize,
    goal: Objective,
    range: Option<(f64, f64)>,
    estimates: bool,
    known: Mutex<Known>,
    calls: Arc<Calls>,
}

/// The rules.
#[derive(Clone)]
pub(crate) struct PythonGame(Arc<Inner>);

impl PythonGame {
    /// Makes rules from an object.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<PythonGame> {
        for method in NEEDED {
            if !object.hasattr(method)? {
                return Err(PyTypeError::new_err(format!(
                    "{} is not a game: it has no “{method}”; expected {}",
                    object.repr()?,
                    NEEDED.join(", ")
                )));
            }
        }
        let seats: usize = match object.getattr_opt("seats")? {
            Some(seats) => seats.extract()?,
            None => 1,
        };
        if !(1..=64).contains(&seats) {
            return Err(PyValueError::new_err(format!("seats = {seats}: expected 1 to 64")));
        }
        let goal: Option<String> =
            object.getattr_opt("goal")?.map(|goal| goal.extract()).transpose()?;
        let goal = match goal.as_deref() {
            None | Some("highest") => Objective::Maximize,
            Some("lowest") => Objective::Minimize,
            Some(other) => {
                return Err(PyValueError::new_err(did_you_mean(
                    "goal",
                    other,
                    ["highest", "lowest"],
                )));
            }
        };
        let range = object.getattr_opt("score_range")?;
        let range = range.filter(|range| !range.is_none()).map(read_range).transpose()?;
        Ok(PythonGame(Arc::new(Inner {
            estimates: object.hasattr("estimate")?,
            object: object.clone().unbind(),
            seats,
            goal,
            range,
            known: Mutex::default(),
            calls: Arc::default(),
        })))
    }

    /// The position to search from: the one given, or the first one.
    pub(crate) fn root(&self, state: Option<Py<PyAny>>, py: Python<'_>) -> PyResult<State> {
        let object = match state {
            Some(state) => state,
            None => self.0.object.call_method0(py, "start")?,
        };
        Ok(self.state(object))
    }

    fn state(&self, object: Py<PyAny>) -> State {
        let calls = Arc::clone(&self.0.calls);
        State { object: Arc::new(object), turn: OnceLock::new(), calls }
    }

    /// A meter that ends when something is raised.
    pub(crate) fn meter(&self, work: u64) -> Meter {
        Meter::of(work).with_stop(Arc::clone(&self.0.calls.stop))
    }

    /// The object of an action.
    pub(crate) fn object(&self, py: Python<'_>, number: Number) -> Py<PyAny> {
        let known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.objects.get(number.0 as usize).map_or_else(|| py.None(), |it| it.clone_ref(py))
    }

    /// Raises the exception that was kept, if there is one.
    pub(crate) fn check(&self) -> PyResult<()> {
        self.0.calls.check()
    }

    /// Asks the object; the first exception is kept, and the answer is then `otherwise`.
    fn ask<T>(&self, otherwise: T, question: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        ask(&self.0.calls, otherwise, |py| question(self.0.object.bind(py)))
    }

    /// The number of an action.
    fn number(&self, action: Bound<'_, PyAny>) -> PyResult<Number> {
        let hash = action.hash()?;
        // Comparing runs the interpreter, which must not wait for this lock: actions with the same
        // hash are copied out first.
        let same: Vec<(u32, Py<PyAny>)> = {
            let known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
            let numbers = known.numbers.get(&hash).into_iter().flatten();
            let py = action.py();
            numbers.map(|n| (*n, known.objects[*n as usize].clone_ref(py))).collect()
        };
        for (number, other) in same {
            if action.eq(other)? {
                return Ok(Number(number));
            }
        }
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.objects.len() as u32;
        known.objects.push(action.unbind());
        known.numbers.entry(hash).or_default().push(number);
        Ok(Number(number))
    }

    /// The position after an action.
    pub(crate) fn apply(&self, state: &State, number: Number) -> State {
        // If something is raised, the game counts as over, so the seat to move is forgotten.
        let over = State { turn: OnceLock::new(), ..state.clone() };
        self.ask(over, |object| {
            let py = object.py();
            let action = self.object(py, number);
            Ok(self.state(object.call_method1("apply", (state.object(), action))?.unbind()))
        })
    }

    /// The actions of a position; empty where it is over (or something was raised).
    pub(crate) fn list_actions(&self, state: &State) -> Vec<Number> {
        if Rules::turn(self, state) == Turn::Over {
            return Vec::new();
        }
        self.ask(Vec::new(), |object| {
            let offered = object.call_method1("actions", (state.object(),))?;
            let numbers = offered.try_iter()?.map(|action| self.number(action?));
            let numbers: Vec<Number> = numbers.collect::<PyResult<_>>()?;
            if numbers.is_empty() {
                return Err(PyValueError::new_err(format!(
                    "no actions in {state:?}, but to_act says that a seat moves"
                )));
            }
            Ok(numbers)
        })
    }

    /// The score of a seat, with the sign set so that more is better.
    pub(crate) fn gain(&self, state: &State, seat: usize) -> f64 {
        self.0.goal.gain(self.score(state, Seat::new(seat)))
    }

    fn call_score(&self, method: &str, state: &State, seat: Seat) -> f64 {
        self.ask(0.0, |object| {
            let score: f64 =
                object.call_method1(method, (state.object(), seat.index()))?.extract()?;
            if !score.is_finite() {
                return Err(PyValueError::new_err(format!(
                    "{method} is {score}; expected a finite number"
                )));
            }
            match self.0.range {
                Some((least, most)) if !(least..=most).contains(&score) => {
                    Err(PyValueError::new_err(format!(
                        "{method} is {score} in {state:?}; score_range says {least} to {most}"
                    )))
                }
                _ => Ok(score),
            }
        })
    }
}

/// The least and the greatest score.
fn read_range(range: Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    if let Ok((least, most)) = range.extract::<(f64, f64)>()
        && least.is_finite()
        && most.is_finite()
        && least < most
    {
        return Ok((least, most));
    }
    Err(PyValueError::new_err(format!(
        "score_range = {}: expected the least and the greatest score, such as (0, 1)",
        range.repr()?
    )))
}

impl PythonGame {
    /// The position that `start()` returns.
    pub(crate) fn first_state(&self) -> State {
        self.ask(self.state(Python::attach(|py| py.None())), |object| {
            Ok(self.state(object.call_method0("start")?.unbind()))
        })
    }
}

impl Rules for PythonGame {
    type State = State;
    type Action = Number;
    type Observation = SearchObservation;

    fn seats(&self) -> usize {
        self.0.seats
    }

    fn objective(&self) -> Objective {
        self.0.goal
    }

    fn scoring(&self) -> Scoring {
        if self.0.seats > 1 { Scoring::Adversarial } else { Scoring::Independent }
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        self.0.range
    }

    fn turn(&self, state: &State) -> Turn {
        if let Some(turn) = state.turn.get() {
            return *turn;
        }
        let turn = self.ask(Turn::Over, |object| {
            let seat: Option<usize> =
                object.call_method1("to_act", (state.object(),))?.extract()?;
            match seat {
                None => Ok(Turn::Over),
                Some(seat) if seat < self.0.seats => Ok(Turn::Seat(Seat::new(seat))),
                Some(seat) => Err(PyValueError::new_err(format!(
                    "to_act is {seat}; expected 0 to {} or None",
                    self.0.seats - 1
                ))),
            }
        });
        *state.turn.get_or_init(|| turn)
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Number>) {
        let before = out.len();
        out.extend(self.list_actions(state));
        if out.len() == before {
            // Searches are promised at least one action; a failed search never plays it.
            out.push(Number(0));
        }
    }

    fn check(&self, _state: &State, _seat: Seat, _action: &Number) -> Result<(), Illegal> {
        Ok(())
    }

    fn step(&self, state: &mut State, joint: &[Number]) {
        *state = self.apply(state, joint[0]);
    }

    fn observe(&self, state: &State, _seat: Seat) -> SearchObservation {
        SearchObservation { state: Some(state.clone()) }
    }

    fn determinize(&self, observation: &SearchObservation, _seat: Seat, _rng: &mut Rng) -> State {
        observation.state.clone().unwrap_or_else(|| self.first_state())
    }

    fn score(&self, state: &State, seat: Seat) -> f64 {
        self.call_score("score", state, seat)
    }

    fn estimate(&self, state: &State, seat: Seat) -> f64 {
        self.call_score(if self.0.estimates { "estimate" } else { "score" }, state, seat)
    }

    fn ending(&self, _state: &State) -> Ending {
        Ending::new("over")
    }
}

/// What a seat sees: the position. It never leaves the process, so it has no JSON form.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SearchObservation {
    #[serde(skip)]
    state: Option<State>,
}
