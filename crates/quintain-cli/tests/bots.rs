//! Programs on the command line: examples in several languages, our own players behind other people's
//! protocols, tournaments with hostile programs, and an arena that is killed.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use quintain_core::{FaultKind, Record};

const QUINTAIN: &str = env!("CARGO_BIN_EXE_quintain");

/// An empty folder in which the command runs.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(QUINTAIN);
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1");
        command.env_remove("QUINTAIN_STORE").env_remove("RUST_LOG");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Plays a match of tron and reads its record.
    fn record(&self, arguments: &[&str]) -> Record {
        let all = [&["match", "tron"], arguments, &["--save", "record.json"]].concat();
        self.says(&all);
        Record::from_json(&fs::read_to_string(self.path().join("record.json")).unwrap()).unwrap()
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots").canonicalize().unwrap()
}

/// Returns whether a program can be run here; if not, what needs it is skipped, visibly.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: {program} is not there");
    }
    found
}

/// Returns the Python interpreter itself, not a script that looks for one.
fn python() -> String {
    let found =
        Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// Returns processes whose command line or environment contains this text: a program's own, or the plan
/// of a stage of its sandbox.
fn running(text: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let holds = |pid: &str, file: &str| {
        let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(text)
    };
    let own = std::process::id().to_string();
    let others = pids.filter(|pid| *pid != own);
    others.filter(|pid| holds(pid, "cmdline") || holds(pid, "environ")).collect()
}

/// Waits until a condition holds; a minute is far more than it takes.
fn comes_true(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

/// A program that writes what it thinks, and draws it.
const TALKS: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    answer = None
    if message["type"] == "hello": answer = {"type": "ready", "name": "talks", "games": ["tron"]}
    if message["type"] == "turn":
        print("turn", message["turn"], "of", len(message["actions"]), "ways", file=sys.stderr)
        answer = {"type": "action", "action": message["actions"][0], "notes": {"plan": "onwards", "depth": 2},
                  "draw": [{"cell": [0, 0], "paint": "good", "glyph": "%"}]}
    if answer: print(json.dumps(answer), flush=True)
"#;

#[test]
fn what_a_program_says_is_told_live_kept_beside_the_record_and_shown_with_its_turn() {
    let place = Place::new();
    place.write("talks.py", TALKS);
    let player = format!("exec:\"{} talks.py\"", python());
    let files = ["--save", "record.json", "--store", "matches.sqlite"];
    let output = place.run(&[&["match", "tron", &player, "basic", "-v"], &files[..]].concat());
    let live = String::from_utf8(output.stderr).unwrap();
    assert!(live.contains("turn 0, A | turn 0 of "), "{live}");
    assert!(live.contains("turn 1, A plan “onwards”"), "{live}");

    let record = fs::read_to_string(place.path().join("record.json")).unwrap();
    let record = Record::from_json(&record).unwrap();
    assert!(!record.log.is_empty());
    for source in [&["record.json"][..], &[&record.id[..8], "--store", "matches.sqlite"]] {
        let page = place.says(&[&["replay"], source, &["--turn", "2"]].concat());
        assert!(page.contains("depth 2  plan “onwards”"), "{page}");
        assert!(page.contains("A | turn 1 of "), "{page}");
        assert!(!page.contains('%'), "a drawing is shown when asked for: {page}");
        let overlaid = ["--turn", "2", "--overlay", "drawings"];
        let page = place.says(&[&["replay"], source, &overlaid].concat());
        assert!(page.contains('%'), "{page}");
        let log = place.says(&[&["replay"], source, &["--log"]].concat());
        assert!(log.contains("\nturn 1, A | turn 1 of "), "{log}");
        assert!(log.contains("\nturn 1, A drew 1 mark\n"), "{log}");
    }
    place.says(&["verify", "record.json"]);
    place.says(&["verify", "--store", "matches.sqlite"]);
    // The record is the same without the program's output.
    let json = place.says(&["match", "tron", &player, "basic", "--json"]);
    assert_eq!(json.trim_end(), record.to_json());
}

/// Returns a program that answers every turn with what `answer` writes for it.
fn answering(answer: &str) -> String {
    format!(
        r#"
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "name": "slips", "games": ["tron"]}}), flush=True)
    if message["type"] == "turn":
        action = message["actions"][0]
        {answer}
