//! Proofs that no walk has an R_nc above a target: branch and bound over all walks, one of each two mirror
//! images, monomer by monomer. A prefix of a walk is cut off if its gain so far plus a bound on its future
//! gain does not pass the target, or if there is no room for the rest. Finding good walks is left to
//! [`crate::players`].
//!
//! The target stays fixed during a search, and [`certify`] lowers it one by one. That repeats the easy part
//! of the tree, but the last search takes most of the time anyway. Every finished target is a valid bound,
//! even if time runs out later.
//!
//! The bound ([`crate::tools::exact::prefix`]) pairs free sides of monomers to come with free sides of
//! others, by parity and sign; an empty cell beside charges that disagree offers only their sum. Where that
//! does not cut, monomers to come are assigned to empty cells ([`assignment`]).

mod assignment;
pub mod check;
mod plain;
mod prefix;
mod verdict;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quintain_core::Meter;

use crate::rules::bounds;
use crate::rules::instance::Instance;
use prefix::Prefix;
pub use verdict::ExactVerdict;

/// What is certain about an instance after a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// No walk has a greater R_nc.
    pub bound: i32,
    /// A walk better than the given one, if the search found one.
    pub better: Option<Vec<u16>>,
    /// Prefixes looked at.
    pub nodes: u64,
}

/// Whether the sharp bound holds for an instance, so that proofs can be written: on a bipartite torus of one
/// layer on which all four neighbours are distinct. On others, the search uses a plainer bound.
pub fn suits(instance: &Instance) -> bool {
    let torus = instance.torus();
    torus.is_bipartite() && torus.degree() == 4 && torus.depth() == 1
}

/// Lowers the bound on R_nc target by target, from that of [`bounds::best`] towards `known`, the R_nc of the
/// best known walk, as long as `meter` has units (each prefix is one). Reaching `known` proves that walk
/// optimal. Threads share the first steps; what is certified does not depend on their number unless time runs
/// out.
pub fn certify(
    instance: &Arc<Instance>,
    known: i32,
    meter: &mut Meter,
    threads: usize,
) -> Certificate {
    let mut certified = Certificate { bound: bounds::best(instance), better: None, nodes: 0 };
    let mut known = known;
    while certified.bound > known {
        let target = certified.bound - 1;
        let before = meter.spent();
        let verdict = search(instance, target, meter, threads);
        certified.nodes += meter.spent() - before;
        match verdict {
            ExactVerdict::None => certified.bound = target,
            ExactVerdict::Walk(walk) => {
                known = instance.worth(&walk) - instance.chain();
                certified.better = Some(walk);
            }
            ExactVerdict::Open => break,
        }
    }
    certified
}

/// Searches for a walk with an R_nc above `target`.
pub fn search(
    instance: &Arc<Instance>,
    target: i32,
    meter: &mut Meter,
    threads: usize,
) -> ExactVerdict {
    const PREFIXES: usize = 400;
    if !suits(instance) {
        return plain::search(instance, target, meter);
    }
    let mut root = Prefix::new(Arc::clone(instance));
    if instance.len() < 2 {
        return ExactVerdict::None;
    }
    // Create enough partial walks for the threads to share: subtrees differ in size by orders of magnitude,
    // so each thread takes the next part when it is done with one.
    let mut parts: Vec<Vec<u16>> = vec![vec![0]];
    while parts.len() < PREFIXES && parts.first().is_some_and(|part| part.len() < instance.len()) {
        let mut longer = Vec::new();
        for part in &parts {
            root.go(part);
            for cell in root.branches(target) {
                longer.push(part.iter().copied().chain([cell]).collect());
            }
        }
        parts = longer;
    }
    let next = AtomicUsize::new(0);
    let is_found = AtomicBool::new(false);
    let run = |mut meter: Meter| {
        let mut prefix = Prefix::new(Arc::clone(instance));
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if is_found.load(Ordering::Relaxed) {
                return (ExactVerdict::Open, meter.spent());
            }
            prefix.go(part);
            let verdict = below(&mut prefix, target, &mut meter);
            if verdict != ExactVerdict::None {
                is_found.store(true, Ordering::Relaxed);
                return (verdict, meter.spent());
            }
        }
        (ExactVerdict::None, meter.spent())
    };
    let run = &run;
    let results: Vec<(ExactVerdict, u64)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                let part = meter.part(1.0);
                scope.spawn(move || run(part))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("searches do not panic")).collect()
    });
    let mut verdict = ExactVerdict::None;
    for (result, nodes) in results {
        meter.charge(nodes);
        match (&verdict, result) {
            (ExactVerdict::Walk(_), _) | (_, ExactVerdict::None) => {}
            (_, result) => verdict = result,
        }
    }
    verdict
}

/// Tries all walks that begin with the prefix, depth first.
fn below(prefix: &mut Prefix, target: i32, meter: &mut Meter) -> ExactVerdict {
    if prefix.is_whole() {
        return ExactVerdict::Walk(prefix.walk());
    }
    if !meter.spend() {
        return ExactVerdict::Open;
    }
    for cell in prefix.branches(target) {
        prefix.lay(cell);
        let verdict = below(prefix, target, meter);
        prefix.unlay();
        if verdict != ExactVerdict::None {
            return verdict;
        }
    }
    ExactVerdict::None
}

