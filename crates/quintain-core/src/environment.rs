//! What only the match may hold: how a scenario starts, and what chance truly does.
//! A [`Decision`](crate::Decision) gives players the rules alone, and a planner draws chance from
//! the model that the rules publish ([`Rules::sample_chance`]). The scenario's text is no secret,
//! so a player may know how chance is distributed; what it will do in this match depends on the
//! match's own stream of random numbers, which no player holds. (Streams are derived from seeds by
//! public rules: a seed that can be guessed tells them. docs/security.md says what to do about it.)

use std::fmt;
use std::sync::Arc;

use crate::presentation::{Presentation, TextPresentation};
use crate::rules::Rules;
use crate::stream::Rng;

/// The start of a scenario and the chance in it.
///
/// A closure `Fn(&R, &mut Rng) -> R::State` is the environment of a game in which chance
/// does nothing but what the rules publish (nothing at all, or dice).
pub trait Environment<R: Rules>: Send + Sync + 'static {
    /// The first position. `rng` decides what the scenario leaves open, such as a random map.
    fn start(&self, rules: &R, rng: &mut Rng) -> R::State;

    /// Makes chance's move, when the turn is [`Turn::Chance`](crate::Turn::Chance). Unless
    /// the scenario knows better, it follows the model that the rules publish.
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

/// A game on one scenario: the rules, which anybody may hold; the environment, which only
/// the match uses; and how positions look, for those who show them.
pub struct Scenario<R: Rules> {
    rules: R,
    environment: Arc<dyn Environment<R>>,
    presentation: Arc<dyn Presentation<R>>,
}

impl<R: Rules> Scenario<R> {
    /// A scenario of these rules. Its positions are drawn as the entry says that builds it.
    pub fn new(rules: R, environment: impl Environment<R>) -> Self {
        Scenario {
            rules,
            environment: Arc::new(environment),
            presentation: Arc::new(TextPresentation),
        }
    }

    /// The same scenario, its positions drawn by `presentation`.
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

    /// The first position of a match.
    pub fn start(&self, rng: &mut Rng) -> R::State {
        self.environment.start(&self.rules, rng)
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
