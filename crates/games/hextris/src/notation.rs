//! Text forms: command strings, observations, and problems and lists of solutions in the
//! contest's JSON. Errors name the place in the file and what was expected there.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::board::Board;
use crate::rules::commands::command_of;
use crate::rules::errors::{ProblemError, SolutionsError};
use crate::rules::problem::Problem;
use crate::rules::units::{Cell, Unit};

/// One game's commands, in the contest's form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Solution {
    /// The problem's number.
    pub problem_id: u32,
    /// The seed.
    pub seed: u32,
    /// Any text, kept with the solution.
    #[serde(default)]
    pub tag: String,
    /// The commands.
    pub solution: String,
}

/// A JSON value and the path to it.
struct At<'a> {
    value: &'a Value,
    path: String,
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl<'a> At<'a> {
    fn refuse<T>(&self, expected: &str) -> Result<T, String> {
        let found = match self.value {
            Value::Number(number) => number.to_string(),
            other => kind(other).to_owned(),
        };
        let path = if self.path.is_empty() { "the file" } else { &self.path };
        Err(format!("{path}: expected {expected}, found {found}"))
    }

    fn field(&self, name: &str) -> Result<At<'a>, String> {
        let Value::Object(fields) = self.value else { return self.refuse("an object") };
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{name}", self.path);
        match fields.get(name) {
            Some(value) => Ok(At { value, path }),
            None => Err(format!("{path}: it is missing")),
        }
    }

    fn list(&self) -> Result<Vec<At<'a>>, String> {
        let Value::Array(items) = self.value else { return self.refuse("a list") };
        let at = |(index, value)| At { value, path: format!("{}[{index}]", self.path) };
        Ok(items.iter().enumerate().map(at).collect())
    }

    fn whole(&self, least: i64, most: i64) -> Result<i64, String> {
        match self.value.as_i64() {
            Some(number) if (least..=most).contains(&number) => Ok(number),
            _ => self.refuse(&format!("a whole number from {least} to {most}")),
        }
    }

    fn text(&self) -> Result<String, String> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            _ => self.refuse("a text"),
        }
    }

    fn cell(&self) -> Result<Cell, String> {
        let limit = i64::from(Unit::MAX_COORDINATE);
        let coordinate = |name| self.field(name)?.whole(-limit, limit).map(|n| n as i32);
        Ok(Cell { x: coordinate("x")?, y: coordinate("y")? })
    }
}

/// The most units that come in a game.
const MAX_LENGTH: i64 = 1_000_000;

/// Reads a problem.
///
/// # Errors
/// Says what is wrong and where.
pub fn read_problem(text: &str) -> Result<Problem, ProblemError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("it is not JSON: {error}; expected a problem, as an object"))?;
    let file = At { value: &value, path: String::new() };
    let id = file.field("id")?.whole(0, i64::from(u32::MAX))? as u32;
    let width = file.field("width")?.whole(1, Board::MAX_WIDTH as i64)? as usize;
    let height = file.field("height")?.whole(1, Board::MAX_HEIGHT as i64)? as usize;
    let mut board = Board::new(width, height)?;
    for at in file.field("filled")?.list()? {
        let Cell { x, y } = at.cell()?;
        if x < 0 || y < 0 || x as usize >= width || y as usize >= height {
            return Err(ProblemError(format!(
                "{}: ({x}, {y}) is off the board of {width}×{height}",
                at.path
            )));
        }
        board.fill(x as usize, y as usize);
    }
    let mut units = Vec::new();
    for at in file.field("units")?.list()? {
        let members: Result<Vec<Cell>, String> =
            at.field("members")?.list()?.iter().map(At::cell).collect();
        let pivot = at.field("pivot")?.cell()?;
        let unit = Unit::new(members?, pivot, width);
        units.push(unit.map_err(|problem| format!("{}.{problem}", at.path))?);
    }
    let length = file.field("sourceLength")?.whole(0, MAX_LENGTH)? as usize;
    let seeds: Result<Vec<u32>, String> = file
        .field("sourceSeeds")?
        .list()?
        .iter()
        .map(|at| at.whole(0, i64::from(u32::MAX)).map(|seed| seed as u32))
        .collect();
    Problem::new(id, board, units, length, seeds?)
}

/// A problem in the contest's JSON.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProblemFile {
    /// The problem's number.
    id: u32,
    /// Columns of the board.
    width: usize,
    /// Rows of the board.
    height: usize,
    /// The cells that are full at the start.
    filled: Vec<Place>,
    /// The shapes of the units; the source says which of them comes when.
    units: Vec<UnitFile>,
    /// How many units come.
    source_length: usize,
    /// The seeds of the source: what comes is drawn from one of them.
    source_seeds: Vec<u32>,
}

/// The shape of a unit.
#[derive(Serialize, JsonSchema)]
struct UnitFile {
    /// Its cells.
    members: Vec<Place>,
    /// The cell around which it turns; it need not be one of them.
    pivot: Place,
}

/// A cell.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// The column, from the left.
    x: i32,
    /// The row, from the top; odd rows are shifted half a cell to the right.
    y: i32,
}

/// What every seat knows before the match, in its JSON form.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Setting {
    /// The problem, as in the contest's file. Its only seed is that of the game being played, so
    /// the units to come are known.
    problem: ProblemFile,
    /// The phrases of power.
    phrases: Vec<String>,
}

