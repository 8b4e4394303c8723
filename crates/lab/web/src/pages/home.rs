//! The first page: what is running, the latest results in a sentence each, pictures of matches of
//! different kinds, the games, all tournaments and, separately, what has been superseded.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use maud::{Markup, html};
use quintain_core::{Catalog, Scoring};
use quintain_report::headline;
use quintain_scene::clean;
use quintain_standings::StandingsRow;
use quintain_store::TournamentInfo;

use super::frame::{Page, figure, name, page, progress, query, tournament_link, with_names};
use super::games::{cards, game_link};
use crate::headline::{letter, place};
use crate::match_entry::MatchEntry;
use crate::overview::Overview;

/// Number of matches shown with a picture.
const PICTURED: usize = 5;
/// Number of tournaments whose result is told in a sentence.
const TOLD: usize = 3;
/// Number of a tournament's best players shown.
const BEST: usize = 3;
/// Number of players named below a picture.
const NAMED: usize = 4;

/// The content of the first page.
pub(crate) struct Home<'a> {
    pub(crate) tournaments: Vec<TournamentInfo>,
    /// Overviews of some of the tournaments that count.
    pub(crate) glances: Vec<Arc<Overview>>,
    /// The latest matches, the latest first.
    pub(crate) latest: Vec<MatchEntry>,
    /// The current time in milliseconds since 1970.
    pub(crate) now: i64,
    pub(crate) store: String,
    pub(crate) catalog: &'a Catalog,
    pub(crate) allow_play: bool,
    pub(crate) workers: bool,
    /// The number of tests in the queue.
    pub(crate) tests: usize,
}

