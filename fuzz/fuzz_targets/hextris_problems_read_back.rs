//! A problem that can be read prints to a text that reads as the same problem, and can be played.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use quintain_core::{Match, Rng, Rules};
use quintain_hextris::{Hextris, Instance, Phrases, read_problem, scenario, write_problem};

fuzz_target!(|text: &str| {
    let Ok(problem) = read_problem(text) else { return };
    let written = write_problem(&problem);
    let again = read_problem(&written).expect("what is written can be read");
    assert_eq!(write_problem(&again), written);
    let phrases = Arc::new(Phrases::new(["ei!"]));
    let rules = Hextris::new(Instance::new(Arc::new(problem), 17, phrases));
    let mut game = Match::new(scenario(rules), 0);
    let mut rng = Rng::from_seed(0);
    for _ in 0..200 {
        if game.is_over() {
            break;
        }
        let joint: Vec<_> = game
            .acting()
            .iter()
            .map(|seat| game.rules().rollout_action(game.state(), *seat, &mut rng))
            .collect();
        game.play(&joint).expect("what the rules suggest is legal");
    }
});
