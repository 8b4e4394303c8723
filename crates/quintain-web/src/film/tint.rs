//! How a role looks in a page: the palette's colours and pattern, ready to be used.

use quintain_scene::palette::{Pattern, Rgb, look};
use quintain_ui::Paint;
use serde::Serialize;

/// A role that occurs.
#[derive(Clone, Debug, Serialize)]
pub struct Tint {
    /// Its kind: `floor`, `wall`, `thing`, `seat`, `head`, `claim`, `good`, `bad`,
    /// `heat`, `accent`.
    pub kind: &'static str,
    /// Which seat or thing, or how hot.
    pub number: u16,
    /// What fills it besides its colour: `solid`, `rising`, `falling`, `horizontal`,
    /// `vertical`, `cross`, `dots`.
    pub pattern: &'static str,
    /// Its character where the scene gives none.
    pub glyph: char,
    /// On a light page.
    pub light: Shade,
    /// On a dark page.
    pub dark: Shade,
}

/// Colours as `#rrggbb`.
#[derive(Clone, Debug, Serialize)]
pub struct Shade {
    /// Of the cell.
    pub fill: String,
    /// Of the pattern's lines.
    pub line: String,
    /// Of characters in the cell.
    pub ink: String,
}

impl Tint {
    /// How `paint` looks.
    pub fn of(paint: Paint) -> Tint {
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
        let shade = |fill: Rgb| Shade {
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
        let (light, dark) = (shade(look.light), shade(look.dark));
        Tint { kind, number, pattern, glyph: look.glyph, light, dark }
    }
}

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
