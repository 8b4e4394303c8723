//! The final: the versions on the ladder when it begins play a whole schedule
//! ([`crate::schedule`]), and the result says which ranks are certain.

use std::collections::{BTreeMap, BTreeSet};

use quintain_stats::bootstrap::for_each_resample;
use quintain_stats::bradley_terry::refit_ratings;
use quintain_stats::simultaneous::ranks_together;

use crate::config::MIN_ROUNDS;
use crate::error::HostError;
use crate::ladder::{Games, Ladder, Rung};
use crate::schedule::{ScenarioSeats, Slot, schedule};
use crate::seats::SeatTable;
use crate::state::{Kind, Pairing, PlayedMatch, State, Version};

/// The setting that lists the versions in the final.
const ROSTER: &str = "roster";
/// Number of resamples that estimate how certain ranks are.
const REPLICATES: usize = 300;

/// The setting with the number of matches in the schedule.
const PLANNED: &str = "planned";

/// What determines the schedule of a final besides who is in it.
pub(crate) struct FinalTerms {
    pub(crate) scenarios: Vec<ScenarioSeats>,
    pub(crate) rounds: u64,
    /// The secret behind the seeds.
    pub(crate) secret: String,
    /// A ladder of the game without matches.
    pub(crate) ladder: Ladder,
}

/// Returns the number of matches in the final's schedule, if it has begun.
pub(crate) fn planned(state: &State) -> Result<Option<u64>, HostError> {
    Ok(state.setting(PLANNED)?.and_then(|planned| planned.parse().ok()))
}

/// Returns the number of programs in the final, if it has begun.
pub(crate) fn count_programs(state: &State) -> Result<Option<usize>, HostError> {
    Ok(state.setting(ROSTER)?.map(|roster| roster.split(' ').count()))
}

/// A final that has begun.
pub(crate) struct Finals {
    roster: Vec<Version>,
    slots: Vec<Slot>,
    /// The slots of the schedule that are not chosen yet.
    open: BTreeSet<usize>,
    played: Vec<PlayedMatch>,
    ladder: Ladder,
    /// Computed when all matches are played.
    ranges: Option<Vec<Option<(u64, u64)>>>,
}

/// The standings of the final so far.
pub(crate) struct FinalResult {
    pub(crate) rungs: Vec<Rung>,
    /// The best and the worst rank that each may truly have, once all is played; right together
    /// with a probability of 95 %.
    pub(crate) ranges: Option<Vec<Option<(u64, u64)>>>,
    pub(crate) played: usize,
    pub(crate) planned: usize,
    pub(crate) is_solo: bool,
}

impl FinalResult {
    pub(crate) fn is_over(&self) -> bool {
        self.played == self.planned
    }

    /// Returns whether everybody may have every rank, because so little was played.
    pub(crate) fn tells_nothing(&self) -> bool {
        let all = self.rungs.len() as u64;
        self.ranges.as_ref().is_some_and(|ranges| {
            ranges.iter().flatten().all(|range| *range == (1, all)) && all > 1
        })
    }
}

impl Finals {
    /// Loads the final of a contest, if it has begun.
    pub(crate) fn load(
        state: &State,
        terms: impl FnOnce() -> Result<FinalTerms, HostError>,
    ) -> Result<Option<Finals>, HostError> {
        let Some(roster) = state.setting(ROSTER)? else { return Ok(None) };
        let mut versions = Vec::new();
        for id in roster.split(' ').filter_map(|id| id.parse().ok()) {
            versions.extend(state.version(id)?);
        }
        let mut finals = Finals::new(versions, terms()?);
        let now = finals.len() as u64;
        if let Some(planned) = planned(state)?.filter(|planned| *planned != now) {
            return Err(HostError::Usage(format!(
                "the final began with {planned} matches, but by host.toml it would have {now}: \
                 restore the rounds and scenarios that it had"
            )));
        }
        for slot in state.slots()? {
            finals.open.remove(&slot);
        }
        state.list_played(Kind::Final)?.into_iter().for_each(|played| finals.count(played));
        Ok(Some(finals))
    }

