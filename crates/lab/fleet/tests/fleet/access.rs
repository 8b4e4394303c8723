//! Who may connect, and what each user may do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use quintain_fleet::{FleetOptions, NatsServer, status};
use quintain_store::Store;

use crate::count;
use crate::crew::{
    TestCoordinator, TestWorker, coordinate_at, start_nats, start_nats_by, start_nats_with, truth,
};
use crate::cups::{cup, records};
use crate::nats::{self, Nats, Tap};

const CUP: &str = "
    name = 'cup'
    game = 'count'
    scenarios = ['table?target=30']
    players = ['random', 'steady']
    seeds = 20
";

/// The folder of the configurations as deployed.
const DEPLOYED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../deploy/nats");

/// A server with the accounts as deployed.
fn with_accounts(folder: &Path) -> Nats {
    start_with(folder, &fs::read_to_string(Path::new(DEPLOYED).join("accounts.conf")).unwrap())
}

/// A server with the accounts of version 0.1, which has one account for all.
fn with_earlier_accounts(folder: &Path) -> Nats {
    start_with(folder, include_str!("earlier-accounts.conf"))
}

fn start_with(folder: &Path, accounts: &str) -> Nats {
    fs::write(folder.join("accounts.conf"), accounts).unwrap();
    let passwords = "COORDINATOR_PASSWORD: \"first\"\nWORKER_PASSWORD: \"second\"\n";
    fs::write(folder.join("passwords.conf"), passwords).unwrap();
    Nats::start_with(folder, &["-c", folder.join("accounts.conf").to_str().unwrap()])
}

fn sign_in(nats: &Nats, user: &str, password: &str) -> NatsServer {
    let mut server: NatsServer = nats.address().parse().unwrap();
    server.user = Some((user.to_owned(), password.to_owned()));
    server
}

#[test]
fn no_worker_can_read_the_secrets_of_another() {
    let Some((_folder, nats)) = start_nats_by(with_accounts) else { return };
    let tap = |subject: &str| Tap::on_as(&nats, subject, "worker", "second");
    for subject in ["quintain.records.>", "_INBOX_coordinator.>", ">", "$JS.ACK.>"] {
        assert!(!tap(subject).is_allowed, "{subject}");
    }
    let mut spy = tap("_INBOX.>");
    assert!(spy.is_allowed);
    let catalog = count::catalog();
    let address = format!("nats://worker:second@127.0.0.1:{}", nats.port);
    let _hand = TestWorker::start_at(&address, "a:1", &catalog);
    let (tournament, mut store) = (cup(CUP, &catalog), Store::in_memory().unwrap());
    let server = sign_in(&nats, "coordinator", "first");
    let (options, stop) = (FleetOptions::default(), Arc::default());
    coordinate_at(server, options, &tournament, &mut store, &stop, &mut |_| {}).unwrap();
    assert_eq!(records(&store), truth(CUP, &catalog));
    let seen = status(&sign_in(&nats, "worker", "second")).unwrap();
    assert_eq!(seen.workers.iter().map(|worker| worker.who.as_str()).collect::<Vec<_>>(), ["a:1"]);
    assert_eq!(seen.thread_seconds_left, 0.0, "nothing is handed out any more");
    let mut last = Tap::on_as(&nats, "_INBOX.nothing", "worker", "second");
    last.request("$JS.API.STREAM.INFO.QUINTAIN_RECORDS", "_INBOX.end", "");
    let mut heard = 0;
    loop {
        let message = spy.next();
        if message.subject == "_INBOX.end" {
            break;
        }
        heard += 1;
        let headers = String::from_utf8_lossy(&message.headers).into_owned();
        assert!(!headers.contains("Quintain-Worker"), "{}: {headers}", message.subject);
    }
    assert!(heard > 0, "it hears what other workers are told");
}

/// Waits for the coordinator's streams, which are there once its entry is.
fn start_coordinator(nats: &Nats, text: &str) -> TestCoordinator {
    let mut entries = Tap::on_as(nats, "$KV.quintain_tournaments.lease.>", "coordinator", "first");
    let address = format!("nats://coordinator:first@127.0.0.1:{}", nats.port);
    let coordinator = TestCoordinator::start(&address, text, FleetOptions::default());
    entries.next();
    coordinator
}

