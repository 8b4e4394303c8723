//! Broken tournament files: one clear line, with the position.

use quintain_arena::Tournament;

use crate::count::catalog;

/// The error for a file with these lines.
fn error_of(lines: &[&str]) -> String {
    match Tournament::parse(&lines.join("\n"), "cup.toml", &catalog()) {
        Ok(_) => panic!("{lines:?} was accepted"),
        Err(error) => {
            let said = error.to_string();
            assert!(!said.contains('\n'), "more than one line: {said}");
            said
        }
    }
}

const GAME: &str = "game = 'count'";
const PLAYERS: &str = "players = ['random', 'steady']";

#[test]
fn broken_toml_is_shown_with_line_and_column() {
    let broken = error_of(&[GAME, "players = ['random'", "seeds = 3"]);
    assert!(broken.starts_with("cup.toml:3:"), "{broken}");
    assert!(
        error_of(&["game = count"]).starts_with("cup.toml:1:8: "),
        "{}",
        error_of(&["game = count"])
    );
    assert!(error_of(&["game = tron"]).ends_with("text needs quotes, such as \"tron\""));
}

#[test]
fn an_unknown_key_is_answered_with_a_near_one() {
    assert_eq!(
        error_of(&[GAME, PLAYERS, "  seedz = 3"]),
        "cup.toml:3:3: unknown key “seedz”; did you mean “seeds”?"
    );
}

#[test]
fn an_unknown_name_is_answered_with_a_near_one() {
    assert_eq!(
        error_of(&["game = 'cuont'", PLAYERS]),
        "cup.toml:1:8: unknown game “cuont”; did you mean “count”?"
    );
    assert_eq!(
        error_of(&[GAME, "players = [", "  'random',", "  'steedy',", "]"]),
        "cup.toml:4:3: unknown count player “steedy”; did you mean “steady”?"
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "scenarios = ['tabel']"]),
        "cup.toml:3:14: unknown count scenario “tabel”; did you mean “table”?"
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "format = 'verses'"]),
        "cup.toml:3:10: unknown format “verses”; did you mean “versus”?"
    );
}

#[test]
fn a_wrong_parameter_is_refused_at_its_place() {
    assert_eq!(
        error_of(&[GAME, "players = ['random', 'steady?ad=2']"]),
        "cup.toml:2:22: player count/steady?ad=2: unknown parameter “ad”; did you mean “add”?"
    );
    assert_eq!(
        error_of(&[GAME, "players = ['random', 'steady?add=4']"]),
        "cup.toml:2:22: player count/steady?add=4: parameter add=4: expected from 1 to 3"
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "budget = 'nodes=none'"]).split(';').next().unwrap(),
        "cup.toml:3:10: budget “nodes=none”: “none” is not a positive whole number"
    );
}

#[test]
fn a_value_of_the_wrong_kind_or_size_is_refused() {
    assert_eq!(
        error_of(&[GAME, PLAYERS, "seeds = 'ten'"]),
        "cup.toml:3:9: seeds: expected a whole number, found string"
    );
    assert!(
        error_of(&[GAME, PLAYERS, "seeds = 0"]).starts_with("cup.toml:3:9: seeds = 0: expected")
    );
    assert!(
        error_of(&[GAME, PLAYERS, "seed = -1"]).starts_with("cup.toml:3:8: seed = -1: expected")
    );
    assert_eq!(
        error_of(&[GAME, "players = 'random'"]),
        "cup.toml:2:11: players: expected a list of texts in brackets, found string"
    );
    assert_eq!(error_of(&[GAME, "players = []"]), "cup.toml:2:11: players: the list is empty");
    assert_eq!(error_of(&[GAME, "players = ['']"]), "cup.toml:2:12: players: the text is empty");
    assert_eq!(
        error_of(&[GAME, PLAYERS, "notes = 1"]),
        "cup.toml:3:9: notes: expected true or false, found integer"
    );
}

#[test]
fn what_is_missing_is_named_with_an_example() {
    assert!(error_of(&[PLAYERS]).contains("“game” is missing"));
    assert!(error_of(&[GAME]).contains("“players” is missing; write for example players = ["));
    assert!(error_of(&[""]).starts_with("cup.toml:1:1: "));
}

#[test]
fn the_same_player_twice_is_refused_however_it_is_written() {
    assert_eq!(
        error_of(&[GAME, "players = ['steady', 'count/steady?add=1']"]),
        "cup.toml:2:22: player steady is listed twice"
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "scenarios = ['table', 'table?target=10']"]),
        "cup.toml:3:23: scenario table is listed twice"
    );
}

