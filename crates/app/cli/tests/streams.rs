//! How the command behaves between other programs: pipes that close, full disks,
//! colour where it is wanted, interruption.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

fn quintain(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder);
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLORTERM", "QUINTAIN_STORE", "RUST_LOG"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["players"][..],
        &["completions", "bash"],
        &["match", "tron", "random", "random", "--show"],
        &["match", "tron", "random", "random", "--json"],
        &["--help"],
    ] {
        let mut command = quintain(folder.path());
        let piped = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*said), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = quintain(folder.path()).arg("games").stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: cannot write the output: no space left on device\n");
    assert_eq!(output.status.code(), Some(1));
    let arguments = ["match", "tron", "random", "random", "--save", "/dev/full"];
    let output = quintain(folder.path()).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "error: cannot write /dev/full: no space left on device\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_limit_is_reported_in_one_line_and_results_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = "game = \"tron\"\nplayers = [\"random\", \"space\"]\nseeds = 2000\n";
    fs::write(folder.path().join("t.toml"), file).unwrap();
    let quintain_under = |limit: &str, arguments: &str| {
        let script = format!("ulimit -f {limit}; exec \"$0\" {arguments}");
        let mut command = Command::new("bash");
        command.current_dir(folder.path()).env_remove("QUINTAIN_STORE");
        let command = command.args(["-c", &script, env!("CARGO_BIN_EXE_quintain")]);
        command.output().unwrap()
    };
    for limit in ["0", "8", "64", "1000"] {
        let output = quintain_under(limit, "tournament t.toml --quiet");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{limit}: {said}");
        let clear = said.starts_with("error: quintain.sqlite: the store cannot ");
        assert!(
            clear && said.contains("ulimit -f") && said.lines().count() == 1,
            "{limit}: {said}"
        );
    }
    let output = quintain_under("unlimited", "tournament t.toml --quiet");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let output = quintain_under("unlimited", "verify");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "4 000 records in quintain.sqlite verified\n"
    );
    let output = quintain_under("0", "match tron random random --save x.json");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (&*said, output.status.code()),
        ("error: cannot write x.json: file too large\n", Some(1))
    );
}

#[test]
fn colour_can_be_turned_off() {
    let folder = tempfile::tempdir().unwrap();
    let run_with = |variables: &[(&str, &str)]| {
        let mut command = quintain(folder.path());
        command.args(["match", "tron", "random", "random"]).envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let plain = run_with(&[]);
    assert!(plain.is_ascii(), "a file gets ASCII: {plain}");
    let indexed = run_with(&[("CLICOLOR_FORCE", "1")]);
    assert!(indexed.contains("\u{1b}[48;5;") && indexed.contains('┌'), "{indexed}");
    let full = run_with(&[("CLICOLOR_FORCE", "1"), ("COLORTERM", "truecolor")]);
    assert!(full.contains("\u{1b}[48;2;"), "{full}");
    assert_eq!(run_with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
    assert_eq!(run_with(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]), plain);
}

/// Starts a tournament that would last for days, interrupts it after its first line, and returns
/// its output after that.
fn interrupted(folder: &Path) -> (String, Option<i32>) {
    let mut command = quintain(folder);
    command.args(["tournament", "long.toml", "--yes"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    // It first reports that seeds change nothing on its scenario.
    while !line.starts_with("long: ") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "it ended before it began");
    }
    assert_eq!(line, "long: 40000000 matches\n");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    (rest, child.wait().unwrap().code())
}

#[test]
fn an_interrupted_tournament_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = "game = \"tron\"\nplayers = [\"random\", \"space\"]\nseeds = 20000000\n";
    fs::write(folder.path().join("long.toml"), file).unwrap();
    for _ in 0..2 {
        let (said, status) = interrupted(folder.path());
        assert_eq!(status, Some(130), "{said}");
        let begun = "stopping: matches in progress are dropped, finished ones are kept (Ctrl-C \
            again stops at once)…\nstopped with ";
        let played = said.strip_prefix(begun).unwrap().split(' ').next().unwrap();
        let expected = format!(
            "{begun}{played} of 40000000 matches played, all of them in quintain.sqlite\n\
             to continue:      quintain tournament long.toml --yes\n\
             standings so far: quintain standings\n"
        );
        assert_eq!(said, expected);
        let output = quintain(folder.path()).arg("verify").output().unwrap();
        let verified = String::from_utf8(output.stdout).unwrap();
        let noun = if played == "1" { "record" } else { "records" };
        assert_eq!(verified, format!("{played} {noun} in quintain.sqlite verified\n"));
    }
}
