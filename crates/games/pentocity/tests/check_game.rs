//! The requirements for every game, checked for pentocity, and golden files of its output.

use std::sync::Arc;

use quintain_core::parameters::NoParameters;
use quintain_core::{Budget, Entry, Match, Rng, Rules, Seat};
use quintain_pentocity::requests::{Class, Contrary, List, RequestSource, Weights};
use quintain_pentocity::{Pentocity, Piece, Ruleset, duel, entry, scenario, with_players};
use quintain_testkit::TestEffort;
use quintain_testkit::{check_game, signatures};

/// The same rules and players on a small board, where many whole games are played at once.
fn small() -> Entry<Pentocity> {
    let mut small = with_players(Entry::new("pentocity", 1, "small land", "–"));
    let boards: [(&'static str, Class, usize, Ruleset); 7] = [
        ("walks", Class::Random, 12, Ruleset::Simulator),
        ("bars", Class::G6, 10, Ruleset::Report),
        ("stars", Class::Stars, 11, Ruleset::Simulator),
        ("dots", Class::G9, 9, Ruleset::Simulator),
        ("phases", Class::G4, 13, Ruleset::Report),
        ("least", Class::G2, 5, Ruleset::Simulator),
        ("wide", Class::Random, 21, Ruleset::Simulator),
    ];
    for (name, class, side, scoring) in boards {
        small = small.scenario(name, "–", "–", move |_: &mut NoParameters| {
            Ok(scenario(Pentocity::new(side, scoring), Arc::new(class.source())))
        });
    }
    let others: [(&'static str, Arc<dyn RequestSource>); 2] = [
        ("contrary", Arc::new(Contrary { weights: Weights::walk(), draws: 4 })),
        ("list", Arc::new(List { pieces: Piece::all().step_by(5).collect(), repeat: false })),
    ];
    for (name, source) in others {
        small = small.scenario(name, "–", "–", move |_: &mut NoParameters| {
            Ok(scenario(Pentocity::new(10, Ruleset::Simulator), Arc::clone(&source)))
        });
    }
    small.scenario("duel", "–", "–", |_: &mut NoParameters| {
        Ok(duel(Pentocity::duel(9, Ruleset::Simulator, 60)))
    })
}

#[test]
fn pentocity_and_its_roster_pass_check_game() {
    let report = check_game(small(), &TestEffort { games: 4, ..TestEffort::default() });
    report.assert_clean();
    assert!(report.checks > 5_000, "only {} checks", report.checks);
}

#[test]
fn every_family_builds_and_its_text_reads_back() {
    let report = check_game(entry(), &TestEffort { games: 0, matches: 0, ..TestEffort::default() });
    // The scenario that reads files cannot be built without one.
    let counts = |failure: &&String| !failure.contains("it needs path=FILE");
    let failures: Vec<&String> = report.failures.iter().filter(counts).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(report.checks >= 17);
}

#[test]
fn every_players_decisions_are_those_of_its_signature() {
    let budget = Budget { iterations: Some(8), nodes: Some(300), ..Budget::default() };
    let scenarios = ["walks", "wide", "phases"];
    insta::assert_snapshot!("signatures", signatures(&small(), &scenarios, budget).unwrap());
}

/// A whole match of random moves, printed turn by turn with the observations.
fn playthrough(scenario: &str) -> String {
    let (built, canonical) = Entry::build(&entry(), scenario).unwrap();
    let rules = built.rules().clone();
    let mut current = Match::new(built.clone(), 1);
    let mut rng = Rng::from_seed(1);
    let mut text = format!("pentocity:{canonical}\n");
    while !current.is_over() {
        let state = current.state();
        if current.turn() == 3 {
            let seen = rules.observe(state, Seat::new(0));
            text += &format!("seat 0 sees {}\n", serde_json::to_string(&seen).unwrap());
        }
        let asked = state.request().expect("a seat's turn has a request");
        let action = rules.rollout_action(state, Seat::new(0), &mut rng);
        current.play(std::slice::from_ref(&action)).unwrap();
        let score = current.state().totals().score;
        text += &format!("turn {}: {asked}: {action} (score {score})\n", current.turn());
    }
    text += &current.state().board().to_string();
    text + &format!("{}\n", serde_json::to_string_pretty(&current.outcome()).unwrap())
}

#[test]
fn a_whole_match_of_each_kind_goes_as_it_always_went() {
    insta::assert_snapshot!("random", playthrough("random?side=10"));
    insta::assert_snapshot!("report", playthrough("g4?side=9&scoring=report"));
    let mixture = "mixture?share=0.5&shapes=X:1,I:2&factories=1x2:1&switch=4&factories2=3:1&side=9";
    insta::assert_snapshot!("mixture", playthrough(mixture));
    insta::assert_snapshot!("contrary", playthrough("contrary?side=9"));
}

#[test]
fn schemas_describe_observations_and_actions() {
    use quintain_core::AnyEntry;
    let schemas = Arc::new(entry()).schemas();
    insta::assert_snapshot!("schemas", serde_json::to_string_pretty(&schemas).unwrap());
}
