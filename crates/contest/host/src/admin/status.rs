//! The state of a contest: what it does, who plays its matches, and what it needs of the disk.

use std::path::Path;

use quintain_core::Catalog;
use serde::Serialize;

use super::open;
use crate::contest::{HIDDEN_STORE, STORE, find_holder, phase_now};
use crate::disk::size_below;
use crate::error::HostError;
use crate::finals;
use crate::program::TREES;
use crate::state::{self, MatchCounts, Participant, State, VersionCounts, time_of};

/// Settings under which a running host records its threads, the server at which workers get their
/// matches, and how many workers it has heard of there.
pub(crate) const THREADS: &str = "threads";
pub(crate) const SERVER: &str = "server";
pub(crate) const WORKERS: &str = "workers at the server";

/// The state of a contest.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ContestStatus {
    /// The name of the contest.
    pub name: String,
    /// The game.
    pub game: String,
    /// The current phase.
    pub phase: String,
    /// Whether programs are accepted.
    pub takes_programs: bool,
    /// Whether matches are played, for the ladder or for the final.
    pub plays: bool,
    /// Whether the organiser has paused the matches.
    pub is_paused: bool,
    /// The process that runs the contest, if there is one.
    pub served_by: Option<u32>,
    /// What keeps the contest from going on.
    pub trouble: Option<StatusTrouble>,
    /// Who plays its matches, as reported by the process that runs it.
    pub players: Option<MatchPlayers>,
    /// Invited participants, without the organiser.
    pub participants: u64,
    /// How many of them are banned.
    pub banned: u64,
    /// Teams.
    pub teams: u64,
    /// House players.
    pub house: u64,
    /// Versions submitted by participants who are not banned.
    pub versions: VersionCounts,
    /// Matches.
    pub matches: MatchCounts,
    /// Matches of the final's schedule, once it has begun.
    pub planned_finals: Option<u64>,
    /// Disk use, in bytes.
    pub disk: DiskUse,
}

/// What keeps a contest from going on, such as a full disk.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StatusTrouble {
    /// Since when, in the contest's time zone.
    pub since: String,
    /// What it is.
    pub what: String,
}

/// Who plays the matches of a contest that is being served.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MatchPlayers {
    /// Threads of the host; they check programs, and also play matches if there are no workers.
    pub threads: u64,
    /// The server at which workers get their matches, if there is one.
    pub server: Option<String>,
    /// Workers heard of there in the last half minute, if the server could be reached.
    pub workers: Option<u64>,
}

/// The disk space that a contest uses, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct DiskUse {
    /// The database: participants, and the matches that count.
    pub database: u64,
    /// The records of matches.
    pub records: u64,
    /// Programs as they were submitted and built.
    pub submissions: u64,
}

/// Returns the state of a contest, whether it is being served or not.
///
/// # Errors
/// As [`super::users`].
pub fn status(folder: &Path, catalog: &Catalog) -> Result<ContestStatus, HostError> {
    let (config, state) = open(folder, catalog)?;
    let phase = phase_now(&config, &state)?;
    let participants = state.participants()?;
    let count = |which: &dyn Fn(&Participant) -> bool| {
        participants.iter().filter(|who| which(who)).count() as u64
    };
    let holder = find_holder(folder)?;
    let served_by = holder.as_ref().map(|holder| holder.process);
    let trouble = holder
        .and_then(|holder| holder.trouble)
        .map(|(since, what)| StatusTrouble { since: config.zone.write(time_of(since)), what });
    let (matches, planned_finals) = (state.count_matches()?, finals::planned(&state)?);
    let is_over = finals::is_published(&state)?;
    Ok(ContestStatus {
        phase: phase.name.clone(),
        takes_programs: phase.takes_programs(),
        plays: phase.has_ladder() || phase.rounds.is_some() && !is_over,
        is_paused: state.is_paused()?,
        // Reports by a process that has ended are out of date.
        players: served_by.map(|_| match_players(&state)).transpose()?,
        served_by,
        trouble,
        participants: count(&Participant::is_graded),
        banned: count(&|who| who.is_banned && !who.is_team),
        teams: count(&|who| who.is_team && who.merged.is_none()),
        house: count(&|who| who.is_house && !who.is_copy() && who.active.is_some()),
        versions: state.count_by_stage()?,
        matches,
        planned_finals,
        disk: {
            let (database, records) = size_of_databases(folder);
            DiskUse { database, records, submissions: size_below(&folder.join(TREES)) }
        },
        name: config.name,
        game: config.game,
    })
}

/// Returns what the process that runs the contest has recorded about who plays.
fn match_players(state: &State) -> Result<MatchPlayers, HostError> {
    let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
    Ok(MatchPlayers {
        threads: number(state.setting(THREADS)?).unwrap_or(0),
        server: state.setting(SERVER)?.filter(|server| !server.is_empty()),
        workers: number(state.setting(WORKERS)?),
    })
}

/// Returns the sizes in bytes of a contest's database and of its store of records.
pub(crate) fn size_of_databases(folder: &Path) -> (u64, u64) {
    let records = [STORE, HIDDEN_STORE].map(|store| size_of_database(folder, store));
    (size_of_database(folder, state::FILE), records.iter().sum())
}

/// Returns a database's size in bytes, including what is not in its main file yet.
fn size_of_database(folder: &Path, name: &str) -> u64 {
    let files = [name.to_owned(), format!("{name}-wal")];
    let size = |file: &String| folder.join(file).metadata().map_or(0, |data| data.len());
    files.iter().map(size).sum()
}
