//! Ranks by merit, with ties, whatever is ranked.

/// A rank among competitors, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// The standard competition rank: ties share the best one (1, 2, 2, 4).
    pub rank: u64,
    /// The fractional rank, which rank statistics use: the mean of the ranks that the tied
    /// competitors take up (1, 2.5, 2.5, 4).
    pub fractional: f64,
}

/// The rank of each of `merits` (more is better), in their order. Neighbours no further apart than
/// `tolerance` are tied, so that rounding in the last bits cannot separate equals.
///
/// ```
/// use quintain_stats::ranks::rank;
///
/// let ranks = rank(&[10.0, 30.0, 20.0, 20.0], 0.0);
/// assert_eq!(ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [4, 1, 2, 2]);
/// assert_eq!(ranks[2].fractional, 2.5);
/// ```
pub fn rank(merits: &[f64], tolerance: f64) -> Vec<Rank> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|&a, &b| merits[b].total_cmp(&merits[a]));
    let mut ranks = vec![Rank { rank: 0, fractional: 0.0 }; merits.len()];
    let mut first = 0;
    for group in order.chunk_by(|&a, &b| merits[a] - merits[b] <= tolerance) {
        let last = first + group.len() - 1;
        for &competitor in group {
            ranks[competitor] =
                Rank { rank: first as u64 + 1, fractional: (first + last) as f64 / 2.0 + 1.0 };
        }
        first = last + 1;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_better_rank_and_the_middle_of_their_places() {
        let places = rank(&[1.0, 5.0, 1.0, 7.0, 0.0], 0.0);
        assert_eq!(places.iter().map(|place| place.rank).collect::<Vec<_>>(), [3, 2, 3, 1, 5]);
        let middles: Vec<f64> = places.iter().map(|place| place.fractional).collect();
        assert_eq!(middles, [3.5, 2.0, 3.5, 1.0, 5.0]);
    }

    #[test]
    fn merits_within_the_tolerance_are_tied() {
        let places = rank(&[1.0, 1.0 + 1e-13, 2.0], 1e-12);
        assert_eq!(places.iter().map(|place| place.rank).collect::<Vec<_>>(), [2, 2, 1]);
    }
}
