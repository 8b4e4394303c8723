//! From an empty folder to a rank in a tournament, in every language whose tools are available: what
//! `quintain new` writes plays at once.

#![cfg(target_os = "linux")]

use std::path::Path;
#[cfg(feature = "wasm")]
use std::path::PathBuf;
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

/// Ways in which the program of a language may go wrong, which its local test distinguishes.
struct Wrong {
    /// The source file, and the code in it that chooses.
    source: &'static str,
    choice: &'static str,
    /// Its replacements: an action that is not one, a word that is printed, an endless loop.
    instead: [&'static str; 3],
    /// The file of the test, its time limit, and a shorter one.
    limit: [&'static str; 3],
}

/// Begins a player, builds it, tests it, checks it and lets it play a tournament against two others.
/// Without the tool it is skipped, visibly.
fn reaches_a_rank(
    (language, tool): (&str, &str),
    build: &[&str],
    game: &str,
    wrong: Option<&Wrong>,
) {
    // Go has no --version, but its saying so shows that it is there.
    if Command::new(tool).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {tool} here for a player in {language}");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let said = succeeds(folder, &["new", "player", "mine", "--lang", language, "--game", game]);
    assert!(said.contains("quintain bot check bot:mine"), "{said}");
    if let [program, arguments @ ..] = build {
        let mut tool = Command::new(program);
        tool.args(arguments).current_dir(folder.join("mine")).env_remove("CARGO_TARGET_DIR");
        // The player's speed does not matter here, and Cargo takes longer to optimise it.
        tool.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        let built = tool.output().unwrap();
        assert!(built.status.success(), "{}", text(&built.stderr));
    }
    plays_its_example(&folder.join("mine"), wrong);
    succeeds(folder, &["bot", "check", "bot:mine"]);
    succeeds(folder, &["new", "tournament", "cup", "--game", game]);
    let standings = succeeds(folder, &["tournament", "cup.toml", "--quiet", "--format", "csv"]);
    let rank = standings.lines().find(|line| line.contains("bot:mine"));
    let rank = rank.unwrap_or_else(|| panic!("it has no rank:\n{standings}"));
    assert!(rank.starts_with("overall,"), "{rank}");
    let (_, forfeits) = (rank, standings.lines().next().unwrap());
    let column = forfeits.split(',').position(|name| name == "forfeits").unwrap();
    assert_eq!(rank.split(',').nth(column), Some("0"), "{standings}");
}

/// Runs the local test of a player, as its page says.
fn run_its_test(folder: &Path) -> (Output, String) {
    let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let step =
        page.lines().find_map(|line| line.strip_prefix("- `")?.split_once("`, in this folder"));
    let (step, _) = step.unwrap_or_else(|| panic!("{page}"));
    let mut shell = Command::new("sh");
    // Cargo has the packages of this workspace, and needs no network.
    shell.env("CARGO_NET_OFFLINE", "true").env_remove("CARGO_TARGET_DIR");
    shell.env_remove("RUST_BACKTRACE");
    let output = shell.args(["-c", step]).current_dir(folder).output().unwrap();
    let said = format!("{step}\n{}{}", text(&output.stdout), text(&output.stderr));
    (output, said)
}

/// Runs the local test of a player; a faulty one fails it with a line that says what to do.
fn plays_its_example(folder: &Path, wrong: Option<&Wrong>) {
    let example = std::fs::read_to_string(folder.join("example.jsonl")).unwrap();
    let kinds: Vec<&str> = example.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!((kinds[0], kinds[1], kinds[2]), ("hello", "start", "turn"), "{example}");
    assert_eq!(kinds.last(), Some(&"bye"), "{example}");
    let (output, said) = run_its_test(folder);
    assert!(output.status.success(), "{said}");
    let Some(wrong) = wrong else { return };
    let file = folder.join(wrong.source);
    let right = std::fs::read_to_string(&file).unwrap();
    assert!(right.contains(wrong.choice), "{right}");
    let [test, limit, shorter] = wrong.limit;
    let test = folder.join(test);
    let usual = std::fs::read_to_string(&test).unwrap();
    assert!(usual.contains(limit), "{usual}");
    let told = [
        "none such",
        "standard output belongs to the protocol, and this is not a message",
        "does it loop?",
    ];
    for (instead, told) in wrong.instead.iter().zip(told) {
        if told == "does it loop?" {
            std::fs::write(&test, usual.replacen(limit, shorter, 1)).unwrap();
        }
        std::fs::write(&file, right.replacen(wrong.choice, instead, 1)).unwrap();
        let (output, said) = run_its_test(folder);
        assert!(!output.status.success(), "{instead}: {said}");
        assert!(said.lines().any(|line| line.contains(told)), "{instead}: {said}");
        assert!(!said.contains("Traceback") && !said.contains("    at "), "{instead}: {said}");
    }
    std::fs::write(&file, right).unwrap();
    std::fs::write(&test, usual).unwrap();
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
fn every_step_that_is_printed_works_in_every_game() {
    for game in ["tron", "gather", "polymer", "pentocity", "hextris"] {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let said = succeeds(folder, &["new", "player", "mine", "--lang", "Py", "--game", game]);
        let steps: Vec<&str> =
            said.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next()).collect();
        assert_eq!(steps.len(), 6, "{said}");
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
        let [before @ .., last, submit] = &steps[..] else { unreachable!() };
        // This needs a contest, so the tests of `quintain host` cover it.
        assert_eq!(*submit, "quintain submit --to ADDRESS --token TOKEN mine");
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
fn a_new_tournament_leaves_out_who_cannot_play_it_and_says_why() {
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
fn who_says_that_it_plays_another_game_is_refused_before_anything_is_played() {
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
        assert!(said.contains(&format!(" players, {} matches. Play it", schedule.len())), "{said}");
        assert_eq!(schedule.fixed_scenarios().count(), 0, "{game}: {text}");
        assert_eq!(
            schedule.rounds() > 1,
            text.contains("all players play the same seeds"),
            "{text}"
        );
    }
}

#[test]
fn who_lost_by_a_fault_and_why_is_told() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("bots.toml"), "[gone]\ncommand = \"sh -c 'exit 3'\"\n").unwrap();
    let cup = "game = \"tron\"\nplayers = [\"bot:gone\", \"basic\"]\nseeds = 2\n";
    std::fs::write(folder.join("cup.toml"), cup).unwrap();
    let said = succeeds(folder, &["tournament", "cup.toml"]);
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
    let told = " crashes; to see what is wrong with it: quintain bot check bot:gone\n";
    let said = succeeds(folder, &compare);
    assert!(said.contains("\nbot:gone forfeited: ") && said.contains(told), "{said}");
    let none = quintain(folder, &["bot", "debug", "gone", "--store", "none.sqlite"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("name a record: a file, or an id"));
}

#[test]
fn a_mistake_that_is_made_in_every_seat_is_told_once_and_the_seat_that_failed_is_asked_again() {
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

/// Returns a folder of this workspace's `target`, in which `./check` installs compilers.
#[cfg(feature = "wasm")]
fn installed(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target").join(folder)
}

/// Runs a line in a shell that finds those compilers, without a network.
#[cfg(feature = "wasm")]
fn sh(folder: &Path, script: &str) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", installed("ziglang/bin").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).env("PATH", &path);
    shell.env("CARGO_NET_OFFLINE", "true").env("npm_config_offline", "true");
    shell.env_remove("CARGO_TARGET_DIR").output().unwrap()
}

/// A player as a module, built in `mine` of a folder.
#[cfg(feature = "wasm")]
struct BuiltModule {
    place: tempfile::TempDir,
    /// The output when it was begun.
    said: String,
    /// The step that builds it, as printed.
    build: String,
}

/// Begins a module, builds it by the printed step and runs its local test. If the line with its
/// requirements fails, its compiler is not available, and it is skipped, visibly.
#[cfg(feature = "wasm")]
fn build_module(language: &str, game: &str, needs: &str) -> Option<BuiltModule> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // Packages installed by npm are found in the folders above.
    let packages = match language {
        "javascript-wasm" | "python-wasm" => installed("interpreters/node_modules"),
        _ => installed("assemblyscript/node_modules"),
    };
    std::os::unix::fs::symlink(packages, folder.join("node_modules")).unwrap();
    if !sh(folder, needs).status.success() {
        eprintln!("skipped: a player in {language} needs `{needs}`");
        return None;
    }
    let said = succeeds(folder, &["new", "player", "mine", "--lang", language, "--game", game]);
    assert!(said.contains("built, it is wasm:mine/bot.wasm"), "{said}");
    assert!(!folder.join("bots.toml").exists());
    let build = said.lines().find_map(|line| line.split("  ").find(|step| step.starts_with('(')));
    let build = build.unwrap_or_else(|| panic!("{said}")).to_owned();
    let built = sh(folder, &build);
    assert!(built.status.success(), "{}", text_of(&built));
    assert!(text(&built.stdout).ends_with("bot.wasm is built\n"), "{}", text_of(&built));
    assert!(said.contains("quintain submit --to ADDRESS --token TOKEN mine"), "{said}");
    plays_its_example(&folder.join("mine"), None);
    Some(BuiltModule { place, said, build })
}

/// Builds a module and lets it play, twice with the same result.
#[cfg(feature = "wasm")]
fn module_plays(language: &str, game: &str, needs: &str) {
    let Some(BuiltModule { place, said, .. }) = build_module(language, game, needs) else { return };
    let folder = place.path();
    let make = format!("quintain new tournament cup --game {game} --player wasm:mine/bot.wasm");
    assert!(said.contains(&make), "{said}");
    follow(folder, &format!("{make}?fuel=50M"));
    let cup = std::fs::read_to_string(folder.join("cup.toml")).unwrap();
    let seeds = cup.lines().find(|line| line.starts_with("seeds = ")).unwrap();
    std::fs::write(folder.join("cup.toml"), cup.replace(seeds, "seeds = 1")).unwrap();
    let standings = succeeds(folder, &["tournament", "cup.toml", "--quiet", "--format", "csv"]);
    assert!(standings.contains("wasm:mine/bot.wasm?fuel=50M"), "{standings}");
    let verified = succeeds(folder, &["verify", "--players"]);
    assert!(verified.ends_with("the players made the same decisions again\n"), "{verified}");
    assert!(!verified.contains("in 0 of them"), "{verified}");
}

#[cfg(feature = "wasm")]
#[test]
fn c_as_a_module() {
    module_plays("c-wasm", "tron", "python3 -m ziglang version");
}

#[cfg(feature = "wasm")]
#[test]
fn cpp_as_a_module() {
    module_plays("cpp-wasm", "hextris", "python3 -m ziglang version");
}

#[cfg(feature = "wasm")]
#[test]
fn rust_as_a_module() {
    let needs = "test -d \"$(rustc --print target-libdir --target wasm32-wasip1)\"";
    module_plays("rust-wasm", "hextris", needs);
}

#[cfg(feature = "wasm")]
#[test]
fn zig_as_a_module() {
    module_plays("zig-wasm", "pentocity", "python3 -m ziglang version && node --version");
}

#[cfg(feature = "wasm")]
#[test]
fn assemblyscript_as_a_module() {
    // `./check` installs it.
    module_plays("assemblyscript-wasm", "tron", "npx --no -- asc --version && node --version");
}

#[cfg(feature = "wasm")]
#[test]
fn the_examples_of_the_documentation_in_c_play() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    if !sh(folder, "python3 -m ziglang version").status.success() {
        eprintln!("skipped: examples in C need ziglang");
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/wasm.md");
    let page = std::fs::read_to_string(page).unwrap();
    let build = page.lines().find(|line| line.contains("-mexec-model=reactor")).unwrap().trim();
    let examples: Vec<&str> =
        page.split("```c\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    let [in_json, in_numbers] = examples[..] else { panic!("{} examples", examples.len()) };
    for (name, text) in [("json", in_json), ("numbers", in_numbers)] {
        std::fs::write(folder.join("bot.c"), text).unwrap();
        let built = sh(folder, build);
        assert!(built.status.success(), "{name}: {}", text_of(&built));
        std::fs::rename(folder.join("bot.wasm"), folder.join(format!("{name}.wasm"))).unwrap();
    }
    let cup = "game = \"tron\"\nplayers = [\"wasm:json.wasm\", \"wasm:numbers.wasm\", \"random\"]\n\
               seeds = 2\n";
    std::fs::write(folder.join("cup.toml"), cup).unwrap();
    let standings = succeeds(folder, &["tournament", "cup.toml", "--quiet", "--format", "csv"]);
    assert!(standings.contains("wasm:numbers.wasm"), "{standings}");
    let said = succeeds(folder, &["verify", "--players"]);
    assert!(said.ends_with("the players made the same decisions again\n"), "{said}");
    for game in ["gather", "hextris", "pentocity", "polymer"] {
        succeeds(folder, &["match", game, "wasm:numbers.wasm"]);
    }
}

#[cfg(feature = "wasm")]
#[test]
fn javascript_as_a_module() {
    // `./check` installs it.
    module_plays("javascript-wasm", "tron", "npx --no wasm-merge -- --version && node --version");
}

#[cfg(feature = "wasm")]
#[test]
fn python_as_a_module_plays_and_says_what_goes_wrong_with_its_lines() {
    // `./check` installs it.
    let needs = "npx --no wasm-merge -- --version && test -e node_modules/@micropython";
    let Some(BuiltModule { place, build, .. }) = build_module("python-wasm", "tron", needs) else {
        return;
    };
    let folder = place.path();
    let said = succeeds(folder, &["match", "tron", "wasm:mine/bot.wasm", "random", "--seed", "1"]);
    assert!(!said.contains("forfeit") && !said.contains("crash after"), "{said}");
    let file = folder.join("mine/bot.py");
    let right = std::fs::read_to_string(&file).unwrap();
    let choice = "    return random.choice(actions)";
    assert!(right.contains(choice), "{right}");
    let change = |instead: &str| std::fs::write(&file, right.replace(choice, instead)).unwrap();
    // An exception inside is caught there; one that is not caught is reported with its lines.
    change(
        "    try:\n        raise ValueError(len(actions))\n    except ValueError as error:\n        \
         print('caught', error, flush=True)\n    return [][0]",
    );
    let built = sh(folder, &build);
    assert!(built.status.success(), "{}", text_of(&built));
    let (output, said) = run_its_test(&folder.join("mine"));
    assert!(!output.status.success(), "{said}");
    let line = 1 + right.lines().position(|line| line == choice).unwrap() + 4;
    for told in [
        "caught 4",
        &format!("File \"bot.py\", line {line}, in choose"),
        "IndexError: list index out of range",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    change("    return (");
    let refused = text_of(&sh(folder, &build));
    assert!(
        refused.contains("File \"bot.py\", line") && refused.contains("SyntaxError"),
        "{refused}"
    );
}

#[test]
fn python() {
    let wrong = Wrong {
        source: "bot.py",
        choice: "    return random.choice(actions)",
        instead: [
            "    return \"none such\"",
            "    print(\"look\")\n    return random.choice(actions)",
            "    while True:\n        pass",
        ],
        limit: ["test_bot.py", "LIMIT = 10", "LIMIT = 1"],
    };
    reaches_a_rank(("python", "python3"), &[], "tron", Some(&wrong));
}

/// Begins a player, changes its source, and returns the output of its local test, which fails.
fn local_test_of(language: &str, source: &str, changes: &[(&str, &str)]) -> String {
    let place = tempfile::tempdir().unwrap();
    succeeds(place.path(), &["new", "player", "mine", "--lang", language, "--game", "tron"]);
    let folder = place.path().join("mine");
    for (from, to) in changes {
        let file = if from.starts_with("LIMIT") { "test_bot.py" } else { source };
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(folder.join(file), text.replace(from, to)).unwrap();
    }
    let (output, said) = run_its_test(&folder);
    assert!(!output.status.success(), "{said}");
    assert!(!said.contains("Traceback"), "{said}");
    said
}

#[test]
fn the_local_test_in_python_tells_slips_of_the_protocol_from_each_other() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3 here");
        return;
    }
    let say = "    print(json.dumps(message), flush=True)";
    let act = "say({\"type\": \"action\", \"action\": action})";
    for (change, told) in [
        ((say, "    print(json.dumps(message))"), "hello: no answer after 1 seconds"),
        (
            (say, "    print(json.dumps(message), end=\"\", flush=True)"),
            "hello: a line without an end, after 1 seconds: {\"type\"",
        ),
        ((say, "    print(message, flush=True)"), "a Python dictionary, not JSON"),
        (
            (say, "    print(json.dumps(message), json.dumps(message), flush=True)"),
            "more than one message in a line",
        ),
        ((act, "say({\"type\": \"action\", \"move\": action})"), "turn 0: it has no “action”: {"),
        ((act, "say({\"action\": action})"), "a message needs a “type”"),
        (
            (act, "say({\"type\": \"action\", \"action\": action, \"notes\": \"up\"})"),
            "turn 0: “notes” must be an object whose values are numbers or strings: 'up'",
        ),
        (
            (act, "say({\"type\": \"action\", \"action\": action, \"notes\": {\"path\": [1, 2]}})"),
            "turn 0: the note “path” is neither a number nor a string: [1, 2]",
        ),
        (
            (
                "        elif kind == \"start\":",
                "        elif kind == \"start\":\n            sys.exit(3)",
            ),
            "exit code 3",
        ),
    ] {
        let said = local_test_of("python", "bot.py", &[change, ("LIMIT = 10", "LIMIT = 1")]);
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn the_local_test_in_javascript_tells_slips_of_the_protocol_from_each_other() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: there is no node here");
        return;
    }
    let act = "say({ type: \"action\", action });";
    for (instead, told) in [
        ("console.log({ type: \"action\", action });", "JSON needs double quotes"),
        (
            "say({ type: \"action\", action, notes: \"up\" });",
            "turn 0: \"notes\" must be an object whose values are numbers or strings: \"up\"",
        ),
        (
            "say({ type: \"action\", action, notes: { value: NaN } });",
            "turn 0: the note \"value\" is neither a number nor a string: null",
        ),
    ] {
        let said = local_test_of("javascript", "bot.js", &[(act, instead)]);
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn the_local_test_of_a_script_tells_slips_of_the_protocol_from_each_other() {
    let echo = "echo \"{\\\"type\\\":\\\"action\\\",\\\"action\\\":\\\"$action\\\"}\"";
    for (instead, told) in [
        (echo.replace("echo", "printf %s"), "more than one message in a line"),
        (
            "echo \"{'type': 'action', 'action': '$action'}\"".to_owned(),
            "in double quotes: {'type'",
        ),
        (
            echo.replace("\\\"action\\\":", "\\\"move\\\":"),
            "turn 1 of the example: it has no \"action\"",
        ),
    ] {
        let said = local_test_of("sh", "bot.sh", &[(echo, &instead)]);
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn a_test_of_what_is_not_built_yet_says_what_builds_it() {
    let said = local_test_of("c++", "bot.cpp", &[]);
    assert!(said.contains("there is no bot yet; build it first: c++ -O2"), "{said}");
}

#[test]
fn javascript() {
    let wrong = Wrong {
        source: "bot.js",
        choice: "  return actions[Math.floor(random() * actions.length)];",
        instead: [
            "  return \"none such\";",
            "  console.log(\"look\");\n  return actions[0];",
            "  while (true) {}",
        ],
        limit: ["bot.test.js", "LIMIT = 60", "LIMIT = 1"],
    };
    reaches_a_rank(("javascript", "node"), &[], "hextris", Some(&wrong));
}

#[test]
fn shell() {
    let wrong = Wrong {
        source: "bot.sh",
        choice: "action=$(actions | choose)",
        instead: [
            "action='none such'",
            "echo look; action=$(actions | choose)",
            "while :; do :; done",
        ],
        limit: ["test.sh", "timeout 60", "timeout 1"],
    };
    reaches_a_rank(("sh", "sh"), &[], "tron", Some(&wrong));
}

#[test]
fn cpp() {
    let build = ["c++", "-O2", "-std=c++17", "-o", "bot", "bot.cpp"];
    reaches_a_rank(("cpp", "c++"), &build, "polymer", None);
}

#[test]
fn rust() {
    // Its dependencies are also those of this workspace, so they are there without a network.
    let build = ["cargo", "build", "--release", "--offline"];
    let wrong = Wrong {
        source: "src/main.rs",
        choice: "    &actions[random.below(actions.len())]",
        instead: [
            "    Box::leak(Box::new(\"none such\".into()))",
            "    println!(\"look\");\n    &actions[random.below(actions.len())]",
            "    loop {}",
        ],
        limit: ["tests/example.rs", "from_secs(60)", "from_secs(1)"],
    };
    reaches_a_rank(("rust", "cargo"), &build, "hextris", Some(&wrong));
}

#[test]
fn java() {
    reaches_a_rank(("java", "javac"), &["javac", "Bot.java"], "tron", None);
}

#[test]
fn go() {
    let wrong = Wrong {
        source: "main.go",
        choice: "\treturn actions[random.Intn(len(actions))]",
        instead: [
            "\treturn \"none such\"",
            "\tfmt.Println(\"look\")\n\treturn actions[0]",
            "\tfor {\n\t}",
        ],
        limit: ["main_test.go", "60 * time.Second", "1 * time.Second"],
    };
    reaches_a_rank(("go", "go"), &["go", "build", "-o", "bot"], "tron", Some(&wrong));
}

#[test]
fn a_name_that_is_taken_or_no_name_is_refused_and_nothing_is_written() {
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
