//! The first page: what is running, standings at a glance, the latest matches with pictures of
//! their last positions, and, separately, what has been superseded.

use std::sync::Arc;

use maud::{Markup, html};
use quintain_core::Scoring;
use quintain_scene::clean;
use quintain_standings::StandingsRow;
use quintain_store::TournamentInfo;

use super::frame::{Page, figure, name, page, progress, tournament_link};
use crate::headline;
use crate::matches::MatchEntry;
use crate::overview::Overview;

/// Number of matches shown with a picture.
const PICTURED: usize = 12;
/// Number of a tournament's best players shown.
const BEST: usize = 3;
/// Number of players named below a picture.
const NAMED: usize = 4;

/// The content of the first page.
pub(crate) struct Home {
    pub(crate) tournaments: Vec<TournamentInfo>,
    /// Overviews of some of the tournaments that count.
    pub(crate) glances: Vec<Arc<Overview>>,
    /// The latest matches, the latest first.
    pub(crate) latest: Vec<MatchEntry>,
    /// The current time in milliseconds since 1970.
    pub(crate) now: i64,
    pub(crate) store: String,
    pub(crate) allow_play: bool,
    pub(crate) workers: bool,
}

/// Renders the page.
pub(crate) fn front(home: &Home) -> Page {
    let (current, old): (Vec<_>, Vec<_>) =
        home.tournaments.iter().partition(|info| info.superseded_by.is_none());
    let (running, stopped): (Vec<&TournamentInfo>, Vec<&TournamentInfo>) = current
        .iter()
        .filter(|info| info.is_running || info.played < info.fixtures)
        .partition(|info| info.is_running);
    let body = html! {
        main {
            h1 { "Quintain" }
            @if home.allow_play { p { a class="button" href="/play" { "Play a match yourself" } } }
            (unfinished("running", "Running", &running))
            (unfinished("stopped", "Not finished", &stopped))
            h2 id="tournaments" { "Tournaments" }
            @if home.tournaments.is_empty() {
                p { "There is no tournament in " code { (clean(&home.store)) } " yet. Play one:" }
                pre { "quintain tournament tournaments/quick.toml" }
            } @else {
                (table(&current, &home.glances))
            }
            @if !old.is_empty() {
                details id="superseded" {
                    summary {
                        "Superseded: " (old.len())
                        @if old.len() == 1 { " earlier run" } @else { " earlier runs" }
                    }
                    (table(&old, &[]))
                }
            }
            @if !home.latest.is_empty() {
                h2 id="latest" { "Played lately" }
                ul class="pictures" {
                    @for listed in home.latest.iter().take(PICTURED) {
                        li { (card(listed, home.now)) }
                    }
                }
                p { a href="/matches" { "All matches, latest first" } }
            }
            @if home.workers { p { a href="/workers" { "Workers and what they play" } } }
        }
    };
    page("Home", &[], body)
}

/// Renders a list of tournaments that are not complete, if there are any.
fn unfinished(id: &str, title: &str, tournaments: &[&TournamentInfo]) -> Markup {
    html! {
        @if !tournaments.is_empty() {
            h2 id=(id) { (title) }
            ul class="games" {
                @for info in tournaments {
                    li {
                        a href=(tournament_link(info)) { (name(&info.name)) } " "
                        (progress(info)) ", last run " (info.run_on)
                    }
                }
            }
        }
    }
}

fn table(tournaments: &[&TournamentInfo], glances: &[Arc<Overview>]) -> Markup {
    html! {
        div class="wide" {
            table class="list sortable tournaments" {
                thead { tr {
                    th scope="col" { "tournament" }
                    th scope="col" { "game" }
                    th scope="col" { "format" }
                    th scope="col" { "last run" }
                    th scope="col" { "played" }
                    @if !glances.is_empty() { th scope="col" { "first three" } }
                } }
                tbody {
                    @for info in tournaments {
                        tr {
                            th scope="row" { a href=(tournament_link(info)) { (name(&info.name)) } }
                            td { (info.game) }
                            td { (info.format) }
                            td class="run" data-sort=(info.run_at) { (info.run_on) }
                            td class="played" data-sort=(info.played) { (progress(info)) }
                            @if !glances.is_empty() {
                                @let glance = glances.iter().find(|known| known.info.id == info.id);
                                td class="best" { @if let Some(known) = glance { (lead(known)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the best players, with the value that ranks them.
fn lead(overview: &Overview) -> Markup {
    html! {
        ol class="lead" {
            @for row in overview.standings.overall.iter().take(BEST) {
                @let is_rated = overview.info.scoring == Scoring::Adversarial;
                @let rating = row.elo.as_ref().filter(|_| is_rated);
                li {
                    (name(&row.player)) " "
                    span class="number" {
                        @match rating {
                            Some(elo) => {
                                (format!("{:+.0}", elo.rating).replace('-', "−")) " Elo"
                            }
                            None => { (ranking_value(overview, row)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the value by which a player without a rating is ranked: on several scenarios, whose
/// scores may be on different scales, the mean of its ranks.
fn ranking_value(overview: &Overview, row: &StandingsRow) -> String {
    match &row.places {
        Some(places) if overview.standings.scenarios.len() > 1 => {
            format!("mean rank {}", figure(places.mean_rank))
        }
        _ => format!("mean {}", figure(row.summary.mean)),
    }
}

/// Renders a match with its last position.
pub(super) fn card(listed: &MatchEntry, now: i64) -> Markup {
    let address = format!("/matches/{}", listed.id);
    let place = headline::place(&listed.game, &listed.scenario, &listed.seed.to_string());
    html! {
        a class="card" href=(address) data-turns=(listed.turns) {
            img src={ (address) "/picture.svg" } alt="" loading="lazy" width="220" height="160";
            span class="place" { (place) }
        }
        @let seats = listed.players.iter().zip(&listed.scores).take(NAMED).enumerate();
        @for (seat, (player, score)) in seats {
            div class="seat" {
                span {
                    @if listed.players.len() > 1 { (headline::letter(seat)) " " }
                    (name(player))
                }
                span class="number" { (figure(*score)) }
            }
        }
        @if listed.players.len() > NAMED { div { "and " (listed.players.len() - NAMED) " more" } }
        div class="note" { (ago(now - listed.played_at)) }
    }
}

/// Returns in words how long ago something was.
fn ago(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let format =
        |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format(seconds / 60, "minute"),
        3600..86_400 => format(seconds / 3600, "hour"),
        _ => format(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_given_in_everyday_units() {
        for (seconds, text) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400, "1 day ago"),
            (300_000, "3 days ago"),
        ] {
            assert_eq!(ago(seconds * 1000), text);
        }
    }
}
