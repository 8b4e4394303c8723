use super::*;
use crate::replay::tests::{catalog, short_matches};

fn nth_replay(number: usize) -> Replay {
    let record = &short_matches()[number];
    let game = catalog().game_of(record).unwrap();
    Replay::of(game.as_ref(), record).unwrap()
}

#[test]
fn a_page_is_one_small_file_that_loads_nothing() {
    for (number, record) in short_matches().iter().enumerate() {
        let page = render_page(nth_replay(number), LIMIT).unwrap();
        assert!(page.len() < LIMIT, "{}: {} bytes", record.fixture.game, page.len());
        for way in ["src=", "href=", "import ", "fetch("] {
            let found = page.lines().find(|line| line.trim_start().starts_with(way));
            assert_eq!(found, None, "{way}");
        }
        assert!(!page.contains("<link") && !page.contains("<img"));
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn a_name_that_is_markup_is_shown_and_not_obeyed() {
    let mut replay = nth_replay(0);
    replay.players[0] = "</title><script>alert(1)</script>".to_owned();
    replay.scenario = "<img onerror=alert(1)>".to_owned();
    let page = render_page(replay, LIMIT).unwrap();
    assert!(!page.contains("<script>alert") && !page.contains("<img onerror"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn overlays_that_make_a_page_too_large_are_left_out_and_named() {
    let whole = render_page(nth_replay(4), LIMIT).unwrap();
    let small = render_page(nth_replay(4), whole.len() - 1).unwrap();
    assert!(small.len() < whole.len());
    let smallest = render_page(nth_replay(4), 0).unwrap_err();
    assert!(smallest.bytes < small.len(), "all overlays are left out");
    assert!(smallest.to_string().ends_with(" kB, more than 0 kB"), "{smallest}");
}
