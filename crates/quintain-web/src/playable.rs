//! Which scenarios visitors may play.

use quintain_core::Described;

/// Whether a scenario family may be played by visitors: not one that reads a file of this
/// machine by its path.
pub(crate) fn can_be_played(scenario: &Described) -> bool {
    scenario.parameters.iter().all(|parameter| parameter.name != "path")
}
