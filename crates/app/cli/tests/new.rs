//! `quintain new` from an empty folder to a rank in a tournament, and the programs in it on the
//! command line. Every language is tested in `quintain-bots` and `quintain-wasm`.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use quintain_arena::Tournament;

/// Runs the command in a folder of its own.
fn quintain(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
    // Where a full sandbox is not available, it is not what is tested here.
    command.args(["--sandbox", "basic"]).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = quintain(folder, arguments);
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{said}{complained}");
    said
}

/// Runs a step as it is printed, in a shell that finds the command.
fn follow(folder: &Path, step: &str) -> String {
    let quintain = env!("CARGO_BIN_EXE_quintain");
    let script = format!("quintain() {{ '{quintain}' --sandbox basic \"$@\"; }}\n{step}");
    let mut shell = Command::new("sh");
    shell.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
    let output = shell.args(["-c", &script]).output().unwrap();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{step}\n{said}{complained}");
    said
}

#[test]
fn every_printed_step_works() {
    follow_every_step("tron");
}

#[test]
#[ignore = "nightly: every printed step in every game"]
fn every_printed_step_works_in_every_game() {
    for entry in quintain_games::catalog().entries() {
        follow_every_step(entry.name());
    }
}

fn follow_every_step(game: &str) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let output = succeeds(folder, &["new", "player", "mine", "--lang", "Py", "--game", game]);
    let steps: Vec<&str> =
        output.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next()).collect();
    assert!(output.lines().all(|line| line.chars().count() <= 80), "{output}");
    // Submitting it needs a contest, so the tests of `quintain host` cover it.
    let submit = "quintain submit --to ADDRESS --token TOKEN mine";
    let steps = steps.strip_suffix(&[submit]).unwrap_or(&steps);
    assert_eq!(steps.len(), 6, "{output}");
    let [before @ .., last] = steps else { unreachable!() };
    for step in before {
        // It would continue for ever, and with many matches.
        let is_watch = step.starts_with("quintain watch");
        let less = if is_watch { " --once --matches 20" } else { "" };
        follow(folder, &format!("{step}{less}"));
    }
    let cup = std::fs::read_to_string(folder.join("cup.toml")).unwrap();
    assert!(cup.lines().all(|line| line.chars().count() <= 80), "{cup}");
    // One round is enough.
    let short = cup.replace("seeds = 10", "seeds = 1");
    std::fs::write(folder.join("cup.toml"), short).unwrap();
    assert!(follow(folder, last).contains("bot:mine"), "{game}");
}

