//! Chooses the next match of the ladder: the pair ([`crate::matchmaking`]), the scenario, the seed
//! and the seats. The matches of a pair are numbered, and so are those of a version that plays
//! alone. Two of them with the same number would have the same record, so they are never both
//! played.

use quintain_core::Rng;

use crate::contest::Contest;
use crate::error::HostError;
use crate::ladder::Ladder;
use crate::matchmaking::{choose_pair, least_played};
use crate::seeds::seed;
use crate::state::{Kind, Pairing, Version};

/// How many numbers to look back for gaps. When a host is killed, matches may be lost that other
/// threads have already overtaken with later ones of the same pair.
const GAPS: u64 = 8;

/// Returns the first numbered match that is not there yet: the one after `before` others, or one
/// that was lost when the host was killed.
fn first_free(
    contest: &Contest,
    before: u64,
    pairing: impl Fn(u64) -> Result<Option<Pairing>, HostError>,
) -> Result<Pairing, HostError> {
    let mut number = before.saturating_sub(GAPS);
    loop {
        if let Some(next) = pairing(number)?
            && !contest.look().is_planned(&next.scenario, next.seed, &next.seats)?
        {
            return Ok(next);
        }
        number += 1;
    }
}

/// Returns the ladder's next match among the active versions, ready to be entered; none if the
/// ladder rests. `number` distinguishes it from every other match, and the scenarios are those of
/// the phase.
pub(crate) fn choose(
    contest: &Contest,
    ladder: &mut Ladder,
    active: &[Version],
    (number, scenarios): (u64, &[String]),
    rng: &mut Rng,
) -> Result<Option<Pairing>, HostError> {
    let contenders = ladder.contenders(active);
    if contenders.iter().all(|contender| contender.matches >= contest.config.matches) {
        return Ok(None);
    }
    let seed_of = |purpose: &str, numbers: &[u64]| seed(&contest.secret, purpose, numbers);
    let scenario_of = |turn: u64| &scenarios[(turn % scenarios.len() as u64) as usize];
    let seats_of = |scenario: &str| {
        let game = contest.game(scenario);
        game.map(|game| game.seats()).map_err(|error| HostError::Usage(error.to_string()))
    };
    let planned = |scenario: &str, seed: u64, seated: &[usize]| {
        let seats = seated.iter().map(|&at| active[at].id).collect();
        let scenario = scenario.to_owned();
        Pairing { id: 0, kind: Kind::Ladder, slot: None, scenario, seed, seats }
    };
    if ladder.is_solo() {
        // Everybody plays the same scenarios and seeds in the same order.
        let Some(at) = least_played(&contenders, rng) else { return Ok(None) };
        let alone = |turn: u64| {
            let scenario = scenario_of(turn);
            let seated = vec![at; seats_of(scenario)?];
            Ok(Some(planned(scenario, seed_of("alone", &[turn]), &seated)))
        };
        return first_free(contest, contenders[at].matches, alone).map(Some);
    }
    let met = |a: usize, b: usize| ladder.count_meetings(active[a].id, active[b].id);
    let Some((first, second)) = choose_pair(&contenders, &met, rng) else { return Ok(None) };
    let (low, high) = (first.min(second), first.max(second));
    let before = met(first, second);
    let meeting = |turn: u64| {
        // Both sides of a start are played in turn: the same pair on the same seed, with seats
        // swapped. The next time, the pair meets on another start.
        let mut seated = if turn.is_multiple_of(2) { vec![low, high] } else { vec![high, low] };
        let scenario = scenario_of(turn / 2);
        let seats = seats_of(scenario)?;
        if seats == 2 {
            let pair = [active[low].id as u64, active[high].id as u64, turn / 2];
            return Ok(Some(planned(scenario, seed_of("pair", &pair), &seated)));
        }
        // At a larger table nobody sits as before, so lost matches are not made up for.
        if turn < before {
            return Ok(None);
        }
        // Further seats go to those who have played least.
        let mut rest: Vec<usize> = (0..active.len()).filter(|at| !seated.contains(at)).collect();
        rest.sort_by_key(|&at| contenders[at].matches);
        let more = rest.into_iter().chain([low, high].into_iter().cycle());
        seated.extend(more.take(seats.saturating_sub(2)));
        seated.rotate_left((number % seats as u64) as usize);
        Ok(Some(planned(scenario, seed_of("table", &[number]), &seated)))
    };
    first_free(contest, before, meeting).map(Some)
}
