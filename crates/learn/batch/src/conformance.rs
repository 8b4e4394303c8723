//! Whether a game's encodings agree with its rules: masked actions are legal, numbers stay within
//! the layout, equal seeds give equal arrays, rewards between rivals lie between a loss and a win,
//! and the encoding for a seat contains nothing that the seat does not see.

use quintain_core::{Layout, Rng, Scoring, Seat, View};

use crate::action_numbers::ActionNumbers;
use crate::any::AnyBatch;
use crate::arrays::{ArrayLengths, Arrays};
use crate::maker::{BatchOptions, MakeBatch};

/// The number of states that are stepped together.
const STATES: usize = 3;
/// The number of turns played.
const TURNS: usize = 60;
/// No more failures than this are sought: one mistake shows on every turn.
const MAX_FAILURES: usize = 100;

/// What is wrong, one line each.
#[derive(Default)]
struct Failures(Vec<String>);

impl Failures {
    fn check(&mut self, is_right: bool, failure: impl FnOnce() -> String) {
        if !is_right && self.0.len() < MAX_FAILURES {
            self.0.push(failure());
        }
    }
}

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

/// Steps a few states of the scenario, with random actions from the masks. If a scenario has many
/// instances, the states of one of them are stepped as well. Returns what is wrong.
pub(crate) fn check_encoding(encoding: &dyn MakeBatch, scenario: &str) -> Vec<String> {
    let mut failures = Failures::default();
    let options = BatchOptions { autoreset: true, ..BatchOptions::default() };
    // A game may refuse to encode a scenario (too many seats, say).
    let Some((layout, at)) = check_states(encoding, scenario, &options, &mut failures) else {
        return failures.0;
    };
    check_instances(encoding, scenario, &options, &layout, &at, &mut failures);
    // Where every state has its own instance, an observation does not say which one.
    if let Ok(Some(instance)) = encoding.entry().instance(scenario, 1) {
        check_states(encoding, instance.scenario(), &options, &mut failures);
    }
    failures.0
}

/// Steps a few states with random actions from the masks. Returns the layout and the encoding's
/// name in messages; `None` if there is no encoding.
fn check_states(
    encoding: &dyn MakeBatch,
    scenario: &str,
    options: &BatchOptions,
    failures: &mut Failures,
) -> Option<(Layout, String)> {
    let (mut batch, text) = encoding.make(scenario, options).ok()?;
    let (mut twin, _) = encoding.make(scenario, options).ok()?;
    let at = format!("{text}: encoding {}", encoding.name());
    let layout = batch.layout().clone();
    let (seats, actions, values) = (layout.learner_seats, layout.actions, layout.values);
    let are_rivals = seats > 1
        && encoding.entry().game(scenario).is_ok_and(|game| game.scoring() == Scoring::Adversarial);
    let (mut ours, mut theirs) = (Buffers::new(batch.as_ref()), Buffers::new(twin.as_ref()));
    let mut rng = Rng::from_seed(1);
    // A scenario may have no match in which anybody moves.
    let are_begun = batch.reset(&[1, 2, 3], ours.arrays(), None).is_ok()
        && twin.reset(&[1, 2, 3], theirs.arrays(), None).is_ok();
    for turn in 0..if are_begun { TURNS } else { 0 } {
        failures.check(ours.board == theirs.board && ours.features == theirs.features, || {
            format!("{at}: turn {turn}: equal seeds are written in two ways")
        });
        failures.check(ours.board.iter().all(|byte| u16::from(*byte) < values), || {
            format!("{at}: turn {turn}: a byte of the board is not below {values}")
        });
        for (state, seat) in (0..STATES).flat_map(|state| (0..seats).map(move |s| (state, s))) {
            if batch.instance(state).is_none() && !batch.is_over(state) {
                check_view(batch.as_ref(), state, Seat::new(seat), &at, failures);
            }
        }
        let mut numbers = vec![0i64; STATES * seats];
        for state in 0..STATES {
            for seat in 0..seats {
                let mask = &ours.masks[(state * seats + seat) * actions..][..actions];
                let allowed: Vec<usize> = (0..actions).filter(|n| mask[*n] == 1).collect();
                failures
                    .check(!allowed.is_empty() || !batch.is_acting(state, Seat::new(seat)), || {
                        format!("{at}: turn {turn}: seat {seat} must move, but its mask is empty")
                    });
                if !allowed.is_empty() {
                    numbers[state * seats + seat] = allowed[rng.below(allowed.len())] as i64;
                }
            }
        }
        let stepped = batch.step(ActionNumbers::Long(&numbers), ours.arrays(), None);
        let again = twin.step(ActionNumbers::Long(&numbers), theirs.arrays(), None);
        if let Err(problem) = stepped.and(again) {
            failures.check(false, || format!("{at}: turn {turn}: {problem}"));
            break;
        }
        failures
            .check(!are_rivals || ours.rewards.iter().all(|r| (-1.0..=1.0).contains(r)), || {
                format!("{at}: turn {turn}: rewards between rivals are {:?}", ours.rewards)
            });
        failures.check(!ours.flags[2].contains(&true), || {
            format!("{at}: turn {turn}: an action that the mask allows was refused")
        });
    }
    Some((layout, at))
}

/// Checks that a seat's encoding is the same for its observation alone as for the position.
/// Otherwise the encoding shows what the seat cannot see, or leaves out what a policy was trained
/// on.
fn check_view(batch: &dyn AnyBatch, state: usize, seat: Seat, at: &str, failures: &mut Failures) {
    let layout = batch.layout().clone();
    let lengths = ArrayLengths::new(&layout.clone().with_one_learner(), true, true);
    let write_view = |write: &dyn Fn(&mut View<'_>, &mut [i8])| {
        let (mut board, mut features) = (vec![0; lengths.board], vec![0; lengths.features]);
        let mut mask = vec![0; layout.actions];
        write(&mut View { board: &mut board, features: &mut features }, &mut mask);
        (board, features, mask)
    };
    let position = write_view(&|view, mask| batch.write_seat(state, seat, view, mask));
    let observation = batch.observation(state, seat);
    let seen = write_view(&|view, mask| {
        let encoded = batch.encode(&observation, seat, view, mask);
        assert!(encoded.is_ok(), "{at}: an observation of the game is none");
    });
    failures.check(position == seen, || {
        format!("{at}: seat {seat} is written what it cannot see, or its mask tells it")
    });
}

/// Checks that every number chooses an instance, and that all are encoded alike: learners draw any
/// of them.
fn check_instances(
    encoding: &dyn MakeBatch,
    scenario: &str,
    options: &BatchOptions,
    layout: &Layout,
    at: &str,
    failures: &mut Failures,
) {
    for number in [0, 1, 2, u64::from(u32::MAX), u64::MAX] {
        let instance = match encoding.entry().instance(scenario, number) {
            Ok(Some(instance)) => instance,
            Ok(None) => return,
            Err(problem) => {
                failures.check(false, || format!("{at}: instance {number}: {problem}"));
                continue;
            }
        };
        let encoded = encoding.make(instance.scenario(), options);
        let alike = encoded.is_ok_and(|(batch, _)| batch.layout() == layout);
        failures.check(alike, || {
            format!("{at}: instance {number} has another layout than the first, or none")
        });
    }
}
