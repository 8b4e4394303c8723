//! What the tools read: problems, phrases and solutions, and the options that name them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_core::{
    Access, Parameters, Spec, ToolError, ToolOption, ToolRequest, digest, parameters, read_text,
    reason,
};

use crate::notation::{Solution, read_solutions, write_problem};
use crate::rules::Instance;
use crate::rules::phrases::Phrases;
use crate::rules::problem::Problem;
use crate::scenarios;
use crate::scenarios::generate::{self, Filling, LAST_SIZE, Units};
use crate::tools::account::Account;

parameters! {
    /// Problems drawn in the contest's style.
    struct DrawnProblem {
        /// Which of the contest's 25 sizes; all of them if left out.
        size: usize = 0, in 0..=LAST_SIZE;
        /// The seed from which problems are drawn.
        seed: u64 = 1;
        /// Kind of units.
        units: Units = Units::Usual;
        /// What fills the board.
        filling: Filling = Filling::Usual;
    }
}

/// How problems are named, for the help of `solve` and `stats`.
pub(crate) const PROBLEMS: &str =
    "Problems: files, folders, drawn (one of each size) or drawn?size=6&seed=2";

/// Returns the problems that an input names: a file, a folder of files, or `drawn` with parameters.
pub(crate) fn problems(input: &str) -> Result<Vec<Arc<Problem>>, ToolError> {
    let usage = ToolError::Usage;
    let path = Path::new(input);
    if path.is_dir() {
        return in_folder(path);
    }
    let name = input.strip_prefix("hextris:").unwrap_or(input);
    if name == "drawn" || name.starts_with("drawn?") {
        let refuse = |problem: String| usage(format!("{input}: {problem}"));
        let spec: Spec = name.parse().map_err(|error| refuse(format!("{error}")))?;
        let given = DrawnProblem::from_arguments(&spec.arguments);
        let given = given.map_err(|error| refuse(error.to_string()))?;
        let sizes = match spec.arguments.iter().any(|(name, _)| name == "size") {
            true => given.size..=given.size,
            false => 0..=LAST_SIZE,
        };
        let draw = |size| generate::draw_problem(size, given.units, given.filling, given.seed);
        return Ok(sizes.map(draw).map(Arc::new).collect());
    }
    if !path.exists() {
        return Err(usage(format!(
            "{input}: there is no such file; name a problem's file, a folder of them, drawn, or \
             drawn?size=N with N from 0 to {LAST_SIZE}"
        )));
    }
    Ok(vec![Arc::new(scenarios::read(path).map_err(usage)?)])
}

