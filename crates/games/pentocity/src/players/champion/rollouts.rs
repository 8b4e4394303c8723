//! Moves judged by playing on: the best few are each followed by the same drawn requests,
//! answered greedily. Near the end, where the land is nearly full, that goes on to the
//! third rejection, points are counted, and rejecting is one of the moves; before, it is
//! a few requests, and the greedy worth is summed. What is drawn are forecasts
//! ([`super::guess`]).

use quintain_core::Rng;

use super::guess::{self, Guess};
use super::rank::Ranked;
use super::view::{SCALE, View};
use super::weights::Weights;
use super::{Choice, choose};
use crate::Form;
use crate::land::Land;
use crate::rules::{Move, REJECTIONS, Ruleset, State};

/// How moves are judged.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Moves judged.
    pub(super) moves: usize,
    /// Futures drawn.
    pub(super) futures: usize,
    /// Placements completed for each request of a future.
    pub(super) candidates: usize,
    /// Requests after which a future ends.
    pub(super) length: usize,
    /// How futures are judged.
    pub(super) by: Judged,
}

/// How a move and its futures are judged.
#[derive(Clone, Copy)]
pub(super) enum Judged {
    /// By the points earned; and so many times by the greedy worth of the move.
    Points(f32),
    /// By the greedy worth of the move, and so many times of those that follow. A move is
    /// worth something for what it makes possible and what follows for making use of it,
    /// so that their whole sum counts that twice.
    Worth(f32),
}

/// What a rejection costs, in points, where the greedy worth is summed.
const REJECTED: f32 = 20.0;

/// The best of the moves offered (the greedy worth and the building, the best first), or
/// a rejection.
#[expect(clippy::too_many_arguments, reason = "a view, scratch room, and the question")]
pub(super) fn judge(
    view: &mut View,
    scratch: &mut Vec<Ranked>,
    weights: &Weights,
    guess: Guess,
    state: &State,
    scoring: Ruleset,
    plan: Plan,
    offered: Vec<Choice>,
    rng: &mut Rng,
) -> Move {
    let requests = state.requests() as usize;
    let futures: Vec<Vec<Form>> = (0..plan.futures)
        .map(|_| {
            let mut drawn = Vec::new();
            for later in 1..=plan.length {
                drawn.push(guess::forecast(guess, state.seen(), requests + later).draw(rng));
            }
            drawn
        })
        .collect();
    let mut moves: Vec<(f32, Move)> = offered
        .into_iter()
        .take(plan.moves)
        .map(|(worth, build)| (worth as f32 / SCALE, Move::Build(build)))
        .collect();
    if matches!(plan.by, Judged::Points(_)) && state.rejections() + 1 < REJECTIONS {
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
            let own = play_on(view, scratch, weights, &after, future, scoring, plan.candidates);
            sum = (sum.0 + own.0, sum.1 + own.1);
        }
        let later = |sum: f32| sum / plan.futures as f32;
        let value = match plan.by {
            Judged::Points(trust) => points as f32 + later(sum.0 as f32) + trust * worth,
            Judged::Worth(share) => worth + share * later(sum.1),
        };
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, tried));
        }
    }
    best.map_or(Move::Reject, |(_, tried)| tried)
}

/// The points of a future, and the greedy worth of its moves.
fn play_on(
    view: &mut View,
    scratch: &mut Vec<Ranked>,
    weights: &Weights,
    from: &State,
    future: &[Form],
    scoring: Ruleset,
    candidates: usize,
) -> (u32, f32) {
    let mut state = from.clone();
    let (mut points, mut worth) = (0, 0.0);
    for &form in future {
        if state.is_over() {
            break;
        }
        state.ask(form);
        let land: Land = *state.land();
        view.follow(&land);
        let chosen = choose(view, scratch, weights, &state, scoring, candidates);
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
