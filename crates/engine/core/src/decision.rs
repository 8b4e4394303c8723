//! One question to a player: what it may see, what it may do, and how much it may think. The state
//! itself stays hidden; a player gets only what its seat may see.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::budget::{Budget, Meter, Unit};
use crate::outcome::Note;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Rng;

/// A turn, as one seat sees it. The observation and the actions are computed on request, so a
/// player pays only for what it looks at.
///
/// # Example
/// A player of games in which one seat moves at a time. It tries each action on a position that
/// looks like the true one, and takes the action after which the rules' estimate is best.
/// ```
/// use quintain_core::{Decision, Fault, Player, Rules};
///
/// struct OneStep;
///
/// impl<R: Rules> Player<R> for OneStep {
///     fn decide(&mut self, decision: &mut Decision<'_, R>) -> Result<R::Action, Fault> {
///         let (rules, seat) = (decision.rules(), decision.seat());
///         let position = decision.determinize();
///         let gain = |action: &R::Action| {
///             let mut next = position.clone();
///             rules.step(&mut next, std::slice::from_ref(action));
///             rules.objective().gain(rules.estimate(&next, seat))
///         };
///         let best = decision.actions().into_iter().max_by(|a, b| gain(a).total_cmp(&gain(b)));
///         Ok(best.expect("an action is offered"))
///     }
/// }
/// ```
pub struct Decision<'a, R: Rules> {
    rules: &'a R,
    state: &'a R::State,
    seat: Seat,
    turn: u32,
    budget: Budget,
    time_left: Option<Duration>,
    thought: Option<Duration>,
    latest: Option<Instant>,
    stop: Option<&'a Arc<AtomicBool>>,
    rng: &'a mut Rng,
    notes: Option<&'a mut Vec<Note>>,
}

impl<'a, R: Rules> Decision<'a, R> {
    /// A question outside any match. Tests ask players this way, and so do callers that only hold
    /// an observation (through [`Rules::determinize`]).
    pub fn new(rules: &'a R, state: &'a R::State, seat: Seat, rng: &'a mut Rng) -> Self {
        Decision {
            rules,
            state,
            seat,
            turn: 0,
            budget: Budget::default(),
            time_left: None,
            thought: None,
            latest: None,
            stop: None,
            rng,
            notes: None,
        }
    }

    /// The same question on turn `turn`, with a budget and the time the seat has left.
    pub fn with_limits(mut self, turn: u32, budget: Budget, time_left: Option<Duration>) -> Self {
        self.turn = turn;
        self.budget = budget;
        self.time_left = time_left;
        self
    }

    /// The same question, with a place to keep notes.
    pub fn with_notes(mut self, notes: Option<&'a mut Vec<Note>>) -> Self {
        self.notes = notes;
        self
    }

    /// The same question, answered by `latest` at the latest: waits for a core postpone that no
    /// further (see [`Meter::not_after`]).
    pub fn not_after(mut self, latest: Option<Instant>) -> Self {
        self.latest = latest;
        self
    }

    /// The same question, abandoned when `stop` is set.
    pub fn with_stop(mut self, stop: Option<&'a Arc<AtomicBool>>) -> Self {
        self.stop = stop;
        self
    }

    /// The rules.
    pub fn rules(&self) -> &'a R {
        self.rules
    }

    /// Whose move it is.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The turn of the match, from 0.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// What this seat sees.
    pub fn observation(&self) -> R::Observation {
        self.rules.observe(self.state, self.seat)
    }

    /// The actions offered. See [`Rules::actions`].
    pub fn actions(&self) -> Vec<R::Action> {
        let mut actions = Vec::new();
        self.rules.actions(self.state, self.seat, &mut actions);
        actions
    }

    /// One of the offered actions, drawn uniformly.
    pub fn random_action(&mut self) -> R::Action {
        self.rules.random_action(self.state, self.seat, self.rng)
    }

    /// A position that looks like this one to the seat; with full information, the position itself.
    /// What the seat cannot see is drawn from the player's stream.
    pub fn determinize(&mut self) -> R::State {
        let observation = self.rules.observe(self.state, self.seat);
        self.rules.determinize(&observation, self.seat, self.rng)
    }

    /// The player's own stream of random numbers.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// What the match allows.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The time left to this seat for the rest of the match, if that is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.time_left
    }

    /// Records how long the decision took by the player's own clock, where that differs from ours:
    /// a program's clock stops while it waits for a core.
    pub(crate) fn record_thinking_time(&mut self, thought: Duration) {
        self.thought = Some(thought);
    }

    /// How long the decision took by the player's own clock, if that differs from ours.
    pub(crate) fn thought(&self) -> Option<Duration> {
        self.thought
    }

    /// The flag that is set when the match is abandoned.
    pub(crate) fn stop(&self) -> Option<&'a Arc<AtomicBool>> {
        self.stop
    }

    /// The meter of this decision for a player that counts `unit`s: it allows `default` of them if
    /// the budget sets no limit. If the match's time is limited, it allows 1/20 of the time left.
    pub fn meter(&self, unit: Unit, default: u64) -> Meter {
        let share = self.time_left.map(|left| left / 20);
        let time = match (self.budget.per_move, share) {
            (Some(move_time), Some(share)) => Some(move_time.min(share)),
            (move_time, share) => move_time.or(share),
        };
        self.make_meter(unit, default, time)
    }

    /// The meter of a plan for the whole match, made on its first turn: like [`Decision::meter`],
    /// but it allows nearly all of the match's time.
    pub fn whole_meter(&self, unit: Unit, default: u64) -> Meter {
        let time = self.time_left.map(|left| left * 19 / 20).or(self.budget.per_move);
        self.make_meter(unit, default, time)
    }

    fn make_meter(&self, unit: Unit, default: u64, time: Option<Duration>) -> Meter {
        let mut meter = self.budget.meter(unit, default, time.map(|time| Instant::now() + time));
        if let Some(latest) = self.latest {
            meter = meter.not_after(latest);
        }
        match self.stop {
            Some(stop) => meter.with_stop(Arc::clone(stop)),
            None => meter,
        }
    }

    /// Keeps a figure about this decision with the record, if notes are wanted. Infinities and NaN
    /// are dropped, since no record can hold them.
    pub fn note(&mut self, name: &str, value: f64) {
        let (turn, seat) = (self.turn, self.seat);
        if !value.is_finite() {
            return;
        }
        if let Some(notes) = self.notes.as_deref_mut() {
            notes.push(Note { turn, seat, name: name.to_owned(), value });
        }
    }
}
