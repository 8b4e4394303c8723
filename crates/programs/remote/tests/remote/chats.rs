//! Models play: a small server answers from a transcript, as an endpoint might.

use std::collections::BTreeSet;

use crate::bench::Bench;
use crate::server::{self, Reply, Request, Server};
use quintain_core::{
    Budget, Fault, FaultKind, LogContent, Record, Setup, SpecError, read_log, write_log,
};
use quintain_remote::{RemoteCheck, Task};
use serde::Deserialize;
use serde_json::{Value, json};

/// One answer of a transcript.
#[derive(Deserialize)]
struct Step {
    status: Option<String>,
    retry_after: Option<String>,
    /// The body; made of the other fields if absent.
    body: Option<String>,
    #[serde(default)]
    content: Option<String>,
    refusal: Option<String>,
    finish_reason: Option<String>,
    #[serde(default)]
    cut: bool,
}

impl Step {
    fn reply(&self) -> Reply {
        let body = self.body.clone().unwrap_or_else(|| {
            let message = json!({ "content": self.content, "refusal": self.refusal });
            completion(&message, self.finish_reason.as_deref().unwrap_or("stop"))
        });
        let reply = Reply::new(self.status.as_deref().unwrap_or("200 OK"), body);
        let reply = match &self.retry_after {
            Some(wait) => reply.with_header("Retry-After", wait),
            None => reply,
        };
        if self.cut { reply.cut() } else { reply }
    }
}

fn completion(message: &Value, reason: &str) -> String {
    let choices = json!([{ "message": message, "finish_reason": reason }]);
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 5 });
    json!({ "choices": choices, "usage": usage }).to_string()
}

fn say(text: &str) -> Option<Reply> {
    Some(Reply::new("200 OK", completion(&json!({ "content": text }), "stop")))
}

/// The messages of a request.
fn messages(request: &Request) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = request.body["messages"].as_array().unwrap().iter();
    all.map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

/// The first action that a question offers.
fn first_action(request: &Request) -> String {
    let all = messages(request);
    let (_, asked) = all.iter().find(|(role, _)| role == "user").unwrap();
    let offered = asked.split("Your possible actions are: ").nth(1).unwrap();
    offered.split([',', '\n']).next().unwrap().to_owned()
}

fn take_first(request: &Request, _: usize) -> Option<Reply> {
    say(&first_action(request))
}

/// A server that answers from a transcript, and then with the first action.
fn from_transcript(text: &str) -> Server {
    let steps: Vec<Step> = serde_json::from_str(text).unwrap();
    Server::start(true, move |request, number| match steps.get(number) {
        Some(step) => Some(step.reply()),
        None => take_first(request, number),
    })
}

fn entry(server: &Server, more: &str) -> String {
    format!("[mini]\nmodel = \"m\"\nurl = \"{}/v1\"\n{more}\n", server.address)
}

impl Bench {
    /// Lets a model lay a chain.
    fn lay_chain(&self, seed: u64, budget: &str) -> Result<Record, SpecError> {
        let game = self.catalog.game("polymer", "random?n=6&width=4&height=4").unwrap();
        let player = self.catalog.player("polymer", "chat:mini")?;
        let setup = Setup::new(seed).with_budget(budget.parse().unwrap()).with_notes(true);
        game.play(&setup, &[&player], None)
    }

    /// The fault of the model, whether it decides the match or makes it void.
    fn chat_fault(&self, budget: &str) -> Fault {
        match self.lay_chain(3, budget) {
            Ok(record) => record.outcome.fault.expect("it fails").fault,
            Err(SpecError::Void { fault, .. }) => *fault,
            Err(error) => panic!("{error}"),
        }
    }

    /// Why the model is refused before anything is played.
    fn refusal(&self) -> String {
        self.catalog.player("tron", "chat:mini").err().expect("it is refused").to_string()
    }
}

fn exchanges(record: &Record) -> Vec<(u32, &str, &str)> {
    let words = record.log.iter().filter_map(|entry| match &entry.content {
        LogContent::Exchange { asked, answered } => {
            Some((entry.turn, asked.as_str(), answered.as_str()))
        }
        _ => None,
    });
    words.collect()
}