    /// Begins the final with the versions on the ladder now, if everything handed in is checked and
    /// there are at least two versions. If anybody was invited, not all may be house players.
    pub(crate) fn begin(state: &mut State, terms: FinalTerms) -> Result<Option<Finals>, HostError> {
        let mut roster = state.active()?;
        roster.sort_by_key(|version| version.id);
        // House players play a final among themselves only if nobody else was invited.
        let invited = state.participants()?;
        let invited =
            invited.iter().any(|who| !who.is_house && !who.is_organiser && !who.is_banned);
        let is_empty = invited && roster.iter().all(Version::is_house);
        if state.count_unchecked()? > 0 || roster.len() < 2 || is_empty {
            return Ok(None);
        }
        let ids: Vec<String> = roster.iter().map(|version| version.id.to_string()).collect();
        let ids = ids.join(" ");
        let names: Vec<String> = roster.iter().map(Version::label).collect();
        let what = format!("the final begins, with {}", names.join(", "));
        state.set("host", ROSTER, Some(&ids), &what)?;
        let finals = Finals::new(roster, terms);
        state.set_quietly(PLANNED, &finals.len().to_string())?;
        Ok(Some(finals))
    }

    fn new(roster: Vec<Version>, terms: FinalTerms) -> Finals {
        let FinalTerms { scenarios, rounds, secret, ladder } = terms;
        let slots = schedule(&secret, roster.len(), &scenarios, rounds, ladder.is_solo());
        let open = (0..slots.len()).collect();
        Finals { roster, slots, open, played: Vec::new(), ladder, ranges: None }
    }

    /// Returns whether all matches are played.
    pub(crate) fn is_over(&self) -> bool {
        self.played.len() == self.slots.len()
    }

    /// Reloads the versions in the final, whose names may have changed.
    pub(crate) fn read_names(&mut self, state: &State) -> Result<(), HostError> {
        for version in &mut self.roster {
            if let Some(now) = state.version(version.id)? {
                *version = now;
            }
        }
        Ok(())
    }

    pub(crate) fn roster(&self) -> &[Version] {
        &self.roster
    }

    /// Chooses and returns the next match of the schedule.
    pub(crate) fn next(&mut self) -> Option<Pairing> {
        let slot = self.open.pop_first()?;
        self.expected(slot)
    }

    /// Puts a chosen match that is not played back into the schedule.
    pub(crate) fn put_back(&mut self, pairing: &Pairing) {
        self.open.extend(pairing.slot);
    }

    /// Counts the result of a match.
    pub(crate) fn count(&mut self, played: PlayedMatch) {
        self.ladder.count(&played);
        self.played.push(played);
    }

    /// Returns the match that must be at this slot of the schedule.
    pub(crate) fn expected(&self, slot: usize) -> Option<Pairing> {
        let slot_of = self.slots.get(slot)?;
        Some(Pairing {
            id: 0,
            kind: Kind::Final,
            slot: Some(slot),
            scenario: slot_of.scenario.clone(),
            seed: slot_of.seed,
            seats: slot_of.seats.iter().map(|&seat| self.roster[seat].id).collect(),
        })
    }

    /// Returns the ladder of the final's matches alone.
    pub(crate) fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Returns how well each version did at each of two seats.
    pub(crate) fn seat_table(&self, versions: &[Version]) -> SeatTable {
        self.ladder.seat_table(versions)
    }

    /// Returns the number of matches in the schedule.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the standings so far. While the final is played, they may be a few matches old:
    /// fitting the ratings again for every page would take most of the time.
    pub(crate) fn recent_standings(&mut self) -> Vec<Rung> {
        match self.is_over() {
            true => self.ladder.standings(&self.roster),
            false => self.ladder.recent_standings(&self.roster),
        }
    }

    /// Returns the standings so far, with the certainty of ranks once all is played.
    pub(crate) fn result(&mut self) -> FinalResult {
        let rungs = self.ladder.standings(&self.roster);
        let is_over = self.is_over();
        if is_over && self.ranges.is_none() {
            self.ranges = Some(self.likely_ranks(&rungs));
        }
        let ranges = self.ranges.clone().filter(|_| is_over);
        let (played, planned) = (self.played.len(), self.slots.len());
        FinalResult { rungs, ranges, played, planned, is_solo: self.ladder.is_solo() }
    }

