//! What a host says about itself: an event log without secrets, its health, figures for
//! Prometheus, and refusals in words.

use std::fs;

use quintain_host::admin;

use crate::server::Server;
use crate::setup::{Contest, WALKER};

#[test]
fn the_event_log_has_submissions_checks_and_sign_ins_and_no_secrets() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let cookie = server.sign_in(&ada);
    assert_eq!(server.form("/sign-in", "", "token=a-guess").status, 403);
    assert_eq!(server.hand_in(&ada, "notes.txt", b"no program").status, 422);
    assert_eq!(server.form("/sign-out", &cookie, "").status, 303);
    let text = fs::read_to_string(contest.cup().join("events.jsonl")).unwrap();
    let read = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let events: Vec<serde_json::Value> = text.lines().map(read).collect();
    let seen: Vec<String> = events
        .iter()
        .map(|line| {
            let word = |key: &str| line[key].as_str().unwrap_or_default();
            format!("{} {} {}", word("event"), word("result"), word("who"))
        })
        .collect();
    let expected = [
        "submission accepted ada",
        "check passed ada",
        "sign-in done ada",
        "sign-in refused ",
        "submission refused ada",
        "sign-out done ada",
    ];
    assert_eq!(seen, expected, "{text}");
    assert_eq!(events[3]["from"], "127.0.0.1");
    let session = cookie.split_once('=').unwrap().1;
    for secret in [ada.as_str(), session, "a-guess"] {
        assert!(!text.contains(secret), "{text}");
    }
    let metrics = server.get("/metrics").body;
    for line in [
        "quintain_host_versions{stage=\"on_ladder\"} 1",
        "quintain_host_events_total{event=\"submission\",result=\"refused\"} 1",
        "# TYPE quintain_host_matches_total counter",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    server.until("a match has ended", |server| server.count_played() > 0);
    let health: serde_json::Value = serde_json::from_str(&server.get("/health").body).unwrap();
    assert_eq!((&health["status"], &health["contest"]), (&"ok".into(), &"ladder".into()));
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert!(health["last_match"].as_str().is_some_and(|at| at.ends_with('Z')), "{health}");
    assert!(contest.pause(true));
    let paused = server.get("/health");
    assert!(paused.status == 200 && paused.body.contains("\"contest\":\"paused\""));
}

#[test]
fn a_full_disk_stands_on_the_organisers_page_and_in_the_health_until_it_is_over() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let page = || server.get_as(&organiser, "/organiser").body;
    server.until("the house plays", |server| server.count_played() > 0);
    assert!(!page().contains("id=\"trouble\""));
    // From some match on, there is room for one only: the next ones fail as on a full disk. (The
    // host runs no trigger.)
    let last = contest.one("SELECT max(id) FROM matches") + 200;
    let full = format!("CREATE UNIQUE INDEX full ON matches (id * 0) WHERE id > {last}");
    contest.database().execute_batch(&full).unwrap();
    server.until("the host is not well", |server| server.get("/health").status == 503);
    server.until("what occurs again is counted", |_| {
        let page = page();
        let line = page.split("id=\"trouble\">").nth(1).unwrap_or_default();
        let line = line.split('<').next().unwrap_or_default().to_owned();
        line.contains("index 'full', ") && !line.contains(", 1 times since")
    });
    let health = server.get("/health").body;
    assert!(health.contains("\"reason\":\"matches cannot be played or entered\""), "{health}");
    assert!(!health.contains("index"), "names of files stay private: {health}");
    let front = server.get("/").body;
    assert!(front.contains("id=\"in-trouble\"") && !front.contains("index '"), "{front}");
    // Another process says it, too.
    let trouble = || admin::status(&contest.cup(), &contest.catalog).unwrap().trouble;
    assert!(trouble().is_some_and(|trouble| trouble.what.contains("index 'full'")));
    contest.database().execute_batch("DROP INDEX full").unwrap();
    server.until("the host is well again", |server| server.get("/health").status == 200);
    assert!(!page().contains("id=\"trouble\"") && trouble().is_none());
}