/// What a worker may ask, and whose answer a server sends wherever the worker wants it: a part of a
/// bucket, nothing at all, or whatever it has put there itself.
fn requests_of_a_thief(target: &str) -> Vec<(String, String, String)> {
    let key = "$KV.quintain_workers.thief";
    let consumer = serde_json::json!({
        "stream_name": "KV_quintain_workers",
        "config": {
            "deliver_subject": target, "filter_subject": key, "deliver_policy": "all",
            "ack_policy": "none", "replay_policy": "instant",
        },
    });
    let get = "$JS.API.DIRECT.GET.KV_quintain_workers";
    let tournaments = "$JS.API.DIRECT.GET.KV_quintain_tournaments";
    let next = "$JS.API.CONSUMER.MSG.NEXT.QUINTAIN_FIXTURES.none_plain";
    let own = "_INBOX.thief.answer";
    [
        (format!("{get}.{key}"), target, String::new()),
        (format!("{get}.$KV.quintain_workers.nothing"), target, String::new()),
        (tournaments.to_owned(), target, r#"{"seq":1}"#.to_owned()),
        (next.to_owned(), target, r#"{"batch":1,"no_wait":true}"#.to_owned()),
        ("$JS.API.STREAM.INFO.QUINTAIN_RECORDS".to_owned(), target, String::new()),
        ("quintain.records.none".to_owned(), target, String::new()),
        ("$JS.API.CONSUMER.CREATE.KV_quintain_workers".to_owned(), own, consumer.to_string()),
    ]
    .map(|(subject, answer, payload)| (subject, answer.to_owned(), payload))
    .to_vec()
}

/// Has a worker try to have something published at these subjects of coordinators; returns at which
/// of them something was.
fn steal(nats: &Nats, targets: &[String]) -> BTreeSet<String> {
    let _coordinator = start_coordinator(nats, CUP);
    let mut coordinators = Tap::on_as(nats, ">", "coordinator", "first");
    let mut thief = Tap::on_as(nats, "_INBOX.thief.>", "worker", "second");
    let put = |thief: &mut Tap, number: u32| {
        let answer = format!("_INBOX.thief.put{number}");
        thief.request("$KV.quintain_workers.thief", &answer, "stop everything");
        while thief.next().subject != answer {}
    };
    put(&mut thief, 1);
    for (subject, answer, payload) in targets.iter().flat_map(|one| requests_of_a_thief(one)) {
        thief.request(&subject, &answer, &payload);
    }
    // Once the server has stored this it has seen all of them.
    put(&mut thief, 2);
    Tap::on_as(nats, "nothing", "coordinator", "first").publish("over", b"", b"");
    let mut heard = BTreeSet::new();
    loop {
        match coordinators.next().subject {
            over if over == "over" => return heard,
            subject if targets.contains(&subject) => drop(heard.insert(subject)),
            _ => {}
        }
    }
}

#[test]
fn no_answer_to_a_worker_leaves_its_account() {
    let Some((_folder, nats)) = start_nats_by(with_accounts) else { return };
    let mut targets: Vec<String> =
        ["quintain.tests", "$KV.quintain_tournaments.card.none", "stolen.answers"]
            .map(str::to_owned)
            .to_vec();
    // An empty message deletes a stream, whose name is in the subject.
    let streams =
        ["QUINTAIN_FIXTURES", "QUINTAIN_RECORDS", "KV_quintain_tournaments", "KV_quintain_workers"];
    targets.extend(streams.map(|stream| format!("$JS.API.STREAM.DELETE.{stream}")));
    assert_eq!(steal(&nats, &targets), BTreeSet::new());
    for stream in streams {
        let mut asks = Tap::on_as(&nats, "_INBOX.info.>", "coordinator", "first");
        asks.request(&format!("$JS.API.STREAM.INFO.{stream}"), "_INBOX.info.a", "");
        let info = String::from_utf8(asks.next().payload).unwrap();
        assert!(info.contains("\"created\""), "{info}");
    }
}

#[test]
fn in_one_account_with_coordinators_a_worker_has_answers_sent_anywhere() {
    let Some((_folder, nats)) = start_nats_by(with_earlier_accounts) else { return };
    let targets = ["stolen.answers".to_owned()];
    assert_eq!(steal(&nats, &targets), BTreeSet::from(targets), "this is why there are two");
}

#[test]
fn a_worker_plays_where_accounts_are_of_an_earlier_version() {
    let Some((_folder, nats)) = start_nats_by(with_earlier_accounts) else { return };
    let address = format!("nats://worker:second@127.0.0.1:{}", nats.port);
    let coordinator = start_coordinator(&nats, CUP);
    let hand = TestWorker::start_at(&address, "a:1", &count::catalog());
    hand.log.wait_for("accounts.conf of the NATS server is of an earlier version");
    coordinator.expect_truth(CUP);
    // It hears of the next one, too.
    let next = CUP.replace("'cup'", "'next'");
    start_coordinator(&nats, &next).expect_truth(&next);
    let seen = status(&sign_in(&nats, "worker", "second")).unwrap();
    assert_eq!(seen.workers.len(), 1);
}

#[test]
fn a_worker_that_coordinates_is_refused_at_once() {
    let Some((_folder, nats)) = start_nats_by(with_accounts) else { return };
    let catalog = count::catalog();
    let (tournament, mut store) = (cup(CUP, &catalog), Store::in_memory().unwrap());
    let server = sign_in(&nats, "worker", "second");
    let (options, stop) = (FleetOptions::default(), Arc::default());
    let refused = coordinate_at(server, options, &tournament, &mut store, &stop, &mut |_| {});
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("does not let this user do that"), "{refused}");
    let refused = status(&sign_in(&nats, "worker", "second")).unwrap_err().to_string();
    assert!(refused.contains("no tournament has been handed out"), "{refused}");
}

#[test]
fn a_server_without_tls_is_named_as_the_problem() {
    let Some((_folder, nats)) = start_nats() else { return };
    let server = format!("tls://127.0.0.1:{}", nats.port).parse().unwrap();
    let said = status(&server).unwrap_err().to_string();
    assert!(said.contains("does not speak TLS"), "{said}");
}

#[test]
fn a_server_without_streams_gets_a_hint_how_to_start() {
    let accounts = "accounts: { A: { users: [{user: a, password: a}] } }\n";
    let Some((_folder, nats)) = start_nats_with(accounts) else { return };
    let address = format!("nats://a:a@127.0.0.1:{}", nats.port);
    let coordinator = TestCoordinator::start(&address, CUP, FleetOptions::default());
    let error = coordinator.join().0.unwrap_err().to_string();
    assert!(error.contains("cannot keep streams"), "{error}");
    assert!(error.ends_with("start it with JetStream: `nats-server -js`"), "{error}");
}

#[test]
fn a_wrong_password_is_refused_and_no_password_is_shown() {
    let configuration = "authorization { user: ann, password: secret }\n";
    let Some((_folder, nats)) = start_nats_with(configuration) else { return };
    let address = |user: &str| format!("nats://{user}127.0.0.1:{}", nats.port);
    for user in ["", "ann:wrong@"] {
        let error = status(&address(user).parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("refuses the login: "), "{error}");
        assert!(!error.contains("wrong"), "{error}");
    }
    let _worker = TestWorker::start_at(&address("ann:secret@"), "a:1", &count::catalog());
    TestCoordinator::start(&address("ann:secret@"), CUP, FleetOptions::default()).expect_truth(CUP);
}

/// Makes an authority, and the certificates of a server and a client, with openssl, if it is
/// installed.
fn make_certificates(folder: &Path) -> Option<()> {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("skipped: there is no openssl to make certificates with");
        return None;
    }
    let openssl = |arguments: String| {
        let mut command = Command::new("openssl");
        command.args(arguments.split_whitespace()).current_dir(folder);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    openssl(
        "req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca".into(),
    );
    for name in ["server", "client"] {
        openssl(format!(
            "req -newkey ed25519 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name} \
             -addext subjectAltName=IP:127.0.0.1"
        ));
        openssl(format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
             -copy_extensions copyall -out {name}.pem"
        ));
    }
    Some(())
}

