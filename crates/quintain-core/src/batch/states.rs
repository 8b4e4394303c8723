//! Many states of one game, stepped together: each its own seed, its own chance and its own
//! place in the arrays, so that nothing depends on how they are shared out among threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use quintain_ui::Scene;

use super::arrays::Arrays;
use crate::encoding::{Changed, Encoding, Layout, View, is_acting};
use crate::environment::Scenario;
use crate::rules::{Objective, Rules, Scoring, Turn};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// States of one game side by side, of whatever type: what vectorised learners step.
pub trait AnyBatch: Send + Sync {
    /// The shapes of actions and observations.
    fn layout(&self) -> &Layout;

    /// Begins the match of each seed: there are as many states as seeds from now on.
    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&dyn HelperThreads>);

    /// Plays a turn in every state; `actions` has a number for each (state, seat). Where an
    /// episode ends, the next one begins at once if the batch was made so.
    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    );

    /// The drawing of a state, to the referee or to one seat.
    fn scene(&self, index: usize, eye: Option<usize>) -> Scene;

    /// Whether a state's episode has ended and no action is possible.
    fn is_over(&self, index: usize) -> bool;

    /// Whether a seat must move now.
    fn is_acting(&self, index: usize, seat: usize) -> bool;

    /// Whether a seat is still in the game.
    fn is_alive(&self, index: usize, seat: usize) -> bool;
}

/// Threads that share the work of a batch with its caller.
pub trait HelperThreads: Sync {
    /// How many there are besides the caller.
    fn count(&self) -> usize;

    /// Runs `work(0)` on the caller's thread and `work(1)` to `work(count)` on the helpers',
    /// and returns when all of them have.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
}

