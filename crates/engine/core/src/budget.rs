//! How much a player may think, and the meter that tells when the budget is spent. Work budgets
//! (iterations, nodes) are reproducible; time budgets are not, as [`Budget::is_reproducible`]
//! tells.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::clock::{self, MAX_WALL_TIME_FACTOR, waiting_time};
use crate::duration::{DurationError, format_duration, parse_duration};

/// Limits on thinking. Written `nodes=2000`, `iterations=500`, `move=40ms`, `match=60s`, or several
/// joined by commas; with the empty text, every player uses its own default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Budget {
    /// Simulations, playouts or restarts per decision.
    pub iterations: Option<u64>,
    /// Positions examined per decision.
    pub nodes: Option<u64>,
    /// Time for one decision.
    pub per_move: Option<Duration>,
    /// Time for all decisions of a seat in one match.
    pub per_match: Option<Duration>,
    /// The time that every decision adds to the match's time.
    pub increment: Option<Duration>,
}

/// What a player counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Simulations, playouts or restarts.
    Iterations,
    /// Positions examined.
    Nodes,
}

impl Budget {
    /// A budget that limits only the time of a decision.
    pub fn time(per_move: Duration) -> Self {
        Budget { per_move: Some(per_move), ..Budget::default() }
    }

    /// A budget that limits only nodes.
    pub fn nodes(nodes: u64) -> Self {
        Budget { nodes: Some(nodes), ..Budget::default() }
    }

    /// A budget that limits only iterations.
    pub fn iterations(iterations: u64) -> Self {
        Budget { iterations: Some(iterations), ..Budget::default() }
    }

    /// Whether the same seeds give the same match on every machine under this budget.
    pub fn is_reproducible(&self) -> bool {
        self.per_move.is_none() && self.per_match.is_none()
    }

    /// Checks that the budget can be enforced here: a time limit needs a clock, which WebAssembly
    /// without WASI does not have. Matches check it when they begin; a record with a time limit can
    /// be read and replayed everywhere.
    ///
    /// # Errors
    /// [`BudgetProblem::NoClock`] if time is limited and there is no clock.
    pub fn check_clock(&self) -> Result<(), BudgetError> {
        self.check_clock_if(clock::now().is_some())
    }

    fn check_clock_if(&self, is_there: bool) -> Result<(), BudgetError> {
        match is_there || self.is_reproducible() {
            true => Ok(()),
            false => Err(BudgetError { text: self.to_string(), problem: BudgetProblem::NoClock }),
        }
    }

    /// The total time of a seat that has made `decisions` decisions in a match, if that time is
    /// limited.
    pub fn match_time(&self, decisions: u32) -> Option<Duration> {
        let all = self.per_match?;
        Some(all.saturating_add(self.increment.unwrap_or_default().saturating_mul(decisions)))
    }

    /// The meter of a decision by a player that counts `unit`s. If no limit applies, it allows
    /// `default` units.
    pub fn meter(&self, unit: Unit, default: u64, deadline: Option<Instant>) -> Meter {
        let work = match unit {
            Unit::Iterations => self.iterations,
            Unit::Nodes => self.nodes,
        };
        let work = work.unwrap_or(if deadline.is_some() { u64::MAX } else { default });
        Meter::new(work, deadline)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = [("iterations", self.iterations), ("nodes", self.nodes)];
        let mut parts: Vec<String> =
            work.iter().filter_map(|(name, n)| n.map(|n| format!("{name}={n}"))).collect();
        parts.extend(self.per_move.map(|time| format!("move={}", format_duration(time))));
        parts.extend(self.per_match.map(|time| {
            let more = self.increment.map(|more| format!("+{}", format_duration(more)));
            format!("match={}{}", format_duration(time), more.unwrap_or_default())
        }));
        f.write_str(&parts.join(","))
    }
}

/// A budget that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("budget “{text}”: {problem}; write for example {}", problem.example())]
pub struct BudgetError {
    text: String,
    #[source]
    problem: BudgetProblem,
}

impl BudgetError {
    /// What is wrong with it.
    pub fn problem(&self) -> &BudgetProblem {
        &self.problem
    }
}

