//! A population of whole walks, from which new ones are bred (conformational space annealing: Lee,
//! Scheraga & Rackovsky 1997). A child keeps the part of one parent up to some monomer. A beam
//! regrows the rest and is drawn to the turns of the other parent, so that it inherits as much of
//! that parent's fold as there is room for. Then stretches of the child are regrown, at a
//! temperature that falls, and the moves of annealing finish it. The population stays diverse,
//! since a walk whose contacts are nearly those of a member can only replace that member.

use std::sync::Arc;

use quintain_core::{Meter, Rng};
use quintain_search::annealing::{Landscape, Metropolis};
use quintain_search::beam;

use super::grow_narrow;
use super::growth::Growth;
use super::stretches::{Stretches, random_stretch};
use crate::players::annealing::fold::{Fold, snake};
use crate::players::annealing::{BLOCK, Cooling};
use crate::players::solver::Incumbent;
use crate::players::tuned::{PopulationNumbers, tuned};
use crate::rules::instance::Instance;
use crate::rules::torus::{Torus, by_ways};

/// The settings of [`breed_walks`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PopulationOptions {
    /// How many walks there are.
    pub size: usize,
    /// How many stretches of a walk that has no parents are regrown, and of a child.
    pub stretches: [usize; 2],
}

impl PopulationOptions {
    /// For a chain of some hundred monomers and a few seconds.
    pub fn usual() -> PopulationOptions {
        let &PopulationNumbers { size, stretches, .. } = &tuned().population;
        PopulationOptions { size, stretches }
    }
}

/// Breeds walks until the meter is spent; each walk that a beam looks at is a unit, and so is each
/// block of annealing's moves.
pub fn breed_walks(
    instance: &Arc<Instance>,
    options: PopulationOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    by_ways!(instance.torus(), breed_on(instance, options, meter, rng, best));
}

/// A walk of the population.
struct Member {
    walk: Vec<u16>,
    r: i32,
    contacts: Vec<[u16; 2]>,
}

fn breed_on<const WAYS: usize>(
    instance: &Arc<Instance>,
    options: PopulationOptions,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) {
    let size = options.size.max(2);
    let tuned = &tuned().population;
    let [first, usual] = options.stretches;
    let mut members: Vec<Member> = Vec::with_capacity(size);
    while !meter.is_spent() {
        let is_full = members.len() >= size;
        let (mut walk, stretches, hot) = if is_full {
            let (one, other) = (tournament(&members, rng), tournament(&members, rng));
            let other = if one == other { (one + 1 + rng.below(size - 1)) % size } else { other };
            let (one, other) = (&members[one], &members[other]);
            let Some(child) = cross::<WAYS>(instance, &one.walk, &other.walk, meter, rng) else {
                continue;
            };
            (child, usual, tuned.hot_child)
        } else {
            let founder = lay_founder(instance, meter, rng);
            let founder = Stretches::new(instance, &founder, tuned.weights, tuned.narrow);
            (founder, first, tuned.hot_founder)
        };
        let temperatures = [hot, tuned.cold];
        if !improve(instance, &mut walk, temperatures, stretches, meter, rng, best) {
            return;
        }
        let contacts = find_contacts(instance.torus(), walk.walk());
        let member = Member { r: walk.r(), walk: walk.walk().to_vec(), contacts };
        if is_full {
            admit(&mut members, member);
        } else {
            members.push(member);
        }
    }
}

/// A member, the better of two drawn at random.
fn tournament(members: &[Member], rng: &mut Rng) -> usize {
    let (one, other) = (rng.below(members.len()), rng.below(members.len()));
    if members[one].r >= members[other].r { one } else { other }
}

/// Takes a walk into the population if it is good enough, in place of the members that are like it
/// or of the worst. Members that make room for one like them are replaced by walks without parents.
fn admit(members: &mut Vec<Member>, child: Member) {
    let alike = tuned().population.alike;
    let is_like = |member: &Member| share_contacts(&member.contacts, &child.contacts) > alike;
    let best_alike = members.iter().filter(|member| is_like(member)).map(|member| member.r).max();
    match best_alike {
        Some(r) if r > child.r => {}
        Some(_) => {
            members.retain(|member| !is_like(member));
            members.push(child);
        }
        None => {
            let worst = members.iter_mut().min_by_key(|member| member.r);
            if let Some(worst) = worst.filter(|worst| worst.r <= child.r) {
                *worst = child;
            }
        }
    }
}

/// Lays a walk without parents.
fn lay_founder(instance: &Arc<Instance>, meter: &mut Meter, rng: &mut Rng) -> Vec<u16> {
    let mut ignore = |_: &_| {};
    let mut own = Incumbent::new(&mut ignore);
    grow_narrow(instance, meter, rng, &mut own);
    own.take().map_or_else(|| snake(instance.torus(), instance.len()), |whole| whole.walk)
}