#[test]
fn a_model_plays_and_the_log_keeps_what_it_was_asked_and_answered() {
    let server = Server::start(true, take_first);
    let bench = Bench::new(&entry(&server, ""));
    let record = bench.lay_chain(3, "move=10s").unwrap();
    assert!(record.outcome.fault.is_none(), "{:?}", record.outcome.fault);
    let all = exchanges(&record);
    assert_eq!(all.len(), server.count());
    let (turn, asked, answered) = all[0];
    assert_eq!(turn, 0);
    for part in ["You play the game polymer", "Opposite charges on neighbouring cells", "Turn 0"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    // Rules come with the first question only; the drawing with each.
    assert!(!all[1].1.contains("Opposite charges on neighbouring cells"), "{}", all[1].1);
    assert!(all[1].1.contains("Your last actions: turn 0 "), "{}", all[1].1);
    assert_eq!(answered, first_action(&server.requests.lock().unwrap()[0]));
    let log = record.log.clone();
    assert_eq!(read_log(&write_log(&log)), log);
    let noted = record.notes.iter().filter(|note| note.name == "tokens");
    assert_eq!(noted.map(|note| note.value).sum::<f64>(), 105.0 * server.count() as f64);
    // Whoever has no models verifies it.
    quintain_games::catalog().verify(&record).unwrap();
    let requests = server.requests.lock().unwrap();
    assert!(requests[0].head.starts_with("post /v1/chat/completions "), "{}", requests[0].head);
    assert_eq!(requests[0].body["model"], "m");
    assert_eq!(messages(&requests[0])[0].0, "system");
}

#[test]
fn every_game_is_shown_in_words() {
    let server = Server::start(true, take_first);
    let bench = Bench::new(&entry(&server, ""));
    let mut shown = 0;
    let check = RemoteCheck::new(1, Budget::default(), None);
    let good = check.run(&bench.catalog, "chat:mini", &mut |finding| {
        assert!(finding.good, "{}", finding.text);
        shown += 1;
    });
    assert!(good.unwrap() && shown == 5);
    let tron = server
        .requests
        .lock()
        .unwrap()
        .iter()
        .map(messages)
        .find_map(|all| all[0].1.contains("the game tron").then(|| all[1].1.clone()));
    let signs = "A, B where each player is  a, b what it has left behind  . free";
    assert!(tron.as_ref().unwrap().contains(signs), "{tron:?}");
    for request in server.requests.lock().unwrap().iter() {
        let all = messages(request);
        let (system, asked) = (&all[0].1, &all[1].1);
        assert!(system.len() > 500 && system.len() < 12_000, "{}: {system}", system.len());
        assert!(asked.len() > 200 && asked.len() < 12_000, "{}: {asked}", asked.len());
        assert!(!asked.contains(['{', '\u{1b}']), "{asked}");
    }
}

#[test]
fn a_rough_endpoint_is_asked_again_and_bad_answers_are_counted() {
    let server = from_transcript(include_str!("transcripts/rough.json"));
    let bench = Bench::new(&entry(&server, "retries = 4"));
    let record = bench.lay_chain(3, "move=60s").unwrap();
    assert!(record.outcome.fault.is_none(), "{:?}", record.outcome.fault);
    let (_, totals) = bench.chats.take_totals().pop().unwrap();
    assert_eq!((totals.illegal, totals.unreadable), (0, 4));
    assert_eq!(totals.waits, 4, "429, 500, an answer cut off and half of one");
    assert_eq!(totals.answers, totals.turns + 4);
    let retries = record.notes.iter().find(|note| note.name == "retries").unwrap();
    assert_eq!((retries.turn, retries.value), (0, 4.0));
    let first: Vec<&str> =
        exchanges(&record).iter().filter(|(turn, ..)| *turn == 0).map(|(.., said)| *said).collect();
    assert_eq!(first.len(), 5);
    assert!(first[0].contains("a poem") && first[0].contains("is not one of the possible actions"));
    assert!(first[1].contains("refused: I cannot help with that."), "{}", first[1]);
    assert!(first[2].contains("cut off"), "{}", first[2]);
    // The model is told what was wrong with its answers.
    let requests = server.requests.lock().unwrap();
    let last = messages(requests.iter().find(|request| messages(request).len() == 10).unwrap());
    let roles: Vec<&str> = last.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles[..4], ["system", "user", "assistant", "user"]);
    assert!(last[3].1.contains("End your answer with one line"), "{}", last[3].1);
}

