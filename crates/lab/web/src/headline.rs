//! The title of a match for people who choose and watch one: “Tron, rooms 19×15, seed 1: champion
//! beat space”. Names for programs (`tron:rooms?width=19&height=15`) are not made here.

use quintain_core::{AnyGame, Objective, Record, Scoring, Seat};
use quintain_scene::clean;

/// With more players than this, their number is given instead of their names.
const NAMED: usize = 4;

/// Returns where a recorded match was played.
pub fn place_of(record: &Record) -> String {
    let fixture = &record.fixture;
    place(&fixture.game, &fixture.scenario, &fixture.seed.to_string())
}

/// Returns who played a recorded match, and the result.
pub fn result_of(game: &dyn AnyGame, record: &Record) -> String {
    let scores = Some(record.outcome.scores.as_slice());
    result(&record.fixture.seats, scores, (game.objective(), game.scoring()))
}

/// Returns the name of a seat: A, B and so on, and from 27 on a number.
pub fn letter(seat: usize) -> String {
    Seat::new(seat).letter()
}

/// Returns the game, the scenario and the seed, if it is known, in words.
pub(crate) fn place(game: &str, scenario: &str, seed: &str) -> String {
    let (game, words) = (game_name(game), scenario_words(scenario, seed));
    let seed = if seed.is_empty() { String::new() } else { format!(", seed {seed}") };
    clean(&format!("{game}, {words}{seed}"))
}

/// Returns the name of a game as it stands at the beginning of a title.
fn game_name(game: &str) -> String {
    let mut letters = game.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The number of a match, if its site numbers matches.
#[cfg(feature = "serve")]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MatchNumber {
    /// The site tells its matches apart by their seeds.
    #[default]
    None,
    /// The site numbers its matches, and does not know this one yet.
    NotYet,
    /// This is its number.
    Is(i64),
}

/// Returns the same, but with the number of the match in place of the seed, where the site numbers
/// its matches: "Tron on rooms 19×15, match 41".
#[cfg(feature = "serve")]
pub(crate) fn place_with(
    (game, scenario): (&str, &str),
    seed: &str,
    number: MatchNumber,
) -> String {
    let number = match number {
        MatchNumber::None => return place(game, scenario, seed),
        MatchNumber::NotYet => String::new(),
        MatchNumber::Is(number) => format!(", match {number}"),
    };
    clean(&format!("{} on {}{number}", game_name(game), scenario_words(scenario, seed)))
}

/// Returns a scenario as people say it: `rooms 19×15`, `stars, side 20`; a parameter that repeats
/// the seed is left out.
fn scenario_words(scenario: &str, seed: &str) -> String {
    let Some((name, parameters)) = scenario.split_once('?') else { return scenario.to_owned() };
    let pairs: Vec<(&str, &str)> =
        parameters.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let value = |wanted: &str| pairs.iter().find(|(key, _)| *key == wanted).map(|pair| pair.1);
    let size = value("width").zip(value("height"));
    let mut words = name.to_owned();
    if let Some((width, height)) = size {
        words += &format!(" {width}×{height}");
    }
    let is_size = |key: &str| size.is_some() && ["width", "height"].contains(&key);
    let is_said = |key: &str, value: &str| is_size(key) || (key, value) == ("seed", seed);
    for (key, value) in pairs.iter().filter(|(key, value)| !is_said(key, value)) {
        words += &format!(", {} {value}", key.replace('_', " "));
    }
    words
}

/// Returns who played.
pub(crate) fn players(players: &[String]) -> String {
    let clean_names: Vec<String> = players.iter().map(|name| clean(name)).collect();
    match clean_names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, _, _, ..] if clean_names.iter().all(|own| own == one) => {
            format!("{} × {one}", clean_names.len())
        }
        names if names.len() > NAMED => format!("{} players", names.len()),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns who played, and the result if the match is over.
