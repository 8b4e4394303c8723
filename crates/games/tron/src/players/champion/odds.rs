//! The scale of values: thousandths of the logarithm of the odds that we win.
//!
//! 0 is an even game, 1 000 is 73 wins of a hundred, 3 000 is 95. What is guessed and what is
//! proven are on the same scale, and no guess gets near what is proven.

use super::chambers::Evaluation;

/// A race that is won for sure is worth this, and [`PROVEN_CELL`] more for each cell of the lead.
pub(crate) const PROVEN: i32 = 30_000;
pub(crate) const PROVEN_CELL: i32 = 100;

/// The surest guess.
pub(crate) const SUREST: i32 = PROVEN / 2;

/// What any lead is worth in a race whose lengths are only bounded.
const LEAD: i32 = 500;

/// How much a difference of worth says, where it is divided by the square root of the room: by
/// logistic regression on 93 000 positions of 1 800 games of the champion against itself.
const CERTAINTY: f32 = 0.76;

/// The value of a position in which nothing is decided: a lead says the less the larger the room
/// is in which it can still be lost.
pub(crate) fn of_territories(evaluation: &Evaluation) -> i32 {
    let room = evaluation.room.max(1) as f32;
    limit((CERTAINTY * evaluation.worth as f32 / room.sqrt()) as i32)
}

/// The value of a guess that is on this scale already.
pub(super) fn of_guess(thousandths: f32) -> i32 {
    limit(thousandths as i32)
}

/// The value of a race with this lead in cells, each of which is worth `cell` while the lengths
/// are only bounds.
pub(super) fn of_race(lead: i32, is_proven: bool, cell: i32) -> i32 {
    if is_proven {
        lead.signum() * PROVEN + PROVEN_CELL * lead
    } else {
        limit(lead.signum() * LEAD + cell * lead)
    }
}

/// The share of a win that a lead in worth, divided by the square root of the room, stands for, in
/// millionths: by a curve of whole numbers, near the logistic one, that is the same on all machines.
pub(super) fn share(lead: f32) -> i32 {
    let lead = (CERTAINTY * lead) as i64;
    (500_000 + 500_000 * lead / (lead.abs() + 2_000)) as i32
}

fn limit(guess: i32) -> i32 {
    guess.clamp(-SUREST, SUREST)
}