#[test]
fn a_model_that_names_no_action_loses_when_its_retries_are_used_up() {
    let server = Server::start(true, |_, _| say("I resign."));
    let fault = Bench::new(&entry(&server, "retries = 1")).chat_fault("move=10s");
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert!(fault.detail.starts_with("turn 0, after 1 retries: “I resign.”"), "{}", fault.detail);
    assert_eq!(server.count(), 2);
    // On the first turn any step is possible, so this one is refused on the second.
    let server = Server::start(true, |request, _| match first_action(request) {
        action if messages(request)[1].1.contains("Turn 0.") => say(&action),
        _ => say("(9,9)"),
    });
    let fault = Bench::new(&entry(&server, "retries = 0")).chat_fault("move=10s");
    assert!(matches!(fault.kind, FaultKind::Illegal | FaultKind::Protocol), "{fault}");
    assert!(fault.detail.starts_with("turn 1, after 0 retries: “(9,9)”"), "{fault}");
}

#[test]
fn json_is_asked_for_and_read() {
    let server = Server::start(true, |request, _| {
        say(&format!("{{\"action\": \"{}\", \"why\": \"first\"}}", first_action(request)))
    });
    let bench = Bench::new(&entry(&server, "reply = \"json\"\noptions = { max_tokens = 50 }"));
    assert!(bench.lay_chain(3, "move=10s").unwrap().outcome.fault.is_none());
    let requests = server.requests.lock().unwrap();
    assert_eq!(requests[0].body["response_format"]["type"], "json_object");
    assert_eq!(requests[0].body["max_tokens"], 50);
}

#[test]
fn nothing_is_asked_twice_in_this_process_or_another() {
    let server = Server::start(true, take_first);
    let text = entry(&server, "");
    let bench = Bench::new(&text);
    let first = bench.lay_chain(3, "move=10s").unwrap();
    let asked = server.count();
    let again = bench.lay_chain(3, "move=10s").unwrap();
    assert_eq!(again.to_json_with_log(), first.to_json_with_log());
    let Bench { folder, .. } = bench;
    let later = Bench::in_folder(folder, &text);
    assert_eq!(later.lay_chain(3, "move=10s").unwrap().id, first.id);
    assert_eq!(server.count(), asked);
    let (_, totals) = later.chats.take_totals().pop().unwrap();
    assert_eq!((totals.kept, totals.money), (totals.answers, 0.0));
    // Another match is another sample of what the model does.
    later.lay_chain(4, "move=10s").unwrap();
    let bodies = |server: &Server| {
        let requests = server.requests.lock().unwrap();
        requests.iter().map(|request| request.body.to_string()).collect::<Vec<_>>()
    };
    assert!(server.count() > asked);
    // At temperature 0 there is one answer to each question.
    let server = Server::start(true, take_first);
    let bench = Bench::new(&entry(&server, "options = { temperature = 0 }"));
    for seed in 0..4 {
        bench.lay_chain(seed, "move=10s").unwrap();
    }
    let all = bodies(&server);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn matches_that_ask_the_same_at_once_share_one_answer() {
    let server = Server::start(true, take_first);
    let bench = Bench::new(&entry(&server, ""));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| bench.lay_chain(3, "move=60s").unwrap());
        }
    });
    let requests = server.requests.lock().unwrap();
    let bodies: BTreeSet<String> = requests.iter().map(|own| own.body.to_string()).collect();
    assert_eq!(bodies.len(), requests.len());
}

#[test]
fn a_match_is_void_when_the_budget_is_used_up() {
    for (budget, said) in [
        ("{ calls = 2 }", "calls = 2"),
        ("{ tokens = 150 }", "tokens = 210"),
        ("{ money = 0.0002 }", "money = 0.00"),
    ] {
        let server = Server::start(true, take_first);
        let price = "price = { input = 1.0, output = 2.0 }";
        let bench = Bench::new(&entry(&server, &format!("budget = {budget}\n{price}")));
        let fault = bench.chat_fault("move=10s");
        assert_eq!(fault.kind, FaultKind::Outage);
        assert!(fault.detail.contains(said) && fault.detail.contains("raise"), "{fault}");
        assert_eq!(server.count(), 2, "{budget}");
    }
}

