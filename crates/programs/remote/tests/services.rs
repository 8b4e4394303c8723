//! Services play: a small server answers as a service of somebody else might.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use quintain_bots::{Programs, Protection, Settings};
use quintain_core::{Catalog, Fault, FaultKind, Outcome, Setup, SpecError};
use quintain_remote::Services;
use serde_json::{Value, json};

/// What the server does with a request: the status line and the body, or nothing at all.
type Behaviour = fn(&Request) -> Option<(&'static str, String)>;

struct Request {
    head: String,
    body: Value,
}

/// A server in this process, and the requests that it has had.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server that keeps connections, or closes each after its first answer.
    fn start(behaviour: Behaviour, keeps: bool) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(stream.unwrap(), behaviour, keeps, &seen));
            }
        });
        Server { address, requests }
    }
}

fn serve(stream: TcpStream, behaviour: Behaviour, keeps: bool, seen: &Mutex<Vec<Request>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut answers = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if lines.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        lines.read_exact(&mut body).unwrap();
        let request = Request { head, body: serde_json::from_slice(&body).unwrap() };
        let answer = behaviour(&request);
        seen.lock().unwrap().push(request);
        let Some((status, text)) = answer else {
            // The question stays open until the other side goes.
            let _ = lines.read_line(&mut String::new());
            return;
        };
        let length = text.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        if answers.write_all((head + &text).as_bytes()).is_err() || !keeps {
            return;
        }
    }
}

/// Answers with the first action that is offered.
fn take_first(request: &Request) -> Option<(&'static str, String)> {
    let answer = json!({
        "action": request.body["actions"][0],
        "notes": { "turn": request.body["turn"], "plan": "the first" },
    });
    Some(("200 OK", answer.to_string()))
}

/// The players, with these services in bots.toml.
struct Bench {
    folder: tempfile::TempDir,
    catalog: Catalog,
}

impl Bench {
    fn new(bots: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bots.toml");
        std::fs::write(&file, bots).unwrap();
        let programs = Programs::new(Settings {
            launcher: PathBuf::from("quintain"),
            file,
            protection: Protection::default(),
            protocols: Vec::new(),
        });
        let sources = Services::sources(&programs);
        let catalog = sources.into_iter().fold(quintain_games::catalog(), Catalog::with_external);
        Bench { folder, catalog }
    }

    /// Lets a service lay a chain.
    fn play(&self, spec: &str, budget: &str) -> Result<Outcome, SpecError> {
        let game = self.catalog.game("polymer", "random?n=12&width=6&height=6").unwrap();
        let player = self.catalog.player("polymer", spec).unwrap();
        let setup = Setup::new(3).with_budget(budget.parse().unwrap());
        Ok(game.play(&setup, &[&player], None)?.outcome)
    }

