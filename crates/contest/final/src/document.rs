//! What a contest publishes of its final besides the records.

use serde::{Deserialize, Serialize};

use crate::schedule::ScenarioSeats;

/// The version of the document's form.
pub const DOCUMENT_FORMAT: u32 = 1;

/// What the module that verifies finals has among its bytes: of which version it is, and, by a
/// number that changes with them, how it answers the page.
pub const VERIFIER_MARK: &str =
    concat!("[the verifier of finals of quintain ", env!("CARGO_PKG_VERSION"), ", answers 3]");

/// All that determines a final, and its result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FinalDocument {
    /// [`DOCUMENT_FORMAT`] when it was written.
    pub format: u32,
    /// The contest's name.
    pub contest: String,
    /// The game's name.
    pub game: String,
    /// The digest of the secret, which was shown before the final.
    pub commitment: String,
    /// The secret from which all seeds follow.
    pub secret: String,
    /// The number of rounds.
    pub rounds: u64,
    /// The scenarios, in the order of the schedule.
    pub scenarios: Vec<FinalScenario>,
    /// The programs, in the order of the schedule.
    pub players: Vec<FinalPlayer>,
    /// The result, the best first.
    pub standings: Vec<FinalRank>,
}

/// A scenario of a final.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FinalScenario {
    /// Its text, in which `{seed}` may take the place of a number.
    pub text: String,
    /// The number of its seats.
    pub seats: usize,
}

/// A program of a final.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FinalPlayer {
    /// Its number in the contest.
    pub id: i64,
    /// The player that records name, such as `bot:ada.2`.
    pub player: String,
    /// Its name for people. No record has it, so it is only what the host says.
    pub label: String,
    /// The digest of the files that were submitted; none for a built-in player. No record has it,
    /// so it is only what the host says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// A row of the result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FinalRank {
    /// The program's number in the contest.
    pub id: i64,
    /// The rank.
    pub rank: u64,
    /// The best and the worst rank that it may truly have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely: Option<(u64, u64)>,
    /// The rating, or the mean rank where everybody plays alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<f64>,
}

/// What a page shows of a final, as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShownFinal {
    /// The digest of the secret.
    pub commitment: String,
    /// The result, the best first: the rank, the likely ranks, the player that the records name,
    /// the rating or the mean rank, and last, what the host calls the player.
    pub standings: Vec<Vec<String>>,
    /// The programs that were submitted: the player that the records name, and what the host says
    /// of it, its name and its digest.
    pub programs: Vec<Vec<String>>,
}

impl FinalDocument {
    /// Returns what a page shows of it; so a page can be compared with what was verified.
    pub fn shown(&self) -> ShownFinal {
        let none = || "–".to_owned();
        let named = |id: i64| {
            let player = self.players.iter().find(|player| player.id == id);
            let names = player.map(|player| (player.player.clone(), player.label.clone()));
            names.unwrap_or_else(|| (none(), none()))
        };
        let row = |said: &FinalRank| {
            let likely = match said.likely {
                Some((best, worst)) if best == worst => best.to_string(),
                Some((best, worst)) => format!("{best}–{worst}"),
                None => none(),
            };
            let measure = said.measure.map_or_else(none, |measure| format!("{measure:.2}"));
            let (player, label) = named(said.id);
            vec![said.rank.to_string(), likely, player, measure, label]
        };
        let program = |player: &FinalPlayer| {
            Some(vec![player.player.clone(), player.label.clone(), player.digest.as_ref()?.clone()])
        };
        ShownFinal {
            commitment: self.commitment.clone(),
            standings: self.standings.iter().map(row).collect(),
            programs: self.players.iter().filter_map(program).collect(),
        }
    }

    /// The scenarios as the schedule takes them.
    pub(crate) fn scenario_seats(&self) -> Vec<ScenarioSeats> {
        self.scenarios.iter().map(|scenario| (scenario.text.clone(), scenario.seats)).collect()
    }
}
