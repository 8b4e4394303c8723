//! The account of a finished command string: what it is worth and why, as in the contest's scorer.
//! The rules themselves are in [`crate::rules`].

use std::collections::BTreeSet;
use std::fmt;

use crate::rules::{Instance, LetterEffect, LetterError, State};

/// The account of a command string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Account {
    /// Points of locks.
    pub moves: u64,
    /// Points of phrases.
    pub power: u64,
    /// Lines removed.
    pub lines: u32,
    /// Units locked.
    pub locked: u32,
    /// Commands obeyed.
    pub commands: u64,
    /// How often each of the instance's phrases was spoken.
    pub counts: Vec<u32>,
    /// Where it ended.
    pub end: End,
}

impl Account {
    /// All points.
    pub fn score(&self) -> u64 {
        self.moves + self.power
    }

    /// How many different phrases were spoken.
    pub fn distinct(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0).count()
    }
}

/// Where a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Every unit has been placed.
    Units,
    /// The next unit found no room.
    Room,
    /// The commands ended before the game.
    Early {
        /// Units left, including the one on its way.
        left: u32,
    },
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Units => f.write_str("all units placed"),
            End::Room => f.write_str("no room for the next unit"),
            End::Early { left: 1 } => f.write_str("stopped with 1 unit left"),
            End::Early { left } => write!(f, "stopped with {left} units left"),
        }
    }
}

/// The first mistake of a command string, which makes it worthless.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("character {character} (“{}”, command {command}, unit {unit}): {why}", escape(*.letter))]
pub struct Mistake {
    /// Which character of the text, from 1.
    pub character: usize,
    /// Which command it is or would be, from 1.
    pub command: u64,
    /// Which unit was on its way, from 1; 0 if there was none.
    pub unit: u32,
    /// The character.
    pub letter: char,
    /// What is wrong with it.
    pub why: LetterError,
}

fn escape(letter: char) -> String {
    letter.escape_default().to_string()
}

/// Scores a command string.
///
/// # Errors
/// Returns the first mistake; the string is then worth 0.
pub fn score(instance: &Instance, text: &str) -> Result<Account, Mistake> {
    let mut state = instance.start();
    let never_began = state.came == 0;
    let mut commands = 0;
    let mut locked = 0;
    for (index, letter) in text.char_indices() {
        let byte = if letter.is_ascii() { letter as u8 } else { 0 };
        match instance.speak(&mut state, byte) {
            Ok(LetterEffect::Nothing) => {}
            Ok(LetterEffect::Moved) => commands += 1,
            Ok(LetterEffect::Locked { .. }) => {
                commands += 1;
                locked += 1;
            }
            // If not even the first unit found room, one command is allowed.
            Err(LetterError::Over) if never_began && commands == 0 => commands += 1,
            Err(why) => {
                let character = text[..index].chars().count() + 1;
                let unit = if state.walk.is_some() { state.came } else { 0 };
                return Err(Mistake { character, command: commands + 1, unit, letter, why });
            }
        }
    }
    Ok(account(instance, &state, commands, locked))
}

fn account(instance: &Instance, state: &State, commands: u64, locked: u32) -> Account {
    let end = if state.walk.is_some() {
        End::Early { left: instance.queue().len() as u32 - state.came + 1 }
    } else if instance.is_stuck(state) {
        End::Room
    } else {
        End::Units
    };
    Account {
        moves: state.moves,
        power: instance.power(state),
        lines: state.lines,
        locked,
        commands,
        counts: state.counts.clone(),
        end,
    }
}

/// The rank of a score in a table that has these scores. It is dense and depends on the score
/// alone: 1 and the number of different scores above it.
pub fn dense_rank(score: u64, scores: impl IntoIterator<Item = u64>) -> usize {
    let better: BTreeSet<u64> = scores.into_iter().filter(|other| *other > score).collect();
    1 + better.len()
}

/// The score of a problem: the total of its games divided by the number of seeds listed, rounded
/// down.
pub fn average(total: u64, seeds_listed: usize) -> u64 {
    total / seeds_listed.max(1) as u64
}
