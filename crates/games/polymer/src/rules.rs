//! A chain of charged monomers laid on a torus as a self-avoiding walk: the whole
//! truth of the game, after the slides “CS5330 Randomized Algorithm Project” (A. C.
//! Koroa), and the HP model of Dill (1985) on the same ground.
//!
//! Monomer after monomer goes to one of the four neighbours not yet occupied. A walk
//! with no free neighbour before its end is a dead end. With `charge`,
//! R = −Σ nᵢnⱼ over all adjacent occupied pairs, bonds of the chain included; with
//! `hp`, the energy is −1 for each pair of H that touch without being bonded. A torus
//! looks the same from every cell, so the first monomer lies on cell (0, 0).
//!
//! Text and file forms are in [`crate::notation`].

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Objective, Rng, Rules, Scoring, Seat, Turn, choices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds;
use crate::notation::Position;
use crate::torus::Torus;

choices! {
    /// What touching monomers are worth.
    pub enum Interaction {
        /// R = −Σ nᵢnⱼ, the more the better.
        Charge = "charge",
        /// −1 for each contact of H with H that is no bond, the less the better.
        Hp = "hp",
    }
}

/// One step of the walk; rows count downwards. Text form `R`, `D`, `L`, `U`.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// One column right.
    Right,
    /// One row down.
    Down,
    /// One column left.
    Left,
    /// One row up.
    Up,
}

impl Step {
    /// All four, in the order of [`Torus::next`].
    pub const ALL: [Step; 4] = [Step::Right, Step::Down, Step::Left, Step::Up];
}

/// A chain and the torus it is to be laid on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    torus: Torus,
    interaction: Interaction,
    monomers: Vec<i8>,
    sign: i32,
    chain: i32,
}

impl Instance {
    /// An instance; monomers are charges −1, 0 and +1, or 1 for H and 0 for P.
    ///
    /// # Errors
    /// If there is no such walk, or a monomer is none of these.
    pub fn new(
        torus: Torus,
        interaction: Interaction,
        monomers: Vec<i8>,
    ) -> Result<Instance, String> {
        if monomers.is_empty() {
            return Err("the chain has no monomers".to_owned());
        }
        if monomers.len() > torus.cells() {
            return Err(format!(
                "impossible: a torus of {}×{} has {} cells, so no self-avoiding walk of {} \
                 monomers exists",
                torus.width(),
                torus.height(),
                torus.cells(),
                monomers.len()
            ));
        }
        let allowed = if interaction == Interaction::Charge { -1..=1 } else { 0..=1 };
        if let Some(index) = monomers.iter().position(|monomer| !allowed.contains(monomer)) {
            return Err(format!(
                "monomer {} is {}; expected {} to {}",
                index + 1,
                monomers[index],
                allowed.start(),
                allowed.end()
            ));
        }
        let sign = if interaction == Interaction::Charge { -1 } else { 1 };
        let bonds = monomers.windows(2).map(|bond| i32::from(bond[0]) * i32::from(bond[1]));
        let chain = sign * bonds.sum::<i32>();
        Ok(Instance { torus, interaction, monomers, sign, chain })
    }

    /// An HP chain on a torus too large for it to meet itself around: the plane.
    ///
    /// # Errors
    /// If the text is not of H and P, or too long.
    pub fn hp_in_the_plane(sequence: &str) -> Result<Instance, String> {
        let monomers = crate::notation::read_hp(sequence)?;
        // Two monomers are at most n − 1 apart; an even side lets parity bound the energy.
        let side = (monomers.len() + 1).next_multiple_of(2);
        Instance::new(Torus::new(side, side)?, Interaction::Hp, monomers)
    }

    /// The torus.
    #[inline]
    pub fn torus(&self) -> &Torus {
        &self.torus
    }

    /// What touching monomers are worth.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// The monomers, in order.
    #[inline]
    pub fn monomers(&self) -> &[i8] {
        &self.monomers
    }

    /// The number of monomers.
    #[inline]
    pub fn len(&self) -> usize {
        self.monomers.len()
    }

    /// Whether there are no monomers: never.
    pub fn is_empty(&self) -> bool {
        self.monomers.is_empty()
    }

