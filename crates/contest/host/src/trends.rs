//! How participants have fared on the ladder lately: their ranks a day ago, or when the ladder
//! began, and the course of their measures since.

use std::collections::HashMap;

use crate::error::HostError;
use crate::state::{MeasureThen, State, now};

/// How far back it goes, in seconds.
const PERIOD: i64 = 24 * 3600;
/// Maximum number of times of which measures are shown.
const MAX_TIMES: usize = 48;

/// How everybody has fared since a time.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Trends {
    /// Since when, in seconds since 1970; none if nothing was noted yet.
    pub(crate) since: Option<i64>,
    /// By participant.
    of: HashMap<i64, Trend>,
}

/// How a participant has fared.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Trend {
    /// The rank at the beginning; none for whoever came later.
    pub(crate) rank: Option<u64>,
    /// Measures since then, the earliest first.
    pub(crate) measures: Vec<f64>,
}

impl Trends {
    /// Reads the trends of a ladder.
    pub(crate) fn read(state: &State, ladder: i64) -> Result<Trends, HostError> {
        let times = thinned(&state.measure_times(ladder, now() - PERIOD)?);
        Ok(Trends::collect(&state.measures_at(ladder, &times)?))
    }

    /// Collects the trends from measures, the earliest of which come first.
    fn collect(measures: &[MeasureThen]) -> Trends {
        let since = measures.first().map(|first| first.at);
        let mut of: HashMap<i64, Trend> = HashMap::new();
        for then in measures {
            let trend = of.entry(then.participant).or_default();
            if Some(then.at) == since && trend.rank.is_none() {
                trend.rank = Some(then.rank);
            }
            trend.measures.push(then.measure);
        }
        Trends { since, of }
    }

    /// Returns how a participant has fared, if anything is known.
    pub(crate) fn get(&self, participant: i64) -> Option<&Trend> {
        self.of.get(&participant)
    }
}

/// Returns some of the values at equal distances, among them the first and the last.
fn thinned(values: &[i64]) -> Vec<i64> {
    let count = values.len().min(MAX_TIMES);
    let place = |at: usize| at * (values.len() - 1) / (count - 1).max(1);
    (0..count).map(|at| values[place(at)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared_with_the_first_that_were_noted_and_newcomers_have_none() {
        let at = |at: i64, participant: i64, rank: u64, measure: f64| MeasureThen {
            at,
            participant,
            rank,
            measure,
        };
        let measures = [at(5, 1, 1, 10.0), at(5, 2, 2, -10.0), at(9, 3, 1, 20.0), at(9, 1, 2, 4.0)];
        let trends = Trends::collect(&measures);
        assert_eq!(trends.since, Some(5));
        assert_eq!(trends.get(1), Some(&Trend { rank: Some(1), measures: vec![10.0, 4.0] }));
        assert_eq!(trends.get(3), Some(&Trend { rank: None, measures: vec![20.0] }));
        assert_eq!((trends.get(4), Trends::collect(&[]).since), (None, None));
    }

    #[test]
    fn long_courses_are_thinned_and_keep_their_ends() {
        let values: Vec<i64> = (0..1000).collect();
        let thin = thinned(&values);
        assert_eq!((thin.len(), thin[0], *thin.last().unwrap()), (MAX_TIMES, 0, 999));
        assert!(thinned(&[]).is_empty() && thinned(&[1]) == [1]);
    }
}
