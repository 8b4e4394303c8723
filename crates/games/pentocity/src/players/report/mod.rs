//! Every strategy of the report “Project 1: Pentocity” (Columbia, 2016), as parameters that combine
//! freely: where to build, which road, which ponds and fields, and whether to judge them together.
//! The strategies that the report names have presets in [`presets`].
//!
//! Where the report is unclear, the submitted program decides: its recorded games have the
//! placements of `g1`.

mod complete;
mod joint;
mod parameters;
mod placement;
mod player;
mod ponds;
pub(crate) mod presets;
mod roads;

pub(crate) use player::build_report;

use crate::rules::Pentocity;

/// The player that was submitted.
pub(crate) fn g1() -> Box<dyn quintain_core::Player<Pentocity>> {
    Box::new(player::Reporter::new(presets::g1()))
}
