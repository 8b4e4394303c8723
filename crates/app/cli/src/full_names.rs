//! A player's full name, which begins with its game: `GAME/PLAYER` or `GAME:SCENARIO/PLAYER`; and
//! `GAME:SCENARIO`, where no player follows. All verbs that take the game from players' names do it
//! here.

use quintain_core::{AnyEntry, Catalog, SpecError, closest};

use crate::failure::Failure;

/// The players that arguments name, and the game that they play.
#[derive(PartialEq, Debug)]
pub(crate) struct Field {
    pub(crate) game: &'static str,
    /// The scenario, if it is given behind the game.
    pub(crate) scenario: Option<String>,
    /// The players, without their game.
    pub(crate) players: Vec<String>,
}

/// How a verb names the game.
#[derive(Clone, Copy, Default)]
pub(crate) struct Naming<'a> {
    /// The option that takes the names, to begin messages with.
    pub(crate) option: &'a str,
    /// What names the game besides full names, such as an option.
    pub(crate) otherwise: &'a [&'a str],
}

/// Parses names of players of one game. The game is `given` (as `GAME` or `GAME:SCENARIO`), or else
/// the first name is a full one, or that of a program which plays only one game; the others may be.
pub(crate) fn find_field<'a>(
    names: impl IntoIterator<Item = &'a str>,
    given: Option<&str>,
    catalog: &Catalog,
    naming: Naming<'_>,
) -> Result<Field, Failure> {
    let usage = |name: &str, problem: String| {
        let name = if name.is_empty() { "“”" } else { name };
        let option = if naming.option.is_empty() { "" } else { " " };
        Failure::Usage(format!("{}{option}{name}: {problem}", naming.option))
    };
    let mut field = match given {
        Some(given) => {
            let (game, scenario) = find_place(given, None)?;
            Some((catalog.entry(game)?.name(), scenario.map(str::to_owned)))
        }
        None => None,
    };
    let mut players = Vec::new();
    for name in names {
        let (place, player) = split(name, catalog)?;
        if let Some(problem) = missing_part(place, player) {
            return Err(usage(name, problem));
        }
        match (&field, place) {
            (None, None) => match find_only_game(name, catalog) {
                Some(game) => field = Some((game, None)),
                None => return Err(usage(name, missing_game(name, catalog, naming)?)),
            },
            (None, Some((game, scenario))) => field = Some((game, scenario.map(str::to_owned))),
            (Some((game, _)), Some((theirs, _))) if *game != theirs => {
                return Err(usage(
                    name,
                    format!("all players must play the same game, here {game}"),
                ));
            }
            (Some((_, scenario)), Some((_, Some(theirs))))
                if scenario.as_deref() != Some(theirs) =>
            {
                return Err(usage(
                    name,
                    "the scenario is the same for all players; name it once, with --scenario"
                        .to_owned(),
                ));
            }
            (Some(_), _) => {}
        }
        players.push(player.to_owned());
    }
    let (game, scenario) = field.expect("a game is given, or there is a name");
    Ok(Field { game, scenario, players })
}

/// Returns the game of a program that plays only one.
fn find_only_game(name: &str, catalog: &Catalog) -> Option<&'static str> {
    if !name.contains(':') {
        return None;
    }
    let games = catalog.entries().map(AnyEntry::name);
    let mut plays = games.filter(|game| catalog.player(game, name).is_ok());
    plays.next().filter(|_| plays.next().is_none())
}

/// Why no game knows a program. A program that only does not play some game is known.
fn find_unknown_program(name: &str, catalog: &Catalog) -> Option<Failure> {
    if !name.contains(':') {
        return None;
    }
    let mut problems = catalog.entries().map(|entry| catalog.player(entry.name(), name).err());
    let first = problems.next()??;
    let text = first.to_string();
    let is_same = |problem: Option<SpecError>| problem.is_some_and(|p| p.to_string() == text);
    problems.all(is_same).then(|| first.into())
}

/// Returns which part of a name is empty, and what to write.
fn missing_part(place: Option<Place<'_>>, player: &str) -> Option<String> {
    match (place, player) {
        (Some((game, Some(""))), _) => Some(format!(
            "the scenario is missing; expected {game}/PLAYER or {game}:SCENARIO/PLAYER"
        )),
        (Some((game, _)), "") => Some(format!(
            "the player is missing; expected {game}/PLAYER (quintain players {game} lists them)"
        )),
        (None, "") => Some("an empty argument; expected GAME/PLAYER".to_owned()),
        _ => None,
    }
}