/// A child that keeps a part of `one`, from either end of the chain, and is like `other` in the
/// rest; none if there is no room for the rest.
fn cross<const WAYS: usize>(
    instance: &Arc<Instance>,
    one: &[u16],
    other: &[u16],
    meter: &mut Meter,
    rng: &mut Rng,
) -> Option<Stretches<WAYS>> {
    let n = one.len();
    let kept = (n / 4 + rng.below(n / 2)).max(2);
    let from_start = rng.chance(0.5);
    let is_mirrored = rng.chance(0.5);
    let disturbance = rng.bits();
    // Monomers in the order of laying.
    let in_order = |walk: &[u16]| -> Vec<u16> {
        if from_start { walk.to_vec() } else { walk.iter().rev().copied().collect() }
    };
    let (mut walk, other) = (in_order(one), in_order(other));
    let mut charges = instance.monomers().to_vec();
    if !from_start {
        charges.reverse();
    }
    let &PopulationNumbers { weights, width, narrow, .. } = &tuned().population;
    let mut growth =
        Growth::<WAYS>::of_part(Arc::clone(instance), &walk[..kept], &charges, weights);
    growth.set_out(charges[kept..].iter().copied(), walk[kept - 1], None, disturbance);
    if instance.torus().depth() == 1 {
        growth.follow(walk[kept - 2], turns(instance.torus(), &other[kept - 2..], is_mirrored));
    }
    let grown = beam::search(&mut growth, n - kept, width, meter)?;
    if grown.len() < n - kept {
        return None;
    }
    walk.truncate(kept);
    walk.extend(grown);
    Some(Stretches::new(instance, &in_order(&walk), weights, narrow))
}

/// By how many ways, clockwise, each step of a walk from the second on differs from the one before
/// it, or counterclockwise if `is_mirrored`.
fn turns(torus: &Torus, walk: &[u16], is_mirrored: bool) -> Vec<u8> {
    let way = |from: u16, to: u16| {
        torus.next(usize::from(from)).iter().position(|cell| *cell == to).unwrap_or(0)
    };
    let ways: Vec<usize> = walk.windows(2).map(|step| way(step[0], step[1])).collect();
    let turn = |two: &[usize]| if is_mirrored { two[0] + 4 - two[1] } else { two[1] + 4 - two[0] };
    ways.windows(2).map(|two| (turn(two) % 4) as u8).collect()
}

/// Regrows `count` stretches, while the temperature falls, and finishes the best walk on the way by
/// the moves of annealing; returns whether the meter lasted.
fn improve<const WAYS: usize>(
    instance: &Arc<Instance>,
    walk: &mut Stretches<WAYS>,
    [hot, cold]: [f64; 2],
    count: usize,
    meter: &mut Meter,
    rng: &mut Rng,
    best: &mut Incumbent<'_>,
) -> bool {
    let falling = |[hot, cold]: [f64; 2], step: usize, steps: usize| {
        Metropolis::at(hot * (cold / hot).powf(step as f64 / steps as f64))
    };
    best.offer(walk.walk(), walk.r());
    let mut own = (walk.r(), walk.walk().to_vec());
    let tuned = &tuned().population;
    for step in 0..count {
        let Some((first, last)) = random_stretch(instance.len(), tuned.lengths, rng) else {
            continue;
        };
        let metropolis = falling([hot, cold], step, count);
        if !walk.regrow(instance, first, last, &metropolis, meter, rng) {
            return false;
        }
        if walk.r() >= own.0 {
            own = (walk.r(), walk.walk().to_vec());
            best.offer(walk.walk(), walk.r());
        }
    }
    let mut fold =
        Fold::<WAYS>::new(Arc::clone(instance), &own.1, Cooling::for_instance(instance).mix);
    for step in 0..tuned.blocks {
        let metropolis = falling(tuned.temperatures_of_moves, step, tuned.blocks);
        if !meter.spend() {
            return false;
        }
        for _ in 0..BLOCK {
            fold.attempt(&metropolis, rng);
            if fold.r() > own.0 {
                own = (fold.r(), fold.walk().to_vec());
                best.offer(fold.walk(), fold.r());
            }
        }
    }
    walk.lay(instance, &own.1);
    true
}

/// The pairs of monomers that touch, in order.
fn find_contacts(torus: &Torus, walk: &[u16]) -> Vec<[u16; 2]> {
    let mut monomer = vec![None; torus.cells() + 1];
    for (index, cell) in walk.iter().enumerate() {
        monomer[usize::from(*cell)] = Some(index as u16);
    }
    let mut contacts = Vec::new();
    for (index, cell) in walk.iter().enumerate() {
        let around = torus.around(usize::from(*cell)).iter();
        let touching = around.filter_map(|beside| monomer[usize::from(*beside)]);
        let later = touching.filter(|other| usize::from(*other) > index + 1);
        contacts.extend(later.map(|other| [index as u16, other]));
    }
    contacts.sort_unstable();
    contacts
}

