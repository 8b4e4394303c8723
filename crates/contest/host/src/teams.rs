//! Teams: who plays for which, and what of their own they submit for it. A team stands on the
//! ladder with one program.

use std::path::Path;

use quintain_core::Catalog;

use crate::class_list::CourseEntry;
use crate::config::Config;
use crate::contest::{ORGANISER, phase_now};
use crate::error::HostError;
use crate::finals;
use crate::guests::{Guests, find_person};
use crate::names::shortened;
use crate::state::{Participant, State};

/// A team, and the plain names of participants who are to play for it.
pub(crate) struct TeamList {
    /// Its number, if it is there already; otherwise its plain name.
    pub(crate) known: Result<i64, String>,
    pub(crate) display_name: String,
    pub(crate) members: Vec<String>,
}

/// Who joined a team.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Joined {
    /// How many participants.
    pub members: usize,
    /// Whose own program left the ladder by that, and what to do, one line each.
    pub remarks: Vec<String>,
}

/// Returns the teams of members, each with all of its members; new ones are added to the guests.
pub(crate) fn teams_of(
    guests: &mut Guests<'_>,
    members: &[(String, String)],
) -> Result<Vec<TeamList>, HostError> {
    let mut teams: Vec<TeamList> = Vec::new();
    for (member, display_name) in members {
        if let Some(team) = teams.iter_mut().find(|team| team.display_name == *display_name) {
            team.members.push(member.clone());
            continue;
        }
        let known = match guests.find(display_name) {
            Some(team) if team.is_team => Ok(team.id),
            Some(_) => {
                return Err(HostError::Usage(format!(
                    "{:?} is a participant, and no team: choose another name for the team",
                    shortened(display_name)
                )));
            }
            None => Err(guests.add(display_name, CourseEntry::default())?.name),
        };
        let (display_name, members) = (display_name.clone(), vec![member.clone()]);
        teams.push(TeamList { known, display_name, members });
    }
    Ok(teams)
}

/// Lists those whose team changes, by the names that pages show.
pub(crate) fn list_moving(state: &State, teams: &[TeamList]) -> Result<Vec<String>, HostError> {
    let mut moving = Vec::new();
    for TeamList { known, members, .. } in teams {
        let there = known.as_ref().ok().copied();
        for member in members {
            match state.find_participant(member)? {
                Some(who) if there.is_some() && who.team == there => {}
                Some(who) => moving.push(who.display_name),
                None => moving.push(member.clone()),
            }
        }
    }
    Ok(moving)
}

pub(crate) fn enter_teams(state: &mut State, teams: &[TeamList]) -> Result<Joined, HostError> {
    let mut joined = Joined::default();
    for TeamList { known, display_name, members } in teams {
        let there = known.as_ref().ok().copied();
        let mut numbers = Vec::new();
        for member in members {
            let who = state.find_participant(member)?;
            let Some(who) = who.filter(|who| there.is_none() || who.team != there) else {
                continue;
            };
            numbers.push(who.id);
            if let Some(own) = who.active.map(|own| state.version(own)).transpose()?.flatten() {
                joined.remarks.push(format!(
                    "version {0} of {1} has left the ladder, where the team {2} has one program: a \
                     button on their page puts it there for the team, and so does `quintain host \
                     activate FOLDER {3} {0}`",
                    own.number,
                    shortened(&who.display_name),
                    shortened(display_name),
                    who.name
                ));
            }
        }
        let team = match known {
            Ok(team) => *team,
            Err(name) => state.enter_team(ORGANISER, name, display_name)?,
        };
        joined.members += state.set_team(ORGANISER, &numbers, Some(team))?;
    }
    Ok(joined)
}

/// Refuses team changes of these participants once the final has begun; and, unless it is forced,
/// while nobody can submit: programs would leave the ladder that nobody can replace.
pub(crate) fn refuse_team_change(
    config: &Config,
    state: &State,
    who: &[String],
    is_forced: bool,
) -> Result<(), HostError> {
    if who.is_empty() {
        return Ok(());
    }
    refuse_in_final(state, TEAMS_STAY)?;
    let phase = phase_now(config, state)?;
    if phase.takes_programs() || is_forced {
        return Ok(());
    }
    let what = format!(
        "the team of {} changes, and {:?} takes no programs: whoever joins a team takes their own \
         program off the ladder, whoever leaves one has none there, and nobody can submit one",
        who.join("; "),
        phase.name
    );
    Err(HostError::Unconfirmed { what, option: "force" })
}

