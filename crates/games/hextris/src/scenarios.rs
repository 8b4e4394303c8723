//! Where hextris is played: problems drawn in the contest's style, the contest's own problems
//! (found through QUINTAIN_DATA) and files. A scenario is one game: a problem and one of its seeds.

pub(crate) mod generate;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use quintain_core::{
    BuildError, Entry, Scenario, data_folder, keep_file, kept_file, parameters, read_text,
    scenario_file,
};

use crate::environment::scenario;
use crate::notation::read_problem;
use crate::rules::Hextris;
use crate::rules::Instance;
use crate::rules::phrases::Phrases;
use crate::rules::problem::Problem;
use generate::{Filling, LAST_SIZE, Units};

parameters! {
    /// A problem drawn in the contest's style.
    struct DrawnProblem {
        /// Which of the contest's 25 board sizes it has.
        size: usize = 6, in 0..=LAST_SIZE;
        /// The seed from which the problem is drawn.
        seed: u64 = 1;
        /// The kind of units that it has.
        units: Units = Units::Usual;
        /// What fills the board at the start.
        filling: Filling = Filling::Usual;
        /// Which of the problem's games, from 0.
        game: usize = 0;
        /// Phrases: “contest”, “none”, or your own, joined by +, with _ for a space.
        phrases: String = "contest".to_owned();
    }
}

parameters! {
    /// A problem of the contest.
    struct ContestProblem {
        /// The number of the problem in the contest.
        problem: usize = 0, in 0..=LAST_SIZE;
        /// Which of the problem's games, from 0.
        game: usize = 0;
        /// Phrases: “contest”, “none”, or your own, joined by +, with _ for a space.
        phrases: String = "contest".to_owned();
    }
}

parameters! {
    /// A problem from a file.
    struct File {
        /// The file, in the contest's JSON format.
        path: String = String::new();
        /// The first 12 letters of the file's digest, which is then checked; filled in if left out.
        digest: String = String::new();
        /// Which of the problem's games, from 0.
        game: usize = 0;
        /// Phrases: “contest”, “none”, or your own, joined by +, with _ for a space.
        phrases: String = "contest".to_owned();
    }
}

/// Registers all scenarios.
pub(crate) fn add_to(entry: Entry<Hextris>) -> Entry<Hextris> {
    entry
        .scenario(
            "drawn",
            "problems in the contest's style",
            "sizes: the post's table; units and boards: ours, by seed",
            |given: &mut DrawnProblem| {
                let problem =
                    generate::draw_problem(given.size, given.units, given.filling, given.seed);
                game(problem, given.game, &given.phrases)
            },
        )
        .instances("seed")
        .scenario(
            "contest",
            "a problem of the contest, found through QUINTAIN_DATA",
            "ICFP Programming Contest 2015",
            |given: &mut ContestProblem| {
                game(contest_problem(given.problem)?, given.game, &given.phrases)
            },
        )
        .scenario("file", "a problem from a file", "the contest's format", |given: &mut File| {
            file(given)
        })
}

fn game(problem: Problem, game: usize, phrases: &str) -> Result<Scenario<Hextris>, BuildError> {
    let Some(seed) = problem.seeds().get(game).copied() else {
        let games = problem.seeds().len();
        return Err(format!("game={game}: the problem has games 0 to {}", games - 1).into());
    };
    // Building the phrases' tables takes longer than the rest of a problem that learners draw.
    static CONTEST: LazyLock<Arc<Phrases>> = LazyLock::new(|| Arc::new(Phrases::contest()));
    static NONE: LazyLock<Arc<Phrases>> = LazyLock::new(|| Arc::new(Phrases::new([""; 0])));
    let phrases = match phrases {
        "contest" => Arc::clone(&CONTEST),
        "none" => Arc::clone(&NONE),
        own => Arc::new(Phrases::new(own.split('+').map(|phrase| phrase.replace('_', " ")))),
    };
    let rules = Hextris::new(Instance::new(Arc::new(problem), seed, phrases));
    Ok(scenario(rules))
}

/// The error when the contest's problems are not where `QUINTAIN_DATA` says; its text tells what to
/// set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the contest's problems are not at {folder}; set QUINTAIN_DATA to the folder that has \
     hextris/qualifier in it",
    folder = .folder.display()
)]
pub struct NoContestFolder {
    /// Where they should be.
    folder: PathBuf,
}

