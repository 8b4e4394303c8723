//! The scale of values: thousandths of the logarithm of the odds that we win.
//!
//! 0 is an even game, 1 000 is 73 wins out of a hundred, 3 000 is 95. Guessed and proven values are
//! on the same scale, and no guess comes near a proven value.

use super::chambers::Evaluation;
use super::settings::tuned;

/// What a race that is certainly won is worth, with [`PROVEN_CELL`] more for each cell of the lead.
pub(crate) const PROVEN: i32 = 30_000;
pub(crate) const PROVEN_CELL: i32 = 100;

/// The largest value of a guess.
pub(crate) const SUREST: i32 = PROVEN / 2;

/// The value of an undecided position: the larger the room in which a lead can still be lost, the
/// less the lead says.
pub(crate) fn of_territories(evaluation: &Evaluation) -> i32 {
    let room = evaluation.room.max(1) as f32;
    limit((tuned().values.certainty * evaluation.worth as f32 / room.sqrt()) as i32)
}

/// The value of a guess that is on this scale already.
pub(super) fn of_guess(thousandths: f32) -> i32 {
    limit(thousandths as i32)
}

/// The value of a race with this lead in cells. While the lengths are only bounds, each cell of it
/// is worth `cell`.
pub(super) fn of_race(lead: i32, is_proven: bool, cell: i32) -> i32 {
    if is_proven {
        lead.signum() * PROVEN + PROVEN_CELL * lead
    } else {
        limit(lead.signum() * tuned().values.lead + cell * lead)
    }
}

/// The share of a win, in millionths, for a lead in worth divided by the square root of the room.
/// It follows an integer curve close to the logistic one, which is the same on all machines.
pub(super) fn share(lead: f32) -> i32 {
    let lead = (tuned().values.certainty * lead) as i64;
    (500_000 + 500_000 * lead / (lead.abs() + 2_000)) as i32
}

fn limit(guess: i32) -> i32 {
    guess.clamp(-SUREST, SUREST)
}
