//! `quintain tests series`: the commits of a small program in a real repository, one of which plays
//! badly.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

#[path = "common/place.rs"]
#[allow(dead_code, reason = "every test program uses a part of it")]
mod common;

use common::Place;

/// Where what was proposed is.
const QUEUE: &str = "in the queue of quintain.sqlite; `quintain tests run` plays it\n";

/// A program that plays the first action that is offered, or `action`.
fn source(comment: &str, action: &str) -> String {
    format!(
        r#"# {comment}
while read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{{"type":"ready","name":"mine","games":["tron"],"protocol":2}}' ;;
    *'"type":"turn"'*)
      first=${{line#*'"actions":["'}}
      first=${{first%%'"'*}}
      echo "{{\"type\":\"action\",\"action\":\"{action}\"}}" ;;
    *'"type":"bye"'*) exit ;;
  esac
done
"#
    )
}

/// A repository with a program in its folder `mine`, and a store.
struct Repository(Place);

impl Repository {
    /// Makes one, if there is git to test with.
    fn new() -> Option<Repository> {
        if Command::new("git").arg("--version").output().is_err() {
            eprintln!("skipped: there is no git");
            return None;
        }
        let repository = Repository(Place::new());
        let entry =
            "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\nbuild = \"test ! -e broken\"\n";
        repository.0.write("bots.toml", entry);
        std::fs::create_dir(repository.0.path().join("mine")).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        Some(repository)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(self.0.path()).args(settings).args(arguments);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Commits a file; returns the beginning of the commit's hash.
    fn commit(&self, file: &str, text: &str, title: &str) -> String {
        self.0.write(file, text);
        self.git(&["add", file]);
        self.git(&["commit", "--quiet", "--message", title]);
        self.git(&["rev-parse", "--short", "HEAD"])
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(&["--sandbox", "basic"]);
        command.args(arguments);
        command
    }

    fn says(&self, arguments: &[&str]) -> String {
        self.0.says(&[&["--sandbox", "basic"], arguments].concat())
    }

    fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn the_commit_at_which_a_program_fell_is_named_though_the_process_is_killed() {
    let Some(place) = Repository::new() else { return };
    let mut commits = Vec::new();
    for number in 0..11 {
        let title = format!("change {number}");
        commits.push(match number {
            // It builds again with the next commit.
            3 => place.commit("mine/broken", "", &title),
            4 => {
                place.git(&["rm", "--quiet", "mine/broken"]);
                place.commit("mine/bot.sh", &source(&title, "$first"), &title)
            }
            6 => place.commit("mine/bot.sh", &source(&title, "nowhere"), &title),
            8 => place.commit("mine/README.md", "It plays.", &title),
            9 => place.commit("mine/bot.sh", "exit 3", &title),
            _ => place.commit("mine/bot.sh", &source(&title, "$first"), &title),
        });
    }
    let add = "tests series add mine --game tron --delta 100 -m 200 --who ann";
    let add: Vec<&str> = add.split(' ').collect();
    let added = place.says(&add);
    assert!(added.contains(&format!("{} change 3 (does not build)\n", commits[3])), "{added}");
    assert!(added.contains(&format!("{} change 8 (the same files)\n", commits[8])), "{added}");
    assert!(added.contains(&format!("{} change 9 (does not start)\n", commits[9])), "{added}");
    assert!(added.ends_with(&format!("series mine: 7 tests proposed\n{QUEUE}")), "{added}");
    let before = place.says(&["tests", "series"]);
    assert!(before.contains("7 tests are open") && !before.contains("fell"), "{before}");

    // Where nobody can be reached, or the programs are missing, no test leaves the queue.
    let queue = place.says(&["tests"]);
    #[cfg(feature = "fleet")]
    {
        let on = ["tests", "run", "--on", "nats://127.0.0.1:1"];
        let output = place.command(&on).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(place.says(&["tests"]), queue);
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let store = place.0.path().join("quintain.sqlite");
    let mut run = place.command(&["tests", "run", "--quiet", "--store"]);
    let output = run.arg(store).current_dir(elsewhere.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("7 tests could not be played here, and stay in the queue"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    assert!(place.says(&["tests", "series"]).contains("7 tests are open"));

    let mut run = place.command(&["tests", "run", "--quiet", "--threads", "1"]);
    let mut run = run.stdout(Stdio::piped()).spawn().unwrap();
    let mut answer = String::new();
    BufReader::new(run.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("test 1: "), "{answer}");
    run.kill().unwrap();
    run.wait().unwrap();
    let rest = place.says(&["tests", "run", "--quiet"]);
    assert!(rest.ends_with("6 tests answered; the queue is empty\n"), "{rest}");
    for named in [
        format!("mine@git:{} forfeited every match", commits[6]),
        format!("mine@git:{} and mine@git:{}: no difference", commits[2], commits[1]),
    ] {
        assert!(rest.contains(&named), "answers name commits: {rest}");
    }

    let shown = place.says(&["tests", "series", "list", "mine"]);
    let fell = format!("It fell at {} “change 6”, of ", commits[6]);
    assert!(shown.contains(&fell), "{shown}{rest}");
    assert!(shown.contains(&format!("worse than {}.", commits[5])), "{shown}");
    assert_eq!(shown.matches("It fell").count(), 1, "{shown}");
    let json = place.says(&["tests", "series", "list", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let versions = json[0]["versions"].as_array().unwrap();
    let verdicts: Vec<&str> = versions
        .iter()
        .map(|version| match version["step"]["report"]["verdict"].as_str() {
            // Which of both, the seeds decide.
            Some("no difference") => "equal",
            verdict => verdict.unwrap_or("–"),
        })
        .collect();
    let expected =
        ["–", "equal", "equal", "–", "equal", "equal", "worse", "better", "–", "–", "equal"];
    assert_eq!(verdicts, expected);
    assert_eq!(versions[10]["commits"], 2, "the one that does not start, and its own");
    assert_eq!(versions[4]["commits"], 2, "the one that does not build, and its own");

    // Weeks later.
    assert_eq!(
        place.says(&["tests", "series", "more", "mine"]),
        "series mine has all its commits\n"
    );
    let next = place.commit("mine/bot.sh", &source("next", "$first"), "next");
    let more = place.says(&["tests", "series", "more", "mine"]);
    assert_eq!(more, format!("{next} next\nseries mine: 1 test proposed\n{QUEUE}"));
    assert!(place.refuses(&add).contains("there is a series mine already"));
    place.says(&["tests", "series", "forget", "mine"]);
    assert!(
        place.refuses(&["tests", "series", "more", "mine"]).contains("there is no series mine")
    );
}

#[test]
fn every_third_commit_is_compared_and_an_anchor_with_each() {
    let Some(place) = Repository::new() else { return };
    let commits: Vec<String> = (0..8)
        .map(|number| {
            let title = format!("change {number}");
            place.commit("mine/bot.sh", &source(&title, "$first"), &title)
        })
        .collect();
    let add = ["tests", "series", "add", "bot:mine", "--game", "tron", "--name", "weeks"];
    let options = ["--every", "3", "--since", &commits[1], "--against", "wall-hugger", "-m", "20"];
    let added = place.says(&[&add[..], &options].concat());
    assert_eq!(
        added,
        format!(
            "{} change 1\n{} change 4\n{} change 7\nseries weeks: 5 tests proposed\n{QUEUE}",
            commits[1], commits[4], commits[7]
        )
    );
    let listed = place.says(&["tests", "list"]);
    assert!(listed.contains(&format!("mine {} “change 1” against its anchor on", commits[1])));
    assert!(listed.contains(&format!("“change 7” against {} on", commits[4])), "{listed}");
    for (arguments, why) in [
        (&["mine@git:HEAD"][..], "name the program alone"),
        (&["yours"], "yours"),
        (&["mine", "--name", "a/b"], "is no name of a series"),
        (&["mine", "--since", "nowhere"], "there is no revision “nowhere”"),
        (&["mine", "--since", "HEAD"], "there is nothing to compare"),
        (&["mine", "--against", "exec:sh x"], "the queue takes no commands"),
    ] {
        let arguments = [&["tests", "series", "add"], arguments, &["--game", "tron"]].concat();
        let said = place.refuses(&arguments);
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
}

#[test]
fn standings_call_commits_by_their_hashes_and_say_what_they_are_about() {
    let Some(place) = Repository::new() else { return };
    let [old, new] = ["old way", "new way"]
        .map(|title| place.commit("mine/bot.sh", &source(title, "$first"), title));
    place.0.write(
        "cup.toml",
        "name = \"cup\"\ngame = \"tron\"\nscenarios = [\"empty?width=7&height=7\"]\nseeds = 1\n\
         players = [\"bot:mine@git:HEAD\", \"bot:mine@git:HEAD~1\"]\n",
    );
    place.says(&["tournament", "cup.toml", "--quiet"]);
    for format in ["table", "md"] {
        let shown = place.says(&["standings", "cup", "--format", format]);
        let table = shown.split("is bot:").next().unwrap();
        assert!(!table.contains("bot:mine@"), "{shown}");
        for (commit, title) in [(&old, "old way"), (&new, "new way")] {
            assert!(
                shown.contains(&format!("mine@git:{commit} “{title}” is bot:mine@")),
                "{shown}"
            );
        }
    }
    let csv = place.says(&["standings", "cup", "--format", "csv"]);
    assert!(csv.contains("bot:mine@") && !csv.contains("@git:"), "{csv}");
}
