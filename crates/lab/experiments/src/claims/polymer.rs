//! The slides “CS5330 Randomized Algorithm Project”: the worth of each feature of the agent, in
//! [`ensemble`] and [`features`]. The slides' sequences are lost; ours have the same sizes, with
//! uniform charges from a seed, and differences are paired over these sequences. Scores are R_nc,
//! which differs from the slides' R by a constant for each sequence. How variants are compared is
//! in [`comparisons`], results are in [`results`], what can be counted on small boards is in
//! [`counted`], and what our own champion should reach in [`champion`].

mod champion;
mod comparisons;
mod counted;
mod ensemble;
mod features;
mod results;

use crate::experiment::Experiment;

pub(super) const CHAPTERS: &[&[Experiment]] =
    &[ensemble::EXPERIMENTS, features::EXPERIMENTS, counted::EXPERIMENTS, results::EXPERIMENTS];

pub(super) const GOALS: &[Experiment] = champion::EXPERIMENTS;
