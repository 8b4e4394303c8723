//! `quintain new`: begins a player or a tournament of one's own, which play at once.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_arena::seed_matters;
use quintain_core::{Access, AnyEntry, Catalog, SEED, Scoring, Venue, reason, seed_family};

use crate::failure::{Failure, cannot_write};
use crate::messages::say;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// A folder with a program that plays, and its entry in bots.toml
    Player {
        /// Its name: small letters, digits, hyphens
        name: String,
        /// The game that it is begun for [default: the first of `quintain games`]
        #[arg(long)]
        game: Option<String>,
        /// The language
        #[arg(long, value_enum, default_value_t = Language::Python, ignore_case = true)]
        lang: Language,
    },
    /// A tournament file with comments, for the game's players and those of bots.toml
    Tournament {
        /// Its name; the file is NAME.toml
        name: String,
        /// The game [default: the first of `quintain games`]
        #[arg(long)]
        game: Option<String>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Language {
    #[value(aliases = ["py", "python3"])]
    Python,
    #[value(aliases = ["js", "node", "nodejs"])]
    Javascript,
    #[value(alias = "rs")]
    Rust,
    #[value(aliases = ["c++", "cc", "cxx"])]
    Cpp,
    Java,
    #[value(alias = "golang")]
    Go,
    #[value(aliases = ["shell", "bash"])]
    Sh,
    /// C, as a module of WebAssembly
    #[value(aliases = ["c", "wasm"])]
    CWasm,
    /// C++, as a module of WebAssembly
    #[value(aliases = ["c++-wasm"])]
    CppWasm,
}

/// What a language needs.
struct Starter {
    /// The files, by their names in the folder.
    files: &'static [(&'static str, &'static str)],
    /// The file that holds `choose`.
    source: &'static str,
    /// What builds it, if anything has to.
    build: Option<&'static str>,
    /// What plays.
    entry: Entry,
}

/// What plays of a folder.
#[derive(Clone, Copy)]
enum Entry {
    /// What this command runs; NAME stands for the player's name.
    Program(&'static str),
    /// This module of WebAssembly.
    Module(&'static str),
}

impl Entry {
    /// The player's text, seen from the folder above its own.
    fn player(self, name: &str) -> String {
        match self {
            Entry::Program(_) => format!("bot:{name}"),
            Entry::Module(file) => format!("wasm:{name}/{file}"),
        }
    }
}

impl Language {
    fn starter(self) -> Starter {
        match self {
            Language::Python => Starter {
                files: &[("bot.py", include_str!("../../starters/python/bot.py"))],
                source: "bot.py",
                build: None,
                entry: Entry::Program("python3 bot.py"),
            },
            Language::Javascript => Starter {
                files: &[("bot.js", include_str!("../../starters/javascript/bot.js"))],
                source: "bot.js",
                build: None,
                entry: Entry::Program("node bot.js"),
            },
            Language::Rust => Starter {
                files: &[
                    // Not named Cargo.toml, which would make the folder a package of its own.
                    ("Cargo.toml", include_str!("../../starters/rust/manifest.toml")),
                    ("src/main.rs", include_str!("../../starters/rust/src/main.rs")),
                ],
                source: "src/main.rs",
                build: Some("cargo build --release"),
                entry: Entry::Program("./target/release/NAME"),
            },
            Language::Cpp => Starter {
                files: &[("bot.cpp", include_str!("../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some("c++ -O2 -std=c++17 -o bot bot.cpp"),
                entry: Entry::Program("./bot"),
            },
            Language::Java => Starter {
                files: &[("Bot.java", include_str!("../../starters/java/Bot.java"))],
                source: "Bot.java",
                build: Some("javac Bot.java"),
                entry: Entry::Program("java -cp . Bot"),
            },
            Language::Go => Starter {
                files: &[
                    ("go.mod", include_str!("../../starters/go/go.mod")),
                    ("main.go", include_str!("../../starters/go/main.go")),
                ],
                source: "main.go",
                build: Some("go build -o bot"),
                entry: Entry::Program("./bot"),
            },
            Language::Sh => Starter {
                files: &[("bot.sh", include_str!("../../starters/sh/bot.sh"))],
                source: "bot.sh",
                build: None,
                entry: Entry::Program("sh bot.sh"),
            },
            Language::CWasm => Starter {
                files: &[("bot.c", include_str!("../../starters/c/bot.c"))],
                source: "bot.c",
                build: Some("python3 -m ziglang cc -target wasm32-wasi -O2 -s -o bot.wasm bot.c"),
                entry: Entry::Module("bot.wasm"),
            },
            Language::CppWasm => Starter {
                files: &[("bot.cpp", include_str!("../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some(
                    "python3 -m ziglang c++ -target wasm32-wasi -O2 -std=c++17 -fno-exceptions -s \
                     -o bot.wasm bot.cpp",
                ),
                entry: Entry::Module("bot.wasm"),
            },
        }
    }
}

/// The programs that there are already.
pub(crate) struct Programs<'a> {
    /// The bots.toml that is found from here, or is to be made here.
    pub(crate) file: PathBuf,
    /// Those that can be entered in a tournament of a game, and what is wrong with the others.
    pub(crate) entrants: &'a dyn Fn(&str) -> Result<Entrants, Failure>,
}

/// The programs of a bots.toml for one game.
#[derive(Default)]
pub(crate) struct Entrants {
    /// Players that play it, such as `bot:mine`.
    pub(crate) able: Vec<String>,
    /// Why each of the others is left out, a line each.
    pub(crate) left_out: Vec<String>,
}

pub(crate) fn run(
    args: &Args,
    catalog: &Catalog,
    programs: &Programs<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let first = || catalog.entries().next().map_or("", |entry| entry.name());
    match &args.what {
        What::Player { name, game, lang } => {
            let game = game.as_deref().unwrap_or_else(first);
            new_player(name, game, *lang, catalog, &programs.file, out)
        }
        What::Tournament { name, game } => {
            let game = game.as_deref().unwrap_or_else(first);
            new_tournament(name, game, catalog, programs, out)
        }
    }
}

/// A name that is a file's, a table's and a crate's.
fn check_name(name: &str) -> Result<(), Failure> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && name.len() <= 40 && name.chars().all(is_allowed) && !name.ends_with('-') {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "“{name}”: expected a name of small letters, digits and hyphens that begins with a letter, \
         such as my-bot"
    )))
}

fn new_player(
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

fn new_tournament(
    name: &str,
    game: &str,
    catalog: &Catalog,
    programs: &Programs<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_name(name)?;
    let entry = catalog.entry(game)?;
    let file = PathBuf::from(format!("{name}.toml"));
    refuse_existing(&file)?;
    let (scenario, seeds) = tournament_scenario(entry);
    let default = Arc::clone(Venue::find(catalog, game, &scenario)?.game());
    let rounds = match (scenario.contains(SEED), seeds) {
        (true, _) => {
            "# Rounds: every seed is played by everybody alike; in place of {seed} it\n\
             # chooses the problem"
        }
        (false, 1) => {
            "# Rounds: the seed changes nothing here, so more of them tell more only of\n\
             # players that use chance"
        }
        _ => "# Rounds: every seed is played by everybody alike",
    };
    let Entrants { able, left_out } = (programs.entrants)(game)?;
    let known: Vec<&str> = entry.players().iter().map(|player| player.name).collect();
    // As many as fill a table of rivals, and two to compare where everybody plays alone.
    let wanted = default.seats().max(3);
    let quick = known.iter().filter(|player| **player != "champion").take(wanted);
    let players: Vec<String> =
        able.into_iter().chain(quick.map(|player| (*player).to_owned())).collect();
    let players: Vec<String> = players.iter().map(|player| format!("{player:?}")).collect();
    let format = match (default.seats(), default.scoring()) {
        (1, _) => "solo",
        (_, Scoring::Adversarial) => "versus",
        _ => "mirror",
    };
    let text = format!(
        "# A tournament of {game}. Play it: quintain tournament {name}.toml\n\
         # The same command goes on where it was stopped, and plays what is missing\n\
         # after a change.\n\n\
         name = {name:?}\n\
         game = {game:?}\n\n\
         # solo: everybody alone; versus: everybody against everybody in every seat;\n\
         # mirror: all seats one player; mixed: seats dealt at random\n\
         format = \"{format}\"\n\n\
         # `quintain scenarios {game}` lists them with their parameters\n\
         scenarios = [{scenario:?}]\n\n\
         # `quintain players {game}` lists them; bot:NAME is a program of bots.toml\n\
         players = [{players}]\n\n\
         {rounds}\n\
         seeds = {seeds}\n\n\
         # The first seed, drawn for this file: from a small one, players could guess\n\
         # what chance will do\n\
         seed = {seed}\n\n\
         # What everybody may think: move=40ms, match=60s+100ms, nodes=1000 or\n\
         # iterations=1000\n\
         # budget = \"move=100ms\"\n",
        players = players.join(", "),
        seed = draw_seed(),
    );
    write_file(&file, &text)?;
    for why in left_out {
        say(&format!("left out: {why}"));
    }
    writeln!(out, "{} is written: {} players. Play it:\n", file.display(), players.len())?;
    writeln!(out, "  quintain tournament {}", file.display())?;
    Ok(())
}

/// A seed that nobody guesses, of so many bits that every language reads it from JSON as it is.
fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

/// The scenario of a new tournament, and how many seeds to play there: the first on which seeds
/// differ, or where each draws a problem; where no seed matters one is enough.
fn tournament_scenario(entry: &dyn AnyEntry) -> (String, u32) {
    const SEEDS: u32 = 10;
    let usual = usual_scenario(entry);
    if entry.game(&usual).is_ok_and(|game| seed_matters(&*game, 1)) {
        return (usual, SEEDS);
    }
    let all = entry.scenarios();
    let family = all.iter().find_map(|known| seed_family(entry, known.name));
    family.map_or((usual, 1), |family| (family, SEEDS))
}

/// The first scenario on which seeds differ, so that more seeds tell more; the first of all if there
/// is none.
pub(crate) fn usual_scenario(entry: &dyn AnyEntry) -> String {
    let names = || entry.scenarios().into_iter().map(|scenario| scenario.name);
    let differs = |name: &&str| entry.game(name).is_ok_and(|game| seed_matters(&*game, 1));
    names().find(differs).or(names().next()).unwrap_or_default().to_owned()
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(_) => Err(Failure::Usage(format!("{} exists; take another name", path.display()))),
        Err(_) => Ok(()),
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, text)).map_err(|error| cannot_write(path, &error))
}
