//! `quintain fleet init`: the server asks for passwords, and the commands that are printed work.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::nats::{self, Nats};
use crate::place::Place;

const CUP: &str = r#"
    name = "cup"
    game = "tron"
    scenarios = ["empty?width=9&height=9"]
    players = ["random", "wall-hugger", "space"]
    seeds = 3
"#;

/// The words of a command that is printed under a line with these words, for a server at this port
/// instead of the usual one.
fn printed(said: &str, above: &str, port: u16) -> Vec<String> {
    let mut lines = said.lines().skip_while(|line| !line.starts_with(above));
    let command = lines.nth(1).unwrap_or_else(|| panic!("{above}: {said}"));
    let command = command.trim().replace(":4222", &format!(":{port}"));
    shlex::split(&command).unwrap().into_iter().skip(1).collect()
}

fn plays_with_what_is_printed(place: &Place, options: &[&str]) {
    let init = ["fleet", "init", "club fleet", "--name", "127.0.0.1"];
    let said = place.says(&[&init[..], options].concat());
    let file = place.path().join("club fleet/nats.conf");
    // The test's own options say where data go, which may be said once.
    let server = fs::read_to_string(&file).unwrap();
    let lines = server.lines().filter(|line| !line.starts_with("jetstream"));
    fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let nats = Nats::start_with(place.path(), &["-c", file.to_str().unwrap()]);
    let words = |above| printed(&said, above, nats.port);
    let [worker, coordinator] = [words("Start a worker"), words("Hand out")];
    let [queue, propose] = [words("Answer a queue"), words("Propose a test")];

    let elsewhere = Place::new();
    let certificate = place.path().join("club fleet/server.pem");
    if certificate.exists() {
        fs::copy(certificate, elsewhere.path().join("server.pem")).unwrap();
    }
    let worker: Vec<&str> = worker.iter().map(String::as_str).collect();
    let _worker = elsewhere.start(&worker);
    let coordinator: Vec<&str> = coordinator
        .iter()
        .map(|word| if word == "FILE" { "cup.toml" } else { word })
        .chain(["--store", "fleet.sqlite"])
        .collect();
    place.says(&coordinator);
    place.is_the_truth("fleet.sqlite");

    // A member proposes a test to the queue, with copies of what the command names.
    let member = Place::new();
    for copied in ["coordinator.password", "server.pem"] {
        let file = place.path().join("club fleet").join(copied);
        if file.exists() {
            fs::copy(file, member.path().join(copied)).unwrap();
        }
    }
    let queue: Vec<&str> = queue.iter().map(String::as_str).collect();
    let _queue = place.start(&queue);
    let names = [("PLAYER", "space"), ("OTHER", "random"), ("GAME", "tron")];
    let propose: Vec<&str> = propose
        .iter()
        .map(|word| names.iter().find(|(name, _)| name == word).map_or(&**word, |(_, name)| name))
        .collect();
    let begun = Instant::now();
    loop {
        let output = member.run(&propose);
        if output.status.success() {
            break;
        }
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("nobody answers tests") && begun.elapsed() < nats::BOUND, "{said}");
    }
    assert!(place.says(&["tests"]).contains("space against random on tron"));

    let without = place.run(&["workers", "--on", &nats.address()]);
    assert_eq!(without.status.code(), Some(1), "nobody gets in without a password");
    // A worker's user hands out nothing.
    elsewhere.write("cup.toml", CUP);
    let address = worker.iter().position(|word| word.contains("://")).unwrap();
    let mut refused = vec!["tournament", "cup.toml", "--store", "x", "--on"];
    refused.extend(&worker[address..]);
    assert_eq!(elsewhere.run(&refused).status.code(), Some(1));
}

#[test]
fn the_commands_that_fleet_init_prints_play_a_tournament() {
    if !nats::is_here() {
        return;
    }
    plays_with_what_is_printed(&Place::with_cup(CUP), &[]);
}

#[test]
fn the_commands_that_fleet_init_prints_play_a_tournament_over_tls() {
    let has_openssl = Command::new("openssl").arg("version").output().is_ok();
    if !nats::is_here() || !has_openssl {
        eprintln!("skipped: it needs a NATS server and openssl");
        return;
    }
    plays_with_what_is_printed(&Place::with_cup(CUP), &["--tls"]);
}

#[test]
fn passwords_are_new_for_every_fleet_and_none_is_overwritten() {
    let place = Place::new();
    place.says(&["fleet", "init", "one", "--name", "desk.local"]);
    place.says(&["fleet", "init", "two", "--name", "desk.local"]);
    let password = |file: &str| fs::read_to_string(place.path().join(file)).unwrap();
    let all = ["one/worker.password", "one/coordinator.password", "two/worker.password"];
    let mut all = all.map(password);
    all.sort();
    assert!(all.windows(2).all(|two| two[0] != two[1]) && all[0].trim().len() == 25);
    let file = place.path().join("one/worker.password").metadata().unwrap();
    assert_eq!(PermissionsExt::mode(&file.permissions()) & 0o777, 0o600);
    let again = place.run(&["fleet", "init", "one", "--name", "desk.local"]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("nats.conf is there already"), "{said}");
    assert_eq!(again.status.code(), Some(2));
    let wrong = place.run(&["fleet", "init", "three", "--name", "desk local"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(!place.path().join("three").exists());
    let other = ["fleet", "init", "four", "--name", "desk.local", "--port", "4333"];
    assert!(place.says(&other).contains("--on nats://desk.local:4333 --user coordinator"));
    let server = fs::read_to_string(place.path().join("four/nats.conf")).unwrap();
    assert!(server.contains("listen: \"0.0.0.0:4333\""), "{server}");
}

#[test]
fn accounts_of_an_earlier_version_are_renewed_and_passwords_stay() {
    let place = Place::new();
    place.says(&["fleet", "init", "club", "--name", "desk.local"]);
    let read = |file: &str| fs::read_to_string(place.path().join("club").join(file)).unwrap();
    let files = ["passwords.conf", "nats.conf", "accounts.conf"];
    let before = files.map(read);
    place.write("club/accounts.conf", "accounts { ONE { users: [] } }\n");
    let said = place.says(&["fleet", "init", "club"]);
    assert!(said.contains("accounts.conf is renewed") && said.contains("nats-server -c"), "{said}");
    assert_eq!(files.map(read), before);
    assert_eq!(read("accounts.conf.old"), "accounts { ONE { users: [] } }\n");
    assert_eq!(place.run(&["fleet", "init", "club"]).status.code(), Some(2), "nothing is old");
}

#[test]
fn fleets_have_the_accounts_that_are_deployed() {
    let deployed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/nats/accounts.conf");
    let written = include_str!("../../starters/fleet/accounts.conf");
    assert_eq!(fs::read_to_string(deployed).unwrap(), written);
}
