//! Invitations: who gets a token that lets them in; one person at a time, or a whole class from a
//! list.

use std::collections::HashMap;
use std::path::Path;

use quintain_core::Catalog;

use crate::class_list::{self, CourseEntry, Listed};
use crate::config::Config;
use crate::error::HostError;
use crate::guests::{Guests, is_called};
use crate::names::shortened;
use crate::state::{Participant, State};
use crate::teams::{TeamList, enter_teams, list_moving, refuse_team_change, teams_of};
use crate::token::NewToken;

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
    /// Says how many are new, and what that means for tokens.
    pub fn describe(&self) -> String {
        match self.invited.len() {
            0 => "nobody on the list is new: no token was made, and those made before stay valid"
                .to_owned(),
            1 => "1 invited; the token is shown only now".to_owned(),
            count => format!("{count} invited; their tokens are shown only now"),
        }
    }

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
    let listed = class_list::read(list)?;
    let (count, most) = (listed.len() as u64, config.limits.participants);
    // Every name is compared with all others, while the contest waits.
    if count > most {
        return Err(HostError::Usage(format!(
            "nobody is invited: the list has {count} names, and host.toml allows {most} \
             participants"
        )));
    }
    let mut reading = Reading::new(Guests::read(state, config)?);
    for line in listed {
        reading.read(line)?;
    }
    let teams = teams_of(&mut reading.guests, &reading.members).map_err(|error| match error {
        HostError::Usage(why) => HostError::Usage(format!("nobody is invited: {why}")),
        error => error,
    })?;
    reading.refuse_wrong()?;
    let moving = list_moving(state, &teams)?;
    refuse_team_change(config, state, &moving, is_forced)?;
    state.invite(&reading.class.invited)?;
    state.set_courses(&reading.courses)?;
    reading.note_joining(&teams, &moving);
    reading.note_dropped_zeros();
    let mut class = reading.class;
    class.remarks.extend(enter_teams(state, &teams)?.remarks);
    Ok(class)
}

/// What reading a list has found so far.
struct Reading<'a> {
    guests: Guests<'a>,
    class: InvitedClass,
    /// What is wrong with lines: then nobody is invited.
    wrong: Vec<String>,
    /// Plain names, and what the course knows of them by now.
    courses: Vec<(String, CourseEntry)>,
    /// By plain name: the line and the name by which each participant is listed first.
    first_lines: HashMap<String, (u64, String)>,
    /// By plain name: how pages show those who were there before.
    shown_names: HashMap<String, String>,
    /// Plain names and the teams for which they play.
    members: Vec<(String, String)>,
    /// Display names, and numbers that a spreadsheet took the zeros from: as listed, and as known.
    without_zeros: Vec<(String, String, String)>,
}

