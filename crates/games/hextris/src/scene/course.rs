//! What made the score of a match, in words: how many units came, and the lines that they removed.

use crate::rules::{Hextris, State};

/// Describes what decided a match with these positions.
pub(super) fn describe(
    rules: &Hextris,
    positions: &mut dyn Iterator<Item = State>,
) -> Option<String> {
    let mut last: Option<State> = None;
    let (mut most, mut turn_of_most) = (0, 0);
    for (turn, state) in positions.enumerate() {
        let removed = state.lines - last.as_ref().map_or(0, |last| last.lines);
        if removed > most {
            (most, turn_of_most) = (removed, turn);
        }
        last = Some(state);
    }
    let (last, instance) = (last?, rules.instance());
    let (came, all) = (last.came, instance.queue().len());
    let end = match instance.is_stuck(&last) {
        true => format!("There was no room for unit {came} of {all}"),
        false => format!("All {all} units were placed"),
    };
    let lines = match (last.lines, most) {
        (0, _) => "no line was removed".to_owned(),
        (1, _) => format!("1 line was removed, on turn {turn_of_most}"),
        (lines, 1) => format!("{lines} lines were removed, one at a time"),
        (lines, most) => {
            format!("{lines} lines were removed, {most} of them at once on turn {turn_of_most}")
        }
    };
    Some(format!("{end}; {lines}"))
}
