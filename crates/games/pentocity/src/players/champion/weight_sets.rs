//! Several sets of weights for one distribution: on an empty board and on a full one, for large
//! factories and for everything else. In between, the weights of the empty and of the full board
//! are mixed.
//!
//! Most profiles have one set for everything; a profile gets more where they were measured to earn
//! more.

use super::weights::Weights;
use crate::rules::pieces::Piece;

/// The ends of the names of a profile's columns, in the order in which [`WeightSets::read`] takes
/// the sets: for the empty board, the full board, and both once more for large factories.
pub(super) const ENDINGS: [&str; 4] = ["", "-late", "-large", "-large-late"];

/// The number of steps from the weights of the empty board to those of the full one. At each step
/// the views are made again, so there are few.
const STEPS: u32 = 8;
/// The least number of cells of a large factory.
const LARGE: u32 = 9;

/// The weights of one profile.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct WeightSets {
    /// On an empty and on a full board: for all requests but large factories, then for these, if
    /// their weights differ.
    sets: Vec<[Weights; 2]>,
}

impl WeightSets {
    /// The sets in the order of [`ENDINGS`]. A missing set for the full board is that of the empty
    /// one; without a set for large factories, they have the others' weights.
    ///
    /// # Errors
    /// If the first is missing.
    pub(super) fn new(
        [first, late, large, large_late]: [Option<Weights>; 4],
    ) -> Result<WeightSets, String> {
        let first = first.ok_or("the first set of weights is missing")?;
        let pair = |early: Weights, late: Option<Weights>| [early.clone(), late.unwrap_or(early)];
        let mut sets = vec![pair(first, late)];
        sets.extend(large.map(|large| pair(large, large_late)));
        Ok(WeightSets { sets })
    }

    /// Reads up to four sets of numbers in the order of [`ENDINGS`], separated by slashes; nothing
    /// between two slashes is a missing set.
    pub(super) fn read(text: &str) -> Result<WeightSets, String> {
        let mut sets = [None, None, None, None];
        for (number, part) in text.split('/').enumerate() {
            let set = sets.get_mut(number).ok_or("more than four sets of weights")?;
            *set = if part.is_empty() { None } else { Some(Weights::read(part)?) };
        }
        WeightSets::new(sets)
    }

    /// The same with each set changed.
    pub(super) fn map(&self, change: impl Fn(&Weights) -> Weights) -> WeightSets {
        let pair = |[early, late]: &[Weights; 2]| [change(early), change(late)];
        WeightSets { sets: self.sets.iter().map(pair).collect() }
    }

    /// The step that a board is at, of `cells` cells of which `taken` are taken.
    pub(super) fn step(&self, taken: u32, cells: u32) -> u32 {
        let is_constant = self.sets.iter().all(|[early, late]| early == late);
        if is_constant { 0 } else { (taken * STEPS / cells).min(STEPS - 1) }
    }

    /// The weights at a step: for all requests but large factories, then for these, if they differ.
    pub(super) fn at(&self, step: u32) -> Vec<Weights> {
        let share = step as f32 / (STEPS - 1) as f32;
        self.sets.iter().map(|[early, late]| early.mix(late, share)).collect()
    }
}

/// Which of the weights of [`WeightSets::at`], `count` in number, a request has.
pub(super) fn set_for(request: Piece, count: usize) -> usize {
    usize::from(count > 1 && request.is_factory() && request.size() >= LARGE)
}

#[cfg(test)]
mod tests {
    use super::super::weights::COUNT;
    use super::*;

    fn all(value: f32) -> Weights {
        Weights([value; COUNT])
    }

    #[test]
    fn one_set_is_for_every_board_and_request() {
        let sets = WeightSets::new([Some(all(1.0)), None, None, None]).unwrap();
        assert_eq!(sets.step(0, 100), sets.step(100, 100));
        assert_eq!(sets.at(0), [all(1.0)]);
        assert_eq!(set_for(Piece::factory(5, 5).unwrap(), 1), 0);
    }

    #[test]
    fn weights_go_from_those_of_the_empty_board_to_those_of_the_full_one() {
        let sets = WeightSets::new([Some(all(0.0)), Some(all(7.0)), None, None]).unwrap();
        let at = |taken| sets.at(sets.step(taken, 2500))[0].0[0];
        assert_eq!(at(0), 0.0);
        assert_eq!(at(313), 1.0);
        assert_eq!(at(1250), 4.0);
        assert_eq!(at(2499), 7.0);
        assert_eq!(at(2500), 7.0);
    }

    #[test]
    fn large_factories_have_their_own() {
        let sets = WeightSets::new([Some(all(1.0)), None, Some(all(2.0)), None]).unwrap();
        assert_eq!(sets.at(0), [all(1.0), all(2.0)]);
        let of = |request| set_for(request, 2);
        assert_eq!(of(Piece::factory(3, 3).unwrap()), 1);
        assert_eq!(of(Piece::factory(4, 2).unwrap()), 0);
        assert_eq!(of(Piece::residence('X', 0).unwrap()), 0);
    }

    #[test]
    fn sets_are_read_with_gaps() {
        let one = vec!["1"; COUNT].join(",");
        let two = vec!["2"; COUNT].join(",");
        let sets = WeightSets::new([Some(all(1.0)), None, Some(all(2.0)), None]);
        assert_eq!(WeightSets::read(&format!("{one}//{two}")), sets);
        assert_eq!(WeightSets::read(&one).unwrap().at(0), [all(1.0)]);
        assert!(WeightSets::read(&format!("/{one}")).unwrap_err().contains("first"));
        assert!(WeightSets::read(&[one.as_str(); 5].join("/")).unwrap_err().contains("four"));
    }
}
