//! Examines a program: takes it through every message of the protocol in each game that it claims
//! to play, times it, and reports what is wrong and where that is explained. A program in another
//! referee's protocol plays one match. It plays no tournament and stores nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use quintain_core::{
    AnyEntry, AnyGame, Budget, Catalog, Fault, FaultKind, PlayerHandle, Record, Setup, SpecError,
};

use crate::answer_times::{AnswerTimes, format_time};
use crate::bot::Bot;
use crate::connection::Connection;
use crate::report::{ProgramEnd, ProgramReport};
use crate::slips::{Slip, describe_network};

/// How long a program may take to end after `bye`; longer is a bad finding.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a check may take in all, and each of its matches. A match that takes longer is not
/// played to its end: some games let a program that plays without a plan go on for hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckTime {
    /// All matches together.
    pub all: Duration,
    /// One match.
    pub one: Duration,
}

impl Default for CheckTime {
    fn default() -> Self {
        CheckTime { all: Duration::from_secs(120), one: Duration::from_secs(20) }
    }
}

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CheckFinding {
    /// Whether the program behaved as it should.
    pub good: bool,
    /// What was checked and what was observed, in a line.
    pub text: String,
    /// The last lines of its process's standard error, if the process has ended.
    pub said: Vec<String>,
    /// The explanation of the mistake, and the line that would have been right.
    pub slip: Option<Slip>,
    /// The match in which that happened.
    pub place: Option<Place>,
    /// The section of `docs/bots.md` that explains the problem; empty if there is none.
    pub section: &'static str,
}

/// A match of a check, and the turn in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The game.
    pub game: String,
    /// The scenario.
    pub scenario: String,
    /// The players, by seat.
    pub players: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The seat of the program.
    pub seat: usize,
    /// The turn.
    pub turn: u32,
    /// Whether the program can be asked about that turn once more.
    pub is_debuggable: bool,
}

impl CheckFinding {
    fn good(text: String) -> CheckFinding {
        CheckFinding { good: true, text, said: Vec::new(), slip: None, place: None, section: "" }
    }

    /// The same finding, explained by this where there is one.
    fn with_slip(self, slip: Option<Slip>) -> CheckFinding {
        CheckFinding { slip: slip.or(self.slip), ..self }
    }

    /// Whether both findings report the same mistake, in different seats.
    fn is_same_mistake(&self, other: &CheckFinding) -> bool {
        let fault = |finding: &CheckFinding| {
            finding.text.split_once(": ").map(|(_, fault)| fault.to_owned()).unwrap_or_default()
        };
        let is_same = match (&self.slip, &other.slip) {
            (Some(own), Some(others)) => own.text == others.text,
            (None, None) => fault(self) == fault(other) && self.said == other.said,
            _ => false,
        };
        !self.good && !other.good && self.section == other.section && is_same
    }

    /// Something that the catalog does not have.
    fn refused(what: &str, error: &SpecError, section: &'static str) -> CheckFinding {
        let text = format!("{what}: {error}");
        CheckFinding { good: false, section, ..CheckFinding::good(text) }
    }

    fn bad(what: &str, fault: &Fault) -> CheckFinding {
        let section = match fault.kind {
            FaultKind::Illegal => "the-messages",
            FaultKind::Timeout => "time",
            FaultKind::Protocol => "the-messages",
            FaultKind::Memory | FaultKind::Flood | FaultKind::Processes => "limits",
            _ => "when-a-program-fails",
        };
        let text = format!("{what}: {fault}");
        let (slip, said) = match describe_network(&fault.said) {
            Some((slip, last)) => (Some(slip), last),
            None => (None, fault.said.clone()),
        };
        CheckFinding { good: false, text, said, slip, place: None, section }
    }
}

/// The settings of a check's matches.
#[derive(Clone, Debug, Default)]
pub struct CheckTerms {
    /// Their seed.
    pub seed: u64,
    /// The thinking budget of a player: an answer that exceeds it is a bad finding.
    pub budget: Budget,
    /// The player that plays against the program; if absent, the strongest that the game shows.
    /// That one exercises the program most, and its thinking is most of what a check takes.
    pub partner: Option<String>,
    /// The scenario for the games that have it, or `GAME:SCENARIO` for one game; if absent, each
    /// game's first.
    pub scenario: Option<String>,
    /// Whether one match of each game is played twice, to see whether it goes the same way.
    pub repeats: bool,
}

