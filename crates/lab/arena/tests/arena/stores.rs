//! Stores: what is found in them, and what is reported when they are broken, locked, full or not
//! stores at all.

use std::path::{Path, PathBuf};

use quintain_arena::{Tournament, run, standings_of};
use quintain_core::{Record, Setup};
use quintain_standings::Standings;
use quintain_store::{Filter, RecordRow, Store, StoreError};
use rusqlite::Connection;

use crate::count::catalog;
use crate::{error_of, play, records, tournament};

const CUP: &str = r#"
    name = "cup"
    game = "count"
    scenarios = ["table", "table?target=40"]
    players = ["random", "steady", "greedy"]
    seeds = 10
"#;

/// A store in its own directory, with a tournament played.
fn play_tournament() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    play(&tournament(CUP), &mut Store::open(&path).unwrap(), 2);
    (directory, path)
}

fn open_error(path: &Path) -> String {
    let writing = Store::open(path).map(drop).unwrap_err().to_string();
    let reading = Store::open_to_read(path).map(drop).unwrap_err().to_string();
    assert_eq!(writing, reading);
    assert!(!writing.contains('\n'), "{writing}");
    writing
}

/// The error of opening a store that somebody else has altered.
fn error_after(sql: &str) -> String {
    let (_directory, path) = play_tournament();
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    open_error(&path)
}

#[test]
fn a_store_whose_tables_compute_is_refused() {
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";
    for table in ["records", "tournaments", "tournament_records", "meta"] {
        let error = error_after(&format!(
            "ALTER TABLE {table} RENAME TO other;
             CREATE VIEW {table} AS {endless} SELECT other.* FROM other, c WHERE c.x < 0"
        ));
        assert!(error.contains("a table of it is a view"), "{table}: {error}");
    }
    let column = "ALTER TABLE records ADD COLUMN more AS (printf('%.*c', 1000000000, 'x'))";
    assert!(error_after(column).contains("a column of it is computed"));
    for index in ["(length(json || json))", "(json) WHERE json LIKE '%a%a%a%b'"] {
        let error = error_after(&format!("CREATE INDEX more ON records {index}"));
        assert!(error.contains("an index of it is computed"), "{index}: {error}");
    }
}

#[test]
fn triggers_and_conditions_that_a_store_brings_along_do_not_run() {
    let (_directory, path) = play_tournament();
    let before = Store::open(&path).unwrap().records().unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TRIGGER more AFTER INSERT ON records BEGIN DELETE FROM tournament_records; END;
             CREATE TRIGGER endless BEFORE INSERT ON records BEGIN
                 INSERT INTO meta WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
                 SELECT x, x FROM c; END;
             PRAGMA writable_schema = 1;
             UPDATE sqlite_schema SET sql = replace(sql, 'json       TEXT NOT NULL',
                 'json       TEXT NOT NULL CHECK (json = 1)') WHERE name = 'records';",
        )
        .unwrap();
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.insert(None, &[row(&record(1_000_000))]).unwrap().new, 1);
    assert_eq!(store.records().unwrap(), before + 1);
    assert_eq!(store.losses().unwrap(), [""; 0]);
}

#[test]
fn a_value_that_no_record_has_is_refused_before_it_is_read() {
    let (_directory, path) = play_tournament();
    let long = "UPDATE tournaments SET name = printf('%.*c', 300000000, 'x')";
    Connection::open(&path).unwrap().execute_batch(long).unwrap();
    let error = Store::open_to_read(&path).unwrap().tournaments().unwrap_err().to_string();
    assert!(error.contains("too big"), "{error}");
}

