//! The judgement of one candidate's rounds: points and scores are put into the tests, and the
//! answer is read from them.

use std::collections::BTreeMap;

use quintain_core::{Objective, Outcome, Scoring};
use quintain_standings::game_between;
use quintain_stats::{
    DifferenceTest, Interval, Measure, Risks, ThreeWayTest, Verdict, WinDrawLoss, elo,
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

/// The running judgement of one candidate.
pub(super) enum Judgement {
    Rivals(Rivals),
    Scores(Scores),
}

pub(super) struct Rivals {
    objective: Objective,
    test: ThreeWayTest,
    /// For an interval that holds at whatever time one looks.
    sequence: DifferenceTest,
    games: WinDrawLoss,
    /// Rounds of two games: won and lost, and drawn both.
    split: [u64; 2],
    /// Sum and sum of squares of the score of a match, and their number.
    of_matches: (f64, f64, f64),
}

pub(super) struct Scores {
    objective: Objective,
    measure: Measure,
    test: DifferenceTest,
    /// The candidate's score and the references' mean, round by round.
    scores: Vec<[f64; 2]>,
    /// Against each reference: seeds on which the candidate scored better, the same, and worse.
    seeds: WinDrawLoss,
}

impl Judgement {
    pub(super) fn new(config: &ComparisonConfig) -> Result<Judgement, CompareError> {
        let game = &config.games[0];
        // The candidates share the risk of calling equal players different.
        let Risks { alpha, beta } = config.risks;
        let risks = Risks { alpha: alpha / config.candidates.len() as f64, beta };
        let objective = game.objective();
        if game.scoring() == Scoring::Independent {
            let measure = config.score_measure()?;
            let test = DifferenceTest::new(risks, measure, config.delta);
            let (scores, seeds) = (Vec::new(), WinDrawLoss::default());
            return Ok(Judgement::Scores(Scores { objective, measure, test, scores, seeds }));
        }
        let delta = config.delta.ok_or_else(|| {
            CompareError::Config("rivals need a difference to look for: delta".to_owned())
        })?;
        let (even, odd) = (game.seats().div_ceil(2), game.seats() / 2);
        let games = 2 * even * odd * config.references.len();
        Ok(Judgement::Rivals(Rivals {
            objective,
            test: ThreeWayTest::new(config.scale, delta, risks, games),
            // Twice the score of a round, minus one, lies between −1 and 1.
            sequence: DifferenceTest::new(risks, Measure::Mean { limit: 1.0 }, None),
            games: WinDrawLoss::default(),
            split: [0; 2],
            of_matches: (0.0, 0.0, 0.0),
        }))
    }

    /// The result of a candidate before its first round.
    pub(super) fn begin_result(&self, player: String) -> CandidateResult {
        let (evidence, decisive) = self.evidence();
        CandidateResult {
            player,
            verdict: None,
            unvarying: false,
            rounds: 0,
            matches: 0,
            faults: 0,
            reference_faults: 0,
            fault_kinds: BTreeMap::new(),
            reference_fault_kinds: BTreeMap::new(),
            effect: Effect::Unknown,
            unpaired: None,
            evidence,
            decisive,
            history: Vec::new(),
        }
    }

    /// Counts a round of the candidate: which seats it held in each match, and the outcomes.
    pub(super) fn count(&mut self, round: &[(Side, &Outcome)], compared: &mut CandidateResult) {
        for (side, outcome) in round {
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
        compared.verdict = match self {
            Judgement::Rivals(rivals) => rivals.count(round),
            Judgement::Scores(scores) => scores.count(round),
        };
        let due = compared.history.last().is_none_or(|(last, ..)| {
            compared.rounds * EVERY_SHARE >= last * (EVERY_SHARE + 1) || compared.rounds <= EVERY
        });
        if due || compared.verdict.is_some() {
            let ([better, worse], _) = self.evidence();
            compared.history.push((compared.rounds, better, worse));
        }
    }

    /// The natural logarithm of the evidence for better and for worse, and what it must reach.
    pub(super) fn evidence(&self) -> ([f64; 2], f64) {
        match self {
            Judgement::Rivals(rivals) => rivals.test.evidence(),
            Judgement::Scores(scores) => scores.test.evidence(),
        }
    }

    /// Completes the result at the end.
    pub(super) fn finish(&self, mut compared: CandidateResult) -> CandidateResult {
        let none = compared.rounds == 0;
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
    fn count(&mut self, round: &[(Side, &Outcome)]) -> Option<Verdict> {
        let mut all = WinDrawLoss::default();
        for (side, outcome) in round {
            let of_match = count_games(self.objective, *side, outcome);
            let score = of_match.share().unwrap_or(0.5);
            self.of_matches.0 += score;
            self.of_matches.1 += score * score;
            self.of_matches.2 += 1.0;
            all += of_match;
        }
        self.games += all;
        if (all.games(), all.wins, all.losses) == (2, 1, 1) {
            self.split[0] += 1;
        } else if (all.games(), all.draws) == (2, 2) {
            self.split[1] += 1;
        }
        let score = all.share().unwrap_or(0.5);
        self.sequence.add(score, &[1.0 - score]);
        self.test.add((2 * all.wins + all.draws) as usize)
    }

    fn effect(&self) -> Effect {
        let pairs = self.test.pairs();
        let [wl, dd] = self.split;
        let pentanomial = match *pairs.counts() {
            [ll, ld, _, wd, ww] => Some([ll, ld, wl, dd, wd, ww]),
            _ => None,
        };
        let as_elo = |difference: f64| elo::difference_at_score((1.0 + difference) / 2.0);
        Effect::Rivals {
            games: self.games,
            rounds: pairs.counts().to_vec(),
            pentanomial,
            elo: pairs.elo().map(|(elo, _)| elo),
            elo_fixed: pairs.elo_plus_minus(),
            normalised_fixed: pairs.normalised_elo(),
            interval: self.sequence.interval().map(|interval| Interval {
                low: as_elo(interval.low),
                high: as_elo(interval.high),
            }),
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

/// The games between the candidate's seats and those of its opponent.
fn count_games(objective: Objective, side: Side, outcome: &Outcome) -> WinDrawLoss {
    let merit = |seat: usize| {
        let at_fault = outcome.fault.as_ref().is_some_and(|fault| fault.seat.index() == seat);
        (objective.gain(outcome.scores[seat]), at_fault)
    };
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
    /// What is compared of independent scores, with the bound that the rules set.
    fn score_measure(&self) -> Result<Measure, CompareError> {
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
    fn count(&mut self, round: &[(Side, &Outcome)]) -> Option<Verdict> {
        let of_side = |side: Side| {
            let outcomes = round.iter().filter(move |(its, _)| *its == side);
            outcomes.map(|(_, outcome)| {
                outcome.scores.iter().sum::<f64>() / outcome.scores.len() as f64
            })
        };
        let ours = of_side(Side::All).next().expect("the candidate plays every round");
        let theirs: Vec<f64> = of_side(Side::None).collect();
        self.scores.push([ours, theirs.iter().sum::<f64>() / theirs.len() as f64]);
        let gain = |score: f64| self.objective.gain(score);
        let theirs: Vec<f64> = theirs.into_iter().map(gain).collect();
        for score in &theirs {
            self.seeds += game_between((gain(ours), false), (*score, false));
        }
        self.test.add(gain(ours), &theirs)
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
        let estimate = self.test.estimate().map(|value| if reversed { -value } else { value });
        Effect::Scores {
            measure: self.measure,
            estimate,
            interval,
            bound: self.test.bound(),
            seeds: self.seeds,
            mean,
            reference_mean,
            difference: mean - reference_mean,
        }
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
