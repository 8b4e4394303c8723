//! The rules of Let's Get Together. Everyone holds one unit of information and moves one cell a
//! round on a torus, all at once. Players that end a round on the same cell pool what they hold,
//! and every cell remembers each unit that was ever carried onto it. The match ends when any player
//! holds all units.
//!
//! From the CS4444 course problem (Columbia, 2004) and its report “Project 3: Let's Get Together”.
//! Each point that the sources leave open is a field of [`Variant`], with its reading. Positions
//! are in [`crate::rules::state`], boards in [`crate::scenarios`], what a seat sees in
//! [`crate::rules::observation`].

pub(crate) mod ids;
pub(crate) mod observation;
pub(crate) mod state;
pub(crate) mod torus;
pub(crate) mod units;
pub(crate) mod variant;

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Objective, Rng, Rules, Scoring, Seat, Turn};

use crate::rules::ids::Ids;
use crate::rules::observation::{LOOK_WORDS, Observation};
use crate::rules::state::{NOBODY, State};
use crate::rules::torus::{Cell, Move, Torus};
use crate::rules::variant::{
    Diagonals, MAX_AREA, MAX_SIDE, MAX_WORDS, Setting, Variant, VariantError,
};

/// The rules on a board, for a number of players.
#[derive(Clone, Debug)]
pub struct Gather {
    variant: Variant,
}

impl Gather {
    /// Creates the rules of this variant.
    ///
    /// # Errors
    /// If a side is zero or too long, there are too many cells, no players, or more
    /// players than cells, than seats can be numbered or than memory allows.
    pub fn new(variant: Variant) -> Result<Gather, VariantError> {
        let (torus, players) = (variant.torus, variant.players);
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&torus.width) || !sides.contains(&torus.height) {
            return Err(VariantError::Side(torus));
        }
        if torus.area() > MAX_AREA {
            return Err(VariantError::Area(torus));
        }
        if players == 0 {
            return Err(VariantError::NoPlayers);
        }
        if players > torus.area() {
            return Err(VariantError::MoreThanCells { players, torus });
        }
        if players > usize::from(NOBODY) {
            return Err(VariantError::TooManyPlayers(players));
        }
        if (torus.area() + players) * players.div_ceil(64) > MAX_WORDS {
            return Err(VariantError::TooMuchToKnow { players, torus });
        }
        Ok(Gather { variant })
    }

    /// The choices made about the rules.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The board.
    pub fn torus(&self) -> Torus {
        self.variant.torus
    }

    /// Returns what [`Rules::observe`] shows of units and players, as sets of bits and without an
    /// allocation: for learners, which look at millions of positions. The words are the units that
    /// the seat holds, the trails of the nine cells in the order of [`Move::ALL`], and the players
    /// on them.
    ///
    /// # Panics
    /// If there are more than 64 players.
    #[inline]
    pub fn look_words(&self, state: &State, seat: Seat) -> [u64; LOOK_WORDS] {
        observation::look_words(&self.variant, state, seat)
    }

    /// The number of a move in the course's numbering.
    pub fn number(&self, to: Move) -> usize {
        let rows = to as usize;
        match (self.variant.diagonals, to) {
            (Diagonals::Rows, _) => rows,
            (_, Move::NE) => 5,
            (_, Move::SE) => 6,
            (_, Move::SW) => 7,
            (_, Move::NW) => 8,
            _ => rows,
        }
    }

    /// Creates the first position, with players on these cells who see each other under these ids.
    pub(crate) fn first_state(&self, starts: Vec<Cell>, ids: Ids) -> State {
        self.first_state_seen_as(starts, Arc::new(ids))
    }

    /// The same with ids that another position has, too.
    pub(crate) fn first_state_seen_as(&self, starts: Vec<Cell>, ids: Arc<Ids>) -> State {
        let mut state = State::with_shared_ids(self.variant.torus, starts, ids);
        state.pool();
        if self.variant.marked {
            state.mark();
        }
        state
    }
}

impl Rules for Gather {
    type State = State;
    type Action = Move;
    type Observation = Observation;

    fn seats(&self) -> usize {
        self.variant.players
    }

    fn objective(&self) -> Objective {
        Objective::Minimize
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn setting(&self) -> serde_json::Value {
        serde_json::to_value(self.variant.setting()).expect("it has a JSON form")
    }

    fn setting_schema() -> serde_json::Value {
        schemars::schema_for!(Setting).to_value()
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, self.variant.limit.into()))
    }

    fn has_hidden_information(&self) -> bool {
        true
    }

    #[inline]
    fn turn(&self, state: &State) -> Turn {
        if state.is_complete() || state.round >= self.variant.limit {
            Turn::Over
        } else {
            Turn::Simultaneous
        }
    }

    fn actions(&self, _state: &State, _seat: Seat, out: &mut Vec<Move>) {
        out.extend(Move::ALL);
    }

    #[inline]
    fn random_action(&self, _state: &State, _seat: Seat, rng: &mut Rng) -> Move {
        Move::ALL[rng.below(9)]
    }

    #[inline]
    fn rollout_action(&self, _state: &State, _seat: Seat, rng: &mut Rng) -> Move {
        Move::ALL[rng.below(9)]
    }

    #[inline]
    fn check(&self, _state: &State, _seat: Seat, _action: &Move) -> Result<(), Illegal> {
        Ok(())
    }

    #[inline]
    fn step(&self, state: &mut State, joint: &[Move]) {
        if state.move_all(joint) {
            state.pool();
        }
        state.mark();
        state.round += 1;
    }

    fn observe(&self, state: &State, seat: Seat) -> Observation {
        observation::observe(&self.variant, state, seat)
    }

    fn determinize(&self, observation: &Observation, seat: Seat, rng: &mut Rng) -> State {
        observation::determinize(&self.variant, observation, seat, rng)
    }

    /// The rounds played: the same for every seat.
    #[inline]
    fn score(&self, state: &State, _seat: Seat) -> f64 {
        state.round.into()
    }

    fn ending(&self, state: &State) -> Ending {
        match state.is_complete() {
            true => Ending::new("gathered"),
            false => Ending::truncated("round limit"),
        }
    }

    /// A player that spoils the match spoils it for all: it counts as never gathered.
    fn forfeit(&self, _state: &State, _seat: Seat) -> Vec<f64> {
        vec![self.variant.limit.into(); self.variant.players]
    }

    /// The bounds on this instance, and how near to them the match came.
    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let Torus { width, height } = self.variant.torus;
        let bound = f64::from(self.variant.torus.clairvoyant_bound(&state.starts));
        let tour = 2.0 * (f64::from(width) + f64::from(height));
        let mut metrics = vec![
            ("clairvoyant bound", bound),
            ("2L+2W", tour),
            ("rounds / (2L+2W)", f64::from(state.round) / tour),
        ];
        if bound > 0.0 {
            metrics.push(("rounds / bound", f64::from(state.round) / bound));
        }
        metrics
    }
}
