//! The parts beside the board: the legend, and those panels that have changed.

use quintain_core::ui::Panel;
use quintain_scene::clean;

use super::layer_track::runs;
use super::panel::{LegendLine, Picture, ReplayPanel, ReplayPanelBody};
use super::{Layer, PanelBody, ReplayBuilder, Sign, number};

impl ReplayBuilder {
    /// Adds a layer's new lines to the legend.
    pub(super) fn explain(&mut self, layer: &Layer) {
        // Mostly it has the same lines as on the turn before.
        match self.explained.iter_mut().find(|(name, _)| *name == layer.name) {
            Some((_, known)) if *known == layer.legend => return,
            Some((_, known)) => known.clone_from(&layer.legend),
            None => self.explained.push((layer.name.clone(), layer.legend.clone())),
        }
        for meaning in &layer.legend {
            let (kind, look) = match meaning.sign {
                Sign::Cell(paint, glyph) => {
                    let look = (self.paint(paint), glyph);
                    let number = number(&mut self.looks, &mut self.replay.looks, look);
                    ("cell", number as usize)
                }
                Sign::Line(paint) => ("line", self.paint(paint)),
                Sign::Outline(paint) => ("outline", self.paint(paint)),
                Sign::Unseen => ("unseen", 0),
            };
            let (layer, text) = (clean(&layer.name), clean(&meaning.text));
            let line = LegendLine { layer, kind, look, text };
            if !self.replay.legend.contains(&line) {
                self.replay.legend.push(line);
            }
        }
    }

    /// Lists the panels that have changed since the turn before; empty if none has.
    pub(super) fn list_changed_panels(&mut self, panels: &[Panel]) -> Vec<Option<ReplayPanel>> {
        if *panels == *self.panels {
            return Vec::new();
        }
        let before = std::mem::take(&mut self.panels);
        panels
            .iter()
            .enumerate()
            .map(|(place, panel)| {
                let same = before.len() == panels.len() && before[place] == *panel;
                (!same).then(|| ReplayPanel {
                    title: clean(&panel.title),
                    body: self.body(&panel.body),
                })
            })
            .collect()
    }

    fn body(&mut self, body: &PanelBody) -> ReplayPanelBody {
        match body {
            PanelBody::Picture(scene) => {
                let (width, height) = (scene.width, scene.height);
                let marks: Vec<_> =
                    scene.layers.iter().flat_map(|layer| layer.marks.iter().cloned()).collect();
                let drawn = self.layer_state(&marks, (width, height));
                let mut looks = vec![0; (width.max(0) * height.max(0)) as usize];
                drawn.cells.iter().for_each(|(cell, look)| looks[*cell as usize] = *look);
                ReplayPanelBody::Picture(Picture {
                    lattice: scene.lattice,
                    width,
                    height,
                    cells: runs(&drawn.cells, &looks),
                    outlines: drawn.outlines.into_iter().collect(),
                })
            }
            PanelBody::Figures(figures) => ReplayPanelBody::Figures(
                figures.iter().map(|(name, value)| (clean(name), clean(value))).collect(),
            ),
            PanelBody::Text(spans) => ReplayPanelBody::Text(
                spans.iter().map(|span| (clean(&span.text), span.lit)).collect(),
            ),
            PanelBody::Bars(bars) => ReplayPanelBody::Bars(
                bars.iter()
                    .map(|bar| (clean(&bar.name), self.paint(bar.paint), bar.value, bar.of))
                    .collect(),
            ),
        }
    }
}
