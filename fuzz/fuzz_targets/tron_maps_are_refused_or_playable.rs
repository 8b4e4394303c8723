//! A map that can be read can be played to its end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quintain_core::{Rules, Match, Rng};
use quintain_tron::read_map;
use quintain_tron::{Moves, Trails};
use quintain_tron::Tron;

fuzz_target!(|text: &str| {
    let Ok(state) = read_map(text) else { return };
    let mut game = Match::new(Tron::on(state, Moves::Sequential, Trails::Vanish), 0);
    let mut rng = Rng::from_seed(0);
    while !game.is_over() {
        let joint: Vec<_> = game
            .acting()
            .iter()
            .map(|seat| game.game().rollout_action(game.state(), *seat, &mut rng))
            .collect();
        game.play(&joint).expect("every direction is legal");
    }
});
