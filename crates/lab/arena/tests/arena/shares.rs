//! A tournament played in shares and merged equals the tournament played at once.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_arena::{Shard, Threads, describe_changes, run_on, standings_of};
use quintain_core::Record;
use quintain_store::{RecordRow, Store};
use rusqlite::Connection;

use crate::{play, records, tournament};

const CUP: &str = r#"
    name = "cup"
    game = "count"
    scenarios = ["table", "table?target=40"]
    players = ["random", "steady", "steady?add=2"]
    seeds = 20
"#;

/// A store with one share of the cup.
fn share(text: &str, share: &str) -> Store {
    let (share, mut store): (Shard, _) = (share.parse().unwrap(), Store::in_memory().unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let cup = tournament(text);
    let summary = run_on(&Threads(2), &cup, share, &mut store, &stop, &mut |progress| {
        assert!(progress.done <= progress.total);
    });
    let summary = summary.unwrap();
    assert!(!summary.stopped);
    assert_eq!(summary.played, summary.total);
    assert_eq!(store.records().unwrap(), summary.total);
    store
}

#[test]
fn shares_joined_in_any_order_are_the_whole_record_for_record() {
    let mut whole = Store::in_memory().unwrap();
    play(&tournament(CUP), &mut whole, 2);
    for order in [[1, 2, 3, 4, 5, 6, 7], [4, 7, 1, 6, 2, 5, 3]] {
        let mut joined = Store::in_memory().unwrap();
        for number in order {
            let merged = joined.merge(&share(CUP, &format!("{number}/7"))).unwrap();
            assert_eq!((merged.known, merged.conflicts.len(), merged.untrusted.len()), (0, 0, 0));
        }
        assert_eq!(records(&joined), records(&whole));
        let standings =
            |store: &Store| standings_of(store, &store.tournament(Some("cup")).unwrap()).unwrap();
        assert_eq!(standings(&joined), standings(&whole));
        // Nothing is left to be played.
        let again = play(&tournament(CUP), &mut joined, 1);
        assert_eq!((again.played, again.skipped), (0, 240));
    }
}

#[test]
fn a_share_that_stopped_plays_only_what_it_is_missing() {
    let cup = tournament(CUP);
    let mut store = share(CUP, "2/5");
    let stop = Arc::new(AtomicBool::new(false));
    let mut again = |text| {
        let share = Shard::from_str(text).unwrap();
        run_on(&Threads(1), &cup, share, &mut store, &stop, &mut |_| {}).unwrap()
    };
    let same = again("2/5");
    assert_eq!((same.played, same.skipped, same.total), (0, 48, 48));
    let all = again("1/1");
    assert_eq!((all.played, all.skipped, all.total), (192, 48, 240));
}

#[test]
fn a_store_merged_twice_changes_nothing() {
    let (one, mut joined) = (share(CUP, "1/2"), Store::in_memory().unwrap());
    joined.merge(&one).unwrap();
    let before = records(&joined);
    let merged = joined.merge(&one).unwrap();
    assert_eq!((merged.new, merged.known, merged.conflicts.len()), (0, 120, 0));
    assert_eq!(records(&joined), before);
    assert_eq!(joined.tournament(None).unwrap().played, 120);
}

#[test]
fn contradicting_records_are_reported_and_the_first_is_kept() {
    let (mut joined, mut liar) = (share(CUP, "1/2"), Store::in_memory().unwrap());
    let before = records(&joined);
    let mut forged = Record::from_json(&before[7]).unwrap();
    forged.outcome.scores.reverse();
    liar.insert(None, &[RecordRow::new(&forged, std::time::Duration::ZERO)]).unwrap();
    let merged = joined.merge(&liar).unwrap();
    let [conflict] = &merged.conflicts[..] else { panic!("{merged:?}") };
    assert_eq!(conflict.id, forged.id);
    assert!(conflict.fixture.starts_with("count:table, seed "), "{conflict:?}");
    assert_ne!(conflict.kept, conflict.other);
    assert_eq!(records(&joined), before);
}

#[test]
fn matches_on_the_clock_may_differ_with_a_notice() {
    let text = CUP.replace("seeds = 20", "seeds = 1\nbudget = 'move=1s'");
    let (mut joined, mut other) = (share(&text, "1/1"), Store::in_memory().unwrap());
    let mut slower = Record::from_json(&records(&joined)[0]).unwrap();
    slower.outcome.scores.reverse();
    other.insert(None, &[RecordRow::new(&slower, std::time::Duration::ZERO)]).unwrap();
    let merged = joined.merge(&other).unwrap();
    assert_eq!((merged.known, merged.differing, merged.conflicts.len()), (1, 1, 0));
}

#[test]
fn a_record_that_was_changed_is_left_out_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("changed.db");
    let mut changed = Store::open(&path).unwrap();
    changed.merge(&share(CUP, "1/4")).unwrap();
    let record = Record::from_json(&records(&changed)[3]).unwrap();
    drop(changed);
    let sql = format!("UPDATE records SET seed = 7 + seed WHERE id = unhex('{}')", record.id);
    assert_eq!(Connection::open(&path).unwrap().execute(&sql, []).unwrap(), 1);
    let mut joined = Store::in_memory().unwrap();
    let merged = joined.merge(&Store::open_to_read(&path).unwrap()).unwrap();
    let [untrusted] = &merged.untrusted[..] else { panic!("{merged:?}") };
    assert!(untrusted.contains(&record.id) && untrusted.contains("column seed"), "{untrusted}");
    assert_eq!((merged.new, joined.tournament(None).unwrap().played), (59, 59));
}

#[test]
fn tournaments_of_one_name_that_differ_stay_apart() {
    let longer = CUP.replace("seeds = 20", "seeds = 21");
    let (mut joined, other) = (share(CUP, "1/2"), share(&longer, "2/2"));
    joined.merge(&other).unwrap();
    let all = joined.tournaments().unwrap();
    let mut counts: Vec<(u64, u64)> = all.iter().map(|info| (info.played, info.fixtures)).collect();
    counts.sort_unstable();
    assert_eq!(counts, [(120, 240), (126, 252)]);
    let changes = describe_changes(&all[0].definition, &all[1].definition);
    assert!(changes.len() == 1 && changes[0].starts_with("seeds: "), "{changes:?}");
}

#[test]
fn the_best_of_two_solutions_is_kept() {
    let (mut one, mut other) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    for (instance, ours, theirs) in [("a", 1.0, 2.0), ("b", 2.0, 1.0)] {
        one.keep("count", instance, ours, "ours").unwrap();
        other.keep("count", instance, theirs, "theirs").unwrap();
    }
    other.keep("count", "c", 0.0, "theirs").unwrap();
    assert_eq!(one.merge(&other).unwrap().solutions, 2);
    let kept: Vec<String> =
        one.solutions("count").unwrap().into_iter().map(|(_, text)| text).collect();
    assert_eq!(kept, ["theirs", "ours", "theirs"]);
}
