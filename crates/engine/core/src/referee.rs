//! The match loop: it asks players for actions until the match ends. It takes legality from the
//! rules, chance from the match's streams, and decisions from the players. It shows and stores
//! nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::budget::Budget;
use crate::clock::ThinkingClock;
use crate::decision::Decision;
use crate::environment::Scenario;
use crate::log::{LogContent, LogEntry, MatchLog};
use crate::matches::{KeptNotes, Match, Setup};
use crate::outcome::{Fault, FaultKind, Note, Outcome, SeatFault};
use crate::player::{MatchStart, Player};
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// A match that was played to its end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FinishedMatch<A> {
    /// See [`Match::actions`].
    pub actions: Vec<A>,
    /// How it ended.
    pub outcome: Outcome,
    /// What players noted, in order, as far as it is [kept](Setup::notes).
    pub notes: Vec<Note>,
    /// The logs of programs.
    pub log: Vec<LogEntry>,
    /// The time for which each seat thought.
    pub thinking: Vec<Duration>,
}

/// Plays a match. `players[i]` plays seat i. A player that panics, faults, answers illegally or
/// runs out of its match time loses by [`Rules::forfeit`]. `watch` sees the match before the first
/// turn and after every turn.
///
/// # Example
/// ```
/// use quintain_core::{MatchStart, Outcome, Player, Rules, Scenario, Setup, play};
///
/// /// Plays a match of one player against another, and prints whose move it is.
/// fn duel<R: Rules>(scenario: Scenario<R>, mut players: [Box<dyn Player<R>>; 2]) -> Outcome {
///     let match_start = MatchStart::new("my-game", "standard", 2);
///     let setup = Setup::new(7);
///     let played = play(scenario, &match_start, &setup, &mut players, &mut |current| {
///         println!("turn {}: {:?} to move", current.turn(), current.acting());
///     });
///     played.outcome
/// }
/// ```
///
/// # Panics
/// If there are not as many players as seats.
pub fn play<R: Rules>(
    scenario: Scenario<R>,
    match_start: &MatchStart,
    setup: &Setup,
    players: &mut [Box<dyn Player<R>>],
    watch: &mut dyn FnMut(&Match<R>),
) -> FinishedMatch<R::Action> {
    assert_eq!(players.len(), scenario.rules().seats(), "one player for each seat");
    let mut referee = Referee::new(scenario, setup, players);
    let outcome = match referee.run(match_start, watch) {
        Ok(()) => referee.current.outcome().expect("it ran until the match was over"),
        Err(fault) => referee.current.outcome_with_fault(fault),
    };
    referee.finish(outcome)
}

/// A match and its players.
struct Referee<'a, R: Rules> {
    setup: &'a Setup,
    players: &'a mut [Box<dyn Player<R>>],
    /// What belongs to each player, by seat.
    progress: Vec<SeatProgress>,
    current: Match<R>,
    /// The actions of the turn.
    joint: Vec<R::Action>,
    notes: Vec<Note>,
    log: MatchLog,
    /// The entries of the turn, which are also in the log.
    turn_log: Vec<LogEntry>,
    /// Whether a player can think while others do.
    prepares: bool,
}

/// What a player has used up.
struct SeatProgress {
    rng: Rng,
    thinking: Duration,
    decisions: u32,
}

impl SeatProgress {
    /// Returns what is left of the time for the match, if that is limited.
    fn time_left(&self, budget: Budget) -> Option<Duration> {
        budget.match_time(self.decisions).map(|all| all.saturating_sub(self.thinking))
    }
}

impl<'a, R: Rules> Referee<'a, R> {
    fn new(scenario: Scenario<R>, setup: &'a Setup, players: &'a mut [Box<dyn Player<R>>]) -> Self {
        let streams = Streams::new(setup.seed);
        let progress = Seat::all(players.len()).map(|seat| SeatProgress {
            rng: streams.player(seat),
            thinking: Duration::ZERO,
            decisions: 0,
        });
        Referee {
            setup,
            prepares: players.iter().any(|player| player.can_prepare()),
            progress: progress.collect(),
            players,
            current: Match::new(scenario, setup.seed),
            joint: Vec::new(),
            notes: Vec::new(),
            log: MatchLog::default(),
            turn_log: Vec::new(),
        }
    }

    /// Plays the match until it is over or a player fails.
    fn run(
        &mut self,
        match_start: &MatchStart,
        watch: &mut dyn FnMut(&Match<R>),
    ) -> Result<(), SeatFault> {
        let started = self.start_players(match_start);
        watch(&self.current);
        started?;
        while !self.current.is_over() {
            self.play_turn()?;
            watch(&self.current);
        }
        self.settle_players()
    }

    fn start_players(&mut self, match_start: &MatchStart) -> Result<(), SeatFault> {
        let mut start = MatchStart { budget: self.setup.budget, ..match_start.clone() };
        for (seat, player) in Seat::all(self.players.len()).zip(&mut *self.players) {
            let seed = self.progress[seat.index()].rng.peek();
            start = MatchStart { seat, seed, ..start };
            catch_panic(|| player.start(&start)).map_err(|fault| SeatFault { seat, fault })?;
        }
        Ok(())
    }

