//! Polymer for learners: one byte per cell of the torus, its layers one below the other; steps as
//! actions. The view from the head of the chain is another encoding, [`head`].

pub(crate) mod head;

use quintain_core::{Encoding, Layout, Rules, ScoreChange, Seat, View};

use crate::rules::step::Step;
use crate::rules::{Polymer, State};

/// A monomer of charge −1; those of 0 (P) and +1 (H) follow.
const MONOMER: i8 = 2;
/// Added to the value of the last monomer's cell.
const HEAD: u8 = 3;

pub(crate) struct PolymerEncoding {
    rules: Polymer,
}

impl PolymerEncoding {
    pub(crate) fn new(rules: Polymer) -> PolymerEncoding {
        PolymerEncoding { rules }
    }

    fn charge(&self, monomer: usize) -> i8 {
        self.rules.instance().monomers()[monomer]
    }

    fn tell(&self, state: &State, view: &mut View<'_>) {
        let [laid, length, next] = view.features else { return };
        let monomers = self.rules.instance().monomers();
        *laid = state.walk().len() as i32;
        *length = monomers.len() as i32;
        *next = monomers.get(state.walk().len()).map_or(0, |charge| i32::from(*charge));
    }

    fn code(&self, monomer: usize) -> u8 {
        (MONOMER + self.charge(monomer)) as u8
    }
}

impl Encoding for PolymerEncoding {
    type Rules = Polymer;
    /// The last monomer's cell and number.
    type Trace = (usize, usize);

    fn rules(&self) -> &Polymer {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let torus = self.rules.instance().torus();
        Layout::new(1, torus.ways(), [torus.depth() * torus.height(), torus.width()], 7)
            .with_features(["monomers laid", "monomers", "next monomer"])
    }

    fn action(&self, _state: &State, _seat: Seat, number: usize) -> Option<Step> {
        Step::ALL[..self.rules.instance().torus().ways()].get(number).copied()
    }

    fn play(&self, state: &mut State, action: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let seat = Seat::new(0);
        let number = action(seat);
        let cell = self.rules.instance().torus().next(state.head())[number];
        if !state.is_free(cell) {
            return Err(seat);
        }
        self.rules.step(state, &[Step::ALL[number]]);
        Ok(ScoreChange::Possible)
    }

    fn mask(&self, state: &State, _seat: Seat, out: &mut [i8]) {
        if state.walk().len() == self.rules.instance().len() {
            return out.fill(0);
        }
        let next = self.rules.instance().torus().next(state.head());
        for (cell, out) in next.iter().zip(out) {
            *out = i8::from(state.is_free(*cell));
        }
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        if !view.board.is_empty() {
            view.board.fill(0);
            for (number, cell) in state.walk().iter().enumerate() {
                view.board[usize::from(*cell)] = self.code(number);
            }
            view.board[state.head()] += HEAD;
        }
        self.tell(state, view);
    }

    fn trace(&self, state: &State) -> Self::Trace {
        (state.head(), state.walk().len() - 1)
    }

    fn rewrite(&self, (head, number): Self::Trace, state: &State, view: &mut View<'_>) {
        if !view.board.is_empty() {
            view.board[head] = self.code(number);
            view.board[state.head()] = self.code(state.walk().len() - 1) + HEAD;
        }
        self.tell(state, view);
    }
}
