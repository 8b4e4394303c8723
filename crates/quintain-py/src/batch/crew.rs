//! Many states of one game, stepped together: each its own seed, its own chance and its own
//! place in the arrays, so that nothing depends on how they are shared out among threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use quintain_core::{Objective, Rng, Rules, Scoring, Seat, Streams, Turn};
use quintain_ui::Scene;

use super::arrays::Arrays;
use super::task::{Did, Layout, Task, View};

/// States of whatever game.
pub(crate) trait Crew: Send + Sync {
    /// The form of actions and observations.
    fn layout(&self) -> &Layout;
    /// Begins the match of each seed.
    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&Helpers>);
    /// Plays a turn everywhere. What is over begins anew, if it shall.
    fn step(&mut self, actions: Numbers<'_>, arrays: Arrays<'_>, helpers: Option<&Helpers>);
    /// The drawing of a state.
    fn scene(&self, index: usize, eye: Option<usize>) -> Scene;
    /// Whether a state is over, and no action is possible.
    fn is_over(&self, index: usize) -> bool;
    /// Whether a seat must move now.
    fn is_acting(&self, index: usize, seat: usize) -> bool;
    /// Whether a seat is still in the game.
    fn lives(&self, index: usize, seat: usize) -> bool;
}

/// Actions by number, as NumPy holds them.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    Long(&'a [i64]),
    Int(&'a [i32]),
    Byte(&'a [u8]),
}

impl Numbers<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Numbers::Long(all) => all.len(),
            Numbers::Int(all) => all.len(),
            Numbers::Byte(all) => all.len(),
        }
    }

    #[inline]
    fn get(self, index: usize) -> usize {
        match self {
            Numbers::Long(all) => all[index] as usize,
            Numbers::Int(all) => all[index] as usize,
            Numbers::Byte(all) => usize::from(all[index]),
        }
    }

    /// The first that is not below `actions`: its place, and what it is.
    pub(crate) fn beyond(self, actions: usize) -> Option<(usize, i64)> {
        let wrong = |number: i64| !(0..actions as i64).contains(&number);
        match self {
            Numbers::Long(all) => {
                all.iter().position(|n| wrong(*n)).map(|place| (place, all[place]))
            }
            Numbers::Int(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
            Numbers::Byte(all) => {
                let place = all.iter().position(|n| wrong((*n).into()))?;
                Some((place, all[place].into()))
            }
        }
    }
}

/// One state and what belongs to it.
struct Slot<R: Rules> {
    state: R::State,
    nature: Rng,
    /// Where the seeds of the episodes to come are drawn from.
    episodes: Rng,
    seed: u64,
    /// By seat, what its score was worth when it was looked at last.
    gains: Vec<f64>,
    over: bool,
}

/// The states of one game.
pub(crate) struct States<T: Task> {
    task: T,
    layout: Layout,
    goal: Objective,
    versus: bool,
    renews: bool,
    slots: Vec<Slot<T::Rules>>,
}

impl<T: Task> States<T> {
    /// No states yet: [`Crew::reset`] makes them. With `renews`, what is over begins anew at
    /// once.
    pub(crate) fn new(task: T, renews: bool) -> States<T> {
        let (layout, goal) = (task.layout(), task.game().objective());
        let versus = task.game().scoring() == Scoring::Adversarial && layout.seats > 1;
        States { task, layout, goal, versus, renews, slots: Vec::new() }
    }

    /// Begins the match of a seed.
    fn begin(&self, seed: u64) -> Slot<T::Rules> {
        let game = self.task.game();
        let streams = Streams::new(seed);
        let state = game.start(&mut streams.start());
        let nature = if game.has_chance() { streams.nature() } else { Rng::from_seed(0) };
        let mut slot = Slot {
            state,
            nature,
            episodes: streams.address("episodes", 0),
            seed,
            gains: vec![0.0; if self.versus { 0 } else { self.layout.seats }],
            over: false,
        };
        self.settle(&mut slot);
        self.weigh(&mut slot);
        slot
    }

    /// The next episode: the match of the next seed of the slot.
    fn renew(&self, slot: &mut Slot<T::Rules>) {
        let game = self.task.game();
        slot.seed = slot.episodes.bits();
        let streams = Streams::new(slot.seed);
        slot.state = game.start(&mut streams.start());
        if game.has_chance() {
            slot.nature = streams.nature();
        }
        self.settle(slot);
        self.weigh(slot);
    }

    /// Lets chance move until a seat must.
    #[inline]
    fn settle(&self, slot: &mut Slot<T::Rules>) {
        let game = self.task.game();
        slot.over = loop {
            match game.turn(&slot.state) {
                Turn::Over => break true,
                Turn::Chance => game.nature(&mut slot.state, &mut slot.nature),
                Turn::Seat(_) | Turn::Simultaneous => break false,
            }
        };
    }

    fn weigh(&self, slot: &mut Slot<T::Rules>) {
        for (seat, gain) in slot.gains.iter_mut().enumerate() {
            *gain = self.goal.gain(self.task.game().score(&slot.state, Seat::new(seat)));
        }
    }

