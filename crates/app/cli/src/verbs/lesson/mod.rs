//! `quintain lesson`: the smallest position in which a player repeats the mistake that lost a
//! match.

mod losses;
pub(crate) mod run;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use quintain_core::{AnyMatch, Budget, Catalog, PlayerHandle, Record, Scoring, format_duration};
use quintain_lessons::{Lesson, Losses, Opponent, Taught, Teacher, lesson_files, next_file};
use quintain_play::{usual_budget, usual_player};
use quintain_scene::{clean, quote};

use crate::board::{View, format_number};
use crate::context::Context;
use crate::failure::{Failure, cannot_write};
use crate::full_names::{Naming, find_field};
use crate::lists::format_count;
use crate::usage::{positive, time, whole};
use crate::verbs::new::usual_scenario;
use crate::{messages, options, plain, screen, sources, stop};

/// The part of the time that is kept for checking what was found, as its inverse.
const FOR_CHECKING: u32 = 4;

#[derive(clap::Args)]
#[command(after_help = "\
A lesson is a small position, the move that is a mistake there, and a better one. A program's \
lessons are kept in its folder, and `quintain bot check` runs them.")]
pub(crate) struct Args {
    /// The player that is to learn: GAME/PLAYER, or bot:NAME
    player: String,
    /// The match: a file with its record, or the first digits of its id in the store [default: the
    /// newest that the player lost; if there is none, it plays the game's players, from weak to
    /// strong]
    #[arg(long, value_name = "ID", conflicts_with_all = ["against", "scenario", "seed", "budget"])]
    record: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(short, long, help = options::GAME)]
    game: Option<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, "(for matches that it plays)"))]
    scenario: Option<String>,
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    #[arg(help = options::with(options::SEED, "(in matches that it plays)"))]
    seed: u64,
    #[arg(short, long, value_name = "PLAYER")]
    #[arg(help = options::with(options::AGAINST, "(in matches that it plays)"))]
    against: Option<String>,
    #[arg(short, long, default_value_t = usual_budget())]
    #[arg(help = options::with(options::BUDGET, "(in matches that it plays)"))]
    budget: Budget,
    /// The player that looks for the mistake and plays on [default: the game's strongest]
    #[arg(long, value_name = "PLAYER")]
    judge: Option<String>,
    /// The most nodes that are searched for a match
    #[arg(long, value_name = "N", default_value = "20000000", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<std::num::NonZeroU64>)]
    nodes: std::num::NonZeroU64,
    #[arg(long, value_name = "TIME", default_value = "1min", allow_negative_numbers = true)]
    #[arg(value_parser = time)]
    #[arg(help = options::with(
        options::TIME,
        "(then the smallest position so far makes the lesson)",
    ))]
    time: Duration,
    /// The folder for the lesson [default: `lessons` in the program's folder; the lesson of another
    /// player is only shown]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = context.catalog;
    let record = match &args.record {
        Some(named) => Some(sources::find_record(named, args.store.as_deref())?),
        None => None,
    };
    let given = args.game.as_deref().or(record.as_ref().map(|record| record.fixture.game.as_str()));
    let naming = Naming { otherwise: &["--game GAME"], ..Naming::default() };
    let mut field = find_field([args.player.as_str()], given, catalog, naming)?;
    let player = catalog.player(field.game, &field.players.remove(0))?;
    let entry = catalog.entry(field.game)?;
    let judge = args.judge.clone().unwrap_or_else(|| usual_player(entry));
    let judge = catalog.player(field.game, &judge)?;
    let folder = args.out.clone().or_else(|| own_folder(context, &player.spec));
    check_folder(folder.as_deref())?;
    let (stop, stop_checks) = (Arc::default(), Arc::default());
    stop::set_at_signals(
        "stopping: the smallest position so far follows, if there is one",
        &[Arc::clone(&stop), Arc::clone(&stop_checks)],
    );
    let searching = args.time - args.time / FOR_CHECKING;
    let late = stop::stop_after(&stop, searching);
    stop::stop_after(&stop_checks, args.time);
    let teacher = Teacher {
        catalog,
        judge: &judge,
        budget: usual_budget(),
        nodes: args.nodes.get(),
        stop: Some(&stop),
        stop_checks: Some(&stop_checks),
        until: Instant::now().checked_add(searching),
    };
    let scenario = match (field.scenario, &args.scenario) {
        (_, Some(named)) => named.clone(),
        (Some(named), None) => named,
        (None, None) => usual_scenario(entry),
    };
    let place = losses::Place { scenario, seed: args.seed, budget: args.budget };
    let made = match record {
        Some(record) => {
            let seat = losses::find_seat(&record, &player.spec)?;
            let taught = teacher.teach(&record, seat, &player);
            taught.map(|taught| (record, taught)).map_err(Failure::from)
        }
        None => find(args, &teacher, &player, &place, field.game),
    };
    let is_interrupted = || stop.load(Ordering::SeqCst) && !late.load(Ordering::SeqCst);
    let (record, taught) = match made {
        Ok(made) => made,
        Err(_) if is_interrupted() => {
            messages::print_notice("no mistake was found yet");
            return Err(Failure::Stopped);
        }
        Err(problem) if late.load(Ordering::SeqCst) => {
            return Err(Failure::Failed(format!(
                "{problem} ({} were not enough to look closer; --time TIME allows more)",
                format_duration(args.time)
            )));
        }
        Err(problem) => return Err(problem),
    };
    if args.json {
        out.write_all(plain::escape_json(&taught.lesson.to_json()).as_bytes())?;
    } else {
        write_card(&taught, &record, &player.spec, catalog, out)?;
    }
    match folder {
        Some(folder) => keep(&taught, &folder, &player.spec, args.json, out)?,
        None if args.json => {}
        None => writeln!(out, "it is not kept; --out FOLDER keeps it")?,
    }
    if is_interrupted() { Err(Failure::Stopped) } else { Ok(()) }
}

