//! The champion's settings.

use std::sync::Arc;

use super::holding::Weights;
use super::network::Network;

/// What the player's parameters set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Entries of the transposition table, as a power of two.
    pub(crate) table_bits: u32,
    pub(crate) weights: Weights,
    /// The worth of each cell by which one player can probably fill more than the other once they are apart,
    /// in thousandths of the logarithm of the odds.
    pub(crate) spare_cell: i32,
    /// The worth of both ending at once, on the same scale.
    pub(crate) draw: i32,
    /// How much less than `draw` a head-on collision is worth while 1000 cells are free.
    pub(crate) contempt: i32,
    /// The network that values positions of two who move at once, in place of the weighted sum.
    pub(crate) network: Option<Arc<Network>>,
}

/// The tuned values, which are the parameters' defaults, except for the network.
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
