//! Programs as players, as the command line sets them up: which file names them and how
//! they are confined.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use quintain_bots::sandbox::Protection;
use quintain_bots::{Programs, Settings};
use quintain_core::Catalog;
use quintain_scene::clean;

use crate::failure::Failure;

/// Options on programs, for every verb.
#[derive(clap::Args)]
pub(crate) struct BotArgs {
    /// The file that names programs [default: bots.toml]
    #[arg(long, global = true, value_name = "FILE", env = "QUINTAIN_BOTS")]
    #[arg(help_heading = "Programs as players")]
    bots: Option<PathBuf>,
    /// How programs are confined
    #[arg(long, global = true, value_enum, default_value_t = Sandbox::Full)]
    #[arg(help_heading = "Programs as players")]
    sandbox: Sandbox,
    /// Confine programs by limits only: for your own, for example under a debugger
    #[arg(long, global = true, conflicts_with = "sandbox")]
    #[arg(help_heading = "Programs as players")]
    trust: bool,
}

/// How programs are confined.
#[derive(Clone, Copy, ValueEnum)]
enum Sandbox {
    /// By everything; no program runs where something is missing
    #[value(alias = "strict", alias = "usual")]
    Full,
    /// By what this machine offers: for programs that mean no harm
    Basic,
    /// By limits only, as with --trust
    Off,
}

impl BotArgs {
    fn protection(&self) -> Protection {
        match self.sandbox {
            _ if self.trust => Protection::Off,
            Sandbox::Full => Protection::Full,
            Sandbox::Basic => Protection::Basic,
            Sandbox::Off => Protection::Off,
        }
    }
}

/// A catalog with the programs that these options allow, and where they come from.
pub(crate) fn with_programs(games: Catalog, args: &BotArgs) -> (Catalog, Arc<Programs>) {
    let programs = programs(&games, args);
    let catalog = programs.sources().into_iter().fold(games, Catalog::with_external);
    (catalog, programs)
}

/// A catalog with the programs that the owner of this machine has listed, for matches that
/// others ask for: none without `--bots`, and never one that is named by its command.
pub(crate) fn with_allowed(games: Catalog, args: &BotArgs) -> Result<Catalog, Failure> {
    if args.bots.is_none() {
        return Ok(games);
    }
    let programs = programs(&games, args);
    programs.file()?;
    let [named, _commands] = programs.sources();
    Ok(games.with_external(named))
}

fn programs(games: &Catalog, args: &BotArgs) -> Arc<Programs> {
    let protocols = games.entries().flat_map(|entry| {
        let name = entry.name();
        entry.protocols().iter().map(move |protocol| (name, *protocol))
    });
    Programs::new(Settings {
        // The link always leads to this executable, even if its file has been replaced.
        launcher: PathBuf::from("/proc/self/exe"),
        file: args.bots.clone().unwrap_or_else(|| "bots.toml".into()),
        protection: args.protection(),
        protocols: protocols.collect(),
    })
}

/// Reports on standard error how long programs took to answer, if any played.
pub(crate) fn report_times(programs: &Programs) {
    for (name, times) in programs.take_times() {
        eprintln!("{}: {times}", clean(&name));
    }
}
