//! Who is there: finding a participant by name, renaming them, and entering somebody new under a
//! name that nobody has.

use std::path::Path;

use quintain_core::Catalog;

use crate::class_list::CourseEntry;
use crate::config::Config;
use crate::contest::ORGANISER;
use crate::error::HostError;
use crate::names::{
    MAX_DISPLAY_NAME, is_close, make_alias, names_version, plain_letters, plain_name, shortened,
};
use crate::state::{Participant, State};
use crate::token::{self, NewToken};

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
    // The names of people who are part of this one now are this one's.
    guests.participants.retain(|known| known.id != who.id && known.merged != Some(who.id));
    let display_name = new_name.trim();
    let mut others = guests.participants.iter().filter(|known| is_person(known));
    if let Some(other) = others.find(|other| is_close(&other.display_name, display_name)) {
        let shown = shortened(display_name);
        let other = match other.display_name == display_name {
            true => "is the name of another participant".to_owned(),
            false => {
                format!("is too close to another participant, {:?}", shortened(&other.display_name))
            }
        };
        return Err(HostError::Usage(format!(
            "{shown:?} {other}: choose another name, for example with a number; if the two are one \
             person, merge them instead (quintain host merge)"
        )));
    }
    guests.check_name(display_name)?;
    state.rename(by, &who, display_name)
}

fn is_person(who: &Participant) -> bool {
    !who.is_organiser && !who.is_house
}

/// As [`find_merged`], also if the other one has the same name by now.
pub(crate) fn find_merge_to_undo(
    state: &State,
    name: &str,
) -> Result<Option<(Participant, Participant)>, HostError> {
    let all = state.participants()?;
    let mut merged = all.iter().filter(|who| is_person(who) && who.merged.is_some());
    let found = merged.find(|who| who.name == name || who.display_name == name);
    let into = found.and_then(|who| all.iter().find(|into| who.merged == Some(into.id)));
    Ok(found.cloned().zip(into.cloned()))
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
pub(crate) fn is_called(listed: &str, who: &Participant) -> bool {
    let rest = who.display_name.strip_prefix(listed).and_then(|rest| rest.strip_prefix(' '));
    let is_numbered = rest.is_some_and(|rest| rest.parse::<u32>().is_ok());
    is_numbered || who.name == listed || is_close(listed, &who.display_name)
}

/// The participants, including those about to be entered.
pub(crate) struct Guests<'a> {
    config: &'a Config,
    pub(crate) participants: Vec<Participant>,
    /// How many of them count towards the maximum.
    count: u64,
}

impl<'a> Guests<'a> {
    pub(crate) fn read(state: &State, config: &'a Config) -> Result<Guests<'a>, HostError> {
        let (participants, count) = (state.participants()?, state.count_participants()?);
        Ok(Guests { config, participants, count })
    }

    /// Finds a participant by name or by display name.
    pub(crate) fn find(&self, display_name: &str) -> Option<&Participant> {
        let is_it =
            |who: &&Participant| who.name == display_name || who.display_name == display_name;
        // Somebody may have the name of those who are merged into them.
        let all = self.participants.iter().filter(is_it);
        all.min_by_key(|who| (who.merged.is_some(), who.name != display_name))
    }

    /// Finds a participant on a list: by what the course knows of them, or else by name, unless it
    /// knows that this is somebody else.
    pub(crate) fn find_listed(&self, name: &str, course: &CourseEntry) -> Option<&Participant> {
        let is_same = |who: &&Participant| who.course.is_same_person(course);
        // Both of a merge may have one number.
        let staying = self.participants.iter().filter(|who| who.merged.is_none()).find(is_same);
        let same = staying.or_else(|| self.participants.iter().find(is_same));
        // A spreadsheet may have dropped the zeros of the number.
        let but_zeros = |who: &&Participant| {
            who.merged.is_none() && who.course.has_number_but_zeros(course) && is_called(name, who)
        };
        let same = same.or_else(|| self.participants.iter().find(but_zeros));
        same.or_else(|| self.find(name).filter(|who| !who.course.is_other_person(course)))
    }

    /// Returns the name of somebody new: with a number, if somebody else is called so or almost so.
    pub(crate) fn tell_apart(&self, name: &str, course: &CourseEntry) -> String {
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

    /// Returns the participant into whom somebody was merged.
    pub(crate) fn merged_into(&self, who: &Participant) -> Option<&Participant> {
        who.merged.and_then(|into| self.participants.iter().find(|other| other.id == into))
    }

    /// Refuses a name whose token would sign in as somebody else.
    pub(crate) fn refuse_merged(&self, display_name: &str) -> Result<(), HostError> {
        match self.find(display_name).filter(|who| who.merged.is_some()) {
            Some(who) => Err(merged_away(who, self.merged_into(who))),
            None => Ok(()),
        }
    }

    fn is_of_house(&self, name: &str) -> bool {
        self.config.house.iter().any(|player| player == name)
    }

    /// Replaces a participant's token with a new one.
    pub(crate) fn renew(&self, display_name: &str) -> Result<NewToken, HostError> {
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
    pub(crate) fn check_name(&self, display_name: &str) -> Result<(), HostError> {
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
    pub(crate) fn add(
        &mut self,
        display_name: &str,
        course: CourseEntry,
    ) -> Result<NewToken, HostError> {
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
