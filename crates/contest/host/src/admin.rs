//! The organiser's commands, which work whether or not the host is running: the database is read
//! again before every step.

use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use quintain_core::Catalog;
use quintain_store::Store;
use serde::Serialize;

use crate::class_list::CourseEntry;
use crate::config::{Config, Phase, list_remarks};
use crate::contest::{Contest, HIDDEN_STORE, ORGANISER, STORE, find_holder, phase_now};
use crate::disk::size_below;
use crate::error::{CONFIRM, HostError};
use crate::finals;
use crate::grades;
use crate::invitation::{find_person, shortened};
use crate::points::PointsTable;
use crate::program::TREES;
use crate::schedule::{PHASE, Schedule, describe_switch, find_phase, move_phase_by};
use crate::state::{self, BanResult, NO_PROGRAM, Participant, Progress, Stage, State, time_of};

pub use crate::state::{MatchCounts, VersionCounts};

/// Settings under which a running host records its threads, the server at which workers get their
/// matches, and how many workers it has heard of there.
pub(crate) const THREADS: &str = "threads";
pub(crate) const SERVER: &str = "server";
pub(crate) const WORKERS: &str = "workers at the server";

/// A participant, as the organiser sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct User {
    /// Their number in the contest.
    pub id: i64,
    /// Their name.
    pub name: String,
    /// The name that pages show.
    pub display_name: String,
    /// Organiser, banned, on the ladder, or how far they have come.
    pub is: &'static str,
    /// Whether they are the organiser.
    pub is_organiser: bool,
    /// Whether they are banned.
    pub is_banned: bool,
    /// How many versions they have handed in.
    pub versions: usize,
    /// The number of the version on the ladder.
    pub active: Option<i64>,
    /// What the course knows of them.
    pub course: CourseEntry,
    /// Until when they may hand in after the deadline.
    pub extended: Option<SystemTime>,
    /// Whether it is a team.
    pub is_team: bool,
    /// The team for which they play, by the name that pages show.
    pub team: Option<String>,
}

/// A phase of a contest.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PhaseState {
    /// Its name.
    pub name: String,
    /// When it begins, if it has a time.
    pub from: Option<SystemTime>,
    /// The same in the contest's time zone.
    pub from_text: Option<String>,
    /// Whether the organiser has moved it from where host.toml has it.
    pub is_moved: bool,
    /// Whether it begins only when it is chosen: it is not the first phase and has no time.
    pub begins_by_hand: bool,
    /// Whether programs are accepted.
    pub takes_programs: bool,
    /// Whether ladder matches are played.
    pub has_ladder: bool,
    /// The rounds of the final, if this phase is the final.
    pub rounds: Option<u64>,
    /// Whether it is the current phase.
    pub is_now: bool,
    /// Whether the organiser chose it, whatever the time.
    pub is_chosen: bool,
}

/// Opens the database of an existing contest.
fn open(folder: &Path, catalog: &Catalog) -> Result<(Config, State), HostError> {
    let config = Config::load(folder, catalog)?;
    Ok((config, State::open(folder)?))
}

/// Returns what an organiser should know about the contents of host.toml, one remark per line.
///
/// # Errors
/// If host.toml cannot be read.
pub fn remarks(folder: &Path, catalog: &Catalog) -> Result<Vec<String>, HostError> {
    let (config, state) = open(folder, catalog)?;
    let (schedule, now) = (Schedule::of(&config, &state)?, SystemTime::now());
    let has_begun = |phase: &Phase| schedule.time(phase).is_some_and(|at| at <= now);
    Ok(list_remarks(&config, has_begun, catalog))
}

/// Returns the participants, without the house players.
///
/// # Errors
/// If there is no contest, or its database cannot be read.
pub fn users(folder: &Path, catalog: &Catalog) -> Result<Vec<User>, HostError> {
    users_of(&open(folder, catalog)?.1)
}

