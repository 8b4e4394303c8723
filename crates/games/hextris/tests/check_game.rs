//! Checks for hextris that every game must pass, and golden files of its behaviour.

use quintain_core::{Budget, Match, Rules, Seat};
use quintain_hextris::{Hextris, entry};
use quintain_testkit::TestEffort;
use quintain_testkit::{check_game, signatures};

#[test]
fn hextris_and_its_roster_pass_check_game() {
    let scenarios = [
        "drawn?size=21&phrases=ei!+ia!_ia!",
        "drawn?size=11&units=stars&filling=noise",
        "drawn?size=10&phrases=none",
    ];
    let effort = TestEffort {
        games: 1,
        budget: Budget { iterations: Some(1), nodes: Some(60), ..Budget::default() },
        scenarios: scenarios.map(str::to_owned).into(),
        ..TestEffort::default()
    };
    let report = check_game(entry(), &effort);
    // These families need files.
    let counts = |failure: &&String| {
        !failure.contains("it needs path=FILE") && !failure.contains("set QUINTAIN_DATA")
    };
    let failures: Vec<&String> = report.failures.iter().filter(counts).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.checks > 1_000, "only {} checks", report.checks);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(1), nodes: Some(300), ..Budget::default() };
    let scenarios = ["drawn?size=21", "drawn?size=11", "drawn?size=10&game=0"];
    insta::assert_snapshot!("signatures", signatures(&entry(), &scenarios, budget).unwrap());
}

/// A whole match of random places, with what is seen at its end.
fn playthrough(scenario: &str) -> String {
    let describe_end = |end: &Match<Hextris>| {
        let seen = end.rules().observe(end.state(), Seat::new(0));
        format!("in the end {}\n", serde_json::to_string_pretty(&seen).unwrap())
    };
    quintain_testkit::playthrough(entry(), scenario, describe_end).unwrap()
}

#[test]
fn a_whole_match_of_each_kind_goes_as_it_always_went() {
    insta::assert_snapshot!("cells", playthrough("drawn?size=21&phrases=ei!"));
    insta::assert_snapshot!("stars", playthrough("drawn?size=11&phrases=none"));
}

#[test]
fn schemas_describe_observations_and_actions() {
    use quintain_core::AnyEntry;
    let schemas = std::sync::Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