impl From<NoContestFolder> for BuildError {
    fn from(error: NoContestFolder) -> Self {
        BuildError::from(error.to_string())
    }
}

/// The folder of the contest's problems; the final leaderboard lies next to it.
///
/// # Errors
/// [`NoContestFolder`] if it is not where `QUINTAIN_DATA` says.
pub fn contest_folder() -> Result<PathBuf, NoContestFolder> {
    let folder = data_folder().join("hextris").join("qualifier");
    if folder.is_dir() { Ok(folder) } else { Err(NoContestFolder { folder }) }
}

/// The digests of the contest's problems: a machine that has been given them by another needs no
/// folder.
#[rustfmt::skip]
const CONTEST_DIGESTS: [&str; LAST_SIZE + 1] = [
    "3691c71112af", "04895d87f8ef", "3ce59a99320e", "ee0080f411c6", "d1c5073f53c0",
    "037e30a9ac55", "a4ee76f548f7", "b4958ba2b4d1", "4748091cfa69", "e0aa15a37a3e",
    "800c78ccfd22", "8a7e20fe9e73", "7b7d9ebe9159", "406172be8f2c", "273e939343ee",
    "4c6ced47b22c", "3be4928cd2a4", "28dafcd7c85d", "c78270b1cbf9", "6e73ad8560f2",
    "624c19641aba", "1a5d9feda77f", "3923a6c6dc11", "4fa04735f06a", "3f41dc4b57d2",
];

fn contest_problem(number: usize) -> Result<Problem, BuildError> {
    if let Some(kept) = kept_file(CONTEST_DIGESTS[number]) {
        return Ok(read_problem(&kept).map_err(|problem| format!("problem {number}: {problem}"))?);
    }
    let path = contest_folder()?.join(format!("problem_{number}.json"));
    let text = read_text(&path).map_err(|error| error.to_string())?;
    let problem = read_problem(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    keep_file(&text);
    Ok(problem)
}

/// Reads a problem from a file.
pub(crate) fn read(path: &Path) -> Result<Problem, String> {
    let text = read_text(path).map_err(|error| error.to_string())?;
    read_problem(&text).map_err(|problem| format!("{}: {problem}", path.display()))
}

fn file(given: &mut File) -> Result<Scenario<Hextris>, BuildError> {
    if given.path.is_empty() {
        return Err("it needs path=FILE".into());
    }
    let path = &given.path;
    let text = scenario_file(Path::new(path), &mut given.digest)?;
    let problem = read_problem(&text).map_err(|problem| format!("{path}: {problem}"))?;
    game(problem, given.game, &given.phrases)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_contests_problems_have_the_digests_by_which_they_travel() {
        let data = std::env::var_os("QUINTAIN_DATA")
            .map_or_else(|| PathBuf::from("../../../../shared/data"), PathBuf::from);
        for (number, expected) in CONTEST_DIGESTS.iter().enumerate() {
            let file = data.join(format!("hextris/qualifier/problem_{number}.json"));
            let Ok(bytes) = std::fs::read(&file) else {
                eprintln!("skipped: {} is not there", file.display());
                return;
            };
            assert_eq!(digest(&bytes)[..expected.len()], **expected, "{number}");
        }
    }

    use quintain_core::digest;

    use super::*;
    use crate::notation::write_problem;

    #[test]
    fn every_size_draws_a_problem_that_reads_back_and_can_be_played() {
        for number in 0..25 {
            let problem = generate::draw_problem(number, Units::Usual, Filling::Usual, 1);
            assert_eq!(read_problem(&write_problem(&problem)).as_ref(), Ok(&problem));
            let instance = Instance::new(Arc::new(problem), 0, Arc::new(Phrases::contest()));
            assert!(instance.start().walk.is_some(), "size {number} begins with no room");
        }
    }

    #[test]
    fn the_problems_of_a_seed_are_fixed_for_ever() {
        let mut texts = String::new();
        for number in 0..25 {
            texts +=
                &write_problem(&generate::draw_problem(number, Units::Usual, Filling::Usual, 1));
        }
        assert_eq!(&digest(texts.as_bytes())[..12], "db5f454b250f");
    }
}
