//! Players that make given moves, whatever the others do. With them, a line of moves that was found
//! once is a match like any other: it can be played, recorded and checked again.

use quintain_core::{
    Answer, ExternalError, ExternalPlayer, ExternalSource, Fault, FaultKind, MatchStart, Question,
};
use serde_json::Value;

/// The word before the moves of a line: `line:U-R-R`.
pub const LINE: &str = "line";
/// What stands between two moves.
const BETWEEN: char = '-';
/// The most characters that a line may have.
const LONGEST: usize = 1 << 16;

/// The source of players that make given moves, one after another: `line:U-R-R`. After the last of
/// them they take the first action that is offered.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinePlayers;

/// The player that makes these moves.
pub(crate) fn line_of<'a>(moves: impl IntoIterator<Item = &'a str>) -> String {
    let moves: Vec<&str> = moves.into_iter().collect();
    format!("{LINE}:{}", moves.join(&BETWEEN.to_string()))
}

impl ExternalSource for LinePlayers {
    fn prefix(&self) -> &str {
        LINE
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        let moves = spec.split_once(':').map_or("", |(_, moves)| moves).trim();
        let is_whole = moves.split(BETWEEN).all(|one| !one.is_empty());
        if !is_whole || moves.len() > LONGEST || moves.contains(|c: char| c.is_whitespace()) {
            let expected = "expected moves with - between them, such as line:U-R-R";
            return Err(format!("“{moves}” is not a line: {expected}").into());
        }
        Ok(format!("{LINE}:{moves}"))
    }

    fn version(&self, _spec: &str) -> u32 {
        1
    }

    fn is_reproducible(&self, _spec: &str) -> bool {
        true
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        let moves = spec.split_once(':').map_or("", |(_, moves)| moves);
        let moves: Vec<String> = moves.split(BETWEEN).map(str::to_owned).collect();
        Ok(Box::new(Line { moves: moves.into_iter() }))
    }
}

struct Line {
    moves: std::vec::IntoIter<String>,
}

impl ExternalPlayer for Line {
    fn start(&mut self, _: &MatchStart, _setting: &Value) -> Result<(), Fault> {
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Answer, Fault> {
        let action = self.moves.next().or_else(|| question.actions.first().cloned());
        let action = action.ok_or_else(|| Fault::new(FaultKind::Protocol, "nothing is offered"))?;
        Ok(Answer::from(Value::from(action)))
    }
}
