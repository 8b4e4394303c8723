//! The judgement of one candidate's rounds: points and scores are put into the tests, and the
//! answer is read from them.

use std::collections::BTreeMap;

use quintain_core::{Objective, Outcome, Scoring};
use quintain_standings::game_between;
use quintain_stats::likelihood::EloScale;
use quintain_stats::sprt;
use quintain_stats::{
    DifferenceTest, Interval, Measure, Risks, ThreeWayTest, WinDrawLoss, anytime, elo,
};

use super::comparison::{CandidateResult, Effect};
use super::config::{CompareError, ComparisonConfig, ScoreMeasure};

/// Which seats of a match the candidate plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Side {
    /// The even seats.
    Even,
    /// The odd seats.
    Odd,
    /// All.
    All,
    /// None.
    None,
}

/// The evidence is kept for every one of this many rounds; after that, each time the number of
/// rounds has grown by one part in `EVERY_SHARE`.
const EVERY: u64 = 100;
const EVERY_SHARE: u64 = 50;

/// After this many rounds in which both players made the same moves, they are called alike where no
/// difference is looked for whose size says how many it takes.
pub(super) const ALIKE: u64 = 20;

/// The fewest seeds on which the interval of a mean difference is trusted.
const LEAST_SEEDS: u64 = 20;

/// The running judgement of one candidate.
#[derive(Clone)]
pub(super) enum Judgement {
    Rivals(Rivals),
    Scores(Box<Scores>),
}

#[derive(Clone)]
pub(super) struct Rivals {
    objective: Objective,
    least_alike: u64,
    test: ThreeWayTest,
    games: WinDrawLoss,
    /// How many of its seats came first, second, …, where there are more than two seats.
    places: Vec<u64>,
    /// Rounds of two games: won and lost, and drawn both.
    split: [u64; 2],
    /// Sum and sum of squares of the score of a match, and their number.
    of_matches: (f64, f64, f64),
    /// The score of every round.
    of_rounds: Vec<f64>,
}

#[derive(Clone)]
pub(super) struct Scores {
    objective: Objective,
    measure: Measure,
    delta: Option<f64>,
    least_alike: u64,
    alpha: f64,
    test: DifferenceTest,
    /// The candidate's score and the references' mean, round by round.
    scores: Vec<[f64; 2]>,
    /// Against each reference: seeds on which the candidate scored better, the same, and worse.
    seeds: WinDrawLoss,
}

/// What decides between two players, and on what kind of matches.
pub(super) enum Test {
    /// Rivals share `seats`; a round has two matches with each of the references.
    Rivals { scale: EloScale, delta: f64, seats: usize, references: usize },
    /// Everyone plays alone.
    Scores { measure: Measure, delta: Option<f64> },
}

impl Judgement {
    /// A judgement before the first round, with the risks of one candidate.
    pub(super) fn new(objective: Objective, risks: Risks, test: Test) -> Judgement {
        // After so many rounds, a player that differs in this share of its matches has differed in
        // one, except with the probability β.
        let rounds = |share: f64, matches: usize| {
            (risks.beta.ln() / (1.0 - share).ln() / matches as f64).ceil() as u64
        };
        match test {
            Test::Scores { measure, delta } => Judgement::Scores(Box::new(Scores {
                objective,
                measure,
                delta,
                least_alike: match (measure, delta) {
                    (Measure::Chance, Some(delta)) => rounds(delta, 1),
                    _ => ALIKE,
                },
                alpha: risks.alpha,
                test: DifferenceTest::new(risks, measure, delta),
                scores: Vec::new(),
                seeds: WinDrawLoss::default(),
            })),
            Test::Rivals { scale, delta, seats, references } => {
                let (even, odd) = (seats.div_ceil(2), seats / 2);
                let games = 2 * even * odd * references;
                // Every match that it loses by chance costs half a point on average.
                let share = 2.0 * elo::expected_score(delta) - 1.0;
                Judgement::Rivals(Rivals {
                    objective,
                    least_alike: rounds(share, 2 * references),
                    test: ThreeWayTest::new(scale, delta, risks, games),
                    games: WinDrawLoss::default(),
                    places: if seats > 2 { vec![0; seats] } else { Vec::new() },
                    split: [0; 2],
                    of_matches: (0.0, 0.0, 0.0),
                    of_rounds: Vec::new(),
                })
            }
        }
    }

