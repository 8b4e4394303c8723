//! A class at work: good, broken and hostile programs are submitted again and again, while the host
//! is killed at random moments. Nothing acknowledged is lost, nothing counts twice, and the ladder
//! follows from its log. A very small class runs with the other tests and a larger one nightly;
//! `just class` runs a whole class and prints the figures of docs/research/contest-host.md.

use std::fs;
use std::time::{Duration, Instant};

use crate::fairness::Accounts;
use crate::processes;
use crate::rogues::{AUTHOR, COPYIST, Rogues, SLOW};
use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_choosing};

/// Megabytes by which memory may differ at any time.
const SLACK: u64 = 24;

/// The size of a course.
pub(crate) struct Course {
    pub(crate) participants: usize,
    pub(crate) submissions: usize,
    pub(crate) kills: usize,
    /// Whether some take what all share.
    pub(crate) has_rogues: bool,
    /// Number of matches to reach, if there is time for them.
    pub(crate) matches: u64,
    pub(crate) time: Duration,
}

/// Players in place of the host, some of which are killed now and then.
pub(crate) trait Players {
    /// Returns the variables that tell the host's process about them.
    fn variables(&self) -> Vec<(&'static str, String)>;

    /// Kills one of them, and restarts it.
    fn kill_one(&mut self, number: usize);
}

/// Pseudorandom numbers, the same every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Returns the name and the bytes of a program to submit.
fn program(draws: &mut Draws, number: usize) -> (&'static str, Vec<u8>) {
    let text = |text: &str| format!("{text}\n# {number}\n").into_bytes();
    match draws.below(20) {
        0 => ("bot.sh", text("exit 3")),
        1 => ("bot.sh", text("echo nonsense; cat >/dev/null")),
        2 => ("bot.sh", text("cat /etc/shadow /proc/1/environ; : > /dev/tcp/127.0.0.1/80")),
        3 => ("bot.sh", text("yes")),
        4 => ("../../../bot.py", text(WALKER)),
        5 => ("bot.zip", [b"PK\x03\x04".as_slice(), &[7; 300]].concat()),
        6 => ("bot.py", text("def (")),
        7 if number.is_multiple_of(5) => ("bot.sh", text("while :; do :; done")),
        _ => ("bot.py", text(WALKER)),
    }
}

/// Returns the memory of a process in megabytes.
fn memory_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or(0) / 1024
}

/// Returns the median, and the value that one in a hundred exceeds.
fn median(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:.1} ms (99 %: {:.1})", times[times.len() / 2], times[times.len() * 99 / 100])
}

/// A host that is killed and restarted, and what a signed-in user sees of it.
struct Watched<'a> {
    contest: &'a Contest,
    token: &'a str,
    players: Option<Box<dyn Players + 'a>>,
    rogues: Option<Rogues<'a>>,
    server: Option<Server>,
    cookie: String,
    /// Number of matches that a user has seen as played.
    seen: u64,
    kills: usize,
    ladder_times: Vec<f64>,
    own_times: Vec<f64>,
    /// Pairs of the number of matches and the memory in megabytes.
    memory: Vec<(u64, u64)>,
}

