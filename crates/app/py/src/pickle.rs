//! How values name their game in pickles.

use quintain_core::AnyGame;

/// The game and the scenario of a value, as `Game` takes them; pickles identify it by these.
pub(crate) fn name_and_scenario(game: &dyn AnyGame) -> (String, String) {
    (game.name().to_owned(), game.scenario().to_owned())
}
