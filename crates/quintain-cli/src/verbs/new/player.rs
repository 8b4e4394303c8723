//! A player of one's own: a folder with a program that plays at once, and its entry in bots.toml.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::{Access, AnyEntry, Catalog, reason};

use super::languages::{Entry, Language, Starter};
use super::{check_name, refuse_existing, write_file};
use crate::failure::Failure;

pub(super) fn new_player(
    name: &str,
    game: &str,
    language: Language,
    catalog: &Catalog,
    bots: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_name(name)?;
    let entry = catalog.entry(game)?;
    let folder = Path::new(name);
    refuse_existing(folder)?;
    let starter = language.starter();
    let list = match starter.entry {
        Entry::Program(command) => Some(list(name, command, starter.build, bots, folder)?),
        Entry::Module(_) => None,
    };
    let (files, steps) = files(name, &starter, entry, catalog)?;
    for (file, text) in files {
        write_file(&folder.join(file), &text)?;
    }
    let player = starter.entry.player(name);
    let source = starter.source;
    match list {
        Some(Listed { bots_file, text }) => {
            write_file(bots, &text)?;
            writeln!(out, "{name}/{source} plays {game}; {bots_file} names it {player}. Try:\n")?;
        }
        None => writeln!(out, "{name}/{source} plays {game}; built, it is {player}. Try:\n")?,
    }
    for line in aligned(&steps, "  ") {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// The files of a player's folder, and what to try with them.
type Begun = (Vec<(&'static str, String)>, Vec<(String, &'static str)>);

fn files(
    name: &str,
    starter: &Starter,
    entry: &dyn AnyEntry,
    catalog: &Catalog,
) -> Result<Begun, Failure> {
    let game = entry.name();
    let build = starter.build.unwrap_or_default();
    let fill =
        |text: &str| text.replace("BUILD", build).replace("NAME", name).replace("GAME", game);
    let mut files: Vec<_> = starter.files.iter().map(|(file, text)| (*file, fill(text))).collect();
    let opponent = entry.players().first().map_or("random", |player| player.name).to_owned();
    // `match` plays on the first scenario and wants a player for every seat.
    let first = entry.scenarios().first().map_or("", |first| first.name).to_owned();
    let opponents = format!(" {opponent}").repeat(catalog.game(game, &first)?.seats() - 1);
    let steps = next_steps(name, game, &opponents, &opponent, starter);
    files.push(("README.md", readme(name, game, &opponent, starter, &steps)));
    Ok((files, steps))
}

/// A language, and the files of a folder in which a program in it plays at once.
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) struct Kit {
    pub(crate) language: String,
    pub(crate) files: Vec<(String, String)>,
    /// The player's text, seen from that folder.
    pub(crate) player: String,
}

/// What a contest of a game offers its participants: a program in every language.
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) fn kits(name: &str, game: &str, catalog: &Catalog) -> Result<Vec<Kit>, Failure> {
    use clap::ValueEnum;
    let entry = catalog.entry(game)?;
    let of = |language: &Language| {
        let starter = language.starter();
        let (begun, _) = files(name, &starter, entry, catalog)?;
        let begun = begun.into_iter().map(|(file, text)| (format!("{name}/{file}"), text));
        let mut files: Vec<(String, String)> = begun.collect();
        if let Entry::Program(command) = starter.entry {
            let text = bots_entry(name, command, starter.build, name);
            files.push(("bots.toml".to_owned(), text));
        }
        let value = language.to_possible_value();
        let language = value.map_or(String::new(), |value| value.get_name().to_owned());
        Ok(Kit { language, files, player: starter.entry.player(name) })
    };
    Language::value_variants().iter().map(of).collect()
}

/// The table of a program in a bots.toml.
fn bots_entry(name: &str, command: &str, build: Option<&str>, folder: &str) -> String {
    let build = build.map_or(String::new(), |build| format!("build = {}\n", quote(build)));
    let (command, folder) = (quote(&command.replace("NAME", name)), quote(folder));
    format!("[{name}]\ncommand = {command}\n{build}folder = {folder}\n")
}

/// A bots.toml with one more program.
struct Listed {
    /// The file, from here.
    bots_file: String,
    /// What is to stand in it.
    text: String,
}

/// Lists a program in the bots.toml, which is not written yet.
fn list(
    name: &str,
    command: &str,
    build: Option<&str>,
    bots: &Path,
    folder: &Path,
) -> Result<Listed, Failure> {
    let Seen { bots_file, folder: seen } = seen_from(bots, folder);
    let before = match fs::read_to_string(bots) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let why = reason(&error, Access::Read);
            return Err(Failure::Failed(format!("cannot read {bots_file}: {why}")));
        }
    };
    if before.lines().any(|line| line.trim() == format!("[{name}]")) {
        return Err(Failure::Usage(format!("{bots_file} has a program “{name}” already")));
    }
    let gap = if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
    let text = format!("{before}{gap}{}", bots_entry(name, command, build, &seen));
    Ok(Listed { bots_file, text })
}

