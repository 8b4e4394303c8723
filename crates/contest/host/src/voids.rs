//! Matches that were [void](quintain_core::FaultKind::is_void), by the version at whose seat that
//! happened. A void match is nobody's loss and is played again, so a version that could bring it
//! about would never lose, and its matches would be played for ever. So a version forfeits once it
//! has made a few void, and its author's share of the machine pays for each.

use std::collections::HashMap;

use quintain_core::Seat;

/// How many matches a version may make void, since the host was started.
const MOST: u32 = 2;

/// How many matches each version has made void.
#[derive(Default)]
pub(crate) struct Voids(HashMap<i64, u32>);

impl Voids {
    /// Notes that this version has made a match void.
    pub(crate) fn note(&mut self, version: i64) {
        *self.0.entry(version).or_default() += 1;
    }

    /// Returns the seats whose versions have made too many matches void, and forfeit.
    pub(crate) fn forfeiting(&self, seats: &[i64]) -> Vec<Seat> {
        let is_over = |version: &i64| self.0.get(version).is_some_and(|count| *count >= MOST);
        (0..)
            .map(Seat::new)
            .zip(seats)
            .filter(|(_, of)| is_over(of))
            .map(|(seat, _)| seat)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_has_made_a_few_matches_void_forfeits_and_no_other() {
        let mut voids = Voids::default();
        for _ in 0..MOST {
            assert!(voids.forfeiting(&[7, 8]).is_empty());
            voids.note(8);
        }
        assert_eq!(voids.forfeiting(&[7, 8]), [Seat::new(1)]);
        assert_eq!(voids.forfeiting(&[8, 8]), [Seat::new(0), Seat::new(1)]);
    }
}
