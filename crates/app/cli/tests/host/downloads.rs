//! Downloads from the organiser's page equal what the commands write, and are only for the organiser;
//! and the status of a contest, by page and by command.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use crate::contest::{Contest, Server, output, quintain};
use crate::pages::unzip;

const ZIPS: [&str; 4] = ["site", "anonymous", "letters", "backup"];

/// Returns a paused contest in which ada plays.
fn paused_contest() -> Option<(Contest, Server, String)> {
    let contest = Contest::new("per_hour = 20 ")?;
    let ada = contest.invite("ada");
    // Left over from a download by a host that was killed.
    fs::create_dir_all(contest.at().join("cup/downloads/left")).unwrap();
    fs::write(contest.at().join("cup/downloads/left/letter.md"), "dear ada").unwrap();
    let server = contest.serve();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    server.until("matches are played", |server| server.count_played() > 12);
    contest.host("pause", &[]);
    server.until("those under way have ended", |_| {
        let sql = "SELECT count(*) FROM matches WHERE record IS NULL";
        contest.database().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 0
    });
    Some((contest, server, ada))
}

/// Returns the files below a folder by path. Databases are only named, since a copy may have other
/// bytes.
fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let is_database = name.ends_with(".sqlite");
            files.insert(name, if is_database { Vec::new() } else { fs::read(path).unwrap() });
        }
    }
    files
}

#[test]
fn what_commands_write_is_downloaded_from_the_organisers_page() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    let organiser = server.sign_in(&contest.organiser);
    let unpacked = contest.at().join("unpacked");
    let written = contest.at().join("written");
    fs::create_dir(&written).unwrap();
    for name in ZIPS {
        let zip = server.download(&format!("/organiser/{name}.zip"), &organiser, "matches=3");
        unzip(&zip, &unpacked);
        fs::write(contest.at().join(format!("{name}.zip")), &zip).unwrap();
        let to = format!("written/{name}");
        match name {
            "site" => contest.host("export", &[&to, "--matches", "3"]),
            "anonymous" => contest.host("export", &[&to, "--anonymous"]),
            command => contest.host(command, &[&to]),
        };
        let (sent, own) = (files_of(&unpacked.join(name)), files_of(&written.join(name)));
        assert_eq!(sent.keys().collect::<Vec<_>>(), own.keys().collect::<Vec<_>>(), "{name}");
        assert!(sent == own && !sent.is_empty(), "{name}: a file has other bytes");
        let has_name = |bytes: &Vec<u8>| bytes.windows(3).any(|at| at == b"ada");
        assert_eq!(sent.values().any(has_name), name != "anonymous", "{name}");
        if name != "backup" {
            let secret = ada.as_bytes();
            let tells = |bytes: &Vec<u8>| bytes.windows(secret.len()).any(|at| at == secret);
            assert!(!sent.values().any(tells), "{name}");
        }
    }
    for (query, columns) in [("", &[][..]), ("?columns=name,+rank", &["--columns", "name,rank"])] {
        let path = format!("/organiser/grades.csv{query}");
        let sent = server.ask("GET", &path, &[("cookie", &organiser)], &[]);
        assert_eq!((sent.status, sent.body), (200, contest.host("grades", columns)));
    }
    // It is a contest again, and nothing of it stays where it was packed.
    for (backup, to) in [("unpacked/backup", "again"), ("backup.zip", "from-zip")] {
        quintain(contest.at(), &["host", "restore", backup, to]);
        let said = quintain(contest.at(), &["host", "verify", to]);
        assert!(said.contains("matches verified"), "{said}");
    }
    let other = output(contest.at(), &["host", "restore", "site.zip", "third"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("is not a backup of a contest"));
    assert_eq!(files_of(&contest.at().join("cup/downloads")), BTreeMap::new());
    let said = contest.host("audit", &[]);
    for what in [
        "organiser: downloaded the site of files",
        "organiser: downloaded the tables without names",
        "organiser: downloaded the letters",
        "organiser: downloaded a backup",
    ] {
        assert_eq!(said.matches(what).count(), 1, "{what}: {said}");
    }
}

#[test]
fn nobody_but_the_organiser_downloads_a_contest_and_no_foreign_page_has_it_made() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    let (organiser, participant) = (server.sign_in(&contest.organiser), server.sign_in(&ada));
    for name in ZIPS {
        let path = &format!("/organiser/{name}.zip");
        let ask = |cookie: &str| server.form(path, cookie, "matches=1").status;
        assert_eq!((ask(&participant), ask("")), (403, 401), "{path}");
        for origin in ["https://evil.example", "null", ""] {
            let foreign = server.form_from(origin, path, &organiser, "matches=1");
            assert_eq!(foreign.status, 403, "{path} from {origin}");
        }
        // A link cannot trigger it.
        assert_eq!(server.ask("GET", path, &[("cookie", &organiser)], &[]).status, 405, "{path}");
    }
    for bad in ["matches=51", "matches=-1", "matches=many", ""] {
        let refused = server.form("/organiser/site.zip", &organiser, bad).status;
        assert!(matches!(refused, 400 | 422), "{bad}: {refused}");
    }
    let path = "/organiser/grades.csv?columns=marks";
    assert_eq!(server.ask("GET", path, &[("cookie", &organiser)], &[]).status, 400);
    assert!(!contest.host("audit", &[]).contains("downloaded"));
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn one_download_is_sent_at_a_time_and_a_client_that_leaves_makes_room() {
    let Some((contest, server, _)) = paused_contest() else { return };
    let organiser = server.sign_in(&contest.organiser);
    // More than fits into the buffers, and not compressible.
    let mut number = 1_u32;
    let mut noise = || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 24) as u8
    };
    let blob: Vec<u8> = (0..16 << 20).map(|_| noise()).collect();
    let place = contest.at().join("cup/submissions/large/files");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("blob"), blob).unwrap();
    let mut idle = TcpStream::connect(&server.address).unwrap();
    write!(
        idle,
        "POST /organiser/backup.zip HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncookie: \
         {organiser}\r\ncontent-length: 0\r\n\r\n",
        server.address
    )
    .unwrap();
    server
        .until("it is being sent", |_| contest.host("audit", &[]).contains("downloaded a backup"));
    let refused = server.form("/organiser/letters.zip", &organiser, "");
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("href=\"/organiser\""), "{}", refused.body);
    assert_eq!(server.get("/").status, 200, "the contest goes on");
    drop(idle);
    server.until("there is room", |server| {
        server.form("/organiser/letters.zip", &organiser, "").status == 200
    });
}

