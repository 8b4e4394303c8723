//! `solve`, `score`, `stats` and `leaderboard` as the command calls them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quintain_core::{AnyEntry, SolutionStore, SolutionStoreError, Tool, ToolError, ToolRequest};
use quintain_hextris::{entry, read_solutions};
use serde_json::Value;

fn request(inputs: &[&str], options: &[(&str, &str)], json: bool) -> ToolRequest {
    ToolRequest {
        inputs: inputs.iter().map(ToString::to_string).collect(),
        options: options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        json,
        ..ToolRequest::default()
    }
}

fn tool(verb: &str) -> Tool {
    Arc::new(entry()).tool(verb).expect("hextris has it").clone()
}

fn solve(inputs: &[&str], options: &[(&str, &str)]) -> Result<String, ToolError> {
    tool("solve").call(&request(inputs, options, false))
}

/// Creates a file for this test alone, with this text.
fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("quintain-hextris-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const POST: (&str, &str) = ("player", "post");

#[test]
fn every_game_of_every_problem_is_solved_and_scores_what_its_line_says() {
    let list = solve(&["drawn?size=21", "drawn?size=11"], &[POST]).unwrap();
    let solutions = read_solutions(&list).unwrap();
    assert_eq!(solutions.len(), 1 + 5);
    let path = file("list", &list);
    let output = tool("score").call(&request(&[&path], &[("problems", "drawn")], true)).unwrap();
    let lines: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        let number = |name: &str| line[name].as_u64().unwrap();
        assert!(number("score") > 0 && line["error"].is_null(), "{line}");
        assert_eq!(number("score"), number("moves") + number("power"));
    }
    let text = tool("score").call(&request(&[&path], &[("problems", "drawn")], false)).unwrap();
    assert!(text.contains("problem 11: ") && text.contains(" over 5 seeds (5 given)"), "{text}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn equal_requests_give_equal_lists_on_any_number_of_threads() {
    let list = |threads| solve(&["drawn?size=11"], &[POST, ("threads", threads)]).unwrap();
    assert_eq!(list("1"), list("3"));
}

#[test]
fn a_stop_gives_the_best_so_far_at_once() {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let asked = ToolRequest { stop, ..request(&["drawn?size=6"], &[("time", "100")], false) };
    let waiting = std::thread::spawn(move || tool("solve").call(&asked));
    flag.store(true, Ordering::SeqCst);
    let begin = Instant::now();
    let list = waiting.join().unwrap().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(read_solutions(&list).unwrap().len(), 50);
}

#[test]
fn no_game_is_left_with_nothing_where_no_time_was_left_for_any() {
    // Its 50 games share a thousandth of a second.
    let list = solve(&["drawn?size=6"], &[("time", "0.001")]).unwrap();
    let solutions = read_solutions(&list).unwrap();
    assert_eq!(solutions.len(), 50);
    assert!(solutions.iter().all(|solution| !solution.solution.is_empty()), "{list}");
}

/// A store that keeps solutions in memory.
#[derive(Debug, Default)]
struct Drawer(Mutex<Vec<(String, f64, String)>>);

impl SolutionStore for Drawer {
    fn keep(
        &self,
        instance: &str,
        gain: f64,
        solution: &str,
    ) -> Result<Option<f64>, SolutionStoreError> {
        let mut kept = self.0.lock().unwrap();
        let place = kept.iter().position(|(known, ..)| known == instance);
        let known = place.map(|place| kept[place].1);
        if known.is_none_or(|known| gain > known) {
            kept.retain(|(known, ..)| known != instance);
            kept.push((instance.to_owned(), gain, solution.to_owned()));
        }
        Ok(known)
    }

    fn solutions(&self) -> Result<Vec<(String, String)>, SolutionStoreError> {
        let kept = self.0.lock().unwrap();
        Ok(kept.iter().map(|(name, _, text)| (name.clone(), text.clone())).collect())
    }
}

#[test]
fn only_better_solutions_are_kept_and_the_kept_ones_stand_in_the_leaderboard() {
    let drawer: Arc<dyn SolutionStore> = Arc::new(Drawer::default());
    let solve = |player: &str| {
        let asked = request(&["drawn?size=21"], &[("player", player)], false);
        let asked = ToolRequest { keeper: Some(Arc::clone(&drawer)), ..asked };
        read_solutions(&tool("solve").call(&asked).unwrap()).unwrap().remove(0)
    };
    let mute = solve("post?speaks=false");
    let spoken = solve("post");
    assert_ne!(mute, spoken);
    assert_eq!(solve("post?speaks=false"), spoken, "the better one is given");
    let asked =
        ToolRequest { keeper: Some(drawer), ..request(&[], &[("problems", "drawn")], true) };
    let board: Value = serde_json::from_str(&tool("leaderboard").call(&asked).unwrap()).unwrap();
    let row = &board["problems"][21];
    assert_eq!((row["problem"].as_u64(), row["solved"].as_u64()), (Some(21), Some(1)));
    assert_eq!(row["tag"], "post");
}

#[test]
fn solutions_with_other_phrases_are_kept_apart_and_count_in_the_leaderboard() {
    let drawer: Arc<dyn SolutionStore> = Arc::new(Drawer::default());
    let options = [("player", "post"), ("phrase", "ei!"), ("tag", "one phrase")];
    let solving = request(&["drawn?size=21"], &options, false);
    tool("solve").call(&ToolRequest { keeper: Some(Arc::clone(&drawer)), ..solving }).unwrap();
    let solving = request(&["drawn?size=21"], &[("player", "post?speaks=false")], false);
    tool("solve").call(&ToolRequest { keeper: Some(Arc::clone(&drawer)), ..solving }).unwrap();
    assert_eq!(drawer.solutions().unwrap().len(), 2);
    let asked =
        ToolRequest { keeper: Some(drawer), ..request(&[], &[("problems", "drawn")], true) };
    let board: Value = serde_json::from_str(&tool("leaderboard").call(&asked).unwrap()).unwrap();
    assert_eq!(board["problems"][21]["tag"], "one phrase");
}

#[test]
fn a_leaderboard_ranks_us_among_teams() {
    let list = solve(&["drawn?size=21"], &[POST]).unwrap();
    let ours = file("ours", &list);
    let table = "problem,rank,score,distinct_phrases,team\n21,1,99999999,3,A\n21,2,1,0,B\n";
    let table = file("table", table);
    let options = [("problems", "drawn?size=21"), ("against", table.as_str())];
    let text = tool("leaderboard").call(&request(&[&ours], &options, false)).unwrap();
    assert!(text.ends_with("sum of ranks 2: rank 2 among 2 teams, next A (1, 1 less)\n"), "{text}");
    for path in [ours, table] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn stats_tabulate_the_sizes_of_the_posts_table() {
    let text = tool("stats").call(&request(&["drawn"], &[], false)).unwrap();
    assert_eq!(text.lines().count(), 26);
    let row: Vec<&str> = text.lines().nth(25).unwrap().split_whitespace().take(6).collect();
    assert_eq!(row, ["24", "1", "1620", "100", "40", "4000"]);
}

#[test]
fn mistakes_in_the_request_are_explained() {
    let error_of = |input: &str, options: &[(&str, &str)]| {
        let error = solve(&[input], options).unwrap_err();
        assert!(matches!(error, ToolError::Usage(_)), "{error}");
        error.to_string()
    };
    assert!(
        error_of("no-such-file", &[POST]).starts_with("no-such-file: there is no such file; name")
    );
    assert!(error_of("drawn?size=30", &[POST]).contains("from 0 to 24"));
    assert!(error_of("drawn?size=-1", &[POST]).contains("from 0 to 24"));
    assert!(error_of("drawn", &[("time", "0")]).contains("time=0: expected a time above 0"));
    assert!(error_of("drawn", &[("tim", "3")]).contains("did you mean “time”"));
    assert!(error_of("drawn", &[("player", "pots")]).contains("did you mean “post”"));
    let seed = error_of("drawn?size=21", &[POST, ("seed", "5")]);
    assert_eq!(seed, "problem 21 has no seed 5; it lists 0");
}

#[test]
fn a_broken_problem_names_the_place_and_what_was_expected() {
    let whole = r#"{"id": 1, "width": 4, "height": 5, "filled": [], "sourceLength": 3,
        "sourceSeeds": [0],
        "units": [{"members": [{"x": 0, "y": 0}], "pivot": {"x": 9, "y": -3}}]}"#;
    let error_of = |from: &str, to: &str| {
        let path = file("problem", &whole.replace(from, to));
        let result = solve(&[&path], &[POST]);
        std::fs::remove_file(&path).unwrap();
        result.map_err(|error| error.to_string().replace(&path, "FILE"))
    };
    // A pivot off the board is legal.
    assert!(error_of("", "").is_ok());
    let wrong = |from: &str, to: &str| error_of(from, to).unwrap_err();
    assert_eq!(
        wrong(r#""width": 4"#, r#""width": "4""#),
        "FILE: width: expected a whole number from 1 to 128, found a text"
    );
    assert_eq!(
        wrong(r#""height": 5"#, r#""height": 0"#),
        "FILE: height: expected a whole number from 1 to 4000, found 0"
    );
    assert_eq!(
        wrong(r#"{"x": 0, "y": 0}"#, r#"{"x": 0}"#),
        "FILE: units[0].members[0].y: it is missing"
    );
    assert_eq!(
        wrong(r#"[{"x": 0, "y": 0}]"#, "[]"),
        "FILE: units[0].members: a unit needs at least one member"
    );
    assert_eq!(
        wrong(r#""filled": []"#, r#""filled": [{"x": 4, "y": 0}]"#),
        "FILE: filled[0]: (4, 0) is off the board of 4×5"
    );
    assert_eq!(
        wrong(r#""sourceSeeds": [0]"#, r#""sourceSeeds": []"#),
        "FILE: sourceSeeds: a problem needs at least one seed"
    );
    assert!(wrong("{", "[").starts_with("FILE: it is not JSON: "));
}

#[test]
fn a_broken_list_of_solutions_names_the_place() {
    let error_of = |list: &str| {
        let path = file("broken-list", list);
        let asked = request(&[&path], &[("problems", "drawn")], false);
        let error = tool("score").call(&asked).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        error.replace(&path, "FILE")
    };
    assert_eq!(error_of(r#"[{"seed": 0, "solution": ""}]"#), "FILE: [0].problemId: it is missing");
    assert_eq!(
        error_of(r#"[{"problemId": 1, "seed": -1, "solution": ""}]"#),
        "FILE: [0].seed: expected a whole number from 0 to 4294967295, found -1"
    );
    assert_eq!(
        error_of(r#"[{"problemId": 1, "seed": 1, "solution": 7}]"#),
        "FILE: [0].solution: expected a text, found 7"
    );
    assert!(error_of("nothing").starts_with("FILE: it is not JSON: "));
}

#[test]
fn phrases_that_cannot_be_spoken_are_left_out_and_nothing_breaks() {
    let options = [POST, ("phrase", "ei!"), ("phrase", "naïve"), ("phrase", "a-b"), ("phrase", "")];
    assert!(solve(&["drawn?size=21"], &options).is_ok());
}

#[test]
fn mistakes_in_solutions_are_reported_and_score_nothing() {
    let list = r#"[{"problemId": 21, "seed": 0, "tag": "", "solution": "pb"},
        {"problemId": 21, "seed": 3, "tag": "", "solution": "p"},
        {"problemId": 99, "seed": 0, "solution": "p"}]"#;
    let path = file("mistakes", list);
    let scored = tool("score").call(&request(&[&path], &[("problems", "drawn")], false));
    let Err(ToolError::Unfinished { done, problem }) = scored else { panic!("{scored:?}") };
    assert_eq!(problem, "2 solutions are of games that do not exist; see above");
    let lines: Vec<&str> = done.lines().collect();
    assert_eq!(
        lines,
        [
            "problem 21 seed 0: 0: character 2 (“b”, command 2, unit 1): it returns the unit to \
             a position it already had",
            "problem 21 seed 3: 0: problem 21 has no seed 3; it lists 0",
            "problem 99 seed 0: 0: there is no problem 99 among those given",
        ]
    );
    let ranked = tool("leaderboard").call(&request(&[&path], &[("problems", "drawn")], false));
    let Err(ToolError::Unfinished { problem, .. }) = ranked else { panic!("{ranked:?}") };
    assert_eq!(problem, "2 solutions are of games that do not exist; see above");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn of_several_solutions_of_a_game_score_and_leaderboard_take_the_best() {
    let list = solve(&["drawn?size=11"], &[POST]).unwrap();
    let solutions: Vec<Value> = serde_json::from_str(&list).unwrap();
    let with = |seed: &Value, solution: &str| {
        let (id, text) = (11, solution);
        serde_json::json!({ "problemId": id, "seed": seed, "solution": text })
    };
    // The first game again, worse: once after the good solution and once before it.
    let worse = with(&solutions[0]["seed"], "");
    let all = |more: [Vec<Value>; 2]| {
        let [before, after] = more;
        let all: Vec<&Value> = before.iter().chain(&solutions).chain(&after).collect();
        file("repeated", &serde_json::to_string(&all).unwrap())
    };
    let run = |verb: &str, path: &str| {
        tool(verb).call(&request(&[path], &[("problems", "drawn?size=11")], false)).unwrap()
    };
    let last_line = |text: &str| text.lines().next_back().unwrap().to_owned();
    let path = all([vec![], vec![]]);
    let [score, rank] = ["score", "leaderboard"].map(|verb| run(verb, &path));
    for more in [[vec![worse.clone()], vec![]], [vec![], vec![worse.clone()]]] {
        let path = all(more);
        let scored = run("score", &path);
        let rule = "1 solution more of the same game: the best counts";
        assert!(scored.contains(&last_line(&score)), "{scored}");
        assert_eq!(last_line(&scored), rule);
        assert_eq!(run("leaderboard", &path), format!("{rank}{rule}\n"));
        std::fs::remove_file(path).unwrap();
    }
}
