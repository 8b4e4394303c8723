//! A tournament's page: who is best and how sure that is, the matches worth watching, who met whom,
//! standings, and how scores spread. The part that changes during the tournament can be requested
//! alone.

mod bracket;
mod table;

use std::collections::BTreeMap;

use maud::{Markup, html};
use quintain_core::Objective;
use quintain_report::{Reason, describe_caveats, headline, scores_spread};
use quintain_scene::clean;
use quintain_standings::Versus;
use quintain_stats::WinDrawLoss;
use quintain_store::TournamentInfo;

use self::table::{explained, ratings, table};
use super::charts::{distribution, ends, spread_scale};
use super::frame::{Page, clean_lines, name, page, progress, query, tournament_link, with_names};
use super::home::card_untold;
use crate::match_entry::MatchEntry;
use crate::overview::Overview;

/// Maximum number of players in the matrix and in charts, so that they stay readable.
const DRAWN: usize = 40;

/// Why a tournament says nothing to be certain while it is played.
pub(super) const AT_THE_END: &str = "So far. Who is certainly better is said once all matches \
                                     are played: the statistics are for a number of seeds that was \
                                     fixed before.";

/// Matches that the page shows.
pub(crate) struct ShownMatches {
    /// Those worth watching, each with the reason.
    pub(crate) notable: Vec<(Reason, MatchEntry)>,
    /// The newest ones, each with how long ago it was played.
    pub(crate) newest: Vec<(String, MatchEntry)>,
}

/// Renders the whole page.
pub(crate) fn tournament(overview: &Overview, shown: &ShownMatches) -> Page {
    let info = &overview.info;
    let body = html! {
        main {
            h1 { (name(&info.name)) }
            nav class="tabs" aria-label="Of this tournament" {
                a href={ (tournament_link(info)) "/matches" } { "matches" }
                a href={ (tournament_link(info)) "/compare" } { "compare two players" }
                a href={ "/api" (tournament_link(info)) "/results?form=csv" } { "results as CSV" }
                a href={ "/api" (tournament_link(info)) "/records" } { "records" }
            }
            div id="live" data-part={ (tournament_link(info)) "/part" }
                data-events={ "/api" (tournament_link(info)) "/events" } {
                (tournament_part(overview, shown))
            }
            details { summary { "Tournament file" } pre { (clean_lines(&info.file)) } }
        }
    };
    let page = page(clean(&info.name), &["live.js"], body);
    match headline(&overview.standings) {
        Some(headline) => page.described(headline),
        None => page,
    }
}

/// Renders the part that changes during the tournament.
pub(crate) fn tournament_part(overview: &Overview, shown: &ShownMatches) -> Markup {
    let info = &overview.info;
    let standings = &overview.standings;
    let is_incomplete = overview.is_incomplete();
    let better = match info.objective {
        Objective::Maximize => "higher scores are better",
        Objective::Minimize => "lower scores are better",
    };
    html! {
        p class="summary" role="status" {
            (info.game) ", "
            @match (&standings.bracket, &standings.rounds) {
                (Some(_), _) => { "knockout" }
                (_, Some(_)) => { "Swiss" }
                _ if !standings.challengers.is_empty() => { "gauntlet" }
                _ => { (info.format) }
            }
            ": " (progress(info)) "; " (better)
            @if overview.is_played_now() { " " span class="running" { "running" } }
            @else if is_incomplete {
                " " span class="running" { "interrupted" } " (the same command goes on)"
            }
        }
        @if standings.overall.is_empty() {
            p { "No match has been played yet." }
        } @else {
            @if let Some(headline) = headline(standings) {
                p class="answer" { strong { (with_names(&headline, overview.players())) } }
            }
            @if overview.is_played_now() { p class="note" { (AT_THE_END) } }
            @if let Some(bracket) = &standings.bracket { (bracket::draw(info, bracket)) }
            @if let Some(rounds) = &standings.rounds { (bracket::draw_rounds(info, rounds)) }
            @if standings.bracket.is_some() || standings.rounds.is_some() { h2 { "Ratings" } }
            (ratings(overview))
            @if !shown.newest.is_empty() {
                h2 { "Newest matches" }
                ul class="pictures live-boards" {
                    @for (ago, listed) in &shown.newest { li { (card_untold(listed, ago, "")) } }
                }
            }
            @if !shown.notable.is_empty() {
                h2 id="notable" { "Worth watching" }
                ul class="pictures" {
                    @for (Reason { text, result, .. }, listed) in &shown.notable {
                        li { (card_untold(listed, text, result)) }
                    }
                }
            }
            @if let Some(versus) = &standings.versus { (matrix(info, versus)) }
            h2 id="standings" { "Standings" }
            (table(overview, &standings.overall, "standings-table"))
            (explained(overview, &standings.overall))
            @if !overview.is_played_now() {
                @for caveat in describe_caveats(standings) { p class="note" { (caveat) } }
            }
            @if standings.scenarios.len() > 1 { (by_scenario(overview)) }
            (spreads(overview))
        }
    }
}

