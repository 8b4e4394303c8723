//! Why the workers at a server play none of a test's matches, and the command that mends it.

use std::collections::BTreeMap;

use quintain_fleet::{Listening, NatsServer, Status, Worker, status};
use quintain_scene::clean;

use crate::lists::format_count;
use crate::open_test::OpenTest;
use crate::server::Credentials;

/// The options with which workers, and those who list them, log in on their own machines.
struct Logins {
    worker: String,
    visitor: String,
}

/// Why nobody plays these tests, by their numbers; and how other machines reach the server, if they
/// do.
pub(crate) fn find_obstacles(
    server: &NatsServer,
    tests: &[OpenTest],
    credentials: &Credentials,
) -> (BTreeMap<i64, String>, Option<String>) {
    let status = status(server);
    let address = status.as_ref().ok().and_then(|status| {
        address_for_others(&server.to_string(), &status.listening, crate::server::own_address)
    });
    // Whoever asks may be anywhere: where this machine keeps its files is no help there.
    let logins = Logins {
        worker: credentials.of_workers().without_folders().login(),
        visitor: credentials.without_folders().login(),
    };
    let explain_one = |test: &OpenTest| match &status {
        Ok(status) => explain(status, test, (server, &logins), address.as_deref()),
        Err(error) => Some(clean(&error.to_string())),
    };
    let obstacles = tests.iter().filter_map(|test| Some((test.number, explain_one(test)?)));
    (obstacles.collect(), address)
}

/// How other machines reach a server that this one reaches at `named`: there as well, unless that
/// is this machine's own loopback. Then the server says where it listens.
fn address_for_others(
    named: &str,
    listening: &Listening,
    own_address: impl Fn() -> Option<String>,
) -> Option<String> {
    let (scheme, hosts) = named.split_once("://")?;
    if !hosts.split(',').any(is_loopback) {
        return Some(named.to_owned());
    }
    let Listening { host, port, advertised } = listening;
    if let Some(address) = advertised.iter().find(|address| !is_loopback(address)) {
        return Some(format!("{scheme}://{address}"));
    }
    match host.as_str() {
        "0.0.0.0" | "::" => Some(format!("{scheme}://{}:{port}", own_address()?)),
        host if is_loopback(host) => None,
        host => Some(format!("{scheme}://{host}:{port}")),
    }
}

fn is_loopback(address: &str) -> bool {
    let address = address.rsplit_once("://").map_or(address, |(_, host)| host);
    ["127.", "localhost", "[::1]", "::1"].iter().any(|own| address.starts_with(own))
}

/// Why nobody plays a test. The worker that is to be started may be on another machine.
fn explain(
    status: &Status,
    test: &OpenTest,
    (server, logins): (&NatsServer, &Logins),
    address: Option<&str>,
) -> Option<String> {
    let Logins { worker: worker_login, visitor: login } = logins;
    let how = if test.has_programs { " --take-programs" } else { "" };
    let at = address.map_or_else(|| server.to_string(), str::to_owned);
    let start = format!("`quintain worker --on {at}{worker_login}{how}`");
    let workers = &status.workers;
    let connected = match workers.len() {
        0 => return Some(format!("no worker is connected; start one: {start}")),
        1 => "1 worker is connected".to_owned(),
        several => format!("{} are connected", format_count(several, "worker")),
    };
    if test.has_programs && workers.iter().all(|worker| worker.plays_programs == Some(false)) {
        let but = if workers.len() == 1 { "but takes no" } else { "none of which takes" };
        return Some(format!("{connected}, {but} programs; start one that does: {start}"));
    }
    let name = test.played_as.as_ref()?;
    let is_at_it = |worker: &Worker| {
        worker.playing.iter().any(|(known, _)| known == name) || worker.preparing.contains(name)
    };
    if workers.iter().any(is_at_it) {
        return None;
    }
    let why = workers.iter().map(|worker| why_refused(worker, name));
    let why = why.collect::<Option<Vec<&str>>>()?;
    let (who, why) = (clean(&workers[0].who), clean(why[0]));
    Some(format!(
        "{connected}, and none plays it: {who} refuses, because {why}; `quintain workers --on \
         {server}{login}` says what each refuses"
    ))
}

