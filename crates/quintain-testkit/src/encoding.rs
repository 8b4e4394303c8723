//! Whether a game's encodings say the same as its rules: masked actions are legal, numbers
//! stay within the layout, and equal seeds give equal arrays.

use std::sync::Arc;

use quintain_core::{
    ActionNumbers, AnyBatch, AnyEntry, ArrayLengths, Arrays, BatchOptions, Entry, Layout, Rng,
    Rules,
};

use crate::report::Report;

/// States side by side.
const STATES: usize = 3;
/// Turns played.
const TURNS: usize = 60;

/// The arrays of a few states.
struct Buffers {
    lengths: ArrayLengths,
    board: Vec<u8>,
    features: Vec<i32>,
    masks: Vec<i8>,
    rewards: Vec<f32>,
    scores: Vec<f64>,
    flags: [Vec<bool>; 3],
    seeds: Vec<u64>,
}

impl Buffers {
    fn new(batch: &dyn AnyBatch) -> Buffers {
        let lengths = ArrayLengths::new(batch.layout(), true, true);
        Buffers {
            lengths,
            board: vec![0; STATES * lengths.board],
            features: vec![0; STATES * lengths.features],
            masks: vec![0; STATES * lengths.masks],
            rewards: vec![0.0; STATES * lengths.seats],
            scores: vec![0.0; STATES * lengths.seats],
            flags: [vec![false; STATES], vec![false; STATES], vec![false; STATES]],
            seeds: vec![0; STATES],
        }
    }

    fn arrays(&mut self) -> Arrays<'_> {
        let [terminated, truncated, illegal] = &mut self.flags;
        Arrays {
            lengths: self.lengths,
            board: &mut self.board,
            features: &mut self.features,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            scores: &mut self.scores,
            terminated,
            truncated,
            illegal,
            seeds: &mut self.seeds,
        }
    }
}

/// Steps a few states of the scenario by every encoding, with random actions of the masks.
pub(crate) fn check_encodings<R: Rules>(
    entry: &Arc<Entry<R>>,
    scenario: &str,
    report: &mut Report,
) {
    for name in entry.encodings() {
        // A game may refuse to encode a scenario (too many seats, say).
        let mut options = BatchOptions::default();
        options.encoding = Some(name.to_owned());
        options.autoreset = true;
        let Ok((mut batch, text)) = AnyEntry::batch(entry, scenario, &options) else {
            continue;
        };
        let Ok((mut twin, _)) = AnyEntry::batch(entry, scenario, &options) else {
            continue;
        };
        let at = format!("{text}: encoding {name}");
        check_instances(entry, scenario, &options, batch.layout(), &at, report);
        let (seats, actions) = (batch.layout().seats, batch.layout().actions);
        let values = batch.layout().values;
        let (mut ours, mut theirs) = (Buffers::new(batch.as_ref()), Buffers::new(twin.as_ref()));
        let mut rng = Rng::from_seed(1);
        batch.reset(&[1, 2, 3], ours.arrays(), None);
        twin.reset(&[1, 2, 3], theirs.arrays(), None);
        for turn in 0..TURNS {
            report.check(ours.board == theirs.board && ours.features == theirs.features, || {
                format!("{at}: turn {turn}: equal seeds are written in two ways")
            });
            report.check(ours.board.iter().all(|byte| u16::from(*byte) < values), || {
                format!("{at}: turn {turn}: a byte of the board is not below {values}")
            });
            let mut numbers = vec![0i64; STATES * seats];
            for state in 0..STATES {
                for seat in 0..seats {
                    let mask = &ours.masks[(state * seats + seat) * actions..][..actions];
                    let allowed: Vec<usize> = (0..actions).filter(|n| mask[*n] == 1).collect();
                    report.check(!allowed.is_empty() || !batch.is_acting(state, seat), || {
                        format!("{at}: turn {turn}: seat {seat} must move, but its mask is empty")
                    });
                    if !allowed.is_empty() {
                        numbers[state * seats + seat] = allowed[rng.below(allowed.len())] as i64;
                    }
                }
            }
            batch.step(ActionNumbers::Long(&numbers), ours.arrays(), None);
            twin.step(ActionNumbers::Long(&numbers), theirs.arrays(), None);
            report.check(!ours.flags[2].contains(&true), || {
                format!("{at}: turn {turn}: an action that the mask allows was refused")
            });
        }
    }
}

/// Whether every number chooses an instance, and all are encoded alike: learners draw any of them.
fn check_instances<R: Rules>(
    entry: &Arc<Entry<R>>,
    scenario: &str,
    options: &BatchOptions,
    layout: &Layout,
    at: &str,
    report: &mut Report,
) {
    for number in [0, 1, 2, u64::from(u32::MAX), u64::MAX] {
        let instance = match AnyEntry::instance(entry, scenario, number) {
            Ok(Some(instance)) => instance,
            Ok(None) => return,
            Err(problem) => {
                report.check(false, || format!("{at}: instance {number}: {problem}"));
                continue;
            }
        };
        let encoded = AnyEntry::batch(entry, instance.scenario(), options);
        let alike = encoded.is_ok_and(|(batch, _)| batch.layout() == layout);
        report.check(alike, || {
            format!("{at}: instance {number} has another layout than the first, or none")
        });
    }
}
