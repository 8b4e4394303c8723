//! What a contest keeps, and what is written from it: backups while it runs, a site of files,
//! records for as long as host.toml says, and databases of older versions.

use std::fs;

use quintain_host::{ExportOptions, NewContest, admin, backup, export, init, restore, verify};
use quintain_store::{Filter, Store, StoreError, StoredRecord};

use crate::setup::{Contest, WALKER, unzip, walker_beginning};

#[test]
fn results_wait_for_a_database_that_fails_and_none_stays_under_way() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    let played = || contest.one("SELECT count(*) FROM matches WHERE record IS NOT NULL");
    server.until("the house plays", |_| played() > 0);
    // From some match on, there is room for one result only: as on a full disk, the next ones
    // cannot be entered.
    let last = contest.one("SELECT max(id) FROM matches") + 200;
    let full = format!(
        "CREATE UNIQUE INDEX full ON matches (id * 0) WHERE record IS NOT NULL AND id > {last}"
    );
    contest.database().execute_batch(&full).unwrap();
    server.until("the host is not well", |server| server.get("/health").status == 503);
    let stuck = contest.one("SELECT max(id) FROM matches");
    assert!(contest.one("SELECT count(*) FROM matches WHERE record IS NULL") > 0);
    contest.database().execute_batch("DROP INDEX full").unwrap();
    server.until("all that were under way are entered", |_| {
        contest.one(&format!(
            "SELECT count(*) FROM matches WHERE record IS NULL AND id <= {stuck} + 1"
        )) == 0
            && contest.one("SELECT max(id) FROM matches") > stuck + 1
    });
}

#[test]
fn a_backup_taken_while_matches_are_played_is_a_whole_contest() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("matches go on", |server| server.count_played() > 5);
    let copy = contest.at().join("copy");
    backup(&contest.cup(), &copy).unwrap();
    let seen = server.count_played();
    server.until("matches go on", |server| server.count_played() > seen);
    drop(server);
    assert!(backup(&contest.cup(), &copy).is_err(), "nothing is overwritten");
    // The contest is lost; its copy goes on.
    fs::remove_dir_all(contest.cup()).unwrap();
    restore(&copy, &contest.cup()).unwrap();
    contest.verify();
    let server = contest.serve();
    assert!(server.get("/").body.contains(">ada<"));
    let before = server.count_played();
    server.until("matches go on", |server| server.count_played() > before);
    drop(server);
    // A damaged copy is reported.
    let file = copy.join("host.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle.max(8192)].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    assert!(restore(&copy, &contest.at().join("other")).is_err());
}

#[test]
fn the_site_of_files_has_only_public_data() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, &walker_beginning("print('my secret plan', file=sys.stderr)"));
    server.until("matches go on", |server| server.count_played() > 10);
    drop(server);
    let site = contest.export("site", 5, false);
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(index.contains(">ada<") && !index.contains("<script"), "{index}");
    let page = index.split("href=\"matches/").nth(1).unwrap().split('"').next().unwrap();
    assert!(fs::read_to_string(site.join("matches").join(page)).unwrap().contains("<script"));
    let store = Store::open_to_read(&site.join("matches.sqlite")).unwrap();
    let mut verified = 0;
    let verify = |stored: &StoredRecord| {
        contest.catalog.verify(&stored.record()?).unwrap();
        verified += 1;
        Ok::<(), StoreError>(())
    };
    store.for_each_record(&Filter::default(), verify).unwrap();
    assert!(verified > 0);
    let research = contest.export("research", 5, true);
    for folder in [&site, &research] {
        for file in files_below(folder) {
            let bytes = fs::read(&file).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|at| at == text.as_bytes());
            assert!(!has("my secret plan") && !has(&ada), "{}", file.display());
            assert!(folder == &site || !has("ada"), "{}", file.display());
        }
    }
}

#[test]
fn a_map_is_part_of_its_contest() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let catalog = quintain_games::catalog();
    let map = "#######\n#1    #\n#     #\n#    2#\n#######\n";
    fs::write(at("small.txt"), map).unwrap();
    let new = NewContest {
        game: "tron".to_owned(),
        scenarios: vec![format!("file?path={}", at("small.txt").display())],
        ..NewContest::default()
    };
    init(&at("cup"), &new, &catalog).unwrap();
    // It does not need the original any more, wherever it is served from.
    fs::remove_file(at("small.txt")).unwrap();
    let file = fs::read_to_string(at("cup/host.toml")).unwrap();
    assert!(file.contains("file?path=maps/small.txt&digest="), "{file}");
    admin::users(&at("cup"), &catalog).unwrap();
    backup(&at("cup"), &at("copy")).unwrap();
    let options = ExportOptions { matches: 1, is_anonymous: false };
    export(&at("copy"), &at("site"), &catalog, options).unwrap();
    for copy in ["cup", "copy", "site"] {
        assert_eq!(fs::read_to_string(at(copy).join("maps/small.txt")).unwrap(), map);
    }
    assert!(fs::read_to_string(at("site/index.html")).unwrap().contains("maps/small.txt"));
    // A ladder does not mix two boards.
    fs::write(at("cup/maps/small.txt"), map.replace("#     #", "#  #  #")).unwrap();
    let refused = admin::users(&at("cup"), &catalog).map(drop).unwrap_err().to_string();
    assert!(refused.contains("has changed since the contest began"), "{refused}");
}

