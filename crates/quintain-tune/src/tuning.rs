//! The tuning itself: generation after generation, then the held-out seeds.

use std::path::PathBuf;

use quintain_core::{PlayerHandle, Rng, Spec, Streams};
use quintain_search::evolution::Evolution;
use quintain_stats::{Interval, mean_with_interval};

use crate::TuneError;
use crate::axis::Axis;
use crate::course::{Course, Generation};
use crate::ground::Ground;
use crate::race::race;

/// What is tuned, and on how much.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The parameters.
    pub axes: Vec<Axis>,
    /// Generations in all, those of an earlier run included.
    pub generations: usize,
    /// Candidates of a generation; 0 for as many as the number of parameters suggests.
    pub population: usize,
    /// Training seeds of a generation.
    pub seeds: u64,
    /// The first training seed; every generation has fresh ones.
    pub first: u64,
    /// Held-out seeds.
    pub held_out: u64,
    /// The seed of the evolution's own draws.
    pub draws: u64,
    /// Where the course is kept, and gone on from.
    pub keep: Option<PathBuf>,
}

/// The first held-out seed, far from those of training.
const HELD_OUT: u64 = 1 << 40;
/// The step of the first generation: [`Axis`] knows how long that is.
const STEP: f64 = 1.0;

/// The gain on seeds that were not trained on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeldOut {
    /// The mean gain, in the unit of the ground.
    pub gain: f64,
    /// Its 95 % interval; none of a single board.
    pub interval: Option<Interval>,
    /// Boards it was measured on.
    pub boards: usize,
}

/// What came of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The player with its parameters tuned, ready to use.
    pub player: String,
    /// The course.
    pub course: Course,
    /// The gain on held-out seeds.
    pub held_out: HeldOut,
}

/// Tunes; `told` hears of every generation, those of an earlier run included.
///
/// # Errors
/// If a match cannot be played, the course cannot be kept, or the user stops: whole
/// generations stay in the course's file.
pub fn tune(
    ground: &Ground<'_>,
    plan: &Plan,
    told: &mut dyn FnMut(usize, &Generation),
) -> Result<Tuned, TuneError> {
    if plan.axes.is_empty() {
        return Err(TuneError::Usage("nothing is to be tuned: name a --param".to_owned()));
    }
    let mut evolution = Evolution::new(vec![0.0; plan.axes.len()], STEP);
    if plan.population > 0 {
        evolution = evolution.with_population(plan.population);
    }
    let mut course = Course::new(
        ground.described(),
        plan.axes.clone(),
        evolution.population(),
        (plan.first, plan.seeds),
        plan.draws,
    );
    if let Some(path) = &plan.keep {
        course = course.resumed(path)?;
    }
    ground.calibrate(&ground.boards(plan.first, plan.seeds))?;
    for number in 0..plan.generations {
        let candidates = drawn(&evolution, &plan.axes, &mut draws(plan, number));
        if number == course.generations.len() {
            let generation = played(ground, plan, &candidates, number)?;
            course.generations.push(generation);
        }
        let generation = &mut course.generations[number];
        let costs: Vec<f64> = generation.gains.iter().map(|gain| -gain).collect();
        evolution.tell(&candidates, &costs);
        generation.middle =
            plan.axes.iter().zip(evolution.mean()).map(|(axis, at)| axis.value(*at)).collect();
        generation.step = evolution.step();
        told(number, generation);
        if let Some(path) = &plan.keep {
            course.keep(path)?;
        }
    }
    let player = spec(ground, &plan.axes, evolution.mean());
    let held_out = held_out(ground, &ground.seat(&player)?, plan.held_out)?;
    Ok(Tuned { player, course, held_out })
}

/// The evolution's draws of a generation have an address of their own.
fn draws(plan: &Plan, number: usize) -> Rng {
    Streams::new(plan.draws).address("tuning", number as u64)
}

/// The candidates of a generation, brought back into the ranges.
fn drawn(evolution: &Evolution, axes: &[Axis], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut candidates = evolution.ask(rng);
    for candidate in &mut candidates {
        for (at, axis) in candidate.iter_mut().zip(axes) {
            *at = axis.steps(axis.value(*at));
        }
    }
    candidates
}

/// Races the candidates of a generation over its seeds.
fn played(
    ground: &Ground<'_>,
    plan: &Plan,
    candidates: &[Vec<f64>],
    number: usize,
) -> Result<Generation, TuneError> {
    let seated: Vec<PlayerHandle> = candidates
        .iter()
        .map(|candidate| ground.seat(&spec(ground, &plan.axes, candidate)))
        .collect::<Result<_, _>>()?;
    let boards = ground.boards(plan.first + number as u64 * plan.seeds, plan.seeds);
    let raced = race(ground, &seated, &boards, candidates.len() / 2)?;
    Ok(Generation { gains: raced.gains, ran: raced.ran, middle: Vec::new(), step: STEP })
}

/// The player before tuning with these values set.
fn spec(ground: &Ground<'_>, axes: &[Axis], at: &[f64]) -> String {
    let mut spec: Spec = ground.baseline().parse().expect("a canonical spec reads back");
    for (axis, at) in axes.iter().zip(at) {
        let value = axis.written(axis.value(*at));
        match spec.arguments.iter_mut().find(|(name, _)| *name == axis.name) {
            Some((_, known)) => *known = value,
            None => spec.arguments.push((axis.name.clone(), value)),
        }
    }
    spec.to_string()
}

fn held_out(ground: &Ground<'_>, player: &PlayerHandle, seeds: u64) -> Result<HeldOut, TuneError> {
    let boards = ground.boards(HELD_OUT, seeds);
    let mut gains = ground.gains(&[player], &boards)?.remove(0);
    let Some((gain, _, interval)) = mean_with_interval(&mut gains) else {
        return Err(TuneError::Usage("a gain needs at least one held-out seed".to_owned()));
    };
    Ok(HeldOut { gain, interval, boards: gains.len() })
}
