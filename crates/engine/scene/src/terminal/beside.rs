//! The text beside a board, or below it: the panels of a scene, in lines.

use std::fmt::Write;

use quintain_core::ui::{Bar, Paint, Panel, PanelBody, Scene};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::canvas::canvas;
use super::spots::{Line, Spot};
use super::style::TerminalStyle;
use crate::cut::cut_to_width;
use crate::palette::{Rgb, look};
use crate::sanitize::clean;

/// The most columns of the text beside the board.
const BESIDE: usize = 26;
/// The text beside the board, in lines.
pub(super) fn render_side(scene: &Scene, style: TerminalStyle) -> Vec<String> {
    scene.panels.iter().flat_map(|panel| panel_lines(panel, style)).collect()
}

/// Puts lines to the right of a framed board, whose width is given without the frame.
pub(super) fn put_beside(frame: &str, width: usize, beside: &[String]) -> String {
    let mut out = String::new();
    let blank = " ".repeat(width + 2);
    let mut rows = frame.lines();
    let mut panels = beside.iter();
    loop {
        let (row, panel) = (rows.next(), panels.next());
        match (row, panel.filter(|panel| !panel.is_empty())) {
            (None, None) if panel.is_none() => break,
            (Some(row), None) => out.push_str(row),
            (row, Some(panel)) => {
                let _ = write!(out, "{}  {panel}", row.unwrap_or(&blank));
            }
            (None, None) => {}
        }
        out.push('\n');
    }
    out
}

/// The number of characters of a bar.
const BAR: usize = 10;

fn bar_line(Bar { name, value, of, .. }: &Bar) -> String {
    let full = (*value as usize * BAR).div_ceil((*of).max(1) as usize).min(BAR);
    let name = clean(name);
    format!("{name} {}{} {value} of {of}", "#".repeat(full), ".".repeat(BAR - full))
}

/// A panel in lines, followed by an empty one.
fn panel_lines(panel: &Panel, style: TerminalStyle) -> Vec<String> {
    let mut lines = vec![format!("{}:", clean(&panel.title))];
    match &panel.body {
        PanelBody::Picture(scene) => {
            let canvas = canvas(scene, &[], style);
            lines.extend(canvas.rows.iter().map(|row| {
                let mut line = Line::default();
                row.iter().for_each(|spot| line.push(*spot, style));
                line.finish(style)
            }));
        }
        PanelBody::Figures(figures) => {
            // A name that is wider than any text here would leave the board no room.
            let figures: Vec<(String, String)> = figures
                .iter()
                .map(|(name, value)| {
                    (cut_to_width(&clean(name), BESIDE).into_owned(), clean(value))
                })
                .collect();
            // Values are aligned in a column as close to the names as possible.
            let widest = figures.iter().map(|(name, value)| name.width() + value.width() + 2).max();
            let beside = widest.unwrap_or(0).min(BESIDE);
            for (name, value) in figures {
                let gap = beside.saturating_sub(name.width() + value.width()).max(1);
                lines.push(format!("{name}{}{value}", " ".repeat(gap)));
            }
        }
        PanelBody::Text(spans) => {
            let mut line = Line::default();
            let mut used = 0;
            for span in spans {
                let text = clean(&span.text);
                // Without colour, a lit text is put in brackets.
                let text = match (style, span.lit) {
                    (TerminalStyle::Plain, true) => format!("[{text}]"),
                    _ => text,
                };
                for c in text.chars() {
                    if used + c.width().unwrap_or(0) > BESIDE {
                        lines.push(std::mem::take(&mut line).finish(style));
                        used = 0;
                    }
                    let ground = span.lit.then(|| look(Paint::Accent).dark);
                    let ink = ground.map(Rgb::ink);
                    line.push(Spot { text: Some(c), ink, ground, ..Spot::default() }, style);
                    used += c.width().unwrap_or(0);
                }
            }
            lines.push(line.finish(style));
        }
        PanelBody::Bars(bars) => lines.extend(bars.iter().map(bar_line)),
    }
    lines.push(String::new());
    lines
}