/// Begins a module, and enters a built one in a tournament whose decisions are verified.
#[cfg(feature = "wasm")]
#[test]
fn a_module_is_entered_in_a_tournament() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let output = succeeds(folder, &["new", "player", "mine", "--lang", "zig", "--game", "tron"]);
    assert!(output.contains("built, it is wasm:mine/bot.wasm"), "{output}");
    assert!(!folder.join("bots.toml").exists());
    let step = "quintain new tournament cup --game tron --player wasm:mine/bot.wasm";
    assert!(output.contains(step), "{output}");
    // Its function returns the byte at 64.
    let module = r#"(module (memory (export "memory") 1) (data (i32.const 64) "U")
        (func (export "alloc") (param i32) (result i32) (i32.const 1024))
        (func (export "decide") (param i32 i32) (result i64)
            (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#;
    std::fs::write(folder.join("mine/bot.wasm"), wat::parse_str(module).unwrap()).unwrap();
    follow(folder, &format!("{step}?fuel=50M"));
    let cup = std::fs::read_to_string(folder.join("cup.toml")).unwrap();
    let seeds = cup.lines().find(|line| line.starts_with("seeds = ")).unwrap();
    std::fs::write(folder.join("cup.toml"), cup.replace(seeds, "seeds = 1")).unwrap();
    let standings = succeeds(folder, &["tournament", "cup.toml", "--quiet", "--format", "csv"]);
    assert!(standings.contains("wasm:mine/bot.wasm?fuel=50M"), "{standings}");
    let verified = succeeds(folder, &["verify", "--players"]);
    assert!(verified.ends_with("the players made the same decisions again\n"), "{verified}");
    assert!(!verified.contains("in 0 of them"), "{verified}");
}

#[test]
fn a_player_below_a_bots_file_is_added_to_it_and_plays_from_both_folders() {
    let place = tempfile::tempdir().unwrap();
    let (class, week) = (place.path(), place.path().join("week-1"));
    std::fs::create_dir(&week).unwrap();
    succeeds(class, &["new", "player", "first", "--lang", "SH"]);
    let said = succeeds(&week, &["new", "player", "second", "--lang", "Shell"]);
    assert!(said.contains("; ../bots.toml names it bot:second."), "{said}");
    assert!(said.starts_with("../bots.toml, the nearest bots.toml above, has one"), "{said}");
    assert!(!week.join("bots.toml").exists());
    for folder in [class, &week] {
        succeeds(folder, &["match", "tron", "bot:first", "bot:second"]);
    }
}

#[test]
fn a_new_tournament_explains_which_programs_it_leaves_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeeds(folder, &["new", "player", "able", "--lang", "sh"]);
    succeeds(folder, &["new", "player", "other", "--lang", "sh", "--game", "hextris"]);
    succeeds(folder, &["new", "player", "unbuilt", "--lang", "c++"]);
    let output = quintain(folder, &["new", "tournament", "cup", "--game", "tron"]);
    let said = text(&output.stderr);
    assert!(said.contains("left out: bot:other does not play tron\n"), "{said}");
    assert!(said.contains("left out: bot:unbuilt: there is no program ./bot in "), "{said}");
    let step = "did you build it? (cd unbuilt && c++ -O2 -std=c++17 -o bot bot.cpp)";
    assert!(said.contains(step), "{said}");
    let cup = std::fs::read_to_string(folder.join("cup.toml")).unwrap();
    assert!(cup.contains("players = [\"bot:able\", \"basic\""), "{cup}");
    // A program that gets ready but fails when it is asked is entered with a warning.
    let broken = folder.join("able/bot.sh");
    let text = std::fs::read_to_string(&broken).unwrap();
    let fails = text.replace("action=$(actions | choose)", "exit 3");
    std::fs::write(&broken, fails).unwrap();
    let said = quintain(folder, &["new", "tournament", "shaky", "--game", "tron"]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("bot:able is entered, but fails: tron:"), "{said}");
    assert!(said.contains("; see quintain bot check bot:able\n"), "{said}");
    std::fs::write(&broken, text).unwrap();
    // The extension of the file may be omitted.
    succeeds(folder, &["tournament", "cup", "--quiet"]);
}

#[test]
fn programs_of_another_game_are_refused_before_a_match() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeeds(folder, &["new", "player", "other", "--lang", "sh", "--game", "hextris"]);
    let cup = "game = \"tron\"\nplayers = [\"basic\", \"bot:other\"]\nseeds = 2\n";
    std::fs::write(folder.join("cup.toml"), cup).unwrap();
    for arguments in [
        &["match", "tron", "bot:other", "basic"][..],
        &["compare", "basic", "bot:other", "--game", "tron", "--store", "s"],
        &["tournament", "cup.toml", "--store", "s"],
        &["watch", "other", "--against", "tron/basic", "--once", "--store", "w"],
    ] {
        let output = quintain(folder, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        assert!(said.contains(" does not play tron; it says that it plays hextris"), "{said}");
    }
    assert!(!folder.join("s").exists() && !folder.join(".quintain-versions").exists());
    succeeds(folder, &["match", "hextris", "bot:other"]);
}

#[test]
fn a_new_tournament_is_played_where_seeds_tell_something() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for game in quintain_games::catalog().entries().map(|entry| entry.name()) {
        let said = succeeds(folder, &["new", "tournament", game, "--game", game]);
        let file = folder.join(format!("{game}.toml"));
        let text = std::fs::read_to_string(&file).unwrap();
        let cup = Tournament::parse(&text, "cup.toml", &quintain_games::catalog()).unwrap();
        // Without a format it is the same tournament, played in the format that suits the game.
        let without = text.lines().filter(|line| !line.starts_with("format ="));
        let without = without.collect::<Vec<_>>().join("\n");
        let other = Tournament::parse(&without, "cup.toml", &quintain_games::catalog()).unwrap();
        assert_eq!(other.format(), cup.format(), "{game}");
        let schedule = cup.schedule();
        let (seeds, matches) = (schedule.rounds(), schedule.len());
        let s = if seeds == 1 { "" } else { "s" };
        let size = format!(" players, 1 scenario, {seeds} seed{s}: {matches} matches. Play it");
        assert!(said.contains(&size), "{said}");
        assert_eq!(schedule.fixed_scenarios().count(), 0, "{game}: {text}");
        assert_eq!(
            schedule.rounds() > 1,
            text.contains("all players play the same seeds"),
            "{text}"
        );
    }
}

