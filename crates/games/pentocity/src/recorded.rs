//! Games recorded by the original simulator, in lines of JSON. The first line has the player, the
//! sequencer (the source of requests), the seed and the final score; each further line has a
//! request's type, its cells, and how it was answered, with the points earned. This module reads
//! such games and plays them again under our rules.

use std::fmt;

use quintain_core::{Rules as _, Seat};
use quintain_grid::Cell;
use serde::{Deserialize, Serialize};

use crate::rules::Pentocity;
use crate::rules::pieces::Piece;
use crate::rules::state::{Build, Move, State};

/// A recorded game.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedGame {
    /// The player's name.
    pub player: String,
    /// The original's name of the request source.
    pub sequencer: String,
    /// The score that the original noted.
    pub score: u32,
    /// The requests and their answers.
    pub requests: Vec<RecordedRequest>,
}

/// A request with its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedRequest {
    /// Its line in the recording, from 1.
    pub line: usize,
    /// What was asked for.
    pub piece: Piece,
    /// The answer.
    pub answer: Move,
    /// The points that the original noted for it.
    pub delta: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    player: String,
    sequencer: String,
    #[serde(rename = "seed")]
    _seed: i64,
    score: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    cells: Vec<(i64, i64)>,
    accept: bool,
    rotation: Option<u8>,
    location: Option<(u8, u8)>,
    #[serde(default)]
    water: Vec<(u8, u8)>,
    #[serde(default)]
    park: Vec<(u8, u8)>,
    #[serde(default)]
    road: Vec<(u8, u8)>,
    delta: Option<u32>,
}

/// Why a text is not a recorded game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// There is nothing in it.
    Empty,
    /// A line is wrong.
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Empty => f.write_str(
                "nothing in it; expected a line with player, sequencer, seed and score, then \
                 one line per request",
            ),
            RecordingError::Line { line, problem } => write!(f, "line {line}: {problem}"),
        }
    }
}

impl std::error::Error for RecordingError {}

/// Parses a recorded game.
///
/// # Errors
/// If there is nothing in it or a line is wrong.
pub fn parse(text: &str) -> Result<RecordedGame, RecordingError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, first) = lines.next().ok_or(RecordingError::Empty)?;
    let head: Head = serde_json::from_str(first).map_err(|error| RecordingError::Line {
        line: 1,
        problem: format!("expected player, sequencer, seed and score as JSON: {error}"),
    })?;
    let mut requests = Vec::new();
    for (index, line) in lines {
        let at = |problem: String| RecordingError::Line { line: index + 1, problem };
        let line: Line = serde_json::from_str(line)
            .map_err(|error| at(format!("expected a request and its answer as JSON: {error}")))?;
        let piece = match &*line.kind {
            "residence" => Piece::of_cells(false, &line.cells),
            "factory" => Piece::of_cells(true, &line.cells),
            kind => {
                return Err(at(format!("“{kind}” is not a type; expected residence or factory")));
            }
        };
        let piece = piece.map_err(|error| at(error.to_string()))?;
        let answer = answer(&line).map_err(at)?;
        requests.push(RecordedRequest {
            line: index + 1,
            piece,
            answer,
            delta: line.delta.unwrap_or(0),
        });
    }
    let Head { player, sequencer, score, .. } = head;
    Ok(RecordedGame { player, sequencer, score, requests })
}

fn answer(line: &Line) -> Result<Move, String> {
    if !line.accept {
        return Ok(Move::Reject);
    }
    let (row, col) = line.location.ok_or("an accepted request needs a location")?;
    let rotation = line.rotation.ok_or("an accepted request needs a rotation")?;
    let cells = |pairs: &[(u8, u8)]| pairs.iter().map(|&(row, col)| Cell::new(row, col)).collect();
    Ok(Move::Build(Build {
        rotation,
        at: Cell::new(row, col),
        road: cells(&line.road),
        water: cells(&line.water),
        park: cells(&line.park),
    }))
}

/// A difference between our rules and a recording.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The line of the recording.
    pub line: usize,
    /// What differs.
    pub problem: String,
}

/// The outcome of a recorded game under our rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// The position at the end of the game, or where a move was refused.
    pub state: State,
    /// Every difference; a move that is refused ends the replay.
    pub differences: Vec<Difference>,
}

/// Plays a recorded game again. The requests come from the recording, whatever the
/// scenario would ask for.
pub fn replay(rules: &Pentocity, recorded: &RecordedGame) -> Replay {
    let mut state = State::new(rules.side());
    let mut differences = Vec::new();
    for request in &recorded.requests {
        let mut differs = |problem: String| {
            differences.push(Difference { line: request.line, problem });
        };
        if state.is_over() {
            differs("a request after the third rejection".to_owned());
            break;
        }
        state.ask(request.piece);
        if let Err(illegal) = rules.check(&state, Seat::new(0), &request.answer) {
            differs(illegal.to_string());
            break;
        }
        let points = state.answer(rules.ruleset(), &request.answer);
        if points != request.delta {
            differs(format!("{points} points; the recording has {}", request.delta));
        }
    }
    let score = state.totals().score;
    if differences.is_empty() && score != recorded.score {
        let problem = format!("a score of {score}; the recording has {}", recorded.score);
        differences.push(Difference { line: 1, problem });
    }
    Replay { state, differences }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"player":"p","sequencer":"s","seed":1,"score":5}"#;

    #[test]
    fn a_broken_recording_names_line_and_shape() {
        let error_of = |line: &str| parse(&format!("{HEAD}\n{line}\n")).unwrap_err().to_string();
        assert!(parse("").unwrap_err().to_string().contains("nothing in it"));
        assert!(parse("{}").unwrap_err().to_string().contains("line 1: expected player"));
        assert!(error_of("nonsense").contains("line 2: expected a request"));
        let four = r#"{"type":"residence","cells":[[0,0],[0,1],[0,2],[0,3]],"accept":false}"#;
        assert!(
            error_of(four).contains("line 2: the cells 0,0 0,1 0,2 0,3 do not form a pentomino")
        );
        let six =
            r#"{"type":"factory","cells":[[0,0],[0,1],[0,2],[0,3],[0,4],[0,5]],"accept":false}"#;
        assert!(error_of(six).contains("do not form a rectangle with sides 1 to 5"));
        let house = r#"{"type":"house","cells":[[0,0]],"accept":false}"#;
        assert!(error_of(house).contains("“house” is not a type"));
        let nowhere = r#"{"type":"factory","cells":[[0,0]],"accept":true,"rotation":0}"#;
        assert!(error_of(nowhere).contains("needs a location"));
    }
}
