//! Tunings run end to end: they gain where there is something to gain, do not depend on threads,
//! and continue from their file as if they had not been interrupted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintain_core::{Budget, Catalog};
use quintain_tune::{
    Evaluator, GainMeasure, Method, TuneError, TuningOptions, TuningResult, parse_axes, plot, tune,
};

fn catalog() -> Catalog {
    Catalog::new().with(quintain_tron::entry()).with(quintain_hextris::entry())
}

/// Every seed draws its own problem.
const DRAWN: &str = "drawn?size=21&seed={seed}";
/// A spoilt player: it stacks as high as it can.
const SPOILT: &str = "post?weights=-1&speaks=false&gravity=-1";

fn evaluator<'a>(
    catalog: &'a Catalog,
    (game, scenario, player): (&str, &str, &str),
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Evaluator<'a>, TuneError> {
    let (budget, stop) = (Budget::default(), Arc::clone(stop));
    Evaluator::new(catalog, game, &[scenario.to_owned()], player, &[], budget, threads, stop)
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
        method: Method::CmaEs,
        axes,
        generations,
        population: 6,
        seeds: 6,
        first: 1,
        held_out: Some(12),
        measure: None,
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
    tune(&evaluator, &options, &mut |_, number| {
        if number + 1 == stop_after {
            stop.store(true, Ordering::Relaxed);
        }
    })
}

#[test]
fn a_spoilt_player_gains_on_seeds_it_was_not_trained_on() {
    let tuned = spoilt(2, 8, None, 0).unwrap();
    assert!(tuned.held_out.is_certain() && tuned.held_out.gain > 0.0, "{:?}", tuned.held_out);
    assert!(tuned.player.starts_with("post?"), "{}", tuned.player);
    // What is printed is a player's spec.
    catalog().player("hextris", &tuned.player).unwrap();
    let (ran, all) = tuned.log.boards();
    assert!(ran <= all && all == 8 * 6 * 6, "{ran} of {all}");
    assert_eq!(
        plot::render_text(&tuned.log).chars().filter(|c| ('▁'..='█').contains(c)).count(),
        8
    );
}

#[test]
fn all_opponents_count_and_each_as_much_as_the_others() {
    let catalog = catalog();
    let gains = |opponents: &[&str]| {
        let opponents: Vec<String> = opponents.iter().map(|name| (*name).to_owned()).collect();
        let (places, stop) = (["rooms?width=11&height=11".to_owned()], Arc::default());
        let budget = Budget::default();
        let evaluator =
            Evaluator::new(&catalog, "tron", &places, "uct", &opponents, budget, 2, stop);
        let evaluator = evaluator.unwrap();
        let options = TuningOptions {
            seeds: 3,
            held_out: Some(2),
            ..options(&evaluator, &["exploration=0..5"], 1, None)
        };
        tune(&evaluator, &options, &mut |_, _| {}).unwrap().log.generations[0].gains.clone()
    };
    assert_eq!(gains(&["space", "space"]), gains(&["space"]));
    assert_ne!(gains(&["space", "random"]), gains(&["space"]));
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
    // More generations continue from there; only the earlier look at the held-out seeds
    // distinguishes the two.
    let (more, whole) = (spoilt(2, 5, Some(&file), 0).unwrap(), spoilt(2, 5, None, 0).unwrap());
    assert_eq!((&more.player, &more.held_out), (&whole.player, &whole.held_out));
    assert_eq!(more.log.generations, whole.log.generations);
}

/// A player that a small perturbation makes better or worse.
const NEARLY_SPOILT: &str = "post?weights=-1&speaks=false&gravity=-0.1";

/// Tunes it by simultaneous perturbation.
fn perturbed(threads: usize, log_file: Option<&Path>, stop_after: usize) -> TuningResult {
    let (catalog, stop) = (catalog(), Arc::new(AtomicBool::new(false)));
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, NEARLY_SPOILT), threads, &stop).unwrap();
    let kept = log_file.map(Path::to_owned);
    let options = TuningOptions {
        method: Method::Spsa,
        seeds: 2,
        held_out: Some(2),
        ..options(&evaluator, &["gravity=-2..2", "rough=0..4"], 6, kept)
    };
    let tuned = tune(&evaluator, &options, &mut |_, number| {
        if number + 1 == stop_after {
            stop.store(true, Ordering::Relaxed);
        }
    });
    match tuned {
        Err(TuneError::Stopped) if stop_after > 0 => perturbed(threads, log_file, 0),
        tuned => tuned.unwrap(),
    }
}

