//! Text forms. A direction is a letter (`U`, `R`, `D`, `L`; words are read too). A position is
//! drawn with `#` for walls, space for free cells, `a`…`d` for the seats' trails and `A`…`D` for
//! their heads. Maps are read in the format of the Google AI Challenge 2010 (a line `WIDTH HEIGHT`,
//! then rows of `#`, space and the starts `1`, `2`, …) or as the plain rectangle. The maps to play
//! on are in [`crate::scenarios`].

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use quintain_core::Seat;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rules::direction::Direction;
use crate::rules::state::{Cell, LastEvent, MAX_SEATS, MAX_SIDE, State};

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Up => "U",
            Direction::Right => "R",
            Direction::Down => "D",
            Direction::Left => "L",
        })
    }
}

/// The error for a text that is not a direction.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is not a direction; write U, R, D or L")]
pub struct DirectionError(String);

impl FromStr for Direction {
    type Err = DirectionError;

    fn from_str(text: &str) -> Result<Self, DirectionError> {
        match text.to_ascii_lowercase().as_str() {
            "u" | "up" => Ok(Direction::Up),
            "r" | "right" => Ok(Direction::Right),
            "d" | "down" => Ok(Direction::Down),
            "l" | "left" => Ok(Direction::Left),
            _ => Err(DirectionError(text.to_owned())),
        }
    }
}

/// The JSON form of a position: what a seat sees, which is everything.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Position {
    /// Rows from the top: `#` wall, space free, `a`…`d` trails and `A`…`D` heads.
    board: Vec<String>,
    /// Row and column of each seat's head, where it is or where it fell.
    heads: Vec<(usize, usize)>,
    /// The turn, from 1, on which each seat fell; 0 while it lives. Turns are counted as in `turn`.
    fallen: Vec<u16>,
    /// Turns played, those of a random opening included.
    turn: u16,
    /// The seat to move, when moves are sequential; otherwise 0.
    to_move: u8,
    /// What happened on the last turn.
    last: LastEvent,
    /// The direction of each seat's head, where a step back goes straight on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headings: Vec<Direction>,
}

impl From<&State> for Position {
    fn from(state: &State) -> Position {
        let seats = || Seat::all(state.seats());
        let place = |cell: usize| (cell / state.width(), cell % state.width());
        Position {
            board: state.to_string().lines().map(str::to_owned).collect(),
            heads: seats().map(|seat| place(state.head(seat))).collect(),
            fallen: seats().map(|seat| state.fallen[seat.index()]).collect(),
            turn: state.turn,
            to_move: state.to_move,
            last: state.last,
            headings: seats().filter_map(|seat| state.heading(seat)).collect(),
        }
    }
}

impl TryFrom<Position> for State {
    type Error = String;

    fn try_from(position: Position) -> Result<State, String> {
        let seats = position.heads.len();
        if !(2..=MAX_SEATS).contains(&seats) || position.fallen.len() != seats {
            return Err(format!("expected 2 to {MAX_SEATS} heads, and as many entries in fallen"));
        }
        if !position.headings.is_empty() && position.headings.len() != seats {
            return Err("expected as many headings as heads, or none".to_owned());
        }
        if usize::from(position.to_move) >= seats {
            return Err(format!("to_move is {}, but there are {seats} seats", position.to_move));
        }
        let grid = Grid::read(position.board.iter().map(String::as_str))
            .map_err(|error| error.to_string())?;
        if let Some((row, column)) = grid.first_gap() {
            return Err(format!(
                "the border is open at ({row}, {column}); it must be # all around"
            ));
        }
        let mut state =
            State::empty(grid.width, grid.height(), |row, column| grid.at(row, column) == '#');
        state.seats = seats as u8;
        for (seat, (row, column)) in position.heads.iter().enumerate() {
            let inside =
                (1..grid.height() - 1).contains(row) && (1..grid.width - 1).contains(column);
            if !inside {
                return Err(format!(
                    "the head of seat {seat} is at ({row}, {column}), off the board"
                ));
            }
            state.heads[seat] = (row * grid.width + column) as u16;
        }
        for (cell, sign) in grid.signs.iter().enumerate() {
            if let Some(seat) = seat_of(*sign).filter(|seat| *seat < seats) {
                state.take(cell, Seat::new(seat));
            } else if !matches!(sign, '#' | ' ') {
                return Err(format!("“{sign}” on the board is neither wall, free, trail nor head"));
            }
        }
        state.fallen[..seats].copy_from_slice(&position.fallen);
        state.living = position.fallen.iter().filter(|turn| **turn == 0).count() as u8;
        state.turn = position.turn;
        state.to_move = position.to_move;
        state.last = position.last;
        for (seat, heading) in Seat::all(seats).zip(&position.headings) {
            state.set_heading(seat, *heading);
        }
        Ok(state)
    }
}