#[test]
fn a_model_that_does_not_answer_in_time_loses() {
    let server = Server::start(true, |_, _| None);
    let fault = Bench::new(&entry(&server, "")).chat_fault("move=50ms");
    assert_eq!(fault.kind, FaultKind::Timeout);
    // A wait that is longer than the time left is not begun.
    let server = Server::start(true, |_, _| {
        Some(Reply::new("429 Too Many Requests", "later").with_header("retry-after", "3600"))
    });
    let fault = Bench::new(&entry(&server, "")).chat_fault("move=50s");
    assert_eq!(fault.kind, FaultKind::Outage);
    assert_eq!(fault.detail, "it answered 429 Too Many Requests: “later”");
    assert_eq!(server.count(), 1);
}

#[test]
fn the_key_reaches_the_endpoint_and_nothing_else() {
    let variable = "PATH";
    let key = std::env::var(variable).unwrap();
    let own = key.clone();
    let server = Server::start(true, move |request, number| match number {
        0 => Some(Reply::new("500 Oops", format!("bad key {own}")).with_header("retry-after", "0")),
        1 => say(&format!("my key is {own}")),
        _ => take_first(request, number),
    });
    let more = format!("key_from_env = \"{variable}\"\nheader_from_env = {{ X-Org = \"HOME\" }}");
    let bench = Bench::new(&entry(&server, &more));
    let record = bench.lay_chain(3, "move=10s").unwrap();
    assert!(server.requests.lock().unwrap()[0].head.contains("authorization: bearer /"));
    assert!(record.to_json_with_log().contains("my key is (secret)"));
    let mut texts = vec![record.to_json_with_log()];
    let kept = bench.folder.path().join(".quintain-chats/mini.jsonl");
    texts.push(std::fs::read_to_string(kept).unwrap());
    let denied = key.clone();
    let server = Server::start(true, move |_, _| {
        Some(Reply::new("401 Unauthorized", format!("no such key: {denied}")))
    });
    let fault = Bench::new(&entry(&server, &more)).chat_fault("move=10s");
    assert_eq!(fault.kind, FaultKind::Outage);
    assert!(fault.detail.contains("key_from_env"), "{fault}");
    texts.push(fault.detail);
    for text in texts {
        assert!(!text.contains(&key), "{text}");
    }
}