"#
    )
}

#[test]
fn known_slips_are_told_with_the_line_that_would_have_been_right() {
    let place = Place::new();
    let unended = "sys.stdout.write('{\"type\": \"action\"}'); sys.stdout.flush()";
    let right = "right: {\"type\":\"action\",\"action\":\"";
    for (name, answer, meant, right) in [
        (
            "unended",
            unended,
            "it wrote 18 bytes but no newline",
            "right: {\"type\": \"action\"}\\n",
        ),
        (
            "python",
            "print({'type': 'action', 'action': action}, flush=True)",
            "json.dumps",
            "right: {\"type\": \"action\"",
        ),
        (
            "prints",
            "print('trying', action, flush=True)",
            "standard output belongs to the protocol",
            right,
        ),
        ("bare", "print(action, flush=True)", "an answer is a JSON object", right),
        (
            "unknown",
            "print(json.dumps({'type': 'action', 'action': 'northwards'}), flush=True)",
            "one of the strings in “actions”",
            right,
        ),
        (
            "notes",
            "print(json.dumps({'type': 'action', 'action': action, 'notes': {'best': [1]}}), flush=True)",
            "the note “best”",
            right,
        ),
    ] {
        place.write("slip.py", &answering(answer));
        let limits = "limits = { answer = \"300ms\" }\n";
        place
            .write("bots.toml", &format!("[{name}]\ncommand = \"{} slip.py\"\n{limits}", python()));
        let output = place.run(&["bot", "check", "--bot", name]);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        // Lines are wrapped to the width of the page.
        let joined = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(meant), "{name}: {said}");
        assert!(said.contains(right), "{name}: {said}");
    }
    // What is ignored is reported, but is not a fault.
    place.write(
        "crlf.py",
        &answering(
            "print(json.dumps({'type': 'action', 'action': action}), end='\\r\\n', flush=True)",
        ),
    );
    let said = place.says(&["bot", "check", "--", &python(), "crlf.py"]);
    assert!(said.contains("ok   its lines end in CR LF"), "{said}");
}

