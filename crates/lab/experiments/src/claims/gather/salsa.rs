//! What the report says about Salsa y Arroz.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::measurement::ExpectedValue::{Above, Below};
use crate::measurement::Measurements;

use super::comparisons::{BOARDS, alone, among_four, cut_off, play_mixed, rank};

/// The limit on rounds for players that never meet: as in the tournaments of the course, a match
/// that would go on for ever has to be ended.
const LIMIT: u32 = 20_000;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/salsa-alone",
        place: "Salsa y Arroz",
        claim: "Alone, Salsa y Arroz does decently.",
        figure: "decently",
        measure: |lab| {
            // Better than the middle of seven places is our reading of “decently”.
            let own = rank(&alone(lab)?, "salsa");
            Ok(Measurements::new().reading("mean rank of 7", own, Below(4.0)))
        },
    },
    Experiment {
        name: "gather/salsa-stuck",
        place: "Salsa y Arroz",
        claim: "Salsa y Arroz occasionally gets stuck for good.",
        figure: "occasionally",
        measure: |lab| {
            // It has to happen, but in fewer than one match of ten.
            let games = alone(lab)?;
            let count = games.of("salsa").filter(|game| game.truncated).count();
            Ok(Measurements::new()
                .part("matches that get stuck", Estimate::exact(count as f64), Above(0.0))
                .reading(
                    format!("share cut off after {LIMIT} rounds"),
                    cut_off(&games, "salsa"),
                    Below(10.0),
                ))
        },
    },
    Experiment {
        name: "gather/salsa-among-others",
        place: "Salsa y Arroz",
        claim: "Salsa y Arroz does not do well among players that, unlike it, do not follow \
                straight trails.",
        figure: "–",
        measure: |lab| {
            let (salsa, flower) =
                (among_four(lab, "salsa", "hybrid")?, among_four(lab, "flower-v2", "hybrid")?);
            let all = alone(lab)?;
            let own = rank(&all, "salsa");
            let teams = rank(&play_mixed(lab, &BOARDS, &[2, 3, 5, 8])?, "salsa");
            Ok(Measurements::new()
                .part("mean rank of 7 in mixed teams − alone", teams.minus(own), Above(0.0))
                .with_figure("rounds as fifth player among four Hybrids, 35x35", salsa)
                .with_figure("rounds with FlowerOrBee in its place", flower))
        },
    },
];