#[test]
fn a_perturbation_is_the_same_whatever_the_threads_and_interruptions() {
    let whole = perturbed(1, None, 0);
    assert_eq!(whole, perturbed(3, None, 0));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    assert_eq!(perturbed(2, Some(&file), 2), whole);
    assert!(whole.log.generations.iter().any(|step| step.gains[0] != 0.0), "{:?}", whole.log);
    let last = whole.log.generations.last().unwrap();
    assert_eq!((last.gains.len(), last.ran[0], last.middle.len()), (1, 2, 2));
    assert_ne!(last.middle, [-0.1, 1.0], "parameters move");
    let said = {
        let (catalog, stop) = (catalog(), Arc::default());
        let evaluator = evaluator(&catalog, ("hextris", DRAWN, NEARLY_SPOILT), 1, &stop).unwrap();
        let mut asked = options(&evaluator, &["gravity=-2..2", "rough=0..4"], 6, Some(file));
        asked.seeds = 2;
        tune(&evaluator, &asked, &mut |_, _| {}).unwrap_err().to_string()
    };
    assert!(said.contains("its method is SPSA, not CMA-ES"), "{said}");
}

#[test]
fn two_rivals_on_either_side_of_a_perturbation_meet_each_other() {
    let (catalog, stop) = (catalog(), Arc::default());
    let place = ("tron", "rooms?width=11&height=11", "uct?iterations=30");
    let evaluator = evaluator(&catalog, place, 2, &stop).unwrap();
    let options = TuningOptions {
        method: Method::Spsa,
        seeds: 3,
        held_out: Some(2),
        ..options(&evaluator, &["exploration=0..5"], 4, None)
    };
    let tuned = tune(&evaluator, &options, &mut |_, _| {}).unwrap();
    let gains: Vec<f64> = tuned.log.generations.iter().map(|step| step.gains[0]).collect();
    assert!(gains.iter().all(|gain| (-100.0..=100.0).contains(gain)), "{gains:?}");
    assert!(gains.iter().any(|gain| *gain != 0.0), "{gains:?}");
}

#[test]
fn a_log_of_another_tuning_is_refused_with_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    spoilt(2, 1, Some(&file), 0).unwrap();
    let (catalog, stop) = (catalog(), Arc::default());
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, SPOILT), 1, &stop).unwrap();
    let error_of = |options: &TuningOptions| {
        tune(&evaluator, options, &mut |_, _| {}).unwrap_err().to_string()
    };
    let other = options(&evaluator, &["gravity=-2..2"], 1, Some(file.clone()));
    assert!(error_of(&other).contains("its list of parameters is"), "{}", error_of(&other));
    let mut other = options(&evaluator, &["gravity=-2..2", "rough=0..4"], 1, Some(file.clone()));
    other.seeds = 5;
    assert!(error_of(&other).contains("its number of seeds is 6, not 5"), "{}", error_of(&other));
    std::fs::write(&file, "{}").unwrap();
    assert!(error_of(&other).contains("is not the course of a tuning"), "{}", error_of(&other));
}

/// The text of a log whose tuning is as in [`spoilt`], without the fields that the first version
/// did not keep.
fn forget_new_fields(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let mut log: serde_json::Value = serde_json::from_str(&text).unwrap();
    for field in ["gain", "held_out", "looks"] {
        log.as_object_mut().unwrap().remove(field).unwrap();
    }
    std::fs::write(file, log.to_string()).unwrap();
}

#[test]
fn a_log_from_before_measures_were_named_goes_on_with_the_mean() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    let (catalog, stop) = (catalog(), Arc::default());
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, SPOILT), 2, &stop).unwrap();
    let mut asked = options(&evaluator, &["gravity=-2..2"], 1, Some(file.clone()));
    asked.measure = Some(GainMeasure::Mean);
    tune(&evaluator, &asked, &mut |_, _| {}).unwrap();
    forget_new_fields(&file);
    asked.measure = None;
    asked.generations = 2;
    let tuned = tune(&evaluator, &asked, &mut |_, _| {}).unwrap();
    assert_eq!(tuned.log.unit(), "% of the mean score");
    asked.measure = Some(GainMeasure::Relative);
    let said = tune(&evaluator, &asked, &mut |_, _| {}).unwrap_err().to_string();
    assert!(said.contains("its unit of gains is % of the mean score, not % a board"), "{said}");
}

#[test]
fn every_look_at_the_held_out_seeds_is_kept_and_their_number_is_fixed_at_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("course.json");
    let (catalog, stop) = (catalog(), Arc::default());
    let evaluator = evaluator(&catalog, ("hextris", DRAWN, SPOILT), 2, &stop).unwrap();
    let mut asked = options(&evaluator, &["gravity=-2..2"], 1, Some(file.clone()));
    let first = tune(&evaluator, &asked, &mut |_, _| {}).unwrap();
    assert_eq!((first.held_out.boards, first.log.earlier_looks().len()), (12, 0));
    // If it is not given again, the number is the previous one.
    asked.held_out = None;
    let again = tune(&evaluator, &asked, &mut |_, _| {}).unwrap();
    assert_eq!((again.held_out, again.log.earlier_looks().len()), (first.held_out, 0));
    asked.held_out = Some(20);
    let more = tune(&evaluator, &asked, &mut |_, _| {}).unwrap();
    assert_eq!(more.held_out.boards, 20);
    assert_eq!(more.log.earlier_looks(), [first.held_out]);
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
