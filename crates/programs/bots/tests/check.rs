//! `check` explains the common mistakes of programs, and finds none in the examples.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Bench, python};
use quintain_bots::check::{CheckFinding, CheckTerms, CheckTime, check};

/// Checks a program against a player of little thought; returns whether it is good, and the
/// findings.
fn findings(bench: &Bench, player: &str) -> (bool, Vec<CheckFinding>) {
    let bot = bench.programs.bot(player).unwrap();
    let partner = Some("random".to_owned());
    let terms = CheckTerms { seed: 1, partner, repeats: true, ..CheckTerms::default() };
    let mut findings = Vec::new();
    let is_good = check(&bench.catalog, &bot, &terms, CheckTime::default(), &mut |finding| {
        findings.push(finding.clone());
    });
    (is_good, findings)
}

/// Adds a program that plays tron and answers every turn with what `answer` writes.
fn add(bench: &Bench, name: &str, answer: &str) {
    let script = format!(
        "for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello':
        print(json.dumps({{'type': 'ready', 'name': 'slips', 'games': ['tron']}}), flush=True)
    if message['type'] == 'turn':
        action = message['actions'][0]
        {answer}
"
    );
    bench.bot(name, &script, "limits = { answer = \"300ms\" }");
}

#[test]
fn after_an_answer_that_is_late_nothing_more_is_played() {
    let bench = Bench::new();
    add(&bench, "stuck", "\n        while True: pass");
    let (is_good, findings) = findings(&bench, "bot:stuck");
    let texts: Vec<&str> = findings.iter().map(|finding| finding.text.as_str()).collect();
    assert!(!is_good && texts.len() == 3, "{texts:?}");
    assert!(texts[1].contains("timeout") && texts[2].contains("left out"), "{texts:?}");
    assert!(findings[1].slip.as_ref().unwrap().text.contains("stuck in a loop"), "{findings:?}");
}

#[test]
fn a_program_that_does_not_repeat_itself_is_told_how_it_could() {
    let bench = Bench::new();
    let act = "print(json.dumps({'type': 'action', 'action': action}), flush=True)";
    add(&bench, "same", act);
    // It plays differently in each match of a process.
    let draws = "globals()['n'] = globals().get('n', 0) + (message['turn'] == 0)
        action = message['actions'][n % 4]";
    add(&bench, "draws", &format!("{draws}\n        {act}"));
    for (name, expected) in [("same", false), ("draws", true)] {
        let (is_good, findings) = findings(&bench, &format!("bot:{name}"));
        let told = findings.iter().any(|finding| finding.text.contains("its answers differ"));
        assert!(is_good && told == expected, "{name}: {findings:?}");
    }
}

#[test]
fn common_mistakes_are_explained_with_the_right_line() {
    let bench = Bench::new();
    let right = "{\"type\":\"action\",\"action\":\"";
    let mistakes = [
        (
            "unended",
            "sys.stdout.write('{\"type\": \"action\"}'); sys.stdout.flush()",
            "it wrote 18 bytes but no newline",
            "{\"type\": \"action\"}\\n",
        ),
        (
            "python",
            "print({'type': 'action', 'action': action}, flush=True)",
            "json.dumps",
            "{\"type\": \"action\"",
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
            "print(json.dumps({'type': 'action', 'action': action, 'notes': {'best': [1]}}), \
             flush=True)",
            "the note “best”",
            right,
        ),
    ];
    for (name, answer, _, _) in mistakes {
        add(&bench, name, answer);
    }
    for (name, _, expected, right) in mistakes {
        let (is_good, findings) = findings(&bench, &format!("bot:{name}"));
        assert!(!is_good, "{name}");
        let slip = findings.iter().find_map(|finding| finding.slip.as_ref()).unwrap();
        assert!(slip.text.contains(expected), "{name}: {slip:?}");
        assert!(slip.right.starts_with(right), "{name}: {slip:?}");
    }
}

#[test]
fn lines_that_end_in_cr_lf_are_reported_but_allowed() {
    let bench = Bench::new();
    let line = "json.dumps({'type': 'action', 'action': action})";
    add(&bench, "crlf", &format!("print({line}, end='\\r\\n', flush=True)"));
    let (is_good, findings) = findings(&bench, "bot:crlf");
    assert!(is_good, "{findings:#?}");
    let last = findings.last().unwrap();
    assert!(last.good && last.text.starts_with("its lines end in CR LF"), "{last:?}");
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bots").canonicalize().unwrap()
}

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {program} is not there");
    }
    found
}

#[test]
fn the_examples_pass_the_check() {
    let bench = Bench::of(tempfile::tempdir().unwrap(), quintain_games::catalog());
    let folder = examples();
    let mut bots = format!("[python]\ncommand = [{:?}, \"bot.py\"]\n", python());
    let mut names = vec!["python", "shell"];
    bots += "[shell]\ncommand = [\"sh\", \"bot.sh\"]\n[node]\ncommand = [\"node\", \"bot.js\"]\n\
             [compiled]\ncommand = [\"./bot\"]\n";
    for file in ["bot.py", "bot.sh", "bot.js"] {
        fs::copy(folder.join(file), bench.folder.path().join(file)).unwrap();
    }
    fs::write(bench.folder.path().join("bots.toml"), bots).unwrap();
    names.extend(has("node").then_some("node"));
    if has("c++") {
        let mut compiler = Command::new("c++");
        compiler.args(["-O1", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"]);
        compiler.arg(bench.folder.path().join("bot")).arg(folder.join("bot.cpp"));
        assert!(compiler.status().unwrap().success());
        names.push("compiled");
    }
    for name in names {
        let (is_good, findings) = findings(&bench, &format!("bot:{name}"));
        assert!(is_good, "{name}: {findings:#?}");
        let seats = findings.iter().filter(|one| one.text.contains("tron:hackerrank as seat "));
        assert_eq!(seats.count(), 2, "{name}: {findings:#?}");
    }
}

#[test]
fn a_missing_interpreter_is_named() {
    let bench = Bench::new();
    let script = bench.folder.path().join("bot");
    fs::write(&script, "#!/opt/python9/bin/python\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(bench.folder.path().join("bots.toml"), "[bot]\ncommand = \"./bot\"\n").unwrap();
    let (is_good, findings) = findings(&bench, "bot:bot");
    assert!(!is_good && findings[0].text.contains("the interpreter /opt/python9/bin/python"));
}
