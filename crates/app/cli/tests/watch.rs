//! `quintain watch`: every save is built, checked, kept and compared. Nothing sleeps: the tests
//! follow a live watch by its output.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Returns a shell program that plays the offered action at this place, from 1.
fn source(place: usize) -> String {
    let bot =
        include_str!("../../../programs/languages/starters/sh/bot.sh").replace("NAME", "mine");
    let bot = bot.replace("GAME", "tron");
    format!("# plays action {place}\n{bot}")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
    // Where a full sandbox is not available, it is not what is tested here.
    command.args(["--sandbox", "basic"]).args(arguments);
    command
}

fn quintain(folder: &Path, arguments: &[&str]) -> (String, String, Option<i32>) {
    let Output { status, stdout, stderr } = command(folder, arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(stdout), text(stderr), status.code())
}

/// Makes a folder with a program called mine, whose folder holds `bot.sh`.
fn folder(entry: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(place.path().join("mine/bot.sh"), source(1)).unwrap();
    fs::write(place.path().join("bots.toml"), format!("[mine]\nfolder = \"mine\"\n{entry}"))
        .unwrap();
    place
}

const WATCH: [&str; 7] = ["watch", "mine", "--against", "tron/basic", "random", "-m", "12"];

#[test]
fn a_version_is_compared_with_the_best_one_and_with_the_field_and_stays_a_player() {
    let place = folder("command = \"sh bot.sh\"\n");
    let once = [&WATCH[..], &["--once"]].concat();
    let (first, complained, status) = quintain(place.path(), &once);
    assert_eq!(status, Some(0), "{complained}");
    let player = first.split_whitespace().next().unwrap().to_owned();
    assert!(player.starts_with("bot:mine@"), "{first}");
    assert!(first.contains("basic") && first.contains("random"), "{first}");
    assert!(first.contains("a move took"), "{first}");
    assert!(!first.contains("the best version"), "{first}");
    let replay = first.lines().find_map(|line| line.strip_prefix("worst: quintain ")).unwrap();
    let replay: Vec<&str> = replay.split_whitespace().take_while(|word| *word != "#").collect();
    let (_, complained, status) = quintain(place.path(), &replay);
    assert_eq!(status, Some(0), "{complained}");

    fs::write(place.path().join("mine/bot.sh"), source(2)).unwrap();
    let (second, complained, status) = quintain(place.path(), &once);
    assert_eq!(status, Some(0), "{complained}");
    assert!(second.contains(&format!("the best version so far is {player}\n")), "{second}");
    assert_ne!(second.split_whitespace().next().unwrap(), player);

    // By the first digits of its hash, in any verb.
    let short = &player[..player.len() - 3];
    let (record, complained, status) =
        quintain(place.path(), &["match", "tron", short, "bot:mine", "--json"]);
    assert_eq!(status, Some(0), "{complained}");
    assert!(record.contains(&format!("\"seats\":[\"{player}\",\"bot:mine\"]")), "{record}");
    let (listed, ..) = quintain(place.path(), &["bot", "list"]);
    assert!(listed.contains("versions kept: "), "{listed}");

    let (shown, complained, status) = quintain(place.path(), &["bot", "history", "mine"]);
    assert_eq!(status, Some(0), "{complained}");
    assert!(shown.starts_with("tron: 2 versions of mine\n"), "{shown}");
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains(" just now ")).collect();
    let hash = player.trim_start_matches("bot:mine@");
    assert!(rows[0].starts_with(hash) && rows[0].contains("basic"), "{shown}");
    assert!(rows[1].contains("now") && !rows[1].contains(hash), "{shown}");
    assert!(shown.contains(" random ") && shown.contains(&player), "{shown}");
    let commands = shown.lines().filter_map(|line| line.strip_prefix("  quintain "));
    let commands: Vec<Vec<&str>> = commands
        .map(|line| line.split_whitespace().take_while(|word| *word != "#").collect())
        .collect();
    assert!(!commands.is_empty(), "{shown}");
    for replay in commands {
        assert_eq!(quintain(place.path(), &replay).2, Some(0), "{replay:?}");
    }
}

#[test]
fn a_program_without_matches_has_no_history_and_is_told_how_to_play_some() {
    let place = folder("command = \"sh bot.sh\"\n");
    let history = ["bot", "history", "mine"];
    let (_, complained, status) = quintain(place.path(), &history);
    assert_eq!(status, Some(2));
    assert!(complained.contains("there is no store quintain.sqlite; quintain watch mine"));
    let kept = ["match", "tron", "basic", "random", "--store", "quintain.sqlite"];
    assert_eq!(quintain(place.path(), &kept).2, Some(0));
    let (_, complained, status) = quintain(place.path(), &history);
    assert_eq!(status, Some(2));
    assert!(complained.contains("quintain.sqlite has no match of bot:mine; "), "{complained}");
}