/// Returns what to write instead of a name without a game.
///
/// # Errors
/// If the name is probably a game, with a typing error.
fn missing_game(name: &str, catalog: &Catalog, naming: Naming<'_>) -> Result<String, Failure> {
    if is_path(name) {
        return Ok(OWN_PROGRAM.to_owned());
    }
    if let Some(problem) = find_unknown_program(name, catalog) {
        return Err(problem);
    }
    let program = format!("bot:{name}");
    let is_program = |entry: &dyn AnyEntry| {
        !names_player(name, entry) && catalog.player(entry.name(), &program).is_ok()
    };
    if catalog.entries().any(is_program) {
        return Ok(format!("a program of bots.toml is called by {program}"));
    }
    let games: Vec<&str> = catalog.entries().map(AnyEntry::name).collect();
    if closest(name, games.iter().copied()).is_some() {
        catalog.entry(name)?;
    }
    let example = catalog.entries().find(|entry| names_player(name, *entry));
    let example = example.map_or("GAME", AnyEntry::name);
    let otherwise: String = naming.otherwise.iter().map(|way| format!(", or {way}")).collect();
    Ok(format!(
        "expected the game before the player, such as {example}/{name}{otherwise}; the games are \
         {}",
        games.join(", ")
    ))
}

/// What to say of a path in place of a player.
const OWN_PROGRAM: &str = "a program is named as in bots.toml, such as GAME/bot:NAME; `quintain \
    new player NAME` makes one";

/// Returns whether a name without a game looks like the path of a file.
fn is_path(name: &str) -> bool {
    let path = name.split('?').next().unwrap_or_default();
    let mut signs = path.chars();
    let has_drive = signs.next().is_some_and(|first| first.is_ascii_alphabetic())
        && signs.next() == Some(':')
        && signs.next().is_some_and(|third| matches!(third, '\\' | '/'));
    if has_drive {
        return true;
    }
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    !path.contains(':') && (path.starts_with(['.', '/', '~', '\\']) || file.contains('.'))
}

/// A game and perhaps one of its scenarios.
type Place<'a> = (&'static str, Option<&'a str>);

/// Splits a player's name into its place, if it is a full one, and the rest. Players may contain
/// slashes too (`exec:./mine`, `net?file=nets/a`), so the part before one is a place only if it
/// begins with a game.
fn split<'a>(name: &'a str, catalog: &Catalog) -> Result<(Option<Place<'a>>, &'a str), Failure> {
    let is_letter = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    let word = &name[..name.find(|sign| !is_letter(sign)).unwrap_or(name.len())];
    let rest = &name[word.len()..];
    if let Some(player) = rest.strip_prefix('/') {
        if catalog.entry(word).is_err() && is_path(name) {
            return Ok((None, name));
        }
        return Ok((Some((catalog.entry(word)?.name(), None)), player));
    }
    let (Some(rest), Ok(entry)) = (rest.strip_prefix(':'), catalog.entry(word)) else {
        return Ok((None, name));
    };
    // A scenario may contain slashes as well: file?path=maps/small.txt.
    let slashes = || rest.match_indices('/').map(|(at, _)| at);
    let is_known = |at: &usize| names_player(&rest[at + 1..], entry);
    let at = slashes().find(is_known).or_else(|| slashes().next().filter(|_| !rest.contains('?')));
    Ok(match at {
        Some(at) => (Some((entry.name(), Some(&rest[..at]))), &rest[at + 1..]),
        None => (None, name),
    })
}

/// Returns the player's own part of a full name, without its game and scenario.
pub(crate) fn player_part<'a>(name: &'a str, catalog: &Catalog) -> &'a str {
    split(name, catalog).map_or(name, |(_, player)| player)
}

/// Returns whether a text begins with a player of the game, or with a program.
fn names_player(text: &str, entry: &dyn AnyEntry) -> bool {
    let path = text.split(['?', '/']).next().unwrap_or_default();
    path.contains(':') || entry.players().iter().any(|known| known.name() == path)
}

/// Returns whether a text is a game or `GAME:SCENARIO`, and not a player's full name.
pub(crate) fn is_place(text: &str, catalog: &Catalog) -> bool {
    let game = text.split(':').next().unwrap_or(text);
    catalog.entry(game).is_ok() && matches!(split(text, catalog), Ok((None, _)))
}

