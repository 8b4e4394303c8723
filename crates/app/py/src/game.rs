//! A game on a scenario: its properties, matches on it, players asked about it.

use std::sync::Arc;

use pyo3::prelude::*;
use quintain_core::{AnyEntry, AnyGame, Budget, PlayerHandle, ScenarioSet, Setup};

use crate::adviser::Adviser;
use crate::arguments::{self, seat_of};
use crate::catalog::{catalog, find_game, refuse, warn_of_one_problem};
use crate::interrupt::heed_signals;
use crate::json::describe;
use crate::matches::Match;
use crate::pickle::name_and_scenario;
use crate::player::{Matches, invite, unplayed};
use crate::record::Record;

/// The names of all games.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    catalog().entries().map(|entry| entry.name()).collect()
}

/// A scenario as a tournament names it: with `{seed}` where every seed can have its own instance.
#[pyfunction(name = "_scenario_set")]
pub(crate) fn scenario_set(game: &str, scenario: String) -> PyResult<String> {
    let entry = catalog().entry(game).map_err(refuse)?;
    Ok(ScenarioSet::text_of(entry, &scenario).unwrap_or(scenario))
}

/// A game on a scenario, such as `Game("tron", "rooms?width=19")` or `Game("tron:rooms")`.
/// Without a scenario it is the game's first one.
#[pyclass(module = "quintain", frozen)]
pub(crate) struct Game {
    game: Arc<dyn AnyGame>,
    /// The scenario as it was written, where it leaves open which of its instances is played: then
    /// it is the first, whatever the seed of the match.
    open: Option<String>,
}

impl Game {
    fn warn_of_seed(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        let (Some(scenario), true) = (&self.open, seed != 1) else { return Ok(()) };
        let entry = self.entry()?;
        let instance = entry.instance(scenario, seed).map_err(refuse)?;
        let Some(instance) = instance else { return Ok(()) };
        let (game, problem) = (entry.name(), instance.scenario());
        warn_of_one_problem(
            py,
            &format!(
                "{game}:{scenario} is one problem, whatever the seed of the match; the problem of \
                 seed {seed} is Game(\"{game}\", \"{problem}\")"
            ),
            1,
        )
    }

    fn entry(&self) -> PyResult<&'static dyn AnyEntry> {
        catalog().entry(self.game.name()).map_err(refuse)
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, scenario = None))]
    fn new(
        #[pyo3(from_py_with = arguments::name)] name: &str,
        #[pyo3(from_py_with = arguments::optional_scenario)] scenario: Option<&str>,
    ) -> PyResult<Game> {
        let (entry, scenario) = find_game(name, scenario)?;
        let game = entry.game(&scenario).map_err(refuse)?;
        let has_instances = entry.instance_parameter(&scenario).map_err(refuse)?.is_some();
        Ok(Game { game, open: has_instances.then_some(scenario) })
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

    /// Whether high or low scores are better: `highest` or `lowest`.
    #[getter]
    fn goal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.game.objective())
    }

    /// How scores are compared: `versus` or `score`.
    #[getter]
    fn contest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.game.scoring())
    }

    /// The scenarios of the game, with their parameters.
    #[getter]
    fn scenarios<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.entry()?.scenarios())
    }

    /// The players on the game's roster, with their parameters and sources.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.entry()?.players())
    }

    /// The encodings of the game's states for learners, the default first; may be empty.
    #[getter]
    fn encodings(&self) -> PyResult<Vec<&'static str>> {
        Ok(self.entry()?.encodings())
    }

    /// The JSON schemas of observations, actions and settings, and the text forms of actions.
    #[getter]
    fn schemas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        describe(py, &self.entry()?.schemas())
    }

    /// Returns the match of this seed, before its first turn. If the scenario has instances, its
    /// own parameter chooses the instance, not the seed of the match.
    #[pyo3(signature = (seed = 1))]
    fn begin(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
    ) -> PyResult<Match> {
        self.warn_of_seed(py, seed)?;
        Ok(Match::new(Arc::clone(&self.game), seed))
    }

    /// Plays a match and returns its record. A player is text (`champion?nodes=3000`), a class
    /// derived from quintain.Player, a function that makes one, or an instance. A single player
    /// takes all seats.
    #[pyo3(signature = (players, seed = 1, budget = "", notes = false))]
    fn play(
        &self,
        py: Python<'_>,
        players: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::budget)] budget: &str,
        #[pyo3(from_py_with = arguments::notes)] notes: bool,
    ) -> PyResult<Record> {
        self.warn_of_seed(py, seed)?;
        let budget: Budget = budget.parse().map_err(refuse)?;
        let (guests, mut specs) = invite(players, Matches::One)?;
        if let [only] = specs.as_slice() {
            specs = vec![only.clone(); self.game.seats()];
        }
        let calls = Arc::clone(&guests.calls);
        let catalog = guests.seat();
        let name = self.game.name();
        let seated = specs.iter().map(|spec| catalog.player(name, spec).map_err(refuse));
        let seated = seated.collect::<PyResult<Vec<PlayerHandle>>>()?;
        seated.iter().try_for_each(|player| self.game.accepts(player)).map_err(refuse)?;
        let setup = Setup::new(seed)
            .with_budget(budget)
            .with_notes(notes)
            .with_stop(Arc::clone(&calls.stop));
        let game = Arc::clone(&self.game);
        let record = heed_signals(py, &calls, move || {
            let seats: Vec<&PlayerHandle> = seated.iter().collect();
            game.play(&setup, &seats, None)
        })?;
        calls.check()?;
        Ok(Record::of(record.map_err(|problem| unplayed(py, &problem))?))
    }

    /// Returns a player of the roster at a seat, to be asked outside any match. `seed` seeds its
    /// random draws.
    #[pyo3(signature = (player, seat = 0, seed = 1, budget = ""))]
    fn adviser(
        &self,
        #[pyo3(from_py_with = arguments::player)] player: &str,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::budget)] budget: &str,
    ) -> PyResult<Adviser> {
        let seated = catalog().player(self.game.name(), player).map_err(refuse)?;
        let seat = seat_of(seat, self.game.seats())?;
        let budget: Budget = budget.parse().map_err(refuse)?;
        Adviser::new(Arc::clone(&self.game), &seated, seat, seed, budget)
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, {:?})", self.game.name(), self.game.scenario())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let Game { game, open } = slf.get();
        let (name, scenario) = name_and_scenario(game.as_ref());
        Ok((slf.get_type().into_any(), (name, open.clone().unwrap_or(scenario))))
    }
}
