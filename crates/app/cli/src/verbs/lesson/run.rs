//! `quintain lessons run`: which lessons of a folder a player passes.

use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::{Access, Catalog, reason};
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
    let passed = results.iter().filter(|one| one.is_passed).count();
    let player = clean(player);
    let all = format_count(results.len(), "lesson");
    writeln!(out, "{player} passes {passed} of {all}")?;
    for one in &results {
        writeln!(out, "{}", one.line)?;
    }
    match results.len() - passed {
        0 => Ok(()),
        failed => {
            Err(Failure::Failed(format!("{player} fails {}", format_count(failed, "lesson"))))
        }
    }
}

/// What became of one lesson.
struct LessonResult {
    is_passed: bool,
    line: String,
}

/// Runs the lessons in a player's folder, one line each. Returns how many it fails.
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
    Ok(results.iter().filter(|one| !one.is_passed).count())
}

/// Asks a player about every lesson of a folder.
fn try_all(player: &str, folder: &Path, catalog: &Catalog) -> Result<Vec<LessonResult>, Failure> {
    let files = lesson_files(folder).map_err(|error| {
        let why = reason(&error, Access::Read);
        Failure::Usage(format!("cannot read {}: {why}", folder.display()))
    })?;
    files.iter().filter_map(|file| try_one(player, file, catalog).transpose()).collect()
}

/// Asks a player about a lesson. None if the player is named with another game.
fn try_one(player: &str, file: &Path, catalog: &Catalog) -> Result<Option<LessonResult>, Failure> {
    let lesson = Lesson::read(file).map_err(|error| Failure::Usage(error.to_string()))?;
    let named = player.split_once('/').map(|(game, _)| game);
    if named.is_some_and(|game| game != lesson.game && catalog.entry(game).is_ok()) {
        return Ok(None);
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let line = |mark: &str, rest: String| clean(&format!("{mark} {name}: {rest}"));
    // The player may be named with its game.
    let own = player.strip_prefix(&lesson.game).and_then(|rest| rest.strip_prefix('/'));
    let handle = catalog.player(&lesson.game, own.unwrap_or(player))?;
    let better = lesson.better.join(" or ");
    let result = match attempt(catalog, &handle, &lesson)? {
        Attempt::Passed { action } => (true, line("pass", action)),
        Attempt::Failed { action } => (false, line("FAIL", format!("{action}; better: {better}"))),
        Attempt::Fault(problem) => (false, line("FAIL", problem)),
    };
    let (is_passed, line) = result;
    Ok(Some(LessonResult { is_passed, line }))
}
