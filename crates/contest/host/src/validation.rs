//! What a version must pass before it plays for its author: the build, the protocol check, and a
//! match against the simplest player on every scenario of the contest. The author can read the
//! result.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_bots::Programs;
use quintain_bots::check::{CheckTerms, CheckTime, check};
use quintain_core::{LogContent, Objective, Outcome, PlayerHandle, Setup};
use quintain_lessons::{Attempt, attempt};
use quintain_standings::{SeatResult, seat_results};
use quintain_web::pages::figure;

use crate::archive::Refused;
use crate::build::describe_missing_tool;
use crate::builder::build;
use crate::config::{example_of, short_scenario, simplest_player};
use crate::contest::{Contest, Playing};
use crate::disk::Usage;
use crate::error::HostError;
use crate::program;
use crate::state::{LessonSet, Version};

/// Number of turns that a program must get through on a scenario, and maximum number of matches
/// against each player for that.
const ENOUGH_TURNS: f64 = 20.0;
const MAX_MATCHES: u64 = 4;
/// Maximum number of players whom it meets on a scenario.
const PARTNERS: usize = 3;
/// How long the protocol check may take, in all and for one match.
const CHECK_TIME: CheckTime =
    CheckTime { all: Duration::from_secs(60), one: Duration::from_secs(15) };
/// How long it may take to try the published lessons; the last one may take longer.
const LESSON_TIME: Duration = Duration::from_secs(20);

/// Returns whether a version may play, and the text for its author.
pub(crate) fn validate(
    contest: &Contest,
    version: &Version,
    stop: &Arc<AtomicBool>,
) -> (bool, String) {
    let mut log = String::new();
    let passed = match examine(contest, version, stop, &mut log) {
        Ok(passed) => passed,
        Err(why) => {
            let _ = writeln!(log, "BAD {why}");
            false
        }
    };
    // The build result is stored elsewhere than what was submitted.
    let built = contest.read_state().version(version.id).ok().flatten();
    let digests = [Some(version.digest.clone()), built.map(|version| version.built)];
    for digest in digests.into_iter().flatten().filter(|digest| !digest.is_empty()) {
        log = program::hide_folder(&log, &contest.folder, &digest);
    }
    (passed, log)
}

fn examine(
    contest: &Contest,
    version: &Version,
    stop: &Arc<AtomicBool>,
    log: &mut String,
) -> Result<bool, String> {
    let config = &contest.config;
    let version = &build_if_needed(contest, version, stop, log)?;
    let passed = match contest.playing(version)? {
        Playing::Module(_) => {
            let _ = writeln!(log, "ok  it is a WebAssembly module");
            true
        }
        Playing::Program(programs) => check_program(contest, version, &programs, log)?,
    };
    let player = contest.player(version)?;
    let mut passed = passed;
    let phase = contest.phase().map_err(|error| error.to_string())?;
    let mut fails_at = vec![false; config.seats.len().max(1)];
    for scenario in config.scenarios_of(phase) {
        // If the seats play different roles, the program must know what to do at each.
        for (seat, fails) in fails_at.iter_mut().enumerate() {
            *fails |= !play(contest, (scenario, seat), &player, stop, log)?;
        }
    }
    passed &= !fails_at.contains(&true);
    if passed {
        try_lessons(contest, &player, stop, log);
    }
    if fails_at.contains(&false)
        && let Some((seat, _)) = config.seats.iter().zip(&fails_at).find(|(_, fails)| **fails)
    {
        let _ = writeln!(
            log,
            "    a program plays both seats here: as {seat}, answer with any of the offered \
             actions if you have nothing better; there are also standings by seat"
        );
    }
    Ok(passed)
}

