//! Records and lessons that cannot be trusted are named, each in one line, and do no harm to
//! anything else.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use quintain_core::Record;
use serde_json::Value;

/// Returns the command in a folder of its own.
fn quintain(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("QUINTAIN_STORE");
    command
}

/// Returns standard output, standard error and exit status of a run.
fn run(command: &mut Command) -> (String, String, i32) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// Makes a folder with a record in `good.json`, and returns its text.
fn folder_with_record() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["match", "tron", "random", "random", "--json"];
    let (json, _, status) = run(quintain(folder.path()).args(arguments));
    assert_eq!(status, 0);
    fs::write(folder.path().join("good.json"), &json).unwrap();
    (folder, json)
}

/// Checks that `verify` names the record and fails, and that `replay` refuses it.
fn is_refused(folder: &Path, json: &str, why: &str) {
    fs::write(folder.join("bad.json"), json).unwrap();
    let (out, error, status) = run(quintain(folder).args(["verify", "bad.json"]));
    assert!(out.starts_with("bad: ") && out.contains(why), "{out}{error}");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert_eq!(error, "error: 1 of 1 record in bad.json cannot be trusted\n");
    assert_eq!(status, 1);
    let (out, error, status) = run(quintain(folder).args(["replay", "bad.json"]));
    assert!(error.starts_with("error: ") && error.contains(why), "{error}");
    assert_eq!((out.as_str(), error.lines().count(), status), ("", 1, 2), "{error}");
}

#[test]
fn a_text_file_is_refused_in_a_line() {
    let (folder, _) = folder_with_record();
    fs::write(folder.path().join("notes.txt"), "Dear diary,\ntoday I won.\n").unwrap();
    for verb in ["verify", "replay"] {
        let (out, error, status) = run(quintain(folder.path()).args([verb, "notes.txt"]));
        let said = "error: notes.txt holds no records; expected JSON, one record per line\n";
        assert_eq!((out.as_str(), error.as_str(), status), ("", said, 2), "{verb}");
    }
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
fn verify_has_json_output() {
    let (folder, json) = folder_with_record();
    let answer = |file: &str| -> (Value, i32) {
        let arguments = ["verify", file, "--format", "json"];
        let (out, _, status) = run(quintain(folder.path()).args(arguments));
        (serde_json::from_str(&out).unwrap(), status)
    };
    let good = serde_json::json!({ "in": "good.json", "verified": 1, "bad": [] });
    assert_eq!(answer("good.json"), (good, 0));
    fs::write(folder.path().join("bad.json"), json.replacen("\"seed\":1", "\"seed\":2", 1))
        .unwrap();
    let (bad, status) = answer("bad.json");
    assert_eq!((&bad["verified"], status), (&Value::from(0), 1));
    assert!(bad["bad"][0].as_str().unwrap().contains("was changed after it was written"), "{bad}");
}

#[test]
fn players_who_think_for_days_are_asked_for_no_longer_than_the_limit() {
    let (folder, _) = folder_with_record();
    let arguments = ["match", "tron", "uct?iterations=1", "random", "--json"];
    let (json, _, _) = run(quintain(folder.path()).args(arguments));
    let mut record = Record::from_json(&json).unwrap();
    record.fixture.seats[0] = "uct?iterations=1000000000".to_owned();
    record.id = record.fixture.id();
    fs::write(folder.path().join("days.json"), record.to_json()).unwrap();
    let arguments = ["verify", "days.json", "--players", "--player-time", "300ms"];
    let (out, error, status) = run(quintain(folder.path()).args(arguments));
    let said = "1 record in days.json verified\n\
                in 0 of them, the players made the same decisions again\n\
                in 1, they were not asked: their decisions take longer than 300ms; see \
                --player-time\n";
    assert_eq!((out.as_str(), error.as_str(), status), (said, "", 0));
}

#[test]
fn untrue_records_are_named() {
    let (folder, json) = folder_with_record();
    let forged = |change: &dyn Fn(&mut Record)| {
        let mut record = Record::from_json(&json).unwrap();
        change(&mut record);
        record.id = record.fixture.id();
        record.to_json()
    };
    let folder = folder.path();
    let score = forged(&|record| record.outcome.scores[0] = 7.0);
    is_refused(folder, &score, "ends differently when replayed");
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
    let (out, ..) = run(quintain(folder).args(["verify", "bad.json"]));
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
        let (out, error, status) = run(&mut command);
        assert!(error.contains(&format!("{file}: it is not a regular file")), "{error}");
        assert_eq!((out.as_str(), error.lines().count(), status), ("", 1, 2), "{error}");
        let mut record = Record::from_json(&json).unwrap();
        record.fixture.scenario = format!("{scenario}&digest=0123456789ab");
        record.id = record.fixture.id();
        is_refused(folder, &record.to_json(), "the record's file is not in the store");
        for arguments in [&["tournament", file][..], &["replay", file]] {
            let mut command = quintain(folder);
            command.timeout(std::time::Duration::from_secs(60)).args(arguments);
            let (_, error, status) = run(&mut command);
            assert_eq!((error.lines().count(), status), (1, 2), "{error}");
        }
    }
}

