//! The slides “CS5330 Randomized Algorithm Project”: what each feature of the agent is
//! worth, the [`ensemble`] and the other [`features`]. Their sequences are lost; ours have their sizes,
//! with uniform charges from a seed, and differences are paired over such sequences. Scores are R_nc,
//! which differs from the slides' R by a constant of the sequence. How variants are compared is in
//! [`comparisons`], results are in [`results`], what can be counted on small boards in [`counted`], and
//! what our own champion is to reach in [`champion`].

mod champion;
mod comparisons;
mod counted;
mod ensemble;
mod features;
mod results;

use crate::experiment::Experiment;

pub(super) const CHAPTERS: &[&[Experiment]] = &[
    ensemble::EXPERIMENTS,
    features::EXPERIMENTS,
    counted::EXPERIMENTS,
    results::EXPERIMENTS,
    champion::EXPERIMENTS,
];