    /// Seats in the game, a bit each.
    #[inline]
    fn living(&self, state: &<T::Rules as Rules>::State) -> u64 {
        (0..self.layout.seats)
            .fold(0, |all, seat| all | u64::from(self.task.lives(state, seat)) << seat)
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    fn turn(
        &self,
        slot: &mut Slot<T::Rules>,
        actions: Numbers<'_>,
        first: usize,
        at: &mut Arrays<'_>,
    ) {
        let game = self.task.game();
        let trace = self.task.trace(&slot.state);
        let lived = if self.versus { self.living(&slot.state) } else { 0 };
        let played = self.task.play(&mut slot.state, |seat| actions.get(first + seat));
        at.rewards.fill(0.0);
        let mut ended = [false; 3];
        match played {
            Ok(did) => {
                self.settle(slot);
                if slot.over {
                    let truncated = game.ending(&slot.state).truncated;
                    ended = [!truncated, truncated, false];
                }
                if self.versus {
                    let left = if slot.over { lived } else { lived & !self.living(&slot.state) };
                    self.rank(left, |seat| game.score(&slot.state, Seat::new(seat)), at.rewards);
                } else if did == Did::Scored || slot.over {
                    self.pay(slot, |state, seat| game.score(state, Seat::new(seat)), at.rewards);
                }
                if slot.over {
                    for (seat, out) in at.scores.iter_mut().enumerate() {
                        *out = game.score(&slot.state, Seat::new(seat));
                    }
                }
            }
            Err(seat) => {
                slot.over = true;
                ended = [true, false, true];
                let scores = game.forfeit(&slot.state, Seat::new(seat));
                if self.versus {
                    self.rank(lived, |seat| scores[seat], at.rewards);
                } else {
                    self.pay(slot, |_, seat| scores[seat], at.rewards);
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
        if slot.over && self.renews {
            self.renew(slot);
            self.task.draw(&slot.state, &mut view);
            at.seeds[0] = slot.seed;
        } else {
            self.task.redraw(trace, &slot.state, &mut view);
        }
        self.mask(slot, at.masks);
    }

    /// Rivals that are out get what they have come to: 1 for a win, −1 for a loss.
    #[inline]
    fn rank(&self, seats: u64, score: impl Fn(usize) -> f64, rewards: &mut [f32]) {
        let mut left = seats;
        while left != 0 {
            let seat = left.trailing_zeros() as usize;
            rewards[seat] = (2.0 * self.goal.gain(score(seat)) - 1.0) as f32;
            left &= left - 1;
        }
    }

    /// What the score has risen by.
    #[inline]
    fn pay(
        &self,
        slot: &mut Slot<T::Rules>,
        score: impl Fn(&<T::Rules as Rules>::State, usize) -> f64,
        rewards: &mut [f32],
    ) {
        for (seat, (reward, before)) in rewards.iter_mut().zip(&mut slot.gains).enumerate() {
            let gain = self.goal.gain(score(&slot.state, seat));
            *reward = (gain - *before) as f32;
            *before = gain;
        }
    }

    #[inline]
    fn mask(&self, slot: &Slot<T::Rules>, masks: &mut [i8]) {
        if masks.is_empty() {
            return;
        }
        if slot.over {
            return masks.fill(0);
        }
        for (seat, out) in masks.chunks_exact_mut(self.layout.actions).enumerate() {
            self.task.mask(&slot.state, seat, out);
        }
    }

    fn show(&self, slot: &Slot<T::Rules>, at: &mut Arrays<'_>) {
        self.task.draw(&slot.state, &mut View { board: at.board, features: at.features });
        self.mask(slot, at.masks);
        at.seeds[0] = slot.seed;
    }
}

/// The threads that help whoever calls.
pub(crate) type Helpers = rayon::ThreadPool;

/// The least number of states worth a thread.
const PART: usize = 16;

/// How often whoever calls looks whether the helpers are done before it sleeps: some 20 µs.
const PATIENCE: u32 = 1000;

/// Does the same to every state, with its own arrays; with helpers where that is worth it.
///
/// Each thread begins with the states it had the last time, which are in its core's cache, and
/// takes what others have not come to after that.
fn each<R: Rules>(
    slots: &mut [Slot<R>],
    arrays: Arrays<'_>,
    helpers: Option<&Helpers>,
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
    let threads = helpers.current_num_threads() + 1;
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
    helpers.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, helper| run_from(helper.index() + 1));
        run_from(0);
        // To be woken takes longer than the others need as a rule.
        for _ in 0..PATIENCE {
            if left.load(Ordering::Acquire) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
    });
}

impl<T: Task> Crew for States<T> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&Helpers>) {
        let mut slots: Vec<Slot<T::Rules>> = seeds.iter().map(|seed| self.begin(*seed)).collect();
        each(&mut slots, arrays, helpers, |_, slot, at| self.show(slot, at));
        self.slots = slots;
    }

    fn step(&mut self, actions: Numbers<'_>, arrays: Arrays<'_>, helpers: Option<&Helpers>) {
        let mut slots = std::mem::take(&mut self.slots);
        let seats = self.layout.seats;
        each(&mut slots, arrays, helpers, |index, slot, at| {
            self.turn(slot, actions, index * seats, at);
        });
        self.slots = slots;
    }

    fn scene(&self, index: usize, eye: Option<usize>) -> Scene {
        self.task.game().scene(&self.slots[index].state, eye.map(Seat::new))
    }

    fn is_over(&self, index: usize) -> bool {
        self.slots[index].over
    }

    fn is_acting(&self, index: usize, seat: usize) -> bool {
        let state = &self.slots[index].state;
        match self.task.game().turn(state) {
            Turn::Seat(to_move) => to_move.index() == seat,
            Turn::Simultaneous => self.task.game().is_acting(state, Seat::new(seat)),
            Turn::Over | Turn::Chance => false,
        }
    }

    fn lives(&self, index: usize, seat: usize) -> bool {
        !self.is_over(index) && self.task.lives(&self.slots[index].state, seat)
    }
}
