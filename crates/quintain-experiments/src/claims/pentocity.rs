//! The report “Project 1: Pentocity” of group 1: what each part of its player is worth
//! on requests drawn by the sequencer `random`. Scores are compared on the same requests,
//! seed by seed. A file for each section; [`class`] is what is known of the class tournament. The
//! players that are compared, and how, are in [`comparisons`], and what is asked of our own champion is
//! in [`champion`].

mod adversary;
mod champion;
mod class;
mod comparisons;
mod placement;
mod ponds;
mod roads;
mod table;
mod tournament;
mod trials;

use crate::experiment::Experiment;

pub(super) const CHAPTERS: &[&[Experiment]] = &[
    trials::EXPERIMENTS,
    placement::EXPERIMENTS,
    roads::EXPERIMENTS,
    ponds::EXPERIMENTS,
    adversary::EXPERIMENTS,
    tournament::EXPERIMENTS,
    table::EXPERIMENTS,
    champion::EXPERIMENTS,
];
