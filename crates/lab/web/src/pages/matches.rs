//! The list of a tournament's matches, with the search form.

use maud::{Markup, html};
use quintain_core::Scoring;
use quintain_scene::clean;
use quintain_standings::describe_faults;

use super::frame::{Page, figure, name, page, query, tournament_link};
use crate::headline;
use crate::match_entry::MatchEntry;
use crate::matches::{MatchPage, ON_A_PAGE, Order, OutcomeFilter, Search};
use crate::overview::Overview;

/// Number of seats named in a row.
const NAMED: usize = 6;

/// Renders the page.
pub(crate) fn matches(overview: &Overview, search: &Search, found: &MatchPage) -> Page {
    let info = &overview.info;
    let body = html! {
        main {
            h1 { a href=(tournament_link(info)) { (name(&info.name)) } ": matches" }
            (form(overview, search))
            (forfeits(overview, &search.player))
            (list(search, found))
        }
    };
    page(format!("{}: matches", clean(&info.name)), &[], body)
}

/// Renders how many matches a player forfeited, and why.
fn forfeits(overview: &Overview, player: &str) -> Markup {
    let row = overview.standings.overall.iter().find(|row| row.player == player);
    html! {
        @if let Some(row) = row.filter(|row| row.forfeits > 0) {
            p class="fault" {
                (name(player)) " forfeited " (row.forfeits) ": " (describe_faults(&row.faults))
            }
        }
    }
}

/// Renders the latest matches of the store: all, or those of the players that are searched for.
pub(crate) fn latest(search: &Search, found: &MatchPage) -> Page {
    let title = match (search.player.as_str(), search.against.as_str()) {
        ("", "") => "Latest matches".to_owned(),
        (player, "") | ("", player) => format!("Matches of {}", clean(player)),
        (player, against) => format!("{} against {}", clean(player), clean(against)),
    };
    let field = |named: &'static str, value: &str| {
        html! {
            label { (named) " "
                input name=(named) value=(value) size="18" maxlength="300" placeholder="any";
            }
        }
    };
    let body = html! {
        main {
            h1 { (title) }
            form class="search" method="get" {
                (field("player", &search.player)) (field("against", &search.against))
                (field("scenario", &search.scenario)) button { "show" }
            }
            (list(search, found))
        }
    };
    page(title, &[], body)
}

fn list(search: &Search, found: &MatchPage) -> Markup {
    html! {
        p class="summary" role="status" { (found.total) " matches" }
        div class="wide" {
            table class="list" id="matches" {
                thead { tr {
                    th scope="col" { "match" }
                    th scope="col" { "players and scores" }
                    th scope="col" { "ended" }
                    th scope="col" class="number" { "turns" }
                    @if let Some(word) = measure(search.order) {
                        th scope="col" class="number" { (word) }
                    }
                    th scope="col" { "record" }
                } }
                tbody { @for listed in &found.matches { (row(listed)) } }
            }
        }
        (pages(search, found.total))
    }
}

fn row(listed: &MatchEntry) -> Markup {
    html! {
        tr {
            th scope="row" class="where" {
                @let seed = listed.seed.to_string();
                a href={ "/matches/" (listed.id) } {
                    (headline::place(&listed.game, &listed.scenario, &seed))
                }
            }
            td class="who" {
                @let seats = listed.players.iter().zip(&listed.scores).take(NAMED).enumerate();
                @for (seat, (player, score)) in seats {
                    div class="seat" {
                        span {
                            @if listed.players.len() > 1 { (headline::letter(seat)) " " }
                            (name(player))
                        }
                        " " span class="number" { (figure(*score)) }
                    }
                }
                @if listed.players.len() > NAMED { "and " (listed.players.len() - NAMED) " more" }
            }
            td {
                (clean(&listed.ending))
                @if listed.truncated { " (cut off)" }
                @if let Some((seat, why)) = &listed.fault {
                    div class="fault" { (headline::letter(*seat)) ": " (clean(why)) }
                }
            }
            td class="number" {
                (listed.turns)
                span class="narrow" { @if listed.turns == 1 { " turn" } @else { " turns" } }
            }
            @if let Some(measure) = listed.measure { td class="number" { (figure(measure)) } }
            td class="less" { code { (&listed.id[..8]) } }
        }
    }
}

/// Returns the head of the last column.
fn measure(order: Order) -> Option<&'static str> {
    match order {
        Order::Arrival => None,
        Order::Longest => Some("turns"),
        Order::Upsets => Some("rating points"),
        Order::Worst => Some("behind"),
    }
}

fn choices<'a>(
    named: &'static str,
    label: &'static str,
    chosen: &'a str,
    options: impl Iterator<Item = (&'a str, &'a str)>,
) -> Markup {
    html! {
        label { (label) " "
            select name=(named) {
                @for (value, text) in options {
                    option value=(value) selected[value == chosen] { (clean(text)) }
                }
            }
        }
    }
}

/// Returns the word for a value of a search.
fn word(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).expect("words have JSON");
    value.as_str().unwrap_or_default().to_owned()
}

fn form(overview: &Overview, search: &Search) -> Markup {
    let players = || overview.players().map(|player| (player, player));
    let scenarios = overview.scores.keys().map(|scenario| (scenario.as_str(), scenario.as_str()));
    let any = |text: &'static str| std::iter::once(("", text));
    let outcomes = [
        (OutcomeFilter::Any, "any"),
        (OutcomeFilter::Won, "won"),
        (OutcomeFilter::Drawn, "drawn"),
        (OutcomeFilter::Lost, "lost"),
        (OutcomeFilter::Forfeit, "by a forfeit"),
        (OutcomeFilter::CutOff, "cut off by a limit"),
    ];
    let mut orders = vec![(Order::Arrival, "as played"), (Order::Longest, "longest first")];
    if overview.info.scoring == Scoring::Adversarial {
        orders.push((Order::Upsets, "largest upsets first"));
    }
    orders.push((Order::Worst, "worst for the player first"));
    let outcomes: Vec<_> = outcomes.map(|(own, text)| (word(own), text)).into();
    let orders: Vec<_> = orders.into_iter().map(|(own, text)| (word(own), text)).collect();
    let outcome_words = outcomes.iter().map(|(own, text)| (own.as_str(), *text));
    let order_words = orders.iter().map(|(own, text)| (own.as_str(), *text));
    html! {
        form class="search" method="get" {
            (choices("player", "player", &search.player, any("any").chain(players())))
            @if overview.info.scoring == Scoring::Adversarial {
                (choices("against", "against", &search.against, any("any").chain(players())))
            }
            (choices("scenario", "scenario", &search.scenario, any("any").chain(scenarios)))
            (choices("outcome", "outcome", &word(search.outcome), outcome_words))
            (choices("order", "order", &word(search.order), order_words))
            button { "show" }
        }
    }
}

fn pages(search: &Search, total: u64) -> Markup {
    let last = total.div_ceil(ON_A_PAGE).saturating_sub(1);
    let address = |page: u64| {
        format!(
            "?player={}&against={}&scenario={}&outcome={}&order={}&page={page}",
            query(&search.player),
            query(&search.against),
            query(&search.scenario),
            word(search.outcome),
            word(search.order)
        )
    };
    html! {
        @if last > 0 {
            nav class="pages" aria-label="Pages" {
                @if search.page > 0 { a rel="prev" href=(address(search.page - 1)) { "← before" } }
                span { "page " (search.page + 1) " of " (last + 1) }
                @if search.page < last { a rel="next" href=(address(search.page + 1)) { "next →" } }
            }
        }
    }
}
