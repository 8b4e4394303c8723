//! The utility of a position to each seat: its score with the sign turned so that more is better,
//! minus the best rival's if seats are rivals. All searches here maximise on this scale.

use quintain_core::{Objective, Rules, Scoring, Seat};

/// Computes the utilities of all seats, without allocating each time.
#[derive(Clone, Debug)]
pub struct Utilities {
    objective: Objective,
    is_adversarial: bool,
    utilities: Vec<f64>,
}

impl Utilities {
    /// Creates the buffers for a game with these rules.
    pub fn new<R: Rules>(rules: &R) -> Self {
        let seats = rules.seats();
        let is_adversarial = rules.scoring() == Scoring::Adversarial && seats > 1;
        Utilities { objective: rules.objective(), is_adversarial, utilities: vec![0.0; seats] }
    }

    /// The utility of each seat by the score, for a position in which the game is over.
    #[inline]
    pub fn of_score<R: Rules>(&mut self, rules: &R, state: &R::State) -> &[f64] {
        self.fill(|seat| rules.score(state, seat))
    }

    /// The utility of each seat by the estimate, for a position from which the game goes on.
    #[inline]
    pub fn of_estimate<R: Rules>(&mut self, rules: &R, state: &R::State) -> &[f64] {
        self.fill(|seat| rules.estimate(state, seat))
    }

    #[inline]
    fn fill(&mut self, score: impl Fn(Seat) -> f64) -> &[f64] {
        for (index, utility) in self.utilities.iter_mut().enumerate() {
            *utility = self.objective.gain(score(Seat::new(index)));
        }
        if self.is_adversarial {
            self.subtract_best_rival();
        }
        &self.utilities
    }

    #[inline]
    fn subtract_best_rival(&mut self) {
        if let [first, second] = &mut self.utilities[..] {
            (*first, *second) = (*first - *second, *second - *first);
            return;
        }
        let (mut best, mut next) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for &gain in &self.utilities {
            (best, next) = if gain > best { (gain, best) } else { (best, next.max(gain)) };
        }
        // If several seats share the best gain, it is also the next best.
        for utility in &mut self.utilities {
            *utility -= if *utility == best { next } else { best };
        }
    }
}

/// The utility of each seat by the final scores of a match.
pub fn utilities_of(objective: Objective, scoring: Scoring, scores: &[f64]) -> Vec<f64> {
    let is_adversarial = scoring == Scoring::Adversarial && scores.len() > 1;
    let mut all = Utilities { objective, is_adversarial, utilities: vec![0.0; scores.len()] };
    all.fill(|seat| scores[seat.index()]);
    all.utilities
}

/// The least and greatest utility, if the rules bound the score.
pub fn utility_range<R: Rules>(rules: &R) -> Option<(f64, f64)> {
    let are_rivals = rules.scoring() == Scoring::Adversarial && rules.seats() > 1;
    Some(range_of(rules.score_range()?, rules.objective(), are_rivals))
}

/// The least and greatest utility of seats whose scores lie between these.
pub fn range_of((low, high): (f64, f64), objective: Objective, are_rivals: bool) -> (f64, f64) {
    let (low, high) = match objective {
        Objective::Maximize => (low, high),
        Objective::Minimize => (-high, -low),
    };
    if are_rivals { (low - high, high - low) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utilities(is_adversarial: bool, objective: Objective, scores: &[f64]) -> Vec<f64> {
        let scoring = if is_adversarial { Scoring::Adversarial } else { Scoring::Independent };
        utilities_of(objective, scoring, scores)
    }

    #[test]
    fn a_rival_is_measured_against_the_best_of_the_others() {
        assert_eq!(utilities(true, Objective::Maximize, &[1.0, 4.0, 2.0]), [-3.0, 2.0, -2.0]);
        assert_eq!(utilities(true, Objective::Maximize, &[5.0, 5.0, 1.0]), [0.0, 0.0, -4.0]);
        assert_eq!(utilities(true, Objective::Minimize, &[1.0, 4.0]), [3.0, -3.0]);
    }

    #[test]
    fn without_rivals_a_score_needs_no_comparison() {
        assert_eq!(utilities(false, Objective::Minimize, &[1.0, 4.0]), [-1.0, -4.0]);
    }
}
