//! A game as a learner meets it: actions by number, observations as blocks of numbers. Each
//! game says here how its own states and actions read as numbers; legality, chance and
//! scores stay with its rules.

use quintain_core::Rules;

/// What a learner's arrays hold for one state.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Seats of the game.
    pub(crate) seats: usize,
    /// Seats that move at all move at once, not one after another.
    pub(crate) is_together: bool,
    /// Actions have the numbers below this.
    pub(crate) actions: usize,
    /// The sides of the board's array, of bytes.
    pub(crate) board: Vec<usize>,
    /// The least number that no cell of the board reaches.
    pub(crate) values: u16,
    /// The board is words of 64 bits, in bytes.
    pub(crate) is_words: bool,
    /// The names of the features, whole numbers of the state as a whole.
    pub(crate) features: Vec<String>,
}

impl Layout {
    /// Bytes of the board.
    pub(crate) fn cells(&self) -> usize {
        self.board.iter().product()
    }
}

/// What a turn did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Did {
    /// Nothing that counts.
    Moved,
    /// Perhaps the score has changed.
    Scored,
}

/// What is seen of a state.
pub(crate) struct View<'a> {
    /// As [`Layout::board`] says; empty if it is not wanted.
    pub(crate) board: &'a mut [u8],
    /// As [`Layout::features`] says; empty if they are not wanted.
    pub(crate) features: &'a mut [i32],
}

/// A game for learners.
pub(crate) trait Task: Send + Sync + 'static {
    /// The game.
    type Rules: Rules;
    /// What must be known of a position to draw what changes after it.
    type Trace: Copy + Send;

    /// The rules.
    fn game(&self) -> &Self::Rules;

    /// The form of actions and observations.
    fn layout(&self) -> Layout;

    /// Plays a turn: `action` gives the number of each seat's action, which is below
    /// [`Layout::actions`].
    ///
    /// # Errors
    /// The seat whose action the rules refuse; the state is unchanged then.
    fn play(
        &self,
        state: &mut <Self::Rules as Rules>::State,
        action: impl Fn(usize) -> usize,
    ) -> Result<Did, usize>;

    /// Which actions a seat may take, 1 or 0 for each. Of actions that are legal but lose at
    /// once where others do not, the latter alone.
    fn mask(&self, state: &<Self::Rules as Rules>::State, seat: usize, out: &mut [i8]);

    /// Whether a seat is still in the game.
    fn lives(&self, _state: &<Self::Rules as Rules>::State, _seat: usize) -> bool {
        true
    }

    /// Fills the view.
    fn draw(&self, state: &<Self::Rules as Rules>::State, view: &mut View<'_>);

    /// What [`Task::redraw`] has to know of the position before.
    fn trace(&self, state: &<Self::Rules as Rules>::State) -> Self::Trace;

    /// Brings the view from the position before up to this one.
    fn redraw(
        &self,
        _before: Self::Trace,
        state: &<Self::Rules as Rules>::State,
        view: &mut View<'_>,
    ) {
        self.draw(state, view);
    }
}
