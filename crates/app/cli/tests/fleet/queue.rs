//! A queue of tests on one machine, and members of a club on others, who have clones of the same
//! repository.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::nats::{self, Nats};
use crate::place::{Place, Running, read_up_to};
use crate::programs::{answer, command, repository, worker};

const LISTED: &str = "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n";
const SMALL: [&str; 4] = ["--game", "tron", "--scenario", "empty?width=7&height=7"];

/// The machine that has the queue, a member's machine, and the repository from which both fetch.
struct Club {
    desk: Place,
    member: Place,
    _remote: Place,
    _nats: Nats,
    on: String,
}

impl Club {
    fn new() -> Option<Club> {
        if !nats::is_here() {
            return None;
        }
        let desk = repository()?;
        let (nats, member, remote) = (Nats::start(desk.path()), Place::new(), Place::new());
        git(&remote, &["init", "--quiet", "--bare", "--initial-branch", "main"]);
        let address = remote.path().display().to_string();
        git(&desk, &["remote", "add", "origin", &address]);
        git(&desk, &["push", "--quiet", "origin", "main"]);
        git(&member, &["clone", "--quiet", &address, "."]);
        member.write("bots.toml", LISTED);
        let on = nats.address();
        Some(Club { desk, member, _remote: remote, _nats: nats, on })
    }

    /// Has the member commit a file.
    fn commit(&self, name: &str) {
        self.member.write(&format!("mine/{name}"), name);
        git(&self.member, &["add", "mine"]);
        git(&self.member, &["commit", "--quiet", "--message", name]);
    }

    fn push(&self) {
        git(&self.member, &["push", "--quiet", "origin", "main"]);
    }

    /// Starts the process that answers the queue.
    fn start(&self) -> Running {
        let mut running = command(&self.desk, &["tests", "run", "--stay", "--on", &self.on]);
        running.stdout(Stdio::piped()).stderr(Stdio::null());
        Running::start(running)
    }

    /// What the queue answers a member.
    fn ask(&self, arguments: &[&str]) -> String {
        answer(&self.member, &[arguments, &["--on", &self.on]].concat())
    }

    /// Asks until the answer has these words.
    fn ask_until(&self, arguments: &[&str], words: &str) -> String {
        let begun = Instant::now();
        loop {
            let said = self.ask(arguments);
            if said.contains(words) {
                return said;
            }
            assert!(begun.elapsed() < nats::BOUND, "{words}: {said}");
        }
    }

    /// Why the queue refuses what somebody asks; waits for the process that answers it.
    fn refuses(&self, from: &Place, arguments: &[&str]) -> String {
        let begun = Instant::now();
        loop {
            let mut asking = command(from, &[arguments, &["--on", &self.on]].concat());
            let output = asking.output().unwrap();
            assert!(!output.status.success(), "{arguments:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            if !said.contains("nobody answers") || begun.elapsed() > nats::BOUND {
                return said;
            }
        }
    }
}

fn git(place: &Place, arguments: &[&str]) {
    let settings = ["-c", "user.name=b", "-c", "user.email=a@b.c"];
    let mut git = Command::new("git");
    git.arg("-C").arg(place.path()).args(settings).args(arguments).stdout(Stdio::null());
    assert!(git.status().unwrap().success(), "{arguments:?}");
}