    /// The number of monomers that are not neutral (or H).
    pub fn norm(&self) -> i32 {
        self.monomers.iter().filter(|monomer| **monomer != 0).count() as i32
    }

    /// What a unit of nᵢnⱼ is worth: −1 between charges, +1 between H and H.
    #[inline]
    pub fn sign(&self) -> i32 {
        self.sign
    }

    /// The worth of the bonds: the same for every walk.
    pub fn chain(&self) -> i32 {
        self.chain
    }

    /// The worth R of monomers on cells: over all adjacent occupied pairs, or those of
    /// a part of the walk.
    pub fn worth(&self, walk: &[u16]) -> i32 {
        let mut at = vec![0i8; self.torus.cells() + 1];
        let mut total = 0;
        for (cell, monomer) in walk.iter().zip(&self.monomers) {
            let around = self.torus.around(usize::from(*cell));
            let field: i32 = around.iter().map(|next| i32::from(at[usize::from(*next)])).sum();
            total += self.sign * i32::from(*monomer) * field;
            at[usize::from(*cell)] = *monomer;
        }
        total
    }

    /// The score of a whole walk worth `r`: R, or the energy.
    pub fn score(&self, r: i32) -> f64 {
        f64::from(match self.interaction {
            Interaction::Charge => r,
            Interaction::Hp => self.chain - r,
        })
    }

    /// The score of no solution: worse than any walk's.
    pub fn no_solution(&self) -> f64 {
        match self.interaction {
            Interaction::Charge => f64::from(-2 * self.norm() - 1),
            Interaction::Hp => 1.0,
        }
    }
}

/// A walk so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The number, from 1, of the monomer on each cell; 0 where there is none.
    pub(crate) cells: Vec<u16>,
    pub(crate) walk: Vec<u16>,
    pub(crate) r: i32,
}

impl State {
    /// The cells of the monomers laid, in order.
    pub fn walk(&self) -> &[u16] {
        &self.walk
    }

    /// The cell of the last monomer laid.
    #[inline]
    pub fn head(&self) -> usize {
        usize::from(self.walk[self.walk.len() - 1])
    }

    /// R so far.
    pub fn r(&self) -> i32 {
        self.r
    }

    /// The index of the monomer on a cell, if there is one.
    pub fn monomer(&self, cell: usize) -> Option<usize> {
        usize::from(self.cells[cell]).checked_sub(1)
    }

    /// Whether a cell is free.
    #[inline]
    pub fn is_free(&self, cell: u16) -> bool {
        self.cells[usize::from(cell)] == 0
    }
}

/// The rules, for one instance.
#[derive(Clone, Debug)]
pub struct Polymer {
    instance: Arc<Instance>,
    partial: bool,
    bound: i32,
}

impl Polymer {
    /// The game of this instance. With `partial`, a dead end scores what is laid.
    pub fn new(instance: Instance, partial: bool) -> Polymer {
        let bound = bounds::capacity(&instance);
        Polymer { instance: Arc::new(instance), partial, bound }
    }

    /// The instance.
    #[inline]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Lays the next monomer on a free cell.
    #[inline]
    pub(crate) fn first_state(&self) -> State {
        let cells = vec![0; self.instance.torus.cells() + 1];
        let mut state = State { cells, walk: Vec::with_capacity(self.instance.len()), r: 0 };
        self.lay(&mut state, 0);
        state
    }

    pub(crate) fn lay(&self, state: &mut State, cell: u16) {
        let monomers = &self.instance.monomers;
        let charge = i32::from(monomers[state.walk.len()]);
        if charge != 0 {
            let mut field = 0;
            for next in self.instance.torus.around(usize::from(cell)) {
                // The entry after the last cell is always free.
                if let Some(other) = usize::from(state.cells[usize::from(next)]).checked_sub(1) {
                    field += i32::from(monomers[other]);
                }
            }
            state.r += self.instance.sign * charge * field;
        }
        state.walk.push(cell);
        state.cells[usize::from(cell)] = state.walk.len() as u16;
    }

    fn is_whole(&self, state: &State) -> bool {
        state.walk.len() == self.instance.len()
    }
}

