//! What stands beside the board: the legend, and panels as far as they have changed.

use quintain_scene::clean;
use quintain_ui::Panel;
use serde::Serialize;

use super::layer_track::runs;
use super::{Lattice, Layer, LayerState, PanelBody, ReplayBuilder, Sign, number};

/// A line of the legend.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explained {
    /// The layer; an overlay's line is shown when it is.
    pub layer: String,
    /// `cell`, `line` or `outline`.
    pub kind: &'static str,
    /// Of a cell a number into `looks`, otherwise one into `paints`.
    pub look: usize,
    /// What it means.
    pub text: String,
}

/// A panel as it is from a turn on.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Its title.
    pub title: String,
    /// What is in it.
    #[serde(flatten)]
    pub body: ShownBody,
}

/// See [`Shown`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownBody {
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

impl ReplayBuilder {
    /// Adds a layer's lines to the legend, where they are new.
    pub(super) fn explain(&mut self, layer: &Layer) {
        for meaning in &layer.legend {
            let (kind, look) = match meaning.sign {
                Sign::Cell(paint, glyph) => {
                    let look = (self.paint(paint), glyph);
                    let number = number(&mut self.looks, &mut self.replay.looks, look);
                    ("cell", number as usize)
                }
                Sign::Line(paint) => ("line", self.paint(paint)),
                Sign::Outline(paint) => ("outline", self.paint(paint)),
            };
            let (layer, text) = (clean(&layer.name), clean(&meaning.text));
            let line = Explained { layer, kind, look, text };
            if !self.replay.legend.contains(&line) {
                self.replay.legend.push(line);
            }
        }
    }

    /// The panels that are not as on the turn before; nothing if none has changed.
    pub(super) fn shown(&mut self, panels: &[Panel]) -> Vec<Option<Shown>> {
        if *panels == *self.panels {
            return Vec::new();
        }
        let before = std::mem::take(&mut self.panels);
        panels
            .iter()
            .enumerate()
            .map(|(place, panel)| {
                let same = before.len() == panels.len() && before[place] == *panel;
                (!same).then(|| Shown { title: clean(&panel.title), body: self.body(&panel.body) })
            })
            .collect()
    }

    fn body(&mut self, body: &PanelBody) -> ShownBody {
        match body {
            PanelBody::Picture(scene) => {
                let (width, height) = (scene.width, scene.height);
                let marks: Vec<_> =
                    scene.layers.iter().flat_map(|layer| layer.marks.iter().cloned()).collect();
                let drawn = self.layer_state(&marks, (width, height));
                let blank = LayerState::blank(drawn.cells.len());
                ShownBody::Picture(Picture {
                    lattice: scene.lattice,
                    width,
                    height,
                    cells: runs(&blank.cells, &drawn.cells),
                    outlines: drawn.outlines.into_iter().collect(),
                })
            }
            PanelBody::Figures(figures) => ShownBody::Figures(
                figures.iter().map(|(name, value)| (clean(name), clean(value))).collect(),
            ),
            PanelBody::Text(spans) => {
                ShownBody::Text(spans.iter().map(|span| (clean(&span.text), span.lit)).collect())
            }
        }
    }
}
