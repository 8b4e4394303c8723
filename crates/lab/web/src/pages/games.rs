//! What pages about games share: addresses, cards, the order of players.

use maud::{Markup, html};
use quintain_core::{AnyEntry, Catalog, Listed};
use quintain_scene::clean;

/// The address of a game's page.
pub(crate) fn game_link(game: &str) -> String {
    format!("/games/{game}")
}

/// The address of a picture that explains the signs of a game.
pub(super) fn explained_picture(game: &str) -> String {
    game_link(game) + "/explained.svg"
}

/// Returns the players in the order of their strength, and then those whose strength is not known.
pub(super) fn weak_to_strong(entry: &dyn AnyEntry) -> Vec<Listed> {
    let mut players = entry.players();
    players.sort_by_key(|known| (known.strength.is_none(), known.strength));
    players
}

/// Renders a card for each game, which leads where `address` says, with `more` at its end.
pub(super) fn cards(
    catalog: &Catalog,
    address: impl Fn(&str) -> String,
    more: impl Fn(&dyn AnyEntry) -> Markup,
) -> Markup {
    html! {
        ul class="pictures" {
            @for entry in catalog.entries() {
                li {
                    a class="card" href=(address(entry.name())) {
                        img src={ (game_link(entry.name())) "/picture.svg" } alt="" loading="lazy"
                            width="220" height="160";
                        b class="place" { (entry.name()) }
                    }
                    div { (clean(entry.summary())) }
                    (more(entry))
                }
            }
        }
    }
}
