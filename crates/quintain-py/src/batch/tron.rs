//! Tron for learners: a byte a cell, shared by all seats; actions are up, right, down, left.

use quintain_core::{Rules, Seat, Turn};
use quintain_tron::rules::MAX_SEATS;
use quintain_tron::{Direction, State, Tron};

use super::task::{Did, Layout, Task, View};

/// The trail of seat 0, as [`State::cells`] has it; the next ones follow.
const TRAIL: u8 = 2;
/// The head of seat 0; the next ones follow.
const HEAD: u8 = TRAIL + MAX_SEATS as u8;

pub(crate) struct TronTask {
    game: Tron,
    /// Rows and columns, the same for every seed.
    sides: (usize, usize),
    sequential: bool,
    vanish: bool,
}

impl TronTask {
    pub(crate) fn new(game: Tron) -> TronTask {
        let start = game.start(&mut quintain_core::Rng::from_seed(0));
        let sides = (start.height(), start.width());
        let sequential = matches!(game.turn(&start), Turn::Seat(_));
        let vanish = game.trails() == quintain_tron::rules::Trails::Vanish;
        TronTask { game, sides, sequential, vanish }
    }
}

impl Task for TronTask {
    type Rules = Tron;
    /// The heads, and who lives.
    type Trace = ([u16; MAX_SEATS], u8);

    fn game(&self) -> &Tron {
        &self.game
    }

    fn layout(&self) -> Layout {
        Layout {
            seats: self.game.seats(),
            is_together: !self.sequential,
            actions: Direction::ALL.len(),
            board: vec![self.sides.0, self.sides.1],
            values: u16::from(HEAD) + MAX_SEATS as u16,
            is_words: false,
            features: vec!["turn".to_owned()],
        }
    }

    #[inline]
    fn play(&self, state: &mut State, action: impl Fn(usize) -> usize) -> Result<Did, usize> {
        let mut joint = [Direction::Up; MAX_SEATS];
        let mut moving = 0;
        let mut add = |seat: usize| {
            joint[moving] = Direction::ALL[action(seat)];
            moving += 1;
        };
        if self.sequential {
            let Turn::Seat(seat) = self.game.turn(state) else { return Ok(Did::Moved) };
            add(seat.index());
        } else {
            (0..state.seats()).filter(|seat| state.is_alive(Seat::new(*seat))).for_each(&mut add);
        }
        self.game.step(state, &joint[..moving]);
        Ok(Did::Scored)
    }

    #[inline]
    fn mask(&self, state: &State, seat: usize, out: &mut [i8]) {
        let seat = Seat::new(seat);
        let (mine, over) = match self.game.turn(state) {
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
    fn lives(&self, state: &State, seat: usize) -> bool {
        state.is_alive(Seat::new(seat))
    }

    fn draw(&self, state: &State, view: &mut View<'_>) {
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
    fn redraw(&self, (heads, lived): Self::Trace, state: &State, view: &mut View<'_>) {
        let lives = state.alive().fold(0u8, |lives, seat| lives | 1 << seat.index());
        if self.vanish && lives != lived {
            return self.draw(state, view);
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

impl TronTask {
    #[inline]
    fn count(&self, state: &State, view: &mut View<'_>) {
        if let [turn] = view.features {
            *turn = state.turn() as i32;
        }
    }
}