#[test]
fn players_seats_and_format_must_go_together() {
    assert!(
        error_of(&[GAME, "players = ['random']"]).contains("needs 2 different players, but 1 is")
    );
    assert!(
        error_of(&[GAME, PLAYERS, "format = 'solo'", "scenarios = ['table']"])
            .starts_with("cup.toml:4:14: table has 2 seats, but solo is for one seat")
    );
    assert!(
        error_of(&[GAME, PLAYERS, "format = 'versus'", "scenarios = ['table?seats=1']"])
            .contains("write format = \"solo\"")
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "sample = 3"]),
        "cup.toml:3:10: sample is for format = \"mixed\" only"
    );
    assert_eq!(
        error_of(&[GAME, PLAYERS, "format = 'mixed'", "sample = 5"]),
        "cup.toml:4:10: sample = 5, but table has only 4 line-ups"
    );
    assert!(
        error_of(&[GAME, PLAYERS, "format = 'mixed'", "scenarios = ['table?seats=165']"])
            .contains("write for example sample = 100")
    );
    assert!(
        error_of(&[GAME, PLAYERS, "format = 'mirror'", "scenarios = ['table', 'table?seats=1']"])
            .starts_with("cup.toml:4:23: scores on table?seats=1 cannot be compared with")
    );
    assert_eq!(
        error_of(&[GAME, "players = ['random', 'refuses']"]),
        "cup.toml:2:22: player refuses at count:table: 2 seats are not to its taste"
    );
}

#[test]
fn more_matches_than_can_be_counted_are_refused() {
    let steady = ["random", "steady", "steady?add=2", "steady?add=3", "hooked", "panics"];
    let players = format!("players = {steady:?}");
    let scenarios = "scenarios = ['table?seats=165']";
    let counted = [GAME, &players, scenarios, "format = 'mixed'", "sample = 1_000_000_000"];
    let said = error_of(&[&counted[..], &["seeds = 1_000_000_000"]].concat());
    assert!(said.starts_with("cup.toml:2:11: there are too many matches to count"), "{said}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let path = std::path::Path::new("no/such/cup.toml");
    let said = Tournament::load(path, &catalog()).map(drop).unwrap_err().to_string();
    assert_eq!(said, "cannot read no/such/cup.toml: there is no such file");
}

#[test]
fn a_tournament_without_a_name_is_called_like_its_file() {
    let text = format!("{GAME}\n{PLAYERS}");
    let named = Tournament::parse(&text, "tournaments/cup.toml", &catalog()).unwrap();
    assert_eq!(named.name(), "cup");
}

proptest::proptest! {
    #[test]
    fn no_file_makes_the_reader_panic_and_every_error_is_one_line(
        at in 0usize..200, cut in 0usize..12, noise in "[\\PC\n\"'=\\[\\]0-9a-z]{0,12}",
    ) {
        let honest = format!("{GAME}\n{PLAYERS}\nformat = 'mixed'\nseeds = 3\nbudget = \
                              'nodes=5'\n");
        let at = honest.char_indices().map(|(i, _)| i).nth(at % honest.len()).unwrap_or(0);
        let end = (at + cut).min(honest.len());
        let text = format!("{}{noise}{}", &honest[..at], honest.get(end..).unwrap_or_default());
        if let Err(error) = Tournament::parse(&text, "cup.toml", &catalog()) {
            let said = error.to_string();
            let is_one_line = said.starts_with("cup.toml:") && !said.contains('\n');
            proptest::prop_assert!(is_one_line, "{}", said);
        }
    }
}

#[test]
fn a_file_may_end_its_lines_as_windows_does() {
    let lines = [GAME, PLAYERS, "# seeds", "seeds = 3"];
    let [unix, windows] = ["\n", "\r\n"].map(|end| {
        let tournament = Tournament::parse(&lines.join(end), "cup.toml", &catalog()).unwrap();
        tournament.definition().to_string()
    });
    assert_eq!(windows, unix);
    let broken = [GAME, PLAYERS, "  seedz = 3"].join("\r\n");
    let error = Tournament::parse(&broken, "cup.toml", &catalog()).err().unwrap().to_string();
    assert_eq!(error, error_of(&[GAME, PLAYERS, "  seedz = 3"]));
}
