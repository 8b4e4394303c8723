//! Proofs that no walk has an R_nc above a target: branch and bound over all walks, one of each two
//! mirror images. A walk grows from a monomer in the middle of the chain at both ends, at each step
//! at the end where smaller trees are expected. A segment of a walk is cut off if a bound on the
//! R_nc of all walks that contain it does not pass the target, or if there is no room for the rest.
//! Finding good walks is left to [`crate::players`].
//!
//! The target stays fixed during a search, and [`certify`] lowers it one by one. That repeats the
//! easy part of the tree, but the last search takes most of the time anyway. Every finished target
//! is a valid bound, even if time runs out later.
//!
//! The bound is described in [`segment`]. Which monomer is laid first matters much; samples of the
//! trees from all of them tell which is best ([`start`]).

mod assignment;
pub mod check;
mod costs;
mod plain;
mod segment;
mod start;
mod verdict;
mod walks;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quintain_core::Meter;

use crate::rules::bounds;
use crate::rules::instance::Instance;
use segment::{Cut, End, Multipliers, Segment};
pub use verdict::ExactVerdict;

/// What is certain about an instance after a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// No walk has a greater R_nc.
    pub bound: i32,
    /// A walk better than the given one, if the search found one.
    pub better: Option<Vec<u16>>,
    /// Segments looked at.
    pub nodes: u64,
}

/// The message for an instance that does not [suit](suits).
pub const UNSUITED: &str =
    "proofs are only for tori of one layer whose sides are even and at least 4";

/// Whether the sharp bound holds for an instance, so that proofs can be written: on a bipartite
/// torus of one layer on which all four neighbours are distinct. On others, the search uses a
/// plainer bound.
pub fn suits(instance: &Instance) -> bool {
    let torus = instance.torus();
    torus.is_bipartite() && torus.degree() == 4 && torus.depth() == 1
}

