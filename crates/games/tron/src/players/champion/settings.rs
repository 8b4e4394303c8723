//! The champion's settings, and its tuned numbers, read once from `tuned.toml`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::holding::Weights;
use super::network::Network;

/// What the player's parameters set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Entries of the transposition table, as a power of two.
    pub(crate) table_bits: u32,
    pub(crate) weights: Weights,
    /// The worth of each cell by which one player can probably fill more than the other once they
    /// are apart, in thousandths of the logarithm of the odds.
    pub(crate) spare_cell: i32,
    /// The worth of both ending at once, on the same scale.
    pub(crate) draw: i32,
    /// How much less than `draw` a head-on collision is worth while 1000 cells are free.
    pub(crate) contempt: i32,
    /// The network that values positions of two who move at once, in place of the weighted sum.
    pub(crate) network: Option<Arc<Network>>,
}

impl Default for Settings {
    fn default() -> Self {
        let Tuned { table_bits, weights, values } = tuned();
        Settings {
            table_bits: *table_bits,
            weights: *weights,
            spare_cell: values.spare_cell,
            draw: values.draw,
            contempt: values.contempt,
            network: Some(Network::built_in()),
        }
    }
}

/// The tuned numbers, which `tuned.toml` explains. They are read when they are first needed.
pub(crate) fn tuned() -> &'static Tuned {
    static READ: LazyLock<Tuned> = LazyLock::new(|| {
        toml::from_str(TUNED).unwrap_or_else(|problem| panic!("tuned.toml: {problem}"))
    });
    &READ
}

/// The file.
pub(crate) const TUNED: &str = include_str!("tuned.toml");

/// Everything in the file.
#[derive(Deserialize, Debug)]
pub(crate) struct Tuned {
    pub(crate) table_bits: u32,
    pub(crate) weights: Weights,
    pub(crate) values: Values,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Values {
    pub(super) certainty: f32,
    pub(super) lead: i32,
    pub(crate) spare_cell: i32,
    pub(crate) draw: i32,
    pub(crate) contempt: i32,
}
