//! An instance: a chain of monomers, the torus it is to be laid on, and the worth of touching
//! monomers. How a walk is made is in [`crate::rules`], text forms of whole instances in
//! [`crate::notation`].

use std::collections::HashMap;

use quintain_core::choices;
use schemars::JsonSchema;
use serde::Serialize;

use crate::rules::errors::InstanceError;
use crate::rules::torus::Torus;

choices! {
    /// What touching monomers are worth.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Interaction {
        /// R = −Σ nᵢnⱼ; more is better.
        Charge = "charge",
        /// −1 for each contact of H with H that is not a bond; less is better.
        Hp = "hp",
    }
}

/// A chain and the torus it is to be laid on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    torus: Torus,
    interaction: Interaction,
    monomers: Vec<i8>,
    sign: i32,
    chain: i32,
}

impl Instance {
    /// An instance; monomers are charges −1, 0 and +1, or 1 for H and 0 for P.
    ///
    /// # Errors
    /// If there is no such walk, or a monomer is none of these values.
    pub fn new(
        torus: Torus,
        interaction: Interaction,
        monomers: Vec<i8>,
    ) -> Result<Instance, InstanceError> {
        if monomers.is_empty() {
            return Err(InstanceError("the chain has no monomers".to_owned()));
        }
        if monomers.len() > torus.cells() {
            return Err(InstanceError(format!(
                "impossible: a torus of {} has {} cells, so no self-avoiding walk of {} \
                 monomers exists",
                torus.size(),
                torus.cells(),
                monomers.len()
            )));
        }
        let allowed = if interaction == Interaction::Charge { -1..=1 } else { 0..=1 };
        if let Some(index) = monomers.iter().position(|monomer| !allowed.contains(monomer)) {
            return Err(InstanceError(format!(
                "monomer {} is {}; expected {} to {}",
                index + 1,
                monomers[index],
                allowed.start(),
                allowed.end()
            )));
        }
        let sign = if interaction == Interaction::Charge { -1 } else { 1 };
        let bonds = monomers.windows(2).map(|bond| i32::from(bond[0]) * i32::from(bond[1]));
        let chain = sign * bonds.sum::<i32>();
        Ok(Instance { torus, interaction, monomers, sign, chain })
    }

    /// An HP chain on a torus so large that the chain cannot meet itself around it: the plane.
    ///
    /// # Errors
    /// If the text is not of H and P, or too long.
    pub fn hp_in_the_plane(sequence: &str) -> Result<Instance, InstanceError> {
        let monomers = parse_hp(sequence)?;
        // Two monomers are at most n − 1 apart; an even side lets parity bound the energy.
        let side = (monomers.len() + 1).next_multiple_of(2);
        Instance::new(Torus::new(side, side)?, Interaction::Hp, monomers)
    }

    /// An HP chain on a torus of cubes so large that the chain cannot meet itself around it: the
    /// space. But it has at most 40×40×40 cells, as cell numbers fit in 16 bits.
    ///
    /// A chain of n ≥ 40 can meet itself around the largest torus, which makes contacts that do not
    /// exist in space. Such a fold has monomers in all 40 layers across one direction, so n − 40
    /// more than one in each; each of those adds at most three pairs of neighbours to the 40 of a
    /// ring. Without the n − 1 bonds, at most 2n − 79 contacts are left: 17 for a 48-mer, whose
    /// best folds have more than 30.
    ///
    /// # Errors
    /// If the text is not of H and P.
    pub fn hp_in_space(sequence: &str) -> Result<Instance, InstanceError> {
        const LARGEST: usize = 40;
        let monomers = parse_hp(sequence)?;
        let side = (monomers.len() + 1).next_multiple_of(2).min(LARGEST);
        Instance::new(Torus::with_layers(side, side, side)?, Interaction::Hp, monomers)
    }

    /// The torus.
    #[inline]
    pub fn torus(&self) -> &Torus {
        &self.torus
    }