/// What is wrong with a budget that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetProblem {
    /// A part has no value; contains the part.
    #[error("“{0}” has no =")]
    NoValue(String),
    /// The count of nodes or iterations is not a valid number; contains its text.
    #[error("“{0}” is not a positive whole number")]
    Count(String),
    /// A time is not a valid duration.
    #[error(transparent)]
    Time(#[from] DurationError),
    /// A time is too short or too long; contains its text.
    #[error("“{0}” is not a time from 1us to 1e9s")]
    TimeRange(String),
    /// There is no limit of that name; the text suggests one.
    #[error("{0}")]
    UnknownLimit(String),
    /// Time is limited, but there is no clock.
    #[error("there is no clock here, so time cannot be limited")]
    NoClock,
}

impl BudgetProblem {
    /// An example of what can be written instead.
    fn example(&self) -> &'static str {
        match self {
            BudgetProblem::NoClock => "nodes=2000 or iterations=500",
            _ => "nodes=2000, iterations=500, move=40ms, match=60s or match=60s+100ms",
        }
    }
}

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Self, BudgetError> {
        let error = |problem: BudgetProblem| BudgetError { text: text.to_owned(), problem };
        let mut budget = Budget::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| error(BudgetProblem::NoValue(part.to_owned())))?;
            let count = || match value.replace('_', "").parse::<u64>() {
                Ok(n) if n > 0 => Ok(Some(n)),
                _ => Err(error(BudgetProblem::Count(value.to_owned()))),
            };
            match name.trim() {
                "iterations" => budget.iterations = count()?,
                "nodes" => budget.nodes = count()?,
                "move" => budget.per_move = Some(parse_limit(value).map_err(error)?),
                "match" => {
                    let (all, more) = match value.split_once('+') {
                        Some((all, more)) => (all, Some(more)),
                        None => (value, None),
                    };
                    budget.per_match = Some(parse_limit(all).map_err(error)?);
                    budget.increment = more.map(parse_limit).transpose().map_err(error)?;
                }
                other => {
                    let names = ["iterations", "nodes", "move", "match"];
                    let problem = crate::did_you_mean("limit", other, names);
                    return Err(error(BudgetProblem::UnknownLimit(problem)));
                }
            }
        }
        Ok(budget)
    }
}

/// Parses a limit on time, which is at least a microsecond and at most 10⁹ seconds.
fn parse_limit(text: &str) -> Result<Duration, BudgetProblem> {
    let time = parse_duration(text)?;
    match (SHORTEST..=LONGEST).contains(&time) {
        true => Ok(time),
        false => Err(BudgetProblem::TimeRange(text.trim().to_owned())),
    }
}

/// The least and the greatest limit on time. Less is meaningless, and with more, sums could
/// overflow.
const SHORTEST: Duration = Duration::from_micros(1);
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

impl TryFrom<String> for Budget {
    type Error = BudgetError;
    fn try_from(text: String) -> Result<Self, BudgetError> {
        text.parse()
    }
}

impl From<Budget> for String {
    fn from(budget: Budget) -> String {
        budget.to_string()
    }
}

/// Counts down the work that is left and watches the clock.
///
/// ```
/// use quintain_core::Meter;
/// let mut meter = Meter::of(3);
/// let mut done = 0;
/// while meter.spend() {
///     done += 1;
/// }
/// assert_eq!(done, 3);
/// ```
#[derive(Clone, Debug)]
pub struct Meter {
    left: u64,
    spent: u64,
    deadline: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
    next_look: u64,
    look_every: u64,
    last_look: Option<Instant>,
    waits: Waits,
}

/// What a meter knows about its thread's waits for a core, by which it postpones its deadline.
#[derive(Clone, Copy, Debug)]
struct Waits {
    thread: ThreadId,
    /// The thread's waiting time when the deadline was set.
    counted: Duration,
    /// The time after which the deadline is not postponed any more.
    latest: Option<Instant>,
}

