//! Connect four, the sixth game: a whole game in one file, on the same traits as
//! the five, with every generic player; apart from it, an encoding that is fast. Two
//! seats drop discs in turn into seven columns of six; four of one's own in a line
//! win. A new game of several files starts from `templates/game`.

mod encoding;

use quintain_core::parameters::NoParameters;
use quintain_core::ui::{Keyboard, Paint, Scene};
use quintain_core::{
    Ending, Entry, FixedStart, Illegal, Presentation, Rng, Rules, Scenario, Scoring, Seat, Turn,
    number_as_text,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::encoding::ConnectFourEncoding;

const COLUMNS: usize = 7;
const ROWS: usize = 6;
/// A column takes seven bits, the topmost always empty, so that lines do not run
/// from one column into the next (John Tromp's layout).
const STRIDE: usize = ROWS + 1;
const BOTTOM_ROW: u64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28 | 1 << 35 | 1 << 42;
const TOP_ROW: u64 = BOTTOM_ROW << (ROWS - 1);

/// The rules; they have no parameters.
#[derive(Clone, Debug)]
pub struct ConnectFour;

/// A position; what both seats see is all there is.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Board {
    /// The discs of each seat, a bit a cell: bit 7·column + height.
    discs: [u64; 2],
    /// Discs played.
    plies: u8,
    /// The seat that has four in a line.
    winner: Option<Seat>,
}

/// Dropping a disc into a column, 1 to 7 from the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column(u8);

number_as_text!(Column, "column", 1..=7);

impl Board {
    #[inline]
    fn all(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    /// The seat whose disc is in a cell, counted by rows from the top left.
    fn disc(&self, cell: usize) -> Option<u8> {
        let bit = cell % COLUMNS * STRIDE + (ROWS - 1 - cell / COLUMNS);
        (0..2).find(|seat| self.discs[usize::from(*seat)] >> bit & 1 == 1)
    }

    /// Whether `column`, counted from 0, has room.
    #[inline]
    fn is_open(&self, column: usize) -> bool {
        column < COLUMNS && !self.all() & TOP_ROW & 0x7F << (column * STRIDE) != 0
    }

    /// Drops a disc of the seat that moves into `column`, counted from 0, which has room.
    #[inline]
    fn drop_disc(&mut self, column: usize) {
        let seat = usize::from(self.plies) % 2;
        // Adding at the bottom of a column carries up to its lowest empty cell.
        self.discs[seat] |= (self.all() + (1 << (column * STRIDE))) & !self.all();
        self.plies += 1;
        if has_four(self.discs[seat]) {
            self.winner = Some(Seat::new(seat));
        }
    }
}

/// Whether four bits stand in a line: upright, level, or on a diagonal.
fn has_four(discs: u64) -> bool {
    let line = |step: usize| {
        let pairs = discs & (discs >> step);
        pairs & (pairs >> (2 * step))
    };
    line(1) | line(STRIDE) | line(STRIDE - 1) | line(STRIDE + 1) != 0
}

impl Rules for ConnectFour {
    type State = Board;
    type Action = Column;
    type Observation = Board;

    fn seats(&self) -> usize {
        2
    }

    fn scoring(&self) -> Scoring {
        Scoring::Adversarial
    }

    fn score_range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    #[inline]
    fn turn(&self, board: &Board) -> Turn {
        match board.plies {
            _ if board.winner.is_some() => Turn::Over,
            plies if usize::from(plies) == COLUMNS * ROWS => Turn::Over,
            plies => Turn::Seat(Seat::new(usize::from(plies) % 2)),
        }
    }

    #[inline]
    fn actions(&self, board: &Board, _seat: Seat, out: &mut Vec<Column>) {
        let open = (0..COLUMNS).filter(|column| board.is_open(*column));
        out.extend(open.map(|column| Column(column as u8 + 1)));
    }

    #[inline]
    fn random_action(&self, board: &Board, _seat: Seat, rng: &mut Rng) -> Column {
        loop {
            let column = rng.below(COLUMNS);
            if board.is_open(column) {
                return Column(column as u8 + 1);
            }
        }
    }

    #[inline]
    fn rollout_action(&self, board: &Board, seat: Seat, rng: &mut Rng) -> Column {
        self.random_action(board, seat, rng)
    }

    fn check(&self, board: &Board, _seat: Seat, action: &Column) -> Result<(), Illegal> {
        match usize::from(action.0).checked_sub(1) {
            Some(column) if board.is_open(column) => Ok(()),
            Some(column) if column < COLUMNS => {
                Err(Illegal::new(format!("column {action} is full")))
            }
            _ => Err(Illegal::new(format!(
                "there is no column {action}; they go from 1 to {COLUMNS}"
            ))),
        }
    }

    #[inline]
    fn step(&self, board: &mut Board, joint: &[Column]) {
        board.drop_disc(usize::from(joint[0].0 - 1));
    }

    fn observe(&self, board: &Board, _seat: Seat) -> Board {
        board.clone()
    }

    fn determinize(&self, board: &Board, _seat: Seat, _rng: &mut Rng) -> Board {
        board.clone()
    }

    #[inline]
    fn score(&self, board: &Board, seat: Seat) -> f64 {
        board.winner.map_or(0.5, |winner| f64::from(u8::from(winner == seat)))
    }

    fn ending(&self, board: &Board) -> Ending {
        let reason = if board.winner.is_some() { "four in a line" } else { "board full" };
        Ending::new(reason)
    }
}

/// How it looks and is played by hand.
struct ConnectFourPresentation;

impl Presentation<ConnectFour> for ConnectFourPresentation {
    fn scene(&self, _rules: &ConnectFour, board: &Board, _eye: Option<Seat>) -> Scene {
        let mut scene = Scene::board(COLUMNS, ROWS, |cell| match board.disc(cell) {
            // Heads, since what a seat holds is drawn as one where it lies together.
            Some(0) => (Paint::Head(0), 'x'),
            Some(_) => (Paint::Head(1), 'o'),
            None => (Paint::Floor, ' '),
        });
        scene.caption = format!("{} discs", board.plies);
        scene
    }

    fn keyboard(&self) -> Option<Keyboard> {
        let keys = Keyboard::new("1 to 7 drop a disc", |key| key.among("1234567"));
        Some(keys.with_cells("point at a column", |gesture| gesture.means(gesture.at.column + 1)))
    }
}

/// The one scenario: an empty board.
pub fn scenario(rules: ConnectFour) -> Scenario<ConnectFour> {
    Scenario::new(rules, FixedStart(Board::default()))
}

/// Connect four with every generic player, for a catalog.
pub fn entry() -> Entry<ConnectFour> {
    let standard = |_: &mut NoParameters| Ok(scenario(ConnectFour));
    let entry = Entry::new("connect-four", 1, "four discs in a line win", "Howard Wexler, 1974")
        .scenario("standard", "seven columns of six", "the game as sold", standard)
        .showcase("standard", ["uct", "flat-monte-carlo"])
        .presentation(ConnectFourPresentation)
        .encoding_with("board", |_, _| Ok(ConnectFourEncoding), quintain_batch::batches);
    quintain_search::players::add_to(entry)
}