#[cfg(unix)]
#[test]
fn pipes_and_links_in_place_of_a_stores_files_are_refused() {
    let make_pipe = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let (directory, path) = play_tournament();
    let beside = |ending: &str| directory.path().join(format!("store.db{ending}"));
    let victim = directory.path().join("victim");
    std::fs::write(&victim, "mine").unwrap();
    for ending in ["-wal", "-shm", "-journal"] {
        make_pipe(&beside(ending));
        assert!(open_error(&path).contains("is a pipe, a link or a device"), "{ending}");
        std::fs::remove_file(beside(ending)).unwrap();
        std::os::unix::fs::symlink(&victim, beside(ending)).unwrap();
        assert!(open_error(&path).contains("is a pipe, a link or a device"), "{ending}");
        std::fs::remove_file(beside(ending)).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    // What says that a tournament is being played.
    make_pipe(&beside("-run-1"));
    assert!(!Store::open(&path).unwrap().tournaments().unwrap()[0].is_running);
    make_pipe(&beside("-pipe"));
    assert!(open_error(&beside("-pipe")).contains("is a pipe, a link or a device"));
}

fn record(seed: u64) -> Record {
    let catalog = catalog();
    let game = catalog.game("count", "table").unwrap();
    let random = catalog.player("count", "random").unwrap();
    game.play(&Setup::new(seed), &[&random, &random], None).unwrap()
}

fn row(record: &Record) -> RecordRow {
    RecordRow::new(record, std::time::Duration::from_micros(5))
}

/// What a store reports as missing after a change from outside.
fn losses_after(sql: &str) -> Vec<String> {
    let (_directory, path) = play_tournament();
    assert_eq!(Store::open_to_read(&path).unwrap().losses().unwrap(), [""; 0]);
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    Store::open_to_read(&path).unwrap().losses().unwrap()
}

/// The matches that count for a tournament: scenario, seed and players.
fn fixtures_of(store: &Store, tournament: quintain_store::TournamentId) -> Vec<String> {
    let mut names = Vec::new();
    let each = |result: quintain_standings::MatchResult<'_>, _: &dyn Fn() -> Option<u64>| {
        names.push(format!("{} {} {:?}", result.scenario, result.seed, result.players));
        Ok::<(), StoreError>(())
    };
    store.results(&Filter::tournament(tournament), each).unwrap();
    names.sort();
    names
}

#[test]
fn tournaments_on_map_files_count_their_own_matches_and_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let map = |name: &str, rows: [&str; 5]| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("7 5\n{}\n", rows.join("\n"))).unwrap();
        format!("file?path={}", path.display())
    };
    let open = map("open.txt", ["#######", "#1    #", "#     #", "#    2#", "#######"]);
    let split = map("split.txt", ["#######", "#1    #", "# ### #", "#    2#", "#######"]);
    let catalog = quintain_games::catalog();
    let cup = |name: &str, scenarios: &[&str]| {
        let text = format!(
            "name = '{name}'\ngame = 'tron'\nscenarios = {scenarios:?}\n\
             players = ['basic', 'space']\nseeds = 3"
        );
        crate::tournament_in(&catalog, &text)
    };
    // Other matches come first, so that the store numbers matches and maps differently.
    let mut store = Store::in_memory().unwrap();
    for (name, scenarios) in [
        ("before", &["hackerrank", "riddles"][..]),
        ("maps", &[&open, &split]),
        ("one", &["riddles", &open]),
    ] {
        let tournament = cup(name, scenarios);
        let summary = play(&tournament, &mut store, 2);
        let info = store.tournament(Some(name)).unwrap();
        let counted = fixtures_of(&store, info.id);
        assert_eq!(counted.len() as u64, summary.total, "{name}: {counted:?}");
        let mut alone = Store::in_memory().unwrap();
        play(&tournament, &mut alone, 1);
        let own = alone.tournament(Some(name)).unwrap();
        assert_eq!(counted, fixtures_of(&alone, own.id), "{name}");
        assert_eq!(store.losses().unwrap(), [""; 0], "{name}");
        standings_of(&store, &info).unwrap();
    }
}

#[test]
fn a_record_that_is_deleted_is_missed() {
    let both = |count| {
        [
            format!("the store: {count} of 120 records are missing"),
            format!("tournament cup: {count} of 120 records are missing"),
        ]
    };
    let first = "(SELECT min(record) FROM records)";
    let links = format!("DELETE FROM tournament_records WHERE record = {first}");
    assert_eq!(losses_after(&links), both(1)[1..]);
    let record = format!("DELETE FROM records WHERE record = {first}");
    assert_eq!(losses_after(&format!("PRAGMA foreign_keys = OFF; {record}")), both(1));
    assert_eq!(losses_after(&format!("{links}; {record}")), both(1));
    assert_eq!(losses_after("DELETE FROM tournament_records; DELETE FROM records"), both(120));
    let exchanged = losses_after("UPDATE records SET id = zeroblob(16) WHERE record = 1");
    assert_eq!(exchanged[0], "the store: other records than those that were written");
    let forgotten = losses_after("DELETE FROM meta WHERE key LIKE 'tally of%'");
    assert_eq!(forgotten, ["tournament cup: the note of how many records count is gone"]);
    let scribbled = losses_after("UPDATE meta SET value = 'none' WHERE key = 'tally'");
    assert_eq!(scribbled, ["the store: other records than those that were written"]);
}