#[test]
fn matches_have_numbers_and_names_of_people_and_a_button_for_the_organiser() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("Ada Lovelace, Jr.");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let of_hers = "SELECT count(*) FROM seats AS s JOIN versions AS v ON v.id = s.version
                   JOIN matches AS m ON m.id = s.match
                   WHERE v.digest <> '' AND m.record IS NOT NULL";
    server.until("she plays", |_| contest.one(of_hers) > 2);
    assert!(contest.pause(true));
    server.until("all have ended", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
    });
    let matches = server.get("/matches").body;
    assert!(matches.contains("Ada Lovelace, Jr. v1") && !matches.contains("bot:Ada"), "{matches}");
    for name in ["Ada%20Lovelace,%20Jr.", "Ada%20Lovelace,%20Jr.%20v1", "bot:Ada-Lovelace-Jr.1"] {
        let found = server.get(&format!("/matches?player={name}")).body;
        assert!(!found.contains("> matches<") && found.contains("Ada Lovelace, Jr. v1"), "{found}");
    }
    let (number, record) = contest
        .database()
        .query_row(
            "SELECT m.id, m.record FROM matches AS m JOIN seats AS s ON s.match = m.id
             JOIN versions AS v ON v.id = s.version WHERE v.digest <> '' AND m.kind = 'ladder'
             ORDER BY m.id LIMIT 1",
            [],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
        )
        .unwrap();
    let path = format!("/matches/{record}");
    let page = server.get(&path).body;
    assert!(page.contains(&format!("Match {number} of the ladder")), "{page}");
    assert!(page.contains("Ada Lovelace, Jr. v1") && !page.contains("id=\"strike\""), "{page}");
    let organiser = server.sign_in(&contest.organiser);
    assert!(server.get_as(&organiser, &path).body.contains("id=\"strike\""));
    let strike = format!("matches={number}&reason=a+slip");
    assert_eq!(server.form("/organiser/strike", &organiser, &strike).status, 303);
    let page = server.get_as(&organiser, &path).body;
    assert!(page.contains("does not count: ") && page.contains("Have it count again"), "{page}");
}

#[test]
fn an_address_or_a_form_that_cannot_be_is_refused_in_words() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let missing = server.get("/participants/none");
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains("“none” is not a number"), "{}", missing.body);
    let answers = [
        server.get_as(&cookie, "/me?again=x"),
        server.form("/me/activate", &cookie, "version=one"),
        server.form("/me/activate", &cookie, ""),
        server.get_as(&cookie, "/me/matches/99999999999999999999"),
    ];
    for answer in answers {
        assert!((400..=422).contains(&answer.status), "{}", answer.status);
        for word in ["i64", "eserialize", "Cannot parse", "digit found", "missing field"] {
            assert!(!answer.body.contains(word), "{}", answer.body);
        }
    }
}

#[test]
fn a_banned_participant_is_not_on_the_projector_and_their_matches_are_not_announced() {
    let Some(contest) = Contest::new() else { return };
    // Without the house, everybody meets everybody else.
    let house = "house = [\"random\", \"wall-hugger\"]";
    contest.edit(&[(house, "house = []"), ("matches = 1000", "matches = 30")]);
    let [ada, bob, eve] = ["ada", "bob", "eve"].map(|name| contest.invite(name));
    let server = contest.serve();
    for token in [&ada, &bob, &eve] {
        server.enter(token, WALKER);
    }
    server.until("all have met", |server| server.count_played() >= 45);
    contest.pause(true);
    server.until("all have ended", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
    });
    // The latest match is one of those who will be banned.
    let last: String = contest
        .database()
        .query_row(
            "SELECT group_concat(p.name) FROM seats AS s JOIN versions AS v ON v.id = s.version
             JOIN participants AS p ON p.id = v.participant
             WHERE s.match = (SELECT max(id) FROM matches)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let banned = last.split(',').next().unwrap();
    let watched = |server: &Server| {
        (server.get("/show").body, server.get("/live.json").body, server.get("/").body)
    };
    let (show, live, _) = watched(&server);
    for page in [&show, &live] {
        assert!(page.contains(&format!("{banned} v1")), "{last}: {page}");
    }
    contest.ban(banned, true);
    let (show, live, ladder) = watched(&server);
    for page in [&show, &live, &ladder] {
        assert!(!page.contains(banned), "{banned}: {page}");
    }
    // One of the others is announced instead.
    assert!(show.contains("id=\"watched\"") && live.contains(" v1 – "), "{live}");
    contest.ban(banned, false);
    assert!(watched(&server).0.contains(banned));
}
