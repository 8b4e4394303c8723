//! A single-seat game whose steps can be undone: the interface of the searches that move one
//! position up and down instead of copying it ([`crate::ensemble`], [`crate::nested`]).
//!
//! It is separate from [`quintain_core::Rules`] because undoing a step is much cheaper than copying
//! a large position, and most rules cannot undo.

use quintain_core::Rng;

/// A position that can make steps and undo them.
///
/// ```
/// use quintain_core::Rng;
/// use quintain_search::solitaire::Solitaire;
///
/// /// Five digits from 0 to 2; a line is worth the share of its digits that rise.
/// #[derive(Clone)]
/// struct Rising(Vec<u8>);
///
/// impl Solitaire for Rising {
///     type Step = u8;
///     fn steps(&mut self, out: &mut Vec<u8>) {
///         if self.0.len() < 5 {
///             out.extend([0, 1, 2]);
///         }
///     }
///     fn step(&mut self, digit: u8) {
///         self.0.push(digit);
///     }
///     fn undo(&mut self) {
///         self.0.pop();
///     }
///     fn rollout(&mut self, rng: &mut Rng) -> f64 {
///         let length = self.0.len();
///         while self.0.len() < 5 {
///             self.0.push(rng.below(3) as u8);
///         }
///         let value = self.value();
///         self.0.truncate(length);
///         value
///     }
///     fn code(&self, digit: u8) -> u64 {
///         3 * self.0.len() as u64 + u64::from(digit)
///     }
///     fn value(&self) -> f64 {
///         self.0.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64 / 4.0
///     }
/// }
///
/// let mut position = Rising(vec![0, 1]);
/// position.step(2);
/// assert_eq!(position.value(), 0.5);
/// position.undo();
/// assert!((0.25..=1.0).contains(&position.rollout(&mut Rng::from_seed(1))));
/// assert_eq!(position.0, [0, 1]);
/// ```
pub trait Solitaire: Clone {
    /// One step.
    type Step: Copy + PartialEq;

    /// Appends the steps worth trying here to `out`; none if the game has ended.
    fn steps(&mut self, out: &mut Vec<Self::Step>);

    /// Makes a step.
    fn step(&mut self, step: Self::Step);

    /// Undoes the last step.
    fn undo(&mut self);

    /// The value, from 0 to 1, of one random continuation; the position is left as it was. The
    /// game decides how steps are drawn, how far the rollout goes, how often a failed one is
    /// repeated, and how its end is put on the scale.
    fn rollout(&mut self, rng: &mut Rng) -> f64;

    /// A bonus added to the upper confidence bound of the step that led here; 0 unless the game
    /// knows better.
    fn prior(&self) -> f64 {
        0.0
    }

    /// A code for a step, by which learning policies ([`crate::nested::nrpa`]) recognise it in
    /// other positions. Steps with the same code share a weight.
    fn code(&self, step: Self::Step) -> u64;

    /// The value, from 0 to 1, of the position if the game ended here.
    fn value(&self) -> f64;
}