impl<'a> Watched<'a> {
    fn new(
        contest: &'a Contest,
        token: &'a str,
        players: Option<Box<dyn Players + 'a>>,
    ) -> Watched<'a> {
        let mut watched = Watched {
            contest,
            token,
            players,
            rogues: None,
            server: None,
            cookie: String::new(),
            seen: 0,
            kills: 0,
            ladder_times: Vec::new(),
            own_times: Vec::new(),
            memory: Vec::new(),
        };
        watched.start();
        watched
    }

    fn start(&mut self) {
        let variables = self.players.as_ref().map_or_else(Vec::new, |players| players.variables());
        let server = processes::start_host(&self.contest.cup(), &variables);
        self.cookie = server.sign_in(self.token);
        self.server = Some(server);
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    /// Returns how long a page takes, in milliseconds.
    fn time(&self, path: &str, cookie: &str) -> f64 {
        let (answer, elapsed) = self.server().get_in_turn(path, cookie);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        elapsed.as_secs_f64() * 1e3
    }

    fn look(&mut self) {
        let server = self.server.as_ref().expect("it runs");
        if let Some(rogues) = &mut self.rogues {
            rogues.act(server);
        }
        let (ladder, own) = (self.time("/", ""), self.time("/me", &self.cookie));
        self.ladder_times.push(ladder);
        self.own_times.push(own);
        self.seen = self.server().count_played();
        self.memory.push((self.seen, memory_of(self.server().process())));
    }

    /// Kills the host, and checks that everything seen before is there; or, if others play, kills
    /// one of them, depending on the number.
    fn kill(&mut self, number: usize) {
        self.seen = self.server().count_played();
        if let Some(players) = self.players.as_mut().filter(|_| !number.is_multiple_of(3)) {
            players.kill_one(number);
            self.kills += 1;
            return;
        }
        self.server = None;
        self.kills += 1;
        self.start();
        let now = self.server().count_played();
        assert!(now >= self.seen, "{now} of {} are left", self.seen);
    }

    /// Checks that memory does not grow with matches: in the second half of them it is what it was
    /// in the first, except for what has not been returned to the system.
    fn expect_flat_memory(&self) {
        let most = self.memory.iter().map(|(played, _)| *played).max().unwrap_or(0);
        let largest = |is_late: bool| {
            let half = self.memory.iter().filter(|(at, _)| (2 * at > most) == is_late);
            half.map(|(_, memory)| *memory).max().unwrap_or(0)
        };
        let (early, late) = (largest(false), largest(true));
        assert!(early > 0 && late <= early + SLACK, "memory by tenths: {}", self.memory());
    }

    /// Returns the maximum memory by tenths of all matches.
    fn memory(&self) -> String {
        let most = self.memory.iter().map(|(played, _)| *played).max().unwrap_or(0);
        let largest = |tenth: u64| {
            let within = self.memory.iter().filter(|(at, _)| at * 10 / (most + 1) == tenth);
            within.map(|(_, memory)| *memory).max()
        };
        let all: Vec<String> = (0..10).filter_map(largest).map(|of| of.to_string()).collect();
        all.join(" ")
    }
}

/// Returns a contest in which participants may submit as often as they like.
pub(crate) fn crowded_contest() -> Option<Contest> {
    let contest = Contest::new()?;
    contest.edit(&[("per_hour = 20 ", "per_hour = 9999 ")]);
    Some(contest)
}

fn run(course: &Course) {
    let Some(contest) = crowded_contest() else { return };
    run_on(course, &contest, None);
}

/// Runs the course on a contest whose matches others play, if there are any.
pub(crate) fn run_on(course: &Course, contest: &Contest, players: Option<Box<dyn Players + '_>>) {
    // The ladder does not rest before all are played; several threads, so that a kill meets several
    // matches.
    contest.edit(&[("matches = 1000", "matches = 1000000"), ("# threads = 1", "threads = 2")]);
    let names: Vec<String> = (0..course.participants).map(|at| format!("p{at}")).collect();
    let tokens: Vec<String> = names.iter().map(|name| contest.invite(name)).collect();
    let mut draws = Draws(7);
    let mut watched = Watched::new(contest, &tokens[0], players);
    let begun = Instant::now();
    if course.has_rogues {
        watched.rogues = Some(Rogues::enter(contest, watched.server()));
    }
    let acknowledged = watched.hand_in_all(course, &tokens, &mut draws);
    watched.wait_for_checks();
    let (checked, after_checks) = (begun.elapsed(), watched.seen);
    let accounts = Accounts::read(contest);
    watched.play_until_killed(course, begun, &mut draws);
    watched.stop_rogues();
    let rate = (watched.seen - after_checks) as f64 / (begun.elapsed() - checked).as_secs_f64();
    for version in &acknowledged {
        expect_version(contest, &names, version);
    }
    let (matches, opening) = watched.expect_the_same_ladder_again();
    if course.has_rogues {
        let is_honest = |name: &str| name == AUTHOR || names.iter().any(|own| own == name);
        println!("{}", Accounts::read(contest).expect_fair_shares_since(&accounts, is_honest));
    }
    if course.matches >= MANY {
        watched.expect_flat_memory();
    }
    // Every match that counts has its record, once, and it replays.
    assert_eq!(contest.verify().good as u64, matches);
    println!(
        "{} participants, {} submissions of which {} taken, {} kills, {matches} matches in {:.0} \
         s; all checked after {:.0} s and {after_checks} matches, then {rate:.1} matches a second; \
         ladder page {}, own page {}; at most MB, by tenths of the matches: {}; opened again in \
         {:.2} s",
        course.participants,
        course.submissions,
        acknowledged.len(),
        watched.kills,
        begun.elapsed().as_secs_f64(),
        checked.as_secs_f64(),
        median(&mut watched.ladder_times),
        median(&mut watched.own_times),
        watched.memory(),
        opening.as_secs_f64(),
    );
}

/// Number of matches after which memory can be judged.
const MANY: u64 = 400;

/// A version that the host has acknowledged: the participant's place in the list, the number and
/// the digest of the files.
type Acknowledged = (usize, i64, String);