    /// The fault of a service, whether it decides the match or makes it void.
    fn fault(&self, spec: &str, budget: &str) -> Fault {
        match self.play(spec, budget) {
            Ok(outcome) => outcome.fault.expect("it fails").fault,
            Err(SpecError::Void { fault, .. }) => *fault,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_service_plays_by_its_address_and_by_its_name() {
    let server = Server::start(take_first, true);
    let bench = Bench::new(&format!("[first]\nurl = \"{}/move\"\nversion = 3\n", server.address));
    for spec in [&server.address, "http:first"] {
        let outcome = bench.play(spec, "move=10s").unwrap();
        assert!(outcome.fault.is_none(), "{:?}", outcome.fault);
    }
    let requests = server.requests.lock().unwrap();
    let first = &requests[0];
    assert!(first.head.starts_with("post / http/1.1"), "{}", first.head);
    assert!(requests.last().unwrap().head.starts_with("post /move "));
    assert_eq!(first.body["type"], "turn");
    assert_eq!(first.body["start"]["game"], "polymer");
    assert_eq!(first.body["start"]["seat"], 0);
    assert!(first.body["actions"].as_array().is_some_and(|actions| !actions.is_empty()));
    assert_eq!(first.body["time_ms"], 10_000);
    let matches: Vec<&Value> = requests.iter().map(|own| &own.body["start"]["match"]).collect();
    assert_ne!(matches.first(), matches.last(), "a match has a number of its own");
}

#[test]
fn a_service_may_close_its_connection_after_every_answer() {
    let server = Server::start(take_first, false);
    let bench = Bench::new("");
    let outcome = bench.play(&server.address, "move=10s").unwrap();
    assert!(outcome.fault.is_none(), "{:?}", outcome.fault);
    let turns = server.requests.lock().unwrap().len();
    assert_eq!(turns, 11, "each question once");
}

#[test]
fn what_a_service_does_wrong_is_said() {
    let bench = Bench::new("");
    let says = |behaviour: Behaviour| {
        let fault = bench.fault(&Server::start(behaviour, true).address, "move=10s");
        (fault.kind, fault.detail)
    };
    let (kind, detail) = says(|_| Some(("500 Internal Server Error", "no model\nx".to_owned())));
    assert_eq!(kind, FaultKind::Protocol);
    assert_eq!(detail, "it answered 500 Internal Server Error: “no model…”");
    let (kind, detail) = says(|_| Some(("200 OK", "U".to_owned())));
    assert_eq!((kind, detail.as_str()), (FaultKind::Protocol, "expected {\"action\":…}, got “U”"));
    let (kind, detail) = says(|_| Some(("200 OK", "{\"move\": \"U\"}".to_owned())));
    assert_eq!(kind, FaultKind::Protocol);
    assert!(detail.contains("got “{\"move\":\"U\"}” (missing field `action`"), "{detail}");
    let (kind, detail) = says(|_| Some(("302 Found", String::new())));
    assert_eq!((kind, detail.as_str()), (FaultKind::Protocol, "it answered 302 Found: “”"));
    let (kind, detail) = says(|_| Some(("200 OK", "{\"action\": \"sideways\"}".to_owned())));
    assert!(kind == FaultKind::Protocol && detail.contains("sideways"), "{kind:?}: {detail}");
    let (kind, detail) = says(|_| Some(("200 OK", " ".repeat(2 << 20))));
    assert_eq!((kind, detail.as_str()), (FaultKind::Flood, "it answered with more than 1 MB"));
}

#[test]
fn a_service_that_does_not_answer_is_late() {
    let server = Server::start(|_| None, true);
    let bench = Bench::new("");
    let fault = bench.fault(&server.address, "move=50ms");
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert_eq!(fault.detail, "no answer within 50ms");
}

#[test]
fn a_match_is_void_if_the_service_cannot_be_reached_or_is_overloaded() {
    let bench = Bench::new("");
    let server =
        Server::start(|_| Some(("429 Too Many Requests", "{\"retry\": 3}".to_owned())), true);
    let fault = bench.fault(&server.address, "move=10s");
    assert_eq!(fault.kind, FaultKind::Outage);
    assert_eq!(fault.detail, "it answered 429 Too Many Requests: “{\"retry\": 3}”");
    // It listens when it is seated, and is gone when it is asked.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let player = bench.catalog.player("polymer", &address).unwrap();
    drop(listener);
    let game = bench.catalog.game("polymer", "random?n=12&width=6&height=6").unwrap();
    let error = game.play(&Setup::new(3), &[&player], None).unwrap_err();
    let SpecError::Void { fault, .. } = error else { panic!("{error}") };
    assert_eq!(fault.detail, "it cannot be reached: connection refused");
}

#[test]
fn a_service_that_is_not_there_is_refused_before_anything_is_played() {
    let bench = Bench::new(
        "[gone]\nurl = \"http://127.0.0.1:9\"\n[odd]\nurl = \"ftp://x\"\n\
         [key]\nurl = \"http://127.0.0.1:9\"\nheader_from_env = { Authorization = \"NO_SUCH\" }\n",
    );
    let refused = |spec: &str| bench.catalog.player("tron", spec).err().unwrap().to_string();
    assert_eq!(
        refused("http:gone"),
        "http:gone: nothing listens at 127.0.0.1:9; start the service first"
    );
    assert!(refused("http:odd").contains("expected an address, such as http://127.0.0.1:9000"));
    assert!(refused("http:key").contains("the environment variable NO_SUCH"));
    assert!(refused("http:").contains("expected an address"));
    assert!(refused("https:gone").contains("expected an address"));
    assert!(refused("http:gonne").contains("did you mean “gone”"));
    drop(bench.folder);
}

#[test]
fn a_secret_header_reaches_the_service_and_nothing_else() {
    let server = Server::start(|_| Some(("500 Oops", "bad".to_owned())), true);
    let variable = "PATH";
    let secret = std::env::var(variable).unwrap();
    let bench = Bench::new(&format!(
        "[model]\nurl = \"{}\"\nheader_from_env = {{ X-Key = \"{variable}\" }}\n",
        server.address
    ));
    let detail = bench.fault("http:model", "move=10s").detail;
    assert!(!detail.contains(&secret), "{detail}");
    let requests = server.requests.lock().unwrap();
    assert!(requests[0].head.contains(&format!("x-key: {}", secret.to_ascii_lowercase())));
}
