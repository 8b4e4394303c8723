//! A match in progress, and the loop that asks players for actions until the match ends. This is
//! the referee: it takes legality from the rules, chance from the match's streams, and decisions
//! from the players. It shows and stores nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::budget::Budget;
use crate::ui::Scene;

use crate::clock::ThinkingClock;
use crate::decision::Decision;
use crate::environment::Scenario;
use crate::log::{LogContent, LogEntry, MatchLog, draw};
use crate::outcome::{Fault, FaultKind, Note, Outcome, SeatFault};
use crate::player::{MatchStart, Player};
use crate::rules::{Illegal, Rules, Turn};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};

/// A game in progress: the position, the actions so far, and the stream of chance.
///
/// # Example
/// Plays a match of any game with random actions:
/// ```
/// use quintain_core::{Match, Outcome, Rng, Rules, Scenario};
///
/// fn play_at_random<R: Rules>(scenario: Scenario<R>, seed: u64) -> Outcome {
///     let mut current = Match::new(scenario, seed);
///     let mut rng = Rng::from_seed(seed);
///     while !current.is_over() {
///         let (rules, state) = (current.rules(), current.state());
///         let acting = current.acting().iter();
///         let joint: Vec<R::Action> =
///             acting.map(|seat| rules.random_action(state, *seat, &mut rng)).collect();
///         current.play(&joint).expect("offered actions are legal");
///     }
///     current.outcome().expect("the match is over")
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Match<R: Rules> {
    scenario: Scenario<R>,
    state: R::State,
    chance: Rng,
    acting: Vec<Seat>,
    actions: Vec<R::Action>,
    turn: u32,
    last_notes: Vec<Note>,
    last_log: Vec<LogEntry>,
}

impl<R: Rules> Match<R> {
    /// The match on `scenario` with this seed, after chance's first moves.
    pub fn new(scenario: Scenario<R>, seed: u64) -> Self {
        let streams = Streams::new(seed);
        let state = scenario.start(&mut streams.start());
        let chance = streams.chance();
        let (acting, actions) = (Vec::new(), Vec::new());
        let (last_notes, last_log) = (Vec::new(), Vec::new());
        let mut new =
            Match { scenario, state, chance, acting, actions, turn: 0, last_notes, last_log };
        new.advance_chance();
        new
    }

    /// Lets chance move until a seat must, and notes which seats must.
    fn advance_chance(&mut self) {
        self.acting.clear();
        loop {
            match self.scenario.rules().turn(&self.state) {
                Turn::Over => return,
                Turn::Chance => self.scenario.apply_chance(&mut self.state, &mut self.chance),
                Turn::Seat(seat) => {
                    self.acting.push(seat);
                    return;
                }
                Turn::Simultaneous => {
                    let (rules, state) = (self.scenario.rules(), &self.state);
                    self.acting
                        .extend(Seat::all(rules.seats()).filter(|s| rules.is_acting(state, *s)));
                    debug_assert!(!self.acting.is_empty(), "simultaneous, but no seat acts");
                    return;
                }
            }
        }
    }

    /// The rules.
    pub fn rules(&self) -> &R {
        self.scenario.rules()
    }

    /// The drawing, as the referee or one seat sees it, with players' notes on the last turn. A
    /// seat sees only its own notes.
    pub fn scene(&self, observer: Option<Seat>) -> Scene {
        let (rules, presentation) = (self.scenario.rules(), self.scenario.presentation());
        let mut scene = presentation.scene(rules, &self.state, observer);
        match observer {
            None => {
                presentation.annotate(rules, &self.state, &self.last_notes, None, &mut scene);
            }
            Some(seat) => {
                let own = self.last_notes.iter().filter(|note| note.seat == seat);
                let own: Vec<Note> = own.cloned().collect();
                presentation.annotate(rules, &self.state, &own, observer, &mut scene);
            }
        }
        draw(&self.last_log, observer, rules.seats(), &mut scene);
        scene
    }

    /// The position.
    pub fn state(&self) -> &R::State {
        &self.state
    }

    /// The seats that must move now, in order; none when the match is over.
    pub fn acting(&self) -> &[Seat] {
        &self.acting
    }

    /// Whether the match has ended.
    pub fn is_over(&self) -> bool {
        self.acting.is_empty()
    }

    /// Turns played.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// All actions so far: for each turn, one action of each seat that moved, in order.
    pub fn actions(&self) -> &[R::Action] {
        &self.actions
    }

    /// What players noted about the decisions that led to this position, as far as the caller has
    /// [set](Match::set_notes) it.
    pub fn notes(&self) -> &[Note] {
        &self.last_notes
    }