/// Renders the page.
pub(crate) fn front(home: &Home<'_>) -> Page {
    let (current, old): (Vec<_>, Vec<_>) =
        home.tournaments.iter().partition(|info| info.superseded_by.is_none());
    let (running, stopped): (Vec<&TournamentInfo>, Vec<&TournamentInfo>) = current
        .iter()
        .filter(|info| info.is_running || info.played < info.fixtures)
        .partition(|info| info.is_running);
    let body = html! {
        main {
            h1 { "Quintain" }
            p class="note" {
                "Programs play grid games here. Watch their matches, see which of them is better \
                 and how sure that is, and play yourself."
            }
            @if home.allow_play { p { a class="button" href="/play" { "Play a match yourself" } } }
            (unfinished("running", "Running", &running))
            (unfinished("stopped", "Not finished", &stopped))
            (results(&home.glances))
            @if !home.latest.is_empty() {
                h2 id="latest" { "Played lately" }
                ul class="pictures" {
                    @for listed in choose_different(&home.latest) {
                        li { (card_untold(listed, &ago(home.now - listed.played_at), "")) }
                    }
                }
                p { a href="/matches" { "All matches, latest first" } }
            }
            (own_players(home))
            h2 id="games" { "Games" }
            (cards(home.catalog, game_link, |_| html! {}))
            h2 id="tournaments" { "Tournaments" }
            @if home.tournaments.is_empty() {
                p { "There is no tournament in " code { (clean(&home.store)) } " yet. Play one:" }
                pre { "quintain tournament quick --store " (clean(&home.store)) }
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
            @if home.tests > 0 { p { a href="/tests" { "Tests of one player against another" } } }
            @if home.workers { p { a href="/workers" { "Workers and what they play" } } }
        }
    };
    page("Home", &["live-home.js"], body)
}

/// Tells the latest results, in a sentence each.
fn results(glances: &[Arc<Overview>]) -> Markup {
    let told = glances.iter().filter_map(|glance| Some((glance, headline(&glance.standings)?)));
    let told: Vec<_> = told.take(TOLD).collect();
    html! {
        @if !told.is_empty() {
            h2 id="results" { "Latest results" }
            ul class="results" {
                @for (glance, sentence) in told {
                    li {
                        a href=(tournament_link(&glance.info)) { (name(&glance.info.name)) }
                        " (" (glance.info.game) "): "
                        (with_names(&sentence, glance.players()))
                    }
                }
            }
        }
    }
}

/// What the names of programs and modules begin with, which are not a game's own players.
const OWN: [&str; 3] = ["bot:", "exec:", "wasm:"];

/// Renders links to the matches of the programs that played lately.
fn own_players(home: &Home<'_>) -> Markup {
    let in_matches =
        home.latest.iter().flat_map(|listed| listed.players.iter().map(String::as_str));
    let in_tournaments = home.glances.iter().flat_map(|glance| glance.players());
    let own: BTreeSet<&str> = in_matches
        .chain(in_tournaments)
        .filter(|player| OWN.iter().any(|prefix| player.starts_with(prefix)))
        .collect();
    html! {
        @if !own.is_empty() {
            h2 id="own" { "Programs" }
            ul class="results" {
                @for player in own {
                    li { a href={ "/matches?player=" (query(player)) } { (name(player)) } }
                }
            }
        }
    }
}

/// Chooses matches to show, the latest first: one of each game, then one of each scenario and seed,
/// and only then several of one.
fn choose_different(latest: &[MatchEntry]) -> Vec<&MatchEntry> {
    let (mut games, mut boards) = (HashSet::new(), HashSet::new());
    let mut ranked: Vec<(u8, &MatchEntry)> = latest
        .iter()
        .map(|listed| {
            let is_new_game = games.insert(&listed.game);
            let is_new_board = boards.insert((&listed.game, &listed.scenario, listed.seed));
            (if is_new_game { 0 } else { u8::from(!is_new_board) + 1 }, listed)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, listed)| listed).take(PICTURED).collect()
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
                        @let glance = glances.iter().find(|known| known.info.id == info.id);
                        @let bracket = glance.and_then(|known| known.standings.bracket.as_ref());
                        tr {
                            th scope="row" { a href=(tournament_link(info)) { (name(&info.name)) } }
                            td { (info.game) }
                            td { @if bracket.is_some() { "knockout" } @else { (info.format) } }
                            td class="run" data-sort=(info.run_at) { (info.run_on) }
                            td class="played" data-sort=(info.played) { (progress(info)) }
                            @if !glances.is_empty() {
                                td class="best" {
                                    @match (bracket, glance) {
                                        (Some(bracket), _) => {
                                            @match bracket.champion() {
                                                Some(champion) => {
                                                    (name(&bracket.players[champion])) " won"
                                                }
                                                None => "not over",
                                            }
                                        }
                                        (None, Some(known)) => { (lead(known)) }
                                        (None, None) => {}
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

/// Renders the best players, with the value that ranks them.
fn lead(overview: &Overview) -> Markup {
    html! {
        ol class="lead" {
            @for (place, row) in overview.standings.overall.iter().take(BEST).enumerate() {
                @let is_rated = overview.info.scoring == Scoring::Adversarial;
                @let rating = row.elo.as_ref().filter(|_| is_rated);
                // Ties share a rank.
                li value=[(row.rank != place as u64 + 1).then_some(row.rank)] {
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

/// Renders a match with a picture of it, and a note below it.
pub(super) fn card(listed: &MatchEntry, note: &str) -> Markup {
    html! {
        (picture_of(listed))
        (seats_of(listed, true))
        div class="note" { (note) }
    }
}

/// Renders a match that somebody may want to watch, with a note: how it ended is folded away, with
/// what there is to say about that.
pub(super) fn card_untold(listed: &MatchEntry, note: &str, result: &str) -> Markup {
    html! {
        (picture_of(listed))
        (seats_of(listed, false))
        div class="note" { (note) }
        details class="untold" {
            summary { "how it ended" }
            (seats_of(listed, true))
            @if !result.is_empty() { div class="note" { (result) } }
        }
    }
}

fn picture_of(listed: &MatchEntry) -> Markup {
    let address = format!("/matches/{}", listed.id);
    let place = place(&listed.game, &listed.scenario, &listed.seed.to_string());
    html! {
        a class="card" href=(address) data-turns=(listed.turns) {
            img src={ (address) "/picture.svg" } alt="" loading="lazy" width="220" height="160";
            span class="place" { (place) }
        }
    }
}

/// Renders who played, with scores or without.
fn seats_of(listed: &MatchEntry, has_scores: bool) -> Markup {
    html! {
        @let seats = listed.players.iter().zip(&listed.scores).take(NAMED).enumerate();
        @for (seat, (player, score)) in seats {
            div class="seat" {
                span {
                    @if listed.players.len() > 1 { (letter(seat)) " " }
                    (name(player))
                }
                @if has_scores { span class="number" { (figure(*score)) } }
            }
        }
        @if listed.players.len() > NAMED { div { "and " (listed.players.len() - NAMED) " more" } }
    }
}

/// Returns in words how long ago something was.
pub(crate) fn ago(milliseconds: i64) -> String {
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
    fn the_pictures_show_every_game_before_two_of_one_board() {
        let entry = |id: &str, game: &str, seed| MatchEntry {
            number: Default::default(),
            id: id.to_owned(),
            game: game.to_owned(),
            scenario: "obstacles".to_owned(),
            seed,
            players: Vec::new(),
            scores: Vec::new(),
            ending: String::new(),
            truncated: false,
            fault: None,
            turns: 1,
            elapsed_us: 1,
            played_at: 1,
            measure: None,
        };
        let latest = [
            entry("a", "tron", 3),
            entry("b", "tron", 3),
            entry("c", "tron", 2),
            entry("d", "hextris", 3),
        ];
        let chosen: Vec<&str> =
            choose_different(&latest).iter().map(|own| own.id.as_str()).collect();
        assert_eq!(chosen, ["a", "d", "c", "b"]);
    }

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