pub(crate) fn users_of(state: &State) -> Result<Vec<User>, HostError> {
    let progress = state.list_progress()?.into_iter().map(|of| (of.participant, of));
    let progress: HashMap<i64, Progress> = progress.collect();
    let mut users = Vec::new();
    let all = state.participants()?;
    let names = all.iter().filter(|who| who.is_team);
    let teams: HashMap<i64, String> =
        names.map(|team| (team.id, team.display_name.clone())).collect();
    for who in all.into_iter().filter(|who| !who.is_house) {
        if who.merged.is_some() {
            continue;
        }
        let known = progress.get(&who.id);
        let is = match (who.role(), known.and_then(|known| known.latest)) {
            (NO_PROGRAM, Some(stage)) => describe_stage(stage),
            (role, _) => role,
        };
        users.push(User {
            id: who.id,
            is,
            is_organiser: who.is_organiser,
            is_banned: who.is_banned,
            versions: known.map_or(0, |known| known.versions as usize),
            active: known.and_then(|known| known.active),
            name: who.name,
            display_name: who.display_name,
            course: who.course,
            extended: who.extended.map(time_of),
            is_team: who.is_team,
            team: who.team.and_then(|team| teams.get(&team).cloned()),
        });
    }
    Ok(users)
}

/// Describes how far a participant without a program on the ladder has come, by the version they
/// handed in last.
pub(crate) fn describe_stage(latest: Stage) -> &'static str {
    match latest {
        Stage::Waiting | Stage::Checking => "being checked",
        Stage::Failed => "did not pass the check",
        Stage::Removed => "deleted",
        Stage::Passed => "passed, not on the ladder",
    }
}

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
    /// Versions handed in by participants who are not banned.
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
    /// Programs as they were handed in and built.
    pub submissions: u64,
}

/// Returns the state of a contest, whether it is being served or not.
///
/// # Errors
/// As [`users`].
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
    Ok(ContestStatus {
        phase: phase.name.clone(),
        takes_programs: phase.takes_programs(),
        plays: phase.has_ladder() || phase.rounds.is_some(),
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
        matches: state.count_matches()?,
        planned_finals: finals::planned(&state)?,
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

/// Returns the phases in order.
///
/// # Errors
/// As [`users`].
pub fn phases(folder: &Path, catalog: &Catalog) -> Result<Vec<PhaseState>, HostError> {
    let (config, state) = open(folder, catalog)?;
    phases_of(&config, &state)
}

pub(crate) fn phases_of(config: &Config, state: &State) -> Result<Vec<PhaseState>, HostError> {
    let chosen = state.setting(PHASE)?;
    let now = &phase_now(config, state)?.name;
    let schedule = Schedule::of(config, state)?;
    let of = |(at, phase): (usize, &Phase)| PhaseState {
        name: phase.name.clone(),
        from: schedule.time(phase),
        from_text: schedule.time(phase).map(|at| config.zone.write(at)),
        is_moved: schedule.time(phase) != phase.time(),
        begins_by_hand: at > 0 && schedule.time(phase).is_none(),
        takes_programs: phase.takes_programs(),
        has_ladder: phase.has_ladder(),
        rounds: phase.rounds,
        is_now: phase.name == *now,
        is_chosen: Some(&phase.name) == chosen.as_ref(),
    };
    Ok(config.phases.iter().enumerate().map(of).collect())
}

/// A phase that the organiser chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseChoice<'a> {
    /// Its name, or the beginning of its name; none to follow the times again.
    pub name: Option<&'a str>,
    /// Whether this may begin the final, which is played only once.
    pub begins_final: bool,
    /// Whether this may stop a final that is being played, or have the times reopen or close the
    /// submissions.
    pub is_confirmed: bool,
}

/// Makes this the phase from now on, whatever the time; or returns to what the times say.
///
/// # Errors
/// As [`users`]; also if there is no such phase, if it is the final, which has not begun and may
/// not, or if it wants to be confirmed.
pub fn choose_phase(
    folder: &Path,
    catalog: &Catalog,
    choice: PhaseChoice<'_>,
) -> Result<(), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    choose_phase_by(ORGANISER, &config, &mut state, choice)
}

/// Moves the begin of a phase to a time, or without one back to that of host.toml.
///
/// # Errors
/// As [`users`]; also if there is no such phase, that is no time, or phases would not be in the
/// order of their times; if it is a final that has begun, or would begin at once; and if another
/// phase would begin at once and that is not `confirmed`.
pub fn move_phase(
    folder: &Path,
    catalog: &Catalog,
    (name, to): (&str, Option<&str>),
    is_confirmed: bool,
) -> Result<(), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    move_phase_by(ORGANISER, &config, &mut state, (name, to), is_confirmed)
}

