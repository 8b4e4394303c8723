//! A contest whose matches are played by workers, which fetch participants' programs from the host by
//! digest, through a real NATS server. Skipped with a message where there is none.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::class::{Course, Players, run_on};
use crate::contest::{Contest, command, quintain};
use crate::nats::{self, Nats};

/// A worker that is killed when the test ends.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Worker {
    /// Starts a worker of one thread, with these options.
    fn start(contest: &Contest, nats: &Nats, options: &[&str], stderr: Stdio) -> Worker {
        let address = nats.address();
        let arguments = [&["worker", "--on", &address, "--threads", "1"], options].concat();
        let mut command = command(contest.at(), &arguments);
        Worker(command.stdout(Stdio::null()).stderr(stderr).spawn().unwrap())
    }

    /// Starts a worker that plays participants' programs, confined as the contest's host does.
    fn taking_programs(contest: &Contest, nats: &Nats, options: &[&str]) -> Worker {
        let file = fs::read_to_string(contest.at().join("cup/host.toml")).unwrap();
        let sandbox = if file.contains("\nsandbox = \"full\"") { "full" } else { "basic" };
        let own = ["--take-programs", "--sandbox", sandbox];
        Worker::start(contest, nats, &[&own, options].concat(), Stdio::null())
    }

    /// Reads its output up to a line that contains these words.
    fn wait_to_hear(&mut self, words: &str) {
        let mut said = BufReader::new(self.0.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ends without saying “{words}”");
        }
    }
}

/// A server and workers, any of which may be killed.
struct Crew<'a> {
    contest: &'a Contest,
    nats: Nats,
    workers: Vec<Worker>,
}

impl<'a> Crew<'a> {
    fn of_two(contest: &'a Contest) -> Crew<'a> {
        let nats = Nats::start(contest.at());
        let workers = (0..2).map(|_| Worker::taking_programs(contest, &nats, &[])).collect();
        Crew { contest, nats, workers }
    }
}

impl Players for Crew<'_> {
    fn options(&self) -> Vec<String> {
        ["--nats", &self.nats.address(), "--patience", "2s"].map(str::to_owned).into()
    }

    fn kill_one(&mut self, number: usize) {
        match number % 4 {
            0 => {
                self.nats.kill();
                self.nats.start_again();
            }
            number => {
                let worker = number % self.workers.len();
                self.workers[worker] = Worker::taking_programs(self.contest, &self.nats, &[]);
            }
        }
    }
}

#[test]
fn a_small_class_on_workers_loses_nothing_by_kills_of_any_of_them() {
    if !nats::is_here() {
        return;
    }
    let Some(contest) = Contest::new("per_hour = 9999 ") else { return };
    let time = Duration::from_secs(600);
    let course = Course { participants: 6, submissions: 24, kills: 8, matches: 200, time };
    run_on(&course, &contest, Some(Box::new(Crew::of_two(&contest))));
}

#[test]
#[ignore = "takes long: `just class-on-workers`"]
fn a_class_whose_matches_workers_play_loses_nothing_by_kills() {
    if !nats::is_here() {
        return;
    }
    let Some(contest) = Contest::new("per_hour = 9999 ") else { return };
    let said = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let matches = said("QUINTAIN_CLASS_MATCHES").unwrap_or(100_000);
    let time = Duration::from_secs(60 * said("QUINTAIN_CLASS_MINUTES").unwrap_or(120));
    let course = Course { participants: 60, submissions: 400, kills: 50, matches, time };
    run_on(&course, &contest, Some(Box::new(Crew::of_two(&contest))));
}

/// Returns a contest on a short ladder, and two participants. Their programs are the same except for
/// their output: the path by which each knows itself.
fn contest_of_two(matches: &str) -> Option<(Contest, [String; 2])> {
    if !nats::is_here() {
        return None;
    }
    let contest = Contest::new("per_hour = 20 ")?;
    contest.edit(&[("matches = 1000", matches)]);
    let file = contest.at().join("walker/bot.py");
    let source = fs::read_to_string(&file).unwrap();
    let telling = "    import os\n    print('I am', os.path.abspath(__file__), file=sys.stderr)\n";
    let begin = "def main():\n";
    let telling = source.replace(begin, &format!("{begin}{telling}"));
    assert_ne!(telling, source);
    fs::write(&file, telling).unwrap();
    let tokens = [contest.invite("ada"), contest.invite("bob")];
    Some((contest, tokens))
}

/// Returns all finished matches of a contest: where, on which seed and who, with the record.
fn list_played(contest: &Contest) -> BTreeMap<(String, i64, String), String> {
    let database = contest.database();
    let sql = "SELECT scenario, seed, seats, record FROM matches WHERE record IS NOT NULL";
    let mut statement = database.prepare(sql).unwrap();
    let read = |row: &rusqlite::Row<'_>| {
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get::<_, String>(3)?))
    };
    let all: Vec<_> = statement.query_map([], read).unwrap().map(Result::unwrap).collect();
    let count = all.len();
    let played: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(played.len(), count, "no match counts twice");
    played
}

/// Counts the finished matches of a participant's first version.
fn count_played(contest: &Contest, name: &str) -> i64 {
    let sql = "SELECT count(*) FROM seats JOIN matches ON matches.id = match
               WHERE record IS NOT NULL AND version = ?1";
    let version = contest.version_of(name);
    contest.database().query_row(sql, [version], |row| row.get(0)).unwrap()
}

/// Counts matches played by the active version of one participant that are not against another's.
fn count_played_without(contest: &Contest, name: &str, other: &str) -> i64 {
    let sql = "SELECT count(*) FROM seats JOIN matches ON matches.id = match
               WHERE record IS NOT NULL AND version = ?1 AND NOT EXISTS
               (SELECT 1 FROM seats AS others WHERE others.match = matches.id AND others.version = ?2)";
    let versions = [name, other].map(|name| contest.version_of(name));
    contest.database().query_row(sql, versions, |row| row.get(0)).unwrap()
}

