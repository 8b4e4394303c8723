//! What is known about one candidate of a comparison: the judgement of its rounds, how many of its
//! matches differ, and those that it lost worst.

use std::collections::BTreeSet;

use quintain_core::{Objective, Record, digest};

use super::comparison::{CandidateResult, LostMatch, likely_matches};
use super::judgement::{ALIKE, Judgement, Side, find_margin, mean_score};

/// Who plays a match. Candidates and references are numbered in the order in which they were named.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Who {
    /// A candidate on the even seats and a reference on the odd ones, or the other way round.
    Meet { candidate: usize, reference: usize, swapped: bool },
    /// A candidate on all seats.
    Candidate(usize),
    /// A reference on all seats.
    Reference(usize),
}

impl Who {
    pub(super) fn side(self) -> Side {
        match self {
            Who::Meet { swapped: false, .. } => Side::Even,
            Who::Meet { swapped: true, .. } => Side::Odd,
            Who::Candidate(_) => Side::All,
            Who::Reference(_) => Side::None,
        }
    }
}

/// A match of a round that is counted.
#[derive(Clone, Copy)]
pub(super) struct PlayedMatch<'a> {
    pub(super) who: Who,
    pub(super) record: &'a Record,
}

/// After this many times as many rounds without a new one as there are different rounds, more of
/// them are pointless: if there was one more, as likely as each of the others, all these rounds
/// would have missed it with a probability of less than 1 %.
const REPEATED: u64 = 5;

/// The least number of such rounds where there is more than one.
const LEAST_REPEATED: u64 = 20;

/// How many of the matches that a candidate lost are kept.
const LOST: usize = 3;

/// What is known about one candidate.
#[derive(Clone)]
pub(super) struct Candidate {
    judgement: Judgement,
    pub(super) compared: CandidateResult,
    /// The different matches and rounds that it played, by what was done in them.
    different_matches: BTreeSet<String>,
    different_rounds: BTreeSet<String>,
    /// The number of rounds since the last that was different from all before.
    repeated: u64,
    /// Whether the players made the same moves in every round so far.
    alike: bool,
    /// Whether the players always do the same in the same match. What a program did in a few equal
    /// rounds does not say that it always does.
    always_decides_the_same: bool,
    /// Whether it is compared with itself, so that a few rounds say all.
    pub(super) is_itself: bool,
}

impl Candidate {
    pub(super) fn new(
        judgement: Judgement,
        player: String,
        always_decides_the_same: bool,
    ) -> Candidate {
        let compared = judgement.begin_result(player);
        Candidate {
            judgement,
            compared,
            different_matches: BTreeSet::new(),
            different_rounds: BTreeSet::new(),
            repeated: 0,
            alike: true,
            always_decides_the_same,
            is_itself: false,
        }
    }

