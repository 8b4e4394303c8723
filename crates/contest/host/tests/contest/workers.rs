//! A contest whose matches are played by workers, which fetch participants' programs from the host
//! by digest, through a real NATS server. Skipped with a message where there is none.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use quintain_bots::sandbox::Protection;
use quintain_fleet::{FleetOptions, NatsServer, WorkerOptions, status, work};
use quintain_host::{ProgramMaker, Workers, fleet_workers};

use crate::class::{Course, Players, crowded_contest, run_on, whole_class};
use crate::nats::{self, Nats};
use crate::processes;
use crate::server::Server;
use crate::setup::{Contest, LAUNCHER, WALKER, walker_beginning, walker_choosing};

/// Variables of hosts and workers: the NATS server, who they are there, and how a worker confines
/// programs, if it takes any.
const NATS: &str = "QUINTAIN_TEST_NATS";
const USER: &str = "QUINTAIN_TEST_USER";
const PASSWORD: &str = "QUINTAIN_TEST_PASSWORD";
const TAKES_PROGRAMS: &str = "QUINTAIN_TEST_TAKES_PROGRAMS";

/// Returns the NATS server that the environment names.
fn server_from_environment() -> Option<NatsServer> {
    let mut server: NatsServer = std::env::var(NATS).ok()?.parse().unwrap();
    server.user = std::env::var(USER).ok().zip(std::env::var(PASSWORD).ok());
    Some(server)
}

/// Returns the workers at the NATS server that the environment names.
pub(crate) fn from_environment() -> Option<Arc<dyn Workers>> {
    Some(workers_at(server_from_environment()?))
}

fn workers_at(server: NatsServer) -> Arc<dyn Workers> {
    fleet_workers(server, FleetOptions { patience: Duration::from_secs(2), ..<_>::default() })
}

#[test]
#[ignore = "no test, but the worker that other tests start and kill"]
fn work_until_killed() {
    let Some(server) = server_from_environment() else { return };
    let catalog = quintain_games::catalog();
    let make_player = std::env::var(TAKES_PROGRAMS).ok().map(|protection| {
        let protection = if protection == "full" { Protection::Full } else { Protection::Basic };
        let launcher = PathBuf::from(LAUNCHER);
        let maker = ProgramMaker { launcher, protection, catalog: catalog.clone() };
        let make = move |player: &str, packed: &[u8]| maker.make(player, packed);
        Arc::new(make) as Arc<quintain_fleet::MakePlayer>
    });
    let options = WorkerOptions {
        threads: 1,
        stop: Arc::default(),
        idle: None,
        name: None,
        make_player,
        make_module: None,
        lists_programs: false,
        owner: None,
        pace: None,
    };
    work(&server, &catalog, &options, |line| eprintln!("{line}")).unwrap();
}

/// A worker that is killed when the test ends.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The user and password of workers, where the server has users.
const OF_WORKERS: [(&str, &str); 2] = [(USER, "worker"), (PASSWORD, "second")];

impl Worker {
    /// Starts a worker of one thread, with these variables.
    fn start(nats: &Nats, variables: &[(&str, &str)], stderr: Stdio) -> Worker {
        let mut command = processes::command("workers::work_until_killed", NATS, nats.address());
        command.envs(variables.iter().copied()).stdout(Stdio::null()).stderr(stderr);
        Worker(command.spawn().unwrap())
    }

    /// Starts a worker that plays participants' programs, confined as the contest's host does.
    fn taking_programs(contest: &Contest, nats: &Nats, variables: &[(&str, &str)]) -> Worker {
        let protection = if contest.protection == Protection::Full { "full" } else { "basic" };
        let own = [(TAKES_PROGRAMS, protection)];
        Worker::start(nats, &[&own, variables].concat(), Stdio::null())
    }

    /// Reads its output up to a line that contains these words.
    fn wait_to_hear(&mut self, words: &str) {
        let mut output = BufReader::new(self.0.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "it ends without saying “{words}”");
        }
    }
}