/// Returns the version as built, if it has to be. What was built before is not built again.
fn build_if_needed(
    contest: &Contest,
    version: &Version,
    stop: &Arc<AtomicBool>,
    log: &mut String,
) -> Result<Version, String> {
    let refused = |refused: Refused| refused.0;
    let failed = |error: HostError| error.to_string();
    let sources = program::read_kept(&contest.folder, &version.digest).map_err(refused)?;
    let plan = program::plan_of(&sources, &contest.config.build).map_err(refused)?;
    contest.drop_player(version);
    if let Some(tool) = contest.config.build.find_missing_tool(plan.tools()) {
        return Err(describe_missing_tool(tool, "then the organiser has it checked again"));
    }
    let Some(recipe) = plan.recipe else { return Ok(version.clone()) };
    let digest = recipe.digest(&version.digest);
    let known = {
        let _none_is_deleted = contest.files.read();
        let known = contest.read_state().find_built(&digest).map_err(failed)?;
        if let Some(files) = &known {
            contest.write_state().set_built(version, files).map_err(failed)?;
        }
        known
    };
    let files = match known {
        Some(files) => {
            let _ = writeln!(log, "ok  built before");
            files
        }
        None => {
            let _ = writeln!(log, "building ({}): {}", recipe.language, recipe.build);
            if matches!(recipe.language.as_str(), "c" | "c++" | "rust") {
                let text = "for a WebAssembly module, submit bot.wasm";
                let _ = writeln!(log, "    as a native program; {text}");
            }
            let folder = program::files_of(&contest.folder, &version.digest);
            let (tree, said) = build(contest, &recipe, &folder, stop);
            for line in said.lines() {
                let _ = writeln!(log, "    | {line}");
            }
            let tree = tree.map_err(|why| format!("it cannot be built: {why}"))?;
            let usage = Usage::of(contest, version.participant).map_err(failed)?;
            usage.check(contest, &tree).map_err(|why| format!("what was built: {why}"))?;
            let _files_come = contest.files.read();
            let files = program::keep(&contest.folder, &tree);
            let files = files.map_err(|error| format!("what was built: {error}"))?;
            let _ = writeln!(log, "ok  built");
            contest.write_state().record_build(&digest, &files, &said).map_err(failed)?;
            contest.write_state().set_built(version, &files).map_err(failed)?;
            files
        }
    };
    Ok(Version { built: files, ..version.clone() })
}

/// Checks that a program keeps to its protocol.
fn check_program(
    contest: &Contest,
    version: &Version,
    programs: &Arc<Programs>,
    log: &mut String,
) -> Result<bool, String> {
    let (config, spec) = (&contest.config, format!("bot:{}", version.player()));
    let bot = programs.bot(&spec).map_err(|error| error.to_string())?;
    let _ = writeln!(log, "started as: {}", bot.command());
    let mut passed = true;
    if bot.foreign_protocol().is_none() {
        // It is not a mistake that the program plays other games too.
        let others = contest.all_games.entries().map(|entry| entry.name());
        let others: Vec<String> = others
            .filter_map(|name| contest.catalog.entry(name).err())
            .map(|error| format!("hello: {error}"))
            .collect();
        let [named, _] = programs.sources(quintain_bots::Unstarted::Forfeit);
        let catalog = contest.catalog.clone().with_external(named);
        let budget = config.budget.parse().map_err(|error| format!("budget: {error}"))?;
        // If the opponent thinks for long, a class that submits at once would have to wait for it.
        let entry = contest.catalog.entry(&config.game).map_err(|error| error.to_string())?;
        let first = entry.scenarios().first().map_or("", |first| first.name());
        let partner = simplest_player(entry, first).map(|player| player.spec);
        let phase = contest.phase().map_err(|error| error.to_string())?;
        let scenario = config.scenarios_of(phase).first();
        let scenario = scenario.map(|scenario| example_of(config.pinned(scenario)));
        let terms = CheckTerms { seed: 1, budget, partner, scenario, repeats: false };
        check(&catalog, &bot, &terms, CHECK_TIME, &mut |finding| {
            if others.contains(&finding.text) {
                return;
            }
            passed &= finding.good;
            let mark = if finding.good { "ok " } else { "BAD" };
            let _ = writeln!(log, "{mark} {}", finding.text);
            if let Some(slip) = &finding.slip {
                let _ = writeln!(log, "    | {}", slip.text);
                if !slip.right.is_empty() {
                    let _ = writeln!(log, "    | {}", slip.right);
                }
            }
            for line in &finding.said {
                let _ = writeln!(log, "    | {line}");
            }
        });
        if !bot.plays(&config.game).map_err(|fault| bot.explain(&fault))? {
            return Err(format!("it says that it does not play {}", config.game));
        }
    }
    Ok(passed)
}