/// The proof that no walk has an R_nc above `target`, as a text that [`check::check`] verifies; none if there
/// is such a walk or time runs out.
pub fn proof(instance: &Arc<Instance>, target: i32, meter: &mut Meter) -> Option<String> {
    let mut prefix = Prefix::new(Arc::clone(instance));
    let mut marks = String::new();
    prefix.go(&[0]);
    if !write(&mut prefix, target, meter, &mut marks) {
        return None;
    }
    let kind = instance.interaction();
    let head = format!(
        "polymer proof 1\n{kind} {}no walk has R_nc above {target}\n",
        crate::notation::write_instance(instance)
    );
    let mut text = head;
    for line in marks.as_bytes().chunks(100) {
        text.extend(line.iter().map(|mark| char::from(*mark)));
        text.push('\n');
    }
    Some(text)
}

/// Writes a mark for each prefix in the order R, D, L, U: `x` if it is cut off, `o` if all prefixes that are
/// one longer follow.
fn write(prefix: &mut Prefix, target: i32, meter: &mut Meter, marks: &mut String) -> bool {
    if prefix.is_whole() || !meter.spend() {
        return false;
    }
    marks.push('o');
    let kept = prefix.branches(target);
    for cell in prefix.canonical() {
        if !kept.contains(&cell) {
            marks.push('x');
            continue;
        }
        prefix.lay(cell);
        let closed = write(prefix, target, meter, marks);
        prefix.unlay();
        if !closed {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};
    use proptest::prelude::*;

    /// The greatest R_nc of all walks, by trying each of them.
    fn slow(instance: &Instance, walk: &mut Vec<u16>) -> i32 {
        if walk.len() == instance.len() {
            return instance.worth(walk) - instance.chain();
        }
        let next = instance.torus().next(usize::from(walk[walk.len() - 1]));
        let mut best = i32::MIN;
        for &cell in next {
            if !walk.contains(&cell) {
                walk.push(cell);
                best = best.max(slow(instance, walk));
                walk.pop();
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_is_certified_is_the_best_of_all_walks(seed in 0u64..1000, n in 2usize..10, hp: bool) {
            let mut monomers = draw_charges(Charges::Uniform, n, seed);
            let interaction = if hp { Interaction::Hp } else { Interaction::Charge };
            if hp {
                monomers.iter_mut().for_each(|monomer| *monomer = monomer.abs());
            }
            for (width, height) in [(4, 4), (6, 4), (5, 3), (3, 3), (2, 5), (6, 2), (5, 5)] {
                let torus = Torus::new(width, height).unwrap();
                let instance = Arc::new(Instance::new(torus, interaction, monomers.clone()).unwrap());
                let best = slow(&instance, &mut vec![0]);
                for threads in [1, 2] {
                    let mut meter = Meter::of(u64::MAX);
                    // Without any knowledge, it must find the best by itself.
                    let found = certify(&instance, i32::MIN, &mut meter, threads);
                    prop_assert_eq!(found.bound, best);
                    let walk = found.better.expect("a walk");
                    prop_assert_eq!(instance.worth(&walk) - instance.chain(), best);
                }
                if !suits(&instance) {
                    continue;
                }
                let text = proof(&instance, best, &mut Meter::of(u64::MAX)).unwrap();
                prop_assert_eq!(check::check(&instance, &text), Ok(best));
                // One target lower there is no proof, and the check must reject a claim of it.
                prop_assert!(proof(&instance, best - 1, &mut Meter::of(u64::MAX)).is_none());
                let lie = text.replace(&format!("above {best}"), &format!("above {}", best - 1));
                prop_assert!(check::check(&instance, &lie).is_err());
            }
        }
    }

    /// Nearly full tori, where cells are scarce and like charges must touch.
    #[test]
    fn what_is_certified_where_cells_are_scarce_is_the_best_of_all_walks() {
        for (seed, n, charges) in [
            (1, 12, Charges::Uniform),
            (2, 13, Charges::Signs),
            (3, 14, Charges::Uniform),
            (4, 14, Charges::Imbalanced),
            (5, 15, Charges::Signs),
        ] {
            for interaction in [Interaction::Charge, Interaction::Hp] {
                let mut monomers = draw_charges(charges, n, seed);
                if interaction == Interaction::Hp {
                    monomers.iter_mut().for_each(|monomer| *monomer = (*monomer).max(0));
                }
                let torus = Torus::new(4, 4).unwrap();
                let instance = Arc::new(Instance::new(torus, interaction, monomers).unwrap());
                let best = slow(&instance, &mut vec![0]);
                let found = certify(&instance, i32::MIN, &mut Meter::of(u64::MAX), 1);
                assert_eq!(found.bound, best, "seed {seed}, {interaction}");
                let text = proof(&instance, best, &mut Meter::of(u64::MAX)).unwrap();
                assert_eq!(check::check(&instance, &text), Ok(best));
            }
        }
    }

    #[test]
    fn without_time_the_bound_stays() {
        let torus = Torus::new(8, 8).unwrap();
        let monomers = draw_charges(Charges::Uniform, 40, 1);
        let instance = Instance::new(torus, Interaction::Charge, monomers).unwrap();
        let bound = bounds::best(&instance);
        let found = certify(&Arc::new(instance), 0, &mut Meter::of(0), 1);
        assert_eq!((found.bound, found.better), (bound, None));
    }
}
