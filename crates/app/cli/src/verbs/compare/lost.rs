//! The matches that a candidate of a comparison lost worst, each with the command that shows it.

use std::path::Path;
use std::time::Duration;

use quintain_arena::compare::{Comparison, ComparisonConfig, LostMatch};
use quintain_core::{PlayerHandle, Scoring};
use quintain_scene::quote;
use quintain_store::RecordRow;

use crate::board::format_number;
use crate::failure::Failure;
use crate::sources;

/// A match to watch.
pub(super) struct Hint {
    pub(super) command: String,
    pub(super) what: String,
}

/// Returns the matches to watch of the first candidate. Where they cannot be played again the same
/// way, and no store keeps all matches, these are kept in the usual store.
pub(super) fn find(
    comparison: &Comparison,
    question: &ComparisonConfig,
    store: Option<&Path>,
) -> Result<Vec<Hint>, Failure> {
    // Of two players that play alike, neither is at fault.
    let candidate = comparison.candidates.first().filter(|candidate| !candidate.alike);
    let Some(candidate) = candidate else { return Ok(Vec::new()) };
    let lost = &candidate.lost;
    let mut players = question.candidates.iter().chain(&question.references);
    let is_kept = store.is_some()
        || !players.all(|player: &PlayerHandle| player.is_reproducible(&question.budget));
    if is_kept && store.is_none() && !lost.is_empty() {
        let rows: Vec<RecordRow> =
            lost.iter().map(|one| RecordRow::new(&one.record, Duration::ZERO)).collect();
        // A match that is there with another course is one of an earlier comparison; it stays.
        sources::open_store(&sources::store_path(None))?.insert(None, &rows)?;
    }
    let option = sources::store_option(store);
    let command = |one: &LostMatch| match is_kept {
        true => format!("quintain replay {}{option}", &one.record.id[..8]),
        false => play_again(one, comparison.scoring),
    };
    let what = |one: &LostMatch| describe(comparison, &candidate.player, one);
    Ok(lost.iter().map(|one| Hint { command: command(one), what: what(one) }).collect())
}

/// The command that plays a match again. Of seats that are no rivals, one player fills all.
fn play_again(LostMatch { record, .. }: &LostMatch, scoring: Scoring) -> String {
    let fixture = &record.fixture;
    let mut seats: Vec<String> = fixture.seats.iter().map(|seat| quote(seat)).collect();
    if scoring == Scoring::Independent && seats.iter().all(|seat| *seat == seats[0]) {
        seats.truncate(1);
    }
    let budget = match fixture.budget.to_string() {
        none if none.is_empty() => String::new(),
        budget => format!(" --budget {}", quote(&budget)),
    };
    format!(
        "quintain match {} {} --scenario {} --seed {}{budget}",
        fixture.game,
        seats.join(" "),
        quote(&fixture.scenario),
        fixture.seed
    )
}

fn describe(comparison: &Comparison, player: &str, one: &LostMatch) -> String {
    let LostMatch { record, margin, .. } = one;
    let scores = &record.outcome.scores;
    let fault = record.outcome.fault.as_ref().filter(|_| margin.is_infinite());
    match (fault, comparison.scoring) {
        (Some(fault), _) => format!("forfeited: {}", fault.fault.kind),
        (None, Scoring::Independent) => {
            let score = scores.iter().sum::<f64>() / scores.len() as f64;
            let (score, margin) = (format_number(score), format_number(*margin));
            format!("scored {score}, {margin} worse than the other")
        }
        (None, Scoring::Adversarial) => {
            let mut others: Vec<&str> = record.fixture.seats.iter().map(String::as_str).collect();
            others.retain(|other| *other != player);
            others.dedup();
            match others.is_empty() {
                true => "lost".to_owned(),
                false => format!("lost to {}", others.join(", ")),
            }
        }
    }
}
