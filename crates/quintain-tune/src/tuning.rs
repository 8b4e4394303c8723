//! The tuning itself: generation after generation, then the held-out seeds.

use std::path::PathBuf;

use quintain_core::{PlayerHandle, Rng, Spec, Streams};
use quintain_search::evolution::Evolution;
use quintain_stats::{Interval, mean_with_interval};

use crate::TuneError;
use crate::axis::Axis;
use crate::evaluator::Evaluator;
use crate::log::{Generation, TuningLog};
use crate::race::race;

/// What is tuned, and with how many candidates and seeds.
#[derive(Clone, Debug)]
pub struct TuningOptions {
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
    /// The log's file: read if it exists, and written after every generation.
    pub log_file: Option<PathBuf>,
}

/// The first held-out seed, far from those of training.
const HELD_OUT: u64 = 1 << 40;
/// The step of the first generation: [`Axis`] knows how long that is.
const STEP: f64 = 1.0;

/// The gain on seeds that were not trained on.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct HeldOutGain {
    /// The mean gain, in the unit of the evaluator.
    pub gain: f64,
    /// Its 95 % interval; none of a single board.
    pub interval: Option<Interval>,
    /// Boards it was measured on.
    pub boards: usize,
}

/// The result of a tuning.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TuningResult {
    /// The player with its parameters tuned, ready to use.
    pub player: String,
    /// Every generation of it.
    pub log: TuningLog,
    /// The gain on held-out seeds.
    pub held_out: HeldOutGain,
}

/// Tunes a player's parameters. `on_generation` is called with the number and the gains of
/// every generation, those of an earlier run included.
///
/// # Errors
/// If a match cannot be played, the log cannot be written, or the user stops: whole
/// generations stay in the log's file.
pub fn tune(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    on_generation: &mut dyn FnMut(usize, &Generation),
) -> Result<TuningResult, TuneError> {
    if options.axes.is_empty() {
        return Err(TuneError::Usage("nothing is to be tuned: name a --param".to_owned()));
    }
    let mut evolution = Evolution::new(vec![0.0; options.axes.len()], STEP);
    if options.population > 0 {
        evolution = evolution.with_population(options.population);
    }
    let mut log = TuningLog::new(
        evaluator.describe(),
        options.axes.clone(),
        evolution.population(),
        (options.first, options.seeds),
        options.draws,
    );
    if let Some(path) = &options.log_file {
        log = log.resume(path)?;
    }
    evaluator.calibrate(&evaluator.boards(options.first, options.seeds))?;
    for number in 0..options.generations {
        let candidates =
            sample_candidates(&evolution, &options.axes, &mut generation_rng(options, number));
        if number == log.generations.len() {
            let generation = play_generation(evaluator, options, &candidates, number)?;
            log.generations.push(generation);
        }
        let generation = &mut log.generations[number];
        let costs: Vec<f64> = generation.gains.iter().map(|gain| -gain).collect();
        evolution.tell(&candidates, &costs);
        generation.middle =
            options.axes.iter().zip(evolution.mean()).map(|(axis, at)| axis.value(*at)).collect();
        generation.step = evolution.step();
        on_generation(number, generation);
        if let Some(path) = &options.log_file {
            log.save(path)?;
        }
    }
    let player = format_spec(evaluator, &options.axes, evolution.mean());
    let held_out = measure_held_out(evaluator, &evaluator.player(&player)?, options.held_out)?;
    Ok(TuningResult { player, log, held_out })
}

/// The random numbers of one generation. They depend on its number alone, so that a
/// resumed tuning draws the same candidates without replaying the draws before.
fn generation_rng(options: &TuningOptions, number: usize) -> Rng {
    Streams::new(options.draws).address("tuning", number as u64)
}

/// The candidates of a generation, brought back into the ranges.
fn sample_candidates(evolution: &Evolution, axes: &[Axis], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut candidates = evolution.ask(rng);
    for candidate in &mut candidates {
        for (at, axis) in candidate.iter_mut().zip(axes) {
            *at = axis.steps(axis.value(*at));
        }
    }
    candidates
}

/// Races the candidates of a generation over its seeds.
fn play_generation(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    candidates: &[Vec<f64>],
    number: usize,
) -> Result<Generation, TuneError> {
    let seated: Vec<PlayerHandle> = candidates
        .iter()
        .map(|candidate| evaluator.player(&format_spec(evaluator, &options.axes, candidate)))
        .collect::<Result<_, _>>()?;
    let boards = evaluator.boards(options.first + number as u64 * options.seeds, options.seeds);
    let raced = race(evaluator, &seated, &boards, candidates.len() / 2)?;
    Ok(Generation { gains: raced.gains, ran: raced.ran, middle: Vec::new(), step: STEP })
}

/// The player before tuning with these values set.
fn format_spec(evaluator: &Evaluator<'_>, axes: &[Axis], at: &[f64]) -> String {
    let mut spec: Spec = evaluator.baseline().parse().expect("a canonical spec reads back");
    for (axis, at) in axes.iter().zip(at) {
        let value = axis.format_value(axis.value(*at));
        match spec.arguments.iter_mut().find(|(name, _)| *name == axis.name) {
            Some((_, known)) => *known = value,
            None => spec.arguments.push((axis.name.clone(), value)),
        }
    }
    spec.to_string()
}

fn measure_held_out(
    evaluator: &Evaluator<'_>,
    player: &PlayerHandle,
    seeds: u64,
) -> Result<HeldOutGain, TuneError> {
    let boards = evaluator.boards(HELD_OUT, seeds);
    let mut gains = evaluator.gains(&[player], &boards)?.remove(0);
    let Some((gain, _, interval)) = mean_with_interval(&mut gains) else {
        return Err(TuneError::Usage("a gain needs at least one held-out seed".to_owned()));
    };
    Ok(HeldOutGain { gain, interval, boards: gains.len() })
}
