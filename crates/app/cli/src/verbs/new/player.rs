//! A player of one's own: a folder with a program that plays at once, and its entry in bots.toml.

use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::{Catalog, TextFileError, read_settings};
use quintain_languages::{
    Entry, GameInfo, LINE_WIDTH, PlayerFiles, Shell, Starter, Step, align_steps, begin, bots_entry,
};

use super::files::{check_name, refuse_existing, write_file};
use super::programs::Programs;
use crate::failure::Failure;

pub(super) fn new_player(
    name: &str,
    game: &str,
    starter: &Starter,
    catalog: &Catalog,
    programs: &Programs<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (bots, shell) = (&programs.file(), Shell::here());
    check_name(name)?;
    let entry = catalog.entry(game)?;
    if let Some(lacking) = shell.lacks(starter) {
        let language = &starter.name;
        return Err(Failure::Usage(format!("{language} needs what is not here: {lacking}")));
    }
    let folder = Path::new(name);
    refuse_existing(folder)?;
    let list = match &starter.plays {
        Entry::Program(command) => {
            // Nothing is added to a broken file.
            programs.check()?;
            let build = shell.build(starter);
            Some(list(name, &shell.command(command), build.as_deref(), bots, folder)?)
        }
        Entry::Module(_) => None,
    };
    // A program without contests cannot hand anything in.
    let can_submit = cfg!(feature = "host");
    let PlayerFiles { files, steps } =
        begin(name, starter, &GameInfo::of(entry, catalog)?, can_submit, shell);
    for (file, text) in files {
        write_file(&folder.join(file), &text)?;
    }
    let player = starter.player(name);
    let source = &starter.source;
    match list {
        Some(Listed { bots_file, text }) => {
            write_file(bots, &text)?;
            if bots_file.starts_with("..") {
                writeln!(out, "{bots_file}, the nearest bots.toml above, has one more entry now")?;
            }
            writeln!(out, "{name}/{source} plays {game}; {bots_file} names it {player}. Try:\n")?;
        }
        None => {
            writeln!(out, "{name}/{source} plays {game}; once built, it is {player}.")?;
            let needs = starter.module().map_or("", |module| &module.compiler);
            writeln!(out, "To build it: {needs}. Try:\n")?;
        }
    }
    write_steps(&steps, out)?;
    if starter.module().is_none() && cfg!(not(target_os = "linux")) {
        writeln!(
            out,
            "\nIt runs unconfined here, as you do. A module plays confined on every system:\n  \
             quintain new player NAME --lang c-wasm"
        )?;
    }
    Ok(())
}

/// Writes steps with their purpose beside them, or above them if there is no room.
fn write_steps(steps: &[Step], out: &mut dyn Write) -> Result<(), Failure> {
    let beside = align_steps(steps, "  ");
    if beside.iter().all(|line| 2 + line.chars().count() <= LINE_WIDTH) {
        for line in beside {
            writeln!(out, "  {line}")?;
        }
        return Ok(());
    }
    // Each step stays on one line, to be copied.
    for Step { command, purpose } in steps {
        writeln!(out, "  # {purpose}\n  {command}")?;
    }
    Ok(())
}

/// A bots.toml with one more program in it.
struct Listed {
    /// The path of the file, from here.
    bots_file: String,
    /// Its new content.
    text: String,
}

/// Adds a program to the text of the bots.toml, without writing the file.
fn list(
    name: &str,
    command: &str,
    build: Option<&str>,
    bots: &Path,
    folder: &Path,
) -> Result<Listed, Failure> {
    let Seen { bots_file, folder: seen } = relate(bots, folder);
    let before = match read_settings(bots) {
        Ok(text) => text,
        Err(TextFileError::Missing(_)) => String::new(),
        Err(error) => {
            let why = error.problem();
            return Err(Failure::Failed(format!("cannot read {bots_file}: {why}")));
        }
    };
    if before.lines().any(|line| line.trim() == format!("[{name}]")) {
        return Err(Failure::Usage(format!("{bots_file} already has a program “{name}”")));
    }
    let gap = match before.trim_end_matches('\n') {
        "" => "",
        _ if before.ends_with("\n\n") => "",
        _ if before.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = format!("{before}{gap}{}", bots_entry(name, command, build, &seen));
    Ok(Listed { bots_file, text })
}

/// The paths between a file and a folder.
struct Seen {
    /// The path of the bots.toml, from here.
    bots_file: String,
    /// The path of the folder, from the bots.toml.
    folder: String,
}

/// Returns the paths between the bots.toml, in this folder or in one above, and a folder given from
/// here.
fn relate(bots: &Path, folder: &Path) -> Seen {
    let here = std::env::current_dir().and_then(dunce::canonicalize).unwrap_or_default();
    let base = here.join(bots).parent().unwrap_or(&here).to_owned();
    let base = dunce::canonicalize(&base).unwrap_or(base);
    let file = bots.file_name().unwrap_or_default();
    let (bots_file, folder) = match here.strip_prefix(&base) {
        Ok(below) => {
            let up: PathBuf = below.components().map(|_| "..").collect();
            (up.join(file), below.join(folder))
        }
        Err(_) => (bots.to_owned(), here.join(folder)),
    };
    // The file may be carried to a system that knows no backslashes.
    let folder = folder.display().to_string();
    let folder = if cfg!(windows) { folder.replace('\\', "/") } else { folder };
    Seen { bots_file: bots_file.display().to_string(), folder }
}
