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

use super::page::Page;

pub(super) const PAGES: [Page; 2] = [
    Page {
        name: "pentocity",
        topic: "the player",
        chapters: &[
            trials::EXPERIMENTS,
            placement::EXPERIMENTS,
            roads::EXPERIMENTS,
            ponds::EXPERIMENTS,
        ],
    },
    Page {
        name: "pentocity-class",
        topic: "the class and the champion",
        chapters: &[
            adversary::EXPERIMENTS,
            tournament::EXPERIMENTS,
            table::EXPERIMENTS,
            champion::EXPERIMENTS,
        ],
    },
];
