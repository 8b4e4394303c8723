//! Judges moves by playing on: each of the best few moves is followed by the same drawn requests,
//! answered greedily. Using the same requests for all moves removes the luck of the draw from their
//! comparison (common random numbers).
//!
//! A rollout has only a few requests, since the end is far away. To its points is added what the
//! land is still good for, by a learned value ([`super::value`]). Where there is none, there are
//! two regimes. Near the end, when the board is nearly full, a rollout goes on to the third
//! rejection and its points are counted; they are exact except that the answers are greedy.
//! Rejecting is then one of the moves, since a bad building may cost more than it earns. Earlier,
//! the greedy worth of a rollout's moves is summed, which shows how much room the move left for
//! others.
//!
//! Requests are drawn from forecasts ([`super::guess`]), never from the scenario's source.

use quintain_core::Rng;

use super::evaluators::Evaluators;
use super::greedy::{Choice, choose};
use super::guess::{FollowedRequests, Guess};
use super::plan;
use super::rank::RankedPlacement;
use super::tuned::tuned;
use super::value::BoardValue;
use super::view::SCALE;
use crate::Piece;
use crate::rules::state::{Move, REJECTIONS, Ruleset, State};

/// How moves are judged.
#[derive(Clone, Copy)]
pub(super) struct RolloutSettings<'v> {
    /// Moves judged.
    pub(super) moves: usize,
    /// Futures drawn.
    pub(super) futures: usize,
    /// Placements completed for each request of a future.
    pub(super) candidates: usize,
    /// Requests after which a future ends.
    pub(super) length: usize,
    /// The same, if the requests that follow are certain.
    pub(super) certain: usize,
    /// How moves and their futures are valued.
    pub(super) valuation: Valuation<'v>,
}

/// How a move and its futures are valued.
#[derive(Clone, Copy)]
pub(super) enum Valuation<'v> {
    /// By the points earned, plus the greedy worth of the move times this factor.
    Points(f32),
    /// By the greedy worth of the move, plus that of the moves that follow times this factor. A
    /// move has worth for what it makes possible, and the moves that follow for making use of it,
    /// so that the plain sum counts this twice.
    Worth(f32),
    /// By the points earned and the learned value of the land in the end, plus the greedy worth of
    /// all moves times a share: it knows details of the outline that the value does not.
    Learned(&'v BoardValue),
}

/// The best of the offered moves or a rejection. Moves are offered with their greedy worth, the
/// best first.
#[expect(clippy::too_many_arguments, reason = "a view, scratch room, and the question")]
pub(super) fn judge(
    evaluators: &mut Evaluators,
    scratch: &mut Vec<RankedPlacement>,
    (asked, guess): (&FollowedRequests, Guess),
    state: &State,
    scoring: Ruleset,
    settings: RolloutSettings<'_>,
    mut offered: Vec<Choice>,
    rng: &mut Rng,
) -> Move {
    // If the requests that follow are certain, one future is enough, and the effort goes into a
    // longer one, for fewer moves. A plan already says what comes far ahead.
    let is_certain = asked.is_certain(guess, settings.length);
    let (moves, count, length) = match settings.valuation {
        _ if !is_certain => (settings.moves, settings.futures, settings.length),
        Valuation::Worth(_) | Valuation::Learned(_) if !plan::is_strict(evaluators.common()) => {
            ((settings.moves - 1).max(1), 1, settings.certain)
        }
        _ => (settings.moves, 1, settings.length),
    };
    let futures: Vec<Vec<Piece>> = (0..count).map(|_| asked.draw(guess, length, rng)).collect();
    if let Valuation::Learned(value) = settings.valuation {
        offered = sort_by_value(value, state, scoring, offered);
    }
    let try_out = |worth: f32, answer: Move| {
        let mut after = state.clone();
        let points = after.answer(scoring, &answer);
        Trial { answer, worth, points, after, futures: 0, sum: Outcome::default() }
    };
    let mut trials: Vec<Trial> = offered
        .into_iter()
        .take(moves)
        .map(|(worth, build)| try_out(worth as f32 / SCALE, Move::Build(build)))
        .collect();
    if matches!(settings.valuation, Valuation::Points(_)) && state.rejections() + 1 < REJECTIONS {
        // A rejection has no worth itself: it counts as the worst of the others.
        let least = trials.iter().map(|trial| trial.worth).fold(f32::INFINITY, f32::min);
        trials.push(try_out(least, Move::Reject));
    }
    // Where the land is valued, by successive halving (Karnin et al. 2013).
    let rounds: &[(usize, usize)] = match settings.valuation {
        Valuation::Learned(_) => &tuned().rollouts.rounds,
        Valuation::Worth(_) | Valuation::Points(_) => &[(4, 1)],
    };
    let mut played = 0;
    for &(quarters, left) in rounds {
        let until = (count * quarters).div_ceil(4);
        for trial in &mut trials {
            for future in &futures[played..until] {
                let own = play_on(evaluators, scratch, &trial.after, future, scoring, settings);
                trial.sum.add(own);
                trial.futures += 1;
            }
        }
        played = until;
        let value = |trial: &Trial| trial.value(settings.valuation);
        trials.sort_by(|one, other| value(other).total_cmp(&value(one)));
        trials.truncate(left);
    }
    trials.into_iter().next().map_or(Move::Reject, |best| best.answer)
}

