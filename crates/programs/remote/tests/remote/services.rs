//! Services play: a small server answers as a service of somebody else might.

use std::net::TcpListener;

use crate::bench::Bench;
use crate::server::{Reply, Request, Server};
use quintain_core::{Budget, Fault, FaultKind, Outcome, Setup, SpecError};
use quintain_remote::RemoteCheck;
use serde_json::{Value, json};

/// What the server does with a request: the status line and the body, or nothing at all.
type Behaviour = fn(&Request) -> Option<(&'static str, String)>;

fn start(behaviour: Behaviour, keeps: bool) -> Server {
    Server::start(keeps, move |request, _| {
        let (status, body) = behaviour(request)?;
        Some(Reply::new(status, body))
    })
}

/// Answers with the first action that is offered.
fn take_first(request: &Request) -> Option<(&'static str, String)> {
    let answer = json!({
        "action": request.body["actions"][0],
        "notes": { "turn": request.body["turn"], "plan": "the first" },
    });
    Some(("200 OK", answer.to_string()))
}

impl Bench {
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
    let server = start(take_first, true);
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
    let server = start(take_first, false);
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
        let fault = bench.fault(&start(behaviour, true).address, "move=10s");
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
    assert_eq!(kind, FaultKind::Protocol);
    assert!(detail.starts_with("it answered 302 Found: “”; redirections"), "{detail}");
    let (kind, detail) = says(|_| Some(("200 OK", "{\"action\": \"sideways\"}".to_owned())));
    assert!(kind == FaultKind::Protocol && detail.contains("sideways"), "{kind:?}: {detail}");
    let (kind, detail) = says(|_| Some(("200 OK", " ".repeat(2 << 20))));
    assert_eq!((kind, detail.as_str()), (FaultKind::Flood, "it answered with more than 1 MB"));
    // A header without end voids no match that the service would lose.
    let (kind, detail) = says(|_| {
        let status: &str = Box::leak(("200 OK\r\nx: ".to_owned() + &"y".repeat(100_000)).into());
        Some((status, String::new()))
    });
    let said = "it answered with a header of more than 64 kB";
    assert_eq!((kind, detail.as_str()), (FaultKind::Flood, said));
}

#[test]
fn a_service_that_does_not_answer_is_late() {
    let server = start(|_| None, true);
    let bench = Bench::new("");
    let fault = bench.fault(&server.address, "move=50ms");
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert_eq!(fault.detail, "no answer within 50ms");
}

#[test]
fn a_match_is_void_if_the_service_cannot_be_reached_or_is_overloaded() {
    let bench = Bench::new("");
    let server = start(|_| Some(("429 Too Many Requests", "{\"retry\": 3}".to_owned())), true);
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
    assert_eq!(
        fault.detail,
        "it cannot be reached: connection refused; is the port right, and has it been started?"
    );
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
    let server = start(|_| Some(("500 Oops", "bad".to_owned())), true);
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

/// A server of Battlesnake, as people write them: it goes where no body, hazard or edge is.
fn slither(request: &Request, _: usize) -> Option<Reply> {
    let path = request.head.split(' ').nth(1).unwrap();
    if path != "/snake/move" {
        assert!(["/snake/start", "/snake/end"].contains(&path), "{path}");
        return Some(Reply::new("200 OK", ""));
    }
    let Value::Object(board) = &request.body["board"] else { panic!("{}", request.body) };
    let side = |name: &str| board[name].as_i64().unwrap();
    let place = |value: &Value| (value["x"].as_i64().unwrap(), value["y"].as_i64().unwrap());
    let bodies = board["snakes"].as_array().unwrap().iter();
    let bodies = bodies.flat_map(|snake| snake["body"].as_array().unwrap());
    let hazards = board["hazards"].as_array().unwrap().iter();
    let taken: Vec<(i64, i64)> = bodies.chain(hazards).map(place).collect();
    let (x, y) = place(&request.body["you"]["head"]);
    let steps =
        [("up", (x, y + 1)), ("down", (x, y - 1)), ("left", (x - 1, y)), ("right", (x + 1, y))];
    let is_free = |(x, y): (i64, i64)| {
        (0..side("width")).contains(&x)
            && (0..side("height")).contains(&y)
            && !taken.contains(&(x, y))
    };
    let step = steps.iter().find(|(_, place)| is_free(*place)).map_or("up", |(name, _)| name);
    Some(Reply::new("200 OK", format!("{{\n  \"move\": \"{step}\",\n  \"shout\": \"s\"\n}}")))
}

#[test]
fn a_server_of_battlesnake_plays_tron() {
    let server = Server::start(true, slither);
    let url = format!("url = \"{}/snake/\"\nprotocol = \"battlesnake\"\n", server.address);
    let bench = Bench::new(&format!("[snake]\n{url}"));
    let rival = bench.catalog.player("tron", "random").unwrap();
    let snake = bench.catalog.player("tron", "http:snake").unwrap();
    for (scenario, seats) in [("obstacles", [&snake, &rival]), ("riddles", [&rival, &snake])] {
        let game = bench.catalog.game("tron", scenario).unwrap();
        let record = game.play(&Setup::new(3), &seats, None).unwrap();
        assert!(record.outcome.fault.is_none(), "{:?}", record.outcome.fault);
        let own = usize::from(scenario == "riddles");
        assert_eq!(record.outcome.scores[own], 1.0, "a random player crashes first");
    }
    let requests = server.requests.lock().unwrap();
    let paths: Vec<&str> =
        requests.iter().map(|request| request.head.split(' ').nth(1).unwrap()).collect();
    assert_eq!(paths[..2], ["/snake/start", "/snake/move"]);
    assert_eq!(paths.iter().filter(|path| **path == "/snake/end").count(), 2);
    let refused = |scenario: &str| {
        let game = bench.catalog.game("tron", scenario).unwrap();
        game.accepts(&snake).unwrap_err().to_string()
    };
    assert!(refused("codingame").contains("it speaks battlesnake"), "{}", refused("codingame"));
    let elsewhere = bench.catalog.player("polymer", "http:snake").err().unwrap().to_string();
    assert!(elsewhere.contains("is for tron, not polymer"), "{elsewhere}");
    drop(requests);
    // It is checked on its own game alone.
    let (check, mut found) = (RemoteCheck::new(1, Budget::default(), None), Vec::new());
    let is_good = check.run(&bench.catalog, "http:snake", &mut |finding| {
        found.push(finding.text.clone());
    });
    assert!(is_good.unwrap() && found.len() == 1, "{found:?}");
    assert!(found[0].starts_with("tron:hackerrank: "), "{found:?}");
}

#[test]
fn a_service_in_another_protocol_is_told_what_was_expected() {
    let server = Server::start(true, |_, _| Some(Reply::new("200 OK", "{\"move\": \"north\"}")));
    let entry = |protocol: &str| {
        format!("[snake]\nurl = \"{}\"\nprotocol = \"{protocol}\"\n", server.address)
    };
    let bench = Bench::new(&entry("battlesnake"));
    let snake = bench.catalog.player("tron", "http:snake").unwrap();
    let game = bench.catalog.game("tron", "hackerrank").unwrap();
    let record = game.play(&Setup::new(3), &[&snake, &snake], None).unwrap();
    let fault = record.outcome.fault.unwrap().fault;
    assert!(fault.detail.contains("expected {\"move\":\"up\"}"), "{fault}");
    let bench = Bench::new(&entry("battlesnak"));
    let refused = bench.catalog.player("tron", "http:snake").err().unwrap().to_string();
    assert!(refused.contains("did you mean “battlesnake”"), "{refused}");
}
