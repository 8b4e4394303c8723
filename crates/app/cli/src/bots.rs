//! Programs as players, as set up from the command line: which file names them, and how they are
//! confined.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use quintain_bots::{Programs, Protection, Settings, Unstarted};
use quintain_core::Catalog;
use quintain_scene::clean;

use crate::failure::Failure;
use crate::messages;

/// Options on programs, for every verb; a verb's short help (`-h`) leaves them out.
#[derive(clap::Args)]
pub(crate) struct BotArgs {
    /// The file that names programs [default: the nearest bots.toml, in the tournament file's
    /// folder or this one, or above; a worker uses none unless it is given here]
    #[arg(long, global = true, value_name = "FILE", env = "QUINTAIN_BOTS")]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    pub(crate) bots: Option<PathBuf>,
    /// How programs are confined: by every means (full; if one is missing, no program runs), by
    /// those that this machine offers (basic), or not at all (off) [default: QUINTAIN_SANDBOX, or
    /// full; off on systems other than Linux, which have no sandbox]
    #[arg(long, global = true, value_enum)]
    #[arg(help_heading = HEADING, hide_short_help = true, hide_possible_values = true)]
    sandbox: Option<Sandbox>,
    /// The same as --sandbox off: runs programs as you, with time limits and what else every
    /// system has; for programs that you trust, for example under a debugger
    #[arg(long, global = true, conflicts_with = "sandbox")]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    trust: bool,
    /// A program that never starts forfeits its matches, and keeps these results. Otherwise it is
    /// refused, and its matches are played once it starts
    #[arg(long, global = true)]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    forfeit_unstarted: bool,
}

pub(crate) const HEADING: &str = "Programs as players";

/// The environment variable that says how programs are confined, unless an option does.
const DEFAULT_SANDBOX: &str = "QUINTAIN_SANDBOX";

/// The file that names programs, unless another one is given.
const DEFAULT_FILE: &str = "bots.toml";

/// How programs are confined.
#[derive(Clone, Copy, ValueEnum)]
enum Sandbox {
    /// By every means; if one is missing, no program runs
    #[value(alias = "strict", alias = "usual")]
    Full,
    /// By the means that this machine offers: for programs that mean no harm
    Basic,
    /// Not at all, as with --trust and on systems without a sandbox
    Off,
}

impl BotArgs {
    /// # Errors
    /// If the environment variable names no known sandbox.
    fn protection(&self) -> Result<Protection, Failure> {
        let of = |sandbox| match sandbox {
            Sandbox::Full => Protection::Full,
            Sandbox::Basic => Protection::Basic,
            Sandbox::Off => Protection::Unconfined,
        };
        if self.trust {
            return Ok(Protection::Unconfined);
        }
        match (self.sandbox, env::var(DEFAULT_SANDBOX).ok().filter(|text| !text.is_empty())) {
            (Some(asked), _) => Ok(of(asked)),
            (None, None) => Ok(Protection::default()),
            (None, Some(usual)) => Sandbox::from_str(&usual, false).map(of).map_err(|_| {
                let usual = clean(&usual);
                Failure::Usage(format!("{DEFAULT_SANDBOX}: “{usual}”: expected full, basic or off"))
            }),
        }
    }
}

/// Returns a catalog with the programs that these options allow, and their source: without those
/// that are named by their command, unless the user of this process alone names players. `beside`
/// is the folder of the verb's own file, such as a tournament's.
///
/// # Errors
/// If a given file does not exist.
pub(crate) fn with_programs(
    games: Catalog,
    args: &BotArgs,
    beside: Option<&Path>,
    takes_commands: bool,
) -> Result<(Catalog, Arc<Programs>), Failure> {
    let programs = programs(&games, args, beside)?;
    let unstarted = if args.forfeit_unstarted { Unstarted::Forfeit } else { Unstarted::Void };
    let [named, commands] = programs.asking_sources(unstarted);
    let catalog = games.with_external(named);
    let catalog = if takes_commands { catalog.with_external(commands) } else { catalog };
    Ok((catalog, programs))
}

