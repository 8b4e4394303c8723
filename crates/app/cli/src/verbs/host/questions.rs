//! The questions of `quintain host init` on a terminal. Enter accepts the value in brackets; an
//! impossible answer is rejected at once, and the question repeated.

use std::io::{BufRead, Write};

use quintain_core::{Budget, Catalog};
use quintain_host::NewContest;

use crate::failure::Failure;

/// Lists the available games.
pub(super) fn games(catalog: &Catalog) -> String {
    catalog.entries().map(|entry| entry.name()).collect::<Vec<_>>().join(", ")
}

/// Asks for whatever has not been given already.
pub(super) fn ask(
    given: NewContest,
    catalog: &Catalog,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<NewContest, Failure> {
    let mut new = given;
    let mut asking = Asking { input, out };
    let to_text = |error: quintain_core::SpecError| error.to_string();
    let game = |text: &str| match text {
        "" => Err(format!("one of {}", games(catalog))),
        text => catalog.entry(text).map(|_| text.to_owned()).map_err(to_text),
    };
    new.game = asking.ask(&format!("Which game? ({})", games(catalog)), "", &game)?;
    let entry = catalog.entry(&new.game).map_err(|error| Failure::Usage(error.to_string()))?;
    let usual = quintain_host::usual_scenario(entry);
    if new.scenarios.is_empty() {
        let scenarios = |text: &str| {
            let all = if text.is_empty() { &usual } else { text };
            let each = all
                .split_whitespace()
                .map(|one| entry.game(one).map(|_| one.to_owned()).map_err(to_text));
            each.collect::<Result<Vec<_>, _>>()
        };
        let question =
            format!("Which scenarios? (quintain scenarios {}; separated by spaces)", new.game);
        new.scenarios = asking.ask(&question, &usual, &scenarios)?;
    }
    if new.name.is_none() {
        let usual = format!("{} contest", new.game);
        new.name = asking.ask("What is the contest's name?", &usual, &optional)?;
    }
    if new.budget.is_none() {
        let budget = |text: &str| match text.parse::<Budget>() {
            Ok(_) => optional(text),
            Err(error) => Err(error.to_string()),
        };
        let question = "How long may a player think? (move=TIME, match=TIME)";
        new.budget = asking.ask(question, "move=1s", &budget)?;
    }
    if !new.has_hidden_names {
        let question = "Hide names until the final is over?";
        new.has_hidden_names = asking.ask(question, "no", &yes_or_no)?;
    }
    if new.time_zone.is_none() {
        let zone = |text: &str| match text {
            "" => Ok(None),
            text if quintain_host::is_time_zone(text) => Ok(Some(text.to_owned())),
            _ => Err("a time zone such as Europe/Berlin".to_owned()),
        };
        let question = "In which time zone is the contest? (such as Europe/Berlin)";
        new.time_zone = asking.ask(question, "UTC", &zone)?;
    }
    let zone = new.time_zone.clone();
    let time = |text: &str| time(text, zone.as_deref());
    if new.freeze.is_none() {
        let question =
            "When do submissions close? (such as 2030-01-31T18:00:00Z, or without Z in that zone)";
        new.freeze = asking.ask(question, "later", &time)?;
    }
    if new.final_from.is_none() {
        new.final_from = asking.ask("When does the final begin?", "later", &time)?;
    }
    Ok(new)
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "" | "n" | "no" => Ok(false),
        "y" | "yes" => Ok(true),
        _ => Err("yes or no".to_owned()),
    }
}

fn time(text: &str, zone: Option<&str>) -> Result<Option<String>, String> {
    match text {
        "" => Ok(None),
        text if quintain_host::is_time(text, zone) => Ok(Some(text.to_owned())),
        _ => Err("a time such as 2030-01-31T18:00:00Z".to_owned()),
    }
}

fn optional(text: &str) -> Result<Option<String>, String> {
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The terminal of the person who is asked.
struct Asking<'a> {
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
}

impl Asking<'_> {
    /// Asks until there is a valid answer; `usual` is what an empty one means.
    fn ask<T>(
        &mut self,
        question: &str,
        usual: &str,
        read: &dyn Fn(&str) -> Result<T, String>,
    ) -> Result<T, Failure> {
        loop {
            match usual {
                "" => write!(self.out, "{question} ")?,
                usual => write!(self.out, "{question} [{usual}] ")?,
            }
            self.out.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                writeln!(self.out)?;
                return Err(Failure::Usage(
                    "the input ended before the last answer; nothing was begun".to_owned(),
                ));
            }
            match read(line.trim()) {
                Ok(answer) => return Ok(answer),
                Err(problem) => writeln!(self.out, "  {problem}")?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &str) -> (Result<NewContest, Failure>, String) {
        let catalog = quintain_games::catalog();
        let mut out = Vec::new();
        let new = ask(NewContest::default(), &catalog, &mut lines.as_bytes(), &mut out);
        (new, String::from_utf8(out).unwrap())
    }

    #[test]
    fn an_empty_answer_takes_the_default() {
        let (new, _) = answers("tron\n\n\n\n\n\n\n\n");
        let entry = quintain_games::catalog();
        let scenarios = vec![quintain_host::usual_scenario(entry.entry("tron").unwrap())];
        let usual = NewContest { game: "tron".to_owned(), scenarios, ..NewContest::default() };
        assert_eq!(new.unwrap(), usual);
    }

    #[test]
    fn an_impossible_answer_is_asked_again() {
        let (new, message) = answers(
            "chess\ngather\nnowhere\n\nA cup\nlong\nmove=2s\nmaybe\nyes\nMars\n\nsoon\n\
             2040-01-01T00:00:00Z\n2040-01-02T00:00:00Z\n",
        );
        let new = new.unwrap();
        assert_eq!((new.game.as_str(), new.name.as_deref()), ("gather", Some("A cup")));
        assert_eq!(new.budget.as_deref(), Some("move=2s"));
        assert!(new.has_hidden_names);
        assert_eq!(new.freeze.as_deref(), Some("2040-01-01T00:00:00Z"));
        assert_eq!(message.matches("Which game?").count(), 2, "{message}");
        assert!(message.contains("yes or no") && message.contains("a time such as"), "{message}");
    }

    #[test]
    fn input_that_ends_early_begins_nothing() {
        let Err(Failure::Usage(message)) = answers("tron\n").0 else { panic!("it is begun") };
        assert!(message.contains("nothing was begun"), "{message}");
    }
}