/// Checks that a version is still there, with the same files.
fn expect_version(contest: &Contest, names: &[String], (who, number, digest): &Acknowledged) {
    let sql = "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant
               WHERE p.name = ?1 AND v.number = ?2 AND v.digest = ?3";
    let values = rusqlite::params![names[*who], number, digest];
    let found = contest.database().query_row(sql, values, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(found, 1, "{} version {number}", names[*who]);
}

impl Watched<'_> {
    /// Submits programs, some of them again, and kills the host half of its times meanwhile.
    fn hand_in_all(
        &mut self,
        course: &Course,
        tokens: &[String],
        draws: &mut Draws,
    ) -> Vec<Acknowledged> {
        let mut acknowledged: Vec<Acknowledged> = Vec::new();
        let mut handed_in: Vec<(usize, &str, Vec<u8>)> = Vec::new();
        let early = course.kills / 2;
        let every = course.submissions.div_ceil(early + 1);
        for number in 0..course.submissions {
            let (who, name, bytes) = match handed_in.len() {
                0 => (draws.below(tokens.len()), "bot.py", WALKER.as_bytes().to_vec()),
                count if draws.below(5) == 0 => handed_in[draws.below(count)].clone(),
                _ => {
                    let who = draws.below(tokens.len());
                    let (name, bytes) = program(draws, number);
                    (who, name, bytes)
                }
            };
            let answer = self.server().hand_in(&tokens[who], name, &bytes);
            assert!(matches!(answer.status, 201 | 422), "{}: {}", answer.status, answer.body);
            if answer.status == 201 {
                let version: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
                let digest = version["digest"].as_str().unwrap().to_owned();
                acknowledged.push((who, version["version"].as_i64().unwrap(), digest));
                handed_in.push((who, name, bytes));
            }
            self.look();
            if number % every == every - 1 && self.kills < early {
                self.kill_soon(draws);
            }
        }
        acknowledged
    }

    fn wait_for_checks(&mut self) {
        // Of the class: those who build for ever never have all checked.
        let unchecked = "SELECT count(*) FROM versions AS v JOIN participants AS p
                         ON p.id = v.participant
                         WHERE v.stage IN ('waiting', 'checking') AND p.name GLOB 'p[0-9]*'";
        while self.contest.one(unchecked) > 0 {
            self.pause();
        }
    }

    /// Checks what the rogues have achieved, and lets them do no more, so that the ladder stays as
    /// it is.
    fn stop_rogues(&mut self) {
        let Some(rogues) = self.rogues.take() else { return };
        self.server().until("the last copy is checked", |_| rogues.are_copies_checked());
        println!("{}", rogues.expect_to_be_found(self.server()));
        for name in [SLOW, COPYIST] {
            let sql = "SELECT count(*) FROM participants WHERE active IS NOT NULL AND name = ";
            assert_eq!(self.contest.one(&format!("{sql} '{name}'")), 1, "{name} plays");
        }
    }

    /// Watches until the course's matches are played or its time is over, and kills the host the
    /// other half of its times.
    fn play_until_killed(&mut self, course: &Course, begun: Instant, draws: &mut Draws) {
        let (checked, after_checks) = (begun.elapsed(), self.seen);
        // The progress, in thousandths of the matches or of the time.
        let progress = |seen: u64| {
            let of_matches =
                (seen - after_checks) * 1000 / course.matches.saturating_sub(after_checks).max(1);
            let left = course.time.saturating_sub(checked).as_secs_f64().max(1.0);
            of_matches.max(((begun.elapsed() - checked).as_secs_f64() / left * 1000.0) as u64)
        };
        let mut moments: Vec<u64> =
            (self.kills..course.kills).map(|_| draws.below(1000) as u64).collect();
        moments.sort_unstable();
        let mut moments = moments.into_iter().peekable();
        while progress(self.seen) < 1000 || moments.peek().is_some() {
            self.pause();
            if moments.next_if(|moment| *moment <= progress(self.seen)).is_some() {
                self.kill_soon(draws);
                println!("{} matches after {:.0} s", self.seen, begun.elapsed().as_secs_f64());
            }
        }
    }

    /// Waits a moment, and looks.
    fn pause(&mut self) {
        std::thread::sleep(Duration::from_millis(200));
        self.look();
    }

    /// Kills the host, or one of the players, at a random moment.
    fn kill_soon(&mut self, draws: &mut Draws) {
        std::thread::sleep(Duration::from_millis(draws.below(400) as u64));
        self.kill(draws.below(12));
    }

    /// Checks that the ladder follows from its log: it is the same when it is computed again.
    /// Returns the number of matches, and how long a host took to begin.
    fn expect_the_same_ladder_again(&mut self) -> (u64, Duration) {
        self.contest.pause(true);
        let under_way = "SELECT count(*) FROM matches WHERE record IS NULL AND is_begun";
        self.server().until("no match is under way", |_| self.contest.one(under_way) == 0);
        let matches = self.server().count_played();
        let before = self.grades();
        self.server = None;
        let begun = Instant::now();
        self.start();
        let opening = begun.elapsed();
        assert_eq!(self.grades(), before);
        self.server = None;
        (matches, opening)
    }

    fn grades(&self) -> String {
        let cookie = self.server().sign_in(&self.contest.organiser);
        self.server().get_as(&cookie, "/organiser/grades.csv").body
    }
}

