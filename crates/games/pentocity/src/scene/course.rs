//! What made the score of a match, in words: what was built, and which rejections ended it.

use crate::rules::Pentocity;
use crate::rules::state::State;

/// Describes what decided a match with these positions.
pub(super) fn describe(
    rules: &Pentocity,
    positions: &mut dyn Iterator<Item = State>,
) -> Option<String> {
    let mut rejected: Vec<usize> = Vec::new();
    let mut last: Option<State> = None;
    for (turn, state) in positions.enumerate() {
        if last.as_ref().is_some_and(|last| state.rejections() > last.rejections()) {
            rejected.push(turn);
        }
        last = Some(state);
    }
    let last = last?;
    let totals = last.totals();
    let count = |count: u16, one: &str, several: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    };
    let built = format!(
        "{} and {} were built",
        count(totals.residences, "residence", "residences"),
        count(totals.factories, "factory", "factories")
    );
    let turns: Vec<String> = rejected.iter().map(ToString::to_string).collect();
    let empty = last.board().empty().count();
    let end = match (last.is_over(), rejected.len()) {
        (true, _) => format!("the third rejection ended it with {empty} cells empty"),
        (false, 0) => "every request was built".to_owned(),
        (false, 1) => format!("the request of turn {} was rejected", turns[0]),
        (false, _) => format!("the requests of turns {} were rejected", turns.join(" and ")),
    };
    let par = rules
        .par()
        .map_or(String::new(), |par| format!("; {} points where {par} are par", totals.score));
    Some(format!("{built}; {end}{par}"))
}
