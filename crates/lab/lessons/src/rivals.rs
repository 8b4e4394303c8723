//! Who lost a match, and the players of a game from weak to strong.

use std::cmp::Ordering;

use quintain_core::{AnyEntry, Objective, Record, Seat};

/// Whether a seat lost a match between rivals.
pub(crate) fn has_lost(record: &Record, seat: Seat, objective: Objective) -> bool {
    compare_with_best(record, seat, objective) == Ordering::Less
}

/// How a seat's score compares with the best of the others.
pub(crate) fn compare_with_best(record: &Record, seat: Seat, objective: Objective) -> Ordering {
    let gains = record.outcome.scores.iter().map(|score| objective.gain(*score)).enumerate();
    let (own, others): (Vec<_>, Vec<_>) = gains.partition(|(other, _)| *other == seat.index());
    let best = |gains: Vec<(usize, f64)>| gains.iter().map(|own| own.1).fold(f64::MIN, f64::max);
    best(own).total_cmp(&best(others))
}

/// The ranked players of a game, from weak to strong.
pub(crate) fn ladder(entry: &dyn AnyEntry) -> Vec<String> {
    let mut ranked: Vec<(usize, String)> = entry
        .players()
        .iter()
        .filter_map(|player| Some((player.strength?, player.name().to_owned())))
        .collect();
    ranked.sort();
    ranked.into_iter().map(|(_, name)| name).collect()
}
