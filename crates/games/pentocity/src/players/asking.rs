//! How players make requests in a duel: as a source of requests does.

use quintain_core::Rng;

use crate::requests::{RequestHistory, RequestSource};
use crate::rules::state::{Move, Ruleset, State};

/// The request that a source makes in this position.
pub(super) fn ask(
    source: &dyn RequestSource,
    state: &State,
    scoring: Ruleset,
    rng: &mut Rng,
) -> Move {
    let history = RequestHistory { board: state.board(), totals: state.totals(), scoring };
    Move::Ask(source.next(&history, rng))
}
