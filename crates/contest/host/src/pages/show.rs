//! A page for the projector: a match of those at the top as large as the screen allows, the
//! standings beside it, and when the final is over, the knockout and the podium, revealed from the
//! third place up. A script shows the next match without leaving the page.

use maud::{Markup, html};
use quintain_web::pages::{Page, figure, name, needs_scripts};

use super::{page as page_of, scores, seats};
use crate::config::Config;
use crate::duels::{DuelSide, ProgramDuel, TieBreak, podium_of};
use crate::ladder::Rung;
use crate::performance::{Names, measure};
use crate::state::PlayedMatch;

/// How many rows of the standings fit beside a match.
const ROWS: usize = 12;

/// The content of the page.
pub(crate) struct Show<'a> {
    pub(crate) rungs: &'a [Rung],
    pub(crate) is_solo: bool,
    /// The matches of the final that are played, and all of its matches, if it has begun.
    pub(crate) of_final: Option<(usize, usize)>,
    /// The match to watch.
    pub(crate) watched: Option<&'a PlayedMatch>,
    pub(crate) names: &'a Names,
    /// The knockout of the best, by rounds, once the final is over.
    pub(crate) knockout: &'a [Vec<ProgramDuel>],
    /// Participants who were banned; their matches in the final remain.
    pub(crate) banned: &'a [i64],
}

impl Show<'_> {
    /// Whether the final is over.
    pub(crate) fn is_over(&self) -> bool {
        self.of_final.is_some_and(|(played, planned)| played == planned)
    }

    /// Renders a participant's name, and whether they are of the house or banned.
    fn player(&self, rung: &Rung) -> Markup {
        html! {
            (name(&rung.version.display_name))
            @if rung.version.is_house() { span class="note" { " (house)" } }
            (self.ban(rung.version.participant))
        }
    }

    fn ban(&self, participant: i64) -> Markup {
        html! { @if self.banned.contains(&participant) { span class="note" { " (banned)" } } }
    }
}

/// Renders the page.
pub(crate) fn page(config: &Config, shown: &Show<'_>) -> Page {
    let is_over = shown.is_over();
    let body = html! {
        div class="show" id="show" data-over[is_over] {
            h1 id="show-title" {
                (name(&config.name))
                @if let Some((played, planned)) = shown.of_final {
                    @if is_over { ": the final is over" }
                    @else { ": the final, " (played) " of " (planned) " matches played" }
                }
            }
            @if is_over {
                main class="show-over" { (knockout(shown)) (podium(shown)) }
            } @else {
                main class="show-match" {
                    div class="show-stage" { (watched(shown)) }
                    (standings(shown))
                }
            }
        }
    };
    page_of(&config.name, &["show.js"], body)
}

fn watched(shown: &Show<'_>) -> Markup {
    html! {
        @if let Some(played) = shown.watched {
            p class="answer" id="watched" {
                (seats(played, shown.names)) ", match " (played.pairing.id)
            }
            div id="show-board" data-replay={ "/api/matches/" (played.record) "/replay" } {
                (needs_scripts("Showing the match"))
            }
        } @else { p class="note" { "The first match that can be watched appears here." } }
    }
}

fn standings(shown: &Show<'_>) -> Markup {
    html! {
        table class="list compact" id="standings" {
            thead { tr { th { "rank" } th { "participant" } th { "" } } }
            tbody {
                @for rung in shown.rungs.iter().take(ROWS) {
                    tr {
                        td class="number" { (rung.rank) }
                        th scope="row" { (shown.player(rung)) }
                        td class="number" {
                            @if let Some(value) = rung.measure { (measure(shown.is_solo, value)) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the knockout, a column for each round; the style sheet reveals one after the other.
fn knockout(shown: &Show<'_>) -> Markup {
    let rounds = shown.knockout;
    let title = |duels: usize| match duels {
        1 => "Last duel",
        2 => "Last four",
        _ => "Last eight",
    };
    html! {
        @if !rounds.is_empty() {
            section class={ "knockout of-" (rounds.len()) } id="knockout" {
                @for round in rounds {
                    div class="round" {
                        h2 { (title(round.len())) }
                        div class="duels" { @for duel in round { (one_duel(shown, duel)) } }
                    }
                }
            }
            p class="note" id="knockout-note" {
                "The knockout of the best " (count_players(&rounds[0])) ", each duel by the \
                 matches of both in the final. With as many points, the better rank in the final \
                 goes on; on equal ranks, the version that was submitted first."
            }
        }
    }
}

fn count_players(round: &[ProgramDuel]) -> usize {
    round.iter().map(|duel| duel.sides().count()).sum()
}

fn one_duel(shown: &Show<'_>, duel: &ProgramDuel) -> Markup {
    let side = |side: &DuelSide, is_alone: bool| {
        html! {
            p class=[side.goes_on.then_some("goes-on")] {
                span class="place" { (side.rank) } " "
                span { (name(&side.display_name)) (shown.ban(side.participant)) }
                @if !is_alone { span class="points" { (figure(side.points)) } }
            }
        }
    };
    html! {
        div class="duel" {
            (side(&duel.first, duel.second.is_none()))
            @if let Some(second) = &duel.second {
                (side(second, false))
                @let score = format!("{}:{}", figure(duel.first.points), figure(second.points));
                @match duel.tie_break() {
                    Some(TieBreak::Rank) => p class="note" { (score) ", by rank" },
                    Some(TieBreak::HandedInFirst) => {
                        p class="note" { (score) ", equal ranks: submitted first" }
                    }
                    None => {}
                }
            }
        }
    }
}

/// Renders the best three, the third first; the style sheet reveals them one after the other. Who
/// has won the knockout is the first.
fn podium(shown: &Show<'_>) -> Markup {
    let best = podium_of(shown.rungs, shown.knockout);
    html! {
        ol class="podium" id="podium" reversed {
            @for (place, stands) in best.iter().enumerate().rev() {
                li class={ "place-" (place + 1) } {
                    span class="place" {
                        @if place == 0 { "Winner" } @else { (place + 1) }
                    }
                    " "
                    (name(&stands.display_name)) (shown.ban(stands.participant))
                }
            }
        }
        p class="note" {
            a href="/final" { "All ranks of the final" }
            @if let Some(played) = shown.watched {
                ", and its last match among the best: "
                a href={ "/matches/" (played.record) } {
                    (seats(played, shown.names)) ", " (scores(played))
                }
            }
        }
    }
}
