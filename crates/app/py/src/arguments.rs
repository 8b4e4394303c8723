//! Arguments from Python: whole numbers, each within its range, texts, truth values, paths. A wrong
//! type or a value out of range raises an error of one line that names the argument.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use quintain_arena::MAX_SEEDS;
use quintain_core::Seat;

use crate::catalog::refuse;

/// The greatest value of a number that nothing but the machine limits.
const ANY: u64 = i64::MAX as u64;
/// The greatest 32-bit number.
const MAX_U32: u64 = u32::MAX as u64;
/// The number of characters of a wrong value that are shown.
const MAX_SHOWN: usize = 40;
/// The most threads that one call may have.
const MAX_THREADS: u64 = 1024;

/// Reads an object as a whole number within a range.
pub(crate) fn whole<T: TryFrom<u64>>(
    name: &str,
    object: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<T> {
    if let Ok(number) = object.extract::<u64>()
        && range.contains(&number)
        && let Ok(number) = T::try_from(number)
    {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    let expected = match most {
        ANY => format!("a whole number of at least {least}"),
        most => format!("a whole number from {least} to {most}"),
    };
    if object.hasattr("__index__")? {
        return Err(PyValueError::new_err(wrong(name, object, &expected)?));
    }
    Err(PyTypeError::new_err(wrong(name, object, &expected)?))
}

/// Converts an object to a Rust type.
fn extract<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    object: &'a Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<T> {
    match object.extract() {
        Ok(value) => Ok(value),
        Err(_) => Err(PyTypeError::new_err(wrong(name, object, expected)?)),
    }
}

/// The line on an argument that is not accepted. A long value is cut off.
fn wrong(name: &str, object: &Bound<'_, PyAny>, expected: &str) -> PyResult<String> {
    let text = object.repr()?.to_string();
    let shown = match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    Ok(format!("{name}={shown}: expected {expected}"))
}

/// The seat with this number, out of `seats`.
pub(crate) fn seat_of(number: usize, seats: usize) -> PyResult<Seat> {
    if number < seats {
        return Ok(Seat::new(number));
    }
    Err(refuse(format!("seat {number}: expected 0 to {}", seats - 1)))
}

/// Reads `progress`: a callable, or None.
pub(crate) fn optional_progress(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    if object.is_none() {
        return Ok(None);
    }
    if !object.is_callable() {
        let expected = "a function of two numbers, or None";
        return Err(PyTypeError::new_err(wrong("progress", object, expected)?));
    }
    Ok(Some(object.clone().unbind()))
}

/// Reads `parameters`: at least one.
pub(crate) fn parameters(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let read: Vec<String> = extract("parameters", object, "a list of strings")?;
    if read.is_empty() {
        let expected = "at least one parameter to tune, such as “NAME=0.1..2”";
        return Err(PyValueError::new_err(wrong("parameters", object, expected)?));
    }
    Ok(read)
}

/// Reads `which`: a truth value for each state.
fn which(object: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    // An array is read at once; anything else, value by value.
    if let Ok(array) = object.cast::<PyArray1<bool>>() {
        return Ok(array.readonly().as_array().to_vec());
    }
    extract("which", object, "an array of booleans")
}

/// Functions that read whole numbers with these names.
macro_rules! numbers {
    ($($name:ident: $type:ty = $least:expr, $most:expr;)*) => {$(
        pub(crate) fn $name(object: &Bound<'_, PyAny>) -> PyResult<$type> {
            whole(stringify!($name), object, $least..=$most)
        }
    )*};
}

/// Functions that read texts with these names, and texts that may be None.
macro_rules! texts {
    ($($name:ident),+; $($reader:ident($read:ident)),+) => {
        $(pub(crate) fn $name<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
            extract(stringify!($name), object, "a string")
        })+
        $(pub(crate) fn $reader<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
            if object.is_none() { Ok(None) } else { $read(object).map(Some) }
        })+
    };
}

/// Functions that read arguments with these names and types.
macro_rules! values {
    ($($type:ty, $expected:literal: $($name:ident),+;)*) => {$($(
        pub(crate) fn $name(object: &Bound<'_, PyAny>) -> PyResult<$type> {
            extract(stringify!($name), object, $expected)
        }
    )+)*};
}

/// Functions that read these numbers and values if they may be None.
macro_rules! optional {
    ($($type:ty: $($reader:ident($read:ident)),+;)*) => {$($(
        pub(crate) fn $reader(object: &Bound<'_, PyAny>) -> PyResult<Option<$type>> {
            if object.is_none() { Ok(None) } else { $read(object).map(Some) }
        }
    )+)*};
}

numbers! {
    considered: u32 = 1, 1024;
    count: usize = 1, ANY;
    depth: usize = 1, 1_000_000;
    generations: usize = 1, 1_000_000;
    held_out: u64 = 1, MAX_SEEDS;
    iterations: u32 = 1, MAX_U32;
    leaves: u32 = 1, 1024;
    level: u32 = 1, 10;
    playout: u32 = 0, MAX_U32;
    population: usize = 0, 1_000_000;
    sample: u64 = 1, ANY;
    seat: usize = 0, ANY;
    seed: u64 = 0, u64::MAX;
    seeds: u64 = 1, MAX_SEEDS;
    simulations: u64 = 1, 1_000_000;
    threads: usize = 1, MAX_THREADS;
    turn: u32 = 0, MAX_U32;
    width: usize = 1, MAX_U32;
}

texts! {
    action, budget, encoding, format, frame, gain, game, mode, name, opponent, player, root,
    scenario, text, tournament;
    optional_budget(budget), optional_encoding(encoding), optional_format(format),
    optional_name(name), optional_opponent(opponent), optional_scenario(scenario),
    optional_tournament(tournament)
}

values! {
    bool, "True or False": autoreset, letters, masks, notes, observe, own;
    f64, "a number": exploration, noise, rate, value;
    PathBuf, "a path": path, store;
    Vec<String>, "a list of strings": overlays, scenarios;
}

optional! {
    bool: optional_notes(notes);
    f64: optional_exploration(exploration), optional_noise(noise);
    u64: optional_sample(sample), optional_seed(seed), optional_seeds(seeds);
    usize: optional_seat(seat), optional_threads(threads);
    PathBuf: optional_store(store);
    Vec<String>: optional_overlays(overlays), optional_scenarios(scenarios);
    Vec<bool>: optional_which(which);
}
