//! A game as learners see it: actions by number, observations as blocks of numbers, masks. A game
//! may register such an encoding on its entry; everything that learns from numbers (batches of
//! states, Python's environments) is derived from it. Legality, chance and scores stay with the
//! rules.

use crate::rules::{Rules, Turn};
use crate::seat::Seat;

/// The shapes of the arrays that an encoding writes for one state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// Seats of the game.
    pub seats: usize,
    /// Seats that the learner plays: all, or one among other players.
    pub learner_seats: usize,
    /// Whether the seats that move do so on the same turn rather than one after another.
    pub is_simultaneous: bool,
    /// The number of distinct actions; they are numbered from 0.
    pub actions: usize,
    /// The shape of the board's array of bytes.
    pub board: Vec<usize>,
    /// The number of values that a byte of the board can take; each byte lies in `0..values`. A
    /// board of free cells and two colours of stones has 3.
    pub values: u16,
    /// Whether the board consists of 64-bit words, stored as bytes, rather than of cells. Each seat
    /// then has a row of its own, with what that seat alone sees: for 2 seats and 3 words, `board`
    /// is `[2, 24]`.
    pub is_words: bool,
    /// For each kind of thing that seats own, the byte of one owned by seat 0; the bytes of the
    /// other seats follow. For two seats with heads 1 and 2 and trails 3 and 4, this is `[1, 3]`.
    pub seat_values: Vec<u8>,
    /// The names of the features, 32-bit whole numbers of the state as a whole.
    pub features: Vec<String>,
    /// How many kinds of actions there are for each cell of the board. They are the last of all
    /// actions: for each kind in turn, one number per cell. 0 if actions are not about cells.
    pub cell_actions: usize,
}

impl Layout {
    /// A board of `board[0]` rows and `board[1]` columns, a byte below `values` in each cell,
    /// for seats that move one after another; no features.
    pub fn new(seats: usize, actions: usize, board: [usize; 2], values: u16) -> Layout {
        Layout {
            seats,
            learner_seats: seats,
            // A single seat is always all of the seats that move.
            is_simultaneous: seats == 1,
            actions,
            board: board.to_vec(),
            values,
            is_words: false,
            seat_values: Vec::new(),
            features: Vec::new(),
            cell_actions: 0,
        }
    }

    /// The same layout, whose last actions are `kinds` kinds of actions for each cell of the board.
    pub fn with_cell_actions(self, kinds: usize) -> Layout {
        debug_assert!(kinds * self.board_len() <= self.actions, "there are not so many actions");
        Layout { cell_actions: kinds, ..self }
    }

    /// The same layout for seats that all move on the same turn.
    pub fn with_simultaneous_turns(self) -> Layout {
        Layout { is_simultaneous: true, ..self }
    }

    /// The same layout with features of these names.
    pub fn with_features<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Layout {
        Layout { features: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same layout with a board of 64-bit words: its columns are the bytes of a row.
    pub fn with_words(self) -> Layout {
        Layout { is_words: true, ..self }
    }

    /// The same layout, with bytes that belong to seats; see [`Layout::seat_values`].
    pub fn with_seat_values(self, first: impl Into<Vec<u8>>) -> Layout {
        Layout { seat_values: first.into(), ..self }
    }

    /// The same layout for a learner that plays one of the seats.
    pub fn with_one_learner(self) -> Layout {
        let board = if self.is_words { vec![self.board[1]] } else { self.board };
        Layout { learner_seats: 1, board, ..self }
    }

    /// Maps each byte of the board to the byte that a seat sees. What the seat owns has the bytes
    /// of seat 0, what the next seat owns has those of seat 1, and so on around.
    pub fn own_bytes(&self, seat: Seat, seats: usize) -> [u8; 256] {
        let mut bytes = std::array::from_fn(|byte| byte as u8);
        for first in self.seat_values.iter().map(|first| usize::from(*first)) {
            for owner in 0..seats {
                bytes[first + owner] = (first + (owner + seats - seat.index()) % seats) as u8;
            }
        }
        bytes
    }

    /// The number of bytes of the board.
    pub fn board_len(&self) -> usize {
        self.board.iter().product()
    }

    /// The number of bytes that a seat sees of the board.
    pub fn seat_board_len(&self) -> usize {
        self.board_len() / if self.is_words { self.board[0] } else { 1 }
    }
}

/// Whether a turn can have changed a score. If it cannot, rewards need not be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreChange {
    /// No score has changed.
    None,
    /// Scores may have changed.
    Possible,
}

/// The arrays into which an encoding writes what is seen of one state.
pub struct View<'a> {
    /// The board, shaped as [`Layout::board`] says; empty if it is not wanted.
    pub board: &'a mut [u8],
    /// The features, as many as [`Layout::features`] names; empty if they are not wanted.
    pub features: &'a mut [i32],
}

