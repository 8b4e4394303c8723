//! Normal operation, and messages when something goes wrong.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use quintain_core::Record;

use crate::nats::{self, BOUND, Line, Nats, Tap};
use crate::place::{CUP, Place, Running, read_up_to};

/// A smaller cup.
const SMALL: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["riddles", "empty?width=9&height=9"]
    players = ["random", "wall-hugger", "space"]
    seeds = 10
"#;

fn workers(place: &Place, on: &str, count: usize) -> Vec<Running> {
    (0..count).map(|_| place.worker(on)).collect()
}

/// Returns the page on which `quintain serve` shows workers.
fn page_of_workers(place: &Place, on: &str) -> String {
    page(place, on, "/workers")
}

fn page(place: &Place, on: &str, path: &str) -> String {
    let mut command = place.command(&["serve", "--port", "0", "--on", on]);
    command.stdout(Stdio::piped());
    let mut serving = Running::start(command);
    let mut line = String::new();
    BufReader::new(serving.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let host = line.split("http://").nth(1).unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(BOUND)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn a_coordinator_and_four_workers_leave_what_one_machine_leaves() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let _workers = workers(&place, &nats.address(), 4);
    assert_eq!(place.coordinator(&nats.address(), "fleet.sqlite").end(), 0);
    place.is_the_truth("fleet.sqlite");
    // Nothing is missing now, neither there nor here.
    for arguments in [&["--on", &nats.address()][..], &[]] {
        let again = [&["tournament", "cup.toml", "--store", "fleet.sqlite"], arguments].concat();
        assert!(place.says(&again).contains("0 matches played in"), "{again:?}");
    }
}

/// Waits until three servers keep a stream. Until a leader is elected, there may be no answer.
fn wait_for_three_replicas(nats: &Nats, stream: &str) {
    let answers = format!("answers.{stream}");
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < BOUND, "{stream} is not kept by three servers");
        let mut tap = Tap::on(nats, &answers);
        tap.request(&format!("$JS.API.STREAM.INFO.{stream}"), &answers, "");
        let Some(answer) = tap.next_within(Duration::from_secs(1)) else { continue };
        let info: serde_json::Value = serde_json::from_slice(&answer.payload).unwrap();
        let others = info["cluster"]["replicas"].as_array().map_or(0, Vec::len);
        if info["cluster"]["leader"].is_string() && others == 2 {
            return;
        }
    }
}

/// Creates the stream of records at two servers at once, with one replica and with three, as a worker and
/// a coordinator do that start at the same moment. Most times, servers of version 2.9 then claim three and
/// keep one, or the other way round. Returns the connections, since there may be no answer to wait for.
fn create_twice(nodes: &[Nats]) -> [Tap; 2] {
    let mut taps = [Tap::on(&nodes[0], "answers"), Tap::on(&nodes[1], "answers")];
    for (tap, replicas) in taps.iter_mut().zip([1, 3]) {
        let stream = serde_json::json!({
            "name": "QUINTAIN_RECORDS",
            "subjects": ["quintain.records.>"],
            "retention": "workqueue",
            "discard": "new",
            "storage": "file",
            "num_replicas": replicas,
        });
        tap.request("$JS.API.STREAM.CREATE.QUINTAIN_RECORDS", "answers", &stream.to_string());
    }
    taps
}

#[test]
fn three_servers_lose_one_and_nothing_else() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let mut nodes = Nats::cluster(place.path());
    let _creating = create_twice(&nodes);
    let all: Vec<String> = nodes.iter().map(Nats::address).collect();
    let all = all.join(",");
    let mut tap = Tap::on(&nodes[0], "quintain.records.>");
    let mut command =
        place.command(&["tournament", "cup.toml", "--on", &all, "--replicas", "3", "--patience"]);
    command.args(["2", "--store", "fleet.sqlite", "--quiet"]).stdout(Stdio::null());
    let mut coordinator = Running::start(command);
    let _workers = workers(&place, &all, 4);
    for _ in 0..5 {
        tap.next();
    }
    for stream in
        ["QUINTAIN_FIXTURES", "QUINTAIN_RECORDS", "KV_quintain_tournaments", "KV_quintain_workers"]
    {
        wait_for_three_replicas(&nodes[0], stream);
    }
    nodes[1].kill();
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
    // Two of three are enough for a coordinator that starts meanwhile.
    place.says(&[
        "tournament",
        "cup.toml",
        "--on",
        &all,
        "--replicas",
        "3",
        "--store",
        "later",
        "--quiet",
    ]);
    place.is_the_truth("later");
}

