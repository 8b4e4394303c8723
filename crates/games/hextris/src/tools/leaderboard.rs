//! `quintain leaderboard hextris [--against FILE]`: where solutions would stand in a contest's
//! table, problem by problem and in all. Ranks are dense and depend on the score alone: equal
//! scores have one rank, whatever was spoken. The sum of the ranks decides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quintain_core::{
    StoreUse, Tool, ToolError, ToolInputs, ToolOption, ToolRequest, Verb, read_text,
};
use serde::Serialize;

use super::inputs::{Oddities, game_key, judge, library, phrases, problems_option, solutions_of};
use super::table::table;
use crate::notation::{Solution, read_solutions};
use crate::rules::problem::Problem;
use crate::scenarios;
use crate::tools::account::{average, dense_rank};

/// A line of a contest's table.
struct Team {
    name: String,
    score: u64,
    rank: usize,
}

/// A contest's table.
#[derive(Default)]
struct Against {
    /// The results of every team, by problem.
    teams: BTreeMap<u32, Vec<Team>>,
}

/// Where we stand on a problem.
#[derive(Serialize)]
struct Standing {
    problem: u32,
    score: u64,
    phrases: u64,
    /// The number of listed games with a solution that is worth something.
    solved: usize,
    seeds: usize,
    rank: Option<usize>,
    /// The points missing to the next better score.
    next: Option<u64>,
    best: Option<u64>,
    tag: String,
}

/// Our solutions of a problem: points, phrases and tag, by seed.
type Ours = BTreeMap<u32, (u64, BTreeSet<usize>, String)>;

/// `quintain leaderboard hextris`.
pub(crate) fn tool() -> Tool {
    Tool {
        verb: Verb {
            name: "leaderboard",
            summary: "Rank solutions in a contest's table",
            usage: "[FILE]...",
            lack: "no leaderboard",
        },
        summary: "Rank solutions in the contest's table, problem by problem and overall",
        inputs: Some(ToolInputs {
            value_names: &["SOLUTIONS"],
            doc: "Files of solutions [default: those that solve --keep has kept]",
            required: false,
            file_option: false,
        }),
        options: vec![
            ToolOption::text(
                "against",
                "FILE",
                "The table of a contest: lines of problem,rank,score,distinct_phrases,team",
            ),
            problems_option(),
        ],
        store: StoreUse::Read,
        run: Arc::new(leaderboard),
    }
}

/// Ranks solutions.
fn leaderboard(request: &ToolRequest) -> Result<String, ToolError> {
    // Read these first: a missing file is what its owner wants to hear of first.
    let named = read_files(request)?;
    let library = library(request)?;
    let phrases = phrases(request)?;
    let against = against(request)?;
    let mut ours: BTreeMap<u32, Ours> = BTreeMap::new();
    let mut oddities = Oddities::default();
    // That a kept solution is not the best of its game needs no words.
    let kept = load_solutions(request, &library)?.into_iter().map(|solution| (solution, false));
    for (solution, is_named) in named.into_iter().map(|one| (one, true)).chain(kept) {
        let account = judge(&library, &phrases, &solution).map_err(|why| {
            let (id, seed) = (solution.problem_id, solution.seed);
            eprintln!("problem {id} seed {seed} counts 0: {why}");
            oddities.note(&why);
        });
        let Ok(account) = account else { continue };
        let spoken = account.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let spoken = spoken.map(|(phrase, _)| phrase).collect();
        let known = ours.entry(solution.problem_id).or_default();
        let new = (account.score(), spoken, solution.tag);
        let old = known.get(&solution.seed).map(|old| old.0);
        let best =
            if is_named { oddities.choose(old, new.0) } else { old.max(Some(new.0)).unwrap_or(0) };
        if old != Some(best) {
            known.insert(solution.seed, new);
        }
    }
    let standings: Vec<Standing> = library
        .values()
        .map(|problem| {
            let none = BTreeMap::new();
            let ours = ours.get(&problem.id()).unwrap_or(&none);
            standing(problem, ours, against.teams.get(&problem.id()))
        })
        .collect();
    let ranks: Vec<usize> = standings.iter().filter_map(|standing| standing.rank).collect();
    let sum: usize = ranks.iter().sum();
    let sums = against.sums(standings.iter().map(|standing| standing.problem));
    let overall = 1 + sums.values().filter(|other| **other < sum).collect::<BTreeSet<_>>().len();
    let ranked = !ranks.is_empty() && ranks.len() == standings.len();
    if request.json {
        let value = serde_json::json!({
            "problems": standings,
            "sum_of_ranks": ranked.then_some(sum),
            "rank": ranked.then_some(overall),
            "teams": sums.len(),
        });
        let text = serde_json::to_string_pretty(&value).expect("texts and numbers are JSON");
        return oddities.finish(text + "\n");
    }
    let mut text = format_standings(&standings);
    if ranked {
        text += &format!("sum of ranks {sum}: rank {overall} among {} teams", sums.len());
        match sums.iter().filter(|(_, other)| **other < sum).max_by_key(|(_, other)| **other) {
            Some((team, other)) => {
                text += &format!(", next {} ({other}, {} less)\n", team.0, sum - other);
            }
            None => text.push('\n'),
        }
    }
    oddities.finish(text + &oddities.rule())
}