/// Encodes the states and actions of a game on one scenario as numbers.
///
/// [`layout`](Encoding::layout), [`action`](Encoding::action) and [`write`](Encoding::write) are
/// enough. Games that must be fast also implement [`play`](Encoding::play) and
/// [`mask`](Encoding::mask) without making actions, and [`rewrite`](Encoding::rewrite), which
/// updates a view only where it changed. If a number stands for only a part of an action (one
/// keystroke of a long action), there is no `action`, and the game must implement `play` and
/// `mask`.
pub trait Encoding: Send + Sync + 'static {
    /// The rules.
    type Rules: Rules;
    /// What [`rewrite`](Encoding::rewrite) has to know about the previous position; `()` if views
    /// are written every time.
    type Trace: Copy + Send + Default;

    /// The rules of the scenario.
    fn rules(&self) -> &Self::Rules;

    /// The shapes of actions and observations.
    fn layout(&self) -> Layout;

    /// The action with this number for a seat, or `None` if there is none in this position.
    /// It need not be legal.
    fn action(
        &self,
        _state: &<Self::Rules as Rules>::State,
        _seat: Seat,
        _number: usize,
    ) -> Option<<Self::Rules as Rules>::Action> {
        None
    }

    /// Translates an action of the rules into numbers. It has one part, or several that are played
    /// one after another (the keystrokes of a longer action, where one seat moves); each part comes
    /// with the action that it is. If numbers cannot express all of an action, the nearest number
    /// is returned, or nothing if none comes near.
    fn parts(
        &self,
        state: &<Self::Rules as Rules>::State,
        seat: Seat,
        action: &<Self::Rules as Rules>::Action,
    ) -> Vec<(usize, <Self::Rules as Rules>::Action)> {
        let is_it = |number: &usize| self.action(state, seat, *number).as_ref() == Some(action);
        let number = (0..self.layout().actions).find(is_it);
        number.map(|number| (number, action.clone())).into_iter().collect()
    }

    /// Appends the legal actions of a seat that moves, by number. A game for which finding a single
    /// action is slow implements this to find all at once.
    fn numbered_actions(
        &self,
        state: &<Self::Rules as Rules>::State,
        seat: Seat,
        out: &mut Vec<(usize, <Self::Rules as Rules>::Action)>,
    ) {
        let mut mask = vec![0; self.layout().actions];
        self.mask(state, seat, &mut mask);
        for number in (0..mask.len()).filter(|number| mask[*number] != 0) {
            let action = self.action(state, seat, number);
            // A mask may leave it to `action` to rule out some numbers.
            let legal = action.filter(|action| self.rules().check(state, seat, action).is_ok());
            out.extend(legal.map(|action| (number, action)));
        }
    }

    /// Plays a turn; `number` gives the number of each seat's action, below [`Layout::actions`].
    /// The numbers of seats that do not move are ignored.
    ///
    /// # Errors
    /// The first seat whose action the rules refuse; the state is unchanged then.
    fn play(
        &self,
        state: &mut <Self::Rules as Rules>::State,
        number: impl Fn(Seat) -> usize,
    ) -> Result<ScoreChange, Seat> {
        let rules = self.rules();
        let legal = |seat: Seat| {
            let action = self.action(state, seat, number(seat)).ok_or(seat)?;
            rules.check(state, seat, &action).map_err(|_| seat)?;
            Ok(action)
        };
        if let Turn::Seat(seat) = rules.turn(state) {
            // One action needs no list, whose memory would take longer than many a turn.
            let action = legal(seat)?;
            rules.step(state, &[action]);
            return Ok(ScoreChange::Possible);
        }
        let mut joint = Vec::with_capacity(rules.seats());
        for seat in Seat::all(rules.seats()).filter(|seat| is_acting(rules, state, *seat)) {
            joint.push(legal(seat)?);
        }
        rules.step(state, &joint);
        Ok(ScoreChange::Possible)
    }

    /// Writes which actions a seat may take: 1 or 0 for each number. If some legal actions lose at
    /// once and others do not, a game may mark only those that do not.
    fn mask(&self, state: &<Self::Rules as Rules>::State, seat: Seat, out: &mut [i8]) {
        let rules = self.rules();
        let acting = is_acting(rules, state, seat);
        for (number, out) in out.iter_mut().enumerate() {
            let action = if acting { self.action(state, seat, number) } else { None };
            *out = action.is_some_and(|action| rules.check(state, seat, &action).is_ok()).into();
        }
    }

    /// Whether a seat is still in the game. In games between rivals, a seat that drops out gets its
    /// reward at once.
    fn is_alive(&self, _state: &<Self::Rules as Rules>::State, _seat: Seat) -> bool {
        true
    }

    /// Writes the whole view of a position.
    fn write(&self, state: &<Self::Rules as Rules>::State, view: &mut View<'_>);

    /// Writes what one seat sees, for a learner that plays this seat alone: the seat's own row if
    /// every seat has one, otherwise the board with its bytes mapped by [`Layout::own_bytes`], so
    /// that one policy can play every seat. `layout` is that of the encoding.
    fn write_seat(
        &self,
        layout: &Layout,
        state: &<Self::Rules as Rules>::State,
        seat: Seat,
        view: &mut View<'_>,
    ) {
        if layout.is_words {
            let mut all = vec![0; if view.board.is_empty() { 0 } else { layout.board_len() }];
            self.write(state, &mut View { board: &mut all, features: &mut *view.features });
            let row = view.board.len();
            view.board.copy_from_slice(&all[seat.index() * row..][..row]);
            return;
        }
        self.write(state, view);
        if seat.index() != 0 && !layout.seat_values.is_empty() {
            let bytes = layout.own_bytes(seat, layout.seats);
            for byte in view.board.iter_mut() {
                *byte = bytes[usize::from(*byte)];
            }
        }
    }

    /// What must be known of a position to rewrite the view of the next one.
    fn trace(&self, _state: &<Self::Rules as Rules>::State) -> Self::Trace {
        Self::Trace::default()
    }

    /// Updates the view of the position traced by `before` to this position.
    fn rewrite(
        &self,
        _before: Self::Trace,
        state: &<Self::Rules as Rules>::State,
        view: &mut View<'_>,
    ) {
        self.write(state, view);
    }
}

