//! The rewards of learners: between rivals, a win or a loss when a seat drops out; otherwise, the
//! gain in score.

use quintain_core::{BuildError, Objective, Rules, Scoring, Seat};

/// How the scores of a game become rewards.
pub(crate) struct Rewards {
    objective: Objective,
    /// Whether rewards are those of rivals: a win or a loss when a seat drops out.
    pub(crate) is_adversarial: bool,
    /// The least and the greatest gain of a rival's score.
    rival_gains: (f64, f64),
}

impl Rewards {
    /// # Errors
    /// If rewards between rivals cannot be computed: there are more than 64 rivals, or scores have
    /// no range.
    pub(crate) fn new(rules: &impl Rules) -> Result<Rewards, BuildError> {
        let objective = rules.objective();
        let is_adversarial = rules.scoring() == Scoring::Adversarial && rules.seats() > 1;
        let mut rival_gains = (0.0, 1.0);
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
            rival_gains = (one.min(other), one.max(other));
            if rival_gains.0 == rival_gains.1 {
                return Err(format!("all scores between rivals are {least}").into());
            }
        }
        Ok(Rewards { objective, is_adversarial, rival_gains })
    }

    /// The gain of a score: more is better.
    pub(crate) fn gain(&self, score: f64) -> f64 {
        self.objective.gain(score)
    }

    /// Rewards the rivals in `seats` (a bit for each seat), which are out: 1 for a win, −1 for a
    /// loss.
    #[inline]
    pub(crate) fn reward_rivals(
        &self,
        seats: u64,
        score: impl Fn(Seat) -> f64,
        rewards: &mut [f32],
    ) {
        let mut left = seats;
        while left != 0 {
            let seat = left.trailing_zeros() as usize;
            rewards[seat] = self.reward_rival(score(Seat::new(seat)));
            left &= left - 1;
        }
    }

    /// The reward for a score between rivals, from −1 to 1.
    pub(crate) fn reward_rival(&self, score: f64) -> f32 {
        scale_gain(self.gain(score), self.rival_gains)
    }

    /// Rewards each seat with the gain in its score.
    #[inline]
    pub(crate) fn reward_gains(
        &self,
        gains: &mut [f64],
        score: impl Fn(Seat) -> f64,
        rewards: &mut [f32],
    ) {
        for (seat, (reward, before)) in rewards.iter_mut().zip(gains).enumerate() {
            *reward = self.reward_gain(before, score(Seat::new(seat)));
        }
    }

    /// The gain in a score since the last call.
    pub(crate) fn reward_gain(&self, before: &mut f64, score: f64) -> f32 {
        let gain = self.gain(score);
        (gain - std::mem::replace(before, gain)) as f32
    }
}

/// Scales a gain between the least and the greatest to the range from −1 to 1.
fn scale_gain(gain: f64, (least, most): (f64, f64)) -> f32 {
    (2.0 * (gain - least) / (most - least) - 1.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rival_rewards_lie_between_minus_one_and_one() {
        let rewards = |gains: [f64; 3], range| gains.map(|gain| scale_gain(gain, range));
        assert_eq!(rewards([0.0, 0.5, 1.0], (0.0, 1.0)), [-1.0, 0.0, 1.0]);
        assert_eq!(rewards([-1.0, 0.0, 1.0], (-1.0, 1.0)), [-1.0, 0.0, 1.0]);
        assert_eq!(rewards([0.0, 32.0, 64.0], (0.0, 64.0)), [-1.0, 0.0, 1.0]);
        // Where less is better, a score of 0 to 1 is a gain of 0 to −1.
        assert_eq!(rewards([-1.0, -0.5, -0.0], (-1.0, 0.0)), [-1.0, 0.0, 1.0]);
    }
}
