//! The games that Python knows, and how it names them.

use std::ffi::CString;
use std::sync::{Arc, LazyLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quintain_core::{AnyEntry, Catalog, ExternalError, ExternalPlayer, ExternalSource};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let absent = |prefix| Arc::new(Absent { prefix });
    ["wasm", "bot", "exec"]
        .into_iter()
        .fold(quintain_games::catalog(), |games, prefix| games.with_external(absent(prefix)))
});

/// Players that the command has and this package has not: whoever names one is told so.
struct Absent {
    /// The word before the colon.
    prefix: &'static str,
}

impl Absent {
    fn say(&self, spec: &str) -> ExternalError {
        let what = if self.prefix == "wasm" { "modules of WebAssembly" } else { "programs" };
        format!(
            "{spec}: {what} play by the command that comes with this package, not in Python: python -m \
             quintain match GAME {spec} …"
        )
        .into()
    }
}

impl ExternalSource for Absent {
    fn prefix(&self) -> &str {
        self.prefix
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Err(self.say(spec))
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Err(self.say(spec))
    }
}

/// Every game of the workbench, with its players.
pub(crate) fn catalog() -> &'static Catalog {
    &CATALOG
}

/// What was asked for cannot be: a `ValueError` whose text is the one line that tells why.
pub(crate) fn refuse(problem: impl ToString) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// A scenario that leaves open which of its problems is played, with the problem of a seed;
/// nothing where it is one problem, or chance decides.
pub(crate) fn problem_of(
    entry: &dyn AnyEntry,
    scenario: &str,
    seed: u64,
) -> PyResult<Option<String>> {
    let instance = entry.instance(scenario, seed).map_err(refuse)?;
    Ok(instance.map(|instance| instance.scenario().to_owned()))
}

/// Says that matches do not differ by their seeds as they may be thought to; `level` is whose line
/// is blamed: 1 for that of the call.
pub(crate) fn warn_of_one_problem(py: Python<'_>, text: &str, level: i32) -> PyResult<()> {
    let category = py.import("quintain.warning")?.getattr("SeedWarning")?;
    PyErr::warn(py, &category, &CString::new(text)?, level)
}

/// The game and the scenario of `GAME`, `GAME:SCENARIO`, or a game and a scenario apart.
pub(crate) fn find_game<'a>(
    game: &'a str,
    scenario: Option<&'a str>,
) -> PyResult<(&'static dyn AnyEntry, String)> {
    let (name, inside) = match game.split_once(':') {
        Some((name, inside)) => (name, Some(inside)),
        None => (game, None),
    };
    let entry = catalog().entry(name).map_err(refuse)?;
    let first = || entry.scenarios().first().map_or("", |known| known.name).to_owned();
    match (inside, scenario) {
        (Some(inside), Some(scenario)) => Err(refuse(format!(
            "two scenarios are named, “{inside}” and “{scenario}”; write one of them"
        ))),
        (Some(scenario), None) | (None, Some(scenario)) => Ok((entry, scenario.to_owned())),
        (None, None) => Ok((entry, first())),
    }
}
