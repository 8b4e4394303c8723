//! `quintain climb`: scripted edits, good, bad and broken; each is kept only if matches allow it.

#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests of the same file need the rest")]
mod common {
    pub mod place;
}

use std::fs;
use std::process::Output;

use common::place::Place;

/// A program for tron in Python. `CHOOSE` chooses among the directions that lead to a free cell.
const PLAYER: &str = r#"
import json, sys
STEPS = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="ready", protocol=2, name="mine", games=["tron"])
    elif message["type"] == "start":
        seed, seat = message["seed"], message["seat"]
    elif message["type"] == "turn":
        board = message["observation"]["board"]
        row, column = message["observation"]["heads"][seat]
        free = [way for way, (down, right) in STEPS.items()
                if board[row + down][column + right] == " "]
        turn = message["turn"]
        action = CHOOSE
        say(type="action", action=action)
"#;

/// Straight into a wall; where there is room; and the latter except in this many matches of twenty.
const BAD: &str = "\"U\"";
const GOOD: &str = "(free or [\"U\"])[0]";

fn careless(of_twenty: usize) -> String {
    format!("\"U\" if seed % 20 < {of_twenty} else {GOOD}")
}

fn program(choose: &str) -> String {
    PLAYER.trim_start().replace("CHOOSE", choose)
}

/// A folder with a program called mine, and a script that makes the edits in turn: each round's
/// file becomes the program.
fn set_up(first: &str, edits: &[&str]) -> Place {
    let place = Place::new();
    fs::create_dir(place.path().join("mine")).unwrap();
    place.write("mine/bot.py", &program(first));
    let entry = "[mine]\ncommand = \"python3 bot.py\"\nfolder = \"mine\"\n\
                 build = \"python3 -m py_compile bot.py\"\n";
    place.write("bots.toml", entry);
    for (number, edit) in edits.iter().enumerate() {
        place.write(&format!("edit-{}.py", number + 1), &program(edit));
    }
    // It counts its calls, and reads what it is told.
    let script = "grep -q 'make mine stronger at tron' || exit 7\n\
                  round=$(basename $(dirname \"$QUINTAIN_BRIEF\"))\n\
                  echo $round >> \"$1/asked\"\n\
                  cp \"$1/edit-$round.py\" bot.py\n";
    place.write("edit.sh", script);
    place
}

fn climb(place: &Place, more: &[&str]) -> Output {
    let by = format!("sh {0}/edit.sh {0}", place.path().display());
    let arguments = ["climb", "mine", "--by", &by, "--against", "tron:hackerrank?opening=4/basic"];
    // Where a full sandbox is not available, it is not what is tested here.
    place.run(&[&arguments[..], &["--sandbox", "basic"], more].concat())
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn good_edits_are_kept_bad_and_broken_ones_rejected_and_nothing_is_asked_twice() {
    let place = set_up(BAD, &[GOOD, BAD, "free[0", GOOD]);
    let same = ["--rounds", "4", "--matches", "60"];
    let output = climb(&place, &["--rounds", "2", "--matches", "60"]);
    let (told, complained) = said(&output);
    assert!(output.status.success(), "{told}{complained}");
    assert!(complained.contains("round 1: kept, better: "), "{complained}");
    assert!(complained.contains("round 2: rejected: worse than the best so far"), "{complained}");
    assert!(told.contains("is better than the program as it was: "), "{told}");
    assert!(told.contains("Kept 1 of 2 edits."), "{told}");

    // More rounds go on from there, and the same command asks for nothing.
    let output = climb(&place, &same);
    let (told, complained) = said(&output);
    assert!(output.status.success(), "{told}{complained}");
    let broken = complained.lines().find(|line| line.contains("round 3: ")).unwrap();
    assert!(broken.contains("rejected: the build failed: python3 -m py_compile"), "{broken}");
    assert!(broken.contains("SyntaxError"), "{broken}");
    assert!(complained.contains("round 4: rejected: nothing was changed"), "{complained}");
    let (again, _) = said(&climb(&place, &same));
    assert_eq!(again, told);
    let asked = fs::read_to_string(place.path().join("asked")).unwrap();
    assert_eq!(asked, "1\n2\n3\n4\n");

    // The brief tells of matches that were lost, and the program itself is as it was.
    let brief = place.path().join(".quintain-climbs/mine/rounds/1/brief.md");
    let brief = fs::read_to_string(brief).unwrap();
    for part in
        ["## How it does", "## Matches that it lost: 3", "After turn ", "Actions by turn: 1: "]
    {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    let own = fs::read_to_string(place.path().join("mine/bot.py")).unwrap();
    assert_eq!(own, program(BAD));
    let files = told.lines().find_map(|line| line.strip_prefix("its files: ")).unwrap();
    assert_eq!(fs::read_to_string(format!("{files}/bot.py")).unwrap(), program(GOOD));
}

#[test]
fn losses_too_small_to_be_seen_cannot_add_up_past_the_anchor() {
    let edits = [careless(6), careless(12), careless(18)];
    let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
    let place = set_up(GOOD, &edits);
    // With so large a difference that matters, each step alone is no difference.
    let output = climb(&place, &["--rounds", "3", "--matches", "200", "--delta", "400"]);
    let (told, complained) = said(&output);
    assert!(output.status.success(), "{told}{complained}");
    assert!(complained.contains("round 1: kept: no difference, "), "{complained}");
    assert!(complained.contains("rejected: small losses have added up: worse than the anchor "));
}

#[test]
fn wrong_settings_of_a_climb_are_refused_in_one_line() {
    let place = set_up(GOOD, &[GOOD]);
    let arguments = |by: &'static str, against: &'static str| {
        [
            "climb",
            "mine",
            "--sandbox",
            "basic",
            "--rounds",
            "1",
            "-m",
            "8",
            "--by",
            by,
            "--against",
            against,
        ]
    };
    for (by, against, status, problem) in [
        ("true", "tron/bot:mine", 2, "the opponents of a climb are built in"),
        (" ", "tron/basic", 2, "--by: expected a command"),
        ("echo no idea; exit 3", "tron/basic", 1, "exit status: 3: no idea (all of its answer: "),
        ("true", "basic", 2, "--against"),
    ] {
        let output = place.run(&arguments(by, against));
        let (told, complained) = said(&output);
        assert_eq!(output.status.code(), Some(status), "{by}: {told}{complained}");
        let errors: Vec<&str> =
            complained.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && complained.contains(problem), "{by}: {complained}");
    }
    // With other settings it is another climb.
    let mut other = arguments("true", "tron/basic").to_vec();
    other.extend(["--seed", "7"]);
    let (_, complained) = said(&place.run(&other));
    assert!(complained.contains("is of another climb: seed was 1, and is 7 now"), "{complained}");
}
