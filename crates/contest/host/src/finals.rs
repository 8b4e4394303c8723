//! The final: the versions on the ladder when it begins play a whole schedule
//! ([`quintain_final::schedule`]), and the result says which ranks are certain.

use std::collections::BTreeSet;

use quintain_final::schedule::{ScenarioSeats, Slot, schedule};
use quintain_final::seeds::commitment;
use quintain_final::standings::{FinalMatch, likely_ranks};
use quintain_standings::LadderRow;

use crate::duels::{ProgramDuel, knockout_of};
use crate::error::HostError;
use crate::ladder::{Ladder, Rung};
use crate::seats::SeatTable;
use crate::state::{Kind, Pairing, PlayedMatch, State, Version};
use crate::token;

/// The setting that lists the versions in the final.
const ROSTER: &str = "roster";
/// The setting with the number of matches in the schedule.
const PLANNED: &str = "planned";
/// The setting that says that all matches were played, after which the secret is published.
const FINISHED: &str = "final is over";
/// The setting with the secret behind the seeds.
const SECRET: &str = "final";

/// Says which matches of a final that was over are missing, why that stays so, and what to do;
/// nothing if none is.
pub(crate) fn describe_missing(missing: &[String]) -> Option<String> {
    let first = missing.first()?;
    let others = match missing.len() - 1 {
        0 => String::new(),
        others => format!(", and {others} more"),
    };
    Some(format!(
        "{first}{others}: missing since the final was over, and not played again, because its \
         secret is public; restore a backup (quintain host restore)"
    ))
}

/// What determines the schedule of a final besides who is in it.
pub(crate) struct FinalTerms {
    pub(crate) scenarios: Vec<ScenarioSeats>,
    pub(crate) rounds: u64,
    /// A ladder of the game without matches.
    pub(crate) ladder: Ladder,
}

/// Returns the number of matches in the final's schedule, if it has begun.
pub(crate) fn planned(state: &State) -> Result<Option<u64>, HostError> {
    Ok(state.setting(PLANNED)?.and_then(|planned| planned.parse().ok()))
}

/// Notes that all matches are played: from now on it stays, whatever happens to its matches.
pub(crate) fn record_end(state: &mut State) -> Result<(), HostError> {
    state.set_quietly(FINISHED, "true")
}

/// Returns whether all matches of the final were played once.
fn was_finished(state: &State) -> Result<bool, HostError> {
    Ok(state.setting(FINISHED)?.is_some())
}

/// Returns whether the final is over, so that its secret is published.
pub(crate) fn is_published(state: &State) -> Result<bool, HostError> {
    let Some(planned) = planned(state)? else { return Ok(false) };
    Ok(was_finished(state)? || state.count_matches()?.finals >= planned)
}

/// Returns the number of programs in the final, if it has begun.
pub(crate) fn count_programs(state: &State) -> Result<Option<usize>, HostError> {
    Ok(state.setting(ROSTER)?.map(|roster| roster.split(' ').count()))
}

/// Returns the secret behind the seeds of the final, which is made on first use.
pub(crate) fn make_secret(state: &mut State) -> Result<String, HostError> {
    state.secret(SECRET)
}

/// Returns the secret behind the seeds of the final that comes next, or has begun.
pub(crate) fn secret(state: &State) -> Result<String, HostError> {
    Ok(state.setting(SECRET)?.unwrap_or_default())
}

/// Undoes a final that is not over, as its result would be published: its matches are deleted, and
/// it can begin again, on seeds from another secret, since some of these are known. Meanwhile the
/// contest is in `phase`. Returns the records of its matches.
pub(crate) fn undo(
    state: &mut State,
    by: &str,
    phase: (&str, &str),
) -> Result<Option<Vec<String>>, HostError> {
    if was_finished(state)? {
        return Ok(None);
    }
    let planned = planned(state)?.unwrap_or(0);
    let (digest, secret) = (commitment(&self::secret(state)?), token::new_token()?);
    state.undo_final(by, (planned, &digest), &[ROSTER, PLANNED], &[(SECRET, &secret), phase])
}

/// Enters a match of the final that has begun; none if the final was undone meanwhile, perhaps by a
/// command beside the host.
pub(crate) fn plan_final(
    state: &mut State,
    pairing: Pairing,
) -> Result<Option<Pairing>, HostError> {
    state.plan_while(ROSTER, pairing)
}