#[test]
fn a_tournament_that_is_changed_is_noticed() {
    let changed = losses_after("UPDATE tournaments SET definition = replace(definition, '1', '2')");
    assert_eq!(changed, ["tournament cup: its definition was changed after it was entered"]);
    let renamed = losses_after("UPDATE tournaments SET name = 'final'");
    assert_eq!(renamed, ["tournament final: its name is cup, but it says final"]);
}

#[test]
fn nothing_is_missed_in_whatever_way_records_came() {
    let (directory, path) = play_tournament();
    // A store from before notes were kept, its tournament unfinished; other matches are added.
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("DELETE FROM meta WHERE key LIKE 'tally%'").unwrap();
    assert_eq!(Store::open_to_read(&path).unwrap().losses().unwrap(), [""; 0]);
    let mut store = Store::open(&path).unwrap();
    store.insert(None, &[row(&record(900)), row(&record(900))]).unwrap();
    play(&tournament(&CUP.replace("seeds = 10", "seeds = 12")), &mut store, 2);
    play(&tournament(&CUP.replace("cup", "other cup")), &mut store, 2);
    assert_eq!(store.losses().unwrap(), [""; 0]);
    let mut joined = Store::open(&directory.path().join("joined.db")).unwrap();
    joined.insert(None, &[row(&record(901))]).unwrap();
    for _ in 0..2 {
        joined.merge(&store).unwrap();
        assert_eq!(joined.losses().unwrap(), [""; 0]);
    }
    drop(joined);
    let forget = "DELETE FROM tournament_records WHERE record = 2;
        DELETE FROM records WHERE record = 2";
    let joined = Connection::open(directory.path().join("joined.db")).unwrap();
    joined.execute_batch(forget).unwrap();
    let joined = Store::open_to_read(&directory.path().join("joined.db")).unwrap();
    assert!(joined.losses().unwrap()[0].ends_with("1 of 146 records are missing"), "counted on");
}

#[test]
fn filters_find_what_they_say() {
    let (_directory, path) = play_tournament();
    let store = Store::open_to_read(&path).unwrap();
    let count = |filter: &Filter| {
        let mut count = 0;
        let each = |_: &_| {
            count += 1;
            Ok::<(), StoreError>(())
        };
        store.matches(filter, each).unwrap();
        count
    };
    let all = Filter::default();
    let cup = Filter::tournament(store.tournament(None).unwrap().id);
    assert_eq!(count(&all), 120);
    assert_eq!(count(&cup), 120);
    let greedy = Filter { player: Some("greedy".to_owned()), ..cup.clone() };
    assert_eq!(count(&greedy), 80);
    let table = Some("table".to_owned());
    assert_eq!(count(&Filter { scenario: table.clone(), ..greedy.clone() }), 40);
    assert_eq!(count(&Filter { scenario: table, limit: Some(7), ..greedy }), 7);
    assert_eq!(count(&Filter { game: Some("tron".to_owned()), ..all }), 0);
}

#[test]
fn a_record_is_found_by_the_first_digits_of_its_id() {
    let (_directory, path) = play_tournament();
    let store = Store::open_to_read(&path).unwrap();
    let texts = records(&store);
    for text in texts.iter().take(10) {
        let id = Record::from_json(text).unwrap().id;
        assert_eq!(&store.get(&id).unwrap().json, text);
        assert_eq!(&store.get(&id[..13]).unwrap().json, text);
        assert_eq!(store.get(&id.to_uppercase()[..14]).unwrap().id, id);
        // With its last digit changed there is no such record, and this one is the nearest.
        let last = if id.ends_with('0') { "1" } else { "0" };
        let wrong = format!("{}{last}", &id[..31]);
        let said = store.get(&wrong).unwrap_err().to_string();
        assert_eq!(said, format!("no record begins with {wrong}; the nearest is {id}"));
    }
    // With 120 records, two of them must share their first digit.
    let first = (0..16).map(|digit| format!("{digit:x}"));
    let ambiguous = first.filter_map(|digit| store.get(&digit).err()).any(|error| {
        matches!(&error, StoreError::AmbiguousRecord { ids, .. } if ids.len() >= 2)
            && error.to_string().starts_with("more than one record begins with ")
    });
    assert!(ambiguous);
    let error_of = |prefix: &str| store.get(prefix).unwrap_err().to_string();
    assert!(error_of("xyz").contains("“xyz” is not a record id"));
    assert!(error_of("").contains("is not a record id"));
    let empty = Store::in_memory().unwrap();
    let said = empty.get("a0").unwrap_err().to_string();
    assert_eq!(said, "no record begins with a0: the store has no records");
}