/// Why participants do not change their team once the final has begun.
const TEAMS_STAY: &str = "its results belong to the teams as they were then";

/// Refuses to change who participants are once the final has begun, with the reason.
pub(crate) fn refuse_in_final(state: &State, why: &str) -> Result<(), HostError> {
    if finals::planned(state)?.is_some() {
        return Err(HostError::Usage(format!(
            "the final has begun, and {why}; as long as it is not over, `quintain host \
             undo-final` takes it back"
        )));
    }
    Ok(())
}

/// Puts participants into a team, which is made if there is none of that name. Their own programs
/// leave the ladder.
///
/// # Errors
/// If there is no such participant, the team's name is not possible, no programs are accepted and
/// it is not forced, or the final has begun.
pub fn join_team(
    folder: &Path,
    team: &str,
    members: &[String],
    catalog: &Catalog,
    is_forced: bool,
) -> Result<Joined, HostError> {
    let config = Config::load(folder, catalog)?;
    join_team_by(&config, &mut State::open(folder)?, (team, members), is_forced)
}

pub(crate) fn join_team_by(
    config: &Config,
    state: &mut State,
    (team, members): (&str, &[String]),
    is_forced: bool,
) -> Result<Joined, HostError> {
    let team = team.trim();
    let mut of_team = Vec::new();
    for member in members {
        let who = find_person(state, member)?;
        if who.is_team {
            return Err(HostError::Usage(format!(
                "{:?} is a team, and cannot be in one; to join two teams, merge them",
                shortened(member)
            )));
        }
        of_team.push((who.name, team.to_owned()));
    }
    let teams = teams_of(&mut Guests::read(state, config)?, &of_team)?;
    refuse_team_change(config, state, &list_moving(state, &teams)?, is_forced)?;
    enter_teams(state, &teams)
}

/// Takes participants out of their teams: they play for themselves again. Returns how many that
/// changed.
///
/// # Errors
/// If there is no such participant, no programs are accepted and it is not forced, or the final has
/// begun.
pub fn leave_team(
    folder: &Path,
    members: &[String],
    catalog: &Catalog,
    is_forced: bool,
) -> Result<usize, HostError> {
    let config = Config::load(folder, catalog)?;
    let mut state = State::open(folder)?;
    let found = members.iter().map(|name| Ok(find_person(&state, name)?.id));
    let numbers = found.collect::<Result<Vec<_>, HostError>>()?;
    leave_team_by(ORGANISER, &config, &mut state, &numbers, is_forced)
}

pub(crate) fn leave_team_by(
    by: &str,
    config: &Config,
    state: &mut State,
    numbers: &[i64],
    is_forced: bool,
) -> Result<usize, HostError> {
    let mut leaving = state.participants()?;
    leaving.retain(|who| numbers.contains(&who.id) && who.team.is_some());
    let (members, names): (Vec<i64>, Vec<String>) =
        leaving.into_iter().map(|who| (who.id, shortened(&who.display_name))).unzip();
    refuse_team_change(config, state, &names, is_forced)?;
    state.set_team(by, &members, None)
}

/// Makes a version that a member submitted for themselves their team's, and puts it on the ladder.
/// Returns its number there; none if the member has no such version that has passed.
pub(crate) fn adopt_by(
    by: &str,
    state: &mut State,
    (team, member): (&Participant, &Participant),
    version: i64,
) -> Result<Option<i64>, HostError> {
    let Some(number) = state.adopt(team.id, member.id, version)? else { return Ok(None) };
    let what = format!(
        "activated version {number} of {}, which was version {version} of {}",
        team.name, member.name
    );
    Ok(state.activate(by, team, number, &what)?.then_some(number))
}
