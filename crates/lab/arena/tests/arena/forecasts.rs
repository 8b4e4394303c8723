//! How long a tournament takes is foretold from a few matches, and nothing of it is kept.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use quintain_arena::{Effort, Forecast, Shard, Tournament, forecast};
use quintain_store::Store;

use crate::{play, tournament};

const CUP: &str = r#"
    game = "count"
    players = ["random", "steady", "steady?add=2"]
    seeds = 100
"#;

const EFFORT: Effort = Effort { threads: 2, limit: Duration::from_secs(60), short: None };

fn foretell(cup: &Tournament, share: Shard, store: Option<&Store>, effort: Effort) -> Forecast {
    forecast(cup, share, store, effort, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_sample_of_matches_tells_time_and_size() {
    let cup = tournament(CUP);
    let whole = foretell(&cup, Shard::WHOLE, None, EFFORT);
    assert_eq!((whole.matches, whole.stored, whole.left()), (600, 0, 600));
    assert!(whole.measured > 0 && !whole.is_least && !whole.is_read, "{whole:?}");
    assert!(whole.time() > Duration::ZERO && whole.bytes() > 600.0 * 300.0, "{whole:?}");
    let half = foretell(&cup, "1/2".parse().unwrap(), None, EFFORT);
    assert_eq!(half.matches, 300);
}

#[test]
fn stored_matches_are_left_out_and_tell_the_time_of_the_others() {
    let mut store = Store::in_memory().unwrap();
    let cup = tournament(CUP);
    play(&cup, &mut store, 2);
    let records = store.records().unwrap();
    let done = foretell(&cup, Shard::WHOLE, Some(&store), EFFORT);
    assert_eq!((done.stored, done.left(), done.is_read), (600, 0, true));
    assert_eq!((done.time(), done.bytes()), (Duration::ZERO, 0.0));
    assert_eq!(store.records().unwrap(), records);
}

#[test]
fn a_billion_matches_are_foretold_without_playing_them() {
    let cup = tournament(&CUP.replace("seeds = 100", "seeds = 1_000_000_000"));
    let short = Some(Duration::from_secs(3600));
    let foretold = foretell(&cup, Shard::WHOLE, None, Effort { short, ..EFFORT });
    assert_eq!(foretold.matches, 6_000_000_000);
    assert!(foretold.time() > Duration::from_secs(600), "{foretold:?}");
}
