//! `quintain export`: results and records for other programs.

use std::collections::BTreeSet;
#[cfg(feature = "parquet")]
use std::fs::File;
#[cfg(feature = "parquet")]
use std::io::BufWriter;
use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_core::{Catalog, did_you_mean};
use quintain_net::imitation::{ImitationError, PositionWriter};
use quintain_report::export::{self, ExportFormat};
use quintain_store::{Filter, Store, StoreError};

use crate::failure::Failure;
#[cfg(feature = "parquet")]
use crate::failure::cannot_write;
use crate::{options, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to export
    #[arg(long, value_enum, default_value_t = ExportContent::Results)]
    what: ExportContent,
    #[arg(long, value_enum, help = options::with(
        options::FORMAT,
        "[default: csv for results, jsonl for records]",
    ))]
    format: Option<Format>,
    /// Write the results to this Parquet file instead; needs a build with the feature `parquet`
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    parquet: Option<PathBuf>,
    /// Only this tournament, by name
    #[arg(long, value_name = "NAME")]
    tournament: Option<String>,
    /// Only matches of this player, as named in the results; for positions, only its decisions
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    #[arg(short, long, help = options::with(options::GAME, "(only its matches)"))]
    game: Option<String>,
    /// The folder to write positions to
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The encoding of positions [default: the game's first]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ExportContent {
    /// A row for each seat of each match
    Results,
    /// Whole records, each with its digest
    Records,
    /// Positions to learn from, as NumPy files like those of self-play
    Positions,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    if (args.what, args.format) == (ExportContent::Records, Some(Format::Csv)) {
        return Err(Failure::Usage(
            "records do not fit into a table; use --format jsonl or --what results".to_owned(),
        ));
    }
    if args.what == ExportContent::Records && args.parquet.is_some() {
        return Err(Failure::Usage(
            "records do not fit into a table; use --format jsonl or --what results".to_owned(),
        ));
    }
    check_positions(args)?;
    sources::check_folders([&args.parquet])?;
    let store = Store::open_to_read(&sources::store_path(args.store.as_deref()))?;
    let tournament = match &args.tournament {
        Some(name) => Some(store.tournament(Some(name))?.id),
        None => None,
    };
    if let Some(game) = &args.game {
        catalog.entry(game)?;
    }
    let filter = Filter {
        tournament,
        player: args.player.clone(),
        game: args.game.clone(),
        sorted: true,
        ..Filter::default()
    };
    if args.player.is_some() || args.what == ExportContent::Positions {
        check_found(&store, &filter, args)?;
    }
    if let (ExportContent::Positions, Some(folder)) = (args.what, &args.out) {
        return positions(&store, &filter, args, folder, catalog, out);
    }
    if let Some(file) = &args.parquet {
        return parquet(&store, &filter, file);
    }
    match (args.what, args.format) {
        (ExportContent::Records, _) => export::records(&store, &filter, out)?,
        (_, Some(Format::Jsonl)) => export::results(&store, &filter, ExportFormat::JsonLines, out)?,
        _ => export::results(&store, &filter, ExportFormat::Csv, out)?,
    }
    Ok(())
}

/// Checks that positions are exported as files in a folder, and nothing else is.
fn check_positions(args: &Args) -> Result<(), Failure> {
    let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
    if args.what != ExportContent::Positions {
        return match (&args.out, &args.encoding) {
            (Some(_), _) => {
                usage("--out is for --what positions; all else goes to standard output")
            }
            (None, Some(_)) => usage("--encoding is for --what positions"),
            (None, None) => Ok(()),
        };
    }
    if args.format.is_some() || args.parquet.is_some() {
        return usage("positions are NumPy files; leave out --format and --parquet");
    }
    match &args.out {
        None => usage("positions are written to files; name a folder for them with --out"),
        Some(_) => Ok(()),
    }
}

fn positions(
    store: &Store,
    filter: &Filter,
    args: &Args,
    folder: &Path,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (player, encoding) = (args.player.as_deref(), args.encoding.as_deref());
    let mut writer = PositionWriter::new(catalog, folder, player, encoding)?;
    store.for_each_record(filter, |stored| -> Result<(), Failure> {
        Ok(writer.add(&stored.record()?)?)
    })?;
    let done = writer.finish()?;
    let without = done.left_out().map_or_else(String::new, |left_out| format!("; {left_out}"));
    let (positions, matches) = (done.positions, done.matches);
    Ok(writeln!(
        out,
        "{positions} positions of {matches} matches in {}{without}",
        folder.display()
    )?)
}

impl From<ImitationError> for Failure {
    fn from(error: ImitationError) -> Self {
        match error {
            ImitationError::Write { .. } => Failure::Failed(error.to_string()),
            error => Failure::Usage(error.to_string()),
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet(store: &Store, filter: &Filter, file: &Path) -> Result<(), Failure> {
    let out = File::create(file).map_err(|error| cannot_write(file, &error))?;
    Ok(quintain_report::parquet::write_results(store, filter, BufWriter::new(out))?)
}

#[cfg(feature = "parquet")]
impl From<quintain_report::parquet::ParquetExportError> for Failure {
    fn from(error: quintain_report::parquet::ParquetExportError) -> Self {
        match error {
            quintain_report::parquet::ParquetExportError::Store(error) => error.into(),
            quintain_report::parquet::ParquetExportError::Write(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Store, _: &Filter, _: &Path) -> Result<(), Failure> {
    Err(crate::failure::missing_feature("export --parquet", "parquet"))
}

/// Checks for an empty export, which is more often a typing error than intended.
fn check_found(store: &Store, filter: &Filter, args: &Args) -> Result<(), Failure> {
    let games_of = |filter: Filter| -> Result<BTreeSet<String>, StoreError> {
        let mut games = BTreeSet::new();
        store.matches(&filter, |found| {
            games.insert(found.game.clone());
            Ok::<(), StoreError>(())
        })?;
        Ok(games)
    };
    if !games_of(Filter { limit: Some(1), sorted: false, ..filter.clone() })?.is_empty() {
        return Ok(());
    }
    if let Some(player) = &args.player {
        let players = store.players()?;
        if !players.contains(player) {
            let names = players.iter().map(String::as_str);
            return Err(Failure::Usage(did_you_mean("player", player, names)));
        }
    }
    let part = |word: &str, name: &Option<String>| {
        name.as_ref().map_or_else(String::new, |name| format!(" {word} {name}"))
    };
    let place = part("in tournament", &args.tournament);
    let wanted = part("of", &args.game) + &part("with player", &args.player);
    let there = games_of(Filter { tournament: filter.tournament, ..Filter::default() })?;
    let there: Vec<String> = there.into_iter().collect();
    Err(Failure::Usage(match there.is_empty() {
        true => format!("there is no match{place}; quintain tournament plays some"),
        false => {
            format!("there is no match{wanted}{place}, only others of {}", there.join(" and "))
        }
    }))
}
