//! What can be set about the champion.

use std::sync::Arc;

use super::holding::Weights;
use super::network::Network;

/// What the player's parameters set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Entries of the transposition table, as a power of two.
    pub(crate) table_bits: u32,
    pub(crate) weights: Weights,
    /// What each cell is worth that one player can probably fill more than the other, once they
    /// are apart, in thousandths of the logarithm of the odds.
    pub(crate) spare_cell: i32,
    /// What it is worth that both end at once, on the same scale.
    pub(crate) draw: i32,
    /// How much less than that a head-on collision is worth while 1 000 cells are free.
    pub(crate) contempt: i32,
    /// What values positions of two who move at once in place of the weighted sum.
    pub(crate) network: Option<Arc<Network>>,
}

/// The tuned values, which are the parameters' defaults, but for the network.
pub(crate) const USUAL: Settings = Settings {
    table_bits: 18,
    weights: Weights { cell: 55, edge: 194, front: 55 },
    spare_cell: 1500,
    draw: 0,
    contempt: 400,
    network: None,
};

impl Default for Settings {
    fn default() -> Self {
        Settings { network: Some(Network::built_in()), ..USUAL }
    }
}
