//! The verbs' interface to `quintain-fleet`, for tournaments over many machines. Without the
//! feature `fleet`, `no_fleet.rs` takes its place.

mod obstacles;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indicatif::HumanDuration;
use quintain_arena::{Executor, Shard, Tournament};
use quintain_core::{Catalog, read_settings};
use quintain_fleet::{
    Contribution, Coordinator, Fleet, FleetError, FleetOptions, Status, TimeLosses, Worker,
    WorkerOptions, status,
};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::server::{Credentials, HandOut};

pub(crate) use obstacles::find_obstacles;
pub(crate) use quintain_fleet::{MakePlayer, NatsServer as Server, RunNews, WorkSummary, machine};

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Address { .. } | FleetError::Credentials { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

/// Returns the server at this address, with these credentials.
pub(crate) fn server(address: &str, credentials: &Credentials) -> Result<Server, Failure> {
    let mut server: Server = address.parse()?;
    server.credentials = credentials.creds.clone();
    server.authority = credentials.ca.clone();
    server.certificate = credentials.cert.clone().zip(credentials.key.clone());
    server.user = user(credentials)?;
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign);
    if let Some(prefix) = &credentials.inbox_prefix
        && (prefix.is_empty() || !prefix.chars().all(is_plain))
    {
        return Err(Failure::Usage(format!(
            "--inbox-prefix “{prefix}”: expected letters, digits, _ and -, such as _INBOX_desk"
        )));
    }
    server.inbox = credentials.inbox_prefix.clone();
    server.login = credentials.login();
    server.worker_login = credentials.worker_login();
    let has_user = server.user.is_some() || address.contains('@') || server.credentials.is_some();
    if let Some(file) = credentials.password_file.as_ref().filter(|_| !has_user) {
        return Err(Failure::Usage(format!(
            "the password in {} needs a user: name one with --user or $QUINTAIN_USER",
            file.display()
        )));
    }
    Ok(server)
}

/// Checks that a server can be reached, and lets us in.
pub(crate) fn check(server: &Server) -> Result<(), Failure> {
    Ok(status(server).map(drop)?)
}

