//! Comparisons whose matches workers play: the answer is the one of a single machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quintain_arena::compare::{
    CompareError, Comparison, ComparisonConfig, DEFAULT_RISKS, ScoreMeasure, compare, compare_on,
};
use quintain_arena::{Executor, RunOptions, Shard, Tournament};
use quintain_core::{Budget, Catalog, ScenarioSet};
use quintain_fleet::{Fleet, FleetOptions};
use quintain_stats::likelihood::EloScale;
use quintain_store::Store;

use crate::count::{self, Lie, lying_catalog};
use crate::crew::{TestWorker, start_nats, tap_records};
use crate::nats::Nats;

/// A question whose matches are all played on these scenarios.
fn question(
    catalog: &Catalog,
    scenarios: &[&str],
    candidates: &[&str],
    references: &[&str],
) -> ComparisonConfig {
    let seated = |names: &[&str]| -> Vec<_> {
        names.iter().map(|name| catalog.player("count", name).unwrap()).collect()
    };
    ComparisonConfig {
        instances: Default::default(),
        games: scenarios.iter().map(|text| catalog.game("count", text).unwrap()).collect(),
        candidates: seated(candidates),
        references: seated(references),
        first_seed: 1,
        budget: Budget::default(),
        matches: 600,
        measure: ScoreMeasure::Chance,
        delta: Some(0.3),
        scale: EloScale::Logistic,
        risks: DEFAULT_RISKS,
    }
}

/// Has the workers at a server play a comparison.
fn play_on(
    nats: &Nats,
    question: &ComparisonConfig,
    store: &mut Store,
    stop: &Arc<AtomicBool>,
    second_looks: f64,
) -> Result<(Comparison, Vec<String>), CompareError> {
    let make_executor = |tournament: &Tournament| -> Box<dyn Executor> {
        let patience = Duration::from_millis(500);
        let options = FleetOptions { second_looks, patience, ..FleetOptions::default() };
        Box::new(Fleet::new(nats.address().parse().unwrap(), tournament, Shard::WHOLE, options))
    };
    let catalog = count::catalog();
    let sets: Vec<ScenarioSet> = question
        .games
        .iter()
        .map(|game| ScenarioSet::find(&catalog, "count", game.scenario()).unwrap())
        .collect();
    compare_on(&make_executor, question, &sets, store, stop, &mut |_| {})
}

fn alone(question: &ComparisonConfig) -> Comparison {
    compare(question, None, &RunOptions::default(), &mut |_| {}).unwrap()
}

#[test]
fn one_two_and_five_workers_give_the_answer_of_one_machine() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let boards = ["table?target=30", "table?target=41"];
    let solo = ["table?seats=1&target=50"];
    let rivals = ["table?target=30"];
    let cases: [(&[&str], &[&str], &[&str]); 3] = [
        (&boards, &["steady?add=2"], &["random"]),
        (&rivals, &["random", "steady?add=2", "hooked"], &["steady", "herald"]),
        (&solo, &["steady", "hooked"], &["random"]),
    ];
    let (mut workers, mut verdicts) = (Vec::new(), 0);
    for name in ["a:1", "b:1", "c:1", "d:1", "e:1"] {
        workers.push(TestWorker::start(&nats, name, &catalog));
        if ![1, 2, 5].contains(&workers.len()) {
            continue;
        }
        for (scenarios, candidates, references) in cases {
            let mut question = question(&catalog, scenarios, candidates, references);
            question.delta = Some(if scenarios == solo { 0.3 } else { 40.0 });
            let mut store = Store::in_memory().unwrap();
            let (answer, _) = play_on(&nats, &question, &mut store, &Arc::default(), 0.02).unwrap();
            // To the last digit of the evidence, and match by match.
            assert_eq!(answer, alone(&question), "{candidates:?}, {} workers", workers.len());
            verdicts += answer.candidates.iter().filter(|one| one.verdict.is_some()).count();
            // The same again is found in the store.
            let again = play_on(&nats, &question, &mut store, &Arc::default(), 0.02).unwrap();
            assert_eq!((again.0, again.1), (answer, Vec::new()));
        }
    }
    assert!(verdicts > 0, "some comparisons end before their matches are used up");
}

#[test]
fn a_comparison_that_is_stopped_anywhere_goes_on_from_its_store() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let question = question(&catalog, &["table?target=30"], &["steady?add=2"], &["random"]);
    let question = ComparisonConfig { delta: Some(20.0), ..question };
    let (mut store, mut tap) = (Store::in_memory().unwrap(), tap_records(&nats));
    let mut worker = TestWorker::start(&nats, "a:1", &catalog);
    for restart in 0..5 {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = std::thread::scope(|scope| {
            let playing = scope.spawn(|| play_on(&nats, &question, &mut store, &stop, 0.02));
            tap.next();
            stop.store(true, Ordering::Relaxed);
            playing.join().unwrap().unwrap().0
        });
        if !stopped.stopped {
            break;
        }
        worker = TestWorker::start(&nats, &format!("a:{}", restart + 2), &catalog);
    }
    let (answer, _) = play_on(&nats, &question, &mut store, &Arc::default(), 0.02).unwrap();
    drop(worker);
    assert_eq!(answer, alone(&question));
}

#[test]
fn a_liar_changes_no_verdict() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let question = question(&catalog, &["table?target=30"], &["steady?add=2"], &["random"]);
    let question = ComparisonConfig { delta: Some(20.0), ..question };
    for (lie, second_looks) in [(Lie::Scores, 0.0), (Lie::Moves, 1.0)] {
        let liar = TestWorker::start(&nats, "liar:1", &lying_catalog(lie));
        let mut store = Store::in_memory().unwrap();
        let (answer, remarks) = std::thread::scope(|scope| {
            let stop = Arc::default();
            let (nats, question, store) = (&nats, &question, &mut store);
            let played =
                scope.spawn(move || play_on(nats, question, store, &stop, second_looks).unwrap());
            liar.log.wait_for("its coordinator has shut this worker out");
            let _honest = TestWorker::start(nats, "honest:1", &catalog);
            played.join().unwrap()
        });
        assert_eq!(answer, alone(&question));
        let found = remarks.iter().find(|line| line.contains("was shut out")).unwrap();
        assert!(found.starts_with("liar:1 "), "{found}");
    }
}

#[test]
fn matches_that_nobody_can_play_are_an_error() {
    let Some((_folder, nats)) = start_nats() else { return };
    let catalog = count::catalog();
    let question = question(&catalog, &["broken"], &["steady"], &["random"]);
    let _worker = TestWorker::start(&nats, "a:1", &catalog);
    let mut store = Store::in_memory().unwrap();
    let failed = play_on(&nats, &question, &mut store, &Arc::default(), 0.02).unwrap_err();
    assert!(failed.to_string().starts_with("no record: count:broken, seed "), "{failed}");
}
