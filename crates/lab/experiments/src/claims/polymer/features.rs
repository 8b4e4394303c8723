//! The worth of the agent's other features: the choice of a child, the check for room, leaving out
//! rotations and reflections, looking ahead, and undoing steps instead of copying.

use std::sync::Arc;
use std::time::Instant;

use quintain_core::{Meter, Rng};
use quintain_polymer::{Incumbent, PlayoutWalk, Reach, RunStatistics, UctOptions, run_uct};
use quintain_search::ensemble::{self, Options};
use quintain_search::solitaire::Solitaire;

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::metric;
use crate::measurement::ExpectedValue::{Above, AtMost, Below};
use crate::measurement::Measurements;

use super::comparisons::{agents, feature, instance, sizes};

/// Counters from runs of the agent, one per sequence.
fn tallies(
    lab: &Lab<'_>,
    size: &str,
    count: u64,
    switches: UctOptions,
) -> Result<Vec<RunStatistics>, LabError> {
    lab.note(format!("the agent's own counts on `{size}`, seeds 1–{count}"));
    let seeds: Vec<u64> = (1..=count).collect();
    lab.each(&seeds, |seed| {
        let mut ignore = |_: &_| {};
        let mut best = Incumbent::new(&mut ignore);
        let (mut meter, mut rng) = (Meter::of(u64::MAX), Rng::from_seed(*seed));
        run_uct(&instance(size, *seed), &[0], switches, &mut meter, &mut rng, &mut best)
    })
}

/// Random walks from the start: the share that ends dead, and the longest run of dead ends.
fn walk_randomly(
    lab: &Lab<'_>,
    size: &str,
    reach: Reach,
    playouts: u64,
) -> Result<(Estimate, u64), LabError> {
    let kind = match reach {
        Reach::Off => "without checking for room",
        Reach::Count => "checking for room",
        Reach::Colours => "checking for room by colour",
    };
    lab.note(format!("{playouts} random walks on `{size}?seed=1` {kind}"));
    // One stream each, so that the number of threads has no effect.
    let blocks: Vec<u64> = (1..=10).collect();
    let counted = lab.each(&blocks, |block| {
        let mut line: PlayoutWalk = PlayoutWalk::new(
            instance(size, 1),
            &[0],
            UctOptions { reach, ..UctOptions::default() },
        );
        let mut rng = Rng::from_seed(*block);
        let (mut dead, mut row, mut longest) = (0, 0, 0);
        for _ in 0..playouts / 10 {
            row = if line.try_playout(&mut rng) { 0 } else { row + 1 };
            dead += u64::from(row > 0);
            longest = longest.max(row);
        }
        (dead, longest)
    })?;
    let dead = counted.iter().map(|(dead, _)| dead).sum();
    let longest = counted.iter().map(|(_, longest)| *longest).max().unwrap_or(0);
    Ok((Estimate::share(dead, playouts / 10 * 10), longest))
}

/// How much longer some decisions on the long chain take than with other switches. Both are timed
/// one after the other on each of six seeds, so that other load on the machine affects both.
fn slower(
    lab: &Lab<'_>,
    [(what, changed), (plain, unchanged)]: [(&str, UctOptions); 2],
    decisions: u32,
) -> Estimate {
    const SEEDS: u64 = 6;
    lab.note(format!(
        "{decisions} decisions of 300 iterations on `L64_s01?seed=1` with seeds 1–{SEEDS}, {what} \
         and {plain} in turn"
    ));
    let time = |switches: UctOptions, seed: u64| {
        let UctOptions { vote, exploration, copying, .. } = switches;
        let options = Options { exploration, trees: 1, vote, copying };
        let mut line: PlayoutWalk = PlayoutWalk::new(instance("L64_s01", 1), &[0, 1], switches);
        let (mut meter, mut rng) = (Meter::of(u64::MAX), Rng::from_seed(seed));
        let begun = Instant::now();
        for _ in 0..decisions {
            let decided = ensemble::decide(&mut line, options, 300, &mut meter, &mut rng);
            if let Some(step) = decided.step {
                line.step(step);
            }
        }
        begun.elapsed().as_secs_f64()
    };
    let ratios = (1..=SEEDS).map(|seed| time(changed, seed) / time(unchanged, seed));
    Estimate::mean_ratio(ratios).as_change()
}

pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "polymer/partial-score",
        place: "next-step partial score",
        claim: "Adding a tenth of a child's partial score in the choice of a child helps.",
        figure: "–",
        measure: |lab| feature(lab, "uct?partial=0"),
    },
    Experiment {
        name: "polymer/partial-score-fading",
        place: "next-step partial score",
        claim: "It helps that the partial score's effect lessens over time.",
        figure: "–",
        measure: |lab| feature(lab, "uct?fading=false"),
    },
    Experiment {
        name: "polymer/normalisation",
        place: "score normalization",
        claim: "Scaling scores to the range from 0 to 1 makes the ratio of exploitation to \
                exploration more efficient.",
        figure: "–",
        measure: |lab| feature(lab, "uct?normalised=false"),
    },
    Experiment {
        name: "polymer/dead-end-zero",
        place: "score normalization",
        claim: "A dead end may score like the worst possible walk, which is unlikely to occur \
                anyway.",
        figure: "unlikely",
        measure: |lab| {
            let playouts = lab.take(20_000, 200_000);
            lab.note(format!("{playouts} random walks on `L08_s01?seed=1`"));
            let blocks: Vec<u64> = (1..=10).collect();
            let counted = lab.each(&blocks, |block| {
                let instance = instance("L08_s01", 1);
                let norm = instance.norm();
                let mut line: PlayoutWalk =
                    PlayoutWalk::new(Arc::clone(&instance), &[0], UctOptions::default());
                let mut rng = Rng::from_seed(*block);
                (0..playouts / 10)
                    .filter(|_| {
                        let (walk, whole) = line.sample(&mut rng);
                        whole && instance.worth(&walk) <= -norm
                    })
                    .count() as u64
            })?;
            let worst = Estimate::share(counted.iter().sum(), playouts / 10 * 10);
            Ok(Measurements::new().reading("walks with the worst score", worst, Below(1.0)))
        },
    },
    Experiment {
        name: "polymer/reachable-cells",
        place: "reachable cells heuristics",
        claim: "Checking for room detects dead ends very early: far fewer walks end in one.",
        figure: "–",
        measure: |lab| {
            let mut measured = Measurements::new();
            for size in ["L08_s01", "L08_s03", "L16_s02"] {
                let playouts = lab.take(2_000, 10_000);
                let (off, _) = walk_randomly(lab, size, Reach::Off, playouts)?;
                let (on, _) = walk_randomly(lab, size, Reach::Count, playouts)?;
                let less = on.minus(off);
                measured = measured.part(
                    format!("{size}: dead ends, with the check − without"),
                    less,
                    Below(0.0),
                );
            }
            Ok(measured)
        },
    },
    Experiment {
        name: "polymer/reachable-cells-score",
        place: "reachable cells heuristics",
        claim: "Checking for room gives better walks.",
        figure: "–",
        measure: |lab| feature(lab, "uct?reach=off"),
    },
    Experiment {
        name: "polymer/reachable-cells-fail",
        place: "reachable cells heuristics",
        claim: "The check is a heuristic: even with enough reachable cells a walk may still run \
                into a dead end.",
        figure: "may fail",
        measure: |lab| {
            let (dead, _) = walk_randomly(lab, "L08_s03", Reach::Count, lab.take(2_000, 10_000))?;
            Ok(Measurements::new().part("L08_s03: dead ends", dead, Above(0.0)))
        },
    },
    Experiment {
        name: "polymer/ten-tries",
        place: "reachable cells heuristics",
        claim: "A pure random walk on 16×16 always succeeds within ten tries.",
        figure: "always",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, n) in [("L16_s02", 128), ("L16_s01", 204)] {
                let (dead, longest) =
                    walk_randomly(lab, size, Reach::Count, lab.take(2_000, 10_000))?;
                let longest = Estimate::exact(longest as f64);
                measured = measured
                    .part(format!("n = {n}: failures in a row, at most"), longest, AtMost(9.0))
                    .with_figure(format!("n = {n}: dead ends"), dead);
            }
            Ok(measured.of_a_bound())
        },
    },
    Experiment {
        name: "polymer/invariances",
        place: "invariances",
        claim: "Fixing the first step and the first step perpendicular to it saves nodes and \
                loses nothing.",
        figure: "–",
        measure: |lab| {
            let (size, count) = sizes(lab)[0];
            let nodes = |switches| -> Result<Vec<f64>, LabError> {
                let tallies = tallies(lab, size, count, switches)?;
                Ok(tallies.iter().map(|tally| tally.nodes as f64).collect())
            };
            let (with, without) = (
                nodes(UctOptions::default())?,
                nodes(UctOptions { invariances: false, ..UctOptions::default() })?,
            );
            let ratios = with.iter().zip(&without).map(|(a, b)| a / b);
            let nodes = Estimate::mean_ratio(ratios).as_change();
            let games = agents(lab, size, count, &["uct", "uct?invariances=false"])?;
            let gain = games.difference("uct", "uct?invariances=false", &metric("R_nc"));
            Ok(Measurements::new().part("nodes of a run", nodes, Below(0.0)).reading(
                "R_nc with these steps fixed − without",
                gain,
                Above(-0.5),
            ))
        },
    },
    Experiment {
        name: "polymer/look-ahead",
        place: "miscellaneous observations",
        claim: "On 64×64 whole playouts take too long; 100 steps are much quicker.",
        figure: "–",
        measure: |lab| {
            let decisions = lab.take(3, 20) as u32;
            let capped = UctOptions { lookahead: 100, ..UctOptions::default() };
            let both =
                [("playouts of 100 steps", capped), ("whole playouts", UctOptions::default())];
            let time = slower(lab, both, decisions);
            // Half the time is our reading of “much quicker”.
            Ok(Measurements::new().reading(
                "time, compared with whole playouts",
                time,
                Below(-50.0),
            ))
        },
    },
    Experiment {
        name: "polymer/look-ahead-quality",
        place: "miscellaneous observations",
        claim: "Playouts may be cut after 100 steps where whole ones take too long.",
        figure: "–",
        measure: |lab| {
            let count = lab.take(0, 8);
            if count == 0 {
                return Ok(Measurements::new().undecidable("it takes minutes; --full plays it"));
            }
            // The largest size on which both can be played: 128 monomers, where 100 steps leave the
            // end out of sight for the first quarter of the walk.
            let games = agents(lab, "L16_s02", count, &["uct", "uct?lookahead=100"])?;
            let figure = metric("R_nc");
            let less = games.difference("uct?lookahead=100", "uct", &figure);
            let tenth = games.mean("uct", &figure).value.abs() / 10.0;
            // A tenth of the score is our reading of what may be lost.
            Ok(Measurements::new()
                .reading("R_nc with 100 steps − with whole playouts", less, Above(-tenth))
                .with_figure("R_nc with whole playouts", games.mean("uct", &figure)))
        },
    },
    Experiment {
        name: "polymer/exploration",
        place: "overall algorithm",
        claim: "The exploration constant is 0.2.",
        figure: "0.2",
        measure: |lab| {
            let mut measured = Measurements::new();
            for (size, count) in sizes(lab) {
                for other in ["0.1", "0.4"] {
                    let player = format!("uct?exploration={other}");
                    let games = agents(lab, size, count, &["uct", &player])?;
                    let gain = games.difference("uct", &player, &metric("R_nc"));
                    let what = format!("{size}: R_nc at 0.2 − at {other}");
                    measured = measured.with_figure(what, gain);
                }
            }
            Ok(measured.undecidable("the slides give the value but do not say that it is the best"))
        },
    },
    Experiment {
        name: "polymer/copying",
        place: "miscellaneous observations",
        claim: "Copying the grid for every node costs time that a cheaper way of keeping \
                differences would save.",
        figure: "might be good",
        measure: |lab| {
            let decisions = lab.take(5, 40) as u32;
            let capped = UctOptions { lookahead: 100, ..UctOptions::default() };
            let copying = UctOptions { copying: true, ..capped };
            let time = slower(lab, [("copying", copying), ("undoing", capped)], decisions);
            Ok(Measurements::new().part("more time when copying", time, Above(0.0)))
        },
    },
];
