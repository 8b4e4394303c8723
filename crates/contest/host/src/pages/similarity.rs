//! The organiser's pages of programs that are alike: a list of pairs, and two programs side by
//! side. Nobody else sees them.

use maud::{Markup, html};
use quintain_scene::clean;
use quintain_web::pages::{Page, name};

use super::page;
use crate::similarity::{Found, Likeness, MarkedFile, Pair, Starters};
use crate::state::Version;

/// Renders the list.
pub(crate) fn list(Found { pairs, starters }: &Found) -> Page {
    let body = html! {
        main {
            h1 { "Programs that are alike" }
            p {
                "By code in common, whatever names, numbers and comments are. The starter kits’ \
                 code and what many programs have are left out. It is a reason to look, and no \
                 proof."
            }
            @if pairs.is_empty() && starters.is_empty() { p { "None." } }
            @else {
                div class="wide" {
                    table class="list compact" id="pairs" {
                        thead { tr { th { "programs" } th { "in common" } th { "" } } }
                        tbody {
                            @for pair in pairs { (one(pair)) }
                            @for group in starters { (of_starter(group)) }
                        }
                    }
                }
            }
            p { a href="/organiser" { "The organiser's page" } }
        }
    };
    page("Programs that are alike", &[], body)
}

fn describe_version(version: &Version) -> String {
    format!("{}, version {}", version.display_name, version.number)
}

fn one(pair: &Pair) -> Markup {
    html! {
        tr {
            th scope="row" {
                (name(&describe_version(&pair.first))) " and "
                (name(&describe_version(&pair.second)))
            }
            td class="number" {
                @match pair.likeness {
                    Likeness::SameFiles => { "the same files" }
                    Likeness::SameButForNames => { "the same but for comments and names" }
                    Likeness::Pieces => { (format!("{:.0} %", pair.share * 100.0)) }
                }
            }
            td {
                a href={ "/organiser/similarity/" (pair.first.id) "/" (pair.second.id) } {
                    "side by side"
                }
            }
        }
    }
}

/// Renders programs that are a starter kit and nothing else.
fn of_starter(group: &Starters) -> Markup {
    let names: Vec<String> = group.versions.iter().map(describe_version).collect();
    html! {
        tr class="starter" {
            th scope="row" { (name(&names.join("; "))) }
            td class="number" {
                @if group.is_unchanged { "unchanged starter" }
                @else { "starter, but for comments and names" }
                @if names.len() > 1 { ", the same files" }
            }
            td {}
        }
    }
}

/// Renders two programs side by side.
pub(crate) fn side_by_side(versions: [&Version; 2], files: &[Vec<MarkedFile>; 2]) -> Page {
    let body = html! {
        main {
            h1 { "Side by side" }
            p { a href="/organiser/similarity" { "All pairs" } }
            div class="wide" {
                table class="list" id="beside" {
                    thead { tr {
                        @for version in versions { th { (name(&describe_version(version))) } }
                    } }
                    tbody { tr {
                        @for files in files {
                            td {
                                @for file in files { (marked(file)) }
                            }
                        }
                    } }
                }
            }
        }
    };
    page("Side by side", &[], body)
}

fn marked(file: &MarkedFile) -> Markup {
    html! {
        h3 { (clean(&file.path)) }
        pre class="lines" {
            @for (line, is_shared) in &file.lines {
                @if *is_shared { mark { (clean(&line.replace('\t', "    "))) } }
                @else { (clean(&line.replace('\t', "    "))) }
                "\n"
            }
        }
    }
}
