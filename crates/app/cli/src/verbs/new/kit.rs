//! The files with which a player begins: its program, the types of its observations, the beginning of a
//! match with a test that plays it, and a page that says how to continue.

use quintain_core::{AnyEntry, Catalog};
use textwrap::{Options, WordSplitter};

use super::example::example;
#[cfg(all(feature = "host", target_os = "linux"))]
use super::languages::Language;
use super::languages::{Entry, Starter};
use crate::failure::Failure;
use crate::types::names::quote;
use crate::types::{Model, fields};

/// The test for languages without a better way.
const TEST: &str = include_str!("../../../starters/test/test.sh");

/// The parts that are the same in every language.
pub(super) struct Game<'a> {
    name: &'a str,
    /// An opponent.
    opponent: &'a str,
    /// Players for all seats but one on the scenario where `match` plays.
    opponents: String,
    types: Model,
    /// The messages that a program receives at the beginning of a match, one per line.
    example: String,
}

impl<'a> Game<'a> {
    /// Returns the game, with an example from the richest of its scenarios.
    pub(super) fn of(entry: &'a dyn AnyEntry, catalog: &Catalog) -> Result<Game<'a>, Failure> {
        let all: Vec<String> =
            entry.scenarios().iter().map(|known| known.name().to_owned()).collect();
        Game::on(&all, entry, catalog)
    }

    /// Returns the game with an example from these scenarios.
    fn on(
        scenarios: &[String],
        entry: &'a dyn AnyEntry,
        catalog: &Catalog,
    ) -> Result<Game<'a>, Failure> {
        let name = entry.name();
        let opponent = entry.players().first().map_or("random", |player| player.name());
        // `match` plays on the first scenario and needs a player for every seat.
        let first = entry.scenarios().first().map_or("", |first| first.name()).to_owned();
        let seats = catalog.game(name, &first)?.seats();
        Ok(Game {
            name,
            opponent,
            opponents: format!(" {opponent}").repeat(seats - 1),
            types: Model::of(&entry.schemas()),
            example: example(entry, catalog, scenarios, opponent)?,
        })
    }
}

