//! Records that cannot be trusted are named, each in one line, and nothing else is
//! harmed by them.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use quintain_core::Record;

/// The command in a folder of its own.
fn quintain(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
    command
}

/// What a run says on standard output and standard error, and its exit status.
fn said(command: &mut Command) -> (String, String, i32) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// A folder with a record in `good.json`, and its text.
fn folder_with_record() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["match", "tron", "random", "random", "--json"];
    let (json, _, status) = said(quintain(folder.path()).args(arguments));
    assert_eq!(status, 0);
    fs::write(folder.path().join("good.json"), &json).unwrap();
    (folder, json)
}

/// Checks that `verify` names the record and fails, and that `replay` refuses it.
fn is_refused(folder: &Path, json: &str, why: &str) {
    fs::write(folder.join("bad.json"), json).unwrap();
    let (out, error, status) = said(quintain(folder).args(["verify", "bad.json"]));
    assert!(out.starts_with("bad: ") && out.contains(why), "{out}{error}");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert_eq!(error, "error: 1 of 1 record in bad.json cannot be trusted\n");
    assert_eq!(status, 1);
    let (out, error, status) = said(quintain(folder).args(["replay", "bad.json"]));
    assert!(error.starts_with("error: ") && error.contains(why), "{error}");
    assert_eq!((out.as_str(), error.lines().count(), status), ("", 1, 2), "{error}");
}

#[test]
fn a_record_with_any_byte_changed_is_named() {
    let (folder, json) = folder_with_record();
    let record = Record::from_json(&json).unwrap();
    let id = record.id.as_str();
    let digest = "was changed after it was written";
    for (from, to, why) in [
        ("\"seed\":1", "\"seed\":2", digest),
        ("\"scores\":[", "\"scores\":[1", digest),
        ("\"actions\":\"", "\"actions\":\"U ", digest),
        ("\"digest\":\"", "\"digest\":\"0", digest),
        (id, "0123456789abcdef0123456789abcdef", digest),
        ("\"format\":1", "\"format\":2", "record format 2, but this version reads format 1"),
        ("{", "", "not a record"),
    ] {
        is_refused(folder.path(), &json.replacen(from, to, 1), why);
    }
    is_refused(folder.path(), &json[..json.len() / 2], "not a record");
    is_refused(folder.path(), "", "not a record");
}

#[test]
fn a_record_that_is_whole_but_untrue_is_named() {
    let (folder, json) = folder_with_record();
    let forged = |change: &dyn Fn(&mut Record)| {
        let mut record = Record::from_json(&json).unwrap();
        change(&mut record);
        record.id = record.fixture.id();
        record.to_json()
    };
    let folder = folder.path();
    let score = forged(&|record| record.outcome.scores[0] = 7.0);
    is_refused(folder, &score, "ends otherwise when replayed");
    let cut = forged(&|record| record.actions.clear());
    is_refused(folder, &cut, "actions stop before the match ends");
    let longer = forged(&|record| record.actions.push_str(" U U"));
    is_refused(folder, &longer, "actions go on after the end of the match");
    let nonsense = forged(&|record| record.actions.replace_range(..1, "?"));
    is_refused(folder, &nonsense, "turn 0, seat 0");
    let older = forged(&|record| record.fixture.versions.game = 999);
    is_refused(folder, &older, "played by version 999 of tron's rules");
    let stranger = forged(&|record| record.fixture.game = "chess".to_owned());
    is_refused(folder, &stranger, "unknown game “chess”");
    let nowhere = forged(&|record| record.fixture.scenario = "hackerank".to_owned());
    is_refused(folder, &nowhere, "did you mean “hackerrank”?");
    let wild = forged(&|record| record.outcome.ending = "crash\u{1b}[2J".to_owned());
    fs::write(folder.join("bad.json"), wild).unwrap();
    let (out, ..) = said(quintain(folder).args(["verify", "bad.json"]));
    assert!(!out.contains('\u{1b}'), "a record cannot steer the terminal: {out:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_scenario_that_names_a_file_without_end_is_refused_at_once() {
    let (folder, json) = folder_with_record();
    let folder = folder.path();
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    for file in ["/dev/zero", "pipe"] {
        let scenario = format!("file?path={file}");
        let mut command = quintain(folder);
        command.timeout(std::time::Duration::from_secs(60));
        command.args(["match", "tron", "random", "random", "--scenario", &scenario]);
        let (out, error, status) = said(&mut command);
        assert!(error.contains(&format!("{file}: it is not a regular file")), "{error}");
        assert_eq!((out.as_str(), error.lines().count(), status), ("", 1, 2), "{error}");
        let mut record = Record::from_json(&json).unwrap();
        record.fixture.scenario = format!("{scenario}&digest=0123456789ab");
        record.id = record.fixture.id();
        is_refused(folder, &record.to_json(), "it is not a regular file");
        for arguments in [&["tournament", file][..], &["replay", file]] {
            let mut command = quintain(folder);
            command.timeout(std::time::Duration::from_secs(60)).args(arguments);
            let (_, error, status) = said(&mut command);
            assert_eq!((error.lines().count(), status), (1, 2), "{error}");
        }
    }
}

#[test]
fn the_bad_one_among_many_is_named_by_its_line() {
    let (folder, json) = folder_with_record();
    let bad = json.replace("\"seed\":1", "\"seed\":3");
    fs::write(folder.path().join("many.jsonl"), format!("{json}{bad}\n{json}")).unwrap();
    let (out, error, status) = said(quintain(folder.path()).args(["verify", "many.jsonl"]));
    assert!(out.starts_with("bad: many.jsonl:2: record "), "{out}");
    assert_eq!(error, "error: 1 of 3 records in many.jsonl cannot be trusted\n");
    assert_eq!(status, 1);
    let (_, error, status) = said(quintain(folder.path()).args(["replay", "many.jsonl"]));
    assert!(error.contains("many.jsonl holds 3 records, but one is wanted"), "{error}");
    assert_eq!(status, 2);
}

#[test]
fn exported_records_verify_anywhere() {
    let (folder, json) = folder_with_record();
    let folder = folder.path();
    for seed in ["1", "2", "3"] {
        let arguments = ["match", "tron", "random", "random", "--store", "all.sqlite", "--seed"];
        assert_eq!(said(quintain(folder).args(arguments).arg(seed)).2, 0);
    }
    let arguments = ["export", "--what", "records", "--store", "all.sqlite"];
    let (lines, ..) = said(quintain(folder).args(arguments));
    assert!(lines.lines().any(|line| line == json.trim_end()), "{lines}");
    fs::write(folder.join("all.jsonl"), &lines).unwrap();
    let (out, error, _) = said(quintain(folder).args(["verify", "all.jsonl"]));
    assert_eq!((out.as_str(), error.as_str()), ("3 records in all.jsonl verified\n", ""));
    let id = &Record::from_json(&json).unwrap().id[..10];
    let (by_id, ..) = said(quintain(folder).args(["replay", id, "--store", "all.sqlite"]));
    let (by_file, ..) = said(quintain(folder).args(["replay", "good.json"]));
    assert_eq!(by_id, by_file);
}

#[test]
fn a_record_laid_out_by_an_editor_is_one_changed_record() {
    let (folder, json) = folder_with_record();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    is_refused(folder.path(), &pretty, "was changed after it was written");
}
