//! Invitations: a participant's display name, the plain name in records, and the token
//! that lets them in; for one person at a time, or for a whole class from a list.

use std::collections::HashMap;
use std::path::Path;

use quintain_core::{Catalog, cut, file_name_problem};

use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton;

use crate::class_list::{self, CourseEntry, Listed};
use crate::config::Config;
use crate::contest::{ORGANISER, phase_now};
use crate::error::HostError;
use crate::finals;
use crate::state::{Participant, State};
use crate::token::{self, NewToken};

/// Maximum number of letters in a name and in a display name.
const MAX_NAME: usize = 32;
const MAX_DISPLAY_NAME: usize = 60;
/// Maximum number of wrong lines of a list to report.
const MAX_REPORTED: usize = 10;

/// The result of inviting a list of names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InvitedClass {
    /// New participants, in the list's order.
    pub invited: Vec<NewToken>,
    /// Display names of those who were invited before, and of whom the list says nothing new; their
    /// tokens remain valid.
    pub known: Vec<String>,
    /// Lines that have a participant's number or address and another name, or something new of one
    /// who was invited before.
    pub remarks: Vec<String>,
}

impl InvitedClass {
    /// Returns the new participants as comma-separated values, for letters: `called`, `name`,
    /// `token`, `link`, and `number` and `mail` if the list had any. `address` is the beginning of
    /// the links.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn table(&self, address: &str) -> Result<String, HostError> {
        let mut courses = self.invited.iter().map(|new| &new.course);
        let is_of_course = courses.any(|of| !of.number.is_empty() || !of.mail.is_empty());
        let shown = if is_of_course { 6 } else { 4 };
        let row = |new: &NewToken| {
            let link = sign_in_link(address, &new.token);
            let (number, mail) = (new.course.number.clone(), new.course.mail.clone());
            let (called, name) = (new.display_name.clone(), new.name.clone());
            let mut row = vec![called, name, new.token.clone(), link, number, mail];
            row.truncate(shown);
            row
        };
        let head = ["called", "name", "token", "link", "number", "mail"];
        crate::grades::table(&head[..shown], self.invited.iter().map(row))
    }
}

/// Returns the link for signing in with a token.
pub(crate) fn sign_in_link(address: &str, token: &str) -> String {
    format!("{}/sign-in?token={token}", address.trim_end_matches('/'))
}

/// Creates a new token for a participant, who is entered if necessary; an older token becomes
/// invalid.
///
/// # Errors
/// If the name is not possible, or there are too many participants.
pub fn invite(folder: &Path, display_name: &str, catalog: &Catalog) -> Result<NewToken, HostError> {
    let config = Config::load(folder, catalog)?;
    invite_into(&mut State::open(folder)?, &config, display_name)
}

/// Enters everybody on a list who is not there yet; or nobody, if one line is not possible. The
/// list has one name per line, or is a table as Moodle, Canvas or a spreadsheet exports it.
///
/// # Errors
/// If a line cannot be a name, with its line number; if there are too many participants; or if the
/// list changes a team while no programs are accepted, unless it is forced, or after the final has
/// begun.
pub fn invite_class(
    folder: &Path,
    list: &str,
    catalog: &Catalog,
    is_forced: bool,
) -> Result<InvitedClass, HostError> {
    let config = Config::load(folder, catalog)?;
    invite_class_into(&mut State::open(folder)?, &config, list, is_forced)
}

pub(crate) fn invite_into(
    state: &mut State,
    config: &Config,
    display_name: &str,
) -> Result<NewToken, HostError> {
    let mut guests = Guests::read(state, config)?;
    let display_name = display_name.trim();
    let is_known = guests.find(display_name).is_some();
    let new = if is_known {
        guests.refuse_merged(display_name)?;
        guests.renew(display_name)?
    } else {
        guests.add(display_name, CourseEntry::default())?
    };
    state.invite(std::slice::from_ref(&new))?;
    Ok(new)
}

