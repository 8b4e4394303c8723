//! Chooses the next match of the ladder: the pair ([`crate::matchmaking`]), the scenario, the seed
//! and the seats. The matches of a pair are numbered, and so are those of a version that plays
//! alone. Two of them with the same number would have the same record, so they are never both
//! played.

use quintain_core::Rng;

use crate::contest::Contest;
use crate::error::HostError;
use crate::ladder::Ladder;
use crate::matchmaking::{Contender, choose_pair, least_used};
use crate::shares::Shares;
use crate::state::{Kind, Pairing, Sequence, Version};
use quintain_final::seeds::seed;

/// How many numbers to look back for gaps. When a host is killed, matches may be lost that other
/// threads have already overtaken with later ones of the same pair.
pub(crate) const GAPS: u64 = 8;

/// The purpose of the seeds that everybody plays alone.
pub(crate) const ALONE: &str = "alone";

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
            && !contest.read_state().is_planned(&next.scenario, next.seed, &next.seats)?
        {
            return Ok(next);
        }
        number += 1;
    }
}

/// What the next match is chosen from.
pub(crate) struct Terms<'a> {
    /// The versions that play.
    pub(crate) versions: &'a [Version],
    /// The scenarios of the phase.
    pub(crate) scenarios: &'a [String],
    /// What distinguishes the match from every other one.
    pub(crate) number: u64,
    pub(crate) shares: &'a Shares,
    /// Returns the running sequence of seeds, and begins one if there is none.
    pub(crate) sequence: &'a mut dyn FnMut() -> Result<Sequence, HostError>,
}

impl Terms<'_> {
    /// Returns the scenario of a turn: all of them come in turn.
    fn scenario_of(&self, turn: u64) -> &str {
        &self.scenarios[(turn % self.scenarios.len() as u64) as usize]
    }

    /// Returns a match of a ladder between the versions at these places of the list.
    fn plan(&self, ladder: &Ladder, scenario: &str, seed: u64, seated: &[usize]) -> Pairing {
        Pairing {
            kind: Kind::Ladder,
            scenario: scenario.to_owned(),
            seed,
            seats: seated.iter().map(|&at| self.versions[at].id).collect(),
            ladder: ladder.id(),
            ..Pairing::default()
        }
    }
}

/// Returns the number of seats on a scenario.
fn seats_of(contest: &Contest, scenario: &str) -> Result<usize, HostError> {
    let game = contest.game(scenario);
    game.map(|game| game.seats()).map_err(|error| HostError::Usage(error.to_string()))
}

/// Returns the ladder's next match, ready to be entered; none if the ladder rests.
pub(crate) fn choose(
    contest: &Contest,
    ladder: &mut Ladder,
    terms: Terms<'_>,
    rng: &mut Rng,
) -> Result<Option<Pairing>, HostError> {
    let contenders = ladder.contenders(terms.versions, terms.shares);
    if contenders.iter().all(|contender| contender.matches >= contest.config.matches) {
        return Ok(None);
    }
    match ladder.is_solo() {
        true => choose_alone(contest, ladder, terms, contenders, rng),
        false => choose_table(contest, ladder, terms, contenders, rng),
    }
}

/// Returns the next match of a version that plays alone. Everybody plays the same scenarios and
/// seeds in the same order.
fn choose_alone(
    contest: &Contest,
    ladder: &Ladder,
    terms: Terms<'_>,
    mut contenders: Vec<Contender>,
    rng: &mut Rng,
) -> Result<Option<Pairing>, HostError> {
    let sequence = (terms.sequence)()?;
    // Those who have their matches play on, on the seeds of those who do not.
    for (contender, version) in contenders.iter_mut().zip(terms.versions) {
        let turns = ladder.count_turns(sequence.id, version.id);
        contender.is_done = turns >= contest.config.matches;
    }
    let Some(at) = least_used(&contenders, rng) else { return Ok(None) };
    let alone = |turn: u64| {
        let scenario = terms.scenario_of(turn);
        let seated = vec![at; seats_of(contest, scenario)?];
        let seed = seed(&sequence.secret, ALONE, &[turn]);
        let sequence = Some(sequence.id);
        Ok(Some(Pairing { sequence, ..terms.plan(ladder, scenario, seed, &seated) }))
    };
    let before = ladder.count_turns(sequence.id, terms.versions[at].id);
    first_free(contest, before, alone).map(Some)
}

/// Returns the next match of a pair, at a table of two or more.
fn choose_table(
    contest: &Contest,
    ladder: &Ladder,
    terms: Terms<'_>,
    mut contenders: Vec<Contender>,
    rng: &mut Rng,
) -> Result<Option<Pairing>, HostError> {
    let active = terms.versions;
    for (contender, version) in contenders.iter_mut().zip(active) {
        contender.is_done = contender.matches >= contest.config.matches;
        contender.is_examiner =
            version.is_house() && contest.config.gives_points_for(&version.name);
    }
    let met = |a: usize, b: usize| ladder.count_meetings(active[a].id, active[b].id);
    let pair = choose_pair(&contenders, terms.shares.mean_cost(), &met, rng);
    let Some((first, second)) = pair else { return Ok(None) };
    let (low, high) = (first.min(second), first.max(second));
    let before = met(first, second);
    let seed_of = |purpose: &str, numbers: &[u64]| seed(&contest.secret, purpose, numbers);
    let meeting = |turn: u64| {
        // Both sides of a start are played in turn: the same pair on the same seed, with seats
        // swapped. The next time, the pair meets on another start.
        let seated = if turn.is_multiple_of(2) { [low, high] } else { [high, low] };
        let scenario = terms.scenario_of(turn / 2);
        let seats = seats_of(contest, scenario)?;
        if seats == 2 {
            let pair = [active[low].id as u64, active[high].id as u64, turn / 2];
            // The first ladder of a contest has the seeds that it always had.
            let later = ladder.id().filter(|id| *id > 1).map(|id| id as u64);
            let pair: Vec<u64> = pair.into_iter().chain(later).collect();
            return Ok(Some(terms.plan(ladder, scenario, seed_of("pair", &pair), &seated)));
        }
        // At a larger table nobody sits as before, so lost matches are not made up for.
        if turn < before {
            return Ok(None);
        }
        let mut seated = fill_table(&contenders, seated, seats);
        seated.rotate_left((terms.number % seats as u64) as usize);
        Ok(Some(terms.plan(ladder, scenario, seed_of("table", &[terms.number]), &seated)))
    };
    first_free(contest, before, meeting).map(Some)
}

/// Returns who sits at a larger table with this pair: further seats go to those who have played
/// least.
fn fill_table(contenders: &[Contender], pair: [usize; 2], seats: usize) -> Vec<usize> {
    let is_free = |at: &usize| !pair.contains(at) && !contenders[*at].is_held;
    let mut rest: Vec<usize> = (0..contenders.len()).filter(is_free).collect();
    rest.sort_by_key(|&at| contenders[at].matches);
    let mut in_order = pair;
    in_order.sort_unstable();
    let more = rest.into_iter().chain(in_order.into_iter().cycle());
    pair.into_iter().chain(more.take(seats.saturating_sub(2))).collect()
}
