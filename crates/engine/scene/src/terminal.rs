//! Scenes as text: two columns per cell, so that squares look square; in a hex lattice odd rows are
//! shifted one column to the right. Boards with lines get twice the room, with the lines between
//! the cells. Plain style is ASCII and says everything by characters; the others use colour,
//! patterns and box-drawing characters. Outlines on squares are drawn where cells of different
//! outlines meet: by underlines and bars, in plain style by `_`, `|`, and `]` for both. From the
//! seventh seat on patterns repeat, so a character is shown before the pattern.

mod beside;
mod canvas;
mod spots;
mod style;
mod window;

use std::fmt::Write;

use quintain_core::ui::{Paint, Scene, Sign};
use unicode_width::UnicodeWidthStr;

use crate::compose::{self, Cell};
use crate::palette::look;
use crate::sanitize::clean;
use spots::{Line, Spot, cell_spots};

pub use style::TerminalStyle;
pub use window::{Room, attention, board_columns, render_board, render_text_within};

/// The most columns of a legend's lines, however many there are.
const LEGEND: usize = 78;

/// Draws a scene with these overlays shown, its panels beside it and its caption below; ends with a
/// newline.
pub fn render_text(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> String {
    let mut out = render_board(scene, overlays, style, None);
    if !scene.caption.is_empty() {
        out.push_str(&clean(&scene.caption));
        out.push('\n');
    }
    out
}

/// The meaning of a scene's signs, with these overlays shown, in lines of at most so many columns
/// that end with a newline; empty where the game gives none.
pub fn render_legend(
    scene: &Scene,
    overlays: &[&str],
    style: TerminalStyle,
    columns: Option<usize>,
) -> String {
    let meanings = scene.legend(overlays);
    write_legend(meanings.map(|meaning| (meaning.sign, clean(&meaning.text))), style, columns)
}

/// The same where there is little room: of signs that differ by a number, as those of several seats
/// do, only the first, with an ellipsis for the others.
pub fn render_brief_legend(
    scene: &Scene,
    overlays: &[&str],
    style: TerminalStyle,
    columns: Option<usize>,
) -> String {
    let mut brief: Vec<(Sign, String)> = Vec::new();
    let mut last = None;
    for meaning in scene.legend(overlays) {
        let kind = numbered(meaning.sign);
        match brief.last_mut() {
            Some((_, text)) if kind.is_some() && kind == last => {
                if !text.ends_with('…') {
                    text.push_str(", …");
                }
            }
            _ => brief.push((meaning.sign, clean(&meaning.text))),
        }
        last = kind;
    }
    write_legend(brief.into_iter(), style, columns)
}

/// The kind of a sign that differs from others of its kind by a number alone.
fn numbered(sign: Sign) -> Option<std::mem::Discriminant<Paint>> {
    let (Sign::Cell(paint, _) | Sign::Line(paint) | Sign::Outline(paint)) = sign else {
        return None;
    };
    let is_numbered =
        matches!(paint, Paint::Seat(_) | Paint::Head(_) | Paint::Claim(_) | Paint::Heat(_));
    is_numbered.then(|| std::mem::discriminant(&paint))
}

fn write_legend(
    meanings: impl Iterator<Item = (Sign, String)>,
    style: TerminalStyle,
    columns: Option<usize>,
) -> String {
    let most = columns.unwrap_or(LEGEND).min(LEGEND);
    let mut out = String::new();
    let mut used = 0;
    for (sign, text) in meanings {
        let wide = text.width() + if sign == Sign::Unseen { 7 } else { 3 };
        if used > 0 && used + 2 + wide > most {
            out.push('\n');
            used = 0;
        }
        if used > 0 {
            out.push_str("  ");
            used += 2;
        }
        let _ = match sign {
            Sign::Unseen => write!(out, "blank: {text}"),
            sign => write!(out, "{} {text}", render_sign(sign, style)),
        };
        used += wide;
    }
    if used > 0 {
        out.push('\n');
    }
    out
}

/// A sign, two columns wide.
fn render_sign(sign: Sign, style: TerminalStyle) -> String {
    let plain = style == TerminalStyle::Plain;
    let pair = |text: [char; 2], paint: Paint| {
        let ink = (!plain).then(|| look(paint).dark);
        text.map(|text| Spot { text: Some(text), ink, ..Spot::default() })
    };
    let spots = match sign {
        Sign::Cell(paint, glyph) => {
            cell_spots(Cell { paint, glyph, written: false, unseen: false }, style)
        }
        Sign::Line(paint) => {
            let [along, down] = canvas::straight(paint, style);
            // Other lines are recognized by their colour, and are the usual ones.
            let usual = !matches!(paint, Paint::Good | Paint::Bad);
            pair([along, if usual { along } else { down }], paint)
        }
        Sign::Outline(paint) => pair(if plain { ['|', '_'] } else { ['▕', '▁'] }, paint),
        Sign::Unseen => [Spot { text: Some(' '), ..Spot::default() }; 2],
    };
    let mut line = Line::default();
    spots.into_iter().for_each(|spot| line.push(spot, style));
    line.finish(style)
}

/// How a seat looks in this scene, for legends: its head where the game draws heads, and what it
/// leaves behind. All seats of a scene have the same width.
pub fn render_swatch(scene: &Scene, seat: u16, style: TerminalStyle) -> String {
    let mut line = Line::default();
    for cell in compose::seat_cells(scene, seat) {
        let blank = Spot { text: Some(' '), ..Spot::default() };
        for spot in cell.map_or([blank; 2], |cell| cell_spots(cell, style)) {
            line.push(spot, style);
        }
    }
    line.finish(style)
}

#[cfg(test)]
mod tests;