/// Returns a catalog with the programs that the owner of this machine has listed, for matches
/// requested by others: none without `--bots`, and never one that is named by its command.
pub(crate) fn with_allowed(games: Catalog, args: &BotArgs) -> Result<Catalog, Failure> {
    if args.bots.is_none() {
        return Ok(games);
    }
    let programs = programs(&games, args, None)?;
    programs.file()?;
    let [named, _commands] = programs.sources(Unstarted::Void);
    Ok(games.with_external(named))
}

/// Builds players from the packed programs that coordinators send. No one here knows these
/// programs, so they can never run unconfined.
///
/// # Errors
/// If the options ask for running them unconfined, or if they cannot be confined here.
#[cfg(feature = "host")]
pub(crate) fn program_maker(
    games: Catalog,
    args: &BotArgs,
) -> Result<Arc<crate::fleet::MakePlayer>, Failure> {
    let protection = args.protection()?;
    if protection == Protection::Unconfined {
        let problem = "--take-programs plays programs of people whom nobody here knows, so it \
                       needs a sandbox (--sandbox full or basic)";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let maker = quintain_host::ProgramMaker { launcher: launcher(), protection, catalog: games };
    maker.check().map_err(Failure::Usage)?;
    Ok(Arc::new(move |player: &str, packed: &[u8]| maker.make(player, packed)))
}

/// Finds the default file that names programs: in these folders, or in the nearest of their parents
/// that belong to the same user.
fn find_file(folders: [Option<&Path>; 2]) -> Option<PathBuf> {
    folders.into_iter().flatten().find_map(|folder| {
        let folder = dunce::canonicalize(folder).ok()?;
        let own = owner(&folder);
        let mut above = folder.ancestors().take_while(|above| owner(above) == own);
        above.find(|above| above.join(DEFAULT_FILE).is_file()).map(|above| {
            // As the user would write it, if that is shorter.
            let here = std::env::current_dir().is_ok_and(|here| here == above);
            if here { DEFAULT_FILE.into() } else { above.join(DEFAULT_FILE) }
        })
    })
}

/// The user to whom a folder belongs, where the system has a number for that.
fn owner(folder: &Path) -> Option<u32> {
    #[cfg(unix)]
    return folder.metadata().ok().map(|data| std::os::unix::fs::MetadataExt::uid(&data));
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// This executable, to be started again.
pub(crate) fn launcher() -> PathBuf {
    // This link always refers to this executable, even if its file has been replaced.
    let link = Path::new("/proc/self/exe");
    match cfg!(target_os = "linux") {
        true => link.to_owned(),
        false => env::current_exe().unwrap_or_else(|_| "quintain".into()),
    }
}

fn programs(
    games: &Catalog,
    args: &BotArgs,
    beside: Option<&Path>,
) -> Result<Arc<Programs>, Failure> {
    if let Some(file) = args.bots.as_ref().filter(|file| !file.exists()) {
        return Err(Failure::Usage(format!(
            "{}: there is no such file (it is named by --bots or QUINTAIN_BOTS)",
            file.display()
        )));
    }
    let find = || find_file([beside, Some(Path::new("."))]).unwrap_or_else(|| DEFAULT_FILE.into());
    let protocols = games.entries().flat_map(|entry| {
        let name = entry.name();
        entry.protocols().iter().map(move |protocol| (name, *protocol))
    });
    Ok(Programs::new(Settings {
        launcher: launcher(),
        file: args.bots.clone().unwrap_or_else(find),
        protection: args.protection()?,
        protocols: protocols.collect(),
    }))
}

/// Reports on standard error how long programs took to answer, if any program played.
pub(crate) fn report_times(programs: &Programs) {
    for (name, times) in programs.take_times() {
        messages::print_notice(&format!("{}: {times}", clean(&name)));
    }
}
