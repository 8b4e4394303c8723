//! Every game says in one sentence what decided a match.

use std::sync::Arc;

use quintain_core::{AnyGame, Fault, FaultKind, PlayerHandle, Record, Seat, SeatFault, Setup};
use quintain_games::catalog;

/// Plays a match; a single player takes all seats.
fn play(game: &str, scenario: &str, players: &[&str]) -> (Arc<dyn AnyGame>, Record) {
    let catalog = catalog();
    let played = catalog.game(game, scenario).unwrap();
    let seats: Vec<PlayerHandle> = (0..played.seats())
        .map(|seat| catalog.player(game, players[seat % players.len()]).unwrap())
        .collect();
    let seats: Vec<&PlayerHandle> = seats.iter().collect();
    let record = played.play(&Setup::new(1), &seats, None).unwrap();
    (played, record)
}

fn decision(game: &str, scenario: &str, players: &[&str]) -> String {
    let (game, record) = play(game, scenario, players);
    game.decision(&record).unwrap()
}

#[test]
fn every_game_has_a_sentence_of_its_own() {
    assert_eq!(
        decision("tron", "rooms?width=19&height=15", &["wall-hugger", "space"]),
        "A was cut off on turn 46 with room for 7 cells; B had room for 33"
    );
    assert_eq!(
        decision("tron", "hackerrank", &["wall-hugger", "random"]),
        "B ran into a wall on turn 1"
    );
    assert_eq!(
        decision("gather", "torus?width=9&height=9&players=3", &["salsa"]),
        "The first meeting was on turn 12; on turn 28 B held all 3 units, which takes at least 2"
    );
    assert_eq!(
        decision("hextris", "drawn?size=0", &["greedy"]),
        "All 100 units were placed; 22 lines were removed, one at a time"
    );
    assert_eq!(
        decision("polymer", "random?n=24&width=12&height=12", &["random"]),
        "All 24 monomers were laid, worth -6; the best step was turn 5, worth 2"
    );
    assert_eq!(
        decision("pentocity", "stars?side=20", &["naive"]),
        "35 residences and 0 factories were built; the third rejection ended it with 97 cells empty"
    );
}

#[test]
fn sentences_fit_a_line_and_name_no_player() {
    for entry in catalog().entries() {
        let (scenario, players) = entry.showcase();
        let players: Vec<&str> = players.iter().map(String::as_str).collect();
        let said = decision(entry.name(), scenario, &players);
        assert!(said.chars().count() <= 120 && !said.ends_with('.'), "{said}");
        assert!(!said.starts_with(char::is_lowercase), "{said}");
        assert!(!said.starts_with("It ended"), "{} has no sentence: {said}", entry.name());
    }
}

#[test]
fn every_game_tells_every_action_in_words() {
    for entry in catalog().entries() {
        let (scenario, players) = entry.showcase();
        let players: Vec<&str> = players.iter().map(String::as_str).collect();
        let (game, record) = play(entry.name(), scenario, &players);
        let mut told = 0;
        quintain_core::replay(game.as_ref(), &record, &mut |state, played| {
            for (seat, action) in played {
                let words = state.tell(*seat, action).expect(action);
                assert!(words.contains(' ') || words == "stays", "{action}: {words}");
                let is_word = action.chars().all(char::is_lowercase) || action.len() < 3;
                assert!(is_word || !words.contains(action), "{action}: {words}");
                assert!(words.starts_with(char::is_lowercase) && !words.ends_with('.'), "{words}");
                told += 1;
            }
        })
        .unwrap();
        assert!(told > 0, "{} has no action", entry.name());
    }
}

#[test]
fn every_figure_has_a_title_that_people_read() {
    for entry in catalog().entries() {
        let (scenario, players) = entry.showcase();
        let players: Vec<&str> = players.iter().map(String::as_str).collect();
        let (game, record) = play(entry.name(), scenario, &players);
        let figures = game.figures(&record.outcome);
        assert_eq!(figures.len() + 1, record.outcome.metrics.len(), "all but the turns");
        for (title, _) in figures {
            let is_own = ["free cells left", "residences", "factories", "monomers laid"];
            let is_raw = record.outcome.metrics.contains_key(&title);
            assert!(!is_raw || is_own.contains(&title.as_str()), "{}: {title}", entry.name());
        }
    }
}

#[test]
fn a_forfeit_decides_a_match_whatever_the_board_says() {
    let (game, mut record) = play("tron", "hackerrank", &["space", "random"]);
    let begun = game.begin(1);
    let fault = SeatFault::new(Seat::new(1), Fault::new(FaultKind::Illegal, "a wall"));
    record.outcome = begun.outcome_with_fault(fault);
    record.actions = String::new();
    assert_eq!(game.decision(&record).unwrap(), "B forfeited on turn 1: illegal action");
}

#[test]
fn a_record_that_does_not_replay_has_no_sentence() {
    let (game, mut record) = play("tron", "hackerrank", &["space", "random"]);
    record.actions.clear();
    assert!(game.decision(&record).is_err());
}
