//! The report “Project 1: Pentocity” of group 1: the worth of each part of its player on requests
//! drawn by the sequencer `random`. Scores are compared on the same requests, seed by seed. There
//! is a file for each section; [`class`] holds what is known about the class tournament. The
//! players that are compared, and how, are in [`comparisons`]; the targets for our own champion are
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
];

pub(super) const GOALS: &[Experiment] = champion::EXPERIMENTS;