    /// Sets what players noted about their decisions on the last turn, for drawings that show it.
    /// The next turn clears it.
    pub fn set_notes(&mut self, notes: &[Note]) {
        self.last_notes.clear();
        self.last_notes.extend_from_slice(notes);
    }

    /// What programs said on the last turn, as far as the caller has [set](Match::set_log) it.
    pub fn log(&self) -> &[LogEntry] {
        &self.last_log
    }

    /// Sets what programs said on the last turn. The next turn clears it.
    pub fn set_log(&mut self, log: &[LogEntry]) {
        self.last_log.clear();
        self.last_log.extend_from_slice(log);
    }

    /// Plays one turn: an action for each of [`Match::acting`], in order.
    ///
    /// # Errors
    /// The first seat whose action the rules refuse, or whose action is missing or surplus, and the
    /// reason. The match is then unchanged.
    pub fn play(&mut self, joint: &[R::Action]) -> Result<(), (Seat, Illegal)> {
        if self.is_over() {
            return Err((Seat::new(0), Illegal::new("the match is over")));
        }
        if joint.len() != self.acting.len() {
            let seat = *self.acting.get(joint.len()).unwrap_or(&self.acting[0]);
            let (want, got) = (self.acting.len(), joint.len());
            let problem = match want {
                1 => format!("one seat moves on this turn, not {got}"),
                _ => format!("{want} seats move on this turn, not {got}"),
            };
            return Err((seat, Illegal::new(problem)));
        }
        for (seat, action) in self.acting.iter().zip(joint) {
            self.rules().check(&self.state, *seat, action).map_err(|illegal| (*seat, illegal))?;
        }
        self.scenario.rules().step(&mut self.state, joint);
        self.actions.extend_from_slice(joint);
        self.turn += 1;
        self.last_notes.clear();
        self.last_log.clear();
        self.advance_chance();
        Ok(())
    }

    /// The outcome, once the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| {
            let ending = self.rules().ending(&self.state);
            let scores = Seat::all(self.rules().seats());
            Outcome {
                scores: scores.map(|seat| self.rules().score(&self.state, seat)).collect(),
                ending: ending.reason.to_owned(),
                truncated: ending.truncated,
                fault: None,
                metrics: self.metrics(),
            }
        })
    }

    /// The outcome if this fault ended the match here.
    pub fn outcome_with_fault(&self, fault: SeatFault) -> Outcome {
        Outcome {
            scores: self.rules().forfeit(&self.state, fault.seat),
            ending: "forfeit".to_owned(),
            truncated: false,
            fault: Some(fault),
            metrics: self.metrics(),
        }
    }

    fn metrics(&self) -> std::collections::BTreeMap<String, f64> {
        let mut metrics: std::collections::BTreeMap<String, f64> = self
            .rules()
            .metrics(&self.state)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        metrics.insert("turns".to_owned(), self.turn.into());
        metrics
    }
}

/// How much is kept of what players note about their decisions, in figures, words and drawings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KeptNotes {
    /// Nothing, and players need not note anything.
    #[default]
    None,
    /// The figures of the last turn, which the drawing of a position shows. A long match with many players
    /// makes far more notes than actions.
    Last,
    /// Everything, as a record that is written somewhere needs.
    All,
}

impl From<bool> for KeptNotes {
    fn from(all: bool) -> KeptNotes {
        if all { KeptNotes::All } else { KeptNotes::None }
    }
}

/// What the match loop needs besides the game and the players.
///
/// ```
/// use quintain_core::Setup;
///
/// let setup = Setup::new(7).with_budget("nodes=1000".parse().unwrap()).with_notes(true);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Setup {
    /// The match's seed.
    pub seed: u64,
    /// What each player may think.
    pub budget: Budget,
    /// How much to keep of what players note about their decisions. Standard error is always kept.
    pub notes: KeptNotes,
    /// When set, the match is abandoned: players finish their decisions at once.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Setup {
    /// The match with this seed, without limits, notes or a way to stop it.
    pub fn new(seed: u64) -> Setup {
        Setup { seed, ..Setup::default() }
    }

    /// The same setup, with a budget for each player.
    pub fn with_budget(self, budget: Budget) -> Setup {
        Setup { budget, ..self }
    }

    /// The same setup, with players' notes kept or not, or only the last turn's.
    pub fn with_notes(self, notes: impl Into<KeptNotes>) -> Setup {
        Setup { notes: notes.into(), ..self }
    }

    /// The same setup, for a match that is abandoned when this is set.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Setup {
        Setup { stop: Some(stop), ..self }
    }
}

