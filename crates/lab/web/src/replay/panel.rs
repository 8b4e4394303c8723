//! The form of the parts beside the board: lines of the legend, and panels.

use quintain_core::ui::Lattice;
use serde::Serialize;

/// A line of the legend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LegendLine {
    /// The layer; an overlay's line is shown together with the overlay.
    pub layer: String,
    /// `cell`, `line`, `outline`, or `unseen` for cells about which nothing is known.
    pub kind: &'static str,
    /// For a cell an index into `looks`, otherwise one into `paints`.
    pub look: usize,
    /// Its meaning.
    pub text: String,
}

/// A panel as it is from this turn on.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReplayPanel {
    /// Its title.
    pub title: String,
    /// Its content.
    #[serde(flatten)]
    pub body: ReplayPanelBody,
}

/// The content of a [`ReplayPanel`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReplayPanelBody {
    /// A small drawing.
    Picture(Picture),
    /// Names and their values.
    Figures(Vec<(String, String)>),
    /// Texts, and whether each is highlighted.
    Text(Vec<(String, bool)>),
    /// Quantities: the name, an index into `paints`, the value, and the most that it can be.
    Bars(Vec<(String, usize, u32, u32)>),
}

/// A small drawing, with its layers combined.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// Whether cells are squares or hexagons.
    pub lattice: Lattice,
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// Runs of cells, as in a [`LayerTrack`](super::LayerTrack).
    pub cells: Vec<u32>,
    /// Indices of outlines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<u32>,
}
