//! What a contest adds to the pages of its store of matches: the names of participants, the number
//! of a match, and for the organiser a button that strikes it out.

use std::sync::Arc;

use axum::http::HeaderMap;
use maud::{Markup, html};
use quintain_web::{MatchContext, MatchNumber};

use super::access::{Host, session_of};
use crate::error::HostError;
use crate::pages;
use crate::state::{Participant, PlayedMatch, Version};

/// How the players of records begin that are programs and modules of participants.
const KINDS: [&str; 2] = ["bot:", "wasm:"];

/// What a contest knows of the matches in its store.
pub(super) struct ContestMatches(pub(super) Arc<Host>);

impl ContestMatches {
    /// Returns the version that plays as this, if it is a participant's.
    fn version(&self, player: &str) -> Result<Option<Version>, HostError> {
        let name = KINDS.iter().find_map(|kind| player.strip_prefix(kind));
        let Some((name, number)) = name.and_then(|name| name.rsplit_once('.')) else {
            return Ok(None);
        };
        let Ok(number) = number.parse::<i64>() else { return Ok(None) };
        self.0.contest.read_state().version_called(name, number)
    }

    /// Returns the player of a version that people call so; of several, the one on the ladder, or
    /// the latest.
    fn player(&self, display_name: &str) -> Result<Option<String>, HostError> {
        let state = self.0.contest.read_state();
        let (name, number) = match display_name.rsplit_once(" v") {
            Some((name, number)) if number.parse::<i64>().is_ok() => {
                (name, number.parse::<i64>().ok())
            }
            _ => (display_name, None),
        };
        let Some(who) = state.find_participant(name)?.filter(|who| !who.is_house) else {
            return Ok(None);
        };
        // Names that are hidden find nobody.
        if state.hides_names()? && who.name != name {
            return Ok(None);
        }
        let versions = state.versions_of(who.id)?;
        let found = match number {
            Some(number) => versions.iter().find(|version| version.number == number),
            None => {
                let active = versions.iter().find(|version| who.active == Some(version.id));
                active.or(versions.iter().max_by_key(|version| version.number))
            }
        };
        drop(state);
        let Some(version) = found else { return Ok(None) };
        let player = self.0.contest.player(version);
        Ok(player.ok().map(|handle| handle.spec))
    }

    fn find(
        &self,
        record: &str,
        headers: &HeaderMap,
    ) -> Result<Option<(PlayedMatch, Option<Participant>)>, HostError> {
        let state = self.0.contest.read_state();
        let Some(played) = state.match_with_record(record)? else { return Ok(None) };
        let session = session_of(&self.0, headers);
        let who = session.map(|session| state.session_holder(&session)).transpose()?.flatten();
        Ok(Some((played, who)))
    }
}

impl MatchContext for ContestMatches {
    fn display_name(&self, player: &str) -> Option<String> {
        self.version(player).ok().flatten().map(|version| version.label())
    }

    fn find_player(&self, display_name: &str) -> Option<String> {
        self.player(display_name).ok().flatten()
    }

    fn number(&self, record: &str) -> MatchNumber {
        let played = self.0.contest.read_state().match_with_record(record).ok().flatten();
        // A record is stored before its match counts.
        played.map_or(MatchNumber::NotYet, |played| MatchNumber::Is(played.pairing.id))
    }

    fn about(&self, record: &str, headers: &HeaderMap) -> Markup {
        match self.find(record, headers) {
            Ok(Some((played, who))) => {
                pages::about_match(&played, who.is_some_and(|who| who.is_organiser))
            }
            // The match can be watched all the same.
            Ok(None) | Err(_) => html! {},
        }
    }
}