/// Examines a program: greets it, plays every game that it claims, in each seat and against itself,
/// one match twice, and says goodbye to it. A program in another referee's protocol plays one
/// match. The matches take no longer than `time` allows; those not played to the end are reported,
/// and none is played after an answer that was late. `on_finding` is called with each finding as it
/// comes. Returns whether all are good.
pub fn check(
    catalog: &Catalog,
    bot: &Bot,
    terms: &CheckTerms,
    time: CheckTime,
    on_finding: &mut dyn FnMut(&CheckFinding),
) -> bool {
    let mut all_good = true;
    let mut report = |finding: CheckFinding| {
        all_good &= finding.good;
        on_finding(&finding);
    };
    bot.wait_for_late_answers();
    let begun = Instant::now();
    if let Some((game, _)) = bot.protocol() {
        match catalog.entry(game) {
            Ok(entry) => drop(play_game(catalog, bot, entry, terms, time, &mut report)),
            Err(error) => report(CheckFinding::refused(game, &error, "games")),
        }
        return all_good;
    }
    let Some(games) = greet(catalog, bot, &mut report) else { return false };
    for entry in games {
        let left = CheckTime { all: time.all.saturating_sub(begun.elapsed()), ..time };
        if play_game(catalog, bot, entry, terms, left, &mut report) == Ended::ByTimeout {
            let text = "what follows is left out: nothing more is known about a late program";
            report(CheckFinding::good(text.to_owned()));
            return false;
        }
    }
    match bot.connect() {
        Ok(connection) => report(close(connection)),
        Err(fault) => {
            report(CheckFinding::bad("another match", &fault).with_slip(bot.take_slip()));
        }
    }
    if bot.writes_carriage_returns() {
        let text = "its lines end in CR LF; LF alone is enough, and CR is ignored";
        report(CheckFinding::good(text.to_owned()));
    }
    all_good
}

/// Greets a program. Returns the games that it claims to play, or `None` if it does not get ready.
fn greet<'a>(
    catalog: &'a Catalog,
    bot: &Bot,
    report: &mut dyn FnMut(CheckFinding),
) -> Option<Vec<&'a dyn AnyEntry>> {
    let connection = match bot.connect() {
        Ok(connection) => connection,
        Err(fault) => {
            let text = format!("hello: {}", bot.explain(&fault));
            let bad = CheckFinding { text, ..CheckFinding::bad("hello", &fault) };
            report(bad.with_slip(bot.take_slip()));
            return None;
        }
    };
    let ready = &connection.ready;
    let name = if ready.name.is_empty() { "without a name" } else { &ready.name };
    let time = format_time(connection.ready_in);
    report(CheckFinding::good(format!("hello: ready in {time}, {name}")));
    let games = match ready.games.is_empty() {
        true => catalog.entries().collect(),
        false => {
            let mut find = |game: &String| {
                let unknown = |error| {
                    report(CheckFinding::refused("hello", &error, "the-messages"));
                };
                catalog.entry(game).map_err(unknown).ok()
            };
            ready.games.iter().filter_map(&mut find).collect()
        }
    };
    bot.give_back(connection);
    Some(games)
}

/// Tries a program in one game that it plays, as [`check`] does; returns the first bad finding, if
/// there is one.
pub fn try_game(
    catalog: &Catalog,
    bot: &Bot,
    entry: &dyn AnyEntry,
    time: CheckTime,
) -> Option<CheckFinding> {
    let mut bad = None;
    let terms = CheckTerms { seed: 1, ..CheckTerms::default() };
    play_game(catalog, bot, entry, &terms, time, &mut |finding| {
        if !finding.good && bad.is_none() {
            bad = Some(finding);
        }
    });
    bad
}

/// How the matches of a game ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Normally,
    /// The program was late in one of them, and the others were not played.
    ByTimeout,
}

