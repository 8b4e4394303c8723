//! A chain of charged monomers laid on a torus as a self-avoiding walk: all rules of the game,
//! after the slides “CS5330 Randomized Algorithm Project” (A. C. Koroa), and the HP model of Dill
//! (1985) on the same torus.
//!
//! Monomer after monomer goes to one of the four neighbours that are not yet occupied. A walk with
//! no free neighbour before its end is a dead end. With `charge`, R = −Σ nᵢnⱼ over all adjacent
//! occupied pairs, bonds of the chain included; with `hp`, the energy is −1 for each pair of H that
//! touch without being bonded. A torus looks the same from every cell, so the first monomer lies on
//! cell (0, 0). A torus of more than one layer is the cubic lattice, on which a monomer has six
//! neighbours.
//!
//! Text and file forms are in [`crate::notation`].
//!
//! | | |
//! |---|---|
//! | [`instance`] | a chain, its torus, and the worth of a walk |
//! | [`step`], [`torus`] | the steps, and the cells between which they lead |
//! | [`bounds`] | bounds that no walk of a chain can exceed |

pub mod bounds;
pub(crate) mod errors;
pub(crate) mod instance;
pub(crate) mod step;
pub(crate) mod torus;

use std::sync::Arc;

use quintain_core::{Ending, Illegal, Objective, Rng, Rules, Scoring, Seat, Turn};

use crate::notation::{Observation, Setting};
use instance::{Instance, Interaction};
use step::Step;

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
        // The metric of all existing records; `solve` takes the least of all bounds instead.
        let bound = bounds::capacity(&instance);
        Polymer { instance: Arc::new(instance), partial, bound }
    }

    /// The instance.
    #[inline]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// The state at the start: the first monomer lies on cell 0.
    pub(crate) fn first_state(&self) -> State {
        let cells = vec![0; self.instance.torus().cells() + 1];
        let mut state = State { cells, walk: Vec::with_capacity(self.instance.len()), r: 0 };
        self.lay(&mut state, 0);
        state
    }

    /// Lays the next monomer on a free cell.
    #[inline]
    pub(crate) fn lay(&self, state: &mut State, cell: u16) {
        let monomers = self.instance.monomers();
        let charge = i32::from(monomers[state.walk.len()]);
        if charge != 0 {
            let mut field = 0;
            for next in self.instance.torus().around(usize::from(cell)) {
                // The entry after the last cell is always free.
                if let Some(other) = usize::from(state.cells[usize::from(*next)]).checked_sub(1) {
                    field += i32::from(monomers[other]);
                }
            }
            state.r += self.instance.sign() * charge * field;
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
    type Observation = Observation;

    fn seats(&self) -> usize {
        1
    }

    fn objective(&self) -> Objective {
        match self.instance.interaction() {
            Interaction::Charge => Objective::Maximize,
            Interaction::Hp => Objective::Minimize,
        }
    }

    fn scoring(&self) -> Scoring {
        Scoring::Independent
    }

    fn setting(&self) -> serde_json::Value {
        let instance = &self.instance;
        let setting = Setting {
            width: instance.torus().width(),
            height: instance.torus().height(),
            depth: instance.torus().depth(),
            interaction: instance.interaction(),
            monomers: instance.monomers(),
        };
        serde_json::to_value(setting).expect("it has a JSON form")
    }

    fn setting_schema() -> serde_json::Value {
        schemars::schema_for!(Setting<'_>).to_value()
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        // Each monomer has at most as many neighbours as there are ways, and each pair is shared by
        // two. A part of a walk may be worth more than any whole walk.
        let most = self.instance.torus().ways() as i32 / 2 * self.instance.norm();
        let (best, worst) = match self.instance.interaction() {
            Interaction::Charge => (f64::from(most), self.instance.no_solution()),
            Interaction::Hp => (f64::from(-most), self.instance.no_solution()),
        };
        Some((best.min(worst), best.max(worst)))
    }

    fn turn(&self, state: &State) -> Turn {
        let free =
            || self.instance.torus().next(state.head()).iter().any(|next| state.is_free(*next));
        if self.is_whole(state) || !free() { Turn::Over } else { Turn::Seat(Seat::new(0)) }
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Step>) {
        let next = self.instance.torus().next(state.head());
        let steps = Step::ALL.into_iter().zip(next);
        out.extend(steps.filter(|(_, cell)| state.is_free(**cell)).map(|(step, _)| step));
    }

    fn check(&self, state: &State, _seat: Seat, step: &Step) -> Result<(), Illegal> {
        let torus = self.instance.torus();
        let laid = state.walk.len() + 1;
        let Some(&cell) = torus.next(state.head()).get(*step as usize) else {
            return Err(Illegal::new(format!(
                "monomer {laid} cannot go {step}: there is only one layer; expected R, D, L or U"
            )));
        };
        match state.monomer(usize::from(cell)) {
            None => Ok(()),
            Some(other) => Err(Illegal::new(format!(
                "monomer {laid} cannot go {step} to {}: monomer {} lies there",
                torus.place(usize::from(cell)),
                other + 1
            ))),
        }
    }

    fn step(&self, state: &mut State, joint: &[Step]) {
        let cell = self.instance.torus().next(state.head())[joint[0] as usize];
        self.lay(state, cell);
    }

    fn observe(&self, state: &State, _seat: Seat) -> Observation {
        Observation::new(&self.instance, state.walk(), state.r())
    }

    fn determinize(&self, observation: &Observation, _seat: Seat, _rng: &mut Rng) -> State {
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
        Ending::new(reason)
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
            metrics.push(("R_nc", f64::from(state.r - self.instance.chain())));
        }
        metrics
    }
}

impl Polymer {
    /// The score of a part of a walk: its R, or the energy of what is laid.
    fn estimate_of(&self, state: &State) -> f64 {
        match self.instance.interaction() {
            Interaction::Charge => f64::from(state.r),
            Interaction::Hp => {
                let laid = &self.instance.monomers()[..state.walk.len()];
                let bonds = laid.windows(2).map(|bond| i32::from(bond[0]) * i32::from(bond[1]));
                f64::from(bonds.sum::<i32>() - state.r)
            }
        }
    }
}