#[test]
fn a_record_brings_the_file_that_it_was_played_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("maps")).unwrap();
    fs::write(folder.join("maps/small.txt"), "#######\n#1    #\n#     #\n#    2#\n#######\n")
        .unwrap();
    let scenario = "file?path=maps/small.txt";
    let arguments = ["match", "tron", "random", "random", "--scenario", scenario];
    let (json, error, status) = run(quintain(folder).args(arguments).args(["--json"]));
    assert_eq!(status, 0, "{error}");
    let id = Record::from_json(&json).unwrap().id;
    let (_, error, status) = run(quintain(folder).args(arguments).args(["--store", "one.sqlite"]));
    assert_eq!(status, 0, "{error}");
    fs::remove_dir_all(folder.join("maps")).unwrap();
    let (_, error, status) =
        run(quintain(folder).args(["merge", "one.sqlite", "--output", "two.sqlite"]));
    assert_eq!(status, 0, "{error}");
    for store in ["one.sqlite", "two.sqlite"] {
        for arguments in [&["verify", "--store", store][..], &["replay", &id, "--store", store]] {
            let (_, error, status) = run(quintain(folder).args(arguments));
            assert_eq!(status, 0, "{store}: {error}");
        }
    }
}

#[test]
fn a_tournament_finds_its_maps_beside_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join("cups/maps")).unwrap();
    let map = "#######\n#1    #\n#     #\n#    2#\n#######\n";
    fs::write(folder.join("cups/maps/small.txt"), map).unwrap();
    let file = "name = 'cup'\ngame = 'tron'\nplayers = ['random', 'space']\nseeds = 1\n\
                scenarios = ['file?path=maps/small.txt']\n";
    fs::write(folder.join("cups/cup.toml"), file).unwrap();
    // From elsewhere and from its own folder it is the same tournament.
    for (from, file) in [(folder.to_owned(), "cups/cup.toml"), (folder.join("cups"), "cup.toml")] {
        let store = folder.join("cup.sqlite");
        let (_, error, status) =
            run(quintain(&from).args(["tournament", file, "--store"]).arg(&store));
        assert_eq!(status, 0, "{error}");
    }
    let (out, _, _) = run(quintain(folder).args(["verify", "--store", "cup.sqlite"]));
    assert!(out.starts_with("2 records"), "{out}");
}

#[test]
fn a_strangers_record_shows_nothing_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("secret"), "hunter2:swordfish\n").unwrap();
    for game in ["tron", "pentocity", "polymer", "hextris"] {
        let (json, error, status) = run(quintain(folder).args(["match", game, "--json"]));
        assert_eq!(status, 0, "{game}: {error}");
        for (digest, why) in [
            ("", "names a file without its digest"),
            ("&digest=0123456789ab", "is not in the store"),
        ] {
            let mut record = Record::from_json(&json).unwrap();
            record.fixture.scenario = format!("file?path=secret{digest}");
            record.id = record.fixture.id();
            let json = record.to_json();
            is_refused(folder, &json, why);
            let (out, error, _) = run(quintain(folder).args(["replay", "bad.json"]));
            let known = quintain_core::digest(b"hunter2:swordfish\n");
            for part in ["hunter2", "swordfish", &known[..6]] {
                assert!(!format!("{out}{error}").contains(part), "{game}: {out}{error}");
            }
        }
    }
}

/// Makes a folder with a store in which a tournament of one match was played, and returns its
/// record.
fn folder_with_store() -> (tempfile::TempDir, Record) {
    let (folder, json) = folder_with_record();
    let file = "name = 'cup'\ngame = 'tron'\nplayers = ['random', 'space']\nseeds = 4\n";
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let (_, error, status) = run(quintain(folder.path()).args(["tournament", "cup.toml"]));
    assert_eq!(status, 0, "{error}");
    (folder, Record::from_json(&json).unwrap())
}

