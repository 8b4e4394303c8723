//! The files with which a player begins: its program, the types of its observations, the beginning
//! of a match with a test that plays it, and a page that says how to continue.

use quintain_core::{AnyEntry, Catalog, SpecError};
use textwrap::{Options, WordSplitter};

use crate::example::example;
use crate::table::{Entry, Module, Script, Starter, starters};
use crate::types::names::quote;
use crate::types::{Model, fields};

/// The test for languages without a better way.
const TEST: &str = include_str!("../starters/test/test.sh");
/// The same for Windows, where nothing compares actions with those that are offered.
const TEST_ON_WINDOWS: &str = include_str!("../starters/test/test.bat");

/// The parts of a new player that depend on the game alone.
pub struct GameInfo<'a> {
    name: &'a str,
    /// An opponent.
    opponent: &'a str,
    /// Players for all seats but one on the scenario where `match` plays.
    opponents: String,
    types: Model,
    /// The messages that a program receives at the beginning of a match, one per line.
    example: String,
}

impl<'a> GameInfo<'a> {
    /// Describes a game, with an example from the richest of its scenarios.
    ///
    /// # Errors
    /// If no match can be played on its first scenario.
    pub fn of(entry: &'a dyn AnyEntry, catalog: &Catalog) -> Result<GameInfo<'a>, SpecError> {
        let all: Vec<String> =
            entry.scenarios().iter().map(|known| known.name().to_owned()).collect();
        GameInfo::on(&all, entry, catalog)
    }

    /// Describes a game, with an example from these scenarios.
    fn on(
        scenarios: &[String],
        entry: &'a dyn AnyEntry,
        catalog: &Catalog,
    ) -> Result<GameInfo<'a>, SpecError> {
        let name = entry.name();
        let opponent = entry.players().first().map_or("random", |player| player.name());
        // `match` plays on the first scenario and needs a player for every seat.
        let first = entry.scenarios().first().map_or("", |first| first.name()).to_owned();
        let seats = catalog.game(name, &first)?.seats();
        Ok(GameInfo {
            name,
            opponent,
            opponents: format!(" {opponent}").repeat(seats - 1),
            types: Model::of(&entry.schemas()),
            example: example(entry, catalog, scenarios, opponent)?,
        })
    }
}

/// The files and the first steps of a new player.
pub struct PlayerFiles {
    /// The files of its folder.
    pub files: Vec<(String, String)>,
    /// Commands to try with them.
    pub steps: Vec<Step>,
}

/// A command to try.
pub struct Step {
    /// The command, for a shell in the parent of the player's folder.
    pub command: String,
    /// What it is for.
    pub purpose: &'static str,
}

impl Step {
    fn new(command: String, purpose: &'static str) -> Step {
        Step { command, purpose }
    }
}

/// Which shell a player's author uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shell {
    /// That of Linux and macOS.
    Unix,
    /// One of Windows: `cmd` or PowerShell.
    Windows,
}

impl Shell {
    /// The one of this system.
    pub fn here() -> Shell {
        if cfg!(windows) { Shell::Windows } else { Shell::Unix }
    }