/// The JSON form of a position described by a foreign protocol: rows with the heads drawn in, and
/// who is alive. Fallen seats count as fallen on the first turn.
pub(crate) fn position_json(
    board: Vec<String>,
    heads: &[(usize, usize)],
    alive: &[bool],
    turn: usize,
    to_move: usize,
) -> serde_json::Value {
    let position = Position {
        board,
        heads: heads.to_vec(),
        fallen: alive.iter().map(|alive| u16::from(!alive)).collect(),
        turn: turn as u16,
        to_move: to_move as u8,
        last: LastEvent::Moves,
        headings: Vec::new(),
    };
    serde_json::to_value(position).expect("a position has a JSON form")
}

/// The seat whose trail or head a character stands for.
fn seat_of(sign: char) -> Option<usize> {
    "abcd".find(sign.to_ascii_lowercase())
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Position::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        State::try_from(Position::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for State {
    fn schema_name() -> Cow<'static, str> {
        "Position".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Position::json_schema(generator)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.height() {
            for column in 0..self.width() {
                let cell = row * self.width() + column;
                let sign = match self.cell(cell) {
                    Cell::Free => ' ',
                    Cell::Wall => '#',
                    Cell::Trail(seat) if self.head(seat) == cell => {
                        char::from(b'A' + seat.index() as u8)
                    }
                    Cell::Trail(seat) => char::from(b'a' + seat.index() as u8),
                };
                write!(f, "{sign}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Why a text is not a map. Rows and columns count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MapError {
    /// A row differs in length from the first one.
    Ragged {
        /// The row.
        row: usize,
        /// Its cells.
        cells: usize,
        /// The cells of the first row.
        first: usize,
    },
    /// The board is too small or too large.
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The first line states a size other than the board's; both are columns and rows.
    OtherSize {
        /// What the first line states.
        stated: (usize, usize),
        /// The size of the board.
        found: (usize, usize),
    },
    /// A character that means nothing in a map.
    Sign {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The character.
        sign: char,
    },
    /// Two cells have the start of the same seat.
    StartTwice {
        /// The start, from 1.
        start: usize,
    },
    /// A seat has no start.
    NoStart {
        /// The start, from 1.
        start: usize,
    },
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            MapError::Ragged { row, cells, first } => write!(
                f,
                "the board is not rectangular: row {row} has {cells} cells, row 1 has {first}"
            ),
            MapError::Size { width, height } => {
                write!(f, "the board is {width}×{height}; expected sides from 3 to {MAX_SIDE}")
            }
            MapError::OtherSize { stated: (width, height), found: (columns, rows) } => {
                write!(f, "the first line says {width}×{height}, but the board is {columns}×{rows}")
            }
            MapError::Sign { row, column, sign } => write!(
                f,
                "row {row}, column {column}: “{sign}” is neither wall (#), free (space, - or .) \
                 nor a start (1 to {MAX_SEATS})"
            ),
            MapError::StartTwice { start } => write!(f, "the board has start {start} twice"),
            MapError::NoStart { start } => write!(f, "the board has no start {start}"),
        }
    }
}

impl std::error::Error for MapError {}

/// A rectangle of characters.
pub(crate) struct Grid {
    pub(crate) width: usize,
    signs: Vec<char>,
}

impl Grid {
    /// Reads rows, which must all have the same length.
    ///
    /// # Errors
    /// If a row differs in length from the first, or a side is too short or too long.
    pub(crate) fn read<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Grid, MapError> {
        let mut grid = Grid { width: 0, signs: Vec::new() };
        for (number, row) in rows.enumerate() {
            let length = row.chars().count();
            if number == 0 {
                grid.width = length;
            } else if length != grid.width {
                return Err(MapError::Ragged { row: number + 1, cells: length, first: grid.width });
            }
            grid.signs.extend(row.chars());
        }
        let sides = 3..=MAX_SIDE;
        if grid.width == 0 || !sides.contains(&grid.width) || !sides.contains(&grid.height()) {
            let height = if grid.width == 0 { 0 } else { grid.height() };
            return Err(MapError::Size { width: grid.width, height });
        }
        Ok(grid)
    }

    /// The first cell of the outermost ring that is not a wall.
    fn first_gap(&self) -> Option<(usize, usize)> {
        let cells =
            (0..self.height()).flat_map(|row| (0..self.width).map(move |column| (row, column)));
        cells.into_iter().find(|&(row, column)| {
            let ring =
                row == 0 || column == 0 || row == self.height() - 1 || column == self.width - 1;
            ring && self.at(row, column) != '#'
        })
    }

    /// Adds a ring of wall around the board if its own border has a gap, because the edge of the
    /// world is a wall.
    fn with_border(self) -> Result<Grid, MapError> {
        if self.first_gap().is_none() {
            return Ok(self);
        }
        let width = self.width + 2;
        let side = "#".repeat(width);
        let rows = self.signs.chunks(self.width);
        let rows = rows.map(|row| format!("#{}#", row.iter().collect::<String>()));
        let rows: Vec<String> =
            std::iter::once(side.clone()).chain(rows).chain(std::iter::once(side)).collect();
        Grid::read(rows.iter().map(String::as_str))
    }

    pub(crate) fn height(&self) -> usize {
        self.signs.len() / self.width
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> char {
        self.signs[row * self.width + column]
    }
}

/// Reads a map: walls and starts. A border with a gap is closed by a ring of wall.
///
/// # Errors
/// If the board is not rectangular, is too small or too large, has an unknown character, lacks a
/// start or has one twice, or differs in size from what its first line states.
pub fn read_map(text: &str) -> Result<State, MapError> {
    let mut rows: Vec<&str> = text.lines().map(|row| row.trim_end_matches('\r')).collect();
    while rows.last().is_some_and(|row| row.trim().is_empty()) {
        rows.pop();
    }
    let sides = rows.first().and_then(|first| {
        let mut numbers = first.split_whitespace().map(str::parse::<usize>);
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(Ok(width)), Some(Ok(height)), None) => Some((width, height)),
            _ => None,
        }
    });
    let grid = match sides {
        None => Grid::read(rows.into_iter())?,
        Some((width, height)) => {
            let grid = Grid::read(rows.into_iter().skip(1))?;
            if (grid.width, grid.height()) != (width, height) {
                let (stated, found) = ((width, height), (grid.width, grid.height()));
                return Err(MapError::OtherSize { stated, found });
            }
            grid
        }
    };
    let grid = grid.with_border()?;
    let mut starts: Vec<Option<(usize, usize)>> = Vec::new();
    for row in 0..grid.height() {
        for column in 0..grid.width {
            let sign = grid.at(row, column);
            match (sign, sign.to_digit(10)) {
                ('#' | ' ' | '-' | '.', _) => {}
                (_, Some(digit)) if (1..=MAX_SEATS as u32).contains(&digit) => {
                    let seat = digit as usize - 1;
                    starts.resize(starts.len().max(seat + 1), None);
                    if starts[seat].replace((row, column)).is_some() {
                        return Err(MapError::StartTwice { start: digit as usize });
                    }
                }
                _ => {
                    return Err(MapError::Sign { row: row + 1, column: column + 1, sign });
                }
            }
        }
    }
    let missing =
        starts.iter().position(Option::is_none).or((starts.len() < 2).then_some(starts.len()));
    if let Some(seat) = missing {
        return Err(MapError::NoStart { start: seat + 1 });
    }
    let mut state =
        State::empty(grid.width, grid.height(), |row, column| grid.at(row, column) == '#');
    for (row, column) in starts.into_iter().flatten() {
        state.place(row, column);
    }
    Ok(state)
}

/// Reads a drawn position in which everyone lives; lines may be indented.
#[cfg(test)]
pub(crate) fn parse_drawn(text: &str) -> State {
    let board: Vec<String> =
        text.lines().map(|row| row.trim().to_owned()).filter(|row| !row.is_empty()).collect();
    let place_of = |head: char| {
        board.iter().enumerate().find_map(|(row, signs)| {
            signs.chars().position(|sign| sign == head).map(|column| (row, column))
        })
    };
    let heads: Vec<(usize, usize)> = ('A'..='D').map_while(place_of).collect();
    let fallen = vec![0; heads.len()];
    let (last, headings) = (LastEvent::Moves, Vec::new());
    let position = Position { board, heads, fallen, turn: 0, to_move: 0, last, headings };
    State::try_from(position).expect("the drawing is a position")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "5 4\n#####\n#1  #\n#  2#\n#####\n";

    #[test]
    fn a_map_reads_with_and_without_its_first_line() {
        let state = read_map(MAP).unwrap();
        assert_eq!(state.to_string(), "#####\n#A  #\n#  B#\n#####\n");
        assert_eq!(read_map(MAP.split_once('\n').unwrap().1).unwrap(), state);
    }

    #[test]
    fn a_broken_map_says_what_is_wrong_and_where() {
        let error_of = |map: &str| read_map(map).unwrap_err().to_string();
        assert!(error_of("#####\n#1 2#\n####\n").contains("row 3 has 4 cells, row 1 has 5"));
        assert!(error_of("#####\n#1  #\n#####\n").contains("no start 2"));
        assert!(error_of("#####\n#2  #\n#####\n").contains("no start 1"));
        assert!(error_of("#####\n#1 1#\n#####\n").contains("the board has start 1 twice"));
        assert!(error_of("#####\n#1x2#\n#####\n").contains("row 2, column 3: “x”"));
        assert!(error_of("6 3\n#####\n#1 2#\n#####\n").contains("says 6×3, but the board is 5×3"));
        assert!(error_of("").contains("0×0"));
        assert!(
            error_of(&format!("{0}\n#1 2{1}#\n{0}", "#".repeat(130), " ".repeat(125)))
                .contains("130×3")
        );
    }

    #[test]
    fn the_edge_of_an_open_map_is_a_wall() {
        let state = read_map("1  \n  #\n  2\n").unwrap();
        assert_eq!(state.to_string(), "#####\n#A  #\n#  ##\n#  B#\n#####\n");
    }

    #[test]
    fn the_json_form_reads_back() {
        let state = parse_drawn("#####\n#Aa #\n#bB #\n#####");
        let json = serde_json::to_string(&state).unwrap();
        assert_eq!(
            json,
            concat!(
                r######"{"board":["#####","#Aa #","#bB #","#####"],"heads":[[1,1],[2,2]],"######,
                r#""fallen":[0,0],"turn":0,"to_move":0,"last":"moves"}"#,
            )
        );
        assert_eq!(serde_json::from_str::<State>(&json).unwrap(), state);
    }

    #[test]
    fn a_broken_json_position_is_refused() {
        let broken = |from: &str, to: &str| {
            let state = parse_drawn("#####\n#Aa #\n#bB #\n#####");
            let json = serde_json::to_string(&state).unwrap().replace(from, to);
            serde_json::from_str::<State>(&json).unwrap_err().to_string()
        };
        assert!(broken("[1,1]", "[9,1]").contains("off the board"));
        assert!(broken("#Aa #", "#Aa  ").contains("open at (1, 4)"));
        assert!(broken("#Aa #", "#Ax #").contains("“x”"));
        assert!(broken("\"to_move\":0", "\"to_move\":7").contains("to_move is 7"));
        assert!(broken("\"fallen\":[0,0]", "\"fallen\":[0]").contains("as many entries"));
    }

    #[test]
    fn directions_read_in_letters_and_words() {
        for direction in Direction::ALL {
            assert_eq!(direction.to_string().parse(), Ok(direction));
        }
        assert_eq!("LEFT".parse(), Ok(Direction::Left));
        assert!("north".parse::<Direction>().unwrap_err().to_string().contains("U, R, D or L"));
    }
}