#[test]
fn tournaments_are_listed_and_found_by_name() {
    let (_directory, path) = play_tournament();
    let mut store = Store::open(&path).unwrap();
    play(&tournament(&CUP.replace("seeds = 10", "seeds = 2")), &mut store, 1);
    play(&tournament(&CUP.replace("cup", "league")), &mut store, 1);
    let all = store.tournaments().unwrap();
    assert_eq!(all.len(), 3);
    let cup = all.iter().find(|known| known.name == "cup" && known.played == 24).unwrap();
    assert_eq!((cup.fixtures, cup.format.as_str(), cup.game.as_str()), (24, "versus", "count"));
    assert!(cup.file.contains("seeds = 2"));
    let error = store.tournament(Some("leage")).unwrap_err().to_string();
    assert_eq!(error, "unknown tournament “leage”; did you mean “league”?");
    let empty = Store::in_memory().unwrap().tournament(None).unwrap_err().to_string();
    assert!(empty.contains("the store has no tournaments yet"), "{empty}");
}

#[test]
fn the_view_of_results_has_one_row_a_seat() {
    let (_directory, path) = play_tournament();
    let sql = Connection::open(&path).unwrap();
    let count = |query: &str| sql.query_row(query, [], |row| row.get::<_, f64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM results WHERE tournament = 'cup'"), 240.0);
    assert_eq!(count("SELECT count(*) FROM results WHERE player = 'greedy' AND at_fault"), 80.0);
    assert_eq!(count("SELECT sum(score) FROM results WHERE player = 'greedy'"), 0.0);
    assert_eq!(count("SELECT sum(score) FROM results WHERE scenario = 'table' AND seed = 3"), 6.0);
}

#[test]
fn a_row_that_comes_twice_counts_once() {
    let mut store = Store::in_memory().unwrap();
    let rows: Vec<RecordRow> = (0..5).map(|seed| row(&record(seed))).collect();
    assert_eq!(store.insert(None, &rows).unwrap().new, 5);
    let again = store.insert(None, &rows).unwrap();
    assert_eq!((again.new, again.known, again.conflicts.len()), (0, 5, 0));
    assert_eq!(store.records().unwrap(), 5);
}

#[test]
fn another_record_of_the_same_fixture_is_a_conflict_and_the_first_stays() {
    let mut store = Store::in_memory().unwrap();
    let honest = record(1);
    let mut other = honest.clone();
    other.outcome.scores.reverse();
    store.insert(None, &[row(&honest)]).unwrap();
    let inserted = store.insert(None, &[row(&other)]).unwrap();
    assert_eq!(inserted.conflicts, std::slice::from_ref(&honest.id));
    assert_eq!(records(&store), [honest.to_json()]);

    // Notes are kept or not as the user likes; they do not make it a different match.
    let mut noted = honest.clone();
    let seat = quintain_core::Seat::new(0);
    noted.notes.push(quintain_core::Note { turn: 0, seat, name: "depth".into(), value: 3.0 });
    assert_eq!(store.insert(None, &[row(&noted)]).unwrap().known, 1);
}

#[test]
fn logs_of_programs_follow_their_record() {
    let add_log = |record: &Record, text: &str| {
        let content = quintain_core::LogContent::Stderr(text.to_owned());
        let entry = quintain_core::LogEntry { turn: 2, seat: quintain_core::Seat::new(0), content };
        Record { log: vec![entry], ..record.clone() }
    };
    let mut store = Store::in_memory().unwrap();
    let silent = record(1);
    store.insert(None, &[row(&silent)]).unwrap();
    assert!(store.load(&silent.id).unwrap().log.is_empty(), "without a table for it");
    let talks = add_log(&record(2), "depth 3");
    assert_eq!(store.insert(None, &[row(&talks)]).unwrap().new, 1);
    assert_eq!(store.load(&talks.id).unwrap(), talks);
    // A different log does not make a different record, and what was stored first stays.
    let again = store.insert(None, &[row(&add_log(&talks, "depth 4"))]).unwrap();
    assert_eq!((again.known, again.conflicts.len()), (1, 0));
    assert_eq!(store.load(&talks.id).unwrap(), talks);

    let mut union = Store::in_memory().unwrap();
    union.merge(&store).unwrap();
    assert_eq!(union.load(&talks.id).unwrap(), talks);
    assert!(union.load(&silent.id).unwrap().log.is_empty());
    store.retract(std::slice::from_ref(&talks.id)).unwrap();
    store.insert(None, &[row(&record(2))]).unwrap();
    assert!(store.load(&talks.id).unwrap().log.is_empty(), "it went with its record");
}

#[test]
fn a_changed_byte_is_found_and_named() {
    let (_directory, path) = play_tournament();
    let honest = records(&Store::open_to_read(&path).unwrap());
    let id = Record::from_json(&honest[3]).unwrap().id;
    let changed = path.with_extension("changed.db");
    let change = |set: &str, to: &str| {
        std::fs::copy(&path, &changed).unwrap();
        let sql = Connection::open(&changed).unwrap();
        let key = format!("UPDATE records SET {set} = {to} WHERE id = unhex('{id}')");
        assert_eq!(sql.execute(&key, []).unwrap(), 1);
        let store = Store::open_to_read(&changed).unwrap();
        let mut found = Vec::new();
        store
            .for_each_record(&Filter::default(), |stored| {
                found.extend(stored.record().err().map(|error| error.to_string()));
                Ok::<(), StoreError>(())
            })
            .unwrap();
        let [said] = &found[..] else { panic!("{found:?}") };
        assert!(said.contains(&id), "{said}");
        said.clone()
    };
    assert!(change("json", "replace(json, 'target reached', 'target reachad')").contains("digest"));
    assert!(change("json", "'{' || json").contains("stored as"));
    let score = change("scores", "'[1.0,1.0]'");
    assert!(score.contains("its column scores says [1.0,1.0], but the record says ["), "{score}");
    assert!(change("seed", "seed + 1").contains("column seed"));
    assert!(change("fault", "'because'").contains("column fault"));
}

/// What the standings of the only tournament are, or why there are none.
fn standings(path: &Path) -> Result<Standings, String> {
    let store = Store::open_to_read(path).map_err(|error| error.to_string())?;
    let tournament = store.tournament(None).map_err(|error| error.to_string())?;
    standings_of(&store, &tournament).map_err(|error| error.to_string())
}

#[test]
fn standings_refuse_what_is_not_as_it_was_written() {
    let (_directory, path) = play_tournament();
    let honest = records(&Store::open_to_read(&path).unwrap());
    let id = Record::from_json(&honest[3]).unwrap().id;
    let changed = path.with_extension("changed.db");
    let change = |sql: &str| {
        std::fs::copy(&path, &changed).unwrap();
        Connection::open(&changed).unwrap().execute_batch(sql).unwrap();
        standings(&changed)
    };
    let column = |set: &str| {
        change(&format!("UPDATE records SET {set} WHERE id = unhex('{id}')")).unwrap_err()
    };
    for set in [
        "scores = '[3.0,1.0]'",
        "seats = '[\"random\",\"random\"]'",
        "scenario = 'table?target=41'",
        "seed = seed + 1",
        "fault_seat = 1",
        "fault = 'timeout: late'",
        "truncated = 1",
        "ending = 'x'",
        "ending = x'ff'",
    ] {
        let said = column(set);
        assert!(said.contains(&id) || said.contains("record number"), "{set}: {said}");
    }
    let first = "(SELECT min(record) FROM tournament_records)";
    let missed = change(&format!("DELETE FROM tournament_records WHERE record = {first}"));
    assert!(missed.unwrap_err().contains("other matches count for it"));
    let entry = change("UPDATE tournaments SET definition = replace(definition, '1', '2')");
    assert!(entry.unwrap_err().contains("its definition was changed"));
    // The checksum is only a quicker way to know that the record agrees.
    let truth = standings(&path).unwrap();
    for same in ["UPDATE records SET checksum = checksum + 1", "UPDATE records SET checksum = NULL"]
    {
        assert!(change(same).unwrap() == truth, "{same}");
    }
}

#[test]
fn a_store_of_an_older_version_has_the_same_standings_and_refuses_the_same() {
    let (_directory, path) = play_tournament();
    let truth = standings(&path).unwrap();
    let older = "ALTER TABLE records DROP COLUMN checksum";
    Connection::open(&path).unwrap().execute_batch(older).unwrap();
    assert!(standings(&path).unwrap() == truth);
    // It gets the column when it is next written to; the old rows are compared with their records.
    let mut writing = Store::open(&path).unwrap();
    writing.insert(None, &[row(&record(7_000))]).unwrap();
    drop(writing);
    let count = "SELECT count(*) FROM records WHERE checksum IS NOT NULL";
    let sql = Connection::open(&path).unwrap();
    assert_eq!(sql.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert!(standings(&path).unwrap() == truth);
    sql.execute_batch("UPDATE records SET scores = '[9.0,1.0]' WHERE record = 7").unwrap();
    assert!(standings(&path).unwrap_err().contains("its column scores says [9.0,1.0]"));
}

#[test]
fn no_flipped_bit_changes_standings_unnoticed() {
    const FLIPS: u64 = 300;
    let (_directory, path) = play_tournament();
    let truth = standings(&path).unwrap();
    let honest = std::fs::read(&path).unwrap();
    let damaged = path.with_extension("damaged.db");
    let mut refused = 0;
    for number in 0..FLIPS {
        let random = quintain_core::split_mix(number);
        let (at, bit) = (random as usize / 8 % honest.len(), random % 8);
        let mut bytes = honest.clone();
        bytes[at] ^= 1 << bit;
        std::fs::write(&damaged, bytes).unwrap();
        match standings(&damaged) {
            Ok(standings) => {
                assert!(standings == truth, "bit {bit} of byte {at}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0, "no flip hit anything");
}

#[test]
fn many_create_one_store_at_once() {
    for _ in 0..10 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        std::thread::scope(|scope| {
            for seed in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    // Some look before there is anything.
                    if seed % 2 == 0 && path.exists() {
                        Store::open_to_read(path).unwrap().records().unwrap();
                    }
                    let mut store = Store::open(path).unwrap();
                    store.insert(None, &[row(&record(seed))]).unwrap();
                });
            }
        });
        let store = Store::open_to_read(&path).unwrap();
        assert_eq!((store.records().unwrap(), store.losses().unwrap()), (8, vec![]));
    }
}

#[test]
fn damage_to_the_file_itself_is_found_wherever_it_is() {
    let (_directory, path) = play_tournament();
    let honest = std::fs::read(&path).unwrap();
    let damaged = path.with_extension("damaged.db");
    assert!(Store::open_to_read(&path).unwrap().check().is_ok());
    // Every page, with noise at its head, since its end may be unused.
    for page in 0..honest.len() / 4096 {
        let mut bytes = honest.clone();
        bytes[page * 4096..][..64].fill(0xA5);
        std::fs::write(&damaged, bytes).unwrap();
        let error = Store::open_to_read(&damaged).and_then(|store| store.check());
        let error = error.expect_err("damage").to_string();
        assert!(!error.contains('\n') && error.contains("damaged.db: "), "{error}");
    }
    std::fs::write(&damaged, &honest[..honest.len() / 2]).unwrap();
    let error = Store::open_to_read(&damaged).and_then(|store| store.check()).unwrap_err();
    assert!(error.to_string().contains("the database file is damaged"), "{error}");
}

#[test]
fn what_is_no_store_says_what_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);

    let text = path("notes.txt");
    std::fs::write(&text, "a text that is long enough to be no database at all\n".repeat(9))
        .unwrap();
    let said = open_error(&text);
    assert!(said.ends_with("notes.txt: it is not a quintain store (not an SQLite database)"));

    let other = path("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let said = open_error(&other);
    assert!(
        said.ends_with("not a quintain store (an SQLite database of another program)"),
        "{said}"
    );

    let newer = path("newer.db");
    drop(Store::open(&newer).unwrap());
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(open_error(&newer).contains("has schema 99, but this version of quintain knows up to"));

    let directory_itself = open_error(directory.path());
    assert!(directory_itself.contains("the store cannot be opened: Is a directory"));
    std::fs::write(path("empty.db"), "").unwrap();
    // Another process may be about to create it.
    let empty = Store::open_to_read(&path("empty.db")).unwrap();
    assert!(empty.is_placeholder());
    assert_eq!((empty.records().unwrap(), empty.path()), (0, &*path("empty.db")));
    drop(Store::open(&path("empty.db")).unwrap());
    assert!(!Store::open_to_read(&path("empty.db")).unwrap().is_placeholder());

    let missing = Store::open_to_read(&path("none.db")).map(drop).unwrap_err().to_string();
    assert!(missing.contains("no such store"), "{missing}");
    assert!(!path("none.db").exists(), "reading makes no store");
}

#[test]
fn a_store_that_may_only_be_read_says_so() {
    let (_directory, path) = play_tournament();
    let mut store = Store::open_to_read(&path).unwrap();
    let error = store.insert(None, &[row(&record(1))]).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly(_)), "{error}");
    assert!(
        error_of(run(&tournament(CUP), &mut store, &<_>::default(), &mut |_| {}))
            .contains("the store cannot be written: it or its directory is read-only")
    );
}

