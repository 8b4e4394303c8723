//! How a person plays: the letters of every command are keys, so that phrases are typed as they are
//! spoken; the keys around the arrows give the six commands too.

use quintain_core::ui::{Key, Keyboard, SolvedError};
use quintain_core::{Rng, Rules};

use crate::notation::{CommandString, CommandStringError, Solution, write_solutions};
use crate::roster::roster;
use crate::rules::commands::{Command, command_of};

/// The keyboard of hextris.
pub(crate) const KEYBOARD: Keyboard = Keyboard {
    help: "← → move  End PgDn fall  Home PgUp turn  or letters",
    action,
    names: &[
        (Key::Left, "left"),
        (Key::Right, "right"),
        (Key::End, "down left"),
        (Key::PageDown, "down right"),
        (Key::PageUp, "turn right"),
        (Key::Home, "turn left"),
    ],
    pointing: None,
    solution: Some(solution),
};

fn action(key: Key) -> Option<String> {
    let command = match key {
        Key::Character(letter) => {
            let spoken = letter.is_ascii() && command_of(letter as u8).is_some();
            let text = if letter == ' ' { "_".to_owned() } else { letter.to_string() };
            return spoken.then_some(text);
        }
        Key::Left => Command::West,
        Key::Right => Command::East,
        Key::Down | Key::End => Command::SouthWest,
        Key::PageDown => Command::SouthEast,
        Key::Up | Key::PageUp => Command::Clockwise,
        Key::Home => Command::CounterClockwise,
    };
    Some(char::from(command.letter()).to_string())
}

/// Writes what was spoken in the contest's form.
fn solution(scenario: &str, actions: &[String]) -> Result<String, SolvedError> {
    let (built, _) = roster().build(scenario).map_err(|error| error.to_string())?;
    let rules = built.rules().clone();
    let mut state = built.start(&mut Rng::from_seed(0));
    let mut text = String::new();
    for action in actions {
        let commands: CommandString =
            action.parse().map_err(|error: CommandStringError| error.to_string())?;
        rules.step(&mut state, std::slice::from_ref(&commands));
        text += commands.text();
    }
    let instance = rules.instance();
    Ok(write_solutions(&[Solution {
        problem_id: instance.problem().id(),
        seed: instance.seed(),
        tag: "played by hand".to_owned(),
        solution: text,
    }]))
}