#[test]
fn a_new_tournament_has_the_scenarios_and_seeds_that_are_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let new = ["new", "tournament", "cup", "-g", "tron", "-s", "rooms", "-s", "tron:tronv2"];
    let said = succeeds(folder, &[&new[..], &["--seeds", "3", "--seed", "7"]].concat());
    let size = "wrote cup.toml: 3 players, 2 scenarios, 3 seeds: 36 matches. Play it";
    assert!(said.contains(size), "{said}");
    let file = std::fs::read_to_string(folder.join("cup.toml")).unwrap();
    for line in ["scenarios = [\"rooms\", \"tronv2\"]", "seeds = 3", "seed = 7"] {
        assert!(file.contains(line), "{file}");
    }
    let refused = quintain(folder, &["new", "tournament", "other", "-g", "tron", "-s", "roms"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!folder.join("other.toml").exists());
}

#[test]
fn a_program_that_never_starts_has_no_results_and_plays_after_its_repair() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let bot = |text: &str| std::fs::write(folder.join("bot.sh"), text).unwrap();
    let needs = "command -v sh > /dev/null; . ./module.sh\n";
    bot(&format!("{needs}{}", include_str!("../../../../examples/bots/bot.sh")));
    std::fs::write(folder.join("bots.toml"), "[mine]\ncommand = \"sh bot.sh\"\n").unwrap();
    let cup = "game = \"tron\"\nplayers = [\"bot:mine\", \"basic\"]\nseeds = 1\n";
    std::fs::write(folder.join("cup.toml"), cup).unwrap();
    let refused: [&[&str]; 4] = [
        &["tournament", "cup.toml"],
        &["match", "tron", "bot:mine", "bot:mine"],
        &["compare", "bot:mine", "basic", "--game", "tron"],
        &["bot", "check", "bot:mine"],
    ];
    for call in refused {
        let output = quintain(folder, call);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!output.status.success() && said.contains("module.sh"), "{call:?}: {said}");
    }
    std::fs::write(folder.join("module.sh"), "true\n").unwrap();
    let said = succeeds(folder, &["tournament", "cup.toml"]);
    assert!(said.contains("2 matches played"), "{said}");
}

#[test]
fn faults_are_reported_with_their_reasons() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("bots.toml"), "[gone]\ncommand = \"sh -c 'exit 3'\"\n").unwrap();
    let cup = "game = \"tron\"\nplayers = [\"bot:gone\", \"basic\"]\nseeds = 2\n";
    std::fs::write(folder.join("cup.toml"), cup).unwrap();
    let said = succeeds(folder, &["tournament", "cup.toml", "--forfeit-unstarted"]);
    assert!(said.contains("4 lost by a fault\n  bot:gone: 4 crashes\n"), "{said}");
    let look = said.lines().find_map(|line| line.strip_prefix("a fault of bot:gone: quintain "));
    let (replay, debug) = look.unwrap().split_once("; to ask it again: quintain ").unwrap();
    let [replay, debug] = [replay, debug].map(|line| line.split(' ').collect::<Vec<&str>>());
    assert!(succeeds(folder, &replay).contains("(bot:gone) forfeits"));
    let asked = quintain(folder, &debug);
    assert_eq!(asked.status.code(), Some(1), "{}", text(&asked.stderr));
    // Without an id, the last match is meant.
    assert!(succeeds(folder, &["replay"]).contains("forfeits: "));
    let asked = quintain(folder, &["bot", "debug", "gone"]);
    assert!(text(&asked.stderr).contains("crash: hello: it ended"), "{}", text(&asked.stderr));
    let compare = ["compare", "bot:gone", "basic", "--game", "tron", "--matches", "20"];
    let compare = [&compare[..], &["--forfeit-unstarted"]].concat();
    let told = " crashes; to see what is wrong with it: quintain bot check bot:gone\n";
    let said = succeeds(folder, &compare);
    assert!(said.contains("\nbot:gone forfeited: ") && said.contains(told), "{said}");
    let none = quintain(folder, &["bot", "debug", "gone", "--store", "none.sqlite"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("name a record: a file, or an id"));
}

