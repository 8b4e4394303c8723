//! A contest from end to end: begun, served, programs handed in by command and by page, a ladder
//! that lives through kills, and requests that mean harm. Skipped, saying so, where programs cannot
//! be confined.

#[allow(dead_code, reason = "other tests of pages use the rest")]
mod webdriver;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use webdriver::Browser;

/// Time for what takes a moment on an idle machine.
const PATIENCE: Duration = Duration::from_secs(180);

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.args(arguments).current_dir(folder).env_remove("QUINTAIN_BOTS");
    command
}

fn output(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn quintain(folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The token in what `init` and `invite` print.
fn token_in(said: &str) -> String {
    let hex = |word: &&str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    said.split_whitespace().find(hex).unwrap_or_else(|| panic!("{said}")).to_owned()
}

/// A contest in a folder of its own, with a program that can play in it.
struct Contest {
    folder: tempfile::TempDir,
    organiser: String,
}

impl Contest {
    /// Confined by what this machine has; none where that is too little for a program to run.
    fn new(limits: &str) -> Option<Contest> {
        let folder = tempfile::tempdir().unwrap();
        quintain(folder.path(), &["new", "player", "walker", "--game", "tron", "--lang", "python"]);
        let check = |sandbox| {
            output(folder.path(), &["bot", "check", "--sandbox", sandbox, "--bot", "walker"])
        };
        let Some(sandbox) = ["full", "basic"].into_iter().find(|how| check(how).status.success())
        else {
            eprintln!("skipped: {}", String::from_utf8_lossy(&check("basic").stderr));
            return None;
        };
        let said = quintain(folder.path(), &["host", "init", "cup", "--game", "tron"]);
        let organiser = token_in(&said);
        let file = folder.path().join("cup/host.toml");
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("budget = \"move=1s\"", "budget = \"move=200ms\"");
        let text = text.replace("sandbox = \"full\"", &format!("sandbox = \"{sandbox}\""));
        let own = |line: &str| match line.split_once(" = ") {
            Some(("scenarios", _)) => "scenarios = [\"empty?width=7&height=7\"]".to_owned(),
            Some(("house", _)) => "house = [\"random\", \"wall-hugger\"]".to_owned(),
            _ => line.replace("per_hour = 20 ", limits),
        };
        let lines: Vec<String> = text.lines().map(own).collect();
        fs::write(&file, lines.join("\n")).unwrap();
        Some(Contest { folder, organiser })
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }

    fn invite(&self, name: &str) -> String {
        token_in(&quintain(self.at(), &["host", "invite", "cup", name]))
    }

    fn serve(&self) -> Server {
        let arguments = ["host", "serve", "cup", "--port", "0"];
        let mut child = command(self.at(), &arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.unwrap_or_else(|| panic!("{line}"));
        Server { address: address.trim_end_matches(['/', ';']).to_owned(), child }
    }

    fn submit(&self, server: &Server, token: &str, program: &str) -> Output {
        let to = format!("http://{}", server.address);
        output(self.at(), &["submit", "--to", &to, "--token", token, program])
    }
}

/// A server, killed with the test: it never gets the time to put things in order.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: its status, its head and its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The session that it begins.
    fn cookie(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        line.expect("a session").split(';').next().unwrap().to_owned()
    }
}

impl Server {
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        head += &format!("connection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has seen enough closes before all is sent.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], &[])
    }

    /// A form as our own pages send it.
    fn form(&self, path: &str, cookie: &str, body: &str) -> Answer {
        let origin = format!("http://{}", self.address);
        self.form_from(&origin, path, cookie, body)
    }

    fn form_from(&self, origin: &str, path: &str, cookie: &str, body: &str) -> Answer {
        let kind = ("content-type", "application/x-www-form-urlencoded");
        self.ask("POST", path, &[kind, ("origin", origin), ("cookie", cookie)], body.as_bytes())
    }

    fn sign_in(&self, token: &str) -> String {
        let answer = self.form("/sign-in", "", &format!("token={token}"));
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.cookie()
    }

    /// Hands in bytes as the command does.
    fn hand_in(&self, token: &str, name: &str, bytes: &[u8]) -> Answer {
        let token = format!("Bearer {token}");
        let path = format!("/api/submissions?name={name}");
        self.ask("POST", &path, &[("authorization", &token)], bytes)
    }

    /// The matches that the ladder says to have been played.
    fn played(&self) -> u64 {
        let page = self.get("/").body;
        let before = page.split(" matches played").next().unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{page}"))
    }

    fn until(&self, what: &str, holds: impl Fn(&Server) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {}", self.get("/").body);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_program_is_handed_in_by_command_and_climbs_the_ladder() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let submitted = contest.submit(&server, &ada, "walker");
    let said = String::from_utf8_lossy(&submitted.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&submitted.stderr);
    assert!(submitted.status.success(), "{said}{wrong}");
    assert!(said.contains("ok  hello: ready") && said.ends_with("is on the ladder\n"), "{said}");
    server.until("ada is rated", |server| {
        let page = server.get("/").body;
        let row = page.split("<tr>").find(|row| row.contains(">ada<")).unwrap_or("").to_owned();
        row.contains(" to ")
    });
    // The record is an ordinary one: the viewer shows it.
    let cookie = server.sign_in(&ada);
    let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]);
    let link = mine.body.split("href=\"/matches/").nth(1).unwrap().split('"').next().unwrap();
    assert!(server.get(&format!("/matches/{link}")).body.contains("bot:ada.1"));
    let replay = format!("/api/matches/{link}/replay");
    assert_eq!(server.ask("GET", &replay, &[("accept-encoding", "gzip")], &[]).status, 200);

    // The same files are the same version; a program that fails says why and changes nothing.
    let again = contest.submit(&server, &ada, "walker");
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("version 1,"));
    fs::create_dir(contest.at().join("broken")).unwrap();
    fs::write(contest.at().join("broken/bot.py"), "import sys\nsys.exit('no luck')\n").unwrap();
    let broken = contest.submit(&server, &ada, "broken");
    assert_eq!(broken.status.code(), Some(1));
    let said = String::from_utf8_lossy(&broken.stdout).into_owned();
    assert!(said.contains("BAD hello") && said.contains("no luck"), "{said}");
    let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
    assert!(mine.contains("Version 2") && mine.contains("no luck"), "the author sees why");
    assert!(!server.get("/").body.contains("no luck"));
    assert_eq!(server.form("/me/activate", &cookie, "version=2").status, 422);

    // A second version goes up, and the first can be had back.
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    fs::write(contest.at().join("walker/bot.py"), format!("{source}\n# another\n")).unwrap();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    let active = |number: &str| {
        let page = server.get("/").body;
        let row = page.split("<tr>").find(|row| row.contains(">ada<")).unwrap_or("").to_owned();
        row.contains(&format!("<td class=\"number\">{number}</td>"))
    };
    assert!(active("3"));
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 303);
    assert!(active("1"));

    // The organiser pauses, exports and bans.
    let organiser = server.sign_in(&contest.organiser);
    assert_eq!(server.form("/organiser/pause", &organiser, "paused=true").status, 303);
    assert!(server.get("/").body.contains("paused"));
    let grades = server.ask("GET", "/organiser/grades.csv", &[("cookie", &organiser)], &[]);
    assert!(grades.body.contains("rank,name,version") && grades.body.contains(",ada,1,"));
    assert_eq!(server.form("/organiser/ban", &organiser, "name=ada&banned=true").status, 303);
    assert!(!server.get("/").body.contains(">ada<"));
    assert_eq!(contest.submit(&server, &ada, "walker").status.code(), Some(2));
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 303);
}