/// The solutions of the files.
fn read_files(request: &ToolRequest) -> Result<Vec<Solution>, ToolError> {
    let mut solutions = Vec::new();
    for file in &request.inputs {
        solutions.extend(solutions_of(file)?);
    }
    Ok(solutions)
}

/// The solutions that are kept, whatever phrases they were sought for; here they are scored by the
/// contest's.
fn load_solutions(
    request: &ToolRequest,
    library: &BTreeMap<u32, Arc<Problem>>,
) -> Result<Vec<Solution>, ToolError> {
    let mut solutions = Vec::new();
    if let Some(keeper) = &request.keeper {
        let games: BTreeSet<String> = library
            .values()
            .flat_map(|problem| {
                problem.distinct_seeds().into_iter().map(|seed| game_key(problem, seed))
            })
            .collect();
        for (name, text) in keeper.solutions()? {
            let game = name.rfind(':').map_or("", |end| &name[..=end]);
            if games.contains(game) {
                let read = read_solutions(&text);
                solutions.extend(
                    read.map_err(|problem| ToolError::Failed(format!("{name}: {problem}")))?,
                );
            }
        }
    }
    Ok(solutions)
}

fn standing(problem: &Problem, ours: &Ours, teams: Option<&Vec<Team>>) -> Standing {
    let total: u64 = ours.values().map(|(score, ..)| score).sum();
    let score = average(total, problem.seeds().len());
    let spoken: BTreeSet<usize> =
        ours.values().flat_map(|(_, phrases, _)| phrases.iter().copied()).collect();
    let scores = teams.map(|teams| teams.iter().map(|team| team.score));
    let better = scores.clone().into_iter().flatten().filter(|other| *other > score);
    Standing {
        problem: problem.id(),
        score,
        phrases: spoken.len() as u64,
        solved: ours.values().filter(|(score, ..)| *score > 0).count(),
        seeds: problem.distinct_seeds().len(),
        next: better.min().map(|next| next - score),
        rank: scores.clone().map(|scores| dense_rank(score, scores)),
        best: scores.and_then(Iterator::max),
        tag: ours
            .values()
            .map(|(_, _, tag)| tag.clone())
            .find(|t| !t.is_empty())
            .unwrap_or_default(),
    }
}

