//! `quintain lessons run`: which lessons of a folder a player passes.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use quintain_core::{Access, Catalog, SpecError, reason};
use quintain_lessons::{Attempt, Lesson, attempt, lesson_files};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: LessonsCommand,
}

#[derive(clap::Subcommand)]
enum LessonsCommand {
    /// Ask a player about every lesson of a folder, and say which it passes
    Run(RunArgs),
}

#[derive(clap::Args)]
struct RunArgs {
    /// The player: the name of a built-in one, or bot:NAME
    player: String,
    /// The folder of the lessons
    folder: PathBuf,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let LessonsCommand::Run(args) = &args.command;
    let (player, folder) = (args.player.as_str(), args.folder.as_path());
    let Tries { results, of_others } = try_all(player, folder, catalog)?;
    let player = clean(player);
    let others = match of_others {
        0 => String::new(),
        some => format!("; {} of other games", format_count(some, "lesson")),
    };
    if results.is_empty() {
        let folder = folder.display();
        return Err(Failure::Usage(match of_others {
            0 => format!(
                "{folder} holds no lessons: expected files of `quintain lesson`, such as 0001.json"
            ),
            some => format!(
                "{folder} holds {}, none of them of the game of {player}",
                format_count(some, "lesson")
            ),
        }));
    }
    let passed = results.iter().filter(|one| one.end == End::Passed).count();
    let all = format_count(results.len(), "lesson");
    writeln!(out, "{player} passes {passed} of {all}{others}")?;
    for one in &results {
        writeln!(out, "{}", one.line)?;
    }
    let has_failed = results.iter().any(|one| one.end == End::Failed);
    match describe_problems(&results) {
        None => Ok(()),
        Some(problems) if has_failed => Err(Failure::Failed(format!("{player} {problems}"))),
        Some(problems) => Err(Failure::Usage(problems)),
    }
}

/// How many lessons a player fails, and how many cannot be used, if there are any.
fn describe_problems(results: &[LessonResult]) -> Option<String> {
    let count = |end: End| results.iter().filter(|one| one.end == end).count();
    let fails = |count: usize| format!("fails {}", format_count(count, "lesson"));
    let broken = |count: usize| format!("{} cannot be used", format_count(count, "lesson"));
    match (count(End::Failed), count(End::Broken)) {
        (0, 0) => None,
        (failed, 0) => Some(fails(failed)),
        (0, unusable) => Some(broken(unusable)),
        (failed, unusable) => Some(format!("{}; {}", fails(failed), broken(unusable))),
    }
}

/// How a lesson ends for a player.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    /// The lesson itself is at fault.
    Broken,
}

/// What became of one lesson.
struct LessonResult {
    end: End,
    line: String,
}

/// Runs the lessons in a player's folder, one line each. Returns what is wrong with them or the
/// player, if anything is.
#[cfg(feature = "programs")]
pub(crate) fn check_lessons(
    player: &str,
    folder: Option<PathBuf>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<Option<String>, Failure> {
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return Ok(None) };
    let Tries { results, .. } = try_all(player, &folder, catalog)?;
    for one in &results {
        writeln!(out, "{}", one.line)?;
    }
    Ok(describe_problems(&results))
}

/// What became of the lessons of a folder.
struct Tries {
    results: Vec<LessonResult>,
    /// The number of lessons of games that the player is not of.
    of_others: usize,
}

/// Asks a player about every lesson of a folder.
fn try_all(player: &str, folder: &Path, catalog: &Catalog) -> Result<Tries, Failure> {
    let files = lesson_files(folder).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such folder".to_owned(),
            ErrorKind::NotADirectory => "it is a file, not a folder".to_owned(),
            _ => reason(&error, Access::Read),
        };
        Failure::Usage(format!("cannot read {}: {why}", folder.display()))
    })?;
    // A player that is named with its game must be one, whatever the lessons are.
    if let Some((game, own)) = player.split_once('/')
        && catalog.entry(game).is_ok()
    {
        catalog.player(game, own)?;
    }
    let (mut results, mut of_others) = (Vec::new(), 0);
    let mut unknown = None;
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let line = |mark: &str, rest: &str| clean(&format!("{mark} {name}: {rest}"));
        let (end, line) = match try_one(player, file, catalog) {
            Tried::Passed(action) => (End::Passed, line("pass", &action)),
            Tried::Failed(why) => (End::Failed, line("FAIL", &why)),
            Tried::Broken(why) => (End::Broken, line("broken", &why)),
            Tried::OtherGame => {
                of_others += 1;
                continue;
            }
            Tried::Unknown(problem) => {
                of_others += 1;
                unknown = unknown.or(Some(problem));
                continue;
            }
        };
        results.push(LessonResult { end, line });
    }
    match unknown {
        // A player of one game need not be one of the others.
        Some(problem) if results.iter().all(|one| one.end == End::Broken) => Err(problem.into()),
        _ => Ok(Tries { results, of_others }),
    }
}

/// What became of asking a player about a lesson.
enum Tried {
    Passed(String),
    /// Says what it did.
    Failed(String),
    /// Says what is wrong with the lesson.
    Broken(String),
    /// The player is named with another game.
    OtherGame,
    /// No such player plays this game.
    Unknown(SpecError),
}

fn try_one(player: &str, file: &Path, catalog: &Catalog) -> Tried {
    let lesson = match Lesson::read(file) {
        Ok(lesson) => lesson,
        Err(problem) => return Tried::Broken(problem.problem()),
    };
    let named = player.split_once('/').map(|(game, _)| game);
    if named.is_some_and(|game| game != lesson.game && catalog.entry(game).is_ok()) {
        return Tried::OtherGame;
    }
    if let Err(problem) = lesson.check(catalog) {
        return Tried::Broken(problem.to_string());
    }
    // The player may be named with its game.
    let own = player.strip_prefix(&lesson.game).and_then(|rest| rest.strip_prefix('/'));
    let handle = match catalog.player(&lesson.game, own.unwrap_or(player)) {
        Ok(handle) => handle,
        Err(problem) => return Tried::Unknown(problem),
    };
    let better = lesson.better.join(" or ");
    match attempt(catalog, &handle, &lesson) {
        Ok(Attempt::Passed { action }) => Tried::Passed(action),
        Ok(Attempt::Failed { action }) => Tried::Failed(format!("{action}; better: {better}")),
        Ok(Attempt::Fault(problem)) => Tried::Failed(problem),
        // The lesson is good, so it is the player that does not fit.
        Err(problem) => Tried::Failed(problem.to_string()),
    }
}