impl Rules for Polymer {
    type State = State;
    type Action = Step;
    type Observation = Position;

    fn seats(&self) -> usize {
        1
    }

    fn objective(&self) -> Objective {
        match self.instance.interaction {
            Interaction::Charge => Objective::Maximize,
            Interaction::Hp => Objective::Minimize,
        }
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn setting(&self) -> serde_json::Value {
        let instance = &self.instance;
        serde_json::json!({
            "width": instance.torus.width(),
            "height": instance.torus.height(),
            "interaction": instance.interaction.to_string(),
            "monomers": instance.monomers,
        })
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        // Each monomer has at most four neighbours, and each pair is shared by two. What
        // is laid on the way may be worth more than any whole walk.
        let (best, worst) = match self.instance.interaction {
            Interaction::Charge => {
                (f64::from(2 * self.instance.norm()), self.instance.no_solution())
            }
            Interaction::Hp => (f64::from(-2 * self.instance.norm()), self.instance.no_solution()),
        };
        Some((best.min(worst), best.max(worst)))
    }

    fn turn(&self, state: &State) -> Turn {
        let free =
            || self.instance.torus.next(state.head()).iter().any(|next| state.is_free(*next));
        if self.is_whole(state) || !free() { Turn::Over } else { Turn::Seat(Seat::new(0)) }
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Step>) {
        let next = self.instance.torus.next(state.head());
        out.extend(Step::ALL.into_iter().filter(|step| state.is_free(next[*step as usize])));
    }

    fn check(&self, state: &State, _seat: Seat, step: &Step) -> Result<(), Illegal> {
        let cell = self.instance.torus.next(state.head())[*step as usize];
        let width = self.instance.torus.width();
        match state.monomer(usize::from(cell)) {
            None => Ok(()),
            Some(other) => Err(Illegal(format!(
                "monomer {} cannot go {step} to ({}, {}): monomer {} lies there",
                state.walk.len() + 1,
                usize::from(cell) % width,
                usize::from(cell) / width,
                other + 1
            ))),
        }
    }

    fn step(&self, state: &mut State, joint: &[Step]) {
        let cell = self.instance.torus.next(state.head())[joint[0] as usize];
        self.lay(state, cell);
    }

    fn observe(&self, state: &State, _seat: Seat) -> Position {
        Position::of(&self.instance, state)
    }

    fn determinize(&self, observation: &Position, _seat: Seat, _rng: &mut Rng) -> State {
        let mut state = self.first_state();
        for step in observation.steps() {
            self.step(&mut state, &[step]);
        }
        state
    }

    fn score(&self, state: &State, _seat: Seat) -> f64 {
        if self.is_whole(state) {
            self.instance.score(state.r)
        } else if self.turn(state) == Turn::Over && !self.partial {
            self.instance.no_solution()
        } else {
            self.estimate_of(state)
        }
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if self.is_whole(state) { "whole" } else { "dead end" };
        Ending { reason, truncated: false }
    }

    fn forfeit(&self, state: &State, _seat: Seat) -> Vec<f64> {
        vec![if self.partial { self.estimate_of(state) } else { self.instance.no_solution() }]
    }

    fn metrics(&self, state: &State) -> Vec<(&'static str, f64)> {
        let is_whole = self.is_whole(state);
        let mut metrics = vec![
            ("monomers laid", state.walk.len() as f64),
            ("dead end", f64::from(u8::from(!is_whole))),
            ("bound on R_nc", f64::from(self.bound)),
        ];
        if is_whole {
            metrics.push(("R", f64::from(state.r)));
            metrics.push(("R_nc", f64::from(state.r - self.instance.chain)));
        }
        metrics
    }
}

impl Polymer {
    /// The score of a part of the walk: its R, or the energy of what is laid.
    fn estimate_of(&self, state: &State) -> f64 {
        match self.instance.interaction {
            Interaction::Charge => f64::from(state.r),
            Interaction::Hp => {
                let laid = &self.instance.monomers[..state.walk.len()];
                let bonds = laid.windows(2).map(|bond| i32::from(bond[0]) * i32::from(bond[1]));
                f64::from(bonds.sum::<i32>() - state.r)
            }
        }
    }
}