/// The part of the contacts, of the walk that has more, which both walks have.
fn share_contacts(one: &[[u16; 2]], other: &[[u16; 2]]) -> f64 {
    let common = one.iter().filter(|contact| other.binary_search(contact).is_ok()).count();
    common as f64 / one.len().max(other.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::check_walk;
    use crate::players::solver::WholeWalk;
    use crate::players::tuned::GrowthWeights;
    use crate::rules::instance::Interaction;
    use crate::scenarios::{Charges, draw_charges};

    fn instance(torus: Torus, n: usize) -> Arc<Instance> {
        let monomers = draw_charges(Charges::Uniform, n, 5);
        Arc::new(Instance::new(torus, Interaction::Charge, monomers).unwrap())
    }

    fn check(torus: Torus, n: usize) {
        let instance = instance(torus, n);
        let breed = |seed: u64| {
            let mut walks = Vec::new();
            let mut found = |whole: &_| walks.push(WholeWalk::clone(whole));
            let mut best = Incumbent::new(&mut found);
            let options = PopulationOptions { size: 4, stretches: [10, 5] };
            let mut rng = Rng::from_seed(seed);
            breed_walks(&instance, options, &mut Meter::of(60_000), &mut rng, &mut best);
            walks
        };
        let walks = breed(1);
        for whole in &walks {
            check_walk(&instance, &whole.walk).unwrap();
            assert_eq!(instance.worth(&whole.walk), whole.r);
        }
        let snake = instance.worth(&snake(instance.torus(), n));
        let best = walks.last().unwrap().r;
        assert!(walks.len() > 1 && best > snake, "{n}: {best} after {snake}");
        assert_eq!(breed(1), walks, "the same seed, the same walks");
    }

    #[test]
    fn a_population_breeds_whole_walks_that_are_better_and_better() {
        check(Torus::new(8, 8).unwrap(), 40);
        check(Torus::new(7, 5).unwrap(), 24);
        check(Torus::new(16, 16).unwrap(), 100);
        check(Torus::with_layers(6, 6, 6).unwrap(), 60);
    }

    #[test]
    fn a_walk_follows_the_turns_of_another() {
        let torus = Torus::new(16, 16).unwrap();
        // No contact is worth anything.
        let neutral = Arc::new(Instance::new(torus, Interaction::Charge, vec![0; 9]).unwrap());
        let torus = neutral.torus();
        // Right, down, right, right, up, up, right, down.
        let walk = [0u16, 1, 17, 18, 19, 3, 243, 244, 4];
        assert_eq!(turns(torus, &walk, false), [1, 3, 0, 3, 0, 1, 1]);
        assert_eq!(turns(torus, &walk, true), [3, 1, 0, 1, 0, 3, 3]);
        let weights = GrowthWeights { compact: 0.0, attraction: 0.0 };
        let charges = neutral.monomers();
        let mut growth = Growth::<4>::of_part(Arc::clone(&neutral), &walk[..2], charges, weights);
        growth.set_out(charges[2..].iter().copied(), walk[1], None, 0);
        growth.follow(walk[0], turns(torus, &walk, false));
        let grown = beam::search(&mut growth, 7, 1, &mut Meter::of(1_000)).unwrap();
        assert_eq!(grown[..6], walk[2..8], "the last step is chosen by its contacts alone");
    }

    #[test]
    fn a_walk_takes_the_place_of_those_that_are_like_it_or_of_the_worst() {
        let member = |r: i32, contacts: &[[u16; 2]]| Member {
            walk: Vec::new(),
            r,
            contacts: contacts.to_vec(),
        };
        let [a, b, c, d] = [[0, 3], [1, 4], [2, 7], [5, 8]];
        let rs = |members: &[Member]| members.iter().map(|member| member.r).collect::<Vec<_>>();
        let mut members = vec![member(5, &[a, b]), member(3, &[c]), member(4, &[c, d])];
        admit(&mut members, member(4, &[a, b]));
        assert_eq!(rs(&members), [5, 3, 4], "worse than one like it");
        admit(&mut members, member(2, &[]));
        assert_eq!(rs(&members), [5, 3, 4], "worse than all");
        admit(&mut members, member(3, &[b, c]));
        assert_eq!(rs(&members), [5, 3, 4], "in place of the worst");
        assert_eq!(members[1].contacts, [b, c]);
        admit(&mut members, member(6, &[a, b]));
        assert_eq!(rs(&members), [3, 4, 6], "in place of one like it");
    }
}