#[test]
fn a_deleted_record_and_a_changed_goal_are_noticed() {
    for (sql, problem) in [
        (
            "DELETE FROM tournament_records WHERE record = 3; DELETE FROM records WHERE record = 3",
            "bad: the store: 1 of 8 records are missing\n\
             bad: tournament cup: 1 of 8 records are missing\n",
        ),
        (
            "UPDATE tournaments SET goal = 'lowest'",
            "bad: tournament cup: it says goal lowest, contest versus, but tron has goal highest, \
             contest versus\n",
        ),
        (
            "UPDATE tournaments SET contest = 'score'",
            "bad: tournament cup: it says goal highest, contest score, but tron has goal highest, \
             contest versus\n",
        ),
    ] {
        let (folder, _) = folder_with_store();
        let (out, _, status) = run(quintain(folder.path()).arg("verify"));
        assert_eq!((&*out, status), ("8 records in quintain.sqlite verified\n", 0));
        let store = rusqlite::Connection::open(folder.path().join("quintain.sqlite")).unwrap();
        store.execute_batch(sql).unwrap();
        let (out, error, status) = run(quintain(folder.path()).arg("verify"));
        assert_eq!((&*out, status), (problem, 1), "{error}");
        assert_eq!(error, "error: quintain.sqlite is not as it was written\n");
    }
}

#[test]
fn no_text_of_a_store_or_a_record_steers_the_terminal() {
    const EVIL: &str = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}2J\u{202e}\r";
    let (folder, mut record) = folder_with_store();
    let folder = folder.path();
    record.fixture.seats = vec![format!("one{EVIL}"), format!("two{EVIL}")];
    record.outcome.ending = format!("end{EVIL}");
    record.outcome.metrics.insert(format!("figure{EVIL}"), 1.0);
    let forged = |mut record: Record| {
        record.id = record.fixture.id();
        record
    };
    let named = forged(record.clone());
    record.fixture.scenario = format!("hackerrank{EVIL}");
    let placed = forged(record.clone());
    record.fixture.game = format!("tron{EVIL}");
    let strange = forged(record);
    let mut store = quintain_store::Store::open(&folder.join("quintain.sqlite")).unwrap();
    let entry = quintain_store::TournamentEntry {
        name: &format!("evil{EVIL}"),
        game: &format!("tron{EVIL}"),
        format: &format!("versus{EVIL}"),
        objective: quintain_core::Objective::Maximize,
        scoring: quintain_core::Scoring::Adversarial,
        fixtures: 3,
        definition: &format!("{{\"x{}\": 1}}", EVIL.escape_default()),
        file: EVIL,
    };
    let evil = store.enter(&entry).unwrap();
    let records = [named, placed, strange];
    let row = |record| quintain_store::RecordRow::new(record, std::time::Duration::ZERO);
    store.insert(Some(evil), &records.each_ref().map(row)).unwrap();
    drop(store);
    let mut calls: Vec<Vec<&str>> = ["verify", "standings", "standings --full", "report"]
        .iter()
        .map(|call| call.split(' ').collect())
        .collect();
    for format in ["json", "csv", "md"] {
        calls.push(vec!["standings", "--full", "--format", format]);
    }
    calls.push(vec!["standings", EVIL]);
    calls.push(vec!["merge", "quintain.sqlite", "-o", "joined.sqlite"]);
    calls.push(vec!["replay", EVIL]);
    calls.push(vec!["tournament", "evil.toml"]);
    let name = "name = \"evil\\u001b[2J\"\nplayers = [\"x\\u001b[2J\"]\ngame = \"tron\"\n";
    fs::write(folder.join("evil.toml"), name).unwrap();
    fs::write(folder.join("one.json"), records[0].to_json()).unwrap();
    for call in ["verify one.json", "replay one.json", "replay one.json --turn 1"] {
        calls.push(call.split(' ').collect());
    }
    for record in &records {
        calls.push(vec!["replay", &record.id]);
        calls.push(vec!["verify", &record.id]);
    }
    for call in calls {
        let (out, error, _) = run(quintain(folder).args(&call));
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!out.contains(bad) && !error.contains(bad), "{call:?}: {out:?} {error:?}");
        assert!(!out.is_empty() || !error.is_empty(), "{call:?}");
    }
}

#[test]
fn the_bad_one_among_many_is_named_by_its_line() {
    let (folder, json) = folder_with_record();
    let bad = json.replace("\"seed\":1", "\"seed\":3");
    fs::write(folder.path().join("many.jsonl"), format!("{json}{bad}\n{json}")).unwrap();
    let (out, error, status) = run(quintain(folder.path()).args(["verify", "many.jsonl"]));
    assert!(out.starts_with("bad: many.jsonl:2: record "), "{out}");
    assert_eq!(error, "error: 1 of 3 records in many.jsonl cannot be trusted\n");
    assert_eq!(status, 1);
    let (_, error, status) = run(quintain(folder.path()).args(["replay", "many.jsonl"]));
    assert!(error.contains("many.jsonl holds 3 records, but only one is wanted"), "{error}");
    assert_eq!(status, 2);
}

