//! Places by merit, with ties. Knows nothing of what is ranked.

/// A place among competitors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The rank shown: ties share the better one (1, 2, 2, 4).
    pub rank: u64,
    /// The middle of the ranks that tied competitors take up (1, 2.5, 2.5, 4).
    pub middle: f64,
}

/// The place of each of `merits` (more is better). Neighbours no further apart than `tolerance`
/// are tied, so that rounding in the last bits cannot part equals.
pub fn places(merits: &[f64], tolerance: f64) -> Vec<Place> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|&a, &b| merits[b].total_cmp(&merits[a]));
    let mut places = vec![Place { rank: 0, middle: 0.0 }; merits.len()];
    let mut first = 0;
    for group in order.chunk_by(|&a, &b| merits[a] - merits[b] <= tolerance) {
        let last = first + group.len() - 1;
        for &competitor in group {
            places[competitor] =
                Place { rank: first as u64 + 1, middle: (first + last) as f64 / 2.0 + 1.0 };
        }
        first = last + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_better_rank_and_the_middle_of_their_places() {
        let places = places(&[1.0, 5.0, 1.0, 7.0, 0.0], 0.0);
        assert_eq!(places.iter().map(|place| place.rank).collect::<Vec<_>>(), [3, 2, 3, 1, 5]);
        let middles: Vec<f64> = places.iter().map(|place| place.middle).collect();
        assert_eq!(middles, [3.5, 2.0, 3.5, 1.0, 5.0]);
    }

    #[test]
    fn merits_within_the_tolerance_are_tied() {
        let places = places(&[1.0, 1.0 + 1e-13, 2.0], 1e-12);
        assert_eq!(places.iter().map(|place| place.rank).collect::<Vec<_>>(), [2, 2, 1]);
    }
}
