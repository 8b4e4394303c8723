//! The bound on the contacts that are not bonds by the numbers of sides alone.

use crate::rules::instance::{Instance, Interaction};

/// The sides that monomer `index` can touch others with besides its bonds.
pub(crate) fn sides(instance: &Instance, index: usize) -> i32 {
    let bonds = i32::from(index > 0) + i32::from(index + 1 < instance.len());
    (instance.torus().degree() as i32 - bonds).max(0)
}

/// The capacity bound: each contact takes a free side of one monomer and one of a partner that
/// suits it. So R_nc ≤ min(cap E₊, cap O₋) + min(cap E₋, cap O₊) over even (E) and odd (O) indices;
/// between H and H, min(cap E, cap O). On a torus with an odd side, parity says nothing: min(cap₊,
/// cap₋), or half of all sides of H.
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
