//! `quintain new`: begins a player or a tournament of one's own, which play at once.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_arena::seed_matters;
use quintain_core::{AnyEntry, Catalog, Scoring};

use crate::failure::{Failure, cannot_write};

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
        #[arg(long, value_enum, default_value_t = Language::Python)]
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
    Python,
    #[value(alias = "js", alias = "node")]
    Javascript,
    Rust,
    #[value(alias = "c++")]
    Cpp,
    Java,
    Go,
    #[value(alias = "shell")]
    Sh,
}

/// What a language needs.
struct Starter {
    /// The files, by their names in the folder.
    files: &'static [(&'static str, &'static str)],
    /// The file that holds `choose`.
    source: &'static str,
    /// What builds it, if anything has to.
    build: Option<&'static str>,
    /// What runs it; NAME stands for the player's name.
    command: &'static str,
}

impl Language {
    fn starter(self) -> Starter {
        match self {
            Language::Python => Starter {
                files: &[("bot.py", include_str!("../../starters/python/bot.py"))],
                source: "bot.py",
                build: None,
                command: "python3 bot.py",
            },
            Language::Javascript => Starter {
                files: &[("bot.js", include_str!("../../starters/javascript/bot.js"))],
                source: "bot.js",
                build: None,
                command: "node bot.js",
            },
            Language::Rust => Starter {
                files: &[
                    // Not named Cargo.toml, which would make the folder a package of its own.
                    ("Cargo.toml", include_str!("../../starters/rust/manifest.toml")),
                    ("src/main.rs", include_str!("../../starters/rust/src/main.rs")),
                ],
                source: "src/main.rs",
                build: Some("cargo build --release"),
                command: "./target/release/NAME",
            },
            Language::Cpp => Starter {
                files: &[("bot.cpp", include_str!("../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some("c++ -O2 -std=c++17 -o bot bot.cpp"),
                command: "./bot",
            },
            Language::Java => Starter {
                files: &[("Bot.java", include_str!("../../starters/java/Bot.java"))],
                source: "Bot.java",
                build: Some("javac Bot.java"),
                command: "java -cp . Bot",
            },
            Language::Go => Starter {
                files: &[
                    ("go.mod", include_str!("../../starters/go/go.mod")),
                    ("main.go", include_str!("../../starters/go/main.go")),
                ],
                source: "main.go",
                build: Some("go build -o bot"),
                command: "./bot",
            },
            Language::Sh => Starter {
                files: &[("bot.sh", include_str!("../../starters/sh/bot.sh"))],
                source: "bot.sh",
                build: None,
                command: "sh bot.sh",
            },
        }
    }
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let first = || catalog.entries().next().map_or("", |entry| entry.name());
    match &args.what {
        What::Player { name, game, lang } => {
            new_player(name, game.as_deref().unwrap_or_else(first), *lang, catalog, out)
        }
        What::Tournament { name, game } => {
            new_tournament(name, game.as_deref().unwrap_or_else(first), catalog, out)
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
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_name(name)?;
    let entry = catalog.entry(game)?;
    let (folder, bots) = (Path::new(name), Path::new("bots.toml"));
    refuse_existing(folder)?;
    let before = match fs::read_to_string(bots) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::Failed(format!("cannot read bots.toml: {error}"))),
    };
    if before.lines().any(|line| line.trim() == format!("[{name}]")) {
        return Err(Failure::Usage(format!("bots.toml has a program “{name}” already")));
    }
    let starter = language.starter();
    let fill = |text: &str| text.replace("NAME", name).replace("GAME", game);
    for (file, text) in starter.files {
        write_file(&folder.join(file), &fill(text))?;
    }
    let opponent = entry.players().first().map_or("random", |player| player.name).to_owned();
    // One name takes all seats; only where there are two is there an opponent to name.
    let seats = catalog.game(game, &usual_scenario(entry))?.seats();
    let opponent = if seats == 2 { format!(" {opponent}") } else { String::new() };
    let steps = next_steps(name, game, &opponent, starter.build);
    write_file(&folder.join("README.md"), &readme(name, game, &starter, &steps))?;
    let command = fill(starter.command);
    let gap = if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
    let text = format!("{before}{gap}[{name}]\ncommand = \"{command}\"\nfolder = \"{name}\"\n");
    write_file(bots, &text)?;
    writeln!(out, "{name}/{} plays {game}; bots.toml names it bot:{name}. Try:\n", starter.source)?;
    for (step, what) in steps {
        writeln!(out, "  {step:<54}  {what}")?;
    }
    Ok(())
}

/// Commands to try in this order, and what each is for.
fn next_steps(
    name: &str,
    game: &str,
    opponent: &str,
    build: Option<&str>,
) -> Vec<(String, &'static str)> {
    let build = build.map(|build| (format!("(cd {name} && {build})"), "build it"));
    let steps = [
        (format!("quintain bot check bot:{name}"), "does it keep to the protocol?"),
        (format!("quintain match {game} bot:{name}{opponent}"), "watch it play"),
        (format!("quintain new tournament cup --game {game}"), "a tournament with it"),
        ("quintain tournament cup.toml".to_owned(), "and its rank there"),
    ];
    build.into_iter().chain(steps).collect()
}

fn readme(name: &str, game: &str, starter: &Starter, steps: &[(String, &str)]) -> String {
    let commands: Vec<String> =
        steps.iter().map(|(step, what)| format!("{step:<54}  # {what}")).collect();
    format!(
        "# {name}\n\n\
         A player of {game} for quintain. It takes a random action; change `choose` in \
         {source}.\n\n\
         In the folder above, where `bots.toml` names it:\n\n\
         ```sh\n{commands}\n```\n\n\
         - What it sees, and what an action is: `quintain games --schema {game}`.\n\
         - Is the new version better? Copy the folder before you change it, name the copy in \
         `bots.toml`, and `quintain compare bot:NEW bot:OLD --game {game}`.\n\
         - Standard output belongs to the protocol. Print to standard error to look at things.\n\
         - It runs in a sandbox: it may read its own folder and write to its temporary one, and \
         has no network. `--trust` takes the sandbox away, for a debugger.\n",
        source = starter.source,
        commands = commands.join("\n"),
    )
}

fn new_tournament(
    name: &str,
    game: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_name(name)?;
    let entry = catalog.entry(game)?;
    let file = PathBuf::from(format!("{name}.toml"));
    refuse_existing(&file)?;
    let scenario = usual_scenario(entry);
    let default = catalog.game(game, &scenario)?;
    let own = own_programs();
    let known: Vec<&str> = entry.players().iter().map(|player| player.name).collect();
    // As many as fill a table of rivals, and two to compare where everybody plays alone.
    let wanted = default.seats().max(3);
    let quick = known.iter().filter(|player| **player != "champion").take(wanted);
    let players: Vec<String> =
        own.iter().cloned().chain(quick.map(|player| (*player).to_owned())).collect();
    let players: Vec<String> = players.iter().map(|player| format!("{player:?}")).collect();
    let format = match (default.seats(), default.scoring()) {
        (1, _) => "solo",
        (_, Scoring::Adversarial) => "versus",
        _ => "mirror",
    };
    let text = format!(
        "# A tournament of {game}. Play it with `quintain tournament {name}.toml`; the same command \
         goes on where\n# it was stopped, and plays what is missing after a change.\n\n\
         name = {name:?}\n\
         game = {game:?}\n\n\
         # solo: everybody alone; versus: everybody against everybody in every seat;\n\
         # mirror: all seats one player; mixed: seats dealt at random\n\
         format = \"{format}\"\n\n\
         # `quintain scenarios {game}` lists them with their parameters\n\
         scenarios = [{scenario:?}]\n\n\
         # `quintain players {game}` lists them; bot:NAME is a program of bots.toml\n\
         players = [{players}]\n\n\
         # Rounds: every seed is played by everybody alike\n\
         seeds = 10\n\n\
         # What everybody may think: move=40ms, match=60s+100ms, nodes=1000, iterations=1000\n\
         # budget = \"move=100ms\"\n",
        players = players.join(", "),
    );
    write_file(&file, &text)?;
    writeln!(out, "{} is written: {} players. Play it:\n", file.display(), players.len())?;
    writeln!(out, "  quintain tournament {}", file.display())?;
    Ok(())
}

/// The first scenario on which seeds differ, so that more seeds tell more; the first of all if there
/// is none.
fn usual_scenario(entry: &dyn AnyEntry) -> String {
    let names = || entry.scenarios().into_iter().map(|scenario| scenario.name);
    let differs = |name: &&str| entry.game(name).is_ok_and(|game| seed_matters(&*game, 1));
    names().find(differs).or(names().next()).unwrap_or_default().to_owned()
}

/// The programs that this folder's bots.toml names, if it can be read.
fn own_programs() -> Vec<String> {
    let text = fs::read_to_string("bots.toml").unwrap_or_default();
    let tables = text.lines().filter_map(|line| {
        line.trim().strip_prefix('[')?.strip_suffix(']').filter(|name| !name.contains(['[', '.']))
    });
    tables.map(|name| format!("bot:{}", name.trim_matches('"'))).collect()
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