/// Starts a server with TLS as deployed, except for the paths of the certificates.
fn start_secure(folder: &Path, asks_for_certificates: bool) -> (Nats, NatsServer) {
    let text = fs::read_to_string(Path::new(DEPLOYED).join("tls.conf")).unwrap();
    let mut text = text.replace("/etc/nats/tls", folder.to_str().unwrap());
    if asks_for_certificates {
        text = text.replace("# verify", "verify");
    }
    let own = folder.join(format!("asks-{asks_for_certificates}"));
    fs::create_dir(&own).unwrap();
    fs::write(own.join("tls.conf"), text).unwrap();
    let nats = Nats::start_with(&own, &["-c", own.join("tls.conf").to_str().unwrap()]);
    let server = format!("tls://127.0.0.1:{}", nats.port).parse().unwrap();
    (nats, server)
}

#[test]
fn server_and_client_check_each_others_certificates() {
    if !nats::is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = make_certificates(folder.path()) else { return };
    let file = |name: &str| folder.path().join(name);
    let error_of = |server: &NatsServer| status(server).unwrap_err().to_string();

    let (_nats, mut server) = start_secure(folder.path(), false);
    let error = error_of(&server);
    assert!(error.contains("TLS with the NATS server"), "{error}");
    assert!(error.contains("see --ca for whom to trust"), "{error}");
    server.authority = Some(file("ca.pem"));
    status(&server).unwrap();

    let (_nats, mut server) = start_secure(folder.path(), true);
    server.authority = Some(file("ca.pem"));
    let error = error_of(&server);
    assert!(error.contains("--cert and --key if the server asks"), "{error}");
    server.certificate = Some((file("client.pem"), file("client.key")));
    let catalog = count::catalog();
    let _worker = TestWorker::start_with(server.clone(), "a:1", &catalog, None);
    let (options, store) = (FleetOptions::default(), Store::in_memory().unwrap());
    TestCoordinator::start_with(server, CUP, &catalog, options, store).expect_truth(CUP);
}
