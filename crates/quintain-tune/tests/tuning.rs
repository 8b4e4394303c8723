//! Tunings run end to end: they gain where there is something to gain, do not depend on
//! threads, and go on from their file as if they had not been interrupted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{Budget, Catalog};
use quintain_tune::{Evaluator, TuneError, TuningOptions, TuningResult, parse_axes, plot, tune};

fn catalog() -> Catalog {
    Catalog::new().with(quintain_tron::entry()).with(quintain_hextris::entry())
}

/// Every seed draws a problem of its own.
const DRAWN: &str = "drawn?size=21&seed={seed}";
/// A player that has been spoilt: it stacks as high as it can.
const SPOILT: &str = "post?weights=-1&speaks=false&gravity=-1";

fn evaluator<'a>(
    catalog: &'a Catalog,
    (game, scenario, player): (&str, &str, &str),
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Evaluator<'a>, TuneError> {
    let (budget, stop) = (Budget::default(), Arc::clone(stop));
    Evaluator::new(catalog, game, &[scenario.to_owned()], player, None, budget, threads, stop)
}

fn options(
    evaluator: &Evaluator<'_>,
    params: &[&str],
    generations: usize,
    log_file: Option<PathBuf>,
) -> TuningOptions {
    let catalog = catalog();
    let game = if evaluator.is_adversarial() { "tron" } else { "hextris" };
    let params: Vec<String> = params.iter().map(|param| (*param).to_owned()).collect();
    let axes = parse_axes(catalog.entry(game).unwrap(), evaluator.baseline(), &params).unwrap();
    TuningOptions {
        axes,
        generations,
        population: 6,
        seeds: 6,
        first: 1,
        held_out: 12,
        draws: 1,
        log_file,
    }
}

fn spoilt(
    threads: usize,
    generations: usize,
    log_file: Option<&Path>,
    stop_after: usize,
) -> Result<TuningResult, TuneError> {
    let (catalog, stop) = (catalog(), Arc::new(AtomicBool::new(false)));
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, SPOILT), threads, &stop)?;
    let options = options(
        &evaluator,
        &["gravity=-2..2", "rough=0..4"],
        generations,
        log_file.map(Path::to_owned),
    );
    tune(&evaluator, &options, &mut |number, _| {
        if number + 1 == stop_after {
            stop.store(true, Ordering::Relaxed);
        }
    })
}

#[test]
fn a_spoilt_player_gains_on_seeds_it_was_not_trained_on() {
    let tuned = spoilt(2, 8, None, 0).unwrap();
    let interval = tuned.held_out.interval.unwrap();
    assert!(interval.low > 0.0, "{:?}", tuned.held_out);
    assert!(tuned.player.starts_with("post?"), "{}", tuned.player);
    // What is printed is a player.
    catalog().player("hextris", &tuned.player).unwrap();
    let (ran, all) = tuned.log.boards();
    assert!(ran <= all && all == 8 * 6 * 6, "{ran} of {all}");
    assert_eq!(
        plot::render_text(&tuned.log).chars().filter(|c| ('▁'..='█').contains(c)).count(),
        8
    );
}

#[test]
fn a_tuning_is_the_same_whatever_the_threads() {
    assert_eq!(spoilt(1, 3, None, 0).unwrap(), spoilt(3, 3, None, 0).unwrap());
}

#[test]
fn a_tuning_that_was_interrupted_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    let stopped = spoilt(2, 4, Some(&file), 2);
    assert!(matches!(stopped, Err(TuneError::Stopped)), "{stopped:?}");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept.matches("\"gains\"").count(), 2);
    let resumed = spoilt(2, 4, Some(&file), 0).unwrap();
    assert_eq!(resumed, spoilt(2, 4, None, 0).unwrap());
    // More generations go on from there.
    assert_eq!(spoilt(2, 5, Some(&file), 0).unwrap(), spoilt(2, 5, None, 0).unwrap());
}

#[test]
fn a_file_of_another_tuning_is_refused_and_told_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    spoilt(2, 1, Some(&file), 0).unwrap();
    let (catalog, stop) = (catalog(), Arc::default());
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, SPOILT), 1, &stop).unwrap();
    let said = |options: &TuningOptions| {
        tune(&evaluator, options, &mut |_, _| {}).unwrap_err().to_string()
    };
    let other = options(&evaluator, &["gravity=-2..2"], 1, Some(file.clone()));
    assert!(said(&other).contains("its list of parameters is"), "{}", said(&other));
    let mut other = options(&evaluator, &["gravity=-2..2", "rough=0..4"], 1, Some(file.clone()));
    other.seeds = 5;
    assert!(said(&other).contains("its number of seeds is 6, not 5"), "{}", said(&other));
    std::fs::write(&file, "{}").unwrap();
    assert!(said(&other).contains("is no course of a tuning"), "{}", said(&other));
}

#[test]
fn rivals_are_tuned_against_an_opponent_in_both_seats() {
    let (catalog, stop) = (catalog(), Arc::default());
    let player = "advanced?steps=1&outside=50";
    let evaluator = evaluator(&catalog, ("tron", "tronv2", player), 2, &stop).unwrap();
    assert!(evaluator.is_adversarial());
    let options = options(&evaluator, &["outside=-60..60"], 2, None);
    let tuned = tune(&evaluator, &options, &mut |_, _| {}).unwrap();
    assert_eq!(tuned.held_out.boards, 12);
    assert!(tuned.held_out.gain.abs() <= 50.0, "{:?}", tuned.held_out);
    assert!(tuned.player.contains("outside="), "{}", tuned.player);
}