#[test]
fn how_a_contest_stands_is_told_by_command_and_on_the_organisers_page() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    assert_eq!(server.hand_in_file_and_wait(&ada, "bot.sh", b"exit 3")["stage"], "failed");
    let told = |folder: &str| -> serde_json::Value {
        let said = quintain(contest.at(), &["host", "status", folder, "--format", "json"]);
        serde_json::from_str(&said).unwrap()
    };
    let status = told("cup");
    let played = server.count_played();
    assert_eq!(status["served_by"], server.process(), "{status}");
    assert_eq!((&status["is_paused"], &status["plays"]), (&true.into(), &true.into()));
    assert_eq!((&status["participants"], &status["house"]), (&1.into(), &2.into()), "{status}");
    let versions = serde_json::json!({"waiting": 0, "on_ladder": 1, "passed": 0, "refused": 1});
    assert_eq!(status["versions"], versions);
    assert_eq!(status["matches"]["ladder"], played);
    assert_eq!(status["matches"]["under_way"], 0);
    assert_eq!(status["players"]["server"], serde_json::Value::Null);
    assert!(status["players"]["threads"].as_u64() > Some(0), "{status}");
    for what in ["database", "records", "submissions"] {
        assert!(status["disk"][what].as_u64() > Some(0), "{what}: {status}");
    }
    let said = contest.host("status", &[]);
    assert!(said.contains("programs are accepted, the matches are paused"), "{said}");
    assert!(said.contains("versions: 1 on the ladder, 0 to be checked"), "{said}");
    let organiser = server.sign_in(&contest.organiser);
    let page = server.ask("GET", "/organiser", &[("cookie", &organiser)], &[]).body;
    assert!(page.contains(&format!("Matches: {played} of the ladder")), "{page}");
    assert!(page.contains("on the ladder, version 1</td><td class=\"number\">2</td>"), "{page}");
    // Asking for the status does not disturb anything: the host goes on, and one that has ended is
    // reported as gone.
    drop(server);
    assert_eq!(told("cup")["served_by"], serde_json::Value::Null);
    assert!(contest.host("status", &[]).contains("\nit is not being served\n"));
    let _again = contest.serve();
    assert_eq!(output(contest.at(), &["host", "status", "nowhere"]).status.code(), Some(2));
}

#[test]
fn the_organiser_sees_and_downloads_what_somebody_handed_in() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    let (organiser, participant) = (server.sign_in(&contest.organiser), server.sign_in(&ada));
    let page = server.ask("GET", "/organiser", &[("cookie", &organiser)], &[]).body;
    let link = page.split("/organiser/participants/").nth(1).unwrap().split('"').next().unwrap();
    let path = format!("/organiser/participants/{link}");
    let page = server.ask("GET", &path, &[("cookie", &organiser)], &[]).body;
    assert!(
        page.contains("Programs of <span class=\"name\">ada<") && page.contains("ok  hello"),
        "{page}"
    );
    let form = format!("participant={link}&version=1");
    let zip = server.download("/organiser/program.zip", &organiser, &form);
    let unpacked = contest.at().join("theirs");
    unzip(&zip, &unpacked);
    let of = |folder: &Path| fs::read(folder.join("bot.py")).unwrap();
    assert_eq!(of(&unpacked), of(&contest.at().join("walker")));
    assert!(contest.host("audit", &[]).contains("organiser: downloaded version 1 of ada"));
    // It is only for the organiser.
    assert_eq!(server.ask("GET", &path, &[("cookie", &participant)], &[]).status, 403);
    assert_eq!(server.form("/organiser/program.zip", &participant, &form).status, 403);
    for (bad, status) in
        [("participant=999&version=1", 404), (&format!("participant={link}&version=7"), 404)]
    {
        assert_eq!(server.form("/organiser/program.zip", &organiser, bad).status, status, "{bad}");
    }
}

#[test]
fn the_rules_stand_on_the_contests_pages() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let server = contest.serve();
    let page = server.get("/rules").body;
    let rules = quintain(contest.at(), &["games", "tron"]);
    let sentence = rules.lines().nth(3).unwrap();
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(sentence), "{sentence}: {page}");
    assert!(page.contains("In the phase") && page.contains("<code>empty?width=7"), "{page}");
    let schemas: serde_json::Value =
        serde_json::from_str(&server.get("/rules/schema.json").body).unwrap();
    let told: serde_json::Value =
        serde_json::from_str(&quintain(contest.at(), &["games", "--schema", "tron"])).unwrap();
    assert_eq!(schemas, told);
    assert!(server.get("/").body.contains("href=\"/rules\""));
}
