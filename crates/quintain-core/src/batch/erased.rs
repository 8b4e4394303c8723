//! A batch of one game behind the face that all batches have, and its saved episodes.

use quintain_ui::Scene;
use serde_json::Value;

use super::any::{ActionNumbers, AnyBatch, ObservationError};
use super::arrays::Arrays;
use super::history::{Chapter, History, SavedEpisode};
use super::sharing::{Cost, HelperThreads, share};
use super::states::{Batch, Episode, Slot};
use crate::encoding::{Encoding, Layout, View, is_acting};
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

impl<E: Encoding> AnyBatch for Batch<E> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn reset(&mut self, seeds: &[u64], arrays: Arrays<'_>, helpers: Option<&dyn HelperThreads>) {
        self.history = History::new(seeds.len(), self.layout.learner_seats, self.layout.actions);
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
        let seats = self.layout.learner_seats;
        let turn = |index, slot: &mut Slot<E>, at: &mut Arrays<'_>| {
            self.play_turn(slot, actions, index * seats, at);
        };
        self.cost = share(&mut slots, arrays, helpers, self.cost, turn);
        self.slots = slots;
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

    fn restore(&mut self, saved: &[SavedEpisode], mut arrays: Arrays<'_>) -> Result<(), usize> {
        self.slots.clear();
        self.history = History::new(saved.len(), self.layout.learner_seats, self.layout.actions);
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
    fn sample_state(
        &self,
        observation: &Value,
        seat: Seat,
    ) -> Result<<E::Rules as Rules>::State, ObservationError> {
        let observation = serde_json::from_value(observation.clone())?;
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
        let turns = self.history.read(&saved.actions, self.layout.learner_seats)?;
        for turn in turns.chunks_exact(self.layout.learner_seats) {
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
