//! What is kept of a contest: backups while it runs, a site of files, commands of the organiser.

use std::fs;

use crate::contest::{Contest, output, quintain, token_in};

#[test]
fn a_backup_that_is_taken_while_matches_go_on_is_a_whole_contest() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    server.until("matches go on", |server| server.count_played() > 5);
    contest.host("backup", &["copy"]);
    let seen = server.count_played();
    server.until("matches go on", |server| server.count_played() > seen);
    drop(server);
    let again = output(contest.at(), &["host", "backup", "cup", "copy"]);
    assert_eq!(again.status.code(), Some(2), "nothing is overwritten");
    // The contest is lost; its copy goes on.
    fs::remove_dir_all(contest.at().join("cup")).unwrap();
    quintain(contest.at(), &["host", "restore", "copy", "cup"]);
    let said = contest.host("verify", &[]);
    assert!(said.contains("matches verified"), "{said}");
    let server = contest.serve();
    assert!(server.get("/").body.contains(">ada<"));
    let before = server.count_played();
    server.until("matches go on", |server| server.count_played() > before);
    drop(server);
    // A damaged copy is reported.
    let file = contest.at().join("copy/host.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096..middle.max(8192)].fill(0x5a);
    fs::write(&file, bytes).unwrap();
    let said = output(contest.at(), &["host", "restore", "copy", "other"]);
    assert!(!said.status.success());
}

