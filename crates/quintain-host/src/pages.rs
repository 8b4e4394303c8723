//! The contest's pages, in the frame of all pages. Templates escape whatever comes from names and
//! programs.

pub(crate) mod finals;
pub(crate) mod me;

use maud::{Markup, html};
use quintain_web::pages::{figure, frame, name};

use crate::config::{Config, Phase};
use crate::kit::Kit;
use crate::ladder::Rung;
use crate::state::Participant;

fn page(title: &str, body: &Markup) -> Markup {
    let links = [
        ("/", "ladder"),
        ("/matches", "latest matches"),
        ("/final", "final"),
        ("/kits", "starter kits"),
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
                @if shown.is_paused || !shown.phase.has_ladder() { ", paused" }
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

/// What beginners download.
pub(crate) fn kits(config: &Config, kits: &[Kit]) -> Markup {
    let body = html! {
        main {
            h1 { "Starter kits" }
            p {
                "Each is a program that plays " (name(&config.game)) " at once, with a README that says \
                 how to try it out, change it and hand it in."
            }
            ul id="kits" {
                @for kit in kits {
                    li { a href={ "/kits/" (kit.file()) } download { (kit.title) } }
                }
            }
            h2 { "What is built here" }
            p {
                "Programs in these languages may be handed in as source; what is built has no network \
                 and no files but its own. Others are handed in as they were built, or as a module \
                 of WebAssembly (bot.wasm)."
            }
            ul {
                @for (language, shows) in config.build.languages() {
                    li { (name(language)) ": a folder with " (name(&shows.join(" or "))) }
                }
            }
        }
    };
    page("Starter kits", &body)
}

/// Lines of a program's, without characters that act.
fn cleaned_lines(text: &str) -> String {
    text.lines().map(quintain_scene::clean).collect::<Vec<_>>().join("\n")
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
