//! What only the match may use: how a scenario starts, and what chance really does. A
//! [`Decision`](crate::Decision) gives players the rules alone, and a planner draws chance from the
//! model that the rules publish ([`Rules::sample_chance`]). The scenario's text is no secret, so a
//! player may know the distribution of chance. What chance will do in this match depends on the
//! match's own stream of random numbers, which no player has. (Streams are derived from seeds by
//! public rules, so anyone who guesses the seed knows them. docs/security.md says what to do about
//! it.)

use std::fmt;
use std::sync::Arc;

use crate::presentation::{Presentation, TextPresentation};
use crate::rules::Rules;
use crate::stream::{Rng, Streams};

/// The start of a scenario and the chance in it.
///
/// A closure `Fn(&R, &mut Rng) -> R::State` is the environment of a game in which chance does
/// exactly what the rules publish (nothing at all, or dice).
///
/// # Example
/// A game with chance: a die is rolled, and the player either takes the points and stops, or rolls
/// on and loses everything on a one. The rules publish the odds of a fair die. In this scenario the
/// die is loaded, which players can only learn from its rolls.
/// ```
/// use quintain_core::{Ending, Environment, Match, Rng, Rules, Scenario, Scoring, Seat, Turn};
///
/// #[derive(Clone)]
/// struct Pig;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
/// # #[derive(schemars::JsonSchema)]
/// enum Table {
///     Rolling { points: u32 },
///     Deciding { points: u32 },
///     Over { points: u32 },
/// }
///
/// impl Pig {
///     fn roll(table: &mut Table, die: u32) {
///         let Table::Rolling { points } = *table else { return };
///         *table = match die {
///             1 => Table::Over { points: 0 },
///             _ => Table::Deciding { points: points + die },
///         };
///     }
/// }
///
/// impl Rules for Pig {
///     type State = Table;
///     type Action = bool; // whether to roll on
///     type Observation = Table;
///
///     fn seats(&self) -> usize {
///         1
///     }
///     fn scoring(&self) -> Scoring {
///         Scoring::Independent
///     }
///     fn has_chance(&self) -> bool {
///         true
///     }
///     fn turn(&self, table: &Table) -> Turn {
///         match table {
///             Table::Rolling { .. } => Turn::Chance,
///             Table::Deciding { .. } => Turn::Seat(Seat::new(0)),
///             Table::Over { .. } => Turn::Over,
///         }
///     }
///     fn actions(&self, _: &Table, _: Seat, out: &mut Vec<bool>) {
///         out.extend([false, true]);
///     }
///     fn step(&self, table: &mut Table, joint: &[bool]) {
///         let Table::Deciding { points } = *table else { return };
///         *table = if joint[0] { Table::Rolling { points } } else { Table::Over { points } };
///     }
///     /// What players plan with.
///     fn sample_chance(&self, table: &mut Table, rng: &mut Rng) {
///         Pig::roll(table, 1 + rng.below(6) as u32);
///     }
///     fn observe(&self, table: &Table, _: Seat) -> Table {
///         table.clone()
///     }
///     fn determinize(&self, seen: &Table, _: Seat, _: &mut Rng) -> Table {
///         seen.clone()
///     }
///     fn score(&self, table: &Table, _: Seat) -> f64 {
///         let (Table::Rolling { points } | Table::Deciding { points } | Table::Over { points }) =
///             table;
///         f64::from(*points)
///     }
///     fn ending(&self, _: &Table) -> Ending {
///         Ending::new("taken or lost")
///     }
/// }
///
/// /// What truly happens.
/// struct LoadedDie {
///     weights: [f64; 6],
/// }
///
/// impl Environment<Pig> for LoadedDie {
///     fn start(&self, _: &Pig, _: &mut Rng) -> Table {
///         Table::Rolling { points: 0 }
///     }
///     fn apply_chance(&self, _: &Pig, table: &mut Table, rng: &mut Rng) {
///         Pig::roll(table, 1 + rng.weighted(&self.weights) as u32);
///     }
/// }
///
/// let die = LoadedDie { weights: [0.0, 0.0, 0.0, 0.0, 0.0, 1.0] };
/// let mut game = Match::new(Scenario::new(Pig, die), 1);
/// game.play(&[true]).unwrap();
/// game.play(&[false]).unwrap();
/// assert_eq!(game.outcome().unwrap().scores, [12.0]);
/// ```
pub trait Environment<R: Rules>: Send + Sync + 'static {
    /// Returns the first position. `rng` decides what the scenario leaves open, such as a random
    /// map.
    fn start(&self, rules: &R, rng: &mut Rng) -> R::State;

    /// Returns the first position of the match with these streams. A scenario whose start is
    /// [fixed](FixedStart) needs no stream for it.
    fn start_match(&self, rules: &R, streams: Streams) -> R::State {
        self.start(rules, &mut streams.start())
    }

    /// Whether players cannot know how a match starts, so that
    /// [`redraw_start`](Environment::redraw_start) can draw it anew.
    fn hides_start(&self) -> bool {
        false
    }

    /// Draws another first position for a match that went through these positions, so that players
    /// may not have noticed the difference: what none of them can know is drawn anew, and the rest
    /// stays. Whoever plays the same actions from there must compare what the seats see. None if
    /// none is found.
    fn redraw_start(
        &self,
        _rules: &R,
        _positions: &[R::State],
        _rng: &mut Rng,
    ) -> Option<R::State> {
        None
    }

    /// Makes chance's move, when the turn is [`Turn::Chance`](crate::Turn::Chance). By default,
    /// chance follows the model that the rules publish.
    fn apply_chance(&self, rules: &R, state: &mut R::State, rng: &mut Rng) {
        rules.sample_chance(state, rng);
    }
}

