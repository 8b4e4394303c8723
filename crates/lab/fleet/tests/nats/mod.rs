//! Real NATS servers on loopback, alone or three as a cluster, and what tests do to them: kill,
//! restart, listen in, cut the connection.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for anything at most.
pub const BOUND: Duration = Duration::from_secs(90);

/// Returns whether there is a server to test with; says so if not.
pub fn is_here() -> bool {
    let here = Command::new("nats-server").arg("--version").output().is_ok();
    if !here {
        eprintln!("skipped: there is no nats-server (Debian: apt-get install nats-server)");
    }
    here
}

/// Returns a port on which nobody listens, below those that the system gives to clients. Otherwise
/// a client that tries to reach a server that is down could be given the server's own port, connect
/// to itself, and keep the server from starting.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let next =
            std::process::id().wrapping_mul(97).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 10_000 + (next % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server with its own storage.
pub struct Nats {
    pub port: u16,
    folder: PathBuf,
    options: Vec<String>,
    ready: &'static [&'static str],
    child: Option<Child>,
}

impl Nats {
    /// Starts a server with its storage in `folder`; it is ready when this returns.
    pub fn start(folder: &Path) -> Nats {
        Nats::start_with(folder, &[])
    }

    /// Like [`Nats::start`], with further options.
    pub fn start_with(folder: &Path, options: &[&str]) -> Nats {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let folder = folder.join("nats");
        let mut nats =
            Nats { port: free_port(), folder, options, ready: &["Server is ready"], child: None };
        nats.start_again();
        nats
    }

    /// Like [`Nats::start`], at this port.
    pub fn start_at(folder: &Path, port: u16) -> Nats {
        let folder = folder.join("nats");
        let mut nats =
            Nats { port, folder, options: Vec::new(), ready: &["Server is ready"], child: None };
        nats.start_again();
        nats
    }

    /// Starts three servers that replicate their streams. Three that start at once may wait for a
    /// leader forever (seen once with version 2.9.10); then three others are started.
    pub fn cluster(folder: &Path) -> Vec<Nats> {
        for attempt in 0..4 {
            let mut nodes = Nats::nodes(&folder.join(format!("cluster-{attempt}")));
            let waiting: Vec<_> = nodes.iter_mut().map(Nats::spawn).collect();
            // They become ready only together.
            let until = Instant::now() + BOUND / 4;
            let is_ready = |ready: &Receiver<()>| {
                ready.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok()
            };
            if waiting.iter().all(is_ready) {
                return nodes;
            }
        }
        panic!("none of four clusters elects a leader");
    }

    /// Returns three servers of one cluster, which are not started yet.
    fn nodes(folder: &Path) -> Vec<Nats> {
        let routes: Vec<u16> = (0..3).map(|_| free_port()).collect();
        let all: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let node = |node: usize| {
            let options = [
                "--server_name",
                &format!("node-{node}"),
                "--cluster_name",
                "three",
                "--cluster",
                &all[node],
                "--routes",
                &all.join(","),
            ];
            Nats {
                port: free_port(),
                folder: folder.join(format!("node-{node}")),
                options: options.iter().map(|option| (*option).to_owned()).collect(),
                ready: &["new metadata leader", "Self is new JetStream cluster metadata leader"],
                child: None,
            }
        };
        (0..3).map(node).collect()
    }

    /// Returns its address.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Restarts it at the same address, with its stored data.
    pub fn start_again(&mut self) {
        self.spawn().recv_timeout(BOUND).expect("the server is ready in time");
    }

    /// Starts it; the receiver gets a message when it is ready.
    fn spawn(&mut self) -> Receiver<()> {
        assert!(self.child.is_none());
        let mut child = Command::new("nats-server")
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"])
            .arg(&self.folder)
            .args(&self.options)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let (tell, told) = mpsc::channel();
        let ready = self.ready;
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                if std::env::var_os("QUINTAIN_TEST_NATS_LOG").is_some() {
                    eprintln!("{line}");
                }
                if ready.iter().any(|words| line.contains(words)) {
                    let _ = tell.send(());
                }
            }
        });
        self.child = Some(child);
        told
    }

    /// Kills it as if the power had failed.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A message as it was received.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub subject: String,
    /// The protocol's header and the payload.
    pub headers: Vec<u8>,
    pub payload: Vec<u8>,
}

/// Listens in at a server, in the protocol's plain text.
pub struct Tap {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    /// Whether the server allows listening.
    pub is_allowed: bool,
}

impl Tap {
    /// Listens to everything published on a subject.
    pub fn on(nats: &Nats, subject: &str) -> Tap {
        Tap::on_as(nats, subject, "", "")
    }

