//! The style of a role in a page: the palette's colours in CSS notation, and the pattern by name.

use quintain_core::ui::Paint;
use quintain_scene::palette::{Rgb, kind, look, outline};
use serde::Serialize;

/// How one role is drawn.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Style {
    /// Its kind: `floor`, `wall`, `thing`, `seat`, `head`, `claim`, `good`, `bad`,
    /// `heat`, `accent`.
    pub kind: &'static str,
    /// Which seat or thing, from 0, or the heat; 0 for other kinds.
    pub number: u16,
    /// The pattern over its colour: `solid`, `rising`, `falling`, `horizontal`,
    /// `vertical`, `cross`, `dots`.
    pub pattern: &'static str,
    /// Its character if the scene gives none.
    pub glyph: char,
    /// Colours on a light page.
    pub light: Shade,
    /// Colours on a dark page.
    pub dark: Shade,
}

/// Colours as `#rrggbb`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Shade {
    /// The colour of the cell.
    pub fill: String,
    /// The colour of the pattern's lines.
    pub line: String,
    /// The colour of characters in the cell.
    pub ink: String,
    /// The colour of an outline around such cells.
    pub edge: String,
}

impl Style {
    /// Returns the style of a paint.
    pub fn of(paint: Paint) -> Style {
        let (kind, number) = kind(paint);
        let look = look(paint);
        let shade = |fill: Rgb, edge: Rgb| Shade {
            edge: edge.hex(),
            fill: fill.hex(),
            line: fill.mix(fill.ink(), look.ink).hex(),
            ink: fill.ink().hex(),
        };
        let edges = outline(paint);
        let (light, dark) = (shade(look.light, edges.0), shade(look.dark, edges.1));
        Style {
            kind,
            number: number.unwrap_or(0),
            pattern: look.pattern.name(),
            glyph: look.glyph,
            light,
            dark,
        }
    }
}
