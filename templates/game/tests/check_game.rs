//! The checks that every game must pass, applied to this one; and what its players decide.

use quintain_core::Budget;
use quintain_testkit::{TestEffort, check_game, signatures};

use quintain_new_game::entry;

#[test]
fn the_game_and_its_roster_pass_the_checks_of_every_game() {
    check_game(entry(), &TestEffort::default()).assert_clean();
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(50), nodes: Some(300), ..Budget::default() };
    insta::assert_snapshot!("signatures", signatures(&entry(), &["standard"], budget).unwrap());
}