/// Returns whether nothing is handed out to workers.
fn is_idle(nats: &Nats) -> bool {
    status(&nats.address().parse().unwrap()).unwrap().coordinators.is_empty()
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
    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![(NATS, self.nats.address())]
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
#[ignore = "nightly: a minute or more"]
fn a_small_class_on_workers_loses_nothing_by_kills() {
    let time = Duration::from_secs(600);
    run_on_workers(&Course {
        participants: 6,
        submissions: 24,
        kills: 8,
        has_rogues: true,
        matches: 200,
        time,
    });
}

#[test]
#[ignore = "takes hours: `just class-on-workers`"]
fn a_whole_class_on_workers_loses_nothing_by_kills() {
    if let Some(course) = whole_class() {
        run_on_workers(&course);
    }
}

fn run_on_workers(course: &Course) {
    if !nats::is_here() {
        return;
    }
    let Some(contest) = crowded_contest() else { return };
    run_on(course, &contest, Some(Box::new(Crew::of_two(&contest))));
}

/// Returns a contest on a short ladder, and two participants.
fn contest_of_two(matches: &str) -> Option<(Contest, [String; 2])> {
    if !nats::is_here() {
        return None;
    }
    let contest = Contest::new()?;
    contest.edit(&[("matches = 1000", matches)]);
    let tokens = ["ada", "bob"].map(|name| contest.invite(name));
    Some((contest, tokens))
}

/// Returns the walker, which says where its file is.
fn telling_walker() -> String {
    walker_beginning("import os; print('I am', os.path.abspath(__file__), file=sys.stderr)")
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

/// Returns the number of a participant's first version.
fn version_of(contest: &Contest, name: &str) -> String {
    let sql = "SELECT v.id FROM versions AS v JOIN participants AS p ON p.id = v.participant
               WHERE p.name = ?1 AND v.number = 1";
    let id = contest.database().query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap();
    id.to_string()
}

/// Counts the finished matches of a participant's first version.
fn count_played(contest: &Contest, name: &str) -> i64 {
    let sql = "SELECT count(*) FROM seats JOIN matches ON matches.id = match
               WHERE record IS NOT NULL AND version = ?1";
    let version = version_of(contest, name);
    contest.database().query_row(sql, [version], |row| row.get(0)).unwrap()
}

/// Counts matches played by the active version of one participant that are not against another's.
fn count_played_without(contest: &Contest, name: &str, other: &str) -> i64 {
    let sql = "SELECT count(*) FROM seats JOIN matches ON matches.id = match
               WHERE record IS NOT NULL AND version = ?1 AND NOT EXISTS
               (SELECT 1 FROM seats AS o WHERE o.match = matches.id AND o.version = ?2)";
    let versions = [name, other].map(|name| version_of(contest, name));
    contest.database().query_row(sql, versions, |row| row.get(0)).unwrap()
}

#[test]
fn a_killed_worker_and_a_killed_host_lose_no_match() {
    let Some((contest, [ada, bob])) = contest_of_two("matches = 60") else { return };
    let nats = Nats::start(contest.at());
    let address = nats.address();
    let serve = || processes::start_host(&contest.cup(), &[(NATS, address.clone())]);
    let server = serve();
    let _steady = Worker::taking_programs(&contest, &nats, &[]);
    let doomed = Worker::taking_programs(&contest, &nats, &[]);
    server.enter(&ada, &telling_walker());
    server.until("ada is played", |_| count_played(&contest, "ada") >= 60);
    contest.pause(true);
    server.enter(&bob, &telling_walker());
    let seen = list_played(&contest);
    assert_eq!(count_played(&contest, "bob"), 0);
    // A worker is killed in the middle of whatever it plays, and the host with it.
    contest.pause(false);
    server.until("bob's matches are handed out", |_| {
        !is_idle(&nats) || count_played(&contest, "bob") > 0
    });
    drop(doomed);
    drop(server);
    let server = serve();
    let kept = list_played(&contest);
    assert!(seen.iter().all(|(what, record)| kept.get(what) == Some(record)), "some are lost");
    server.until("bob is played", |_| count_played(&contest, "bob") >= 60);
    // Neither the killed host nor this one has left anything to be played.
    server.until("the ladder rests", |_| is_idle(&nats));
    assert_eq!(server.count_played(), list_played(&contest).len() as u64);
    // Every record is in the store and replays; the programs ran only on workers.
    assert_eq!(contest.verify().good, list_played(&contest).len());
    assert_eq!(contest.one("SELECT count(*) FROM matches WHERE fault IS NOT NULL"), 0);
    // A program's output is for its author, and does not reveal where a worker stores it.
    let output: String =
        contest.database().query_row("SELECT text FROM said", [], |row| row.get(0)).unwrap();
    assert!(output.contains("I am bot.py"), "{output}");
}

#[test]
fn a_slow_newcomer_does_not_keep_the_workers_from_playing_others() {
    let Some((contest, [ada, _])) = contest_of_two("matches = 1000000") else { return };
    let nats = Nats::start(contest.at());
    let server = processes::start_host(&contest.cup(), &[(NATS, nats.address())]);
    let _worker = Worker::taking_programs(&contest, &nats, &[]);
    // A round has as many matches as the worker plays in ten seconds, here of players that answer
    // at once.
    server.until("rounds are large", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") > 100
    });
    server.enter(&ada, &walker_choosing("__import__('time').sleep(0.3)"));
    server.until("ada is played", |_| {
        let version = version_of(&contest, "ada");
        let under_way = "SELECT count(*) FROM seats JOIN matches ON matches.id = match
                         WHERE record IS NULL AND version =";
        // In this order: none was over when those under way were counted.
        let under_way = contest.one(&format!("{under_way} {version}"));
        let before = count_played(&contest, "ada");
        assert!(before > 0 || under_way <= 2, "{under_way} matches before one is over");
        before > 0
    });
}

/// Gives the contest a language whose programs need files of the host besides their own.
fn add_language_of_host(contest: &Contest) {
    fs::create_dir(contest.at().join("beside")).unwrap();
    let beside = contest.at().join("beside").display().to_string();
    contest.append(&format!(
        "[build.languages.copied]\nshows = [\"walker.txt\"]\nbuild = \"cp walker.txt bot.py\"\n\
         start = \"python3 bot.py\"\nread = [{beside:?}]\n"
    ));
}

/// Starts a server with the accounts of the deployment.
fn start_with_accounts(contest: &Contest) -> Nats {
    let deployed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../deploy/nats/accounts.conf");
    let accounts = contest.at().join("accounts.conf");
    fs::copy(deployed, &accounts).unwrap();
    let passwords = "COORDINATOR_PASSWORD: \"first\"\nWORKER_PASSWORD: \"second\"\n";
    fs::write(contest.at().join("passwords.conf"), passwords).unwrap();
    Nats::start_with(contest.at(), &["-c", accounts.to_str().unwrap()])
}

#[test]
fn workers_that_take_programs_play_them_and_the_host_plays_what_it_cannot_send() {
    let Some((contest, [ada, bob])) = contest_of_two("matches = 20") else { return };
    add_language_of_host(&contest);
    let nats = start_with_accounts(&contest);
    let mut coordinator: NatsServer = nats.address().parse().unwrap();
    coordinator.user = Some(("coordinator".to_owned(), "first".to_owned()));
    let server = Server::start(&contest.cup(), Some(workers_at(coordinator.clone()))).unwrap();
    let mut wary = Worker::start(&nats, &OF_WORKERS, Stdio::piped());
    let checked = server.hand_in_file_and_wait(&bob, "walker.txt", WALKER.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("the host plays what it cannot send", |_| count_played(&contest, "bob") >= 20);
    server.enter(&ada, WALKER);
    wary.wait_to_hear("a worker with --take-programs fetches");
    // Ada's matches against bob are played by the host.
    let sent = || count_played_without(&contest, "ada", "bob");
    assert_eq!(sent(), 0);
    // That ends with the matches that are refused.
    let refusal = "because it does not take programs (";
    server.until("it is said who takes none", |_| {
        let workers = status(&coordinator).unwrap().workers;
        workers.iter().flat_map(|worker| &worker.refuses).any(|why| why.contains(refusal))
    });
    let _willing = Worker::taking_programs(&contest, &nats, &OF_WORKERS);
    server.until("the worker plays them", |_| sent() >= 1);
    #[cfg(feature = "wasm")]
    {
        let eve = contest.invite("eve");
        let module = crate::modules::module_going_up();
        let checked = server.hand_in_file_and_wait(&eve, "bot.wasm", &module);
        assert_eq!(checked["stage"], "passed", "{checked}");
        server.until("modules are sent too", |_| count_played(&contest, "eve") >= 20);
    }
}
