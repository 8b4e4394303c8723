//! Headings, tables and notes one below the other, for a terminal or in Markdown.

use crate::grid::{Column, for_markdown, for_terminal, list_heads, width_for_terminal, wrap};

/// The medium in which the tables are read.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Terminal { width: Option<usize> },
    Markdown,
}

impl Style {
    /// The width of the terminal, if it is one and known.
    pub(super) fn width(self) -> Option<usize> {
        match self {
            Style::Terminal { width } => width,
            Style::Markdown => None,
        }
    }
}

/// Text to which tables are added.
pub(crate) struct Page {
    style: Style,
    /// Whether it already says how to see the columns that were left out.
    has_remedy: bool,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn new(style: Style) -> Page {
        Page { style, has_remedy: false, text: String::new() }
    }

    pub(crate) fn heading(&mut self, heading: &str) {
        let heading = match self.style {
            Style::Terminal { width: Some(width) } => wrap(heading, width),
            Style::Terminal { width: None } => format!("{heading}\n"),
            Style::Markdown => format!("## {heading}\n"),
        };
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.text += &heading;
        if matches!(self.style, Style::Markdown) {
            self.text.push('\n');
        }
    }

    /// Adds a table; returns the heads of the columns that did not fit.
    pub(crate) fn columns(&mut self, columns: Vec<Column>) -> Vec<String> {
        match self.style {
            Style::Terminal { width } => {
                let (text, left_out) = for_terminal(columns, width);
                self.text += &text;
                let named = list_heads(&left_out);
                if !named.is_empty() {
                    let remedy = match std::mem::replace(&mut self.has_remedy, true) {
                        true => "",
                        false => " A wider terminal shows them, and so does --format md.",
                    };
                    self.note(&format!("Too narrow for: {named}.{remedy}"));
                }
                left_out
            }
            Style::Markdown => {
                self.text += &for_markdown(&columns);
                self.text.push('\n');
                Vec::new()
            }
        }
    }

    pub(crate) fn fits(&self, columns: &[Column]) -> bool {
        match self.style {
            Style::Terminal { width: Some(width) } => {
                width_for_terminal(columns, Some(width)) <= width
            }
            _ => true,
        }
    }

    /// Adds lines that are shown as they are.
    pub(super) fn drawing(&mut self, lines: &str) {
        match self.style {
            Style::Terminal { .. } => self.text += lines,
            // Nothing in it can close the fence.
            Style::Markdown => {
                self.text += &format!("```text\n{}```\n\n", lines.replace("```", ""));
            }
        }
    }

    pub(crate) fn note(&mut self, note: &str) {
        match self.style {
            Style::Terminal { width } => self.text += &wrap(note, width.unwrap_or(100)),
            // A star would turn the note into a list.
            Style::Markdown => match note.strip_prefix("* ") {
                Some(rest) => self.text += &format!("\\* {rest}\n\n"),
                None => self.text += &format!("{note}\n\n"),
            },
        }
    }
}
