//! `quintain solve` and `quintain score`: the file tools that a game brings along.

use std::io::Write;

use quintain_core::{AnyEntry, Catalog, FileTool, ToolRequest};

use crate::failure::Failure;
use crate::stop;
use crate::usage::seconds;

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
    #[arg(required = true)]
    inputs: Vec<String>,
    /// The player that solves, NAME or "NAME?parameter=value"
    #[arg(long)]
    player: Option<String>,
    /// Seconds to take
    #[arg(short, long, value_name = "SECONDS", allow_negative_numbers = true)]
    #[arg(value_parser = seconds)]
    time: Option<f64>,
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

pub(crate) fn solve(
    args: &SolveArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let mut options = args.common.settings.clone();
    options.extend(args.player.iter().map(|player| ("player".to_owned(), player.clone())));
    options.extend(args.time.iter().map(|time| ("time".to_owned(), time.to_string())));
    run("solve", entry, entry.solve_tool(), &args.inputs, options, &args.common, out)
}

pub(crate) fn score(
    args: &ScoreArgs,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let entry = catalog.entry(&args.game)?;
    let options = args.common.settings.clone();
    run("score", entry, entry.score_tool(), &args.files, options, &args.common, out)
}

fn run(
    verb: &str,
    entry: &dyn AnyEntry,
    tool: Option<FileTool>,
    inputs: &[String],
    options: Vec<(String, String)>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let Some(tool) = tool else {
        let game = entry.name();
        return Err(Failure::Usage(format!(
            "{game} has nothing to {verb}: its matches are played seat against seat; \
             try: quintain match {game}"
        )));
    };
    let request = ToolRequest {
        inputs: inputs.to_vec(),
        options,
        json: common.format == Format::Json,
        stop: stop::on_request(),
    };
    let text = tool(&request)?;
    out.write_all(text.as_bytes())?;
    Ok(())
}