#[test]
fn a_program_is_handed_in_by_page() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let Some(mut browser) = Browser::open() else { return };
    let eve = contest.invite("eve");
    let server = contest.serve();
    browser.go(&format!("http://{}/sign-in?token={eve}", server.address));
    browser.click("main button");
    browser.until("return location.pathname === '/me'");
    browser.choose("#file", &contest.at().join("walker/bot.py"));
    browser.click("form[action='/me/submit'] button");
    browser.until("return document.body.textContent.includes('Version 1')");
    browser.go(&format!("http://{}/", server.address));
    browser.until(
        "return [...document.querySelectorAll('#ladder tbody tr')].some((row) =>
            row.textContent.includes('eve (you)') && row.cells[4].textContent.includes('to'))",
    );
    browser.click("header a[href='/me']");
    browser.until("return document.querySelectorAll('#matches tbody tr').length > 0");
    browser.click("#matches tbody a");
    browser.until("return document.querySelector('canvas') !== null");
    assert_eq!(browser.complaints(), "");
}

#[test]
fn killed_at_any_moment_nothing_acknowledged_is_lost_and_nothing_counts_twice() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let mut server = contest.serve();
    let program = fs::read(contest.at().join("walker/bot.py")).unwrap();
    let taken = server.hand_in(&ada, "bot.py", &program);
    assert_eq!(taken.status, 201, "{}", taken.body);
    let mut seen = 0;
    for round in 0..4 {
        // Each time at another moment of what is under way.
        server.until("matches go on", |server| server.played() > seen + round);
        seen = server.played();
        drop(server);
        server = contest.serve();
        let after = server.played();
        assert!(after >= seen, "{after} of {seen} are left");
    }
    server.until("ada is on the ladder", |server| server.get("/").body.contains(">ada<"));
    drop(server);
    let open =
        |name: &str| rusqlite::Connection::open(contest.at().join("cup").join(name)).unwrap();
    let one = |connection: &rusqlite::Connection, sql: &str| {
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let state = open("host.sqlite");
    let counted = one(&state, "SELECT count(*) FROM matches WHERE record IS NOT NULL");
    assert!(counted >= seen as i64);
    assert_eq!(counted, one(&state, "SELECT count(DISTINCT record) FROM matches"));
    let mut records = state.prepare("SELECT record FROM matches WHERE record IS NOT NULL").unwrap();
    let records = records.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let store = open("matches.sqlite");
    for record in records {
        let id = record.unwrap();
        let sql = "SELECT count(*) FROM records WHERE lower(hex(id)) = ?1";
        let found = store.query_row(sql, [&id], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(found, 1, "{id}");
    }
}

#[test]
fn requests_that_mean_harm_come_to_nothing() {
    let Some(contest) = Contest::new("per_hour = 3 ") else { return };
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let program = fs::read(contest.at().join("walker/bot.py")).unwrap();

    // Forged and missing tokens, sessions and rights.
    assert_eq!(server.hand_in(&"0".repeat(32), "bot.py", &program).status, 401);
    assert_eq!(server.hand_in("", "bot.py", &program).status, 401);
    assert_eq!(server.hand_in("' OR 1=1 --", "bot.py", &program).status, 401);
    assert_eq!(server.form("/sign-in", "", "token=guess").status, 403);
    let forged = format!("quintain_session={}", "a".repeat(32));
    assert_eq!(server.ask("GET", "/me", &[("cookie", &forged)], &[]).status, 303);
    assert_eq!(server.form("/me/activate", &forged, "version=1").status, 401);
    for path in ["/organiser", "/organiser/grades.csv"] {
        assert_eq!(server.ask("GET", path, &[("cookie", &cookie)], &[]).status, 403, "{path}");
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for path in ["/organiser/pause", "/organiser/ban", "/organiser/invite"] {
        let body = "paused=true&name=bob&banned=true";
        assert_eq!(server.form(path, &cookie, body).status, 403, "{path}");
    }

    // Forms of foreign pages, with the cookie that a browser would not even send.
    for origin in ["https://evil.example", "null", ""] {
        let answer = server.form_from(origin, "/sign-out", &cookie, "");
        assert_eq!(answer.status, 403, "{origin}");
    }
    let own = server.ask("POST", "/sign-out", &[("cookie", &cookie)], &[]);
    assert_eq!(own.status, 403, "without an origin");
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 200);

    // A name that would act on a page, a path that leads out, an upload that is too large.
    let name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E.py";
    let answer = server.hand_in(&ada, name, &program);
    assert!(answer.status == 422 && !answer.body.contains("<script>"), "{}", answer.body);
    assert_eq!(server.hand_in(&ada, "..%2F..%2Fbot.py", &program).status, 422);
    assert_eq!(server.hand_in(&ada, "bot.py", &vec![b'#'; 9 << 20]).status, 413);
    assert_eq!(server.form("/me/activate", &cookie, &"version=1&".repeat(2000)).status, 413);
    let head = server.get("/me").head;
    for mark in ["content-security-policy", "x-frame-options", "referrer-policy: same-origin"] {
        assert!(head.contains(mark), "{head}");
    }

    // What others handed in is not theirs to see or to activate; the quota counts broken ones too.
    assert_eq!(server.hand_in(&bob, "bot.py", b"import sys; sys.exit(1) # bob").status, 201);
    let answer = server.ask(
        "GET",
        "/api/submissions/1",
        &[("authorization", &format!("Bearer {ada}"))],
        &[],
    );
    assert_eq!(answer.status, 404);
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 422);
    for number in 2..=4 {
        let text = format!("print({number})");
        let expected = if number <= 3 { 201 } else { 429 };
        assert_eq!(server.hand_in(&bob, "bot.py", text.as_bytes()).status, expected);
    }

    // A stolen session and a stolen token end with a new token.
    let stolen = server.sign_in(&bob);
    let fresh = contest.invite("bob");
    assert_eq!(server.ask("GET", "/me", &[("cookie", &stolen)], &[]).status, 303);
    assert_eq!(server.hand_in(&bob, "bot.py", &program).status, 401);
    assert_eq!(server.hand_in(&fresh, "bot.py", &program).status, 429, "the quota stays");
    assert_eq!(server.form("/sign-out", &cookie, "").status, 303);
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 303);
}

#[test]
fn what_is_wrong_with_a_contest_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let output = output(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["host", "init", "cup", "--game", "chess"]).contains("chess"));
    assert!(refused(&["host", "serve", "cup"]).contains("quintain host init"));
    quintain(folder.path(), &["host", "init", "cup", "--game", "tron"]);
    assert!(refused(&["host", "init", "cup", "--game", "tron"]).contains("there already"));
    for name in ["", "a b", "../x", "-x", "random", "<b>"] {
        let said = refused(&["host", "invite", "cup", "--", name]);
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    fs::write(folder.path().join("cup/host.toml"), "name = 'x'\ngame = 7\n").unwrap();
    assert!(refused(&["host", "serve", "cup"]).contains("host.toml: line 2"));
}
