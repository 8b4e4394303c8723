//! The answer of a comparison: verdicts and figures, with the keys of their JSON.

use std::collections::BTreeMap;

use quintain_core::{Budget, Objective, Record, Scoring};
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Interval, Measure, PlusMinus, Risks, Verdict, WinDrawLoss};
use serde::Serialize;

use super::between::BetweenCandidates;

/// The answer of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The game.
    pub game: String,
    /// The scenarios.
    pub scenarios: Vec<String>,
    /// Which scores are better.
    #[serde(rename = "goal")]
    pub objective: Objective,
    /// Whether seats are rivals.
    #[serde(rename = "contest")]
    pub scoring: Scoring,
    /// The players that the candidates were compared with.
    pub references: Vec<String>,
    /// The seed of the first round.
    pub first_seed: u64,
    /// The thinking budget of each player.
    pub budget: Budget,
    /// The difference asked about.
    pub delta: Option<f64>,
    /// The scale of that difference, among rivals.
    #[serde(skip)]
    pub scale: EloScale,
    /// The error probabilities allowed; the candidates share α.
    pub risks: Risks,
    /// Matches counted.
    pub matches: u64,
    /// The most matches that might have been counted.
    pub most_matches: u64,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    /// The result of each candidate, in the order in which they were named.
    pub candidates: Vec<CandidateResult>,
    /// Where there are two candidates: which of them does better against the references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<BetweenCandidates>,
    /// The ids of the matches counted, whether they were played now or taken from the store.
    #[serde(skip)]
    pub ids: Vec<String>,
}

/// The result of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CandidateResult {
    /// The candidate.
    pub player: String,
    /// The verdict; none if the matches were used up before there was one.
    pub verdict: Option<Verdict>,
    /// Further rounds would only repeat matches that were played, because the seed decides little
    /// or nothing on these scenarios: what was seen is all there is, and no statistics are needed.
    pub unvarying: bool,
    /// The candidate and its only reference made the same moves in every match, and in so many that
    /// no difference as large as the one looked for is left, if there is one.
    pub alike: bool,
    /// Rounds that were judged.
    pub rounds: u64,
    /// Matches that were needed, those of the references included.
    pub matches: u64,
    /// How many of them differ: the others repeat the moves and scores of one of these.
    pub different: u64,
    /// The candidate's matches that a limit cut off; of rivals, those of both.
    pub cut_off: u64,
    /// The references' matches that a limit cut off, where everyone plays alone.
    pub reference_cut_off: u64,
    /// Matches that it lost by a fault.
    pub faults: u64,
    /// Matches that the references lost by a fault against it, or beside it.
    pub reference_faults: u64,
    /// How often the candidate committed each kind of fault.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fault_kinds: BTreeMap<String, u64>,
    /// The same for the references.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reference_fault_kinds: BTreeMap<String, u64>,
    /// How much better it is.
    pub effect: Effect,
    /// How many times as many matches the same interval would have needed without pairing; `None`
    /// while that cannot be said.
    pub unpaired: Option<f64>,
    /// The correlation between the results on successive seeds, if it is larger than independent
    /// seeds would have: then the chances of error do not hold.
    pub correlation: Option<f64>,
    /// The natural logarithm of the evidence that it is better, and that it is worse.
    pub evidence: [f64; 2],
    /// What the evidence must reach for a verdict.
    pub decisive: f64,
    /// The course of the evidence: after which round, that it is better, and that it is worse. Kept
    /// for every round at first, then more and more rarely, and for the last round.
    pub history: Vec<(u64, f64, f64)>,
    /// The matches in which the candidate did worst: those lost by a fault, then those lost by the
    /// largest margin and soonest.
    #[serde(skip)]
    pub lost: Vec<LostMatch>,
}

/// A match in which a candidate did worse than its opponents, or than the references did on the
/// same seed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LostMatch {
    /// The match.
    pub record: Record,
    /// By how much it was worse; infinite after a fault of its own.
    pub margin: f64,
}

/// No forecast is given beyond this many times the matches played.
const FARTHEST: f64 = 20.0;

impl CandidateResult {
    /// How many matches would bring a verdict if the evidence kept growing with them as it did, to
    /// two digits; `None` where it did not grow, or hardly did.
    pub fn likely_matches(&self) -> Option<u64> {
        likely_matches(self.matches, self.evidence, self.decisive)
    }

    /// Whether every match ended by a fault of the candidate or of its references, and not always
    /// of the same side: nothing is known about how either plays.
    pub fn both_only_forfeit(&self) -> bool {
        let (own, theirs) = (self.faults, self.reference_faults);
        own > 0 && theirs > 0 && own + theirs >= self.matches
    }