/// Returns the place and the player of a full name where only a place can be.
pub(crate) fn find_misplaced<'a>(text: &'a str, catalog: &Catalog) -> Option<(&'a str, &'a str)> {
    let (Some((game, scenario)), player) = split(text, catalog).ok()? else { return None };
    let place = match scenario {
        Some("") => game,
        _ => &text[..text.len() - player.len() - 1],
    };
    // A scenario may end like a player, whether its file exists or not: file?path=maps/space.
    let is_scenario = scenario.is_some_and(|scenario| {
        let has_parameters = scenario.contains('?');
        catalog.game(game, text).is_ok() || has_parameters && catalog.game(game, place).is_err()
    });
    (!is_scenario).then_some((place, player))
}

/// Returns the game's name and its scenario. The game may be given as `GAME:SCENARIO`.
///
/// # Errors
/// If a scenario is also given by itself.
pub(crate) fn find_place<'a>(
    game: &'a str,
    given: Option<&'a str>,
) -> Result<(&'a str, Option<&'a str>), Failure> {
    match (game.split_once(':'), given) {
        (Some(("", _)), _) => Err(Failure::Usage(format!(
            "“{game}”: the game is missing before the colon; expected GAME or GAME:SCENARIO \
             (quintain games lists the games)"
        ))),
        (Some((game, "")), _) => Err(Failure::Usage(format!(
            "{game}: the scenario is missing after the colon; expected {game} or {game}:SCENARIO \
             (quintain scenarios {game} lists them)"
        ))),
        (Some((_, behind)), Some(given)) => Err(two_scenarios(behind, given)),
        (Some((game, behind)), None) => Ok((game, Some(behind))),
        (None, given) => Ok((game, given)),
    }
}

/// Returns the game that a scenario is written behind, if any, and the scenario. A parameter may
/// contain colons as well: `file?path=a:b.txt`.
#[cfg(any(test, feature = "programs"))]
pub(crate) fn split_scenario(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':').filter(|(game, _)| !game.contains('?')) {
        Some((game, scenario)) => (Some(game), scenario),
        None => (None, text),
    }
}

/// Returns the scenarios: the one behind the game, or those given by themselves.
///
/// # Errors
/// If both are given.
pub(crate) fn find_scenarios(
    behind: Option<String>,
    given: &[String],
) -> Result<Vec<String>, Failure> {
    match (behind, given) {
        (Some(behind), [given, ..]) => Err(two_scenarios(&behind, given)),
        (Some(behind), []) => Ok(vec![behind]),
        (None, given) => Ok(given.to_vec()),
    }
}

