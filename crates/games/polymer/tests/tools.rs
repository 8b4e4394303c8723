//! `solve` and `score` as the command calls them.

use std::sync::Arc;

use quintain_core::{AnyEntry, ToolError, ToolRequest};
use quintain_polymer::entry;
use serde_json::Value;

fn request(inputs: &[&str], options: &[(&str, &str)], json: bool) -> ToolRequest {
    ToolRequest {
        inputs: inputs.iter().map(ToString::to_string).collect(),
        options: options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        json,
        ..ToolRequest::default()
    }
}

fn solve(input: &str, options: &[(&str, &str)]) -> Result<Value, ToolError> {
    let entry = Arc::new(entry());
    let tool = entry.tool("solve").expect("polymer is solved");
    tool.call(&request(&[input], options, true)).map(|text| serde_json::from_str(&text).unwrap())
}

fn score(instance: &str, file: &str) -> Result<String, ToolError> {
    let entry = Arc::new(entry());
    let tool = entry.tool("score").expect("polymer is scored");
    tool.call(&request(&[instance, file], &[], false))
}

/// A file with this text, of this test's own.
fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("quintain-polymer-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const SMALL: &str = "random?width=6&height=6&n=12";

#[test]
fn a_small_instance_is_solved_and_proved_and_its_walk_scores_the_same() {
    let answer = solve(SMALL, &[("nodes", "3000")]).unwrap();
    assert_eq!(answer["proved"], true, "{answer}");
    assert_eq!(answer["r_nc"], answer["bound"]);
    let walk = file("walk", answer["walk"].as_str().unwrap());
    let report = score(SMALL, &walk).unwrap();
    let expected = format!("R {}, R_nc {}, bound on R_nc ", answer["r"], answer["r_nc"]);
    assert!(report.contains(&expected), "{report}");
    std::fs::remove_file(walk).unwrap();
}

#[test]
fn a_walk_that_meets_itself_around_the_torus_has_another_energy_in_open_space() {
    let path = file("straight", "RRRR");
    for (narrow, wide) in [
        ("hp?sequence=HPPPH&width=5&height=5", "hp?sequence=HPPPH"),
        ("hp3d?sequence=HPPPH&side=5", "hp3d?sequence=HPPPH"),
    ] {
        let report = score(narrow, &path).unwrap();
        assert!(report.contains(": energy -1, "), "{report}");
        assert!(report.contains("in open space the same steps have energy 0;"), "{report}");
        let report = score(wide, &path).unwrap();
        assert!(report.contains(": energy 0, ") && !report.contains("open space"), "{report}");
    }
    // A torus of charges is what is meant.
    let report = score(SMALL, &file("charges", "RRRRRDRRRRR")).unwrap();
    assert!(!report.contains("open space"), "{report}");
}

#[test]
fn equal_seeds_give_equal_walks_and_every_thread_counts() {
    let walk = |threads: &str| {
        let options = [("nodes", "300"), ("threads", threads), ("prove", "false")];
        let answer = solve("L08_s03", &options).unwrap();
        (answer["r_nc"].as_i64().unwrap(), answer["walk"].to_string())
    };
    assert_eq!(walk("2"), walk("2"));
    assert!(walk("3").0 >= walk("1").0);
}

#[test]
fn an_hp_chain_has_its_energy() {
    let answer =
        solve("hp:HPHPPHHPHPPHPHHPPHPH", &[("nodes", "4000"), ("prove", "false")]).unwrap();
    assert_eq!(answer["energy"], -9);
}

#[test]
fn a_proof_is_written_and_holds_and_a_changed_one_does_not() {
    let path = file("proof", "");
    let options = [("nodes", "10000"), ("proof", path.as_str())];
    let answer = solve(SMALL, &options).unwrap();
    let report = score(SMALL, &path).unwrap();
    assert!(report.ends_with(&format!("no walk has R_nc above {}\n", answer["bound"])), "{report}");
    let mut changed = std::fs::read_to_string(&path).unwrap();
    changed.truncate(changed.trim_end().len() - 1);
    std::fs::write(&path, changed).unwrap();
    assert!(score(SMALL, &path).is_err());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_proof_that_cannot_be_written_is_refused_at_once() {
    let error_of = |input: &str| solve(input, &[("proof", "none.txt")]).unwrap_err();
    let unsuited = "proofs are only for tori of one layer whose sides are even and at least 4";
    for input in ["random?width=5&n=9", "random?width=2&n=9", "hp3d"] {
        assert_eq!(error_of(input), ToolError::Usage(format!("{input}: {unsuited}")));
    }
    let list = file("chains", "one HPHPPH\ntwo HPPHPPH\n");
    let two = "proof: a file holds the proof of one instance; expected one, found 2";
    assert_eq!(error_of(&list), ToolError::Usage(two.to_owned()));
    std::fs::remove_file(list).unwrap();
}

#[test]
fn without_time_for_a_proof_there_is_still_the_walk() {
    let path = file("late-proof", "");
    let options = [("nodes", "1"), ("proof", path.as_str())];
    let ToolError::Unfinished { done, problem } = solve(SMALL, &options).unwrap_err() else {
        panic!("expected a walk and no proof");
    };
    let answer: Value = serde_json::from_str(&done).unwrap();
    assert!(answer["walk"].is_string(), "{done}");
    assert!(problem.contains("its proof, which takes a second search, was not written"));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_chain_is_given_once_and_is_not_empty() {
    let error_of = |input: &str| solve(input, &[("nodes", "10")]).unwrap_err().to_string();
    assert!(error_of("hp?sequence=").contains("sequence is empty; expected a string of H and P"));
    let message = error_of("hp?name=S1-2&sequence=HPPH");
    assert!(message.contains("name=S1-2 and a sequence are both given; expected one of them"));
    assert!(error_of("hp?sequence=HPPH&width=5").contains("expected both from 1, or both 0"));
    let split = file("split", "HPHPHHPP HPHH\n");
    assert!(error_of(&split).contains("line 1: “HPHPHHPP” and “HPHH” are both of H and P"));
    std::fs::remove_file(split).unwrap();
}

#[test]
fn a_chain_after_cubic_is_laid_in_space() {
    let path = file("cubic", "cubic HPHPPH\n");
    let walk = file("in-space", "RFLBB");
    assert!(score(&path, &walk).unwrap_err().to_string().contains("monomer 5 at (0, 0, 0)"));
    for path in [path, walk] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn mistakes_in_the_request_are_explained() {
    let error_of =
        |input: &str, options: &[(&str, &str)]| solve(input, options).unwrap_err().to_string();
    assert!(error_of("L99", &[]).contains("is neither a file nor an instance"));
    assert_eq!(
        error_of(SMALL, &[("nodes", "0")]),
        "nodes=0: expected a whole number from 1 to 18446744073709551615"
    );
    let unread = score(SMALL, "no-such-walk").unwrap_err();
    assert_eq!(unread, ToolError::Usage("no-such-walk: there is no such file".to_owned()));
    let empty = file("empty", "");
    let nothing = score(SMALL, &empty).unwrap_err().to_string();
    assert!(nothing.contains("it is empty; expected steps RDLU…, coordinates or a proof"));
    std::fs::remove_file(empty).unwrap();
    assert!(error_of("hp:HPX", &[]).contains("position 3: “X”"));
    assert!(error_of(SMALL, &[("tim", "3")]).contains("did you mean “time”"));
    assert!(error_of(SMALL, &[("time", "soon")]).contains("time=soon: expected a time above 0"));
    assert!(error_of(SMALL, &[("player", "champoin")]).contains("did you mean “champion”"));
    let broken = file("broken", "8 8 1 0 2");
    assert!(error_of(&broken, &[]).contains("line 1, word 5: “2” is not a charge; expected"));
    let long = file("long", "1 3 1 1 1 1");
    assert!(error_of(&long, &[]).contains("impossible: a torus of 1×3 has 3 cells"));
    let walk = file("bad-walk", "RDLU");
    assert!(score("random?n=5", &walk).unwrap_err().to_string().contains("monomer 1 lies there"));
    for path in [broken, long, walk] {
        std::fs::remove_file(path).unwrap();
    }
}
