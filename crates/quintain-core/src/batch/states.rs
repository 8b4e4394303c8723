//! Many states of one game, stepped together: each its own seed, its own chance and its own
//! place in the arrays, so that nothing depends on how they are shared out among threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::any::ActionNumbers;
use super::arrays::Arrays;
use super::error::{MOST_SKIPPED, StateError};
use super::history::{Chapter, History};
use super::opponents::{Opponents, Rivals};
use super::rewards::Rewards;
use super::sharing::Cost;
use crate::build_error::BuildError;
use crate::encoding::{Encoding, Layout, ScoreChange, View};
use crate::environment::Scenario;
use crate::rules::{Rules, Turn};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// What a state is played on: the same for all states, or each episode's own.
pub(crate) struct Instance<E: Encoding> {
    pub(crate) scenario: Scenario<E::Rules>,
    pub(crate) encoding: E,
}

/// Draws the instance that the episode of a seed plays.
pub(crate) type DrawInstance<E> = Arc<dyn Fn(u64) -> Instance<E> + Send + Sync>;

/// One state and what belongs to it.
pub(crate) struct Slot<E: Encoding> {
    /// The episode's own instance, if every episode draws one.
    pub(super) own: Option<Box<Instance<E>>>,
    pub(super) episode: Episode<E::Rules>,
}

/// An episode in progress, whatever it is played on.
pub(crate) struct Episode<R: Rules> {
    pub(crate) state: R::State,
    chance: Rng,
    /// Where the seeds of the episodes to come are drawn from.
    pub(super) seeds: Rng,
    pub(crate) seed: u64,
    /// Turns played, where there are opponents.
    pub(crate) turn: u32,
    /// By seat, the gain of its score when it was last looked at; empty between rivals.
    pub(super) gains: Vec<f64>,
    pub(crate) over: bool,
    pub(super) chapter: Chapter,
    /// The other seats' players, where the learner has one seat.
    pub(crate) rivals: Option<Rivals<R>>,
}

/// The states of one game, by one encoding.
pub(crate) struct Batch<E: Encoding> {
    pub(super) common: Instance<E>,
    /// Where every episode draws its own instance: the parameter's name, and how.
    pub(super) draw: Option<(&'static str, DrawInstance<E>)>,
    /// Who plays the seats that the learner leaves.
    pub(super) opponents: Option<Opponents<E::Rules>>,
    /// The shapes of the encoding.
    pub(super) whole: Layout,
    /// The shapes of the batch: the same, or those of one seat.
    pub(super) layout: Layout,
    pub(super) rewards: Rewards,
    pub(super) autoreset: bool,
    /// Set from outside to have it give up what it does.
    stop: Option<Arc<AtomicBool>>,
    /// What a turn of a state has cost lately.
    pub(super) cost: Cost,
    pub(super) history: History,
    pub(super) slots: Vec<Slot<E>>,
}

impl<E: Encoding> Batch<E> {
    /// No states yet: [`AnyBatch::reset`] makes them. With `autoreset`, an episode that ends
    /// is followed by the next one at once; `stop` has it give up what it does.
    ///
    /// # Errors
    /// If rewards between rivals cannot be told: more than 64 of them, or scores without a range.
    pub(crate) fn new(
        common: Instance<E>,
        draw: Option<(&'static str, DrawInstance<E>)>,
        opponents: Option<Opponents<E::Rules>>,
        autoreset: bool,
        stop: Option<Arc<AtomicBool>>,
    ) -> Result<Batch<E>, BuildError> {
        let rewards = Rewards::new(common.scenario.rules())?;
        let whole = common.encoding.layout();
        let layout = match opponents {
            Some(_) => whole.clone().with_one_learner(),
            None => whole.clone(),
        };
        Ok(Batch {
            common,
            draw,
            opponents,
            whole,
            layout,
            rewards,
            autoreset,
            stop,
            cost: Cost::default(),
            history: History::default(),
            slots: Vec::new(),
        })
    }

    /// What a state is played on.
    #[inline]
    pub(super) fn instance<'a>(&'a self, own: &'a Option<Box<Instance<E>>>) -> &'a Instance<E> {
        own.as_deref().unwrap_or(&self.common)
    }

    /// What has it give up what it does, when it is set.
    pub(super) fn stop(&self) -> Option<&AtomicBool> {
        self.stop.as_deref()
    }

    /// Whether it is to give up what it does.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stop().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Where the seeds of the episodes after a state's first one are drawn from.
    pub(super) fn seeds_from(&self, origin: u64) -> Rng {
        Streams::new(origin).address("episodes", 0)
    }

    /// Begins the match of a seed, or the first one after it in which a learner moves.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn begin(&self, seed: u64) -> Result<Slot<E>, StateError> {
        let mut slot = self.begin_match(seed);
        self.skip_what_is_over(&mut slot)?;
        Ok(slot)
    }

