//! Judges moves by playing on: each of the best few moves is followed by the same drawn requests, answered
//! greedily. Using the same requests for all moves removes the luck of the draw from their comparison (common
//! random numbers).
//!
//! There are two regimes. Near the end, when the board is nearly full, a rollout goes on to the third
//! rejection and its points are counted; they are exact except that the answers are greedy. Rejecting is then
//! one of the moves, since a bad building may cost more than it earns. Earlier, the end is too far away: a
//! rollout has only a few requests, and the greedy worth of its moves is summed instead, which shows how much
//! room the move left for others.
//!
//! Requests are drawn from forecasts ([`super::guess`]), never from the scenario's source.

use quintain_core::Rng;

use super::evaluators::Evaluators;
use super::greedy::{Choice, choose};
use super::guess::{FollowedRequests, Guess};
use super::plan;
use super::rank::RankedPlacement;
use super::view::SCALE;
use crate::Piece;
use crate::rules::state::{Move, REJECTIONS, Ruleset, State};

/// How moves are judged.
#[derive(Clone, Copy)]
pub(super) struct RolloutSettings {
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
    pub(super) valuation: Valuation,
}

/// How a move and its futures are valued.
#[derive(Clone, Copy)]
pub(super) enum Valuation {
    /// By the points earned, plus the greedy worth of the move times this factor.
    Points(f32),
    /// By the greedy worth of the move, plus that of the moves that follow times this factor. A move has
    /// worth for what it makes possible, and the moves that follow for making use of it, so that the plain
    /// sum counts this twice.
    Worth(f32),
}

/// The cost of a rejection, in points, where the greedy worth is summed.
const REJECTED: f32 = 20.0;

/// The best of the offered moves or a rejection. Moves are offered with their greedy worth, the best first.
#[expect(clippy::too_many_arguments, reason = "a view, scratch room, and the question")]
pub(super) fn judge(
    evaluators: &mut Evaluators,
    scratch: &mut Vec<RankedPlacement>,
    (asked, guess): (&FollowedRequests, Guess),
    state: &State,
    scoring: Ruleset,
    settings: RolloutSettings,
    offered: Vec<Choice>,
    rng: &mut Rng,
) -> Move {
    // If the requests that follow are certain, one future is enough, and the effort goes into a longer one. A
    // plan already says what comes far ahead.
    let is_certain = asked.is_certain(guess, settings.length);
    let (count, length) = match settings.valuation {
        _ if !is_certain => (settings.futures, settings.length),
        Valuation::Worth(_) if !plan::is_strict(evaluators.common()) => (1, settings.certain),
        _ => (1, settings.length),
    };
    let futures: Vec<Vec<Piece>> = (0..count).map(|_| asked.draw(guess, length, rng)).collect();
    let mut moves: Vec<(f32, Move)> = offered
        .into_iter()
        .take(settings.moves)
        .map(|(worth, build)| (worth as f32 / SCALE, Move::Build(build)))
        .collect();
    if matches!(settings.valuation, Valuation::Points(_)) && state.rejections() + 1 < REJECTIONS {
        // A rejection has no worth of its own: it counts as the worst of the others.
        let least = moves.iter().map(|(worth, _)| *worth).fold(f32::INFINITY, f32::min);
        moves.push((least, Move::Reject));
    }
    let mut best: Option<(f32, Move)> = None;
    for (worth, tried) in moves {
        let mut after = state.clone();
        let points = after.answer(scoring, &tried);
        let mut sum = (0, 0.0);
        for future in &futures {
            let own = play_on(evaluators, scratch, &after, future, scoring, settings.candidates);
            sum = (sum.0 + own.0, sum.1 + own.1);
        }
        let later = |sum: f32| sum / futures.len() as f32;
        let value = match settings.valuation {
            Valuation::Points(trust) => points as f32 + later(sum.0 as f32) + trust * worth,
            Valuation::Worth(share) => worth + share * later(sum.1),
        };
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, tried));
        }
    }
    best.map_or(Move::Reject, |(_, tried)| tried)
}

/// The points of a future, and the greedy worth of its moves.
fn play_on(
    evaluators: &mut Evaluators,
    scratch: &mut Vec<RankedPlacement>,
    from: &State,
    future: &[Piece],
    scoring: Ruleset,
    candidates: usize,
) -> (u32, f32) {
    let mut state = from.clone();
    let (mut points, mut worth) = (0, 0.0);
    for &piece in future {
        if state.is_over() {
            break;
        }
        state.ask(piece);
        let chosen = choose(evaluators, scratch, &state, scoring, candidates);
        let answer = match chosen.into_iter().next() {
            Some((value, build)) => {
                worth += value as f32 / SCALE;
                Move::Build(build)
            }
            None => {
                worth -= REJECTED;
                Move::Reject
            }
        };
        points += state.answer(scoring, &answer);
    }
    (points, worth)
}
