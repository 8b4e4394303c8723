//! The worth of the evaluation's features, of its weights and of looking ahead.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::score;
use crate::measurement::ExpectedValue::{Above, Below};
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::comparisons::{change, everybody, scenarios};

/// The change in score when a part of the solver is changed.
fn part(lab: &Lab<'_>, changed: &str, plain: &str) -> Result<Estimate, LabError> {
    Ok(change(&everybody(lab, &[changed, plain], "")?, changed, plain, &score))
}

/// The effect of leaving a feature out, and of reversing its sign.
fn feature(lab: &Lab<'_>, names: &[&str]) -> Result<Measurements, LabError> {
    let set = |factor: &str| {
        let set: Vec<String> = names.iter().map(|name| format!("{name}={factor}")).collect();
        format!("post?{}", set.join("&"))
    };
    Ok(Measurements::new()
        .part("score without it", part(lab, &set("0"), "post")?, Below(0.0))
        .with_figure("score with its sign reversed", part(lab, &set("-1"), "post")?))
}

/// The effect of looking further ahead on some problems.
fn look_ahead(lab: &Lab<'_>, problems: &[usize], deep: &str) -> Result<Measurements, LabError> {
    let problems = if lab.is_tiny() { &problems[..1] } else { problems };
    let scenarios = scenarios(lab, problems, "");
    let shallow = "post?depth=1";
    let games = lab.play(&TournamentPlan::solo("hextris", scenarios, [deep, shallow], 1))?;
    let more = games.change(deep, shallow, &score);
    Ok(Measurements::new().part(
        format!("score of `{deep}`, compared with one unit ahead"),
        more,
        Above(0.0),
    ))
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "hextris/gravity",
        place: "macro moves",
        claim: "The gravity feature, which encourages low places, helps.",
        figure: "–",
        measure: |lab| feature(lab, &["gravity"]),
    },
    Experiment {
        name: "hextris/holes",
        place: "macro moves",
        claim: "The three features of covered holes help.",
        figure: "–",
        measure: |lab| feature(lab, &["right", "left", "both"]),
    },
    Experiment {
        name: "hextris/unfinished",
        place: "macro moves",
        claim: "The feature of unfinished rows helps.",
        figure: "–",
        measure: |lab| feature(lab, &["unfinished"]),
    },
    Experiment {
        name: "hextris/smoothness",
        place: "macro moves",
        claim: "The smoothness feature, which encourages compact placement, helps.",
        figure: "–",
        measure: |lab| feature(lab, &["rough"]),
    },
    Experiment {
        name: "hextris/own-weights",
        place: "macro moves",
        claim: "As a balance is hard to find, each problem needs weights tuned for it by hand.",
        figure: "25 sets of weights",
        measure: |lab| {
            let more = part(lab, "post", "post?weights=-1")?;
            Ok(Measurements::new().part(
                "score with a problem's own weights, compared with the default ones",
                more,
                Above(0.0),
            ))
        },
    },
    Experiment {
        name: "hextris/depth-2",
        place: "macro moves, table of weights",
        claim: "On problems 8, 11 and 15 looking two units ahead is better than looking one ahead.",
        figure: "depth 2",
        measure: |lab| look_ahead(lab, &[8, 11, 15], "post?depth=2"),
    },
    Experiment {
        name: "hextris/depth-3",
        place: "macro moves, table of weights",
        claim: "On problem 23 looking three units ahead is better than looking one ahead.",
        figure: "depth 3",
        measure: |lab| {
            let measured = look_ahead(lab, &[23], "post?depth=3")?;
            let alone = measured.parts[0].estimate;
            // Nothing is drawn at random here: the figure is exact.
            let exact = Estimate { unit: alone.unit, ..Estimate::exact(alone.value) };
            let what = "score compared with one unit ahead, in the problem's only game";
            Ok(Measurements::new().part(what, exact, Above(0.0)))
        },
    },
];
