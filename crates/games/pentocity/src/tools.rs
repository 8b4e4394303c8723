//! `quintain score pentocity FILE…`: plays recorded games again under our rules and says
//! the score and the first difference.

use std::fmt::Write as _;

use quintain_core::parameters::Value;
use quintain_core::{ToolError, ToolRequest, did_you_mean};
use serde::Serialize;

use crate::land::SIDES;
use crate::recorded::{Difference, read, replay};
use crate::rules::{Pentocity, Ruleset};

/// What is known of one recorded game.
#[derive(Serialize)]
struct Answer {
    file: String,
    score: u32,
    /// The score that the recording notes.
    expected: u32,
    differences: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    line: usize,
    problem: String,
}

impl From<Difference> for Told {
    fn from(difference: Difference) -> Told {
        Told { line: difference.line, problem: difference.problem }
    }
}

impl Answer {
    fn text(&self) -> String {
        let Answer { file, score, expected, differences } = self;
        let Some(first) = differences.first() else {
            return format!("{file}: score {score}, every move as recorded\n");
        };
        let mut text = format!("{file}: score {score}, the recording has {expected}\n");
        let _ = write!(text, "  line {}: {}", first.line, first.problem);
        if differences.len() > 1 {
            let _ = write!(text, " (first of {} differences)", differences.len());
        }
        text + "\n"
    }
}

/// Plays each file again.
pub(crate) fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let (mut side, mut scoring) = (50, Ruleset::Simulator);
    for (name, value) in &request.options {
        let wrong =
            |expected: String| ToolError::Usage(format!("{name}={value}: expected {expected}"));
        match name.as_str() {
            "scoring" => scoring = Ruleset::read(value).map_err(wrong)?,
            "side" => {
                side = value.parse().ok().filter(|side| SIDES.contains(side)).ok_or_else(|| {
                    wrong(format!("a whole number from {} to {}", SIDES.start(), SIDES.end()))
                })?;
            }
            _ => return Err(ToolError::Usage(did_you_mean("setting", name, ["scoring", "side"]))),
        }
    }
    let game = Pentocity::new(side, scoring);
    let mut answers = Vec::new();
    for file in &request.inputs {
        let failed = |problem: String| ToolError::Failed(format!("{file}: {problem}"));
        let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
        let recorded = read(&text).map_err(failed)?;
        let replayed = replay(&game, &recorded);
        answers.push(Answer {
            file: file.clone(),
            score: replayed.state.tally().score,
            expected: recorded.score,
            differences: replayed.differences.into_iter().map(Told::from).collect(),
        });
    }
    if !request.json {
        return Ok(answers.iter().map(Answer::text).collect());
    }
    let text = match &answers[..] {
        [answer] => serde_json::to_string_pretty(answer),
        answers => serde_json::to_string_pretty(answers),
    };
    text.map(|text| text + "\n").map_err(|error| ToolError::Failed(error.to_string()))
}
