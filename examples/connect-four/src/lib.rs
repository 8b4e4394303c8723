//! Connect four, the sixth game: a whole game in one file, on the same traits as
//! the five, with every generic player. Two seats drop discs in turn into seven
//! columns of six; four of one's own in a line win. Read it as the template of a
//! new game.

use std::fmt;
use std::str::FromStr;

use quintain_core::parameters::NoParameters;
use quintain_core::{
    Encoding, Ending, Entry, Illegal, Layout, Presentation, Rng, Rules, Scenario, Scoring, Seat,
    Turn, View,
};
use quintain_ui::{Key, Keyboard, Pointed, Pointing};
use quintain_ui::{Mark, Paint, Point, Scene};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
pub struct Drop(u8);

impl fmt::Display for Drop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Drop {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(column @ 1..=7) => Ok(Drop(column)),
            _ => Err(format!("“{text}” is no column from 1 to 7")),
        }
    }
}

impl Board {
    fn all(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    /// The seat whose disc is in a cell, counted by rows from the top left.
    fn disc(&self, cell: usize) -> Option<u8> {
        let bit = cell % COLUMNS * STRIDE + (ROWS - 1 - cell / COLUMNS);
        (0..2).find(|seat| self.discs[usize::from(*seat)] >> bit & 1 == 1)
    }

    /// Whether `column`, counted from 0, has room.
    fn is_open(&self, column: usize) -> bool {
        column < COLUMNS && !self.all() & TOP_ROW & 0x7F << (column * STRIDE) != 0
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
    type Action = Drop;
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
    fn actions(&self, board: &Board, _seat: Seat, out: &mut Vec<Drop>) {
        let open = (0..COLUMNS).filter(|column| board.is_open(*column));
        out.extend(open.map(|column| Drop(column as u8 + 1)));
    }

    #[inline]
    fn random_action(&self, board: &Board, _seat: Seat, rng: &mut Rng) -> Drop {
        loop {
            let column = rng.below(COLUMNS);
            if board.is_open(column) {
                return Drop(column as u8 + 1);
            }
        }
    }

    #[inline]
    fn rollout_action(&self, board: &Board, seat: Seat, rng: &mut Rng) -> Drop {
        self.random_action(board, seat, rng)
    }

    fn check(&self, board: &Board, _seat: Seat, action: &Drop) -> Result<(), Illegal> {
        match usize::from(action.0).checked_sub(1) {
            Some(column) if board.is_open(column) => Ok(()),
            _ => Err(Illegal(format!("column {action} is full, or none of 1 to 7"))),
        }
    }

    #[inline]
    fn step(&self, board: &mut Board, joint: &[Drop]) {
        let seat = usize::from(board.plies) % 2;
        let bottom = 1 << (usize::from(joint[0].0 - 1) * STRIDE);
        // Adding at the bottom of a column carries up to its lowest empty cell.
        board.discs[seat] |= (board.all() + bottom) & !board.all();
        board.plies += 1;
        if has_four(board.discs[seat]) {
            board.winner = Some(Seat::new(seat));
        }
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
        Ending { reason, truncated: false }
    }
}

/// How it looks and is played by hand.
struct ConnectFourPresentation;

impl Presentation<ConnectFour> for ConnectFourPresentation {
    fn scene(&self, _rules: &ConnectFour, board: &Board, _eye: Option<Seat>) -> Scene {
        let mut scene = Scene::square(COLUMNS, ROWS);
        let marks = (0..COLUMNS * ROWS).map(|cell| {
            let (paint, glyph) = match board.disc(cell) {
                Some(0) => (Paint::Seat(0), 'x'),
                Some(_) => (Paint::Seat(1), 'o'),
                None => (Paint::Floor, ' '),
            };
            let at = Point::new((cell % COLUMNS) as i32, (cell / COLUMNS) as i32);
            Mark::Cell { at, paint, glyph }
        });
        scene.layer("board", marks.collect());
        scene.caption = format!("{} discs", board.plies);
        scene
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(KEYBOARD)
    }
}

/// The board as learners see it: 1 for a disc of the first seat, 2 for one of the second.
struct ConnectFourEncoding;

impl Encoding for ConnectFourEncoding {
    type Rules = ConnectFour;
    type Trace = ();

    fn rules(&self) -> &ConnectFour {
        &ConnectFour
    }

    fn layout(&self) -> Layout {
        Layout {
            seats: 2,
            is_simultaneous: false,
            actions: COLUMNS,
            board: vec![ROWS, COLUMNS],
            values: 3,
            is_words: false,
            features: Vec::new(),
        }
    }

    fn action(&self, _board: &Board, _seat: Seat, number: usize) -> Option<Drop> {
        Some(Drop(number as u8 + 1))
    }

    fn write(&self, board: &Board, view: &mut View<'_>) {
        for (cell, out) in view.board.iter_mut().enumerate() {
            *out = board.disc(cell).map_or(0, |seat| seat + 1);
        }
    }
}

/// How a person plays: by the column's digit, or by pointing at the column.
const KEYBOARD: Keyboard = Keyboard {
    help: "1 to 7 drop a disc",
    action: |key| match key {
        Key::Character(column @ '1'..='7') => Some(column.to_string()),
        _ => None,
    },
    pointing: Some(Pointing {
        help: "point at a column",
        marks: &[],
        others: &[],
        action: |gesture| {
            let action = (gesture.at.column + 1).to_string();
            Some(Pointed { action, cells: vec![gesture.at] })
        },
    }),
    solution: None,
};

/// The one scenario: an empty board.
pub fn standard() -> Scenario<ConnectFour> {
    Scenario::new(ConnectFour, |_: &ConnectFour, _: &mut Rng| Board::default())
}

/// Connect four with every generic player, for a catalog.
pub fn entry() -> Entry<ConnectFour> {
    let standard = |_: &mut NoParameters| Ok(standard());
    let entry = Entry::new("connect-four", 1, "four discs in a line win", "Howard Wexler, 1974")
        .scenario("standard", "seven columns of six", "the game as sold", standard)
        .showcase("standard", ["uct", "flat-monte-carlo"])
        .presentation(ConnectFourPresentation)
        .encoding("board", |_| Ok(ConnectFourEncoding));
    quintain_search::players::add_to(entry)
}
