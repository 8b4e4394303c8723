//! The report “Project 3: Let's Get Together” of group 4: five players, alone (one player in all
//! seats) and in mixed teams. Where the report compares them with the players of the 13 groups,
//! whose programs are lost, we compare with the report's own players and Random. There is a file
//! for its claims about each player, and [`conventions`], [`tournaments`] and [`comparisons`]; the
//! targets for our own champion are in [`champion`].

mod champion;
mod comparisons;
mod conventions;
mod crazy;
mod figure_1;
mod flower_or_bee;
mod groovy;
mod hybrid;
mod salsa;
mod tournaments;

use crate::experiment::Experiment;

pub(super) const CHAPTERS: &[&[Experiment]] = &[
    conventions::EXPERIMENTS,
    salsa::EXPERIMENTS,
    hybrid::EXPERIMENTS,
    groovy::EXPERIMENTS,
    flower_or_bee::EXPERIMENTS,
    crazy::EXPERIMENTS,
    tournaments::EXPERIMENTS,
];

pub(super) const GOALS: &[Experiment] = champion::EXPERIMENTS;
