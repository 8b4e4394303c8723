//! The solutions of the contest with the scores that its server gave them. They are found through
//! QUINTAIN_DATA; the tests are skipped if they are absent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use quintain_hextris::{
    Account, Instance, Phrases, Problem, Solution, average, read_problem, read_solutions, score,
};
use serde_json::Value;

/// The folder of the contest's data, if it is there.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("QUINTAIN_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data"),
        PathBuf::from,
    );
    let folder = folder.join("hextris");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there; set QUINTAIN_DATA", folder.display());
    None
}

fn text(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn problem(data: &std::path::Path, id: u32) -> Arc<Problem> {
    Arc::new(read_problem(&text(data.join(format!("qualifier/problem_{id}.json")))).unwrap())
}

fn scored(data: &std::path::Path, solution: &Solution) -> Account {
    let problem = problem(data, solution.problem_id);
    let instance = Instance::new(problem, solution.seed, Arc::new(Phrases::contest()));
    score(&instance, &solution.solution).unwrap_or_else(|mistake| {
        panic!("problem {} seed {}: {mistake}", solution.problem_id, solution.seed)
    })
}

#[test]
fn every_official_solution_has_the_score_of_the_contests_server() {
    let Some(data) = data() else { return };
    let expected: BTreeMap<String, Value> =
        serde_json::from_str(&text(data.join("official/expected.json"))).unwrap();
    assert!(!expected.is_empty());
    for (id, expected) in expected {
        let solutions =
            read_solutions(&text(data.join(format!("official/problem_{id}.json")))).unwrap();
        let problem = problem(&data, id.parse().unwrap());
        let mut scores = BTreeMap::new();
        let mut phrases = std::collections::BTreeSet::new();
        for solution in &solutions {
            let account = scored(&data, solution);
            scores.insert(solution.seed.to_string(), account.score());
            let spoken = account.counts.iter().enumerate().filter(|(_, count)| **count > 0);
            phrases.extend(spoken.map(|(phrase, _)| phrase));
        }
        for (seed, expected) in expected["per_seed"].as_object().unwrap() {
            assert_eq!(scores[seed], expected.as_u64().unwrap(), "problem {id} seed {seed}");
        }
        let average = average(scores.values().sum(), problem.seeds().len());
        assert_eq!(average, expected["average"].as_u64().unwrap(), "problem {id}");
        assert_eq!(phrases.len() as u64, expected["distinct_phrases"].as_u64().unwrap());
    }
}

#[test]
fn every_golden_solution_has_the_points_in_its_tag() {
    let Some(data) = data() else { return };
    let mut checked = 0;
    for file in std::fs::read_dir(data.join("golden")).unwrap() {
        for solution in read_solutions(&text(file.unwrap().path())).unwrap() {
            let account = scored(&data, &solution);
            let tag = solution.tag.split_whitespace().last().unwrap_or_default().to_owned();
            let found = format!("{}:{}:{}", account.moves, account.power, account.score());
            if tag.contains(':') {
                assert_eq!(found, tag);
            } else {
                assert_eq!(account.score(), 3261);
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 9);
}
