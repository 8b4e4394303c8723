//! “Did you mean …?” for unknown names.

use std::collections::BTreeSet;

/// The most names that an error lists.
const MAX_LISTED: usize = 30;

/// The three names that resemble `wrong` most.
fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Vec<&'a str> {
    let mut names = known.to_vec();
    names.sort_by(|a, b| strsim::jaro_winkler(wrong, b).total_cmp(&strsim::jaro_winkler(wrong, a)));
    names.truncate(3);
    names
}

/// The known name nearest to `wrong`, if one is near enough to be the intended one.
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            *distance <= 1 + name.chars().count().max(wrong.chars().count()) / 3
                || (wrong.len() >= 3 && name.to_lowercase().starts_with(&wrong))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// One line about an unknown name: the name, and the nearest or all known names.
pub fn did_you_mean<'a>(
    what: &str,
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    describe_unknown(what, wrong, known.into_iter().collect())
}

/// The same for a list, so that this code is not compiled for every caller's iterator type.
fn describe_unknown(what: &str, wrong: &str, mut known: Vec<&str>) -> String {
    let mut seen = BTreeSet::new();
    known.retain(|name| seen.insert(*name));
    // A known name followed by more, such as tron:obstacles where tron is wanted.
    let begun = wrong.split([':', '/', '?']).next().unwrap_or_default();
    let begun = known.iter().copied().find(|name| begun.len() < wrong.len() && *name == begun);
    match closest(wrong, known.iter().copied()).or(begun) {
        Some(name) => format!("unknown {what} “{wrong}”; did you mean “{name}”?"),
        None if known.is_empty() => format!("unknown {what} “{wrong}”; there are none"),
        None if known.len() > MAX_LISTED => {
            let nearest = nearest(wrong, &known).join(", ");
            format!("unknown {what} “{wrong}”; the nearest of {} are {nearest}", known.len())
        }
        None => format!("unknown {what} “{wrong}”; known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_the_name() {
        assert_eq!(closest("tornament", ["tournament", "match"]), Some("tournament"));
        assert_eq!(closest("champoin", ["basic", "champion"]), Some("champion"));
        assert_eq!(closest("TRON", ["tron"]), Some("tron"));
        assert_eq!(closest("hack", ["hackerrank", "codingame"]), Some("hackerrank"));
    }

    #[test]
    fn names_with_a_suffix_find_the_name() {
        assert_eq!(
            did_you_mean("game", "tron:obstacles", ["polymer", "tron"]),
            "unknown game “tron:obstacles”; did you mean “tron”?"
        );
        assert_eq!(
            did_you_mean("claim", "tron/champoin-solo", ["tron", "tron/champion-solo"]),
            "unknown claim “tron/champoin-solo”; did you mean “tron/champion-solo”?"
        );
    }

    #[test]
    fn unlike_names_list_all() {
        assert_eq!(
            did_you_mean("player", "zzzzzzzz", ["basic", "uct", "basic"]),
            "unknown player “zzzzzzzz”; known: basic, uct"
        );
    }

    #[test]
    fn long_lists_show_the_nearest() {
        let names: Vec<String> = (100..190).map(|number| format!("claim/{number}")).collect();
        assert_eq!(
            did_you_mean("experiment", "no/188/such/thing", names.iter().map(String::as_str))
                .split(" are ")
                .next(),
            Some("unknown experiment “no/188/such/thing”; the nearest of 90")
        );
    }
}