/// Lowers the bound on R_nc target by target, from that of [`bounds::best`] towards `known`, the
/// R_nc of the best known walk, as long as `meter` has units (each segment is one). Reaching
/// `known` proves that walk optimal. Threads share the first steps; what is certified does not
/// depend on their number unless time runs out.
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
    const PARTS: usize = 400;
    if !suits(instance) {
        return plain::search(instance, target, meter);
    }
    if instance.len() < 2 {
        return ExactVerdict::None;
    }
    let (first, verdict) = start::best(instance, target, meter);
    if verdict != ExactVerdict::Open {
        return verdict;
    }
    // Create enough segments for the threads to share: subtrees differ in size by orders of
    // magnitude, so each thread takes the next part when it is done with one.
    let mut root = Segment::new(Arc::clone(instance), first);
    let mut parts: Vec<Vec<(End, u16)>> = vec![Vec::new()];
    let is_short = |part: &Vec<(End, u16)>| part.len() + 1 < instance.len();
    while parts.len() < PARTS && parts.first().is_some_and(is_short) {
        let mut longer = Vec::new();
        for part in &parts {
            root.go(part);
            let (end, cells) = root.branches(target);
            let steps = cells.into_iter().map(|(cell, _)| (end, cell));
            longer.extend(steps.map(|step| part.iter().copied().chain([step]).collect()));
        }
        parts = longer;
    }
    let next = AtomicUsize::new(0);
    let is_found = AtomicBool::new(false);
    let run = |mut meter: Meter| {
        let mut segment = Segment::new(Arc::clone(instance), first);
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if is_found.load(Ordering::Relaxed) {
                return (ExactVerdict::Open, meter.spent());
            }
            segment.go(part);
            let verdict = below(&mut segment, target, &mut meter);
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

/// Tries all walks that contain the segment, depth first.
fn below(segment: &mut Segment, target: i32, meter: &mut Meter) -> ExactVerdict {
    if segment.is_whole() {
        return ExactVerdict::Walk(segment.walk());
    }
    if !meter.spend() {
        return ExactVerdict::Open;
    }
    let (end, cells) = segment.branches(target);
    for (cell, _) in cells {
        segment.lay(end, cell);
        let verdict = below(segment, target, meter);
        segment.unlay();
        if verdict != ExactVerdict::None {
            return verdict;
        }
    }
    ExactVerdict::None
}

/// The proof that no walk has an R_nc above `target`, as a text that [`check::check`] verifies;
/// none if there is such a walk or time runs out.
pub fn proof(instance: &Arc<Instance>, target: i32, meter: &mut Meter) -> Option<String> {
    let (first, verdict) = start::best(instance, target, meter);
    if matches!(verdict, ExactVerdict::Walk(_)) {
        return None;
    }
    let mut segment = Segment::new(Arc::clone(instance), first);
    let mut marks = String::new();
    if !write(&mut segment, target, meter, &mut marks) {
        return None;
    }
    let kind = instance.interaction();
    let head = format!(
        "polymer proof 2\n{kind} {}no walk has R_nc above {target}\nfrom monomer {}\n",
        crate::notation::write_instance(instance),
        first + 1
    );
    let mut text = head;
    for line in marks.as_bytes().chunks(100) {
        text.extend(line.iter().map(|mark| char::from(*mark)));
        text.push('\n');
    }
    Some(text)
}

/// Writes the marks of a segment: the end at which it grows, followed by the marks of all segments
/// that are one longer, in the order R, D, L, U.
fn write(segment: &mut Segment, target: i32, meter: &mut Meter, marks: &mut String) -> bool {
    if segment.is_whole() || !meter.spend() {
        return false;
    }
    let (end, _) = segment.branches(target);
    marks.push(if end == End::Front { '<' } else { '>' });
    let cells: Vec<u16> = segment.canonical(end).collect();
    for cell in cells {
        segment.lay(end, cell);
        let closed = match segment.examine(target) {
            Ok(_) => write(segment, target, meter, marks),
            Err(cut) => {
                write_cut(cut, marks);
                true
            }
        };
        segment.unlay();
        if !closed {
            return false;
        }
    }
    true
}

/// Writes why a segment is cut off: `o` for a whole walk, `x` if there is no room, `p` for prices,
/// followed by the halves of a contact that pluses and minuses of the first monomer's colour count,
/// and the prices of pluses and minuses of this colour and the other, `a` for −13 to `z` for 12.
fn write_cut(cut: Cut, marks: &mut String) {
    match cut {
        Cut::Whole => marks.push('o'),
        Cut::Room => marks.push('x'),
        Cut::Bound(Multipliers { weights, prices }) => {
            marks.push('p');
            marks.extend(weights[0].map(|weight| char::from(b'0' + weight as u8)));
            let letter = |price: i16| char::from((i16::from(b'n') + price) as u8);
            marks.extend(prices.as_flattened().iter().map(|price| letter(*price)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::instance::Interaction;
    use crate::rules::torus::Torus;
    use crate::scenarios::{Charges, draw_charges};
    use proptest::prelude::*;

    fn checked(instance: &Instance, text: &str) -> Result<i32, check::ProofError> {
        check::check(instance, text, &AtomicBool::new(false))
    }

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
        fn certified_walks_are_the_best_of_all(seed in 0u64..1000, n in 2usize..10, hp: bool) {
            let mut monomers = draw_charges(Charges::Uniform, n, seed);
            let interaction = if hp { Interaction::Hp } else { Interaction::Charge };
            if hp {
                monomers.iter_mut().for_each(|monomer| *monomer = monomer.abs());
            }
            for (width, height) in [(4, 4), (6, 4), (5, 3), (3, 3), (2, 5), (6, 2), (5, 5)] {
                let torus = Torus::new(width, height).unwrap();
                let instance = Instance::new(torus, interaction, monomers.clone()).unwrap();
                let instance = Arc::new(instance);
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
                prop_assert_eq!(checked(&instance, &text), Ok(best));
                // One target lower there is no proof, and the check must reject a claim of it.
                prop_assert!(proof(&instance, best - 1, &mut Meter::of(u64::MAX)).is_none());
                let lie = text.replace(&format!("above {best}"), &format!("above {}", best - 1));
                prop_assert!(checked(&instance, &lie).is_err());
            }
        }
    }

    /// Nearly full tori, where cells are scarce and like charges must touch.
    #[test]
    fn certified_walks_are_the_best_of_all_where_cells_are_scarce() {
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
                assert_eq!(checked(&instance, &text), Ok(best));
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
