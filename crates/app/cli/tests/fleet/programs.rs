//! Programs that the coordinator sends: workers in empty folders play versions from git, and say so
//! if they do not take programs.

use std::fs;
use std::process::{Command, Stdio};

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
pub fn repository() -> Option<Place> {
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
pub fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("QUINTAIN_SANDBOX", "basic").stdin(Stdio::null());
    command
}

pub fn worker(place: &Place, on: &str, more: &[&str]) -> Running {
    let mut command = command(place, &[&["worker", "--on", on, "--threads", "1"], more].concat());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    Running::start(command)
}

pub fn answer(place: &Place, arguments: &[&str]) -> String {
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
