//! Where people play: the list of games, and the page of one, on which `play.js` runs a
//! session. It needs no knowledge of games.

use maud::{Markup, html};
use quintain_core::{AnyEntry, Catalog};
use quintain_scene::clean;

use super::page;
use crate::playable::can_be_played;

/// The choice of games.
pub(crate) fn play_choice(catalog: &Catalog, allow_play: bool) -> Markup {
    let body = html! {
        main {
            h1 { "Play" }
            @if !allow_play {
                p { "This server only shows. To play, start it with:" }
                pre { "quintain serve --allow-play" }
            }
            ul class="games" {
                @for entry in catalog.entries().filter(|entry| entry.keyboard().is_some()) {
                    li {
                        @if allow_play { a href={ "/play/" (entry.name()) } { (entry.name()) } }
                        @else { b { (entry.name()) } }
                        " – " (entry.summary())
                    }
                }
            }
        }
    };
    page("Play", &[], &body)
}

/// The page of a game.
pub(crate) fn play(entry: &dyn AnyEntry) -> Markup {
    let (scenario, players) = entry.showcase();
    let scenarios = entry.scenarios();
    let roster = entry.players();
    let usual = players.first().map_or("", |player| player.split('?').next().unwrap_or_default());
    let is_alone = entry.game(scenario).is_ok_and(|game| game.seats() == 1);
    let help = entry.keyboard().map_or("", |keyboard| keyboard.help);
    let body = html! {
        h1 { "Play " (entry.name()) }
        p class="note" { (entry.summary()) ". " (help) "." }
        form class="search" id="invitation" data-game=(entry.name()) {
            label { "scenario "
                input name="scenario" list="scenarios" value=(scenario) size="28" maxlength="300" required;
            }
            datalist id="scenarios" {
                @for known in scenarios.iter().filter(|known| can_be_played(known)) {
                    option value=(known.name) { (clean(known.summary)) }
                }
            }
            @if !is_alone {
                label { "against "
                    input name="opponent" list="players" value=(usual) size="20" maxlength="300";
                }
                datalist id="players" {
                    @for known in &roster { option value=(known.name) { (clean(known.summary)) } }
                }
                label { "seat " input name="seat" type="number" min="0" max="63" value="0"; }
                label { "thinking "
                    select name="think" {
                        @for (ms, text) in [(100, "0.1 s"), (300, "0.3 s"), (1000, "1 s"), (3000, "3 s")] {
                            option value=(ms) selected[ms == 300] { (text) }
                        }
                    }
                }
            }
            label { "your name " input name="name" value="guest" size="12" maxlength="40" required; }
            button class="play" { "begin" }
        }
        p id="problem" class="fault" role="alert" hidden {}
        main id="session" class="viewer" {}
    };
    page(&format!("Play {}", entry.name()), &["play.js"], &body)
}
