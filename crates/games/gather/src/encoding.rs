//! Gather for learners: what each seat sees, as words of 64 bits under its own ids, and the round.
//! There are two such encodings: `views` counts rounds to the end, `looks` only as long as they are
//! informative.

use crate::rules::observation::LOOK_WORDS as WORDS;
use crate::{Gather, Move, State};
use quintain_core::{BuildError, Encoding, Layout, Rules, ScoreChange, Seat, View};

/// The most players whose units fit in a word.
pub(crate) const MAX_PLAYERS: usize = 64;
const WORD: usize = size_of::<u64>();
/// The number of rounds that are told apart, in longer sides of the board. Matches last at most a
/// few times that side, except for a few that last hundreds of times as long: a policy has never
/// met such rounds.
const LAPS: u32 = 4;

pub(crate) struct GatherEncoding {
    rules: Gather,
    /// All rounds from this one on look alike.
    last_round: u32,
}

impl GatherEncoding {
    /// # Errors
    /// If there are more players than a word has bits.
    pub(crate) fn new(rules: Gather) -> Result<GatherEncoding, BuildError> {
        let players = rules.seats();
        if players > MAX_PLAYERS {
            return Err(
                format!("{players} players; environments take at most {MAX_PLAYERS}").into()
            );
        }
        Ok(GatherEncoding { rules, last_round: u32::MAX })
    }

    /// Returns the same encoding with all late rounds alike.
    pub(crate) fn with_late_rounds_alike(self) -> GatherEncoding {
        let torus = self.rules.torus();
        let last_round = LAPS * u32::from(torus.width.max(torus.height));
        GatherEncoding { last_round, ..self }
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
        let mut joint = [Move::Stay; MAX_PLAYERS];
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
            *round = self.round(state);
        }
    }

    fn write_seat(&self, _layout: &Layout, state: &State, seat: Seat, view: &mut View<'_>) {
        self.write_row(state, seat, view.board);
        if let [round] = view.features {
            *round = self.round(state);
        }
    }
}

impl GatherEncoding {
    fn round(&self, state: &State) -> i32 {
        state.round().min(self.last_round) as i32
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_rounds_look_alike_and_early_ones_do_not() {
        let (built, _) = crate::entry().build("torus?width=5&height=3&players=2").unwrap();
        let rules = built.rules();
        let views = GatherEncoding::new(rules.clone()).unwrap();
        let looks = GatherEncoding::new(rules.clone()).unwrap().with_late_rounds_alike();
        let mut state = built.start(&mut quintain_core::Rng::from_seed(1));
        for round in 0..50 {
            let rounds = |encoding: &GatherEncoding| {
                let mut features = [0];
                encoding.write(&state, &mut View { board: &mut [], features: &mut features });
                features[0]
            };
            assert_eq!((rounds(&views), rounds(&looks)), (round, round.min(20)));
            rules.step(&mut state, &[Move::Stay; 2]);
        }
    }
}