#[test]
fn after_a_regression_a_version_is_compared_with_the_best_one_and_not_with_the_last_save() {
    let place = folder("command = \"sh bot.sh\"\n");
    let arguments = ["watch", "mine", "--against", "tron:tronv2/basic", "-m", "200", "--once"];
    let trial = |text: &str| {
        fs::write(place.path().join("mine/bot.sh"), text).unwrap();
        let (told, complained, status) = quintain(place.path(), &arguments);
        assert_eq!(status, Some(0), "{complained}");
        // Where nobody sees a bar, lines report the progress.
        assert!(complained.contains("playing up to 20 matches each against "), "{complained}");
        told
    };
    let good = trial(&source(1));
    let best = good.split_whitespace().next().unwrap();
    // It fails only in the comparison: a program that failed its check would not be kept.
    let fails = |note: &str| {
        let here = "case $line in *'\"scenario\":\"tronv2\"'*) exit 3 ;; esac\n";
        let begin = "while IFS= read -r line; do\n";
        let text = source(1).replacen(begin, &format!("{begin}{here}"), 1);
        assert_ne!(text, source(1));
        format!("# {note}\n{text}")
    };
    for note in ["a regression", "repaired, as far as one thinks"] {
        let told = trial(&fails(note));
        assert!(told.contains(&format!("the best version so far is {best}\n")), "{told}");
        let worse =
            format!("It is worse than the best version so far, {best}, whose files are in ");
        assert!(told.contains(&worse), "{told}");
        assert!(told.contains("It forfeited: ") && told.contains(" crashes."), "{told}");
    }
    let back = trial(&source(1));
    assert!(back.contains("it is the best version so far\n"), "{back}");
}

