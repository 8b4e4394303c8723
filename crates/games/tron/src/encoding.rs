//! Tron for learners: one byte per cell, shared by all seats; the actions are up, right, down,
//! left.

use crate::rules::state::MAX_SEATS;
use crate::{Direction, State, Tron};
use quintain_core::{Encoding, Layout, Rules, ScoreChange, Seat, Turn, View};

/// The trail of seat 0, as in [`State::cells`]; the other seats follow.
const TRAIL: u8 = 2;
/// The head of seat 0; the other seats follow.
const HEAD: u8 = TRAIL + MAX_SEATS as u8;

pub(crate) struct TronEncoding {
    rules: Tron,
    /// Rows and columns, the same for every seed.
    sides: (usize, usize),
    sequential: bool,
    vanish: bool,
}

impl TronEncoding {
    /// Creates the encoding for boards with the sides of `start`.
    pub(crate) fn new(rules: &Tron, start: &State) -> TronEncoding {
        let rules = rules.clone();
        let sides = (start.height(), start.width());
        let sequential = matches!(rules.turn(start), Turn::Seat(_));
        let vanish = rules.trails() == crate::rules::Trails::Vanish;
        TronEncoding { rules, sides, sequential, vanish }
    }
}

impl Encoding for TronEncoding {
    type Rules = Tron;
    /// The heads, and which seats live.
    type Trace = ([u16; MAX_SEATS], u8);

    fn rules(&self) -> &Tron {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let values = u16::from(HEAD) + MAX_SEATS as u16;
        let board = [self.sides.0, self.sides.1];
        let layout = Layout::new(self.rules.seats(), Direction::ALL.len(), board, values)
            .with_features(["turn"])
            .with_seat_values([TRAIL, HEAD]);
        if self.sequential { layout } else { layout.with_simultaneous_turns() }
    }

    fn action(&self, _state: &State, _seat: Seat, number: usize) -> Option<Direction> {
        Direction::ALL.get(number).copied()
    }

    #[inline]
    fn play(&self, state: &mut State, action: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let mut joint = [Direction::Up; MAX_SEATS];
        let mut moving = 0;
        let mut add = |seat: Seat| {
            joint[moving] = Direction::ALL[action(seat)];
            moving += 1;
        };
        if self.sequential {
            let Turn::Seat(seat) = self.rules.turn(state) else { return Ok(ScoreChange::None) };
            add(seat);
        } else {
            state.alive().for_each(&mut add);
        }
        self.rules.step(state, &joint[..moving]);
        Ok(ScoreChange::Possible)
    }

    #[inline]
    fn mask(&self, state: &State, seat: Seat, out: &mut [i8]) {
        let (mine, over) = match self.rules.turn(state) {
            Turn::Seat(to_move) => (to_move == seat, false),
            Turn::Over => (false, true),
            _ => (state.is_alive(seat), false),
        };
        if !mine || over {
            return out.fill(0);
        }
        let head = state.head(seat);
        let mut any = 0;
        for (way, out) in Direction::ALL.into_iter().zip(out.iter_mut()) {
            *out = i8::from(state.is_free(state.neighbour(head, way)));
            any |= *out;
        }
        if any == 0 {
            out.fill(1);
        }
    }

    #[inline]
    fn is_alive(&self, state: &State, seat: Seat) -> bool {
        state.is_alive(seat)
    }

    fn write(&self, state: &State, view: &mut View<'_>) {
        if !view.board.is_empty() {
            view.board.copy_from_slice(state.cells());
            for seat in state.alive() {
                view.board[state.head(seat)] = HEAD + seat.index() as u8;
            }
        }
        self.count(state, view);
    }

    #[inline]
    fn trace(&self, state: &State) -> Self::Trace {
        let mut trace = ([0; MAX_SEATS], 0);
        for seat in state.alive() {
            trace.0[seat.index()] = state.head(seat) as u16;
            trace.1 |= 1 << seat.index();
        }
        trace
    }

    #[inline]
    fn rewrite(&self, (heads, lived): Self::Trace, state: &State, view: &mut View<'_>) {
        let lives = state.alive().fold(0u8, |lives, seat| lives | 1 << seat.index());
        if self.vanish && lives != lived {
            return self.write(state, view);
        }
        if !view.board.is_empty() {
            for seat in (0..state.seats()).filter(|seat| lived >> seat & 1 == 1) {
                view.board[usize::from(heads[seat])] = TRAIL + seat as u8;
                if lives >> seat & 1 == 1 {
                    view.board[state.head(Seat::new(seat))] = HEAD + seat as u8;
                }
            }
        }
        self.count(state, view);
    }
}

impl TronEncoding {
    #[inline]
    fn count(&self, state: &State, view: &mut View<'_>) {
        if let [turn] = view.features {
            *turn = state.turn() as i32;
        }
    }
}