/// The problems of a folder, by number.
fn in_folder(folder: &Path) -> Result<Vec<Arc<Problem>>, ToolError> {
    let shown = folder.display();
    let files = std::fs::read_dir(folder)
        .map_err(|error| ToolError::Usage(format!("{shown}: {}", reason(&error, Access::Read))))?
        .filter_map(|file| Some(file.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    let mut problems: Vec<Arc<Problem>> = Vec::new();
    for file in files {
        problems.push(Arc::new(scenarios::read(&file).map_err(ToolError::Usage)?));
    }
    if problems.is_empty() {
        return Err(ToolError::Usage(format!("{shown}: no .json files in this folder")));
    }
    problems.sort_by_key(|problem| problem.id());
    Ok(problems)
}

/// The problems that solutions may refer to, by number: those of `--problems`, or the contest's.
pub(crate) fn library(request: &ToolRequest) -> Result<BTreeMap<u32, Arc<Problem>>, ToolError> {
    let found = match request.text("problems") {
        Some(place) => problems(place)?,
        None => {
            let folder = scenarios::contest_folder();
            in_folder(&folder.map_err(|problem| {
                ToolError::Usage(format!(
                    "{problem}, or name the problems of these solutions with \
                    --problems: a folder, a file, or drawn?size=N"
                ))
            })?)?
        }
    };
    Ok(found.into_iter().map(|problem| (problem.id(), problem)).collect())
}

/// The option `-p PHRASE` of `solve` and `score`.
pub(crate) fn phrase_option() -> ToolOption {
    let option = ToolOption::text("phrase", "PHRASE", "A phrase of power");
    ToolOption { hyphens: true, ..option.with_short('p').with_repetition() }
}

/// The option `--phrases` of `solve` and `score`.
pub(crate) fn phrases_option() -> ToolOption {
    ToolOption::text(
        "phrases",
        "WHICH",
        "The phrases if none is given with -p: contest [the default] or none",
    )
}

/// The option `--problems DIR` of `score` and `leaderboard`.
pub(crate) fn problems_option() -> ToolOption {
    ToolOption::text(
        "problems",
        "PROBLEMS",
        "The problems that the solutions refer to: a folder, a file, or drawn?size=N \
         [default: the contest's]",
    )
}

/// The phrases given by `-p`. If there are none: the contest's, or none with `--set phrases=none`.
pub(crate) fn phrases(request: &ToolRequest) -> Result<Arc<Phrases>, ToolError> {
    let mut given: Vec<&str> = Vec::new();
    let mut usual = true;
    for (name, value) in &request.options {
        match (name.as_str(), value.as_str()) {
            ("phrase", phrase) => {
                given.push(phrase);
                if !Phrases::can_be_spoken(phrase) || phrase.is_empty() {
                    let wrong = phrase.chars().find(|letter| {
                        !letter.is_ascii() || !Phrases::can_be_spoken(&letter.to_string())
                    });
                    let why = wrong.map_or("it is empty".to_owned(), |letter| {
                        format!("“{}” is not a command", letter.escape_debug())
                    });
                    eprintln!("phrase “{}” is left out: {why}", phrase.escape_debug());
                }
            }
            ("phrases", "none") => usual = false,
            ("phrases", "contest") => usual = true,
            ("phrases", other) => {
                let expected = "expected contest or none; give your own phrases with -p";
                return Err(ToolError::Usage(format!("phrases={other}: {expected}")));
            }
            _ => {}
        }
    }
    let phrases = match (given.is_empty(), usual) {
        (true, true) => Phrases::contest(),
        _ => Phrases::new(given),
    };
    Ok(Arc::new(phrases))
}

/// The solutions of a file.
pub(crate) fn solutions_of(file: &str) -> Result<Vec<Solution>, ToolError> {
    let text = read_text(Path::new(file))?;
    read_solutions(&text).map_err(|problem| {
        let is_problem = scenarios::read(Path::new(file)).is_ok();
        ToolError::Usage(match is_problem {
            true => format!(
                "{file}: this is a problem, not a list of solutions; name problems with \
                 --problems {file}"
            ),
            false => format!("{file}: {problem}"),
        })
    })
}

/// Why a solution is worth nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Worthless {
    /// It is of a game that does not exist.
    #[error("{0}")]
    NoGame(String),
    /// It breaks the rules.
    #[error("{0}")]
    Broken(String),
}

/// How often solutions are of games that do not exist, and of games that have another one.
#[derive(Default)]
pub(crate) struct Oddities {
    no_game: usize,
    repeated: usize,
}

impl Oddities {
    /// Notes a solution that is worth nothing for this reason.
    pub(crate) fn note(&mut self, why: &Worthless) {
        self.no_game += usize::from(matches!(why, Worthless::NoGame(_)));
    }

    /// Of two scores of the same game, returns the one that counts: the better one.
    pub(crate) fn choose(&mut self, old: Option<u64>, new: u64) -> u64 {
        self.repeated += usize::from(old.is_some());
        old.map_or(new, |old| old.max(new))
    }

    /// A line about games with several solutions, if there are any.
    pub(crate) fn rule(&self) -> String {
        match self.repeated {
            0 => String::new(),
            1 => "1 solution more of the same game: the best counts\n".to_owned(),
            more => format!("{more} solutions more of the same games: the best of each counts\n"),
        }
    }

    /// The result of a tool that has written this.
    pub(crate) fn finish(&self, done: String) -> Result<String, ToolError> {
        let problem = match self.no_game {
            0 => return Ok(done),
            1 => "1 solution is of a game that does not exist; see above".to_owned(),
            more => format!("{more} solutions are of games that do not exist; see above"),
        };
        Err(ToolError::Unfinished { done, problem })
    }
}

/// Returns what a solution is worth, or why it is worth nothing.
pub(crate) fn judge(
    library: &BTreeMap<u32, Arc<Problem>>,
    phrases: &Arc<Phrases>,
    solution: &Solution,
) -> Result<Account, Worthless> {
    let Some(problem) = library.get(&solution.problem_id) else {
        let id = solution.problem_id;
        return Err(Worthless::NoGame(format!("there is no problem {id} among those given")));
    };
    check_seed(problem, solution.seed).map_err(Worthless::NoGame)?;
    let instance = Instance::new(Arc::clone(problem), solution.seed, Arc::clone(phrases));
    crate::tools::account::score(&instance, &solution.solution)
        .map_err(|mistake| Worthless::Broken(mistake.to_string()))
}

/// Refuses a seed that the problem does not list.
pub(crate) fn check_seed(problem: &Problem, seed: u32) -> Result<(), String> {
    if problem.seeds().contains(&seed) {
        return Ok(());
    }
    let listed: Vec<String> = problem.seeds().iter().take(8).map(u32::to_string).collect();
    let more = if problem.seeds().len() > listed.len() { ", …" } else { "" };
    Err(format!(
        "problem {} has no seed {seed}; it lists {}{more}",
        problem.id(),
        listed.join(", ")
    ))
}

/// The prefix of the names of a game's kept solutions: number, seed, and a digest of the problem,
/// so that other problems with the same number stay apart.
pub(crate) fn game_key(problem: &Problem, seed: u32) -> String {
    let digest = digest(write_problem(problem).as_bytes());
    format!("{}:{seed}:{}:", problem.id(), &digest[..12])
}

/// The name under which the best solution of a game is kept. Scores with other phrases cannot be
/// compared with it, so the name contains a digest of the phrases.
pub(crate) fn solution_key(problem: &Problem, seed: u32, phrases: &Phrases) -> String {
    let digest = digest(phrases.texts().join("\n").as_bytes());
    game_key(problem, seed) + &digest[..8]
}
