//! Small networks as players, and self-play to train them, for every game with an encoding.
//!
//! | | |
//! |---|---|
//! | [`mod@file`] | networks in files (safetensors), checked before anything is computed |
//! | `onnx` | networks of any shape, in files of ONNX (feature `onnx`) |
//! | [`model`] | a network of either kind |
//! | [`sight`] | what an encoding shows a network |
//! | [`network`] | policy and value of one position, exact to the bit on every machine |
//! | [`evaluator`] | a network as the [`PriorEvaluator`] of a search |
//! | [`players`] | the players `net` and `puct` |
//! | [`shard`] | positions as arrays that NumPy maps into memory |
//! | [`self_play`] | many matches of a network against itself, into shards |
//! | [`tool`] | the verb `self-play` |
//! | [`imitation`] | the decisions of recorded matches, into shards |
//!
//! [`add_to`] registers the players and the verb on a game's entry. Training is done elsewhere: in
//! Python (`python -m quintain.train`), or by any program that reads the shards and writes such a
//! file.
//!
//! [`PriorEvaluator`]: quintain_search::puct::PriorEvaluator

mod cache;
mod convolution;
mod description;
pub mod evaluator;
pub mod file;
pub mod imitation;
pub mod model;
pub mod network;
#[cfg(feature = "onnx")]
pub mod onnx;
pub mod players;
mod quantized;
pub mod self_play;
pub mod shard;
pub mod sight;
pub mod tool;

use quintain_core::{Entry, Rules};

/// Registers the players `net` and `puct` and the verb `self-play` on a game's entry; does nothing
/// for a game without an encoding.
pub fn add_to<R: Rules>(entry: Entry<R>) -> Entry<R> {
    if entry.encodings().is_empty() {
        return entry;
    }
    let tool = tool::self_play_tool(&entry);
    players::add_to(entry).tool(tool)
}