    /// The result of a candidate before its first round.
    pub(super) fn begin_result(&self, player: String) -> CandidateResult {
        let (evidence, decisive) = self.evidence();
        CandidateResult {
            player,
            verdict: None,
            unvarying: false,
            alike: false,
            rounds: 0,
            matches: 0,
            different: 0,
            cut_off: 0,
            reference_cut_off: 0,
            faults: 0,
            reference_faults: 0,
            fault_kinds: BTreeMap::new(),
            reference_fault_kinds: BTreeMap::new(),
            effect: Effect::Unknown,
            unpaired: None,
            correlation: None,
            evidence,
            decisive,
            history: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Counts a round of the candidate: which seats it held in each match, and the outcomes.
    pub(super) fn count(&mut self, round: &[(Side, &Outcome)], compared: &mut CandidateResult) {
        for (side, outcome) in round {
            let cut_off = match side {
                Side::None => &mut compared.reference_cut_off,
                _ => &mut compared.cut_off,
            };
            *cut_off += u64::from(outcome.truncated);
            if let Some(fault) = &outcome.fault {
                let (count, kinds) = match side.holds(fault.seat.index()) {
                    true => (&mut compared.faults, &mut compared.fault_kinds),
                    false => (&mut compared.reference_faults, &mut compared.reference_fault_kinds),
                };
                *count += 1;
                *kinds.entry(fault.fault.kind.to_string()).or_default() += 1;
            }
        }
        compared.rounds += 1;
        match self {
            Judgement::Rivals(rivals) => rivals.count(round),
            Judgement::Scores(scores) => scores.count(round),
        }
    }

    /// Judges the rounds counted so far: whole cycles of the scenarios.
    pub(super) fn conclude(&mut self, compared: &mut CandidateResult) {
        compared.verdict = match self {
            Judgement::Rivals(rivals) => rivals.test.judge(),
            Judgement::Scores(scores) => scores.test.judge(),
        };
        let due = compared.history.last().is_none_or(|(last, ..)| {
            compared.rounds * EVERY_SHARE >= last * (EVERY_SHARE + 1) || compared.rounds <= EVERY
        });
        if due || compared.verdict.is_some() {
            let ([better, worse], _) = self.evidence();
            compared.history.push((compared.rounds, better, worse));
        }
    }

    /// The least rounds after which two players that made the same moves in all differ no more than
    /// by the difference that is looked for.
    pub(super) fn least_alike(&self) -> u64 {
        match self {
            Judgement::Rivals(rivals) => rivals.least_alike,
            Judgement::Scores(scores) => scores.least_alike,
        }
    }

    /// The candidate's own result of the last round: as a gain, and as it is told.
    pub(super) fn last_result(&self) -> Option<(f64, f64)> {
        match self {
            Judgement::Rivals(rivals) => rivals.of_rounds.last().map(|share| (*share, *share)),
            Judgement::Scores(scores) => {
                scores.scores.last().map(|[own, _]| (scores.objective.gain(*own), *own))
            }
        }
    }

    /// Whether it ends when no difference is as large as the one that is looked for.
    pub(super) fn looks_for_a_difference(&self) -> bool {
        match self {
            Judgement::Rivals(_) => true,
            Judgement::Scores(scores) => scores.delta.is_some(),
        }
    }

    /// The natural logarithm of the evidence for better and for worse, and what it must reach.
    pub(super) fn evidence(&self) -> ([f64; 2], f64) {
        match self {
            Judgement::Rivals(rivals) => rivals.test.evidence(),
            Judgement::Scores(scores) => scores.test.evidence(),
        }
    }

    /// Completes the result at the end, after rounds on so many scenarios in turn.
    pub(super) fn finish(
        &self,
        mut compared: CandidateResult,
        scenarios: usize,
    ) -> CandidateResult {
        let none = compared.rounds == 0;
        compared.correlation = find_correlation(&self.results(), scenarios);
        let (effect, unpaired) = match self {
            Judgement::Rivals(rivals) => (rivals.effect(), rivals.variance_ratio()),
            Judgement::Scores(scores) => (scores.effect(), scores.variance_ratio()),
        };
        if !none {
            compared.effect = effect;
            compared.unpaired = unpaired.filter(|ratio| ratio.is_finite());
        }
        (compared.evidence, compared.decisive) = self.evidence();
        if compared.history.last().is_some_and(|(last, ..)| *last < compared.rounds) {
            let [better, worse] = compared.evidence;
            compared.history.push((compared.rounds, better, worse));
        }
        compared
    }
}

impl Judgement {
    /// The result of every round: more is better for the candidate.
    fn results(&self) -> Vec<f64> {
        match self {
            Judgement::Rivals(rivals) => rivals.of_rounds.clone(),
            Judgement::Scores(scores) => {
                let gain = |score: f64| scores.objective.gain(score);
                let sign = |[ours, theirs]: &[f64; 2]| match gain(*ours) - gain(*theirs) {
                    0.0 => 0.0,
                    difference => difference.signum(),
                };
                scores.scores.iter().map(sign).collect()
            }
        }
    }
}

/// The fewest seeds from which a correlation is told.
const LEAST_CORRELATED: usize = 20;
/// A correlation is told from this many standard errors on.
const CORRELATED: f64 = 3.0;

/// The correlation between the results on successive seeds, if it is too large for independent
/// ones.
fn find_correlation(results: &[f64], scenarios: usize) -> Option<f64> {
    let of_seed = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let seeds: Vec<f64> = results.chunks_exact(scenarios).map(of_seed).collect();
    let mean = of_seed(&seeds);
    let squares: f64 = seeds.iter().map(|one| (one - mean).powi(2)).sum();
    let products: f64 = seeds.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let correlation = products / squares;
    let is_large = correlation * (seeds.len() as f64).sqrt() > CORRELATED;
    (seeds.len() >= LEAST_CORRELATED && is_large).then_some(correlation)
}

impl Side {
    fn holds(self, seat: usize) -> bool {
        match self {
            Side::Even => seat.is_multiple_of(2),
            Side::Odd => !seat.is_multiple_of(2),
            Side::All => true,
            Side::None => false,
        }
    }
}

impl Rivals {
    fn count(&mut self, round: &[(Side, &Outcome)]) {
        let mut all = WinDrawLoss::default();
        for (side, outcome) in round {
            let of_match = count_games(self.objective, *side, outcome);
            let score = of_match.share().unwrap_or(0.5);
            self.of_matches.0 += score;
            self.of_matches.1 += score * score;
            self.of_matches.2 += 1.0;
            all += of_match;
            if !self.places.is_empty() {
                count_places(self.objective, *side, outcome, &mut self.places);
            }
        }
        self.games += all;
        if (all.games(), all.wins, all.losses) == (2, 1, 1) {
            self.split[0] += 1;
        } else if (all.games(), all.draws) == (2, 2) {
            self.split[1] += 1;
        }
        self.of_rounds.push(all.share().unwrap_or(0.5));
        self.test.count((2 * all.wins + all.draws) as usize);
    }

    fn effect(&self) -> Effect {
        let pairs = self.test.pairs();
        let [wl, dd] = self.split;
        let pentanomial = match *pairs.counts() {
            [ll, ld, _, wd, ww] => Some([ll, ld, wl, dd, wd, ww]),
            _ => None,
        };
        Effect::Rivals {
            games: self.games,
            rounds: pairs.counts().to_vec(),
            pentanomial,
            places: self.places.clone(),
            elo: pairs.elo().map(|(elo, _)| elo),
            long_run: self.test.long_run(),
            elo_fixed: pairs.elo_plus_minus(),
            normalised_fixed: pairs.normalised_elo(),
            interval: self.test.interval(),
        }
    }

    /// The variance of a round's mean if its matches were independent, divided by the actual
    /// variance.
    fn variance_ratio(&self) -> Option<f64> {
        let (sum, squares, matches) = self.of_matches;
        let (_, of_rounds) = self.test.pairs().mean_and_variance()?;
        let of_one = squares / matches - (sum / matches).powi(2);
        let per_round = matches / self.test.pairs().len() as f64;
        Some(of_one / per_round / of_rounds)
    }
}

/// What a seat is compared by: its gain, and whether it lost by a fault.
fn merit(objective: Objective, outcome: &Outcome, seat: usize) -> (f64, bool) {
    let at_fault = outcome.fault.as_ref().is_some_and(|fault| fault.seat.index() == seat);
    (objective.gain(outcome.scores[seat]), at_fault)
}

/// Counts the place that each seat of the candidate took in a match, the first at index 0.
fn count_places(objective: Objective, side: Side, outcome: &Outcome, places: &mut [u64]) {
    let seats = 0..outcome.scores.len();
    let merit = |seat: usize| merit(objective, outcome, seat);
    for own in seats.clone().filter(|seat| side.holds(*seat)) {
        let ahead = seats.clone().filter(|other| game_between(merit(*other), merit(own)).wins > 0);
        places[ahead.count()] += 1;
    }
}

/// By how much the candidate was behind in a match between rivals: the best of its opponents' gains
/// minus its own worst; infinite if it forfeited. It is not behind those who did.
pub(super) fn find_margin(objective: Objective, side: Side, outcome: &Outcome) -> f64 {
    let fallen = outcome.fault.as_ref().map(|fault| fault.seat.index());
    let of = |own: bool| {
        let seats = (0..outcome.scores.len()).filter(move |seat| side.holds(*seat) == own);
        let seats = seats.filter(|seat| Some(*seat) != fallen);
        seats.map(|seat| objective.gain(outcome.scores[seat]))
    };
    match &outcome.fault {
        Some(fault) if side.holds(fault.seat.index()) => f64::INFINITY,
        _ => of(false).fold(f64::NEG_INFINITY, f64::max) - of(true).fold(f64::INFINITY, f64::min),
    }
}

/// The mean score of a match that one player has to itself.
pub(super) fn mean_score(outcome: &Outcome) -> f64 {
    outcome.scores.iter().sum::<f64>() / outcome.scores.len() as f64
}

/// The games between the candidate's seats and those of its opponent.
fn count_games(objective: Objective, side: Side, outcome: &Outcome) -> WinDrawLoss {
    let merit = |seat: usize| merit(objective, outcome, seat);
    let seats = 0..outcome.scores.len();
    let mut games = WinDrawLoss::default();
    for ours in seats.clone().filter(|seat| side.holds(*seat)) {
        for theirs in seats.clone().filter(|seat| !side.holds(*seat)) {
            games += game_between(merit(ours), merit(theirs));
        }
    }
    games
}

impl ComparisonConfig {
    /// The judgement of a candidate before its first round.
    pub(super) fn begin_judgement(&self) -> Result<Judgement, CompareError> {
        let game = &self.games[0];
        // The candidates share the risk of calling equal players different.
        let Risks { alpha, beta } = self.risks;
        let risks = Risks { alpha: alpha / self.candidates.len() as f64, beta };
        let test = match game.scoring() {
            Scoring::Independent => {
                Test::Scores { measure: self.score_measure()?, delta: self.delta }
            }
            Scoring::Adversarial => Test::Rivals {
                scale: self.scale,
                delta: self.difference_between_rivals()?,
                seats: game.seats(),
                references: self.references.len(),
            },
        };
        Ok(Judgement::new(game.objective(), risks, test))
    }

    fn difference_between_rivals(&self) -> Result<f64, CompareError> {
        let (least, most) = (sprt::DIFFERENCES.start(), sprt::DIFFERENCES.end());
        let wrong = |problem: String| Err(CompareError::Config(problem));
        match self.delta {
            None => wrong("rivals need a difference to look for: delta".to_owned()),
            Some(delta) if sprt::DIFFERENCES.contains(&delta) => Ok(delta),
            Some(delta) => wrong(format!(
                "delta {delta}: expected Elo points from {least} to {most}, such as 20"
            )),
        }
    }

    /// What is compared of independent scores, with the bound that the rules set.
    pub(super) fn score_measure(&self) -> Result<Measure, CompareError> {
        let wrong = |problem: String| Err(CompareError::Config(problem));
        let measure = match self.measure {
            ScoreMeasure::Chance => Measure::Chance,
            ScoreMeasure::Clipped => Measure::Clipped,
            ScoreMeasure::Median => Measure::Median,
            ScoreMeasure::Mean => {
                let mut limit = 0.0_f64;
                for game in &self.games {
                    match game.score_range() {
                        Some((low, high)) => limit = limit.max(high - low),
                        None => {
                            return wrong(format!(
                                "the rules do not bound scores on {}:{}, so nothing is certain \
                                 about their mean; compare by another measure",
                                game.name(),
                                game.scenario()
                            ));
                        }
                    }
                }
                Measure::Mean { limit }
            }
        };
        let most = match measure {
            Measure::Chance => 1.0,
            Measure::Mean { limit } => limit,
            Measure::Clipped | Measure::Median => f64::INFINITY,
        };
        match self.delta {
            Some(delta) if delta >= most => wrong(format!(
                "no difference is as large as {delta}: in this measure all are less than {most}; \
                 look for a smaller one, or compare by another measure"
            )),
            _ => Ok(measure),
        }
    }
}

impl Scores {
    fn count(&mut self, round: &[(Side, &Outcome)]) {
        let of_side = |side: Side| {
            let outcomes = round.iter().filter(move |(its, _)| *its == side);
            outcomes.map(|(_, outcome)| mean_score(outcome))
        };
        let ours = of_side(Side::All).next().expect("the candidate plays every round");
        let theirs: Vec<f64> = of_side(Side::None).collect();
        self.scores.push([ours, theirs.iter().sum::<f64>() / theirs.len() as f64]);
        let gain = |score: f64| self.objective.gain(score);
        let theirs: Vec<f64> = theirs.into_iter().map(gain).collect();
        for score in &theirs {
            self.seeds += game_between((gain(ours), false), (*score, false));
        }
        self.test.count(gain(ours), &theirs);
    }

    fn means(&self) -> [f64; 2] {
        [0, 1].map(|who| {
            self.scores.iter().map(|scores| scores[who]).sum::<f64>() / self.scores.len() as f64
        })
    }

    fn effect(&self) -> Effect {
        let [mean, reference_mean] = self.means();
        // Chances are of being better, whichever scores are better; points of the score keep their
        // sign.
        let reversed = self.objective == Objective::Minimize && self.measure != Measure::Chance;
        let interval = self.test.interval().map(|Interval { low, high }| match reversed {
            true => Interval { low: -high, high: -low },
            false => Interval { low, high },
        });
        let oriented = |value: f64| if reversed { -value } else { value };
        Effect::Scores {
            measure: self.measure,
            estimate: self.test.estimate().map(oriented),
            long_run: self.test.long_run().map(oriented),
            interval,
            bound: self.test.bound(),
            seeds: self.seeds,
            mean,
            reference_mean,
            difference: mean - reference_mean,
            difference_interval: self.difference_interval(),
        }
    }

    /// The interval of the mean difference; `None` with so few seeds that it would not hold.
    fn difference_interval(&self) -> Option<Interval> {
        let count = self.scores.len() as u64;
        let [mean, reference_mean] = self.means();
        let deviations =
            self.scores.iter().map(|[ours, theirs]| ours - theirs - mean + reference_mean);
        let variance = deviations.map(|one| one * one).sum::<f64>() / count as f64;
        (count >= LEAST_SEEDS)
            .then(|| anytime::mean_interval(count, mean - reference_mean, variance, self.alpha))
    }

    /// The variance of the difference if seeds were not shared, divided by the actual variance;
    /// `None` unless the mean is tested.
    fn variance_ratio(&self) -> Option<f64> {
        let Measure::Mean { .. } = self.measure else { return None };
        let [mean, reference_mean] = self.means();
        let sum =
            |of: &dyn Fn([f64; 2]) -> f64| self.scores.iter().map(|one| of(*one)).sum::<f64>();
        let apart =
            sum(&|[ours, theirs]| (ours - mean).powi(2) + (theirs - reference_mean).powi(2));
        let paired = sum(&|[ours, theirs]| (ours - theirs - mean + reference_mean).powi(2));
        (self.scores.len() > 1).then_some(apart / paired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    #[test]
    fn successive_seeds_that_resemble_each_other_are_noticed_and_others_are_not() {
        let noticed = |share: f64| {
            let runs = (0..200).filter(|run| {
                let mut rng = Rng::from_seed(*run);
                let mut last = 0.0;
                let results = (0..100).map(|_| {
                    last = if rng.chance(share) { last } else { rng.unit() };
                    last
                });
                find_correlation(&results.collect::<Vec<_>>(), 1).is_some()
            });
            runs.count()
        };
        assert!(noticed(0.0) <= 4, "{}", noticed(0.0));
        assert!(noticed(0.6) >= 190, "{}", noticed(0.6));
        // Scenarios that differ say nothing about seeds.
        let alternating: Vec<f64> = (0..100).map(|round| f64::from(round % 4)).collect();
        assert_eq!(find_correlation(&alternating, 4), None);
    }
}
