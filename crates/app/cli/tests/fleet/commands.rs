//! What the commands print, which options they take, and how they end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::nats::{self, BOUND, Nats, Tap};
use crate::place::{CUP, Place, Running};

/// A smaller cup.
const SMALL: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["riddles", "empty?width=9&height=9"]
    players = ["random", "wall-hugger", "space"]
    seeds = 10
"#;

/// Returns a page of `quintain serve` at a server. While the server is too busy to answer, the page
/// says so, and is asked for again.
fn page(place: &Place, on: &str, path: &str) -> String {
    let busy = "HTTP/1.1 503";
    let mut pages = std::iter::repeat_with(|| page_now(place, on, path)).take(5);
    let shown = pages.find(|page| !page.starts_with(busy));
    shown.unwrap_or_else(|| panic!("{path}: the server never answers"))
}

fn page_now(place: &Place, on: &str, path: &str) -> String {
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
fn an_interrupted_tournament_on_workers_is_finished_by_one_machine() {
    if !nats::is_here() {
        return;
    }
    // So many matches that they cannot be over before the interrupt.
    let place = Place::with_cup(&CUP.replace("seeds = 20", "seeds = 200"));
    let nats = Nats::start(place.path());
    let on = nats.address();
    let mut tap = Tap::on(&nats, "quintain.records.>");
    let mut worker = place.worker(&on);
    let mut coordinator =
        place.start(&["tournament", "cup.toml", "--on", &on, "--patience", "20", "--twice", "0.1"]);
    tap.next();
    let shown = page(&place, &on, "/workers");
    assert!(shown.contains("1 worker with 1 thread"), "{shown}");
    assert!(page(&place, &on, "/workers.json").contains("\"thread_seconds_left\":"));
    coordinator.signal("INT");
    let said = coordinator.read_stderr();
    assert_eq!(coordinator.end(), 130);
    let again = format!("quintain tournament cup.toml --on {on} --patience 20s --twice 0.1\n");
    assert!(said.contains(&again), "{said}");
    worker.signal("TERM");
    assert_eq!(worker.end(), 0, "a worker that is told to end has not failed");
    place.says(&["tournament", "cup.toml", "--quiet"]);
    place.is_the_truth("quintain.sqlite");
}

#[test]
fn one_worker_plays_tournaments_of_two_games() {
    if !nats::is_here() {
        return;
    }
    let place = Place::with_cup(SMALL);
    let nats = Nats::start(place.path());
    let on = nats.address();
    let polymer = "name = 'chains'\ngame = 'polymer'\nplayers = ['random']\nseeds = 30\n";
    place.write("chains.toml", polymer);
    let mut chains = place.start(&["tournament", "chains.toml", "--on", &on, "--store", "chains"]);
    let mut cup = place.coordinator(&on, "fleet.sqlite");
    let mut worker = place.start(&["worker", "--on", &on, "--threads", "2"]);
    assert_eq!((chains.end(), cup.end()), (0, 0));
    place.is_the_truth("fleet.sqlite");
    worker.signal("TERM");
    let said = worker.read_stderr();
    assert!(said.contains("plays cup (tron)") && said.contains("plays chains (polymer)"), "{said}");
    assert_eq!(worker.end(), 0);
}

#[test]
fn a_tuning_on_workers_finds_what_one_machine_finds() {
    if !nats::is_here() {
        return;
    }
    let place = Place::new();
    let nats = Nats::start(place.path());
    let on = nats.address();
    let _workers = [place.worker(&on), place.worker(&on)];
    let what = ["tune", "tron/uct?iterations=20", "--param", "exploration=0..5"];
    let place_of = ["--scenario", "empty?width=7&height=7", "--seeds", "2", "--held-out", "2"];
    let tune = [&what[..], &place_of, &["--generations", "2", "--population", "4"]].concat();
    assert_eq!(place.says(&[&tune[..], &["--on", &on]].concat()), place.says(&tune));
}

#[test]
fn the_queue_of_tests_is_answered_by_workers_and_a_test_can_be_stopped_from_elsewhere() {
    if !nats::is_here() {
        return;
    }
    let place = Place::new();
    let nats = Nats::start(place.path());
    let on = nats.address();
    let test = ["space", "random", "--game", "tron", "--scenario", "empty?width=9&height=9"];
    place.says(&[&["tests", "add"], &test[..]].concat());
    let endless = ["uct?iterations=60", "uct?iterations=61", "-m", "1000000", "--delta", "0.1"];
    place.says(&[&["tests", "add", "--priority", "1"], &endless[..], &test[2..]].concat());
    let mut running = place.start(&["tests", "run", "--on", &on, "--patience", "2"]);
    let _worker = place.worker(&on);
    let read =
        || -> Value { serde_json::from_str(&place.says(&["tests", "list", "--json"])).unwrap() };
    let mut tap = Tap::on(&nats, "quintain.records.>");
    // Its evidence is kept while it runs.
    let shown = loop {
        tap.next();
        let tests = read();
        if tests[0]["report"]["course"].as_array().unwrap().len() > 1 {
            break tests;
        }
    };
    assert_eq!((&shown[0]["number"], &shown[0]["state"]), (&2.into(), &"running".into()));
    // Its process is killed; the next one goes on with the same test.
    running.kill();
    assert!(place.says(&["tests"]).contains("interrupted"));
    let mut running = place.start(&["tests", "run", "--on", &on, "--patience", "2"]);
    tap.next();
    place.says(&["tests", "stop", "2"]);
    assert_eq!(running.end(), 0);
    let tests = read();
    let state = |at: usize| (tests[at]["number"].clone(), tests[at]["state"].clone());
    assert_eq!(state(0), (1.into(), "decided".into()));
    assert_eq!(state(1), (2.into(), "stopped".into()));
    assert_eq!(tests[0]["report"]["verdict"], "better");
    let here = [&["compare"], &test[..], &["--quiet"]].concat();
    let first = tests[0]["report"]["answer"][0].as_str().unwrap().to_owned();
    assert!(place.says(&here).starts_with(&first), "{first}");
}

#[test]
fn workers_fetch_the_files_of_scenarios() {
    if !nats::is_here() {
        return;
    }
    let unit = r#"{"members":[{"x":0,"y":0}],"pivot":{"x":0,"y":0}}"#;
    let problem = format!(
        r#"{{"id":0,"units":[{unit}],"width":4,"height":4,"filled":[],"sourceLength":3,
        "sourceSeeds":[0]}}"#
    );
    // One of them is more than one message holds.
    let chain = format!("HPHPPHHPHPPHPHHPPHPH{}\n", " ".repeat(600_000));
    let map = "#######\n#1    #\n#     #\n#    2#\n#######\n";
    for (game, file) in [("tron", map), ("hextris", &problem), ("polymer", &chain)] {
        let place = Place::with_cup(&format!(
            "name = 'cup'\ngame = '{game}'\nscenarios = ['file?path=board']\n\
             players = ['random', 'greedy']\nseeds = 5\n"
        ));
        place.write("board", file);
        let nats = Nats::start(place.path());
        let on = nats.address();
        // A worker elsewhere, which has another file under the same path.
        let elsewhere = Place::new();
        elsewhere.write("board", "not a board");
        let mut worker = elsewhere.worker(&on);
        assert_eq!(place.coordinator(&on, "fleet.sqlite").end(), 0);
        place.is_the_truth("fleet.sqlite");
        worker.signal("TERM");
        assert_eq!(worker.end(), 0);
    }
}

