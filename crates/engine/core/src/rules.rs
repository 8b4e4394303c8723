//! What a game is: its rules, as a value without IO, clock, threads or chance of its own. Who plays
//! ([`crate::Player`]) and how a match runs ([`crate::Match`]) are defined elsewhere.

use std::fmt::{Debug, Display};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::mix::GOLDEN_GAMMA;
use crate::seat::Seat;
use crate::stream::Rng;
use crate::text_error::from_text;

/// Whose move it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nobody's: the game has ended.
    Over,
    /// Chance moves, through [`Environment::apply_chance`](crate::Environment::apply_chance).
    Chance,
    /// One seat moves.
    Seat(Seat),
    /// Every seat for which [`Rules::is_acting`] is true moves at once, unseen by the others.
    Simultaneous,
}

/// Whether a player wants a high score or a low one. Files and pages write it as `highest` or
/// `lowest`, as in every version, and `maximize` or `minimize` are read as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Objective {
    /// More is better.
    #[serde(rename = "highest", alias = "maximize")]
    Maximize,
    /// Less is better.
    #[serde(rename = "lowest", alias = "minimize")]
    Minimize,
}

impl Objective {
    /// `score` turned so that more is better.
    #[inline]
    pub fn gain(self, score: f64) -> f64 {
        match self {
            Objective::Maximize => score,
            Objective::Minimize => -score,
        }
    }
}

/// How the scores of one match are to be compared. Files and pages write it as `versus` (seats
/// play against each other) or `score` (each for its own score), as in every version, and
/// `adversarial` or `independent` are read as well. A tournament's *format* `versus` is something
/// else: who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Scoring {
    /// Seats are rivals: who has the better score in the match has beaten the other.
    #[serde(rename = "versus", alias = "adversarial")]
    Adversarial,
    /// Scores stand for themselves: players are compared over matches on equal seeds.
    #[serde(rename = "score", alias = "independent")]
    Independent,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ending {
    /// The reason in a word or two, always worded the same: `crash`, `round limit`.
    pub reason: &'static str,
    /// The game was cut off by a limit rather than decided.
    pub truncated: bool,
}

impl Ending {
    /// The game was decided, for this reason.
    pub const fn new(reason: &'static str) -> Ending {
        Ending { reason, truncated: false }
    }

    /// The game was cut off by this limit.
    pub const fn truncated(reason: &'static str) -> Ending {
        Ending { reason, truncated: true }
    }
}

/// An action the rules refuse, and why. The text, from which it is made, names the place and
/// the rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(String);

from_text!(Illegal);

impl Illegal {
    /// An action refused for this reason.
    pub fn new(reason: impl Into<String>) -> Illegal {
        Illegal::from(reason.into())
    }
}

