//! Grades: the standings as a table for spreadsheets, and the table of a game's seats. Once there is a
//! final, they are those of the final.

use crate::contest::{Contest, lock};
use crate::error::HostError;
use crate::finals::{FinalResult, Finals};
use crate::ladder::Rung;
use crate::seats::SeatTable;
use crate::state::{Kind, Participant, Version, time_of};

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

/// Who stands where.
pub(crate) struct Standings {
    /// In the final, or on the ladder.
    pub(crate) kind: Kind,
    pub(crate) rungs: Vec<Rung>,
    /// The ranks that each may have in truth, in the order of the rungs; empty if that is not known.
    pub(crate) ranges: Vec<Option<(u64, u64)>>,
}

impl Standings {
    /// What is graded: the final, once there is one, else the ladder.
    pub(crate) fn of(contest: &Contest) -> Result<Standings, HostError> {
        let active = contest.state().active()?;
        let result = lock(&contest.finals).as_mut().map(Finals::result);
        Ok(match result {
            Some(FinalResult { rungs, ranges, .. }) => {
                Standings { kind: Kind::Final, rungs, ranges: ranges.unwrap_or_default() }
            }
            None => {
                let rungs = lock(&contest.ladder).standings(&active);
                Standings { kind: Kind::Ladder, rungs, ranges: Vec::new() }
            }
        })
    }

    /// What they are of.
    pub(crate) fn word(&self) -> &'static str {
        if self.kind == Kind::Final { "final" } else { "ladder" }
    }

    /// The ranks that the one at this place may have in truth.
    pub(crate) fn range(&self, place: usize) -> Option<(u64, u64)> {
        self.ranges.get(place).copied().flatten()
    }
}

/// Versions in a table by seat, at most: the first of the standings.
pub(crate) const MOST: usize = 60;

/// The table of a contest.
pub(crate) struct StandingsBySeat {
    /// In the order of the standings.
    pub(crate) versions: Vec<Version>,
    pub(crate) table: SeatTable,
    pub(crate) is_final: bool,
}

impl StandingsBySeat {
    /// Of the final, once there is one; else of the ladder.
    pub(crate) fn of(contest: &Contest) -> Result<StandingsBySeat, HostError> {
        let standings = Standings::of(contest)?;
        let is_final = standings.kind == Kind::Final;
        let versions: Vec<Version> =
            standings.rungs.into_iter().take(MOST).map(|rung| rung.version).collect();
        let table = match (is_final, &*lock(&contest.finals)) {
            (true, Some(finals)) => finals.seat_table(&versions),
            _ => lock(&contest.ladder).seat_table(&versions),
        };
        Ok(StandingsBySeat { versions, table, is_final })
    }
}

/// The grades of a contest as they are now.
pub(crate) fn of(contest: &Contest) -> Result<String, HostError> {
    csv(&Standings::of(contest)?, &contest.state().participants()?)
}

/// A row for everybody who plays, those of the house too, for ranks count them; then those who do
/// not play. Cells that a spreadsheet would take for a formula cannot be: names begin with a letter or
/// a digit.
fn csv(standings: &Standings, participants: &[Participant]) -> Result<String, HostError> {
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
    let (rungs, of) = (&standings.rungs, standings.word());
    let rows = rungs.iter().enumerate().map(|(place, rung)| {
        let who = participants.iter().find(|who| who.id == rung.version.participant);
        let range = standings.range(place);
        vec![
            rung.rank.to_string(),
            rung.version.name.clone(),
            rung.version.number.to_string(),
            number(rung.measure),
            number(rung.interval.map(|(low, _)| low)),
            number(rung.interval.map(|(_, high)| high)),
            rung.matches.to_string(),
            rung.faults.to_string(),
            humantime::format_rfc3339_seconds(time_of(rung.version.at)).to_string(),
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
