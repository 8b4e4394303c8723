//! Gather for learners: what each seat sees, as words of 64 bits, under its own ids.

use crate::rules::observation::LOOK_WORDS as WORDS;
use crate::{Gather, Move, State};
use quintain_core::{BuildError, Encoding, Layout, Rules, ScoreChange, Seat, View};

/// The most players whose units fit a word.
pub(crate) const MOST: usize = 64;
const WORD: usize = size_of::<u64>();

pub(crate) struct GatherEncoding {
    rules: Gather,
}

impl GatherEncoding {
    /// # Errors
    /// If there are more players than a word has bits.
    pub(crate) fn new(rules: Gather) -> Result<GatherEncoding, BuildError> {
        let players = rules.seats();
        if players > MOST {
            return Err(format!("{players} players; environments take {MOST} at most").into());
        }
        Ok(GatherEncoding { rules })
    }
}

impl Encoding for GatherEncoding {
    type Rules = Gather;
    type Trace = ();

    fn rules(&self) -> &Gather {
        &self.rules
    }

    fn layout(&self) -> Layout {
        let seats = self.rules.seats();
        Layout::new(seats, Move::ALL.len(), [seats, WORDS * WORD], 256)
            .with_simultaneous_turns()
            .with_words()
            .with_features(["round"])
    }

    fn action(&self, _state: &State, _seat: Seat, number: usize) -> Option<Move> {
        Move::ALL.get(number).copied()
    }

    #[inline]
    fn play(&self, state: &mut State, action: impl Fn(Seat) -> usize) -> Result<ScoreChange, Seat> {
        let seats = state.seats();
        let mut joint = [Move::Stay; MOST];
        for (seat, to) in Seat::all(seats).zip(&mut joint) {
            *to = Move::ALL[action(seat)];
        }
        self.rules.step(state, &joint[..seats]);
        Ok(ScoreChange::Possible)
    }

    #[inline]
    fn mask(&self, _state: &State, _seat: Seat, out: &mut [i8]) {
        out.fill(1);
    }

    #[inline]
    fn write(&self, state: &State, view: &mut View<'_>) {
        for (seat, out) in view.board.chunks_exact_mut(WORDS * WORD).enumerate() {
            self.write_row(state, Seat::new(seat), out);
        }
        if let [round] = view.features {
            *round = state.round() as i32;
        }
    }

    fn write_seat(&self, _layout: &Layout, state: &State, seat: Seat, view: &mut View<'_>) {
        self.write_row(state, seat, view.board);
        if let [round] = view.features {
            *round = state.round() as i32;
        }
    }
}

impl GatherEncoding {
    #[inline]
    fn write_row(&self, state: &State, seat: Seat, out: &mut [u8]) {
        if out.is_empty() {
            return;
        }
        let words = self.rules.look_words(state, seat);
        for (out, word) in out.chunks_exact_mut(WORD).zip(words) {
            out.copy_from_slice(&word.to_ne_bytes());
        }
    }
}
