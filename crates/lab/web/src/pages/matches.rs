//! The list of a tournament's matches, with the search form.

use maud::{Markup, html};
use quintain_core::{Objective, Scoring};
use quintain_scene::clean;
use quintain_standings::describe_faults;

use super::frame::{Page, figure, name, page, query, tournament_link};
use crate::headline;
use crate::match_entry::MatchEntry;
use crate::matches::{MatchPage, ON_A_PAGE, Order, OutcomeFilter, Search};
use crate::overview::Overview;
use crate::score_rules::ScoreRules;

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
            (list(search, found, &mut |_| Some((info.objective, info.scoring))))
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
pub(crate) fn latest(
    search: &Search,
    found: &MatchPage,
    (games, players): (&[&str], &[String]),
    rules: &mut ScoreRules<'_>,
) -> Page {
    let title = match (search.player.as_str(), search.against.as_str()) {
        ("", "") => "Latest matches".to_owned(),
        (player, "") | ("", player) => format!("Matches of {}", clean(player)),
        (player, against) => format!("{} against {}", clean(player), clean(against)),
    };
    let field = |named: &'static str, value: &str| {
        html! {
            label { (named) " "
                input name=(named) value=(value) size="18" maxlength="300" placeholder="any"
                    list=[(named != "scenario").then_some("players")];
            }
        }
    };
    let body = html! {
        main {
            h1 { (title) }
            form class="search" method="get" {
                label { "game "
                    select name="game" {
                        option value="" { "any" }
                        @for game in games {
                            option value=(game) selected[*game == search.game] { (game) }
                        }
                    }
                }
                (field("player", &search.player)) (field("against", &search.against))
                (field("scenario", &search.scenario))
                (outcomes(search)) button { "show" }
                datalist id="players" { @for player in players { option value=(player) {} } }
            }
            @if found.total == 0 {
                p class="note" {
                    "Names of players and scenarios are written in full, with their parameters, as \
                     standings have them."
                }
            }
            (list(search, found, &mut |listed| rules.of(&listed.game, &listed.scenario)))
        }
    };
    page(title, &[], body)
}

/// How the scores of a match are read; `None` if that is not known.
type RulesOf<'a> = &'a mut dyn FnMut(&MatchEntry) -> Option<(Objective, Scoring)>;

fn list(search: &Search, found: &MatchPage, rules: RulesOf<'_>) -> Markup {
    if search.order == Order::Worst && search.player.is_empty() {
        return html! {
            p class="summary" role="status" {
                "Choose a player: this order begins with the matches in which it did worst."
            }
        };
    }
    html! {
        p class="summary" role="status" {
            (found.total) @if found.total == 1 { " match" } @else { " matches" }
        }
        div class="wide" {
            table class="list" id="matches" {
                thead { tr {
                    th scope="col" { span class="hidden" { "picture" } }
                    th scope="col" { "match" }
                    th scope="col" { "players and scores" }
                    @if let Some(word) = measure(search.order) {
                        th scope="col" class="number" { (word) }
                    }
                    th scope="col" { "record" }
                } }
                tbody { @for listed in &found.matches { (row(listed, rules(listed))) } }
            }
        }
        (pages(search, found.total))
    }
}

/// Says who did what, in how many turns, and how it ended.
fn tell(listed: &MatchEntry, rules: Option<(Objective, Scoring)>) -> String {
    let scores = rules.map(|_| listed.scores.as_slice());
    let rules = rules.unwrap_or((Objective::Maximize, Scoring::Independent));
    let result = headline::result(&listed.players, scores, rules);
    let unit = if listed.turns == 1 { "turn" } else { "turns" };
    let cut_off = if listed.truncated { " (cut off)" } else { "" };
    format!("{result}, {} {unit}: {}{cut_off}", listed.turns, clean(&listed.ending))
}

fn row(listed: &MatchEntry, rules: Option<(Objective, Scoring)>) -> Markup {
    let address = format!("/matches/{}", listed.id);
    html! {
        tr {
            td class="thumbnail" {
                a href=(address) tabindex="-1" aria-hidden="true" {
                    img src={ (address) "/picture.svg" } alt="" loading="lazy" width="96"
                        height="64";
                }
            }
            th scope="row" class="where" {
                a href=(address) { (tell(listed, rules)) }
                @let seed = listed.seed.to_string();
                div class="place" {
                    @let place = (listed.game.as_str(), listed.scenario.as_str());
                    (headline::place_with(place, &seed, listed.number))
                }
                @if let Some((seat, why)) = &listed.fault {
                    div class="fault" { (headline::letter(*seat)) ": " (clean(why)) }
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

/// Renders the choice of the result: the player's, or anybody's if none is given.
fn outcomes(search: &Search) -> Markup {
    let outcomes = [
        (OutcomeFilter::Any, "any"),
        (OutcomeFilter::Won, "won"),
        (OutcomeFilter::Drawn, "drawn"),
        (OutcomeFilter::Lost, "lost"),
        (OutcomeFilter::Forfeit, "by a forfeit"),
        (OutcomeFilter::CutOff, "cut off by a limit"),
    ];
    let outcomes = outcomes.map(|(own, text)| (word(own), text));
    let words = outcomes.iter().map(|(own, text)| (own.as_str(), *text));
    choices("outcome", "result", &word(search.outcome), words)
}

fn form(overview: &Overview, search: &Search) -> Markup {
    let players = || overview.players().map(|player| (player, player));
    let scenarios = overview.scores.keys().map(|scenario| (scenario.as_str(), scenario.as_str()));
    let any = |text: &'static str| std::iter::once(("", text));
    let mut orders = vec![(Order::Arrival, "as played"), (Order::Longest, "longest first")];
    if overview.info.scoring == Scoring::Adversarial {
        orders.push((Order::Upsets, "largest upsets first"));
    }
    orders.push((Order::Worst, "worst for the player first"));
    let orders: Vec<_> = orders.into_iter().map(|(own, text)| (word(own), text)).collect();
    let order_words = orders.iter().map(|(own, text)| (own.as_str(), *text));
    html! {
        form class="search" method="get" {
            (choices("player", "player", &search.player, any("any").chain(players())))
            @if overview.info.scoring == Scoring::Adversarial {
                (choices("against", "against", &search.against, any("any").chain(players())))
            }
            (choices("scenario", "scenario", &search.scenario, any("any").chain(scenarios)))
            (outcomes(search))
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
