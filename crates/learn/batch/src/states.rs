//! Many states of one game, stepped together. Each has its own seed, chance and place in the
//! arrays, so that nothing depends on how the states are shared among threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{
    BuildError, Encoding, Layout, Rng, Rules, Scenario, ScoreChange, Seat, Streams, Turn, View,
};

use crate::action_numbers::ActionNumbers;
use crate::arrays::Arrays;
use crate::error::{MAX_SKIPPED, StateError};
use crate::history::{Chapter, History};
use crate::opponents::{Opponents, Rivals};
use crate::rewards::Rewards;
use crate::sharing::Cost;

/// What a state is played on: the same for all states, or each episode's own.
pub(crate) struct Instance<E: Encoding> {
    pub(crate) scenario: Scenario<E::Rules>,
    pub(crate) encoding: E,
}

/// Draws the instance for the episode of a seed.
pub(crate) type DrawInstance<E> = Arc<dyn Fn(u64) -> Instance<E> + Send + Sync>;

/// One state and what belongs to it.
pub(crate) struct Slot<E: Encoding> {
    /// The episode's own instance, if every episode draws one.
    pub(crate) own: Option<Arc<Instance<E>>>,
    pub(crate) episode: Episode<E::Rules>,
}

/// An episode in progress, whatever it is played on.
pub(crate) struct Episode<R: Rules> {
    pub(crate) state: R::State,
    chance: Rng,
    /// The stream from which the seeds of later episodes are drawn.
    pub(crate) seeds: Rng,
    pub(crate) seed: u64,
    /// The turns played, if there are opponents.
    pub(crate) turn: u32,
    /// The gain of each seat's score when it was last read; empty between rivals.
    pub(crate) gains: Vec<f64>,
    pub(crate) over: bool,
    /// The seat whose illegal action the last turn was.
    pub(crate) offender: Option<Seat>,
    pub(crate) chapter: Chapter,
    /// The players of the other seats, if the learner plays one seat. Boxed, so that an episode
    /// without them is smaller.
    pub(crate) rivals: Option<Box<Rivals<R>>>,
}

/// The states of one game, with one encoding.
pub(crate) struct Batch<E: Encoding> {
    pub(crate) common: Arc<Instance<E>>,
    /// If every episode draws its own instance: the parameter's name, and how to draw.
    pub(crate) draw: Option<(&'static str, DrawInstance<E>)>,
    /// The players of the seats that the learner does not play.
    pub(crate) opponents: Option<Opponents<E::Rules>>,
    /// The layout of the encoding.
    pub(crate) whole: Layout,
    /// The layout of the batch: the same, or that of one seat.
    pub(crate) layout: Layout,
    pub(crate) rewards: Rewards,
    pub(crate) autoreset: bool,
    /// Set from outside to stop the batch in its work.
    stop: Option<Arc<AtomicBool>>,
    /// What a turn of a state has cost recently.
    pub(crate) cost: Cost,
    pub(crate) history: History,
    pub(crate) slots: Vec<Slot<E>>,
}

impl<E: Encoding> Batch<E> {
    /// A batch without states; [`AnyBatch::reset`] makes them. With `autoreset`, the next episode
    /// begins as soon as one ends; `stop` makes the batch stop its work.
    ///
    /// # Errors
    /// If rewards between rivals cannot be computed: there are more than 64 rivals, or scores have
    /// no range.
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
            common: Arc::new(common),
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
    pub(crate) fn instance<'a>(&'a self, own: &'a Option<Arc<Instance<E>>>) -> &'a Instance<E> {
        own.as_deref().unwrap_or(&self.common)
    }

    /// The flag that makes the batch stop its work when it is set.
    pub(crate) fn stop(&self) -> Option<&AtomicBool> {
        self.stop.as_deref()
    }

    /// Whether the batch has to stop its work.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The stream from which the seeds of the episodes after a state's first one are drawn.
    pub(crate) fn seeds_from(&self, origin: u64) -> Rng {
        Streams::new(origin).address("episodes", 0)
    }

    /// Begins the match of a seed, or the first one after it in which a learner moves.
    ///
    /// # Errors
    /// If there is no such episode.
    pub(crate) fn begin(&self, seed: u64) -> Result<Slot<E>, StateError> {
        let mut slot = self.begin_match(seed);
        self.skip_what_is_over(&mut slot)?;
        Ok(slot)
    }

    /// Begins the next episode of a slot, or the first one after it in which a learner moves.
    ///
    /// # Errors
    /// If there is no such episode.
    pub(crate) fn renew(&self, slot: &mut Slot<E>) -> Result<(), StateError> {
        self.begin_next(slot);
        self.skip_what_is_over(slot)
    }

    /// Begins the slot's next episodes until a learner moves in one.
    fn skip_what_is_over(&self, slot: &mut Slot<E>) -> Result<(), StateError> {
        for _ in 1..MAX_SKIPPED {
            if !slot.episode.over || self.is_stopped() {
                return Ok(());
            }
            self.begin_next(slot);
        }
        if slot.episode.over { Err(StateError::NoTurn(slot.episode.seed)) } else { Ok(()) }
    }

    /// Begins the match of a seed, which may be over before a learner moves.
    pub(crate) fn begin_match(&self, seed: u64) -> Slot<E> {
        let streams = Streams::new(seed);
        let own = self.draw_instance(seed);
        let on = self.instance(&own);
        let seats = on.scenario.rules().seats();
        let mut episode = Episode {
            state: on.scenario.start_match(streams),
            chance: chance_of(&on.scenario, streams),
            seeds: self.seeds_from(seed),
            seed,
            turn: 0,
            gains: vec![0.0; if self.rewards.is_adversarial { 0 } else { seats }],
            over: false,
            offender: None,
            chapter: Chapter::new(seed, self.history.next()),
            rivals: None,
        };
        self.settle(on, &mut episode);
        self.seat_rivals(on, &mut episode);
        self.measure_gains(on, &mut episode);
        Slot { own, episode }
    }

