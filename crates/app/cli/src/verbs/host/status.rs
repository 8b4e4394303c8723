//! `quintain host status`: the state of a contest, in a few lines or as JSON.

use std::io::Write;
use std::path::Path;

use quintain_core::Catalog;
use quintain_host::admin::{
    self, ContestStatus, DiskUse, MatchCounts, MatchPlayers, VersionCounts,
};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;

/// The format of the answer.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Lines of text
    Text,
    /// One JSON object
    Json,
}

pub(super) fn write(
    folder: &Path,
    format: Format,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let status = admin::status(folder, catalog)?;
    if format == Format::Json {
        let text = serde_json::to_string_pretty(&status).expect("a status has JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    let (name, game, phase) = (clean(&status.name), clean(&status.game), clean(&status.phase));
    let programs = if status.takes_programs { "programs are" } else { "no programs are" };
    let matches = match (status.is_paused, status.plays) {
        (true, _) => "the matches are paused",
        (false, true) => "matches are played",
        (false, false) => "no matches are played",
    };
    writeln!(out, "{name} ({game}), phase “{phase}”: {programs} accepted, {matches}")?;
    writeln!(out, "{}", describe_host(&status))?;
    if let Some(trouble) = &status.trouble {
        writeln!(out, "it does not go on, since {}: {}", trouble.since, clean(&trouble.what))?;
    }
    let ContestStatus { participants, banned, teams, house, .. } = status;
    let teams = match teams {
        0 => String::new(),
        teams => format!("; {}", format_count(teams as usize, "team")),
    };
    writeln!(
        out,
        "participants: {participants}, of whom {banned} banned{teams}; {} of the house",
        format_count(house as usize, "player")
    )?;
    let VersionCounts { waiting, on_ladder, passed, refused, .. } = status.versions;
    writeln!(
        out,
        "versions: {on_ladder} on the ladder, {waiting} to be checked, {passed} others passed, \
         {refused} did not pass"
    )?;
    let MatchCounts { ladder, finals, challenges, under_way, waiting, last_minute, .. } =
        status.matches;
    let planned = status.planned_finals.map_or(String::new(), |all| format!(" (of {all})"));
    writeln!(
        out,
        "matches: {ladder} of the ladder, {finals}{planned} of the final, {challenges} challenges; \
         {under_way} under way, {waiting} requested"
    )?;
    writeln!(out, "matches that ended in the last minute: {last_minute}")?;
    let DiskUse { database, records, submissions, .. } = status.disk;
    let mega = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let (database, records, files) = (mega(database), mega(records), mega(submissions));
    Ok(writeln!(out, "disk: {database} of results, {records} of records, {files} of programs")?)
}

/// Describes who runs the contest, and who plays its matches.
fn describe_host(status: &ContestStatus) -> String {
    let Some(process) = status.served_by else { return "it is not being served".to_owned() };
    let by = if process == 0 { String::new() } else { format!(" by process {process}") };
    let Some(MatchPlayers { threads, server, workers, .. }) = &status.players else {
        return format!("served{by}");
    };
    let threads = format_count(*threads as usize, "thread");
    match (server, workers) {
        (None, _) => format!("served{by}, with {threads} for checks and matches"),
        (Some(server), None) => {
            format!(
                "served{by}; matches wait for workers at {server}, which has not been reached yet"
            )
        }
        (Some(server), Some(workers)) => {
            let workers = format_count(*workers as usize, "worker");
            format!(
                "served{by}, with {threads} for checks; {workers} seen at {server} in the last \
                 half minute"
            )
        }
    }
}
