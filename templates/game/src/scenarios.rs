//! Where the game is played: the scenario families, each with its parameters.

use quintain_core::Entry;
use quintain_core::parameters::NoParameters;

use crate::environment::scenario;
use crate::rules::NewGame;

/// Registers all of them; the first one is the default.
pub(crate) fn add_to(entry: Entry<NewGame>) -> Entry<NewGame> {
    entry.scenario("standard", "three by three cells", "tic-tac-toe", |_: &mut NoParameters| {
        Ok(scenario(NewGame))
    })
}