/// Plays a match in each seat of a game's scenario, one against itself, and one of them again.
fn play_game(
    catalog: &Catalog,
    bot: &Bot,
    entry: &dyn AnyEntry,
    terms: &CheckTerms,
    time: CheckTime,
    report: &mut dyn FnMut(CheckFinding),
) -> Ended {
    let name = entry.name();
    let table = match Table::set(catalog, bot, entry, terms) {
        Ok(table) => table,
        Err(error) => {
            report(CheckFinding::refused(name, &error, "games"));
            return Ended::Normally;
        }
    };
    let begun = Instant::now();
    let left = || time.one.min(time.all.saturating_sub(begun.elapsed()));
    let mut first_bad: Option<CheckFinding> = None;
    let mut same: Vec<String> = Vec::new();
    let mut first = None;
    for lineup in table.lineups() {
        let seated = match lineup {
            Some(seat) => format!("as seat {seat}"),
            None => "against itself".to_owned(),
        };
        let what = format!("{name}:{} {seated}", table.scenario);
        let limit = left();
        if limit.is_zero() {
            let text =
                format!("{what} and what follows: left out, because the check has taken long");
            report(CheckFinding::good(text));
            break;
        }
        let Trial { finding, actions, is_late } = match table.play(lineup, &what, limit) {
            Ok(trial) => trial,
            Err(error) => {
                report(CheckFinding::refused(name, &error, "games"));
                continue;
            }
        };
        if is_late {
            report(finding);
            return Ended::ByTimeout;
        }
        first = first.or(actions.map(|actions| (lineup, what, actions)));
        if first_bad.as_ref().is_some_and(|bad| bad.is_same_mistake(&finding)) {
            same.push(seated);
        } else {
            report(finding.clone());
            first_bad = first_bad.or((!finding.good).then_some(finding));
        }
    }
    if !same.is_empty() {
        let text = format!("{name}:{} {}: the same", table.scenario, same.join(", "));
        report(CheckFinding { good: false, text, ..CheckFinding::good(String::new()) });
    }
    if let (None, Some((lineup, what, actions))) = (first_bad, first)
        && let Some(finding) = table.play_again(lineup, &what, &actions, left())
    {
        report(finding);
    }
    Ended::Normally
}

/// A match of a check.
struct Trial {
    finding: CheckFinding,
    /// Its actions, if it was played to its end without a fault.
    actions: Option<String>,
    /// Whether the program was late in it.
    is_late: bool,
}

impl From<CheckFinding> for Trial {
    fn from(finding: CheckFinding) -> Trial {
        Trial { finding, actions: None, is_late: false }
    }
}

/// A scenario, and the players of a check's matches on it.
struct Table<'a> {
    bot: &'a Bot,
    terms: &'a CheckTerms,
    scenario: String,
    game: Arc<dyn AnyGame>,
    /// The program.
    own: PlayerHandle,
    /// The player against which it plays.
    other: PlayerHandle,
}