/// The encoding of a game whose actions are few enough to be numbered and whose board is a
/// grid of cells: all that a small game needs.
///
/// # Example
/// ```
/// # use quintain_core::{Ending, Rng, Rules, Scoring, Seat, Turn};
/// use quintain_core::{CellEncoding, Encoding, Layout};
/// # #[derive(Clone)]
/// # struct Fill;
/// # impl Rules for Fill {
/// #     type State = Vec<u8>;
/// #     type Action = usize;
/// #     type Observation = Vec<u8>;
/// #     fn seats(&self) -> usize { 1 }
/// #     fn scoring(&self) -> Scoring { Scoring::Independent }
/// #     fn turn(&self, board: &Vec<u8>) -> Turn {
/// #         if board.contains(&0) { Turn::Seat(Seat::new(0)) } else { Turn::Over }
/// #     }
/// #     fn actions(&self, board: &Vec<u8>, _: Seat, out: &mut Vec<usize>) {
/// #         out.extend((0..4).filter(|cell| board[*cell] == 0));
/// #     }
/// #     fn step(&self, board: &mut Vec<u8>, joint: &[usize]) { board[joint[0]] = 1; }
/// #     fn observe(&self, board: &Vec<u8>, _: Seat) -> Vec<u8> { board.clone() }
/// #     fn determinize(&self, seen: &Vec<u8>, _: Seat, _: &mut Rng) -> Vec<u8> { seen.clone() }
/// #     fn score(&self, _: &Vec<u8>, _: Seat) -> f64 { 0.0 }
/// #     fn ending(&self, _: &Vec<u8>) -> Ending { Ending::new("full") }
/// # }
/// // `Fill` is a game of one seat that fills two by two cells; an action is a cell.
/// let encoding = CellEncoding {
///     rules: Fill,
///     layout: Layout::new(1, 4, [2, 2], 2),
///     action: |_, cell| cell,
///     cell: |_, board, cell| board[cell],
/// };
/// let mut mask = [0; 4];
/// encoding.mask(&vec![0, 1, 0, 0], Seat::new(0), &mut mask);
/// assert_eq!(mask, [1, 0, 1, 1]);
/// ```
pub struct CellEncoding<R: Rules> {
    /// The rules of the scenario.
    pub rules: R,
    /// The shapes; see [`Layout::new`].
    pub layout: Layout,
    /// Returns the action with a number, legal or not.
    pub action: fn(&R, usize) -> R::Action,
    /// Returns the byte of a cell; cells are counted row by row from the top left.
    pub cell: fn(&R, &R::State, usize) -> u8,
}

impl<R: Rules> Encoding for CellEncoding<R> {
    type Rules = R;
    type Trace = ();

    fn rules(&self) -> &R {
        &self.rules
    }

    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn action(&self, _state: &R::State, _seat: Seat, number: usize) -> Option<R::Action> {
        Some((self.action)(&self.rules, number))
    }

    fn write(&self, state: &R::State, view: &mut View<'_>) {
        for (cell, out) in view.board.iter_mut().enumerate() {
            *out = (self.cell)(&self.rules, state, cell);
        }
    }
}

/// Whether a seat must move now.
pub fn is_acting<R: Rules>(rules: &R, state: &R::State, seat: Seat) -> bool {
    match rules.turn(state) {
        Turn::Seat(to_move) => to_move == seat,
        Turn::Simultaneous => rules.is_acting(state, seat),
        Turn::Over | Turn::Chance => false,
    }
}
