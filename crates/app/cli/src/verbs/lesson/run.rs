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
    let results = try_all(player, folder, catalog)?;
    if results.is_empty() {
        let folder = folder.display();
        return Err(Failure::Usage(format!(
            "{folder} holds no lessons: expected files of `quintain lesson`, such as 0001.json"
        )));
    }
    let count = |end: End| results.iter().filter(|one| one.end == end).count();
    let (passed, failed, broken) = (count(End::Passed), count(End::Failed), count(End::Broken));
    let player = clean(player);
    let all = format_count(results.len(), "lesson");
    writeln!(out, "{player} passes {passed} of {all}")?;
    for one in &results {
        writeln!(out, "{}", one.line)?;
    }
    let mut problems = Vec::new();
    if failed > 0 {
        problems.push(format!("{player} fails {}", format_count(failed, "lesson")));
    }
    if broken > 0 {
        problems.push(format!("{} cannot be used", format_count(broken, "lesson")));
    }
    match (failed, broken) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::Usage(problems.join("; "))),
        _ => Err(Failure::Failed(problems.join("; "))),
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

/// Runs the lessons in a player's folder, one line each. Returns how many it does not pass.
#[cfg(feature = "programs")]
pub(crate) fn check_lessons(
    player: &str,
    folder: Option<PathBuf>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<usize, Failure> {
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return Ok(0) };
    let results = try_all(player, &folder, catalog)?;
    for one in &results {
        writeln!(out, "{}", one.line)?;
    }
    Ok(results.iter().filter(|one| one.end != End::Passed).count())
}

/// Asks a player about every lesson of a folder.
fn try_all(player: &str, folder: &Path, catalog: &Catalog) -> Result<Vec<LessonResult>, Failure> {
    let files = lesson_files(folder).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such folder".to_owned(),
            ErrorKind::NotADirectory => "it is a file, not a folder".to_owned(),
            _ => reason(&error, Access::Read),
        };
        Failure::Usage(format!("cannot read {}: {why}", folder.display()))
    })?;
    let mut results = Vec::new();
    let mut unknown = None;
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let line = |mark: &str, rest: &str| clean(&format!("{mark} {name}: {rest}"));
        let (end, line) = match try_one(player, file, catalog) {
            Tried::Passed(action) => (End::Passed, line("pass", &action)),
            Tried::Failed(why) => (End::Failed, line("FAIL", &why)),
            Tried::Broken(why) => (End::Broken, line("broken", &why)),
            Tried::OtherGame => continue,
            Tried::Unknown(problem) => {
                unknown = unknown.or(Some(problem));
                continue;
            }
        };
        results.push(LessonResult { end, line });
    }
    match unknown {
        // A player of one game need not be one of the others.
        Some(problem) if results.iter().all(|one| one.end == End::Broken) => Err(problem.into()),
        _ => Ok(results),
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