/// The table of standings.
fn format_standings(standings: &[Standing]) -> String {
    let names = ["problem", "rank", "score", "next", "best", "phrases", "games", "tag"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    for standing in standings {
        let or_dash = |number: Option<u64>| number.map_or("–".to_owned(), |n| n.to_string());
        rows.push(vec![
            standing.problem.to_string(),
            or_dash(standing.rank.map(|rank| rank as u64)),
            standing.score.to_string(),
            standing.next.map_or("–".to_owned(), |next| format!("+{next}")),
            or_dash(standing.best),
            standing.phrases.to_string(),
            format!("{}/{}", standing.solved, standing.seeds),
            standing.tag.clone(),
        ]);
    }
    table(&rows)
}

impl Against {
    /// The sum of each team's ranks over these problems. Teams with equal names are told apart by
    /// the order in which a problem lists them.
    fn sums(&self, problems: impl Iterator<Item = u32>) -> BTreeMap<(String, usize), usize> {
        let mut sums: BTreeMap<(String, usize), usize> = BTreeMap::new();
        for teams in problems.filter_map(|problem| self.teams.get(&problem)) {
            let mut names: BTreeMap<&str, usize> = BTreeMap::new();
            for team in teams {
                let namesakes = names.entry(&team.name).or_default();
                *sums.entry((team.name.clone(), *namesakes)).or_default() += team.rank;
                *namesakes += 1;
            }
        }
        sums
    }
}

/// The table of `--against`, or the contest's where it is found.
fn against(request: &ToolRequest) -> Result<Against, ToolError> {
    let place = match request.text("against") {
        Some(place) => place.into(),
        None if request.text("problems").is_some() => {
            return Ok(Against::default());
        }
        None => match scenarios::contest_folder() {
            Ok(folder) => folder.with_file_name("qualifying_leaderboard.csv"),
            Err(_) => return Ok(Against::default()),
        },
    };
    let shown = place.display();
    let text = read_text(&place)?;
    read_against(&text).map_err(|problem| ToolError::Usage(format!("{shown}: {problem}")))
}

/// Reads lines of `problem,rank,score,distinct_phrases,team` under a heading.
fn read_against(text: &str) -> Result<Against, String> {
    let mut lines = text.lines().enumerate();
    let heading = "problem,rank,score,distinct_phrases,team";
    match lines.next() {
        Some((_, first)) if first.trim_end() == heading => {}
        _ => return Err(format!("line 1: expected the heading {heading}")),
    }
    let mut against = Against::default();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.splitn(5, ',').collect();
        let whole = |field: usize, name: &str| {
            let text = fields.get(field).copied().unwrap_or_default();
            text.trim().parse::<u64>().map_err(|_| {
                format!("line {}: {name} is “{text}”; expected a whole number", number + 1)
            })
        };
        let problem = whole(0, "problem")? as u32;
        let rank = whole(1, "rank")? as usize;
        let score = whole(2, "score")?;
        whole(3, "distinct_phrases")?;
        let team = fields.get(4).map_or("", |team| team.trim().trim_matches('"'));
        let team = Team { name: team.to_owned(), score, rank };
        against.teams.entry(problem).or_default().push(team);
    }
    Ok(against)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::generate::{Filling, Units};

    #[test]
    fn ranks_are_dense_and_by_the_score_alone() {
        let text = "problem,rank,score,distinct_phrases,team\n\
                    0,1,90,3,A\n0,2,80,4,B\n0,2,80,4,\"C, of D\"\n0,2,80,2,B\n0,3,10,0,F\n";
        let against = read_against(text).unwrap();
        let sums = against.sums(std::iter::once(0));
        assert_eq!(sums.values().copied().collect::<Vec<_>>(), [1, 2, 2, 2, 3]);
        assert_eq!(sums[&("C, of D".to_owned(), 0)], 2);
        let problem = crate::scenarios::generate::draw_problem(21, Units::Usual, Filling::Usual, 1);
        let place = |score: u64, phrases: usize| {
            let ours = BTreeMap::from([(0, (score, (0..phrases).collect(), String::new()))]);
            let standing = standing(&problem, &ours, against.teams.get(&0));
            (standing.rank.unwrap(), standing.next)
        };
        assert_eq!(place(80, 0), (2, Some(10)));
        assert_eq!(place(80, 9), (2, Some(10)));
        assert_eq!(place(79, 9), (3, Some(1)));
        assert_eq!(place(91, 0), (1, None));
    }

    #[test]
    fn the_ranks_of_the_contest_follow_from_its_scores() {
        let Ok(folder) = scenarios::contest_folder() else {
            eprintln!("skipped: the contest's leaderboard is not there (QUINTAIN_DATA)");
            return;
        };
        let path = folder.with_file_name("qualifying_leaderboard.csv");
        let against = read_against(&read_text(&path).unwrap()).unwrap();
        let ranks = |teams: &Vec<Team>| {
            let scores: BTreeSet<u64> = teams.iter().map(|team| team.score).collect();
            let follows = |team: &&Team| scores.range(team.score..).count() == team.rank;
            teams.iter().filter(follows).count()
        };
        assert_eq!(against.teams.values().map(ranks).sum::<usize>(), 7875);
    }

    #[test]
    fn a_broken_table_is_reported_with_its_line() {
        let error_of = |text: &str| read_against(text).map(|_| ()).unwrap_err();
        assert!(error_of("rank,score").starts_with("line 1: expected the heading"));
        let heading = "problem,rank,score,distinct_phrases,team\n";
        assert_eq!(
            error_of(&format!("{heading}0,1,x,3,A")),
            "line 2: score is “x”; expected a whole number"
        );
    }
}
