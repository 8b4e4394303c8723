//! A player for each strategy that the report names, with its parameters.

use quintain_core::parameters::NoParameters;
use quintain_core::{Description, Entry};

use super::parameters::{Components, Joint, PlacementKey, Ponds, Report, Roads, Ties};
use super::player::Reporter;
use crate::rules::Pentocity;
use crate::rules::paths::Prefer;

const SOURCE: &str = "“Project 1: Pentocity”, Lin, Meiyappan, Sheng 2016";

/// The player that was submitted.
pub(super) fn g1() -> Report {
    Report { ties: Ties::Submitted, roads: Roads::Min, ..Report::default() }
}

/// The first, naive player: row by row, one random walk for each pond.
fn naive() -> Report {
    Report {
        placement: PlacementKey::Rows,
        ties: Ties::Rows,
        roads: Roads::Shortest,
        ponds: Ponds::Walks(1),
        prefer: Prefer::Any,
        straight: false,
        extension: 0,
        ..Report::default()
    }
}

/// Registers all presets.
pub(crate) fn add_to(mut entry: Entry<Pentocity>) -> Entry<Pentocity> {
    type Preset = (&'static str, &'static str, fn() -> Report);
    let presets: [Preset; 12] = [
        ("g1", "the submitted player: perimeter by edges, least perimeter for roads and ponds", g1),
        ("naive", "row by row, one random walk for each pond", naive),
        ("dry", "row by row, without ponds", || Report { ponds: Ponds::None, ..naive() }),
        ("diagonal", "along the diagonal, one random walk for each pond", || Report {
            placement: PlacementKey::Diagonal,
            ties: Ties::Diagonal,
            ..naive()
        }),
        ("centre", "residences at the centre, factories at the borders", || Report {
            placement: PlacementKey::Centre,
            ties: Ties::Diagonal,
            ..naive()
        }),
        ("cells", "g1 with the perimeter counted by cells", || Report {
            placement: PlacementKey::Cells,
            ..g1()
        }),
        ("components-first", "g1 with vacant components as the first key", || Report {
            components: Components::First,
            ..g1()
        }),
        ("components-second", "g1 with vacant components as the second key", || Report {
            components: Components::Second,
            ..g1()
        }),
        ("clinging", "g1 with roads that cling to buildings", || Report {
            roads: Roads::Clinging,
            ..g1()
        }),
        ("fractal", "g1 with a tree of roads laid beforehand", || Report {
            roads: Roads::Fractal,
            ..g1()
        }),
        ("joint", "g1, but judges building, road, pond and field together", || Report {
            joint: Joint::All,
            ..g1()
        }),
        ("joint-roads", "g1, but judges building and road together", || Report {
            joint: Joint::Roads,
            ..g1()
        }),
    ];
    for (name, summary, parameters) in presets {
        entry = entry.player(
            Description { name, version: 1, summary, source: SOURCE },
            move |_, _: &NoParameters| Ok(Box::new(Reporter::new(parameters()))),
        );
    }
    entry
}