impl Waits {
    fn new(deadline: Option<Instant>) -> Waits {
        let latest = deadline.map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now).saturating_mul(MAX_WALL_TIME_FACTOR)
        });
        let counted = latest.map_or(Duration::ZERO, |_| waiting_time());
        Waits { thread: std::thread::current().id(), counted, latest }
    }

    /// The deadline, later by the time for which the thread has waited for a core since it was set.
    /// The waits of other threads are unknown.
    fn postpone(&self, deadline: Instant) -> Instant {
        if std::thread::current().id() != self.thread {
            return deadline;
        }
        self.postpone_by(waiting_time().saturating_sub(self.counted), deadline)
    }

    fn postpone_by(&self, waited: Duration, deadline: Instant) -> Instant {
        let latest = self.latest.map_or(deadline, |latest| latest.max(deadline));
        latest.min(deadline + waited)
    }
}

impl Meter {
    /// A meter of `work` units that ends at `deadline`, if there is one. The deadline is postponed
    /// by the time for which the thread waits for a core, up to [`MAX_WALL_TIME_FACTOR`] times the
    /// time that was left.
    pub fn new(work: u64, deadline: Option<Instant>) -> Self {
        Meter {
            left: work,
            spent: 0,
            deadline,
            stop: None,
            next_look: 0,
            look_every: 1,
            last_look: None,
            waits: Waits::new(deadline),
        }
    }

    /// A meter of `work` units, however long they take.
    pub fn of(work: u64) -> Self {
        Meter::new(work, None)
    }

    /// The same meter, whose deadline is postponed no further than to `latest`.
    pub fn not_after(mut self, latest: Instant) -> Self {
        self.waits.latest = self.waits.latest.map(|most| most.min(latest));
        self
    }

    /// The same meter that also ends when `stop` is set from outside (a signal, say).
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Takes one unit. Returns false if none is left, the time is up or a stop was requested.
    #[inline]
    pub fn spend(&mut self) -> bool {
        if self.spent >= self.next_look && self.time_is_up() {
            self.left = 0;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.spent += 1;
        true
    }

    /// Whether no further unit can be taken. Takes none itself.
    pub fn is_spent(&mut self) -> bool {
        self.left == 0 || self.time_is_up()
    }

    /// The units taken so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// The units left; `u64::MAX` if only time is limited.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// A separate meter for a share of the remaining work and time, whose deadline is postponed by
    /// that share of what this meter's can be. Report the units that it used to this meter with
    /// [`Meter::charge`].
    pub fn part(&self, share: f64) -> Meter {
        let work = if self.left == u64::MAX { u64::MAX } else { (self.left as f64 * share) as u64 };
        let share_of = |end: Instant| {
            let now = Instant::now();
            now + end.saturating_duration_since(now).mul_f64(share)
        };
        let mut part = Meter::new(work, self.deadline().map(share_of));
        part.waits.latest = part.waits.latest.min(self.waits.latest.map(share_of));
        Meter { stop: self.stop.clone(), ..part }
    }

    /// Takes units that were spent elsewhere.
    pub fn charge(&mut self, units: u64) {
        self.spent += units;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(units);
        }
    }

