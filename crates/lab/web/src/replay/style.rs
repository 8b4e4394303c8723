//! The style of a role in a page: the palette's colours in CSS notation, and the pattern by name.

use quintain_core::ui::Paint;
use quintain_scene::palette::{Pattern, Rgb, look, outline};
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
        let (kind, number) = match paint {
            Paint::Floor => ("floor", 0),
            Paint::Wall => ("wall", 0),
            Paint::Thing(n) => ("thing", n.into()),
            Paint::Seat(n) => ("seat", n),
            Paint::Head(n) => ("head", n),
            Paint::Claim(n) => ("claim", n),
            Paint::Good => ("good", 0),
            Paint::Bad => ("bad", 0),
            Paint::Heat(heat) => ("heat", heat.into()),
            Paint::Accent => ("accent", 0),
        };
        let look = look(paint);
        let shade = |fill: Rgb, edge: Rgb| Shade {
            edge: hex(edge),
            fill: hex(fill),
            line: hex(fill.mix(fill.ink(), look.ink)),
            ink: hex(fill.ink()),
        };
        let pattern = match look.pattern {
            Pattern::Solid => "solid",
            Pattern::Rising => "rising",
            Pattern::Falling => "falling",
            Pattern::Horizontal => "horizontal",
            Pattern::Vertical => "vertical",
            Pattern::Cross => "cross",
            Pattern::Dots => "dots",
        };
        let edges = outline(paint);
        let (light, dark) = (shade(look.light, edges.0), shade(look.dark, edges.1));
        Style { kind, number, pattern, glyph: look.glyph, light, dark }
    }
}

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
