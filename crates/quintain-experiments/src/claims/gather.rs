//! The report “Project 3: Let's Get Together” of group 4: five players, alone (all seats
//! one player) and in mixed teams. Where it compares with the 13 groups' players, whose
//! programs are lost, the comparison is with the report's own players and Random. A file for
//! what it says of each player, one for [`conventions`], one for [`tournaments`], one for [`comparisons`].

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