/// A match played to its end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlayedMatch<A> {
    /// See [`Match::actions`].
    pub actions: Vec<A>,
    /// How it ended.
    pub outcome: Outcome,
    /// What players noted, in order, as far as it is [kept](Setup::notes).
    pub notes: Vec<Note>,
    /// What programs said besides their actions.
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
) -> PlayedMatch<R::Action> {
    assert_eq!(players.len(), scenario.rules().seats(), "one player for each seat");
    let streams = Streams::new(setup.seed);
    let mut rngs: Vec<Rng> = Seat::all(players.len()).map(|seat| streams.player(seat)).collect();
    let mut current = Match::new(scenario, setup.seed);
    let mut thinking = vec![Duration::ZERO; players.len()];
    let mut decisions = vec![0; players.len()];
    let mut notes = Vec::new();
    let mut log = MatchLog::default();
    let mut said = Vec::new();
    let notes_wanted = setup.notes != KeptNotes::None;
    let is_wanted =
        |(_, content): &(u32, LogContent)| notes_wanted || matches!(content, LogContent::Stderr(_));
    let mut joint = Vec::new();

    let mut fault = None;
    let mut told = MatchStart { budget: setup.budget, ..match_start.clone() };
    for (seat, player) in Seat::all(players.len()).zip(&mut *players) {
        told = MatchStart { seat, seed: rngs[seat.index()].peek(), ..told };
        if let Err(failed) = catch_panic(|| player.start(&told)) {
            fault = Some(SeatFault { seat, fault: failed });
            break;
        }
    }
    watch(&current);
    // Reading the clock costs more than a fast player's move, so it is read only where time is
    // limited.
    let timed = !setup.budget.is_reproducible();
    while fault.is_none() && !current.is_over() {
        joint.clear();
        said.clear();
        if setup.notes == KeptNotes::Last {
            notes.clear();
        }
        let before = notes.len();
        for &seat in &current.acting {
            let index = seat.index();
            let begun = timed.then(ThinkingClock::start);
            let all = setup.budget.match_time(decisions[index]);
            let left = all.map(|all| all.saturating_sub(thinking[index]));
            let mut decision =
                Decision::new(current.scenario.rules(), &current.state, seat, &mut rngs[index])
                    .with_limits(current.turn, setup.budget, left)
                    .with_notes(notes_wanted.then_some(&mut notes))
                    .with_stop(setup.stop.as_ref());
            let decided = catch_panic(|| players[index].decide(&mut decision));
            if let Some(begun) = begun {
                thinking[index] += decision.thought().unwrap_or_else(|| begun.elapsed());
            }
            decisions[index] += 1;
            let spoken = players[index].take_log().into_iter().filter(is_wanted);
            for (turn, content) in spoken {
                let entry = LogEntry { turn, seat, content };
                said.push(entry.clone());
                log.push(entry);
            }
            let decided = decided.and_then(|action| match all {
                Some(all) if thinking[index] > all => Err(Fault::new(
                    FaultKind::Timeout,
                    format!("{:?} for the match used up on turn {}", all, current.turn),
                )),
                _ => Ok(action),
            });
            match decided {
                Ok(action) => joint.push(action),
                Err(failed) => {
                    fault = Some(SeatFault { seat, fault: failed });
                    break;
                }
            }
        }
        if fault.is_none() {
            match current.play(&joint) {
                Ok(()) => {
                    current.set_notes(&notes[before..]);
                    current.set_log(&said);
                    watch(&current);
                }
                Err((seat, illegal)) => {
                    let detail = format!("turn {}: {illegal}", current.turn);
                    let failed = Fault::new(FaultKind::Illegal, detail);
                    fault = Some(SeatFault { seat, fault: failed });
                }
            }
        }
    }
    if fault.is_none() {
        fault = Seat::all(players.len()).zip(&mut *players).find_map(|(seat, player)| {
            let fault = catch_panic(|| player.settle()).err()?;
            Some(SeatFault { seat, fault })
        });
    }
    let outcome = match fault {
        Some(fault) => current.outcome_with_fault(fault),
        None => current.outcome().expect("the loop runs until the match is over"),
    };
    for (seat, player) in Seat::all(players.len()).zip(players) {
        // The outcome is settled, so a player that fails only now loses nothing.
        let _ = catch_panic(|| {
            player.finish(&outcome);
            Ok(())
        });
        for (turn, content) in player.take_log().into_iter().filter(is_wanted) {
            log.push(LogEntry { turn, seat, content });
        }
    }
    // After a fault, `notes` are those of the turn that was not completed.
    let notes = if setup.notes == KeptNotes::Last { current.last_notes } else { notes };
    PlayedMatch { actions: current.actions, outcome, notes, log: log.into_entries(), thinking }
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
