//! The contest's pages, in the frame of all pages. Templates escape whatever comes from names and
//! programs.

use std::collections::HashMap;

use maud::{Markup, html};
use quintain_web::pages::{figure, frame, name};

use crate::config::{Config, Phase};
use crate::ladder::Rung;
use crate::state::{Participant, Played, Stage, Version};

fn page(title: &str, body: &Markup) -> Markup {
    let links = [
        ("/", "ladder"),
        ("/matches", "latest matches"),
        ("/me", "my page"),
        ("/sign-in", "sign in"),
    ];
    frame(title, &links, &[], body)
}

/// What the ladder shows.
pub(crate) struct Standings<'a> {
    pub(crate) rungs: &'a [Rung],
    pub(crate) played: usize,
    pub(crate) is_solo: bool,
    pub(crate) is_paused: bool,
    pub(crate) phase: &'a Phase,
}

/// Who stands where.
pub(crate) fn ladder(config: &Config, who: Option<&Participant>, shown: &Standings<'_>) -> Markup {
    let measure = if shown.is_solo { "mean rank (0 first, 1 last)" } else { "rating" };
    let body = html! {
        main {
            h1 { (name(&config.name)) }
            p class="note" {
                (name(&config.game)) ", phase “" (name(&shown.phase.name)) "”, "
                (shown.played) " matches played"
                @if shown.is_paused || !shown.phase.ladder { ", paused" }
            }
            div class="wide" {
                table class="list" id="ladder" {
                    thead { tr {
                        th { "rank" } th { "participant" } th { "version" } th { (measure) }
                        th { "95 % interval" } th { "matches" } th { "faults" }
                    } }
                    tbody {
                        @for rung in shown.rungs {
                            tr {
                                td class="number" { (rung.rank) }
                                th scope="row" {
                                    (name(&rung.version.name))
                                    @if who.is_some_and(|who| who.id == rung.version.participant) {
                                        strong { " (you)" }
                                    }
                                }
                                td class="number" { (rung.version.number) }
                                td class="number" {
                                    (rung.measure.map_or("–".to_owned(), figure))
                                }
                                td class="number" {
                                    @match rung.interval {
                                        Some((low, high)) => { (figure(low)) " to " (figure(high)) }
                                        None => { "–" }
                                    }
                                }
                                td class="number" { (rung.matches) }
                                td class="number" { (rung.faults) }
                            }
                        }
                    }
                }
            }
        }
    };
    page(&config.name, &body)
}

/// Where a token is exchanged for a session.
pub(crate) fn sign_in(token: &str) -> Markup {
    let body = html! {
        main {
            h1 { "Sign in" }
            form method="post" action="/sign-in" class="search" {
                label for="token" { "The token of your invitation" }
                input id="token" name="token" type="password" autocomplete="current-password"
                    required value=(token);
                button { "Sign in" }
            }
        }
    };
    page("Sign in", &body)
}

/// What is somebody's own.
pub(crate) struct Own<'a> {
    pub(crate) versions: &'a [Version],
    pub(crate) matches: &'a [Played],
    /// Of all versions in these matches.
    pub(crate) names: &'a HashMap<i64, String>,
    pub(crate) phase: &'a Phase,
}

/// Somebody's own page.
pub(crate) fn me(config: &Config, who: &Participant, own: &Own<'_>) -> Markup {
    let body = html! {
        main {
            h1 { (name(&who.name)) }
            @if who.is_organiser { p { a href="/organiser" { "The organiser's page" } } }
            form method="post" action="/sign-out" { button { "Sign out" } }
            h2 { "Hand in a program" }
            @if own.phase.submissions {
                form method="post" action="/me/submit" enctype="multipart/form-data" class="search" {
                    label for="file" { "A zip, or one file" }
                    input id="file" name="file" type="file" required;
                    button { "Hand in" }
                }
                p class="note" {
                    "It is started as the bots.toml in it says, or as bot.py, bot.js, bot.sh or bot. "
                    "Begin one: " code { "quintain new player mybot --game " (config.game) }
                    "; hand it in by command: "
                    code { "quintain submit --to ADDRESS --token TOKEN mybot" }
                }
            } @else {
                p class="note" { "Programs are not taken in the phase “" (name(&own.phase.name)) "”." }
            }
            h2 { "Versions" }
            @for version in own.versions {
                (one_version(version, who.active == Some(version.id)))
            }
            @if own.versions.is_empty() { p class="note" { "None yet." } }
            h2 { "Latest matches" }
            (own_matches(who, own))
        }
    };
    page(&who.name, &body)
}

