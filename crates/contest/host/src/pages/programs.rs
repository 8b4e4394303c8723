//! A page for the organiser with what a participant submitted: every version with its check, and
//! its files to download.

use maud::{Markup, html};
use quintain_web::pages::{Page, name};

use super::{cleaned_lines, moment, page};
use crate::admin::describe_stage;
use crate::state::{Participant, Stage, Version, time_of};
use crate::zone::Zone;

/// Renders the page.
pub(crate) fn page_of(zone: &Zone, whose: &Participant, versions: &[Version]) -> Page {
    let body = html! {
        main {
            h1 { "Programs of " (name(&whose.display_name)) }
            p {
                @match (whose.active, versions.first()) {
                    (None, Some(latest)) if !whose.is_banned => { (describe_stage(latest.stage)) }
                    _ => { (whose.role()) }
                }
                ". "
                @if whose.active.is_some() {
                    a href={ "/participants/" (whose.id) } { "Their matches" } ". "
                }
                a href="/organiser" { "The organiser's page" }
            }
            (course(whose))
            (changes(whose, versions.is_empty()))
            (longer(zone, whose))
            div id="versions" {
                @for version in versions { (one(zone, whose, version)) }
                @if versions.is_empty() { p class="note" { "Nothing has been submitted yet." } }
            }
        }
    };
    page("Programs", &[], body)
}

/// Renders what the course knows of a participant.
fn course(whose: &Participant) -> Markup {
    let of = &whose.course;
    let known = [
        ("number", &of.number),
        ("e-mail", &of.mail),
        ("login", &of.login),
        ("section", &of.section),
    ];
    html! {
        @if !of.is_empty() {
            p id="course" {
                @for (word, value) in known.into_iter().filter(|(_, value)| !value.is_empty()) {
                    (word) ": " (name(value)) ". "
                }
            }
        }
    }
}

/// Renders forms that change who a participant is.
fn changes(whose: &Participant, has_nothing: bool) -> Markup {
    let hidden = html! { input type="hidden" name="name" value=(whose.name); };
    html! {
        details id="changes" {
            summary { "Rename, merge or remove …" }
            form method="post" action="/organiser/rename" class="search" {
                (hidden)
                label for="new" { "Call them" }
                input id="new" name="new" required maxlength="60" value=(whose.display_name);
                button { "Rename" }
            }
            form method="post" action="/organiser/merge" class="search" {
                (hidden)
                label for="into" { "They are the same as" }
                input id="into" name="into" required maxlength="60";
                button { "Merge into that participant" }
            }
            p class="note" {
                "Their token then leads to that participant, and they have no row, letter and \
                 points of their own; what they submitted leaves the ladder."
            }
            @if has_nothing {
                form method="post" action="/organiser/remove" {
                    (hidden)
                    button { "Remove " (name(&whose.display_name)) }
                }
            }
        }
    }
}

/// Renders the form that lets a participant submit after the deadline.
fn longer(zone: &Zone, whose: &Participant) -> Markup {
    let until = whose.extended.map(time_of);
    html! {
        details id="extension" {
            summary {
                @match until {
                    Some(until) => { "May submit until " (moment(zone, until)) " …" }
                    None => { "Let them submit after the deadline …" }
                }
            }
            form method="post" action="/organiser/extend" class="search" {
                input type="hidden" name="name" value=(whose.name);
                label {
                    "They may submit until "
                    input type="datetime-local" name="until"
                        value=[until.map(|until| zone.write_for_field(until))];
                    " in " (name(zone.name()))
                }
                button { "Extend" }
            }
            p class="note" {
                "Unless the final has begun. A member of a team has it for the team. Without a \
                 time, they submit no longer than the others."
            }
        }
    }
}

/// Whether the organiser can put a version on the ladder.
fn may_enter_ladder(whose: &Participant, version: &Version) -> bool {
    let may_play = whose.merged.is_none() && !whose.is_banned;
    may_play && version.stage == Stage::Passed && whose.active != Some(version.id)
}

fn one(zone: &Zone, whose: &Participant, version: &Version) -> Markup {
    html! {
        section class="version" {
            p {
                strong { "Version " (version.number) } ": " (version.stage.word())
                @if whose.active == Some(version.id) { ", on the ladder" }
                ", submitted " (moment(zone, time_of(version.at)))
                @if let Some(submitter) = &version.submitter { " by " (name(submitter)) }
                " "
                code { (version.digest.get(..12).unwrap_or_default()) }
            }
            form method="post" action="/organiser/program.zip" {
                input type="hidden" name="participant" value=(whose.id);
                input type="hidden" name="version" value=(version.number);
                button { "Download the files" }
            }
            @if may_enter_ladder(whose, version) {
                form method="post" action="/organiser/activate" {
                    input type="hidden" name="name" value=(whose.name);
                    input type="hidden" name="version" value=(version.number);
                    button { "Put on the ladder" }
                }
            }
            @if !version.log.is_empty() {
                details open[version.stage == Stage::Failed] {
                    summary { "Output of the check" }
                    pre class="lines" { (cleaned_lines(&version.log)) }
                }
            }
        }
    }
}