    /// Like [`Tap::on`], for a server that requires a user and a password.
    pub fn on_as(nats: &Nats, subject: &str, user: &str, password: &str) -> Tap {
        let writer = TcpStream::connect(("127.0.0.1", nats.port)).unwrap();
        writer.set_read_timeout(Some(BOUND)).unwrap();
        let reader = BufReader::new(writer.try_clone().unwrap());
        let mut tap = Tap { reader, writer, is_allowed: true };
        let who = match user {
            "" => String::new(),
            user => {
                let (user, password) = (serde_json::json!(user), serde_json::json!(password));
                format!(r#","user":{user},"pass":{password}"#)
            }
        };
        tap.say(&format!(r#"CONNECT {{"verbose":false,"headers":true{who}}}"#));
        tap.say(&format!("SUB {subject} 1"));
        tap.say("PING");
        let mut line = String::new();
        while line != "PONG" {
            line = tap.line().expect("the server answers");
            tap.is_allowed &= !line.starts_with("-ERR");
        }
        tap
    }

    fn say(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    /// Reads a line; `None` if none comes within the connection's time limit.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            read => assert!(read.unwrap() > 0, "the server is there"),
        }
        Some(line.trim_end().to_owned())
    }

    /// Returns the next message, within the bound.
    pub fn next(&mut self) -> Parsed {
        self.next_within(BOUND).expect("something is published")
    }

    /// Returns the next message, if one comes within this time.
    pub fn next_within(&mut self, time: Duration) -> Option<Parsed> {
        self.writer.set_read_timeout(Some(time)).unwrap();
        let begun = Instant::now();
        // Now and then a server asks whether its clients are alive; that is not a message.
        while begun.elapsed() < time {
            let line = self.line()?;
            let words: Vec<&str> = line.split(' ').collect();
            let size = |word: &&str| word.parse::<usize>().unwrap();
            let (head, all) = match words[0] {
                "PING" => {
                    self.say("PONG");
                    continue;
                }
                "MSG" => (0, size(words.last().unwrap())),
                "HMSG" => (size(&words[words.len() - 2]), size(words.last().unwrap())),
                _ => continue,
            };
            let mut bytes = vec![0; all + 2];
            self.reader.read_exact(&mut bytes).unwrap();
            bytes.truncate(all);
            let payload = bytes.split_off(head);
            return Some(Parsed { subject: words[1].to_owned(), headers: bytes, payload });
        }
        None
    }

    /// Publishes a message that is answered on another subject.
    pub fn request(&mut self, subject: &str, answer: &str, payload: &str) {
        self.say(&format!("PUB {subject} {answer} {}\r\n{payload}", payload.len()));
    }

    /// Publishes a message.
    pub fn publish(&mut self, subject: &str, headers: &[u8], payload: &[u8]) {
        let (head, all) = (headers.len(), headers.len() + payload.len());
        let line = match head {
            0 => format!("PUB {subject} {all}\r\n"),
            _ => format!("HPUB {subject} {head} {all}\r\n"),
        };
        let message = [line.as_bytes(), headers, payload, b"\r\n"].concat();
        self.writer.write_all(&message).unwrap();
    }
}

/// What a line does with what it is to pass on.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Open,
    Frozen,
    Cut,
}

/// A connection to a server that can be cut, and frozen as if one end had stopped.
pub struct Line {
    pub port: u16,
    flow: Arc<(Mutex<Flow>, Condvar)>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    /// Makes a connection to this server.
    pub fn to(nats: &Nats) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let flow = Arc::new((Mutex::new(Flow::Open), Condvar::new()));
        let open = Arc::new(Mutex::new(Vec::new()));
        let (state, streams, server) = (Arc::clone(&flow), Arc::clone(&open), nats.port);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if *state.0.lock().unwrap() == Flow::Cut {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let mut streams = streams.lock().unwrap();
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    streams.push(from.try_clone().unwrap());
                    let state = Arc::clone(&state);
                    thread::spawn(move || {
                        let _ = pass_on(from, &to, &state);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Line { port, flow, open }
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn set(&self, flow: Flow) {
        *self.flow.0.lock().unwrap() = flow;
        self.flow.1.notify_all();
    }

    /// Closes all connections and lets nothing through.
    pub fn cut(&self) {
        self.set(Flow::Cut);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets nothing through, and keeps the connections.
    pub fn freeze(&self) {
        self.set(Flow::Frozen);
    }

    /// Lets everything through again.
    pub fn mend(&self) {
        self.set(Flow::Open);
    }
}

/// Passes on what one end of a line sends.
fn pass_on(
    mut from: TcpStream,
    mut to: &TcpStream,
    (flow, changed): &(Mutex<Flow>, Condvar),
) -> std::io::Result<()> {
    let mut bytes = [0; 1 << 14];
    loop {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        drop(changed.wait_while(flow.lock().unwrap(), |flow| *flow == Flow::Frozen).unwrap());
        to.write_all(&bytes[..count])?;
    }
}
