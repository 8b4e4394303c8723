//! Downloads from the organiser's page equal what the library's functions write, and are only for
//! the organiser; and the status of a contest.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

use quintain_host::{admin, backup, letters, restore, verify};

use crate::server::Server;
use crate::setup::{Contest, WALKER, unzip};

const ZIPS: [&str; 4] = ["site", "anonymous", "letters", "backup"];

/// Returns a paused contest in which ada plays.
fn paused_contest() -> Option<(Contest, Server, String)> {
    let contest = Contest::new()?;
    let ada = contest.invite("ada");
    // Left over from a download by a host that was killed.
    fs::create_dir_all(contest.cup().join("downloads/left")).unwrap();
    fs::write(contest.cup().join("downloads/left/letter.md"), "dear ada").unwrap();
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("matches are played", |server| server.count_played() > 12);
    contest.pause(true);
    server.until("those under way have ended", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
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
fn downloads_equal_the_files_that_commands_write() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    let organiser = server.sign_in(&contest.organiser);
    let unpacked = contest.at().join("unpacked");
    let written = contest.at().join("written");
    fs::create_dir(&written).unwrap();
    for name in ZIPS {
        let zip = server.download(&format!("/organiser/{name}.zip"), &organiser, "matches=3");
        unzip(&zip, &unpacked);
        fs::write(contest.at().join(format!("{name}.zip")), &zip).unwrap();
        let to = written.join(name);
        match name {
            "site" => drop(contest.export("written/site", 3, false)),
            "anonymous" => drop(contest.export("written/anonymous", 5, true)),
            "letters" => drop(letters(&contest.cup(), &to, &contest.catalog).unwrap()),
            _ => backup(&contest.cup(), &to).unwrap(),
        }
        let (sent, own) = (files_of(&unpacked.join(name)), files_of(&to));
        assert_eq!(sent.keys().collect::<Vec<_>>(), own.keys().collect::<Vec<_>>(), "{name}");
        assert!(sent == own && !sent.is_empty(), "{name}: a file has other bytes");
        let contains = |text: &str| {
            let has = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|at| at == text.as_bytes());
            sent.values().any(has)
        };
        assert_eq!(contains("ada"), name != "anonymous", "{name}");
        assert!(name == "backup" || !contains(&ada), "{name} has a token");
    }
    for (query, columns) in [("", &[][..]), ("?columns=name,+rank", &["name", "rank"])] {
        let sent = server.get_as(&organiser, &format!("/organiser/grades.csv{query}"));
        assert_eq!((sent.status, sent.body), (200, contest.grades(columns)));
    }
    // A restored backup is a contest again, and the contest's folder keeps nothing of a download.
    for (backup, to) in [("unpacked/backup", "again"), ("backup.zip", "from-zip")] {
        let to = contest.at().join(to);
        restore(&contest.at().join(backup), &to).unwrap();
        assert!(verify(&to, &contest.catalog).unwrap().bad.is_empty());
    }
    let other = restore(&contest.at().join("site.zip"), &contest.at().join("third")).unwrap_err();
    assert!(other.to_string().contains("is not a backup of a contest"), "{other}");
    assert_eq!(files_of(&contest.cup().join("downloads")), BTreeMap::new());
    let audit = contest.audit();
    for what in [
        "organiser: downloaded the site of files",
        "organiser: downloaded the tables without names",
        "organiser: downloaded the letters",
        "organiser: downloaded a backup",
    ] {
        assert_eq!(audit.matches(what).count(), 1, "{what}: {audit}");
    }
}

