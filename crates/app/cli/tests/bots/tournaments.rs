//! Many matches of programs: tournaments with hostile ones, with ones that change meanwhile, and
//! comparisons.

use std::fs;
use std::process::Stdio;

use crate::place::{HELLO, Place, comes_true, examples, has, python, running};

/// Returns a tournament of programs with these players, seeds and scenario.
pub fn tournament(players: &[&str], seeds: usize, scenario: &str) -> String {
    let players: Vec<String> = players.iter().map(|player| format!("{player:?}")).collect();
    format!(
        "game = \"tron\"\nformat = \"versus\"\nscenarios = [\"{scenario}\"]\n\
         players = [{}]\nseeds = {seeds}\nbudget = \"move=300ms\"\n",
        players.join(", ")
    )
}

#[test]
fn a_tournament_with_hostile_programs_records_every_match() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    let mut file = String::new();
    let scripts = [
        ("exits", "sys.exit(3)"),
        ("sleeps", "for turn in turns(): time.sleep(1000)"),
        ("raves", "for turn in turns(): print('?', flush=True)"),
        (
            "hoards",
            "for turn in turns():\n    kept = []\n    while True: kept.append(bytearray(1 << 20))",
        ),
        ("crawls", "for turn in turns(): say({'type': 'action', 'action': turn['actions'][0]})"),
    ];
    for (name, script) in scripts {
        place.write(&format!("{name}.py"), &format!("{HELLO}{script}\n"));
        file += &format!(
            "[{name}]\ncommand = \"{} {name}.py\"\nlimits = {{ memory = \"100MB\", answer = \
             \"300ms\" }}\n",
            python()
        );
    }
    place.write("bots.toml", &file);
    let players = ["basic", "bot:exits", "bot:sleeps", "bot:raves", "bot:hoards", "bot:crawls"];
    place.write("hostile.toml", &tournament(&players, 1, "empty?width=7&height=7"));
    let options = ["--quiet", "--concurrency", "2", "--forfeit-unstarted"];
    place.says(&[&["tournament", "hostile.toml"], &options[..]].concat());
    let csv = place.says(&["export", "--tournament", "hostile"]);
    assert_eq!(csv.lines().count(), 1 + 2 * 15 * 2, "a row for each seat of 30 matches");
    for fault in ["crash", "timeout", "protocol", "memory"] {
        assert!(csv.contains(fault), "{fault} is told apart:\n{csv}");
    }
    place.says(&["verify"]);
    assert!(running(&place.path().display().to_string()).is_empty());
}

#[test]
fn a_program_whose_files_are_unusable_is_left_out_and_the_others_play() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    let act = "say({'type': 'action', 'action': turn['actions'][0]})";
    let script = format!("{HELLO}for turn in turns(): {act}\n");
    for name in ["one", "two"] {
        place.write(&format!("{name}.py"), &script);
    }
    let file = |memory: &str| {
        let command = |name: &str| format!("command = \"{} {name}.py\"\n", python());
        format!(
            "[one]\n{}limits = {{ memory = \"{memory}\" }}\n[two]\n{}[gone]\n{}folder = \"gone\"\n",
            command("one"),
            command("two"),
            command("gone"),
        )
    };
    place.write("bots.toml", &file("512MB"));
    let scenario = "empty?width=5&height=5";
    place.write("cup.toml", &tournament(&["bot:one", "bot:gone", "bot:two"], 1, scenario));
    let run = |arguments: &[&str]| place.run(arguments);
    let played = run(&["tournament", "cup.toml"]);
    let said = String::from_utf8_lossy(&played.stderr);
    assert_eq!(played.status.code(), Some(1), "{said}");
    assert!(said.contains("left out: bot:gone: folder "), "{said}");
    assert!(said.contains("one player was left out; fix that, then run"), "{said}");
    let standings = String::from_utf8_lossy(&played.stdout);
    assert!(standings.contains("2 matches played"), "{standings}");
    // Parts of a tournament must have the same players, and nobody plays alone.
    let refusal = |arguments: &[&str]| {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2));
        String::from_utf8(refused.stderr).unwrap()
    };
    let said = refusal(&["tournament", "cup.toml", "--shard", "1/2"]);
    assert!(said.contains("bot:gone: folder "), "{said}");
    place.write("few.toml", &tournament(&["bot:one", "bot:gone"], 1, scenario));
    let said = refusal(&["tournament", "few.toml"]);
    assert!(said.contains("bot:gone: folder ") && !said.contains("left out"), "{said}");
    // Programs that may take more memory than any machine has.
    place.write("bots.toml", &file("900000GB"));
    let game = ["--game", "tron", "--scenario", scenario];
    let options = ["--param", "table=100..1000", "--generations", "1", "--seeds", "1"];
    for arguments in [
        vec!["tournament", "cup.toml"],
        vec!["tournament", "cup.toml", "--dry-run"],
        vec!["match", "tron", "bot:one", "bot:one", "--scenario", scenario],
        [&["compare", "bot:one", "basic", "--matches", "2"], &game[..]].concat(),
        [&["tune", "alpha-beta", "--against", "bot:one"], &game[..], &options].concat(),
        [&["watch", "one", "--against", "basic", "--once", "--matches", "2"], &game[..]].concat(),
    ] {
        let said = String::from_utf8(run(&arguments).stderr).unwrap();
        assert!(said.contains("programs may take ") && said.contains("bots.toml"), "{said}");
    }
}