    fn settle_players(&mut self) -> Result<(), SeatFault> {
        for (seat, player) in Seat::all(self.players.len()).zip(&mut *self.players) {
            catch_panic(|| player.settle()).map_err(|fault| SeatFault { seat, fault })?;
        }
        Ok(())
    }

    /// Asks every seat that moves, and plays their actions.
    fn play_turn(&mut self) -> Result<(), SeatFault> {
        self.joint.clear();
        self.turn_log.clear();
        if self.setup.notes == KeptNotes::Last {
            self.notes.clear();
        }
        let before = self.notes.len();
        if self.prepares && self.current.acting().len() > 1 {
            self.prepare_players()?;
        }
        for place in 0..self.current.acting().len() {
            let seat = self.current.acting()[place];
            let action = self.ask(seat).map_err(|fault| SeatFault { seat, fault })?;
            self.joint.push(action);
        }
        self.current.play(&self.joint).map_err(|(seat, illegal)| {
            let detail = format!("turn {}: {illegal}", self.current.turn());
            SeatFault { seat, fault: Fault::new(FaultKind::Illegal, detail) }
        })?;
        self.current.set_notes(&self.notes[before..]);
        self.current.set_log(&self.turn_log);
        Ok(())
    }

    /// Has those seats of the turn think that can do so at once.
    fn prepare_players(&mut self) -> Result<(), SeatFault> {
        let (budget, turn) = (self.setup.budget, self.current.turn());
        for seat in self.current.acting().iter().copied() {
            let player = &mut self.players[seat.index()];
            if !player.can_prepare() {
                continue;
            }
            let progress = &mut self.progress[seat.index()];
            let (time_left, rng) = (progress.time_left(budget), &mut progress.rng);
            let mut decision = Decision::new(self.current.rules(), self.current.state(), seat, rng)
                .with_limits(turn, budget, time_left)
                .with_stop(self.setup.stop.as_ref());
            let prepared = catch_panic(|| {
                player.prepare(&mut decision);
                Ok(())
            });
            prepared.map_err(|fault| SeatFault { seat, fault })?;
        }
        Ok(())
    }

    /// Asks a seat for its action, and measures how long it thinks.
    fn ask(&mut self, seat: Seat) -> Result<R::Action, Fault> {
        let (budget, turn) = (self.setup.budget, self.current.turn());
        let keeps_notes = self.keeps_notes();
        let progress = &mut self.progress[seat.index()];
        let time_left = progress.time_left(budget);
        let SeatProgress { rng, thinking, decisions } = progress;
        // Reading the clock costs more than a fast player's move, so it is read only where time is
        // limited.
        let begun = (!budget.is_reproducible()).then(ThinkingClock::start);
        let match_time = budget.match_time(*decisions);
        let mut decision = Decision::new(self.current.rules(), self.current.state(), seat, rng)
            .with_limits(turn, budget, time_left)
            .with_notes(keeps_notes.then_some(&mut self.notes))
            .with_stop(self.setup.stop.as_ref());
        let decided = catch_panic(|| self.players[seat.index()].decide(&mut decision));
        if let Some(begun) = begun {
            *thinking += decision.thought().unwrap_or_else(|| begun.elapsed());
        }
        *decisions += 1;
        let is_late = match_time.filter(|all| *thinking > *all);
        self.keep_log(seat);
        let action = decided?;
        match is_late {
            Some(all) => Err(Fault::new(
                FaultKind::Timeout,
                format!("{all:?} for the match used up on turn {turn}"),
            )),
            None => Ok(action),
        }
    }

    fn keeps_notes(&self) -> bool {
        self.setup.notes != KeptNotes::None
    }

    /// Keeps the player's log since the last call, as far as it is wanted.
    fn keep_log(&mut self, seat: Seat) {
        let keeps_all = self.keeps_notes();
        for (turn, content) in self.players[seat.index()].take_log() {
            let is_kept = matches!(content, LogContent::Stderr(_) | LogContent::Exchange { .. });
            if keeps_all || is_kept {
                let entry = LogEntry { turn, seat, content };
                self.turn_log.push(entry.clone());
                self.log.push(entry);
            }
        }
    }

    /// Tells the players the outcome, which nothing changes any more.
    fn finish(mut self, outcome: Outcome) -> FinishedMatch<R::Action> {
        for seat in Seat::all(self.players.len()) {
            // A player that fails only now loses nothing.
            let _ = catch_panic(|| {
                self.players[seat.index()].finish(&outcome);
                Ok(())
            });
            self.keep_log(seat);
        }
        let Match { actions, last_notes, .. } = self.current;
        // After a fault, `notes` are those of the turn that was not completed.
        let notes = if self.setup.notes == KeptNotes::Last { last_notes } else { self.notes };
        let thinking = self.progress.into_iter().map(|seat| seat.thinking).collect();
        FinishedMatch { actions, outcome, notes, log: self.log.into_entries(), thinking }
    }
}

/// Runs a player's code; a panic becomes a fault.
fn catch_panic<T>(code: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|panic| {
        let detail = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "without a message".to_owned());
        Err(Fault::new(FaultKind::Panic, detail.lines().next().unwrap_or_default()))
    })
}
