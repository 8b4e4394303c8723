//! A player's full name where the game is expected: the command that was probably meant.

use quintain_core::{Catalog, Scoring};
use quintain_scene::quote;

use super::seats::with_seats;
use crate::failure::Failure;
use crate::full_names::find_place;

/// With more seats, missing players are not written out.
const MAX_SEATS: usize = 8;

/// What was given on the command line.
pub(super) struct Given<'a> {
    pub(super) game: &'a str,
    pub(super) scenario: Option<&'a str>,
    pub(super) players: &'a [String],
}

/// Returns what to say of a player `player` behind the game or scenario `place`.
pub(super) fn correct(given: &Given<'_>, place: &str, player: &str, catalog: &Catalog) -> Failure {
    let game = place.split(':').next().unwrap_or(place);
    // The others may have their full names, too.
    let others = given.players.iter().map(|name| {
        name.strip_prefix(game).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
    });
    let players = [player].into_iter().chain(others);
    let mut players: Vec<&str> = players.filter(|word| !word.is_empty()).collect();
    let place = fit_seats(given, place, &mut players, catalog).unwrap_or(place.to_owned());
    let scenario = given.scenario.map(|scenario| format!(" --scenario {}", quote(scenario)));
    let words: Vec<String> = [place.as_str()].into_iter().chain(players).map(quote).collect();
    Failure::Usage(format!(
        "{}: expected GAME or GAME:SCENARIO, and the players after it: quintain match {}{}",
        given.game,
        words.join(" "),
        scenario.unwrap_or_default()
    ))
}

/// Makes players and seats equal in number: by a scenario with as many seats, which is returned
/// behind its game, or else by leaving players out, or places for those that are missing.
fn fit_seats(
    given: &Given<'_>,
    place: &str,
    players: &mut Vec<&str>,
    catalog: &Catalog,
) -> Option<String> {
    let (game, scenario) = find_place(place, given.scenario).ok()?;
    let entry = catalog.entry(game).ok()?;
    let scenario = match scenario {
        Some(scenario) => scenario,
        None => entry.scenarios().first()?.name(),
    };
    let game = entry.game(scenario).ok()?;
    let one_for_all = players.len() == 1 && game.scoring() == Scoring::Independent;
    if players.is_empty() || one_for_all || players.len() == game.seats() {
        return None;
    }
    if given.scenario.is_none()
        && let Some(fitting) = with_seats(entry, scenario, players.len())
    {
        return Some(format!("{}:{fitting}", entry.name()));
    }
    if game.seats() <= MAX_SEATS {
        players.resize(game.seats(), "PLAYER");
    }
    None
}