#[test]
fn workers_play_a_contest_and_nothing_is_lost_when_one_of_them_and_the_host_are_killed() {
    let Some((contest, [ada, bob])) = contest_of_two("matches = 120") else { return };
    let nats = Nats::start(contest.at());
    let address = nats.address();
    let options = ["--nats", &address, "--patience", "2s"];
    let server = contest.serve_with(&options);
    let _steady = Worker::taking_programs(&contest, &nats, &[]);
    let doomed = Worker::taking_programs(&contest, &nats, &[]);
    let hand_in = |token: &str| {
        let said = contest.submit(&server, token, "walker");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    };
    hand_in(&ada);
    server.until("ada is played", |_| count_played(&contest, "ada") >= 120);
    contest.host("pause", &[]);
    hand_in(&bob);
    let seen = list_played(&contest);
    assert_eq!(count_played(&contest, "bob"), 0);
    // A worker is killed in the middle of whatever it plays, and the host with it.
    contest.host("resume", &[]);
    server.until("bob's matches are handed out", |_| {
        let workers = quintain(contest.at(), &["workers", "--on", &address]);
        !workers.contains("no tournament is handed") || count_played(&contest, "bob") > 0
    });
    drop(doomed);
    drop(server);
    let server = contest.serve_with(&options);
    let kept = list_played(&contest);
    assert!(seen.iter().all(|(what, record)| kept.get(what) == Some(record)), "some are lost");
    server.until("bob is played", |_| count_played(&contest, "bob") >= 120);
    // Neither the killed host nor this one has left anything to be played.
    server.until("the ladder rests", |_| {
        quintain(contest.at(), &["workers", "--on", &address]).contains("no tournament is handed")
    });
    assert_eq!(server.count_played(), list_played(&contest).len() as u64);
    // Every record is in the store and replays; the programs ran only on workers.
    let said = contest.host("verify", &[]);
    assert!(said.contains(&format!("{} matches verified", list_played(&contest).len())), "{said}");
    let faults = "SELECT count(*) FROM matches WHERE fault IS NOT NULL";
    assert_eq!(contest.database().query_row(faults, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    // A program's output is for its author, and does not reveal where a worker stores it.
    let said = contest.database();
    let said: String = said.query_row("SELECT text FROM said", [], |row| row.get(0)).unwrap();
    assert!(said.contains("I am bot.py"), "{said}");
}

#[test]
fn programs_are_played_by_workers_that_take_them_and_what_cannot_be_sent_by_the_host() {
    let Some((contest, [ada, bob])) = contest_of_two("matches = 20") else { return };
    // A program that needs files of the host besides its own.
    fs::create_dir(contest.at().join("beside")).unwrap();
    let beside = contest.at().join("beside").display().to_string();
    let language = format!(
        "[build.languages.copied]\nshows = [\"walker.txt\"]\nbuild = \"cp walker.txt bot.py\"\n\
         start = \"python3 bot.py\"\nread = [{beside:?}]\n"
    );
    let file = contest.at().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n{language}")).unwrap();
    // Host and workers have the permissions of the deployment.
    let deployed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/nats/accounts.conf");
    let accounts = contest.at().join("accounts.conf");
    fs::copy(deployed, &accounts).unwrap();
    let passwords = "COORDINATOR_PASSWORD: \"first\"\nWORKER_PASSWORD: \"second\"\n";
    fs::write(contest.at().join("passwords.conf"), passwords).unwrap();
    fs::write(contest.at().join("coordinator"), "first\n").unwrap();
    fs::write(contest.at().join("worker"), "second\n").unwrap();
    let nats = Nats::start_with(contest.at(), &["-c", accounts.to_str().unwrap()]);
    let coordinator = ["--user", "coordinator", "--password-file", "coordinator"];
    let worker = ["--user", "worker", "--password-file", "worker"];
    let address = nats.address();
    let options = [["--nats", &address, "--patience", "2s"], coordinator].concat();
    let server = contest.serve_with(&options);
    let mut wary = Worker::start(&contest, &nats, &worker, Stdio::piped());
    let source = fs::read(contest.at().join("walker/bot.py")).unwrap();
    let checked = server.hand_in_file_and_wait(&bob, "walker.txt", &source);
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("the host plays what it cannot send", |_| count_played(&contest, "bob") >= 20);
    assert!(contest.submit(&server, &ada, "walker").status.success());
    wary.wait_to_hear("a worker with --take-programs fetches it");
    // Ada's matches against bob are played by the host.
    let sent = || count_played_without(&contest, "ada", "bob");
    assert_eq!(sent(), 0);
    let _willing = Worker::taking_programs(&contest, &nats, &worker);
    server.until("somebody plays them", |_| sent() >= 1);
    #[cfg(feature = "wasm")]
    {
        let eve = contest.invite("eve");
        let module = crate::builds::module_going_up();
        let checked = server.hand_in_file_and_wait(&eve, "bot.wasm", &module);
        assert_eq!(checked["stage"], "passed", "{checked}");
        server.until("modules are sent too", |_| count_played(&contest, "eve") >= 20);
    }
    // No participant's program is run without a sandbox.
    let arguments = ["worker", "--on", &address, "--take-programs", "--trust"];
    let output = command(contest.at(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("so it needs a sandbox"));
    let seen = quintain(
        contest.at(),
        &[["workers", "--on", &address, "--json"].as_slice(), &coordinator].concat(),
    );
    assert!(seen.contains("bot:ada.1 is not one of the programs allowed here"), "{seen}");
}
