//! Gather for learners: what each seat sees, as words of 64 bits, under its own ids.

use quintain_core::Rules;
use quintain_gather::observation::{WORDS, look_words};
use quintain_gather::{Gather, Move, State};

use super::task::{Did, Layout, Task, View};

/// The most players whose units fit a word.
pub(crate) const MOST: usize = 64;
const WORD: usize = size_of::<u64>();

pub(crate) struct GatherTask {
    game: Gather,
}

impl GatherTask {
    /// # Errors
    /// If there are more players than a word has bits.
    pub(crate) fn new(game: Gather) -> Result<GatherTask, String> {
        let players = game.seats();
        if players > MOST {
            return Err(format!("{players} players; environments take {MOST} at most"));
        }
        Ok(GatherTask { game })
    }
}

impl Task for GatherTask {
    type Rules = Gather;
    type Trace = ();

    fn game(&self) -> &Gather {
        &self.game
    }

    fn layout(&self) -> Layout {
        Layout {
            seats: self.game.seats(),
            is_together: true,
            actions: Move::ALL.len(),
            board: vec![self.game.seats(), WORDS * WORD],
            values: 256,
            is_words: true,
            features: vec!["round".to_owned()],
        }
    }

    #[inline]
    fn play(&self, state: &mut State, action: impl Fn(usize) -> usize) -> Result<Did, usize> {
        let seats = state.seats();
        let mut joint = [Move::Stay; MOST];
        for (seat, to) in joint[..seats].iter_mut().enumerate() {
            *to = Move::ALL[action(seat)];
        }
        self.game.step(state, &joint[..seats]);
        Ok(Did::Scored)
    }

    #[inline]
    fn mask(&self, _state: &State, _seat: usize, out: &mut [i8]) {
        out.fill(1);
    }

    #[inline]
    fn draw(&self, state: &State, view: &mut View<'_>) {
        for (seat, out) in view.board.chunks_exact_mut(WORDS * WORD).enumerate() {
            let words = look_words(&self.game, state, quintain_core::Seat::new(seat));
            for (out, word) in out.chunks_exact_mut(WORD).zip(words) {
                out.copy_from_slice(&word.to_ne_bytes());
            }
        }
        if let [round] = view.features {
            *round = state.round() as i32;
        }
    }

    fn trace(&self, _state: &State) -> Self::Trace {}
}
