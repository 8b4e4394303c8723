//! A host that is running, and requests to it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quintain_host::client::{Client, SubmittedVersion};
use quintain_host::{HostError, Kit, ServeOptions, Workers, admin, serve};

use crate::setup::{LAUNCHER, WALKER};

/// Time limit for what takes a moment on an idle machine.
const TIMEOUT: Duration = Duration::from_secs(180);
/// How often a condition is looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// A host that ends when this is dropped.
pub(crate) struct Server {
    pub(crate) address: String,
    running: Running,
}

enum Running {
    /// A thread, which ends in an orderly way.
    Thread { folder: PathBuf, stop: Arc<AtomicBool>, thread: Option<JoinHandle<()>> },
    /// A process, which is killed.
    Process(Child),
}

impl Drop for Server {
    fn drop(&mut self) {
        match &mut self.running {
            Running::Process(child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Running::Thread { folder, stop, thread } => {
                stop.store(true, Ordering::SeqCst);
                let ended = thread.take().map(JoinHandle::join);
                if thread::panicking() {
                    return;
                }
                assert!(ended.is_none_or(|ended| ended.is_ok()), "the host panicked");
                // The last request may be answered a moment longer.
                let catalog = quintain_games::catalog();
                until("the contest is not served any more", || {
                    admin::status(folder, &catalog).is_ok_and(|status| status.served_by.is_none())
                });
            }
        }
    }
}

/// Serves a contest until told to stop.
pub(crate) fn run(
    folder: &Path,
    workers: Option<Arc<dyn Workers>>,
    ready: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), HostError> {
    let options = ServeOptions {
        folder,
        catalog: &quintain_games::catalog(),
        launcher: Path::new(LAUNCHER),
        address: (Ipv4Addr::LOCALHOST, 0).into(),
        kits: &|_, _| kits(),
        workers,
    };
    serve(&options, ready, stop)
}

/// Returns starter kits: of a program, of sources to be built, of sources that this contest does
/// not build, and of a module.
fn kits() -> Vec<Kit> {
    let kit = |language: &str, file: &str, text: &str, player: &str| Kit {
        language: language.to_owned(),
        title: language.to_owned(),
        files: vec![
            (format!("my-bot/{file}"), text.to_owned()),
            ("my-bot/README.md".to_owned(), "Change it.\n".to_owned()),
        ],
        folder: "my-bot".to_owned(),
        player: player.to_owned(),
    };
    let list =
        |start: &str| ("bots.toml".to_owned(), format!("[my-bot]\n{start}\nfolder = \"my-bot\"\n"));
    let mut kits = vec![
        kit("python", "bot.py", WALKER, "bot:my-bot"),
        kit("cpp", "bot.cpp", include_str!("programs/first.cpp"), "bot:my-bot"),
        kit("java", "Bot.java", include_str!("programs/Bot.java"), "bot:my-bot"),
        kit("javascript-wasm", "bot.js", "export function choose() {}", "wasm:my-bot/bot.wasm"),
    ];
    kits[0].files.push(list("command = \"python3 bot.py\""));
    kits[2].files.push(list("command = \"java -cp . Bot\"\nbuild = \"javac -d . *.java\""));
    kits
}

/// Waits until a condition is fulfilled.
pub(crate) fn until(what: &str, is_fulfilled: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_fulfilled() {
        assert!(begun.elapsed() < TIMEOUT, "not in time: {what}");
        thread::sleep(PAUSE);
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
    /// Serves the contest in this folder from a thread.
    pub(crate) fn start(
        folder: &Path,
        workers: Option<Arc<dyn Workers>>,
    ) -> Result<Server, HostError> {
        let (folder, stop) = (folder.to_owned(), Arc::new(AtomicBool::new(false)));
        let (sender, receiver) = mpsc::channel();
        let (place, flag) = (folder.clone(), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let ready = |bound| sender.send(Ok(bound)).unwrap();
            if let Err(error) = run(&place, workers, ready, || flag.load(Ordering::SeqCst)) {
                sender.send(Err(error)).unwrap();
            }
        });
        let bound: SocketAddr = receiver.recv().expect("the host begins")?;
        let running = Running::Thread { folder, stop, thread: Some(thread) };
        Ok(Server { address: bound.to_string(), running })
    }

    /// Returns a host that a process of its own serves.
    pub(crate) fn of_process(address: String, child: Child) -> Server {
        Server { address, running: Running::Process(child) }
    }

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

    /// Returns a page as somebody who is signed in sees it.
    pub(crate) fn get_as(&self, cookie: &str, path: &str) -> Answer {
        self.ask("GET", path, &[("cookie", cookie)], &[])
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

    /// Submits bytes, as one request.
    pub(crate) fn hand_in(&self, token: &str, name: &str, bytes: &[u8]) -> Answer {
        let token = format!("Bearer {token}");
        let path = format!("/api/submissions?name={name}");
        self.ask("POST", &path, &[("authorization", &token)], bytes)
    }

    /// Submits a zip and waits for its check; returns the version as the host describes it.
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
        let answer = self.hand_in(token, name, bytes);
        assert_eq!(answer.status, 201, "{}", answer.body);
        let taken: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let path = format!("/api/submissions/{}", taken["version"]);
        let header = format!("Bearer {token}");
        let begun = Instant::now();
        loop {
            let answer = self.ask("GET", &path, &[("authorization", &header)], &[]);
            let version: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            if matches!(version["stage"].as_str(), Some("passed" | "failed")) {
                return version;
            }
            assert!(begun.elapsed() < TIMEOUT, "{version}");
            thread::sleep(PAUSE);
        }
    }

    /// Puts a program of one Python file on the ladder.
    pub(crate) fn enter(&self, token: &str, source: &str) {
        let checked = self.hand_in_file_and_wait(token, "bot.py", source.as_bytes());
        assert_eq!(checked["stage"], "passed", "{checked}");
    }

    /// Submits a folder or file as `quintain submit` does, and waits for the check.
    pub(crate) fn submit(&self, token: &str, path: &Path) -> Result<SubmittedVersion, HostError> {
        let client = Client::new(&self.address, token, None)?;
        let submitted = client.submit(path, &mut |_| {})?;
        client.wait(submitted, &mut |_| {})
    }

    /// Returns the id of the host's process.
    pub(crate) fn process(&self) -> u32 {
        match &self.running {
            Running::Thread { .. } => std::process::id(),
            Running::Process(child) => child.id(),
        }
    }

    /// Requests a page, and again later if the client has requested too much. Returns the answer
    /// and how long it took.
    pub(crate) fn get_in_turn(&self, path: &str, cookie: &str) -> (Answer, Duration) {
        loop {
            let begun = Instant::now();
            let answer = self.ask("GET", path, &[("cookie", cookie)], &[]);
            if answer.status != 429 {
                return (answer, begun.elapsed());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Returns the number of matches played, as shown by the ladder.
    pub(crate) fn count_played(&self) -> u64 {
        let page = self.get_in_turn("/", "").0.body;
        let before = page.split(" matches played").next().unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{page}"))
    }

    pub(crate) fn until(&self, what: &str, is_fulfilled: impl Fn(&Server) -> bool) {
        until(what, || is_fulfilled(self));
    }
}