#[test]
fn the_site_of_files_says_what_is_public_and_no_more() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    let begin = "def main():\n";
    let telling = format!("{begin}    print('my secret plan', file=sys.stderr)\n");
    let chatty = source.replace(begin, &telling);
    assert_ne!(chatty, source);
    let checked = server.hand_in_file_and_wait(&ada, "bot.py", chatty.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("matches go on", |server| server.count_played() > 10);
    drop(server);
    contest.host("export", &["site"]);
    let site = contest.at().join("site");
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(index.contains(">ada<") && !index.contains("<script"), "{index}");
    let page = index.split("href=\"matches/").nth(1).unwrap().split('"').next().unwrap();
    assert!(fs::read_to_string(site.join("matches").join(page)).unwrap().contains("<script"));
    quintain(&site, &["verify", "--store", "matches.sqlite"]);
    contest.host("export", &["research", "--anonymous"]);
    for folder in ["site", "research"] {
        for file in files_below(&contest.at().join(folder)) {
            let bytes = fs::read(&file).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|at| at == text.as_bytes());
            assert!(!has("my secret plan") && !has(&ada), "{}", file.display());
            assert!(folder == "site" || !has("ada"), "{}", file.display());
        }
    }
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn the_organisers_commands_work_while_the_host_runs_and_are_written_down() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    assert!(contest.host("users", &[]).contains("on the ladder, version 1 (1 handed in)"));
    assert!(contest.host("pause", &[]).starts_with("paused"));
    assert!(contest.host("pause", &[]).contains("already"));
    assert!(server.get("/").body.contains("paused"));
    assert!(contest.host("resume", &[]).starts_with("resumed"));
    assert!(
        contest.host("phase", &[]).contains("> open: from the beginning; programs are accepted")
    );
    assert!(contest.host("rejudge", &["ada"]).starts_with("1 to be checked"));
    server.until("it is checked anew", |_| {
        let sql = "SELECT stage FROM versions WHERE digest <> ''";
        contest.database().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap() == "passed"
    });
    assert!(contest.host("ban", &["ada"]).contains("ada is banned"));
    assert!(contest.host("ban", &["ada"]).contains("already"));
    assert!(!server.get("/").body.contains(">ada<"));
    contest.host("ban", &["ada", "--lift"]);
    assert!(server.get("/").body.contains(">ada<"));
    let said = contest.host("audit", &[]);
    for what in [
        "organiser: paused",
        "organiser: resumed",
        "ada: handed in version 1",
        "a version of ada is checked anew",
        "banned ada",
        "let in again: ada",
    ] {
        assert_eq!(said.matches(what).count(), 1, "{what}: {said}");
    }
    // The same through the page.
    let organiser = server.sign_in(&contest.organiser);
    let send_form = |what: &str, body: &str| {
        server.form(&format!("/organiser/{what}"), &organiser, body).status
    };
    assert_eq!(send_form("phase", "phase=open"), 303);
    assert!(contest.host("phase", &[]).contains("(chosen; with `auto`"));
    assert_eq!(send_form("phase", "phase="), 303);
    assert!(!contest.host("phase", &[]).contains("(chosen; with `auto`"));
    assert_eq!(send_form("rejudge", "name=ada"), 303);
    assert_eq!((send_form("phase", "phase=never"), send_form("rejudge", "name=eve")), (400, 422));
    // A second host of the same contest would play its matches twice.
    let second = output(contest.at(), &["host", "serve", "cup", "--port", "0"]);
    assert_eq!(second.status.code(), Some(2));
    let said = String::from_utf8(second.stderr).unwrap();
    let process = format!("cup is served already, by process {}", server.process());
    assert!(said.contains(&process), "{said}");
    for bad in [&["ban", "cup", "eve"][..], &["rejudge", "cup", "eve"], &["phase", "cup", "no"]] {
        let said = output(contest.at(), &[&["host"], bad].concat());
        assert_eq!(said.status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn records_go_by_the_rule_and_results_stay() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    contest
        .edit(&[("matches = 1000", "matches = 200"), ("# keep_records = 200", "keep_records = 5")]);
    let server = contest.serve();
    server.until("the ladder rests", |server| server.count_played() == 200);
    let store = contest.at().join("cup/matches.sqlite");
    let records = || {
        let store = rusqlite::Connection::open(&store).unwrap();
        store.query_row("SELECT count(*) FROM records", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    server.until("records have gone", |_| records() == 5);
    // A match that cannot be watched has no link.
    let page = server.get("/").body;
    let link = page.split("href=\"/participants/").nth(1).unwrap().split('"').next().unwrap();
    let page = server.get(&format!("/participants/{link}")).body;
    assert_eq!(page.matches("href=\"/matches/").count(), 5, "{page}");
    contest.host("backup", &["copy"]);
    drop(server);
    for folder in ["cup", "copy"] {
        let said = quintain(contest.at(), &["host", "verify", folder]);
        assert!(said.contains("no longer kept: 195\n5 matches verified"), "{said}");
    }
    // The grades cover all matches; other columns can be requested by name.
    let grades = contest.host("grades", &["--columns", "name,matches,glicko2,glicko2_deviation"]);
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
    let refused = output(contest.at(), &["host", "grades", "cup", "--columns", "name,marks"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no column \"marks\"; there are rank, name"), "{said}");
}

#[test]
fn a_contest_of_the_first_schema_is_opened() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let file = contest.at().join("cup/host.sqlite");
    fs::remove_file(&file).unwrap();
    let old = contest.database();
    old.execute_batch(include_str!("../../../../contest/host/src/schema.sql")).unwrap();
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
    assert!(contest.host("users", &[]).contains("ada"));
    let seats = "SELECT count(*) FROM seats WHERE match = 1 AND version IN (1, 2)";
    assert_eq!(contest.database().query_row(seats, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
}

#[test]
fn people_are_called_as_they_write_themselves() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let said = contest.host("invite", &["Ünal Şahin"]);
    assert!(said.contains("the token of Ünal Şahin"), "{said}");
    assert!(said.contains("they are Unal-Sahin"), "{said}");
    let first = token_in(&said);
    // Another participant with the same display name in plain letters, and the same once more.
    assert!(contest.host("invite", &["Unal Sahin"]).contains("they are Unal-Sahin-2"));
    let again = contest.host("invite", &["Ünal Şahin"]);
    assert!(again.contains("it replaces an older one"), "{again}");
    let (token, wei) = (token_in(&again), contest.invite("王伟"));
    let server = contest.serve();
    assert_eq!(server.form("/sign-in", "", &format!("token={first}")).status, 403);
    assert!(contest.submit(&server, &token, "walker").status.success());
    assert!(contest.submit(&server, &wei, "walker").status.success());
    server.until("both play", |server| {
        let page = server.get("/").body;
        let is_rated =
            |name: &str| page.split("<tr>").any(|row| row.contains(name) && row.contains(" to "));
        is_rated(">Ünal Şahin<") && is_rated(">王伟<")
    });
    let grades = contest.host("grades", &[]);
    assert!(grades.contains(",Unal-Sahin,1,") && grades.contains(",Ünal Şahin,participant,"));
    assert!(contest.host("users", &[]).contains("Ünal Şahin (Unal-Sahin)"));
    // The organiser's page accepts such names too, and shows the name that stands in records.
    let organiser = server.sign_in(&contest.organiser);
    let page = server.form("/organiser/invite", &organiser, "name=Jos%C3%A9").body;
    assert!(page.contains(">José<") && page.contains("<code>Jose</code>"), "{page}");
    let page = server.form("/organiser/invite", &organiser, "name=Jos%C3%A9").body;
    assert!(page.contains("It replaces an older one"), "{page}");
    let refused = server.form("/organiser/invite", &organiser, "name=%3Cb%3E");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("id=\"onward\" href=\"/organiser\""), "{}", refused.body);
    assert!(contest.host("ban", &["王伟"]).contains("is banned"));
    assert!(!server.get("/").body.contains("王伟"));
}

#[test]
fn a_class_is_invited_from_a_list_and_whoever_is_there_keeps_their_token() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("Ada Lovelace");
    fs::write(contest.at().join("class.csv"), "group;name\n1;Ada Lovelace\n2;Émile Dupont\n")
        .unwrap();
    let table =
        contest.host("invite", &["--list", "class.csv", "--address", "https://cup.example/"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "called,name,token,link"), "{table}");
    let cells: Vec<&str> = lines[1].split(',').collect();
    let token = cells[2];
    assert_eq!(cells[..2], ["Émile Dupont", "Emile-Dupont"]);
    assert_eq!(cells[3], format!("https://cup.example/sign-in?token={token}"));
    // An impossible line is named, and nobody on that list is invited.
    for (list, said) in [
        ("Grace Hopper\n<b>\n", "bad.csv: nobody is invited: line 2: a name has 1 to"),
        ("Grace Hopper\ngrace hopper\n", "line 2: \"grace hopper\" is too close to"),
        ("Grace Hopper\nGrace Hopper\n", "line 2: Grace Hopper is listed twice"),
        ("Hopper,Grace\n", "line 1 has 2 columns"),
        ("name\r\nGrace\r\n<b>\r\n/\r\n", "line 4: a name has 1 to"),
    ] {
        fs::write(contest.at().join("bad.csv"), list).unwrap();
        let refused = output(contest.at(), &["host", "invite", "cup", "--list", "bad.csv"]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{list:?}: {told}");
        assert!(told.contains(said), "{list:?}: {told}");
    }
    let users = contest.host("users", &[]);
    assert!(!users.contains("Grace"), "{users}");
    // Columns are aligned whatever the letters.
    let starts: Vec<usize> = users
        .lines()
        .map(|line| line.find("  ").map_or(0, |gap| line[..gap].chars().count()))
        .collect();
    assert_eq!(starts.len(), 3, "{users}");
    let at = |line: &str, word: &str| {
        line.chars().count() - line[line.find(word).unwrap()..].chars().count()
    };
    let columns: Vec<usize> = users
        .lines()
        .filter(|line| line.contains("no program"))
        .map(|line| at(line, "no program"))
        .collect();
    assert_eq!(columns[0], columns[1], "{users}");
    // The page does the same.
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let list = "list=Grace+Hopper%0D%0AAda+Lovelace%0D%0A";
    let page = server.form("/organiser/invite-class", &organiser, list).body;
    assert!(
        page.contains(
            "1 invited; left alone, since they are invited already: <span class=\"name\">Ada Lovelace<"
        ),
        "{page}"
    );
    assert!(page.contains("download=\"invitations.csv\""), "{page}");
    let link = page.split("/sign-in?token=").nth(1).unwrap();
    for token in [&ada, token, &link[..32]] {
        assert_eq!(server.form("/sign-in", "", &format!("token={token}")).status, 303);
    }
    let participant = server.sign_in(&ada);
    assert_eq!(server.form("/organiser/invite-class", &participant, list).status, 403);
}
