//! Who takes part: the list of participants, bans, more time, and mending what was entered wrongly.

use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use quintain_core::Catalog;

use super::open;
use crate::class_list::CourseEntry;
use crate::config::Config;
use crate::contest::ORGANISER;
use crate::error::{CONFIRM, HostError};
use crate::finals;
use crate::guests::{find_merge_to_undo, find_merged, find_person, merged_away};
use crate::names::{is_close, shortened};
use crate::points::{self, Published};
use crate::schedule::Schedule;
use crate::state::{BanResult, NO_PROGRAM, Participant, Progress, Stage, State, time_of};
use crate::teams::{adopt_by, refuse_in_final};

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
    /// How many versions they have submitted.
    pub versions: usize,
    /// The number of the version on the ladder.
    pub active: Option<i64>,
    /// What the course knows of them.
    pub course: CourseEntry,
    /// Until when they may submit after the deadline.
    pub extended: Option<SystemTime>,
    /// Whether it is a team.
    pub is_team: bool,
    /// The team for which they play, by the name that pages show.
    pub team: Option<String>,
    /// Into whom they were merged, by the name that pages show.
    pub merged: Option<String>,
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
    let names: HashMap<i64, String> =
        all.iter().map(|who| (who.id, who.display_name.clone())).collect();
    for who in all.into_iter().filter(|who| !who.is_house) {
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
            team: who.team.and_then(|team| names.get(&team).cloned()),
            merged: who.merged.and_then(|into| names.get(&into).cloned()),
        });
    }
    Ok(users)
}

/// Describes how far a participant without a program on the ladder has come, by the version they
/// submitted last.
pub(crate) fn describe_stage(latest: Stage) -> &'static str {
    match latest {
        Stage::Waiting | Stage::Checking => "being checked",
        Stage::Failed => "did not pass the check",
        Stage::Removed => "deleted",
        Stage::Passed => "passed, not on the ladder",
    }
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
    let (_, mut state) = open(folder, catalog)?;
    if let Some((who, into)) = find_merged(&state, name)? {
        return Err(merged_away(&who, Some(&into)));
    }
    match state.ban(ORGANISER, name, is_banned)? {
        BanResult::Done => Ok(true),
        BanResult::Already => Ok(false),
        BanResult::Nobody => {
            let shown = shortened(name);
            Err(HostError::Usage(format!("there is no participant {shown:?} to be banned")))
        }
    }
}

/// Lets a participant, or the team for which they play, submit until a time although no programs
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

/// Until when somebody may submit after the deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Extension {
    /// The participant or the team, by the name that pages show.
    pub display_name: String,
    /// Until when, in the contest's time zone; none if there is no extension any more.
    pub until: Option<String>,
    /// When the final begins, if that is before: nothing submitted afterwards plays in it.
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
        let what = format!("{} may submit no longer than the others", who.name);
        state.extend(by, &who, None, &what)?;
        return Ok(Extension { display_name, until: None, final_before: None });
    };
    let now = SystemTime::now();
    let time = match config.zone.read_given_here(until) {
        Some(time) if time > now => time,
        Some(_) => return refuse(format!("{:?} has passed", shortened(until))),
        None => {
            let expected = format!(
                "{:?} is no time: expected one such as 2030-01-31T18:00 (in {}), or \
                 2030-01-31T18:00:00Z",
                shortened(until),
                config.zone.name()
            );
            return refuse(config.zone.explain(until, &expected));
        }
    };
    if finals::planned(state)?.is_some() {
        return refuse("the final has begun: what is submitted now does not play in it".to_owned());
    }
    let schedule = Schedule::of(config, state)?;
    let final_at = config.phases.iter().find(|phase| phase.rounds.is_some());
    let final_at = final_at.and_then(|phase| schedule.time(phase)).filter(|at| *at < time);
    let at = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |at| at.as_secs() as i64);
    let until = config.zone.write(time);
    state.extend(by, &who, Some(at), &format!("{} may submit until {until}", who.name))?;
    let final_before = final_at.map(|at| config.zone.write(at));
    Ok(Extension { display_name, until: Some(until), final_before })
}