#[test]
fn members_propose_commits_to_a_queue_on_another_machine() {
    let Some(club) = Club::new() else { return };
    let (desk, member, on) = (&club.desk, &club.member, &club.on);
    club.commit("openings");
    let versions = ["tests", "add", "mine@git:HEAD", "mine@git:HEAD~1"];
    let add = [&versions[..], &SMALL, &["--matches", "8", "--who", "ann"]].concat();
    let output = command(member, &[&add[..], &["--on", on]].concat()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nobody answers tests at"), "{said}");

    let mut running = club.start();
    let said = club.refuses(member, &add);
    assert!(said.contains("push it first"), "{said}");
    club.push();
    let same = ["tests", "add", "mine@git:HEAD", "mine@git:main", "--game", "tron"];
    let said = club.refuses(member, &same);
    assert!(said.contains(" is named twice; a test needs two players that differ"), "{said}");
    let added = club.ask(&add);
    assert!(added.starts_with("test 1: mine@git:"), "{added}");
    assert!(added.contains(&format!("in the queue at {on}, which ")), "{added}");

    // Nor does anybody elsewhere choose what is run, read or asked where the queue is.
    for (player, problem) in [
        ("exec:\"head -1 /etc/passwd\"", "the queue takes no commands"),
        ("tron/exec:\"head -1 /etc/passwd\"", "the queue takes no commands"),
        ("tron:tronv2/exec:\"sh bot.sh\"", "the queue takes no commands"),
        ("wasm:/proc/kmsg", "only those in its folder and below it play"),
        ("wasm:../bot.wasm", "only those in its folder and below it play"),
        ("tron/net?file=/etc/passwd", "it reads no files that others name"),
        ("net?file=bots.toml", "it reads no files that others name"),
        ("http://127.0.0.1:9/move", "it is no player of the game"),
    ] {
        let add = ["tests", "add", player, "basic", "--game", "tron"];
        let said = club.refuses(member, &add);
        assert!(said.contains(problem), "{player}: {said}");
    }

    // What the folder holds is kept as it is now; nobody elsewhere means that folder.
    let mine = ["tests", "add", "bot:mine", "space", "--game", "tron", "--who", "ann"];
    let mine = [&mine[..], &["--matches", "2", "--seed", "5"]].concat();
    let said = club.refuses(member, &mine);
    assert!(said.contains("name a commit that you have pushed: mine@git:HEAD"), "{said}");
    let added = answer(desk, &mine);
    assert!(added.starts_with("test 2: bot:mine@"), "{added}");
    assert!(
        added.ends_with("in the queue of quintain.sqlite; `quintain tests run` plays it\n"),
        "{added}"
    );
    let added = answer(desk, &mine);
    assert!(added.contains("it is the question of test 2, which is proposed"), "{added}");
    // A seed that was drawn is not drawn again, though no match was played yet.
    let added = club.ask(&add);
    assert!(added.contains("it is the question of test 1, which is running"), "{added}");
    let stop = format!("(`quintain tests stop 4 --on {on}` takes this one back; --seed N");
    assert!(added.contains(&stop), "{added}");
    let wider = [&add[..], &["--delta", "90"]].concat();
    let added = club.ask(&wider);
    assert!(added.contains("test 1 is about the same matches, which are played once"), "{added}");
    answer(desk, &["tests", "stop", "3", "4", "5"]);
    // What is open is not asked again, and only the machine that has the queue can answer it.
    let said = club.refuses(member, &["tests", "again", "1"]);
    let problem = format!(
        "test 1 is running and has no answer yet: quintain tests show 1 --on {on} shows how far \
         it is, quintain tests stop 1 --on {on} stops it, and then it can be asked again"
    );
    assert!(said.contains(&problem), "{said}");
    let said = club.refuses(member, &["tests", "show", "99"]);
    assert!(said.contains(&format!("there is no test 99 in the queue at {on}; ")), "{said}");

    // Another queue at the same server takes nothing that belongs to this one.
    let mut other = command(member, &["tests", "run", "--stay", "--on", on]);
    other.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut other = Running::start(other);
    let _errors = other.wait_to_hear("which is answered already; this process answers");

    let worker_place = Place::new();
    let _worker = worker(&worker_place, on, &["--take-programs"]);
    let answers = BufReader::new(running.child.stdout.take().unwrap()).lines();
    assert_eq!(answers.take(2).filter(Result::is_ok).count(), 2);
    let listed = club.ask(&["tests", "list", "--state", "decided"]);
    assert!(listed.contains("   1  decided") && listed.contains("   2  decided"), "{listed}");
    let shown = club.ask(&["tests", "show", "1"]);
    assert!(
        shown.contains(&format!("tests again 1 --delta DELTA --matches N --on {on}")),
        "{shown}"
    );

    // Nobody elsewhere has a file of that machine read, or gives what the command line refuses.
    let map = ["tests", "add", "space", "basic", "--game", "tron", "--scenario"];
    let said = club.refuses(member, &[&map[..], &["file?path=bots.toml"]].concat());
    assert!(said.contains("the file is not read"), "{said}");
    let said = club.refuses(member, &["tests", "--store", "other.sqlite"]);
    assert!(said.contains("give one of them"), "{said}");

    // The environment names the queue, and a store is stronger.
    let list = |options: &[&str]| {
        let mut list = command(member, &[&["tests", "list"], options].concat());
        let output = list.env("QUINTAIN_ON", on).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert_eq!(list(&["--state", "decided"]), listed);
    assert!(list(&["--store", "none.sqlite"]).contains("none.sqlite"));
}

#[test]
fn an_option_for_this_machine_is_stronger_than_a_server_that_the_environment_names() {
    let place = Place::new();
    let compare = |options: &[&str]| {
        let compare = ["compare", "space", "random", "--game", "tron", "--matches", "4", "--quiet"];
        let mut compare = command(&place, &[&compare[..], options].concat());
        compare.env("QUINTAIN_ON", "nats://127.0.0.1:1").output().unwrap()
    };
    let here = compare(&["--threads", "1"]);
    assert!(here.status.success(), "{}", String::from_utf8_lossy(&here.stderr));
    let both = compare(&["--threads", "1", "--on", "nats://127.0.0.1:2"]);
    assert_eq!(both.status.code(), Some(2), "both are typed");
    let mut workers = command(&place, &["workers"]);
    let output = workers.env("QUINTAIN_ON", "nats://127.0.0.1:1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nats://127.0.0.1:1"), "{said}");
}

#[test]
fn members_propose_a_series_of_commits_to_a_queue_on_another_machine_and_stop_it() {
    let Some(club) = Club::new() else { return };
    let (member, on) = (&club.member, &club.on);
    club.commit("openings");
    let _running = club.start();
    let series = [&["tests", "series", "add", "mine", "--delta", "200", "-m", "20"], &SMALL[..]];
    let series = series.concat();
    let add = [&series[..], &["--who", "ann"]].concat();
    let said = club.refuses(member, &add);
    assert!(said.contains("--to ") && said.contains("push it first (git push)"), "{said}");
    club.push();
    let added = club.ask(&add);
    assert!(added.contains(" openings\nseries mine: 2 tests proposed\nin the queue at"), "{added}");
    let shown = club.ask(&["tests", "series", "list", "mine"]);
    assert!(shown.starts_with("mine\n") && shown.contains("2 tests are open."), "{shown}");
    assert!(club.ask(&["tests"]).contains("ann"), "who proposes is told");

    // A branch or an own program of that machine is nobody else's business.
    let stranger = Place::new();
    let named = [&series[..], &["--name", "other"]].concat();
    let said = club.refuses(&stranger, &named);
    let problem = "--to HEAD: no bots.toml here lists mine, so this would be HEAD of the machine \
                   that has the queue; name a commit by its hash, or a branch of its remote, such \
                   as --to origin/main";
    assert!(said.contains(problem), "{said}");
    let said = club.refuses(&stranger, &[&named[..], &["--to", "refs/heads/main"]].concat());
    assert!(said.contains("push it first"), "{said}");
    let said = club
        .refuses(&stranger, &[&named[..], &["--to", "origin/main", "--since", "main"]].concat());
    assert!(said.contains("--since main: no bots.toml here lists mine"), "{said}");
    let said = club.refuses(member, &[&named[..], &["--against", "bot:mine"]].concat());
    assert!(said.contains("name a commit that you have pushed: mine@git:HEAD"), "{said}");
    let said = club.refuses(member, &[&named[..], &["--against", "exec:sh bot.sh"]].concat());
    assert!(said.contains("the queue takes no commands"), "{said}");
    let branch = [&named[..], &["--to", "origin/main", "--on", on]].concat();
    assert!(answer(&stranger, &branch).contains("series other: 2 tests proposed"));

    let more = ["tests", "series", "more", "mine"];
    assert_eq!(club.ask(&more), "series mine has all its commits\n");
    club.commit("endings");
    assert!(club.refuses(member, &more).contains("push it first"));
    club.push();
    assert!(club.ask(&more).contains(" endings\nseries mine: 1 test proposed\n"));
    assert_eq!(club.ask(&["tests", "series", "stop", "mine"]), "series mine: 3 tests stopped\n");
    let shown = club.ask(&["tests", "series", "list", "mine"]);
    assert!(shown.contains("Stopped without an answer: tests 1, 2, 5"), "{shown}");
    let unknown = club.refuses(member, &["tests", "series", "stop", "nothing"]);
    assert!(unknown.contains("there is no series nothing"), "{unknown}");
    club.ask(&["tests", "series", "forget", "other"]);
    assert!(!club.ask(&["tests", "series"]).contains("other"));
}

#[test]
fn members_hear_why_nobody_plays_a_test_until_somebody_can() {
    let Some(club) = Club::new() else { return };
    let on = &club.on;
    let mut running = club.start();
    let versions = ["tests", "add", "mine@git:HEAD", "mine@git:HEAD~1"];
    let add = [&versions[..], &SMALL, &["--matches", "8", "--who", "ann"]].concat();
    club.add(add);
    let show = ["tests", "show", "1"];
    let start = format!("`quintain worker --on {on} --take-programs`.");
    let said = words(&club.ask_until(&show, "no worker is"));
    assert!(
        said.contains(&format!("Nobody plays test 1: no worker is connected; start one: {start}")),
        "{said}"
    );

    let (wary_place, willing_place) = (Place::new(), Place::new());
    let _wary = worker(&wary_place, on, &[]);
    let said = words(&club.ask_until(&show, "1 worker is connected"));
    assert!(
        said.contains(&format!("but takes no programs; start one that does: {start}")),
        "{said}"
    );
    let here = words(&answer(&club.desk, &["tests"]));
    assert!(here.contains("Nobody plays test 1: 1 worker is connected, but"), "{here}");

    // Meanwhile that worker plays what it can, though it was proposed later.
    let games = ["tests", "add", "space", "random", "--matches", "8", "--who", "bob"];
    club.add([&games[..], &SMALL].concat());
    club.ask_until(&["tests", "show", "2"], "test 2, decided");
    assert!(!club.ask(&show).contains("test 1, decided"));

    let _willing = worker(&willing_place, on, &["--take-programs"]);
    let said = club.ask_until(&show, "test 1, decided");
    assert!(!said.contains("Nobody"), "{said}");

    running.kill();
    answer(&club.desk, &[&["tests", "add", "space", "random"], &SMALL[..]].concat());
    let here = words(&answer(&club.desk, &["tests"]));
    assert!(here.ends_with("Nobody answers the queue: start `quintain tests run`."), "{here}");
    fs::remove_file(club.desk.path().join("quintain.sqlite")).unwrap();
    let none = answer(&club.desk, &["tests"]);
    assert!(none.starts_with("no tests in the queue of quintain.sqlite; "), "{none}");
}

/// A program that answers, and crashes when it is asked for its first move.
const CRASHES: &str = r#"while read -r line; do
  case $line in
    *'"type":"hello"'*) echo '{"type":"ready","name":"mine","games":["tron"],"protocol":2}' ;;
    *'"type":"turn"'*) echo "line 7: no such move" >&2; exit 3 ;;
  esac
