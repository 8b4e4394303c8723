//! Many states of one game, stepped together: each its own seed, its own chance and its own
//! place in the arrays, so that nothing depends on how they are shared out among threads.

use std::sync::Arc;

use quintain_ui::Scene;
use serde_json::Value;

use super::arrays::Arrays;
use super::history::{Chapter, History, SavedEpisode};
use super::opponents::{Opponents, Rivals};
use super::sharing::{Cost, HelperThreads, share};
use crate::encoding::{Changed, Encoding, Layout, View, is_acting};
use crate::entry::BuildError;
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

    /// Begins the matches of some states anew: of a seed where one is given, otherwise the next
    /// match of the state's own. The others stay as they are.
    fn reset_some(
        &mut self,
        which: &[bool],
        seeds: Option<&[u64]>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    );

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

    /// What a seat sees of a state, in the game's JSON form.
    fn observation(&self, index: usize, seat: Seat) -> Value;

    /// Writes what a seat sees of a state, and which actions it may take, as [`AnyBatch::encode`] does
    /// for its observation.
    fn write_seat(&self, index: usize, seat: Seat, view: &mut View<'_>, mask: &mut [i8]);

    /// The parameters that a state's episode has besides those of the scenario's text: which
    /// instance is played, where every episode draws its own.
    fn instance(&self, index: usize) -> Option<(&'static str, u64)>;

    /// The seat that the learner has in a state, where other players have the others.
    fn learner(&self, index: usize) -> Option<usize>;

    /// Whether matches of different seeds can differ: by how they begin, by chance, or by the
    /// instance that is played.
    fn depends_on_seed(&self) -> bool;

    /// Writes what a seat sees for an observation in the game's JSON form, as a learner that has
    /// this seat alone reads it (see [`Encoding::write_seat`]), and which actions it may take.
    /// `view` and `mask` have the lengths of one seat.
    ///
    /// # Errors
    /// If the observation is none of the game's; what is wrong with it.
    fn encode(
        &self,
        observation: &Value,
        seat: Seat,
        view: &mut View<'_>,
        mask: &mut [i8],
    ) -> Result<(), String>;

    /// The action with this number for a seat that sees an observation, in text.
    ///
    /// # Errors
    /// If the observation is none of the game's, or the number none of an action there.
    fn decode(&self, observation: &Value, seat: Seat, number: usize) -> Result<String, String>;

    /// What [`AnyBatch::restore`] needs to go on from here.
    fn save(&self) -> Vec<SavedEpisode>;

    /// Goes on from what was saved: the episodes are played again. Boards, features, masks and
    /// seeds are written; rewards, scores and flags become those of the last turn.
    ///
    /// # Errors
    /// If what was saved is none of this game's episodes: the first that is not.
    fn restore(&mut self, saved: &[SavedEpisode], arrays: Arrays<'_>) -> Result<(), usize>;
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
    seeds: Rng,
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
    common: Instance<E>,
    /// Where every episode draws its own instance: the parameter's name, and how.
    draw: Option<(&'static str, DrawInstance<E>)>,
    /// Who plays the seats that the learner leaves.
    opponents: Option<Opponents<E::Rules>>,
    /// The shapes of the encoding.
    whole: Layout,
    /// The shapes of the batch: the same, or those of one seat.
    layout: Layout,
    objective: Objective,
    /// Rewards are those of rivals: a win or a loss when a seat drops out.
    pub(super) is_adversarial: bool,
    /// The least and the greatest gain of a rival's score.
    rival_gains: (f64, f64),
    pub(super) autoreset: bool,
    /// What a turn of a state has cost lately.
    cost: Cost,
    history: History,
    slots: Vec<Slot<E>>,
}

impl<E: Encoding> Batch<E> {
    /// No states yet: [`AnyBatch::reset`] makes them. With `autoreset`, an episode that ends
    /// is followed by the next one at once.
    ///
    /// # Errors
    /// If rewards between rivals cannot be told: more than 64 of them, or scores without a range.
    pub(crate) fn new(
        common: Instance<E>,
        draw: Option<(&'static str, DrawInstance<E>)>,
        opponents: Option<Opponents<E::Rules>>,
        autoreset: bool,
    ) -> Result<Batch<E>, BuildError> {
        let rules = common.scenario.rules();
        let objective = rules.objective();
        let is_adversarial = rules.scoring() == Scoring::Adversarial && rules.seats() > 1;
        let mut gains = (0.0, 1.0);
        if is_adversarial {
            if rules.seats() > 64 {
                let seats = rules.seats();
                return Err(format!("{seats} rivals: learners have at most 64").into());
            }
            let Some((least, most)) = rules.score_range() else {
                let problem =
                    "rewards between rivals need the range of scores (Rules::score_range)";
                return Err(problem.into());
            };
            let (one, other) = (objective.gain(least), objective.gain(most));
            gains = (one.min(other), one.max(other));
            if gains.0 == gains.1 {
                return Err(format!("all scores between rivals are {least}").into());
            }
        }
        let whole = common.encoding.layout();
        let layout = match opponents {
            Some(_) => whole.clone().of_one_seat(),
            None => whole.clone(),
        };
        Ok(Batch {
            common,
            draw,
            opponents,
            whole,
            layout,
            objective,
            is_adversarial,
            rival_gains: gains,
            autoreset,
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

    /// Begins the match of a seed.
    fn begin(&self, seed: u64) -> Slot<E> {
        let streams = Streams::new(seed);
        let own = self.draw_instance(seed);
        let on = self.instance(&own);
        let seats = on.scenario.rules().seats();
        let mut episode = Episode {
            state: on.scenario.start(&mut streams.start()),
            chance: chance_of(&on.scenario, streams),
            seeds: streams.address("episodes", 0),
            seed,
            turn: 0,
            gains: vec![0.0; if self.is_adversarial { 0 } else { seats }],
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

    /// Begins the next episode: the match of the slot's next seed.
    pub(super) fn renew(&self, slot: &mut Slot<E>) {
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
        if self.play_until_the_learner_moves(on, episode).is_some() {
            episode.over = true;
        }
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
            *gain = self.objective.gain(on.scenario.rules().score(state, Seat::new(seat)));
        }
    }

    /// The seats still in the game, a bit each.
    #[inline]
    fn alive(&self, on: &Instance<E>, state: &<E::Rules as Rules>::State) -> u64 {
        (0..self.layout.seats)
            .fold(0, |all, seat| all | u64::from(on.encoding.is_alive(state, seat)) << seat)
    }

    /// One turn of one state; `at` has the arrays of this state alone.
    #[inline]
    fn play_turn(
        &self,
        slot: &mut Slot<E>,
        actions: ActionNumbers<'_>,
        first: usize,
        at: &mut Arrays<'_>,
    ) {
        if slot.episode.over {
            // Nothing moves until it is begun anew.
            return at.set_nothing();
        }
        if self.opponents.is_some() {
            return self.play_turn_against(slot, actions.get(first), at);
        }
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        let rules = on.scenario.rules();
        let trace = on.encoding.trace(&episode.state);
        let alive_before = if self.is_adversarial { self.alive(on, &episode.state) } else { 0 };
        let changed = on.encoding.play(&mut episode.state, |seat| actions.get(first + seat));
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
                if self.is_adversarial {
                    let left = if episode.over {
                        alive_before
                    } else {
                        alive_before & !self.alive(on, state)
                    };
                    self.reward_rivals(
                        left,
                        |seat| rules.score(state, Seat::new(seat)),
                        at.rewards,
                    );
                } else if changed == Changed::Score || episode.over {
                    self.reward_gains(
                        &mut episode.gains,
                        |seat| rules.score(state, Seat::new(seat)),
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
                let scores = rules.forfeit(&episode.state, Seat::new(seat));
                if self.is_adversarial {
                    self.reward_rivals(alive_before, |seat| scores[seat], at.rewards);
                } else {
                    self.reward_gains(&mut episode.gains, |seat| scores[seat], at.rewards);
                }
                at.scores.copy_from_slice(&scores);
            }
        }
        at.set_ends(ended);
        if episode.over && self.autoreset {
            self.renew(slot);
            self.write_all(slot, at);
        } else {
            self.close(episode);
            let mut view = View { board: &mut *at.board, features: &mut *at.features };
            on.encoding.rewrite(trace, &episode.state, &mut view);
            self.write_masks(slot, at.masks);
        }
    }

    /// Notes where an episode that is over ended.
    #[inline]
    pub(super) fn close(&self, episode: &mut Episode<E::Rules>) {
        if episode.over {
            episode.chapter.ended = Some(self.history.next());
        }
    }

    /// Rivals that are out get what they have come to: 1 for a win, −1 for a loss.
    #[inline]
    fn reward_rivals(&self, seats: u64, score: impl Fn(usize) -> f64, rewards: &mut [f32]) {
        let mut left = seats;
        while left != 0 {
            let seat = left.trailing_zeros() as usize;
            rewards[seat] = self.reward_rival(score(seat));
            left &= left - 1;
        }
    }

    /// What a score between rivals is worth: from −1 to 1.
    pub(super) fn reward_rival(&self, score: f64) -> f32 {
        scale_gain(self.objective.gain(score), self.rival_gains)
    }

    /// What the score has risen by.
    #[inline]
    fn reward_gains(&self, gains: &mut [f64], score: impl Fn(usize) -> f64, rewards: &mut [f32]) {
        for (seat, (reward, before)) in rewards.iter_mut().zip(gains).enumerate() {
            *reward = self.rise(before, score(seat));
        }
    }

    /// What a score has risen by since it was last looked at.
    pub(super) fn rise(&self, before: &mut f64, score: f64) -> f32 {
        let gain = self.objective.gain(score);
        (gain - std::mem::replace(before, gain)) as f32
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
            on.encoding.mask(&episode.state, first + seat, out);
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

impl<E: Encoding> AnyBatch for Batch<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&dyn HelperThreads>) {
        self.history = History::new(seeds.len(), self.layout.seats, self.layout.actions);
        let mut slots: Vec<Slot<E>> = seeds.iter().map(|seed| self.begin(*seed)).collect();
        share(&mut slots, arrays, helpers, Cost::default(), |_, slot, at| self.write_all(slot, at));
        self.slots = slots;
    }

    fn reset_some(
        &mut self,
        which: &[bool],
        seeds: Option<&[u64]>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) {
        let mut slots = std::mem::take(&mut self.slots);
        share(&mut slots, arrays, helpers, Cost::default(), |index, slot, at| {
            if which[index] {
                match seeds {
                    Some(seeds) => *slot = self.begin(seeds[index]),
                    None => self.renew(slot),
                }
                self.write_all(slot, at);
            }
        });
        self.slots = slots;
    }

    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) {
        if self.history.is_long() {
            let begun = self.slots.iter().map(|slot| slot.episode.chapter.begun);
            self.history.drop_before(begun.min().unwrap_or_default());
        }
        self.history.add((0..actions.len()).map(|place| actions.get(place)));
        let mut slots = std::mem::take(&mut self.slots);
        let seats = self.layout.seats;
        let turn = |index, slot: &mut Slot<E>, at: &mut Arrays<'_>| {
            self.play_turn(slot, actions, index * seats, at);
        };
        self.cost = share(&mut slots, arrays, helpers, self.cost, turn);
        self.slots = slots;
    }

    fn scene(&self, index: usize, eye: Option<usize>) -> Scene {
        let Slot { own, episode } = &self.slots[index];
        let scenario = &self.instance(own).scenario;
        scenario.presentation().scene(scenario.rules(), &episode.state, eye.map(Seat::new))
    }

    fn is_over(&self, index: usize) -> bool {
        self.slots[index].episode.over
    }

    fn is_acting(&self, index: usize, seat: usize) -> bool {
        let Slot { own, episode } = &self.slots[index];
        is_acting(self.instance(own).scenario.rules(), &episode.state, Seat::new(seat))
    }

    fn is_alive(&self, index: usize, seat: usize) -> bool {
        let Slot { own, episode } = &self.slots[index];
        !episode.over && self.instance(own).encoding.is_alive(&episode.state, seat)
    }

    fn observation(&self, index: usize, seat: Seat) -> Value {
        let Slot { own, episode } = &self.slots[index];
        let observation = self.instance(own).scenario.rules().observe(&episode.state, seat);
        serde_json::to_value(observation).expect("observations have a JSON form")
    }

    fn write_seat(&self, index: usize, seat: Seat, view: &mut View<'_>, mask: &mut [i8]) {
        let Slot { own, episode } = &self.slots[index];
        let encoding = &self.instance(own).encoding;
        encoding.write_seat(&self.whole, &episode.state, seat, view);
        encoding.mask(&episode.state, seat.index(), mask);
    }

    fn instance(&self, index: usize) -> Option<(&'static str, u64)> {
        self.draw.as_ref().map(|(parameter, _)| (*parameter, self.slots[index].episode.seed))
    }

    fn learner(&self, index: usize) -> Option<usize> {
        let rivals = self.slots[index].episode.rivals.as_ref();
        rivals.map(|rivals| rivals.learner.index())
    }

    fn depends_on_seed(&self) -> bool {
        let scenario = &self.common.scenario;
        let start = |seed| scenario.start(&mut Streams::new(seed).start());
        self.draw.is_some()
            || scenario.rules().has_chance()
            || self.opponents.is_some()
            || (2..6).any(|seed| start(seed) != start(1))
    }

    fn encode(
        &self,
        observation: &Value,
        seat: Seat,
        view: &mut View<'_>,
        mask: &mut [i8],
    ) -> Result<(), String> {
        let state = self.imagine(observation, seat)?;
        self.common.encoding.write_seat(&self.whole, &state, seat, view);
        self.common.encoding.mask(&state, seat.index(), mask);
        Ok(())
    }

    fn decode(&self, observation: &Value, seat: Seat, number: usize) -> Result<String, String> {
        let state = self.imagine(observation, seat)?;
        let action = self.common.encoding.action(&state, seat, number);
        let last = self.whole.actions - 1;
        let action = action.ok_or_else(|| format!("action {number}: expected 0 to {last}"))?;
        Ok(action.to_string())
    }

    fn save(&self) -> Vec<SavedEpisode> {
        let save = |(index, slot): (usize, &Slot<E>)| {
            let Episode { seed, chapter, .. } = &slot.episode;
            let actions = self.history.actions(index, self.layout.seats, chapter);
            SavedEpisode {
                origin: chapter.origin,
                renewals: chapter.renewals,
                seed: *seed,
                actions,
            }
        };
        self.slots.iter().enumerate().map(save).collect()
    }

    fn restore(&mut self, saved: &[SavedEpisode], mut arrays: Arrays<'_>) -> Result<(), usize> {
        self.slots.clear();
        self.history = History::new(saved.len(), self.layout.seats, self.layout.actions);
        for (index, saved) in saved.iter().enumerate() {
            let mut at = arrays.at(index);
            let slot = self.replay(saved, &mut at).ok_or(index)?;
            self.write_all(&slot, &mut at);
            self.slots.push(slot);
        }
        Ok(())
    }
}

impl<E: Encoding> Batch<E> {
    /// A position in which the seat sees this. An encoding that writes nothing that the seat does not
    /// see, as it must, writes the same for all such positions.
    fn imagine(
        &self,
        observation: &Value,
        seat: Seat,
    ) -> Result<<E::Rules as Rules>::State, String> {
        let observation = serde_json::from_value(observation.clone())
            .map_err(|error| format!("this is no observation of the game: {error}"))?;
        let rules = self.common.scenario.rules();
        Ok(rules.determinize(&observation, seat, &mut Rng::from_seed(0)))
    }

    /// Plays a saved episode again; nothing if it is none of this game's.
    fn replay(&self, saved: &SavedEpisode, at: &mut Arrays<'_>) -> Option<Slot<E>> {
        let mut slot = self.begin(saved.origin);
        for _ in 0..saved.renewals {
            slot.episode.seeds.bits();
        }
        if saved.renewals > 0 {
            let seeds = slot.episode.seeds.clone();
            slot = self.begin(saved.seed);
            slot.episode.seeds = seeds;
        }
        let turns = self.history.read(&saved.actions, self.layout.seats)?;
        for turn in turns.chunks_exact(self.layout.seats) {
            if slot.episode.over || turn.iter().any(|number| *number >= self.layout.actions as i64)
            {
                return None;
            }
            self.play_turn(&mut slot, ActionNumbers::Long(turn), 0, at);
        }
        let episode = &mut slot.episode;
        let now = self.history.next();
        episode.chapter = Chapter {
            origin: saved.origin,
            renewals: saved.renewals,
            begun: now,
            ended: episode.over.then_some(now),
            before: saved.actions.clone(),
        };
        (episode.seed == saved.seed).then_some(slot)
    }
}

/// The stream of chance, which takes time to derive, where there is any.
fn chance_of<R: Rules>(scenario: &Scenario<R>, streams: Streams) -> Rng {
    if scenario.rules().has_chance() { streams.chance() } else { Rng::from_seed(0) }
}

/// Where a gain lies between the least and the greatest: from −1 to 1.
fn scale_gain(gain: f64, (least, most): (f64, f64)) -> f32 {
    (2.0 * (gain - least) / (most - least) - 1.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_between_rivals_are_from_minus_one_to_one_whatever_the_scores() {
        let rewards = |gains: [f64; 3], range| gains.map(|gain| scale_gain(gain, range));
        assert_eq!(rewards([0.0, 0.5, 1.0], (0.0, 1.0)), [-1.0, 0.0, 1.0]);
        assert_eq!(rewards([-1.0, 0.0, 1.0], (-1.0, 1.0)), [-1.0, 0.0, 1.0]);
        assert_eq!(rewards([0.0, 32.0, 64.0], (0.0, 64.0)), [-1.0, 0.0, 1.0]);
        // Where less is better, a score of 0 to 1 is a gain of 0 to −1.
        assert_eq!(rewards([-1.0, -0.5, -0.0], (-1.0, 0.0)), [-1.0, 0.0, 1.0]);
    }
}
