//! What the organiser does with several participants at once.

use crate::admin::{Rejudged, rejudge_by};
use crate::config::Config;
use crate::contest::phase_now;
use crate::error::{CONFIRM, HostError};
use crate::state::{BanResult, Participant, State};
use crate::teams::{join_team_by, leave_team_by};

/// Maximum number of letters of a message.
const MAX_MESSAGE: usize = 2000;

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bulk<'a> {
    /// Take what they have off the ladder, once that is confirmed.
    Withdraw {
        confirmed: bool,
    },
    /// Check their programs again; also in a freeze, if forced.
    Rejudge {
        forced: bool,
    },
    Ban {
        confirmed: bool,
    },
    LiftBan,
    /// Put them into a team; also in a freeze, if forced.
    Join {
        team: &'a str,
        forced: bool,
    },
    LeaveTeam {
        forced: bool,
    },
    /// Write to them.
    Message(&'a str),
}

impl<'a> Bulk<'a> {
    /// Returns what a form asks for, with its text.
    pub(crate) fn read(
        action: &str,
        text: &'a str,
        (confirmed, forced): (bool, bool),
    ) -> Option<Bulk<'a>> {
        Some(match action {
            "withdraw" => Bulk::Withdraw { confirmed },
            "rejudge" => Bulk::Rejudge { forced },
            "ban" => Bulk::Ban { confirmed },
            "lift" => Bulk::LiftBan,
            "join" => Bulk::Join { team: text, forced },
            "leave" => Bulk::LeaveTeam { forced },
            "message" => Bulk::Message(text),
            _ => return None,
        })
    }

    /// Does it with participants, by their numbers.
    pub(crate) fn apply(
        self,
        by: &str,
        config: &Config,
        state: &mut State,
        numbers: &[i64],
    ) -> Result<(), HostError> {
        let refuse = |why: &str| Err(HostError::Usage(why.to_owned()));
        let mut all = state.participants()?;
        all.retain(|who| numbers.contains(&who.id) && !who.is_organiser && !who.is_house);
        if all.is_empty() {
            return refuse("select somebody first, with the boxes in the table");
        }
        let numbers: Vec<i64> = all.iter().map(|who| who.id).collect();
        match self {
            Bulk::Withdraw { confirmed: false } => ask(
                config,
                state,
                &all,
                "this takes off the ladder, until they or you put a version there",
            ),
            Bulk::Ban { confirmed: false } => ask(
                config,
                state,
                &all,
                "this bans, takes off the ladder and signs out, without deleting anything",
            ),
            Bulk::Withdraw { .. } => all.iter().try_for_each(|who| {
                let what = format!("took {} off the ladder", who.name);
                state.withdraw(by, who, &what).map(|_| ())
            }),
            Bulk::Rejudge { forced } => rejudge_all(by, config, state, &all, forced),
            Bulk::Ban { .. } | Bulk::LiftBan => all.iter().try_for_each(|who| {
                match state.ban(by, &who.name, self != Bulk::LiftBan)? {
                    BanResult::Done | BanResult::Already | BanResult::Nobody => Ok(()),
                }
            }),
            Bulk::Join { team, .. } if team.trim().is_empty() => {
                refuse("write the name of the team into the field")
            }
            Bulk::Join { team, forced } => {
                let names: Vec<String> = all.into_iter().map(|who| who.name).collect();
                join_team_by(config, state, (team, &names), forced).map(|_| ())
            }
            Bulk::LeaveTeam { forced } => {
                leave_team_by(by, config, state, &numbers, forced).map(|_| ())
            }
            Bulk::Message(text) => match text.trim() {
                "" => refuse("write the message into the field"),
                text if text.chars().count() > MAX_MESSAGE => {
                    refuse(&format!("a message has at most {MAX_MESSAGE} letters"))
                }
                text => state.send_message(by, &numbers, text),
            },
        }
    }
}

/// Asks whether this is really to be done with participants.
fn ask(config: &Config, state: &State, all: &[Participant], what: &str) -> Result<(), HostError> {
    let names: Vec<&str> = all.iter().map(|who| who.display_name.as_str()).collect();
    let frozen = match phase_now(config, state)?.takes_programs() {
        true => "",
        false => "; no programs are accepted now, so nobody can submit another",
    };
    let what = format!("{what}: {}{frozen}", names.join("; "));
    Err(HostError::Unconfirmed { what, option: CONFIRM })
}

/// Has the programs of those checked again who have any.
fn rejudge_all(
    by: &str,
    config: &Config,
    state: &mut State,
    all: &[Participant],
    forced: bool,
) -> Result<(), HostError> {
    for who in all {
        let has_checked = state.versions_of(who.id)?.iter().any(|version| version.is_checked());
        if has_checked {
            rejudge_by(by, config, state, Rejudged::Participant(&who.name), forced)?;
        }
    }
    Ok(())
}
