//! What made the score of a match, in words: how far the walk got, and when most of it was gained.

use crate::rules::instance::{Instance, Interaction};
use crate::rules::step::Step;
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
    let worth = worth(rules.instance(), &last);
    let gains = values.windows(2).map(|pair| pair[1] - pair[0]);
    let (turn, gain) = (1..).zip(gains).min_by_key(|(turn, gain)| (-gain, *turn))?;
    Some(match gain {
        gain if gain > 0 => {
            format!("{end}, {worth}; the best step was turn {turn}, worth {gain}")
        }
        _ => format!("{end}, {worth}; no step gained any"),
    })
}

/// Says which monomer a step put where.
pub(super) fn tell(rules: &Polymer, after: &State, step: Step) -> Option<String> {
    let instance = rules.instance();
    let monomer = *instance.monomers().get(after.walk().len().checked_sub(1)?)?;
    let monomer = match (instance.interaction(), monomer) {
        (Interaction::Hp, 0) => "a polar monomer",
        (Interaction::Hp, _) => "a hydrophobic monomer",
        (Interaction::Charge, 0) => "a monomer without charge",
        (Interaction::Charge, 1) => "a positive monomer",
        (Interaction::Charge, _) => "a negative monomer",
    };
    let place = match step {
        Step::Right => "to the right",
        Step::Down => "below",
        Step::Left => "to the left",
        Step::Up => "above",
        Step::Forward => "in the next layer",
        Step::Back => "in the layer before",
    };
    Some(format!("lays {monomer} {place}"))
}

/// What the figures of a match are called.
pub(super) const FIGURES: &[(&str, &str)] = &[
    ("monomers laid", "monomers laid"),
    ("dead end", "dead ends"),
    ("R", "worth of all neighbours (R)"),
    ("R_nc", "worth of contacts, without the chain's own bonds (R_nc)"),
    ("bound on R_nc", "most that contacts can be worth (proved bound on R_nc)"),
];

/// What the chain is worth so far, in words.
pub(super) fn worth(instance: &Instance, state: &State) -> String {
    match instance.interaction() {
        Interaction::Charge => format!("worth {}", state.r()),
        Interaction::Hp => {
            format!("energy {}", bonds(instance, state.walk().len()) - state.r())
        }
    }
}

/// The sum over the bonds of the first `laid` monomers.
pub(super) fn bonds(instance: &Instance, laid: usize) -> i32 {
    let bonds = instance.monomers()[..laid].windows(2);
    bonds.map(|bond| i32::from(bond[0]) * i32::from(bond[1])).sum()
}
