//! Grades: the ladder as a table for spreadsheets.

use crate::error::HostError;
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

/// A row for each participant, those without a version on the ladder last. Cells that a spreadsheet
/// would take for a formula cannot be: names have letters, digits, `-` and `_` alone and no `-` first.
pub(crate) fn csv(ladder: &[Rung], participants: &[Participant]) -> Result<String, HostError> {
    let head =
        ["rank", "name", "version", "measure", "low", "high", "matches", "faults", "submitted"];
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let rungs = ladder.iter().map(|rung| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(rung.version.at as u64);
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
        ]
    });
    let absent = participants.iter().filter(|who| {
        !who.is_house
            && !who.is_organiser
            && !ladder.iter().any(|rung| rung.version.participant == who.id)
    });
    let absent = absent.map(|who| {
        let note = if who.is_banned { "banned" } else { "" };
        ["", &who.name, note, "", "", "", "0", "0", ""].map(str::to_owned).to_vec()
    });
    table(&head, rungs.chain(absent))
}
