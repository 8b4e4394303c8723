//! `quintain report`: a tournament as a page to read and to share.

use std::io::Write;
use std::path::{Path, PathBuf};

use quintain_arena::{Tournament, standings_of};
use quintain_core::Catalog;
use quintain_experiments::source_forms;
use quintain_store::Store;
use quintain_web::{Replay, standalone};

use crate::failure::{Failure, cannot_write};
use crate::options;
use crate::sources;
use crate::verbs::standings::set_anchor;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tournament, by its name or its file [default: the last one run]
    tournament: Option<String>,
    /// The folder to write to, created if missing [default: report-NAME, with the tournament's
    /// name]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(long, value_name = "PLAYER=ELO", allow_hyphen_values = true, help = options::ANCHOR)]
    anchor: Option<String>,
}

/// Returns the default folder; the tournament's name may contain characters that no folder's
/// should.
fn usual_folder(tournament: &str) -> PathBuf {
    let keep = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    format!("report-{}", tournament.chars().map(keep).collect::<String>()).into()
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let store = Store::open_to_read(&sources::store_path(args.store.as_deref()))?;
    let named = match &args.tournament {
        Some(file) if file.ends_with(".toml") => {
            Some(Tournament::load(Path::new(file), catalog)?.name().to_owned())
        }
        name => name.clone(),
    };
    let tournament = store.tournament(named.as_deref())?;
    let file = match &args.tournament {
        Some(file) if file.ends_with(".toml") => file.clone(),
        _ => format!("{}.toml", tournament.name),
    };
    let forms = source_forms(&tournament.game);
    let output = args.output.clone().unwrap_or_else(|| usual_folder(&tournament.name));
    let mut standings = standings_of(&store, &tournament)?;
    if let Some(anchor) = &args.anchor {
        set_anchor(&mut standings, anchor)?;
    }
    let report = quintain_report::report(&store, &tournament, standings, catalog, &file, forms)?;
    let plots = output.join("plots");
    std::fs::create_dir_all(&plots).map_err(|error| cannot_write(&plots, &error))?;
    let pages = output.join("matches");
    std::fs::create_dir_all(&pages).map_err(|error| cannot_write(&pages, &error))?;
    for notable in &report.matches {
        let record = store.load(&notable.id)?;
        let game = catalog.game_of(&record)?;
        let replay = Replay::of(game.as_ref(), &record)?;
        let path = output.join(notable.file());
        // The report links to it.
        let page = standalone::render_page(replay, usize::MAX).unwrap_or_default();
        std::fs::write(&path, page).map_err(|error| cannot_write(&path, &error))?;
    }
    let mut files = vec![
        (output.join("report.html"), &report.html),
        (output.join("report.md"), &report.markdown),
    ];
    files.extend(report.plots.iter().map(|(name, svg)| (plots.join(name), svg)));
    for (path, text) in files {
        std::fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?;
    }
    let (plots, matches) = (report.plots.len(), report.matches.len());
    writeln!(out, "{}", output.join("report.html").display())?;
    let markdown = output.join("report.md");
    let plural = if plots == 1 { "" } else { "s" };
    Ok(writeln!(out, "{}, {plots} plot{plural} and {matches} matches", markdown.display())?)
}
