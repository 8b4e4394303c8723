//! `quintain climb`: scripted edits, good, bad and broken; each is kept only if matches allow it.

#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests of the same file need the rest")]
mod common {
    pub mod place;
}
#[cfg(feature = "remote")]
#[allow(dead_code, reason = "services need more of it than models do")]
#[path = "../../../programs/remote/tests/remote/server.rs"]
mod server;

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
fn an_edit_is_asked_for_once_and_told_to_the_next_editor_even_if_its_check_was_interrupted() {
    let place = set_up(GOOD, &["free[0", GOOD]);
    let rounds = |count: &str| climb(&place, &["--rounds", count, "--matches", "8"]);
    let (told, complained) = said(&rounds("1"));
    assert!(complained.contains("round 1: rejected: the build failed"), "{complained}");
    // As if the climb had been killed after the editor was done, and before the check was.
    let record = place.path().join(".quintain-climbs/mine/climb.jsonl");
    let lines = fs::read_to_string(&record).unwrap();
    fs::write(&record, lines.lines().next().unwrap().to_owned() + "\n").unwrap();
    let (again, _) = said(&rounds("1"));
    assert_eq!(again, told);
    let asked = || fs::read_to_string(place.path().join("asked")).unwrap();
    assert_eq!(asked(), "1\n");

    rounds("2");
    assert_eq!(asked(), "1\n2\n");
    let brief = place.path().join(".quintain-climbs/mine/rounds/2/brief.md");
    let brief = fs::read_to_string(brief).unwrap();
    for part in [
        "- round 1: rejected: the build failed",
        "what was changed:\n\n  ```\n  bot.py, from line 17: 1 line out, 1 in\n",
        "+         action = free[0",
        "what was said:\n\n  ```\n",
        "SyntaxError",
    ] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
}

/// What a model answers that does not always say what is wanted: round by round, and try by try.
#[cfg(feature = "remote")]
fn edit(request: &server::Request) -> server::Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let words = messages[1]["content"].as_str().unwrap();
    let round = words.split("# Round ").nth(1).unwrap().split(':').next().unwrap();
    let whole = program(GOOD);
    let (text, reason) = match (round, messages.len()) {
        ("1", _) => ("Sorry, I can't help with that.".to_owned(), "stop"),
        ("2", 2) => (format!("```bot.py\n{}", &whole[..200]), "length"),
        ("2", 4) => ("```../../evil.py\nx = 1\n```".to_owned(), "stop"),
        ("2", _) => (format!("Here it is.\n\n**bot.py**\n\n```python\n{whole}```\n"), "stop"),
        _ => (format!("```/evil.py\n{whole}```"), "stop"),
    };
    let choices = serde_json::json!([{ "message": { "content": text }, "finish_reason": reason }]);
    server::Reply::new("200 OK", serde_json::json!({ "choices": choices }).to_string())
}

#[cfg(feature = "remote")]
#[test]
fn a_model_whose_answers_are_of_no_use_is_told_so_and_the_climb_goes_on() {
    let server = server::Server::start(true, |request, _| Some(edit(request)));
    let place = set_up(BAD, &[]);
    let entry = "[mine]\ncommand = \"python3 bot.py\"\nfolder = \"mine\"\n";
    let model = format!("[ed]\nmodel = \"m\"\nurl = \"{}\"\n", server.address);
    place.write("bots.toml", &(entry.to_owned() + &model));
    let climb = || {
        place.run(&[
            "climb",
            "mine",
            "--by",
            "chat:ed",
            "--against",
            "tron:hackerrank?opening=4/basic",
            "--sandbox",
            "basic",
            "--rounds",
            "3",
            "--matches",
            "60",
        ])
    };
    let output = climb();
    let (told, complained) = said(&output);
    assert!(output.status.success(), "{told}{complained}");
    for part in [
        "round 1: rejected: chat:ed: its answer has no file: expected a block such as ```bot.py \
         (after 2 retries)",
        "round 2: kept, better: ",
        "round 3: rejected: chat:ed: it names a file outside the program's folder: /evil.py",
    ] {
        assert!(told.contains(part), "{part}: {told}{complained}");
    }
    assert_eq!(server.count(), 9);
    let requests = server.requests.lock().unwrap();
    let last = requests[5].body["messages"].to_string();
    for part in
        ["the answer was cut off; raise max_tokens", "../../evil.py. Answer with every file"]
    {
        assert!(last.contains(part), "{part}: {last}");
    }
    drop(requests);
    assert_eq!(said(&climb()).0, told);
    assert_eq!(server.count(), 9, "nothing is asked twice");
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
        ("false", "tron/basic", 1, "--by false: exit status: 1, and it said nothing"),
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