    /// Returns ranges of ranks that are right together with a probability of 95 %, in the order of
    /// the rungs: rounds on a scenario are resampled, and every merit is estimated again from each
    /// sample.
    fn likely_ranks(&self, rungs: &[Rung]) -> Vec<Option<(u64, u64)>> {
        let clusters = self.clusters();
        if clusters.len() < MIN_ROUNDS {
            let all = rungs.iter().filter(|rung| rung.measure.is_some()).count() as u64;
            return rungs.iter().map(|rung| rung.measure.map(|_| (1, all))).collect();
        }
        let merits: Vec<Option<f64>> = rungs.iter().map(|rung| self.merit_of(rung)).collect();
        let replicates = match self.ladder.is_solo() {
            true => self.resample_ranks(rungs, &clusters),
            false => self.resample_ratings(rungs, &clusters),
        };
        ranks_together(&merits, &replicates, clusters.len())
    }

    /// Returns the measure of which more is better.
    fn merit_of(&self, rung: &Rung) -> Option<f64> {
        rung.measure.map(|measure| if self.ladder.is_solo() { -measure } else { measure })
    }

    /// Returns the matches by round and scenario: those of a group are resampled together.
    fn clusters(&self) -> Vec<Vec<&PlayedMatch>> {
        let mut clusters: BTreeMap<(u64, &str), Vec<&PlayedMatch>> = BTreeMap::new();
        for played in &self.played {
            if let Some(slot) = played.pairing.slot.and_then(|slot| self.slots.get(slot)) {
                clusters.entry((slot.round, &slot.scenario)).or_default().push(played);
            }
        }
        clusters.into_values().collect()
    }

    /// Returns the merits of solo players by sample: means of their ranks in the drawn clusters.
    fn resample_ranks(
        &self,
        rungs: &[Rung],
        clusters: &[Vec<&PlayedMatch>],
    ) -> Vec<Vec<Option<f64>>> {
        let versions: Vec<Version> = rungs.iter().map(|rung| rung.version.clone()).collect();
        let merits_in = |matches: &Vec<&PlayedMatch>| {
            let mut ladder = self.ladder.empty();
            matches.iter().for_each(|played| ladder.count(played));
            let mut merits = vec![None; rungs.len()];
            for rung in ladder.standings(&versions) {
                if let Some(at) = place_of(rungs, rung.version.id) {
                    merits[at] = self.merit_of(&rung);
                }
            }
            merits
        };
        let merits: Vec<Vec<Option<f64>>> = clusters.iter().map(merits_in).collect();
        let mut replicates = Vec::new();
        for_each_resample(clusters.len(), REPLICATES, |times| {
            let mean = |at: usize| {
                let drawn = merits.iter().zip(times).filter_map(|(of, &times)| {
                    Some((of[at]? * f64::from(times), f64::from(times)))
                });
                let (sum, count) =
                    drawn.fold((0.0, 0.0), |(sum, count), (s, c)| (sum + s, count + c));
                (count > 0.0).then(|| sum / count)
            };
            replicates.push((0..rungs.len()).map(mean).collect());
        });
        replicates
    }

    /// Returns the merits of rivals by sample: ratings fitted to the drawn clusters.
    fn resample_ratings(
        &self,
        rungs: &[Rung],
        clusters: &[Vec<&PlayedMatch>],
    ) -> Vec<Vec<Option<f64>>> {
        let n = rungs.len();
        let near: Vec<f64> = rungs.iter().map(|rung| rung.measure.unwrap_or(0.0)).collect();
        // For each cluster: cells of the matrix of pairs, with the points of one game each.
        let cells_of = |matches: &Vec<&PlayedMatch>| -> Vec<(usize, f64)> {
            let all = matches.iter().flat_map(|played| self.ladder.games_of(played));
            let cell = |(own, other, games): Games| {
                Some((place_of(rungs, own)? * n + place_of(rungs, other)?, games.points()))
            };
            all.filter_map(cell).collect()
        };
        let cells: Vec<Vec<(usize, f64)>> = clusters.iter().map(cells_of).collect();
        let mut replicates = Vec::new();
        for_each_resample(clusters.len(), REPLICATES, |times| {
            let (mut points, mut games) = (vec![0.0; n * n], vec![0.0; n * n]);
            for (cells, &times) in cells.iter().zip(times) {
                for (at, point) in cells {
                    points[*at] += point * f64::from(times);
                    games[*at] += f64::from(times);
                }
            }
            let ratings = refit_ratings(&points, &games, &near);
            replicates.push(ratings.into_iter().map(Some).collect());
        });
        replicates
    }
}

/// Returns the place of a version among the rungs.
fn place_of(rungs: &[Rung], version: i64) -> Option<usize> {
    rungs.iter().position(|rung| rung.version.id == version)
}