#[test]
fn a_very_small_class_loses_nothing_by_kills() {
    let time = Duration::from_secs(300);
    run(&Course {
        participants: 4,
        submissions: 12,
        kills: 2,
        has_rogues: false,
        matches: 40,
        time,
    });
}

#[test]
#[ignore = "nightly: a minute or more"]
fn a_small_class_loses_nothing_by_kills() {
    let time = Duration::from_secs(600);
    run(&Course {
        participants: 12,
        submissions: 60,
        kills: 6,
        has_rogues: true,
        matches: 400,
        time,
    });
}

/// Returns a whole class; `just class` says of which size. None if nobody asked for it.
pub(crate) fn whole_class() -> Option<Course> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let Some(matches) = number("QUINTAIN_CLASS_MATCHES") else {
        eprintln!("left out: only `just class` runs it");
        return None;
    };
    let time = Duration::from_secs(60 * number("QUINTAIN_CLASS_MINUTES").unwrap_or(120));
    Some(Course { participants: 60, submissions: 400, kills: 30, has_rogues: true, matches, time })
}

#[test]
#[ignore = "takes hours: `just class`"]
fn a_whole_class_loses_nothing_by_kills() {
    if let Some(course) = whole_class() {
        run(&course);
    }
}

/// Plays the ladder for a while with this many participants, who all have the same program with
/// this thinking time per move, and prints the figures of docs/research/contest-host.md.
fn measure_capacity(participants: usize, thinking: Option<&str>) {
    let Some(contest) = crowded_contest() else { return };
    contest.edit(&[("matches = 1000", "matches = 1000000"), ("# threads = 1", "threads = 2")]);
    let token = contest.invite("p0");
    let server = contest.serve();
    let program = thinking.map_or_else(
        || WALKER.to_owned(),
        |seconds| {
            walker_choosing(&format!(
                "import time; end = time.process_time() + {seconds}\n    \
                 while time.process_time() < end: pass"
            ))
        },
    );
    server.enter(&token, &program);
    // The others have submitted the same files, which are checked already.
    contest
        .database()
        .execute_batch(&format!(
            "WITH RECURSIVE n (n) AS
             (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < {participants})
             INSERT INTO participants (name) SELECT 'p' || n FROM n;
             INSERT INTO versions (participant, number, digest, stage, at)
             SELECT p.id, 1, v.digest, 'passed', v.at FROM participants AS p, versions AS v
             WHERE v.digest <> '' AND p.name GLOB 'p[1-9]*';
             UPDATE participants SET active =
             (SELECT id FROM versions WHERE participant = participants.id)
             WHERE name GLOB 'p[1-9]*';"
        ))
        .unwrap();
    drop(server);
    let mut watched = Watched::new(&contest, &token, None);
    // By then all programs have been started.
    let warm = watched.seen + 4 * participants as u64;
    let begun = Instant::now();
    while watched.seen < warm && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(200));
        watched.look();
    }
    let (begun, before) = (Instant::now(), watched.seen);
    while begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(200));
        watched.look();
    }
    let rate = (watched.seen - before) as f64 / begun.elapsed().as_secs_f64();
    println!(
        "{participants} participants, {} s a move: {rate:.1} matches a second; ladder page {}, own \
         page {}; {} MB",
        thinking.unwrap_or("0"),
        median(&mut watched.ladder_times),
        median(&mut watched.own_times),
        watched.memory.last().unwrap().1,
    );
}

#[test]
#[ignore = "measures: `just class-capacity`"]
fn a_machines_capacity() {
    if std::env::var_os("QUINTAIN_CLASS_CAPACITY").is_none() {
        return eprintln!("left out: only `just class-capacity` runs it");
    }
    for participants in [10, 60, 200] {
        for thinking in [None, Some("0.01")] {
            measure_capacity(participants, thinking);
        }
    }
}