#[test]
fn a_coordinator_that_dies_is_followed_by_another_and_the_last_one_counts() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let mut leases = Tap::on(&nats, "$KV.quintain_tournaments.lease.>");
    let mut sessions = BTreeSet::new();
    let mut wait_for_a_new_one = || {
        loop {
            let lease: serde_json::Value =
                serde_json::from_slice(&leases.next().payload).unwrap_or_default();
            if lease["session"].as_str().is_some_and(|one| sessions.insert(one.to_owned())) {
                return;
            }
        }
    };
    let mut records = Tap::on(&nats, "quintain.records.>");
    let mut worker = place.worker(&nats.address());
    let mut first = place.coordinator(&nats.address(), "fleet.sqlite");
    wait_for_a_new_one();
    records.next();
    first.kill();
    // While nobody plays, no tournament is over before its coordinator hears the news.
    worker.kill();
    let mut second =
        place.start(&["tournament", "cup.toml", "--on", &nats.address(), "--store", "other"]);
    wait_for_a_new_one();
    let mut third = place.coordinator(&nats.address(), "fleet.sqlite");
    let said = second.read_stderr();
    assert!(said.contains("another coordinator has taken over this tournament"), "{said}");
    assert_eq!(second.end(), 1);
    let _workers = workers(&place, &nats.address(), 2);
    assert_eq!(third.end(), 0);
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn an_interrupted_coordinator_says_how_to_go_on_and_a_single_machine_can() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let mut worker = place.worker(&on);
    let mut coordinator =
        place.start(&["tournament", "cup.toml", "--on", &on, "--patience", "20", "--twice", "0.1"]);
    tap.next();
    coordinator.signal("INT");
    let said = coordinator.read_stderr();
    assert_eq!(coordinator.end(), 130);
    let again = format!("quintain tournament cup.toml --on {on} --patience 20s --twice 0.1\n");
    assert!(said.contains(&again), "{said}");
    worker.signal("TERM");
    assert_eq!(worker.end(), 0);
    place.says(&["tournament", "cup.toml", "--quiet"]);
    place.is_the_truth("quintain.sqlite");
}

#[test]
fn a_worker_whose_line_is_cut_comes_back() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let line = Line::to(&nats);
    let mut worker =
        place.start(&["worker", "--on", &line.address(), "--threads", "2", "--idle", "60"]);
    let mut coordinator = place.coordinator(&nats.address(), "fleet.sqlite");
    // It is the only worker: without it, there is no end.
    tap.next();
    line.cut();
    let mut heard = worker.wait_to_hear("is out of reach; trying again");
    line.mend();
    read_up_to(&mut heard, "is back");
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
}

/// Kills a server after three records, lets something happen in the meantime, and checks the result.
fn goes_on_after_the_server_was_down(meanwhile: impl FnOnce(&Place)) {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let mut nats = Nats::start(place.path());
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let _workers = workers(&place, &nats.address(), 2);
    let on = nats.address();
    let mut coordinator = place.start(&["tournament", "cup.toml", "--on", &on, "--patience", "2"]);
    for _ in 0..3 {
        tap.next();
    }
    nats.kill();
    meanwhile(&place);
    let mut heard = coordinator.wait_to_hear("is out of reach; trying again");
    nats.start_again();
    read_up_to(&mut heard, "is back");
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("quintain.sqlite");
}

#[test]
fn a_server_that_stops_is_waited_for() {
    goes_on_after_the_server_was_down(|_| {});
}

#[test]
fn a_server_that_is_not_there_yet_is_waited_for() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let port = nats::free_port();
    let on = format!("nats://127.0.0.1:{port}");
    let mut worker = place.start(&["worker", "--on", &on, "--threads", "1"]);
    let mut coordinator = place.start(&["tournament", "cup.toml", "--on", &on]);
    let _heard = worker.wait_to_hear("Waiting for it");
    let _heard = coordinator.wait_to_hear("Waiting for it");
    let _nats = Nats::start_at(place.path(), port);
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("quintain.sqlite");
    worker.signal("TERM");
    assert_eq!(worker.end(), 0, "a worker that is told to end has not failed");
}

