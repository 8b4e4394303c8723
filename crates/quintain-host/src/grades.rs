//! Grades: the standings as a table for spreadsheets. Once there is a final, they are those of the
//! final.

use crate::contest::{Contest, lock};
use crate::error::HostError;
use crate::finals::Finals;
use crate::ladder::Rung;
use crate::state::Participant;

/// A table with a head and rows.
pub(crate) fn table(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<String, HostError> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| HostError::Usage(format!("no table can be made: {error}"));
    out.write_record(head).map_err(failed)?;
    for row in rows {
        out.write_record(&row).map_err(failed)?;
    }
    let bytes = out.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The grades of a contest as they are now.
pub(crate) fn of(contest: &Contest) -> Result<String, HostError> {
    let (active, participants) = {
        let state = contest.state();
        (state.active()?, state.participants()?)
    };
    let result = lock(&contest.finals).as_mut().map(Finals::result);
    match result {
        Some(result) => {
            let ranges = result.ranges.unwrap_or_default();
            csv("final", &result.rungs, &ranges, &participants)
        }
        None => csv("ladder", &lock(&contest.ladder).standings(&active), &[], &participants),
    }
}

/// A row for everybody who plays, those of the house too, for ranks count them; then those who do
/// not play. Cells that a spreadsheet would take for a formula cannot be: names begin with a letter or
/// a digit.
fn csv(
    of: &str,
    rungs: &[Rung],
    ranges: &[Option<(u64, u64)>],
    participants: &[Participant],
) -> Result<String, HostError> {
    let head = [
        "rank",
        "name",
        "version",
        "measure",
        "low",
        "high",
        "matches",
        "faults",
        "submitted",
        "called",
        "is",
        "standings",
        "best_rank",
        "worst_rank",
    ];
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let whole = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let is = |who: &Participant| match () {
        () if who.is_banned => "banned",
        () if who.is_house => "house",
        () => "participant",
    };
    let rows = rungs.iter().enumerate().map(|(place, rung)| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(rung.version.at as u64);
        let who = participants.iter().find(|who| who.id == rung.version.participant);
        let range = ranges.get(place).copied().flatten();
        vec![
            rung.rank.to_string(),
            rung.version.name.clone(),
            rung.version.number.to_string(),
            number(rung.measure),
            number(rung.interval.map(|(low, _)| low)),
            number(rung.interval.map(|(_, high)| high)),
            rung.matches.to_string(),
            rung.faults.to_string(),
            humantime::format_rfc3339_seconds(at).to_string(),
            who.map_or("", |who| who.called.as_str()).to_owned(),
            who.map_or("", is).to_owned(),
            of.to_owned(),
            whole(range.map(|(best, _)| best)),
            whole(range.map(|(_, worst)| worst)),
        ]
    });
    let absent = participants.iter().filter(|who| {
        !who.is_house
            && !who.is_organiser
            && !rungs.iter().any(|rung| rung.version.participant == who.id)
    });
    let absent = absent.map(|who| {
        let cells = ["", &who.name, "", "", "", "", "0", "0", "", &who.called, is(who), of, "", ""];
        cells.map(str::to_owned).to_vec()
    });
    table(&head, rows.chain(absent))
}
