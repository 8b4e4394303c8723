//! A doctor for programs: plays one through every message of the protocol against each
//! game that it claims, times it, and says what is wrong and where that is explained.

use std::fmt;
use std::time::{Duration, Instant};

use quintain_core::{AnyEntry, Catalog, Fault, FaultKind, Outcome, Setup};

use crate::roster::Bot;
use crate::session::{Known, part};

/// How long a program may take to end after goodbye, before that is found bad.
const PATIENCE: Duration = Duration::from_secs(5);

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Whether it is as it should be.
    pub good: bool,
    /// What was looked at and what was seen, in a line.
    pub text: String,
    /// What the program said on standard error, if it failed.
    pub said: Vec<String>,
    /// The section of `docs/bots.md` that explains it.
    pub section: &'static str,
}

impl Finding {
    fn good(text: String) -> Finding {
        Finding { good: true, text, said: Vec::new(), section: "" }
    }

    fn bad(what: &str, fault: &Fault) -> Finding {
        let section = match fault.kind {
            FaultKind::Illegal => "the-messages",
            FaultKind::Timeout => "time",
            FaultKind::Protocol => "the-messages",
            FaultKind::Memory | FaultKind::Flood | FaultKind::Processes => "limits",
            FaultKind::Crash | FaultKind::Panic => "when-a-program-fails",
        };
        let text = format!("{what}: {fault}");
        Finding { good: false, text, said: fault.said.clone(), section }
    }
}

/// Looks at a program that speaks Quintain's protocol. `told` hears of every finding as
/// it comes; whether all is well is the answer.
pub fn check(catalog: &Catalog, bot: &Bot, seed: u64, told: &mut dyn FnMut(&Finding)) -> bool {
    let mut all_good = true;
    let mut tell = |finding: Finding| {
        all_good &= finding.good;
        told(&finding);
    };
    let begun = Instant::now();
    let known = match bot.process() {
        Ok(known) => known,
        Err(fault) => {
            tell(Finding::bad("hello", &fault));
            return false;
        }
    };
    let name = if known.ready.name.is_empty() { "without a name" } else { &known.ready.name };
    tell(Finding::good(format!("hello: ready in {}, {name}", shown(begun.elapsed()))));
    let games: Vec<&dyn AnyEntry> = if known.ready.games.is_empty() {
        catalog.entries().collect()
    } else {
        let mut games = Vec::new();
        for game in &known.ready.games {
            match catalog.entry(game) {
                Ok(entry) => games.push(entry),
                Err(error) => tell(Finding {
                    good: false,
                    text: format!("hello: {error}"),
                    said: Vec::new(),
                    section: "the-messages",
                }),
            }
        }
        games
    };
    bot.give_back(known);
    for entry in games {
        play_game(catalog, bot, entry, seed, &mut tell);
    }
    match bot.process() {
        Ok(known) => tell(farewell(known)),
        Err(fault) => tell(Finding::bad("another match", &fault)),
    }
    all_good
}

/// Plays a match in each seat of a game's first scenario, and one against itself.
fn play_game(
    catalog: &Catalog,
    bot: &Bot,
    entry: &dyn AnyEntry,
    seed: u64,
    tell: &mut dyn FnMut(Finding),
) {
    let name = entry.name();
    let scenario = entry.scenarios().first().map_or("", |first| first.name).to_owned();
    let refused = |error: &dyn std::fmt::Display| Finding {
        good: false,
        text: format!("{name}: {error}"),
        said: Vec::new(),
        section: "games",
    };
    let game = match entry.game(&scenario) {
        Ok(game) => game,
        Err(error) => return tell(refused(&error)),
    };
    let partner = entry.showcase().1.last().map_or("random", String::as_str);
    let (own, other) = match (catalog.player(name, bot.name()), entry.player(partner)) {
        (Ok(own), Ok(other)) => (own, other),
        (Err(error), _) | (_, Err(error)) => return tell(refused(&error)),
    };
    let seats = game.seats();
    // Each seat against players of ours, then every seat at once.
    let lineups = (0..seats).map(Some).chain((seats > 1).then_some(None));
    for lineup in lineups {
        let players: Vec<_> = (0..seats)
            .map(|seat| if lineup.is_none_or(|own| own == seat) { &own } else { &other })
            .collect();
        let what = match lineup {
            Some(seat) => format!("{name}:{scenario} as seat {seat}"),
            None => format!("{name}:{scenario} against itself"),
        };
        bot.take_times();
        let setup = Setup { seed, ..Setup::default() };
        match game.play(&setup, &players, None) {
            Err(error) => tell(refused(&error)),
            Ok(record) => tell(judge(&what, &record.outcome, lineup, bot.take_times())),
        }
    }
}

fn judge(what: &str, outcome: &Outcome, seat: Option<usize>, times: Times) -> Finding {
    let own = |at: usize| seat.is_none_or(|seat| seat == at);
    match &outcome.fault {
        Some(fault) if own(fault.seat.index()) => Finding::bad(what, &fault.fault),
        _ => Finding::good(format!("{what}: {times}; {}", outcome.ending)),
    }
}

fn farewell(known: Known) -> Finding {
    let begun = Instant::now();
    let ended = part(known, PATIENCE);
    let took = begun.elapsed();
    if ended {
        Finding::good(format!("bye: ended in {}", shown(took)))
    } else {
        Finding {
            good: false,
            text: "bye: it did not end by itself, and was ended".to_owned(),
            said: Vec::new(),
            section: "the-messages",
        }
    }
}

/// How long a program took for its answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// Answers.
    pub answers: u32,
    /// All of them together, by the program's clock.
    pub total: Duration,
    /// The longest.
    pub most: Duration,
    /// Processor time that the arbiter spent on the questions.
    pub arbiter: Duration,
}

impl Times {
    /// Counts an answer.
    pub(crate) fn add(&mut self, time: Duration) {
        self.answers += 1;
        self.total += time;
        self.most = self.most.max(time);
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.answers.max(1);
        write!(
            f,
            "{} answers, {} on average, {} at most, and {} of the arbiter's own",
            self.answers,
            shown(self.total / answers),
            shown(self.most),
            shown(self.arbiter / answers),
        )
    }
}

fn shown(time: Duration) -> String {
    match time.as_micros() {
        0..1000 => format!("{} µs", time.as_micros()),
        1000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1e3),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
