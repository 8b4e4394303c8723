//! A match in progress, and what the match loop needs besides the game and the players. The
//! [referee](crate::play) asks the players for their actions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::budget::Budget;
use crate::environment::Scenario;
use crate::log::{LogEntry, draw};
use crate::outcome::{Note, Outcome, SeatFault};
use crate::rules::{Illegal, Rules, Turn};
use crate::seat::Seat;
use crate::stream::{Rng, Streams};
use crate::ui::Scene;

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
    pub(crate) actions: Vec<R::Action>,
    turn: u32,
    pub(crate) last_notes: Vec<Note>,
    last_log: Vec<LogEntry>,
}

impl<R: Rules> Match<R> {
    /// The match on `scenario` with this seed, after chance's first moves.
    pub fn new(scenario: Scenario<R>, seed: u64) -> Self {
        let state = scenario.start(&mut Streams::new(seed).start());
        Match::from_start(scenario, state, seed)
    }

    /// The match that starts in this position, with the chance of a seed.
    pub(crate) fn from_start(scenario: Scenario<R>, state: R::State, seed: u64) -> Self {
        let chance = Streams::new(seed).chance();
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

    /// The drawing for the referee, without overlays, notes and logs.
    pub fn board(&self) -> Scene {
        self.scenario.presentation().board(self.scenario.rules(), &self.state)
    }

    /// The drawing after a turn, its first layer reduced to what may have changed. See
    /// [`Presentation::board_since`](crate::Presentation::board_since).
    pub fn board_since(&self) -> Option<Scene> {
        self.scenario.presentation().board_since(self.scenario.rules(), &self.state)
    }

    /// What a seat did on the last turn, as a sentence goes on after its name. See
    /// [`Presentation::tell`](crate::Presentation::tell).
    pub fn tell(&self, seat: Seat, action: &R::Action) -> Option<String> {
        self.scenario.presentation().tell(self.scenario.rules(), &self.state, seat, action)
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

    /// The log of programs on the last turn, as far as the caller has [set](Match::set_log) it.
    pub fn log(&self) -> &[LogEntry] {
        &self.last_log
    }

    /// Sets the log of programs on the last turn. The next turn clears it.
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

    fn metrics(&self) -> BTreeMap<String, f64> {
        let mut metrics: BTreeMap<String, f64> = self
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
    /// The figures of the last turn, which the drawing of a position shows. A long match with many
    /// players makes far more notes than actions.
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
    /// The seats that forfeit where others would make the match [void](crate::FaultKind::is_void):
    /// those of players that have made too many void.
    pub forfeiting: Vec<Seat>,
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

    /// The same setup, with seats that forfeit where others would make the match void.
    pub fn with_forfeiting(self, forfeiting: Vec<Seat>) -> Setup {
        Setup { forfeiting, ..self }
    }

    /// The same setup, for a match that is abandoned when this is set.
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Setup {
        Setup { stop: Some(stop), ..self }
    }
}