#[test]
fn workers_fetch_the_contests_problems_that_the_coordinator_has() {
    let data = std::env::var_os("QUINTAIN_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data"),
        Into::into,
    );
    if !nats::is_here() || !data.join("hextris/qualifier").is_dir() {
        eprintln!("skipped: it needs a NATS server and the contest's problems");
        return;
    }
    let place = Place::with_cup(
        "name = 'cup'\ngame = 'hextris'\nscenarios = ['contest?problem=10', 'contest']\n\
         players = ['random', 'greedy']\nseeds = 1\n",
    );
    let nats = Nats::start(place.path());
    let on = nats.address();
    let elsewhere = Place::new();
    let mut worker = elsewhere.worker(&on);
    let options = ["--on", &on, "--patience", "2", "--store", "fleet.sqlite"];
    let mut command = place.command(&[&["tournament", "cup.toml"], &options[..]].concat());
    command.env("QUINTAIN_DATA", &data).stdin(Stdio::null()).stdout(Stdio::null());
    assert_eq!(Running::start(command).end(), 0);
    let stored = place.says(&["store", "--store", "fleet.sqlite"]);
    assert!(stored.contains("4 of 4 matches"), "{stored}");
    worker.signal("TERM");
    assert_eq!(worker.end(), 0);
}

#[test]
fn workers_run_the_programs_that_their_owner_lists() {
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
    let _errors = unlisted.wait_to_hear("because it does not take programs (bot:alice)");
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
    let json: Value =
        serde_json::from_str(&place.says(&["workers", "--on", &on, "--json"])).unwrap();
    assert_eq!(json["workers"][1]["threads"], 1);
    coordinator.signal("INT");
    assert_eq!(coordinator.end(), 130);
    // Without the command that nobody may run, the rest is played to the end.
    place.write("cup.toml", &with_programs.replace(", \"exec:\\\"sh bot.sh\\\"\"", ""));
    assert_eq!(place.coordinator(&on, "fleet.sqlite").end(), 0);
    place.is_the_truth("fleet.sqlite");
}

#[test]
fn users_and_passwords_come_from_files_and_the_environment() {
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
