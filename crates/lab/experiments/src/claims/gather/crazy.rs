//! What the report says about Cra-Z-y.

use crate::experiment::Experiment;
use crate::matches::score;
use crate::measurement::ExpectedValue::Above;
use crate::measurement::Measurements;

use super::comparisons::alone;
use super::figure_1::leaves_figure_1;

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "gather/crazy-converges",
        place: "Cra-Z-y",
        claim: "In most cases Cra-Z-y converges.",
        figure: "most cases",
        measure: |lab| {
            // More than half is our reading of “most”.
            let ended = alone(lab)?.share("cra-z-y", |game| !game.truncated);
            Ok(Measurements::new().part("matches alone that were not cut off", ended, Above(50.0)))
        },
    },
    Experiment {
        name: "gather/crazy-deadlocks",
        place: "Cra-Z-y",
        claim: "After three rounds of staying put Cra-Z-y breaks a deadlock.",
        figure: "3 rounds",
        measure: |lab| leaves_figure_1(lab, "cra-z-y"),
    },
    Experiment {
        name: "gather/crazy-poor",
        place: "Cra-Z-y",
        claim: "Cra-Z-y was not submitted because of its poor performance: Groovy and FlowerOrBee \
                are faster.",
        figure: "–",
        measure: |lab| {
            let games = alone(lab)?;
            let more = |other: &str| games.difference("cra-z-y", other, &score);
            Ok(Measurements::new()
                .part("rounds alone, Cra-Z-y − FlowerOrBee", more("flower-v2"), Above(0.0))
                .part("rounds alone, Cra-Z-y − Groovy", more("groovy"), Above(0.0)))
        },
    },
];