    /// The time at which the meter ends, if time is limited. It is later after every wait of the
    /// thread for a core.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|deadline| self.waits.postpone(deadline))
    }

    /// The time that is left, if time is limited. It stops while the thread waits for a
    /// core, as long as the deadline can be postponed, so it also tells how long something took.
    /// Takes a microsecond or two.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Reads the clock and schedules the next reading. Readings are about 1/16 of the remaining
    /// time apart, whatever a unit costs.
    #[cold]
    fn time_is_up(&mut self) -> bool {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return true;
        }
        let Some(deadline) = self.deadline else {
            self.next_look = if self.stop.is_some() { self.spent + 256 } else { u64::MAX };
            return false;
        };
        let now = Instant::now();
        let mut left = deadline.saturating_duration_since(now);
        if left.is_zero() {
            // The deadline has passed by the wall clock, but the thread may have waited for a core
            // meanwhile.
            left = self.waits.postpone(deadline).saturating_duration_since(now);
            if left.is_zero() {
                return true;
            }
        }
        if let Some(last_look) = self.last_look.replace(now) {
            let since = now - last_look;
            if since > left / 16 {
                self.look_every = (self.look_every / 2).max(1);
            } else if since < left / 64 {
                self.look_every = (self.look_every * 2).min(1024);
            }
        }
        self.next_look = self.spent + self.look_every;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_read_back() {
        for text in [
            "",
            "nodes=2000",
            "iterations=500,move=40ms",
            "match=60s",
            "match=200ms+2ms",
            "move=1500us",
        ] {
            let budget: Budget = text.parse().unwrap();
            assert_eq!(budget.to_string(), text);
        }
        let minutes: Budget = "match=2min".parse().unwrap();
        assert_eq!(minutes.to_string(), "match=120s");
        let fine: Budget = "move=1.6us".parse().unwrap();
        assert_eq!(fine.to_string().parse(), Ok(fine));
    }

    #[test]
    fn budget_errors_name_the_mistake() {
        let error_of = |text: &str| text.parse::<Budget>().unwrap_err().to_string();
        assert!(error_of("node=3").contains("did you mean “nodes”"), "{}", error_of("node=3"));
        assert!(error_of("nodes=-1").contains("positive whole number"));
        assert!(error_of("move=fast").contains("not a time"));
        assert!(error_of("nodes").contains("has no ="));
        for time in ["0ms", "0.4us", "1e9h", "-2s"] {
            let message = error_of(&format!("move={time}"));
            assert!(message.contains("is not a time"), "{message}");
        }
    }

    #[test]
    fn without_a_clock_only_time_limits_are_refused() {
        assert_eq!(Budget::nodes(5).check_clock_if(false), Ok(()));
        let timed: Budget = "nodes=5,move=40ms".parse().unwrap();
        assert_eq!(timed.check_clock(), Ok(()));
        assert_eq!(
            timed.check_clock_if(false).unwrap_err().to_string(),
            "budget “nodes=5,move=40ms”: there is no clock here, so time cannot be limited; \
             write for example nodes=2000 or iterations=500"
        );
    }

    #[test]
    fn every_decision_adds_the_increment_to_the_time_of_a_match() {
        let budget: Budget = "match=200ms+2ms".parse().unwrap();
        assert_eq!(budget.match_time(0), Some(Duration::from_millis(200)));
        assert_eq!(budget.match_time(50), Some(Duration::from_millis(300)));
        assert_eq!(Budget::default().match_time(50), None);
    }

    #[test]
    fn a_meter_past_its_deadline_is_spent() {
        let mut meter = Meter::new(1000, Some(Instant::now()));
        assert!(!meter.spend());
        assert!(meter.is_spent());
    }

    #[test]
    fn waiting_for_a_core_extends_the_deadline_up_to_a_limit() {
        let second = Duration::from_secs(1);
        let deadline = Instant::now() + 100 * second;
        let meter = Meter::new(u64::MAX, Some(deadline)).not_after(deadline + 2 * second);
        assert_eq!(meter.waits.postpone_by(second, deadline), deadline + second);
        assert_eq!(meter.waits.postpone_by(5 * second, deadline), deadline + 2 * second);
        // No limit brings a deadline forward, and where the whole cannot be postponed, no part can.
        let strict = meter.not_after(deadline - second);
        assert_eq!(strict.waits.postpone_by(5 * second, deadline), deadline);
        let part = strict.part(0.5);
        let end = part.deadline().unwrap();
        assert_eq!(part.waits.postpone_by(5 * second, end), end);
    }

    #[test]
    fn the_stop_flag_ends_the_meter() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut meter = Meter::of(u64::MAX).with_stop(Arc::clone(&stop));
        assert!(meter.spend());
        stop.store(true, Ordering::Relaxed);
        assert!((0..1000).any(|_| !meter.spend()));
    }

    #[test]
    fn a_split_meter_is_charged_to_the_whole() {
        let mut whole = Meter::of(100);
        let mut part = whole.part(0.25);
        assert_eq!((0..100).filter(|_| part.spend()).count(), 25);
        whole.charge(part.spent());
        assert_eq!((whole.spent(), whole.left()), (25, 75));
    }

    #[test]
    fn work_limits_override_defaults() {
        let mut meter = Budget::nodes(2).meter(Unit::Nodes, 100, None);
        assert_eq!((0..10).filter(|_| meter.spend()).count(), 2);
        let mut other = Budget::nodes(2).meter(Unit::Iterations, 5, None);
        assert_eq!((0..10).filter(|_| other.spend()).count(), 5);
    }
}
