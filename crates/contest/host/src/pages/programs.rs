//! A page for the organiser with what a participant handed in: every version with its check, and
//! its files to download.

use maud::{Markup, html};
use quintain_web::pages::name;

use super::{cleaned_lines, moment, page};
use crate::admin::describe_stage;
use crate::state::{Participant, Stage, Version, time_of};

/// Renders the page.
pub(crate) fn page_of(
    organiser: &Participant,
    whose: &Participant,
    versions: &[Version],
) -> Markup {
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
            div id="versions" {
                @for version in versions { (one(whose, version)) }
                @if versions.is_empty() { p class="note" { "Nothing has been handed in yet." } }
            }
        }
    };
    page("Programs", Some(organiser), &[], &body)
}

fn one(whose: &Participant, version: &Version) -> Markup {
    html! {
        section class="version" {
            p {
                strong { "Version " (version.number) } ": " (version.stage.word())
                @if whose.active == Some(version.id) { ", on the ladder" }
                ", handed in " (moment(time_of(version.at))) " "
                code { (version.digest.get(..12).unwrap_or_default()) }
            }
            form method="post" action="/organiser/program.zip" {
                input type="hidden" name="participant" value=(whose.id);
                input type="hidden" name="version" value=(version.number);
                button { "Download the files" }
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
