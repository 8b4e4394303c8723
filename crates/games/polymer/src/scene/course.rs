//! What made the score of a match, in words: how far the walk got, and when most of it was gained.

use crate::rules::{Polymer, State};

/// Describes what decided a match with these positions.
pub(super) fn describe(
    rules: &Polymer,
    positions: &mut dyn Iterator<Item = State>,
) -> Option<String> {
    let mut values = Vec::new();
    let mut last = None;
    for state in positions {
        values.push(state.r());
        last = Some(state);
    }
    let last = last?;
    let (laid, all) = (last.walk().len(), rules.instance().len());
    let end = match laid == all {
        true => format!("All {all} monomers were laid"),
        false => format!("A dead end after {laid} of {all} monomers"),
    };
    let gains = values.windows(2).map(|pair| pair[1] - pair[0]);
    let (turn, gain) = (1..).zip(gains).min_by_key(|(turn, gain)| (-gain, *turn))?;
    Some(match gain {
        gain if gain > 0 => {
            format!("{end} with R {}; the best step was turn {turn}, worth {gain}", last.r())
        }
        _ => format!("{end} with R {}; no step gained any", last.r()),
    })
}
