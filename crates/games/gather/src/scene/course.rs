//! What made the length of a match, in words: when players first met, and when one held all units.

use quintain_core::Seat;

use crate::rules::Gather;
use crate::rules::state::State;
use crate::rules::torus::Move;

/// Describes what decided a match with these positions.
pub(super) fn describe(
    rules: &Gather,
    positions: &mut dyn Iterator<Item = State>,
) -> Option<String> {
    let most = |state: &State| {
        let held = Seat::all(state.seats()).map(|seat| (state.holdings(seat).count(), seat));
        held.max_by_key(|(count, seat)| (*count, std::cmp::Reverse(seat.index())))
    };
    let mut first_meeting = None;
    let mut last = None;
    for state in positions {
        if first_meeting.is_none() && most(&state).is_some_and(|(count, _)| count > 1) {
            first_meeting = Some(state.round());
        }
        last = Some(state);
    }
    let last = last?;
    let ((count, seat), units, end) = (most(&last)?, last.seats(), last.round());
    let met = match first_meeting {
        Some(turn) => format!("The first meeting was on turn {turn}"),
        None => return Some(format!("Nobody met in {end} turns")),
    };
    let seat = seat.letter();
    let bound = rules.torus().clairvoyant_bound(&last.starts);
    Some(match last.is_complete() {
        true => format!(
            "{met}; on turn {end} {seat} held all {units} units, which takes at least {bound}"
        ),
        false => format!("{met}; after {end} turns {seat} held {count} of {units} units"),
    })
}

/// Says where a seat went.
pub(super) fn tell(to: Move) -> &'static str {
    match to {
        Move::Stay => "stays",
        Move::W => "goes west",
        Move::E => "goes east",
        Move::N => "goes north",
        Move::S => "goes south",
        Move::NW => "goes north-west",
        Move::NE => "goes north-east",
        Move::SW => "goes south-west",
        Move::SE => "goes south-east",
    }
}

/// What the figures of a match are called.
pub(super) const FIGURES: &[(&str, &str)] = &[
    ("clairvoyant bound", "fewest turns if everybody saw everything"),
    ("rounds / bound", "turns as a multiple of that"),
    ("2L+2W", "twice the width and height of the board"),
    ("rounds / (2L+2W)", "turns as a multiple of that length"),
];
