//! The content of one column in one row, the two columns of a cell, and lines of them as text with
//! as few changes of style as possible.

use std::fmt::Write;

use anstyle::{Color, RgbColor, Style as Ansi};
use quintain_core::ui::Paint;
use unicode_width::UnicodeWidthChar;

use super::style::TerminalStyle;
use crate::compose::Cell;
use crate::palette::{Pattern, Rgb, is_pattern_repeated, look};

/// One column of one row.
#[derive(Clone, Copy, Default)]
pub(super) struct Spot {
    /// The character; `None` after a character two columns wide.
    pub(super) text: Option<char>,
    pub(super) ink: Option<Rgb>,
    pub(super) ground: Option<Rgb>,
    pub(super) bold: bool,
    pub(super) underlined: bool,
    /// The sides to which lines leave from here: north 1, east 2, south 4, west 8.
    pub(super) sides: u8,
    /// Whether something here must not be covered by a line.
    pub(super) taken: bool,
}
/// The two columns of a cell.
pub(super) fn cell_spots(cell: Cell, style: TerminalStyle) -> [Spot; 2] {
    if cell.unseen {
        return [Spot { text: Some(' '), ..Spot::default() }; 2];
    }
    let look = look(cell.paint);
    let glyph = cell.visible_glyph();
    if style == TerminalStyle::Plain {
        let glyph = if glyph.is_ascii_graphic() { glyph } else { look.glyph };
        let filler = if is_massive(cell.paint) { glyph } else { ' ' };
        let taken = cell.paint != Paint::Floor || glyph != look.glyph;
        return [(glyph, taken), (filler, filler != ' ')].map(|(c, taken)| Spot {
            text: Some(c),
            taken,
            ..Spot::default()
        });
    }
    if cell.paint == Paint::Floor {
        let (text, taken) = match cell.glyph {
            ' ' | '.' => ('·', false),
            glyph => (glyph, true),
        };
        // Readable on light and on dark terminals, and faint on both.
        let spot = Spot { ink: Some(Rgb(0x80, 0x84, 0x8C)), taken, ..Spot::default() };
        return char_spots(text, spot);
    }
    let ground = look.dark;
    let spot = Spot { ground: Some(ground), taken: true, ..Spot::default() };
    match cell.paint {
        _ if cell.written => {
            char_spots(glyph, Spot { ink: Some(ground.ink()), bold: true, ..spot })
        }
        Paint::Wall | Paint::Road | Paint::Heat(_) => {
            let glyph = if is_massive(cell.paint) { ' ' } else { cell.glyph };
            char_spots(glyph, Spot { ink: Some(ground.ink()), ..spot })
        }
        Paint::Seat(_) | Paint::Claim(_) => {
            let ink = Some(ground.mix(ground.ink(), look.ink));
            let pattern = Spot { text: Some(fill(look.pattern)), ink, ..spot };
            let is_narrow = glyph.width() == Some(1);
            match is_pattern_repeated(cell.paint) && is_narrow {
                true => {
                    let letter = Spot { text: Some(glyph), ink: Some(ground.ink()), ..spot };
                    [letter, pattern]
                }
                false => [pattern; 2],
            }
        }
        _ => char_spots(glyph, Spot { ink: Some(ground.ink()), bold: true, ..spot }),
    }
}

/// Whether cells of this paint have no gaps between them.
fn is_massive(paint: Paint) -> bool {
    matches!(paint, Paint::Wall | Paint::Road)
}

/// A character in a cell: wide ones take both columns, those without width take none.
fn char_spots(c: char, spot: Spot) -> [Spot; 2] {
    match c.width().unwrap_or(0) {
        2 => [Spot { text: Some(c), ..spot }, Spot { text: None, ..spot }],
        1 => [Spot { text: Some(c), ..spot }, Spot { text: Some(' '), taken: false, ..spot }],
        _ => [Spot { text: Some(' '), ..spot }; 2],
    }
}

fn fill(pattern: Pattern) -> char {
    match pattern {
        Pattern::Solid => ' ',
        Pattern::Rising => '╱',
        Pattern::Falling => '╲',
        Pattern::Horizontal => '─',
        Pattern::Vertical => '│',
        Pattern::Cross => '╳',
        Pattern::Dots => '·',
    }
}
/// A line of styled text; the style changes only where it must.
#[derive(Default)]
pub(super) struct Line {
    out: String,
    current: Ansi,
}

impl Line {
    pub(super) fn push(&mut self, spot: Spot, style: TerminalStyle) {
        let Some(text) = spot.text else { return };
        if style != TerminalStyle::Plain {
            let colour = |rgb: Option<Rgb>| rgb.map(|rgb| terminal_colour(rgb, style));
            let mut next = Ansi::new().fg_color(colour(spot.ink)).bg_color(colour(spot.ground));
            if spot.bold {
                next = next.bold();
            }
            if spot.underlined {
                next = next.underline();
            }
            if next != self.current {
                let _ = write!(self.out, "{}{next}", self.current.render_reset());
                self.current = next;
            }
        }
        self.out.push(text);
    }

    pub(super) fn finish(mut self, style: TerminalStyle) -> String {
        if style != TerminalStyle::Plain {
            let _ = write!(self.out, "{}", self.current.render_reset());
        }
        self.out
    }
}

fn terminal_colour(Rgb(red, green, blue): Rgb, style: TerminalStyle) -> Color {
    let rgb = RgbColor(red, green, blue);
    match style {
        TerminalStyle::Indexed => Color::Ansi256(anstyle_lossy::rgb_to_xterm(rgb)),
        _ => Color::Rgb(rgb),
    }
}
