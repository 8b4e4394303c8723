//! What every game owes its users, asked of hextris; and golden files of what it does.

use quintain_core::{Budget, Entry, Match, Rng, Rules, Seat};
use quintain_hextris::entry;
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
    let told = |failure: &&String| {
        !failure.contains("it needs path=FILE") && !failure.contains("set QUINTAIN_DATA")
    };
    let failures: Vec<&String> = report.failures.iter().filter(told).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.checks > 1_000, "only {} checks", report.checks);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(1), nodes: Some(300), ..Budget::default() };
    let scenarios = ["drawn?size=21", "drawn?size=11", "drawn?size=10&game=0"];
    insta::assert_snapshot!("signatures", signatures(&entry(), &scenarios, budget).unwrap());
}

/// A whole match of random places, printed turn by turn with what is seen.
fn playthrough(scenario: &str) -> String {
    let (built, canonical) = Entry::build(&entry(), scenario).unwrap();
    let rules = built.rules().clone();
    let mut current = Match::new(built.clone(), 1);
    let mut rng = Rng::from_seed(1);
    let mut text = format!("hextris:{canonical}\n");
    let seen = serde_json::to_string(&rules.observe(current.state(), Seat::new(0))).unwrap();
    text += &format!("seat 0 sees {seen}\n");
    while !current.is_over() {
        let commands = rules.rollout_action(current.state(), Seat::new(0), &mut rng);
        current.play(std::slice::from_ref(&commands)).unwrap();
        let score = rules.score(current.state(), Seat::new(0));
        text += &format!("turn {}: {commands} (score {score})\n", current.turn());
    }
    let seen = serde_json::to_string_pretty(&rules.observe(current.state(), Seat::new(0))).unwrap();
    text += &format!("in the end {seen}\n");
    text += &format!("{}\n", serde_json::to_string_pretty(&current.outcome()).unwrap());
    text
}

#[test]
fn a_whole_match_of_each_kind_goes_as_it_always_went() {
    insta::assert_snapshot!("cells", playthrough("drawn?size=21&phrases=ei!"));
    insta::assert_snapshot!("stars", playthrough("drawn?size=11&phrases=none"));
}

#[test]
fn what_a_seat_sees_and_does_is_described_by_schema() {
    use quintain_core::AnyEntry;
    let schemas = std::sync::Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
