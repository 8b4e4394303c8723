//! “Did you mean …?” for names that nobody knows.

/// The known name nearest to `wrong`, if one is near enough to be meant.
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

/// One line about an unknown name: what was asked for, what is near, what there is.
pub fn did_you_mean<'a>(
    what: &str,
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    // A known name with more behind it, such as tron:obstacles where tron is wanted.
    let begun = wrong.split([':', '/', '?']).next().unwrap_or_default();
    if let Some(name) = known.iter().find(|name| begun.len() < wrong.len() && **name == begun) {
        return format!("unknown {what} “{wrong}”; did you mean “{name}”?");
    }
    match closest(wrong, known.iter().copied()) {
        Some(name) => format!("unknown {what} “{wrong}”; did you mean “{name}”?"),
        None if known.is_empty() => format!("unknown {what} “{wrong}”; there are none"),
        None => format!("unknown {what} “{wrong}”; known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        assert_eq!(closest("tornament", ["tournament", "match"]), Some("tournament"));
        assert_eq!(closest("champoin", ["basic", "champion"]), Some("champion"));
        assert_eq!(closest("TRON", ["tron"]), Some("tron"));
        assert_eq!(closest("hack", ["hackerrank", "codingame"]), Some("hackerrank"));
    }

    #[test]
    fn a_name_with_more_behind_it_finds_its_beginning() {
        assert_eq!(
            did_you_mean("game", "tron:obstacles", ["polymer", "tron"]),
            "unknown game “tron:obstacles”; did you mean “tron”?"
        );
    }

    #[test]
    fn a_name_like_no_other_lists_them() {
        assert_eq!(
            did_you_mean("player", "zzzzzzzz", ["basic", "uct"]),
            "unknown player “zzzzzzzz”; known: basic, uct"
        );
    }
}