#[test]
fn a_mistake_in_every_seat_is_reported_once_and_debugged_in_its_seat() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    succeeds(folder, &["new", "player", "mine", "--lang", "sh", "--game", "gather"]);
    let file = folder.join("mine/bot.sh");
    let text = std::fs::read_to_string(&file).unwrap();
    let wrong = text.replace("\\\"action\\\":", "\\\"move\\\":");
    assert_ne!(wrong, text);
    std::fs::write(&file, wrong).unwrap();
    let said = text_of(&quintain(folder, &["bot", "check", "bot:mine"]));
    assert_eq!(said.matches("it has no “action”").count(), 1, "{said}");
    let rest = "as seat 1, as seat 2, as seat 3, as seat 4, against itself: the same";
    let joined = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(rest), "{said}");
    let said = succeeds(folder, &["match", "gather", "bot:mine"]);
    assert!(said.contains("with --save match.json, then quintain bot debug"), "{said}");
    succeeds(folder, &["match", "gather", "bot:mine", "--save", "match.json"]);
    let asked = quintain(folder, &["bot", "debug", "mine", "--record", "match.json"]);
    assert!(text_of(&asked).contains("; bot:mine has seat 0\n"), "{}", text_of(&asked));
}

#[test]
fn invalid_and_taken_names_are_refused_and_nothing_is_written() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (arguments, said) in [
        (["new", "player", "My Bot"], "expected a name of at most 40 lowercase letters"),
        (["new", "player", "../x"], "expected a name of at most 40 lowercase letters"),
        (["new", "tournament", "-"], "expected a name of at most 40 lowercase letters"),
    ] {
        let output = quintain(folder, &arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    let long = "a".repeat(300);
    let output = quintain(folder, &["new", "player", &long]);
    assert!(text(&output.stderr).contains("expected a name of at most 40 lowercase letters"));
    std::fs::write(folder.join("bots.toml"), "[x\n").unwrap();
    let output = quintain(folder, &["new", "player", "mine"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("bots.toml:1: "), "{}", text(&output.stderr));
    assert!(!folder.join("mine").exists());
    // The end of its last line may be missing.
    std::fs::write(folder.join("bots.toml"), "[x]\ncommand = \"sh\"").unwrap();
    succeeds(folder, &["new", "player", "mine"]);
    let before = std::fs::read_to_string(folder.join("bots.toml")).unwrap();
    assert!(before.starts_with("[x]\ncommand = \"sh\"\n\n[mine]\n"), "{before}");
    let output = quintain(folder, &["new", "player", "mine"]);
    assert!(text(&output.stderr).contains("mine exists already; choose another name"));
    assert_eq!(std::fs::read_to_string(folder.join("bots.toml")).unwrap(), before);
}

#[test]
fn programs_are_found_beside_the_tournament_file_and_in_folders_above() {
    let place = tempfile::tempdir().unwrap();
    let class = place.path().join("class");
    std::fs::create_dir_all(class.join("week-1")).unwrap();
    succeeds(&class, &["new", "player", "mine", "--lang", "sh"]);
    succeeds(&class, &["new", "tournament", "cup"]);
    std::fs::rename(class.join("cup.toml"), class.join("week-1/cup.toml")).unwrap();
    let csv = ["--quiet", "--format", "csv"];
    let from_above = [&["tournament", "class/week-1/cup.toml"], &csv[..]].concat();
    assert!(succeeds(place.path(), &from_above).contains("bot:mine"));
    let from_within = [&["tournament", "cup.toml"], &csv[..]].concat();
    assert!(succeeds(&class.join("week-1"), &from_within).contains("bot:mine"));
    let output = quintain(&class, &["match", "tron", "--bots", "nowhere.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nowhere.toml: there is no such file"));
}