/// A final that has begun.
pub(crate) struct Finals {
    roster: Vec<Version>,
    slots: Vec<Slot>,
    /// The slots of the schedule that are not chosen yet.
    open: BTreeSet<usize>,
    played: Vec<PlayedMatch>,
    ladder: Ladder,
    /// Whether all matches were played once, so that the secret is published: whatever is missing
    /// since then is not played again.
    was_finished: bool,
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
    /// Matches that are missing although it was over, and its secret is published.
    pub(crate) missing: Vec<String>,
    pub(crate) is_solo: bool,
}

impl FinalResult {
    pub(crate) fn is_over(&self) -> bool {
        self.played == self.planned
    }

    /// Returns whether matches are still to be played.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.is_over() && self.missing.is_empty()
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
        let mut finals = Finals::new(versions, &secret(state)?, terms()?);
        let now = finals.len() as u64;
        if let Some(planned) = planned(state)?.filter(|planned| *planned != now) {
            return Err(HostError::Usage(format!(
                "the final began with {planned} matches, but by host.toml it would have {now}: \
                 restore the rounds and scenarios that it had"
            )));
        }
        finals.was_finished = was_finished(state)?;
        for slot in state.slots()? {
            finals.open.remove(&slot);
        }
        state.list_played(Kind::Final)?.into_iter().for_each(|played| finals.count(played));
        Ok(Some(finals))
    }

    /// Begins the final with the versions on the ladder now, if everything submitted is checked and
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
        let finals = Finals::new(roster, &make_secret(state)?, terms);
        state.set_quietly(PLANNED, &finals.len().to_string())?;
        Ok(Some(finals))
    }

    fn new(roster: Vec<Version>, secret: &str, terms: FinalTerms) -> Finals {
        let FinalTerms { scenarios, rounds, ladder } = terms;
        let slots = schedule(secret, roster.len(), &scenarios, rounds, ladder.is_solo());
        let open = (0..slots.len()).collect();
        Finals {
            roster,
            slots,
            open,
            played: Vec::new(),
            ladder,
            was_finished: false,
            ranges: None,
        }
    }

    /// Returns whether all matches are played.
    pub(crate) fn is_over(&self) -> bool {
        self.played.len() == self.slots.len()
    }

    /// Returns whether its result is published, even if a match is missing since.
    pub(crate) fn is_published(&self) -> bool {
        self.was_finished || self.is_over()
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

    /// Returns whether a version plays in the final.
    pub(crate) fn includes(&self, version: i64) -> bool {
        self.roster.iter().any(|known| known.id == version)
    }

    /// Names the matches of a final that was over which are not there any more, each with its
    /// number in the schedule, from 1.
    pub(crate) fn list_missing(&self) -> Vec<String> {
        if !self.was_finished {
            return Vec::new();
        }
        let kept: BTreeSet<usize> =
            self.played.iter().filter_map(|played| played.pairing.slot).collect();
        let missing = self.slots.iter().enumerate().filter(|(at, _)| !kept.contains(at));
        let name = |(at, slot): (usize, &Slot)| {
            let seats: Vec<String> =
                slot.seats.iter().map(|&seat| self.roster[seat].label()).collect();
            format!("match {} of the final ({} on {})", at + 1, seats.join(" – "), slot.scenario)
        };
        missing.map(name).collect()
    }

    /// Chooses and returns the next match of the schedule; none once all were played, even if one
    /// is missing since, because its seed is known by now.
    pub(crate) fn next(&mut self) -> Option<Pairing> {
        if self.was_finished {
            return None;
        }
        let slot = self.open.pop_first()?;
        self.expected(slot)
    }

    /// Puts a chosen match that is not played back into the schedule.
    pub(crate) fn put_back(&mut self, pairing: &Pairing) {
        self.open.extend(pairing.slot);
    }

    /// Counts the result of a match.
    pub(crate) fn count(&mut self, played: PlayedMatch) {
        self.ladder.enter(&played);
        self.played.push(played);
        self.was_finished |= self.is_over();
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
            ..Pairing::default()
        })
    }

    /// Returns the matches of the final, by slot of the schedule.
    pub(crate) fn played_by_slot(&self) -> Vec<&PlayedMatch> {
        let mut played: Vec<&PlayedMatch> = self.played.iter().collect();
        played.sort_unstable_by_key(|played| played.pairing.slot);
        played
    }

    /// Returns the ladder of the final's matches alone.
    pub(crate) fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Returns how well each version did at each of two seats.
    pub(crate) fn seat_table(&self, versions: &[Version]) -> SeatTable {
        self.ladder.seat_table(versions)
    }

    /// Returns the knockout of the best, once all is played.
    pub(crate) fn knockout(&mut self) -> Vec<Vec<ProgramDuel>> {
        match self.is_over() {
            true => knockout_of(&self.recent_standings(), &self.played, &self.ladder),
            false => Vec::new(),
        }
    }

    /// Returns the number of matches played.
    pub(crate) fn count_played(&self) -> usize {
        self.played.len()
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
        let (missing, is_solo) = (self.list_missing(), self.ladder.is_solo());
        FinalResult { rungs, ranges, played, planned, missing, is_solo }
    }

    /// Returns ranges of ranks that are right together with a probability of 95 %, in the order of
    /// the rungs. Everything, if too little was played to tell.
    fn likely_ranks(&self, rungs: &[Rung]) -> Vec<Option<(u64, u64)>> {
        let rows: Vec<LadderRow> = rungs.iter().map(|rung| rung.row.clone()).collect();
        let matches = self.played.iter().filter_map(|played| {
            let slot = self.slots.get(played.pairing.slot?)?;
            Some(FinalMatch {
                round: slot.round,
                scenario: slot.scenario.clone(),
                seed: slot.seed,
                players: played.pairing.seats.clone(),
                scores: played.scores.clone(),
                fault_seat: played.fault_seat(),
            })
        });
        likely_ranks(self.ladder.rule(), &rows, &matches.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::{Objective, Scoring};

    use super::*;
    use crate::duels::{TieBreak, podium_of};
    use crate::state::Stage;

    fn version(id: i64) -> Version {
        Version {
            id,
            participant: id,
            name: format!("p{id}"),
            display_name: String::new(),
            number: 1,
            digest: String::new(),
            built: Default::default(),
            stage: Stage::Passed,
            log: Default::default(),
            at: 0,
            copy_of: None,
            submitter: None,
        }
    }

    /// The likely ranks after a final of three versions, of which the first always does best and
    /// the others do the same.
    fn ranks_after(rounds: u64, scoring: Scoring, seats: usize) -> Vec<(i64, Option<(u64, u64)>)> {
        let mut finals = Finals::new(
            (1..=3).map(version).collect(),
            "secret",
            FinalTerms {
                scenarios: vec![("s".to_owned(), seats)],
                rounds,
                ladder: Ladder::new(scoring, Objective::Maximize, false),
            },
        );
        while let Some(pairing) = finals.next() {
            let scores = pairing.seats.iter().map(|id| if *id == 1 { 9.0 } else { 3.0 }).collect();
            finals.count(PlayedMatch { pairing, scores, ..PlayedMatch::default() });
        }
        let result = finals.result();
        let ranges = result.ranges.expect("all is played");
        result.rungs.iter().map(|rung| rung.version.id).zip(ranges).collect()
    }

    /// A final of these versions, in which each match of two ends with these scores.
    fn final_of(versions: Vec<Version>, scores: impl Fn([i64; 2]) -> [f64; 2]) -> Finals {
        let mut finals = Finals::new(
            versions,
            "secret",
            FinalTerms {
                scenarios: vec![("s".to_owned(), 2)],
                rounds: 3,
                ladder: Ladder::new(Scoring::Adversarial, Objective::Maximize, false),
            },
        );
        while let Some(pairing) = finals.next() {
            let [a, b] = pairing.seats[..] else { panic!("two seats") };
            let scores = scores([a, b]).to_vec();
            finals.count(PlayedMatch { pairing, scores, ..PlayedMatch::default() });
        }
        finals
    }

    /// A final of so many versions, in which `winner` wins each match of two; the other one loses.
    fn played_out(versions: i64, winner: impl Fn(i64, i64) -> i64) -> Finals {
        final_of((1..=versions).map(version).collect(), |[a, b]| {
            let best = winner(a, b);
            [a, b].map(|id| f64::from(u8::from(id == best)))
        })
    }

    /// A final of two participants and a player of the house, who draw all matches.
    fn drawn_final(house: i64) -> Finals {
        let of = |id: i64| {
            let digest = if id == house { String::new() } else { "d".to_owned() };
            Version { digest, ..version(id) }
        };
        final_of((1..=3).map(of).collect(), |_| [1.0; 2])
    }

    #[test]
    fn the_house_is_in_no_knockout_and_a_draw_on_equal_ranks_goes_to_the_first_handed_in() {
        for (house, sides) in [(1, [2, 3]), (2, [1, 3]), (3, [1, 2])] {
            let mut drawn = drawn_final(house);
            let rounds = drawn.knockout();
            assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [1]);
            let duel = &rounds[0][0];
            assert_eq!(duel.sides().map(|side| side.participant).collect::<Vec<_>>(), sides);
            assert_eq!(duel.tie_break(), Some(TieBreak::HandedInFirst));
            let podium = podium_of(&drawn.recent_standings(), &rounds);
            let places: Vec<i64> = podium.iter().map(|stands| stands.participant).collect();
            assert_eq!(places, sides, "the house is on no podium");
        }
    }

    #[test]
    fn the_knockout_of_the_best_eight_follows_their_matches_in_the_final() {
        // The lower number wins, except that 4 always beats 1.
        let upset = |a: i64, b: i64| if (a.min(b), a.max(b)) == (1, 4) { 4 } else { a.min(b) };
        let rounds = played_out(10, upset).knockout();
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2, 1]);
        let goes_on =
            |duel: &ProgramDuel| duel.sides().find(|side| side.goes_on).map(|side| side.rank);
        let ranks: Vec<Vec<Option<u64>>> =
            rounds.iter().map(|round| round.iter().map(goes_on).collect()).collect();
        // 1 and 4 have lost one pairing each, so that 1, 2, 3 and 4 keep their ranks or share them.
        assert!(ranks[0].iter().all(|rank| rank.is_some_and(|rank| rank <= 4)), "{ranks:?}");
        // Whoever wins the knockout stands first on the podium, whatever the ranks.
        let mut finals = played_out(10, upset);
        let podium = podium_of(&finals.recent_standings(), &rounds);
        let winner = rounds[2][0].sides().find(|side| side.goes_on).unwrap();
        let loser = rounds[2][0].sides().find(|side| !side.goes_on).unwrap();
        assert_eq!(podium.len(), 3);
        assert_eq!(
            [podium[0].participant, podium[1].participant],
            [winner.participant, loser.participant]
        );
        let duel = &rounds[1][0];
        let points = (duel.first.points, duel.second.as_ref().unwrap().points);
        assert!(points == (0.0, 6.0) || points == (6.0, 0.0), "{points:?}");
    }

    #[test]
    fn a_match_that_is_missing_after_the_end_is_named_and_not_played_again() {
        let mut finals = played_out(3, |a, b| a.min(b));
        assert_eq!(finals.list_missing(), [""; 0]);
        let lost = finals.played.remove(4);
        finals.put_back(&lost.pairing);
        assert_eq!(finals.next().map(|pairing| pairing.slot), None);
        let [missing] = &finals.list_missing()[..] else { panic!("one is missing") };
        assert!(
            missing.starts_with("match 5 of the final (") && missing.ends_with(" on s)"),
            "{missing}"
        );
    }

    #[test]
    fn there_is_no_knockout_before_the_end() {
        let mut finals = played_out(3, |a, b| a.min(b));
        assert_eq!(finals.knockout().len(), 2);
        finals.played.pop();
        assert!(finals.knockout().is_empty());
    }

    #[test]
    fn a_clear_winner_is_certain_after_ten_rounds_and_nobody_after_two() {
        for (scoring, seats) in [(Scoring::Adversarial, 2), (Scoring::Independent, 1)] {
            let certain = ranks_after(10, scoring, seats);
            assert_eq!(certain[0], (1, Some((1, 1))), "{certain:?}");
            assert!(certain[1..].iter().all(|(_, ranks)| *ranks == Some((2, 3))), "{certain:?}");
            let few = ranks_after(2, scoring, seats);
            assert!(few.iter().all(|(_, ranks)| *ranks == Some((1, 3))), "{few:?}");
        }
    }
}