#[test]
fn the_rules_page_and_kits_bring_the_file_of_a_scenario_in_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let unit = r#"{"members":[{"x":0,"y":0}],"pivot":{"x":0,"y":0}}"#;
    let problem = format!(
        r#"{{"id":0,"units":[{unit}],"width":4,"height":4,"filled":[],"sourceLength":3,
        "sourceSeeds":[0]}}"#
    );
    let files = [
        ("tron", "small.txt", "#######\n#1    #\n#     #\n#    2#\n#######\n"),
        ("hextris", "problem.json", &problem),
        ("polymer", "chain.txt", "HPHPPHHPHPPHPHHPPHPH\n"),
        ("pentocity", "requests.txt", "X\n3x4\n"),
    ];
    for (game, file, text) in files {
        let path = folder.path().join(file);
        fs::write(&path, text).unwrap();
        let scenario = format!("file?path={}", path.display());
        let Some(contest) = Contest::of(game, &[&scenario], &[]) else { return };
        fs::remove_file(&path).unwrap();
        let server = contest.serve();
        let page = server.get("/rules").body;
        assert!(page.contains("the file ") && page.contains(file), "{page}");
        let link = page.split('"').find(|part| part.starts_with("/maps/")).unwrap();
        assert_eq!(server.get(link).body, text);
        assert_eq!(server.get("/maps/0123456789ab").status, 404);
        unzip(&server.bytes("/kits/python.zip"), contest.at());
        let kit = contest.at().join(format!("{game}-python"));
        assert_eq!(fs::read_to_string(kit.join("maps").join(file)).unwrap(), text);
        let guide = fs::read_to_string(kit.join("CONTEST.md")).unwrap();
        let scenario = format!("{game}:file?path=maps/{file}&digest=");
        assert!(guide.contains(&scenario), "{guide}");
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn old_records_are_deleted_as_host_toml_says_and_their_results_stay() {
    let Some(contest) = Contest::new() else { return };
    contest
        .edit(&[("matches = 1000", "matches = 200"), ("# keep_records = 200", "keep_records = 5")]);
    let server = contest.serve();
    server.until("the ladder rests", |server| server.count_played() == 200);
    let store = contest.cup().join("matches.sqlite");
    let count_records = || {
        let store = rusqlite::Connection::open(&store).unwrap();
        store.query_row("SELECT count(*) FROM records", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    server.until("records have gone", |_| count_records() == 5);
    // A match that cannot be watched has no link.
    let page = server.get("/").body;
    let link = page.split("href=\"/participants/").nth(1).unwrap().split('"').next().unwrap();
    let page = server.get(&format!("/participants/{link}")).body;
    assert_eq!(page.matches("href=\"/matches/").count(), 5, "{page}");
    let copy = contest.at().join("copy");
    backup(&contest.cup(), &copy).unwrap();
    drop(server);
    for folder in [contest.cup(), copy] {
        let report = verify(&folder, &contest.catalog).unwrap();
        assert_eq!((report.gone, report.good, report.bad.len()), (195, 5, 0));
    }
    // The grades cover all matches; other columns can be requested by name.
    let grades = contest.grades(&["name", "matches", "glicko2", "glicko2_deviation"]);
    let mut lines = grades.lines();
    assert_eq!(lines.next(), Some("name,matches,glicko2,glicko2_deviation"));
    let of = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[1], "200", "{row}");
        (cells[2].parse::<f64>().unwrap(), cells[3].parse::<f64>().unwrap())
    };
    let ratings: Vec<(f64, f64)> = lines.map(of).collect();
    assert_eq!(ratings.len(), 2);
    assert!(ratings[0].0 > 1500.0 && ratings[1].0 < 1500.0 && ratings[0].1 < 350.0, "{grades}");
    let columns = ["name", "marks"].map(str::to_owned);
    let refused = admin::grades(&contest.cup(), &contest.catalog, &columns).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("no column \"marks\"; there are rank, name"), "{refused}");
}

#[test]
fn a_contest_with_the_first_schema_is_opened() {
    let Some(contest) = Contest::new() else { return };
    fs::remove_file(contest.cup().join("host.sqlite")).unwrap();
    let old = contest.database();
    old.execute_batch(include_str!("../../src/schema.sql")).unwrap();
    old.execute_batch(
        "INSERT INTO participants (id, name) VALUES (1, 'ada'), (2, 'bob');
         INSERT INTO versions (id, participant, number, digest, stage, at)
         VALUES (1, 1, 1, 'a', 'passed', 1), (2, 2, 1, 'b', 'passed', 2);
         UPDATE participants SET active = id;
         INSERT INTO matches (scenario, seed, seats, record, scores, at)
         VALUES ('empty?width=7&height=7', 5, '1 2', 'ab', '1 0', 3);
         PRAGMA user_version = 1;",
    )
    .unwrap();
    drop(old);
    let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
    assert!(users.iter().any(|user| user.name == "ada"), "{users:?}");
    let seats = "SELECT count(*) FROM seats WHERE match = 1 AND version IN (1, 2)";
    assert_eq!(contest.one(seats), 2);
}