pub(crate) fn choose_phase_by(
    who: &str,
    config: &Config,
    state: &mut State,
    PhaseChoice { name, begins_final, is_confirmed }: PhaseChoice<'_>,
) -> Result<(), HostError> {
    let phase = match name {
        Some(name) => find_phase(config, name)?,
        None => Schedule::of(config, state)?.phase(SystemTime::now(), None),
    };
    if phase.rounds.is_some() && finals::planned(state)?.is_none() {
        let programs = state.active()?.iter().filter(|version| !version.is_house()).count();
        if programs == 0 {
            return Err(HostError::Usage(format!(
                "{:?} is the final, which is played once, and nobody's program is on the ladder \
                 yet",
                phase.name
            )));
        }
        if !begins_final {
            let programs =
                if programs == 1 { "1 program".to_owned() } else { format!("{programs} programs") };
            let what = format!(
                "{:?} is the final: it is played once, by the {programs} on the ladder and the \
                 house",
                phase.name
            );
            return Err(HostError::Unconfirmed { what, option: "begin" });
        }
    }
    confirm_switch(config, state, (name, phase), is_confirmed)?;
    match name {
        Some(_) => state.set(who, PHASE, Some(&phase.name), &format!("phase: {}", phase.name)),
        None => state.set(who, PHASE, None, "phases follow the clock"),
    }
}

/// Refuses to stop a final that is being played, unless that is confirmed; and also what the clock
/// does unseen when it decides again: accept programs, or no more.
fn confirm_switch(
    config: &Config,
    state: &State,
    (name, phase): (Option<&str>, &Phase),
    is_confirmed: bool,
) -> Result<(), HostError> {
    let before = phase_now(config, state)?;
    let effects = describe_switch(state, before, phase)?;
    let stops_final = effects.iter().any(|effect| effect.starts_with("the final"));
    if is_confirmed || effects.is_empty() || name.is_some() && !stops_final {
        return Ok(());
    }
    let what = match name {
        Some(_) => effects.join("; "),
        None => format!("by the times, the phase is {:?} now; {}", phase.name, effects.join("; ")),
    };
    Err(HostError::Unconfirmed { what, option: CONFIRM })
}

/// Undoes a final that is not over: its matches are deleted, the contest is in the phase before it,
/// and it can begin again, on other seeds. Returns how far it was, and the name of the phase.
///
/// # Errors
/// As [`users`]; also if no final has begun, its result is published, there is no phase before it,
/// or it is not `confirmed`.
pub fn undo_final(
    folder: &Path,
    catalog: &Catalog,
    is_confirmed: bool,
) -> Result<(FinalProgress, String), HostError> {
    let (config, mut state) = open(folder, catalog)?;
    undo_final_by(ORGANISER, &config, &mut state, &folder.join(STORE), is_confirmed)
}

pub(crate) fn undo_final_by(
    who: &str,
    config: &Config,
    state: &mut State,
    store: &Path,
    is_confirmed: bool,
) -> Result<(FinalProgress, String), HostError> {
    let refuse = |why: String| Err(HostError::Usage(why));
    let Some(progress) = final_progress_of(state)? else {
        return refuse("no final has begun".to_owned());
    };
    let FinalProgress { played, planned, .. } = progress;
    let published = || {
        refuse("the final is over: its result and its seeds are published, and it stays".to_owned())
    };
    if played >= planned {
        return published();
    }
    let at = config.phases.iter().position(|phase| phase.rounds.is_some());
    let Some(before) = at.and_then(|at| config.phases[..at].last()) else {
        return refuse("host.toml has no phase before the final: add one to return to".to_owned());
    };
    if !is_confirmed {
        let what = format!(
            "this deletes {played} of {planned} matches of the final and returns to the phase \
             {:?}; the final can begin again, on other seeds, and its page says that this one was \
             undone",
            before.name
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    let Some(records) = finals::undo(state, who, (PHASE, &before.name))? else {
        return published();
    };
    if store.exists() {
        Store::open(store)?.retract(&records)?;
    }
    Ok((progress, before.name.clone()))
}

/// The progress of a final that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FinalProgress {
    /// The programs in it.
    pub programs: usize,
    /// Matches played so far.
    pub played: u64,
    /// All matches of its schedule.
    pub planned: u64,
}

/// Returns the progress of the final, once it has begun.
///
/// # Errors
/// As [`users`].
pub fn final_progress(
    folder: &Path,
    catalog: &Catalog,
) -> Result<Option<FinalProgress>, HostError> {
    final_progress_of(&open(folder, catalog)?.1)
}

fn final_progress_of(state: &State) -> Result<Option<FinalProgress>, HostError> {
    let Some(programs) = finals::count_programs(state)? else { return Ok(None) };
    let planned = finals::planned(state)?.unwrap_or(0);
    Ok(Some(FinalProgress { programs, played: state.count_matches()?.finals, planned }))
}

/// Returns the grades as comma-separated values; those of the final, once there is one. `columns`
/// chooses the columns; if it is empty, the usual ones are used.
///
/// # Errors
/// As [`users`], and if there is no such column.
pub fn grades(folder: &Path, catalog: &Catalog, columns: &[String]) -> Result<String, HostError> {
    grades::of(&Contest::read(folder, catalog, Path::new(""))?, columns)
}

/// For whom a table of points is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PointsFormat {
    /// People: with what the points are for.
    #[default]
    People,
    /// Moodle's import of grades.
    Moodle,
    /// Canvas' import of grades.
    Canvas,
}

