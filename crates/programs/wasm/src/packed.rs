//! A question in the game's packed encoding, as bytes: 32-bit numbers, then the mask and the board.
//! `docs/wasm.md` describes it to authors of modules.

use std::time::Duration;

use quintain_core::NumberedQuestion;

/// Writes a question of a match with this seed; `time` is its fuel expressed as time. All numbers
/// are little-endian, as in WebAssembly's memory.
pub(crate) fn pack(
    question: &NumberedQuestion<'_>,
    seed: u64,
    time: Duration,
    bytes: &mut Vec<u8>,
) {
    let NumberedQuestion { seat, turn, sides: [rows, columns], board, features, mask, .. } =
        *question;
    bytes.clear();
    bytes.extend(seed.to_le_bytes());
    let time_ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    let numbers = [turn, seat.index() as u32, time_ms];
    let lengths = [mask.len(), features.len(), rows, columns].map(|length| length as u32);
    bytes.extend(numbers.into_iter().chain(lengths).flat_map(u32::to_le_bytes));
    bytes.extend(features.iter().flat_map(|feature| feature.to_le_bytes()));
    bytes.extend_from_slice(mask);
    bytes.extend_from_slice(board);
}
