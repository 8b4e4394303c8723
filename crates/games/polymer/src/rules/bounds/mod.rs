//! Upper bounds on R_nc, the worth of the contacts that are no bonds. Each holds for every
//! walk of the chain; none searches.
//!
//! On a bipartite torus two monomers can touch only if their indices differ in parity,
//! and every monomer has as many free sides as cells have neighbours less its bonds.

mod transport;

use crate::rules::instance::{Instance, Interaction};

/// The least of all bounds here. On a torus one cell wide there is only one walk, and its
/// mirror image: its worth is the bound.
pub fn best(instance: &Instance) -> i32 {
    let torus = instance.torus();
    if torus.width() == 1 || torus.height() == 1 {
        let walk: Vec<u16> = (0..instance.len() as u16).collect();
        return instance.worth(&walk) - instance.chain();
    }
    capacity(instance).min(transport::transportation(instance))
}

/// The sides that monomer `index` can touch others with besides its bonds.
pub(crate) fn sides(instance: &Instance, index: usize) -> i32 {
    let bonds = i32::from(index > 0) + i32::from(index + 1 < instance.len());
    (instance.torus().degree() as i32 - bonds).max(0)
}

/// Each contact takes a free side of one monomer and of a partner that suits it:
/// R_nc ≤ min(cap E₊, cap O₋) + min(cap E₋, cap O₊) over even (E) and odd (O) indices;
/// between H and H, min(cap E, cap O). On a torus with an odd side, parity says
/// nothing: min(cap₊, cap₋), or half of all sides of H.
pub fn capacity(instance: &Instance) -> i32 {
    // By parity of the index, then by sign: +1, −1.
    let mut capacity = [[0i32; 2]; 2];
    for (index, monomer) in instance.monomers().iter().enumerate() {
        if *monomer != 0 {
            capacity[index % 2][usize::from(*monomer < 0)] += sides(instance, index);
        }
    }
    let [even, odd] = capacity;
    match (instance.interaction(), instance.torus().is_bipartite()) {
        (Interaction::Charge, true) => even[0].min(odd[1]) + even[1].min(odd[0]),
        (Interaction::Charge, false) => (even[0] + odd[0]).min(even[1] + odd[1]),
        (Interaction::Hp, true) => even[0].min(odd[0]),
        (Interaction::Hp, false) => (even[0] + odd[0]) / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::torus::Torus;

    #[test]
    fn around_a_ring_the_bound_is_the_only_walks_worth() {
        let ring = |cells: usize, monomers: &[i8]| {
            let torus = Torus::new(1, cells).unwrap();
            best(&Instance::new(torus, Interaction::Charge, monomers.to_vec()).unwrap())
        };
        assert_eq!(ring(6, &[1, -1, 1, -1]), 0, "the ends do not meet");
        assert_eq!(ring(4, &[1, -1, 1, -1]), 1, "the ends meet");
        assert_eq!(ring(3, &[1, 0, 1]), -1, "and must");
        assert_eq!(ring(2, &[1, 1]), 0, "two monomers are bonded once");
    }
}
