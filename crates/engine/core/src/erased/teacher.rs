//! A typed game's records in the numbers of an encoding, for learners.

use std::sync::Arc;

use super::matches::read_action;
use super::{AnyTeacher, NumberedDecision};
use crate::encoding::Layout;
use crate::environment::Scenario;
use crate::matches::Match;
use crate::numbered_rules::AnyEncoding;
use crate::record::{Record, RecordError};
use crate::rules::Rules;
use crate::seat::Seat;

/// A scenario and one of its game's encodings.
pub(super) struct Teacher<R: Rules> {
    pub(super) scenario: Scenario<R>,
    pub(super) encoding: Arc<dyn AnyEncoding<R>>,
    /// The encoding's name.
    pub(super) name: &'static str,
}

impl<R: Rules> Teacher<R> {
    /// Calls `each` with the parts of a decision. Returns whether all parts have numbers.
    fn show(
        &self,
        game: &Match<R>,
        seat: Seat,
        action: &R::Action,
        each: &mut dyn FnMut(NumberedDecision),
    ) -> bool {
        let layout = self.encoding.layout();
        let parts = self.encoding.parts(game.state(), seat, action);
        let count = parts.len();
        let mut state = game.state().clone();
        for (index, (chosen, part)) in parts.into_iter().enumerate() {
            let mut numbered = Vec::new();
            self.encoding.actions(&state, seat, &mut numbered);
            let legal: Vec<usize> = numbered.into_iter().map(|(number, _)| number).collect();
            if !legal.contains(&chosen) {
                return false;
            }
            let mut board = vec![0; layout.seat_board_len()];
            let mut features = vec![0; layout.features.len()];
            self.encoding.write_seat(&state, seat, &mut board, &mut features);
            each(NumberedDecision { turn: game.turn(), seat, board, features, legal, chosen });
            if index + 1 < count {
                self.scenario.rules().step(&mut state, &[part]);
            }
        }
        count > 0
    }
}

impl<R: Rules> AnyTeacher for Teacher<R> {
    fn encoding(&self) -> &'static str {
        self.name
    }

    fn layout(&self) -> &Layout {
        self.encoding.layout()
    }

    fn decisions(
        &self,
        record: &Record,
        wanted: &dyn Fn(Seat) -> bool,
        each: &mut dyn FnMut(NumberedDecision),
    ) -> Result<u64, RecordError> {
        let mut game = Match::new(self.scenario.clone(), record.fixture.seed);
        let mut texts = record.action_texts();
        let mut without = 0;
        loop {
            let acting = game.acting().to_vec();
            let joint: Vec<&str> = texts.by_ref().take(acting.len()).collect();
            if joint.is_empty() || joint.len() < acting.len() {
                return Ok(without);
            }
            let turn = game.turn();
            let read = |(seat, text): (&Seat, &&str)| {
                read_action::<R>(text).map_err(|problem| record.refused(turn, *seat, problem))
            };
            let joint: Vec<R::Action> =
                acting.iter().zip(&joint).map(read).collect::<Result<_, _>>()?;
            // The actions are checked on a copy, because `each` must see the position before they
            // are played.
            let mut after = game.clone();
            after
                .play(&joint)
                .map_err(|(seat, illegal)| record.refused(turn, seat, illegal.into()))?;
            for (seat, action) in acting.iter().zip(&joint).filter(|(seat, _)| wanted(**seat)) {
                without += u64::from(!self.show(&game, *seat, action, each));
            }
            game = after;
        }
    }
}
