//! The organiser's page: who takes part, what was done, and what is done by a click.

use maud::{Markup, html};
use quintain_web::pages::name;

use super::{moment, page};
use crate::admin::PhaseState;
use crate::config::Config;
use crate::contest::NewToken;
use crate::state::{Participant, time_of};

/// What the organiser sees.
pub(crate) struct OrganiserView<'a> {
    pub(crate) participants: &'a [Participant],
    /// When, who and what, the latest first.
    pub(crate) audit: &'a [(i64, String, String)],
    pub(crate) is_paused: bool,
    pub(crate) phases: &'a [PhaseState],
    /// Somebody's new token, which is shown once.
    pub(crate) invited: Option<&'a NewToken>,
}

/// The page.
pub(crate) fn organiser(config: &Config, who: &Participant, shown: &OrganiserView<'_>) -> Markup {
    let body = html! {
        main {
            h1 { "Organiser of " (name(&config.name)) }
            @if let Some(invited) = shown.invited { (token(invited)) }
            form method="post" action="/organiser/pause" {
                input type="hidden" name="paused" value=(!shown.is_paused);
                button { @if shown.is_paused { "Resume the matches" } @else { "Pause the matches" } }
            }
            p { a href="/organiser/grades.csv" { "Grades (CSV)" } }
            (phases(shown.phases))
            h2 { "Participants" }
            form method="post" action="/organiser/invite" class="search" {
                label for="name" { "Invite, or replace a token" }
                input id="name" name="name" required maxlength="60" placeholder="Ada Lovelace";
                button { "Invite" }
            }
            p class="note" {
                "Letters of any script, digits, spaces. In records and tables stands a plain form of it. \
                 Whoever is here already gets a new token, and the older one ends."
            }
            div class="wide" {
                table class="list compact" id="participants" {
                    thead { tr { th { "name" } th { "state" } th { "" } } }
                    tbody {
                        @for who in shown.participants.iter().filter(|who| !who.is_house) {
                            (one(who))
                        }
                    }
                }
            }
            h2 { "What was done" }
            pre class="lines" {
                @for (at, who, what) in shown.audit {
                    (humantime::format_rfc3339_seconds(time_of(*at))) "  " (quintain_scene::clean(who)) ": " (quintain_scene::clean(what)) "\n"
                }
            }
        }
    };
    page("Organiser", Some(who), &[], &body)
}

/// The phases, and another one in place of what the times say.
fn phases(phases: &[PhaseState]) -> Markup {
    let is_chosen = phases.iter().any(|phase| phase.is_chosen);
    html! {
        h2 { "Phases" }
        ul id="phases" {
            @for phase in phases {
                li {
                    (name(&phase.name))
                    @if let Some(from) = phase.from { ", from " (moment(from)) }
                    @if phase.is_now { strong { ", now" } }
                    @if phase.is_chosen { " (chosen, whatever the time)" }
                }
            }
        }
        form method="post" action="/organiser/phase" class="search" {
            label for="phase" { "From now on" }
            select id="phase" name="phase" {
                option value="" selected[!is_chosen] { "what the times say" }
                @for phase in phases {
                    option value=(phase.name) selected[phase.is_chosen] { (name(&phase.name)) }
                }
            }
            button { "Set the phase" }
        }
    }
}

fn token(invited: &NewToken) -> Markup {
    html! {
        p {
            "The token of " (name(&invited.called)) ", shown this once: "
            code id="invited" { (invited.token) }
        }
        @if invited.is_renewed {
            p class="fault" { "It replaces an older one: that and their sessions have ended." }
        } @else if invited.name != invited.called {
            p { "In records and tables they are " code { (invited.name) } "." }
        }
        p { "Their link: this address with " code { "/sign-in?token=" (invited.token) } }
    }
}

fn one(who: &Participant) -> Markup {
    let form = |word: &str| {
        html! {
            form method="post" action="/organiser/ban" {
                input type="hidden" name="name" value=(who.name);
                input type="hidden" name="banned" value=(!who.is_banned);
                button { (word) }
            }
        }
    };
    html! {
        tr {
            th scope="row" {
                (name(&who.called))
                @if who.called != who.name { " " span class="note" { "(" (name(&who.name)) ")" } }
            }
            td { (who.role()) }
            td {
                @if who.is_organiser {}
                @else if who.is_banned { (form("Let in again")) }
                @else {
                    form method="post" action="/organiser/rejudge" {
                        input type="hidden" name="name" value=(who.name);
                        button { "Check anew" }
                    }
                    details {
                        summary { "Ban …" }
                        p class="note" {
                            "They leave the ladder and are signed out; nothing of theirs is deleted."
                        }
                        (form("Ban"))
                    }
                }
            }
        }
    }
}
