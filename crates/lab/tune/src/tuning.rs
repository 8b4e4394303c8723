//! The tuning itself: generation after generation, then the held-out seeds.

use std::path::PathBuf;

use quintain_core::{PlayerHandle, Rng, Spec, Streams};
use quintain_search::evolution::Evolution;
use quintain_stats::{Interval, mean_with_interval};

use crate::TuneError;
use crate::axis::Axis;
use crate::evaluator::{Evaluator, GainMeasure};
use crate::log::{Generation, HeldOutLook, Method, TuningLog};
use crate::race::race;
use crate::spsa::Spsa;

/// What is tuned, and with how many candidates and seeds.
#[derive(Clone, Debug)]
pub struct TuningOptions {
    /// How better values are found.
    pub method: Method,
    /// The parameters.
    pub axes: Vec<Axis>,
    /// Generations in all, including those of an earlier run.
    pub generations: usize,
    /// Candidates per generation; 0 for as many as the number of parameters suggests.
    pub population: usize,
    /// Training seeds per generation.
    pub seeds: u64,
    /// The first training seed; every generation uses new ones.
    pub first: u64,
    /// The number of held-out seeds; by default that of the log, or 40.
    pub held_out: Option<u64>,
    /// How gains are measured; by default as in the log, or [`GainMeasure::Relative`]. Among rivals
    /// it is always [`GainMeasure::Points`].
    pub measure: Option<GainMeasure>,
    /// The seed of the evolution's own random draws.
    pub draws: u64,
    /// The log's file: read if it exists, and written after every generation.
    pub log_file: Option<PathBuf>,
}

/// The first held-out seed, far from those of training.
const HELD_OUT: u64 = 1 << 40;
/// The step of the first generation; [`Axis`] defines its length.
const STEP: f64 = 1.0;

/// The most seeds per generation, and the most held-out ones: boards are listed, scenarios times
/// seeds.
const MAX_SEEDS: u64 = 1_000_000;
/// The number of held-out seeds by default.
const HELD_OUT_SEEDS: u64 = 40;

/// The result of a tuning.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TuningResult {
    /// The player with its parameters tuned, ready to use.
    pub player: String,
    /// Every generation, and every look at the held-out seeds.
    pub log: TuningLog,
    /// The gain on held-out seeds.
    pub held_out: HeldOutLook,
    /// The same in percent of the mean score, where another measure was used.
    pub held_out_mean: Option<(f64, Option<Interval>)>,
}

/// Tunes a player's parameters. `on_generation` is called after every generation, including those
/// of an earlier run, with the log and the generation's index in it.
///
/// # Errors
/// If a match cannot be played, the log cannot be written, or the user stops the tuning: whole
/// generations stay in the log's file.
pub fn tune(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    on_generation: &mut dyn FnMut(&TuningLog, usize),
) -> Result<TuningResult, TuneError> {
    if options.axes.is_empty() {
        return Err(TuneError::Usage("nothing is to be tuned: name a --param".to_owned()));
    }
    check_seeds(options)?;
    let mut evolution = Evolution::new(vec![0.0; options.axes.len()], STEP);
    if options.population > 0 {
        evolution = evolution.with_population(options.population);
    }
    let is_spsa = options.method == Method::Spsa;
    let is_adversarial = evaluator.is_adversarial();
    let mut log = TuningLog::new(
        evaluator.describe(),
        options.axes.clone(),
        if is_spsa { 2 } else { evolution.population() },
        (options.first, options.seeds),
        options.draws,
    );
    (log.method, log.steps) = (options.method, if is_spsa { options.generations } else { 0 });
    log.measure = if is_adversarial { Some(GainMeasure::Points) } else { options.measure };
    if let Some(path) = &options.log_file {
        log = log.resume(path, is_adversarial)?;
    }
    let measure = *log.measure.get_or_insert(GainMeasure::Relative);
    let fixed = *log.held_out.get_or_insert(options.held_out.unwrap_or(HELD_OUT_SEEDS));
    evaluator.calibrate(&evaluator.boards(options.first, options.seeds))?;
    let found = match options.method {
        Method::CmaEs => evolve(evaluator, options, (&mut log, measure), evolution, on_generation)?,
        Method::Spsa => approximate(evaluator, options, (&mut log, measure), on_generation)?,
    };
    let player = format_spec(evaluator, &options.axes, &found);
    let boards = evaluator.boards(HELD_OUT, options.held_out.unwrap_or(fixed));
    let worths = evaluator.worths(&[&evaluator.player(&player)?], &boards)?.remove(0);
    let gain = |measure| {
        let mut gains: Vec<f64> = worths.iter().map(|worths| worths.gain(measure)).collect();
        mean_with_interval(&mut gains).map(|(gain, _, interval)| (gain, interval))
    };
    let Some((mean, interval)) = gain(measure) else {
        return Err(TuneError::Usage("a gain needs at least one held-out seed".to_owned()));
    };
    let held_out = HeldOutLook {
        generations: options.generations,
        boards: boards.len(),
        gain: mean,
        interval: interval.map(|interval| (interval.low, interval.high)),
    };
    if log.looks.last() != Some(&held_out) {
        log.looks.push(held_out);
    }
    if let Some(path) = &options.log_file {
        log.save(path)?;
    }
    let held_out_mean =
        (measure == GainMeasure::Relative).then(|| gain(GainMeasure::Mean)).flatten();
    Ok(TuningResult { player, log, held_out, held_out_mean })
}

