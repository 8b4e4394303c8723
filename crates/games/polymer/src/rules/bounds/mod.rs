//! Upper bounds on R_nc, the worth of the contacts that are not bonds. Each holds for every walk of
//! the chain; none needs a search.
//!
//! On a bipartite torus two monomers can touch only if their indices differ in parity. Every
//! monomer has as many free sides as cells have neighbours, less its bonds.

mod capacity;
mod transport;

use crate::rules::instance::Instance;
pub use capacity::capacity;
pub(crate) use capacity::sides;

/// The least of all bounds here. On a ring there is only one walk, with its mirror image, and its
/// worth is the bound.
pub fn best(instance: &Instance) -> i32 {
    let torus = instance.torus();
    if torus.is_ring() {
        let walk: Vec<u16> = (0..instance.len() as u16).collect();
        return instance.worth(&walk) - instance.chain();
    }
    capacity(instance).min(transport::transportation(instance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::instance::Interaction;
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
