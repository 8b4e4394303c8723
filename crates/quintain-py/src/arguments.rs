//! What Python gives as arguments: whole numbers, each with the range that it may have, and texts. What
//! is none, or lies outside, is one line that names the argument.

use std::ops::RangeInclusive;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Stands for a number that nothing limits but the machine.
const ANY: u64 = i64::MAX as u64;
/// Characters of a wrong value that are shown.
const MOST_SHOWN: usize = 40;
/// The most threads that one call may have.
pub(crate) const MOST_THREADS: u64 = 1024;

/// The whole number of an object, within a range.
pub(crate) fn whole(
    name: &str,
    object: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    if let Ok(number) = object.extract::<u64>()
        && range.contains(&number)
    {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    let expected = match most {
        ANY => format!("of at least {least}"),
        most => format!("from {least} to {most}"),
    };
    let said = format!("{name}={}: expected a whole number {expected}", shown(object)?);
    if object.hasattr("__index__")? {
        return Err(PyValueError::new_err(said));
    }
    Err(PyTypeError::new_err(said))
}

/// A value as it is written, cut off where it is long.
fn shown(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = object.repr()?.to_string();
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => Ok(format!("{}…", &text[..end])),
        None => Ok(text),
    }
}

/// Reads `progress`: something to be called, or None.
pub(crate) fn optional_progress(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    if object.is_none() {
        return Ok(None);
    }
    if !object.is_callable() {
        let shown = shown(object)?;
        let said = format!("progress={shown}: expected a function of two numbers, or None");
        return Err(PyTypeError::new_err(said));
    }
    Ok(Some(object.clone().unbind()))
}

/// The text of an object.
fn text<'a>(name: &str, object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match object.cast::<PyString>() {
        Ok(text) => text.to_str(),
        Err(_) => {
            let shown = shown(object)?;
            Err(PyTypeError::new_err(format!("{name}={shown}: expected a text")))
        }
    }
}

/// Reads the arguments of these names, which are texts, or texts that may be None.
macro_rules! text_arguments {
    ($($name:ident),*; $($optional:ident($told:ident)),*) => {
        $(pub(crate) fn $name<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
            text(stringify!($name), object)
        })*
        $(pub(crate) fn $optional<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
            if object.is_none() { Ok(None) } else { text(stringify!($told), object).map(Some) }
        })*
    };
}

text_arguments! {
    budget, game, name, player;
    optional_budget(budget), optional_encoding(encoding), optional_format(format),
    optional_name(name), optional_opponent(opponent), optional_scenario(scenario)
}

/// The texts of a list.
fn texts(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    object.extract().or_else(|_| {
        let shown = shown(object)?;
        Err(PyTypeError::new_err(format!("{name}={shown}: expected a list of texts")))
    })
}

/// Reads `scenarios`, which may be None.
pub(crate) fn optional_scenarios(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if object.is_none() { Ok(None) } else { texts("scenarios", object).map(Some) }
}

/// Reads `parameters`: at least one.
pub(crate) fn parameters(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let read = texts("parameters", object)?;
    if read.is_empty() {
        let said = "parameters=[]: expected at least one to be tuned, such as “NAME=0.1..2”";
        return Err(PyValueError::new_err(said));
    }
    Ok(read)
}

/// Reads the arguments of these names.
macro_rules! arguments {
    ($($name:ident: $type:ty = $least:expr, $most:expr;)*) => {$(
        pub(crate) fn $name(object: &Bound<'_, PyAny>) -> PyResult<$type> {
            Ok(whole(stringify!($name), object, $least..=$most)? as $type)
        }
    )*};
}

/// Reads the arguments of these names, which may be None.
macro_rules! optional_arguments {
    ($($reader:ident($name:ident): $type:ty = $least:expr, $most:expr;)*) => {$(
        pub(crate) fn $reader(object: &Bound<'_, PyAny>) -> PyResult<Option<$type>> {
            if object.is_none() {
                return Ok(None);
            }
            Ok(Some(whole(stringify!($name), object, $least..=$most)? as $type))
        }
    )*};
}

arguments! {
    count: usize = 1, ANY;
    depth: usize = 1, 1_000_000;
    generations: usize = 1, 1_000_000;
    held_out: u64 = 1, ANY;
    iterations: u64 = 1, u64::from(u32::MAX);
    level: u32 = 1, 10;
    playout: u32 = 0, u64::from(u32::MAX);
    population: usize = 0, 1_000_000;
    seat: usize = 0, ANY;
    seed: u64 = 0, u64::MAX;
    seeds: u64 = 1, ANY;
    turn: u32 = 0, u64::from(u32::MAX);
    width: usize = 1, u64::from(u32::MAX);
}

optional_arguments! {
    optional_sample(sample): u64 = 1, ANY;
    optional_seat(seat): usize = 0, ANY;
    optional_seed(seed): u64 = 0, u64::MAX;
    optional_seeds(seeds): u64 = 1, ANY;
    optional_threads(threads): usize = 1, MOST_THREADS;
}