done
"#;

#[test]
fn members_hear_at_once_of_a_program_that_crashes_on_its_first_move_and_two_workers_decide() {
    let Some(club) = Club::new() else { return };
    club.member.write("mine/bot.sh", CRASHES);
    club.commit("crashes");
    club.push();
    let _running = club.start();
    let places: [Place; 2] = std::array::from_fn(|_| Place::new());
    let _workers: Vec<Running> =
        places.iter().map(|place| worker(place, &club.on, &["--take-programs"])).collect();
    let begun = Instant::now();
    while !club.ask_anyway(&["workers"]).contains("2 workers") {
        assert!(begun.elapsed() < nats::BOUND);
    }
    let versions = ["tests", "add", "mine@git:HEAD", "mine@git:HEAD~1"];
    club.add([&versions[..], &SMALL, &["--matches", "40", "--who", "ann"]].concat());
    let show = ["tests", "show", "1"];
    let said = words(&club.ask_until(&show, "first move"));
    assert!(said.contains("Test 1: mine@git:"), "{said}");
    assert!(said.contains("crashed on its first move on ") || said.contains(" fails on its first"));
    let said = words(&club.ask_until(&show, "test 1, decided"));
    assert!(said.contains("Matches lost by a fault of mine@git:"), "{said}");
    assert!(said.contains("| line 7: no such move"), "{said}");
    assert!(said.contains(" fails on its first move on "), "{said}");
    assert!(said.contains("Played by machine, ahead of the verdict included: "), "{said}");
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Club {
    /// Proposes a test, once the queue is answered.
    fn add(&self, arguments: Vec<&str>) {
        let begun = Instant::now();
        loop {
            let mut asking = command(&self.member, &[&arguments[..], &["--on", &self.on]].concat());
            let output = asking.output().unwrap();
            if output.status.success() {
                return;
            }
            assert!(begun.elapsed() < nats::BOUND, "{}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// What is answered, if anything is.
    fn ask_anyway(&self, arguments: &[&str]) -> String {
        let mut asking = command(&self.member, &[arguments, &["--on", &self.on]].concat());
        String::from_utf8(asking.output().unwrap().stdout).unwrap()
    }
}

#[test]
fn a_test_of_higher_priority_pauses_the_one_that_runs_which_goes_on_afterwards() {
    let place = Place::new();
    let long = ["tests", "add", "uct?iterations=300", "uct?iterations=299", "--delta", "1"];
    let long = [&long[..], &SMALL, &["--matches", "20000", "--who", "ann"]].concat();
    answer(&place, &long);
    let mut running = command(&place, &["tests", "run", "--stay", "--threads", "1"]);
    running.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running::start(running);
    let mut errors = running.wait_to_hear("answers the queue ");
    read_up_to(&mut errors, "test 1: ");
    let short = ["tests", "add", "space", "random", "--priority", "5", "--matches", "8"];
    // A workflow waits for it.
    let wait = ["--who", "bob", "--wait", "--exit-code"];
    let mut waiting = command(&place, &[&short[..], &SMALL, &wait].concat());
    waiting.stdout(Stdio::piped()).stderr(Stdio::null());
    let waiting = waiting.spawn().unwrap();
    read_up_to(&mut errors, "test 1 pauses for test 2, which has a higher priority");
    read_up_to(&mut errors, "test 2: ");
    let output = waiting.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("test 2, decided, proposed by bob, priority 5"), "{said}");
    assert!([0, 30].map(Some).contains(&output.status.code()), "{:?}: {said}", output.status);
    read_up_to(&mut errors, "test 1: ");
    let played = |test: &str| -> u64 {
        let shown = answer(&place, &["tests", "show", test, "--json"]);
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["report"]["matches"].as_u64().unwrap()
    };
    assert!(played("1") > 0, "its matches stay");
    assert_eq!(answer(&place, &["tests", "stop", "1"]), "test 1 is stopped\n");
    read_up_to(&mut errors, "no test waits; waiting for one");
}

#[test]
fn who_stays_waits_for_a_server_that_is_not_there_yet() {
    if !nats::is_here() {
        return;
    }
    let (place, port) = (Place::new(), nats::free_port());
    let on = format!("nats://127.0.0.1:{port}");
    let mut running = command(&place, &["tests", "run", "--stay", "--on", &on]);
    running.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = Running::start(running);
    let mut errors = running.wait_to_hear("no NATS server answers at ");
    let _nats = Nats::start_at(place.path(), port);
    read_up_to(&mut errors, &format!("with the workers at {on}"));
    let once = command(&place, &["tests", "run", "--on", "nats://127.0.0.1:1"]).output().unwrap();
    assert_eq!(once.status.code(), Some(1));
}

#[test]
fn a_server_that_the_environment_names_is_left_out_by_unsetting_it() {
    let place = Place::with_cup(
        "name = \"cup\"\ngame = \"tron\"\nplayers = [\"space\", \"random\"]\nseeds = 2\n\
         format = \"knockout\"\n",
    );
    let mut cup = command(&place, &["tournament", "cup.toml"]);
    let output = cup.env("QUINTAIN_ON", "nats://127.0.0.1:1").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("; unset QUINTAIN_ON, or have everybody meet everybody"), "{said}");
}