#[test]
fn a_locked_store_says_so_and_loses_nothing() {
    let (_directory, path) = play_tournament();
    let before = records(&Store::open_to_read(&path).unwrap());
    let locker = Connection::open(&path).unwrap();
    locker.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut store = Store::open(&path).unwrap();
    store.wait_for_others(std::time::Duration::ZERO).unwrap();
    let longer = tournament(&CUP.replace("seeds = 10", "seeds = 20"));
    let error = error_of(run(&longer, &mut store, &<_>::default(), &mut |_| {}));
    assert!(error.contains("the store is locked by another process"), "{error}");
    // Readers do not block writers.
    assert_eq!(records(&Store::open_to_read(&path).unwrap()), before);
    locker.execute_batch("ROLLBACK").unwrap();
    assert_eq!(play(&longer, &mut store, 2).played, 120);
}

#[test]
fn a_full_disk_keeps_what_was_committed_and_the_run_goes_on_later() {
    let (_directory, path) = play_tournament();
    let before = records(&Store::open_to_read(&path).unwrap());
    let longer = tournament(&CUP.replace("seeds = 10", "seeds = 400"));
    let mut store = Store::open(&path).unwrap();
    // No more pages than there are, and a few to get started.
    store.limit_pages(40).unwrap();
    let error = error_of(run(&longer, &mut store, &<_>::default(), &mut |_| {}));
    assert!(error.contains("the disk is full; what was committed is safe"), "{error}");
    drop(store);
    let mut store = Store::open(&path).unwrap();
    let kept = records(&store);
    assert!(before.iter().all(|text| kept.contains(text)), "a record was lost");
    assert!((kept.len() as u64) < longer.schedule().len());
    let rest = play(&longer, &mut store, 2);
    assert_eq!(rest.played + kept.len() as u64, longer.schedule().len());
}

