//! Text and JSON forms: moves, positions, lists of requests. Games recorded by the
//! original simulator are in [`crate::recorded`].

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use quintain_grid::Cell;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::rules::board::{Board, SIDES, Use};
use crate::rules::history::History;
use crate::rules::pieces::{Piece, PieceError};
use crate::rules::state::{Build, Move, Ruleset, State, Totals};

/// Why a text is not a board, a move or a list of requests: which part of it is wrong, and what was
/// expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError(pub(crate) String);

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotationError {}

impl From<PieceError> for NotationError {
    fn from(error: PieceError) -> NotationError {
        NotationError(error.to_string())
    }
}

/// The character for a use in the text form of a board.
const fn sign(is: Use) -> char {
    match is {
        Use::Empty => '.',
        Use::Residence => 'r',
        Use::Factory => 'f',
        Use::Road => '#',
        Use::Water => '~',
        Use::Park => '*',
    }
}

/// The content of a cell, as a word.
pub(crate) const fn word(is: Use) -> &'static str {
    match is {
        Use::Empty => "nothing",
        Use::Residence => "a residence",
        Use::Factory => "a factory",
        Use::Road => "a road",
        Use::Water => "water",
        Use::Park => "park",
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..self.side() as u8 {
            for col in 0..self.side() as u8 {
                f.write_char(sign(self.at(Cell::new(row, col))))?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

/// Reads a board as it is printed, in rows: `.` empty, `r` residence, `f` factory, `#` road, `~`
/// water, `*` park. Spaces around rows are ignored.
impl FromStr for Board {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Board, NotationError> {
        let rows: Vec<&str> = text.split_whitespace().collect();
        if !SIDES.contains(&rows.len()) {
            let (least, most) = (SIDES.start(), SIDES.end());
            return Err(NotationError(format!(
                "a land of {} rows; expected {least} to {most}",
                rows.len()
            )));
        }
        let one = Piece::factory(1, 1).expect("1×1 is a factory");
        let mut board = Board::new(rows.len());
        for (row, line) in rows.iter().enumerate() {
            if line.chars().count() != rows.len() {
                let (cells, side) = (line.chars().count(), rows.len());
                return Err(NotationError(format!(
                    "row {row} has {cells} cells; the land has {side} rows"
                )));
            }
            for (col, mark) in line.chars().enumerate() {
                let cell = Cell::new(row as u8, col as u8);
                match mark {
                    '.' => {}
                    'r' => board.set_residence(cell),
                    'f' => board.build(one, cell),
                    '#' => board.lay_road(cell),
                    '~' => board.lay_water(&[cell]),
                    '*' => board.lay_park(&[cell]),
                    _ => {
                        return Err(NotationError(format!(
                            "row {row}, column {col}: “{mark}” is none of . r f # ~ *"
                        )));
                    }
                }
            }
        }
        Ok(board)
    }
}

/// What every seat knows before the match, in its JSON form.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Setting {
    /// The side of the square board.
    pub(crate) side: usize,
    /// Whose reading of the rules is played.
    pub(crate) scoring: Ruleset,
    /// In a duel, where the second seat asks: the points of the first seat that make a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) par: Option<u32>,
}

/// The observation of a player: all but the source of the requests and the requests to come. Its
/// JSON form is a [`Position`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "Position", try_from = "Position")]
pub struct Observation(State);

impl Observation {
    pub(crate) fn of(state: &State) -> Observation {
        let mut seen = state.clone();
        seen.is_exhausted = false;
        seen.history = History::default();
        Observation(seen)
    }

    /// A position with this observation; requests to come are drawn from those seen so far.
    pub fn state(&self) -> &State {
        &self.0
    }
}

impl From<Observation> for Position {
    fn from(observation: Observation) -> Position {
        Position::of(&observation.0)
    }
}

impl TryFrom<Position> for Observation {
    type Error = NotationError;

    fn try_from(position: Position) -> Result<Observation, NotationError> {
        position.state().map(Observation)
    }
}

impl JsonSchema for Observation {
    fn schema_name() -> Cow<'static, str> {
        Position::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Position::json_schema(generator)
    }
}

/// The JSON form of what a player sees.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Rows of the land from the top: `.` empty, `r` residence, `f` factory, `#` road,
    /// `~` water, `*` park.
    #[serde(rename = "land")]
    pub board: Vec<String>,
    /// What is asked for.
    pub request: Option<RequestedPiece>,
    /// Rejections so far.
    pub rejections: u8,
    /// What was asked for, built and earned.
    #[serde(rename = "tally")]
    pub totals: Totals,
    /// How often each form was asked for: `3x4` for a factory, `L` or `L2` (turned twice)
    /// for a residence.
    pub seen: Vec<(String, u16)>,
}

