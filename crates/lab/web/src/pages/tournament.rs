//! A tournament's page: standings with intervals drawn, a heat map of who met whom, and the distribution
//! of scores on every scenario. The part that changes during the tournament can be requested alone.

use maud::{Markup, html};
use quintain_core::{Objective, Scoring};
use quintain_report::{describe_caveats, describe_faults, describe_ranks, is_doubtful};
use quintain_scene::clean;
use quintain_standings::{StandingsRow, Versus};
use quintain_stats::WinDrawLoss;

use super::charts::{Scale, WIDE, distribution, ends, interval, spread_scale};
use super::frame::{Page, figure, name, page, progress, query, tournament_link};
use super::home::card;
use crate::matches::MatchEntry;
use crate::overview::Overview;

/// Maximum number of players in the matrix and in charts, so that they stay readable.
const DRAWN: usize = 40;

/// Renders the whole page.
pub(crate) fn tournament(overview: &Overview, latest: &[MatchEntry], now: i64) -> Page {
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
                (tournament_part(overview, latest, now))
            }
            details { summary { "Tournament file" } pre { (clean_lines(&info.file)) } }
        }
    };
    page(clean(&info.name), &["live.js"], body)
}

fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// Renders the part that changes during the tournament. `latest` are its latest matches; `now` is in
/// milliseconds since 1970.
pub(crate) fn tournament_part(overview: &Overview, latest: &[MatchEntry], now: i64) -> Markup {
    let info = &overview.info;
    let standings = &overview.standings;
    let is_played = info.played < info.fixtures;
    let better = match info.objective {
        Objective::Maximize => "higher scores are better",
        Objective::Minimize => "lower scores are better",
    };
    html! {
        p class="summary" role="status" {
            (info.game) ", " (info.format) ": " (progress(info)) "; " (better)
            @if is_played { " " span class="running" { "incomplete" } }
        }
        @if standings.overall.is_empty() {
            p { "No match has been played yet." }
        } @else {
            @if is_played {
                h2 { "Newest matches" }
                ul class="pictures live-boards" { @for listed in latest { li { (card(listed, now)) } } }
            }
            h2 id="standings" { "Standings" }
            (table(overview, &standings.overall, "standings-table"))
            @for caveat in describe_caveats(standings) { p class="note" { (caveat) } }
            @if let Some(versus) = &standings.versus { (matrix(versus)) }
            @if standings.scenarios.len() > 1 { (by_scenario(overview)) }
            @if !is_played {
                h2 { "Latest matches" }
                ul class="pictures" { @for listed in latest { li { (card(listed, now)) } } }
            }
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
                summary { (name(&standings.scenario)) span class="count" { (standings.matches) " matches" } }
                (table(overview, &standings.rows, &format!("scenario-{number}")))
            }
        }
    }
}