/// Removes a participant who has submitted nothing.
///
/// # Errors
/// As [`users`], and if there is no such participant, or they have submitted something; and if
/// their team has results, in which they share, the final has begun or points are published, and
/// that is not `confirmed`.
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
    let who = match find_merged(state, name)? {
        Some((who, _)) => who,
        None => find_person(state, name)?,
    };
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
    if let Some(what) = describe_lost_row(state, &who)?.filter(|_| !is_confirmed) {
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    match state.remove(by, &who)? {
        true => Ok(()),
        false => Err(HostError::Usage(format!(
            "{:?} has submitted programs, which have results: ban them, or merge them into another \
             participant",
            shortened(name)
        ))),
    }
}

/// Says what disappears with a participant who can be removed although the final has begun or
/// points are published: the row that a learning platform expects.
fn describe_lost_row(state: &State, who: &Participant) -> Result<Option<String>, HostError> {
    let has_begun = finals::planned(state)?.is_some();
    let published = Published::read(state)?.is_some_and(|all| all.of.contains_key(&who.id));
    let since = match (has_begun, published) {
        _ if !who.is_graded() || !state.versions_of(who.id)?.is_empty() => return Ok(None),
        (false, false) => return Ok(None),
        (true, _) => "the final has begun",
        (false, true) => "points are published",
    };
    let name = shortened(&who.display_name);
    let number = match who.course.number.as_str() {
        "" => String::new(),
        number => format!(" (number {})", shortened(number)),
    };
    Ok(Some(format!(
        "{since}: the row of {name}{number} disappears from the grades and from the table of \
         points that goes back to the learning platform, as do their page and letter; the token \
         becomes invalid"
    )))
}

/// Merges a participant, who was invited twice, into another one: their token leads there, and what
/// they submitted leaves the ladder. Returns their plain name.
///
/// # Errors
/// As [`users`], and if one of them is not a participant, both are the same, only the first has a
/// program on the ladder, or the final has begun; and if the class list says that they are two
/// people, or a program leaves the ladder, and that is not `confirmed`.
pub fn merge(
    folder: &Path,
    catalog: &Catalog,
    (name, into): (&str, &str),
    is_confirmed: bool,
) -> Result<String, HostError> {
    merge_by(ORGANISER, &mut open(folder, catalog)?.1, (name, into), is_confirmed)
}

