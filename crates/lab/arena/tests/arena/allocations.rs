//! Tournaments that play further seeds for close pairs only, and end when their question is
//! answered.

use quintain_arena::{Question, Tournament};
use quintain_store::Store;

use crate::count::catalog;
use crate::{play, records, stop_and_resume, tournament};

/// `random` and `steady?add=2` take about as many turns; the other two are certainly first and
/// last.
const CLOSE: &str = r#"
    game = "count"
    scenarios = ["table?target=60&seats=1", "table?target=50&seats=1"]
    players = ["steady?add=3", "random", "steady?add=2", "steady"]
    seeds = 40
    allocate = "close pairs"
"#;

#[test]
fn further_seeds_are_for_players_that_are_not_told_apart() {
    let cup = tournament(CLOSE);
    assert_eq!(cup.question(), Some(Question::Ranks));
    let mut store = Store::in_memory().unwrap();
    let summary = play(&cup, &mut store, 2);
    let answer = summary.answer.unwrap();
    let ranks: Vec<(&str, u64, u64)> =
        answer.ranks.iter().map(|of| (of.player.as_str(), of.best, of.worst)).collect();
    assert_eq!(ranks[0], ("steady", 1, 1), "{answer:?}");
    assert_eq!(ranks[3], ("steady?add=3", 4, 4), "{answer:?}");
    assert!(summary.total < answer.equally, "{answer:?}");
    assert_eq!(summary.total, summary.played);
    assert_eq!(store.records().unwrap(), summary.total);
    // The store knows that nothing is missing.
    let info = store.tournament(None).unwrap();
    assert_eq!((info.fixtures, info.played), (summary.total, summary.total));
    let again = play(&cup, &mut store, 2);
    assert_eq!((again.played, again.skipped), (0, summary.total));
    assert_eq!(again.answer, Some(answer));
}

#[test]
fn the_best_is_told_before_all_ranks_are() {
    let best = CLOSE.to_owned() + "question = \"best\"\n";
    let [first, all] = [&best, CLOSE].map(|file| {
        let mut store = Store::in_memory().unwrap();
        play(&tournament(file), &mut store, 2)
    });
    let answer = first.answer.unwrap();
    assert!(answer.is_certain);
    assert_eq!(answer.ranks[0].player, "steady");
    assert!(answer.ranks[1..].iter().all(|other| other.best > 1), "{answer:?}");
    assert!(first.total < all.total);
}

#[test]
fn rivals_meet_those_whose_place_is_open() {
    let file = r#"
        game = "count"
        scenarios = ["table?target=30", "table?target=41"]
        players = ["random", "steady", "steady?add=2", "steady?add=3"]
        seeds = 12
        allocate = "close pairs"
    "#;
    let mut store = Store::in_memory().unwrap();
    let summary = play(&tournament(file), &mut store, 2);
    let answer = summary.answer.unwrap();
    assert!(summary.total <= answer.equally);
    assert!(answer.is_certain || answer.rounds == 12);
}

#[test]
fn any_number_of_threads_plays_the_same_matches() {
    let play_on = |threads| {
        let mut store = Store::in_memory().unwrap();
        play(&tournament(CLOSE), &mut store, threads);
        records(&store)
    };
    assert_eq!(play_on(1), play_on(4));
}

#[test]
fn a_tournament_that_was_stopped_goes_on_to_the_same_matches_and_answer() {
    let file = CLOSE.replace("\"random\"", "\"hooked\"");
    let answer = play(&tournament(&file), &mut Store::in_memory().unwrap(), 2).answer;
    for stop_at in [1, 300, 1500] {
        let (_, first, second) = stop_and_resume(&file, stop_at);
        assert!(first.answer.is_none() || !first.stopped);
        assert_eq!(second.answer, answer);
    }
}

#[test]
fn a_file_says_how_seeds_are_allotted_and_what_is_asked() {
    let error = |from: &str, to: &str| {
        let text = CLOSE.replace(from, to);
        assert_ne!(text, CLOSE);
        Tournament::parse(&text, "cup.toml", &catalog()).err().unwrap().to_string()
    };
    let unknown = error("close pairs", "close pair");
    assert!(unknown.contains("did you mean “close pairs”"), "{unknown}");
    let few = error("seeds = 40", "seeds = 4");
    assert!(few.contains("seeds are the most to play") && few.contains("at least 5"), "{few}");
    let alone = error("allocate = \"close pairs\"", "question = \"best\"");
    assert!(alone.contains("question is for allocate"), "{alone}");
    let unasked = error("allocate", "question = \"worst\"\nallocate");
    assert!(unasked.contains("unknown question “worst”"), "{unasked}");
    let mixed = CLOSE.replace("&seats=1", "") + "format = \"mixed\"\n";
    let mixed = Tournament::parse(&mixed, "cup.toml", &catalog()).err().unwrap().to_string();
    assert!(mixed.contains("solo, versus and mirror"), "{mixed}");

    // A file that says nothing of it is the tournament that it always was.
    let equal = CLOSE.replace("close pairs", "equal");
    let silent = CLOSE.replace("allocate = \"close pairs\"", "");
    assert_eq!(tournament(&equal).definition(), tournament(&silent).definition());
    assert!(!tournament(&silent).definition().contains("allocate"));
}
