//! Section 3.3: how roads lead to a building.

use crate::experiment::Experiment;
use crate::matches::{metric, score, seconds};
use crate::measurement::ExpectedValue::{Above, Below, Between};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{more, random};

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "pentocity/roads-clinging",
        place: "3.3.1",
        claim: "Roads that cling to buildings are longer and lower the score.",
        figure: "–",
        measure: |lab| {
            let games = random(lab, &["clinging", "g1"], 60, 400)?;
            let more = |name| games.difference("clinging", "g1", &metric(name));
            Ok(Measurements::new()
                .part("points more", games.difference("clinging", "g1", &score), Below(0.0))
                .part("more road cells", more("road cells"), Above(0.0))
                .with_figure("more empty cells", more("empty cells")))
        },
    },
    Experiment {
        name: "pentocity/roads-fractal",
        place: "3.3.2",
        claim: "A tree of roads built beforehand scores lower than shortest roads.",
        figure: "–",
        measure: |lab| more(lab, ("fractal", "g1"), Below(0.0), 60, 400),
    },
    Experiment {
        name: "pentocity/roads-fractal-distributions",
        place: "3.3.2",
        claim: "The value of such a tree depends strongly on the distribution.",
        figure: "very dependent",
        measure: |lab| {
            let on = ["tanks", "g2"];
            let plan = TournamentPlan::solo("pentocity", on, ["fractal", "g1"], lab.take(20, 100));
            let games = lab.play(&plan)?;
            let of = |scenario: &str| games.on(scenario).difference("fractal", "g1", &score);
            let apart = of("g2").minus(of("tanks"));
            Ok(Measurements::new()
                .part("points added on g2 − on tanks", apart, Above(0.0))
                .with_figure("on tanks", of("tanks"))
                .with_figure("on g2", of("g2")))
        },
    },
    Experiment {
        name: "pentocity/road-perimeter",
        place: "3.3.3",
        claim: "Choosing the shortest road with the most perimeter makes a slight difference, for \
                the better.",
        figure: "slight",
        measure: |lab| {
            let (most, any) =
                ("report?ties=submitted&roads=max", "report?ties=submitted&roads=shortest");
            more(lab, (most, any), Between(0.0, 20.0), 60, 400)
        },
    },
    Experiment {
        name: "pentocity/road-perimeter-slow",
        place: "3.3.3",
        claim: "Choosing among the shortest roads costs speed.",
        figure: "–",
        measure: |lab| {
            let (most, any) =
                ("report?ties=submitted&roads=max", "report?ties=submitted&roads=shortest");
            let games = random(lab, &[most, any], 60, 400)?;
            let slower = games.change(most, any, &seconds);
            Ok(Measurements::new().part("time of a game", slower, Above(0.0)))
        },
    },
];