fn one_version(version: &Version, is_active: bool) -> Markup {
    html! {
        section class="version" {
            p {
                strong { "Version " (version.number) } ": " (version.stage.word())
                @if is_active { ", on the ladder" }
                " " code { (&version.digest.get(..12).unwrap_or_default()) }
            }
            @if version.stage == Stage::Passed && !is_active {
                form method="post" action="/me/activate" {
                    input type="hidden" name="version" value=(version.number);
                    button { "Activate version " (version.number) }
                }
            }
            @if !version.log.is_empty() {
                details open[version.stage == Stage::Failed] {
                    summary { "What the check said" }
                    pre { (cleaned_lines(&version.log)) }
                }
            }
        }
    }
}

/// Lines of a program's, without characters that act.
fn cleaned_lines(text: &str) -> String {
    text.lines().map(quintain_scene::clean).collect::<Vec<_>>().join("\n")
}

fn own_matches(who: &Participant, own: &Own<'_>) -> Markup {
    let is_own = |seat: &i64| own.versions.iter().any(|version| version.id == *seat);
    html! {
        @if own.matches.is_empty() { p class="note" { "None yet." } }
        @else {
            div class="wide" {
                table class="list" id="matches" {
                    thead { tr { th { "match" } th { "scores" } th { "where" } th { "fault" } } }
                    tbody {
                        @for played in own.matches {
                            tr {
                                th scope="row" {
                                    a href={ "/matches/" (played.record) } {
                                        @for (at, seat) in played.pairing.seats.iter().enumerate() {
                                            @if at > 0 { " – " }
                                            (name(own.names.get(seat).map_or("", String::as_str)))
                                        }
                                    }
                                }
                                td class="number" {
                                    @for (at, score) in played.scores.iter().enumerate() {
                                        @if at > 0 { " – " }
                                        (figure(*score))
                                    }
                                }
                                td { (name(&played.pairing.scenario)) ", seed " (played.pairing.seed) }
                                td {
                                    @if let Some((seat, fault)) = &played.fault {
                                        @let whose = played.pairing.seats.get(*seat);
                                        @if whose.is_some_and(is_own) {
                                            span class="fault" { (name(&who.name)) ": " (name(fault)) }
                                        } @else { "the other's" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the organiser sees and does.
pub(crate) fn organiser(
    config: &Config,
    participants: &[Participant],
    audit: &[(i64, String, String)],
    is_paused: bool,
    invited: Option<&(String, String)>,
) -> Markup {
    let body = html! {
        main {
            h1 { "Organiser of " (name(&config.name)) }
            @if let Some((who, token)) = invited {
                p { "The token of " (name(who)) ", shown this once: " code id="invited" { (token) } }
                p { "Their link: this address with " code { "/sign-in?token=" (token) } }
            }
            form method="post" action="/organiser/pause" {
                input type="hidden" name="paused" value=(!is_paused);
                button { @if is_paused { "Resume the ladder" } @else { "Pause the ladder" } }
            }
            p { a href="/organiser/grades.csv" { "Grades (CSV)" } }
            h2 { "Participants" }
            form method="post" action="/organiser/invite" class="search" {
                label for="name" { "Invite, or replace a token" }
                input id="name" name="name" required maxlength="32" pattern="[A-Za-z0-9_\\-]+";
                button { "Invite" }
            }
            table class="list" id="participants" {
                thead { tr { th { "name" } th { "state" } th { "" } } }
                tbody {
                    @for who in participants.iter().filter(|who| !who.is_house) {
                        tr {
                            th scope="row" { (name(&who.name)) }
                            td {
                                @if who.is_organiser { "organiser" }
                                @else if who.is_banned { "banned" }
                                @else if who.active.is_some() { "on the ladder" }
                                @else { "no program yet" }
                            }
                            td {
                                @if !who.is_organiser {
                                    form method="post" action="/organiser/ban" {
                                        input type="hidden" name="name" value=(who.name);
                                        input type="hidden" name="banned" value=(!who.is_banned);
                                        button { @if who.is_banned { "Let in again" } @else { "Ban" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            h2 { "What was done" }
            pre {
                @for (at, who, what) in audit {
                    (when(*at)) "  " (quintain_scene::clean(who)) ": " (quintain_scene::clean(what)) "\n"
                }
            }
        }
    };
    page("Organiser", &body)
}

fn when(at: i64) -> String {
    let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(at.unsigned_abs());
    humantime::format_rfc3339_seconds(at).to_string()
}
