//! Positions as text, SVG or pixels.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyString;
use quintain_core::did_you_mean;
use quintain_core::ui::Scene;
use quintain_scene::{PictureText, TerminalStyle, render_pixels, render_svg, render_text};

use crate::catalog::refuse;

/// How a position can be rendered.
pub(crate) const MODES: [&str; 3] = ["ansi", "rgb_array", "svg"];

/// A drawing as `ansi` (text), `svg` (text) or `rgb_array` (rows, columns, 3).
pub(crate) fn render<'py>(
    py: Python<'py>,
    scene: &Scene,
    mode: &str,
    overlays: &[String],
    names: &[String],
) -> PyResult<Bound<'py, PyAny>> {
    let mut known = scene.overlays();
    if let Some(wrong) = overlays.iter().find(|name| !known.any(|other| other == name.as_str())) {
        return Err(refuse(did_you_mean("overlay", wrong, scene.overlays())));
    }
    let overlays: Vec<&str> = overlays.iter().map(String::as_str).collect();
    match mode {
        "ansi" => {
            let drawn = render_text(scene, &overlays, TerminalStyle::Plain);
            Ok(PyString::new(py, &drawn).into_any())
        }
        "svg" => {
            let still = PictureText { title: &scene.caption, names, ..PictureText::default() };
            Ok(PyString::new(py, &render_svg(scene, &overlays, &still)).into_any())
        }
        "rgb_array" => {
            let drawn = render_pixels(scene, &overlays);
            let flat = PyArray1::from_vec(py, drawn.rgb);
            Ok(flat.reshape([drawn.height, drawn.width, 3])?.into_any())
        }
        _ => Err(refuse(did_you_mean("render mode", mode, MODES))),
    }
}