#[test]
fn wrong_set_ups_are_refused_before_anything_is_played() {
    let server = Server::start(true, take_first);
    let url = format!("url = \"{}/v1\"", server.address);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd.txt"), "You are {nobody}.\n---\n{board}\n").unwrap();
    std::fs::write(folder.path().join("blind.txt"), "Choose one of {actions}.\n").unwrap();
    let prompt = |name: &str| folder.path().join(name).display().to_string();
    let (odd, blind, none) = (prompt("odd.txt"), prompt("blind.txt"), prompt("none.txt"));
    for (entry, said) in [
        ("model = \"m\"".to_owned(), "url is missing: write url = \"…\" or url_from_env"),
        (format!("{url}\nkey_from_env = \"PATH\""), "model is missing: write model = "),
        (format!("modle = \"m\"\n{url}\nkey_from_env = \"PATH\""), "did you mean “model”"),
        (format!("model = \" \"\n{url}"), "model is empty"),
        (format!("model = \"m\"\n{url}\nbudget = {{ money = 1 }}"), "without a price"),
        (format!("model = \"m\"\n{url}\nprice = {{ input = -1 }}"), "price: input = -1"),
        (format!("model = \"m\"\n{url}\noptions = {{ stream = true }}"), "options: stream"),
        (format!("model = \"m\"\n{url}\noptions = {{ model = \"x\" }}"), "options: model"),
        (format!("model = \"m\"\n{url}\noptions = {{ messages = [] }}"), "options: messages"),
        (
            "model = \"m\"\nurl = \"http://ann:sk-own-key@127.0.0.1:9/v1\"".to_owned(),
            "a name and a password",
        ),
        (format!("model = \"m\"\nmodel_from_env = \"M\"\n{url}"), "exclude each other"),
        (format!("model_from_env = \"NO_SUCH\"\n{url}"), "NO_SUCH, for the model, is not set"),
        ("model = \"m\"\nurl_from_env = \"NO_SUCH\"".to_owned(), "NO_SUCH, for the url"),
        ("model = \"m\"\nurl_from_env = \"PATH\"".to_owned(), "PATH holds no address"),
        (format!("model = \"m\"\n{url}\nkey_from_env = \"NO_SUCH\""), "NO_SUCH, for the key"),
        ("model = \"m\"\nurl = \"ftp://x\"".to_owned(), "expected an address"),
        (
            "model = \"m\"\nurl = \"127.0.0.1:8080\"".to_owned(),
            "“127.0.0.1:8080”: http:// is missing",
        ),
        (
            "model = \"m\"\nurl = \"http://127.0.0.1:9\"".to_owned(),
            "nothing listens at 127.0.0.1:9",
        ),
        (format!("model = \"m\"\n{url}\nprompt = '{none}'"), "prompt: "),
        (format!("model = \"m\"\n{url}\nprompt = '{odd}'"), "line 1: unknown placeholder"),
        (format!("model = \"m\"\n{url}\nprompt = '{blind}'"), "shows no position"),
        (format!("model = \"m\"\n{url}\nretrys = 3"), "did you mean “retries”"),
        (format!("model = \"m\"\n{url}\nreply = \"xml\""), "known: line, json"),
        (format!("model = \"m\"\n{url}\ncommand = \"x\""), "bots.toml:4: "),
        (format!("model = \"m\"\n{url}\nkey_from_env = \"sk-own-key\""), "the name of an"),
        (format!("model = \"m\"\n{url}\nkey = \"sk-own-key\""), "did you mean “key_from_env”"),
        (
            format!("model = \"m\"\n{url}\nheaders = {{ Authorization = \"sk-own-key\" }}"),
            "unknown key “headers”",
        ),
        (format!("model = \"m\"\n{url}\nbudget = {{ calls = -1 }}"), "bots.toml:4: "),
        (format!("model = \"m\"\n{url}\nanswer = \"soon\""), "bots.toml:4: "),
    ] {
        let said_here = Bench::new(&format!("[mini]\n{entry}\n")).refusal();
        assert!(!said_here.contains("sk-own-key"), "{said_here}");
        assert!(said_here.contains(said), "{entry}: {said_here}");
        assert!(!said_here.contains('\n'), "{said_here}");
    }
    let bench = Bench::new("[minni]\nmodel = \"m\"\nurl = \"http://127.0.0.1:9\"\n");
    assert!(bench.refusal().contains("did you mean “minni”"), "{}", bench.refusal());
    let bench = Bench::new("[mini]\nmodel = \"m\"\n");
    std::fs::remove_file(bench.folder.path().join("bots.toml")).unwrap();
    assert!(bench.refusal().contains("write one that says [mini], and below it model = "));
    let bench = Bench::new("[mini]\ncommand = \"x\"\n");
    assert!(bench.refusal().contains("it is bot:mini"), "{}", bench.refusal());
    assert_eq!(server.count(), 0);
}

#[test]
fn limits_of_questions_a_minute_and_half_answers_are_waited_out() {
    let minute = "Quota exceeded for quota metric 'Generate Content API requests per minute'";
    let server = Server::start(true, move |request, number| match number {
        0 => Some(Reply::new("429 Too Many Requests", minute).with_header("retry-after", "0.001")),
        1 => Some(Reply::new("200 OK", "{\"choices\": [").with_header("retry-after", "0").cut()),
        _ => take_first(request, number),
    });
    let bench = Bench::new(&entry(&server, ""));
    let record = bench.lay_chain(3, "move=60s").unwrap();
    assert!(record.outcome.fault.is_none(), "{:?}", record.outcome.fault);
    assert_eq!(bench.chats.take_totals().pop().unwrap().1.waits, 2);
}

#[test]
fn calls_are_requests_whatever_they_bring_and_outlive_the_process() {
    let server = Server::start(true, |_, _| {
        Some(Reply::new("503 Service Unavailable", "busy").with_header("retry-after", "0"))
    });
    let text = entry(&server, "budget = { calls = 5 }");
    let bench = Bench::new(&text);
    for _ in 0..2 {
        let fault = bench.chat_fault("move=60s");
        assert!(fault.detail.contains("is used up (calls = 5)"), "{fault}");
    }
    assert_eq!(server.count(), 5);
    let Bench { folder, .. } = bench;
    let later = Bench::in_folder(folder, &text);
    assert!(later.chat_fault("move=60s").detail.contains("calls = 5"));
    assert_eq!(server.count(), 5);
}