/// The rules of a game, bound to the scenario it is played on. Every player may hold them.
///
/// A value is immutable, and its methods are pure functions: nothing in them tells a player what
/// will happen in this match. (Anyone who guesses the match's seed knows its chance, because the
/// [streams](crate::Streams) are derived from the seed by public rules.) How a match starts and
/// what chance does in it is the [`Environment`](crate::Environment)'s; how positions look is the
/// [`Presentation`](crate::Presentation)'s.
///
/// Every game implements the nine methods that have no default. A game with chance also implements
/// [`has_chance`](Rules::has_chance) and [`sample_chance`](Rules::sample_chance), and a game
/// between rivals [`score_range`](Rules::score_range) or [`forfeit`](Rules::forfeit). The others
/// are for speed ([`random_action`](Rules::random_action)), searches
/// ([`pruned_actions`](Rules::pruned_actions), [`estimate`](Rules::estimate)) or readers
/// ([`metrics`](Rules::metrics)).
///
/// Conventions that `quintain_testkit::check_game` tests:
/// - `actions` offers at least one action, none twice, and only actions that `check` accepts;
/// - if [`actions_are_all`](Rules::actions_are_all), `check` accepts nothing else;
/// - `observe(determinize(o)) == o`; unless the game
///   [has hidden information](Rules::has_hidden_information),
///   `determinize(observe(s)) == s`;
/// - [`Turn::Chance`] occurs only if the game [`has_chance`](Rules::has_chance);
/// - what a seat is given (the offered actions, a random action, the reason for a refusal, its
///   drawing and its encoding) depends only on what it observes;
/// - rules are pure: no method changes its answer because a match has begun;
/// - between rivals, a seat that [forfeits](Rules::forfeit) is worse off than its rivals;
/// - an action's text has no whitespace and parses back to the action.
///
/// # Example
/// A race to ten: two seats take turns to add one or two, and the first to reach ten wins.
/// ```
/// use quintain_core::{Ending, Match, Rng, Rules, Scenario, Scoring, Seat, Turn};
///
/// #[derive(Clone)]
/// struct Race;
///
/// impl Rules for Race {
///     type State = (u8, u8); // the sum, and how often a seat has added
///     type Action = u8;
///     type Observation = (u8, u8);
///
///     fn seats(&self) -> usize {
///         2
///     }
///     fn scoring(&self) -> Scoring {
///         Scoring::Adversarial
///     }
///     fn score_range(&self) -> Option<(f64, f64)> {
///         Some((0.0, 1.0)) // who forfeits gets the worst of it, the other one the best
///     }
///     fn turn(&self, &(sum, plies): &(u8, u8)) -> Turn {
///         if sum >= 10 { Turn::Over } else { Turn::Seat(Seat::new(usize::from(plies % 2))) }
///     }
///     fn actions(&self, _: &(u8, u8), _: Seat, out: &mut Vec<u8>) {
///         out.extend([1, 2]);
///     }
///     fn step(&self, state: &mut (u8, u8), joint: &[u8]) {
///         *state = (state.0 + joint[0], state.1 + 1);
///     }
///     fn observe(&self, state: &(u8, u8), _: Seat) -> (u8, u8) {
///         *state
///     }
///     fn determinize(&self, seen: &(u8, u8), _: Seat, _: &mut Rng) -> (u8, u8) {
///         *seen
///     }
///     fn score(&self, &(sum, plies): &(u8, u8), seat: Seat) -> f64 {
///         let last = usize::from(plies.wrapping_sub(1) % 2);
///         if sum < 10 { 0.5 } else { f64::from(u8::from(last == seat.index())) }
///     }
///     fn ending(&self, _: &(u8, u8)) -> Ending {
///         Ending::new("ten")
///     }
/// }
///
/// let mut game = Match::new(Scenario::new(Race, |_: &Race, _: &mut Rng| (0, 0)), 1);
/// while !game.is_over() {
///     game.play(&[2]).unwrap();
/// }
/// assert_eq!(game.outcome().unwrap().scores, [1.0, 0.0]);
/// assert!(Race.check(&(0, 0), Seat::new(0), &3).is_err());
/// ```
pub trait Rules: Clone + Send + Sync + 'static {
    /// One position. Cheap to clone; equal states have equal futures under equal streams.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// What one seat does in one turn. `Display`/`FromStr` are its text notation
    /// (no whitespace), serde its JSON form.
    type Action: Clone
        + Eq
        + Hash
        + Debug
        + Display
        + FromStr<Err: Display>
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static;
    /// What one seat may see.
    type Observation: Clone
        + PartialEq
        + Debug
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static;

    /// The most bytes that the JSON form of an action may take. A longer answer from a program is a
    /// fault, and is neither read nor kept.
    const LONGEST_ACTION: usize = 16 << 10;

    // Required: what every game writes.

    /// The number of seats.
    fn seats(&self) -> usize;

    /// How scores are compared.
    fn scoring(&self) -> Scoring;

    /// Whose move it is.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Appends the actions offered to `seat`, in a fixed order, to `out`.
    ///
    /// If there are too many legal actions, it offers those worth considering; see
    /// [`actions_are_all`](Rules::actions_are_all).
    fn actions(&self, state: &Self::State, seat: Seat, out: &mut Vec<Self::Action>);

    /// Plays `joint`, one legal action for each seat that moves, in the order of seats.
    ///
    /// Legality is the caller's duty ([`crate::Match`] checks); this is the hot path.
    fn step(&self, state: &mut Self::State, joint: &[Self::Action]);

    /// What `seat` may see.
    fn observe(&self, state: &Self::State, seat: Seat) -> Self::Observation;

    /// A position that looks like `observation` to `seat`; what the seat cannot see is drawn from
    /// `rng`. With full information, this is the position itself.
    fn determinize(
        &self,
        observation: &Self::Observation,
        seat: Seat,
        rng: &mut Rng,
    ) -> Self::State;

    /// The score of `seat` so far; at the end, its final score.
    fn score(&self, state: &Self::State, seat: Seat) -> f64;

    /// How the game ended; called when the turn is [`Turn::Over`].
    fn ending(&self, state: &Self::State) -> Ending;

    // Provided: what a game overrides where the default does not fit.

    /// Which scores are good: by default, high ones.
    fn objective(&self) -> Objective {
        Objective::Maximize
    }

    /// What every seat knows before the match besides the scenario's text: the size of the board,
    /// constants, the problem to be solved. It is for programs that cannot ask the rules.
    fn setting(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// The JSON schema of [`setting`](Rules::setting), for every scenario; null where the game does
    /// not describe it.
    fn setting_schema() -> serde_json::Value {
        serde_json::Value::Null
    }

    /// The least and greatest score that a seat can get, if the rules bound it.
    fn score_range(&self) -> Option<(f64, f64)> {
        None
    }

    /// Whether chance moves after the start, that is, whether [`Turn::Chance`] occurs.
    fn has_chance(&self) -> bool {
        false
    }

    /// Whether a seat may see less than the whole position. If it may not,
    /// `determinize(observe(state)) == state`, and searches determinize once instead of every time.
    fn has_hidden_information(&self) -> bool {
        false
    }

    /// Whether `seat` is among those that move; called when the turn is [`Turn::Simultaneous`].
    fn is_acting(&self, _state: &Self::State, _seat: Seat) -> bool {
        true
    }

    /// Whether all legal actions are offered.
    fn actions_are_all(&self) -> bool {
        true
    }

    /// Appends the offered actions without the dominated ones: those for which some other offered
    /// action is never worse. Searches expand these and rollouts draw from them. Never empty.
    fn pruned_actions(&self, state: &Self::State, seat: Seat, out: &mut Vec<Self::Action>) {
        self.actions(state, seat, out);
    }

    /// One of [`actions`](Rules::actions), drawn uniformly.
    fn random_action(&self, state: &Self::State, seat: Seat, rng: &mut Rng) -> Self::Action {
        let mut actions = Vec::new();
        self.actions(state, seat, &mut actions);
        actions.swap_remove(rng.below(actions.len()))
    }

    /// One of [`pruned_actions`](Rules::pruned_actions), drawn uniformly: the move of a rollout.
    fn rollout_action(&self, state: &Self::State, seat: Seat, rng: &mut Rng) -> Self::Action {
        let mut actions = Vec::new();
        self.pruned_actions(state, seat, &mut actions);
        actions.swap_remove(rng.below(actions.len()))
    }

    /// Checks that `seat`, whose move it is, may take `action`; if not, says which rule forbids it.
    ///
    /// By default, the [offered](Rules::actions) actions are the legal ones. A game implements this
    /// itself if it can explain refusals better, if the list is long (the match checks every action
    /// played), or if not [all legal actions are offered](Rules::actions_are_all).
    ///
    /// # Errors
    /// [`Illegal`], naming the place and the rule.
    fn check(&self, state: &Self::State, seat: Seat, action: &Self::Action) -> Result<(), Illegal> {
        let mut offered = Vec::new();
        self.actions(state, seat, &mut offered);
        if offered.contains(action) {
            return Ok(());
        }
        Err(Illegal::new(format!("{action} is not offered here")))
    }

    /// Makes chance's move as far as a player can know it: by the odds that the rules publish
    /// (dice), or by what has been seen so far (the frequencies of requests). Searches and rollouts
    /// plan with it. The match itself asks the [`Environment`](crate::Environment) instead, and
    /// this method must not reveal what the environment will do.
    fn sample_chance(&self, _state: &mut Self::State, _rng: &mut Rng) {
        panic!("chance moves, but the rules do not say how: write Rules::sample_chance");
    }

    /// How the position looks for `seat`, on the scale of [`score`](Rules::score): what one-step
    /// players and searches use at their horizon.
    fn estimate(&self, state: &Self::State, seat: Seat) -> f64 {
        self.score(state, seat)
    }

    /// What `seat` sees, as far as it tells whether two actions did the same. A game leaves out
    /// what only tells how an action was written.
    fn effect(&self, state: &Self::State, seat: Seat) -> serde_json::Value {
        let observation = self.observe(state, seat);
        serde_json::to_value(observation).expect("observations have a JSON form")
    }

    /// A 64-bit key of the position, for transposition tables.
    fn key(&self, state: &Self::State) -> u64 {
        key_of(state)
    }

    /// The scores if `seat` is taken out of the match here (a crash, an illegal action).
    ///
    /// By default, a rival that forfeits gets the worst score of the [range](Rules::score_range)
    /// and the others get the best, so a game between rivals states its range or implements this
    /// method. Without a range, or where scores stand for themselves, the scores stay as they are
    /// so far.
    fn forfeit(&self, state: &Self::State, seat: Seat) -> Vec<f64> {
        match (self.scoring(), self.score_range(), self.objective()) {
            (Scoring::Adversarial, Some((low, high)), objective) => {
                let (worst, best) = match objective {
                    Objective::Maximize => (low, high),
                    Objective::Minimize => (high, low),
                };
                Seat::all(self.seats())
                    .map(|other| if other == seat { worst } else { best })
                    .collect()
            }
            _ => Seat::all(self.seats()).map(|seat| self.score(state, seat)).collect(),
        }
    }

    /// Further figures of a finished match, by name.
    fn metrics(&self, _state: &Self::State) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

/// A 64-bit key of any value, the same on every platform and run.
#[inline]
pub fn key_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = KeyHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A hasher that is the same on every platform and run: 64-bit words folded by
/// multiplication (the folded multiply of wyhash, Wang Yi 2019).
#[derive(Default)]
struct KeyHasher(u64);

impl KeyHasher {
    #[inline]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ GOLDEN_GAMMA)
            .wrapping_mul(0xA076_1D64_78BD_642F_E703_7ED1_A0B4_28DB);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.fold(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.fold(n.into());
    }
    fn write_u16(&mut self, n: u16) {
        self.fold(n.into());
    }
    fn write_u32(&mut self, n: u32) {
        self.fold(n.into());
    }
    fn write_u64(&mut self, n: u64) {
        self.fold(n);
    }
    fn write_usize(&mut self, n: usize) {
        self.fold(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
