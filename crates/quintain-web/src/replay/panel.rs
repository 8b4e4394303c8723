//! The form of what stands beside the board: lines of the legend, and panels.

use quintain_ui::Lattice;
use serde::Serialize;

/// A line of the legend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LegendLine {
    /// The layer; an overlay's line is shown when it is.
    pub layer: String,
    /// `cell`, `line`, `outline`, or `unseen`: cells of which nothing is told.
    pub kind: &'static str,
    /// Of a cell a number into `looks`, otherwise one into `paints`.
    pub look: usize,
    /// What it means.
    pub text: String,
}

/// A panel as it is from a turn on.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ReplayPanel {
    /// Its title.
    pub title: String,
    /// What is in it.
    #[serde(flatten)]
    pub body: ReplayPanelBody,
}

/// See [`ReplayPanel`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReplayPanelBody {
    /// A small drawing.
    Picture(Picture),
    /// Names and what belongs to each.
    Figures(Vec<(String, String)>),
    /// Texts, and whether each is lit.
    Text(Vec<(String, bool)>),
}

/// A small drawing, its layers in one.
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
    /// Numbers of outlines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlines: Vec<u32>,
}