fn two_scenarios(behind: &str, given: &str) -> Failure {
    Failure::Usage(format!(
        "two scenarios are given: {behind} after the game, and --scenario {given}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;

    /// Two games, and a player of the first.
    fn games() -> (&'static str, &'static str, &'static str) {
        let catalog = catalog();
        let names: Vec<&str> = catalog.entries().map(AnyEntry::name).collect();
        (names[0], names[1], catalog.entry(names[0]).unwrap().players()[0].name())
    }

    fn field(names: &[&str], given: Option<&str>) -> Result<Field, String> {
        let naming = Naming { option: "--rival", otherwise: &["--game GAME"] };
        find_field(names.iter().copied(), given, &catalog(), naming)
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn paths_of_every_system_look_like_paths() {
        for path in ["./bot", "bot.py", "/opt/bot", r"C:\bots\bot.exe", "c:/bots/b", r"my\bot.exe"]
        {
            assert!(is_path(path), "{path}");
        }
        for name in ["champion", "bot:mine", "a:b", "net?file=a.qnet", "exec:./bot.py"] {
            assert!(!is_path(name), "{name}");
        }
    }

    #[test]
    fn a_full_name_names_the_game_of_all_players() {
        let (first, _, _) = games();
        let given =
            field(&[&format!("{first}/a?b=1/2"), "c", &format!("{first}/d")], None).unwrap();
        let players = ["a?b=1/2", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(given, Field { game: first, scenario: None, players });
        let given = field(&[&format!("{first}:s/a"), "c", &format!("{first}/d")], None).unwrap();
        assert_eq!(given.scenario.as_deref(), Some("s"));
        assert_eq!(given.players, ["a", "c", "d"]);
        let given = field(&["a", &format!("{first}/b")], Some(&format!("{first}:s"))).unwrap();
        assert_eq!((given.game, given.scenario.as_deref()), (first, Some("s")));
        assert_eq!(given.players, ["a", "b"]);
    }

    #[test]
    fn scenarios_and_players_may_contain_slashes() {
        let (first, _, player) = games();
        let given = field(&[&format!("{first}:s?path=a/b.txt/{player}?file=c/d")], None).unwrap();
        assert_eq!(given.scenario.as_deref(), Some("s?path=a/b.txt"));
        assert_eq!(given.players, [format!("{player}?file=c/d")]);
        let given = field(&[&format!("{first}:s?path=a/b.txt/exec:./mine")], None).unwrap();
        assert_eq!(given.players, ["exec:./mine"]);
        let given = field(&["exec:./mine", "bot:mine", "net?file=a/b"], Some(first)).unwrap();
        assert_eq!(given.players, ["exec:./mine", "bot:mine", "net?file=a/b"]);
        assert!(is_place(&format!("{first}:s?path=a/b.txt"), &catalog()));
        assert!(!is_place(&format!("{first}:s?path=a/b.txt/{player}"), &catalog()));
        assert!(!is_place(&format!("{first}/{player}"), &catalog()));
    }

    #[test]
    fn a_path_is_no_player() {
        let (first, _, player) = games();
        for path in ["./mine/bot.py", "mine/bot.py", "bot.py", "/home/me/bot", "~/bot", "../bot"] {
            let error = field(&[path, &format!("{first}/{player}")], None).unwrap_err();
            let expected = "a program is named as in bots.toml, such as GAME/bot:NAME; `quintain \
                new player NAME` makes one";
            assert_eq!(error, format!("--rival {path}: {expected}"));
        }
        assert!(field(&["net?file=a/b.c"], None).unwrap_err().contains("expected the game"));
    }

    #[test]
    fn full_names_in_place_of_games_are_found() {
        let (first, _, player) = games();
        let misplaced = format!("{first}:s/{player}");
        let place = format!("{first}:s");
        assert_eq!(find_misplaced(&misplaced, &catalog()), Some((&*place, player)));
        assert_eq!(find_misplaced(&format!("{first}/p?a=1"), &catalog()), Some((first, "p?a=1")));
        assert_eq!(
            find_misplaced(&format!("{first}:/{player}"), &catalog()),
            Some((first, player))
        );
        assert_eq!(find_misplaced(&place, &catalog()), None);
        // Neither reading is a scenario: the one that was probably meant is reported as a scenario.
        let missing = format!("{first}:s?path=no/{player}");
        assert_eq!(find_misplaced(&missing, &catalog()), None);
        assert_eq!(find_misplaced(&format!("{first}x/{player}"), &catalog()), None);
    }

    #[test]
    fn a_scenario_may_follow_its_game() {
        assert_eq!(split_scenario("a:b?c=d:e"), (Some("a"), "b?c=d:e"));
        assert_eq!(split_scenario("b?c=d:e"), (None, "b?c=d:e"));
        assert_eq!(split_scenario("a:"), (Some("a"), ""));
    }

    #[test]
    fn positional_mistakes_are_refused_in_one_line() {
        let (first, second, player) = games();
        let error = field(&[player], None).unwrap_err();
        let expected = format!(
            "--rival {player}: expected the game before the player, such as {first}/{player}, or \
             --game GAME; the games are {first}, "
        );
        assert!(error.starts_with(&expected), "{error}");
        let error = field(&[&format!("{first}/a"), &format!("{second}/b")], None).unwrap_err();
        let expected =
            format!("--rival {second}/b: all players must play the same game, here {first}");
        assert_eq!(error, expected);
        let error = field(&[&format!("{first}:s/a"), &format!("{first}:t/b")], None).unwrap_err();
        assert!(
            error.contains("the same for all players; name it once, with --scenario"),
            "{error}"
        );
        let error = field(&[&format!("{}x/a", &first)], None).unwrap_err();
        assert!(error.starts_with(&format!("unknown game “{first}x”; did you mean “{first}”?")));
        let error = field(&[&format!("{first}x")], None).unwrap_err();
        assert!(error.starts_with(&format!("unknown game “{first}x”; did you mean “{first}”?")));
        assert!(find_scenarios(Some("s".to_owned()), &["t".to_owned()]).is_err());
        for (name, missing) in [
            (format!("{first}/"), "the player"),
            (format!("{first}:s/"), "the player"),
            (format!("{first}:/{player}"), "the scenario"),
        ] {
            let error = field(&[&format!("{first}/a"), &name], None).unwrap_err();
            let expected = format!("--rival {name}: {missing} is missing; expected {first}/PLAYER");
            assert!(error.starts_with(&expected), "{error}");
        }
        let error = field(&[""], Some(first)).unwrap_err();
        assert_eq!(error, "--rival “”: an empty argument; expected GAME/PLAYER");
        let error = find_place(&format!("{first}:"), None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{first}: the scenario is missing")), "{error}");
        for text in [":", ":rooms"] {
            let error = find_place(text, None).unwrap_err().to_string();
            assert!(error.starts_with(&format!("“{text}”: the game is missing")), "{error}");
        }
    }
}
