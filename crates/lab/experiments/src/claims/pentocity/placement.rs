//! Section 3.2: where a building goes.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::matches::{score, seconds};
use crate::measurement::ExpectedValue::{Above, Always, Below, Between};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;
use crate::polyominoes::{find_by_letter, place_beside};

use super::comparisons::{DRY, NAIVE, more, random};

/// Sixty factories, then requests as on `random`.
const FACTORIES_FIRST: &str = "mixture?share=0&switch=60";

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/naive",
        place: "3.2.1",
        claim: "Building row by row scores around 1600 without ponds and 1700 with them.",
        figure: "1600 to 1700",
        measure: |lab| {
            let games = random(lab, &[NAIVE, DRY], 40, 200)?;
            Ok(Measurements::new()
                .reading("with ponds", games.mean(NAIVE, &score), Between(1650.0, 1750.0))
                .reading("without", games.mean(DRY, &score), Between(1550.0, 1650.0)))
        },
    },
    Experiment {
        name: "pentocity/diagonal",
        place: "3.2.1",
        claim: "Building along the diagonal is better than building row by row.",
        figure: "–",
        measure: |lab| more(lab, ("diagonal", "naive"), Above(0.0), 40, 200),
    },
    Experiment {
        name: "pentocity/centre",
        place: "3.2.1",
        claim: "Placing residences at the centre and factories at the borders is not a good \
                strategy.",
        figure: "–",
        measure: |lab| more(lab, ("centre", "naive"), Below(0.0), 40, 200),
    },
    Experiment {
        name: "pentocity/centre-factories-first",
        place: "3.2.1",
        claim: "The centre strategy suffers more if factories are asked for first: they cut off \
                the land inside.",
        figure: "vulnerable",
        measure: |lab| {
            let random = ["random", FACTORIES_FIRST];
            let plan =
                TournamentPlan::solo("pentocity", random, ["centre", "naive"], lab.take(40, 200));
            let games = lab.play(&plan)?;
            let of = |scenario: &str| games.on(scenario).difference("centre", "naive", &score);
            let apart = of(FACTORIES_FIRST).minus(of("random"));
            Ok(Measurements::new()
                .part("points more, factories first − on random", apart, Below(0.0))
                .with_figure("with 60 factories first", of(FACTORIES_FIRST))
                .with_figure("on random", of("random")))
        },
    },
    Experiment {
        name: "pentocity/ties-diagonal",
        place: "3.2.1",
        claim: "Of equally good places, the one nearer to the diagonal keeps borders free for \
                later and scores more.",
        figure: "–",
        measure: |lab| {
            let by = |ties| {
                format!(
                    "report?placement=diagonal&ties={ties}&roads=shortest&ponds=walks:1\
                     &straight=false&extension=0&prefer=any"
                )
            };
            let (near, any) = (by("diagonal"), by("sum"));
            more(lab, (&near, &any), Above(0.0), 40, 200)
        },
    },
    Experiment {
        name: "pentocity/edges-cells",
        place: "3.2.2, figure 2",
        claim: "Counting edges of the perimeter scores around 30 points more than counting cells.",
        figure: "around +30",
        measure: |lab| more(lab, ("g1", "cells"), Between(15.0, 45.0), 60, 400),
    },
    Experiment {
        name: "pentocity/figure-2",
        place: "figure 2",
        claim: "A U fitted over an arm of a plus touches three cells of the plus, as many as its \
                back touches of a border, but along five edges instead of three.",
        figure: "3 and 3 cells, 5 and 3 edges",
        measure: |lab| {
            lab.note("counted");
            let (plus, u) = (find_by_letter("X"), find_by_letter("U"));
            // Over an arm: where most edges touch. Under its back: a border along its row.
            let border = (-4..=8).map(|column| (3, column)).collect();
            let fit = |beside| place_beside(beside, &u).into_iter().max().unwrap_or_default();
            let (edges, cells) = fit(&plus);
            let (border_edges, border_cells) = fit(&border);
            let exactly = |count: usize| Estimate::exact(count as f64);
            Ok(Measurements::new()
                .part("edges of the plus", exactly(edges), Always(5.0))
                .part("cells of the plus", exactly(cells), Always(3.0))
                .part("edges of a border", exactly(border_edges), Always(3.0))
                .part("cells of a border", exactly(border_cells), Always(3.0)))
        },
    },
    Experiment {
        name: "pentocity/components-second",
        place: "3.2.3",
        claim: "The number of vacant components as second key lowers the score slightly.",
        figure: "slightly less",
        measure: |lab| more(lab, ("components-second", "g1"), Between(-50.0, 0.0), 60, 400),
    },
    Experiment {
        name: "pentocity/components-first",
        place: "3.2.3",
        claim: "As first key the number of vacant components lowers the score slightly too.",
        figure: "slightly less",
        measure: |lab| more(lab, ("components-first", "g1"), Between(-50.0, 0.0), 12, 20),
    },
    Experiment {
        name: "pentocity/components-slow",
        place: "3.2.3",
        claim: "Counting components slows the simulation down significantly.",
        figure: "significantly",
        measure: |lab| {
            let games = random(lab, &["components-first", "g1"], 12, 20)?;
            let slower = games.change("components-first", "g1", &seconds);
            // Half as slow again is our reading of “significantly”.
            Ok(Measurements::new().reading(
                "time of a game, components as first key",
                slower,
                Above(50.0),
            ))
        },
    },
];
