//! The description beside the shards of a folder, for training on them: the game, and the shapes of
//! its encoding. The writer of the shards adds what it knows.

use quintain_core::Layout;
use serde_json::{Map, Value, json};

use crate::sight::{distinguished_seats, shape};

/// The description's file name in a folder.
pub(crate) const DESCRIPTION: &str = "self-play.json";

/// The data that all positions share.
pub(crate) struct Positions<'a> {
    pub(crate) game: &'a str,
    pub(crate) scenario: &'a str,
    pub(crate) encoding: &'a str,
    pub(crate) layout: &'a Layout,
    /// The least and the greatest utility, if there are any.
    pub(crate) range: Option<(f64, f64)>,
}

/// Describes positions: what all of them share, and `more`.
pub(crate) fn describe(positions: &Positions<'_>, more: Value) -> Value {
    let layout = positions.layout;
    let (board, planes) = shape(layout);
    let common = json!({
        "game": positions.game,
        "scenario": positions.scenario,
        "encoding": positions.encoding,
        "board": board,
        "planes": planes,
        "words": layout.is_words,
        "features": layout.features,
        "seats": distinguished_seats(layout),
        "actions": layout.actions,
        "cell_actions": layout.cell_actions,
        "range": positions.range,
    });
    let fields = [common, more].into_iter().filter_map(|value| match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(fields.flatten().collect::<Map<_, _>>())
}