/// Returns what is known before a game with this seed.
pub(crate) fn setting(problem: &Problem, seed: u32, phrases: &[String]) -> Setting {
    let problem = ProblemFile { source_seeds: vec![seed], ..problem_file(problem) };
    Setting { problem, phrases: phrases.to_vec() }
}

fn problem_file(problem: &Problem) -> ProblemFile {
    let place = |Cell { x, y }: Cell| Place { x, y };
    let board = problem.board();
    let cells = (0..board.height() as i32)
        .flat_map(|y| (0..board.width() as i32).map(move |x| Cell { x, y }));
    let unit = |unit: &Unit| UnitFile {
        members: unit.members().iter().copied().map(place).collect(),
        pivot: place(unit.pivot()),
    };
    ProblemFile {
        id: problem.id(),
        width: board.width(),
        height: board.height(),
        filled: cells.filter(|cell| board.is_full(cell.x, cell.y)).map(place).collect(),
        units: problem.units().iter().map(unit).collect(),
        source_length: problem.length(),
        source_seeds: problem.seeds().to_vec(),
    }
}

/// Writes a problem.
pub fn write_problem(problem: &Problem) -> String {
    // This sorts the fields by name.
    let value = serde_json::to_value(problem_file(problem)).expect("it has a JSON form");
    format!("{value}\n")
}

/// Reads a list of solutions (or a single one), written by any program.
///
/// # Errors
/// Says what is wrong and where.
pub fn read_solutions(text: &str) -> Result<Vec<Solution>, SolutionsError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("it is not JSON: {error}; expected a list of solutions"))?;
    let file = At { value: &value, path: String::new() };
    let items = if value.is_object() { vec![file] } else { file.list()? };
    let solution = |at: &At<'_>| {
        let number = |name| at.field(name)?.whole(0, i64::from(u32::MAX)).map(|n| n as u32);
        Ok(Solution {
            problem_id: number("problemId")?,
            seed: number("seed")?,
            tag: match at.field("tag") {
                Ok(tag) if !tag.value.is_null() => tag.text()?,
                _ => String::new(),
            },
            solution: at.field("solution")?.text()?,
        })
    };
    let solutions: Result<Vec<Solution>, String> = items.iter().map(solution).collect();
    Ok(solutions?)
}

/// Writes a list of solutions, one per line.
pub fn write_solutions(solutions: &[Solution]) -> String {
    let lines: Vec<String> = solutions
        .iter()
        .map(|solution| serde_json::to_string(solution).expect("texts and numbers are JSON"))
        .collect();
    format!("[{}]\n", lines.join(",\n "))
}

/// What a seat speaks in one turn: at least one command, in lower case. Its text form has `_`
/// in place of the space; in JSON the space is a space.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct CommandString(String);

impl CommandString {
    /// The commands as they are spoken.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// A command string of letters that are known to be commands.
    pub(crate) fn from_commands(text: String) -> CommandString {
        debug_assert!(!text.is_empty() && text.bytes().all(|byte| command_of(byte).is_some()));
        CommandString(text)
    }
}

/// Why a text cannot be spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandStringError {
    /// It contains no command.
    #[error("no command is given; write one or more")]
    Empty,
    /// A letter is not a command.
    #[error(
        "“{}” is not a command; write letters, 0 to 5, and ' ! . and _ for the space",
        .0.escape_debug()
    )]
    NoCommand(char),
}

impl TryFrom<String> for CommandString {
    type Error = CommandStringError;

    fn try_from(text: String) -> Result<CommandString, CommandStringError> {
        if text.is_empty() {
            return Err(CommandStringError::Empty);
        }
        let wrong = text.chars().find(|c| !c.is_ascii() || command_of(*c as u8).is_none());
        match wrong {
            None => Ok(CommandString(text.to_ascii_lowercase())),
            Some(wrong) => Err(CommandStringError::NoCommand(wrong)),
        }
    }
}

impl From<CommandString> for String {
    fn from(commands: CommandString) -> String {
        commands.0
    }
}

impl fmt::Display for CommandString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace(' ', "_"))
    }
}

impl FromStr for CommandString {
    type Err = CommandStringError;

    fn from_str(text: &str) -> Result<CommandString, CommandStringError> {
        CommandString::try_from(text.replace('_', " "))
    }
}

/// What a seat sees: everything. The units to come are those of the problem and its seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Rows from the top: `#` full, `.` empty; odd rows are shifted half a cell right.
    pub(crate) board: Vec<String>,
    /// How many units have come, the one on its way included.
    pub(crate) came: u32,
    /// The unit on its way; none when the game is over.
    pub(crate) unit: Option<ObservedUnit>,
    /// Lines removed by the last lock.
    pub(crate) before: u32,
    /// Points of locks.
    pub(crate) moves: u64,
    /// Lines removed so far.
    pub(crate) lines: u32,
    /// Letters spoken.
    pub(crate) spoken: u64,
    /// The longest beginning of a phrase that was just spoken.
    pub(crate) heard: String,
    /// How often each phrase has been spoken.
    pub(crate) phrases: BTreeMap<String, u32>,
}

/// A unit on its way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedUnit {
    /// Which of the problem's units, from 0.
    pub(crate) unit: u16,
    /// Column of the pivot.
    pub(crate) x: i16,
    /// Row of the pivot.
    pub(crate) y: i16,
    /// Turns clockwise by 60°.
    pub(crate) rotation: u8,
    /// Rotations and pivot columns that it has already had in this row.
    pub(crate) had: Vec<(u8, i16)>,
}
