//! Batches of connect four, some of them against an opponent that fails when it moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use connect_four::{Column, ConnectFour};
use quintain_batch::{
    ActionNumbers, AnyBatch, ArrayLengths, Arrays, BatchError, BatchOptions, SearchError,
    make_batch,
};
use quintain_core::parameters::NoParameters;
use quintain_core::{Decision, Description, Entry, Fault, FaultKind, Player, Seat};
use quintain_search::puct::Options;

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

/// The arrays of a few states, which are not observed.
struct Written {
    seeds: Vec<u64>,
    rewards: Vec<f32>,
    scores: Vec<f64>,
    flags: [Vec<bool>; 3],
}

impl Written {
    fn new(states: usize, seats: usize) -> Written {
        Written {
            seeds: vec![0; states],
            rewards: vec![0.0; states * seats],
            scores: vec![0.0; states * seats],
            flags: [(); 3].map(|()| vec![false; states]),
        }
    }

    fn arrays(&mut self, batch: &dyn AnyBatch) -> Arrays<'_> {
        let [terminated, truncated, illegal] = &mut self.flags;
        Arrays {
            lengths: ArrayLengths::new(batch.layout(), false, false),
            board: &mut [],
            features: &mut [],
            masks: &mut [],
            rewards: &mut self.rewards,
            scores: &mut self.scores,
            terminated,
            truncated,
            illegal,
            seeds: &mut self.seeds,
        }
    }
}

/// Plays a column in every state, whoever moves.
fn drop_discs(batch: &mut dyn AnyBatch, written: &mut Written, columns: &[i64], which: &[bool]) {
    let both: Vec<i64> = columns.iter().flat_map(|column| [*column; 2]).collect();
    let arrays = written.arrays(batch);
    batch.step_some(which, ActionNumbers::Long(&both), arrays, None).unwrap();
}

#[test]
fn a_copied_state_is_played_by_the_actions_of_its_source() {
    let (mut batch, _) =
        make_batch(&Arc::new(entry()), "standard", &BatchOptions::default()).unwrap();
    let (batch, mut written) = (batch.as_mut(), Written::new(3, 2));
    let arrays = written.arrays(batch);
    batch.reset(&[1, 2, 3], arrays, None).unwrap();
    drop_discs(batch, &mut written, &[3, 4, 5], &[true, true, false]);
    assert_eq!([0, 1, 2].map(|state| batch.mover(state)), [1, 1, 0].map(|s| Some(Seat::new(s))));
    batch.copy_states(&[0, 1], &[1, 2]);
    drop_discs(batch, &mut written, &[0, 1, 2], &[true; 3]);
    let actions: Vec<Vec<u8>> = batch.save().into_iter().map(|saved| saved.actions).collect();
    // Both seats of a turn have the number; only the one that moves plays it.
    assert_eq!(actions, [[3, 3, 0, 0], [3, 3, 1, 1], [4, 4, 2, 2]]);
}

#[test]
fn the_seat_whose_action_was_illegal_is_known_for_one_turn() {
    let (mut batch, _) =
        make_batch(&Arc::new(entry()), "standard", &BatchOptions::default()).unwrap();
    let (batch, mut written) = (batch.as_mut(), Written::new(2, 2));
    let arrays = written.arrays(batch);
    batch.reset(&[1, 2], arrays, None).unwrap();
    for _ in 0..6 {
        drop_discs(batch, &mut written, &[0, 0], &[true, false]);
    }
    // The column is full.
    drop_discs(batch, &mut written, &[0, 0], &[true, true]);
    assert_eq!(batch.offender(0), Some(Seat::new(0)));
    assert_eq!(batch.offender(1), None);
    assert_eq!(batch.mover(0), None);
    assert_eq!(written.scores[..2], [0.0, 1.0]);
    drop_discs(batch, &mut written, &[0, 0], &[true, true]);
    assert_eq!(batch.offender(0), None);
}

#[test]
fn a_search_whose_positions_are_evaluated_outside_finds_a_win() {
    let (mut batch, _) =
        make_batch(&Arc::new(entry()), "standard", &BatchOptions::default()).unwrap();
    let (batch, mut written) = (batch.as_mut(), Written::new(2, 2));
    let arrays = written.arrays(batch);
    batch.reset(&[1, 2], arrays, None).unwrap();
    // Seat 0 has three discs in column 3, seat 1 three in column 5; the other state has just begun.
    for column in [3, 5, 3, 5, 3, 5] {
        drop_discs(batch, &mut written, &[column, 0], &[true, false]);
    }
    let options = Options { simulations: 60, ..Options::default() };
    let mut searches = batch.search(&options, 1).unwrap();
    let mut rows = Vec::new();
    loop {
        let positions = searches.descend();
        if positions.count == 0 {
            break;
        }
        assert_eq!(positions.masks.len(), positions.count * 7);
        rows.push(positions.count);
        searches.back_up(&vec![0.0; positions.count * 7], &vec![0.0; positions.count]);
    }
    assert_eq!(rows[0], 2);
    let found = searches.finish();
    assert_eq!(found.action[0], 3);
    // The mover's row has its policy, the other's has none.
    assert!(found.policy[..7].iter().sum::<f32>() > 0.99);
    assert!(found.policy[7..14].iter().all(|share| *share == 0.0));
    assert!(found.value[0] > found.value[2]);
    assert_eq!(found.evaluated, rows.iter().sum::<usize>() as u64);
}

#[test]
fn a_batch_with_opponents_is_not_searched() {
    let (_, batch) = against_one_that_fails(BatchOptions::default()).unwrap();
    assert_eq!(batch.search(&Options::default(), 1).err(), Some(SearchError::Opponents));
}
