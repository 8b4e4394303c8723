//! Checks for gather that every game must pass, and golden files of its behaviour.

use quintain_core::{Budget, Entry, Match, Rng, Rules, Seat};
use quintain_gather::{Gather, entry};
use quintain_testkit::TestEffort;
use quintain_testkit::{check_game, rollout_joint, signatures};

#[test]
fn gather_and_its_roster_pass_check_game() {
    let scenarios = [
        "torus?width=3&height=3&players=3&limit=200",
        "torus?width=1&height=9&players=4&limit=300",
        "torus?width=2&height=5&players=2&shared=true&marked=false&mirror=true&limit=300",
        "torus?width=9&height=7&players=5&masked=false&diagonals=clockwise&limit=300",
        "torus?width=11&height=7&players=70&limit=100",
        "torus?width=1&height=1&players=1",
    ];
    let effort = TestEffort {
        games: 1,
        scenarios: scenarios.map(str::to_owned).into(),
        ..TestEffort::default()
    };
    let report = check_game(entry(), &effort);
    report.assert_clean();
    assert!(report.checks > 5_000, "only {} checks", report.checks);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let scenarios = ["course", "course?board=92x1&players=2", "torus?masked=false"];
    let signatures = signatures(&entry(), &scenarios, Budget::default()).unwrap();
    insta::assert_snapshot!("signatures", signatures);
}

/// A whole match of random moves, printed round by round with what is seen.
fn playthrough(scenario: &str) -> String {
    let (built, canonical) = Entry::build(&entry(), scenario).unwrap();
    let rules = built.rules().clone();
    let mut current: Match<Gather> = Match::new(built.clone(), 1);
    let mut rng = Rng::from_seed(1);
    let mut text = format!("gather:{canonical}\n\n{}", current.state());
    while !current.is_over() {
        let joint = rollout_joint(&current, &mut rng);
        let actions: Vec<String> = joint.iter().map(ToString::to_string).collect();
        current.play(&joint).unwrap();
        text += &format!("\nround {}: {}\n{}", current.turn(), actions.join(" "), current.state());
        if current.turn() == 3 {
            let seen = rules.observe(current.state(), Seat::new(0));
            text += &format!("seat 0 sees {}\n", serde_json::to_string(&seen).unwrap());
        }
    }
    text + &format!("\n{}\n", serde_json::to_string_pretty(&current.outcome()).unwrap())
}

#[test]
fn a_whole_match_goes_as_it_always_went() {
    insta::assert_snapshot!("torus", playthrough("torus?width=6&height=4&limit=15"));
    insta::assert_snapshot!("shared", playthrough("torus?width=2&height=3&players=4&shared=true"));
}

#[test]
fn schemas_describe_observations_and_actions() {
    use quintain_core::AnyEntry;
    let schemas = std::sync::Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