/// Why a server cannot be reached now, if that is so. All else that keeps it from letting us in is
/// an error.
pub(crate) fn why_unreachable(server: &Server) -> Result<Option<String>, Failure> {
    match status(server) {
        Ok(_) => Ok(None),
        Err(error @ FleetError::Unreachable { .. }) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Sends a request to the process that answers the queue of tests at a server; returns its answer.
pub(crate) fn ask_queue(server: &Server, request: &str) -> Result<String, Failure> {
    Ok(quintain_fleet::ask_queue(server, request)?)
}

/// The same; `None` if no process answers.
pub(crate) fn find_queue(server: &Server, request: &str) -> Result<Option<String>, Failure> {
    match quintain_fleet::ask_queue(server, request) {
        Ok(answer) => Ok(Some(answer)),
        Err(FleetError::NoQueue { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Answers such requests until `over` is set; an answer may have so many bytes.
pub(crate) fn answer_queue(
    server: &Server,
    over: &AtomicBool,
    answer: impl Fn(&str, usize) -> String + Sync,
) -> Result<(), Failure> {
    Ok(quintain_fleet::answer_queue(server, over, answer)?)
}

/// Returns the user and the matching password.
fn user(credentials: &Credentials) -> Result<Option<(String, String)>, Failure> {
    let Some(user) = credentials.user.clone() else { return Ok(None) };
    let password = match &credentials.password_file {
        Some(file) => {
            let text = read_settings(file).map_err(|error| Failure::Usage(error.to_string()))?;
            match text.lines().next() {
                Some(password) if !password.is_empty() => password.to_owned(),
                _ => {
                    return Err(Failure::Usage(format!(
                        "{}: the password of user {user} should be in its first line, which is \
                         empty",
                        file.display()
                    )));
                }
            }
        }
        None => std::env::var("QUINTAIN_PASSWORD").map_err(|_| {
            let problem = "its password is neither in a --password-file nor in $QUINTAIN_PASSWORD";
            Failure::Usage(format!("user {user}: {problem}"))
        })?,
    };
    Ok(Some((user, password)))
}

/// Returns an executor that has the workers at a server play. Tournaments of a series share their
/// time with others as one would.
pub(crate) fn executor(
    server: &Server,
    tournament: &Tournament,
    share: Shard,
    hand_out: &HandOut,
    series: Option<&str>,
) -> Box<dyn Executor> {
    Box::new(make_fleet(server, tournament, share, hand_out, series))
}

/// The same for a comparison: how people call it and its players, and where it leaves its news.
pub(crate) fn executor_of_comparison(
    server: &Server,
    tournament: &Tournament,
    hand_out: &HandOut,
    (title, names): (&str, BTreeMap<String, String>),
    news: &Arc<Mutex<RunNews>>,
) -> Box<dyn Executor> {
    let fleet = make_fleet(server, tournament, Shard::WHOLE, hand_out, None);
    Box::new(fleet.called(title, names).reporting_to(Arc::clone(news)))
}

fn make_fleet(
    server: &Server,
    tournament: &Tournament,
    share: Shard,
    hand_out: &HandOut,
    series: Option<&str>,
) -> Fleet {
    let replicas = hand_out.replicas.map(usize::from);
    let mut options = FleetOptions { replicas, ..FleetOptions::default() };
    options.patience = hand_out.patience.unwrap_or(options.patience);
    options.second_looks = hand_out.twice.unwrap_or(options.second_looks);
    options.weight_percent = hand_out.weight.map_or(options.weight_percent, percent);
    let mut fleet = Fleet::new(server.clone(), tournament, share, options);
    if let Some(series) = series {
        fleet = fleet.in_series(series);
    }
    let (fleet, unsent) = fleet.sending_programs(tournament);
    unsent.iter().for_each(|(player, problem)| report_unsent(player, problem));
    fleet
}

/// Says once why a program is not sent to workers: tuning hands out many tournaments.
fn report_unsent(player: &str, problem: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.insert(player.to_owned()) {
        print_notice(&clean(&format!(
            "{player} is not sent to workers, since {problem}; workers play it whose own --bots \
             lists the same program"
        )));
    }
}

/// A weight in percent.
fn percent(weight: f64) -> u32 {
    (100.0 * weight).round() as u32
}

/// Returns the workers at a server, to play the matches of a contest.
#[cfg(feature = "host")]
pub(crate) fn contest_workers(
    server: Server,
    patience: Option<Duration>,
) -> Arc<dyn quintain_host::Workers> {
    let mut options = FleetOptions::default();
    options.patience = patience.unwrap_or(options.patience);
    quintain_host::fleet_workers(server, options)
}

/// Plays the matches that are handed out at a server.
pub(crate) fn work(
    server: &Server,
    catalog: &Catalog,
    threads: usize,
    stop: Arc<AtomicBool>,
    (idle, owner, lists_programs): (Option<Duration>, Option<String>, bool),
    [make_player, make_module]: [Option<Arc<MakePlayer>>; 2],
) -> Result<WorkSummary, Failure> {
    let (name, pace) = (None, None);
    let options = WorkerOptions {
        threads,
        stop,
        idle,
        name,
        make_player,
        make_module,
        lists_programs,
        owner,
        pace,
    };
    Ok(quintain_fleet::work(server, catalog, &options, |line| print_notice(&clean(line)))?)
}

/// The most machines whose contributions are listed.
const LISTED: usize = 50;

/// Writes the tournaments and workers at a server.
pub(crate) fn write_status(
    server: &Server,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let status = status(server)?;
    if json {
        let text = serde_json::to_string_pretty(&status).expect("a status has JSON");
        return Ok(writeln!(out, "{text}")?);
    }
    // All rounds of a contest are shown as one.
    let mut contests: BTreeMap<&str, Vec<&Coordinator>> = BTreeMap::new();
    for coordinator in &status.coordinators {
        if let Some(contest) = &coordinator.contest {
            contests.entry(contest).or_default().push(coordinator);
        }
    }
    let is_alone = |coordinator: &&Coordinator| coordinator.contest.is_none();
    let tournaments: Vec<&Coordinator> = status.coordinators.iter().filter(is_alone).collect();
    let handed_out = [(tournaments.len(), "tournament"), (contests.len(), "contest")];
    let handed_out: Vec<String> = handed_out
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format_count(count, what))
        .collect();
    match handed_out.is_empty() {
        true => writeln!(out, "no tournament is handed out at {server}")?,
        false => writeln!(out, "{} handed out at {server}", handed_out.join(" and "))?,
    }
    for coordinator in tournaments {
        let Coordinator { game, who, total, done, rate, seen_ms, .. } = coordinator;
        let tournament = status.title_of(&coordinator.tournament);
        let (tournament, game, who) = (clean(tournament), clean(game), clean(who));
        let share = status.share_of(&coordinator.tournament);
        let share = share.map_or(String::new(), |share| {
            format!(", {:.0} % of the time in the last minute", 100.0 * share)
        });
        let progress =
            format!("{tournament} ({game}): {done} of {total} matches, {rate:.0}/s{share}");
        writeln!(out, "  {progress}; coordinator {who}, {}", describe_last_seen(*seen_ms))?;
        write_exclusions(coordinator, out)?;
    }
    for rounds in contests.values() {
        write_contest(rounds, out)?;
    }
    write_workers(&status, out)?;
    if !status.contributions.is_empty() {
        writeln!(out, "matches that counted, of all tournaments and tests at this server")?;
    }
    for Contribution { machine, owner, matches, .. } in status.contributions.iter().take(LISTED) {
        let owner = owner.as_ref().map_or(String::new(), |owner| format!(" ({})", clean(owner)));
        writeln!(out, "  {}{owner}: {}", clean(machine), format_matches(*matches))?;
    }
    Ok(())
}

/// Writes which workers were shut out, and on which matches were lost on time.
fn write_exclusions(coordinator: &Coordinator, out: &mut dyn Write) -> Result<(), Failure> {
    for line in coordinator.troubles.iter().chain(&coordinator.shut_out) {
        writeln!(out, "    {}", clean(line))?;
    }
    for losses in coordinator.time_losses.iter().filter(|losses| !losses.put_aside) {
        let TimeLosses { who, matches, lost, expected, .. } = losses;
        let who = clean(who);
        let expected = format!("where {expected:.1} were expected");
        writeln!(out, "    {who} has lost {lost} of {matches} on time, {expected}")?;
    }
    Ok(())
}

/// Writes the rounds of a contest as one line.
fn write_contest(rounds: &[&Coordinator], out: &mut dyn Write) -> Result<(), Failure> {
    let Some(Coordinator { tournament, game, who, .. }) = rounds.first() else { return Ok(()) };
    let (tournament, game, who) = (clean(tournament), clean(game), clean(who));
    let sum = |of: fn(&Coordinator) -> u64| rounds.iter().map(|round| of(round)).sum::<u64>();
    let (done, total) = (sum(|round| round.done), sum(|round| round.total));
    let seen = rounds.iter().map(|round| round.seen_ms).max().unwrap_or(0);
    let under_way = format_count(rounds.len(), "round");
    let progress =
        format!("contest {tournament} ({game}): {done} of {total} matches in {under_way}");
    writeln!(out, "  {progress}; host {who}, {}", describe_last_seen(seen))?;
    rounds.iter().try_for_each(|round| write_exclusions(round, out))
}

fn write_workers(status: &Status, out: &mut dyn Write) -> Result<(), Failure> {
    let workers = &status.workers;
    // A worker may say anything of itself.
    let threads = workers.iter().fold(0, |sum: usize, worker| sum.saturating_add(worker.threads));
    let (count, threads) = (format_count(workers.len(), "worker"), format_count(threads, "thread"));
    writeln!(out, "{count} with {threads}")?;
    for worker in workers {
        let Worker { who, owner, version, threads, .. } = worker;
        let Worker { playing, preparing, refuses, seen_ms, .. } = worker;
        let batch =
            |(name, count): &(String, usize)| format!("{} ({count})", clean(status.title_of(name)));
        let playing: Vec<String> = playing.iter().map(batch).collect();
        let preparing: Vec<String> =
            preparing.iter().map(|name| clean(status.title_of(name))).collect();
        let playing = match (playing.is_empty(), preparing.is_empty()) {
            (true, true) => "waiting".to_owned(),
            (true, false) => format!("preparing the programs of {}", preparing.join(", ")),
            (false, _) => format!("playing {}", playing.join(", ")),
        };
        let (who, version, threads) =
            (clean(who), clean(version), format_count(*threads, "thread"));
        let seen = describe_last_seen(*seen_ms);
        let owner = owner.as_ref().map_or(String::new(), |owner| format!(" of {}", clean(owner)));
        writeln!(out, "  {who}{owner} ({version}), {threads}: {playing}; {seen}")?;
        for line in refuses {
            writeln!(out, "    refuses {}", clean(line))?;
        }
    }
    Ok(())
}

fn format_matches(matches: u64) -> String {
    format!("{matches} match{}", if matches == 1 { "" } else { "es" })
}

/// Describes how long ago someone was last heard of.
fn describe_last_seen(seen_ms: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ago = now.saturating_sub(Duration::from_millis(seen_ms));
    match ago.as_secs() {
        0..10 => "active".to_owned(),
        _ => format!("silent for {}", HumanDuration(Duration::from_secs(ago.as_secs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_credentials_and_the_prefix_reach_the_server() {
        let credentials = Credentials {
            creds: Some("desk.creds".into()),
            user: None,
            password_file: None,
            ca: Some("ca.pem".into()),
            cert: Some("desk.pem".into()),
            key: Some("desk.key".into()),
            inbox_prefix: Some("_INBOX_desk".to_owned()),
        };
        let Ok(server) = server("tls://host:4443", &credentials) else { panic!("it is valid") };
        assert_eq!(server.credentials, Some("desk.creds".into()));
        assert_eq!(server.authority, Some("ca.pem".into()));
        assert_eq!(server.certificate, Some(("desk.pem".into(), "desk.key".into())));
        assert_eq!(server.inbox.as_deref(), Some("_INBOX_desk"));
    }
}
