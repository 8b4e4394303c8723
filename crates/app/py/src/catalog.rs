//! The games that Python knows, and how it names them.

use std::ffi::CString;
use std::sync::{Arc, LazyLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quintain_core::{AbsentSource, AnyEntry, Catalog};

/// Players that the command has but this package has not.
const ABSENT: [AbsentSource; 3] = [
    AbsentSource {
        prefix: "wasm",
        why: "WebAssembly modules play only with the command that comes with this package, not in \
              Python: \
              python -m quintain match GAME wasm:FILE …",
    },
    AbsentSource { prefix: "bot", why: PROGRAMS },
    AbsentSource { prefix: "exec", why: PROGRAMS },
];
const PROGRAMS: &str = "programs play only with the command that comes with this package, not in \
                        Python: \
                        python -m quintain match GAME bot:NAME …";

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let absent = ABSENT.into_iter().map(Arc::new);
    absent.fold(games_of_build(), |games, absent| games.with_external(absent))
});

/// The games of the workbench.
#[cfg(not(feature = "connect-four"))]
fn games_of_build() -> Catalog {
    quintain_games::catalog()
}

/// The games of the workbench, and connect four, to compare speeds by.
#[cfg(feature = "connect-four")]
fn games_of_build() -> Catalog {
    quintain_games::catalog().with(connect_four::entry())
}

/// Every game of the workbench, with its players.
pub(crate) fn catalog() -> &'static Catalog {
    &CATALOG
}

/// Makes a `ValueError` with one line that says why a request cannot be met.
pub(crate) fn refuse(problem: impl ToString) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// Warns that seeds do not make matches differ as one might think. `level` selects the line that is
/// blamed: 1 for that of the call.
pub(crate) fn warn_of_one_problem(py: Python<'_>, text: &str, level: i32) -> PyResult<()> {
    let category = py.import("quintain.warning")?.getattr("SeedWarning")?;
    PyErr::warn(py, &category, &CString::new(text)?, level)
}

/// The game and the scenario from `GAME`, `GAME:SCENARIO`, or a game and a separate scenario.
pub(crate) fn find_game<'a>(
    game: &'a str,
    scenario: Option<&'a str>,
) -> PyResult<(&'static dyn AnyEntry, String)> {
    let (name, inside) = match game.split_once(':') {
        Some((name, inside)) => (name, Some(inside)),
        None => (game, None),
    };
    let entry = catalog().entry(name).map_err(refuse)?;
    let first = || entry.scenarios().first().map_or("", |known| known.name()).to_owned();
    match (inside, scenario) {
        (Some(inside), Some(scenario)) => Err(refuse(format!(
            "two scenarios are given, “{inside}” and “{scenario}”; give only one"
        ))),
        (Some(scenario), None) | (None, Some(scenario)) => Ok((entry, scenario.to_owned())),
        (None, None) => Ok((entry, first())),
    }
}
