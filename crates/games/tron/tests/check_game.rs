//! Checks for tron that every game must pass, and golden files of its behaviour.

use quintain_core::{Budget, Entry, Match, Rng, Rules, Scenario, Seat};
use quintain_testkit::TestEffort;
use quintain_testkit::{check_game, rollout_joint, signatures};
use quintain_tron::read_map;
use quintain_tron::{Moves, Trails};
use quintain_tron::{Tron, entry, scenario};

#[test]
fn tron_and_its_roster_pass_check_game() {
    let scenarios = [
        "hackerrank?opening=8",
        "codingame?players=4",
        "empty?width=5&height=5",
        "empty?players=3&symmetry=none&moves=sequential&trails=vanish",
        "obstacles?symmetry=mirror&density=0.3&moves=sequential",
        "obstacles?headings=drawn&turns=30",
        "empty?players=4&headings=drawn&moves=sequential&trails=vanish&turns=40",
    ];
    let effort = TestEffort {
        games: 3,
        budget: Budget { iterations: Some(4), nodes: Some(30), ..Budget::default() },
        scenarios: scenarios.map(str::to_owned).into(),
        ..TestEffort::default()
    };
    let report = check_game(entry(), &effort);
    // The two families that read files cannot be built without one.
    let counts = |failure: &&String| {
        !failure.contains("it needs path=FILE")
            && !failure.contains("starter package's maps are not")
    };
    let failures: Vec<&String> = report.failures.iter().filter(counts).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.checks > 5_000, "only {} checks", report.checks);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(30), nodes: Some(300), ..Budget::default() };
    let scenarios = ["hackerrank", "obstacles", "codingame?players=3"];
    let signatures = signatures(&entry(), &scenarios, budget).unwrap();
    insta::assert_snapshot!("signatures", signatures);
}

/// A whole match of random sensible moves, printed turn by turn with what is seen.
fn playthrough(scenario: &str) -> String {
    let (scenario, canonical) = Entry::build(&entry(), scenario).unwrap();
    playthrough_of(&scenario, &canonical)
}

fn playthrough_of(scenario: &Scenario<Tron>, canonical: &str) -> String {
    let rules = scenario.rules();
    let mut current: Match<Tron> = Match::new(scenario.clone(), 1);
    let mut rng = Rng::from_seed(1);
    let mut text = format!("tron:{canonical}\n\n{}", current.state());
    let seen = serde_json::to_string_pretty(&rules.observe(current.state(), Seat::new(0))).unwrap();
    text += &format!("\nseat 0 sees {seen}\n");
    while !current.is_over() {
        let joint = rollout_joint(&current, &mut rng);
        let actions: Vec<String> = current
            .acting()
            .iter()
            .zip(&joint)
            .map(|(seat, direction)| format!("seat {seat} {direction}"))
            .collect();
        current.play(&joint).unwrap();
        let estimate = rules.estimate(current.state(), Seat::new(0));
        text += &format!(
            "\nturn {}: {} (estimate {estimate:.3})\n{}",
            current.turn(),
            actions.join(", "),
            current.state()
        );
    }
    let seen = serde_json::to_string_pretty(&rules.observe(current.state(), Seat::new(1))).unwrap();
    text += &format!("\nseat 1 sees {seen}\n");
    text += &format!("\n{}\n", serde_json::to_string_pretty(&current.outcome()).unwrap());
    text
}

#[test]
fn a_whole_match_under_each_variant_goes_as_it_always_went() {
    insta::assert_snapshot!("hackerrank", playthrough("hackerrank"));
    insta::assert_snapshot!("tronv2", playthrough("tronv2"));
    insta::assert_snapshot!("codingame", playthrough("codingame?players=3"));
    insta::assert_snapshot!("riddles", playthrough("riddles"));
    let map = "9 5\n#########\n#1  #   #\n#   #   #\n#      2#\n#########\n";
    let drawn =
        scenario(Tron::new(2, Moves::Simultaneous, Trails::Stay), read_map(map).unwrap(), 0);
    insta::assert_snapshot!("gaic2010", playthrough_of(&drawn, "a map"));
    insta::assert_snapshot!("rooms", playthrough("rooms?width=15&height=11"));
}

#[test]
fn schemas_describe_observations_and_actions() {
    use quintain_core::AnyEntry;
    let schemas = std::sync::Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
