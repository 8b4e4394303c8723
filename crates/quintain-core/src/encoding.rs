//! A game as learners meet it: actions by number, observations as blocks of numbers, masks.
//! A game may register such an encoding on its entry; everything that learns from numbers
//! ([`AnyBatch`](crate::AnyBatch), Python's environments) is derived from it. Legality,
//! chance and scores stay with the rules.

use crate::rules::{Rules, Seat, Turn};

/// The shapes of what an encoding writes for one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Seats of the game.
    pub seats: usize,
    /// Whether the seats that move at all move at once, not one after another.
    pub is_simultaneous: bool,
    /// Actions have the numbers below this.
    pub actions: usize,
    /// The sides of the board's array, of bytes.
    pub board: Vec<usize>,
    /// The least number that no byte of the board reaches.
    pub values: u16,
    /// Whether the board is words of 64 bits, in bytes, rather than cells.
    pub is_words: bool,
    /// The names of the features, 32-bit whole numbers of the state as a whole.
    pub features: Vec<String>,
}

impl Layout {
    /// Bytes of the board.
    pub fn board_len(&self) -> usize {
        self.board.iter().product()
    }
}

/// What a turn changed, as far as rewards are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Changed {
    /// No score.
    Nothing,
    /// Perhaps a score.
    Score,
}

/// Where an encoding writes what is seen of one state.
pub struct View<'a> {
    /// Shaped as [`Layout::board`] says; empty if it is not wanted.
    pub board: &'a mut [u8],
    /// As many as [`Layout::features`] names; empty if they are not wanted.
    pub features: &'a mut [i32],
}

/// The encoding of a game's states and actions as numbers, on one scenario.
///
/// [`layout`](Encoding::layout), [`action`](Encoding::action) and
/// [`write`](Encoding::write) are enough. Games that must be fast also say how a turn is
/// [played](Encoding::play) and [masked](Encoding::mask) without making actions, and how a
/// view is [rewritten](Encoding::rewrite) where it changed. A game whose numbers are finer
/// than its actions (a keystroke of a long one) has no `action`, and must say both.
pub trait Encoding: Send + Sync + 'static {
    /// The rules.
    type Rules: Rules;
    /// What [`rewrite`](Encoding::rewrite) has to know of the position before; `()` where
    /// views are written anew every time.
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

    /// Plays a turn; `number` gives each seat's action, below [`Layout::actions`]. Those of
    /// seats that do not move are ignored.
    ///
    /// # Errors
    /// The first seat whose action the rules refuse; the state is unchanged then.
    fn play(
        &self,
        state: &mut <Self::Rules as Rules>::State,
        number: impl Fn(usize) -> usize,
    ) -> Result<Changed, usize> {
        let rules = self.rules();
        let mut joint = Vec::with_capacity(rules.seats());
        for seat in Seat::all(rules.seats()).filter(|seat| is_acting(rules, state, *seat)) {
            let action = self.action(state, seat, number(seat.index())).ok_or(seat.index())?;
            rules.check(state, seat, &action).map_err(|_| seat.index())?;
            joint.push(action);
        }
        rules.step(state, &joint);
        Ok(Changed::Score)
    }

    /// Writes which actions a seat may take: 1 or 0 for each number. Where some legal
    /// actions lose at once and others do not, a game may mark the latter alone.
    fn mask(&self, state: &<Self::Rules as Rules>::State, seat: usize, out: &mut [i8]) {
        let (rules, seat) = (self.rules(), Seat::new(seat));
        let acting = is_acting(rules, state, seat);
        for (number, out) in out.iter_mut().enumerate() {
            let action = if acting { self.action(state, seat, number) } else { None };
            *out = action.is_some_and(|action| rules.check(state, seat, &action).is_ok()).into();
        }
    }

    /// Whether a seat is still in the game. In games between rivals, who drops out is
    /// rewarded at once.
    fn is_alive(&self, _state: &<Self::Rules as Rules>::State, _seat: usize) -> bool {
        true
    }

    /// Writes the whole view of a position.
    fn write(&self, state: &<Self::Rules as Rules>::State, view: &mut View<'_>);

    /// What must be known of a position to rewrite the view of the next one.
    fn trace(&self, _state: &<Self::Rules as Rules>::State) -> Self::Trace {
        Self::Trace::default()
    }

    /// Brings the view of the position that `before` traces up to this one.
    fn rewrite(
        &self,
        _before: Self::Trace,
        state: &<Self::Rules as Rules>::State,
        view: &mut View<'_>,
    ) {
        self.write(state, view);
    }
}

/// Whether a seat must move now.
pub(crate) fn is_acting<R: Rules>(rules: &R, state: &R::State, seat: Seat) -> bool {
    match rules.turn(state) {
        Turn::Seat(to_move) => to_move == seat,
        Turn::Simultaneous => rules.is_acting(state, seat),
        Turn::Over | Turn::Chance => false,
    }
}