#[test]
fn a_run_without_a_player_leaves_the_standings_of_the_whole_one_as_they_are() {
    let place = Place::new();
    let bots = |folder: &str| format!("[one]\ncommand = \"cat\"\nfolder = \"{folder}\"\n");
    place.write("bots.toml", &bots("."));
    let file = tournament(&["bot:one", "basic", "random"], 1, "empty?width=5&height=5");
    place.write("cup.toml", &file);
    place.says(&["tournament", "cup.toml", "--forfeit-unstarted"]);
    let whole = place.says(&["standings", "cup"]);
    assert!(whole.contains("6 of 6 matches"), "{whole}");
    place.write("bots.toml", &bots("gone"));
    let partial = place.run(&["tournament", "cup.toml", "--forfeit-unstarted"]);
    let said = String::from_utf8_lossy(&partial.stderr);
    assert!(said.contains("for `quintain standings`, run 1 counts"), "{said}");
    assert!(said.contains("which still counts, because this run leaves out"), "{said}");
    let shown = String::from_utf8_lossy(&partial.stdout);
    assert!(shown.contains("cup (tron, versus, not all players): 2 of 2 matches"), "{shown}");
    assert_eq!(place.says(&["standings", "cup"]), whole);
    let list = place.says(&["store"]);
    assert!(
        list.contains("cup (tron, not all players), 2 of 2 matches\n      superseded by run 1")
    );
}

#[test]
fn matches_of_two_programs_leave_nothing_behind() {
    matches_leave_nothing_behind(50);
}

#[test]
#[ignore = "nightly: a thousand matches"]
fn a_thousand_matches_of_two_programs_leave_nothing_behind() {
    matches_leave_nothing_behind(1000);
}

fn matches_leave_nothing_behind(matches: usize) {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("bot.py", &fs::read_to_string(examples().join("bot.py")).unwrap());
    place.write(
        "bots.toml",
        &format!("[one]\ncommand = \"{0} bot.py\"\n[two]\ncommand = \"{0} bot.py 2\"\n", python()),
    );
    let file = tournament(&["bot:one", "bot:two"], matches / 2, "empty?width=6&height=6");
    place.write("many.toml", &file.replace("budget = \"move=300ms\"\n", ""));
    let scratch = place.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    let output = place
        .command(&["tournament", "many.toml", "--quiet", "--format", "json"])
        .env("TMPDIR", &scratch)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let csv = place.says(&["export", "--tournament", "many"]);
    assert_eq!(csv.lines().count(), 1 + 2 * matches);
    for fault in ["timeout", "protocol", "memory", "forfeit"] {
        assert!(!csv.contains(fault), "no match is lost by a {fault}");
    }
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "no scratch folder is left");
    assert!(running(&place.path().display().to_string()).is_empty(), "no process is left");
}

/// A tournament plays the files that it found when it began, and identifies them by their version.
#[test]
fn a_program_that_changes_during_a_tournament_plays_it_unchanged() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    // It ends with each match and is started again for the next.
    let script = "
for turn in turns():
    say({'type': 'action', 'action': turn['actions'][0]})
";
    place.write("bot.py", &format!("{HELLO}{script}").replace("\"bye\"", "\"end\""));
    place.write("bots.toml", &format!("[mine]\ncommand = \"{} bot.py\"\n", python()));
    let file = tournament(&["bot:mine", "basic"], 15, "empty?width=7&height=7");
    place.write("cup.toml", &file.replace("budget = \"move=300ms\"\n", ""));
    let mut arena = place
        .command(&["tournament", "cup.toml", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let marker = place.path().display().to_string();
    comes_true("the program runs", || running(&marker).len() >= 2);
    place.write("bot.py", "raise SystemExit(3)\n");
    assert!(arena.wait().unwrap().success());
    let csv = place.says(&["export", "--tournament", "cup"]);
    assert_eq!(csv.lines().count(), 1 + 2 * 30);
    assert!(!csv.contains("forfeit"), "all were played by the files of the beginning:\n{csv}");
    // The present files are another version, which has not played anything yet.
    place.says(&["tournament", "cup.toml", "--quiet", "--forfeit-unstarted"]);
    let csv = place.says(&["export", "--tournament", "cup"]);
    assert!(csv.contains("forfeit"), "{csv}");
}

#[test]
fn a_comparison_of_programs_draws_its_first_seed_and_stores_it() {
    let place = Place::new();
    place.write("bots.toml", "[gone]\ncommand = \"sh -c 'exit 3'\"\n");
    let compare = |player: &str, more: &[&str]| {
        let game = ["compare", player, "basic", "--game", "tron", "--scenario", "obstacles"];
        let options = ["--matches", "4", "--forfeit-unstarted"];
        let output = place.run(&[&game[..], &options, more].concat());
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let place = said.lines().find(|line| line.starts_with("Played on")).unwrap();
        let seed = place.split(" from ").nth(1).unwrap().split(' ').next().unwrap();
        (seed.parse::<u64>().unwrap(), place.contains(&format!("; --seed {seed} plays them again")))
    };
    assert_eq!(compare("random", &[]), (1, false));
    assert_eq!(compare("bot:gone", &["--seed", "5"]), (5, true));
    let (drawn, is_told) = compare("bot:gone", &["--store", "cup.sqlite"]);
    assert!(drawn > 1 << 20 && drawn < 1 << 53 && is_told, "{drawn}");
    assert_eq!(compare("bot:gone", &["--store", "cup.sqlite"]), (drawn, true));
    let (other, is_told) = compare("bot:gone", &[]);
    assert!(other != drawn && is_told);
}
