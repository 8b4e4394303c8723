//! The post “ICFPC 2015: Hexagonal Tetris”: its table of [`problems`], the ranks of its scores on
//! the [`leaderboard`], and the worth of its [`evaluation`], its [`shortcuts`] and its [`phrases`].
//! Its solver plays the contest's problems if they are at hand, otherwise problems of the same
//! sizes that we drew; it uses no randomness.
//! Our own [`champion`] is claimed to outrank the contest's winner.

mod champion;
mod comparisons;
mod evaluation;
mod leaderboard;
mod phrases;
mod problems;
mod shortcuts;

use crate::experiment::Experiment;

pub(super) const CHAPTERS: &[&[Experiment]] = &[
    problems::EXPERIMENTS,
    leaderboard::EXPERIMENTS,
    evaluation::EXPERIMENTS,
    shortcuts::EXPERIMENTS,
    phrases::EXPERIMENTS,
];

pub(super) const GOALS: &[Experiment] = champion::EXPERIMENTS;