/// The tournament with ten seeds and then, under the same name, with another player and five.
fn play_and_change() -> (tempfile::TempDir, Store) {
    let (directory, path) = play_tournament();
    let mut store = Store::open(&path).unwrap();
    let changed = CUP.replace("seeds = 10", "seeds = 5").replace("\"greedy\"", "\"steady?add=2\"");
    play(&tournament(&changed), &mut store, 2);
    (directory, store)
}

#[test]
fn of_tournaments_of_one_name_the_last_counts_in_queries_as_in_standings() {
    let (_directory, store) = play_and_change();
    let [new, old] = &store.tournaments().unwrap()[..] else { panic!("there are two") };
    assert_eq!((new.superseded_by, old.superseded_by), (None, Some(new.id)));
    let sql = Connection::open(store.path()).unwrap();
    let count = |query: &str| sql.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(DISTINCT id) FROM results"), new.played as i64);
    assert_eq!(count("SELECT count(*) FROM results WHERE player = 'greedy'"), 0);
    assert_eq!(count("SELECT count(*) FROM all_results WHERE superseded"), 2 * old.played as i64);
    assert_eq!(count("SELECT run FROM runs WHERE superseded"), old.id.number());
}

#[test]
fn a_store_with_older_views_gets_those_of_now_when_it_is_next_written_to() {
    let (_directory, store) = play_and_change();
    let sql = Connection::open(store.path()).unwrap();
    sql.execute_batch(
        "DROP VIEW results; DROP VIEW all_results; DROP VIEW runs;
         CREATE VIEW results AS SELECT * FROM tournament_records;
         DELETE FROM meta WHERE key = 'views'",
    )
    .unwrap();
    let before = store.tournaments().unwrap();
    let again = Store::open(store.path()).unwrap();
    let count = |query: &str| sql.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(DISTINCT id) FROM results"), before[0].played as i64);
    assert_eq!(again.tournaments().unwrap(), before);
    assert_eq!(again.losses().unwrap(), [""; 0]);
}

