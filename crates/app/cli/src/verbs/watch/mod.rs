//! `quintain watch`: tells after every save whether the program in progress has become better. Each
//! version is built, checked, kept and compared. The arena plays the matches (`compare`);
//! `quintain_bots` keeps the versions.

pub(super) mod news;
pub(super) mod trial;
mod worst;

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use quintain_arena::RunOptions;
use quintain_core::Budget;

use crate::context::Context;
use crate::failure::Failure;
use crate::full_names::{Field, Naming, find_field, find_scenarios};
use crate::usage::{above_zero, first_seed, positive};
use crate::verbs::new::usual_scenario;
use crate::{options, sources, stop};
use news::{News, Saves};
use trial::{End, Trial};
pub(crate) use worst::describe_loss;

#[derive(clap::Args)]
#[command(after_help = "\
Versions are kept beside bots.toml; every verb takes them as bot:NAME@HASH, such as
  quintain compare bot:mine@1f0c bot:mine --game tron
The build step comes from bots.toml; it runs with your rights, outside the sandbox.")]
pub(crate) struct Args {
    /// The program: its name in bots.toml
    #[arg(value_name = "NAME")]
    program: Option<String>,
    #[arg(short, long, value_name = "PLAYER", required = true, num_args = 1.., help = options::with(
        options::AGAINST,
        "(several may be given, besides its best version so far; GAME:SCENARIO/PLAYER names the \
         scenario, too)",
    ))]
    against: Vec<String>,
    #[arg(short, long, help = options::with(
        options::GAME,
        "(unless an opponent's name includes it)",
    ))]
    game: Option<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    scenario: Vec<String>,
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = first_seed)]
    #[arg(help = options::SEED)]
    seed: u64,
    #[arg(long, value_name = "N", allow_negative_numbers = true, overrides_with = "matches")]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(
        options::SEEDS,
        "(at most, instead of --matches; of the two, the last one given counts)",
    ))]
    seeds: Option<NonZeroU64>,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    #[arg(short, long, value_name = "N", default_value = "1000", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(options::MATCHES, "(of a version against each opponent)"))]
    matches: NonZeroU64,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(
        options::DELTA,
        "(as in `compare`: in Elo points between rivals) [default: 50]",
    ))]
    delta: Option<f64>,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    threads: Option<NonZeroUsize>,
    /// Try the program once, as it is now, and exit
    #[arg(long)]
    once: bool,
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let (catalog, programs) = (context.catalog, context.programs);
    let (program, against) = split_names(args)?;
    let name = program.strip_prefix("bot:").unwrap_or(program).to_owned();
    // Fails with an explanation if the program does not exist.
    let saves = Arc::new(Mutex::new(Saves::new(programs.measure(&name)?)));
    let against = against.iter().map(String::as_str);
    let naming = Naming { option: "--against", ..Naming::default() };
    let Field { game, scenario, players } =
        find_field(against, args.game.as_deref(), catalog, naming)?;
    let entry = catalog.entry(game)?;
    let mut scenarios: Vec<String> = find_scenarios(scenario, &args.scenario)?
        .iter()
        .map(|scenario| entry.strip_game(scenario).to_owned())
        .collect();
    if scenarios.is_empty() {
        scenarios.push(usual_scenario(entry));
    }
    let stop = stop::watch_signals();
    let hurry = Arc::new(AtomicBool::new(false));
    // Both play every seed on every scenario: in both seats, or one after the other.
    let each_seed = 2 * scenarios.len() as u64;
    let matches = match args.seeds {
        Some(seeds) => seeds.get().saturating_mul(each_seed),
        None => args.matches.get(),
    };
    let mut trial = Trial {
        catalog,
        programs,
        name: name.clone(),
        game: game.to_owned(),
        scenarios,
        field: players,
        seed: args.seed,
        budget: args.budget.parse::<Budget>()?,
        matches,
        delta: args.delta,
        threads: args.threads.map(NonZeroUsize::get),
        store: sources::open_store(&sources::store_path(args.store.as_deref()))?,
        store_option: sources::store_option(args.store.as_deref()),
        hurry: Arc::clone(&hurry),
        saves: Arc::clone(&saves),
        last: None,
    };
    trial.check_field()?;
    let own = format!("bot:{name}");
    let lineups: Vec<Vec<&str>> =
        trial.field.iter().map(|opponent| vec![own.as_str(), opponent]).collect();
    let threads = trial.threads.unwrap_or_else(|| RunOptions::default().threads);
    context.warn_of_memory(threads, &lineups);
    let news = news::watch(programs, &name, &saves, &stop, &hurry);
    if args.once {
        return match trial.run(out)? {
            End::GivenUp => Err(Failure::Stopped),
            End::Broken => Err(Failure::Failed(format!("{name} is not ready to play"))),
            End::Done => Ok(()),
        };
    }
    follow(&news, &hurry, &mut || {
        trial.run(out)?;
        writeln!(out, "\nwaiting for the next save of {name}; Ctrl-C ends\n")?;
        Ok(out.flush()?)
    })
}

/// Returns the program and its opponents. Behind opponents, the program's name is the last one.
fn split_names(args: &Args) -> Result<(&str, &[String]), Failure> {
    match (&args.program, args.against.split_last()) {
        (Some(program), _) => Ok((program, &args.against)),
        (None, Some((program, against))) if !against.is_empty() => Ok((program, against)),
        (None, _) => Err(Failure::Usage(
            "which program? quintain watch NAME --against PLAYER, with its name in bots.toml"
                .to_owned(),
        )),
    }
}

/// Does the work at once and after every save, until there is no more news.
fn follow(
    news: &Receiver<News>,
    hurry: &AtomicBool,
    work: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    use std::sync::atomic::Ordering;
    loop {
        // Earlier saves are part of what is tried now.
        if news.try_iter().any(|news| news == News::Stop) {
            return Ok(());
        }
        hurry.store(false, Ordering::SeqCst);
        work()?;
        match news.recv() {
            Ok(News::Saved) => {}
            Ok(News::Stop) | Err(_) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn every_save_is_tried_once_and_saves_meanwhile_are_one() {
        let (sender, news) = channel();
        let hurry = AtomicBool::new(false);
        let mut tried = 0;
        let ended = follow(&news, &hurry, &mut || {
            assert!(!hurry.load(Ordering::SeqCst), "the work is not hurried by old news");
            tried += 1;
            match tried {
                // Three saves while the first version plays, which is abandoned for them.
                1 => {
                    hurry.store(true, Ordering::SeqCst);
                    (0..3).for_each(|_| sender.send(News::Saved).unwrap());
                }
                2 => sender.send(News::Saved).unwrap(),
                _ => sender.send(News::Stop).unwrap(),
            }
            Ok(())
        });
        assert!(ended.is_ok());
        assert_eq!(tried, 3);
    }

    #[test]
    fn a_failure_ends_the_watch() {
        let (_sender, news) = channel();
        let failed = || Err(Failure::Failed("the disk is full".to_owned()));
        assert!(follow(&news, &AtomicBool::new(false), &mut { failed }).is_err());
    }
}
