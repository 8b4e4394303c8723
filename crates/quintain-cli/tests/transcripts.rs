//! A match of each game as a program hears it: the transcripts of `docs/bots`, made anew
//! and compared. `UPDATE_GOLDEN=1` writes them.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quintain_bots::protocol::{FromProgram, Ready, Reply, ToProgram};
use quintain_core::{
    Answer, ExternalError, ExternalPlayer, ExternalSource, Fault, MatchStart, Outcome, Question,
    Setup,
};
use serde_json::Value;

/// A program that takes the first action offered and writes down what is said.
struct Scribe {
    game: String,
    said: Arc<Mutex<String>>,
}

impl Scribe {
    fn hears(&self, message: &ToProgram) {
        write!(self.said.lock().unwrap(), "> {}", message.line()).unwrap();
    }

    fn says(&self, message: &FromProgram) {
        writeln!(self.said.lock().unwrap(), "< {}", serde_json::to_string(message).unwrap())
            .unwrap();
    }
}

impl ExternalPlayer for Scribe {
    fn start(&mut self, match_start: &MatchStart, setting: &Value) -> Result<(), Fault> {
        self.hears(&ToProgram::hello());
        let games = vec![self.game.clone()];
        self.says(&FromProgram::Ready(Ready { name: "scribe".to_owned(), games }));
        self.hears(&ToProgram::start(1, match_start, setting));
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        self.hears(&ToProgram::turn(question, Duration::from_secs(5)));
        let action = Value::from(question.actions[0].clone());
        let notes = Default::default();
        self.says(&FromProgram::Action(Reply { action: action.clone(), notes, draw: Vec::new() }));
        Ok(action.into())
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.hears(&ToProgram::end(outcome));
        self.hears(&ToProgram::Bye {});
    }
}

struct Scribes(Arc<Mutex<String>>);

impl ExternalSource for Scribes {
    fn prefix(&self) -> &str {
        "scribe"
    }
    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }
    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let game = spec.trim_start_matches("scribe:").to_owned();
        Ok(Box::new(Scribe { game, said: Arc::clone(&self.0) }))
    }
}

/// What the program at seat 0 hears and says, against players of ours.
fn transcript(game: &str, scenario: &str, others: &str) -> String {
    let said = Arc::new(Mutex::new(String::new()));
    let catalog = quintain_games::catalog().with_external(Arc::new(Scribes(Arc::clone(&said))));
    let bound = catalog.game(game, scenario).unwrap();
    let own = catalog.player(game, &format!("scribe:{game}")).unwrap();
    let other = catalog.player(game, others).unwrap();
    let seats: Vec<_> =
        (0..bound.seats()).map(|seat| if seat == 0 { &own } else { &other }).collect();
    let setup = Setup { seed: 1, ..Setup::default() };
    let record = bound.play(&setup, &seats, None).unwrap();
    assert_eq!(record.outcome.fault, None, "{game}");
    let said = said.lock().unwrap();
    let lines: Vec<&str> = said.lines().collect();
    shortened(&lines)
}

/// A long match without its middle.
fn shortened(lines: &[&str]) -> String {
    const BEGINNING: usize = 3 + 2 * 4;
    const END: usize = 2 + 2 * 2;
    let mut text = String::new();
    let left_out = lines.len().saturating_sub(BEGINNING + END) / 2;
    for (index, line) in lines.iter().enumerate() {
        if left_out > 0 && index == BEGINNING {
            writeln!(text, "… {left_out} more turns …").unwrap();
        }
        if left_out == 0 || !(BEGINNING..lines.len() - END).contains(&index) {
            writeln!(text, "{line}").unwrap();
        }
    }
    text
}

#[test]
fn the_transcripts_of_the_documentation_are_what_a_program_hears() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bots");
    for (game, scenario, others) in [
        ("tron", "empty?width=6&height=6", "basic"),
        ("gather", "torus?width=3&height=2&players=2", "random"),
        ("polymer", "random?width=3&height=3&n=6", "random"),
        ("hextris", "drawn?size=16&phrases=ei!", "random"),
        ("pentocity", "random?side=8", "random"),
    ] {
        let text = transcript(game, scenario, others);
        let file = folder.join(format!("{game}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == text, "{} is not what is heard; UPDATE_GOLDEN=1 writes it", file.display());
    }
}
