//! What a program computes between its questions counts for its next answer.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::time::{Duration, Instant};

use common::Bench;
use quintain_core::{MatchStart, Question, Seat};

/// Computes for 5 ms after each answer.
const PONDERER: &str = "
for turn in turns():
    act(turn)
    end = time.process_time() + 0.005
    while time.process_time() < end: pass
";

#[test]
fn answers_take_as_long_as_was_computed_from_the_first_to_the_last() {
    let bench = Bench::new();
    bench.bot("ponders", PONDERER, "");
    let [named, _] = bench.programs.sources(quintain_bots::Unstarted::Forfeit);
    let mut player = named.open("bot:ponders").unwrap();
    player.start(&MatchStart::new("tron", "hackerrank", 2), &serde_json::Value::Null).unwrap();
    let game = bench.catalog.game("tron", "hackerrank").unwrap().begin(1);
    let seat = Seat::new(0);
    let question = Question::new(seat, 0, game.observation(seat), game.actions(seat));
    let mut thought = player.answer(&question).unwrap().thought.unwrap();
    for _ in 0..5 {
        // The opponent thinks. Where the program gets no core meanwhile, it computes in its turn,
        // with the same result.
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(10) {
            std::thread::yield_now();
        }
        thought += player.answer(&question).unwrap().thought.unwrap();
    }
    assert!(thought >= Duration::from_millis(25), "{thought:?}");
}
