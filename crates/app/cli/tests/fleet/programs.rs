//! Programs that the coordinator sends: workers in empty folders play versions from git, and say so
//! if they do not take programs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::nats::{self, Nats};
use crate::place::{Place, Running};

/// A program that takes the first or the last of the offered actions.
fn bot(choice: &str) -> String {
    format!(
        r#"while read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{{"type":"ready","name":"mine","games":["tron"],"protocol":2}}' ;;
    *'"type":"turn"'*)
      actions=${{line#*'"actions":["'}}
      actions=${{actions%%'"]'*}}
      echo "{{\"type\":\"action\",\"action\":\"${{actions{choice}}}\"}}" ;;
    *'"type":"bye"'*) exit ;;
  esac
done
"#
    )
}

/// A repository in which a program has two versions, if there is git to test with.
fn repository() -> Option<Place> {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("skipped: there is no git");
        return None;
    }
    let place = Place::new();
    place.write(
        "bots.toml",
        "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n\
         [secret]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\nenvironment = { KEY = \"1\" }\n",
    );
    fs::create_dir_all(place.path().join("mine/data/empty")).unwrap();
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let mut git = Command::new("git");
        let git = git.arg("-C").arg(place.path()).args(settings).args(arguments);
        assert!(git.status().unwrap().success());
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    for (title, choice) in [("first", "%%'\"'*"), ("last", "##*'\"'")] {
        place.write("mine/bot.sh", &bot(choice));
        git(&["add", "mine"]);
        git(&["commit", "--quiet", "--message", title]);
    }
    Some(place)
}

/// A command in whose sandbox programs run on any system that the tests run on.
fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("QUINTAIN_SANDBOX", "basic").stdin(Stdio::null());
    command
}

fn worker(place: &Place, on: &str, more: &[&str]) -> Running {
    let mut command = command(place, &[&["worker", "--on", on, "--threads", "1"], more].concat());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    Running::start(command)
}

fn answer(place: &Place, arguments: &[&str]) -> String {
    let output = command(place, arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn workers_in_an_empty_folder_play_versions_from_git_that_the_coordinator_sends() {
    if !nats::is_here() {
        return;
    }
    let Some(place) = repository() else { return };
    let nats = Nats::start(place.path());
    let on = nats.address();
    let (willing, wary) = (Place::new(), Place::new());
    let _willing = worker(&willing, &on, &["--take-programs"]);
    let mut wary = worker(&wary, &on, &[]);
    let versions = ["compare", "bot:mine@git:HEAD", "bot:mine@git:HEAD~1", "--game", "tron"];
    let small = "empty?width=7&height=7";
    let options = ["--scenario", small, "--seed", "1", "--matches", "8", "--format", "json"];
    let compare = [&versions[..], &options[..]].concat();
    let here = answer(&place, &compare);
    assert!(!here.contains("\"matches\": 0"), "{here}");
    let there = ["--on", &on, "--store", "compared.sqlite"];
    assert_eq!(answer(&place, &[&compare[..], &there[..]].concat()), here);
    let _errors = wary.wait_to_hear("because it does not take programs (bot:mine@");

    // An answer from the store alone needs no server, and says so.
    let nowhere = ["--on", "nats://127.0.0.1:1", "--store", "compared.sqlite"];
    let again = command(&place, &[&compare[..], &nowhere[..]].concat()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&again.stdout), here);
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("the server nats://127.0.0.1:1 was not asked"), "{said}");
}

#[test]
fn a_coordinator_says_which_program_it_cannot_send_and_who_takes_none() {
    if !nats::is_here() {
        return;
    }
    let Some(place) = repository() else { return };
    let nats = Nats::start(place.path());
    let on = nats.address();
    let wary = Place::new();
    let _wary = worker(&wary, &on, &[]);
    let compare = ["compare", "bot:secret", "bot:mine", "--game", "tron", "--on", &on];
    let mut asking = command(&place, &compare);
    asking.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut asking = Running::start(asking);
    let mut errors =
        asking.wait_to_hear("bot:secret is not sent to workers, since it has an environment");
    crate::place::read_up_to(
        &mut errors,
        "compare bot:secret with bot:mine (tron), because it does not take programs (bot:mine)",
    );
}

