//! How two definitions of a tournament differ: what a user changed between two runs, in the file or
//! in a program that plays in it.

use serde_json::{Map, Value};

/// The key of the players that were left out of a tournament.
pub(crate) const LEFT_OUT: &str = "left_out";

/// Describes the differences, a phrase each, such as `seeds: 6 instead of 3` or `players: greedy is
/// new`. Empty if the definitions are the same.
///
/// ```
/// use quintain_arena::describe_changes;
///
/// let before = r#"{"seeds": 3, "players": [["basic", 1], ["random", 1], ["bot:mine", 5]]}"#;
/// let after = r#"{"seeds": 6, "players": [["basic", 2], ["greedy", 1], ["bot:mine", 8]]}"#;
/// assert_eq!(
///     describe_changes(before, after),
///     [
///         "players: basic has another version (2 instead of 1), greedy is new, \
///          the files of bot:mine changed, random is gone",
///         "seeds: 6 instead of 3",
///     ]
/// );
/// ```
pub fn describe_changes(before: &str, after: &str) -> Vec<String> {
    let read = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let (before, after) = (read(before), read(after));
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    let mut keys: Vec<&String> = after.keys().chain(gone).collect();
    keys.sort();
    // Who was left out is gone from the players.
    let differs = |key: &&&String| **key != LEFT_OUT && before.get(**key) != after.get(**key);
    keys.iter()
        .filter(differs)
        .map(|key| describe(key, before.get(*key), after.get(*key)))
        .collect()
}

fn describe(key: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned();
    match (list(before), list(after)) {
        (Some(before), Some(after)) => {
            let phrases = describe_lists(&before, &after);
            let order = vec!["in a different order".to_owned()];
            format!("{key}: {}", if phrases.is_empty() { order } else { phrases }.join(", "))
        }
        _ => format!("{key}: {} instead of {}", text(after), text(before)),
    }
}

/// Entries that are new, gone, or have another version.
fn describe_lists(before: &[Value], after: &[Value]) -> Vec<String> {
    let mut phrases = Vec::new();
    for entry in after {
        let (name, version) = split_entry(entry);
        match before.iter().map(split_entry).find(|(known, _)| *known == name) {
            None => phrases.push(format!("{name} is new")),
            // A program's version is a digest, which tells a reader nothing.
            Some((_, known)) if known != version && is_program(&name) => {
                phrases.push(format!("the files of {name} changed"));
            }
            Some((_, known)) if known != version => phrases.push(format!(
                "{name} has another version ({} instead of {})",
                text(version),
                text(known)
            )),
            Some(_) => {}
        }
    }
    let gone = before.iter().map(|entry| split_entry(entry).0);
    let gone = gone.filter(|name| !after.iter().any(|entry| split_entry(entry).0 == *name));
    phrases.extend(gone.map(|name| format!("{name} is gone")));
    phrases
}

/// Whether a player is a program, such as `bot:mine`.
fn is_program(name: &str) -> bool {
    name.split_once(':').is_some_and(|(kind, _)| kind.chars().all(|c| c.is_ascii_lowercase()))
}

/// The entry's name, and its version where the entry is a pair of both.
fn split_entry(entry: &Value) -> (String, Option<&Value>) {
    match entry.as_array().map(Vec::as_slice) {
        Some([name, version]) => (text(Some(name)), Some(version)),
        _ => (text(Some(entry)), None),
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
