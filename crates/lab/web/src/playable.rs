//! Decides which scenarios visitors may play, and which players they may seat.
//!
//! Only what [`listed_scenario`](quintain_core::AnyEntry::listed_scenario) and
//! [`listed_player`](quintain_core::AnyEntry::listed_player) have found may be built: another
//! reading of the same text could find something that was not looked at.

use quintain_core::parameters::Kind;
use quintain_core::{Listed, Spec};

/// Returns whether visitors may play a scenario: not if it reads a file of this machine by its
/// path.
pub(crate) fn can_be_played(scenario: &Listed) -> bool {
    scenario.parameters.iter().all(|parameter| parameter.name != "path")
}

/// Returns the message about a parameter that visitors may not set to this value, if there is one:
/// a player seated for a visitor takes no more than usual of this machine. Whole numbers (table
/// sizes, widths, depths, counts) may go up to their defaults, and text, which may be a file, must
/// stay unchanged.
pub(crate) fn find_refused_parameter(player: &Listed, spec: &Spec) -> Option<String> {
    if let Some((name, value)) = player.changed_text(spec) {
        return Some(format!("{name}={value}: it cannot be changed here"));
    }
    spec.arguments.iter().find_map(|(name, value)| {
        let known = player.parameters.iter().find(|known| known.name == name)?;
        let default = &known.default;
        match known.kind {
            Kind::Integer => {
                let (value, most) = (value.parse::<i128>().ok()?, default.parse::<i128>().ok()?);
                (value > most).then(|| format!("{name}={value}: at most {most} is allowed here"))
            }
            Kind::Text | Kind::Real | Kind::Flag | Kind::Choice(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::tests::catalog;

    #[test]
    fn what_visitors_name_is_looked_at_before_it_is_built() {
        let catalog = catalog();
        let entry = catalog.entry("tron").unwrap();
        for scenario in ["file?path=a", "tron:file?path=a"] {
            let (known, spec) = entry.listed_scenario(scenario).unwrap();
            assert!(!can_be_played(&known) && spec.path == "file");
        }
        // The catalogue would take the game away once more.
        for scenario in ["tron:tron:file?path=a", ":file?path=a", "pentocity:file", "nothing"] {
            let refused = entry.listed_scenario(scenario).unwrap_err().to_string();
            assert!(refused.starts_with("unknown tron scenario"), "{refused}");
        }
        for player in ["net?file=a", "tron/net?file=a"] {
            let (known, spec) = entry.listed_player(player).unwrap();
            assert!(find_refused_parameter(&known, &spec).is_some());
        }
        for player in ["tron/tron/net?file=a", "gather/champion", "/net", "exec:/bin/sh", "bot:a"] {
            let refused = entry.listed_player(player).unwrap_err().to_string();
            assert!(refused.starts_with("unknown tron player"), "{refused}");
        }
    }

    #[test]
    fn visitors_make_no_player_larger_than_it_is() {
        let catalog = catalog();
        for (spec, refused) in [
            ("champion", None),
            ("champion?table_bits=10", None),
            ("champion?table_bits=18", None),
            ("champion?table_bits=19", Some("table_bits=19: at most 18 is allowed here")),
            ("champion?cell=1&table_bits=+26", Some("table_bits=26: at most 18 is allowed here")),
            // A value that is not a number, or unknown, is refused when the player is made.
            ("champion?table_bits=large&depth=1000", None),
        ] {
            let spec: Spec = spec.parse().unwrap();
            let players = catalog.entry("tron").unwrap().players();
            let player = players.iter().find(|player| player.name() == spec.path).unwrap();
            assert_eq!(find_refused_parameter(player, &spec).as_deref(), refused, "{spec}");
        }
    }
}
