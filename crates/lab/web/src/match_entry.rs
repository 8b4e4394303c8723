//! A match as lists and cards show it.

use quintain_store::MatchRow;
use serde::Serialize;

use crate::headline::MatchNumber;

/// A match that was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MatchEntry {
    pub(crate) id: String,
    /// Its number, if the site numbers its matches.
    #[serde(skip)]
    pub(crate) number: MatchNumber,
    pub(crate) game: String,
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    pub(crate) players: Vec<String>,
    pub(crate) scores: Vec<f64>,
    pub(crate) ending: String,
    pub(crate) truncated: bool,
    pub(crate) fault: Option<(usize, String)>,
    pub(crate) turns: u32,
    pub(crate) elapsed_us: u64,
    /// When it was stored, in milliseconds since 1970.
    pub(crate) played_at: i64,
    /// How remarkable it is, by the requested order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) measure: Option<f64>,
}

pub(crate) fn match_entry(row: &MatchRow, measure: Option<f64>) -> MatchEntry {
    MatchEntry {
        id: row.id.clone(),
        number: MatchNumber::None,
        game: row.game.clone(),
        scenario: row.scenario.clone(),
        seed: row.seed,
        players: row.players.to_vec(),
        scores: row.scores.clone(),
        ending: row.ending.clone(),
        truncated: row.truncated,
        fault: row.fault.clone(),
        turns: row.turns,
        elapsed_us: row.elapsed.as_micros() as u64,
        played_at: row.played_at,
        measure,
    }
}
