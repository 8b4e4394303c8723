//! The table of results: scores on sequences that are lost, and the time that runs took.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{metric, seconds};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::agents;

const LOST: &str = "the slides' sequence is lost";
const MACHINE: &str = "the slides used another machine and language";

/// The slides' result on a lost sequence, compared with our agent's on other sequences of its size.
fn result(lab: &Lab<'_>, size: &str, count: u64) -> Result<Measurements, LabError> {
    let games = agents(lab, size, count, &["uct"])?;
    let values = games.values("uct", &metric("R"));
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(Measurements::new()
        .with_figure("R of our agent on sequences of this size", games.mean("uct", &metric("R")))
        .with_figure("least", Estimate::exact(least))
        .with_figure("most", Estimate::exact(most))
        .not_comparable(LOST))
}

/// The result of one run for each family of charges, since it is not known either what the slides'
/// sequence was like.
fn result_by_family(lab: &Lab<'_>, size: &str) -> Result<Measurements, LabError> {
    let mut measured = Measurements::new();
    for family in ["uniform", "signs", "sparse", "imbalanced"] {
        let sequence = format!("{size}?charges={family}&seed=1");
        let plan = TournamentPlan::solo("polymer", [sequence], ["uct"], 1);
        let r = lab.play(&plan)?.values("uct", &metric("R"));
        measured = measured.with_figure(format!("R on {family} charges"), Estimate::exact(r[0]));
    }
    Ok(measured.not_comparable(LOST))
}

/// The result of a run that takes our agent too long to repeat with all experiments.
fn too_long(size: &str, time: &str) -> Measurements {
    let why = format!("{LOST}; another of the size of {size} takes {time}");
    Measurements::new().not_comparable(why)
}

/// The time of runs that take minutes and are made only with `--full`.
fn long_run(lab: &Lab<'_>, size: &str, count: u64) -> Result<Measurements, LabError> {
    if lab.take(0, 1) == 0 {
        return Ok(Measurements::new().undecidable("it takes minutes; --full plays it"));
    }
    let times = agents(lab, size, count, &["uct"])?.values("uct", &seconds);
    let time = Estimate::exact(times.iter().sum::<f64>() / times.len() as f64).in_unit(" s");
    Ok(Measurements::new().with_figure(size, time).not_comparable(MACHINE))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "polymer/runtime",
        place: "results",
        claim: "A run on the 8×8 instances takes about a minute.",
        figure: "~1 min",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, quick, full) in [("L08_s01", 3, 20), ("L08_s03", 2, 6), ("L08_s02", 1, 2)] {
                if lab.is_tiny() && size != "L08_s01" {
                    continue;
                }
                let games = agents(lab, size, lab.take(quick, full), &["uct"])?;
                let time = games.mean("uct", &seconds).in_unit(" s");
                measured = measured.with_figure(size, time);
            }
            Ok(measured.not_comparable(MACHINE))
        },
    },
    Experiment {
        name: "polymer/runtime-l16",
        place: "results",
        claim: "A run on the 16×16 instances takes about two hours.",
        figure: "~2 hours",
        measure: |lab| long_run(lab, "L16_s02", 2),
    },
    Experiment {
        name: "polymer/runtime-l64",
        place: "results",
        claim: "A run on L64_s01 takes about twelve hours.",
        figure: "~12 hours",
        measure: |lab| long_run(lab, "L64_s01", 1),
    },
    Experiment {
        name: "polymer/ensemble-memory",
        place: "results",
        claim: "On L64_s02 an ensemble of three runs out of memory after almost two days.",
        figure: "OutOfMainMemoryException",
        measure: |_| Ok(Measurements::new().not_comparable(MACHINE)),
    },
    Experiment {
        name: "polymer/result-l08-s01",
        place: "results",
        claim: "The score on L08_s01, 24 monomers on 8×8.",
        figure: "8",
        measure: |lab| result(lab, "L08_s01", lab.take(40, 80)),
    },
    Experiment {
        name: "polymer/result-l08-s02",
        place: "results",
        claim: "The score on L08_s02, 56 monomers on 8×8.",
        figure: "34",
        measure: |lab| match lab.is_tiny() {
            true => Ok(too_long("L08_s02", "seconds")),
            false => result(lab, "L08_s02", lab.take(1, 2)),
        },
    },
    Experiment {
        name: "polymer/result-l08-s03",
        place: "results",
        claim: "The score on L08_s03, 48 monomers on 8×8.",
        figure: "9",
        measure: |lab| match lab.is_tiny() {
            true => Ok(too_long("L08_s03", "seconds")),
            false => result(lab, "L08_s03", lab.take(6, 8)),
        },
    },
    Experiment {
        name: "polymer/result-l16-s01",
        place: "results",
        claim: "The score on L16_s01, 204 monomers on 16×16.",
        figure: "24",
        measure: |_| Ok(too_long("L16_s01", "more than ten minutes")),
    },
    Experiment {
        name: "polymer/result-l16-s02",
        place: "results",
        claim: "The score on L16_s02, 128 monomers on 16×16.",
        figure: "64",
        measure: |lab| match lab.take(0, 1) {
            0 => Ok(too_long("L16_s02", "half a minute; --full plays it")),
            _ => result(lab, "L16_s02", 2),
        },
    },
    Experiment {
        name: "polymer/result-l64-s01",
        place: "results",
        claim: "The score on L64_s01, 640 monomers on 64×64.",
        figure: "53",
        measure: |lab| match lab.take(0, 1) {
            0 => Ok(too_long("L64_s01", "minutes; --full plays it")),
            _ => result_by_family(lab, "L64_s01"),
        },
    },
    Experiment {
        name: "polymer/result-l64-s02",
        place: "results",
        claim: "The score on L64_s02, 2560 monomers on 64×64.",
        figure: "166",
        measure: |_| Ok(too_long("L64_s02", "more than ten minutes")),
    },
];
