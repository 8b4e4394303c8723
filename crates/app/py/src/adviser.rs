//! A player of ours that Python asks about observations outside any match.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quintain_core::{Advice, AnyAdviser, AnyGame, Budget, MatchStart, PlayerHandle, Seat, Streams};

use crate::arguments;
use crate::calls::Calls;
use crate::catalog::refuse;
use crate::game::Game;
use crate::interrupt::heed_signals;
use crate::json::from_python;
use crate::pickle::name_and_scenario;

/// A player at a seat, which can be asked what it would do.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Adviser {
    player: Arc<Mutex<Box<dyn AnyAdviser>>>,
    game: Arc<dyn AnyGame>,
    spec: String,
    seat: Seat,
    seed: u64,
    budget: Budget,
}

impl Adviser {
    pub(crate) fn new(
        game: Arc<dyn AnyGame>,
        seated: &PlayerHandle,
        seat: Seat,
        seed: u64,
        budget: Budget,
    ) -> PyResult<Adviser> {
        let match_start = MatchStart::new(game.name(), game.scenario(), game.seats())
            .with_seat(seat, seed, budget);
        let player =
            game.adviser(seated, &match_start, Streams::new(seed).player(seat)).map_err(refuse)?;
        Ok(Adviser {
            player: Arc::new(Mutex::new(player)),
            game,
            spec: seated.spec.clone(),
            seat,
            seed,
            budget,
        })
    }
}

#[pymethods]
impl Adviser {
    /// The player's canonical text.
    #[getter]
    fn player(&self) -> &str {
        &self.spec
    }

    /// The player's seat.
    #[getter]
    fn seat(&self) -> usize {
        self.seat.index()
    }

    /// Returns the action, in text, that the player would take if it saw this observation on this
    /// turn.
    #[pyo3(signature = (observation, turn = 0))]
    fn decide(
        &self,
        observation: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::turn)] turn: u32,
    ) -> PyResult<String> {
        Ok(self.ask(observation, turn)?.0)
    }

    /// Returns the action that `decide` returns, and the player's notes on it: depth, value, nodes.
    #[pyo3(signature = (observation, turn = 0))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        observation: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = arguments::turn)] turn: u32,
    ) -> PyResult<(String, Bound<'py, PyDict>)> {
        let (action, notes) = self.ask(observation, turn)?;
        let noted = PyDict::new(py);
        for (name, value) in notes {
            noted.set_item(name, value)?;
        }
        Ok((action, noted))
    }

    fn __repr__(&self) -> String {
        format!("<Adviser {} at seat {}>", self.spec, self.seat)
    }

    /// Pickles the player as it was made, without what it has drawn and remembered since.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let game = py.get_type::<Game>().call1(name_and_scenario(self.game.as_ref()))?;
        let arguments = (&self.spec, self.seat.index(), self.seed, self.budget.to_string());
        (game.getattr("adviser")?, arguments).into_pyobject(py)
    }
}

impl Adviser {
    fn ask(
        &self,
        observation: &Bound<'_, PyAny>,
        turn: u32,
    ) -> PyResult<(String, Vec<(String, f64)>)> {
        let seen = from_python(observation)?;
        let (player, budget, calls) = (Arc::clone(&self.player), self.budget, Calls::default());
        let stop = Arc::clone(&calls.stop);
        let advised = heed_signals(observation.py(), &calls, move || {
            let (observation, stop) = (&seen, Some(&stop));
            let advice = Advice { observation, turn, budget, time_left: None, stop };
            player.lock().unwrap_or_else(PoisonError::into_inner).advise(&advice)
        })?;
        let (action, notes) = advised.map_err(refuse)?;
        Ok((action, notes.into_iter().map(|note| (note.name, note.value)).collect()))
    }
}