/// Actions by number, in the integers that arrays of learners have.
#[derive(Clone, Copy, Debug)]
pub enum ActionNumbers<'a> {
    /// 64 bits each.
    Long(&'a [i64]),
    /// 32 bits each.
    Int(&'a [i32]),
    /// A byte each.
    Byte(&'a [u8]),
}

impl ActionNumbers<'_> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            ActionNumbers::Long(all) => all.len(),
            ActionNumbers::Int(all) => all.len(),
            ActionNumbers::Byte(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn get(self, index: usize) -> usize {
        match self {
            ActionNumbers::Long(all) => all[index] as usize,
            ActionNumbers::Int(all) => all[index] as usize,
            ActionNumbers::Byte(all) => usize::from(all[index]),
        }
    }

    /// The first that is not below `actions`: its place, and what it is.
    pub fn first_beyond(self, actions: usize) -> Option<(usize, i64)> {
        let wrong = |number: i64| !(0..actions as i64).contains(&number);
        match self {
            ActionNumbers::Long(all) => {
                all.iter().position(|n| wrong(*n)).map(|place| (place, all[place]))
            }
            ActionNumbers::Int(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
            ActionNumbers::Byte(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
        }
    }
}

/// One state and what belongs to it.
struct Slot<R: Rules> {
    state: R::State,
    chance: Rng,
    /// Where the seeds of the episodes to come are drawn from.
    episodes: Rng,
    seed: u64,
    /// By seat, the gain of its score when it was last looked at; empty between rivals.
    gains: Vec<f64>,
    over: bool,
}

/// The states of one game, by one encoding.
pub(crate) struct Batch<E: Encoding> {
    scenario: Scenario<E::Rules>,
    encoding: E,
    layout: Layout,
    objective: Objective,
    /// Rewards are those of rivals: a win or a loss when a seat drops out.
    is_adversarial: bool,
    autoreset: bool,
    slots: Vec<Slot<E::Rules>>,
}

impl<E: Encoding> Batch<E> {
    /// No states yet: [`AnyBatch::reset`] makes them. With `autoreset`, an episode that ends
    /// is followed by the next one at once.
    pub(crate) fn new(scenario: Scenario<E::Rules>, encoding: E, autoreset: bool) -> Batch<E> {
        let (layout, objective) = (encoding.layout(), scenario.rules().objective());
        let is_adversarial = scenario.rules().scoring() == Scoring::Adversarial && layout.seats > 1;
        Batch {
            scenario,
            encoding,
            layout,
            objective,
            is_adversarial,
            autoreset,
            slots: Vec::new(),
        }
    }

    /// Begins the match of a seed.
    fn begin(&self, seed: u64) -> Slot<E::Rules> {
        let streams = Streams::new(seed);
        let mut slot = Slot {
            state: self.scenario.start(&mut streams.start()),
            chance: self.chance(streams),
            episodes: streams.address("episodes", 0),
            seed,
            gains: vec![0.0; if self.is_adversarial { 0 } else { self.layout.seats }],
            over: false,
        };
        self.settle(&mut slot);
        self.measure_gains(&mut slot);
        slot
    }

    /// Begins the next episode: the match of the slot's next seed.
    fn renew(&self, slot: &mut Slot<E::Rules>) {
        slot.seed = slot.episodes.bits();
        let streams = Streams::new(slot.seed);
        slot.state = self.scenario.start(&mut streams.start());
        if self.scenario.rules().has_chance() {
            slot.chance = streams.chance();
        }
        self.settle(slot);
        self.measure_gains(slot);
    }

    /// The stream of chance, which takes time to derive, where there is any.
    fn chance(&self, streams: Streams) -> Rng {
        if self.scenario.rules().has_chance() { streams.chance() } else { Rng::from_seed(0) }
    }

    /// Lets chance move until a seat must.
    #[inline]
    fn settle(&self, slot: &mut Slot<E::Rules>) {
        let rules = self.scenario.rules();
        slot.over = loop {
            match rules.turn(&slot.state) {
                Turn::Over => break true,
                Turn::Chance => self.scenario.apply_chance(&mut slot.state, &mut slot.chance),
                Turn::Seat(_) | Turn::Simultaneous => break false,
            }
        };
    }

    fn measure_gains(&self, slot: &mut Slot<E::Rules>) {
        for (seat, gain) in slot.gains.iter_mut().enumerate() {
            *gain = self.objective.gain(self.scenario.rules().score(&slot.state, Seat::new(seat)));
        }
    }

    /// The seats still in the game, a bit each.
    #[inline]
    fn alive(&self, state: &<E::Rules as Rules>::State) -> u64 {
        (0..self.layout.seats)
            .fold(0, |all, seat| all | u64::from(self.encoding.is_alive(state, seat)) << seat)
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    fn play_turn(
        &self,
        slot: &mut Slot<E::Rules>,
        actions: ActionNumbers<'_>,
        first: usize,
        at: &mut Arrays<'_>,
    ) {
        let rules = self.scenario.rules();
        let trace = self.encoding.trace(&slot.state);
        let alive_before = if self.is_adversarial { self.alive(&slot.state) } else { 0 };
        let changed = self.encoding.play(&mut slot.state, |seat| actions.get(first + seat));
        at.rewards.fill(0.0);
        let mut ended = [false; 3];
        match changed {
            Ok(changed) => {
                self.settle(slot);
                if slot.over {
                    let truncated = rules.ending(&slot.state).truncated;
                    ended = [!truncated, truncated, false];
                }
                if self.is_adversarial {
                    let left = if slot.over {
                        alive_before
                    } else {
                        alive_before & !self.alive(&slot.state)
                    };
                    self.reward_rivals(
                        left,
                        |seat| rules.score(&slot.state, Seat::new(seat)),
                        at.rewards,
                    );
                } else if changed == Changed::Score || slot.over {
                    self.reward_gains(
                        slot,
                        |state, seat| rules.score(state, Seat::new(seat)),
                        at.rewards,
                    );
                }
                if slot.over {
                    for (seat, out) in at.scores.iter_mut().enumerate() {
                        *out = rules.score(&slot.state, Seat::new(seat));
                    }
                }
            }
            Err(seat) => {
                slot.over = true;
                ended = [true, false, true];
                let scores = rules.forfeit(&slot.state, Seat::new(seat));
                if self.is_adversarial {
                    self.reward_rivals(alive_before, |seat| scores[seat], at.rewards);
                } else {
                    self.reward_gains(slot, |_, seat| scores[seat], at.rewards);
                }
                at.scores.copy_from_slice(&scores);
            }
        }
        for (out, is) in
            [&mut *at.terminated, &mut *at.truncated, &mut *at.illegal].into_iter().zip(ended)
        {
            out[0] = is;
        }
        let mut view = View { board: &mut *at.board, features: &mut *at.features };
        if slot.over && self.autoreset {
            self.renew(slot);
            self.encoding.write(&slot.state, &mut view);
            at.seeds[0] = slot.seed;
        } else {
            self.encoding.rewrite(trace, &slot.state, &mut view);
        }
        self.write_masks(slot, at.masks);
    }

    /// Rivals that are out get what they have come to: 1 for a win, −1 for a loss.
    #[inline]
    fn reward_rivals(&self, seats: u64, score: impl Fn(usize) -> f64, rewards: &mut [f32]) {
        let mut left = seats;
        while left != 0 {
            let seat = left.trailing_zeros() as usize;
            rewards[seat] = (2.0 * self.objective.gain(score(seat)) - 1.0) as f32;
            left &= left - 1;
        }
    }

    /// What the score has risen by.
    #[inline]
    fn reward_gains(
        &self,
        slot: &mut Slot<E::Rules>,
        score: impl Fn(&<E::Rules as Rules>::State, usize) -> f64,
        rewards: &mut [f32],
    ) {
        for (seat, (reward, before)) in rewards.iter_mut().zip(&mut slot.gains).enumerate() {
            let gain = self.objective.gain(score(&slot.state, seat));
            *reward = (gain - *before) as f32;
            *before = gain;
        }
    }

    #[inline]
    fn write_masks(&self, slot: &Slot<E::Rules>, masks: &mut [i8]) {
        if masks.is_empty() {
            return;
        }
        if slot.over {
            return masks.fill(0);
        }
        for (seat, out) in masks.chunks_exact_mut(self.layout.actions).enumerate() {
            self.encoding.mask(&slot.state, seat, out);
        }
    }

    fn write_all(&self, slot: &Slot<E::Rules>, at: &mut Arrays<'_>) {
        self.encoding.write(&slot.state, &mut View { board: at.board, features: at.features });
        self.write_masks(slot, at.masks);
        at.seeds[0] = slot.seed;
    }
}

/// The least number of states worth a thread.
const PART: usize = 16;

/// How often the caller checks whether the helpers are done before it sleeps: some 20 µs.
const SPINS: u32 = 1000;

/// Does the same to every state with its own arrays, on helpers too where that is worth it.
///
/// Each thread begins with the states it had the last time, which are in its core's cache, and
/// then takes parts that no other thread has begun.
fn for_each<R: Rules>(
    slots: &mut [Slot<R>],
    arrays: Arrays<'_>,
    helpers: Option<&dyn HelperThreads>,
    work: impl Fn(usize, &mut Slot<R>, &mut Arrays<'_>) + Sync,
) {
    let run = |first: usize, slots: &mut [Slot<R>], mut arrays: Arrays<'_>| {
        for (index, slot) in slots.iter_mut().enumerate() {
            work(first + index, slot, &mut arrays.at(index));
        }
    };
    let count = slots.len();
    let Some(helpers) = helpers.filter(|_| count >= 2 * PART) else {
        return run(0, slots, arrays);
    };
    let threads = helpers.count() + 1;
    let part_size = count.div_ceil(4 * threads).max(PART);
    let parts = slots.chunks_mut(part_size).zip(arrays.parts(part_size));
    let parts: Vec<_> = parts.map(|part| Mutex::new(Some(part))).collect();
    let left = AtomicUsize::new(parts.len());
    let run_from = |thread: usize| {
        let first = thread * parts.len() / threads;
        for number in (first..parts.len()).chain(0..first) {
            let part = parts[number].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((slots, arrays)) = part {
                run(number * part_size, slots, arrays);
                left.fetch_sub(1, Ordering::Release);
            }
        }
    };
    helpers.run(&|thread| {
        run_from(thread);
        // To be woken takes the caller longer than the others still need, as a rule.
        for _ in 0..if thread == 0 { SPINS } else { 0 } {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
    });
}

impl<E: Encoding> AnyBatch for Batch<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&dyn HelperThreads>) {
        let mut slots: Vec<Slot<E::Rules>> = seeds.iter().map(|seed| self.begin(*seed)).collect();
        for_each(&mut slots, arrays, helpers, |_, slot, at| self.write_all(slot, at));
        self.slots = slots;
    }

    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) {
        let mut slots = std::mem::take(&mut self.slots);
        let seats = self.layout.seats;
        for_each(&mut slots, arrays, helpers, |index, slot, at| {
            self.play_turn(slot, actions, index * seats, at);
        });
        self.slots = slots;
    }

    fn scene(&self, index: usize, eye: Option<usize>) -> Scene {
        let scenario = &self.scenario;
        let state = &self.slots[index].state;
        scenario.presentation().scene(scenario.rules(), state, eye.map(Seat::new))
    }

    fn is_over(&self, index: usize) -> bool {
        self.slots[index].over
    }

    fn is_acting(&self, index: usize, seat: usize) -> bool {
        is_acting(self.scenario.rules(), &self.slots[index].state, Seat::new(seat))
    }

    fn is_alive(&self, index: usize, seat: usize) -> bool {
        !self.is_over(index) && self.encoding.is_alive(&self.slots[index].state, seat)
    }
}
