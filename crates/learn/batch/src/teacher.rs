//! A game's records in the numbers of an encoding, for learners that imitate.

use std::str::FromStr;

use quintain_core::{ActionError, Encoding, Layout, Match, Record, RecordError, Rules, Seat, View};

use crate::states::Instance;

/// A game on a scenario whose records learners read by the numbers of an encoding.
pub trait AnyTeacher: Send + Sync {
    /// The encoding's name.
    fn encoding(&self) -> &'static str;
    /// The shapes of actions and observations.
    fn layout(&self) -> &Layout;
    /// Calls `each` with every decision of the wanted seats that has a number. Returns how many
    /// have none.
    ///
    /// # Errors
    /// At the first action that cannot be read or that the rules refuse.
    fn decisions(
        &self,
        record: &Record,
        wanted: &dyn Fn(Seat) -> bool,
        each: &mut dyn FnMut(NumberedDecision),
    ) -> Result<u64, RecordError>;
}

/// A decision in a record, as numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NumberedDecision {
    /// The turn.
    pub turn: u32,
    /// Who decided.
    pub seat: Seat,
    /// What it saw of the board.
    pub board: Vec<u8>,
    /// The features.
    pub features: Vec<i32>,
    /// The legal actions.
    pub legal: Vec<usize>,
    /// The action that was taken; it is among the legal ones.
    pub chosen: usize,
}

/// A scenario and one of its game's encodings.
pub(crate) struct Teacher<E: Encoding> {
    on: Instance<E>,
    layout: Layout,
    /// The encoding's name.
    name: &'static str,
}

impl<E: Encoding> Teacher<E> {
    pub(crate) fn new(on: Instance<E>, name: &'static str) -> Self {
        Teacher { layout: on.encoding.layout(), on, name }
    }

    /// Calls `each` with the parts of a decision. Returns whether all parts have numbers.
    fn show(
        &self,
        game: &Match<E::Rules>,
        seat: Seat,
        action: &<E::Rules as Rules>::Action,
        each: &mut dyn FnMut(NumberedDecision),
    ) -> bool {
        let Instance { scenario, encoding } = &self.on;
        let layout = &self.layout;
        let parts = encoding.parts(game.state(), seat, action);
        let count = parts.len();
        let mut state = game.state().clone();
        for (index, (chosen, part)) in parts.into_iter().enumerate() {
            let mut numbered = Vec::new();
            encoding.numbered_actions(&state, seat, &mut numbered);
            let legal: Vec<usize> = numbered.into_iter().map(|(number, _)| number).collect();
            if !legal.contains(&chosen) {
                return false;
            }
            let mut board = vec![0; layout.seat_board_len()];
            let mut features = vec![0; layout.features.len()];
            let mut view = View { board: &mut board, features: &mut features };
            encoding.write_seat(layout, &state, seat, &mut view);
            each(NumberedDecision { turn: game.turn(), seat, board, features, legal, chosen });
            if index + 1 < count {
                scenario.rules().step(&mut state, &[part]);
            }
        }
        count > 0
    }
}

impl<E: Encoding> AnyTeacher for Teacher<E> {
    fn encoding(&self) -> &'static str {
        self.name
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn decisions(
        &self,
        record: &Record,
        wanted: &dyn Fn(Seat) -> bool,
        each: &mut dyn FnMut(NumberedDecision),
    ) -> Result<u64, RecordError> {
        let mut game = Match::new(self.on.scenario.clone(), record.fixture.seed);
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
                read_action::<E::Rules>(text)
                    .map_err(|problem| record.refused(turn, *seat, problem))
            };
            let joint: Vec<<E::Rules as Rules>::Action> =
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

/// Reads an action from its text.
fn read_action<R: Rules>(text: &str) -> Result<R::Action, ActionError> {
    R::Action::from_str(text).map_err(|error| ActionError::Unreadable(error.to_string()))
}