/// The file of a folder that has the same position with the same mistakes.
fn find_same(lesson: &Lesson, folder: &Path) -> Option<PathBuf> {
    let question = |lesson: &Lesson| {
        let Lesson { game, scenario, files, seed, actions, seat, mistakes, .. } = lesson.clone();
        (game, scenario, files, seed, actions, seat, mistakes)
    };
    let own = question(lesson);
    let is_same = |path: &PathBuf| Lesson::read(path).is_ok_and(|known| question(&known) == own);
    lesson_files(folder).ok()?.into_iter().find(is_same)
}

/// Refuses what cannot be a folder for the lesson before the lesson is made.
fn check_folder(folder: Option<&Path>) -> Result<(), Failure> {
    let there = folder.and_then(|folder| folder.ancestors().find(|path| path.exists()));
    match there.filter(|path| !path.is_dir()) {
        None => Ok(()),
        Some(file) => Err(Failure::Usage(format!(
            "{} is a file, and the lesson is kept in a folder; --out FOLDER names another",
            file.display()
        ))),
    }
}

/// The folder for the lessons of a program.
#[cfg(feature = "programs")]
fn own_folder(context: &Context<'_>, player: &str) -> Option<PathBuf> {
    if player.starts_with(MODULE) {
        return folder_of_module(player);
    }
    let bot = context.programs.bot(player).ok()?;
    Some(bot.own_folder()?.join(quintain_bots::LESSONS))
}

#[cfg(not(feature = "programs"))]
fn own_folder(_: &Context<'_>, _: &str) -> Option<PathBuf> {
    None
}

/// The prefix of modules.
#[cfg(feature = "programs")]
const MODULE: &str = "wasm:";

/// The folder for the lessons of a module, beside its file.
#[cfg(feature = "programs")]
pub(crate) fn folder_of_module(player: &str) -> Option<PathBuf> {
    let file = player.strip_prefix(MODULE)?.split(['?', '@']).next()?;
    let file = Path::new(file);
    file.is_file().then(|| file.with_file_name(quintain_bots::LESSONS))
}

/// Makes a lesson of the newest loss that gives one, in the store or played for it.
fn find(
    args: &Args,
    teacher: &Teacher<'_>,
    player: &PlayerHandle,
    place: &losses::Place,
    game: &str,
) -> Result<(Record, Taught), Failure> {
    let mut losses = Losses::new(teacher, player);
    let (catalog, opponent) = (teacher.catalog, args.against.as_deref());
    let is_solo = catalog.game(game, &place.scenario)?.scoring() == Scoring::Independent;
    if is_solo && opponent.is_some() {
        let problem = format!("{game} has no rivals to lose to: leave --against out");
        return Err(Failure::Usage(problem));
    }
    if opponent.is_none() && args.scenario.is_none() {
        let each = &mut |record: &Record, seat| losses.add(record, seat);
        losses::of_store(args.store.as_deref(), game, &player.spec, each)?;
    }
    let is_played = losses.number() == 0;
    let mut matches = 0;
    if is_played {
        let each = &mut |record: &Record, seat| losses.add(record, seat);
        matches = losses::played(teacher, game, player, place, opponent, each)?;
    }
    let number = losses.number();
    let error = match losses.teach() {
        Some(Ok((record, mut taught))) => {
            if is_played {
                store_match(args.store.as_deref(), &record, &mut taught)?;
            }
            return Ok((record, taught));
        }
        Some(Err(error)) if number == 1 => return Err(error.into()),
        Some(Err(error)) => error,
        None => {
            let player = clean(&player.spec);
            return Err(Failure::Failed(format!(
                "{player} has lost none of {matches} matches, from seed {}; --seed N plays others, \
                 and --against PLAYER a stronger opponent",
                place.seed
            )));
        }
    };
    let losses = if is_solo { "matches" } else { "losses" };
    Err(Failure::Failed(format!("no lesson from {number} {losses}; the last: {error}")))
}