/// Says which lessons of the latest published set a program passes. That decides nothing, and
/// neither does a set that cannot be read.
fn try_lessons(contest: &Contest, player: &PlayerHandle, stop: &AtomicBool, log: &mut String) {
    let set = contest.read_state().latest_lesson_set();
    let Ok(Some(LessonSet { number, lessons, .. })) = set else { return };
    let begun = Instant::now();
    let (mut passed, mut failed) = (0, Vec::new());
    for (at, one) in (1..).zip(&lessons) {
        if begun.elapsed() > LESSON_TIME || stop.load(Ordering::SeqCst) {
            break;
        }
        match attempt(&contest.catalog, player, &one.lesson) {
            Ok(Attempt::Passed { .. }) => passed += 1,
            Ok(Attempt::Failed { action }) => failed.push(format!("{at} ({action})")),
            Ok(Attempt::Fault(_)) | Err(_) => failed.push(format!("{at} (no answer)")),
        }
    }
    let tried = passed + failed.len();
    let _ = write!(log, "    lessons of set {number}: {passed} of {tried} passed");
    if !failed.is_empty() {
        let _ = write!(log, "; not {}", failed.join(", "));
    }
    if tried < lessons.len() {
        let _ = write!(log, "; no time for {} more", lessons.len() - tried);
    }
    log.push('\n');
}

/// Describes the result of a match for a seat.
fn result_of(outcome: &Outcome, own: usize, objective: Objective, alone: bool) -> String {
    let scores = &outcome.scores;
    let shown = |score: &f64| figure(*score);
    let all = scores.iter().map(shown).collect::<Vec<_>>().join(" – ");
    if alone || scores.len() < 2 {
        return format!("score {all}");
    }
    let fallen = outcome.fault.as_ref().map(|fault| fault.seat.index());
    let word = match seat_results(objective, scores, fallen)[own] {
        SeatResult::Won => "won",
        SeatResult::Drew => "drawn",
        SeatResult::Lost => "lost",
    };
    format!("{word}, scores {all}")
}

/// Plays matches against the simplest player; returns whether all ended without a fault of the
/// program's. A fault may come late, and random moves may end a match on its first turn: then
/// another one is played, also against a house player that survives longer.
fn play(
    contest: &Contest,
    (scenario, own): (&str, usize),
    player: &PlayerHandle,
    stop: &Arc<AtomicBool>,
    log: &mut String,
) -> Result<bool, String> {
    let game = contest.game(scenario).map_err(|error| error.to_string())?;
    let entry = contest.catalog.entry(&contest.config.game).map_err(|error| error.to_string())?;
    let alone = game.scoring() == quintain_core::Scoring::Independent;
    // A program that plays alone meets nobody.
    let mut partners: Vec<PlayerHandle> = Vec::new();
    if !alone {
        let house = contest.config.quick_house(entry);
        let house = house.into_iter().filter_map(|name| entry.player(name).ok());
        for partner in simplest_player(entry, scenario).into_iter().chain(house) {
            if partners.len() < PARTNERS && partners.iter().all(|known| known.spec != partner.spec)
            {
                partners.push(partner);
            }
        }
    }
    let others: Vec<&PlayerHandle> =
        if partners.is_empty() { vec![player] } else { partners.iter().collect() };
    let budget = contest.config.budget.parse().map_err(|error| format!("budget: {error}"))?;
    let named = contest.config.seats.get(own).map_or(String::new(), |seat| format!(" as {seat}"));
    let mut turns = 0.0;
    for (other, seed) in
        others.into_iter().flat_map(|other| (1..=MAX_MATCHES).map(move |seed| (other, seed)))
    {
        let seats: Vec<&PlayerHandle> =
            (0..game.seats()).map(|seat| if seat == own { player } else { other }).collect();
        let against = if alone { String::new() } else { format!(" against {}", other.spec) };
        let setup = Setup::new(seed).with_budget(budget).with_stop(Arc::clone(stop));
        let game = contest.game_of(scenario, seed).map_err(|error| error.to_string())?;
        let record = game.play(&setup, &seats, None).map_err(|error| error.to_string())?;
        let outcome = &record.outcome;
        let fault = outcome.fault.as_ref().filter(|fault| alone || fault.seat.index() == own);
        let mark = if fault.is_none() { "ok " } else { "BAD" };
        let _ = writeln!(
            log,
            "{mark} {}{named}{against}: {}, {}",
            short_scenario(scenario),
            result_of(outcome, own, game.objective(), alone),
            outcome.ending
        );
        if let Some(fault) = fault {
            let _ = writeln!(log, "    {}", fault.fault);
        }
        for entry in record.log.iter().filter(|entry| alone || entry.seat.index() == own) {
            if let LogContent::Stderr(text) = &entry.content {
                text.lines().for_each(|line| {
                    let _ = writeln!(log, "    | {line}");
                });
            }
        }
        if fault.is_some() {
            return Ok(false);
        }
        turns += outcome.metrics.get("turns").copied().unwrap_or_default();
        if turns >= ENOUGH_TURNS {
            break;
        }
    }
    Ok(true)
}
