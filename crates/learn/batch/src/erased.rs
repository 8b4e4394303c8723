//! A batch of one game behind the interface that all batches share, and its saved episodes.

use quintain_core::ui::Scene;
use quintain_core::{Encoding, Layout, Rng, Rules, Seat, Streams, Turn, View, is_acting};
use quintain_search::puct::Options;
use serde_json::Value;

use crate::action_numbers::ActionNumbers;
use crate::any::{AnyBatch, ObservationError};
use crate::arrays::Arrays;
use crate::error::{BatchError, StateError};
use crate::history::{Chapter, History, IDLE, SavedEpisode};
use crate::search::{SearchError, Searches};
use crate::sharing::{Cost, HelperThreads, share};
use crate::states::{Batch, Episode, Slot};

impl<E: Encoding> AnyBatch for Batch<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(
        &mut self,
        seeds: &[u64],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        self.slots.clear();
        self.history = History::default();
        self.extend(seeds, arrays, helpers)
    }

    fn extend(
        &mut self,
        seeds: &[u64],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        assert!(self.history.next() == 0, "states are added before the first turn");
        let count = self.slots.len() + seeds.len();
        self.history = History::new(count, self.layout.learner_seats, self.layout.actions);
        self.slots.try_reserve(seeds.len()).map_err(|_| BatchError::Memory)?;
        let begin = |index: usize, _: &mut Arrays<'_>| self.begin(seeds[index]);
        let begun = self.make_slots(seeds.len(), arrays, helpers, begin)?;
        self.slots.extend(begun.into_iter().flatten());
        Ok(())
    }

    fn reset_some(
        &mut self,
        which: &[bool],
        seeds: Option<&[u64]>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        let mut slots = std::mem::take(&mut self.slots);
        let begin = |index: usize, slot: &mut Slot<E>, at: &mut Arrays<'_>| {
            if which[index] {
                match seeds {
                    Some(seeds) => *slot = self.begin(seeds[index])?,
                    None => self.renew(slot)?,
                }
                self.write_all(slot, at);
            }
            Ok(())
        };
        let done = share(&mut slots, arrays, helpers, Cost::default(), self.stop(), begin);
        self.slots = slots;
        done.map(drop)
    }

    fn step(
        &mut self,
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        self.drop_old_steps();
        self.history.add_all(actions);
        let mut slots = std::mem::take(&mut self.slots);
        let seats = self.layout.learner_seats;
        let turn = |index, slot: &mut Slot<E>, at: &mut Arrays<'_>| {
            self.play_turn(slot, actions, index * seats, at)
        };
        let done = share(&mut slots, arrays, helpers, self.cost, self.stop(), turn);
        self.slots = slots;
        self.cost = done?;
        Ok(())
    }

    fn step_some(
        &mut self,
        which: &[bool],
        actions: ActionNumbers<'_>,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        self.drop_old_steps();
        let seats = self.layout.learner_seats;
        let number = |place: usize| if which[place / seats] { actions.get(place) } else { IDLE };
        self.history.add((0..actions.len()).map(number));
        let mut slots = std::mem::take(&mut self.slots);
        let turn = |index: usize, slot: &mut Slot<E>, at: &mut Arrays<'_>| {
            if which[index] {
                return self.play_turn(slot, actions, index * seats, at);
            }
            slot.episode.offender = None;
            at.set_nothing();
            Ok(())
        };
        let done = share(&mut slots, arrays, helpers, self.cost, self.stop(), turn);
        self.slots = slots;
        done.map(drop)
    }

    fn copy_states(&mut self, sources: &[usize], targets: &[usize]) {
        let copies: Vec<_> = sources.iter().map(|at| self.copy_slot(&self.slots[*at])).collect();
        for (target, copy) in targets.iter().zip(copies) {
            self.slots[*target] = copy;
        }
        self.history.copy(sources, targets, self.layout.learner_seats);
    }

    fn search(&self, options: &Options, seed: u64) -> Result<Box<dyn Searches>, SearchError> {
        self.begin_searches(options, seed)
    }

    fn scene(&self, index: usize, observer: Option<Seat>) -> Scene {
        let Slot { own, episode } = &self.slots[index];
        let scenario = &self.instance(own).scenario;
        scenario.presentation().scene(scenario.rules(), &episode.state, observer)
    }

    fn is_over(&self, index: usize) -> bool {
        self.slots[index].episode.over
    }

    fn is_acting(&self, index: usize, seat: Seat) -> bool {
        let Slot { own, episode } = &self.slots[index];
        is_acting(self.instance(own).scenario.rules(), &episode.state, seat)
    }

    fn mover(&self, index: usize) -> Option<Seat> {
        let Slot { own, episode } = &self.slots[index];
        match self.instance(own).scenario.rules().turn(&episode.state) {
            Turn::Seat(seat) if !episode.over => Some(seat),
            _ => None,
        }
    }

    fn offender(&self, index: usize) -> Option<Seat> {
        self.slots[index].episode.offender
    }

    fn score(&self, index: usize, seat: Seat) -> f64 {
        let Slot { own, episode } = &self.slots[index];
        self.instance(own).scenario.rules().score(&episode.state, seat)
    }

    fn is_alive(&self, index: usize, seat: Seat) -> bool {
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
        if episode.over {
            return mask.fill(0);
        }
        encoding.mask(&episode.state, seat, mask);
    }

    fn instance(&self, index: usize) -> Option<(&'static str, u64)> {
        self.draw.as_ref().map(|(parameter, _)| (*parameter, self.slots[index].episode.seed))
    }

    fn learner(&self, index: usize) -> Option<Seat> {
        let rivals = self.slots[index].episode.rivals.as_ref();
        rivals.map(|rivals| rivals.learner)
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
    ) -> Result<(), ObservationError> {
        let state = self.sample_state(observation, seat)?;
        self.common.encoding.write_seat(&self.whole, &state, seat, view);
        self.common.encoding.mask(&state, seat, mask);
        Ok(())
    }

    fn decode(
        &self,
        observation: &Value,
        seat: Seat,
        number: usize,
    ) -> Result<String, ObservationError> {
        let state = self.sample_state(observation, seat)?;
        let action = self.common.encoding.action(&state, seat, number);
        let last = self.whole.actions - 1;
        let action = action.ok_or(ObservationError::Action { number, last })?;
        Ok(action.to_string())
    }

    fn save(&self) -> Vec<SavedEpisode> {
        let save = |(index, slot): (usize, &Slot<E>)| {
            let Episode { seed, chapter, .. } = &slot.episode;
            let actions = self.history.actions(index, self.layout.learner_seats, chapter);
            SavedEpisode {
                origin: chapter.origin,
                renewals: chapter.renewals,
                seed: *seed,
                actions,
            }
        };
        self.slots.iter().enumerate().map(save).collect()
    }

    fn restore(
        &mut self,
        saved: &[SavedEpisode],
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
    ) -> Result<(), BatchError> {
        self.slots.clear();
        self.history = History::new(saved.len(), self.layout.learner_seats, self.layout.actions);
        let replay = |index: usize, at: &mut Arrays<'_>| {
            self.replay(&saved[index], at).ok_or(StateError::Unplayable)
        };
        let replayed = self.make_slots(saved.len(), arrays, helpers, replay)?;
        self.slots.extend(replayed.into_iter().flatten());
        Ok(())
    }
}

