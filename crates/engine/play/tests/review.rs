//! What an analysis promises, checked on matches of games in the catalog.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{Budget, Catalog, Record, Setup};
use quintain_play::{AnalysisError, Analyst, MatchReview, usual_player};

fn play(catalog: &Catalog, game: &str, scenario: &str, players: &[&str]) -> Record {
    let built = catalog.game(game, scenario).unwrap();
    let seats: Vec<_> = players.iter().map(|name| catalog.player(game, name).unwrap()).collect();
    let setup = Setup::new(1);
    built.play(&setup, &seats.iter().collect::<Vec<_>>(), None).unwrap()
}

fn review_by(
    catalog: &Catalog,
    record: &Record,
    player: &str,
    decisions: u64,
) -> Result<MatchReview, AnalysisError> {
    let game = catalog.game_of(record).unwrap();
    let player = catalog.player(game.name(), player).unwrap();
    let budget = Budget { iterations: Some(20), nodes: Some(100), ..Budget::default() };
    let analyst = Analyst { game: game.as_ref(), player: &player, budget, decisions, stop: None };
    analyst.review(record, &mut |_| ())
}

#[test]
fn solo_values_only_fall_and_end_in_the_score() {
    let catalog = quintain_games::catalog();
    let record = play(&catalog, "polymer", "L08_s01", &["random"]);
    let review = review_by(&catalog, &record, "champion", 100_000).unwrap();
    assert!(review.complete);
    let values: Vec<f64> = review.turns.iter().map(|turn| turn.values[0]).collect();
    assert!(values.is_sorted_by(|before, after| before >= after), "{values:?}");
    assert_eq!(values.last(), record.outcome.scores.first());
    let fell = values[0] - record.outcome.scores[0];
    let cost: f64 = review.turns.iter().flat_map(|turn| &turn.moves).filter_map(|m| m.cost).sum();
    assert!((fell - cost).abs() < 1e-9, "what was lost was lost by moves: {fell}, {cost}");
}

/// The notation of what tron's words say.
fn in_notation(words: &str) -> &str {
    match words {
        "goes up" => "U",
        "goes right" => "R",
        "goes down" => "D",
        "goes left" => "L",
        _ => panic!("{words}"),
    }
}

#[test]
fn mistakes_are_listed_from_the_worst() {
    let catalog = quintain_games::catalog();
    let record = play(&catalog, "tron", "hackerrank", &["champion?nodes=100", "wall-hugger"]);
    let review = review_by(&catalog, &record, "champion", 100_000).unwrap();
    assert!(!review.mistakes.is_empty());
    assert!(review.mistakes.is_sorted_by(|a, b| a.cost >= b.cost));
    for mistake in &review.mistakes {
        assert_ne!(mistake.played, mistake.best);
        let words = mistake.words.as_ref().unwrap();
        assert_eq!(
            [&words.played, &words.best].map(|words| in_notation(words)),
            [mistake.played.as_str(), mistake.best.as_str()]
        );
        let turn = review.turns.iter().find(|turn| turn.turn == mistake.turn).unwrap();
        let own = turn.moves.iter().find(|own| own.seat == mistake.seat).unwrap();
        assert_eq!((&own.played, own.cost), (&mistake.played, Some(mistake.cost)));
    }
}

#[test]
fn analysis_asks_the_allowed_number_of_decisions_and_repeats() {
    let catalog = quintain_games::catalog();
    let record = play(&catalog, "tron", "hackerrank", &["space", "wall-hugger"]);
    let few = review_by(&catalog, &record, "greedy", 300).unwrap();
    assert!(few.decisions <= 300 && !few.complete);
    assert!(few.turns.len() < record.actions.split(' ').count() / 2 + 1);
    assert_eq!(few, review_by(&catalog, &record, "greedy", 300).unwrap());
}

#[test]
fn a_stopped_analysis_keeps_its_findings() {
    let catalog = quintain_games::catalog();
    let record = play(&catalog, "tron", "hackerrank", &["space", "wall-hugger"]);
    let game = catalog.game_of(&record).unwrap();
    let player = catalog.player("tron", "space").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let analyst = Analyst {
        game: game.as_ref(),
        player: &player,
        budget: Budget::default(),
        decisions: 100_000,
        stop: Some(&stop),
    };
    let review = analyst
        .review(&record, &mut |analysis| {
            if analysis.progress().looked_at == 3 {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .unwrap();
    assert_eq!(review.turns.len(), 3);
}

#[test]
fn every_game_has_an_analyst() {
    let catalog = quintain_games::catalog();
    for entry in catalog.entries() {
        let (scenario, players) = entry.showcase();
        let players: Vec<&str> = players.iter().map(String::as_str).collect();
        let record = play(&catalog, entry.name(), scenario, &players);
        let review = review_by(&catalog, &record, &usual_player(entry), 40).unwrap();
        assert!(!review.turns.is_empty(), "{}", entry.name());
    }
}
