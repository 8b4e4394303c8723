//! A game's page: its rules in a screen, its players from weak to strong, and its scenarios.

use maud::{Markup, html};
use quintain_core::{AnyEntry, Listed};
use quintain_scene::clean;
use quintain_store::TournamentInfo;

use super::frame::{Page, name as label, page, tournament_link};
use super::games::{explained_picture, weak_to_strong};
use super::play::how_it_is_played;

/// Renders the page.
pub(crate) fn game(entry: &dyn AnyEntry, allow_play: bool, tournaments: &[TournamentInfo]) -> Page {
    let name = entry.name();
    let can_be_played = allow_play && entry.keyboard().is_some();
    let players = weak_to_strong(entry);
    let (ranked, others) =
        players.split_at(players.partition_point(|known| known.strength.is_some()));
    let body = html! {
        main {
            h1 { (name) }
            p class="summary" { (clean(entry.summary())) ". From " (clean(entry.source())) "." }
            @if can_be_played { p { a class="button" href={ "/play/" (name) } { "Play " (name) } } }
            (how_it_is_played(entry, &explained_picture(name)))
            h2 id="players" { "Players, from weak to strong" }
            ol class="listed" { @for known in ranked { (listed(known)) } }
            @if !others.is_empty() {
                p { "Not ranked:" }
                ul class="listed" { @for known in others { (listed(known)) } }
            }
            h2 id="scenarios" { "Scenarios" }
            ul class="listed" { @for known in entry.scenarios() { (listed(&known)) } }
            h2 id="played" { "Played" }
            ul {
                @for info in tournaments {
                    li { a href=(tournament_link(info)) { (label(&info.name)) } }
                }
                li { a href={ "/matches?game=" (name) } { "all matches of " (name) } }
            }
            p { "To see a match: " code { "quintain match " (name) } }
        }
    };
    page(name, &[], body).described(entry.summary())
}

fn listed(known: &Listed) -> Markup {
    html! { li { b { (known.name()) } ": " (clean(known.description.summary)) } }
}
