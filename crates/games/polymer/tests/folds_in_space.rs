//! Folds on the cubic lattice are folds in the sense of the HP model: laid out again in a space
//! without edges, they avoid themselves and have the same contacts, each counted once. The torus of
//! `hp3d` is smaller than the longest chains, so folds that meet themselves around it are tested
//! too.

use std::collections::HashMap;
use std::sync::Arc;

use quintain_core::{Meter, Rng};
use quintain_polymer::{
    HP_CHAINS_IN_SPACE, Incumbent, Instance, WholeWalk, champion, check_walk, exchange, read_walk,
    steps_of,
};

/// The energy of a fold in a space without edges, or none if it crosses itself there.
fn energy_in_space(sequence: &str, steps: &str) -> Option<i32> {
    let mut at = [0i32; 3];
    let mut laid = HashMap::from([(at, 0)]);
    for (index, step) in steps.chars().enumerate() {
        match step {
            'R' => at[0] += 1,
            'L' => at[0] -= 1,
            'D' => at[1] += 1,
            'U' => at[1] -= 1,
            'F' => at[2] += 1,
            _ => at[2] -= 1,
        }
        if laid.insert(at, index + 1).is_some() {
            return None;
        }
    }
    let is_h = |monomer: usize| sequence.as_bytes()[monomer] == b'H';
    let mut contacts = 0;
    for (cell, monomer) in &laid {
        for direction in 0..3 {
            let mut beside = *cell;
            beside[direction] += 1;
            if let Some(other) = laid.get(&beside)
                && monomer.abs_diff(*other) > 1
                && is_h(*monomer)
                && is_h(*other)
            {
                contacts += 1;
            }
        }
    }
    Some(-contacts)
}

/// The energy by the rules.
fn energy(instance: &Instance, walk: &[u16]) -> i32 {
    instance.score(instance.worth(walk)) as i32
}

#[test]
fn the_searches_find_the_same_fold_in_space() {
    for chain in HP_CHAINS_IN_SPACE.iter().step_by(3) {
        let instance = Arc::new(Instance::hp_in_space(chain.sequence).unwrap());
        for search in [true, false] {
            let mut note = |_: &WholeWalk| {};
            let mut best = Incumbent::new(&mut note);
            let (mut meter, mut rng) = (Meter::new(250, None), Rng::from_seed(1));
            match search {
                true => champion(&instance, &[0], &mut meter, &mut rng, &mut best),
                false => exchange(&instance, &[0.3, 0.5, 0.8], &mut meter, &mut rng, &mut best),
            }
            let found = best.get().expect("a whole walk");
            check_walk(&instance, &found.walk).unwrap();
            let steps = steps_of(instance.torus(), &found.walk);
            let found = energy(&instance, &found.walk);
            assert!(
                found < -17,
                "{}: {found}, which a fold around the torus could have",
                chain.name
            );
            assert!(found >= chain.energy, "{}: {found} was never known", chain.name);
            assert_eq!(energy_in_space(chain.sequence, &steps), Some(found), "{}", chain.name);
        }
    }
}

#[test]
fn a_contact_around_the_torus_is_none_in_space() {
    // Forty monomers in a row of forty cells: the first lies beside the last of them.
    let sequence = "H".repeat(48);
    let instance = Instance::hp_in_space(&sequence).unwrap();
    let steps = format!("{}{}", "R".repeat(39), "DRRRRRRR");
    let walk = read_walk(&instance, &steps).unwrap();
    assert_eq!(energy_in_space(&sequence, &steps), Some(0));
    // One contact with the first monomer, and seven between the second row and the first one.
    assert_eq!(energy(&instance, &walk), -8);
}

#[test]
fn folds_that_go_around_the_torus_have_few_contacts() {
    // All monomers are H, so that every contact counts: random folds that lead once around, with
    // detours anywhere on the way.
    let sequence = "H".repeat(48);
    let instance = Instance::hp_in_space(&sequence).unwrap();
    let mut rng = Rng::from_seed(1);
    let mut least = 0;
    for _ in 0..10_000 {
        let mut steps: Vec<char> = "R".repeat(39).chars().collect();
        for (there, back) in [('D', 'U'), ('F', 'B'), ('D', 'U'), ('F', 'B')] {
            let begin = rng.below(steps.len());
            let end = (begin + 1 + rng.below(3)).min(steps.len());
            steps.insert(end, back);
            steps.insert(begin, there);
        }
        let steps: String = steps.into_iter().collect();
        let Ok(walk) = read_walk(&instance, &steps) else { continue };
        let found = energy(&instance, &walk);
        assert!(energy_in_space(&sequence, &steps) > Some(found), "{steps} meets itself around");
        least = least.min(found);
    }
    assert!((-17..-4).contains(&least), "{least}");
}
