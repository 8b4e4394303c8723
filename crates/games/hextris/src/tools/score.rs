//! `quintain score hextris [--problems DIR] FILE…`: what solutions are worth, and why, whatever
//! program wrote them.

use std::collections::BTreeMap;
use std::sync::Arc;

use quintain_core::{StoreUse, Tool, ToolError, ToolInputs, ToolRequest, Verb};
use serde::Serialize;

use super::inputs::{
    Oddities, Worthless, judge, library, phrase_option, phrases, phrases_option, problems_option,
    solutions_of,
};
use crate::rules::phrases::Phrases;
use crate::tools::account::{Account, average};

/// A solution's line in the output for programs.
#[derive(Serialize)]
struct Line<'a> {
    problem: u32,
    seed: u32,
    score: u64,
    moves: u64,
    power: u64,
    lines: u32,
    /// How often each phrase was spoken.
    phrases: BTreeMap<&'a str, u32>,
    end: Option<String>,
    tag: &'a str,
    error: Option<&'a str>,
}

/// `quintain score hextris`.
pub(crate) fn tool() -> Tool {
    Tool {
        verb: Verb::SCORE,
        summary: "Score the solutions of any program, and explain the scores",
        inputs: Some(ToolInputs {
            value_names: &["SOLUTIONS"],
            doc: "Files of solutions",
            required: true,
            file_option: false,
        }),
        options: vec![problems_option(), phrase_option(), phrases_option()],
        store: StoreUse::None,
        run: Arc::new(score),
    }
}

/// Scores and explains.
fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let phrases = phrases(request)?;
    // Read the files first: if one is missing, it does not matter where the problems are.
    let files: Vec<_> =
        request.inputs.iter().map(|file| solutions_of(file)).collect::<Result<_, _>>()?;
    let library = library(request)?;
    let mut text = String::new();
    let mut oddities = Oddities::default();
    let mut scores: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
    for solutions in files {
        for solution in solutions {
            let judged = judge(&library, &phrases, &solution);
            let (account, error) = match &judged {
                Ok(account) => (Some(account), None),
                Err(why) => (None, Some(why.to_string())),
            };
            match &judged {
                Err(why @ Worthless::NoGame(_)) => oddities.note(why),
                _ => {
                    let of_problem = scores.entry(solution.problem_id).or_default();
                    let new = account.map_or(0, Account::score);
                    let old = of_problem.get(&solution.seed).copied();
                    of_problem.insert(solution.seed, oddities.choose(old, new));
                }
            }
            if request.json {
                let line = Line {
                    problem: solution.problem_id,
                    seed: solution.seed,
                    score: account.map_or(0, Account::score),
                    moves: account.map_or(0, |account| account.moves),
                    power: account.map_or(0, |account| account.power),
                    lines: account.map_or(0, |account| account.lines),
                    phrases: account.map(|a| count_spoken(&phrases, a)).unwrap_or_default(),
                    end: account.map(|account| account.end.to_string()),
                    tag: &solution.tag,
                    error: error.as_deref(),
                };
                text += &serde_json::to_string(&line).expect("texts and numbers are JSON");
                text.push('\n');
            } else {
                text += &format!("problem {} seed {}: ", solution.problem_id, solution.seed);
                text += &match (account, error) {
                    (Some(account), _) => describe_account(&phrases, account),
                    (None, why) => format!("0: {}\n", why.unwrap_or_default()),
                };
            }
        }
    }
    if !request.json {
        for (id, scores) in &scores {
            let Some(problem) = library.get(id) else { continue };
            let (given, listed) = (scores.len(), problem.seeds().len());
            if listed > 1 {
                let average = average(scores.values().sum(), listed);
                text += &format!("problem {id}: {average} over {listed} seeds ({given} given)\n");
            }
        }
        text += &oddities.rule();
    }
    oddities.finish(text)
}

/// The phrases that were spoken.
fn count_spoken<'a>(phrases: &'a Phrases, account: &Account) -> BTreeMap<&'a str, u32> {
    let texts = phrases.texts().iter().map(String::as_str);
    texts.zip(account.counts.iter().copied()).filter(|(_, count)| *count > 0).collect()
}

fn describe_account(phrases: &Phrases, account: &Account) -> String {
    let mut text = format!(
        "{} = moves {} + power {}; {} commands, {} units, {} lines; {}\n",
        account.score(),
        account.moves,
        account.power,
        account.commands,
        account.locked,
        account.lines,
        account.end
    );
    let mut counted: Vec<(u32, &str)> =
        count_spoken(phrases, account).into_iter().map(|(phrase, count)| (count, phrase)).collect();
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let counted: Vec<String> =
        counted.iter().map(|(count, phrase)| format!("{phrase} ×{count}")).collect();
    if !counted.is_empty() {
        text += &format!("  phrases: {}\n", counted.join(", "));
    }
    text
}