    /// Whether it is a single round that was played again and again: the seed changes nothing.
    pub fn repeats_one_round(&self) -> bool {
        self.unvarying || self.rounds > 1 && self.different * self.rounds <= self.matches
    }
}

/// See [`CandidateResult::likely_matches`].
pub(super) fn likely_matches(matches: u64, evidence: [f64; 2], decisive: f64) -> Option<u64> {
    let strongest = evidence[0].max(evidence[1]);
    let needed = matches as f64 * decisive / strongest;
    if strongest <= 0.0 || needed > FARTHEST * matches as f64 {
        return None;
    }
    let unit = 10_f64.powf((needed.log10().floor() - 1.0).max(0.0));
    Some(((needed / unit).ceil() * unit) as u64)
}

/// How much better a player is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Among rivals.
    Rivals {
        /// Games won, drawn and lost against the references.
        games: WinDrawLoss,
        /// How many rounds brought 0, 1, 2, … half-points.
        rounds: Vec<u64>,
        /// The counts of LL, LD, WL or DD, WD, WW, where a round is two games.
        pentanomial: Option<[u64; 6]>,
        /// In matches of more than two seats, how many seats of the candidate came first, second, …
        #[serde(skip_serializing_if = "Vec::is_empty")]
        places: Vec<u64>,
        /// The difference in Elo points, from the mean score; infinite if every game was won.
        elo: Option<f64>,
        /// The difference to expect in the long run, on the scale of the question. After an early
        /// verdict it is smaller than what was seen, since verdicts come at lucky moments.
        long_run: Option<f64>,
        /// 95 % interval of the Elo difference as engine testing prints it, which holds if the
        /// number of rounds was fixed beforehand.
        elo_fixed: Option<PlusMinus>,
        /// The same for normalised Elo.
        normalised_fixed: Option<PlusMinus>,
        /// Interval of the difference, on the scale of the question, that holds at whatever time
        /// one looks and never contradicts the verdict.
        interval: Option<Interval>,
    },
    /// Where scores stand for themselves.
    Scores {
        /// What was tested.
        measure: Measure,
        /// The measure as observed: positive if the candidate has the better chances, or, for
        /// points of the score, the candidate's minus the references'.
        estimate: Option<f64>,
        /// The measure to expect in the long run, see [`Effect::Rivals`].
        long_run: Option<f64>,
        /// Interval of the measure that holds at whatever time one looks.
        interval: Option<Interval>,
        /// The greatest difference that is possible, or beyond which differences are counted as
        /// this.
        bound: Option<f64>,
        /// Seeds on which the candidate scored better, the same and worse than a reference.
        seeds: WinDrawLoss,
        /// The candidate's mean score.
        mean: f64,
        /// The references' mean score on the same seeds.
        reference_mean: f64,
        /// The mean difference of the unclipped scores. No claim is made about it unless the
        /// measure is the mean.
        difference: f64,
        /// Interval of this mean that holds at whatever time one looks, if there are many seeds.
        difference_interval: Option<Interval>,
    },
    /// Nothing has been judged yet.
    Unknown,
}

/// How far a comparison is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompareProgress {
    /// Matches counted.
    pub matches: u64,
    /// Those of them that were played now; the others come from the store.
    pub played: u64,
    /// Candidates without a verdict.
    pub undecided: usize,
    /// How many matches there will likely be, if the evidence for all undecided candidates keeps
    /// growing as it did; `None` where it did not grow.
    pub likely: Option<u64>,
    /// The natural logarithm of the evidence that the first candidate is better, and that it is
    /// worse.
    pub evidence: [f64; 2],
    /// What that evidence must reach for a verdict.
    pub decisive: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_follows_the_stronger_evidence_and_none_is_made_of_little() {
        let mut one = CandidateResult {
            player: "mine".to_owned(),
            verdict: None,
            unvarying: false,
            alike: false,
            rounds: 50,
            matches: 100,
            different: 100,
            cut_off: 0,
            reference_cut_off: 0,
            faults: 0,
            reference_faults: 0,
            fault_kinds: BTreeMap::new(),
            reference_fault_kinds: BTreeMap::new(),
            effect: Effect::Unknown,
            unpaired: None,
            correlation: None,
            evidence: [-3.0, 1.3],
            decisive: 3.7,
            history: Vec::new(),
            lost: Vec::new(),
        };
        assert_eq!(one.likely_matches(), Some(290));
        one.evidence = [3.6, -1.0];
        assert_eq!(one.likely_matches(), Some(110));
        one.evidence = [0.1, -0.1];
        assert_eq!(one.likely_matches(), None);
        one.evidence = [-0.2, -0.1];
        assert_eq!(one.likely_matches(), None);
    }
}
