//! A contest for a test, its server, and requests to it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Time limit for what takes a moment on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.args(arguments).current_dir(folder).env_remove("QUINTAIN_BOTS");
    command
}

pub(crate) fn output(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

pub(crate) fn quintain(folder: &Path, arguments: &[&str]) -> String {
    let output = output(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the token from the output of `init` or `invite`.
pub(crate) fn token_in(said: &str) -> String {
    let hex = |word: &&str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    said.split_whitespace().find(hex).unwrap_or_else(|| panic!("{said}")).to_owned()
}

/// A contest in a folder of its own, with a program that can play in it.
pub(crate) struct Contest {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) organiser: String,
}

impl Contest {
    /// Makes a contest confined by what this machine has; none if that is too little for a program to
    /// run.
    pub(crate) fn new(limits: &str) -> Option<Contest> {
        Contest::of("tron", limits)
    }

    /// Makes the same for another game, with the default scenarios and house players.
    pub(crate) fn of(game: &str, limits: &str) -> Option<Contest> {
        let folder = tempfile::tempdir().unwrap();
        quintain(folder.path(), &["new", "player", "walker", "--game", game, "--lang", "python"]);
        let check = |sandbox| {
            output(folder.path(), &["bot", "check", "--sandbox", sandbox, "--bot", "walker"])
        };
        let Some(sandbox) = ["full", "basic"].into_iter().find(|how| check(how).status.success())
        else {
            eprintln!("skipped: {}", String::from_utf8_lossy(&check("basic").stderr));
            return None;
        };
        let said = quintain(folder.path(), &["host", "init", "cup", "--game", game]);
        let organiser = token_in(&said);
        let file = folder.path().join("cup/host.toml");
        let text = fs::read_to_string(&file).unwrap();
        let text = text.replace("budget = \"move=1s\"", "budget = \"move=600ms\"");
        let text = text.replace("sandbox = \"full\"", &format!("sandbox = \"{sandbox}\""));
        let own = |line: &str| match line.split_once(" = ") {
            Some(("scenarios", _)) if game == "tron" => {
                "scenarios = [\"empty?width=7&height=7\"]".to_owned()
            }
            Some(("house", _)) if game == "tron" => {
                "house = [\"random\", \"wall-hugger\"]".to_owned()
            }
            _ => line.replace("per_hour = 20 ", limits),
        };
        let lines: Vec<String> = text.lines().map(own).collect();
        fs::write(&file, lines.join("\n")).unwrap();
        Some(Contest { folder, organiser })
    }

    /// Changes host.toml; every text to be replaced must be there.
    pub(crate) fn edit(&self, changes: &[(&str, &str)]) {
        let file = self.at().join("cup/host.toml");
        let mut text = fs::read_to_string(&file).unwrap();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}: {text}");
            text = text.replace(from, to);
        }
        fs::write(file, text).unwrap();
    }

    /// Opens the contest's database.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.at().join("cup/host.sqlite")).unwrap()
    }

    /// Returns the number of a participant's first version.
    #[cfg(feature = "fleet")]
    pub(crate) fn version_of(&self, name: &str) -> String {
        let sql = "SELECT v.id FROM versions AS v JOIN participants AS p ON p.id = v.participant
                   WHERE p.name = ?1 AND v.number = 1";
        let id = self.database().query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap();
        id.to_string()
    }

    /// Returns the output of `quintain host VERB cup …`.
    pub(crate) fn host(&self, verb: &str, arguments: &[&str]) -> String {
        quintain(self.at(), &[&["host", verb, "cup"], arguments].concat())
    }

    pub(crate) fn at(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn invite(&self, name: &str) -> String {
        token_in(&quintain(self.at(), &["host", "invite", "cup", name]))
    }

    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// Serves with further options.
    pub(crate) fn serve_with(&self, options: &[&str]) -> Server {
        let arguments = [&["host", "serve", "cup", "--port", "0"], options].concat();
        let mut child = command(self.at(), &arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address.unwrap_or_else(|| panic!("{line}"));
        Server { address: address.trim_end_matches(['/', ';']).to_owned(), child }
    }

    pub(crate) fn submit(&self, server: &Server, token: &str, program: &str) -> Output {
        let to = format!("http://{}", server.address);
        output(self.at(), &["submit", "--to", &to, "--token", token, program])
    }
}

/// A server that is killed when the test ends, without time to put things in order.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response: its status, header and body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the session that the response begins.
    pub(crate) fn cookie(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        line.expect("a session").split(';').next().unwrap().to_owned()
    }
}