/// Renders a table of standings for each scenario.
fn by_scenario(overview: &Overview) -> Markup {
    html! {
        h2 { "By scenario" }
        @for (number, standings) in overview.standings.scenarios.iter().enumerate() {
            details {
                summary {
                    (name(&standings.scenario))
                    span class="count" { (standings.matches) " matches" }
                }
                (table(overview, &standings.rows, &format!("scenario-{number}")))
            }
        }
    }
}

/// Renders the games of each player against each other one, tinted by the share of points.
fn matrix(info: &TournamentInfo, versus: &Versus) -> Markup {
    let players = &versus.players[..versus.players.len().min(DRAWN)];
    let matches = tournament_link(info) + "/matches";
    let cell = |player: &str, other: &str, games: &WinDrawLoss| match games.share() {
        Some(share) => {
            let (player, other) = (query(player), query(other));
            let address = format!("{matches}?player={player}&against={other}");
            html! {
                td class={ "heat heat-" ((share * 10.0).round() as u8) }
                    title=(format!("{:.0} % of the points", share * 100.0)) {
                    a href=(address) { (games.wins) "–" (games.draws) "–" (games.losses) }
                }
            }
        }
        None => html! { td class="heat none" { "·" } },
    };
    html! {
        h2 { "Who met whom" }
        p class="note" { "Won–drawn–lost of the row's player against the column's, with a link to \
                          these matches; the stronger the colour, the more points." }
        div class="wide" {
            table class="list matrix" {
                thead { tr {
                    th scope="col" { "#" }
                    th scope="col" { "player" }
                    @for place in 1..=players.len() { th scope="col" { (place) } }
                } }
                tbody {
                    @for (row, player) in players.iter().enumerate() {
                        tr {
                            td class="number" { (row + 1) }
                            th scope="row" { (name(player)) }
                            @for (column, other) in players.iter().enumerate() {
                                @if row == column { td class="heat none" { "–" } }
                                @else {
                                    @let games = &versus.matrix[row][column];
                                    @if games.games() > 0 {
                                        (cell(player, other, games))
                                    } @else { td class="heat none" title=(clean(other)) { "·" } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if players.len() < versus.players.len() {
            p class="note" { "The first " (DRAWN) " of " (versus.players.len()) " players are \
                                                                                 shown." }
        }
    }
}

/// Renders the distributions of scores, one figure for each scenario on which they spread.
fn spreads(overview: &Overview) -> Markup {
    let is_drawn =
        |players: &BTreeMap<String, Vec<f64>>| scores_spread(players.values().map(Vec::as_slice));
    let scenarios: Vec<_> =
        overview.scores.iter().filter(|(_, players)| is_drawn(players)).collect();
    html! {
        @if !scenarios.is_empty() {
            h2 { "How scores spread" }
            p class="note" { "How often each score occurred; below, quartiles with the median, \
                              and the least and greatest." }
        }
        @for (number, (scenario, players)) in scenarios.into_iter().enumerate() {
            @let scale = spread_scale(players.values().flatten().copied());
            details class="spreads" open[number < 4] {
                summary { (name(scenario)) }
                div class="spread-grid" {
                    @for player in overview.players().take(DRAWN) {
                        @if let Some(scores) = players.get(player) {
                            div class="who" { (name(player)) span class="count" { (scores.len()) } }
                            (distribution(&scale, scores))
                        }
                    }
                    div {} (ends(&scale))
                }
            }
        }
    }
}