/// What came of one future, or of several together.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// The points earned.
    points: u32,
    /// The greedy worth of the moves.
    worth: f32,
    /// The learned value of the land in the end, if that counts.
    learned: f32,
}

impl Outcome {
    fn add(&mut self, other: Outcome) {
        self.points += other.points;
        self.worth += other.worth;
        self.learned += other.learned;
    }
}

/// A move that is tried out.
struct Trial {
    answer: Move,
    /// Its greedy worth.
    worth: f32,
    /// The points that it earns.
    points: u32,
    /// The position after it.
    after: State,
    /// The number of futures so far, and what came of them.
    futures: usize,
    sum: Outcome,
}

impl Trial {
    /// How good the move has turned out to be on average.
    fn value(&self, valuation: Valuation<'_>) -> f32 {
        let later = |sum: f32| sum / self.futures as f32;
        let points = self.points as f32 + later(self.sum.points as f32);
        match valuation {
            Valuation::Points(trust) => points + trust * self.worth,
            Valuation::Worth(share) => self.worth + share * later(self.sum.worth),
            Valuation::Learned(_) => {
                points
                    + later(self.sum.learned)
                    + tuned().rollouts.worth_share * (self.worth + later(self.sum.worth))
            }
        }
    }
}

/// The choices in the order of their points, the value of the land after them and a share of their
/// greedy worth; the best first.
fn sort_by_value(
    value: &BoardValue,
    state: &State,
    scoring: Ruleset,
    offered: Vec<Choice>,
) -> Vec<Choice> {
    let mut features = Vec::new();
    let mut valued: Vec<(f32, Choice)> = offered
        .into_iter()
        .map(|(worth, build)| {
            let mut after = state.clone();
            let points = after.answer(scoring, &Move::Build(build.clone()));
            let learned = value.evaluate(&after, scoring, &mut features);
            let worth_in_points = worth as f32 / SCALE;
            (
                points as f32 + learned + tuned().rollouts.worth_share * worth_in_points,
                (worth, build),
            )
        })
        .collect();
    valued.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    valued.into_iter().map(|(_, choice)| choice).collect()
}

/// Answers the requests of a future greedily.
fn play_on(
    evaluators: &mut Evaluators,
    scratch: &mut Vec<RankedPlacement>,
    from: &State,
    future: &[Piece],
    scoring: Ruleset,
    settings: RolloutSettings<'_>,
) -> Outcome {
    let mut state = from.clone();
    let mut outcome = Outcome::default();
    for &piece in future {
        if state.is_over() {
            break;
        }
        state.ask(piece);
        let chosen = choose(evaluators, scratch, &state, scoring, settings.candidates);
        let answer = match chosen.into_iter().next() {
            Some((value, build)) => {
                outcome.worth += value as f32 / SCALE;
                Move::Build(build)
            }
            None => {
                outcome.worth -= tuned().rollouts.rejected;
                Move::Reject
            }
        };
        outcome.points += state.answer(scoring, &answer);
    }
    if let Valuation::Learned(value) = settings.valuation {
        outcome.learned = value.evaluate(&state, scoring, &mut Vec::new());
    }
    outcome
}
