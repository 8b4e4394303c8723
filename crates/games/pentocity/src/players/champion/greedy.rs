//! The greedy choice: placements are ranked by the building alone, and the best of them are
//! completed and evaluated as whole moves.

use super::complete::{self, CompletionContext};
use super::evaluators::Evaluators;
use super::rank::{self, RankedPlacement, TouchValue};
use super::view::SCALE;
use crate::rules::state::{Build, Ruleset, State};

/// A building with its greedy worth.
pub(super) type Choice = (i32, Build);

/// The best placements of the request, completed with road, pond and field; the best first.
pub(super) fn choose(
    evaluators: &mut Evaluators,
    ranked: &mut Vec<RankedPlacement>,
    state: &State,
    scoring: Ruleset,
    candidates: usize,
) -> Vec<Choice> {
    let Some(request) = state.request() else { return Vec::new() };
    let (view, weights) = evaluators.of(request, state.board());
    let units = |name: &str| (weights.rest(name) * SCALE).round() as i32;
    let earns = scoring == Ruleset::Simulator || !request.is_factory();
    let bonus = if request.is_factory() { "factory-served" } else { "residence-served" };
    let touch =
        TouchValue { bonus: if earns { units(bonus) } else { 0 }, road: units("road-served") };
    let open = view.board().open();
    let context = CompletionContext::new(
        view.board(),
        &open,
        scoring,
        weights,
        request.is_factory(),
        state.request_counts(),
    );
    rank::best(view, &open, request, scoring, touch, candidates, ranked);
    let completed = ranked.iter().filter_map(|ranked| complete::complete(view, &context, ranked));
    let mut choices: Vec<Choice> = completed.collect();
    choices.sort_by_key(|(worth, _)| -worth);
    choices
}