/// A building that is asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Asked")]
pub struct RequestedPiece {
    /// `residence` or `factory`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name: `3x4`, `L` or `L2`.
    #[serde(rename = "form")]
    pub piece: String,
    /// Its cells in rotation 0, row and column from the top left of its bounding box.
    pub cells: Vec<(u8, u8)>,
}

impl Position {
    fn of(state: &State) -> Position {
        let seen = Piece::all().filter(|piece| state.seen[piece.index()] > 0);
        Position {
            board: state.board.to_string().lines().map(str::to_owned).collect(),
            request: state.request.map(|piece| RequestedPiece {
                kind: piece.kind().to_owned(),
                piece: piece.to_string(),
                cells: piece.shape().cells.clone(),
            }),
            rejections: state.rejections,
            totals: state.totals,
            seen: seen.map(|piece| (piece.to_string(), state.seen[piece.index()])).collect(),
        }
    }

    fn state(&self) -> Result<State, NotationError> {
        let board: Board = self.board.join("\n").parse()?;
        let mut state = State::new(board.side()).with_board(board);
        state.request = match &self.request {
            Some(asked) => Some(asked.piece.parse()?),
            None => None,
        };
        state.rejections = self.rejections;
        state.totals = self.totals;
        for (piece, count) in &self.seen {
            state.seen[piece.parse::<Piece>()?.index()] = *count;
        }
        Ok(state)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let build = match self {
            Move::Reject => return f.write_str("reject"),
            Move::Ask(piece) => return write!(f, "{piece}"),
            Move::Build(build) => build,
        };
        write!(f, "r{}@{},{}", build.rotation, build.at.row, build.at.col)?;
        for (name, cells) in [("road", &build.road), ("water", &build.water), ("park", &build.park)]
        {
            for (index, cell) in cells.iter().enumerate() {
                let before = if index == 0 { format!(";{name}=") } else { "+".to_owned() };
                write!(f, "{before}{},{}", cell.row, cell.col)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Move, NotationError> {
        if text == "reject" {
            return Ok(Move::Reject);
        }
        if let Ok(piece) = text.parse() {
            return Ok(Move::Ask(piece));
        }
        let refuse = |part: &str, expected: &str| {
            NotationError(format!(
                "“{part}” in “{text}”: expected {expected}; a move is reject or like \
                 r2@10,12;road=3,4+3,5;water=5,5;park=6,6"
            ))
        };
        let cell = |part: &str| -> Result<Cell, NotationError> {
            let numbers = part.split_once(',');
            let numbers =
                numbers.and_then(|(row, col)| Some((row.parse().ok()?, col.parse().ok()?)));
            let (row, col) = numbers.ok_or_else(|| refuse(part, "a cell as ROW,COLUMN"))?;
            Ok(Cell::new(row, col))
        };
        let mut parts = text.split(';');
        let first = parts.next().unwrap_or_default();
        let place = first.strip_prefix('r').and_then(|rest| rest.split_once('@'));
        let (rotation, at) = place.ok_or_else(|| refuse(first, "rROTATION@ROW,COLUMN"))?;
        let rotation =
            rotation.parse().map_err(|_| refuse(first, "a rotation from 0 to 3 after r"))?;
        let mut build =
            Build { rotation, at: cell(at)?, road: vec![], water: vec![], park: vec![] };
        for part in parts {
            let (name, list) = part.split_once('=').unwrap_or((part, ""));
            let cells: Vec<Cell> = list.split('+').map(cell).collect::<Result<_, _>>()?;
            let own = match name {
                "road" => &mut build.road,
                "water" => &mut build.water,
                "park" => &mut build.park,
                _ => return Err(refuse(part, "road=, water= or park=")),
            };
            if !own.is_empty() {
                return Err(refuse(part, "each list once"));
            }
            *own = cells;
        }
        Ok(Move::Build(build))
    }
}

/// Reads a list of requests, one per line: `X`, `L2`, `3x4`, or `residence 0,0 0,1 …` and
/// `factory …` with all cells. Empty lines and lines that start with `#` are skipped.
///
/// # Errors
/// Which line and shape is wrong, and what was expected.
pub fn parse_requests(text: &str) -> Result<Vec<Piece>, NotationError> {
    let mut pieces = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let piece = match line.split_once(char::is_whitespace) {
            None => line.parse().map_err(|error: PieceError| error.to_string()),
            Some((kind @ ("residence" | "factory"), cells)) => {
                let cells = cells.split_whitespace().map(|word| {
                    let pair = word.split_once(',');
                    let pair = pair.and_then(|(i, j)| Some((i.parse().ok()?, j.parse().ok()?)));
                    pair.ok_or_else(|| format!("“{word}” is not a cell; expected ROW,COLUMN"))
                });
                let cells: Result<Vec<(i64, i64)>, String> = cells.collect();
                cells.and_then(|cells| {
                    let piece = Piece::of_cells(kind == "factory", &cells);
                    piece.map_err(|error| error.to_string())
                })
            }
            Some((word, _)) => Err(format!(
                "“{word}” is not a request; expected one per line: X, L2, 3x4, or residence or \
                 factory and its cells"
            )),
        };
        pieces.push(
            piece.map_err(|problem| NotationError(format!("line {}: {problem}", index + 1)))?,
        );
    }
    if pieces.is_empty() {
        return Err(NotationError(
            "no request in it; expected one per line, such as X or 3x4".to_owned(),
        ));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_land_reads_back_what_it_prints() {
        let text = "..rr.\n.r#r.\nf.#~~\nf*#~~\n****.\n";
        let board: Board = text.parse().unwrap();
        assert_eq!(board.to_string(), text);
        assert_eq!(board.ponds().count(), 4);
        assert_eq!(board.fields().count(), 5);
    }

    #[test]
    fn a_move_reads_back_what_it_prints() {
        let texts =
            ["reject", "r0@0,0", "r2@10,12;road=3,4+3,5;water=5,5;park=6,6+6,7", "X", "L2", "3x4"];
        for text in texts {
            let read: Move = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
            let json = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::from_str::<Move>(&json).unwrap(), read, "{json}");
        }
        let asked: Move = serde_json::from_str(r#"{"ask":"L2"}"#).unwrap();
        assert_eq!(asked.to_string(), "L2");
    }

    #[test]
    fn a_broken_move_says_which_part_and_what_was_expected() {
        let error_of = |text: &str| text.parse::<Move>().unwrap_err().to_string();
        assert!(error_of("").contains("expected rROTATION@ROW,COLUMN"));
        assert!(error_of("r1").contains("expected rROTATION@ROW,COLUMN"));
        assert!(error_of("rx@1,1").contains("expected a rotation"));
        assert!(error_of("r1@1").contains("“1” in"));
        assert!(error_of("r1@1,999").contains("expected a cell as ROW,COLUMN"));
        assert!(error_of("r1@1,1;rod=1,1").contains("expected road="));
        assert!(error_of("r1@1,1;road=").contains("expected a cell"));
        assert!(error_of("r1@1,1;road=1,1;road=1,2").contains("each list once"));
    }

    #[test]
    fn a_list_of_requests_is_read_line_by_line() {
        let text = "# comment\nX\n\n3x4\nresidence 5,5 5,6 5,7 5,8 5,9\nfactory 0,0 1,0\n";
        let pieces: Vec<String> =
            parse_requests(text).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(pieces, ["X", "3x4", "I", "2x1"]);
    }

    #[test]
    fn a_broken_list_names_line_and_shape() {
        let error_of = |text: &str| parse_requests(text).unwrap_err().to_string();
        assert!(error_of("X\nQ").contains("line 2: “Q” is neither a pentomino"));
        assert!(error_of("6x2").contains("line 1: “6x2” is neither a pentomino"));
        assert!(
            error_of("X\nresidence 0,0 0,1")
                .contains("line 2: the cells 0,0 0,1 do not form a pentomino")
        );
        assert!(error_of("factory 0,0 1,1").contains("do not form a rectangle with sides 1 to 5"));
        assert!(error_of("factory 0,a").contains("“0,a” is not a cell"));
        assert!(error_of("house 3x4").contains("“house” is not a request"));
        assert!(error_of("# nothing").contains("no request in it"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "[-0-9rXx@,;=+adekorwtp#. \n]{0,40}") {
            let _ = text.parse::<Move>();
            let _ = text.parse::<Board>();
            let _ = parse_requests(&text);
        }
    }
}