/// A file and a folder as they are seen from each other.
struct Seen {
    /// The bots.toml, from here.
    bots_file: String,
    /// The folder, from the bots.toml.
    folder: String,
}

/// How the bots.toml, in this folder or in one above, and a folder of here see each other.
fn seen_from(bots: &Path, folder: &Path) -> Seen {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let base = here.join(bots).parent().unwrap_or(&here).to_owned();
    let base = base.canonicalize().unwrap_or(base);
    let file = bots.file_name().unwrap_or_default();
    let (bots_file, folder) = match here.strip_prefix(&base) {
        Ok(below) => {
            let up: PathBuf = below.components().map(|_| "..").collect();
            (up.join(file), below.join(folder))
        }
        Err(_) => (bots.to_owned(), here.join(folder)),
    };
    Seen { bots_file: bots_file.display().to_string(), folder: folder.display().to_string() }
}

/// Text as a string of TOML.
fn quote(text: &str) -> String {
    // JSON's strings are strings of TOML.
    serde_json::Value::from(text).to_string()
}

/// Steps one below the other, and beside each what it is for.
fn aligned(steps: &[(String, &str)], gap: &str) -> Vec<String> {
    let longest = steps.iter().map(|(step, _)| step.chars().count()).max().unwrap_or(0);
    steps.iter().map(|(step, what)| format!("{step:<longest$}{gap}{what}")).collect()
}

/// Commands to try in this order, and what each is for.
fn next_steps(
    name: &str,
    game: &str,
    opponents: &str,
    opponent: &str,
    starter: &Starter,
) -> Vec<(String, &'static str)> {
    let player = starter.entry.player(name);
    let mut steps = Vec::new();
    steps.extend(starter.build.map(|build| (format!("(cd {name} && {build})"), "build it")));
    if let Entry::Program(_) = starter.entry {
        steps.push((format!("quintain bot check {player}"), "check the protocol"));
    }
    steps.push((format!("quintain match {game} {player}{opponents}"), "watch it play"));
    match starter.entry {
        Entry::Program(_) => {
            let watch = format!("quintain watch {name} --against {game}/{opponent}");
            steps.push((watch, "try every save"));
            let cup = format!("quintain new tournament cup --game {game}");
            steps.push((cup, "make a tournament"));
            steps.push(("quintain tournament cup.toml".to_owned(), "and its rank there"));
        }
        Entry::Module(_) => {
            let compare = format!("quintain compare {player} {opponent} --game {game}");
            steps.push((compare, "is it better?"));
        }
    }
    steps
}

fn readme(
    name: &str,
    game: &str,
    opponent: &str,
    starter: &Starter,
    steps: &[(String, &str)],
) -> String {
    let commands = aligned(steps, "  # ").join("\n");
    let source = starter.source;
    let (place, better, confined) = match starter.entry {
        Entry::Program(_) => (
            "In the folder above, from where `bots.toml` is found, which names it:",
            "`quintain watch NAME --against GAME/OPPONENT` tries it after every save and keeps each \
             version, which plays as `bot:NAME@HASH` (`quintain bot list` names them): `quintain \
             compare bot:NAME bot:NAME@HASH",
            "It runs in a sandbox: it may read its own folder and write to its temporary one, and \
             has no network. `--trust` takes the sandbox away, for a debugger.",
        ),
        Entry::Module(_) => (
            "In the folder above (`pip install ziglang` brings the compiler):",
            "Copy the module before you change it, and `quintain compare wasm:NEW wasm:OLD",
            "It runs as a module of WebAssembly: it has no files, no network and no clock but the \
             fuel that it burns, so its matches are the same on every machine. \
             `?fuel=50M` limits a move.",
        ),
    };
    let better = better.replace("NAME", name).replace("GAME", game).replace("OPPONENT", opponent);
    let debug = match starter.entry {
        Entry::Program(_) => format!(
            "- Why did it lose by a fault? `quintain match … --store FILE` keeps a match, and \
             `quintain bot debug {name} --record ID --store FILE` asks it once more, line by line.\n"
        ),
        Entry::Module(_) => String::new(),
    };
    format!(
        "# {name}\n\n\
         A player of {game} for quintain. It takes a random action; change `choose` in \
         {source}.\n\n\
         {place}\n\n\
         ```sh\n{commands}\n```\n\n\
         - What it sees, and what an action is: `quintain games --schema {game}`.\n\
         - Is the new version better? {better} --game {game}`.\n\
{debug}\
         - Standard output belongs to the protocol. Print to standard error to look at things.\n\
         - {confined}\n",
    )
}
