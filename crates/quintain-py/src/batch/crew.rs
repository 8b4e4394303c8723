//! Many states of one game, stepped together: each its own seed, its own chance and its own
//! place in the arrays, so that nothing depends on how they are shared out among threads.

use quintain_core::scene::Scene;
use quintain_core::{Contest, Game, Goal, Rng, Seat, Streams, Turn};
use rayon::prelude::*;

use super::arrays::Arrays;
use super::task::{Did, Layout, Task, View};

/// States of whatever game.
pub(crate) trait Crew: Send + Sync {
    /// The form of actions and observations.
    fn layout(&self) -> &Layout;
    /// Begins the match of each seed.
    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, threads: usize);
    /// Plays a turn everywhere. What is over begins anew, if it shall.
    fn step(&mut self, actions: Numbers<'_>, arrays: Arrays<'_>, threads: usize);
    /// The drawing of a state.
    fn scene(&self, index: usize, eye: Option<usize>) -> Scene;
    /// Whether a state is over, and no action is possible.
    fn is_over(&self, index: usize) -> bool;
    /// Whether a seat must move now.
    fn acts(&self, index: usize, seat: usize) -> bool;
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
struct Slot<G: Game> {
    state: G::State,
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
    goal: Goal,
    versus: bool,
    renews: bool,
    slots: Vec<Slot<T::Game>>,
}

impl<T: Task> States<T> {
    /// No states yet: [`Crew::reset`] makes them. With `renews`, what is over begins anew at
    /// once.
    pub(crate) fn new(task: T, renews: bool) -> States<T> {
        let (layout, goal) = (task.layout(), task.game().goal());
        let versus = task.game().contest() == Contest::Versus && layout.seats > 1;
        States { task, layout, goal, versus, renews, slots: Vec::new() }
    }

    /// Begins the match of a seed.
    fn begin(&self, seed: u64) -> Slot<T::Game> {
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
    fn renew(&self, slot: &mut Slot<T::Game>) {
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
    fn settle(&self, slot: &mut Slot<T::Game>) {
        let game = self.task.game();
        slot.over = loop {
            match game.turn(&slot.state) {
                Turn::Over => break true,
                Turn::Nature => game.nature(&mut slot.state, &mut slot.nature),
                Turn::Seat(_) | Turn::Together => break false,
            }
        };
    }

    fn weigh(&self, slot: &mut Slot<T::Game>) {
        for (seat, gain) in slot.gains.iter_mut().enumerate() {
            *gain = self.goal.gain(self.task.game().score(&slot.state, Seat::new(seat)));
        }
    }

    /// Seats in the game, a bit each.
    #[inline]
    fn living(&self, state: &<T::Game as Game>::State) -> u64 {
        (0..self.layout.seats)
            .fold(0, |all, seat| all | u64::from(self.task.lives(state, seat)) << seat)
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    fn turn(
        &self,
        slot: &mut Slot<T::Game>,
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
        slot: &mut Slot<T::Game>,
        score: impl Fn(&<T::Game as Game>::State, usize) -> f64,
        rewards: &mut [f32],
    ) {
        for (seat, (reward, before)) in rewards.iter_mut().zip(&mut slot.gains).enumerate() {
            let gain = self.goal.gain(score(&slot.state, seat));
            *reward = (gain - *before) as f32;
            *before = gain;
        }
    }

    #[inline]
    fn mask(&self, slot: &Slot<T::Game>, masks: &mut [i8]) {
        if masks.is_empty() {
            return;
        }
        masks.fill(0);
        if slot.over {
            return;
        }
        for (seat, out) in masks.chunks_exact_mut(self.layout.actions).enumerate() {
            self.task.mask(&slot.state, seat, out);
        }
    }

    fn show(&self, slot: &Slot<T::Game>, at: &mut Arrays<'_>) {
        self.task.draw(&slot.state, &mut View { board: at.board, features: at.features });
        self.mask(slot, at.masks);
        at.seeds[0] = slot.seed;
    }
}

/// The least number of states worth a thread.
const PART: usize = 64;

/// Does the same to every state, with its own arrays; on several threads where that is worth it.
fn each<G: Game>(
    slots: &mut [Slot<G>],
    arrays: Arrays<'_>,
    threads: usize,
    work: impl Fn(usize, &mut Slot<G>, &mut Arrays<'_>) + Sync,
) {
    let run = |first: usize, slots: &mut [Slot<G>], arrays: Arrays<'_>| {
        for (index, (slot, mut at)) in slots.iter_mut().zip(arrays.each()).enumerate() {
            work(first + index, slot, &mut at);
        }
    };
    let count = slots.len();
    if threads <= 1 || count < 2 * PART {
        return run(0, slots, arrays);
    }
    // A few parts for each thread, so that one that is held up does not hold up the others.
    let part = count.div_ceil(4 * threads).max(PART);
    let parts: Vec<_> = slots.chunks_mut(part).zip(arrays.parts(part)).enumerate().collect();
    parts.into_par_iter().for_each(|(number, (slots, arrays))| run(number * part, slots, arrays));
}

impl<T: Task> Crew for States<T> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, threads: usize) {
        let mut slots: Vec<Slot<T::Game>> = seeds.iter().map(|seed| self.begin(*seed)).collect();
        each(&mut slots, arrays, threads, |_, slot, at| self.show(slot, at));
        self.slots = slots;
    }

    fn step(&mut self, actions: Numbers<'_>, arrays: Arrays<'_>, threads: usize) {
        let mut slots = std::mem::take(&mut self.slots);
        let seats = self.layout.seats;
        each(&mut slots, arrays, threads, |index, slot, at| {
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

    fn acts(&self, index: usize, seat: usize) -> bool {
        let state = &self.slots[index].state;
        match self.task.game().turn(state) {
            Turn::Seat(to_move) => to_move.index() == seat,
            Turn::Together => self.task.game().acts(state, Seat::new(seat)),
            Turn::Over | Turn::Nature => false,
        }
    }

    fn lives(&self, index: usize, seat: usize) -> bool {
        !self.is_over(index) && self.task.lives(&self.slots[index].state, seat)
    }
}
