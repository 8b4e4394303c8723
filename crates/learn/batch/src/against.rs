//! A turn of a learner that plays one seat, while players of the roster play the others. An episode
//! is over when the learner is out of the game, even if the others play on.

use quintain_core::{Encoding, Rules, Seat, is_acting};

use crate::arrays::Arrays;
use crate::error::StateError;
use crate::states::{Batch, Episode, Instance, Slot};

impl<E: Encoding> Batch<E> {
    /// Plays the learner's action and the others' actions until the learner moves again.
    pub(crate) fn play_turn_against(
        &self,
        slot: &mut Slot<E>,
        number: usize,
        at: &mut Arrays<'_>,
    ) -> Result<(), StateError> {
        let Slot { own, episode } = slot;
        let on = self.instance(own);
        let rules = on.scenario.rules();
        let rivals = episode.rivals.as_mut().expect("seated at the start");
        let learner = rivals.learner;
        let action = on.encoding.action(&episode.state, learner, number);
        let action = action.filter(|action| rules.check(&episode.state, learner, action).is_ok());
        let was_legal = action.is_some();
        let joint = rivals.decide(rules, &episode.state, episode.turn, action);
        let mut fault = self.take_turn(on, episode, joint);
        if fault.is_none() {
            fault = self.play_until_the_learner_moves(on, episode);
        }
        let is_out = !on.encoding.is_alive(&episode.state, learner);
        let truncated = episode.over && fault.is_none() && rules.ending(&episode.state).truncated;
        let score = match fault {
            Some(seat) => rules.forfeit(&episode.state, seat)[learner.index()],
            None => rules.score(&episode.state, learner),
        };
        let over = episode.over || fault.is_some() || is_out;
        at.rewards[0] = match self.rewards.is_adversarial {
            true if over => self.rewards.reward_rival(score),
            true => 0.0,
            false => self.rewards.reward_gain(&mut episode.gains[learner.index()], score),
        };
        if over {
            at.scores[0] = score;
        }
        episode.over = over;
        episode.offender = (!was_legal).then_some(learner);
        at.set_ends([over && !truncated, truncated, !was_legal]);
        self.close(episode);
        if over && self.autoreset {
            self.renew(slot)?;
        }
        self.write_all(slot, at);
        Ok(())
    }

    /// Lets the others play while the learner is in the game and does not move. Returns the first
    /// seat that fails.
    pub(crate) fn play_until_the_learner_moves(
        &self,
        on: &Instance<E>,
        episode: &mut Episode<E::Rules>,
    ) -> Option<Seat> {
        let rules = on.scenario.rules();
        loop {
            let rivals = episode.rivals.as_mut().expect("seated at the start");
            let learner = rivals.learner;
            if episode.over
                || self.is_stopped()
                || is_acting(rules, &episode.state, learner)
                || !on.encoding.is_alive(&episode.state, learner)
            {
                return None;
            }
            let joint = rivals.decide(rules, &episode.state, episode.turn, None);
            let fault = self.take_turn(on, episode, joint);
            if fault.is_some() {
                return fault;
            }
        }
    }

    /// Plays a turn. Returns the seat that has failed, if one has.
    fn take_turn(
        &self,
        on: &Instance<E>,
        episode: &mut Episode<E::Rules>,
        joint: Result<Vec<<E::Rules as Rules>::Action>, Seat>,
    ) -> Option<Seat> {
        match joint {
            Ok(joint) => {
                on.scenario.rules().step(&mut episode.state, &joint);
                episode.turn += 1;
                self.settle(on, episode);
                None
            }
            Err(seat) => Some(seat),
        }
    }
}
