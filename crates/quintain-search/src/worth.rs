//! What a position is worth to each seat: its score turned so that more is better,
//! less the best rival's where seats are rivals. The one scale that all searches
//! here maximise on.

use quintain_core::{Objective, Rules, Scoring, Seat};

/// Computes worths without allocating anew each time.
#[derive(Clone, Debug)]
pub(crate) struct Worth {
    goal: Objective,
    rivals: bool,
    worths: Vec<f64>,
}

impl Worth {
    pub(crate) fn new<R: Rules>(game: &R) -> Self {
        let seats = game.seats();
        let rivals = game.scoring() == Scoring::Adversarial && seats > 1;
        Worth { goal: game.objective(), rivals, worths: vec![0.0; seats] }
    }

    /// The worth of each seat by the score: the position is final.
    #[inline]
    pub(crate) fn by_score<R: Rules>(&mut self, game: &R, state: &R::State) -> &[f64] {
        self.fill(|seat| game.score(state, seat))
    }

    /// The worth of each seat by the estimate: the game goes on from here.
    #[inline]
    pub(crate) fn by_estimate<R: Rules>(&mut self, game: &R, state: &R::State) -> &[f64] {
        self.fill(|seat| game.estimate(state, seat))
    }

    #[inline]
    fn fill(&mut self, score: impl Fn(Seat) -> f64) -> &[f64] {
        for (index, worth) in self.worths.iter_mut().enumerate() {
            *worth = self.goal.gain(score(Seat::new(index)));
        }
        if self.rivals {
            self.subtract_best_rival();
        }
        &self.worths
    }

    #[inline]
    fn subtract_best_rival(&mut self) {
        if let [first, second] = &mut self.worths[..] {
            (*first, *second) = (*first - *second, *second - *first);
            return;
        }
        let (mut best, mut next) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for &gain in &self.worths {
            (best, next) = if gain > best { (gain, best) } else { (best, next.max(gain)) };
        }
        // Where several seats share the best gain, it is also the next best.
        for worth in &mut self.worths {
            *worth -= if *worth == best { next } else { best };
        }
    }
}

/// The least and greatest worth, where the rules bound the score.
pub(crate) fn range<R: Rules>(game: &R) -> Option<(f64, f64)> {
    let (low, high) = game.score_range()?;
    let (low, high) = match game.objective() {
        Objective::Maximize => (low, high),
        Objective::Minimize => (-high, -low),
    };
    let rivals = game.scoring() == Scoring::Adversarial && game.seats() > 1;
    Some(if rivals { (low - high, high - low) } else { (low, high) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worths(rivals: bool, goal: Objective, scores: &[f64]) -> Vec<f64> {
        let mut worth = Worth { goal, rivals, worths: vec![0.0; scores.len()] };
        worth.fill(|seat| scores[seat.index()]).to_vec()
    }

    #[test]
    fn a_rival_is_measured_against_the_best_of_the_others() {
        assert_eq!(worths(true, Objective::Maximize, &[1.0, 4.0, 2.0]), [-3.0, 2.0, -2.0]);
        assert_eq!(worths(true, Objective::Maximize, &[5.0, 5.0, 1.0]), [0.0, 0.0, -4.0]);
        assert_eq!(worths(true, Objective::Minimize, &[1.0, 4.0]), [3.0, -3.0]);
    }

    #[test]
    fn without_rivals_a_score_stands_for_itself() {
        assert_eq!(worths(false, Objective::Minimize, &[1.0, 4.0]), [-1.0, -4.0]);
    }
}
