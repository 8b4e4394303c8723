//! Costs of cells for walks of monomers to come.

/// The cost of a cell that cannot be taken.
pub(super) const NEVER: u8 = u8::MAX;

/// A table of costs by charge: of neutral monomers, of pluses, of minuses, and of the last of the
/// chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Costs {
    Neutral,
    Plus,
    Minus,
    Last,
}

impl Costs {
    /// The table for a monomer before the last.
    pub(super) fn of(monomer: i8) -> Costs {
        match monomer {
            0 => Costs::Neutral,
            1 => Costs::Plus,
            _ => Costs::Minus,
        }
    }
}

/// How many kinds of cells there are, which [`super::assignment`] numbers: empty ones by their
/// empty neighbours and what the taken ones offer, and taken ones. Not all numbers are used.
pub(super) const KINDS: usize = 32;

/// A cost for each kind of cell.
pub(super) type KindCosts = [u8; KINDS];
