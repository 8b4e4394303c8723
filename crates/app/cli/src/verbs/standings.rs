//! `quintain standings`: how the players of a tournament compare.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use quintain_arena::{Tournament, describe_changes, regret, set_seeds, standings_of};
use quintain_core::{Catalog, Effort};
use quintain_report::{StandingsFormat, details, headline, render, render_named_json};
use quintain_scene::clean;
use quintain_standings::{Standings, StandingsRow};
use quintain_store::{PlayerName, Store, TournamentInfo};

use crate::failure::Failure;
use crate::messages::print_notice;
use crate::plain::{clean_lines, escape_json};
use crate::{options, screen, sources, stop};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tournament, by its name or its file [default: the last one run]
    tournament: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Table, help = options::FORMAT)]
    format: Format,
    /// Print all tables: every column, who met whom, every scenario, normalised scores, players
    /// compared in pairs, steadiness over scenarios, league ratings, how matches ended, regret
    #[arg(long)]
    full: bool,
    #[arg(long, help = options::with(options::EXACT, "(of all matches, which can take minutes)"))]
    exact: bool,
    #[arg(long, value_name = "PLAYER=ELO", allow_hyphen_values = true, help = options::ANCHOR)]
    anchor: Option<String>,
}

/// What exact values may take, in bytes.
const MEMORY: usize = 1 << 30;
/// The most positions to search for one value, so that a large board does not hold up the others:
/// half a minute.
const POSITIONS: u64 = 5_000_000;

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
    let file = args.tournament.as_deref().filter(|file| file.ends_with(".toml"));
    let now = file.map(|file| Tournament::load(Path::new(file), catalog)).transpose()?;
    let name = now.as_ref().map(Tournament::name).or(args.tournament.as_deref());
    let info = store.tournament(name)?;
    if let (Some(file), Some(now)) = (file, &now) {
        report_changes(file, &info, now);
    }
    let mut standings = standings_of(&store, &info)?;
    if let Some(anchor) = &args.anchor {
        set_anchor(&mut standings, anchor)?;
    }
    if args.exact {
        add_exact(&mut standings, &store, &info, catalog)?;
    }
    write(standings, (&store, &info, catalog), (args.format, args.full), out)
}

/// Adds what players gave away compared with perfect play.
fn add_exact(
    standings: &mut Standings,
    store: &Store,
    tournament: &TournamentInfo,
    catalog: &Catalog,
) -> Result<(), Failure> {
    let stop = stop::watch_signals_with_notice("stopping: matches judged so far follow");
    let effort = Effort { memory: MEMORY, positions: POSITIONS, stop };
    let left_out = regret::add_exact(standings, store, tournament, catalog, effort)?;
    let Some(left_out) = left_out else {
        let game = clean(&tournament.game);
        return Err(Failure::Usage(format!("--exact: {game} has no exact values")));
    };
    for (reason, matches) in left_out {
        print_notice(&format!("--exact leaves out {matches} matches: {}", clean(&reason)));
    }
    Ok(())
}

/// The number of seeds of a run of this very file to which `--seeds` gave another number.
pub(crate) fn seeds_by_option(run: &TournamentInfo, now: &Tournament) -> Option<NonZeroU64> {
    let seeds = NonZeroU64::new(run.seeds())?;
    let is_other = seeds.get() != now.schedule().rounds();
    (is_other && run.file == set_seeds(now.text(), seeds.get())).then_some(seeds)
}

/// Reports what has changed in the file since the matches shown were played.
fn report_changes(file: &str, shown: &TournamentInfo, now: &Tournament) {
    let changes = describe_changes(&shown.definition, now.definition());
    if changes.is_empty() || seeds_by_option(shown, now).is_some() {
        return;
    }
    print_notice(&format!(
        "{file} was changed since these matches were played ({}); `quintain tournament {file}` \
         plays the missing ones",
        shown.run_on
    ));
    for change in changes {
        print_notice(&format!("  {}", clean(&change)));
    }
}

