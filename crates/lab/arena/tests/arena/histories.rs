//! What a store knows about a program: its versions, results and losses.

use std::time::Duration;

use quintain_arena::history::{GameHistory, history};
use quintain_core::{Fault, FaultKind, PlayerHandle, Record, Seat, SeatFault, Setup};
use quintain_stats::WinDrawLoss;
use quintain_store::{RecordRow, Store};

use crate::count;

/// A match of `steady` and `random`, as if programs of these names and versions had played it.
fn match_of(seed: u64, seats: [(&str, u32); 2]) -> Record {
    let catalog = count::catalog();
    let game = catalog.game("count", "table?seats=2").unwrap();
    let players = ["steady", "random"].map(|name| catalog.player("count", name).unwrap());
    let players: Vec<&PlayerHandle> = players.iter().collect();
    let mut record = game.play(&Setup::new(seed), &players, None).unwrap();
    record.fixture.seats = seats.iter().map(|(name, _)| (*name).to_owned()).collect();
    record.fixture.versions.players = seats.iter().map(|(_, version)| *version).collect();
    record.id = record.fixture.id();
    record
}

fn keep(store: &mut Store, record: &Record, elapsed: Duration) {
    store.insert(None, &[RecordRow::new(record, elapsed)]).unwrap();
}

fn history_of(store: &Store, name: &str) -> Vec<GameHistory> {
    history(store, &count::catalog(), name).unwrap()
}

#[test]
fn a_version_is_the_same_by_its_hash_and_as_the_program_of_its_time() {
    let mut store = Store::in_memory().unwrap();
    let played = Duration::from_millis(1);
    for seed in 1..=3 {
        keep(&mut store, &match_of(seed, [("bot:mine@0000000a", 10), ("random", 1)]), played);
    }
    keep(&mut store, &match_of(4, [("bot:mine", 10), ("random", 1)]), played);
    keep(&mut store, &match_of(1, [("bot:mine", 11), ("bot:mine@0000000a", 10)]), played);
    keep(&mut store, &match_of(1, [("bot:mine-too", 12), ("random", 1)]), played);
    let [all] = &history_of(&store, "mine")[..] else { panic!("one game was played") };
    assert_eq!(all.game, "count");
    let versions: Vec<(&str, u64)> = all
        .versions
        .iter()
        .map(|one| (&*one.hash, one.results.iter().map(|result| result.matches).sum()))
        .collect();
    assert_eq!(versions, [("0000000a", 5), ("0000000b", 1)]);
    let [random, later] = &all.versions[0].results[..] else { panic!("{:?}", all.versions[0]) };
    assert_eq!((&random.opponents[..], random.matches), (&["random".to_owned()][..], 4));
    assert_eq!(later.opponents, ["bot:mine"]);
    assert!(history_of(&store, "yours").is_empty());
}

#[test]
fn matches_that_were_kept_because_they_were_lost_are_shown_and_not_counted() {
    let mut store = Store::in_memory().unwrap();
    let seats = [("random", 1), ("bot:mine@0000000a", 10)];
    let rows: Vec<Record> = (1..=20).map(|seed| match_of(seed, seats)).collect();
    let lost = |record: &&Record| record.outcome.scores[1] < record.outcome.scores[0];
    let lost = rows.iter().find(lost).expect("one of them was lost");
    keep(&mut store, lost, Duration::ZERO);
    let [all] = &history_of(&store, "mine")[..] else { panic!("one game was played") };
    assert!(all.versions[0].results.is_empty());
    assert_eq!(all.versions[0].losses[0].id, lost.id);
    for record in rows.iter().filter(|record| record.id != lost.id) {
        keep(&mut store, record, Duration::from_millis(1));
    }
    let [all] = &history_of(&store, "mine")[..] else { panic!("one game was played") };
    let result = &all.versions[0].results[0];
    assert_eq!(result.matches, 19);
    let WinDrawLoss { wins, draws, losses } = result.games.expect("seats are rivals");
    assert_eq!(wins + draws + losses, 19);
    let losses: Vec<f64> = all.versions[0].losses.iter().map(|loss| loss.margin).collect();
    assert!(losses.len() <= 3 && losses.is_sorted() && losses[0] < 0.0, "{losses:?}");
}

#[test]
fn a_forfeit_is_lost_although_the_scores_are_equal() {
    let mut store = Store::in_memory().unwrap();
    for (seed, at_fault) in [(1, 0), (2, 1)] {
        let mut record = match_of(seed, [("bot:mine@0000000a", 10), ("random", 1)]);
        record.outcome.scores = vec![1.0; 2];
        let fault = Fault::new(FaultKind::Timeout, "late");
        record.outcome.fault = Some(SeatFault::new(Seat::new(at_fault), fault));
        keep(&mut store, &record, Duration::from_millis(1));
    }
    let [all] = &history_of(&store, "mine")[..] else { panic!("one game was played") };
    let [version] = &all.versions[..] else { panic!("one version has played") };
    let games = version.results[0].games.unwrap();
    assert_eq!(games, WinDrawLoss { wins: 1, draws: 0, losses: 1 });
    assert_eq!(version.results[0].forfeits, 1);
    let lost: Vec<u64> = version.losses.iter().map(|loss| loss.seed).collect();
    assert_eq!(lost, [1], "nobody loses to a player that forfeits");
}