/// Returns the points of everybody by the formula in host.toml, as comma-separated values; if they
/// are published, everybody sees their own from now on.
///
/// # Errors
/// As [`users`], and if host.toml has no formula.
pub fn points(
    folder: &Path,
    catalog: &Catalog,
    format: PointsFormat,
    is_published: bool,
) -> Result<String, HostError> {
    let contest = Contest::read(folder, catalog, Path::new(""))?;
    let points = PointsTable::of(&contest)?;
    if is_published {
        points.publish(&mut contest.state(), ORGANISER)?;
    }
    write_points(&points, &contest.config.name, format)
}

pub(crate) fn write_points(
    points: &PointsTable,
    contest: &str,
    format: PointsFormat,
) -> Result<String, HostError> {
    match format {
        PointsFormat::People => points.csv(),
        PointsFormat::Moodle => points.moodle(contest),
        PointsFormat::Canvas => points.canvas(contest),
    }
}

/// Pauses or resumes the matches; returns whether that changed anything.
///
/// # Errors
/// As [`users`].
pub fn pause(folder: &Path, catalog: &Catalog, is_paused: bool) -> Result<bool, HostError> {
    open(folder, catalog)?.1.pause(ORGANISER, is_paused)
}

/// Bans a participant, or lifts the ban; returns whether that changed anything.
///
/// # Errors
/// As [`users`], and if there is no such participant.
pub fn ban(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    is_banned: bool,
) -> Result<bool, HostError> {
    match open(folder, catalog)?.1.ban(ORGANISER, name, is_banned)? {
        BanResult::Done => Ok(true),
        BanResult::Already => Ok(false),
        BanResult::Nobody => {
            let shown = shortened(name);
            Err(HostError::Usage(format!("there is no participant {shown:?} to be banned")))
        }
    }
}

/// Lets a participant, or the team for which they play, hand in until a time although no programs
/// are accepted, as long as the final has not begun; without a time, no longer than the others.
/// Returns who that is, and until when, in the contest's time zone.
///
/// # Errors
/// As [`users`], and if there is no such participant, that is no time or has passed, or the final
/// has begun.
pub fn extend(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    until: Option<&str>,
) -> Result<Extension, HostError> {
    let (config, mut state) = open(folder, catalog)?;
    extend_by(ORGANISER, &config, &mut state, name, until)
}

/// Until when somebody may hand in after the deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Extension {
    /// The participant or the team, by the name that pages show.
    pub display_name: String,
    /// Until when, in the contest's time zone; none if there is no extension any more.
    pub until: Option<String>,
    /// When the final begins, if that is before: nothing handed in afterwards plays in it.
    pub final_before: Option<String>,
}

