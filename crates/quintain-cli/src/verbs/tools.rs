//! `quintain solve`, `score`, `stats` and `leaderboard`: the file tools that a game brings
//! along.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_core::{AnyEntry, Catalog, FileTool, Keeper, ToolRequest};
use quintain_store::{Store, StoreKeeper};

use crate::failure::Failure;
use crate::usage::{positive, seconds};
use crate::{sources, stop};

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(clap::Args)]
pub(crate) struct SolveArgs {
    /// The game; `quintain games` lists them
    game: String,
    /// Instances: files or names, as the game documents
    #[arg(required_unless_present = "file")]
    inputs: Vec<String>,
    /// An instance's file, as contests write it (may be given several times)
    #[arg(short, long, value_name = "FILE")]
    file: Vec<String>,
    /// The player that solves, NAME or "NAME?parameter=value"
    #[arg(long)]
    player: Option<String>,
    /// Seconds to take
    #[arg(short, long, value_name = "SECONDS", allow_negative_numbers = true)]
    #[arg(value_parser = seconds)]
    time: Option<f64>,
    /// Megabytes to use at most
    #[arg(short, long, value_name = "MEGABYTES", value_parser = positive::<u64>)]
    #[arg(allow_negative_numbers = true)]
    memory: Option<u64>,
    /// Threads to use at once
    #[arg(short, long, value_name = "THREADS", value_parser = positive::<u64>)]
    #[arg(allow_negative_numbers = true)]
    cores: Option<u64>,
    /// A phrase of power, where the game has such (may be given several times)
    #[arg(short, long, value_name = "PHRASE", allow_hyphen_values = true)]
    phrase: Vec<String>,
    /// Keep what is better than the solutions kept so far, in the store
    #[arg(long)]
    keep: bool,
    /// The store to keep solutions in [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
pub(crate) struct ScoreArgs {
    /// The game; `quintain games` lists them
    game: String,
    /// Instances and solutions, as the game documents
    #[arg(required = true)]
    files: Vec<String>,
    /// Where instances named in solutions are found
    #[arg(long, value_name = "DIR")]
    problems: Option<String>,
    /// A phrase of power, where the game has such (may be given several times)
    #[arg(short, long, value_name = "PHRASE", allow_hyphen_values = true)]
    phrase: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// The game; `quintain games` lists them
    game: String,
    /// Folders or files with instances, as the game documents
    #[arg(required = true)]
    inputs: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
pub(crate) struct LeaderboardArgs {
    /// The game; `quintain games` lists them
    game: String,
    /// Solutions; without any, those that `solve --keep` has kept
    files: Vec<String>,
    /// The table of a contest, as the game documents
    #[arg(long, value_name = "FILE")]
    against: Option<String>,
    /// Where instances named in solutions are found
    #[arg(long, value_name = "DIR")]
    problems: Option<String>,
    /// The store with what was kept [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
pub(crate) struct AdversaryArgs {
    /// The game; `quintain games` lists them
    game: String,
    /// Whom to hurt: NAME or "NAME?parameter=value"
    #[arg(long, value_name = "PLAYER")]
    against: String,
    /// Beside whom, on the same games
    #[arg(long, value_name = "PLAYER")]
    reference: Option<String>,
    /// Where to write the scenario that is found
    #[arg(long, value_name = "FILE")]
    save: Option<String>,
    /// The seed of the search
    #[arg(long)]
    seed: Option<u64>,
    /// Seconds to take
    #[arg(short, long, value_name = "SECONDS", allow_negative_numbers = true)]
    #[arg(value_parser = seconds)]
    time: Option<f64>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// A setting of the game's own (may be given several times)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Settings that have options of their own, under the names that games know.
fn named<'a>(
    common: &Common,
    options: impl IntoIterator<Item = (&'a str, Option<String>)>,
) -> Vec<(String, String)> {
    let given = options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    common.settings.iter().cloned().chain(given).collect()
}

pub(crate) fn solve(
    args: &SolveArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let phrases = args.phrase.iter().map(|phrase| ("phrase", Some(phrase.clone())));
    let options = [
        ("player", args.player.clone()),
        ("time", args.time.map(|time| time.to_string())),
        ("memory", args.memory.map(|memory| memory.to_string())),
        ("threads", args.cores.map(|cores| cores.to_string())),
    ];
    let keeper = match args.keep {
        true => Some(keeper(entry, args.store.as_deref(), Store::open)?),
        false => None,
    };
    let request = ToolRequest {
        inputs: args.file.iter().chain(&args.inputs).cloned().collect(),
        options: named(&args.common, options.into_iter().chain(phrases)),
        keeper,
        ..request(&args.common)
    };
    run("solve", entry, entry.solve_tool(), request, out)
}

pub(crate) fn score(
    args: &ScoreArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let phrases = args.phrase.iter().map(|phrase| ("phrase", Some(phrase.clone())));
    let options = [("problems", args.problems.clone())].into_iter().chain(phrases);
    let request = ToolRequest {
        inputs: args.files.clone(),
        options: named(&args.common, options),
        ..request(&args.common)
    };
    run("score", entry, entry.score_tool(), request, out)
}

pub(crate) fn adversary(
    args: &AdversaryArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let options = [
        ("against", Some(args.against.clone())),
        ("reference", args.reference.clone()),
        ("save", args.save.clone()),
        ("seed", args.seed.map(|seed| seed.to_string())),
        ("time", args.time.map(|time| time.to_string())),
    ];
    let request = ToolRequest { options: named(&args.common, options), ..request(&args.common) };
    run("adversary", entry, entry.tool("adversary"), request, out)
}

pub(crate) fn stats(
    args: &StatsArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let request = ToolRequest {
        inputs: args.inputs.clone(),
        options: args.common.settings.clone(),
        ..request(&args.common)
    };
    run("stats", entry, entry.tool("stats"), request, out)
}

pub(crate) fn leaderboard(
    args: &LeaderboardArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let options = [("problems", args.problems.clone()), ("against", args.against.clone())];
    let keeper = match args.files.is_empty() {
        true => Some(keeper(entry, args.store.as_deref(), Store::open_to_read)?),
        false => None,
    };
    let request = ToolRequest {
        inputs: args.files.clone(),
        options: named(&args.common, options),
        keeper,
        ..request(&args.common)
    };
    run("leaderboard", entry, entry.tool("leaderboard"), request, out)
}

/// The store of this folder, as the keeper of a game's solutions.
fn keeper(
    entry: &dyn AnyEntry,
    store: Option<&Path>,
    open: fn(&Path) -> Result<Store, quintain_store::StoreError>,
) -> Result<Arc<dyn Keeper>, Failure> {
    let store = open(&sources::store_path(store))?;
    Ok(Arc::new(StoreKeeper::new(store, entry.name())))
}

/// A request without inputs.
fn request(common: &Common) -> ToolRequest {
    ToolRequest { json: common.format == Format::Json, ..ToolRequest::default() }
}

fn run(
    verb: &str,
    entry: &dyn AnyEntry,
    tool: Option<FileTool>,
    request: ToolRequest,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(tool) = tool else {
        let game = entry.name();
        return Err(Failure::Usage(match verb {
            "solve" | "score" => format!(
                "{game} has nothing to {verb}: its matches are played seat against seat; \
                 try: quintain match {game}"
            ),
            _ => format!("{game} has no {verb}; try: quintain match {game}"),
        }));
    };
    let text = tool(&ToolRequest { stop: stop::on_request(), ..request })?;
    out.write_all(text.as_bytes())?;
    Ok(())
}