#[test]
fn what_is_deleted_takes_only_records_that_nothing_else_needs() {
    let (_directory, mut store) = play_and_change();
    let single = record(987);
    store.insert(None, &[row(&single)]).unwrap();
    let all = store.tournaments().unwrap();
    let (new, old) = (all[0].id, all[1].id);
    let common = all[0].played + all[1].played + 1 - store.records().unwrap();
    assert!(common > 0, "the two tournaments share no match");
    let expected = store.count_removal(&[old]).unwrap();
    assert_eq!((expected.tournaments, expected.records), (1, all[1].played - common));
    assert_eq!(store.remove(&[old]).unwrap(), expected);
    assert_eq!(store.tournaments().unwrap().len(), 1);
    assert_eq!(store.records().unwrap(), all[0].played + 1);
    assert_eq!(store.losses().unwrap(), [""; 0]);
    store.remove(&[new]).unwrap();
    assert_eq!(records(&store), [single.to_json()]);
    assert_eq!(store.losses().unwrap(), [""; 0]);
}

#[test]
fn an_archive_holds_the_same_tournament_and_the_store_no_longer_does() {
    let (_directory, mut store) = play_and_change();
    let (before, all) = (store.tournaments().unwrap(), records(&store));
    let mut archive = Store::in_memory().unwrap();
    store.archive(&[before[1].id], &mut archive).unwrap();
    let moved = archive.tournaments().unwrap();
    assert_eq!((moved.len(), moved[0].played), (1, before[1].played));
    assert_eq!(moved[0].definition, before[1].definition);
    assert_eq!((archive.losses().unwrap(), store.losses().unwrap()), (vec![], vec![]));
    // Nothing is lost: together, the two hold what the one held.
    store.merge(&archive).unwrap();
    assert_eq!(store.tournaments().unwrap().len(), 2);
    assert_eq!(records(&store).len(), all.len());
}

