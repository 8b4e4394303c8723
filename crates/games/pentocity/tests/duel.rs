//! A duel: the second seat requests what the first one builds.

use quintain_core::{Budget, Catalog, Match, Rules, Scoring, Seat, Setup, Turn};
use quintain_pentocity::{Move, Pentocity, State, entry};

const BUILDER: Seat = Seat::new(0);
const SEQUENCER: Seat = Seat::new(1);

fn duel(scenario: &str) -> Match<Pentocity> {
    Match::new(entry().build(scenario).unwrap().0, 1)
}

fn play(current: &mut Match<Pentocity>, text: &str) -> Result<(), String> {
    let action: Move = text.parse().unwrap();
    current.play(&[action]).map_err(|(_, illegal)| illegal.to_string())
}

#[test]
fn the_second_seat_asks_and_the_first_one_builds() {
    let mut current = duel("duel?side=8");
    let turn = |current: &Match<Pentocity>| current.rules().turn(current.state());
    assert_eq!(turn(&current), Turn::Seat(SEQUENCER));
    let mut offered = Vec::new();
    current.rules().actions(current.state(), SEQUENCER, &mut offered);
    assert_eq!(offered.len(), 88, "every residence in every position, and every factory");
    play(&mut current, "2x3").unwrap();
    assert_eq!(turn(&current), Turn::Seat(BUILDER));
    assert_eq!(current.state().request().unwrap().to_string(), "2x3");
    play(&mut current, "r0@0,0").unwrap();
    assert_eq!(current.state().totals().score, 6);
    assert_eq!(turn(&current), Turn::Seat(SEQUENCER));
}

#[test]
fn nobody_does_what_is_the_others() {
    let mut current = duel("duel?side=8");
    let message = play(&mut current, "reject").unwrap_err();
    assert!(message.contains("ask for a building, such as X or 3x4"), "{message}");
    play(&mut current, "X").unwrap();
    let message = play(&mut current, "X").unwrap_err();
    assert!(message.contains("another seat asks"), "{message}");
    // If chance makes the requests, no player does.
    let mut alone = duel("stars?side=8");
    assert!(play(&mut alone, "X").unwrap_err().contains("another seat asks"));
}

#[test]
fn points_beyond_par_count_against_the_other_seat() {
    let mut current = duel("duel?side=8&par=7");
    for text in ["1x5", "r0@0,0", "1x5", "reject", "1x1", "reject", "1x1", "reject"] {
        play(&mut current, text).unwrap();
    }
    let outcome = current.outcome().unwrap();
    assert_eq!(outcome.scores, [5.0, 9.0]);
    assert_eq!(outcome.ending, "three rejections");
    assert_eq!(duel("duel").rules().par(), Some(1875), "three points for four cells");
    assert_eq!(current.rules().scoring(), Scoring::Adversarial);
}

#[test]
fn a_seat_that_forfeits_scores_less_whatever_was_built() {
    let rules = duel("duel?side=8&par=7").rules().clone();
    let mut state = State::new(8);
    assert_eq!(rules.forfeit(&state, BUILDER), [0.0, 14.0]);
    assert_eq!(rules.forfeit(&state, SEQUENCER), [14.0, 0.0]);
    for row in 0..4 {
        rules.step(&mut state, &["1x5".parse().unwrap()]);
        rules.step(&mut state, &[format!("r0@{row},0").parse().unwrap()]);
    }
    assert_eq!(rules.forfeit(&state, BUILDER), [0.0, 14.0]);
    assert_eq!(rules.forfeit(&state, SEQUENCER), [20.0, -6.0]);
}

#[test]
fn every_player_has_both_seats_and_the_record_has_the_requests() {
    let catalog = Catalog::new().with(entry());
    let game = catalog.game("pentocity", "duel?side=10").unwrap();
    let budget: Budget = "iterations=20".parse().unwrap();
    for name in ["random", "g1", "champion", "sequencer?of=g6"] {
        let both = [name, "naive"].map(|name| catalog.player("pentocity", name).unwrap());
        for seats in [[&both[0], &both[1]], [&both[1], &both[0]]] {
            let setup = Setup::new(3).with_budget(budget);
            let record = game.play(&setup, &seats, None).unwrap();
            assert!(record.outcome.fault.is_none(), "{name}: {:?}", record.outcome);
            catalog.verify(&record).unwrap();
        }
    }
}

#[test]
fn a_sequencer_of_the_class_asks_as_its_scenario_does() {
    let catalog = Catalog::new().with(entry());
    let game = catalog.game("pentocity", "duel?side=20").unwrap();
    let players = ["g1", "sequencer?of=g6"].map(|name| catalog.player("pentocity", name).unwrap());
    let setup = Setup::new(1);
    let record = game.play(&setup, &[&players[0], &players[1]], None).unwrap();
    let asked = record.actions.split(' ').step_by(2);
    assert!(asked.clone().count() > 20 && asked.clone().all(|text| text == "I"), "{record:?}");
}
