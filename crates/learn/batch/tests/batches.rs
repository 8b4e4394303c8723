//! Batches of connect four, some of them against an opponent that fails when it moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use connect_four::{Column, ConnectFour};
use quintain_batch::{AnyBatch, ArrayLengths, Arrays, BatchError, BatchOptions, make_batch};
use quintain_core::parameters::NoParameters;
use quintain_core::{Decision, Description, Entry, Fault, FaultKind, Player, Seat};

struct Fails;

impl Player<ConnectFour> for Fails {
    fn decide(&mut self, _: &mut Decision<'_, ConnectFour>) -> Result<Column, Fault> {
        Err(Fault::new(FaultKind::Crash, "it always fails"))
    }
}

fn entry() -> Entry<ConnectFour> {
    let info = Description { name: "fails", version: 1, summary: "", source: "" };
    connect_four::entry().player(info, |_, _: &NoParameters| Ok(Box::new(Fails)))
}

/// States against the player that fails, and the seeds of their episodes. Seat 0 moves first.
fn against_one_that_fails(
    mut options: BatchOptions,
) -> Result<(Vec<u64>, Box<dyn AnyBatch>), BatchError> {
    options.opponents = vec!["fails".to_owned()];
    let (mut batch, _) = make_batch(&Arc::new(entry()), "standard", &options).unwrap();
    let seeds: Vec<u64> = (0..40).collect();
    let mut written = vec![0; seeds.len()];
    let lengths = ArrayLengths::new(batch.layout(), false, false);
    let (mut rewards, mut scores) = (vec![0.0; seeds.len()], vec![0.0; seeds.len()]);
    let mut flags = [(); 3].map(|()| vec![false; seeds.len()]);
    let [terminated, truncated, illegal] = &mut flags;
    let arrays = Arrays {
        lengths,
        board: &mut [],
        features: &mut [],
        masks: &mut [],
        rewards: &mut rewards,
        scores: &mut scores,
        terminated,
        truncated,
        illegal,
        seeds: &mut written,
    };
    batch.reset(&seeds, arrays, None)?;
    Ok((written, batch))
}

#[test]
fn episodes_that_are_over_before_the_learners_first_turn_are_skipped() {
    let (seeds, batch) = against_one_that_fails(BatchOptions::default()).unwrap();
    let skipped = seeds.iter().zip(0..).filter(|(seed, first)| **seed != *first).count();
    assert!((5..35).contains(&skipped), "{skipped} of 40");
    for state in 0..seeds.len() {
        assert!(!batch.is_over(state));
        assert_eq!(batch.learner(state), Some(Seat::new(0)));
    }
    let mut second = BatchOptions::default();
    second.seat = Some(1);
    let problem = against_one_that_fails(second).err().unwrap();
    assert!(matches!(problem, BatchError::NoTurn { state: 0, .. }), "{problem}");
    let mut stopped = BatchOptions::default();
    stopped.stop = Some(Arc::new(AtomicBool::new(true)));
    assert_eq!(against_one_that_fails(stopped).err(), Some(BatchError::Stopped));
}

#[test]
fn an_unknown_encoding_is_reported_with_a_suggestion() {
    let mut options = BatchOptions::default();
    options.encoding = Some("bord".to_owned());
    let refused = make_batch(&Arc::new(entry()), "standard", &options).err().unwrap();
    assert_eq!(refused.to_string(), "unknown connect-four encoding “bord”; did you mean “board”?");
}