#[test]
fn exported_records_verify_anywhere() {
    let (folder, json) = folder_with_record();
    let folder = folder.path();
    for seed in ["1", "2", "3"] {
        let arguments = ["match", "tron", "random", "random", "--store", "all.sqlite", "--seed"];
        assert_eq!(run(quintain(folder).args(arguments).arg(seed)).2, 0);
    }
    let arguments = ["export", "--what", "records", "--store", "all.sqlite"];
    let (lines, ..) = run(quintain(folder).args(arguments));
    assert!(lines.lines().any(|line| line == json.trim_end()), "{lines}");
    fs::write(folder.join("all.jsonl"), &lines).unwrap();
    let (out, error, _) = run(quintain(folder).args(["verify", "all.jsonl"]));
    assert_eq!((out.as_str(), error.as_str()), ("3 records in all.jsonl verified\n", ""));
    let id = &Record::from_json(&json).unwrap().id[..10];
    let (by_id, ..) = run(quintain(folder).args(["replay", id, "--store", "all.sqlite"]));
    let (by_file, ..) = run(quintain(folder).args(["replay", "good.json"]));
    assert_eq!(by_id, by_file);
}

#[test]
fn a_record_laid_out_by_an_editor_is_the_same_record() {
    let (folder, json) = folder_with_record();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert_ne!(pretty, json);
    fs::write(folder.path().join("pretty.json"), pretty).unwrap();
    let (_, error, status) = run(quintain(folder.path()).args(["verify", "pretty.json"]));
    assert_eq!(status, 0, "{error}");
}

/// Makes a lesson in the folder `lessons`, and returns what the command says.
fn make_lesson(folder: &Path) -> String {
    let scenario = ["--scenario", "empty?width=12&height=12", "--out", "lessons"];
    let (out, error, status) = run(quintain(folder).args(["lesson", "tron/space"]).args(scenario));
    assert_eq!(status, 0, "{error}");
    out
}

#[test]
fn broken_lessons_are_named_and_the_others_count() {
    let folder = tempfile::tempdir().unwrap();
    make_lesson(folder.path());
    let lessons = folder.path().join("lessons");
    let good = fs::read_to_string(lessons.join("0001.json")).unwrap();
    fs::write(lessons.join("0002.json"), "{").unwrap();
    fs::write(lessons.join("0003.json"), good.replacen("#    #", "#   ##", 1)).unwrap();
    fs::write(lessons.join("0004.json"), good.replace("\"seat\": 1", "\"seat\": 7")).unwrap();
    let arguments = ["lessons", "run", "tron/champion", "lessons"];
    let (out, error, status) = run(quintain(folder.path()).args(arguments));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "tron/champion passes 1 of 4 lessons", "{out}");
    assert!(lines[1].starts_with("pass 0001.json: "), "{out}");
    assert!(lines[2].starts_with("broken 0002.json: not a lesson: "), "{out}");
    assert!(lines[3].starts_with("broken 0003.json: "), "{out}");
    assert!(lines[3].contains("a board that was edited is another lesson"), "{out}");
    assert_eq!(lines[4], "broken 0004.json: its seat 7 does not decide there; expected 0 or 1");
    assert_eq!((error.as_str(), status), ("error: 3 lessons cannot be used\n", 2));
}

#[test]
fn a_match_played_for_a_lesson_is_named_only_if_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let unstored = make_lesson(folder.path());
    assert!(unstored.contains("that was played for it"), "{unstored}");
    let lesson = fs::read_to_string(folder.path().join("lessons/0001.json")).unwrap();
    assert!(!lesson.contains("\"origin\""), "{lesson}");
    let stored = ["match", "tron", "random", "random", "--store", "quintain.sqlite"];
    assert_eq!(run(quintain(folder.path()).args(stored)).2, 0);
    let named = make_lesson(folder.path());
    let id = named.split("from match ").nth(1).unwrap().split(',').next().unwrap();
    let (_, error, status) = run(quintain(folder.path()).args(["verify", id]));
    assert_eq!(status, 0, "{error}");
}

#[test]
fn what_cannot_make_a_lesson_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let (_, error, status) = run(quintain(folder.path()).args(arguments));
        assert_eq!(status, 2, "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    let both = refused(&["lesson", "tron/space", "--record", "a", "--against", "basic"]);
    assert!(both.contains("--against"), "{both}");
    let unknown = refused(&["lesson", "bot:nobody"]);
    assert!(unknown.contains("there is no bots.toml"), "{unknown}");
    let missing = refused(&["lessons", "run", "tron/space", "nowhere"]);
    assert_eq!(missing, "error: cannot read nowhere: there is no such folder\n");
}