impl<'a> Reading<'a> {
    fn new(guests: Guests<'a>) -> Reading<'a> {
        Reading {
            guests,
            class: InvitedClass { invited: Vec::new(), known: Vec::new(), remarks: Vec::new() },
            wrong: Vec::new(),
            courses: Vec::new(),
            first_lines: HashMap::new(),
            shown_names: HashMap::new(),
            members: Vec::new(),
            without_zeros: Vec::new(),
        }
    }

    /// Reads a line.
    fn read(&mut self, listed: Listed) -> Result<(), HostError> {
        let line = listed.line;
        if let Some(problem) = listed.course.problem() {
            self.wrong.push(format!("line {line}: {problem}"));
            return Ok(());
        }
        match self.guests.find_listed(&listed.name, &listed.course).cloned() {
            Some(team) if team.is_team => self.wrong.push(format!(
                "line {line}: {} is a team; choose another name for the person",
                shortened(&listed.name)
            )),
            Some(merged) if merged.merged.is_some() => self.note_merged(line, &merged),
            Some(known) if !known.is_house => self.read_known(listed, &known),
            _ => return self.add(listed),
        }
        Ok(())
    }

    /// Says that somebody on the list is part of another participant now.
    fn note_merged(&mut self, line: u64, merged: &Participant) {
        let into = self.guests.merged_into(merged).map(|into| shortened(&into.display_name));
        self.class.remarks.push(format!(
            "line {line}: {} is merged into {}, and has no row, letter and points of their own; if \
             they are two people, take the merge back (quintain host merge FOLDER {} --undo)",
            shortened(&merged.display_name),
            into.unwrap_or_default(),
            merged.name
        ));
    }

    /// Reads the line of somebody who is there already, or on the list.
    fn read_known(&mut self, listed: Listed, known: &Participant) {
        let Listed { line, name, course, team } = listed;
        let (plain, display_name) = (known.name.clone(), known.display_name.clone());
        let is_new = self.class.invited.iter().any(|new| new.name == plain);
        let first = self.first_lines.entry(plain.clone()).or_insert((line, name.clone()));
        self.shown_names.insert(plain.clone(), display_name.clone());
        if first.0 != line && first.1 != name {
            self.wrong.push(describe_clash(line, &name, &course, first, known));
            return;
        }
        if is_new {
            self.wrong.push(format!("line {line}: {} is listed twice", shortened(&display_name)));
            return;
        }
        if !is_called(&name, known) {
            self.class.remarks.push(format!(
                "line {line}: this number or address is that of {}, not {}; nothing is renamed",
                shortened(&display_name),
                shortened(&name)
            ));
        }
        self.play_for(&plain, team);
        let mut course = course.filled_from(&known.course);
        if course.has_number_but_zeros(&known.course)
            && course.number.len() < known.course.number.len()
        {
            let known = known.course.number.clone();
            let listed = std::mem::replace(&mut course.number, known);
            self.without_zeros.push((display_name.clone(), listed, course.number.clone()));
        }
        let changes = course.changes_from(&known.course);
        if course != known.course {
            self.courses.push((plain, course));
        }
        if changes.is_empty() {
            self.class.known.push(display_name);
        } else {
            self.class.remarks.push(format!(
                "line {line}: {} was invited before; the {} of this list is kept",
                shortened(&display_name),
                changes.join(" and the ")
            ));
        }
    }

    /// Adds somebody new.
    fn add(&mut self, listed: Listed) -> Result<(), HostError> {
        let Listed { line, name, course, team } = listed;
        let shown = self.guests.tell_apart(&name, &course);
        match self.guests.add(&shown, course) {
            Ok(new) => {
                self.play_for(&new.name, team);
                self.first_lines.insert(new.name.clone(), (line, name));
                self.class.invited.push(new);
            }
            Err(HostError::Usage(why)) => self.wrong.push(format!("line {line}: {why}")),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn play_for(&mut self, plain: &str, team: String) {
        if !team.is_empty() {
            self.members.push((plain.to_owned(), team));
        }
    }

    /// Refuses the list if a line is wrong.
    fn refuse_wrong(&mut self) -> Result<(), HostError> {
        if self.wrong.is_empty() {
            return Ok(());
        }
        let more = self.wrong.len().saturating_sub(MAX_REPORTED);
        self.wrong.truncate(MAX_REPORTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        Err(HostError::Usage(format!("nobody is invited: {}{more}", self.wrong.join("; "))))
    }

    /// Says that zeros of numbers were dropped, in one line for all.
    fn note_dropped_zeros(&mut self) {
        let Some((name, listed, known)) = self.without_zeros.first() else { return };
        let (name, listed, known) = (shortened(name), shortened(listed), shortened(known));
        let remark = match self.without_zeros.len() {
            1 => format!(
                "the number {listed} of {name} lacks the zeros at its beginning, which \
                 spreadsheets drop; {known} is kept"
            ),
            count => format!(
                "{count} numbers of this list lack the zeros at their beginning, which \
                 spreadsheets drop; those known are kept: {known} of {name}, not {listed}, for \
                 example"
            ),
        };
        self.class.remarks.push(remark);
    }

    /// Says who of those who were there before joins a team.
    fn note_joining(&mut self, teams: &[TeamList], moving: &[String]) {
        let class = &mut self.class;
        class.known.retain(|name| !moving.contains(name));
        for TeamList { display_name, members, .. } in teams {
            let moved = members.iter().filter_map(|plain| self.shown_names.get(plain));
            let is_new = |name: &String| class.invited.iter().any(|new| new.display_name == *name);
            let joining: Vec<String> = moved
                .filter(|name| moving.contains(name) && !is_new(name))
                .map(|name| {
                    let (name, team) = (shortened(name), shortened(display_name));
                    format!("{name} was invited before, and joins the team {team}")
                })
                .collect();
            class.remarks.extend(joining);
        }
    }
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
