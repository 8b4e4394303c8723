//! `quintain watch`: tells after every save whether the program in progress has become better. Each
//! version is built, checked, kept and compared. The arena plays the matches (`compare`);
//! `quintain_bots` keeps the versions.

mod news;
mod trial;
mod worst;

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use quintain_bots::Programs;
use quintain_core::{Budget, Catalog};

use crate::failure::Failure;
use crate::usage::{above_zero, first_seed, positive};
use crate::verbs::matches::find_place;
use crate::verbs::new::usual_scenario;
use crate::{sources, stop};
use news::{News, Saves};
use trial::{End, Trial};

#[derive(clap::Args)]
#[command(after_help = "\
Versions are kept beside bots.toml; every verb takes them as bot:NAME@HASH, such as
  quintain compare bot:mine@1f0c bot:mine --game tron
The build step comes from bots.toml; it runs with your rights, outside the sandbox.")]
pub(crate) struct Args {
    /// The program: its name in bots.toml
    #[arg(value_name = "NAME")]
    program: String,
    /// Opponents besides its best version so far: the first as GAME/PLAYER, others of the same
    /// game. GAME:SCENARIO/PLAYER names the scenario, too
    #[arg(long, value_name = "GAME/PLAYER", required = true, num_args = 1..)]
    against: Vec<String>,
    /// A scenario: see `quintain scenarios GAME` (may be given several times)
    /// [default: the game's first on which seeds matter]
    #[arg(short, long)]
    scenario: Vec<String>,
    /// The seed of the first round; later rounds use the seeds that follow
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = first_seed)]
    seed: u64,
    /// Each player's thinking budget: nodes=N, iterations=N, move=TIME, match=TIME
    #[arg(short, long, default_value = "", hide_default_value = true)]
    budget: String,
    /// The most matches of a version against each opponent
    #[arg(short, long, value_name = "N", default_value = "1000", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>)]
    matches: NonZeroU64,
    /// The difference that matters, as in `compare`: Elo points between rivals [default: 50]
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    delta: Option<f64>,
    /// The store of the matches [default: quintain.sqlite, or $QUINTAIN_STORE]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Matches played at once, each by its own thread [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// Try the program once, as it is now, and exit
    #[arg(long)]
    once: bool,
}

pub(crate) fn run(
    args: &Args,
    catalog: &Catalog,
    programs: &Arc<Programs>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = args.program.strip_prefix("bot:").unwrap_or(&args.program).to_owned();
    // Fails with an explanation if the program does not exist.
    let saves = Arc::new(Mutex::new(Saves::new(programs.look(&name)?)));
    let Field { game, scenario, players: field } = read_field(&args.against, catalog)?;
    let scenarios = match (scenario, &args.scenario[..]) {
        (None, []) => vec![usual_scenario(catalog.entry(&game)?)],
        (None, given) => given.to_vec(),
        (Some(behind), []) => vec![behind],
        (Some(behind), [given, ..]) => {
            return Err(Failure::Usage(format!(
                "two scenarios are given: {behind} after the game, and --scenario {given}"
            )));
        }
    };
    let stop = stop::watch_signals();
    let hurry = Arc::new(AtomicBool::new(false));
    let mut trial = Trial {
        catalog,
        programs,
        name: name.clone(),
        game,
        scenarios,
        field,
        seed: args.seed,
        budget: args.budget.parse::<Budget>()?,
        matches: args.matches.get(),
        delta: args.delta,
        threads: args.threads.map(NonZeroUsize::get),
        store: sources::open_store(&sources::store_path(args.store.as_deref()))?,
        store_option: sources::store_option(args.store.as_deref()),
        hurry: Arc::clone(&hurry),
        saves: Arc::clone(&saves),
        last: None,
    };
    trial.check_field()?;
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

/// What `--against` names: the game, the scenario and the players.
#[derive(PartialEq, Debug)]
struct Field {
    game: String,
    /// The scenario, if it is given behind the game.
    scenario: Option<String>,
    players: Vec<String>,
}

/// Parses `--against`.
fn read_field(against: &[String], catalog: &Catalog) -> Result<Field, Failure> {
    let first = against.first().map(String::as_str).unwrap_or_default();
    let place = first.split_once('/').filter(|(_, player)| !player.is_empty());
    let Some((place, _)) = place else {
        let games: Vec<&str> = catalog.entries().map(|entry| entry.name()).collect();
        return Err(Failure::Usage(format!(
            "--against {first}: expected a game and a player, such as GAME/{first}; the games are {}",
            games.join(", ")
        )));
    };
    let (game, scenario) = find_place(place, None)?;
    let game = catalog.entry(game)?.name();
    let mut players = Vec::new();
    for named in against {
        // The part before a slash is a place only if it begins with a game, since players may contain
        // slashes too.
        let theirs = named.split_once('/').and_then(|(theirs, player)| {
            let (theirs, behind) = find_place(theirs, None).ok()?;
            Some((catalog.entry(theirs).ok()?.name(), behind, player))
        });
        let (theirs, behind, player) = theirs.unwrap_or((game, scenario, named.as_str()));
        if theirs != game {
            return Err(Failure::Usage(format!(
                "--against {named}: all opponents must play the same game, here {game}"
            )));
        }
        if behind.is_some() && behind != scenario {
            return Err(Failure::Usage(format!(
                "--against {named}: the scenarios are the same for all; name several with --scenario"
            )));
        }
        players.push(player.to_owned());
    }
    Ok(Field { game: game.to_owned(), scenario: scenario.map(str::to_owned), players })
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
    fn what_fails_ends_the_watch() {
        let (_sender, news) = channel();
        let failed = || Err(Failure::Failed("the disk is full".to_owned()));
        assert!(follow(&news, &AtomicBool::new(false), &mut { failed }).is_err());
    }

    #[test]
    fn the_field_is_of_one_game() {
        let catalog = crate::catalog::catalog();
        let field = |against: &[&str]| {
            let against: Vec<String> = against.iter().map(|&named| named.to_owned()).collect();
            read_field(&against, &catalog).map_err(|failure| failure.to_string())
        };
        let names: Vec<&str> = catalog.entries().map(|entry| entry.name()).collect();
        let [first, second] = [names[0], names[1]];
        let given = field(&[&format!("{first}/a?b=1/2"), "c", &format!("{first}/d")]).unwrap();
        let (game, players) = (first.to_owned(), ["a?b=1/2", "c", "d"].map(str::to_owned).to_vec());
        assert_eq!(given, Field { game, scenario: None, players });
        let given = field(&[&format!("{first}:s?x=1/a"), "c", &format!("{first}/d")]).unwrap();
        assert_eq!(given.scenario.as_deref(), Some("s?x=1"));
        assert_eq!(given.players, ["a", "c", "d"]);
        let said = field(&[&format!("{first}:s/a"), &format!("{first}:t/b")]).unwrap_err();
        assert!(said.contains("name several with --scenario"), "{said}");
        let said = field(&[&format!("{first}/a"), &format!("{second}/b")]).unwrap_err();
        assert!(said.contains("must play the same game"), "{said}");
        assert!(field(&["basic"]).unwrap_err().contains("such as GAME/basic"));
    }
}