/// Returns the part of a response after the header.
fn body_of(mut answer: Vec<u8>) -> Vec<u8> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_default();
    answer.split_off(end + 4)
}

impl Server {
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let answer = self.raw(method, path, headers, body);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        head += &format!("connection: close\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has seen enough closes the connection before everything is sent.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Returns the body of a response that is not text.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        body_of(self.raw("GET", path, &[], &[]))
    }

    /// Returns the file that a form on our own pages gives.
    pub(crate) fn download(&self, path: &str, cookie: &str, body: &str) -> Vec<u8> {
        let origin = format!("http://{}", self.address);
        let kind = ("content-type", "application/x-www-form-urlencoded");
        let headers = [kind, ("origin", origin.as_str()), ("cookie", cookie)];
        let answer = self.raw("POST", path, &headers, body.as_bytes());
        let head = String::from_utf8_lossy(&answer[..answer.len().min(500)]).into_owned();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        body_of(answer)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], &[])
    }

    /// Sends a form as our own pages do.
    pub(crate) fn form(&self, path: &str, cookie: &str, body: &str) -> Answer {
        let origin = format!("http://{}", self.address);
        self.form_from(&origin, path, cookie, body)
    }

    pub(crate) fn form_from(&self, origin: &str, path: &str, cookie: &str, body: &str) -> Answer {
        let kind = ("content-type", "application/x-www-form-urlencoded");
        self.ask("POST", path, &[kind, ("origin", origin), ("cookie", cookie)], body.as_bytes())
    }

    pub(crate) fn sign_in(&self, token: &str) -> String {
        let answer = self.form("/sign-in", "", &format!("token={token}"));
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.cookie()
    }

    /// Hands in bytes as the command does.
    pub(crate) fn hand_in(&self, token: &str, name: &str, bytes: &[u8]) -> Answer {
        let token = format!("Bearer {token}");
        let path = format!("/api/submissions?name={name}");
        self.ask("POST", &path, &[("authorization", &token)], bytes)
    }

    /// Hands in a program and waits for its check; returns the version as the host describes it.
    pub(crate) fn hand_in_and_wait(&self, token: &str, bytes: &[u8]) -> serde_json::Value {
        self.hand_in_file_and_wait(token, "", bytes)
    }

    /// Does the same for a single file.
    pub(crate) fn hand_in_file_and_wait(
        &self,
        token: &str,
        name: &str,
        bytes: &[u8],
    ) -> serde_json::Value {
        let taken = self.hand_in(token, name, bytes);
        assert_eq!(taken.status, 201, "{}", taken.body);
        let taken: serde_json::Value = serde_json::from_str(&taken.body).unwrap();
        let path = format!("/api/submissions/{}", taken["version"]);
        let begun = Instant::now();
        loop {
            let said =
                self.ask("GET", &path, &[("authorization", &format!("Bearer {token}"))], &[]);
            let version: serde_json::Value = serde_json::from_str(&said.body).unwrap();
            if matches!(version["stage"].as_str(), Some("passed" | "failed")) {
                return version;
            }
            assert!(begun.elapsed() < PATIENCE, "{version}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the id of the host's own process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns the number of matches played, as shown by the ladder.
    pub(crate) fn count_played(&self) -> u64 {
        let page = self.get("/").body;
        let before = page.split(" matches played").next().unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{page}"))
    }

    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Server) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{what}: {}", self.get("/").body);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