#[test]
fn only_the_organiser_downloads_and_only_from_our_own_pages() {
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
        assert_eq!(server.get_as(&organiser, path).status, 405, "{path}");
    }
    for bad in ["matches=51", "matches=-1", "matches=many", ""] {
        let refused = server.form("/organiser/site.zip", &organiser, bad).status;
        assert!(matches!(refused, 400 | 422), "{bad}: {refused}");
    }
    assert_eq!(server.get_as(&organiser, "/organiser/grades.csv?columns=marks").status, 400);
    assert!(!contest.audit().contains("downloaded"));
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
    let place = contest.cup().join("submissions/large/files");
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
    server.until("it is being sent", |_| contest.audit().contains("downloaded a backup"));
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
fn the_status_counts_versions_matches_and_bytes() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    assert_eq!(server.hand_in_file_and_wait(&ada, "bot.sh", b"exit 3")["stage"], "failed");
    let status = || {
        let status = admin::status(&contest.cup(), &contest.catalog).unwrap();
        serde_json::to_value(status).unwrap()
    };
    let now = status();
    let played = server.count_played();
    assert_eq!(now["served_by"], server.process(), "{now}");
    assert_eq!((&now["is_paused"], &now["plays"]), (&true.into(), &true.into()));
    assert_eq!((&now["participants"], &now["house"]), (&1.into(), &2.into()), "{now}");
    let versions = serde_json::json!({"waiting": 0, "on_ladder": 1, "passed": 0, "refused": 1});
    assert_eq!(now["versions"], versions);
    assert_eq!(now["matches"]["ladder"], played);
    assert_eq!(now["matches"]["under_way"], 0);
    assert_eq!(now["players"]["server"], serde_json::Value::Null);
    assert!(now["players"]["threads"].as_u64() > Some(0), "{now}");
    for what in ["database", "records", "submissions"] {
        assert!(now["disk"][what].as_u64() > Some(0), "{what}: {now}");
    }
    let organiser = server.sign_in(&contest.organiser);
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(page.contains(&format!("Matches: {played} of the ladder")), "{page}");
    assert!(page.contains("on the ladder, version 1</td><td class=\"number\">2</td>"), "{page}");
    // A status takes no lock that a host needs: a host that ended is reported as gone, and another
    // can begin.
    drop(server);
    assert_eq!(status()["served_by"], serde_json::Value::Null);
    let _again = contest.serve();
    assert!(admin::status(&contest.at().join("nowhere"), &contest.catalog).is_err());
}

#[test]
fn the_organiser_sees_and_downloads_what_a_participant_handed_in() {
    let Some((contest, server, ada)) = paused_contest() else { return };
    let (organiser, participant) = (server.sign_in(&contest.organiser), server.sign_in(&ada));
    let page = server.get_as(&organiser, "/organiser").body;
    let link = page.split("/organiser/participants/").nth(1).unwrap().split('"').next().unwrap();
    let path = format!("/organiser/participants/{link}");
    let page = server.get_as(&organiser, &path).body;
    let title = "Programs of <span class=\"name\">ada<";
    assert!(page.contains(title) && page.contains("ok  hello"), "{page}");
    let form = format!("participant={link}&version=1");
    let zip = server.download("/organiser/program.zip", &organiser, &form);
    let unpacked = contest.at().join("theirs");
    unzip(&zip, &unpacked);
    assert_eq!(fs::read_to_string(unpacked.join("bot.py")).unwrap(), WALKER);
    assert!(contest.audit().contains("organiser: downloaded version 1 of ada"));
    // It is only for the organiser.
    assert_eq!(server.get_as(&participant, &path).status, 403);
    assert_eq!(server.form("/organiser/program.zip", &participant, &form).status, 403);
    for bad in ["participant=999&version=1", &format!("participant={link}&version=7")] {
        assert_eq!(server.form("/organiser/program.zip", &organiser, bad).status, 404, "{bad}");
    }
}

#[test]
fn the_contests_pages_have_the_rules() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    let page = server.get("/rules").body;
    let entry = contest.catalog.entry("tron").unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = words(entry.how_to_play().split(". ").next().unwrap());
    assert!(words(&page).contains(&sentence), "{sentence}: {page}");
    assert!(page.contains("In the phase") && page.contains("<code>empty?width=7"), "{page}");
    let schemas: serde_json::Value =
        serde_json::from_str(&server.get("/rules/schema.json").body).unwrap();
    assert_eq!(schemas, serde_json::to_value(entry.schemas()).unwrap());
    assert!(server.get("/").body.contains("href=\"/rules\""));
}
