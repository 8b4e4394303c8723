//! Matches that were [void](quintain_core::FaultKind::is_void), by the version at whose seat that
//! happened. A void match is nobody's loss and is played again, so a version that could bring it
//! about would never lose, and its matches would be played for ever. So a version forfeits once it
//! has made a few void, and its author's share of the machine pays for each.

use std::collections::HashMap;
use std::time::Duration;

use quintain_core::{PlayerHandle, Seat, SpecError};

use crate::contest::Contest;
use crate::error::HostError;
use crate::lock::lock;
use crate::state::Pairing;

/// How many matches a version may make void, since the host was started.
const MOST: u32 = 2;

/// How many matches each version has made void.
#[derive(Default)]
pub(crate) struct Voids(HashMap<i64, u32>);

impl Voids {
    fn note(&mut self, version: i64) {
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

/// Notes a match that could not be played after so much time, if the reason is that one of its
/// versions made it void.
pub(crate) fn note_void(
    contest: &Contest,
    pairing: &Pairing,
    players: &[PlayerHandle],
    why: &SpecError,
    elapsed: Duration,
) -> Result<(), HostError> {
    let SpecError::Void { player, .. } = why else { return Ok(()) };
    let seat = players.iter().position(|seated| seated.spec == *player);
    let Some(&version) = seat.and_then(|seat| pairing.seats.get(seat)) else { return Ok(()) };
    lock(&contest.voids).note(version);
    if let Some(version) = contest.look().version(version)? {
        lock(&contest.shares).charge(version.participant, elapsed.as_secs_f64());
        contest.save_shares()?;
    }
    Ok(())
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