/// Shifts the ratings such that a player has a given rating, as named by `anchor`: `PLAYER=ELO` or
/// `PLAYER`. Names of players may contain equals signs, too.
pub(crate) fn set_anchor(standings: &mut Standings, anchor: &str) -> Result<(), Failure> {
    let rated = anchor.rsplit_once('=').and_then(|(player, rating)| {
        Some((player, rating.trim().parse::<f64>().ok().filter(|rating| rating.is_finite())?))
    });
    if standings.anchor(anchor, 0.0)
        || rated.is_some_and(|(player, rating)| standings.anchor(player, rating))
    {
        return Ok(());
    }
    let rated = standings.overall.iter().filter(|row| row.elo.is_some());
    let rated: Vec<&str> = rated.map(|row| row.player.as_str()).collect();
    Err(Failure::Usage(match rated.as_slice() {
        [] => "--anchor needs Elo ratings, but no player here has one; games with independent \
               scores have none"
            .to_owned(),
        some => format!(
            "--anchor {anchor} does not name a rated player and a rating; write PLAYER=ELO, with \
             one of {}",
            some.join(", ")
        ),
    }))
}

/// Writes the standings of a tournament in this format, with all tables on request.
pub(crate) fn write(
    mut standings: Standings,
    (store, tournament, catalog): (&Store, &TournamentInfo, &Catalog),
    (format, full): (Format, bool),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if (full || format == Format::Json) && standings.regret.is_empty() {
        regret::add(&mut standings, store, tournament, catalog)?;
    }
    let names = match format {
        Format::Table | Format::Md => store.player_names()?,
        // Programs know players by the names in their records.
        Format::Csv | Format::Json => BTreeMap::new(),
    };
    let legend = describe_names(&standings, &names);
    standings.rename(|player| Some(names.get(player)?.name.clone()));
    let headline = headline(&standings).map(|headline| clean(&headline));
    let format = match format {
        Format::Table => {
            let TournamentInfo { name, game, format, played, fixtures, .. } = tournament;
            let (name, game, format) = (clean(name), clean(game), clean(format));
            let partial = if tournament.is_partial { ", not all players" } else { "" };
            writeln!(out, "{name} ({game}, {format}{partial}): {played} of {fixtures} matches")?;
            if let Some(headline) = headline {
                writeln!(out, "{}", screen::fit(&headline))?;
            }
            writeln!(out)?;
            StandingsFormat::Table { width: screen::terminal_width() }
        }
        Format::Md => {
            if let Some(headline) = headline {
                writeln!(out, "**{headline}**\n")?;
            }
            StandingsFormat::Markdown
        }
        Format::Csv => StandingsFormat::Csv,
        Format::Json => StandingsFormat::Json,
    };
    let safe = |text: String| match format {
        StandingsFormat::Json => escape_json(&text),
        _ => clean_lines(&text),
    };
    let text = match format {
        StandingsFormat::Json => render_named_json(tournament, &standings),
        format => render(&standings, format),
    };
    // Without all tables, there is regret only if it was asked for.
    let details = match full {
        true => safe(details(&standings, format)),
        false => safe(quintain_report::regret(&standings, format)),
    };
    let gap = if details.is_empty() { "" } else { "\n" };
    match format {
        // A terminal scrolls by, so that what matters most comes last.
        StandingsFormat::Table { width: Some(_) } => write!(out, "{details}{gap}{}", safe(text))?,
        _ => write!(out, "{}{gap}{details}", safe(text))?,
    }
    let mark = if format == StandingsFormat::Markdown { "- " } else { "" };
    for line in legend {
        writeln!(out, "{mark}{}", clean(&line))?;
    }
    Ok(())
}

/// Says of players that are called by their commits what these are about, and which players they
/// are.
fn describe_names(standings: &Standings, names: &BTreeMap<String, PlayerName>) -> Vec<String> {
    let rows = standings.overall.iter();
    let line = |row: &StandingsRow| {
        let PlayerName { name, title } = names.get(&row.player)?;
        Some(format!("{name} “{title}” is {}", row.player))
    };
    rows.filter_map(line).collect()
}