/// Renders a table of players, best first. Only the overall table has ratings.
fn table(overview: &Overview, rows: &[StandingsRow], id: &str) -> Markup {
    let is_versus = overview.info.scoring == Scoring::Adversarial;
    let is_rated = rows.iter().any(|row| row.elo.is_some());
    let elo = |row: &StandingsRow| row.elo.as_ref().map(|elo| (elo.rating, elo.low, elo.high));
    // As in a terminal: the spread of scores is shown where no rating sums them up.
    let is_spread = !is_versus || !is_rated;
    let ratings = rows.iter().filter_map(elo).flat_map(|(rating, low, high)| [rating, low, high]);
    let ratings = Scale::new(ratings, 8.0, WIDE - 8.0);
    let means = rows.iter().flat_map(|row| {
        let interval = row.summary.interval;
        [Some(row.summary.mean), interval.map(|i| i.low), interval.map(|i| i.high)]
    });
    // If all scores are positive, the scale need not be extended for intervals below zero.
    let is_positive = rows.iter().all(|row| row.summary.mean > 0.0);
    let means = means.flatten().filter(|value| !is_positive || *value > 0.0);
    let means = Scale::new(means, 8.0, WIDE - 8.0);
    let are_resampled = rows.iter().any(|row| row.resampled.is_some());
    let have_medians = is_spread && rows.iter().any(|row| row.summary.median_interval.is_some());
    // On a single scenario the place is the rank.
    let are_placed =
        overview.standings.scenarios.len() > 1 && rows.iter().any(|row| row.places.is_some());
    let are_cut_off = rows.iter().any(|row| row.truncated > 0);
    html! {
        div class="wide" {
            table class="list sortable" id=(id) {
                thead { tr {
                    th scope="col" class="number" { "#" }
                    th scope="col" { "player" }
                    @if are_resampled {
                        th scope="col" class="number" title="the ranks that each player may have; all hold together with 95 % confidence" { "ranks 95 %" }
                    }
                    @if is_rated {
                        th scope="col" class="number" { "Elo ± 95 %" }
                        th scope="col" { span class="hidden" { "interval" } }
                    }
                    @if is_versus {
                        th scope="col" class="number" { "points %" }
                        th scope="col" class="number" { "won" }
                        th scope="col" class="number" { "drawn" }
                        th scope="col" class="number" { "lost" }
                    }
                    th scope="col" class="number" { "n" }
                    @if !is_rated {
                        th scope="col" class="number" { "mean ± 95 %" }
                        th scope="col" { span class="hidden" { "interval" } }
                    }
                    @if is_spread {
                        th scope="col" class="number" { "median" }
                        @if have_medians { th scope="col" class="number" { "median 95 %" } }
                        th scope="col" class="number" { "least" }
                        th scope="col" class="number" { "most" }
                    }
                    @if !is_versus { th scope="col" class="number" { "to the first" } }
                    @if are_placed {
                        th scope="col" class="number" title="over scenarios" { "mean rank" }
                        th scope="col" class="number" { "1st" }
                        th scope="col" class="number" { "2nd" }
                        th scope="col" class="number" { "3rd" }
                    }
                    th scope="col" class="number" { "forfeits" }
                    @if are_cut_off { th scope="col" class="number" { "cut off" } }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            td class="number" { (row.rank) }
                            th scope="row" {
                                a href={ (tournament_link(&overview.info)) "/matches?player=" (query(&row.player)) } {
                                    (name(&row.player))
                                }
                            }
                            @if are_resampled {
                                @let best = row.resampled.as_ref().map_or(row.rank, |resampled| resampled.ranks.0);
                                td class="number" data-sort=(best) { (describe_ranks(row)) }
                            }
                            @if is_rated {
                                @match elo(row) {
                                    Some((rating, low, high)) => {
                                        td class="number" data-sort=(rating) {
                                            (format!("{rating:+.0} ± {:.0}", (high - low) / 2.0).replace('-', "−"))
                                            @if row.elo.as_ref().is_some_and(|elo| elo.sweep.is_some()) { "*" }
                                        }
                                        td data-sort=(rating) { (interval(&ratings, rating, Some((low, high)))) }
                                    }
                                    None => { td {} td {} }
                                }
                            }
                            @if is_versus {
                                @let games = row.games.unwrap_or_default();
                                @let share = games.share().unwrap_or_default() * 100.0;
                                td class="number" data-sort=(share) { (format!("{share:.1}")) }
                                td class="number" { (games.wins) }
                                td class="number" { (games.draws) }
                                td class="number" { (games.losses) }
                            }
                            td class="number" { (row.summary.n) }
                            @if !is_rated {
                                @let bounds = row.summary.interval.map(|i| (i.low, i.high));
                                td class="number" data-sort=(row.summary.mean) {
                                    (figure(row.summary.mean))
                                    @if let Some((low, high)) = bounds { " ± " (figure((high - low) / 2.0)) }
                                    @if is_doubtful(row) { "!" }
                                }
                                td data-sort=(row.summary.mean) { (interval(&means, row.summary.mean, bounds)) }
                            }
                            @if is_spread {
                                td class="number" data-sort=(row.summary.median) { (figure(row.summary.median)) }
                                @if have_medians {
                                    @match row.summary.median_interval {
                                        Some(i) => td class="number" data-sort=(i.low) { (figure(i.low)) " to " (figure(i.high)) },
                                        None => td {},
                                    }
                                }
                                @for value in [row.summary.min, row.summary.max] {
                                    td class="number" data-sort=(value) { (figure(value)) }
                                }
                            }
                            @if !is_versus {
                                @match &row.to_leader {
                                    Some(paired) => td class="number" data-sort=(paired.difference) {
                                        (figure(paired.difference))
                                        @if let Some(i) = paired.interval {
                                            " ± " (figure((i.high - i.low) / 2.0))
                                        }
                                    },
                                    None => td {},
                                }
                            }
                            @if are_placed {
                                @match &row.places {
                                    Some(places) => {
                                        td class="number" data-sort=(places.mean_rank) { (format!("{:.2}", places.mean_rank)) }
                                        @for count in [places.first, places.second, places.third] {
                                            td class="number" { (count) }
                                        }
                                    }
                                    None => { td {} td {} td {} td {} }
                                }
                            }
                            td class="number" data-sort=(row.forfeits) {
                                (row.forfeits)
                                @if row.forfeits > 0 { ": " (describe_faults(&row.faults)) }
                            }
                            @if are_cut_off { td class="number" { (row.truncated) } }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the games of each player against each other one, tinted by the share of points.
fn matrix(versus: &Versus) -> Markup {
    let players = &versus.players[..versus.players.len().min(DRAWN)];
    let cell = |games: &WinDrawLoss| match games.share() {
        Some(share) => html! {
            td class={ "heat heat-" ((share * 10.0).round() as u8) }
                title=(format!("{:.0} % of the points", share * 100.0)) {
                (games.wins) "–" (games.draws) "–" (games.losses)
            }
        },
        None => html! { td class="heat none" { "·" } },
    };
    html! {
        h2 { "Who met whom" }
        p class="note" { "Won–drawn–lost of the row's player against the column's; the darker, the more points." }
        div class="wide" {
            table class="list matrix" {
                thead { tr {
                    th {}
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
                                        (cell(games))
                                    } @else { td class="heat none" title=(clean(other)) { "·" } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if players.len() < versus.players.len() {
            p class="note" { "The first " (DRAWN) " of " (versus.players.len()) " players are shown." }
        }
    }
}

/// Renders the distributions of scores, one figure per scenario.
fn spreads(overview: &Overview) -> Markup {
    html! {
        h2 { "How scores spread" }
        p class="note" { "How often each score occurred; below, quartiles with the median, and the least and greatest." }
        @for (number, (scenario, players)) in overview.scores.iter().enumerate() {
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
