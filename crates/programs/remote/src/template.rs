//! The words of a question to a model: a text with placeholders in braces. A line `---` divides
//! what begins every question of a match from what is asked each turn.

use quintain_core::did_you_mean;

/// The words that are used where bots.toml names no file.
pub(crate) const USUAL: &str = include_str!("prompt.txt");

/// The line between the two parts.
const DIVIDER: &str = "---";

/// What placeholders stand for, in the order of [`NAMES`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    values: [String; NAMES.len()],
}

/// All placeholders.
pub(crate) const NAMES: [&str; 14] = [
    "game",
    "scenario",
    "seats",
    "player",
    "rules",
    "setting",
    "turn",
    "board",
    "legend",
    "observation",
    "actions",
    "history",
    "last_turns",
    "answer",
];

impl Values {
    /// Sets what a placeholder stands for.
    ///
    /// # Panics
    /// If there is no such placeholder.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        let place = NAMES.iter().position(|known| *known == name);
        self.values[place.expect("placeholders are known")] = value.into();
    }
}

/// A template that was read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Template {
    system: Vec<Piece>,
    question: Vec<Piece>,
}

#[derive(Clone, PartialEq, Debug)]
enum Piece {
    Text(String),
    /// A placeholder, by its place in [`NAMES`].
    Value(usize),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// The line, and what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Template, String> {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let lines: Vec<&str> = text.lines().collect();
        let divider = lines.iter().position(|line| line.trim_end() == DIVIDER);
        let (system, question, begin) = match divider {
            Some(at) => (lines[..at].join("\n"), lines[at + 1..].join("\n"), at + 1),
            None => (String::new(), lines.join("\n"), 0),
        };
        let template = Template {
            system: parse_pieces(&system, 0)?,
            question: parse_pieces(&question, begin)?,
        };
        let shows_position = |piece: &Piece| match piece {
            Piece::Value(at) => ["board", "observation"].contains(&NAMES[*at]),
            Piece::Text(_) => false,
        };
        if !template.question.iter().any(shows_position) {
            let problem =
                "what is asked each turn shows no position: write {board} or {observation}";
            return Err(problem.to_owned());
        }
        Ok(template)
    }

    /// The words that begin every question of a match, and those of one question.
    pub(crate) fn fill(&self, values: &Values) -> [String; 2] {
        [&self.system, &self.question].map(|pieces| {
            let texts = pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Value(at) => values.values[*at].trim_end_matches('\n'),
            });
            squeeze(&texts.collect::<String>())
        })
    }
}

/// Reads a part of a template that begins after so many lines.
fn parse_pieces(text: &str, lines_before: usize) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let line = lines_before + 1 + text[..text.len() - rest.len() + at].matches('\n').count();
        pieces.push(Piece::Text(rest[..at].to_owned()));
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(doubled) = rest.strip_prefix(sign) {
            pieces.push(Piece::Text(sign.to_owned()));
            rest = doubled;
            continue;
        }
        let closed = (sign == "{").then(|| rest.split_once('}')).flatten();
        let Some((name, after)) = closed.filter(|(name, _)| !name.contains(['{', '\n'])) else {
            return Err(format!(
                "line {line}: a single {sign}; write {sign}{sign} for the character itself"
            ));
        };
        let place = NAMES.iter().position(|known| *known == name.trim());
        let unknown =
            || format!("line {line}: {}", did_you_mean("placeholder", name.trim(), NAMES));
        pieces.push(Piece::Value(place.ok_or_else(unknown)?));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

/// A text without the empty lines that empty placeholders leave.
fn squeeze(text: &str) -> String {
    let mut out = String::new();
    let mut empty = 0;
    for line in text.trim().lines() {
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_on_both_sides_of_the_divider() {
        let text = "Play {game}.\r\n---\r\n{board}\n\n{history}\n\nOne of {{ {actions} }}.\n";
        let template = Template::parse(text).unwrap();
        let mut values = Values::default();
        values.set("game", "tron");
        values.set("board", "#A#\n");
        values.set("actions", "U, D");
        let [system, question] = template.fill(&values);
        assert_eq!(system, "Play tron.");
        assert_eq!(question, "#A#\n\nOne of { U, D }.");
    }

    #[test]
    fn mistakes_in_a_template_name_their_line() {
        let says = |text: &str| Template::parse(text).unwrap_err();
        assert!(says("a\n---\n{bord}").starts_with("line 3: "), "{}", says("a\n---\n{bord}"));
        assert!(says("{bord}").contains("did you mean “board”"));
        assert_eq!(says("{board}\n}"), "line 2: a single }; write }} for the character itself");
        assert_eq!(says("{board} {\n}"), "line 1: a single {; write {{ for the character itself");
        assert!(says("{board}\n---\n{actions}").contains("shows no position"));
    }

    #[test]
    fn the_usual_words_can_be_read() {
        assert!(Template::parse(USUAL).is_ok());
    }
}