impl<E: Encoding> Batch<E> {
    /// Now and then, forgets the steps of episodes that have ended everywhere.
    fn drop_old_steps(&mut self) {
        if self.history.is_long() {
            let begun = self.slots.iter().map(|slot| slot.episode.chapter.begun);
            self.history.drop_before(begun.min().unwrap_or_default());
        }
    }

    /// Makes `count` slots, each with its own arrays, and writes these arrays. Every slot returned
    /// is filled.
    fn make_slots(
        &self,
        count: usize,
        arrays: Arrays<'_>,
        helpers: Option<&dyn HelperThreads>,
        make: impl Fn(usize, &mut Arrays<'_>) -> Result<Slot<E>, StateError> + Sync,
    ) -> Result<Vec<Option<Slot<E>>>, BatchError> {
        let mut made: Vec<Option<Slot<E>>> = (0..count).map(|_| None).collect();
        let fill = |index: usize, place: &mut Option<Slot<E>>, at: &mut Arrays<'_>| {
            let slot = make(index, at)?;
            self.write_all(&slot, at);
            *place = Some(slot);
            Ok(())
        };
        share(&mut made, arrays, helpers, Cost::default(), self.stop(), fill)?;
        Ok(made)
    }

    /// A position in which the seat sees this observation. An encoding may write only what the seat
    /// sees, so it writes the same for all such positions.
    fn sample_state(
        &self,
        observation: &Value,
        seat: Seat,
    ) -> Result<<E::Rules as Rules>::State, ObservationError> {
        let observation = serde_json::from_value(observation.clone())?;
        let rules = self.common.scenario.rules();
        Ok(rules.determinize(&observation, seat, &mut Rng::from_seed(0)))
    }

    /// Plays a saved episode again; none if it is not an episode of this game.
    fn replay(&self, saved: &SavedEpisode, at: &mut Arrays<'_>) -> Option<Slot<E>> {
        let mut seeds = self.seeds_from(saved.origin);
        let mut seed = saved.origin;
        for _ in 0..saved.renewals {
            if self.is_stopped() {
                return None;
            }
            seed = seeds.bits();
        }
        if seed != saved.seed {
            return None;
        }
        let mut slot = self.begin_match(seed);
        slot.episode.seeds = seeds;
        let turns = self.history.read(&saved.actions, self.layout.learner_seats)?;
        for turn in turns.chunks_exact(self.layout.learner_seats) {
            if slot.episode.over || turn.iter().any(|number| *number >= self.layout.actions as i64)
            {
                return None;
            }
            self.play_turn(&mut slot, ActionNumbers::Long(turn), 0, at).ok()?;
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
