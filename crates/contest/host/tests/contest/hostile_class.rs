//! A class in which some are slow, build for ever, upload slowly or copy, while the host is killed:
//! every honest version gets its share of the machine's time.

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use crate::hostile_requests::begin_upload;
use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_choosing};
use crate::time_shares::built_for;

/// By how much the matches of an honest version may differ from their mean.
const TOLERANCE: f64 = 0.2;
/// How often slow uploads are begun again.
const UPLOADS: Duration = Duration::from_secs(5);

/// Returns the number of ladder matches of each participant.
fn count_matches(contest: &Contest) -> HashMap<String, f64> {
    let database = contest.database();
    let mut statement = database
        .prepare(
            "SELECT p.name, count(*) FROM seats AS s
             JOIN matches AS m ON m.id = s.match AND m.kind = 'ladder' AND m.record IS NOT NULL
             JOIN versions AS v ON v.id = s.version
             JOIN participants AS p ON p.id = v.participant GROUP BY p.name",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as f64)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// Serves the contest for a while with kills; slow uploads are begun again and again.
fn run(contest: &Contest, mut server: Server, uploader: &str, time: Duration, kills: u32) {
    let begun = Instant::now();
    for kill in 1..=kills + 1 {
        let until = time * kill / (kills + 1);
        let mut uploads = Vec::new();
        while begun.elapsed() < until {
            uploads.truncate(8);
            uploads.extend([begin_upload(&server, uploader), begin_upload(&server, uploader)]);
            thread::sleep(UPLOADS.min(until.saturating_sub(begun.elapsed())));
        }
        let played = server.count_played();
        if kill <= kills {
            drop(server);
            server = contest.serve_to_be_killed();
            assert!(server.count_played() >= played, "what was seen is there");
        }
    }
}

#[test]
#[ignore = "nightly: minutes of matches; QUINTAIN_HOSTILE_CLASS=\"60 60 30\" is an hour with sixty"]
fn whoever_else_is_in_the_class_every_honest_version_gets_its_share() {
    let Some(contest) = Contest::new() else { return };
    let size = std::env::var("QUINTAIN_HOSTILE_CLASS").unwrap_or_else(|_| "12 3 4".to_owned());
    let size: Vec<u32> = size.split(' ').map(|number| number.parse().unwrap()).collect();
    let [participants, minutes, kills] = size[..] else { panic!("participants, minutes, kills") };
    contest.edit(&[
        ("# threads = 1", "threads = 2"),
        ("matches = 1000", "matches = 1000000"),
        ("time = \"60s\"", "time = \"10h\""),
        ("check_time = \"10m\" ", "check_time = \"10h\" "),
    ]);
    let honest: Vec<String> = (0..participants).map(|at| format!("p{at}")).collect();
    let tokens: Vec<String> = honest.iter().map(|name| contest.invite(name)).collect();
    let [slow, builder, uploader, copyist] =
        ["slow", "builder", "uploader", "copyist"].map(|name| contest.invite(name));
    let server = contest.serve_to_be_killed();
    for (token, number) in tokens.iter().zip(0..) {
        server.enter(token, &format!("{WALKER}\n# {number}\n"));
    }
    server.enter(&slow, &walker_choosing("__import__('time').sleep(0.05)"));
    server.enter(&copyist, &format!("{WALKER}\n# 0\n"));
    for number in 0..3 {
        let answer = server.hand_in(&builder, "", &built_for(36_000.0, &number.to_string()));
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let before = count_matches(&contest);
    run(&contest, server, &uploader, Duration::from_secs(60) * minutes, kills);
    let after = count_matches(&contest);
    let played = |name: &String| after[name] - before.get(name).copied().unwrap_or_default();
    let counts: Vec<f64> = honest.iter().map(played).collect();
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let [least, most] = [f64::min, f64::max].map(|of| counts.iter().copied().reduce(of).unwrap());
    println!(
        "{participants} honest participants, {minutes} minutes, {kills} kills: {least} to {most} \
         matches each, on average {mean:.0}; the slow one {}",
        played(&"slow".to_owned())
    );
    assert!(least >= mean * (1.0 - TOLERANCE) && most <= mean * (1.0 + TOLERANCE));
    contest.verify();
}