    fn draw_instance(&self, seed: u64) -> Option<Arc<Instance<E>>> {
        self.draw.as_ref().map(|(_, draw)| Arc::new(draw(seed)))
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
        episode.state = on.scenario.start_match(streams);
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
        episode.rivals = Some(Box::new(opponents.seat(on.scenario.rules(), episode.seed)));
        let fault = self.play_until_the_learner_moves(on, episode);
        let learner = episode.rivals.as_ref().expect("just seated").learner;
        let is_out = !on.encoding.is_alive(&episode.state, learner);
        episode.over |= fault.is_some() || is_out;
    }

    /// Lets chance move until a seat must.
    #[inline]
    pub(crate) fn settle(&self, on: &Instance<E>, episode: &mut Episode<E::Rules>) {
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

    /// The seats still in the game, as a bit for each.
    #[inline]
    fn alive(&self, on: &Instance<E>, state: &<E::Rules as Rules>::State) -> u64 {
        Seat::all(self.layout.learner_seats)
            .fold(0, |all, seat| all | u64::from(on.encoding.is_alive(state, seat)) << seat.index())
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    pub(crate) fn play_turn(
        &self,
        slot: &mut Slot<E>,
        actions: ActionNumbers<'_>,
        first: usize,
        at: &mut Arrays<'_>,
    ) -> Result<(), StateError> {
        slot.episode.offender = None;
        if slot.episode.over {
            // Nothing moves until a new episode begins.
            at.set_nothing();
            return Ok(());
        }
        if self.opponents.is_some() {
            return self.play_turn_against(slot, actions.get(first), at);
        }
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        let trace = on.encoding.trace(&episode.state);
        let alive_before =
            if self.rewards.is_adversarial { self.alive(on, &episode.state) } else { 0 };
        let changed =
            on.encoding.play(&mut episode.state, |seat| actions.get(first + seat.index()));
        at.rewards.fill(0.0);
        let ended = match changed {
            Ok(changed) => self.finish_turn(on, episode, changed, alive_before, at),
            Err(seat) => self.forfeit(on, episode, seat, alive_before, at),
        };
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

    /// Lets chance move after a turn that changed the state, and writes rewards and final scores.
    /// Returns whether the episode ended by the rules, by being cut short, and by an illegal
    /// action.
    #[inline]
    fn finish_turn(
        &self,
        on: &Instance<E>,
        episode: &mut Episode<E::Rules>,
        changed: ScoreChange,
        alive_before: u64,
        at: &mut Arrays<'_>,
    ) -> [bool; 3] {
        let rules = on.scenario.rules();
        self.settle(on, episode);
        let state = &episode.state;
        if self.rewards.is_adversarial {
            let left =
                if episode.over { alive_before } else { alive_before & !self.alive(on, state) };
            self.rewards.reward_rivals(left, |seat| rules.score(state, seat), at.rewards);
        } else if changed == ScoreChange::Possible || episode.over {
            self.rewards.reward_gains(
                &mut episode.gains,
                |seat| rules.score(state, seat),
                at.rewards,
            );
        }
        if !episode.over {
            return [false; 3];
        }
        for (seat, out) in at.scores.iter_mut().enumerate() {
            *out = rules.score(state, Seat::new(seat));
        }
        let truncated = rules.ending(state).truncated;
        [!truncated, truncated, false]
    }

    /// Ends an episode by the illegal action of a seat; returns what [`Self::finish_turn`] does.
    fn forfeit(
        &self,
        on: &Instance<E>,
        episode: &mut Episode<E::Rules>,
        seat: Seat,
        alive_before: u64,
        at: &mut Arrays<'_>,
    ) -> [bool; 3] {
        episode.over = true;
        episode.offender = Some(seat);
        let scores = on.scenario.rules().forfeit(&episode.state, seat);
        let score = |seat: Seat| scores[seat.index()];
        if self.rewards.is_adversarial {
            self.rewards.reward_rivals(alive_before, score, at.rewards);
        } else {
            self.rewards.reward_gains(&mut episode.gains, score, at.rewards);
        }
        at.scores.copy_from_slice(&scores);
        [true, false, true]
    }

    /// Notes the step at which a finished episode ended.
    #[inline]
    pub(crate) fn close(&self, episode: &mut Episode<E::Rules>) {
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

    /// A copy of a slot without opponents.
    pub(crate) fn copy_slot(&self, slot: &Slot<E>) -> Slot<E> {
        let Episode { state, chance, seeds, seed, turn, gains, over, offender, chapter, rivals } =
            &slot.episode;
        assert!(rivals.is_none(), "opponents cannot be copied");
        let episode = Episode {
            state: state.clone(),
            chance: chance.clone(),
            seeds: seeds.clone(),
            seed: *seed,
            turn: *turn,
            gains: gains.clone(),
            over: *over,
            offender: *offender,
            chapter: chapter.clone(),
            rivals: None,
        };
        Slot { own: slot.own.clone(), episode }
    }

    pub(crate) fn write_all(&self, slot: &Slot<E>, at: &mut Arrays<'_>) {
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

/// The stream of chance, derived only if the game has chance, since deriving it takes time.
fn chance_of<R: Rules>(scenario: &Scenario<R>, streams: Streams) -> Rng {
    if scenario.rules().has_chance() { streams.chance() } else { Rng::from_seed(0) }
}
