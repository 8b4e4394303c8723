//! `quintain stats hextris DIR`: the post's table of boards, and more properties of each problem,
//! among them what a game of it could be worth. With `--set write=DIR` it also writes the problems
//! as files.

use std::sync::Arc;

use quintain_core::{
    Access, StoreUse, Tool, ToolError, ToolInputs, ToolOption, ToolRequest, Verb, reason,
};
use serde_json::json;

use super::bound::Bound;
use super::inputs::{PROBLEMS, phrase_option, phrases, phrases_option, problems};
use super::table::table;
use crate::notation::write_problem;
use crate::rules::Instance;
use crate::rules::phrases::Phrases;
use crate::rules::problem::Problem;

/// `quintain stats hextris`.
pub(crate) fn tool() -> Tool {
    Tool {
        verb: Verb {
            name: "stats",
            summary: "Tabulate instances",
            usage: "<INSTANCE>...",
            lack: "no stats",
        },
        summary: "Tabulate problems: their boards, units and seeds",
        inputs: Some(ToolInputs {
            value_names: &["PROBLEM"],
            doc: PROBLEMS,
            required: true,
            file_option: false,
        }),
        options: vec![
            ToolOption::text("write", "DIR", "Also write the problems as files into this folder"),
            phrase_option(),
            phrases_option(),
        ],
        store: StoreUse::None,
        run: Arc::new(stats),
    }
}

/// Tabulates problems.
fn stats(request: &ToolRequest) -> Result<String, ToolError> {
    let phrases = phrases(request)?;
    let mut all = Vec::new();
    for input in &request.inputs {
        all.extend(problems(input)?);
    }
    for folder in request.texts("write") {
        let failed = |error: std::io::Error| {
            ToolError::Failed(format!("{folder}: {}", reason(&error, Access::Write)))
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        for problem in &all {
            let file = format!("{folder}/problem_{}.json", problem.id());
            std::fs::write(file, write_problem(problem)).map_err(failed)?;
        }
    }
    if request.json {
        let rows: Vec<serde_json::Value> =
            all.iter().map(|problem| row_of(problem, &phrases)).collect();
        let text = serde_json::to_string_pretty(&rows).expect("texts and numbers are JSON");
        return Ok(text + "\n");
    }
    let names = [
        "problem",
        "seeds",
        "figures",
        "w",
        "h",
        "total",
        "filled",
        "units",
        "cells",
        "rotations",
        "most",
    ];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    for problem in &all {
        let row = row_of(problem, &phrases);
        let cell = |name: &&str| match &row[*name] {
            serde_json::Value::Array(numbers) => {
                numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            }
            number => number.to_string(),
        };
        rows.push(names.iter().map(cell).collect());
    }
    Ok(table(&rows))
}

fn row_of(problem: &Arc<Problem>, phrases: &Arc<Phrases>) -> serde_json::Value {
    let board = problem.board();
    let numbers = |of: &dyn Fn(&crate::rules::units::Unit) -> usize| {
        let mut numbers: Vec<usize> = problem.units().iter().map(of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let games = problem.distinct_seeds().into_iter();
    let games = games.map(|seed| Instance::new(Arc::clone(problem), seed, Arc::clone(phrases)));
    let bounds: Vec<Bound> = games.map(|game| Bound::of(&game)).collect();
    let mean = |of: &dyn Fn(&Bound) -> u64| {
        bounds.iter().map(of).sum::<u64>() / bounds.len().max(1) as u64
    };
    json!({
        "problem": problem.id(),
        "seeds": problem.seeds().len(),
        "figures": problem.length(),
        "w": board.width(),
        "h": board.height(),
        "total": board.cells(),
        "filled": board.count_filled(),
        "units": problem.units().len(),
        "cells": numbers(&|unit| unit.size()),
        "rotations": numbers(&|unit| usize::from(unit.period())),
        "lines": mean(&|bound| bound.lines),
        "downs": mean(&|bound| bound.downs),
        "moves": mean(&|bound| bound.moves),
        "power": mean(&|bound| bound.power),
        "most": mean(&Bound::points),
    })
}
