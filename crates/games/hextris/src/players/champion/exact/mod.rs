//! Small games, solved exactly. With phrases, every text that could matter is [spoken](texts);
//! without, only where units lock matters, so that [places] alone are tried. Large games are left
//! to beams.

mod places;
mod texts;

use quintain_core::Meter;

use crate::players::solver::SolverInput;

/// A game with more units to come times cells is not tried.
const LARGEST: usize = 2_000;

/// With this many units at most, and no phrases, boards are few enough to be worth half of the
/// meter.
const FEW_UNITS: usize = 3;

/// Returns a text that earns the most points that are possible from where the input starts; `None`
/// if that would take too large a part of the meter.
pub(super) fn solve_exactly(input: &SolverInput<'_>, meter: &mut Meter) -> Option<String> {
    let instance = input.instance;
    let board = instance.problem().board();
    let units = input.units_to_come();
    if units * board.cells() > LARGEST {
        return None;
    }
    let without_phrases = instance.phrases().is_empty();
    let mut part = meter.part(if without_phrases && units <= FEW_UNITS { 0.5 } else { 0.3 });
    let text = match without_phrases {
        true => places::solve_exactly(input, &mut part),
        false => texts::solve_exactly(input, &mut part),
    };
    meter.charge(part.spent());
    text
}