/// Evolves the distribution of candidates; returns its mean, in first steps from the start.
fn evolve(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    (log, measure): (&mut TuningLog, GainMeasure),
    mut evolution: Evolution,
    on_generation: &mut dyn FnMut(&TuningLog, usize),
) -> Result<Vec<f64>, TuneError> {
    for number in 0..options.generations {
        let candidates =
            sample_candidates(&evolution, &options.axes, &mut generation_rng(options, number));
        if number == log.generations.len() {
            let generation = play_generation(evaluator, options, measure, &candidates, number)?;
            log.generations.push(generation);
        }
        let generation = &mut log.generations[number];
        let costs: Vec<f64> = generation.gains.iter().map(|gain| -gain).collect();
        evolution.tell(&candidates, &costs);
        generation.middle =
            options.axes.iter().zip(evolution.mean()).map(|(axis, at)| axis.value(*at)).collect();
        generation.step = evolution.step();
        on_generation(log, number);
        if let Some(path) = &options.log_file {
            log.save(path)?;
        }
    }
    Ok(evolution.mean().to_vec())
}

/// Approximates by simultaneous perturbation; returns the last values, in first steps from the
/// start.
fn approximate(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    (log, measure): (&mut TuningLog, GainMeasure),
    on_generation: &mut dyn FnMut(&TuningLog, usize),
) -> Result<Vec<f64>, TuneError> {
    let axes = &options.axes;
    let boards_each = evaluator.boards(options.first, options.seeds).len() as u64;
    let mut spsa = Spsa::new(axes.len(), boards_each * options.generations as u64);
    for number in 0..options.generations {
        let rng = &mut generation_rng(options, number);
        let perturbation = spsa.perturb(rng);
        let sides = [1.0, -1.0].map(|side| perturbation.values(spsa.at(), side, axes, rng));
        if number == log.generations.len() {
            let seat = |values: &Vec<f64>| {
                let steps: Vec<f64> =
                    axes.iter().zip(values).map(|(axis, value)| axis.steps(*value)).collect();
                evaluator.player(&format_spec(evaluator, axes, &steps))
            };
            let first = options.first + number as u64 * options.seeds;
            let boards = evaluator.boards(first, options.seeds);
            let gains =
                evaluator.duels([&seat(&sides[0])?, &seat(&sides[1])?], &boards, measure)?;
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            let (gains, ran) = (vec![mean], vec![boards.len()]);
            log.generations.push(Generation { gains, ran, middle: Vec::new(), step: STEP });
        }
        let generation = &mut log.generations[number];
        // A pair of games counts from −2 to 2, a gain from −100 to 100 points or −200 to 200 %.
        let full = if measure == GainMeasure::Points { 50.0 } else { 100.0 };
        let sum = (generation.gains[0] / full).clamp(-2.0, 2.0) * boards_each as f64;
        generation.step = perturbation.size;
        spsa.tell(&perturbation, sum, boards_each, axes);
        generation.middle = axes.iter().zip(spsa.at()).map(|(axis, at)| axis.value(*at)).collect();
        on_generation(log, number);
        if let Some(path) = &options.log_file {
            log.save(path)?;
        }
    }
    Ok(spsa.at().to_vec())
}

/// The random numbers of one generation. They depend on its number alone, so that a
/// resumed tuning draws the same candidates without replaying the draws before.
fn generation_rng(options: &TuningOptions, number: usize) -> Rng {
    Streams::new(options.draws).address("tuning", number as u64)
}

/// The candidates of a generation, clamped to the ranges.
fn sample_candidates(evolution: &Evolution, axes: &[Axis], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut candidates = evolution.ask(rng);
    for candidate in &mut candidates {
        for (at, axis) in candidate.iter_mut().zip(axes) {
            *at = axis.steps(axis.value(*at));
        }
    }
    candidates
}

/// Refuses more seeds than can be listed, seeds beyond the last number, and training seeds that are
/// also held out.
fn check_seeds(options: &TuningOptions) -> Result<(), TuneError> {
    let refuse = |problem: String| Err(TuneError::Usage(problem));
    let (seeds, held_out) = (options.seeds, options.held_out.unwrap_or(HELD_OUT_SEEDS));
    if seeds > MAX_SEEDS {
        return refuse(format!("{seeds} seeds a generation: expected {MAX_SEEDS} at most"));
    }
    if held_out > MAX_SEEDS {
        return refuse(format!("{held_out} held-out seeds: expected {MAX_SEEDS} at most"));
    }
    let first = options.first;
    let all = (options.generations.max(1) as u64).saturating_mul(seeds);
    let Some(end) = first.checked_add(all) else {
        return refuse(format!("seed {first}: {all} seeds from there go beyond the last number"));
    };
    if first < HELD_OUT + held_out && HELD_OUT < end {
        return refuse(format!(
            "seed {first}: {all} seeds from there would meet the held-out ones, from {HELD_OUT} on"
        ));
    }
    Ok(())
}

/// Races the candidates of a generation over its seeds.
fn play_generation(
    evaluator: &Evaluator<'_>,
    options: &TuningOptions,
    measure: GainMeasure,
    candidates: &[Vec<f64>],
    number: usize,
) -> Result<Generation, TuneError> {
    let seated: Vec<PlayerHandle> = candidates
        .iter()
        .map(|candidate| evaluator.player(&format_spec(evaluator, &options.axes, candidate)))
        .collect::<Result<_, _>>()?;
    let boards = evaluator.boards(options.first + number as u64 * options.seeds, options.seeds);
    let raced = race(evaluator, &seated, &boards, measure, candidates.len() / 2)?;
    Ok(Generation { gains: raced.gains, ran: raced.ran, middle: Vec::new(), step: STEP })
}

/// The player before tuning, with these values set.
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