#[test]
fn a_program_is_asked_once_more_about_a_turn_with_all_the_time_that_it_needs() {
    let place = Place::new();
    let bots = |answer: &str| {
        place.write("talks.py", &answering(answer));
        place.write(
            "bots.toml",
            &format!(
                "[talks]\ncommand = \"{} talks.py\"\nlimits = {{ answer = \"200ms\" }}\n",
                python()
            ),
        );
    };
    let answer = "print(json.dumps({'type': 'action', 'action': action}), flush=True)";
    bots(&format!(
        "print('turn', message['turn'], file=sys.stderr); time.sleep(9 * (message['turn'] == 2)); {answer}"
    ));
    let record = place.record(&["bot:talks", "basic"]);
    assert!(record.outcome.fault.is_some(), "it is late on turn 2");
    // It sees the same lines as in the match, and has no time limit.
    bots(&format!(
        "print('turn', message['turn'], file=sys.stderr); time.sleep(0.4 * (message['turn'] == 2)); {answer}"
    ));
    let said = place.says(&["bot", "debug", "talks", "--record", "record.json"]);
    assert!(said.contains("bot:talks has seat 0"), "{said}");
    assert!(said.contains("> {\"type\":\"start\",\"match\":1,\"game\":\"tron\""), "{said}");
    assert!(
        said.contains("> {\"type\":\"turn\",\"turn\":2,") && !said.contains("\"turn\":1,"),
        "{said}"
    );
    assert!(said.contains("\n| turn 2\n< {\"type\": \"action\""), "{said}");
    assert!(said.contains("in the match it forfeited here: timeout"), "{said}");
    let said =
        place.says(&["bot", "debug", "talks", "--record", "record.json", "--turn", "1", "--all"]);
    assert!(said.contains("\"turn\":0,") && said.contains("in the match it played"), "{said}");
    // Without a sandbox, a debugger may be attached before the question.
    let wait = ["bot", "debug", "talks", "--record", "record.json", "--trust", "--wait"];
    let mut waits =
        place.command(&wait).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(waits.stdin.take());
    let said = String::from_utf8(waits.wait_with_output().unwrap().stdout).unwrap();
    let process = said.lines().find_map(|line| line.strip_prefix("process "));
    assert!(
        process.is_some_and(|line| line.starts_with(|digit: char| digit.is_ascii_digit())),
        "{said}"
    );
    // Another answer, and one that the rules refuse.
    bots(
        "print(json.dumps({'type': 'action', 'action': message['actions'][-1] if message['turn'] < 2 else 'X'}), flush=True)",
    );
    let output = place.run(&["bot", "debug", "talks", "--record", "record.json"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("turn 0: it answers \""), "{said}");
    assert!(said.contains("turn 2: the rules refuse it") && said.contains("right: {"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    for wrong in [&["--turn", "99"][..], &["--seat", "7"], &["--seat", "1", "--turn", "99"]] {
        let output =
            place.run(&[&["bot", "debug", "talks", "--record", "record.json"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn the_examples_pass_the_check() {
    let place = Place::new();
    let folder = examples().display().to_string();
    for (program, command) in [
        ("python3", vec![python(), format!("{folder}/bot.py")]),
        ("sh", vec!["sh".to_owned(), format!("{folder}/bot.sh")]),
        ("node", vec!["node".to_owned(), format!("{folder}/bot.js")]),
    ] {
        if program == "sh" || has(program) {
            let words = command.iter().map(String::as_str);
            let arguments: Vec<&str> = ["bot", "check", "--"].into_iter().chain(words).collect();
            let said = place.says(&arguments);
            assert!(said.contains("ok   tron:hackerrank as seat 1"), "{program}: {said}");
            assert!(!said.contains("BAD"), "{program}: {said}");
        }
    }
    if has("c++") {
        let bot = place.path().join("bot");
        let source = examples().join("bot.cpp");
        let flags = ["-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"];
        assert!(Command::new("c++").args(flags).arg(&bot).arg(source).status().unwrap().success());
        assert!(!place.says(&["bot", "check", "--", "./bot"]).contains("BAD"));
    }
}

/// Counts the files of programs in a folder.
fn count_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.filter(|name| name.to_string_lossy().starts_with("quintain-")).count()
}

#[test]
fn no_copy_of_a_program_is_left_however_the_arena_ends() {
    let place = Place::new();
    let temporary = place.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    place.write("slow.py", &format!("{HELLO}for turn in turns(): time.sleep(1000)\n"));
    for signal in ["TERM", "HUP", "INT", "KILL"] {
        let program = format!("exec:\"{} slow.py\"", python());
        let mut command = place.command(&["match", "tron", &program, "basic"]);
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        let mut arena = command.spawn().unwrap();
        comes_true("its files are copied", || count_files(&temporary) == 1);
        let arguments = [format!("-{signal}"), arena.id().to_string()];
        assert!(Command::new("kill").args(arguments).status().unwrap().success());
        arena.wait().unwrap();
        comes_true(signal, || count_files(&temporary) == 0);
    }
}

#[test]
fn a_passing_program_is_told_in_lines_that_fit_a_terminal_and_nothing_is_repeated() {
    let place = Place::new();
    let script = "print('warning: \\x1b[31mslow', file=sys.stderr)\n\
                  for turn in turns(): say({'type': 'action', 'action': turn['actions'][0]})\n";
    place.write(
        "bot.py",
        &format!("{}{script}", HELLO.replace("\"ready\"", "\"ready\", \"games\": [\"tron\"]")),
    );
    let said = place.says(&["bot", "check", "--", &python(), "bot.py"]);
    assert!(said.contains("bye: ended in") && !said.contains("warning: "), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ')), "{said}");
}

#[test]
fn a_scenario_that_no_game_has_is_not_checked() {
    let output = Place::new().run(&["bot", "check", "--scenario", "tornv2", "--", "true"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = "error: no game has the scenario “tornv2”; did you mean “tronv2”?";
    assert!(said.starts_with(expected) && output.status.code() == Some(2), "{said}");
    let output = Place::new().run(&["bot", "check", "--scenario", "tronv2?foo=1", "--", "true"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("foo") && !said.contains("no game has"), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
}

#[test]
fn the_dashes_before_a_command_may_be_left_out() {
    let output = Place::new().run(&["bot", "check", "no-such-program", "--fast"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("there is no program no-such-program"), "{error}");
}

#[test]
fn a_missing_interpreter_is_named() {
    let place = Place::new();
    place.write("bot", "#!/opt/python9/bin/python\n");
    let script = place.path().join("bot");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    let output = place.run(&["bot", "check", "--", "./bot"]);
    let said = String::from_utf8(output.stdout).unwrap().replace("\n    ", "");
    assert!(said.contains("the interpreter /opt/python9/bin/python"), "{said}");
}

#[test]
fn a_player_plays_the_same_match_behind_every_protocol() {
    let place = Place::new();
    let mut entries = String::new();
    for (name, protocol) in
        [("own", "quintain"), ("rank", "hackerrank-tron"), ("challenge", "gaic2010")]
    {
        entries += &format!(
            "[{name}]\ncommand = [\"{QUINTAIN}\", \"bot\", \"serve\", \"--protocol\", \"{protocol}\", \
             \"tron/improved\"]\nprotocol = \"{protocol}\"\n"
        );
    }
    place.write("bots.toml", &entries);
    let limits = ["--scenario", "hackerrank?opening=4", "--seed", "5", "--budget", "nodes=200"];
    let ours = place.record(&[&["improved", "contest2010"][..], &limits].concat());
    for name in ["bot:own", "bot:rank", "bot:challenge"] {
        let theirs = place.record(&[&[name, "contest2010"][..], &limits].concat());
        assert_eq!(theirs.outcome.fault, None, "{name}");
        assert_eq!(theirs.actions, ours.actions, "{name}");
    }
    // One after another, on the other contest's board.
    let entry = entries.replace("gaic2010", "codingame-tron");
    place.write("bots.toml", &entry);
    let limits = ["--scenario", "codingame", "--seed", "5", "--budget", "nodes=200"];
    let theirs = place.record(&[&["contest2010", "bot:challenge"][..], &limits].concat());
    assert_eq!(theirs.outcome.fault, None);
}

#[test]
fn programs_that_plan_whole_games_play_as_in_their_own_contests() {
    let place = Place::new();
    place.write(
        "bots.toml",
        &format!(
            "[contest]\ncommand = [\"{QUINTAIN}\", \"solve\", \"hextris\"]\nprotocol = \"icfp2015\"\n\
             limits = {{ answer = \"1s\" }}\n\
             [course]\ncommand = [\"sh\", \"-c\", \"cat >&2; echo RRDLL\"]\n\
             protocol = \"polymer-file\"\n"
        ),
    );
    let play = |game: &str, player: &str, scenario: &str| {
        place.says(&["match", game, player, "--scenario", scenario, "--save", "record.json"]);
        let text = fs::read_to_string(place.path().join("record.json")).unwrap();
        Record::from_json(&text).unwrap()
    };
    let planned = play("hextris", "bot:contest", "drawn?size=16&phrases=ei!");
    assert_eq!(planned.outcome.fault, None);
    assert!(planned.outcome.scores[0] > 0.0);
    let walked = play("polymer", "bot:course", "random?width=3&height=3&n=6");
    assert_eq!((walked.outcome.fault, walked.actions.as_str()), (None, "R R D L L"));
    let short = play("polymer", "bot:course", "random?width=3&height=3&n=8");
    let fault = short.outcome.fault.unwrap().fault;
    assert!(fault.detail.starts_with("expected a walk: "), "{fault}");
    assert_eq!(fault.said.len(), 1, "what it read: {:?}", fault.said);
}

/// Returns a tournament of programs with these players, seeds and scenario.
fn tournament(players: &[&str], seeds: usize, scenario: &str) -> String {
    let players: Vec<String> = players.iter().map(|player| format!("{player:?}")).collect();
    format!(
        "game = \"tron\"\nformat = \"versus\"\nscenarios = [\"{scenario}\"]\n\
         players = [{}]\nseeds = {seeds}\nbudget = \"move=300ms\"\n",
        players.join(", ")
    )
}

/// The beginning of a program that answers `hello`.
const HELLO: &str = r#"
import json, os, sys, time
def say(message): print(json.dumps(message), flush=True)
def turns():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello": say({"type": "ready"})
        elif message["type"] == "turn": yield message
        elif message["type"] == "bye": return
"#;

#[test]
fn a_tournament_with_hostile_programs_ends_with_every_match_told() {
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
            "[{name}]\ncommand = \"{} {name}.py\"\nlimits = {{ memory = \"100MB\", answer = \"300ms\" }}\n",
            python()
        );
    }
    place.write("bots.toml", &file);
    let players = ["basic", "bot:exits", "bot:sleeps", "bot:raves", "bot:hoards", "bot:crawls"];
    place.write("hostile.toml", &tournament(&players, 1, "empty?width=7&height=7"));
    place.says(&["tournament", "hostile.toml", "--quiet", "--concurrency", "2"]);
    let csv = place.says(&["export", "--tournament", "hostile"]);
    assert_eq!(csv.lines().count(), 1 + 2 * 15 * 2, "a row for each seat of 30 matches");
    for fault in ["crash", "timeout", "protocol", "memory"] {
        assert!(csv.contains(fault), "{fault} is told apart:\n{csv}");
    }
    place.says(&["verify"]);
    assert!(running(&place.path().display().to_string()).is_empty());
}

#[test]
fn a_thousand_matches_of_two_programs_leave_nothing_behind() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("bot.py", &fs::read_to_string(examples().join("bot.py")).unwrap());
    place.write(
        "bots.toml",
        &format!("[one]\ncommand = \"{0} bot.py\"\n[two]\ncommand = \"{0} bot.py 2\"\n", python()),
    );
    let file = tournament(&["bot:one", "bot:two"], 500, "empty?width=6&height=6");
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
    assert_eq!(csv.lines().count(), 1 + 2 * 1000);
    for fault in ["timeout", "protocol", "memory", "forfeit"] {
        assert!(!csv.contains(fault), "no match is lost by a {fault}");
    }
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "no scratch folder is left");
    assert!(running(&place.path().display().to_string()).is_empty(), "no process is left");
}

/// Reads no question. Its pipe is as short as possible, which a sandbox would not let it make it, and a
/// question does not fit in.
const READS_NOTHING: &str = "
import fcntl
SET_PIPE_SIZE = 1031
for line in sys.stdin:
    say({'type': 'ready'})
    fcntl.fcntl(0, SET_PIPE_SIZE, 4096)
    time.sleep(1000)
";

#[test]
fn an_arena_that_is_killed_takes_its_programs_with_it() {
    if !has("python3") {
        return;
    }
    let thinks_long = "for turn in turns(): time.sleep(1000)\n";
    for (signal, script) in [
        ("-KILL", thinks_long),
        ("-INT", thinks_long),
        ("-KILL", READS_NOTHING),
        ("-INT", READS_NOTHING),
    ] {
        let place = Place::new();
        place.write("bot.py", &format!("{HELLO}{script}"));
        place.write("bots.toml", &format!("[slow]\ncommand = \"{} bot.py\"\n", python()));
        let file = tournament(&["bot:slow", "basic"], 50, "empty?width=128&height=128");
        place.write("slow.toml", &file.replace("300ms", "100s"));
        let mut arena = place
            .command(&["tournament", "slow.toml", "--quiet", "--trust"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let marker = place.path().display().to_string();
        comes_true("the programs run", || running(&marker).len() >= 2);
        let pid = arena.id().to_string();
        // Earlier than the hundred seconds that the program has. It is asked more than once, since a
        // request that comes before the command listens for it may be lost.
        comes_true(&format!("the arena ends by {signal}: {script}"), || {
            Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status().unwrap();
            arena.try_wait().unwrap().is_some()
        });
        comes_true("no program outlives the arena", || running(&marker).is_empty());
    }
}

#[test]
fn one_that_reads_nothing_is_out_of_time_like_any_other() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("bot.py", &format!("{HELLO}{READS_NOTHING}"));
    let program = format!("exec:\"{} bot.py\"", python());
    let scenario =
        ["--scenario", "empty?width=128&height=128", "--budget", "move=300ms", "--trust"];
    let record = place.record(&[&[program.as_str(), "basic"], &scenario[..]].concat());
    let fault = record.outcome.fault.expect("it answers nothing");
    assert_eq!((fault.seat.index(), fault.fault.kind), (0, FaultKind::Timeout));
}

/// Ctrl-Z and fg, or the lid of a laptop, while a program thinks.
#[test]
fn a_pause_of_the_arena_is_not_a_programs_thinking_time() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    let script = "
for turn in turns():
    time.sleep(0.2)
    say({'type': 'action', 'action': turn['actions'][0]})
";
    place.write("bot.py", &format!("{HELLO}{script}"));
    let program = format!("exec:\"{} bot.py\"", python());
    let budget =
        ["--budget", "move=1s", "--save", "record.json", "--scenario", "empty?width=7&height=7"];
    let mut command = place.command(&[&["match", "tron", &program, "basic"], &budget[..]].concat());
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let marker = place.path().display().to_string();
    comes_true("the program runs", || running(&marker).len() >= 2);
    let pid = arena.id().to_string();
    let send = |signal: &str| {
        assert!(Command::new("kill").args([signal, pid.as_str()]).status().unwrap().success());
    };
    send("-STOP");
    // The pause itself, longer than a move may take.
    std::thread::sleep(Duration::from_secs(2));
    assert!(arena.try_wait().unwrap().is_none(), "the match ended before the pause");
    send("-CONT");
    assert!(arena.wait().unwrap().success());
    let record = fs::read_to_string(place.path().join("record.json")).unwrap();
    assert_eq!(Record::from_json(&record).unwrap().outcome.fault, None);
}

/// A tournament plays the files that it found when it began, and identifies them by their version.
#[test]
fn a_program_that_is_changed_while_it_plays_is_another_one_only_afterwards() {
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
    place.says(&["tournament", "cup.toml", "--quiet"]);
    let csv = place.says(&["export", "--tournament", "cup"]);
    assert!(csv.contains("forfeit"), "{csv}");
}

#[test]
fn what_is_wrong_with_a_program_is_told_in_one_line() {
    let place = Place::new();
    place
        .write("bots.toml", "[alice]\ncommand = \"sh alice.sh\"\n[bob]\ncommand = \"./nothing\"\n");
    let says = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let of = |player: &str| says(&["match", "tron", player, "basic"]);
    assert!(of("bot:alise").contains("did you mean “alice”"), "{}", of("bot:alise"));
    assert!(of("bot:bob").contains("there is no program ./nothing in "));
    assert!(of("exec:\"no-such-program\"").contains("there is no program no-such-program in PATH"));
    assert!(of("exec:\"sh 'x\"").contains("a quote is not closed"));
    assert!(of("exec:").contains("the command is empty"));
    place.write("bots.toml", "[alice]\ncomand = \"sh\"\n");
    assert!(of("bot:alice").contains("bots.toml:"), "{}", of("bot:alice"));
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\nlimits = { memory = \"lots\" }\n");
    assert!(of("bot:alice").contains("not a size such as"), "{}", of("bot:alice"));
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\nprotocol = \"gaic\"\n");
    assert!(of("bot:alice").contains("did you mean “gaic2010”"));
    place.write("bots.toml", "[alice]\ncommand = \"sh\"\nprotocol = \"gaic2010\"\n");
    let said = says(&["match", "gather", "bot:alice"]);
    assert!(said.contains("a protocol of tron; it cannot play gather"), "{said}");
}

#[test]
fn where_programs_play_a_comparison_draws_its_first_seed_and_its_store_remembers_it() {
    let place = Place::new();
    place.write("bots.toml", "[gone]\ncommand = \"sh -c 'exit 3'\"\n");
    let compare = |player: &str, more: &[&str]| {
        let game = ["compare", player, "basic", "--game", "tron", "--scenario", "obstacles"];
        let output =
            place.run(&[&game[..], &["--matches", "4", "--format", "json"], more].concat());
        assert!(output.status.success(), "{output:?}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (json["first_seed"].as_u64().unwrap(), said.contains("the first seed is random"))
    };
    assert_eq!(compare("random", &[]), (1, false));
    assert_eq!(compare("bot:gone", &["--seed", "5"]), (5, false));
    let (drawn, is_told) = compare("bot:gone", &["--store", "cup.sqlite"]);
    assert!(drawn > 1 << 20 && drawn < 1 << 53 && is_told, "{drawn}");
    assert_eq!(compare("bot:gone", &["--store", "cup.sqlite"]), (drawn, false));
    let (other, is_told) = compare("bot:gone", &[]);
    assert!(other != drawn && is_told);
}
