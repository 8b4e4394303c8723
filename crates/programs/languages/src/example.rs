//! The beginning of a match for a new player's test. It is chosen such that much of the observation
//! changes, by playing a few matches on the game's scenarios. This works for any game: the meaning
//! of the observation is not known here.

use std::collections::{BTreeMap, BTreeSet};

use quintain_core::{AnyEntry, Catalog, SpecError};
use quintain_protocol::{Choice, Line, transcribe, without_version};
use serde_json::Value;

/// Number of turns in the example.
const TURNS: usize = 8;
/// Maximum size of the example in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Ways to choose an action: a program that always takes the first may not move at all.
const CHOICES: [Choice; 4] = [
    |_, _| 0,
    |_, offered| offered - 1,
    |turn, offered| turn % offered,
    // A pattern with which no game is likely to be in step.
    |turn, offered| (turn * turn + 3 * turn + 5) * 7 % 31 % offered,
];

/// Returns the messages that a program receives at the beginning of a match, one per line.
///
/// # Errors
/// If no match can be played on the first of these scenarios.
pub(crate) fn example(
    entry: &dyn AnyEntry,
    catalog: &Catalog,
    scenarios: &[String],
    opponent: &str,
) -> Result<String, SpecError> {
    let listen = |scenario: &str, choice: Choice| {
        transcribe(catalog, entry.name(), scenario, opponent, Some(TURNS), choice)
            .map(format_messages)
    };
    let first = listen(scenarios.first().map_or("", String::as_str), CHOICES[0])?;
    let mut best = (richness(&first), first);
    for scenario in scenarios {
        for choice in CHOICES {
            // Some scenarios need a file, or more players of another kind.
            let Ok(text) = listen(scenario, choice) else { break };
            let richness = richness(&text);
            if text.len() <= MAX_BYTES && richness > best.0 {
                best = (richness, text);
            }
        }
    }
    Ok(best.1)
}

fn format_messages(lines: Vec<Line>) -> String {
    // Our version is left out, so that what the next release makes is the same program.
    let heard = lines.into_iter().filter_map(|line| match line {
        Line::ToProgram(text) => Some(without_version(&text) + "\n"),
        Line::FromProgram(_) => None,
    });
    heard.collect()
}

/// Returns how much an example shows: whether it has many turns, how many parts of the observation
/// change, and how many turns there are.
fn richness(example: &str) -> (bool, usize, usize) {
    let messages = example.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let seen: Vec<Value> = messages
        .filter_map(|mut message| message.get_mut("observation").map(Value::take))
        .collect();
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, value) in seen.iter().filter_map(Value::as_object).flatten() {
        values.entry(name).or_default().insert(value.to_string());
    }
    let changing = values.values().filter(|values| values.len() > 1).count();
    (2 * seen.len() >= TURNS, changing, seen.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_every_game_has_many_turns_in_which_something_changes() {
        let catalog = quintain_games::catalog();
        for entry in catalog.entries() {
            let opponent = entry.players()[0].name();
            let scenarios: Vec<String> =
                entry.scenarios().iter().map(|known| known.name().to_owned()).collect();
            let text = example(entry, &catalog, &scenarios, opponent).unwrap();
            let (has_many, changing, turns) = richness(&text);
            assert!(has_many && changing >= 2, "{}: {changing}, {turns}\n{text}", entry.name());
            assert!(text.len() <= MAX_BYTES, "{}: {}", entry.name(), text.len());
        }
    }

    #[test]
    fn an_unchanging_example_shows_nothing() {
        let turn = |round: u32| format!("{{\"observation\":{{\"width\":9,\"round\":{round}}}}}\n");
        assert_eq!(richness(&(turn(1) + &turn(1))), (false, 0, 2));
        assert_eq!(richness(&(1..=4).map(turn).collect::<String>()), (true, 1, 4));
    }
}
