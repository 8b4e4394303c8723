//! The organiser's page of points: a preview, what each is for, tables for learning platforms, and
//! the button that publishes them.

use maud::{Markup, html};
use quintain_web::pages::{Page, name};

use super::{moment, page, sentence};
use crate::formula::format_points;
use crate::points::{PointsFormat, PointsTable, Published, describe};
use crate::state::time_of;
use crate::zone::Zone;

/// Renders the page.
pub(crate) fn page_of(
    zone: &Zone,
    points: &PointsTable,
    published: Option<&Published>,
    merged: Option<&str>,
) -> Page {
    let body = html! {
        main {
            h1 { "Points of the " (points.standings) }
            (status(zone, points, published))
            form method="post" action="/organiser/points" {
                button { "Publish these points" }
            }
            p {
                "Tables: "
                a href="/organiser/points.csv" { "CSV" } ", "
                a href="/organiser/points.csv?format=moodle" { "for Moodle" } ", "
                a href="/organiser/points.csv?format=canvas" { "for Canvas" } "."
            }
            @for format in [PointsFormat::Moodle, PointsFormat::Canvas] {
                @if let Some(remark) = points.describe_unfound(format) {
                    p class="note" { (name(&remark)) "." }
                }
            }
            @if let Some(merged) = merged {
                p class="note" id="merged" { (name(&sentence(merged))) "." }
            }
            (table(points, published))
            p class="note" { "The most is " (format_points(points.max)) "." }
            p { a href="/organiser" { "The organiser's page" } }
        }
    };
    page("Points", &[], body)
}

/// Renders whether points are published, and what to know before they are.
fn status(zone: &Zone, points: &PointsTable, published: Option<&Published>) -> Markup {
    html! {
        p {
            "By the formula in host.toml, as it is now. "
            @match published {
                Some(published) => {
                    "Published " (moment(zone, time_of(published.at)))
                    @if !published.standings.is_empty() { ", of the " (published.standings) }
                    ", of " (published.of.len())
                    @if published.of.len() == 1 { " participant" } @else { " participants" }
                    ", on each one’s page; participants see those points until you publish "
                    "again."
                }
                None => { "Not published: participants see no points." }
            }
        }
        @if let Some(unfinished) = &points.unfinished {
            p class="fault" id="unfinished" { (name(&sentence(unfinished))) "." }
        }
        @if let Some(unreachable) = &points.unreachable {
            p class="fault" id="out-of-reach" { "Note: " (name(&unreachable.advise())) "." }
        }
        @for doubt in &points.doubts {
            p class="fault doubt" { "Note: " (name(doubt)) }
        }
    }
}

/// Renders everybody's points, with those that were published.
fn table(points: &PointsTable, published: Option<&Published>) -> Markup {
    html! {
        div class="wide" {
            table class="list compact" id="points" {
                thead { tr {
                    th { "participant" } th class="less" { "number" } th { "points" }
                    th class="less" { "published" }
                    th { "for" } th { "missing" }
                } }
                tbody {
                    @for (who, of) in &points.rows {
                        @let before = published.and_then(|published| published.of.get(&who.id));
                        tr {
                            th scope="row" { (name(&who.display_name)) }
                            td class="less" { (name(&who.course.number)) }
                            td class="number" { (format_points(of.all)) }
                            td class="number less" {
                                @match before {
                                    Some(before) => { (format_points(before.all)) }
                                    None => { "–" }
                                }
                            }
                            td class="words" { (name(&describe(of))) }
                            td class="words" { (name(&of.missing.join("; "))) }
                        }
                    }
                }
            }
        }
    }
}
