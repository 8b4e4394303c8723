//! A race among the candidates of a generation (after Maron & Moore 1994, “Hoeffding
//! races”, with Student's t on paired differences). All candidates run over the same
//! boards, and one that is significantly worse than the last of the better half is
//! dropped. Evolution uses the better half only, so the exact gain of the others does not
//! matter, and their boards are saved.

use quintain_core::PlayerHandle;
use quintain_stats::paired;

use crate::TuneError;
use crate::evaluator::{Board, Evaluator, GainMeasure};

/// Boards that every candidate runs before any is dropped.
const BEFORE: usize = 4;
/// Boards between two checks.
const STRIDE: usize = 2;

/// The result of a race.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RaceResult {
    /// The mean gain of each candidate over the boards that it ran.
    pub(crate) gains: Vec<f64>,
    /// The number of boards that each candidate ran on.
    pub(crate) ran: Vec<usize>,
}

/// Runs the race; `counting` is how many of the best candidates evolution uses.
pub(crate) fn race(
    evaluator: &Evaluator<'_>,
    candidates: &[PlayerHandle],
    boards: &[Board],
    measure: GainMeasure,
    counting: usize,
) -> Result<RaceResult, TuneError> {
    let mut gains: Vec<Vec<f64>> = vec![Vec::new(); candidates.len()];
    let mut running: Vec<usize> = (0..candidates.len()).collect();
    let mut from = 0;
    while from < boards.len() {
        let to = if from == 0 { BEFORE } else { from + STRIDE }.min(boards.len());
        let players: Vec<&PlayerHandle> = running.iter().map(|index| &candidates[*index]).collect();
        let played = evaluator.worths(&players, &boards[from..to])?;
        for (index, more) in running.iter().zip(played) {
            gains[*index].extend(more.iter().map(|worths| worths.gain(measure)));
        }
        from = to;
        if from < boards.len() {
            running = retain_contenders(&gains, running, counting);
        }
    }
    let mean = |own: &Vec<f64>| own.iter().sum::<f64>() / own.len() as f64;
    let mut means: Vec<f64> = gains.iter().map(mean).collect();
    let ran: Vec<usize> = gains.iter().map(Vec::len).collect();
    // A dropped candidate ranks behind all that ran to the end, however lucky its first boards.
    let last = running.iter().map(|index| means[*index]).fold(f64::INFINITY, f64::min);
    for (index, mean) in means.iter_mut().enumerate() {
        if ran[index] < boards.len() {
            *mean = mean.min(last);
        }
    }
    Ok(RaceResult { gains: means, ran })
}

/// The candidates that are not significantly worse than the last of the best `counting`.
fn retain_contenders(gains: &[Vec<f64>], mut running: Vec<usize>, counting: usize) -> Vec<usize> {
    if running.len() <= counting {
        return running;
    }
    let mean = |index: usize| gains[index].iter().sum::<f64>() / gains[index].len() as f64;
    let mut order = running.clone();
    // Equals stay in the order of their indices.
    order.sort_by(|a, b| mean(*b).total_cmp(&mean(*a)));
    let bar = order[counting - 1];
    running.retain(|index| {
        let differences = gains[*index].iter().zip(&gains[bar]).map(|(own, other)| own - other);
        let paired = paired::summarize(differences.collect());
        let is_worse = paired.is_some_and(|paired| {
            paired.difference < 0.0 && paired.p_value().is_some_and(|p| p <= 0.05)
        });
        order[..counting].contains(index) || !is_worse
    });
    running
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_clearly_behind_the_last_that_counts_is_dropped() {
        let gains = [
            vec![5.0, 6.0, 5.0, 6.0],
            vec![1.0, 2.0, 1.0, 2.0],
            vec![0.9, 2.2, 0.8, 2.1],
            vec![-9.0, -8.1, -9.2, -8.0],
        ];
        assert_eq!(retain_contenders(&gains, vec![0, 1, 2, 3], 2), [0, 1, 2]);
        assert_eq!(retain_contenders(&gains, vec![0, 3], 2), [0, 3]);
        // Exactly equal games tell nothing.
        let equal = vec![vec![1.0; 4]; 4];
        assert_eq!(retain_contenders(&equal, vec![0, 1, 2, 3], 2), [0, 1, 2, 3]);
    }
}