/// Returns the matches that a trial names as the worst, by the first digits of their ids.
fn worst(told: &str) -> Vec<String> {
    let ids = told.split("quintain replay ").skip(1);
    ids.map(|rest| rest.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn a_trial_lists_its_worst_matches_and_how_many_more_would_tell() {
    let place = folder("command = \"sh bot.sh\"\n");
    let trial = |place: &Path, scenario: &str, seed: &str| {
        let given = ["--scenario", scenario, "--seed", seed, "--once"];
        let (told, complained, status) = quintain(place, &[&WATCH[..], &given].concat());
        assert_eq!(status, Some(0), "{complained}");
        told
    };
    let elsewhere = trial(place.path(), "tronv2", "1");
    assert_eq!(worst(&elsewhere).len(), 3, "{elsewhere}");
    // The same version, under the same name in the same store, on another board and with other
    // seeds.
    for (scenario, seed) in [("hackerrank", "1"), ("tronv2", "100")] {
        let here = worst(&trial(place.path(), scenario, seed));
        assert_eq!(here.len(), 3);
        assert!(here.iter().all(|id| !elsewhere.contains(id)), "{here:?}\n{elsewhere}");
    }
    // Matches that were in the store before and count now belong to this trial.
    assert_eq!(worst(&trial(place.path(), "tronv2", "1")), worst(&elsewhere));
    let few = [&WATCH[..5], &["-m", "2", "--once"]].concat();
    let (told, ..) = quintain(place.path(), &few);
    assert!(told.contains("the 2 matches that --matches allows are used up; "), "{told}");
    assert!(told.trim_end().contains("--matches "), "{told}");
}

#[test]
fn broken_builds_and_players_are_reported_and_not_kept() {
    let place = folder("command = \"sh bot.sh\"\nbuild = \"echo line 7: what?; exit 1\"\n");
    let once = [&WATCH[..], &["--once"]].concat();
    let (said, complained, status) = quintain(place.path(), &once);
    assert_eq!(status, Some(1));
    assert!(said.contains("the build failed: echo line 7"), "{said}");
    assert!(said.contains("  | line 7: what?\n"), "{said}");
    assert_eq!(complained, "error: mine is not ready to play\n");

    let place = folder("command = \"sh bot.sh\"\n");
    fs::write(place.path().join("mine/bot.sh"), "echo hello\n").unwrap();
    let (said, _, status) = quintain(place.path(), &once);
    assert_eq!(status, Some(1));
    assert!(said.contains("BAD  hello: "), "{said}");
    assert!(!place.path().join(".quintain-versions").exists());
}

/// A running watch, and the lines that it prints.
struct Live {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Live {
    fn start(folder: &Path) -> Live {
        let mut child = command(folder, &WATCH).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Live { child, lines }
    }

    /// Returns everything printed until it waits for the next save.
    fn read_until_it_waits(&mut self) -> String {
        let mut said = String::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            if line.starts_with("waiting for the next save") {
                return said;
            }
            said += &(line + "\n");
        }
        panic!("it ended: {said}");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_save_is_built_and_tried_and_a_broken_one_ends_nothing() {
    // What is built is also a file in the folder.
    let place = folder("command = \"sh built.sh\"\nbuild = \"cp bot.sh built.sh\"\n");
    let mut live = Live::start(place.path());
    let first = live.read_until_it_waits();
    assert!(first.contains(", built in "), "{first}");
    // Written at once, as editors do: half-written files would be tried too.
    let save = |text: &str| {
        let [part, whole] = ["mine/.part", "mine/bot.sh"].map(|name| place.path().join(name));
        fs::write(&part, text).unwrap();
        fs::rename(part, whole).unwrap();
    };
    save("echo hello\n");
    let broken = live.read_until_it_waits();
    assert!(broken.contains("is not ready to play"), "{broken}");
    save(&source(2));
    let second = live.read_until_it_waits();
    let player = first.split_whitespace().next().unwrap();
    assert!(second.contains(&format!("the best version so far is {player}\n")), "{second}");
}

#[test]
fn the_scenario_may_follow_the_game() {
    let place = folder("command = \"sh bot.sh\"\n");
    let watch = ["watch", "mine", "--against", "tron:tronv2/basic", "-m", "12", "--once"];
    let (told, complained, status) = quintain(place.path(), &watch);
    assert_eq!(status, Some(0), "{complained}");
    assert!(told.contains(" on tron:tronv2, checked"), "{told}");
    let (first, rest) = (["watch", "mine", "--against", "tron/basic"], ["-m", "12", "--once"]);
    let named = [&first[..], &["--scenario", "tron:obstacles"], &rest].concat();
    let (told, complained, _) = quintain(place.path(), &named);
    assert!(told.contains(" on tron:obstacles, checked"), "{told}{complained}");
    let twice = [&watch[..], &["--scenario", "empty"]].concat();
    let (_, complained, status) = quintain(place.path(), &twice);
    assert_eq!(status, Some(2));
    assert!(complained.contains("two scenarios are given: tronv2"), "{complained}");
}

#[test]
fn unknown_files_are_refused_with_those_that_exist() {
    let place = folder("command = \"sh bot.sh\"\n");
    let opens = format!("cat /nowhere/weights.txt || exit 1\n{}", source(1));
    fs::write(place.path().join("mine/bot.sh"), opens).unwrap();
    let (_, complained, status) = quintain(place.path(), &["match", "tron", "bot:mine", "basic"]);
    assert_eq!(status, Some(2));
    assert!(complained.contains("bot:mine never starts: "), "{complained}");
    assert!(complained.contains("quintain bot check bot:mine"), "{complained}");
    let (told, _, status) = quintain(place.path(), &["bot", "check", "bot:mine"]);
    assert_eq!(status, Some(1));
    assert!(told.contains("     files: a program may read its own folder"), "{told}");
    // Without such an end, files are not mentioned.
    let ends = format!("exit 1\n{}", source(1));
    fs::write(place.path().join("mine/bot.sh"), ends).unwrap();
    let (told, _, _) = quintain(place.path(), &["bot", "check", "bot:mine"]);
    assert!(!told.contains("files: "), "{told}");
}

#[test]
fn tuning_a_program_is_refused_with_an_alternative() {
    let place = folder("command = \"sh bot.sh\"\n");
    let tune = ["tune", "bot:mine", "--game", "tron", "--param", "x"];
    let (_, complained, status) = quintain(place.path(), &tune);
    assert_eq!(status, Some(2));
    assert!(complained.contains("bot:mine has no parameters"), "{complained}");
    assert!(complained.contains("quintain players tron"), "{complained}");
    assert!(complained.contains("quintain compare"), "{complained}");
}

#[test]
fn a_crash_in_a_check_names_its_turn_and_the_commands_that_show_it() {
    let place = folder("command = \"sh bot.sh\"\n");
    let choice = "action=$(actions | choose)";
    let crashes = source(1).replace(choice, &format!("[ $turn = 1 ] && exit 3\n{choice}"));
    fs::write(place.path().join("mine/bot.sh"), crashes).unwrap();
    let once = [&WATCH[..], &["--once"]].concat();
    for arguments in [&["bot", "check", "bot:mine", "--seed", "7"][..], &once] {
        let (told, _, status) = quintain(place.path(), arguments);
        assert_eq!(status, Some(1));
        let seed = if arguments == once { 1 } else { 7 };
        assert!(told.contains(&format!("     on turn 1, seed {seed}; to see it again")), "{told}");
        let mut commands = told.lines().filter_map(|line| line.strip_prefix("       quintain "));
        for code in [0, 1] {
            let words = shlex::split(commands.next().unwrap()).unwrap();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (shown, complained, status) = quintain(place.path(), &words);
            assert_eq!(status, Some(code), "{words:?}: {shown}{complained}");
            assert_eq!(complained.contains("bot:mine fails on turn 1"), code == 1, "{complained}");
        }
    }
}

#[test]
fn debugging_in_another_seat_names_its_owner() {
    let place = folder("command = \"sh bot.sh\"\n");
    let played = ["match", "tron", "basic", "bot:mine", "--save", "m.json"];
    assert_eq!(quintain(place.path(), &played).2, Some(0));
    let debug = ["bot", "debug", "mine", "--record", "m.json", "--turn", "0", "--seat"];
    let in_seat = |seat: &str| quintain(place.path(), &[&debug[..], &[seat]].concat()).0;
    let (own, other) = (in_seat("1"), in_seat("0"));
    assert!(own.contains("; bot:mine has seat 1\n"), "{own}");
    assert!(own.contains("; in the match it played "), "{own}");
    assert!(other.contains("; bot:mine is asked in seat 0, which basic had\n"), "{other}");
    assert!(other.contains("; in the match basic played "), "{other}");
}