#[test]
fn an_endpoint_that_goes_in_the_middle_of_a_match_is_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = std::thread::spawn(|| server::answer_once(listener, take_first));
    let bench = Bench::new(&format!("[mini]\nmodel = \"m\"\nurl = \"http://{address}/v1\"\n"));
    let fault = bench.chat_fault("move=2s");
    served.join().unwrap();
    assert_eq!(fault.kind, FaultKind::Outage);
    assert!(fault.detail.starts_with("it cannot be reached"), "{fault}");
    assert!(bench.chats.take_totals().pop().unwrap().1.waits >= 1);
    assert_eq!(bench.chats.given_up("chat:mini"), None, "it may come back");
}

#[test]
fn a_model_that_refuses_for_good_is_asked_once() {
    let server = Server::start(true, |_, _| Some(Reply::new("401 Unauthorized", "no")));
    let bench = Bench::new(&entry(&server, ""));
    assert_eq!(bench.chats.given_up("chat:mini"), None);
    let faults: Vec<Fault> = (0..3).map(|_| bench.chat_fault("move=10s")).collect();
    assert_eq!(faults[0], faults[2]);
    assert_eq!(server.count(), 1);
    assert_eq!(bench.chats.given_up("chat:mini"), Some(faults[0].detail.clone()));
}

#[test]
fn an_answer_that_cannot_be_read_is_told_and_asked_for_again() {
    let server = Server::start(true, |_, number| match number {
        0 => say("Sorry, I cannot help with that."),
        1 => Some(Reply::new("200 OK", completion(&json!({ "content": "4" }), "length"))),
        _ => say("42"),
    });
    let read = |text: &str| text.parse::<u32>().map_err(|_| "expected a number".to_owned());
    let task = Task { system: "You count.", words: "6 × 7?", again: "Answer with a number." };
    let bench = Bench::new(&entry(&server, ""));
    let answer = bench.chats.ask("chat:mini", task, read).unwrap();
    assert_eq!(answer.read, Ok(42));
    for part in ["Sorry", "(expected a number)", "raise max_tokens", "42"] {
        assert!(answer.said.contains(part), "{part}: {}", answer.said);
    }
    let requests = server.requests.lock().unwrap();
    assert_eq!(messages(&requests[2])[3].1, "expected a number. Answer with a number.");
    // Its retries are used up at some time, and nothing is asked again for that.
    let text = entry(&server, "retries = 1");
    drop(requests);
    let asked = server.count();
    let deaf = |_: &str| Err::<(), _>("no".to_owned());
    let bench = Bench::new(&text);
    for _ in 0..2 {
        let answer = bench.chats.ask("chat:mini", task, deaf).unwrap();
        assert_eq!(answer.read, Err("no (after 1 retries)".to_owned()));
    }
    assert_eq!(server.count(), asked + 2);
}

#[test]
fn what_an_endpoint_refuses_is_explained_and_makes_the_match_void() {
    for (status, body, said) in [
        ("404 Not Found", "404 page not found", "/v1/chat/completions"),
        ("404 Not Found", "{\"error\":\"model m does not exist\"}", "no model “m”"),
        ("400 Bad Request", "'response_format' is not supported", "reply = \"line\""),
        ("400 Bad Request", "maximum context length is 512 tokens", "turns = 0"),
        ("429 Too Many Requests", "insufficient_quota", "no credit"),
        ("401 Unauthorized", "", "key_from_env"),
        ("302 Found", "", "redirections are not followed"),
        ("200 OK", "<html>", "that is a page"),
        ("200 OK", "data: {}", "it streams"),
        ("200 OK", "{\"text\":\"U\"}", "expected a chat completion, got “{\"text\":\"U\"}”"),
    ] {
        let server = Server::start(true, move |_, _| Some(Reply::new(status, body)));
        let fault = Bench::new(&entry(&server, "")).chat_fault("move=10s");
        assert_eq!(fault.kind, FaultKind::Outage, "{status} {body}");
        assert!(fault.detail.contains(said), "{status} {body}: {fault}");
        assert_eq!(server.count(), 1, "asking again is useless: {body}");
    }
}

#[test]
fn a_change_of_model_prompt_or_options_is_another_version() {
    let server = Server::start(true, take_first);
    let version = |more: &str| {
        let bench = Bench::new(&entry(&server, more));
        bench.catalog.player("tron", "chat:mini").unwrap().version
    };
    let first = version("");
    assert_eq!(first, version("answer = \"9s\"\nbudget = { calls = 3 }"));
    for more in ["options = { temperature = 0 }", "reply = \"json\"", "turns = 0", "version = 2"] {
        assert_ne!(first, version(more), "{more}");
    }
}
