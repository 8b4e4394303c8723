//! Writes the file of a new contest: every setting with an explanation, and with the organiser's
//! choice or the game's usual value. [`crate::config`] reads such files.

use quintain_arena::seeded_scenario;
use quintain_core::{AnyEntry, Catalog, SEED};

use crate::config::{Config, example_of, simplest_player, thinks_long};
use crate::zone::Zone;

/// Number of roster players among a new contest's house players, besides the simplest, if the game
/// shows none.
const MAX_SPARRING: usize = 2;

/// Settings for a new contest; omitted ones have the game's usual values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewContest {
    /// The game.
    pub game: String,
    /// Its name on pages.
    pub name: Option<String>,
    /// The scenarios; if empty, one that suits a ladder of the game.
    pub scenarios: Vec<String>,
    /// The thinking budget of a player.
    pub budget: Option<String>,
    /// Names of the two seats, if they play different roles.
    pub seats: Vec<String>,
    /// The house players; if empty, those that the game shows.
    pub house: Vec<String>,
    /// Whether numbers replace names until the final is over.
    pub has_hidden_names: bool,
    /// Whether pages are reached by HTTPS.
    pub has_https: bool,
    /// The name of the time zone; UTC by default.
    pub time_zone: Option<String>,
    /// When programs are no longer accepted.
    pub freeze: Option<String>,
    /// When the final begins.
    pub final_from: Option<String>,
}

/// Returns the text of a new contest's file.
///
/// # Errors
/// What is wrong with the settings.
pub(crate) fn write_new_file(new: &NewContest, catalog: &Catalog) -> Result<String, String> {
    let entry = catalog.entry(&new.game).map_err(|error| error.to_string())?;
    let zone = new.time_zone.as_deref().map_or(Ok(Zone::default()), Zone::find)?;
    for (what, time) in [("the freeze", &new.freeze), ("the final", &new.final_from)] {
        if let Some(time) = time.as_ref().filter(|time| zone.read_given(time).is_none()) {
            let expected = format!(
                "{what} begins at a time such as 2030-01-31T18:00:00Z (in UTC), \
                 2030-01-31T19:00:00+01:00, or with a time zone 2030-01-31T19:00:00, not {time:?}"
            );
            return Err(zone.explain(time, &expected));
        }
    }
    let text = template(entry, new);
    // The settings are checked in the same way as the finished file will be.
    Config::parse(&text, catalog).map_err(|problem| match problem.split_once(": ") {
        Some((line, rest)) if line.starts_with("line ") => rest.to_owned(),
        _ => problem,
    })?;
    Ok(text)
}

/// Returns whether a text is a time as host.toml has it, in this time zone or with its own.
pub fn is_time(text: &str, time_zone: Option<&str>) -> bool {
    let zone = time_zone.map_or(Ok(Zone::default()), Zone::find);
    zone.is_ok_and(|zone| zone.read_given(text).is_some())
}

/// Returns whether a text is the name of a time zone that this machine knows.
pub fn is_time_zone(text: &str) -> bool {
    Zone::find(text).is_ok()
}

/// Returns the scenario of a contest for which none is named: one on which seeds differ, since
/// players without chance would otherwise play the same match again and again; the game's first if
/// it has none.
pub fn usual_scenario(entry: &dyn AnyEntry) -> String {
    let first = || entry.scenarios().first().map_or("", |first| first.name()).to_owned();
    seeded_scenario(entry).unwrap_or_else(first)
}

/// Returns a game's default house players: those that it shows, or the first of its roster, and the
/// simplest. Players that think for as long as they may are left out: a contest would wait for them
/// in every match.
fn usual_house(entry: &dyn AnyEntry, scenario: &str) -> Vec<String> {
    let (_, showcase) = entry.showcase();
    let roster = entry.players();
    let simplest = simplest_player(entry, scenario).map(|player| player.spec);
    let able = |player: &str| {
        let handle = entry.player(player);
        let game = entry.game(&example_of(scenario));
        handle.is_ok_and(|handle| game.is_ok_and(|game| game.accepts(&handle).is_ok()))
    };
    let fits = |player: &str| able(player) && !thinks_long(entry, player);
    let mut house: Vec<String> = showcase.iter().filter(|player| fits(player)).cloned().collect();
    if house.iter().all(|player| Some(player) == simplest.as_ref()) {
        let names = roster.iter().map(|known| known.name().to_owned());
        let others = names.filter(|name| fits(name) && Some(name) != simplest.as_ref());
        house.extend(others.take(MAX_SPARRING));
    }
    house.extend(simplest);
    house.sort();
    house.dedup();
    house
}