#[test]
fn members_propose_commits_to_a_queue_on_another_machine() {
    if !nats::is_here() {
        return;
    }
    let Some(club) = repository() else { return };
    let (nats, member) = (Nats::start(club.path()), Place::new());
    let on = nats.address();
    let git = |place: &Place, arguments: &[&str]| {
        let settings = ["-c", "user.name=b", "-c", "user.email=a@b.c"];
        let mut git = Command::new("git");
        git.arg("-C").arg(place.path()).args(settings).args(arguments).stdout(Stdio::null());
        assert!(git.status().unwrap().success(), "{arguments:?}");
    };
    let remote = Place::new();
    git(&remote, &["init", "--quiet", "--bare", "--initial-branch", "main"]);
    let address = remote.path().display().to_string();
    git(&club, &["remote", "add", "origin", &address]);
    git(&club, &["push", "--quiet", "origin", "main"]);
    git(&member, &["clone", "--quiet", &address, "."]);
    member.write("bots.toml", "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n");
    member.write("mine/openings", "new");
    git(&member, &["add", "mine"]);
    git(&member, &["commit", "--quiet", "--message", "openings"]);

    let versions = ["mine@git:HEAD", "mine@git:HEAD~1", "--game", "tron"];
    let small = ["--scenario", "empty?width=7&height=7", "--matches", "8", "--who", "ann"];
    let add = [&["tests", "add"], &versions[..], &small[..], &["--on", &on]].concat();
    let refused = |arguments: &[&str]| {
        let output = command(&member, arguments).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(&add);
    assert!(said.contains("nobody answers tests at"), "{said}");

    let mut running = command(&club, &["tests", "run", "--stay", "--on", &on]);
    running.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running::start(running);
    let begun = Instant::now();
    let said = loop {
        let said = refused(&add);
        if !said.contains("nobody answers") || begun.elapsed() > nats::BOUND {
            break said;
        }
    };
    assert!(said.contains("push it first"), "{said}");
    git(&member, &["push", "--quiet", "origin", "main"]);
    let added = answer(&member, &add);
    assert!(added.starts_with("test 1: mine@git:"), "{added}");

    // What the folder holds is kept as it is now; nobody elsewhere means that folder.
    let mine = ["tests", "add", "bot:mine", "space", "--game", "tron", "--who", "ann"];
    let mine = [&mine[..], &["--matches", "2", "--seed", "5"]].concat();
    let said = refused(&[&mine[..], &["--on", &on]].concat());
    assert!(said.contains("name a commit that you have pushed: mine@git:HEAD"), "{said}");
    let added = answer(&club, &mine);
    assert!(added.starts_with("test 2: bot:mine@"), "{added}");
    let added = answer(&club, &mine);
    assert!(added.contains("it is the question of test 2"), "{added}");
    answer(&club, &["tests", "stop", "3"]);

    // Another queue at the same server takes nothing that belongs to this one.
    let mut other = command(&member, &["tests", "run", "--stay", "--on", &on]);
    other.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut other = Running::start(other);
    let _errors = other.wait_to_hear("which is answered already; this process answers");

    let worker_place = Place::new();
    let _worker = worker(&worker_place, &on, &["--take-programs"]);
    let answers = BufReader::new(running.child.stdout.take().unwrap()).lines();
    assert_eq!(answers.take(2).filter(Result::is_ok).count(), 2);
    let listed = answer(&member, &["tests", "list", "--state", "decided", "--on", &on]);
    assert!(listed.contains("   1  decided") && listed.contains("   2  decided"), "{listed}");
    let shown = answer(&member, &["tests", "show", "1", "--on", &on]);
    assert!(
        shown.contains(&format!("tests again 1 --delta DELTA --matches N --on {on}")),
        "{shown}"
    );

    // Nobody elsewhere has a file of that machine read, or gives what the command line refuses.
    let map = ["tests", "add", "space", "basic", "--game", "tron", "--on", &on, "--scenario"];
    let said = refused(&[&map[..], &["file?path=bots.toml"]].concat());
    assert!(said.contains("the file is not read"), "{said}");
    let said = refused(&["tests", "--on", &on, "--store", "other.sqlite"]);
    assert!(said.contains("give one of them"), "{said}");
}