impl<'a> Table<'a> {
    fn set(
        catalog: &Catalog,
        bot: &'a Bot,
        entry: &dyn AnyEntry,
        terms: &'a CheckTerms,
    ) -> Result<Table<'a>, SpecError> {
        let own = catalog.player(entry.name(), bot.name())?;
        let named = terms.scenario.as_deref().filter(|named| entry.game(named).is_ok());
        // Another referee's protocol is not for every scenario.
        let all = entry.scenarios();
        let accepts = |name: &&str| entry.game(name).is_ok_and(|game| game.accepts(&own).is_ok());
        let names = || all.iter().map(|known| known.name());
        let usual = || names().find(accepts).or(names().next()).unwrap_or_default();
        let scenario = entry.strip_game(named.unwrap_or_else(usual)).to_owned();
        let game = entry.game(&scenario)?;
        let strongest = entry.showcase().1.last().map_or("random", String::as_str);
        let other = entry.player(terms.partner.as_deref().unwrap_or(strongest))?;
        Ok(Table { bot, terms, scenario, game, own, other })
    }

    /// Returns each seat in which the program plays alone, then `None` for every seat at once; only
    /// the first if it speaks another referee's protocol.
    fn lineups(&self) -> impl Iterator<Item = Option<usize>> {
        let seats = self.game.seats();
        let all = (0..seats).map(Some).chain((seats > 1).then_some(None));
        all.take(if self.bot.protocol().is_some() { 1 } else { usize::MAX })
    }

    /// Plays a match again that had these actions, where nothing but the program can make it go
    /// differently. Returns what to say if it did.
    fn play_again(
        &self,
        lineup: Option<usize>,
        what: &str,
        actions: &str,
        limit: Duration,
    ) -> Option<CheckFinding> {
        let can_tell = self.terms.repeats && self.terms.budget.is_reproducible();
        if !can_tell || limit.is_zero() {
            return None;
        }
        let again = self.play(lineup, what, limit).ok()?.actions?;
        let seed = self.terms.seed;
        let text = format!(
            "{what}, twice with seed {seed}: its answers differ; for matches that can be repeated, \
             seed its random numbers with \"seed\" of the message \"start\", and let nothing \
             depend on the clock"
        );
        let section = "the-messages";
        (again != actions).then(|| CheckFinding { section, ..CheckFinding::good(text) })
    }

    /// Plays a match, for no longer than `limit`.
    fn play(&self, lineup: Option<usize>, what: &str, limit: Duration) -> Result<Trial, SpecError> {
        let Table { bot, terms, own, other, .. } = self;
        let players: Vec<_> = (0..self.game.seats())
            .map(|seat| if lineup.is_none_or(|own| own == seat) { own } else { other })
            .collect();
        bot.take_times();
        bot.take_slip();
        let mut turn = 0;
        let (record, is_stopped) = run_with_deadline(limit, |stop| {
            let setup = Setup::new(terms.seed).with_budget(terms.budget).with_stop(stop);
            self.game.play(&setup, &players, Some(&mut |now| turn = now.turn()))
        });
        let record = match record {
            Err(SpecError::Void { fault, .. }) => {
                return Ok(CheckFinding::bad(what, &fault).with_slip(bot.take_slip()).into());
            }
            played => played?,
        };
        let times = bot.take_times();
        let fault = record.outcome.fault.as_ref().map(|fault| fault.fault.kind);
        // If the check's time has run out, that is no fault of the program.
        if is_stopped && fault == Some(FaultKind::Timeout) && times.answers > 0 {
            return Ok(CheckFinding::good(format!(
                "{what}: {times}; given up after {}, before the match ended",
                format_time(limit)
            ))
            .into());
        }
        let mut finding = judge(what, &record, lineup, turn, times).with_slip(bot.take_slip());
        if let Some(place) = &mut finding.place {
            place.is_debuggable = bot.protocol().is_none();
        }
        let is_late = !finding.good && fault == Some(FaultKind::Timeout);
        let actions = fault.is_none().then_some(record.actions);
        Ok(Trial { finding, actions, is_late })
    }
}

/// Does some work that ends when its stop flag is set, which happens after `limit`. Returns whether
/// the flag was set.
fn run_with_deadline<T>(limit: Duration, work: impl FnOnce(Arc<AtomicBool>) -> T) -> (T, bool) {
    let stop = Arc::new(AtomicBool::new(false));
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let flag = Arc::clone(&stop);
        scope.spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let result = work(Arc::clone(&stop));
        let is_stopped = stop.load(Ordering::Relaxed);
        drop(done);
        (result, is_stopped)
    })
}

fn judge(
    what: &str,
    record: &Record,
    seat: Option<usize>,
    turn: u32,
    times: AnswerTimes,
) -> CheckFinding {
    let own = |at: usize| seat.is_none_or(|seat| seat == at);
    let Record { fixture, outcome, .. } = record;
    match &outcome.fault {
        Some(fault) if own(fault.seat.index()) => {
            let place = Place {
                game: fixture.game.clone(),
                scenario: fixture.scenario.clone(),
                players: fixture.seats.clone(),
                seed: fixture.seed,
                seat: fault.seat.index(),
                turn,
                is_debuggable: true,
            };
            CheckFinding { place: Some(place), ..CheckFinding::bad(what, &fault.fault) }
        }
        _ => CheckFinding::good(format!("{what}: {times}; the game ended: {}", outcome.ending)),
    }
}

fn close(connection: Connection) -> CheckFinding {
    let begun = Instant::now();
    let ProgramReport { ending, said, .. } = connection.close(END_TIMEOUT);
    let took = begun.elapsed();
    match ending {
        ProgramEnd::Stopped => CheckFinding {
            good: false,
            text: "bye: it did not end by itself, so it was stopped".to_owned(),
            said,
            slip: None,
            place: None,
            section: "the-messages",
        },
        _ => CheckFinding::good(format!("bye: ended in {}", format_time(took))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_too_long_is_given_up() {
        let wait_until_stopped = |stop: Arc<AtomicBool>| {
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        assert!(run_with_deadline(Duration::from_millis(1), wait_until_stopped).1);
        assert_eq!(run_with_deadline(Duration::MAX, |_| "done"), ("done", false));
    }
}
