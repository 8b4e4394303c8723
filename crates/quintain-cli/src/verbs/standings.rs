//! `quintain standings`: how the players of a tournament compare.

use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_arena::{Tournament, regret, standings_of};
use quintain_core::Catalog;
use quintain_report::{StandingsFormat, details, render};
use quintain_scene::clean;
use quintain_store::{Store, TournamentInfo};

use crate::failure::Failure;
use crate::plain::{clean_lines, escape_json};
use crate::{screen, sources};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tournament, by name or by its file [default: the one run last]
    tournament: Option<String>,
    /// Where records are kept [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// How the standings are written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// All tables: who cannot be told apart, steadiness over scenarios, leagues' ratings, how
    /// matches ended, regret
    #[arg(long)]
    full: bool,
}

/// How standings are written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    Table,
    /// Everything, with all digits
    Json,
    /// A row for each player and scenario
    Csv,
    /// Markdown tables
    Md,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let store = Store::open_to_read(&sources::store_path(args.store.as_deref()))?;
    let name = match &args.tournament {
        Some(file) if file.ends_with(".toml") => {
            Some(Tournament::load(Path::new(file), catalog)?.name().to_owned())
        }
        name => name.clone(),
    };
    let info = store.tournament(name.as_deref())?;
    write(&store, &info, catalog, (args.format, args.full), out)
}

/// Writes the standings of a tournament, in this format and perhaps with all tables.
pub(crate) fn write(
    store: &Store,
    tournament: &TournamentInfo,
    catalog: &Catalog,
    (format, full): (Format, bool),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut standings = standings_of(store, tournament)?;
    if full || format == Format::Json {
        regret::add(&mut standings, store, tournament, catalog)?;
    }
    let format = match format {
        Format::Table => {
            let TournamentInfo { name, game, format, played, fixtures, .. } = tournament;
            let (name, game, format) = (clean(name), clean(game), clean(format));
            writeln!(out, "{name} ({game}, {format}): {played} of {fixtures} matches\n")?;
            StandingsFormat::Table { width: screen::terminal_width() }
        }
        Format::Md => StandingsFormat::Markdown,
        Format::Csv => StandingsFormat::Csv,
        Format::Json => StandingsFormat::Json,
    };
    let safe = |text: String| match format {
        StandingsFormat::Json => escape_json(&text),
        _ => clean_lines(&text),
    };
    out.write_all(safe(render(&standings, format)).as_bytes())?;
    if full {
        let details = safe(details(&standings, format));
        write!(out, "{}{details}", if details.is_empty() { "" } else { "\n" })?;
    }
    Ok(())
}