/// Why a worker refuses what has this name, if it does.
fn why_refused<'a>(worker: &'a Worker, name: &str) -> Option<&'a str> {
    let about = format!("{name} (");
    let mut lines = worker.refuses.iter().rev();
    lines.find_map(|line| line.split_once(&about)?.1.split_once(", because ").map(|(_, why)| why))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "compare bot:mine@1 with bot:mine@2";

    fn worker(plays_programs: Option<bool>, refuses: &[&str]) -> Worker {
        let refuses = refuses.iter().map(|line| (*line).to_owned()).collect();
        Worker { who: "desk:7".to_owned(), plays_programs, refuses, ..Worker::default() }
    }

    fn of(workers: Vec<Worker>, has_programs: bool, runs: bool) -> Option<String> {
        let played_as = runs.then(|| NAME.to_owned());
        let test = OpenTest { number: 1, played_as, has_programs };
        let status = Status { workers, ..Status::default() };
        let server = "nats://127.0.0.1:4222".parse().unwrap();
        let logins = Logins { worker: String::new(), visitor: String::new() };
        explain(&status, &test, (&server, &logins), Some("nats://club:4222"))
    }

    #[test]
    fn others_reach_a_server_where_it_listens_beyond_its_machine() {
        let at = |named: &str, host: &str, advertised: &[&str]| {
            let advertised = advertised.iter().map(|one| (*one).to_owned()).collect();
            let listening = Listening { host: host.to_owned(), port: 4222, advertised };
            address_for_others(named, &listening, || Some("192.168.1.20".to_owned()))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(at("nats://club.org:4222", "0.0.0.0", &[]), some("nats://club.org:4222"));
        assert_eq!(at("tls://127.0.0.1:4222", "0.0.0.0", &[]), some("tls://192.168.1.20:4222"));
        assert_eq!(at("nats://localhost:4222", "10.0.0.5", &[]), some("nats://10.0.0.5:4222"));
        assert_eq!(at("nats://127.0.0.1:4222", "127.0.0.1", &[]), None);
        assert_eq!(
            at("nats://127.0.0.1:4222", "0.0.0.0", &["127.0.0.1:4222", "club.org:4222"]),
            some("nats://club.org:4222")
        );
    }

    #[test]
    fn without_workers_the_command_starts_one_that_can_play() {
        let said = of(Vec::new(), false, false).unwrap();
        let start = "`quintain worker --on nats://club:4222`";
        assert_eq!(said, format!("no worker is connected; start one: {start}"));
        assert!(of(Vec::new(), true, true).unwrap().ends_with("4222 --take-programs`"));
    }

    #[test]
    fn workers_without_programs_play_no_versions_and_one_with_them_is_enough() {
        let none = worker(Some(false), &[]);
        let said = of(vec![none.clone(), none.clone()], true, false).unwrap();
        let start = "start one that does: `quintain worker --on nats://club:4222 --take-programs`";
        assert_eq!(said, format!("2 workers are connected, none of which takes programs; {start}"));
        let said = of(vec![none.clone()], true, false).unwrap();
        assert!(said.starts_with("1 worker is connected, but takes no programs; "), "{said}");
        assert_eq!(of(vec![none.clone()], false, false), None, "the game's own players");
        assert_eq!(of(vec![none.clone(), worker(Some(true), &[])], true, false), None);
        assert_eq!(of(vec![none, worker(None, &[])], true, false), None, "it may or may not");
    }

    #[test]
    fn a_test_that_all_refuse_says_why_and_one_that_somebody_plays_says_nothing() {
        let other = "matches with programs in compare a with b (tron), because it is asleep";
        let line =
            format!("matches with programs in {NAME} (tron), because it does not start here");
        let refusing = worker(Some(true), &[other, &line]);
        let said = of(vec![refusing.clone()], true, true).unwrap();
        let expected = "1 worker is connected, and none plays it: desk:7 refuses, because it does \
                        not start here; `quintain workers --on nats://127.0.0.1:4222` says";
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(of(vec![refusing.clone(), worker(Some(true), &[other])], true, true), None);
        let playing = Worker { playing: vec![(NAME.to_owned(), 1)], ..refusing.clone() };
        assert_eq!(of(vec![refusing, playing], true, true), None);
    }

    #[test]
    fn hints_name_files_but_not_the_folders_of_the_machine_that_has_the_queue() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| Some(folder.path().join(name));
        std::fs::write(folder.path().join("worker.password"), "secret\n").unwrap();
        let credentials = Credentials {
            user: Some("coordinator".to_owned()),
            password_file: file("coordinator.password"),
            ca: file("server.pem"),
            creds: None,
            cert: None,
            key: None,
            inbox_prefix: None,
        };
        assert_eq!(
            credentials.of_workers().without_folders().login(),
            " --ca server.pem --user worker --password-file worker.password"
        );
    }
}