pub(crate) fn extend_by(
    by: &str,
    config: &Config,
    state: &mut State,
    name: &str,
    until: Option<&str>,
) -> Result<Extension, HostError> {
    let refuse = |why: String| Err(HostError::Usage(why));
    let person = find_person(state, name)?;
    let who = match person.team {
        Some(team) => state.participant(team)?.unwrap_or(person),
        None => person,
    };
    let display_name = who.display_name.clone();
    let Some(until) = until else {
        let what = format!("{} may hand in no longer than the others", who.name);
        state.extend(by, &who, None, &what)?;
        return Ok(Extension { display_name, until: None, final_before: None });
    };
    let now = SystemTime::now();
    let time = match config.zone.read_here(until) {
        Some(time) if time > now => time,
        Some(_) => return refuse(format!("{:?} has passed", shortened(until))),
        None => {
            return refuse(format!(
                "{:?} is no time: expected one such as 2030-01-31T18:00 (in {}), or \
                 2030-01-31T18:00:00Z",
                shortened(until),
                config.zone.name()
            ));
        }
    };
    if finals::planned(state)?.is_some() {
        return refuse("the final has begun: what is handed in now does not play in it".to_owned());
    }
    let schedule = Schedule::of(config, state)?;
    let final_at = config.phases.iter().find(|phase| phase.rounds.is_some());
    let final_at = final_at.and_then(|phase| schedule.time(phase)).filter(|at| *at < time);
    let at = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |at| at.as_secs() as i64);
    let until = config.zone.write(time);
    state.extend(by, &who, Some(at), &format!("{} may hand in until {until}", who.name))?;
    let final_before = final_at.map(|at| config.zone.write(at));
    Ok(Extension { display_name, until: Some(until), final_before })
}

/// Removes a participant who has handed in nothing.
///
/// # Errors
/// As [`users`], and if there is no such participant, or they have handed something in; and if
/// their team has results, in which they share, and that is not `confirmed`.
pub fn remove(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    is_confirmed: bool,
) -> Result<(), HostError> {
    remove_by(ORGANISER, &mut open(folder, catalog)?.1, name, is_confirmed)
}

