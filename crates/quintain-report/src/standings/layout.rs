//! Headings, tables and notes one below the other, for a terminal or in Markdown.

use crate::grid::{Column, for_markdown, for_terminal, width_for_terminal};

/// Where the tables are to be read.
#[derive(Clone, Copy)]
pub(super) enum Style {
    Terminal { width: Option<usize> },
    Markdown,
}

/// Text to which tables are added.
pub(super) struct Page {
    style: Style,
    pub(super) text: String,
}

impl Page {
    pub(super) fn new(style: Style) -> Page {
        Page { style, text: String::new() }
    }

    pub(super) fn heading(&mut self, heading: &str) {
        let mark = match self.style {
            Style::Terminal { .. } => "",
            Style::Markdown => "## ",
        };
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.text += &format!("{mark}{heading}\n");
        if matches!(self.style, Style::Markdown) {
            self.text.push('\n');
        }
    }

    pub(super) fn columns(&mut self, columns: Vec<Column>) {
        match self.style {
            Style::Terminal { width } => {
                let (text, left_out) = for_terminal(columns, width);
                self.text += &text;
                if !left_out.is_empty() {
                    self.note(&format!("Too narrow for: {}.", left_out.join(", ")));
                }
            }
            Style::Markdown => {
                self.text += &for_markdown(&columns);
                self.text.push('\n');
            }
        }
    }

    pub(super) fn fits(&self, columns: &[Column]) -> bool {
        match self.style {
            Style::Terminal { width: Some(width) } => {
                width_for_terminal(columns, Some(width)) <= width
            }
            _ => true,
        }
    }

    pub(super) fn note(&mut self, note: &str) {
        match self.style {
            Style::Terminal { width } => self.text += &wrap(note, width.unwrap_or(100)),
            Style::Markdown => self.text += &format!("{note}\n\n"),
        }
    }
}

/// `text` in lines of at most `width` characters, broken at spaces.
fn wrap(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push('\n');
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines + "\n"
}