#[test]
fn where_nobody_plays_it_is_said_how_to_start_a_worker() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut coordinator = place.start(&["tournament", "cup.toml", "--on", &on]);
    let said = format!("nobody is playing: start a worker with `quintain worker --on {on}`");
    let mut heard = coordinator.wait_to_hear(&said);
    // The amount of waiting work, for deciding on the number of workers.
    let status: serde_json::Value =
        serde_json::from_str(&place.says(&["workers", "--on", &on, "--json"])).unwrap();
    let coordinator_now = &status["coordinators"][0];
    assert!(coordinator_now["batches_waiting"].as_u64().unwrap() > 0, "{status}");
    assert_eq!(coordinator_now["batches_in_play"], 0);
    // No match was measured, but a first worker is needed; no store is needed to tell this.
    assert_eq!(status["thread_seconds_left"], 1.0);
    let place_without = Place::with_cup(SMALL);
    let shown = page(&place_without, &on, "/workers.json");
    assert!(shown.contains("\"thread_seconds_left\":1.0"), "{shown}");
    assert_eq!(coordinator_now["id"].as_str().unwrap().len(), 32);
    let _worker = place.worker(&on);
    read_up_to(&mut heard, "matches are played again");
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("quintain.sqlite");
}

#[test]
fn a_frozen_worker_holds_nobody_up_and_its_late_records_count_once() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let frozen = place.worker(&nats.address());
    let mut coordinator = place.coordinator(&nats.address(), "fleet.sqlite");
    tap.next();
    frozen.signal("STOP");
    let _other = place.worker(&nats.address());
    assert_eq!(coordinator.end(), 0, "it ends although the first worker never answers");
    frozen.signal("CONT");
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn what_comes_twice_counts_once_and_what_is_forged_does_not_count() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(CUP);
    let nats = Nats::start(place.path());
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let mut coordinator = place.start(&["tournament", "cup.toml", "--on", &nats.address()]);
    let _workers = workers(&place, &nats.address(), 2);
    for _ in 0..6 {
        let heard = tap.next();
        // Again, under another id, so that the server lets it through.
        let headers = String::from_utf8(heard.headers.clone()).unwrap();
        let headers = headers.replace("Nats-Msg-Id: ", "Nats-Msg-Id: again-");
        tap.publish(&heard.subject, headers.as_bytes(), &heard.payload);
        // Nonsense with and without the marks of a packet.
        tap.publish(&heard.subject, b"", b"nonsense");
        let marks = b"NATS/1.0\r\nQuintain-Part: 0123456789abcdef0123456789abcdef 0 1\r\n\r\n";
        tap.publish(&heard.subject, marks, b"nonsense");
        // What we published is heard too.
        for _ in 0..3 {
            tap.next();
        }
    }
    let said = coordinator.read_stderr();
    assert_eq!(coordinator.end(), 0, "{said}");
    assert!(said.contains("a message that is not part of a packet"), "{said}");
    assert!(said.contains("a packet of records that cannot be read"), "{said}");
    place.is_the_truth("quintain.sqlite");
}

#[test]
fn several_tournaments_share_workers() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut worker = place.start(&["worker", "--on", &on, "--threads", "2", "--idle", "3"]);
    let polymer = "name = 'chains'\ngame = 'polymer'\nplayers = ['random']\nseeds = 30\n";
    place.write("chains.toml", polymer);
    let mut chains = place.start(&["tournament", "chains.toml", "--on", &on, "--store", "chains"]);
    let mut cup = place.coordinator(&on, "fleet.sqlite");
    assert_eq!((chains.end(), cup.end()), (0, 0));
    place.is_the_truth("fleet.sqlite");
    let said = worker.read_stderr();
    assert!(said.contains("plays cup (tron)") && said.contains("plays chains (polymer)"), "{said}");
    assert_eq!(worker.end(), 0);
}