/// The files and the first steps of a new player.
pub(super) struct Begun {
    /// The files of its folder.
    pub(super) files: Vec<(&'static str, String)>,
    /// Commands to try with them.
    pub(super) steps: Vec<(String, &'static str)>,
}

/// Begins a player for a game.
pub(super) fn begin(name: &str, starter: &Starter, game: &Game<'_>) -> Begun {
    let build = starter.build.unwrap_or_default();
    let fill =
        |text: &str| text.replace("BUILD", build).replace("NAME", name).replace("GAME", game.name);
    let mut files: Vec<_> = starter.files.iter().map(|(file, text)| (*file, fill(text))).collect();
    if let Some((file, write)) = starter.types {
        files.push((file, write(&game.types, game.name)));
    }
    if let Some((first, program)) = starter.script {
        let text = match first {
            "" => TEST.replace("PREPARE\n", ""),
            first => TEST.replace("PREPARE", first).replace("BUILD", build),
        };
        files.push(("test.sh", text.replace("COMMAND", program)));
    }
    files.push(("example.jsonl", game.example.clone()));
    let steps = next_steps(name, game, starter);
    files.push(("README.md", readme(name, game, starter, &steps)));
    Begun { files, steps }
}

/// A language, and the files of a folder with a program in it that plays at once.
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) struct Kit {
    pub(crate) language: String,
    pub(crate) files: Vec<(String, String)>,
    /// The player's text, relative to that folder.
    pub(crate) player: String,
}

/// Returns a program in every language, to be offered to the participants of a contest on these
/// scenarios.
#[cfg(all(feature = "host", target_os = "linux"))]
pub(crate) fn kits(
    name: &str,
    game: &str,
    scenarios: &[String],
    catalog: &Catalog,
) -> Result<Vec<Kit>, Failure> {
    use clap::ValueEnum;
    let game = Game::on(scenarios, catalog.entry(game)?, catalog)?;
    let of = |language: &Language| {
        let starter = language.starter();
        let begun = begin(name, &starter, &game).files.into_iter();
        let mut files: Vec<(String, String)> =
            begun.map(|(file, text)| (format!("{name}/{file}"), text)).collect();
        if let Entry::Program(command) = starter.entry {
            let text = bots_entry(name, command, starter.build, name);
            files.push(("bots.toml".to_owned(), text));
        }
        let value = language.to_possible_value();
        let language = value.map_or(String::new(), |value| value.get_name().to_owned());
        Kit { language, files, player: starter.entry.player(name) }
    };
    Ok(Language::value_variants().iter().map(of).collect())
}

/// Returns a program's table in a bots.toml.
pub(super) fn bots_entry(name: &str, command: &str, build: Option<&str>, folder: &str) -> String {
    let build = build.map_or(String::new(), |build| format!("build = {}\n", quote(build)));
    let (command, folder) = (quote(&command.replace("NAME", name)), quote(folder));
    format!("[{name}]\ncommand = {command}\n{build}folder = {folder}\n")
}

/// Columns of a page, and of a terminal with its default width.
pub(super) const COLUMNS: usize = 80;

/// Width of a step in columns up to which the texts beside the steps are aligned.
const WIDEST: usize = 72;

/// Returns one line per step, with its purpose beside it.
pub(super) fn aligned(steps: &[(String, &str)], gap: &str) -> Vec<String> {
    let widths = steps.iter().map(|(step, _)| step.chars().count());
    let longest = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    steps.iter().map(|(step, what)| format!("{step:<longest$}{gap}{what}")).collect()
}

/// Returns commands to try in this order, each with its purpose.
fn next_steps(name: &str, game: &Game<'_>, starter: &Starter) -> Vec<(String, &'static str)> {
    let Game { name: game, opponent, opponents, .. } = game;
    let player = starter.entry.player(name);
    let mut steps = Vec::new();
    let build = starter.build.map(|build| build.replace("NAME", name));
    steps.extend(build.map(|build| (format!("(cd {name} && {build})"), "build it")));
    if let Entry::Program(_) = starter.entry {
        steps.push((format!("quintain bot check {player}"), "check the protocol"));
    }
    steps.push((format!("quintain match {game} {player}{opponents}"), "watch it play"));
    match starter.entry {
        Entry::Program(_) => {
            let watch = format!("quintain watch {name} --against {game}/{opponent}");
            steps.push((watch, "try every save"));
        }
        Entry::Module { .. } => {
            let compare = format!("quintain compare {player} {opponent} --game {game}");
            steps.push((compare, "is it better?"));
        }
    }
    let entered = match starter.entry {
        Entry::Program(_) => String::new(),
        Entry::Module { .. } => format!(" --player {player}"),
    };
    let cup = format!("quintain new tournament cup --game {game}{entered}");
    steps.push((cup, "make a tournament"));
    steps.push(("quintain tournament cup.toml".to_owned(), "see its rank there"));
    // A program without contests cannot hand anything in.
    if cfg!(feature = "host") {
        let submit = format!("quintain submit --to ADDRESS --token TOKEN {name}");
        steps.push((submit, "hand it in"));
    }
    steps
}

fn readme(name: &str, game: &Game<'_>, starter: &Starter, steps: &[(String, &str)]) -> String {
    let Game { name: game, opponent, types, .. } = game;
    let commands = commands(steps);
    let source = starter.source;
    let (place, better, confined) = match starter.entry {
        Entry::Program(_) => (
            "Run these in the parent folder, where the `bots.toml` that names it is found:"
                .to_owned(),
            "`quintain watch NAME --against GAME/OPPONENT` tries it after every save and keeps each \
             version as the player `bot:NAME@HASH` (`quintain bot list` names them). To compare two: \
             `quintain compare bot:NAME bot:NAME@HASH",
            "It runs in a sandbox: it may read its own folder and write to its temporary one, and \
             has no network. `--trust` turns the sandbox off, for a debugger.",
        ),
        Entry::Module { compiler, .. } => (
            format!("Run these in the parent folder ({compiler}):"),
            "Copy the module before you change it, then run `quintain compare wasm:NEW wasm:OLD",
            "It runs as a WebAssembly module: it has no files, no network and no clock except the \
             fuel that it burns, so its matches are the same on every machine. \
             `?fuel=50M` limits a move.",
        ),
    };
    let better = better.replace("NAME", name).replace("GAME", game).replace("OPPONENT", opponent);
    let debug = match starter.entry {
        Entry::Program(_) => format!(
            "- Why did it forfeit? `quintain match … --store FILE` keeps a match, and \
             `quintain bot debug {name} --record ID --store FILE` asks it again and shows every line.\n"
        ),
        Entry::Module { .. } => String::new(),
    };
    let (seen, table) = match starter.types {
        Some((file, _)) => (
            format!(
                "{file} has types for what it sees, for actions and for what is known before the \
                 match (`setting`), made from the schema"
            ),
            String::new(),
        ),
        None => (
            "What it sees and what is known before the match are listed below, from the schema"
                .to_owned(),
            format!("\n## What it sees\n\n{}", fields::table(types)),
        ),
    };
    let output = match starter.entry {
        Entry::Module { is_called: true, .. } => "",
        _ => "- Standard output belongs to the protocol. For debugging, print to standard error.\n",
    };
    let test = starter.test;
    let check =
        starter.check.map_or(String::new(), |check| format!("- `{check}` checks the types.\n"));
    wrapped(&format!(
        "# {name}\n\n\
         A player of {game} for quintain. It takes a random action; change `choose` in \
         {source}.\n\n\
         {place}\n\n\
         ```sh\n{commands}\n```\n\n\
         - {seen} that `quintain games --schema {game}` prints.\n\
         - `{test}`, in this folder, plays it without quintain: example.jsonl holds the messages that \
         it receives at the beginning of a match.\n\
{check}\
         - Is the new version better? {better} --game {game}`.\n\
{debug}{output}\
         - {confined}\n{table}",
    ))
}

/// Formats steps with their purpose beside them, or above them if there is no room.
fn commands(steps: &[(String, &str)]) -> String {
    let beside = aligned(steps, "  # ");
    if beside.iter().all(|line| line.chars().count() <= COLUMNS) {
        return beside.join("\n");
    }
    let broken = Options::new(COLUMNS - 2).subsequent_indent("    ");
    let broken = broken.break_words(false).word_splitter(WordSplitter::NoHyphenation);
    let above = |(step, what): &(String, &str)| {
        format!("# {what}\n{}", textwrap::wrap(step, &broken).join(" \\\n"))
    };
    steps.iter().map(above).collect::<Vec<_>>().join("\n")
}

/// Wraps the sentences of a page between words, but not its commands and tables.
fn wrapped(page: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        if is_code || line.starts_with('|') {
            lines.push(line.to_owned());
            continue;
        }
        let indent = if line.starts_with("- ") { "  " } else { "" };
        let options = Options::new(COLUMNS).subsequent_indent(indent).break_words(false);
        lines.push(textwrap::fill(line, options.word_splitter(WordSplitter::NoHyphenation)));
    }
    lines.join("\n") + "\n"
}
