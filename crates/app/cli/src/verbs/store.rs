//! `quintain store`: lists the tournaments in a store, and removes those that no one needs.

use std::io::Write;
use std::path::PathBuf;

use quintain_arena::describe_changes;
use quintain_core::did_you_mean;
use quintain_scene::clean;
use quintain_store::{Removal, Store, TournamentId, TournamentInfo};

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::{self, list_briefly};
use crate::{options, sources};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[arg(long, value_name = "FILE", global = true)]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// List the tournaments, the latest first, and what was changed from one run to the next
    List,
    /// Delete tournaments, and the records that no other tournament needs
    Delete {
        #[command(flatten)]
        selection: Selection,
        #[arg(short, long, help = options::YES)]
        yes: bool,
    },
    /// Move tournaments and their records into another store
    Archive {
        /// The store to move them to, created if missing
        #[arg(long, value_name = "STORE")]
        to: PathBuf,
        #[command(flatten)]
        selection: Selection,
    },
}

/// Which tournaments.
#[derive(clap::Args)]
struct Selection {
    /// Tournaments: the number of a run, as listed, or a name for all runs of that name
    #[arg(value_name = "TOURNAMENT")]
    tournaments: Vec<String>,
    /// All superseded tournaments: those with a later run of the same name
    #[arg(long)]
    superseded: bool,
    #[arg(short = 'n', long, help = options::DRY_RUN)]
    dry_run: bool,
}

impl Selection {
    fn choose<'a>(&self, all: &'a [TournamentInfo]) -> Result<Vec<&'a TournamentInfo>, Failure> {
        let is = |asked: &str, info: &TournamentInfo| {
            info.name == asked || info.id.number().to_string() == asked
        };
        if self.tournaments.is_empty() && !self.superseded {
            return Err(Failure::Usage(
                "which tournaments? Give the numbers or names of runs, as `quintain store` lists \
                 them, or --superseded for all that have a later run of the same name"
                    .to_owned(),
            ));
        }
        for asked in &self.tournaments {
            if !all.iter().any(|info| is(asked, info)) {
                return Err(Failure::Usage(describe_unknown(asked, all)));
            }
        }
        let is_chosen = |info: &&TournamentInfo| {
            self.tournaments.iter().any(|asked| is(asked, info))
                || self.superseded && info.superseded_by.is_some()
        };
        Ok(all.iter().filter(is_chosen).collect())
    }
}

/// Returns the message about a run that does not exist.
fn describe_unknown(asked: &str, all: &[TournamentInfo]) -> String {
    if all.is_empty() || asked.parse::<i64>().is_err() {
        return did_you_mean("tournament", asked, all.iter().map(|info| info.name.as_str()));
    }
    let runs: Vec<String> =
        all.iter().map(|info| format!("{} ({})", info.id.number(), info.name)).collect();
    format!("there is no run {asked}; there are {}", list_briefly(&runs))
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let path = sources::store_path(args.store.as_deref());
    let existing = Store::open_to_read(&path)?;
    let all = existing.tournaments()?;
    let (selection, archive) = match &args.verb {
        None | Some(Verb::List) => return list(&all, out),
        Some(Verb::Delete { selection, .. }) => (selection, None),
        Some(Verb::Archive { to, selection }) => {
            let real = |path: &PathBuf| path.canonicalize().ok();
            if real(to).is_some() && real(to) == real(&path) {
                let message = format!("{} cannot be its own archive", path.display());
                return Err(Failure::Usage(message));
            }
            (selection, Some(to))
        }
    };
    let chosen = selection.choose(&all)?;
    if chosen.is_empty() {
        return Ok(writeln!(out, "nothing to do: no tournament is superseded")?);
    }
    for info in &chosen {
        writeln!(out, "{}", headline(info))?;
    }
    let ids: Vec<TournamentId> = chosen.iter().map(|info| info.id).collect();
    drop(existing);
    if let Some(Verb::Delete { yes: false, .. }) = &args.verb
        && !selection.dry_run
        && messages::ask("Delete them, with their records?")? == Some(false)
    {
        return Err(Failure::Usage("nothing was deleted".to_owned()));
    }
    let mut store = sources::open_store(&path)?;
    let (done, removal) = match (selection.dry_run, archive) {
        (true, None) => ("would be deleted", store.count_removal(&ids)?),
        (true, Some(_)) => ("would be moved", store.count_removal(&ids)?),
        (false, None) => ("deleted", store.remove(&ids)?),
        (false, Some(to)) => ("moved", store.archive(&ids, &mut sources::open_store(to)?)?),
    };
    let Removal { tournaments, records, .. } = removal;
    let place = archive.map_or(String::new(), |to| format!(" to {}", to.display()));
    let tournaments = format_count(tournaments as usize, "tournament");
    let records = format_count(records as usize, "record");
    Ok(writeln!(out, "{tournaments} {done}{place}, with {records} that no other tournament needs")?)
}

/// Returns run, name, matches and date in one line.
fn headline(info: &TournamentInfo) -> String {
    let TournamentInfo { id, name, game, played, fixtures, run_on, .. } = info;
    let (run, name, game) = (id.number(), clean(name), clean(game));
    let partial = if info.is_partial { ", not all players" } else { "" };
    format!("{run:>4}  {run_on}  {name} ({game}{partial}), {played} of {fixtures} matches")
}

fn list(all: &[TournamentInfo], out: &mut dyn Write) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(writeln!(out, "no tournaments yet")?);
    }
    writeln!(out, " run  last run          tournament")?;
    for (place, info) in all.iter().enumerate() {
        writeln!(out, "{}", headline(info))?;
        let Some(newest) = info.superseded_by else { continue };
        writeln!(out, "      superseded by run {}", newest.number())?;
        // The list goes back in time, so the nearest entry above is the next run.
        if let Some(next) = all[..place].iter().rev().find(|next| next.name == info.name) {
            for change in describe_changes(&info.definition, &next.definition) {
                writeln!(out, "      changed in the next run: {}", clean(&change))?;
            }
        }
    }
    Ok(())
}
