//! Which turns of a long match are shown.

/// Number of turns whose value is shown; the JSON has more.
const TOLD: usize = 16;

/// Returns the numbers of the turns to show, of so many: spread over the whole match, including the
/// first and the last.
pub(super) fn spread(turns: usize) -> impl Iterator<Item = usize> {
    let count = turns.min(TOLD);
    (0..count).map(move |number| number * (turns - 1) / (count - 1).max(1))
}
