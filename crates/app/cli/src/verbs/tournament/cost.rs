//! What a tournament costs before it is played: how many matches its file means, and about how much
//! time and store they take. A tournament of more than an hour is played only after a question.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{DecimalBytes, HumanDuration};
use quintain_arena::{Effort, Forecast, Shard, Tournament, forecast};
use quintain_scene::clean;
use quintain_store::Store;

use crate::failure::Failure;
use crate::lists::format_count;
use crate::{messages, screen};

/// A tournament that takes longer is not begun without a question.
const LONG: Duration = Duration::from_secs(3600);
/// The longest time to measure before a tournament begins.
const MEASURED: Duration = Duration::from_secs(3);
/// The longest time to measure if nothing else was asked for.
const DRY_RUN: Duration = Duration::from_secs(10);
/// With fewer matches to play, a tournament begins without having been measured.
const FEW: u64 = 16;

/// Prints what a share of a tournament costs on so many threads.
pub(in crate::verbs) fn print(
    tournament: &Tournament,
    (share, threads): (Shard, usize),
    path: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    // A dry run makes no store.
    let store = path.exists().then(|| Store::open(path)).transpose()?;
    let effort = Effort { threads, limit: DRY_RUN, short: None };
    let never = AtomicBool::new(false);
    let foretold = forecast(tournament, share, store.as_ref(), effort, &never)?;
    let name = clean(tournament.name());
    let stored = match foretold.stored {
        0 => String::new(),
        stored => format!(", of which {stored} are in {} already", path.display()),
    };
    let most = if tournament.question().is_some() { "at most " } else { "" };
    writeln!(out, "{name}: {most}{} matches{stored}", foretold.matches)?;
    if foretold.left() > 0 {
        let basis = match (foretold.measured, foretold.is_read) {
            (0, _) => "no match was over in time".to_owned(),
            (measured, true) => format!("from {} in the store", count(measured)),
            (measured, false) => format!("from {} played now and not kept", count(measured)),
        };
        // Further seeds are for close pairs only, so that no one knows what will be played.
        let all = if tournament.question().is_some() { "all of them take " } else { "" };
        let line = format!("{all}{} ({basis})", describe(&foretold, threads));
        writeln!(out, "{}", screen::fit(&line))?;
    }
    Ok(())
}

fn count(matches: u64) -> String {
    format!("{matches} {}", if matches == 1 { "match" } else { "matches" })
}

/// Asks before a share of a tournament that takes long is begun. Where nobody can answer, it is not
/// begun, and the message names the command that plays it.
pub(in crate::verbs) fn confirm(
    tournament: &Tournament,
    (share, threads): (Shard, usize),
    store: &Store,
    stop: &Arc<AtomicBool>,
    command: &str,
) -> Result<(), Failure> {
    if tournament.schedule().len() < FEW {
        return Ok(());
    }
    let effort = Effort { threads, limit: MEASURED, short: Some(LONG) };
    let foretold = forecast(tournament, share, Some(store), effort, stop)?;
    if foretold.time() <= LONG || stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    let name = clean(tournament.name());
    let (left, effort) = (count(foretold.left()), describe(&foretold, threads));
    let what = match tournament.question() {
        Some(_) => format!("{name}: at most {left} to play; all of them take {effort}"),
        None => format!("{name}: {left} to play take {effort}"),
    };
    match messages::ask(&format!("{what}. Play them?"))? {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::Usage("nothing was played".to_owned())),
        None => Err(Failure::Usage(format!("{what}; to play them nevertheless: {command} --yes"))),
    }
}

/// Describes time and size: `about 3 minutes on 2 threads, and 1.20 MB of store`.
fn describe(foretold: &Forecast, threads: usize) -> String {
    let about = if foretold.is_least { "at least" } else { "about" };
    let threads = format_count(threads, "thread");
    let size = match foretold.bytes() {
        0.0 => String::new(),
        bytes => format!(", and {} of store", DecimalBytes(bytes as u64)),
    };
    format!("{about} {} on {threads}{size}", format_time(foretold.time()))
}

/// Formats a time as people say it; no one needs forecasts of more than a century.
fn format_time(time: Duration) -> String {
    const CENTURY: Duration = Duration::from_secs(3_200_000_000);
    match time {
        time if time < Duration::from_secs(1) => "a second".to_owned(),
        time if time >= CENTURY => "a century".to_owned(),
        time => HumanDuration(time).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_say_them() {
        let format = |seconds: u64| format_time(Duration::from_secs(seconds));
        assert_eq!(format(0), "a second");
        assert_eq!(format(90), "2 minutes");
        assert_eq!(format(7_200), "2 hours");
        assert_eq!(format(u64::MAX), "a century");
    }
}