#[test]
fn programs_run_only_where_the_owner_lists_them() {
    if !nats::is_here() {
        return;
    }
    let with_programs =
        SMALL.replace("\"random\"", "\"bot:alice\", \"exec:\\\"sh bot.sh\\\"\"").replace("10", "1");
    let place = Place::with_cup(&with_programs);
    let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bots/bot.sh");
    fs::copy(bots, place.path().join("bot.sh")).unwrap();
    place.write("bots.toml", "[alice]\ncommand = \"sh bot.sh\"\n");
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut coordinator = place.start(&["tournament", "cup.toml", "--on", &on]);
    // Programs named by a command are never run for others; listed ones only with --bots.
    let mut unlisted = place.start(&["worker", "--on", &on, "--threads", "1"]);
    let _errors = unlisted.wait_to_hear("bot:alice is not one of the programs allowed here");
    let mut listed = place.start(&["worker", "--on", &on, "--threads", "1", "--bots", "bots.toml"]);
    let _errors = listed.wait_to_hear("exec:\"sh bot.sh\" is not one of the programs allowed here");
    let mut tap = Tap::on(&nats, "$KV.quintain_workers.>");
    let shown = loop {
        let shown = place.says(&["workers", "--on", &on]);
        if shown.matches("refuses matches with programs in cup (tron), because").count() == 3 {
            break shown;
        }
        tap.next();
    };
    assert!(shown.contains("2 workers with 2 threads"), "{shown}");
    assert!(shown.contains("1 tournament handed out at"), "{shown}");
    let page = page_of_workers(&place, &on);
    assert!(
        page.contains("2 workers with 2 threads")
            && page.contains("not one of the programs allowed here"),
        "{page}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.says(&["workers", "--on", &on, "--json"])).unwrap();
    assert_eq!(json["workers"][1]["threads"], 1);
    // What needs no program is played all the same: two scenarios, one pair, both ways.
    let mut all = Tap::on(&nats, "$KV.quintain_tournaments.lease.>");
    while !place.says(&["workers", "--on", &on]).contains("cup (tron): 4 of 24 matches") {
        all.next();
    }
    coordinator.signal("INT");
    assert_eq!(coordinator.end(), 130);
    // Without the command that nobody may run, the rest is played to the end.
    place.write("cup.toml", &with_programs.replace(", \"exec:\\\"sh bot.sh\\\"\"", ""));
    assert_eq!(place.coordinator(&on, "fleet.sqlite").end(), 0);
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn another_version_of_a_player_is_refused_and_a_worker_that_has_it_plays() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut cards = Tap::on(&nats, "$KV.quintain_tournaments.card.>");
    let mut coordinator = place.coordinator(&on, "fleet.sqlite");
    // The same card under another id, as a newer quintain would write it.
    let card = cards.next();
    let text = String::from_utf8(card.payload).unwrap();
    for (from, to, why) in [
        ("[\"space\",1]", "[\"space\",99]", "player space is version 1 here, but 99 is wanted"),
        ("\"wall-hugger\"", "\"wall-huger\"", "did you mean “wall-hugger”?"),
        ("\"protocol\":1", "\"protocol\":2", "its messages are of version 2; here"),
        ("\"game\":\"tron\"", "\"game\":\"chess\"", "unknown game “chess”"),
    ] {
        let id = "0123456789abcdef0123456789abcdef";
        let own = text.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
        let changed = text.replace(own, id).replacen(from, to, 1);
        assert!(changed.contains(to), "{changed}");
        cards.publish(&format!("$KV.quintain_tournaments.card.{id}"), b"", changed.as_bytes());
        let mut worker = place.start(&["worker", "--on", &on, "--threads", "1"]);
        let _errors = worker.wait_to_hear(why);
    }
    let _worker = place.worker(&on);
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn records_longer_than_a_message_come_through() {
    if !nats::is_here() {
        return;
    }
    // Long matches, and a server whose messages are short.
    let long = "name = 'cup'\ngame = 'gather'\nformat = 'mirror'\nscenarios = ['course']\n\
                players = ['random']\nseeds = 8\n";
    let place = Place::with_cup(long);
    place.write("short.conf", "max_payload: 2048\n");
    let file = place.path().join("short.conf");
    let nats = Nats::start_with(place.path(), &["-c", file.to_str().unwrap()]);
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let _worker = place.worker(&nats.address());
    let mut coordinator = place.coordinator(&nats.address(), "fleet.sqlite");
    // Some packet has more than one part.
    loop {
        let heard = tap.next();
        assert!(heard.headers.len() + heard.payload.len() <= 2048);
        if !String::from_utf8(heard.headers).unwrap().contains(" 0 1\r") {
            break;
        }
    }
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
    let longest = place.records("fleet.sqlite").lines().map(str::len).max();
    assert!(longest > Some(2048), "{longest:?}");
    let record = Record::from_json(place.records("fleet.sqlite").lines().next().unwrap());
    assert!(record.is_ok());
}

#[test]
fn who_may_not_in_is_told_and_who_may_is_served() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let nats = Nats::start_with(place.path(), &["--user", "ann", "--pass", "secret"]);
    for (user, good) in [("", false), ("ann:wrong@", false), ("ann:secret@", true)] {
        let on = format!("nats://{user}127.0.0.1:{}", nats.port);
        let output = place.run(&["workers", "--on", &on]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), good, "{said}");
        assert!(good || said.contains("refuses the login: "), "{said}");
        assert!(!said.contains("secret") && !said.contains("wrong"), "{said}");
    }
    let on = format!("nats://ann:secret@127.0.0.1:{}", nats.port);
    let _worker = place.worker(&on);
    assert_eq!(place.coordinator(&on, "fleet.sqlite").end(), 0);
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn certificates_are_checked_on_both_sides() {
    if !nats::is_here() {
        return;
    }
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("skipped: there is no openssl to make certificates with");
        return;
    }
    let place = Place::with_cup(SMALL);
    let openssl = |arguments: &[&str]| {
        let output =
            Command::new("openssl").args(arguments).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let ca = "req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca";
    openssl(&ca.split(' ').collect::<Vec<_>>());
    for name in ["server", "client"] {
        let request = format!(
            "req -newkey ed25519 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name} \
             -addext subjectAltName=IP:127.0.0.1"
        );
        openssl(&request.split_whitespace().collect::<Vec<_>>());
        let sign = format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
             -copy_extensions copyall -out {name}.pem"
        );
        openssl(&sign.split_whitespace().collect::<Vec<_>>());
    }
    // As deployed, except for the paths of the certificates.
    let deployed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/nats/tls.conf");
    let text = fs::read_to_string(deployed).unwrap();
    let text = text.replace("/etc/nats/tls", place.path().to_str().unwrap());
    let start = |verify: bool, folder: &str| {
        fs::create_dir(place.path().join(folder)).unwrap();
        let name = format!("{folder}/tls.conf");
        place.write(&name, &if verify { text.replace("# verify", "verify") } else { text.clone() });
        let file = place.path().join(&name);
        Nats::start_with(&place.path().join(folder), &["-c", file.to_str().unwrap()])
    };
    let secure = |nats: &Nats| format!("tls://127.0.0.1:{}", nats.port);
    let expect_refusal = |arguments: &[&str], words: &str| {
        let refused = place.run(arguments);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("TLS with the NATS server") && said.contains(words), "{said}");
    };
    // Without client certificates.
    let nats = start(false, "one-side");
    let on = secure(&nats);
    expect_refusal(&["workers", "--on", &on], "see --ca for whom to trust");
    place.says(&["workers", "--on", &on, "--ca", "ca.pem"]);
    // With client certificates.
    let nats = start(true, "both-sides");
    let on = secure(&nats);
    expect_refusal(&["workers", "--on", &on], "see --ca for whom to trust");
    expect_refusal(
        &["workers", "--on", &on, "--ca", "ca.pem"],
        "--cert and --key if the server asks",
    );
    let proof = ["--ca", "ca.pem", "--cert", "client.pem", "--key", "client.key"];
    let shown = place.says(&[&["workers", "--on", &on], &proof[..]].concat());
    assert!(shown.contains("0 workers with 0 threads"), "{shown}");
    let _worker = place.start(&[&["worker", "--on", &on], &proof[..]].concat());
    place.says(
        &[&["tournament", "cup.toml", "--store", "fleet.sqlite", "--on", &on], &proof[..]].concat(),
    );
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn a_server_without_streams_says_what_to_start() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    place.write("plain.conf", "accounts: { A: { users: [{user: a, password: a}] } }\n");
    let file = place.path().join("plain.conf");
    let nats = Nats::start_with(place.path(), &["-c", file.to_str().unwrap()]);
    let on = format!("nats://a:a@127.0.0.1:{}", nats.port);
    let output = place.run(&["tournament", "cup.toml", "--on", &on]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot keep streams"), "{said}");
    assert!(said.ends_with("start it with JetStream: `nats-server -js`\n"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_workers_rights_as_deployed_are_enough_and_no_more() {
    if !nats::is_here() {
        return;
    }
    let deployed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/nats/accounts.conf");
    let place = Place::with_cup(SMALL);
    fs::copy(deployed, place.path().join("accounts.conf")).unwrap();
    // A password may contain any characters; it comes from a file.
    let password = r#"12 "$x" # {'\"#;
    let quoted = password.replace('\\', "\\\\").replace('"', "\\\"");
    place.write(
        "passwords.conf",
        &format!("COORDINATOR_PASSWORD: \"{quoted}\"\nWORKER_PASSWORD: \"123\"\n"),
    );
    place.write("coordinator.password", &format!("{password}\n"));
    place.write("worker.password", "123\n");
    let file = place.path().join("accounts.conf");
    let nats = Nats::start_with(place.path(), &["-c", file.to_str().unwrap()]);
    let on = nats.address();
    let as_user = |user: &str, arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.args(["--on", &on]).env("QUINTAIN_USER", user);
        command.env("QUINTAIN_PASSWORD_FILE", format!("{user}.password"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let start = |user: &str, arguments: &[&str]| Running::start(as_user(user, arguments));
    let play = ["tournament", "cup.toml", "--store", "fleet.sqlite"];
    let mut coordinator = start("coordinator", &play);
    let mut lease = Tap::on_as(&nats, "$KV.quintain_tournaments.lease.>", "coordinator", password);
    lease.next();
    let _worker = start("worker", &["worker", "--threads", "1"]);
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("fleet.sqlite");
    let play = ["tournament", "cup.toml", "--store", "x"];
    let refused = as_user("worker", &play).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("does not let this user do that"), "{said}");
    assert_eq!(refused.status.code(), Some(1), "a worker hands out nothing");
    let seen = as_user("worker", &["workers"]).stdout(Stdio::piped()).output().unwrap();
    let seen = String::from_utf8(seen.stdout).unwrap();
    assert!(seen.contains("1 worker with 1 thread"), "{seen}");
    // An invalid password is reported before the server is contacted.
    place.write("empty.password", "\n");
    for (name, value, words) in [
        ("QUINTAIN_PASSWORD_FILE", "empty.password", "first line, which is empty"),
        ("QUINTAIN_USER", "", "name one with --user"),
        ("QUINTAIN_INBOX_PREFIX", "a.>", "expected letters, digits"),
    ] {
        let mut command = as_user("worker", &["workers"]);
        match value {
            "" => command.env_remove(name),
            value => command.env(name, value),
        };
        let wrong = command.stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(wrong.stderr).unwrap();
        assert!(said.contains(words) && wrong.status.code() == Some(2), "{name}: {said}");
    }
}

/// A single match of some seconds: where other matches have been measured, one that takes far longer is
/// handed out a second time on purpose.
#[test]
fn a_match_longer_than_the_patience_is_played_by_one_worker_once() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(
        "name = 'cup'\ngame = 'polymer'\nscenarios = ['L08_s01']\n\
         players = ['uct?ensemble=800']\nseeds = 1\n",
    );
    let nats = Nats::start(place.path());
    let on = nats.address();
    let worker = || {
        let mut command = place.command(&["worker", "--on", &on, "--threads", "1"]);
        command.args(["--idle", "2"]).stdout(Stdio::piped());
        Running::start(command)
    };
    let mut workers = [worker(), worker()];
    let mut command = place.command(&["tournament", "cup.toml", "--on", &on, "--patience", "2"]);
    command.args(["--twice", "0"]).stdout(Stdio::null());
    let mut coordinator = Running::start(command);
    assert_eq!(coordinator.end(), 0);
    place.is_the_truth("quintain.sqlite");
    let played: Vec<u32> = workers
        .iter_mut()
        .map(|worker| {
            let mut said = String::new();
            worker.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
            said.split(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    assert_eq!(played.iter().sum::<u32>(), 1, "{played:?}");
}

#[test]
fn a_server_that_lost_its_disk_is_told_all_again() {
    goes_on_after_the_server_was_down(|place| {
        fs::remove_dir_all(place.path().join("nats")).unwrap();
    });
}
