//! The requirements for every game, checked for polymer, and golden files of its output.

use quintain_core::{Budget, Match};
use quintain_polymer::{Polymer, draw, entry};
use quintain_testkit::TestEffort;
use quintain_testkit::{check_game, signatures};

#[test]
fn polymer_and_its_roster_pass_check_game() {
    let scenarios = [
        "L08_s02?charges=signs",
        "random?width=5&height=7&n=30&partial=true",
        "random?width=2&height=6&n=9&charges=imbalanced",
        "random?width=1&height=9&n=9",
        "hp?sequence=HHPPHPHPHHPH&width=4&height=4",
        "hp3d?sequence=HHPPHPHPHHPH&side=4",
        "hp3d?sequence=HPHPPH",
    ];
    let effort = TestEffort {
        games: 1,
        budget: Budget { iterations: Some(1), nodes: Some(20), ..Budget::default() },
        scenarios: scenarios.map(str::to_owned).into(),
        ..TestEffort::default()
    };
    let report = check_game(entry(), &effort);
    // The scenario that reads files cannot be built without one.
    let counts = |failure: &&String| !failure.contains("it needs path=FILE");
    let failures: Vec<&String> = report.failures.iter().filter(counts).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.checks > 1_000, "only {} checks", report.checks);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(8), nodes: Some(300), ..Budget::default() };
    let scenarios = ["L08_s01", "random", "hp"];
    insta::assert_snapshot!("signatures", signatures(&entry(), &scenarios, budget).unwrap());
}

/// A whole match of random steps, with the walk drawn at its end.
fn playthrough(scenario: &str) -> String {
    let draw_end = |end: &Match<Polymer>| draw(end.rules().instance(), end.state().walk());
    quintain_testkit::playthrough(entry(), scenario, draw_end).unwrap()
}

#[test]
fn a_whole_match_of_each_kind_goes_as_it_always_went() {
    insta::assert_snapshot!("random", playthrough("random"));
    insta::assert_snapshot!("dead_end", playthrough("L08_s02"));
    insta::assert_snapshot!("hp", playthrough("hp"));
    insta::assert_snapshot!("ring", playthrough("random?width=1&height=9&n=9"));
}

#[test]
fn schemas_describe_observations_and_actions() {
    use quintain_core::AnyEntry;
    let schemas = std::sync::Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