pub(crate) fn result(
    players: &[String],
    scores: Option<&[f64]>,
    (goal, contest): (Objective, Scoring),
) -> String {
    let clean_names: Vec<String> = players.iter().map(|name| clean(name)).collect();
    let who = self::players(players);
    let Some(scores) = scores.filter(|scores| scores.len() == players.len()) else {
        return who;
    };
    let score = |seat: usize| (scores[seat] * 1000.0).round() / 1000.0;
    if contest == Scoring::Independent || players.len() < 2 {
        let first = scores.first().copied();
        return match first {
            Some(first) if scores.iter().all(|own| *own == first) => {
                format!("{who} scored {}", score(0))
            }
            _ => who,
        };
    }
    let gain = |seat: &usize| goal.gain(scores[*seat]);
    let best = (0..players.len()).map(|seat| gain(&seat)).fold(f64::NEG_INFINITY, f64::max);
    let (first, rest): (Vec<usize>, Vec<usize>) =
        (0..players.len()).partition(|seat| gain(seat) == best);
    match (first.as_slice(), rest.as_slice()) {
        ([winner], [other]) => format!("{} beat {}", clean_names[*winner], clean_names[*other]),
        ([winner], _) => format!("{} beat {} others", clean_names[*winner], rest.len()),
        _ if rest.is_empty() => format!("{who} drew"),
        _ => format!("{} of {} players shared the lead", first.len(), players.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "serve")]
    #[test]
    fn a_match_with_a_number_has_it_in_place_of_the_seed() {
        let rooms = ("tron", "rooms?width=19&height=15");
        assert_eq!(place_with(rooms, "7", MatchNumber::Is(41)), "Tron on rooms 19×15, match 41");
        assert_eq!(place_with(rooms, "7", MatchNumber::None), "Tron, rooms 19×15, seed 7");
        assert_eq!(place_with(rooms, "7", MatchNumber::NotYet), "Tron on rooms 19×15");
        assert_eq!(
            place_with(("hextris", "drawn?size=6&seed=7"), "7", MatchNumber::Is(1)),
            "Hextris on drawn, size 6, match 1"
        );
    }

    fn headline(players: &[&str], scores: &[f64], contest: Scoring) -> String {
        let players: Vec<String> = players.iter().map(|name| (*name).to_owned()).collect();
        result(&players, Some(scores), (Objective::Maximize, contest))
    }

    #[test]
    fn a_scenario_is_described_in_words() {
        let rooms = place("tron", "rooms?width=19&height=15", "1");
        assert_eq!(rooms, "Tron, rooms 19×15, seed 1");
        assert_eq!(place("pentocity", "stars?side=20", "3"), "Pentocity, stars, side 20, seed 3");
        assert_eq!(place("polymer", "L08_s01", ""), "Polymer, L08_s01");
        assert_eq!(place("polymer", "L08_s01?seed=3", "3"), "Polymer, L08_s01, seed 3");
    }

    #[test]
    fn a_result_is_described_in_words() {
        let rivals = Scoring::Adversarial;
        assert_eq!(headline(&["a", "b"], &[1.0, 0.0], rivals), "a beat b");
        assert_eq!(headline(&["a", "b"], &[0.5, 0.5], rivals), "a and b drew");
        assert_eq!(headline(&["a", "b", "c"], &[0.0, 1.0, 0.0], rivals), "b beat 2 others");
        let shared = headline(&["a", "b", "c"], &[0.5, 0.5, 0.0], rivals);
        assert_eq!(shared, "2 of 3 players shared the lead");
        assert_eq!(headline(&["a"], &[12.0], Scoring::Independent), "a scored 12");
        let same = headline(&["a", "a", "a"], &[7.0; 3], Scoring::Independent);
        assert_eq!(same, "3 × a scored 7");
    }

    #[test]
    fn a_running_match_shows_only_its_players() {
        let players = ["a".to_owned(), "b".to_owned()];
        let who = result(&players, None, (Objective::Maximize, Scoring::Adversarial));
        assert_eq!(who, "a and b");
    }
}
