//! JSON values as Python objects, and back.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::{Map, Number, Value};

/// Deeper than any observation or action; values nested deeper are refused before the stack
/// overflows.
const DEEPEST: usize = 64;

/// Converts a JSON value to dictionaries, lists, texts and numbers.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(is) => PyBool::new(py, *is).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => whole.into_pyobject(py)?.into_any(),
            (None, Some(whole)) => whole.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, field) in fields {
                dict.set_item(name, to_python(py, field)?)?;
            }
            dict.into_any()
        }
    })
}

/// Converts anything that has a JSON form to Python objects.
pub(crate) fn describe<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(value).map_err(crate::catalog::refuse)?;
    to_python(py, &value)
}

/// Converts dictionaries, lists, tuples, texts, numbers, truth values and None to a JSON value.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    read(object, 0)
}

fn read(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyTypeError::new_err(format!(
            "the value is nested deeper than {DEEPEST} levels"
        )));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.extract()?));
    }
    if let Ok(is) = object.cast::<PyBool>() {
        return Ok(Value::Bool(is.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        let whole = object.extract::<i64>().map(Number::from);
        return Ok(Value::Number(whole.or_else(|_| object.extract::<u64>().map(Number::from))?));
    }
    if let Ok(items) = object.cast::<PyList>() {
        return items.iter().map(|item| read(&item, depth + 1)).collect();
    }
    if let Ok(items) = object.cast::<PyTuple>() {
        return items.iter().map(|item| read(&item, depth + 1)).collect();
    }
    if let Ok(fields) = object.cast::<PyDict>() {
        let mut map = Map::new();
        for (name, field) in fields {
            map.insert(name.extract()?, read(&field, depth + 1)?);
        }
        return Ok(Value::Object(map));
    }
    // NumPy's numbers are not Python numbers, but can be converted to them.
    if let Ok(whole) = object.extract::<i64>() {
        return Ok(Value::Number(whole.into()));
    }
    if let Ok(real) = object.extract::<f64>() {
        return Ok(Number::from_f64(real).map_or(Value::Null, Value::Number));
    }
    let kind = object.get_type();
    Err(PyTypeError::new_err(format!(
        "{kind} has no JSON form; expected dict, list, str or number"
    )))
}