#[test]
fn a_run_from_which_players_were_left_out_does_not_take_the_place_of_a_whole_one() {
    let (directory, path) = play_tournament();
    let file = directory.path().join("cup.toml");
    let play_without = |absent: &str, seeds: &str, store: &mut Store| {
        std::fs::write(&file, CUP.replace(absent, "gone").replace("seeds = 10", seeds)).unwrap();
        let leaves_out = |player: &str| (player == "gone").then(|| "gone is away".to_owned());
        let cup = Tournament::load_able(&file, &catalog(), &leaves_out).unwrap();
        play(&cup, store, 2).tournament
    };
    let mut store = Store::open(&path).unwrap();
    let whole = store.tournament(None).unwrap();
    let partial = play_without("greedy", "seeds = 10", &mut store);
    let current = |store: &Store| store.tournament(Some("cup")).unwrap().id;
    assert_eq!((current(&store), store.tournament(None).unwrap().id), (whole.id, whole.id));
    let info = store.tournament_by_number(partial.number()).unwrap();
    assert_eq!((info.is_partial, info.superseded_by), (true, Some(whole.id)));
    let sql = Connection::open(&path).unwrap();
    let count = |query: &str| sql.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT run FROM runs WHERE NOT superseded"), whole.id.number());
    // A changed file takes its place, as soon as everybody plays.
    play_without("random", "seeds = 4", &mut store);
    assert_eq!(current(&store), whole.id);
    let changed = tournament(&CUP.replace("seeds = 10", "seeds = 4"));
    assert_eq!(play(&changed, &mut store, 2).played, 0);
    let new = store.tournament(None).unwrap();
    assert_eq!((new.is_partial, new.fixtures), (false, changed.schedule().len()));
    assert_eq!(count("SELECT run FROM runs WHERE NOT superseded"), new.id.number());
    assert_eq!(store.losses().unwrap(), [""; 0]);
    // Where nobody has played all of it, the last run is all there is.
    let mut store = Store::in_memory().unwrap();
    let partial = play_without("greedy", "seeds = 10", &mut store);
    assert_eq!(current(&store), partial);
}

#[test]
fn what_another_process_plays_is_not_played_a_second_time() {
    let (_directory, path) = play_tournament();
    let [mut ours, theirs] = [&path, &path].map(|path| Store::open(path).unwrap());
    let id = theirs.tournament(None).unwrap().id;
    let held = theirs.hold_run(id, false, "cup").unwrap();
    assert!(ours.tournament(None).unwrap().is_running);
    let cup = tournament(CUP);
    let said = error_of(run(&cup, &mut ours, &<_>::default(), &mut |_| {}));
    assert!(
        said.contains("another process is playing cup there") && !said.contains('\n'),
        "{said}"
    );
    drop(held);
    assert!(!ours.tournament(None).unwrap().is_running);
    assert_eq!(play(&cup, &mut ours, 2).played, 0);
    // Parts are played beside each other, but not beside the whole.
    let parts = [&ours, &theirs].map(|store| store.hold_run(id, true, "cup").unwrap());
    assert!(theirs.hold_run(id, false, "cup").is_err());
    let [first, second] = parts;
    drop(first);
    assert!(ours.tournament(None).unwrap().is_running);
    drop(second);
    assert_eq!(play(&cup, &mut ours, 2).played, 0);
    // The file of a process that was killed holds nobody up.
    let mut left = path.clone().into_os_string();
    left.push(format!("-run-{}", id.number()));
    std::fs::write(&left, "").unwrap();
    assert_eq!(play(&cup, &mut ours, 2).played, 0);
    assert!(!Path::new(&left).exists());
}
