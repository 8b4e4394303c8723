//! The rules: two seats take turns marking cells of a board of three by three, and three marks
//! of one seat in a line win. Write your game's rules here, in the order of their source. How a
//! match starts is in [`environment`](crate::environment).

use quintain_core::{Ending, Rng, Rules, Scoring, Seat, Turn, number_as_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows and columns of the board.
pub(crate) const SIDE: usize = 3;
/// Cells of the board, counted row by row from the top left.
pub(crate) const CELLS: usize = SIDE * SIDE;

/// The cells of each line.
const LINES: [[usize; SIDE]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// The rules. Put in here what a scenario decides (the size of the board, a variant).
#[derive(Clone, Debug)]
pub struct NewGame;

/// A position. Both seats see all of it.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Who has marked each cell.
    pub(crate) cells: [Option<Seat>; CELLS],
}

/// Marking a cell: its number from 1, row by row from the top left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cell(pub(crate) u8);

number_as_text!(Cell, "cell", 1..=9);

impl State {
    /// Who has marked the cell with this index.
    pub fn mark(&self, index: usize) -> Option<Seat> {
        self.cells[index]
    }

    /// The seat that has three in a line.
    pub fn winner(&self) -> Option<Seat> {
        let owner = |line: &[usize; SIDE]| {
            let first = self.cells[line[0]]?;
            line.iter().all(|index| self.cells[*index] == Some(first)).then_some(first)
        };
        LINES.iter().find_map(owner)
    }

    fn plies(&self) -> usize {
        self.cells.iter().flatten().count()
    }
}

impl Rules for NewGame {
    type State = State;
    type Action = Cell;
    type Observation = State;

    fn seats(&self) -> usize {
        2
    }

    fn scoring(&self) -> Scoring {
        Scoring::Adversarial
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn turn(&self, state: &State) -> Turn {
        match state.plies() {
            CELLS => Turn::Over,
            _ if state.winner().is_some() => Turn::Over,
            plies => Turn::Seat(Seat::new(plies % 2)),
        }
    }

    fn actions(&self, state: &State, _seat: Seat, out: &mut Vec<Cell>) {
        let free = (0..CELLS).filter(|index| state.cells[*index].is_none());
        out.extend(free.map(|index| Cell(index as u8 + 1)));
    }

    fn step(&self, state: &mut State, joint: &[Cell]) {
        let seat = Seat::new(state.plies() % 2);
        state.cells[usize::from(joint[0].0) - 1] = Some(seat);
    }

    fn observe(&self, state: &State, _seat: Seat) -> State {
        state.clone()
    }

    fn determinize(&self, seen: &State, _seat: Seat, _rng: &mut Rng) -> State {
        seen.clone()
    }

    fn score(&self, state: &State, seat: Seat) -> f64 {
        state.winner().map_or(0.5, |winner| if winner == seat { 1.0 } else { 0.0 })
    }

    fn ending(&self, state: &State) -> Ending {
        let reason = if state.winner().is_some() { "three in a line" } else { "board full" };
        Ending::new(reason)
    }
}
