//! How much the two shortcuts of the search for places save.

use quintain_hextris::{Paths, Shortcuts, Unit, Walk};

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{score, seconds};
use crate::measurement::ExpectedValue::Below;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{everywhere, scenarios};

/// How much a shortcut saves on large boards, without speaking, whose time would hide the effect.
/// Time depends on what else the machine does; the positions that the search looks at do not. The
/// games are the same on every seed: further seeds only time them again.
fn shortcut(
    lab: &Lab<'_>,
    (with, without): (&str, &str),
    shortcuts: [Shortcuts; 2],
) -> Result<Measurements, LabError> {
    let problems: &[usize] = if lab.is_tiny() { &[10] } else { &[14, 18] };
    let large = scenarios(lab, problems, "");
    let plan = TournamentPlan::solo("hextris", large, [with, without], lab.take(3, 6));
    let games = lab.play(&plan)?;
    lab.note("the positions that the search itself counts, for every unit on the initial board");
    let mut saved = Vec::new();
    for scenario in scenarios(lab, &everywhere(lab), "") {
        let [with, without] = positions(&scenario, shortcuts)?;
        saved.push(with as f64 / without as f64);
    }
    Ok(Measurements::new()
        .part(
            "positions examined, on all boards",
            Estimate::mean_ratio(saved).as_change(),
            Below(0.0),
        )
        .part("time on large boards", games.change(with, without, &seconds), Below(0.0))
        .with_figure("score on large boards", games.change(with, without, &score)))
}

/// The number of positions that the search for places looks at, for all units of a game at their
/// start.
fn positions(scenario: &str, shortcuts: [Shortcuts; 2]) -> Result<[usize; 2], LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::Missing(error.to_string());
    let (built, _) = quintain_hextris::entry().build(scenario).map_err(|error| failed(&error))?;
    let rules = built.rules().clone();
    let problem = rules.instance().problem();
    let mut paths = Paths::new();
    Ok(shortcuts.map(|shortcuts| {
        let of = |unit: &Unit| {
            paths.explore(unit, problem.board(), &Walk::new(unit, unit.spawn()), shortcuts);
            paths.positions().len()
        };
        problem.units().iter().map(of).sum()
    }))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/straight-fall",
        place: "macro moves, heuristics",
        claim: "Letting a unit only fall while it is above every full cell speeds the search up, \
                above all on big maps.",
        figure: "–",
        measure: |lab| {
            let none = Shortcuts::default();
            shortcut(
                lab,
                ("post?speaks=false&waiting=0", "post?speaks=false&waiting=0&falling=false"),
                [Shortcuts { falling: true, ..none }, none],
            )
        },
    },
    Experiment {
        name: "hextris/fewer-rotations",
        place: "macro moves, heuristics",
        claim: "Trying no rotations while more than 40 positions are waiting speeds the search up.",
        figure: "–",
        measure: |lab| {
            let none = Shortcuts::default();
            shortcut(
                lab,
                ("post?speaks=false&falling=false", "post?speaks=false&falling=false&waiting=0"),
                [Shortcuts { waiting: Some(40), ..none }, none],
            )
        },
    },
];