    /// A command of the table as this shell runs it. On Windows, `py -3` finds every Python that is
    /// installed, and `python3` often opens a shop instead.
    pub fn command(self, command: &str) -> String {
        let words = command.split(' ').map(|word| match (self, word) {
            (Shell::Windows, "python3") => "py -3",
            _ => word,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The command that builds a player in this language, if anything has to be built.
    pub fn build(self, starter: &Starter) -> Option<String> {
        let own = match self {
            Shell::Unix => None,
            Shell::Windows => starter.windows.build.as_ref(),
        };
        own.or(starter.build.as_ref()).map(|build| self.command(build))
    }

    /// The command that runs the local test of a player in this language, in its folder.
    fn test(self, starter: &Starter) -> String {
        match (self, &starter.script) {
            (Shell::Windows, Some(_)) => r".\test.bat".to_owned(),
            _ => self.command(&starter.test),
        }
    }

    /// What a language needs and the system of this shell does not have, if there is such a thing.
    pub fn lacks(self, starter: &Starter) -> Option<&str> {
        match self {
            Shell::Unix => None,
            Shell::Windows => starter.windows.lacks.as_deref(),
        }
    }

    /// A command to be run in a folder, from where that is.
    pub fn in_folder(self, folder: &str, command: &str) -> String {
        let command = self.command(command);
        match self {
            Shell::Unix => format!("(cd {folder} && {command})"),
            Shell::Windows => format!("cmd /c \"cd {folder} && {command}\""),
        }
    }
}

/// Begins a player for a game, for an author with this shell. `can_submit` says whether this
/// `quintain` has the verb `submit`.
pub fn begin(
    name: &str,
    starter: &Starter,
    game: &GameInfo<'_>,
    can_submit: bool,
    shell: Shell,
) -> PlayerFiles {
    let build = shell.build(starter).unwrap_or_default();
    let build = build.as_str();
    let fill =
        |text: &str| text.replace("BUILD", build).replace("NAME", name).replace("GAME", game.name);
    let mut files: Vec<(String, String)> =
        starter.files().map(|(file, text)| (file.to_owned(), fill(text))).collect();
    let mut add = |file: &str, text: String| files.push((file.to_owned(), text));
    if let Some(types) = &starter.types {
        add(&types.file, types.write(&game.types, game.name));
    }
    match (shell, &starter.script, &starter.windows.script) {
        (Shell::Unix, Some(script), _) => add("test.sh", test_script(TEST, script, build)),
        (Shell::Windows, _, Some(script)) => {
            // `cmd` finds the labels of a file only after the line ends of Windows.
            let text = test_script(TEST_ON_WINDOWS, script, build).replace('\n', "\r\n");
            add("test.bat", text);
        }
        _ => {}
    }
    add("example.jsonl", game.example.clone());
    let steps = next_steps(name, game, starter, can_submit, shell);
    // The same files whatever this `quintain` can do.
    let all = next_steps(name, game, starter, true, shell);
    add("README.md", readme(name, game, starter, &all, shell));
    PlayerFiles { files, steps }
}

fn test_script(test: &str, script: &Script, build: &str) -> String {
    let text = match script.prepare.as_str() {
        "" => test.replace("PREPARE\n", ""),
        prepare => test.replace("PREPARE", prepare).replace("BUILD", build),
    };
    text.replace("COMMAND", &script.command)
}

/// A language, and the files of a folder with a program in it that plays at once.
pub struct Kit {
    /// The language, by its name in the table.
    pub language: &'static str,
    /// The files of the folder.
    pub files: Vec<(String, String)>,
    /// The player's text, relative to that folder.
    pub player: String,
}

/// Returns a program in every language, to be offered to the participants of a contest on these
/// scenarios.
///
/// # Errors
/// If there is no such game, or no match can be played on the first of the scenarios.
pub fn kits(
    name: &str,
    game: &str,
    scenarios: &[String],
    catalog: &Catalog,
) -> Result<Vec<Kit>, SpecError> {
    let game = GameInfo::on(scenarios, catalog.entry(game)?, catalog)?;
    let kit = |starter: &'static Starter| {
        let begun = begin(name, starter, &game, true, Shell::Unix).files.into_iter();
        let mut files: Vec<(String, String)> =
            begun.map(|(file, text)| (format!("{name}/{file}"), text)).collect();
        if let Entry::Program(command) = &starter.plays {
            let text = bots_entry(name, command, starter.build.as_deref(), name);
            files.push(("bots.toml".to_owned(), text));
        }
        Kit { language: &starter.name, files, player: starter.player(name) }
    };
    Ok(starters().iter().map(kit).collect())
}

/// Returns a program's table in a `bots.toml`.
pub fn bots_entry(name: &str, command: &str, build: Option<&str>, folder: &str) -> String {
    let build = build.map_or(String::new(), |build| format!("build = {}\n", quote(build)));
    let (command, folder) = (quote(&command.replace("NAME", name)), quote(folder));
    format!("[{name}]\ncommand = {command}\n{build}folder = {folder}\n")
}

/// Columns of a page, and of a terminal with its default width.
pub const LINE_WIDTH: usize = 80;

/// Width of a step in columns up to which the purposes beside the steps are aligned.
const MAX_ALIGNED: usize = 72;

/// Returns one line per step, with its purpose beside it.
pub fn align_steps(steps: &[Step], gap: &str) -> Vec<String> {
    let widths = steps.iter().map(|step| step.command.chars().count());
    let longest = widths.filter(|width| *width <= MAX_ALIGNED).max().unwrap_or(0);
    steps
        .iter()
        .map(|Step { command, purpose }| format!("{command:<longest$}{gap}{purpose}"))
        .collect()
}

/// Returns commands to try, in this order.
fn next_steps(
    name: &str,
    game: &GameInfo<'_>,
    starter: &Starter,
    can_submit: bool,
    shell: Shell,
) -> Vec<Step> {
    let GameInfo { name: game, opponent, opponents, .. } = game;
    let player = starter.player(name);
    let mut steps = Vec::new();
    if let Some(build) = shell.build(starter) {
        let build = build.replace("NAME", name);
        steps.push(Step::new(shell.in_folder(name, &build), "build it"));
    }
    steps.push(Step::new(format!("quintain bot check {player}"), "check the protocol"));
    steps.push(Step::new(format!("quintain match {game} {player}{opponents}"), "watch it play"));
    let option = match starter.plays {
        Entry::Program(_) => {
            let watch = format!("quintain watch {name} --against {game}/{opponent}");
            steps.push(Step::new(watch, "try every save"));
            steps.push(Step::new(format!("quintain lesson {player}"), "learn from a match"));
            String::new()
        }
        Entry::Module(_) => {
            let compare = format!("quintain compare {player} {opponent} --game {game}");
            steps.push(Step::new(compare, "is it better?"));
            let lesson = format!("quintain lesson {player} --game {game}");
            steps.push(Step::new(lesson, "learn from a match"));
            format!(" --player {player}")
        }
    };
    let cup = format!("quintain new tournament cup --game {game}{option}");
    steps.push(Step::new(cup, "make a tournament"));
    steps.push(Step::new("quintain tournament cup.toml".to_owned(), "see its rank there"));
    if can_submit {
        let submit = format!("quintain submit --to ADDRESS --token TOKEN {name}");
        steps.push(Step::new(submit, "submit it"));
    }
    steps
}

/// The sentences of a player's page that depend on whether a program or a module plays.
struct PageTexts {
    /// Where to run the commands.
    place: String,
    /// How to compare it with an older one, up to the game.
    compare: String,
    /// The line about faults, if there is one.
    debug: String,
    /// What it may do.
    confined: &'static str,
    /// Whether it writes messages to its standard output.
    has_output: bool,
}

impl PageTexts {
    fn of(name: &str, game: &GameInfo<'_>, plays: &Entry) -> PageTexts {
        match plays {
            Entry::Program(_) => PageTexts {
                place:
                    "Run these in the parent folder, where the `bots.toml` that names it is found:"
                        .to_owned(),
                compare: format!(
                    "`quintain watch {name} --against {}/{}` tries it after every save and keeps \
                     each \
                     version as the player `bot:{name}@HASH` (`quintain bot list` names them). To \
                     compare two: `quintain compare bot:{name} bot:{name}@HASH",
                    game.name, game.opponent
                ),
                debug: format!(
                    "- Why did it forfeit? `quintain match … --store FILE` keeps a match, and \
                     `quintain bot debug {name} --record ID --store FILE` asks it again and shows \
                     every line.\n"
                ),
                confined: "On Linux it runs in a sandbox: it may read its own folder and write to \
                           its temporary one, and has no network. `--trust` turns the sandbox off, \
                           for a debugger. On other systems it runs as you do.",
                has_output: true,
            },
            Entry::Module(Module { compiler, is_called, .. }) => PageTexts {
                place: format!("Run these in the parent folder ({compiler}):"),
                compare: "Copy the module before you change it, then run \
                          `quintain compare wasm:NEW wasm:OLD"
                    .to_owned(),
                debug: String::new(),
                confined: "It runs as a WebAssembly module: it has no files, no network and no \
                    clock except the fuel that it burns, so its matches are the same on every \
                           machine. `?fuel=50M` limits a move.",
                has_output: !is_called,
            },
        }
    }
}

fn readme(
    name: &str,
    game: &GameInfo<'_>,
    starter: &Starter,
    steps: &[Step],
    shell: Shell,
) -> String {
    let PageTexts { place, compare, debug, confined, has_output } =
        PageTexts::of(name, game, &starter.plays);
    let game_name = game.name;
    let commands = commands(steps, shell);
    let (seen, table) = match &starter.types {
        Some(types) => (
            format!(
                "{} has types for what it sees, for actions and for what is known before the match \
                 (`setting`), made from the schema",
                types.file
            ),
            String::new(),
        ),
        None => (
            "What it sees and what is known before the match are listed below, from the schema"
                .to_owned(),
            format!("\n## What it sees\n\n{}", fields::table(&game.types)),
        ),
    };
    let output = match has_output {
        true => {
            "- Standard output belongs to the protocol. For debugging, print to standard error.\n"
        }
        false => "",
    };
    let (source, test) = (&starter.source, shell.test(starter));
    let check = starter.check.as_ref();
    let check = check.map_or(String::new(), |check| format!("- `{check}` checks the types.\n"));
    wrapped(&format!(
        "# {name}\n\n\
         A player of {game_name} for quintain. It takes a random action; change `choose` in \
         {source}.\n\n\
         {place}\n\n\
         ```sh\n{commands}\n```\n\n\
         - {seen} that `quintain games --schema {game_name}` prints.\n\
         - `{test}`, in this folder, plays it without quintain: example.jsonl holds the messages \
         that it receives at the beginning of a match. It also asks about the lessons in \
         `lessons`, which `quintain lesson` makes of lost matches.\n\
{check}\
         - Is the new version better? {compare} --game {game_name}`.\n\
{debug}{output}\
         - {confined}\n{table}",
    ))
}

/// Formats steps with their purpose beside them, or above them if there is no room.
fn commands(steps: &[Step], shell: Shell) -> String {
    if shell == Shell::Windows {
        // In `cmd` nothing begins a comment, or continues a line, as in PowerShell.
        let above = steps.iter().map(|Step { command, purpose }| format!("# {purpose}\n{command}"));
        return above.collect::<Vec<_>>().join("\n");
    }
    let beside = align_steps(steps, "  # ");
    if beside.iter().all(|line| line.chars().count() <= LINE_WIDTH) {
        return beside.join("\n");
    }
    let broken = Options::new(LINE_WIDTH - 2).subsequent_indent("    ");
    let broken = broken.break_words(false).word_splitter(WordSplitter::NoHyphenation);
    let above = |Step { command, purpose }: &Step| {
        format!("# {purpose}\n{}", textwrap::wrap(command, &broken).join(" \\\n"))
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
        let options = Options::new(LINE_WIDTH).subsequent_indent(indent).break_words(false);
        lines.push(textwrap::fill(line, options.word_splitter(WordSplitter::NoHyphenation)));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_system_at_hand() {
        let of = |shell: Shell| {
            let module = "python3 -m ziglang cc -o bot.wasm bot.c && echo bot.wasm is built";
            [shell.command("python3 bot.py"), shell.in_folder("mine", module)]
        };
        assert_eq!(of(Shell::Unix)[0], "python3 bot.py");
        assert_eq!(of(Shell::Windows)[0], "py -3 bot.py");
        assert!(of(Shell::Unix)[1].starts_with("(cd mine && python3 -m ziglang"));
        let windows = &of(Shell::Windows)[1];
        assert!(windows.starts_with("cmd /c \"cd mine && py -3 -m ziglang"), "{windows}");
        assert_eq!(Shell::Windows.command("./python3x my-python3"), "./python3x my-python3");
    }
}