    /// Counts a round, without judging it.
    pub(super) fn count(&mut self, objective: Objective, round: &[PlayedMatch<'_>]) {
        self.look(round);
        self.keep_lost(objective, round);
        let outcomes: Vec<_> =
            round.iter().map(|one| (one.who.side(), &one.record.outcome)).collect();
        self.compared.matches += outcomes.len() as u64;
        self.judgement.count(&outcomes, &mut self.compared);
    }

    /// The natural logarithm of the evidence for better and for worse, and what it must reach.
    pub(super) fn evidence(&self) -> ([f64; 2], f64) {
        self.judgement.evidence()
    }

    /// The result after rounds on so many scenarios in turn.
    pub(super) fn finish(self, scenarios: usize) -> CandidateResult {
        self.judgement.finish(self.compared, scenarios)
    }

    pub(super) fn is_undecided(&self) -> bool {
        let compared = &self.compared;
        compared.verdict.is_none() && !compared.unvarying && !compared.alike
    }

    /// Whether further rounds would show nothing new.
    pub(super) fn is_unvarying(&self) -> bool {
        self.compared.unvarying
    }

    /// See [`Judgement::last_result`].
    pub(super) fn last_result(&self) -> Option<(f64, f64)> {
        self.judgement.last_result()
    }

    /// How many more matches are likely needed, see [`CandidateResult::likely_matches`].
    pub(super) fn likely_more(&self) -> Option<u64> {
        let (evidence, decisive) = self.judgement.evidence();
        let likely = likely_matches(self.compared.matches, evidence, decisive)?;
        Some(likely.saturating_sub(self.compared.matches))
    }

    /// Notes which matches of a round are new, and whether both sides of it are the same.
    fn look(&mut self, round: &[PlayedMatch<'_>]) {
        let courses = round.iter().map(|PlayedMatch { record, .. }| {
            let scores = serde_json::to_vec(&record.outcome.scores).unwrap_or_default();
            digest(&[record.actions.as_bytes(), &scores].concat())
        });
        let courses: Vec<String> = courses.collect();
        self.alike &= courses.len() == 2 && courses[0] == courses[1];
        // A match belongs to its scenario and to the seats that its players have there.
        let mut of_round = String::new();
        for (PlayedMatch { who, record }, course) in round.iter().zip(courses) {
            let course = format!("{} {:?} {course}\n", record.fixture.scenario, who);
            of_round += &course;
            self.different_matches.insert(course);
        }
        self.compared.different = self.different_matches.len() as u64;
        self.repeated = match self.different_rounds.insert(of_round) {
            true => 0,
            false => self.repeated + 1,
        };
    }

    /// Notes whether there is nothing more to see, after a cycle.
    pub(super) fn conclude(&mut self) {
        let rounds = self.different_rounds.len() as u64;
        let most = if rounds == 1 { REPEATED } else { (REPEATED * rounds).max(LEAST_REPEATED) };
        self.compared.unvarying = self.always_decides_the_same && self.repeated >= most;
        let Candidate { judgement, compared, .. } = self;
        judgement.conclude(compared);
        // Players that differ in one match of twenty often play twenty rounds alike.
        let least = if self.is_itself { ALIKE } else { judgement.least_alike() };
        let is_long = compared.rounds >= least;
        if self.alike && !is_long {
            compared.verdict = None;
        }
        let is_over = self.is_itself || !judgement.looks_for_a_difference();
        compared.alike = self.alike && is_long && (compared.verdict.is_some() || is_over);
        // Equal forfeits are no equal play.
        if compared.both_only_forfeit() {
            (compared.verdict, compared.alike) = (None, false);
            compared.unvarying |= is_long;
        }
    }

    /// Keeps the matches of a round that the candidate lost, if they are among the worst.
    fn keep_lost(&mut self, objective: Objective, round: &[PlayedMatch<'_>]) {
        let gain = |record: &Record| objective.gain(mean_score(&record.outcome));
        let theirs = round.iter().filter(|one| one.who.side() == Side::None);
        let best = theirs.map(|one| gain(one.record)).fold(f64::NEG_INFINITY, f64::max);
        let lost = &mut self.compared.lost;
        for &PlayedMatch { who, record } in round {
            let margin = match who.side() {
                Side::None => continue,
                Side::All if record.outcome.fault.is_some() => f64::INFINITY,
                Side::All => best - gain(record),
                side => find_margin(objective, side, &record.outcome),
            };
            let is_worse = |kept: &LostMatch| {
                // The fewer actions, the sooner it was lost.
                let [ours, theirs] = [record, &kept.record].map(|one| one.actions.len());
                kept.margin.total_cmp(&margin).then(ours.cmp(&theirs)).is_lt()
            };
            if margin <= 0.0 || lost.len() == LOST && !lost.last().is_some_and(is_worse) {
                continue;
            }
            let place = lost.iter().position(is_worse).unwrap_or(lost.len());
            lost.insert(place, LostMatch { record: record.clone(), margin });
            lost.truncate(LOST);
        }
    }
}
