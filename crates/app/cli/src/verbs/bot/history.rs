//! `quintain bot history`: what became of a program's versions, from all matches in a store.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::HumanDuration;
use quintain_arena::history::{GameHistory, VersionHistory, history};
use quintain_bots::Programs;
use quintain_core::Catalog;
use quintain_report::{VersionNote, render_history};
use quintain_store::{Store, StoreError};

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::with_remark;
use crate::plain::clean_lines;
use crate::verbs::watch::describe_loss;
use crate::{options, screen, sources};

/// The number of versions shown of a game unless all are wanted.
const SHOWN: usize = 10;

#[derive(clap::Args)]
#[command(after_help = "\
It counts the matches that `watch`, `compare --store`, `tournament` and `match --store` kept.")]
pub(super) struct HistoryArgs {
    /// The program: its name in bots.toml
    #[arg(value_name = "NAME")]
    program: String,
    #[arg(short, long, help = options::with(options::GAME, "[default: all that it played]"))]
    game: Option<String>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    /// Show all versions, not only the last ten of each game
    #[arg(long)]
    all: bool,
    #[arg(long, help = options::JSON)]
    json: bool,
}

pub(super) fn run(
    args: &HistoryArgs,
    catalog: &Catalog,
    programs: &Programs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = args.program.strip_prefix("bot:").unwrap_or(&args.program);
    let name = name.split('@').next().unwrap_or(name);
    if let Some(game) = &args.game {
        catalog.entry(game)?;
    }
    let path = sources::store_path(args.store.as_deref());
    let nothing = |why: String| {
        let hint = format!("quintain watch {name} --against GAME/PLAYER plays some");
        Failure::Usage(format!("{why}; {hint}"))
    };
    let store = Store::open_to_read(&path).map_err(|error| match error {
        StoreError::Missing(path) => nothing(format!("there is no store {}", path.display())),
        error => error.into(),
    })?;
    let mut games = history(&store, catalog, name)?;
    games.retain(|one| args.game.as_ref().is_none_or(|game| one.game == *game));
    if games.is_empty() {
        let where_to = args.game.as_ref().map_or(String::new(), |game| format!(" of {game}"));
        return Err(nothing(format!("{} has no match{where_to} of bot:{name}", path.display())));
    }
    if args.json {
        let json = serde_json::to_string_pretty(&games).expect("histories have JSON");
        return Ok(writeln!(out, "{json}")?);
    }
    for (at, game) in games.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write_game(args, name, game, (catalog, programs), out)?;
    }
    Ok(())
}

/// Writes the versions of a program in a game, and the losses of the last one that lost.
fn write_game(
    args: &HistoryArgs,
    name: &str,
    game: &GameHistory,
    (catalog, programs): (&Catalog, &Programs),
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let versions = format_count(game.versions.len(), "version");
    writeln!(out, "{}: {versions} of {name}", game.game)?;
    // A program whose bots.toml is elsewhere has its matches all the same.
    let best = programs.best_version(name, &game.game).ok().flatten();
    let now = catalog.player(&game.game, &format!("bot:{name}")).ok();
    let now = now.map(|player| format!("{:08x}", player.version));
    let note = |version: &VersionHistory| {
        let is_best = best.as_ref().is_some_and(|best| best.hash() == version.hash);
        let is_now = now.as_ref() == Some(&version.hash);
        let is = [(is_best, "best"), (is_now, "now")];
        let is: Vec<&str> = is.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        VersionNote { when: ago(version.first_played), is: is.join(", ") }
    };
    let most = if args.all { usize::MAX } else { SHOWN };
    let width = screen::terminal_width();
    let table = render_history(game, most, &note, width);
    out.write_all(clean_lines(&table).as_bytes())?;
    let Some(last) = game.versions.iter().rev().find(|version| !version.losses.is_empty()) else {
        return Ok(());
    };
    let option = sources::store_option(args.store.as_deref());
    writeln!(out, "worst of {}:", last.hash)?;
    for loss in &last.losses {
        let command = format!("quintain replay {}{option}", &loss.id[..8]);
        for line in with_remark("  ", &command, &describe_loss(loss), width) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

/// Says how long ago a time was, in milliseconds since 1970.
fn ago(time: i64) -> String {
    let then = UNIX_EPOCH + Duration::from_millis(u64::try_from(time).unwrap_or_default());
    let since = SystemTime::now().duration_since(then).unwrap_or_default();
    match since.as_secs() {
        0..60 => "just now".to_owned(),
        _ => format!("{} ago", HumanDuration(since)),
    }
}
