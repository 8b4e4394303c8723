//! `quintain score pentocity FILE…`: plays recorded games again under our rules and reports the
//! score and the first difference.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use quintain_core::parameters::Value;
use quintain_core::{
    StoreUse, Tool, ToolError, ToolInputs, ToolOption, ToolOptionKind, ToolRequest, Verb, read_text,
};
use serde::Serialize;

use crate::recorded::{Difference, parse, replay};
use crate::rules::Pentocity;
use crate::rules::board::SIDES;
use crate::rules::state::Ruleset;

/// The report on one recorded game.
#[derive(Serialize)]
struct ScoreReport {
    file: String,
    score: u32,
    /// The score that the recording notes.
    expected: u32,
    differences: Vec<Difference>,
}

impl ScoreReport {
    fn format(&self) -> String {
        let ScoreReport { file, score, expected, differences } = self;
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

/// `quintain score pentocity`.
pub(crate) fn score_tool() -> Tool {
    let sides = (*SIDES.start() as u64)..=(*SIDES.end() as u64);
    Tool {
        verb: Verb::SCORE,
        summary: "Play recorded games again; print the score and the first difference",
        inputs: Some(ToolInputs {
            value_names: &["FILE"],
            doc: "Games as the original simulator recorded them",
            required: true,
            file_option: false,
        }),
        options: vec![
            ToolOption::whole(
                "side",
                "CELLS",
                sides,
                "Cells along each side of the land [default: 50]",
            ),
            ToolOption::new(
                "scoring",
                "RULES",
                ToolOptionKind::Choice(&["simulator", "report"]),
                "Which rules score: those of the original simulator or of the report [default: \
                 simulator]",
            ),
        ],
        store: StoreUse::None,
        run: Arc::new(score),
    }
}

/// Plays each file again.
fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let side = request.number("side").unwrap_or(50);
    let scoring = request.text("scoring").unwrap_or("simulator");
    let scoring =
        Ruleset::read(scoring).map_err(|expected| ToolError::Usage(expected.to_string()))?;
    let rules = Pentocity::new(side, scoring);
    let mut reports = Vec::new();
    for file in &request.inputs {
        let text = read_text(Path::new(file))?;
        let recorded =
            parse(&text).map_err(|error| ToolError::Usage(format!("{file}: {error}")))?;
        let replayed = replay(&rules, &recorded);
        reports.push(ScoreReport {
            file: file.clone(),
            score: replayed.state.totals().score,
            expected: recorded.score,
            differences: replayed.differences,
        });
    }
    if !request.json {
        return Ok(reports.iter().map(ScoreReport::format).collect());
    }
    let text = match &reports[..] {
        [report] => serde_json::to_string_pretty(report),
        reports => serde_json::to_string_pretty(reports),
    };
    text.map(|text| text + "\n").map_err(|error| ToolError::Failed(error.to_string()))
}