pub(crate) fn remove_by(
    by: &str,
    state: &mut State,
    name: &str,
    is_confirmed: bool,
) -> Result<(), HostError> {
    let who = find_person(state, name)?;
    if let Some(team) = who.team.filter(|_| !is_confirmed)
        && !state.versions_of(team)?.is_empty()
    {
        let team = state.participant(team)?.map(|team| team.display_name).unwrap_or_default();
        let what = format!(
            "{:?} plays for the team {team:?}, whose results stay; {:?} has no grades, points and \
             letter any more, and the token becomes invalid",
            who.display_name, who.display_name
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    match state.remove(by, &who)? {
        true => Ok(()),
        false => Err(HostError::Usage(format!(
            "{:?} has handed in programs, which have results: ban them, or merge them into another \
             participant",
            shortened(name)
        ))),
    }
}

/// Merges a participant, who was invited twice, into another one: their token leads there, and what
/// they handed in leaves the ladder.
///
/// # Errors
/// As [`users`], and if one of them is not a participant, both are the same, or only the first has
/// a program on the ladder.
pub fn merge(folder: &Path, catalog: &Catalog, name: &str, into: &str) -> Result<(), HostError> {
    merge_by(ORGANISER, &mut open(folder, catalog)?.1, name, into)
}

pub(crate) fn merge_by(
    by: &str,
    state: &mut State,
    name: &str,
    into: &str,
) -> Result<(), HostError> {
    let (who, other) = (find_person(state, name)?, find_person(state, into)?);
    let refuse = |why: String| Err(HostError::Usage(why));
    if who.id == other.id || other.merged.is_some() {
        return refuse(format!("{:?} is no other participant", shortened(into)));
    }
    if who.is_team != other.is_team {
        return refuse(format!(
            "one of {:?} and {:?} is a team: put the participant into the team instead",
            shortened(name),
            shortened(into)
        ));
    }
    if who.active.is_some() && other.active.is_none() {
        return refuse(format!(
            "only {:?} has a program on the ladder, which would leave it: merge {:?} into them",
            shortened(name),
            shortened(into)
        ));
    }
    state.merge(by, &who, &other)
}

/// Ends the ladder: another one begins on its scenarios, without matches. Returns the number of
/// matches that no longer count.
///
/// # Errors
/// As [`users`], and if it is not `confirmed`.
pub fn reset(folder: &Path, catalog: &Catalog, is_confirmed: bool) -> Result<u64, HostError> {
    let (config, mut state) = open(folder, catalog)?;
    reset_by(ORGANISER, &config, &mut state, is_confirmed)
}

pub(crate) fn reset_by(
    who: &str,
    config: &Config,
    state: &mut State,
    is_confirmed: bool,
) -> Result<u64, HostError> {
    let phase = phase_now(config, state)?;
    let ladder = config.ladder_of(state, phase)?;
    if !is_confirmed {
        let mut matches = 0_u64;
        state.for_each_counted(ladder, |_| matches += 1)?;
        let what = format!(
            "none of the {matches} matches of the ladder counts any more, all ratings begin anew, \
             and this cannot be undone; what was played stays on record"
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    state.reset_ladder(who, ladder)
}

/// Strikes matches of the ladder out for a reason, or without one has them count again. They are
/// named by their numbers, such as `12` or `15-20`. Returns how many that changed.
///
/// # Errors
/// As [`users`], and if that is not a number, or changes nothing.
pub fn strike(
    folder: &Path,
    catalog: &Catalog,
    matches: &[String],
    reason: Option<&str>,
) -> Result<usize, HostError> {
    let (_, mut state) = open(folder, catalog)?;
    strike_by(ORGANISER, &mut state, matches, reason)
}

pub(crate) fn strike_by(
    who: &str,
    state: &mut State,
    matches: &[String],
    reason: Option<&str>,
) -> Result<usize, HostError> {
    let number = |text: &str, of: &str| {
        text.trim().parse::<i64>().map_err(|_| {
            HostError::Usage(format!("{of:?} is no match: give a number, such as 12, or 15-20"))
        })
    };
    let mut ranges = Vec::new();
    for text in matches {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        ranges.push((number(first, text)?, number(last, text)?));
    }
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        return Err(HostError::Usage("say why: the reason is shown with the matches".to_owned()));
    }
    match state.strike(who, &ranges, reason)? {
        0 => Err(HostError::Usage(format!(
            "nothing changed: {} are no matches of a ladder that {}",
            matches.join(", "),
            if reason.is_some() { "count" } else { "were struck out" }
        ))),
        count => Ok(count),
    }
}

/// Which versions are built and checked again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejudged<'a> {
    /// Those of everybody who is not banned.
    Everybody,
    /// Those of a participant.
    Participant(&'a str),
    /// One version of a participant, by its number.
    Version(&'a str, i64),
}

/// Has versions built and checked again; returns how many. Who is on the ladder with which version
/// stays as it is, but versions that no longer pass leave it. So this is refused in a phase that
/// takes no programs, in which nobody could replace one, unless it is `forced`.
///
/// # Errors
/// As [`users`], and if there is none, or it is refused.
pub fn rejudge(
    folder: &Path,
    catalog: &Catalog,
    which: Rejudged<'_>,
    forced: bool,
) -> Result<usize, HostError> {
    let (config, mut state) = open(folder, catalog)?;
    rejudge_by(ORGANISER, &config, &mut state, which, forced)
}

pub(crate) fn rejudge_by(
    who: &str,
    config: &Config,
    state: &mut State,
    which: Rejudged<'_>,
    forced: bool,
) -> Result<usize, HostError> {
    let phase = phase_now(config, state)?;
    if !phase.takes_programs() && !forced {
        let what = format!(
            "{:?} takes no programs: a version that no longer passes leaves the ladder, and nobody \
             can replace it",
            phase.name
        );
        return Err(HostError::Unconfirmed { what, option: "force" });
    }
    let (name, number) = match which {
        Rejudged::Everybody => (None, None),
        Rejudged::Participant(name) => (Some(name), None),
        Rejudged::Version(name, number) => (Some(name), Some(number)),
    };
    match (state.rejudge(who, name, number)?, name) {
        (0, None) => Err(HostError::Usage("no version has been checked yet".to_owned())),
        (0, Some(name)) if state.find_participant(name)?.is_none() => {
            Err(HostError::Usage(format!("there is no participant {:?}", shortened(name))))
        }
        (0, Some(name)) => Err(HostError::Usage(format!(
            "{:?} has no such version that has been checked",
            shortened(name)
        ))),
        (count, _) => Ok(count),
    }
}

/// Returns what was done, the latest first: when, by whom and what.
///
/// # Errors
/// As [`users`].
pub fn audit(
    folder: &Path,
    catalog: &Catalog,
    most: u32,
) -> Result<Vec<(SystemTime, String, String)>, HostError> {
    let (_, state) = open(folder, catalog)?;
    Ok(state.audit(most)?.into_iter().map(|(at, who, what)| (time_of(at), who, what)).collect())
}
