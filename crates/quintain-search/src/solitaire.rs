//! A single-seat game played by steps that can be taken back: what the searches that
//! never copy a position go by ([`crate::ensemble`], [`crate::nested`]).

use quintain_core::Rng;

/// A position that steps and takes steps back.
pub trait Solitaire: Clone {
    /// One step.
    type Step: Copy + PartialEq;

    /// Appends the steps worth trying here; none where the game has ended.
    fn steps(&mut self, out: &mut Vec<Self::Step>);

    /// Steps.
    fn step(&mut self, step: Self::Step);

    /// Takes the last step back.
    fn undo(&mut self);

    /// The value, from 0 to 1, of one random continuation; the position is left as it
    /// was. What a playout is, how far it goes, how often it is tried anew and how its
    /// end is put on the scale is the game's own.
    fn playout(&mut self, rng: &mut Rng) -> f64;

    /// Added to the upper confidence bound of the step that led here.
    fn prior(&self) -> f64 {
        0.0
    }

    /// A code for a step among those of this position, for policies that learn.
    fn code(&self, step: Self::Step) -> u64;

    /// The value, from 0 to 1, of the position as an end.
    fn value(&self) -> f64;
}
