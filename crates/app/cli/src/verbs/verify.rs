//! `quintain verify`: replays records, action by action, and compares the results.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use quintain_core::{Catalog, Record, RecordError, ReplayVerdict};
use quintain_core::{format_duration, panics};
use quintain_scene::clean;
use quintain_store::{Filter, Store, TournamentInfo};
use serde_json::Value;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::options;
use crate::sources::{self, RecordInFile};
use crate::usage::time;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file of records, or the first digits of a record's id [default: all records of the store]
    record: Option<String>,
    /// Also ask the players again, if they are available and always decide the same: built-in
    /// players with a budget of work, and WebAssembly modules
    #[arg(long)]
    players: bool,
    /// The longest time for asking the players of one record again
    #[arg(long, requires = "players", value_name = "TIME", value_parser = time)]
    #[arg(default_value = "1min")]
    player_time: Duration,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::STORE, options::DEFAULT_STORE))]
    store: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Text, help = options::FORMAT)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Sentences
    Text,
    /// One object: `in`, `verified`, `bad` and, with --players, `players`
    Json,
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let (good, bad, asked) = (0, Vec::new(), args.players.then(PlayersAsked::default));
    let mut counts = VerifyCounts { catalog, time: args.player_time, good, bad, asked };
    let (place, lost) = check_records(args, &mut counts)?;
    let VerifyCounts { good, bad, asked, .. } = counts;
    if args.format == Format::Json {
        write_json(&place, good, bad.iter().chain(&lost), asked.as_ref(), out)?;
    } else {
        for problem in bad.iter().chain(&lost) {
            writeln!(out, "bad: {}", clean(problem))?;
        }
    }
    if !bad.is_empty() {
        let (bad, all) = (bad.len(), format_count(good + bad.len(), "record"));
        return Err(Failure::Failed(format!("{bad} of {all} in {place} cannot be trusted")));
    }
    if !lost.is_empty() {
        return Err(Failure::Failed(format!("{place} is not as it was written")));
    }
    if args.format == Format::Json {
        return Ok(());
    }
    writeln!(out, "{} in {place} verified", format_count(good, "record"))?;
    let Some(PlayersAsked { same, not_possible }) = asked else { return Ok(()) };
    writeln!(out, "in {same} of them, the players made the same decisions again")?;
    for (why, count) in not_possible {
        writeln!(out, "in {count}, they were not asked: {}", clean(&why))?;
    }
    Ok(())
}

/// Checks the records that the arguments name. Returns where they are, and what a store has lost.
fn check_records(
    args: &Args,
    counts: &mut VerifyCounts<'_>,
) -> Result<(String, Vec<String>), Failure> {
    let mut lost = Vec::new();
    let path = sources::store_path(args.store.as_deref());
    let place = match args.record.as_deref() {
        Some(file) if Path::new(file).is_file() => {
            for RecordInFile { place, record } in sources::read_records(Path::new(file))? {
                let record = record.map_err(|error| error.to_string());
                counts.check(record.map_err(|problem| format!("{place}: {problem}")));
            }
            file.to_owned()
        }
        Some(id) => {
            let stored = sources::open_store_for(id, &path)?.get(id)?;
            counts.check(stored.record().map_err(|error| error.to_string()));
            path.display().to_string()
        }
        None => {
            let store = Store::open_to_read(&path)?;
            store.check()?;
            store.for_each_record(&Filter::default(), |stored| {
                counts.check(stored.record().map_err(|error| error.to_string()));
                Ok::<(), Failure>(())
            })?;
            lost = store.losses()?;
            for tournament in store.tournaments()? {
                lost.extend(changed_goal(&tournament, counts.catalog));
            }
            path.display().to_string()
        }
    };
    Ok((place, lost))
}

fn write_json<'a>(
    place: &str,
    good: usize,
    bad: impl Iterator<Item = &'a String>,
    asked: Option<&PlayersAsked>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let bad: Vec<&String> = bad.collect();
    let mut answer = serde_json::json!({ "in": place, "verified": good, "bad": bad });
    if let Some(PlayersAsked { same, not_possible }) = asked {
        answer["players"] = serde_json::json!({ "same": same, "not_asked": not_possible });
    }
    Ok(writeln!(out, "{answer}")?)
}

/// The results of asking players again.
#[derive(Default)]
struct PlayersAsked {
    same: usize,
    /// Reasons why players were not asked, with the number of records for each.
    not_possible: BTreeMap<String, usize>,
}

/// Describes how a tournament's goal differs from what its game says, if the game is still
/// available.
fn changed_goal(tournament: &TournamentInfo, catalog: &Catalog) -> Option<String> {
    let definition: Value = serde_json::from_str(&tournament.definition).ok()?;
    let scenarios = definition["scenarios"].as_array()?.iter().filter_map(Value::as_str);
    let mut games =
        scenarios.filter_map(|scenario| catalog.game_in_store(&tournament.game, scenario).ok());
    let kept = (tournament.objective, tournament.scoring);
    let game = games.find(|game| (game.objective(), game.scoring()) != kept)?;
    let word = |value: serde_json::Result<Value>| {
        value.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let words = |objective, scoring| {
        let (goal, contest) = (serde_json::to_value(objective), serde_json::to_value(scoring));
        format!("goal {}, contest {}", word(goal), word(contest))
    };
    Some(format!(
        "tournament {}: it says {}, but {} has {}",
        tournament.name,
        words(tournament.objective, tournament.scoring),
        tournament.game,
        words(game.objective(), game.scoring())
    ))
}

/// Asks the players of a record again, for no longer than `limit`: a record from a stranger may
/// name players that think for days.
fn ask_players(
    catalog: &Catalog,
    record: &Record,
    limit: Duration,
) -> Result<ReplayVerdict, RecordError> {
    let stop = Arc::new(AtomicBool::new(false));
    let (until_here, is_over) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            if is_over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let verdict = catalog.verify_players(record, Some(stop));
        drop(until_here);
        match verdict {
            Ok(ReplayVerdict::NotPossible(_)) if stop.load(Ordering::Relaxed) => {
                let time = format_duration(limit);
                let why = format!("their decisions take longer than {time}; see --player-time");
                Ok(ReplayVerdict::NotPossible(why))
            }
            verdict => verdict,
        }
    })
}

struct VerifyCounts<'a> {
    catalog: &'a Catalog,
    /// The longest time for asking the players of one record.
    time: Duration,
    good: usize,
    /// What is wrong with the others.
    bad: Vec<String>,
    asked: Option<PlayersAsked>,
}

impl VerifyCounts<'_> {
    /// Counts a record, and notes it if it is bad.
    fn check(&mut self, record: Result<Record, String>) {
        let verified = record.and_then(|record| {
            // On a record that no real match could have produced, the rules may panic.
            let verified = panics::catch(|| match self.asked {
                None => self.catalog.verify(&record).map(|()| None),
                Some(_) => {
                    self.catalog.verify(&record)?;
                    ask_players(self.catalog, &record, self.time).map(Some)
                }
            });
            let verified = verified.map_err(|panic| format!("record {}: {panic}", record.id))?;
            verified.map_err(|error| error.to_string())
        });
        match verified {
            Ok(asked) => {
                self.good += 1;
                if let (Some(all), Some(asked)) = (&mut self.asked, asked) {
                    match asked {
                        ReplayVerdict::Same => all.same += 1,
                        ReplayVerdict::NotPossible(why) => {
                            *all.not_possible.entry(why).or_default() += 1
                        }
                    }
                }
            }
            Err(problem) => self.bad.push(problem),
        }
    }
}
