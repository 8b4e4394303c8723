//! The page for games whose two seats play different roles: who builds best, say, and whose
//! requests are hardest; everybody against everybody; and who did better against the same
//! opponents.

use maud::{Markup, html};
use quintain_stats::WinDrawLoss;
use quintain_web::pages::{Page, name};

use super::page as framed;
use crate::grades::{MAX_IN_SEAT_TABLE, StandingsBySeat};
use crate::performance::measure;
use crate::seats::{Place, SeatTable};
use crate::state::Version;

/// Renders the page.
pub(crate) fn page([first, second]: [&String; 2], seats: &StandingsBySeat) -> Page {
    let StandingsBySeat { versions, table, is_final } = seats;
    let title = format!("{first} × {second}");
    let body = html! {
        main {
            h1 { (name(&title)) }
            p class="note" {
                @if *is_final { "In the final. " } @else { "On the ladder. " }
                @if versions.len() == MAX_IN_SEAT_TABLE {
                    "The first " (MAX_IN_SEAT_TABLE) " are in the tables. "
                }
                @match table.mean {
                    Some(mean) => {
                        "The mean score of a " (name(first)) " is " (whole(mean))
                        "; “more or less” is how far each program moves it, other things being \
                         equal."
                    }
                    None => "No match has been played yet.",
                }
            }
            h2 { "As " (name(first)) }
            (places("first-seat", versions, &table.first, Some(table)))
            h2 { "As " (name(second)) ": the hardest first" }
            (places("second-seat", versions, &table.second, None))
            h2 { "All pairs" }
            p class="note" {
                "The mean score of the " (name(first)) " above, with the " (name(second))
                " on the left."
            }
            (matrix("scores", versions, (&table.second, &table.first), &|second, first| {
                table.mean_of(first, second).map_or("–".to_owned(), whole)
            }))
            h2 { "Against the same " (name(second)) }
            p class="note" {
                "How often the program on the left scored more than the one above, and how often \
                 less. Their first matches against each opponent are compared, then their second \
                 ones, and so on."
            }
            (matrix("duels", versions, (&table.first, &table.first), &|own, other| {
                let duel = table.duel(own, other);
                if own == other { String::new() } else { format!("{}:{}", duel.wins, duel.losses) }
            }))
        }
    };
    framed(&title, &[], body)
}

fn whole(value: f64) -> String {
    measure(false, value)
}

fn signed(value: f64) -> String {
    let text = whole(value);
    if text.starts_with('−') || text == "0" { text } else { format!("+{text}") }
}

/// Renders the ranking at one seat; with a seat table, also the number of duels won.
fn places(id: &str, versions: &[Version], places: &[Place], duels: Option<&SeatTable>) -> Markup {
    html! {
        div class="wide" {
            table class="list compact" id=(id) {
                thead { tr {
                    th { "rank" } th { "participant" } th { "more or less" }
                    @if duels.is_some() { th { (WinDrawLoss::TITLE) } }
                    th { "matches" }
                } }
                tbody {
                    @for (rank, place) in places.iter().enumerate() {
                        tr {
                            td class="number" { (rank + 1) }
                            th scope="row" { (name(&versions[place.at].label())) }
                            td class="number" { (place.difference.map_or("–".to_owned(), signed)) }
                            @if let Some(table) = duels {
                                td class="number" { (table.record(place.at)) }
                            }
                            td class="number" { (place.matches) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a table of everybody on the left against everybody above.
fn matrix(
    id: &str,
    versions: &[Version],
    (left, above): (&[Place], &[Place]),
    cell: &dyn Fn(usize, usize) -> String,
) -> Markup {
    html! {
        div class="wide" {
            table class="list compact" id=(id) {
                thead { tr {
                    th {}
                    @for place in above { th { (name(&versions[place.at].label())) } }
                } }
                tbody {
                    @for own in left {
                        tr {
                            th scope="row" { (name(&versions[own.at].label())) }
                            @for other in above {
                                td class="number" { (cell(own.at, other.at)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