fn template(entry: &dyn AnyEntry, new: &NewContest) -> String {
    let scenarios = match new.scenarios.is_empty() {
        true => vec![usual_scenario(entry)],
        false => new.scenarios.clone(),
    };
    let house = match new.house.is_empty() {
        true => usual_house(entry, &scenarios[0]),
        false => new.house.clone(),
    };
    let game = entry.name();
    let seats = match new.seats.is_empty() {
        true => "# seats = [\"builder\", \"sequencer\"]".to_owned(),
        false => format!("seats = {}", list(&new.seats)),
    };
    let (freeze, last) = (new.freeze.as_deref(), new.final_from.as_deref());
    format!(
        include_str!("host.toml.in"),
        game = game,
        seats = seats,
        scenarios = list(&scenarios),
        open = SEED,
        name = quoted(new.name.as_deref().unwrap_or(&format!("{game} contest"))),
        budget = quoted(new.budget.as_deref().unwrap_or("move=1s")),
        house = list(&house),
        hidden = new.has_hidden_names,
        https = new.has_https,
        time_zone = match &new.time_zone {
            Some(name) => format!("time_zone = {}", quoted(name)),
            None => "# time_zone = \"Europe/Berlin\"".to_owned(),
        },
        freeze = phase(
            freeze,
            "2030-01-31T18:00:00Z",
            "name = \"frozen\"",
            "submissions = false  # no more programs, the ladder settles",
        ),
        last = phase(last, "2030-02-01T18:00:00Z", "name = \"final\"", "final = 10").trim_end(),
    )
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// Renders a phase of the template, as a comment if it has no time.
fn phase(from: Option<&str>, example: &str, head: &str, rest: &str) -> String {
    let from_line = format!("from = {}", from.unwrap_or(example));
    let lines = ["[[phases]]", head, &from_line, rest];
    let mark = if from.is_some() { "" } else { "# " };
    lines.map(|line| format!("{mark}{line}\n")).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_valid_for_every_game() {
        let catalog = quintain_games::catalog();
        for entry in catalog.entries() {
            let new = NewContest { game: entry.name().to_owned(), ..NewContest::default() };
            let text = write_new_file(&new, &catalog).unwrap();
            let config = Config::parse(&text, &catalog).unwrap();
            assert!(!config.house.is_empty(), "{}: nobody plays", entry.name());
            let long = config.house.iter().find(|player| thinks_long(entry, player));
            assert_eq!(long, None, "{}: everybody would wait for it", entry.name());
        }
    }

    #[test]
    fn the_given_settings_are_in_the_file() {
        let catalog = quintain_games::catalog();
        let new = NewContest {
            game: "pentocity".to_owned(),
            name: Some("Cities “of” \"1916\"".to_owned()),
            scenarios: vec!["duel?side=20".to_owned()],
            seats: vec!["builder".to_owned(), "sequencer".to_owned()],
            house: vec!["g1".to_owned(), "sequencer?of=g6".to_owned()],
            freeze: Some("2040-01-01T00:00:00Z".to_owned()),
            final_from: Some("2040-01-02T00:00:00Z".to_owned()),
            ..NewContest::default()
        };
        let config = Config::parse(&write_new_file(&new, &catalog).unwrap(), &catalog).unwrap();
        assert_eq!(Some(&config.name), new.name.as_ref());
        assert_eq!(
            (config.scenarios, config.seats, config.house),
            (new.scenarios.clone(), new.seats.clone(), new.house.clone())
        );
        assert_eq!(config.phases.len(), 3);
        assert!(!config.phases[1].takes_programs() && config.phases[1].has_ladder());
        assert_eq!(config.phases[2].rounds, Some(10));
        let error_of = |new: NewContest| write_new_file(&new, &catalog).unwrap_err();
        let late = NewContest { freeze: Some("tomorrow".to_owned()), ..new.clone() };
        assert!(error_of(late).starts_with("the freeze begins at a time such as 2030"));
        let skipped = NewContest {
            time_zone: Some("Europe/Berlin".to_owned()),
            freeze: Some("2030-03-31T02:30:00".to_owned()),
            ..new.clone()
        };
        assert!(error_of(skipped).contains("clocks are put forward then: write 2030-03-31T01:30"));
        let turned =
            NewContest { final_from: Some("2039-01-02T00:00:00Z".to_owned()), ..new.clone() };
        assert!(error_of(turned).contains("in the order of their times"));
        let mixed = vec!["duel".to_owned(), "stars".to_owned()];
        let mixed = NewContest { scenarios: mixed, ..new.clone() };
        assert!(error_of(mixed).contains("cannot be compared with those on"));
        let alone = NewContest { scenarios: vec!["stars".to_owned()], house: Vec::new(), ..new };
        assert!(error_of(alone).contains("two names"));
    }
}
