//! `quintain host` and `quintain submit`: a contest from its creation to the ladder through the
//! real command, and what the organiser's commands print. What a contest does is tested in
//! quintain-host.
#![cfg(target_os = "linux")]

#[cfg(feature = "fleet")]
#[allow(dead_code, reason = "tests of tournaments use the rest")]
#[path = "../../../lab/fleet/tests/nats/mod.rs"]
mod nats;
#[path = "common/place.rs"]
mod place;

use std::fs;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use place::{LIFE, Place, QUINTAIN};

/// A served contest, whose process is killed when the test ends.
struct Server {
    child: Child,
    /// The host and port.
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Serves the contest `cup`, with further options.
    fn start(place: &Place, options: &[&str]) -> Server {
        let serve = ["host", "serve", "cup", "--port", "0"];
        let mut command = place.command(&[&serve[..], options].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.unwrap_or_else(|| panic!("{line}"));
        Server { address: address.trim_end_matches(['/', ';']).to_owned(), child }
    }

    /// Returns the body of a page.
    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let address = &self.address;
        let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        answer.split_off(end + 4)
    }

    fn page(&self, path: &str) -> String {
        String::from_utf8(self.get(path)).unwrap()
    }

    /// Waits until a condition is fulfilled.
    fn until(&self, what: &str, is_fulfilled: impl Fn(&Server) -> bool) {
        let begun = Instant::now();
        while !is_fulfilled(self) {
            assert!(begun.elapsed() < LIFE, "not in time: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns the token from the output of `init` or `invite`.
fn token_in(output: &str) -> String {
    let is_token = |word: &&str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    output.split_whitespace().find(is_token).unwrap_or_else(|| panic!("{output}")).to_owned()
}

/// Runs a command that must be refused with exit code 2; returns what it says.
fn refusal(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// As if a final of two programs had been over, of which both matches are missing since: the grades
/// are printed, and the exit code says that they are not whole.
fn expect_grades_that_lack_a_match_to_fail(place: &Place) {
    let file = place.path().join("again/host.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let open = "name = \"open\"\nsubmissions = true\nladder = true\n";
    assert!(text.contains(open), "{text}");
    let with_final = format!("{open}\n[[phases]]\nname = \"final\"\nfinal = 1\n");
    std::fs::write(&file, text.replace(open, &with_final)).unwrap();
    let database = rusqlite::Connection::open(place.path().join("again/host.sqlite")).unwrap();
    let over = "INSERT INTO settings (key, value)
                SELECT 'roster', group_concat(id, ' ') FROM (SELECT id FROM versions LIMIT 2);
                INSERT INTO settings (key, value) VALUES ('planned', '2');
                INSERT INTO settings (key, value) VALUES ('final is over', 'true')";
    database.execute_batch(over).unwrap();
    let lacking = place.run(&["host", "grades", "again"]);
    let said = String::from_utf8(lacking.stderr).unwrap();
    assert_eq!(lacking.status.code(), Some(1), "{said}");
    assert!(said.contains("match 1 of the final (") && said.contains("and 1 more"), "{said}");
    assert!(!lacking.stdout.is_empty());
}

/// Creates the contest `cup` of tron, confined by what this machine has; none if that is too little
/// for a program to run.
fn contest() -> Option<Place> {
    let place = Place::new();
    place.says(&["new", "player", "walker", "--game", "tron", "--lang", "python"]);
    let check = |sandbox| place.run(&["bot", "check", "--sandbox", sandbox, "--bot", "walker"]);
    let Some(sandbox) = ["full", "basic"].into_iter().find(|how| check(how).status.success())
    else {
        eprintln!("skipped: {}", String::from_utf8_lossy(&check("basic").stderr));
        return None;
    };
    let options = ["--game", "tron", "--scenario", "empty?width=7&height=7", "--house", "random"];
    let own = ["--budget", "move=600ms"];
    place.says(&[&["host", "init", "cup"], &options[..], &own].concat());
    let file = place.path().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("sandbox = \"full\"", &format!("sandbox = \"{sandbox}\"")))
        .unwrap();
    Some(place)
}

/// Unpacks a kit that the contest offers; returns its folder.
fn unpack_kit(place: &Place, language: &str, zip: &[u8]) -> std::path::PathBuf {
    zip::ZipArchive::new(Cursor::new(zip)).unwrap().extract(place.path()).unwrap();
    place.path().join(format!("tron-{language}"))
}

#[test]
fn a_starter_kit_is_handed_in_by_command_and_climbs_the_ladder() {
    let Some(place) = contest() else { return };
    let ada = token_in(&place.says(&["host", "invite", "cup", "ada"]));
    let server = Server::start(&place, &[]);
    let kit = unpack_kit(&place, "python", &server.get("/kits/python.zip"));
    // The commands in its guide work at once.
    let guide = fs::read_to_string(kit.join("CONTEST.md")).unwrap();
    let is_command = |line: &&str| line.starts_with("quintain ") && !line.contains(" submit ");
    let commands: Vec<&str> = guide.lines().filter(is_command).collect();
    assert_eq!(commands.len(), 2, "{guide}");
    for line in commands {
        let shell = line.replacen("quintain", QUINTAIN, 1);
        let done = std::process::Command::new("sh").args(["-c", &shell]).current_dir(&kit).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    }
    let submit =
        |program: &str| place.run(&["submit", "--to", &server.address, "--token", &ada, program]);
    let submitted = submit("tron-python/my-bot");
    let text = String::from_utf8_lossy(&submitted.stdout).into_owned();
    let error = String::from_utf8_lossy(&submitted.stderr);
    assert!(submitted.status.success(), "{text}{error}");
    assert!(text.contains("ok  hello: ready") && text.ends_with("is on the ladder\n"), "{text}");
    assert!(server.page("/").contains(">ada<"));
    let again = String::from_utf8(submit("tron-python/my-bot").stdout).unwrap();
    assert!(again.starts_with("version 1,") && again.contains("checked before"), "{again}");
    // A program that fails says why.
    place.write("broken.py", "import sys\nsys.exit('no luck')\n");
    let broken = submit("broken.py");
    assert_eq!(broken.status.code(), Some(1));
    let text = String::from_utf8(broken.stdout).unwrap();
    assert!(text.contains("BAD hello") && text.contains("no luck"), "{text}");
    // Versions of the same files say which version plays.
    let source = fs::read_to_string(kit.join("my-bot/bot.py")).unwrap();
    place.write("second.py", &format!("{source}\n# another\n"));
    assert!(submit("second.py").status.success());
    let old = String::from_utf8(submit("tron-python/my-bot").stdout).unwrap();
    assert!(old.contains("version 1 has these files") && !old.contains("1 is on the"), "{old}");
    // One host serves a contest, and its status says which.
    let process = server.child.id();
    let second = refusal(&place, &["host", "serve", "cup", "--port", "0"]);
    let already = format!("cup is served already, by process {process}");
    assert!(second.contains(&already), "{second}");
    let status = place.says(&["host", "status", "cup", "--format", "json"]);
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["served_by"], process, "{status}");
    let again = place.says(&["host", "rejudge", "cup", "ada", "1"]);
    assert!(again.starts_with("1 version of ada to be checked again while the host"), "{again}");
    let none = refusal(&place, &["host", "rejudge", "cup", "ada", "9"]);
    assert!(none.contains("\"ada\" has no version 9 that has been checked"), "{none}");
    let whose = refusal(&place, &["host", "rejudge", "cup"]);
    assert!(whose.contains("quintain host rejudge cup --all"), "{whose}");
    drop(server);
    let status = place.says(&["host", "status", "cup"]);
    assert!(status.contains("programs are accepted, matches are played"), "{status}");
    assert!(status.contains("\nit is not being served\n"), "{status}");
    assert!(status.contains("\nversions: 1 on the ladder, "), "{status}");
    assert!(status.contains("\nmatches that ended in the last minute: "), "{status}");
    // What is written after the contest.
    assert!(place.says(&["host", "verify", "cup"]).ends_with(" matches verified\n"));
    assert!(place.says(&["host", "grades", "cup", "--columns", "name,rank"]).contains("\nada,"));
    assert_eq!(place.says(&["host", "letters", "cup", "letters"]), "1 letter in letters\n");
    assert_eq!(place.says(&["host", "export", "cup", "site"]), "site/index.html\n");
    assert_eq!(place.says(&["host", "backup", "cup", "copy"]), "copy is a copy of cup\n");
    assert_eq!(place.says(&["host", "restore", "copy", "again"]), "quintain host serve again\n");
    assert!(refusal(&place, &["host", "backup", "cup", "copy"]).contains("copy"));
    let grades = place.run(&["host", "grades", "again"]);
    let note = "note: no record was replayed for these; `quintain host verify again` does that\n";
    assert_eq!(String::from_utf8(grades.stderr).unwrap(), note);
    expect_grades_that_lack_a_match_to_fail(&place);
}

#[test]
fn the_address_that_serve_prints_has_the_port_and_the_path() {
    let place = Place::new();
    place.says(&["host", "init", "cup", "--game", "tron"]);
    let file = place.path().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("# path = \"/tron\""));
    fs::write(&file, text.replace("# path = \"/tron\"", "path = \"/dog\"")).unwrap();
    let server = Server::start(&place, &[]);
    let (address, path) = server.address.split_once('/').unwrap();
    assert_eq!(path, "dog");
    assert!(TcpStream::connect(address).is_ok());
}

#[test]
fn the_organisers_commands_say_what_they_did() {
    let place = Place::new();
    let created = place.says(&["host", "init", "cup", "--game", "tron"]);
    assert!(created.contains("then: quintain host serve cup\n"), "{created}");
    token_in(&created);
    let host =
        |verb: &str, arguments: &[&str]| place.says(&[&["host", verb, "cup"], arguments].concat());
    host("invite", &["ada"]);
    let invited = host("invite", &["Ünal Şahin"]);
    assert!(invited.contains("the token of Ünal Şahin"), "{invited}");
    assert!(invited.contains("they are Unal-Sahin"), "{invited}");
    let again = host("invite", &["Ünal Şahin", "--address", "https://cup.example/"]);
    assert!(again.contains("it replaces an older one"), "{again}");
    let link = format!("https://cup.example/sign-in?token={}", token_in(&again));
    assert!(again.contains(&link), "{again}");
    let merged = host("merge", &["unal sahin", "ada"]);
    assert!(merged.ends_with("quintain host merge cup Unal-Sahin --undo\n"), "{merged}");
    assert!(host("users", &[]).contains("  merged into ada (0 submitted)"));
    let refused = refusal(&place, &["host", "invite", "cup", "Ünal Şahin"]);
    assert!(refused.contains("is merged into ada, as whom their token signs in"), "{refused}");
    assert!(host("merge", &["Unal-Sahin", "--undo"]).contains("no longer merged into ada"));
    // Columns are aligned whatever the letters.
    let users = host("users", &[]);
    assert!(users.contains("Ünal Şahin (Unal-Sahin)"), "{users}");
    let rows = users.lines().filter_map(|line| line.split_once("no program"));
    let widths: Vec<usize> = rows.map(|(name, _)| name.chars().count()).collect();
    assert!(widths.len() == 2 && widths[0] == widths[1], "{users}");
    assert!(host("pause", &[]).starts_with("paused"));
    assert!(host("pause", &[]).contains("already"));
    assert!(host("status", &[]).contains("the matches are paused"));
    assert!(host("resume", &[]).starts_with("resumed"));
    assert!(host("resume", &[]).contains("not paused"));
    assert!(host("phase", &[]).contains("> open: from the beginning; programs are accepted"));
    assert!(host("phase", &["open"]).contains("(chosen; with `auto`"));
    assert!(!host("phase", &["auto"]).contains("(chosen"));
    assert!(host("ban", &["ada"]).contains("ada is banned"));
    assert!(host("ban", &["ada"]).contains("already"));
    assert!(host("ban", &["ada", "--lift"]).contains("may take part again"));
    // What cannot be taken back says first what will happen.
    let asked = refusal(&place, &["host", "reset", "cup"]);
    assert!(asked.contains("none of the 0 matches of the ladder counts any more"), "{asked}");
    assert!(asked.contains("confirm it with --confirm"), "{asked}");
    assert!(host("reset", &["--confirm"]).starts_with("the ladder starts over"));
    let longer = host("extend", &["ada", "--until", "2090-01-31T19:00"]);
    assert_eq!(longer, "ada may submit until 2090-01-31 19:00 UTC, unless the final begins\n");
    assert!(host("extend", &["ada", "--end"]).contains("no longer than the others"));
    let skipped = ["host", "init", "spring", "--game", "tron", "--time-zone", "Europe/Berlin"];
    let skipped = refusal(&place, &[&skipped[..], &["--freeze", "2030-03-31T02:30:00"]].concat());
    assert!(
        skipped.contains("where clocks are put forward then: write 2030-03-31T01:30"),
        "{skipped}"
    );
    let unknown =
        refusal(&place, &["host", "phase", "cup", "freeze", "--from", "2090-01-31T19:00"]);
    assert!(unknown.contains("there is no phase \"freeze\"; host.toml has open"), "{unknown}");
    assert!(host("ban", &["ada"]).contains("ada is banned"));
    assert!(host("ban", &["ada", "--lift"]).contains("may take part again"));
    let last = host("audit", &["--last", "1"]);
    assert!(last.contains("organiser: let in again: ada") && last.lines().count() == 1, "{last}");
}

#[test]
fn lessons_of_a_folder_are_published_and_withdrawn() {
    let place = Place::new();
    place.says(&[
        "host",
        "init",
        "cup",
        "--game",
        "tron",
        "--scenario",
        "empty?width=12&height=12",
    ]);
    let empty = refusal(&place, &["host", "lessons", "publish", "cup", "cup"]);
    assert!(empty.contains("cup: it holds no lessons"), "{empty}");
    let scenario = ["--scenario", "empty?width=12&height=12", "--out", "week"];
    place.says(&[&["lesson", "tron/space"][..], &scenario].concat());
    let lessons = |verb: &str, last: &str| place.says(&["host", "lessons", verb, "cup", last]);
    assert_eq!(lessons("publish", "week"), "set 1 is published: 1 lesson, on /lessons\n");
    assert_eq!(lessons("withdraw", "1"), "set 1 is withdrawn\n");
    let unknown = refusal(&place, &["host", "lessons", "withdraw", "cup", "1"]);
    assert!(unknown.contains("there is no lesson set 1; published: none"), "{unknown}");
    let wrong = refusal(&place, &["host", "lessons", "withdraw", "cup", "week"]);
    assert!(wrong.contains("expected the number of a set"), "{wrong}");
}

#[test]
fn a_final_is_listed_and_begins_only_with_programs() {
    let place = Place::new();
    let time = "2100-01-01T00:00:00Z";
    place.says(&["host", "init", "cup", "--game", "tron", "--final", time]);
    let phases = place.says(&["host", "phase", "cup"]);
    let listed = "  final: from 2100-01-01 00:00 UTC; the final, 10 rounds\n";
    assert!(phases.contains(listed), "{phases}");
    let refused = refusal(&place, &["host", "phase", "cup", "final", "--begin"]);
    assert!(refused.contains("nobody's program is on the ladder"), "{refused}");
}

#[test]
fn verification_finds_a_changed_result_of_the_final() {
    let Some(place) = contest() else { return };
    let file = place.path().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("house = [\"random\"]", "house = [\"random\", \"wall-hugger\"]");
    fs::write(&file, text.replace("submissions = true\nladder = true", "final = 1")).unwrap();
    let server = Server::start(&place, &[]);
    server.until("the final is over", |server| server.page("/final").contains("id=\"seed\""));
    drop(server);
    let verify = ["host", "verify", "cup"];
    let good = place.says(&verify);
    assert!(good.contains("the final: 2 of 2 matches, as its seed determines them\n"), "{good}");
    let database = rusqlite::Connection::open(place.path().join("cup/host.sqlite")).unwrap();
    let change = "UPDATE matches SET scores = '9 9' WHERE id = (SELECT max(id) FROM matches)";
    database.execute(change, []).unwrap();
    let bad = place.run(&verify);
    assert_eq!(bad.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&bad.stdout).contains("bad: match"), "{bad:?}");
}

#[test]
fn a_class_is_invited_from_a_file() {
    let place = Place::new();
    place.says(&["host", "init", "cup", "--game", "tron"]);
    place.says(&["host", "invite", "cup", "Ada Lovelace"]);
    place.write("class.csv", "group;name\n1;Ada Lovelace\n2;Émile Dupont\n");
    let invite = ["host", "invite", "cup", "--list", "class.csv"];
    let output = place.run(&[&invite[..], &["--address", "https://cup.example/"]].concat());
    let (table, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "called,name,token,link"), "{table}");
    assert!(lines[1].starts_with("Émile Dupont,Emile-Dupont,"), "{table}");
    assert!(lines[1].contains(",https://cup.example/sign-in?token="), "{table}");
    assert!(said.contains("1 invited") && said.contains("Ada Lovelace"), "{said}");
    place.write("class.csv", "Grace Hopper\n<b>\n");
    let refused = refusal(&place, &invite);
    assert!(refused.contains("class.csv: nobody is invited: line 2: a name has 1 to"), "{refused}");
    fs::write(place.path().join("class.csv"), b"Andr\xe9\n").unwrap();
    assert!(refusal(&place, &invite).contains("save it as UTF-8"));
}

#[test]
fn problems_of_a_contest_are_usage_errors() {
    let place = Place::new();
    assert!(refusal(&place, &["host", "init", "cup", "--game", "chess"]).contains("chess"));
    assert!(refusal(&place, &["host", "init", "cup"]).contains("--game GAME; there are"));
    let late = ["host", "init", "cup", "--game", "tron", "--final", "soon"];
    assert_eq!(refusal(&place, &late).lines().count(), 1);
    assert!(refusal(&place, &["host", "serve", "cup"]).contains("quintain host init"));
    refusal(&place, &["host", "status", "nowhere"]);
    let fixed = ["host", "init", "fixed", "--game", "hextris", "--scenario", "drawn?size=3"];
    let remark = "drawn?size=3&seed={seed} draws another for every match";
    assert!(place.says(&fixed).contains(remark));
    place.says(&["host", "init", "cup", "--game", "tron"]);
    assert!(refusal(&place, &["host", "invite", "cup", "--", "-x"]).contains("a name has 1 to"));
    for bad in [&["ban", "cup", "eve"][..], &["rejudge", "cup", "eve"], &["phase", "cup", "no"]] {
        refusal(&place, &[&["host"], bad].concat());
    }
    let submit =
        |to: &str, program: &str| refusal(&place, &["submit", "--to", to, "--token", "t", program]);
    let missing = submit("http://127.0.0.1:9", "nothing");
    assert!(missing.contains("there is no nothing: name the folder"), "{missing}");
    assert!(submit("ftp://cup", "cup").contains("such as http://"));
    place.write("cup/host.toml", "name = 'x'\ngame = 7\n");
    assert!(refusal(&place, &["host", "serve", "cup"]).contains("host.toml: line 2"));
}

#[cfg(feature = "fleet")]
#[test]
fn a_worker_that_takes_programs_needs_a_sandbox() {
    let arguments = ["worker", "--on", "nats://127.0.0.1:9", "--take-programs", "--trust"];
    assert!(refusal(&Place::new(), &arguments).contains("so it needs a sandbox"));
}

#[cfg(feature = "fleet")]
#[test]
fn workers_play_the_matches_of_a_contest() {
    if !nats::is_here() {
        return;
    }
    let Some(place) = contest() else { return };
    let ada = token_in(&place.says(&["host", "invite", "cup", "ada"]));
    let nats = nats::Nats::start(place.path());
    let address = nats.address();
    let file = fs::read_to_string(place.path().join("cup/host.toml")).unwrap();
    let sandbox = if file.contains("sandbox = \"full\"") { "full" } else { "basic" };
    let options = ["--take-programs", "--sandbox", sandbox, "--threads", "1"];
    let mut worker = place.command(&[&["worker", "--on", &address], &options[..]].concat());
    let child = worker.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Ends with the test as a server does.
    let _worker = Server { child, address: address.clone() };
    let server = Server::start(&place, &["--nats", &address, "--patience", "2s"]);
    let submit = ["submit", "--to", &server.address, "--token", &ada, "walker"];
    place.says(&submit);
    server.until("matches are played", |server| !server.page("/").contains("”, 0 matches played"));
    let seen = format!("; 1 worker seen at {address}");
    server
        .until("the worker is counted", |_| place.says(&["host", "status", "cup"]).contains(&seen));
}

#[test]
#[ignore = "nightly: a minute or more"]
fn every_kit_that_is_offered_can_be_handed_in_as_it_was_downloaded() {
    let Some(place) = contest() else { return };
    // Two are checked at a time, and nothing else is done meanwhile.
    let file = place.path().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap().replace("# threads = 1", "threads = 2");
    fs::write(file, text).unwrap();
    place.says(&["host", "pause", "cup"]);
    let ada = token_in(&place.says(&["host", "invite", "cup", "ada"]));
    let server = Server::start(&place, &[]);
    let page = server.page("/kits");
    let left_out = page.split("id=\"no-kits\"").nth(1).unwrap();
    assert!(left_out.contains("java: ") && left_out.contains("socket_pairs"), "{page}");
    assert!(!page.contains("rust.zip") || page.contains("run `cargo vendor` in my-bot"), "{page}");
    let files = page.split("href=\"/kits/").skip(1).filter_map(|rest| rest.split('"').next());
    let languages: Vec<&str> = files.filter_map(|file| file.strip_suffix(".zip")).collect();
    assert!(languages.len() >= 3, "{languages:?}");
    for language in languages {
        let kit = format!("{language}.zip");
        let bytes = server.get(&format!("/kits/{kit}"));
        fs::write(place.path().join(&kit), &bytes).unwrap();
        let inside = unpack_kit(&place, language, &bytes);
        assert!(inside.join("CONTEST.md").is_file() && inside.join("my-bot/README.md").is_file());
        if language == "sh" {
            let mut play = place.command(&["match", "tron", "bot:my-bot", "random"]);
            assert!(play.current_dir(&inside).status().unwrap().success());
        }
        let submitted = place.run(&["submit", "--to", &server.address, "--token", &ada, &kit]);
        let text = String::from_utf8_lossy(&submitted.stdout);
        assert!(submitted.status.success(), "{kit}: {text}");
    }
}

/// The commands of `docs/league.md` by section, for a folder in place of `runs`, with little
/// training and few matches.
fn league_commands(folder: &std::path::Path) -> Vec<String> {
    let page = fs::read_to_string(repository().join("docs/league.md")).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let runs = format!("{}/", folder.display());
    let little = |block: &str| {
        let block = block.replace("runs/", &runs).replace("--minutes 10", "--minutes 0.5");
        let block = block.replace("--matches 100", "--matches 4");
        // What they install is there.
        let installs = |line: &&str| line.starts_with("pip ") || line.starts_with("rustup ");
        block.lines().filter(|line| !installs(line)).map(|line| format!("{line}\n")).collect()
    };
    blocks.map(little).collect()
}

fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// Runs commands in the repository's folder, with this command and Python's environment of the
/// checks on the path.
fn run_in_repository(commands: &str) -> String {
    let root = repository();
    let ours = std::path::Path::new(QUINTAIN).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{ours}:{}:{path}", root.join("target/python/bin").display());
    let mut shell = std::process::Command::new("bash");
    shell.args(["-euc", commands]).current_dir(root).env("PATH", path).env("NO_COLOR", "1");
    let done = shell.output().unwrap();
    let error = String::from_utf8_lossy(&done.stderr);
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{commands}\n{said}{error}");
    said
}

#[cfg(feature = "wasm")]
#[test]
#[ignore = "nightly: trains a network, and compiles it for WebAssembly"]
fn a_network_goes_from_training_to_a_ladder_as_its_page_says() {
    if !repository().join("target/python/bin/python").exists() {
        eprintln!("skipped: no target/python, which ./check makes");
        return;
    }
    let place = Place::new();
    let commands = league_commands(place.path());
    let [train, compare, build, contest, submit, onnx] = &commands[..] else {
        panic!("{commands:?}")
    };
    run_in_repository(train);
    assert!(run_in_repository(compare).contains("greedy"));
    assert!(run_in_repository(build).contains("greedy"));
    let (prepare, serve) = contest.split_at(contest.find("quintain host serve").unwrap());
    let token = token_in(run_in_repository(prepare).rsplit_once("Ada").unwrap().1);
    assert_eq!(serve.trim(), format!("quintain host serve {}/cup", place.path().display()));
    let server = Server::start(&place, &[]);
    let submit = submit.replace("127.0.0.1:8080", &server.address).replace("TOKEN", &token);
    assert!(run_in_repository(&submit).ends_with("is on the ladder\n"));
    server.until("a match of the network", |server| {
        server.page("/").contains(">Ada<") && server.page("/matches").contains("Ada")
    });
    if cfg!(feature = "onnx") {
        // A debug build is larger than what contests take, so the program is only checked.
        let trained = format!("{}/league/network.safetensors", place.path().display());
        let file = format!("{}/net.onnx", place.path().display());
        let export = format!("python -m quintain.train.onnx {trained} {file}\n");
        let (check, _) = onnx.split_once("quintain submit").unwrap();
        run_in_repository(&(export + &check.replace(" net.onnx ", &format!(" {file} "))));
    }
}