/// Stores a match that was played for a lesson, so that it can be watched. Without a store, the
/// lesson does not name it.
fn store_match(named: Option<&Path>, record: &Record, taught: &mut Taught) -> Result<(), Failure> {
    let path = sources::store_path(named);
    if named.is_none() && !path.exists() {
        taught.lesson.origin = None;
        return Ok(());
    }
    sources::keep_record(&mut sources::open_store(&path)?, record, Duration::ZERO)
}

/// Draws the lesson's board and says what there is to learn.
fn write_card(
    taught: &Taught,
    record: &Record,
    player: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Taught { lesson, size, is_lost, costs_in_match, whole, turns, other_seeds, .. } = taught;
    let player = clean(player);
    let turns = format_count(*turns as usize, "turn");
    let mistake = lesson.mistakes.first().map_or("", String::as_str);
    match size {
        Some(size) if *is_lost => {
            writeln!(out, "{player} loses this {size} board in {turns}:")?;
        }
        Some(size) if lesson.verified.mistake < 0.5 => {
            writeln!(out, "{player} is likely to lose this {size} board, in {turns}:")?;
        }
        Some(size) => {
            writeln!(out, "{player} gives away this {size} board, {turns} before the end:")?;
        }
        None => writeln!(out, "{player} goes wrong here, {turns} before the end:")?,
    }
    let state = lesson.position(catalog)?;
    let state: &dyn AnyMatch = state.as_ref();
    out.write_all(View::of_output(&[]).board(&state.scene(None)).as_bytes())?;
    let width = screen::width();
    writeln!(out, "{}", messages::wrap(&clean(&lesson.sentence), width))?;
    let verified = &lesson.verified;
    let better = lesson.better.first().map_or("", String::as_str);
    let proof = if verified.exact { "proved by exact values; " } else { "" };
    // Whoever plays on meets one of the ends of a mixture.
    let is_mixed = verified.exact && verified.better <= verified.mistake;
    let on_average = if is_mixed { ": the mistake costs something only on average" } else { "" };
    let checked = format!(
        "{proof}{} with {} plays on to {} after {better}, {} after {mistake}{on_average}",
        verified.player,
        verified.budget,
        format_number(verified.better),
        format_number(verified.mistake),
    );
    writeln!(out, "{}", messages::wrap(&clean(&checked), width))?;
    if let Some(Opponent { player, better: more, mistake: less }) = &lesson.opponent {
        let simplest = format!(
            "the simplest opponent that punishes it: {player}, {} after {better}, {} after \
             {mistake}",
            format_number(*more),
            format_number(*less),
        );
        writeln!(out, "{}", messages::wrap(&clean(&simplest), width))?;
    }
    if let Some((same, all)) = other_seeds {
        let random = format!(
            "it decides at random: so with seed {}, and with {same} of {all} others",
            lesson.seed
        );
        writeln!(out, "{random}")?;
    }
    if let Some(why) = whole {
        let note = format!("the board is that of the whole match: {why}");
        writeln!(out, "{}", messages::wrap(&clean(&note), width))?;
    }
    let place = clean(&format!("{}:{}", record.fixture.game, record.fixture.scenario));
    match &lesson.origin {
        Some(origin) if *costs_in_match => {
            let id = &record.id[..8];
            writeln!(out, "from match {id}, turn {}, on {place}", origin.turn)?;
        }
        Some(origin) => {
            let note = format!(
                "the position is like that of match {}, turn {}, on {place}; there was no time to \
                 see whether the decision cost anything there",
                &record.id[..8],
                origin.turn
            );
            writeln!(out, "{}", messages::wrap(&note, width))?;
        }
        None => writeln!(out, "from a match on {place} that was played for it")?,
    }
    Ok(())
}

/// Writes the lesson's file.
fn keep(
    taught: &Taught,
    folder: &Path,
    player: &str,
    is_quiet: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    if let Some(path) = find_same(&taught.lesson, folder) {
        if !is_quiet {
            writeln!(out, "{} has it already", path.display())?;
        }
        return Ok(());
    }
    let path = next_file(folder);
    std::fs::write(&path, taught.lesson.to_json()).map_err(|error| cannot_write(&path, &error))?;
    if is_quiet {
        return Ok(());
    }
    let game = &taught.lesson.game;
    let player = if player.contains(':') { player.to_owned() } else { format!("{game}/{player}") };
    let (player, folder) = (quote(&player), folder.display().to_string());
    writeln!(out, "kept in {}", path.display())?;
    writeln!(out, "run it: quintain lessons run {player} {}", quote(&folder))?;
    Ok(())
}