pub(crate) fn invite_class_into(
    state: &mut State,
    config: &Config,
    list: &str,
    is_forced: bool,
) -> Result<InvitedClass, HostError> {
    let mut guests = Guests::read(state, config)?;
    let mut class = InvitedClass { invited: Vec::new(), known: Vec::new(), remarks: Vec::new() };
    let (mut wrong, mut courses) = (Vec::<String>::new(), Vec::new());
    let listed = class_list::read(list)?;
    let (count, most) = (listed.len() as u64, config.limits.participants);
    // Every name is compared with all others, while the contest waits.
    if count > most {
        return Err(HostError::Usage(format!(
            "nobody is invited: the list has {count} names, and host.toml allows {most} \
             participants"
        )));
    }
    // The line and the name by which each participant is listed first, and their shown name.
    let mut first_lines: HashMap<String, (u64, String)> = HashMap::new();
    let mut shown_names: HashMap<String, String> = HashMap::new();
    // Plain names and the teams for which they play.
    let mut members: Vec<(String, String)> = Vec::new();
    for Listed { line, name, course, team } in listed {
        let mut play_for_team = |plain: &str| {
            if !team.is_empty() {
                members.push((plain.to_owned(), team.clone()));
            }
        };
        if let Some(problem) = course.problem() {
            wrong.push(format!("line {line}: {problem}"));
            continue;
        }
        match guests.find_listed(&name, &course) {
            Some(team) if team.is_team => wrong.push(format!(
                "line {line}: {} is a team; choose another name for the person",
                shortened(&name)
            )),
            Some(merged) if merged.merged.is_some() => {
                let into = guests.merged_into(merged).map(|into| shortened(&into.display_name));
                class.remarks.push(format!(
                    "line {line}: {} is merged into {}, and has no row, letter and points of their \
                     own; if they are two people, take the merge back (quintain host merge FOLDER \
                     {} --undo)",
                    shortened(&merged.display_name),
                    into.unwrap_or_default(),
                    merged.name
                ));
            }
            Some(known) if !known.is_house => {
                let (plain, display_name) = (known.name.clone(), known.display_name.clone());
                let is_new = class.invited.iter().any(|new| new.name == plain);
                let first = first_lines.entry(plain.clone()).or_insert((line, name.clone()));
                shown_names.insert(plain.clone(), display_name.clone());
                if first.0 != line && first.1 != name {
                    wrong.push(describe_clash(line, &name, &course, first, known));
                } else if is_new {
                    wrong
                        .push(format!("line {line}: {} is listed twice", shortened(&display_name)));
                } else {
                    if !is_called(&name, known) {
                        class.remarks.push(format!(
                            "line {line}: this number or address is that of {}, not {}; nothing \
                             is renamed",
                            shortened(&display_name),
                            shortened(&name)
                        ));
                    }
                    play_for_team(&plain);
                    let course = course.filled_from(&known.course);
                    let changes = course.changes_from(&known.course);
                    if changes.is_empty() {
                        class.known.push(display_name);
                    } else {
                        class.remarks.push(format!(
                            "line {line}: {} was invited before; the {} of this list is kept",
                            shortened(&display_name),
                            changes.join(" and the ")
                        ));
                        courses.push((plain, course));
                    }
                }
            }
            _ => match guests.add(&guests.tell_apart(&name, &course), course) {
                Ok(new) => {
                    play_for_team(&new.name);
                    first_lines.insert(new.name.clone(), (line, name));
                    class.invited.push(new);
                }
                Err(HostError::Usage(why)) => wrong.push(format!("line {line}: {why}")),
                Err(error) => return Err(error),
            },
        }
    }
    let teams = guests.teams_of(&members).map_err(|error| match error {
        HostError::Usage(why) => HostError::Usage(format!("nobody is invited: {why}")),
        error => error,
    })?;
    if !wrong.is_empty() {
        let more = wrong.len().saturating_sub(MAX_REPORTED);
        wrong.truncate(MAX_REPORTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        return Err(HostError::Usage(format!("nobody is invited: {}{more}", wrong.join("; "))));
    }
    let moving = list_moving(state, &teams)?;
    refuse_team_change(config, state, &moving, is_forced)?;
    state.invite(&class.invited)?;
    state.set_courses(&courses)?;
    let is_new = |name: &String| class.invited.iter().any(|new| new.display_name == *name);
    class.known.retain(|name| !moving.contains(name));
    for TeamList { display_name, members, .. } in &teams {
        let moved = members.iter().filter_map(|plain| shown_names.get(plain));
        for name in moved.filter(|name| moving.contains(name) && !is_new(name)) {
            let (name, team) = (shortened(name), shortened(display_name));
            class.remarks.push(format!("{name} was invited before, and joins the team {team}"));
        }
    }
    class.remarks.extend(enter_teams(state, &teams)?.remarks);
    Ok(class)
}

/// Lists those whose team changes, by the names that pages show.
fn list_moving(state: &State, teams: &[TeamList]) -> Result<Vec<String>, HostError> {
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

/// Says that two people of a list have one number or address.
fn describe_clash(
    line: u64,
    name: &str,
    course: &CourseEntry,
    (first_line, first): &(u64, String),
    known: &Participant,
) -> String {
    let what = course.shared_with(&known.course).map_or_else(
        || "is the same person as".to_owned(),
        |(what, value)| format!("has the {what} {}, as has", shortened(value)),
    );
    let (name, first) = (shortened(name), shortened(first));
    format!("line {line}: {name} {what} {first} in line {first_line}; correct one of the two lines")
}

/// A team, and the plain names of participants who are to play for it.
struct TeamList {
    /// Its number, if it is there already; otherwise its plain name.
    known: Result<i64, String>,
    display_name: String,
    members: Vec<String>,
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

fn enter_teams(state: &mut State, teams: &[TeamList]) -> Result<Joined, HostError> {
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
                    "version {} of {} has left the ladder, where the team {} has one program: a \
                     member hands it in again for the team",
                    own.number,
                    shortened(&who.display_name),
                    shortened(display_name)
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
/// while nobody can hand in: programs would leave the ladder that nobody can replace.
fn refuse_team_change(
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
         program off the ladder, whoever leaves one has none there, and nobody can hand one in",
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
    let teams = Guests::read(state, config)?.teams_of(&of_team)?;
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

/// Gives a participant another display name; the plain name, which records have, stays.
///
/// # Errors
/// If there is no such participant, or the name is not possible.
pub fn rename(
    folder: &Path,
    name: &str,
    new_name: &str,
    catalog: &Catalog,
) -> Result<(), HostError> {
    let config = Config::load(folder, catalog)?;
    rename_by(ORGANISER, &config, &mut State::open(folder)?, name, new_name)
}

pub(crate) fn rename_by(
    by: &str,
    config: &Config,
    state: &mut State,
    name: &str,
    new_name: &str,
) -> Result<(), HostError> {
    let who = find_person(state, name)?;
    let mut guests = Guests::read(state, config)?;
    guests.participants.retain(|known| known.id != who.id);
    let display_name = new_name.trim();
    guests.check_name(display_name)?;
    state.rename(by, &who, display_name)
}

fn is_person(who: &Participant) -> bool {
    !who.is_organiser && !who.is_house
}

/// Finds a participant who was merged into another one, by name, and that other one.
pub(crate) fn find_merged(
    state: &State,
    name: &str,
) -> Result<Option<(Participant, Participant)>, HostError> {
    let Some(who) = state.find_participant(name)?.filter(is_person) else { return Ok(None) };
    let Some(into) = who.merged else { return Ok(None) };
    Ok(state.participant(into)?.map(|into| (who, into)))
}

/// Says that somebody is part of another participant now, and what to do.
pub(crate) fn merged_away(who: &Participant, into: Option<&Participant>) -> HostError {
    let into = into.map(|into| shortened(&into.display_name)).unwrap_or_default();
    HostError::Usage(format!(
        "{} is merged into {into}, as whom their token signs in: name {into}; if they are two \
         people, take the merge back first (quintain host merge FOLDER {} --undo)",
        shortened(&who.display_name),
        who.name
    ))
}

/// Finds a participant, neither the organiser nor a house player nor merged into somebody else: by
/// name, or else the only one whose name differs by nothing but accents, case, spaces and
/// punctuation.
pub(crate) fn find_person(state: &State, name: &str) -> Result<Participant, HostError> {
    if let Some(exact) = state.find_participant(name)?.filter(is_person) {
        return match exact.merged {
            Some(into) => Err(merged_away(&exact, state.participant(into)?.as_ref())),
            None => Ok(exact),
        };
    }
    let mut close = state.participants()?;
    close.retain(|who| is_person(who) && who.merged.is_none() && is_close(&who.display_name, name));
    let nobody = format!("there is no participant {:?}", shortened(name));
    match close.len() {
        0 => Err(HostError::Usage(nobody)),
        1 => Ok(close.remove(0)),
        _ => {
            let names: Vec<String> =
                close.iter().map(|who| format!("{:?}", shortened(&who.display_name))).collect();
            let names = names.join(" and ");
            Err(HostError::Usage(format!("{nobody}, but {names}: write one of these exactly")))
        }
    }
}

/// Returns whether a list calls a participant by their name, perhaps without the number that tells
/// them apart from somebody else of that name.
fn is_called(listed: &str, who: &Participant) -> bool {
    let rest = who.display_name.strip_prefix(listed).and_then(|rest| rest.strip_prefix(' '));
    let is_numbered = rest.is_some_and(|rest| rest.parse::<u32>().is_ok());
    is_numbered || who.name == listed || is_close(listed, &who.display_name)
}

/// The participants, including those about to be entered.
struct Guests<'a> {
    config: &'a Config,
    participants: Vec<Participant>,
    /// How many of them count towards the maximum.
    count: u64,
}

impl<'a> Guests<'a> {
    fn read(state: &State, config: &'a Config) -> Result<Guests<'a>, HostError> {
        let (participants, count) = (state.participants()?, state.count_participants()?);
        Ok(Guests { config, participants, count })
    }

    /// Finds a participant by name or by display name.
    fn find(&self, display_name: &str) -> Option<&Participant> {
        let mut all = self.participants.iter();
        let by_name = all.find(|who| who.name == display_name);
        by_name.or_else(|| self.participants.iter().find(|who| who.display_name == display_name))
    }

    /// Finds a participant on a list: by what the course knows of them, or else by name, unless it
    /// knows that this is somebody else.
    fn find_listed(&self, name: &str, course: &CourseEntry) -> Option<&Participant> {
        let is_same = |who: &&Participant| who.course.is_same_person(course);
        // Both of a merge may have one number.
        let staying = self.participants.iter().filter(|who| who.merged.is_none()).find(is_same);
        let same = staying.or_else(|| self.participants.iter().find(is_same));
        same.or_else(|| self.find(name).filter(|who| !who.course.is_other_person(course)))
    }

    /// Returns the name of somebody new: with a number, if somebody else is called so or almost so.
    fn tell_apart(&self, name: &str, course: &CourseEntry) -> String {
        let close = |name: &str| {
            let letters = plain_letters(name);
            let mut all = self.participants.iter();
            all.find(|who| plain_letters(&who.display_name) == letters)
        };
        match close(name) {
            Some(other) if other.course.is_other_person(course) => (2..)
                .map(|number| format!("{name} {number}"))
                .find(|name| close(name).is_none() && self.find(name).is_none())
                .unwrap_or_default(),
            _ => name.to_owned(),
        }
    }

    /// Returns the teams of members, each with all of its members; new ones are added.
    fn teams_of(&mut self, members: &[(String, String)]) -> Result<Vec<TeamList>, HostError> {
        let mut teams: Vec<TeamList> = Vec::new();
        for (member, display_name) in members {
            if let Some(team) = teams.iter_mut().find(|team| team.display_name == *display_name) {
                team.members.push(member.clone());
                continue;
            }
            let known = match self.find(display_name) {
                Some(team) if team.is_team => Ok(team.id),
                Some(_) => {
                    return Err(HostError::Usage(format!(
                        "{:?} is a participant, and no team: choose another name for the team",
                        shortened(display_name)
                    )));
                }
                None => Err(self.add(display_name, CourseEntry::default())?.name),
            };
            let (display_name, members) = (display_name.clone(), vec![member.clone()]);
            teams.push(TeamList { known, display_name, members });
        }
        Ok(teams)
    }

    /// Returns the participant into whom somebody was merged.
    fn merged_into(&self, who: &Participant) -> Option<&Participant> {
        who.merged.and_then(|into| self.participants.iter().find(|other| other.id == into))
    }

    /// Refuses a name whose token would sign in as somebody else.
    fn refuse_merged(&self, display_name: &str) -> Result<(), HostError> {
        match self.find(display_name).filter(|who| who.merged.is_some()) {
            Some(who) => Err(merged_away(who, self.merged_into(who))),
            None => Ok(()),
        }
    }

    fn is_of_house(&self, name: &str) -> bool {
        self.config.house.iter().any(|player| player == name)
    }

    /// Replaces a participant's token with a new one.
    fn renew(&self, display_name: &str) -> Result<NewToken, HostError> {
        match self.find(display_name) {
            Some(team) if team.is_team => Err(HostError::Usage(format!(
                "{:?} is a team, which has no token: its members have",
                shortened(display_name)
            ))),
            Some(known) if !known.is_house => Ok(NewToken {
                name: known.name.clone(),
                display_name: known.display_name.clone(),
                token: token::new_token()?,
                is_renewed: true,
                course: known.course.clone(),
            }),
            _ => Err(of_house(display_name)),
        }
    }

    /// Refuses a name that is not possible, or too close to somebody else's.
    fn check_name(&self, display_name: &str) -> Result<(), HostError> {
        let can_be = display_name.starts_with(char::is_alphanumeric)
            && display_name.chars().count() <= MAX_DISPLAY_NAME
            && quintain_scene::clean(display_name) == display_name
            && !display_name.contains(['/', '\\', '<', '>', '"']);
        let shown = shortened(display_name);
        if !can_be {
            return Err(HostError::Usage(format!(
                "a name has 1 to {MAX_DISPLAY_NAME} letters of any script, digits, spaces and \
                 signs such as - _ . ', and begins with a letter or a digit; {shown:?} is not \
                 such a name"
            )));
        }
        if names_version(display_name) {
            return Err(HostError::Usage(format!(
                "{shown:?} reads like a version of a program, which pages and records call so; \
                 choose a name that does not end like that"
            )));
        }
        if self.is_of_house(display_name)
            || self.find(display_name).is_some_and(|known| known.is_house)
        {
            return Err(of_house(display_name));
        }
        let others = self.participants.iter().map(|who| who.display_name.as_str());
        let house = self.config.house.iter().flat_map(|player| {
            let name = player.split('?').next().unwrap_or_default();
            [player.as_str(), name]
        });
        if let Some(other) = others.chain(house).find(|other| is_close(other, display_name)) {
            return Err(HostError::Usage(format!(
                "{shown:?} is too close to {:?}, who is there already: for the same \
                 person, write that name exactly or `quintain host merge` the two; otherwise tell \
                 them apart, for example by a number",
                shortened(other)
            )));
        }
        Ok(())
    }

    /// Adds a participant under a name that nobody has.
    fn add(&mut self, display_name: &str, course: CourseEntry) -> Result<NewToken, HostError> {
        self.check_name(display_name)?;
        let most = self.config.limits.participants;
        if self.count >= most {
            return Err(HostError::Usage(format!(
                "there are {most} participants, the most that host.toml allows"
            )));
        }
        let plain = match self.config.hidden_names {
            true => make_alias(&token::new_token()?),
            false => plain_name(display_name),
        };
        let mut name = plain.clone();
        // People whose display names are equal in plain letters get two names, which are two files
        // in every file system.
        let mut number = 2;
        while self.is_taken(&name) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        self.count += 1;
        self.participants.push(Participant {
            name: name.clone(),
            display_name: display_name.to_owned(),
            course: course.clone(),
            ..Participant::default()
        });
        let (display_name, token) = (display_name.to_owned(), token::new_token()?);
        Ok(NewToken { name, display_name, token, is_renewed: false, course })
    }

    fn is_taken(&self, name: &str) -> bool {
        let is_same =
            |who: &Participant| who.name.eq_ignore_ascii_case(name) || who.display_name == name;
        self.participants.iter().any(is_same) || self.is_of_house(name)
    }
}

fn of_house(display_name: &str) -> HostError {
    let shown = shortened(display_name);
    HostError::Usage(format!("{shown} is a player of the house; choose another name"))
}

/// Returns a name for a message, cut if it is longer than any name may be.
pub(crate) fn shortened(name: &str) -> String {
    cut(name, MAX_DISPLAY_NAME)
}

/// Returns a letter of a Latin alphabet without its accents and strokes: `Ł` as `L`.
fn plain_latin(letter: char) -> impl Iterator<Item = char> {
    let is_latin = matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let plain = if is_latin { deunicode::deunicode_char(letter) } else { None };
    let same = if plain.is_none() { Some(letter) } else { None };
    plain.unwrap_or_default().chars().chain(same)
}

/// Returns the letters and digits of a name without accents, in small letters.
fn plain_letters(name: &str) -> String {
    let composed = name.nfc().flat_map(plain_latin);
    composed.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether two names differ only by accents, case, spaces and punctuation (usually one
/// person, written in two ways), or look alike in different letters: see Unicode TR 39.
fn is_close(one: &str, other: &str) -> bool {
    // Accents, which a skeleton has as characters of their own, are looked at above. Small and
    // capital letters look like different ones.
    let as_written = |name: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || !c.is_ascii() && !c.is_whitespace();
        skeleton(name).filter(kept).flat_map(char::to_lowercase).collect()
    };
    let in_small = |name: &str| as_written(&name.to_lowercase());
    let same = |read: &dyn Fn(&str) -> String| {
        let one = read(one);
        !one.is_empty() && one == read(other)
    };
    same(&plain_letters) || same(&as_written) || same(&in_small)
}

/// Returns whether a name ends like that of a version: `ada.2`, `ada v2`, `ada version 2`.
fn names_version(name: &str) -> bool {
    let name = name.to_lowercase();
    let before = name.trim_end_matches(|c: char| c.is_numeric());
    if before.len() == name.len() || before.is_empty() {
        return false;
    }
    if before.ends_with(['.', '@']) && !before.trim_end_matches(['.', '@']).ends_with(' ') {
        return true;
    }
    let word = before.trim_end_matches([' ', '.', '-', '_']);
    let begins = ["version", "ver", "v"].iter().find_map(|end| word.strip_suffix(end));
    begins.is_some_and(|rest| rest.ends_with([' ', '.', '-', '_', '@']))
}

/// Returns a display name in letters that are allowed in a player's text, a file name and a TOML
/// table.
pub(crate) fn plain_name(display_name: &str) -> String {
    let mut name = String::new();
    for c in deunicode::deunicode(display_name).chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(c),
            '\'' => {}
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    name.truncate(MAX_NAME);
    match name.trim_end_matches('-') {
        "" => "participant".to_owned(),
        // Letters and programs are files of this name, which may be carried to another system.
        name if file_name_problem(name).is_some() => format!("{name}_"),
        name => name.to_owned(),
    }
}

/// Makes a name that reveals nothing, from random digits.
fn make_alias(digits: &str) -> String {
    let number = u32::from_str_radix(&digits[..8], 16).unwrap_or_default();
    format!("P{}", 1000 + number % 9000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_can_be_a_file_name() {
        for (display_name, plain) in [
            ("Ada Lovelace", "Ada-Lovelace"),
            ("Émile O'Neill", "Emile-ONeill"),
            ("李", "Li"),
            ("Con", "Con_"),
        ] {
            assert_eq!(plain_name(display_name), plain);
        }
    }

    #[test]
    fn names_that_differ_by_accents_case_and_signs_are_close() {
        for (one, other) in [
            ("Ada Lovelace", "ada-lovelace"),
            ("Ewa Łukasiewicz", "Ewa Lukasiewicz"),
            ("José García", "Jose\u{301} Garcia"),
            ("Ünal", "Unal"),
            ("Søren Weiß", "Soren Weiss"),
        ] {
            assert!(is_close(one, other), "{one} {other}");
        }
        assert!(!is_close("Ada Lovelace", "Ada Lovelace 2"));
    }

    #[test]
    fn names_that_look_alike_in_different_letters_are_close() {
        for (one, other) in [
            ("ada", "\u{430}da"),
            ("BASIC", "basic"),
            ("Bob", "\u{412}ob"),
            ("paypal", "p\u{430}yp\u{430}l"),
            ("Iain", "lain"),
            ("ada", "a\u{1d41d}a"),
        ] {
            assert!(is_close(one, other), "{one} {other}");
        }
        let apart = [
            ("Anna", "Hanna"),
            ("Émile", "Émilie"),
            ("李", "王"),
            ("李", "理"),
            ("李", "Li"),
            ("が", "か"),
            ("Müller", "Mueller"),
        ];
        for (one, other) in apart {
            assert!(!is_close(one, other), "{one} {other}");
        }
    }

    #[test]
    fn no_name_reads_like_a_version() {
        for version in ["ada.2", "ada v2", "Ada V12", "ada version 2", "ada-v2", "ada_v.2", "ada@3"]
        {
            assert!(names_version(version), "{version}");
        }
        for name in ["ada", "Ada 2", "ada2", "Rev2", "Ada Lovelace 2", "2", "R2D2", "St. 2"] {
            assert!(!names_version(name), "{name}");
        }
    }
}
