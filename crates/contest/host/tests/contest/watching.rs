//! What a host says about itself: an event log without secrets, its health, figures for
//! Prometheus, and refusals in words.

use std::fs;

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
    assert_eq!(server.get("/health").body, "{\"status\":\"ok\"}");
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
    assert!(!server.get("/health").body.contains("disk"), "names of files stay private");
    contest.database().execute_batch("DROP INDEX full").unwrap();
    server.until("the host is well again", |server| server.get("/health").status == 200);
    assert!(!page().contains("id=\"trouble\""));
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