    /// Begins the next episode of a slot, or the first one after it in which a learner moves.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn renew(&self, slot: &mut Slot<E>) -> Result<(), StateError> {
        self.begin_next(slot);
        self.skip_what_is_over(slot)
    }

    /// Begins the slot's next episodes until a learner moves in one.
    fn skip_what_is_over(&self, slot: &mut Slot<E>) -> Result<(), StateError> {
        for _ in 1..MOST_SKIPPED {
            if !slot.episode.over || self.is_stopped() {
                return Ok(());
            }
            self.begin_next(slot);
        }
        if slot.episode.over { Err(StateError::NoTurn(slot.episode.seed)) } else { Ok(()) }
    }

    /// Begins the match of a seed, which may be over before a learner moves.
    pub(super) fn begin_match(&self, seed: u64) -> Slot<E> {
        let streams = Streams::new(seed);
        let own = self.draw_instance(seed);
        let on = self.instance(&own);
        let seats = on.scenario.rules().seats();
        let mut episode = Episode {
            state: on.scenario.start(&mut streams.start()),
            chance: chance_of(&on.scenario, streams),
            seeds: self.seeds_from(seed),
            seed,
            turn: 0,
            gains: vec![0.0; if self.rewards.is_adversarial { 0 } else { seats }],
            over: false,
            chapter: Chapter::new(seed, self.history.next()),
            rivals: None,
        };
        self.settle(on, &mut episode);
        self.seat_rivals(on, &mut episode);
        self.measure_gains(on, &mut episode);
        Slot { own, episode }
    }

    fn draw_instance(&self, seed: u64) -> Option<Box<Instance<E>>> {
        self.draw.as_ref().map(|(_, draw)| Box::new(draw(seed)))
    }

    /// Begins the match of the slot's next seed, which may be over before a learner moves.
    fn begin_next(&self, slot: &mut Slot<E>) {
        let seed = slot.episode.seeds.bits();
        let streams = Streams::new(seed);
        if self.draw.is_some() {
            slot.own = self.draw_instance(seed);
        }
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        episode.seed = seed;
        episode.turn = 0;
        episode.state = on.scenario.start(&mut streams.start());
        if on.scenario.rules().has_chance() {
            episode.chance = streams.chance();
        }
        episode.chapter.begin_next(self.history.next());
        self.settle(on, episode);
        self.seat_rivals(on, episode);
        self.measure_gains(on, episode);
    }

    /// Seats the opponents of the episode, and lets them play until the learner moves.
    fn seat_rivals(&self, on: &Instance<E>, episode: &mut Episode<E::Rules>) {
        let Some(opponents) = &self.opponents else { return };
        episode.rivals = Some(opponents.seat(on.scenario.rules(), episode.seed));
        let fault = self.play_until_the_learner_moves(on, episode);
        let learner = episode.rivals.as_ref().expect("just seated").learner;
        let is_out = !on.encoding.is_alive(&episode.state, learner);
        episode.over |= fault.is_some() || is_out;
    }

    /// Lets chance move until a seat must.
    #[inline]
    pub(super) fn settle(&self, on: &Instance<E>, episode: &mut Episode<E::Rules>) {
        let rules = on.scenario.rules();
        episode.over = loop {
            match rules.turn(&episode.state) {
                Turn::Over => break true,
                Turn::Chance => on.scenario.apply_chance(&mut episode.state, &mut episode.chance),
                Turn::Seat(_) | Turn::Simultaneous => break false,
            }
        };
    }

    fn measure_gains(&self, on: &Instance<E>, episode: &mut Episode<E::Rules>) {
        let Episode { state, gains, .. } = episode;
        for (seat, gain) in gains.iter_mut().enumerate() {
            *gain = self.rewards.gain(on.scenario.rules().score(state, Seat::new(seat)));
        }
    }

