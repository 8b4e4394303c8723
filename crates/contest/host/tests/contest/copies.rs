//! Hidden copies of programs measure how far apart identical programs stand, and nobody sees them.

use std::collections::BTreeMap;
use std::fs;

use quintain_host::admin;

use crate::server::Server;
use crate::setup::{Contest, WALKER};

/// Returns the versions of all players in records that anybody can read, by player.
fn versions_in_records(contest: &Contest, server: &Server) -> BTreeMap<String, u64> {
    let database = contest.database();
    let sql = "SELECT record FROM matches WHERE record IS NOT NULL AND kind = 'ladder'";
    let mut statement = database.prepare(sql).unwrap();
    let records = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut versions = BTreeMap::new();
    for record in records.map(Result::unwrap) {
        let text = server.get(&format!("/api/matches/{record}")).body;
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fixture = &record["fixture"];
        let of = |list: &serde_json::Value| list.as_array().unwrap().clone();
        let players = of(&fixture["seats"]).into_iter().zip(of(&fixture["versions"]["players"]));
        for (player, version) in players {
            versions.insert(player.as_str().unwrap().to_owned(), version.as_u64().unwrap());
        }
    }
    versions
}

#[test]
fn nothing_that_participants_read_counts_a_hidden_copy_or_tells_whose_it_is() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("matches = 1000", "matches = 20")]);
    let server = contest.serve();
    let mut tokens = Vec::new();
    for number in 0..6 {
        let token = contest.invite(&format!("student {number}"));
        server.enter(&token, &format!("{WALKER}\n# {number}\n"));
        tokens.push(token);
    }
    let of_copy = "SELECT count(*) FROM seats AS s JOIN versions AS v ON v.id = s.version
                   JOIN matches AS m ON m.id = s.match
                   WHERE v.copy_of IS NOT NULL AND m.record IS NOT NULL";
    server.until("the copy has its matches", |_| contest.one(of_copy) >= 20);
    contest.pause(true);
    server.until("all have ended", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
    });
    // The author of the original sees no more than the others do.
    let original = contest.one("SELECT copy_of FROM versions WHERE copy_of IS NOT NULL");
    let author = contest.one(&format!("SELECT participant FROM versions WHERE id = {original}"));
    let name = format!("SELECT name FROM participants WHERE id = {author}");
    let name: String = contest.database().query_row(&name, [], |row| row.get(0)).unwrap();
    let own = server.sign_in(&tokens[name.rsplit('-').next().unwrap().parse::<usize>().unwrap()]);
    for path in ["/", "/show", "/live.json", "/final", "/rules", "/metrics", "/health", "/me"] {
        let page = server.get_as(&own, path).body;
        assert!(!page.contains("_copy") && !page.contains("copies"), "{path}: {page}");
        // Opponents meet it in matches, by no name.
        assert!(path == "/me" || !page.contains("hidden copy"), "{path}: {page}");
    }
    let metrics = server.get("/metrics").body;
    for line in ["quintain_host_participants 6\n", "{stage=\"on_ladder\"} 6\n"] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert!(server.get_as(&own, "/me").body.contains(" of 8"), "six and the house");
    // What a program is can be told by its version in records; that of the copy is of its own.
    let versions = versions_in_records(&contest, &server);
    let copy = versions.iter().find(|(player, _)| player.contains("_copy")).expect("it plays");
    assert_eq!(versions.values().filter(|version| *version == copy.1).count(), 1, "{versions:?}");
    let site = contest.export("site", 2, false);
    for file in ["index.html", "ladder.csv"] {
        let text = fs::read_to_string(site.join(file)).unwrap();
        assert!(!text.contains("_copy"), "{file}: {text}");
    }
    assert_eq!(fs::read_to_string(site.join("ladder.csv")).unwrap().lines().count(), 9);
    let events = fs::read_to_string(contest.cup().join("events.jsonl")).unwrap();
    assert!(!events.contains("_copy"), "{events}");
    drop(server);
    contest.verify();
}

#[test]
fn a_hidden_copy_plays_and_the_page_says_how_far_apart_identical_programs_stand() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    for number in 0..6 {
        let token = contest.invite(&format!("student {number}"));
        server.enter(&token, &format!("{WALKER}\n# {number}\n"));
    }
    server.until("the page says how far apart identical programs stand", |server| {
        server.get("/").body.contains("Two identical programs stand")
    });
    let copy = contest.one("SELECT participant FROM versions WHERE copy_of IS NOT NULL");
    let page = server.get("/").body;
    assert!(!page.contains("hidden copy") && !page.contains("_copy"), "{page}");
    assert_eq!(page.matches("<th scope=\"row\">").count(), 8, "six and the house: {page}");
    assert_eq!(server.get(&format!("/participants/{copy}")).status, 404);
    let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
    assert_eq!(users.len(), 7, "six and the organiser: {users:?}");
    let status = admin::status(&contest.cup(), &contest.catalog).unwrap();
    assert_eq!((status.versions.on_ladder, status.house), (6, 2));
    // The ranks of the ladder's grades are certain ones.
    let grades = contest.grades(&["name", "rank", "best_rank", "worst_rank"]);
    for line in grades.lines().skip(1).filter(|line| !line.starts_with("organiser")) {
        let cells: Vec<u64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        assert!(cells[1] <= cells[0] && cells[0] <= cells[2], "{grades}");
    }
    assert_eq!(grades.lines().count(), 9, "{grades}");
    // It ends with its original, and another begins.
    let original = "SELECT p.id FROM participants AS p JOIN versions AS v ON v.participant = p.id
                    WHERE v.id = (SELECT copy_of FROM versions WHERE copy_of IS NOT NULL LIMIT 1)";
    let name: String = contest
        .database()
        .query_row("SELECT name FROM participants WHERE id = ?1", [contest.one(original)], |row| {
            row.get(0)
        })
        .unwrap();
    contest.ban(&name, true);
    let seventh = contest.invite("student 7");
    server.enter(&seventh, WALKER);
    let playing = "SELECT count(*) FROM participants AS p JOIN versions AS v ON v.id = p.active
                   WHERE v.copy_of IS NOT NULL";
    let all = "SELECT count(*) FROM versions WHERE copy_of IS NOT NULL";
    server.until("another copy plays", |_| contest.one(all) == 2 && contest.one(playing) == 1);
    drop(server);
    contest.verify();
    assert!(!contest.audit().contains("_copy"));
}
