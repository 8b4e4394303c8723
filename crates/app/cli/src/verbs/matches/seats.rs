//! Players and seats: whether they are equal in number, and which scenario has as many seats.

use quintain_core::{AnyEntry, AnyGame, PlayerHandle, Spec};

use crate::failure::Failure;
use crate::lists::format_count;

/// Returns the scenario with this many seats, if a parameter determines the number.
pub(super) fn with_seats(entry: &dyn AnyEntry, scenario: &str, wanted: usize) -> Option<String> {
    let mut spec = scenario.parse::<Spec>().ok()?;
    spec.arguments.retain(|(name, _)| name != "players");
    spec.arguments.push(("players".to_owned(), wanted.to_string()));
    let text = spec.to_string();
    entry.game(&text).is_ok_and(|game| game.seats() == wanted).then_some(text)
}

/// Checks that there is one player for each seat.
///
/// # Errors
/// How many there are, and a scenario with as many seats.
pub(super) fn check_seats(
    entry: &dyn AnyEntry,
    game: &dyn AnyGame,
    players: &[&PlayerHandle],
) -> Result<(), Failure> {
    if players.len() != game.seats() {
        let (name, scenario) = (game.name(), game.scenario());
        let (seats, given) =
            (format_count(game.seats(), "seat"), format_count(players.len(), "player"));
        return Err(Failure::Usage(
            format!(
                "{name}:{scenario} has {seats}, but {given} {} given; name one for each seat",
                if players.len() == 1 { "was" } else { "were" },
            ) + &with_seats(entry, scenario, players.len())
                .map_or(String::new(), |text| format!(", or use --scenario \"{text}\"")),
        ));
    }
    for player in players {
        game.accepts(player)?;
    }
    Ok(())
}