    /// The seats still in the game, a bit each.
    #[inline]
    fn alive(&self, on: &Instance<E>, state: &<E::Rules as Rules>::State) -> u64 {
        Seat::all(self.layout.learner_seats)
            .fold(0, |all, seat| all | u64::from(on.encoding.is_alive(state, seat)) << seat.index())
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    pub(super) fn play_turn(
        &self,
        slot: &mut Slot<E>,
        actions: ActionNumbers<'_>,
        first: usize,
        at: &mut Arrays<'_>,
    ) -> Result<(), StateError> {
        if slot.episode.over {
            // Nothing moves until it is begun anew.
            at.set_nothing();
            return Ok(());
        }
        if self.opponents.is_some() {
            return self.play_turn_against(slot, actions.get(first), at);
        }
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        let rules = on.scenario.rules();
        let trace = on.encoding.trace(&episode.state);
        let alive_before =
            if self.rewards.is_adversarial { self.alive(on, &episode.state) } else { 0 };
        let changed =
            on.encoding.play(&mut episode.state, |seat| actions.get(first + seat.index()));
        at.rewards.fill(0.0);
        let mut ended = [false; 3];
        match changed {
            Ok(changed) => {
                self.settle(on, episode);
                let state = &episode.state;
                if episode.over {
                    let truncated = rules.ending(state).truncated;
                    ended = [!truncated, truncated, false];
                }
                if self.rewards.is_adversarial {
                    let left = if episode.over {
                        alive_before
                    } else {
                        alive_before & !self.alive(on, state)
                    };
                    self.rewards.reward_rivals(left, |seat| rules.score(state, seat), at.rewards);
                } else if changed == ScoreChange::Possible || episode.over {
                    self.rewards.reward_gains(
                        &mut episode.gains,
                        |seat| rules.score(state, seat),
                        at.rewards,
                    );
                }
                if episode.over {
                    for (seat, out) in at.scores.iter_mut().enumerate() {
                        *out = rules.score(state, Seat::new(seat));
                    }
                }
            }
            Err(seat) => {
                episode.over = true;
                ended = [true, false, true];
                let scores = rules.forfeit(&episode.state, seat);
                if self.rewards.is_adversarial {
                    self.rewards.reward_rivals(
                        alive_before,
                        |seat| scores[seat.index()],
                        at.rewards,
                    );
                } else {
                    self.rewards.reward_gains(
                        &mut episode.gains,
                        |seat| scores[seat.index()],
                        at.rewards,
                    );
                }
                at.scores.copy_from_slice(&scores);
            }
        }
        at.set_ends(ended);
        if episode.over && self.autoreset {
            self.renew(slot)?;
            self.write_all(slot, at);
        } else {
            self.close(episode);
            let mut view = View { board: &mut *at.board, features: &mut *at.features };
            on.encoding.rewrite(trace, &episode.state, &mut view);
            self.write_masks(slot, at.masks);
        }
        Ok(())
    }

    /// Notes where an episode that is over ended.
    #[inline]
    pub(super) fn close(&self, episode: &mut Episode<E::Rules>) {
        if episode.over {
            episode.chapter.ended = Some(self.history.next());
        }
    }

    #[inline]
    fn write_masks(&self, slot: &Slot<E>, masks: &mut [i8]) {
        if masks.is_empty() {
            return;
        }
        let Slot { own, episode } = slot;
        if episode.over {
            return masks.fill(0);
        }
        let on = self.instance(own);
        let first = episode.rivals.as_ref().map_or(0, |rivals| rivals.learner.index());
        for (seat, out) in masks.chunks_exact_mut(self.layout.actions).enumerate() {
            on.encoding.mask(&episode.state, Seat::new(first + seat), out);
        }
    }

    pub(super) fn write_all(&self, slot: &Slot<E>, at: &mut Arrays<'_>) {
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        let mut view = View { board: &mut *at.board, features: &mut *at.features };
        match &episode.rivals {
            None => on.encoding.write(&episode.state, &mut view),
            Some(rivals) => {
                let state = &episode.state;
                on.encoding.write_seat(&self.whole, state, rivals.learner, &mut view);
            }
        }
        self.write_masks(slot, at.masks);
        at.seeds[0] = episode.seed;
    }
}

/// The stream of chance, which takes time to derive, where there is any.
fn chance_of<R: Rules>(scenario: &Scenario<R>, streams: Streams) -> Rng {
    if scenario.rules().has_chance() { streams.chance() } else { Rng::from_seed(0) }
}
