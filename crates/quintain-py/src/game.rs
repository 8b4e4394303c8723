//! A game on a scenario: what is known of it, matches on it, players asked about it.

use std::sync::Arc;

use pyo3::prelude::*;
use quintain_core::{AnyGame, Budget, PlayerHandle, Seat, Setup};

use crate::adviser::Adviser;
use crate::arguments;
use crate::catalog::{catalog, find_game, refuse};
use crate::interrupt::heed_signals;
use crate::json::describe;
use crate::matches::Match;
use crate::player::{Matches, invite};
use crate::record::Record;

/// The names of all games.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    catalog().entries().map(|entry| entry.name()).collect()
}

/// A game on a scenario, such as `Game("tron", "rooms?width=19")` or `Game("tron:rooms")`.
/// Without a scenario it is the game's first one.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Game {
    game: Arc<dyn AnyGame>,
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, scenario = None))]
    fn new(name: &str, scenario: Option<&str>) -> PyResult<Game> {
        let (entry, scenario) = find_game(name, scenario)?;
        Ok(Game { game: entry.game(&scenario).map_err(refuse)? })
    }

    /// The game's name.
    #[getter]
    fn name(&self) -> &str {
        self.game.name()
    }

    /// The scenario, in its canonical text.
    #[getter]
    fn scenario(&self) -> &str {
        self.game.scenario()
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> usize {
        self.game.seats()
    }

    /// Which scores are good: `highest` or `lowest`.
    #[getter]
    fn goal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.game.objective())
    }

    /// How scores are compared: `versus` or `score`.
    #[getter]
    fn contest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.game.scoring())
    }

    /// The scenario families of the game, with their parameters.
    #[getter]
    fn scenarios<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &catalog().entry(self.game.name()).map_err(refuse)?.scenarios())
    }

    /// The roster of the game, with parameters and sources.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &catalog().entry(self.game.name()).map_err(refuse)?.players())
    }

    /// The encodings of its states for learners, the default first; none if it has none.
    #[getter]
    fn encodings(&self) -> PyResult<Vec<&'static str>> {
        Ok(catalog().entry(self.game.name()).map_err(refuse)?.encodings())
    }

    /// The JSON schemas of observations and actions.
    #[getter]
    fn schemas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &catalog().entry(self.game.name()).map_err(refuse)?.schemas())
    }

    /// A match of this seed with nothing played yet.
    #[pyo3(signature = (seed = 1))]
    fn begin(&self, #[pyo3(from_py_with = arguments::seed)] seed: u64) -> Match {
        Match::new(Arc::clone(&self.game), seed)
    }

    /// Plays a match and returns its record. A player is text (`champion?nodes=3000`), a class
    /// derived from quintain.Player, a function that makes one, or an instance. One player
    /// takes all seats.
    #[pyo3(signature = (players, seed = 1, budget = "", notes = false))]
    fn play(
        &self,
        py: Python<'_>,
        players: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        budget: &str,
        notes: bool,
    ) -> PyResult<Record> {
        let budget: Budget = budget.parse().map_err(refuse)?;
        let (guests, mut specs) = invite(players, Matches::One)?;
        if let [only] = specs.as_slice() {
            specs = vec![only.clone(); self.game.seats()];
        }
        let stop = Arc::clone(&guests.stop);
        let (catalog, interrupt) = guests.seat();
        let name = self.game.name();
        let seated = specs.iter().map(|spec| catalog.player(name, spec).map_err(refuse));
        let seated = seated.collect::<PyResult<Vec<PlayerHandle>>>()?;
        let setup = Setup { seed, budget, notes, stop: Some(Arc::clone(&stop)) };
        let game = Arc::clone(&self.game);
        let record = heed_signals(py, &stop, move || {
            let seats: Vec<&PlayerHandle> = seated.iter().collect();
            game.play(&setup, &seats, None)
        })?;
        interrupt.check()?;
        Ok(Record::of(record.map_err(refuse)?))
    }

    /// A player of ours at a seat, to be asked on observations outside any match. `seed`
    /// decides what it draws.
    #[pyo3(signature = (player, seat = 0, seed = 1, budget = ""))]
    fn adviser(
        &self,
        player: &str,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        budget: &str,
    ) -> PyResult<Adviser> {
        let seated = catalog().player(self.game.name(), player).map_err(refuse)?;
        if seat >= self.game.seats() {
            let last = self.game.seats() - 1;
            return Err(refuse(format!("seat {seat}: expected 0 to {last}")));
        }
        let budget: Budget = budget.parse().map_err(refuse)?;
        Adviser::new(Arc::clone(&self.game), &seated, Seat::new(seat), seed, budget)
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, {:?})", self.game.name(), self.game.scenario())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        Ok((slf.get_type().into_any(), names_of(slf.get().game.as_ref())))
    }
}

/// The game and the scenario of a value, as `Game` takes them: what pickles name it by.
pub(crate) fn names_of(game: &dyn AnyGame) -> (String, String) {
    (game.name().to_owned(), game.scenario().to_owned())
}
