//! The transportation bound on the contacts that are not bonds.
//!
//! On a bipartite torus every side of every cell touches exactly one side of a cell of the other
//! colour, and bonds use up the same number of sides on both. Classify the remaining sides by the
//! content of their cell: a positive, a negative or a neutral monomer, or nothing. Then the
//! contacts of any walk are a transport from the four classes of one colour to the four of the
//! other, in which a unit from class a to class b is worth as much as their contact. The best
//! transport is at least as good as the best walk: a walk must also fit on the torus, whereas the
//! transport only has to match the numbers of sides.
//!
//! It is sharper than [`capacity`] where the torus is nearly full: then few sides are empty, and
//! sides of like charge have to touch each other.

use super::capacity::{capacity, sides};
use crate::rules::instance::Instance;

/// Classes of one colour: positive, negative, neutral (or P), empty.
const CLASSES: usize = 4;

/// The greatest worth of a transport between the sides of both colours; on a torus
/// that is not bipartite, the capacity bound.
pub fn transportation(instance: &Instance) -> i32 {
    let torus = instance.torus();
    if !torus.is_bipartite() {
        return capacity(instance);
    }
    let mut sides_of = [[0i32; CLASSES]; 2];
    let mut laid = [0i32; 2];
    for (index, monomer) in instance.monomers().iter().enumerate() {
        let class = match monomer {
            1 => 0,
            -1 => 1,
            _ => 2,
        };
        sides_of[index % 2][class] += sides(instance, index);
        laid[index % 2] += 1;
    }
    let cells_of_a_colour = torus.cells() as i32 / 2;
    if laid.iter().any(|laid| *laid > cells_of_a_colour) {
        // A ring of one cell: nothing touches.
        return capacity(instance);
    }
    for parity in 0..2 {
        sides_of[parity][3] = (cells_of_a_colour - laid[parity]) * torus.degree() as i32;
    }
    let charge = [1, -1, 0, 0];
    let worth = |even: usize, odd: usize| instance.sign() * charge[even] * charge[odd];
    greatest(sides_of[0], sides_of[1], worth).min(capacity(instance))
}

/// The greatest worth of a transport from `supply` to `demand`, by successive longest paths
/// (Busacker & Gowen 1960): units are moved along the path that gains most, which may take back
/// units moved before in favour of better ones. Every side has to touch something, so moving goes
/// on even at a negative gain, until the lesser sum is moved in full.
fn greatest(
    mut supply: [i32; CLASSES],
    mut demand: [i32; CLASSES],
    worth: impl Fn(usize, usize) -> i32,
) -> i32 {
    let mut moved = [[0i32; CLASSES]; CLASSES];
    let mut total = 0;
    loop {
        // The longest path from any class with supply left to any with demand left, by Bellman–Ford
        // over 4 + 4 nodes: forwards along a → b; backwards along what has been moved, at minus its
        // worth. `from` is the previous node on the best path.
        const NONE: i32 = i32::MIN / 2;
        let mut even = supply.map(|left| if left > 0 { 0 } else { NONE });
        let mut odd = [NONE; CLASSES];
        let mut from_even = [usize::MAX; CLASSES];
        let mut from_odd = [usize::MAX; CLASSES];
        for _ in 0..2 * CLASSES {
            for (a, b) in (0..CLASSES).flat_map(|a| (0..CLASSES).map(move |b| (a, b))) {
                if even[a] > NONE && even[a] + worth(a, b) > odd[b] {
                    odd[b] = even[a] + worth(a, b);
                    from_even[b] = a;
                }
                if moved[a][b] > 0 && odd[b] > NONE && odd[b] - worth(a, b) > even[a] {
                    even[a] = odd[b] - worth(a, b);
                    from_odd[a] = b;
                }
            }
        }
        let end = (0..CLASSES).filter(|b| demand[*b] > 0 && odd[*b] > NONE);
        let Some(end) = end.max_by_key(|b| odd[*b]) else { return total };
        let gain = odd[end];
        // Follow the path back; it carries as much as its tightest edge allows.
        let mut amount = demand[end];
        let mut path = Vec::new();
        let mut b = end;
        let start = loop {
            let a = from_even[b];
            path.push((a, b, 1));
            if from_odd[a] == usize::MAX {
                break a;
            }
            b = from_odd[a];
            amount = amount.min(moved[a][b]);
            path.push((a, b, -1));
        };
        amount = amount.min(supply[start]);
        for (a, b, way) in path {
            moved[a][b] += way * amount;
        }
        supply[start] -= amount;
        demand[end] -= amount;
        total += amount * gain;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORTH: [[i32; CLASSES]; CLASSES] =
        [[-1, 1, 0, 0], [1, -1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]];

    /// The same by trying every transport, a side at a time.
    fn slow(supply: [i32; CLASSES], demand: [i32; CLASSES]) -> i32 {
        let Some(a) = supply.iter().position(|left| *left > 0) else { return 0 };
        let transport_to = |b: usize| {
            let (mut supply, mut demand) = (supply, demand);
            supply[a] -= 1;
            demand[b] -= 1;
            WORTH[a][b] + slow(supply, demand)
        };
        (0..CLASSES).filter(|b| demand[*b] > 0).map(transport_to).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn a_transport_is_the_best_of_all(
            supply in prop::array::uniform4(0i32..3),
            shuffled in prop::array::uniform4(0i32..3),
        ) {
            // Make the sums equal: the difference goes to the last class.
            let (mut supply, mut demand) = (supply, shuffled);
            let gap = supply.iter().sum::<i32>() - demand.iter().sum::<i32>();
            if gap > 0 { demand[3] += gap } else { supply[3] -= gap }
            let fast = greatest(supply, demand, |a, b| WORTH[a][b]);
            prop_assert_eq!(fast, slow(supply, demand));
        }
    }
}
