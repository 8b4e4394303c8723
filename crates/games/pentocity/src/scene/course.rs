//! What made the score of a match, in words: what was built, and which rejections ended it.

use crate::rules::Pentocity;
use crate::rules::pieces::Piece;
use crate::rules::state::{Move, State};

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

/// Says what was built where and what was laid with it, or what was asked for. Rows and columns
/// are counted from 1, as people do; the notation counts them from 0.
pub(super) fn tell(after: &State, action: &Move) -> String {
    let build = match action {
        Move::Reject => return "rejects the building".to_owned(),
        Move::Ask(piece) => return format!("asks for a {}", name(*piece)),
        Move::Build(build) => build,
    };
    let built = after.history.buildings().last().map_or("a building".to_owned(), |last| {
        let bonus = match last.bonus {
            0 => String::new(),
            points => format!(" with a bonus of {points}"),
        };
        format!("a {}{bonus}", name(last.piece))
    });
    let laid = [("road", &build.road), ("water", &build.water), ("park", &build.park)];
    let laid = laid.iter().filter(|(_, cells)| !cells.is_empty()).map(|(what, cells)| {
        let noun = if cells.len() == 1 { "cell" } else { "cells" };
        format!("{} {noun} of {what}", cells.len())
    });
    let laid: Vec<String> = laid.collect();
    let laid = match laid.as_slice() {
        [] => String::new(),
        [one] => format!("; lays {one}"),
        [first @ .., last] => format!("; lays {} and {last}", first.join(", ")),
    };
    format!("builds {built} at row {}, column {}{laid}", build.at.row + 1, build.at.col + 1)
}

/// A building in words: “residence of shape L”, “3×4 factory”.
pub(super) fn name(piece: Piece) -> String {
    let shape = piece.shape();
    match piece.is_factory() {
        true => format!("{}×{} factory", shape.height, shape.width),
        false => {
            let text = piece.to_string();
            format!("residence of shape {}", text.trim_end_matches(char::is_numeric))
        }
    }
}

/// What the figures of a match are called.
pub(super) const FIGURES: &[(&str, &str)] = &[
    ("residences", "residences"),
    ("factories", "factories"),
    ("bonuses", "bonuses for ponds and fields"),
    ("road cells", "cells of road"),
    ("water cells", "cells of water"),
    ("park cells", "cells of park"),
    ("utility of water/park cells", "bonus points for each cell of water or park"),
    ("empty cells", "empty cells left"),
    ("rejections", "buildings rejected"),
];