impl<R, F> Environment<R> for F
where
    R: Rules,
    F: Fn(&R, &mut Rng) -> R::State + Send + Sync + 'static,
{
    fn start(&self, rules: &R, rng: &mut Rng) -> R::State {
        self(rules, rng)
    }
}

/// The environment of a scenario that always starts in the same position.
pub struct FixedStart<S>(
    /// The position.
    pub S,
);

impl<R: Rules> Environment<R> for FixedStart<R::State> {
    fn start(&self, _rules: &R, _rng: &mut Rng) -> R::State {
        self.0.clone()
    }

    fn start_match(&self, _rules: &R, _streams: Streams) -> R::State {
        self.0.clone()
    }
}

/// A game on one scenario: the rules, which anyone may hold; the environment, which only the match
/// uses; and the presentation, for whatever shows positions.
///
/// # Example
/// Tells whether matches with different seeds start in different positions:
/// ```
/// use quintain_core::{Rules, Scenario, Streams};
///
/// fn starts_differ<R: Rules>(scenario: &Scenario<R>) -> bool {
///     let start = |seed| scenario.start(&mut Streams::new(seed).start());
///     (2..10).any(|seed| start(seed) != start(1))
/// }
/// ```
pub struct Scenario<R: Rules> {
    rules: R,
    environment: Arc<dyn Environment<R>>,
    presentation: Arc<dyn Presentation<R>>,
}

impl<R: Rules> Scenario<R> {
    /// A scenario of these rules. The entry that builds it decides how its positions are drawn.
    pub fn new(rules: R, environment: impl Environment<R>) -> Self {
        Scenario {
            rules,
            environment: Arc::new(environment),
            presentation: Arc::new(TextPresentation),
        }
    }

    /// The same scenario, with its positions drawn by `presentation`.
    pub fn with_presentation(self, presentation: Arc<dyn Presentation<R>>) -> Self {
        Scenario { presentation, ..self }
    }

    /// The rules.
    pub fn rules(&self) -> &R {
        &self.rules
    }

    /// How positions look.
    pub fn presentation(&self) -> &dyn Presentation<R> {
        self.presentation.as_ref()
    }

    pub(crate) fn shared_presentation(&self) -> Arc<dyn Presentation<R>> {
        Arc::clone(&self.presentation)
    }

    /// The first position of a match.
    pub fn start(&self, rng: &mut Rng) -> R::State {
        self.environment.start(&self.rules, rng)
    }

    /// The first position of the match with these streams: as [`start`](Scenario::start), without
    /// deriving a stream that the scenario does not need.
    pub fn start_match(&self, streams: Streams) -> R::State {
        self.environment.start_match(&self.rules, streams)
    }

    /// See [`Environment::hides_start`].
    pub(crate) fn hides_start(&self) -> bool {
        self.environment.hides_start()
    }

    /// See [`Environment::redraw_start`].
    pub(crate) fn redraw_start(&self, positions: &[R::State], rng: &mut Rng) -> Option<R::State> {
        self.environment.redraw_start(&self.rules, positions, rng)
    }

    /// Makes chance's move.
    pub fn apply_chance(&self, state: &mut R::State, rng: &mut Rng) {
        self.environment.apply_chance(&self.rules, state, rng);
    }
}

impl<R: Rules> Clone for Scenario<R> {
    fn clone(&self) -> Self {
        Scenario {
            rules: self.rules.clone(),
            environment: Arc::clone(&self.environment),
            presentation: Arc::clone(&self.presentation),
        }
    }
}

impl<R: Rules> fmt::Debug for Scenario<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario").finish_non_exhaustive()
    }
}
