//! A class at work: good, broken and hostile programs, handed in again and again, while the host is
//! killed at random moments. Nothing that was acknowledged is lost, nothing counts twice, and the
//! ladder is what its log gives. A short course is run with the other tests; `just class` runs a whole
//! class and prints what docs/host.md tells.

use std::fs;
use std::time::{Duration, Instant};

use crate::contest::{Contest, Server, quintain};

/// How much is done.
struct Course {
    participants: usize,
    submissions: usize,
    kills: usize,
    /// Matches in the end.
    matches: u64,
}

/// Numbers that look drawn, and are the same every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What somebody hands in: its name and its bytes, and whether it is a program that can play.
fn program(draws: &mut Draws, good: &str, number: usize) -> (&'static str, Vec<u8>) {
    let text = |text: &str| format!("{text}\n# {number}\n").into_bytes();
    match draws.below(20) {
        0 => ("bot.sh", text("exit 3")),
        1 => ("bot.sh", text("echo nonsense; cat >/dev/null")),
        2 => ("bot.sh", text("cat /etc/shadow /proc/1/environ; : > /dev/tcp/127.0.0.1/80")),
        3 => ("bot.sh", text("yes")),
        4 => ("../../../bot.sh", text(good)),
        5 => ("bot.zip", [b"PK\x03\x04".as_slice(), &[7; 300]].concat()),
        6 => ("bot.py", text("def (")),
        7 if number.is_multiple_of(5) => ("bot.sh", text("while :; do :; done")),
        _ => ("bot.sh", text(good)),
    }
}

/// The time of a page, in milliseconds.
fn page_time(server: &Server, path: &str, cookie: &str) -> f64 {
    let begun = Instant::now();
    let answer = server.ask("GET", path, &[("cookie", cookie)], &[]);
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    begun.elapsed().as_secs_f64() * 1e3
}

fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or(0) / 1024
}

fn median(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

fn run(course: &Course) {
    let Some(contest) = Contest::new("per_hour = 9999 ") else { return };
    quintain(contest.at(), &["new", "player", "shelly", "--game", "tron", "--lang", "sh"]);
    let good = fs::read_to_string(contest.at().join("shelly/bot.sh")).unwrap();
    let names: Vec<String> = (0..course.participants).map(|at| format!("p{at}")).collect();
    let tokens: Vec<String> = names.iter().map(|name| contest.invite(name)).collect();
    let mut draws = Draws(7);
    let mut server = contest.serve();
    let mut cookie = server.sign_in(&tokens[0]);
    let begun = Instant::now();
    // Who, the version's number, the digest.
    let mut acknowledged: Vec<(usize, i64, String)> = Vec::new();
    let (mut ladder_times, mut own_times, mut largest) = (Vec::new(), Vec::new(), 0);
    let mut handed_in: Vec<(usize, &str, Vec<u8>)> = Vec::new();
    let mut kills = 0;
    let mut seen = 0;
    let every = course.submissions.div_ceil(course.kills + 1);
    for number in 0..course.submissions {
        let (who, name, bytes) = match handed_in.len() {
            0 => (draws.below(tokens.len()), "bot.sh", good.clone().into_bytes()),
            count if draws.below(5) == 0 => handed_in[draws.below(count)].clone(),
            _ => {
                let who = draws.below(tokens.len());
                let (name, bytes) = program(&mut draws, &good, number);
                (who, name, bytes)
            }
        };
        let answer = server.hand_in(&tokens[who], name, &bytes);
        assert!(matches!(answer.status, 201 | 422), "{}: {}", answer.status, answer.body);
        if answer.status == 201 {
            let said: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            let digest = said["digest"].as_str().unwrap().to_owned();
            acknowledged.push((who, said["version"].as_i64().unwrap(), digest));
            handed_in.push((who, name, bytes));
        }
        ladder_times.push(page_time(&server, "/", ""));
        own_times.push(page_time(&server, "/me", &cookie));
        largest = largest.max(memory_of(server.process()));
        if number % every == every - 1 && kills < course.kills {
            std::thread::sleep(Duration::from_millis(draws.below(400) as u64));
            seen = seen.max(server.count_played());
            drop(server);
            kills += 1;
            server = contest.serve();
            assert!(server.count_played() >= seen, "{} of {seen} are left", server.count_played());
            cookie = server.sign_in(&tokens[0]);
        }
    }
    let database = contest.database();
    let one = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let patience = Duration::from_secs(3600);
    while one("SELECT count(*) FROM versions WHERE stage IN ('waiting', 'checking')") > 0
        || server.count_played() < course.matches
    {
        assert!(begun.elapsed() < patience);
        std::thread::sleep(Duration::from_millis(200));
        ladder_times.push(page_time(&server, "/", ""));
        own_times.push(page_time(&server, "/me", &cookie));
        largest = largest.max(memory_of(server.process()));
    }

    // Nothing acknowledged is lost, and a number stands for the same files still.
    for (who, number, digest) in &acknowledged {
        let sql =
            "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant
                   WHERE p.name = ?1 AND v.number = ?2 AND v.digest = ?3";
        let values = rusqlite::params![names[*who], number, digest];
        let found = database.query_row(sql, values, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(found, 1, "{} version {number}", names[*who]);
    }
    // The ladder is what its log gives: it is the same when it is drawn up again.
    contest.host("pause", &[]);
    let begun_matches = "SELECT count(*) FROM matches WHERE record IS NULL AND is_begun";
    while one(begun_matches) > 0 {
        std::thread::sleep(Duration::from_millis(50));
    }
    let matches = server.count_played();
    let grades = |server: &Server| {
        let cookie = server.sign_in(&contest.organiser);
        server.ask("GET", "/organiser/grades.csv", &[("cookie", &cookie)], &[]).body
    };
    let before = grades(&server);
    drop(server);
    let opening = Instant::now();
    let server = contest.serve();
    let opening = opening.elapsed();
    assert_eq!(grades(&server), before);
    drop(server);
    // Every match that counts has its record, once, and it replays.
    let said = contest.host("verify", &[]);
    assert!(said.contains(&format!("{matches} matches verified")), "{said}");
    let (ladder, own) = (median(&mut ladder_times), median(&mut own_times));
    println!(
        "{} participants, {} submissions of which {} taken, {kills} kills, {matches} matches in \
         {:.0} s; ladder page {:.1} ms (99 %: {:.1}), own page {:.1} ms (99 %: {:.1}); at most \
         {largest} MB; opened again in {:.2} s",
        course.participants,
        course.submissions,
        acknowledged.len(),
        begun.elapsed().as_secs_f64(),
        ladder.0,
        ladder.1,
        own.0,
        own.1,
        opening.as_secs_f64(),
    );
}

#[test]
fn a_small_class_loses_nothing_by_kills() {
    run(&Course { participants: 6, submissions: 24, kills: 4, matches: 40 });
}

#[test]
#[ignore = "takes long: `just class`"]
fn a_whole_class_loses_nothing_by_kills() {
    let matches = std::env::var("QUINTAIN_CLASS_MATCHES").ok();
    let matches = matches.and_then(|matches| matches.parse().ok()).unwrap_or(100_000);
    run(&Course { participants: 60, submissions: 400, kills: 50, matches });
}