pub(crate) fn merge_by(
    by: &str,
    state: &mut State,
    (name, into): (&str, &str),
    is_confirmed: bool,
) -> Result<String, HostError> {
    let (who, other) = (find_person(state, name)?, find_person(state, into)?);
    let refuse = |why: String| Err(HostError::Usage(why));
    if who.id == other.id {
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
    refuse_in_final(state, "its results belong to the people as they were then")?;
    let reasons = reasons_against_merging(&who, &other);
    if !is_confirmed && !reasons.is_empty() {
        let (own, other) = (shortened(&who.display_name), shortened(&other.display_name));
        let what = format!(
            "{}; {own} has no row, letter and points any more, and the token of {own} signs in as \
             {other}",
            reasons.join(", and ")
        );
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    state.merge(by, &who, &other)?;
    Ok(who.name)
}

/// Says what speaks against merging a participant into another one.
fn reasons_against_merging(who: &Participant, other: &Participant) -> Vec<String> {
    let (own, others) = (shortened(&who.display_name), shortened(&other.display_name));
    let mut reasons = Vec::new();
    for (what, one, two) in [
        ("matriculation numbers", &who.course.number, &other.course.number),
        ("e-mail addresses", &who.course.mail, &other.course.mail),
    ] {
        if !one.is_empty() && !two.is_empty() && !one.eq_ignore_ascii_case(two) {
            let (one, two) = (shortened(one), shortened(two));
            reasons.push(format!(
                "{own} and {others} have different {what}, {one} and {two}, so they seem to be two \
                 people"
            ));
        }
    }
    if who.active.is_some() {
        reasons.push(format!("the program of {own} leaves the ladder"));
    }
    reasons
}

/// Takes a merge back: the participant's token is their own again. What they submitted stays off
/// the ladder until it is activated. Returns the name of the other one.
///
/// # Errors
/// As [`users`], and if they are not merged into anybody, the final has begun, or both have one
/// name by now.
pub fn undo_merge(folder: &Path, catalog: &Catalog, name: &str) -> Result<String, HostError> {
    undo_merge_by(ORGANISER, &mut open(folder, catalog)?.1, name)
}

pub(crate) fn undo_merge_by(by: &str, state: &mut State, name: &str) -> Result<String, HostError> {
    let Some((who, into)) = find_merge_to_undo(state, name)? else {
        let shown = shortened(name);
        return Err(HostError::Usage(format!("{shown:?} is merged into nobody")));
    };
    refuse_in_final(state, "a merge that is taken back could not be made again")?;
    if is_close(&who.display_name, &into.display_name) {
        return Err(HostError::Usage(format!(
            "{} has been called so since the merge: give them another name first (quintain host \
             rename)",
            shortened(&into.display_name)
        )));
    }
    state.undo_merge(by, &who, &into)?;
    Ok(into.display_name)
}

/// Says who has no row and no letter because they are merged into somebody else; nothing if there
/// is nobody.
///
/// # Errors
/// As [`users`].
pub fn describe_merged(folder: &Path, catalog: &Catalog) -> Result<Option<String>, HostError> {
    points::describe_merged(&open(folder, catalog)?.1)
}

/// A version that was put on the ladder.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Activated {
    /// The version, in words; and which one it is of the team, if it was a member's own.
    pub what: String,
    /// Whether the final has begun, which is then played without it unless it was on the ladder.
    pub has_final_begun: bool,
}

/// Puts a version that has passed its check on the ladder, whatever the phase. What somebody in a
/// team submitted for themselves becomes a version of the team.
///
/// # Errors
/// As [`users`], and if there is no such participant, or no such version that has passed; or they
/// or their team are banned.
pub fn activate(
    folder: &Path,
    catalog: &Catalog,
    name: &str,
    version: i64,
) -> Result<Activated, HostError> {
    activate_by(ORGANISER, &mut open(folder, catalog)?.1, name, version)
}

pub(crate) fn activate_by(
    by: &str,
    state: &mut State,
    name: &str,
    version: i64,
) -> Result<Activated, HostError> {
    let who = find_person(state, name)?;
    let team = who.team.map(|team| state.participant(team)).transpose()?.flatten();
    let shown = shortened(&who.display_name);
    let refuse = |why: String| Err(HostError::Usage(why));
    if let Some(banned) =
        [Some(&who), team.as_ref()].into_iter().flatten().find(|who| who.is_banned)
    {
        let banned = shortened(&banned.display_name);
        return refuse(format!("{banned} is banned: let them in again first"));
    }
    let mut what = format!("version {version} of {shown}");
    let is_active = match &team {
        Some(team) => match adopt_by(by, state, (team, &who), version)? {
            Some(number) => {
                let team = shortened(&team.display_name);
                what += &format!(", which is version {number} of the team {team} now,");
                true
            }
            None => false,
        },
        None => {
            let what = format!("activated version {version} of {}", who.name);
            state.activate(by, &who, version, &what)?
        }
    };
    if !is_active {
        let passed = state.versions_of(who.id)?.into_iter();
        let passed = passed.filter(|version| version.stage == Stage::Passed);
        let passed: Vec<String> = passed.map(|version| version.number.to_string()).collect();
        let there = match passed.is_empty() {
            true => "none has".to_owned(),
            false => format!("those that have: {}", passed.join(", ")),
        };
        let of_team = team.map_or(String::new(), |team| {
            format!("; for a version of the team, name {}", shortened(&team.display_name))
        });
        return refuse(format!(
            "{shown} has no version {version} of their own that has passed the check \
             ({there}){of_team}"
        ));
    }
    Ok(Activated { what, has_final_begun: finals::planned(state)?.is_some() })
}
