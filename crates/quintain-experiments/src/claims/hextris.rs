//! The post “ICFPC 2015: Hexagonal Tetris”: its table of [`problems`], where its scores stood on the
//! [`leaderboard`], and what its [`evaluation`], its [`shortcuts`] and its [`phrases`] are worth. Played
//! on the contest's problems where they are at hand, otherwise on problems of the same sizes drawn by
//! ourselves; nothing in it is random.

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
