//! A map that can be read can be played to its end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_core::{Match, Rng, Rules};
use quintain_tron::{Moves, Trails, Tron, read_map, scenario};

fuzz_target!(|text: &str| {
    let Ok(state) = read_map(text) else { return };
    let rules = Tron::new(state.seats(), Moves::Sequential, Trails::Vanish);
    let mut game = Match::new(scenario(rules, state, 0), 0);
    let mut rng = Rng::from_seed(0);
    while !game.is_over() {
        let joint: Vec<_> = game
            .acting()
            .iter()
            .map(|seat| game.rules().rollout_action(game.state(), *seat, &mut rng))
            .collect();
        game.play(&joint).expect("every direction is legal");
    }
});