    /// The worth of touching monomers.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// The monomers, in order.
    #[inline]
    pub fn monomers(&self) -> &[i8] {
        &self.monomers
    }

    /// The number of monomers.
    #[inline]
    pub fn len(&self) -> usize {
        self.monomers.len()
    }

    /// Whether more than half of the torus is to be filled.
    pub(crate) fn is_dense(&self) -> bool {
        2 * self.len() > self.torus.cells()
    }

    /// Whether there are no monomers; always false.
    pub fn is_empty(&self) -> bool {
        self.monomers.is_empty()
    }

    /// The number of monomers that are not neutral (or H).
    pub fn norm(&self) -> i32 {
        self.monomers.iter().filter(|monomer| **monomer != 0).count() as i32
    }

    /// The worth of a unit of nᵢnⱼ: −1 between charges, +1 between H and H.
    #[inline]
    pub fn sign(&self) -> i32 {
        self.sign
    }

    /// The worth of the bonds: the same for every walk.
    pub fn chain(&self) -> i32 {
        self.chain
    }

    /// The worth R of monomers on cells, over all adjacent occupied pairs of a walk or of a part of
    /// it.
    pub fn worth(&self, walk: &[u16]) -> i32 {
        let mut at = vec![0i8; self.torus.cells() + 1];
        let mut total = 0;
        for (cell, monomer) in walk.iter().zip(&self.monomers) {
            let around = self.torus.around(usize::from(*cell));
            let field: i32 = around.iter().map(|next| i32::from(at[usize::from(*next)])).sum();
            total += self.sign * i32::from(*monomer) * field;
            at[usize::from(*cell)] = *monomer;
        }
        total
    }

    /// The worth R of the same steps in open space, where a walk does not meet itself around the
    /// torus.
    pub fn worth_unrolled(&self, walk: &[u16]) -> i32 {
        let mut at: HashMap<[i32; 3], i32> = HashMap::new();
        let mut place = [0; 3];
        let mut total = 0;
        for (index, monomer) in self.monomers.iter().take(walk.len()).enumerate() {
            if index > 0 {
                let [last, cell] = [walk[index - 1], walk[index]];
                let next = self.torus.next(usize::from(last));
                let way = next.iter().position(|next| *next == cell);
                let way = way.expect("a walk goes from neighbour to neighbour");
                // In the order of the steps: right, down, left, up, forward, back.
                let (axis, by) = [(0, 1), (1, 1), (0, -1), (1, -1), (2, 1), (2, -1)][way];
                place[axis] += by;
            }
            let around = (0..3).flat_map(|axis| {
                [-1, 1].map(|by| {
                    let mut next = place;
                    next[axis] += by;
                    next
                })
            });
            let field: i32 = around.filter_map(|next| at.get(&next)).sum();
            total += self.sign * i32::from(*monomer) * field;
            at.insert(place, i32::from(*monomer));
        }
        total
    }

    /// The score of a whole walk with R = `r`: R, or the energy.
    pub fn score(&self, r: i32) -> f64 {
        f64::from(match self.interaction {
            Interaction::Charge => r,
            Interaction::Hp => self.chain - r,
        })
    }

    /// The score if there is no solution: worse than that of any walk.
    pub fn no_solution(&self) -> f64 {
        match self.interaction {
            Interaction::Charge => f64::from(-(self.torus.ways() as i32 / 2) * self.norm() - 1),
            Interaction::Hp => 1.0,
        }
    }
}

/// Reads a string of H and P as 1 and 0.
///
/// # Errors
/// Which letter is neither.
pub(crate) fn parse_hp(text: &str) -> Result<Vec<i8>, InstanceError> {
    text.trim()
        .chars()
        .enumerate()
        .map(|(index, letter)| match letter {
            'H' | 'h' => Ok(1),
            'P' | 'p' => Ok(0),
            _ => {
                let problem = format!("position {}: “{letter}” is neither H nor P", index + 1);
                Err(InstanceError(problem))
            }
        })
        .collect()
}
