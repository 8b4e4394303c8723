//! What a game is: its rules, as a value without IO, clock, threads or chance
//! of its own. Not here: who plays ([`crate::Player`]) and how a match runs
//! ([`crate::Match`]).

use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::outcome::Note;
use crate::stream::Rng;
use quintain_ui::Scene;

/// A place at the game, counted from 0.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Seat(u16);

impl Seat {
    /// The seat with this index.
    ///
    /// # Panics
    /// Above 65 535 seats.
    #[inline]
    pub const fn new(index: usize) -> Self {
        assert!(index <= u16::MAX as usize, "more seats than a seat number can hold");
        Seat(index as u16)
    }

    /// The index, 0..seats.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All seats of a game of `seats`.
    pub fn all(seats: usize) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..seats).map(Seat::new)
    }
}

impl Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// Whose move it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nobody's: the game has ended.
    Over,
    /// Chance (or a request sequencer) moves, by [`Rules::nature`].
    Chance,
    /// One seat moves.
    Seat(Seat),
    /// Every seat for which [`Rules::is_acting`] holds moves at once, unseen by the others.
    Simultaneous,
}

/// Which end of the score scale a player wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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

/// How the scores of one match are to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// Seats are rivals: who has the better score in the match has beaten the other.
    #[serde(rename = "versus", alias = "adversarial")]
    Adversarial,
    /// Scores stand for themselves: players are compared over matches on equal seeds.
    #[serde(rename = "score", alias = "independent")]
    Independent,
}

/// How a finished game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The reason in a word or two, the same words every time: `crash`, `round limit`.
    pub reason: &'static str,
    /// The game was cut off by a limit rather than decided.
    pub truncated: bool,
}

/// An action the rules refuse, and why. The text names the place and the rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// The rules of a game, bound to the scenario it is played on.
///
/// A value is immutable and pure. A [state](Rules::State) holds no future:
/// whatever chance will do comes from the stream handed to [`Rules::nature`],
/// so that a player that clones a state and plans cannot peek.
///
/// Conventions that [`crate::check_game`] tests:
/// - `actions` offers only actions that `check` accepts, none twice, at least one;
/// - if [`actions_are_all`](Rules::actions_are_all), `check` accepts nothing else;
/// - `observe(determinize(o)) == o`; unless the game [`hides`](Rules::has_hidden_information) something,
///   `determinize(observe(s)) == s`;
/// - [`Turn::Chance`] comes only if the game [`has_chance`](Rules::has_chance);
/// - an action's text has no whitespace and parses back to the action.
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

    /// The number of seats.
    fn seats(&self) -> usize;

    /// Which scores are good.
    fn objective(&self) -> Objective;

    /// How scores are compared.
    fn scoring(&self) -> Scoring;

    /// What every seat knows before the match beyond the scenario's text, for programs
    /// that cannot ask the rules: sides of the board, constants, the problem to be solved.
    fn setting(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// The least and greatest score a seat can get, where the rules bound it.
    fn score_range(&self) -> Option<(f64, f64)> {
        None
    }

    /// Whether chance moves after the start, that is, whether [`Turn::Chance`] occurs.
    fn has_chance(&self) -> bool {
        false
    }

    /// Whether a seat may see less than the whole position. If not,
    /// `determinize(observe(state)) == state`, and searches determinize once instead of every time.
    fn has_hidden_information(&self) -> bool {
        false
    }

    /// The first position. `rng` decides what the scenario leaves open (a random map, say).
    fn start(&self, rng: &mut Rng) -> Self::State;

    /// Whose move it is.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Whether `seat` is among those that move, asked when the turn is [`Turn::Simultaneous`].
    fn is_acting(&self, _state: &Self::State, _seat: Seat) -> bool {
        true
    }

    /// Appends the actions offered to `seat`, in a fixed order, to `out`.
    ///
    /// Where there are too many to list, the candidates worth naming; see
    /// [`actions_are_all`](Rules::actions_are_all).
    fn actions(&self, state: &Self::State, seat: Seat, out: &mut Vec<Self::Action>);

    /// Whether the offered actions are all legal ones.
    fn actions_are_all(&self) -> bool {
        true
    }

    /// Appends the offered actions less those that another one is never worse than.
    /// Searches expand these and playouts draw from them. Never empty.
    fn pruned_actions(&self, state: &Self::State, seat: Seat, out: &mut Vec<Self::Action>) {
        self.actions(state, seat, out);
    }

    /// One of [`actions`](Rules::actions), uniformly.
    fn random_action(&self, state: &Self::State, seat: Seat, rng: &mut Rng) -> Self::Action {
        let mut actions = Vec::new();
        self.actions(state, seat, &mut actions);
        actions.swap_remove(rng.below(actions.len()))
    }

    /// One of [`pruned_actions`](Rules::pruned_actions), uniformly: the move of a playout.
    fn rollout_action(&self, state: &Self::State, seat: Seat, rng: &mut Rng) -> Self::Action {
        let mut actions = Vec::new();
        self.pruned_actions(state, seat, &mut actions);
        actions.swap_remove(rng.below(actions.len()))
    }

    /// Whether `seat`, whose move it is, may do `action`; if not, which rule forbids it.
    ///
    /// # Errors
    /// [`Illegal`], naming the place and the rule.
    fn check(&self, state: &Self::State, seat: Seat, action: &Self::Action) -> Result<(), Illegal>;

    /// Plays `joint`, one legal action for each seat that moves, in the order of seats.
    ///
    /// Legality is the caller's duty ([`crate::Match`] checks); this is the hot path.
    fn step(&self, state: &mut Self::State, joint: &[Self::Action]);

    /// Plays chance's move; called when the turn is [`Turn::Chance`].
    fn nature(&self, _state: &mut Self::State, _rng: &mut Rng) {}

    /// What `seat` may see.
    fn observe(&self, state: &Self::State, seat: Seat) -> Self::Observation;

    /// A position that looks like `observation` from `seat`; what the seat cannot
    /// see is drawn from `rng`. With full information, the position itself.
    fn determinize(
        &self,
        observation: &Self::Observation,
        seat: Seat,
        rng: &mut Rng,
    ) -> Self::State;

    /// The score of `seat` so far; at the end, the score.
    fn score(&self, state: &Self::State, seat: Seat) -> f64;

    /// How the position looks for `seat`, on the scale of [`score`](Rules::score):
    /// what one-step players and searches see at their horizon.
    fn estimate(&self, state: &Self::State, seat: Seat) -> f64 {
        self.score(state, seat)
    }

    /// A 64-bit key of the position, for transposition tables.
    fn key(&self, state: &Self::State) -> u64 {
        key_of(state)
    }

    /// How the game ended; asked when the turn is [`Turn::Over`].
    fn ending(&self, state: &Self::State) -> Ending;

    /// The scores if `seat` is taken out of the match here (a crash, an illegal action).
    fn forfeit(&self, state: &Self::State, seat: Seat) -> Vec<f64>;

    /// Further figures of a finished match, by name.
    fn metrics(&self, _state: &Self::State) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// How the position looks: to the referee, or through the eyes of one seat.
    fn scene(&self, state: &Self::State, eye: Option<Seat>) -> Scene;

    /// Adds to the drawing of a position what players noted on the decisions that led to
    /// it: as overlays, which [`scene`](Rules::scene) has too, empty, so that they are known.
    fn annotate(&self, _state: &Self::State, _noted: &[Note], _scene: &mut Scene) {}
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
        let product = u128::from(self.0 ^ word ^ 0x9E37_79B9_7F4A_7C15)
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
