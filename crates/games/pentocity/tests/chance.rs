//! Requests come from a source that no player can reach: whatever the sequencer, nothing that a
//! player holds tells more about the next request than the requests so far.

use std::collections::BTreeMap;

use quintain_core::{Decision, Match, Rng, Rules, Scenario, Seat, Turn};
use quintain_pentocity::{Pentocity, entry};

/// The sequencers of the class of 2016.
const CLASS: [&str; 15] = [
    "random",
    "tailheavy",
    "stars",
    "industrialization",
    "misfits",
    "tanks",
    "g1",
    "g2",
    "g3",
    "g4",
    "g5",
    "g6",
    "g8",
    "g9",
    "g10",
];
/// The number of decisions examined for each of them, over several matches.
const DECISIONS: usize = 150;
/// The number of draws of the next request at each decision.
const DRAWS: usize = 20;
const SIDE: u32 = 20;

fn build(sequencer: &str) -> Scenario<Pentocity> {
    entry().build(&format!("{sequencer}?side={SIDE}")).expect("a scenario of the class").0
}

/// The next request, as drawn by a player that has decided on `action`.
fn draw(
    rules: &Pentocity,
    decision: &mut Decision<'_, Pentocity>,
    action: &<Pentocity as Rules>::Action,
) -> Option<String> {
    let mut determinized = decision.determinize();
    rules.step(&mut determinized, std::slice::from_ref(action));
    if rules.turn(&determinized) != Turn::Chance {
        return None;
    }
    rules.sample_chance(&mut determinized, decision.rng());
    determinized.request().map(|request| request.to_string())
}

/// How often draws at a decision hit the next request, and how often they would by the frequencies
/// of the requests so far: the mean, and its variance.
#[derive(Default)]
struct Hits {
    drawn: f64,
    mean: f64,
    variance: f64,
}

fn measure(scenario: &Scenario<Pentocity>, other: &Scenario<Pentocity>) -> Hits {
    let mut hits = Hits::default();
    let mut decisions = 0;
    for seed in 0.. {
        let mut current = Match::new(scenario.clone(), seed);
        let mut own = Rng::from_seed(seed);
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        while !current.is_over() {
            let seat = Seat::new(0);
            let request = current.state().request().expect("a seat's turn has a request");
            *seen.entry(request.to_string()).or_default() += 1;
            let mut decision = Decision::new(current.rules(), current.state(), seat, &mut own);
            let rules = decision.rules();
            let action = rules.rollout_action(current.state(), seat, decision.rng());
            let drawn: Vec<Option<String>> =
                (0..DRAWS).map(|_| draw(rules, &mut decision, &action)).collect();
            // The rules of another sequencer draw the same from the same numbers.
            let mut numbers = [Rng::from_seed(seed), Rng::from_seed(seed)];
            let [first, second] = &mut numbers;
            let mut ours = Decision::new(rules, current.state(), seat, first);
            let mut theirs = Decision::new(other.rules(), current.state(), seat, second);
            assert_eq!(
                draw(rules, &mut ours, &action),
                draw(other.rules(), &mut theirs, &action),
                "the rules know who asks"
            );
            current.play(&[action]).expect("a random action is legal");
            let Some(next) = current.state().request().filter(|_| !current.is_over()) else {
                break;
            };
            let next = next.to_string();
            let share = f64::from(seen.get(&next).copied().unwrap_or(0))
                / f64::from(seen.values().sum::<u32>());
            hits.drawn += drawn.iter().filter(|it| it.as_ref() == Some(&next)).count() as f64;
            hits.mean += DRAWS as f64 * share;
            hits.variance += DRAWS as f64 * share * (1.0 - share);
            decisions += 1;
            if decisions == DECISIONS {
                return hits;
            }
        }
    }
    unreachable!("matches go on until there are enough decisions")
}

#[test]
fn decisions_predict_the_next_request_no_better_than_the_published_model_does() {
    for (index, sequencer) in CLASS.iter().enumerate() {
        let other = build(CLASS[(index + 1) % CLASS.len()]);
        let Hits { drawn, mean, variance } = measure(&build(sequencer), &other);
        // Five standard deviations, and no tolerance if the frequencies are certain.
        assert!(
            drawn <= mean + 5.0 * variance.sqrt() + 1e-6,
            "{sequencer}: {drawn} requests were drawn right where frequencies give {mean:.1}"
        );
    }
}
