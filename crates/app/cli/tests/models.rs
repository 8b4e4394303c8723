//! Language models play from the command line: a server in this process answers for them.

#[allow(dead_code, reason = "other tests of the same file need the rest")]
mod common {
    pub mod place;
}
#[allow(dead_code, reason = "services need more of it than models do")]
#[path = "../../../programs/remote/tests/remote/server.rs"]
mod server;

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use common::place::Place;
use serde_json::json;
use server::{Reply, Request, Server};

const KEY: &str = "sk-0123456789-do-not-show";

/// A model answers with an action of this number, where there are so many.
fn place_of(model: &str) -> usize {
    ["first", "second", "third"].iter().position(|known| *known == model).unwrap()
}

/// What a scripted model answers.
fn answer(request: &Request) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let asked = messages[1]["content"].as_str().unwrap();
    let offered = asked.split("Your possible actions are: ").nth(1).unwrap();
    let offered: Vec<&str> = offered.lines().next().unwrap().split(", ").collect();
    let place = place_of(request.body["model"].as_str().unwrap());
    // Every third turn it says something else first.
    let is_odd = asked.contains("Turn 2.") && messages.len() == 2;
    let text = if is_odd { "Let me see." } else { offered[place % offered.len()] };
    let usage = json!({ "prompt_tokens": 90, "completion_tokens": 2 });
    let choices = json!([{ "message": { "content": text }, "finish_reason": "stop" }]);
    Reply::new("200 OK", json!({ "choices": choices, "usage": usage }).to_string())
}

/// A folder with three models of a server and a tournament.
fn set_up(server: &Server) -> Place {
    let place = Place::new();
    let entries = ["first", "second", "third"].map(|name| {
        let url = &server.address;
        format!(
            "[{name}]\nmodel = \"{name}\"\nurl = \"{url}\"\nkey_from_env = \"MODEL_KEY\"\n\
             options = {{ temperature = 0 }}\n"
        )
    });
    place.write("bots.toml", &entries.concat());
    let players = "[\"chat:first\", \"chat:second\", \"chat:third\", \"space\"]";
    let text = format!(
        "name = \"cup\"\ngame = \"tron\"\nformat = \"versus\"\n\
         scenarios = [\"hackerrank\", \"obstacles\"]\nplayers = {players}\nseeds = 2\n"
    );
    place.write("cup.toml", &text);
    place
}

fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command.env("MODEL_KEY", KEY).stdin(Stdio::null());
    command
}

fn run(place: &Place, arguments: &[&str]) -> Output {
    let output = command(place, arguments).output().unwrap();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {said}{complained}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything in the files of a folder and the folders in it.
fn contents(folder: &std::path::Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        all.extend(match path.is_dir() {
            true => contents(&path),
            false => std::fs::read(&path).unwrap(),
        });
    }
    all
}

#[test]
#[cfg(unix)]
fn a_tournament_of_models_killed_ten_times_asks_nothing_twice() {
    let unharmed = Server::start(true, |request, _| Some(answer(request)));
    let whole = set_up(&unharmed);
    run(&whole, &["tournament", "cup.toml", "--threads", "1"]);
    let expected = text(&run(&whole, &["standings", "cup.toml"]).stdout);

    let (process, allowed) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicUsize::new(0)));
    let (victim, limit) = (Arc::clone(&process), Arc::clone(&allowed));
    let server = Server::start(true, move |request, number| {
        if number < limit.load(Ordering::SeqCst) {
            return Some(answer(request));
        }
        // Its question is never answered.
        let id = victim.load(Ordering::SeqCst).to_string();
        Command::new("kill").args(["-9", &id]).status().unwrap();
        None
    });
    let place = set_up(&server);
    let mut unanswered = Vec::new();
    for round in 0..10 {
        allowed.store(server.count() + 3, Ordering::SeqCst);
        let mut playing = command(&place, &["tournament", "cup.toml", "--threads", "1"]);
        let mut playing = playing.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        process.store(playing.id(), Ordering::SeqCst);
        assert!(!playing.wait().unwrap().success(), "killed in round {round}");
        unanswered.push(server.count() - 1);
    }
    allowed.store(usize::MAX, Ordering::SeqCst);
    let last = run(&place, &["tournament", "cup.toml", "--threads", "1"]);
    assert!(text(&last.stderr).contains("kept from before"), "{}", text(&last.stderr));
    let requests = server.requests.lock().unwrap();
    let answered = requests.iter().enumerate().filter(|(at, _)| !unanswered.contains(at));
    let bodies: Vec<String> = answered.map(|(_, request)| request.body.to_string()).collect();
    assert_eq!(bodies.iter().collect::<BTreeSet<_>>().len(), bodies.len());
    assert_eq!(text(&run(&place, &["standings", "cup.toml"]).stdout), expected);
    run(&place, &["verify"]);
}

/// The worked run of the documentation, in this block; `UPDATE_GOLDEN=1` writes it again.
const WORKED: [&str; 2] =
    ["```text\n$ quintain tournament models --with chat:first,chat:third --seeds 2\n", "```\n"];

#[test]
fn models_are_rated_over_five_games_as_the_documentation_shows_and_asked_nothing_twice() {
    let server = Server::start(true, |request, _| Some(answer(request)));
    let place = set_up(&server);
    let arguments =
        ["tournament", "models", "--with", "chat:first,chat:third", "--seeds", "2", "--yes"];
    let told = text(&run(&place, &arguments).stdout);
    let asked = server.count();
    // Nothing is asked again, and the standings are the same.
    let again = run(&place, &arguments);
    assert_eq!(server.count(), asked);
    let without_times = |told: &str| {
        let lines = told.lines().map(|line| match line.split_once(" matches played in ") {
            Some(_) => "[..] matches played in [..]",
            None => line,
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    let told = without_times(&told);
    assert_eq!(without_times(&text(&again.stdout)), told);
    let first: Vec<&str> = told.lines().take(2).collect();
    assert!(first[0].starts_with("chat:") && first[1].contains("certain"), "{told}");

    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/models.md");
    let documented = std::fs::read_to_string(page).unwrap();
    let (before, rest) = documented.split_once(WORKED[0]).unwrap();
    let (shown, after) = rest.split_once(WORKED[1]).unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let [begin, end] = WORKED;
        std::fs::write(page, format!("{before}{begin}{told}{end}{after}")).unwrap();
    } else {
        assert_eq!(shown, told);
    }

    // A model that comes later plays only its own matches, and one part is a tournament.
    let more =
        ["tournament", "models", "--with", "chat:first,chat:third,chat:second", "--seeds", "2"];
    let json = run(&place, &[&more[..], &["--yes", "--format", "json", "-q"]].concat());
    let standings: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(standings["rows"].as_array().unwrap().len(), 3);
    for row in standings["rows"].as_array().unwrap() {
        assert!(row["answers"]["turns"].as_u64().unwrap() > 50, "{row}");
        assert_eq!(row["parts"].as_array().unwrap().len(), 5);
    }
    let part = text(&run(&place, &["standings", "models-tron"]).stdout);
    assert!(part.contains("chat:second") && part.contains("wall-hugger"), "{part}");
    run(&place, &["verify"]);
}

#[test]
fn models_that_refuse_or_use_up_their_budget_are_left_out_and_the_others_are_rated() {
    let server = Server::start(true, |request, _| {
        let (status, body) = match request.body["model"].as_str().unwrap() {
            "bad" => ("401 Unauthorized", "no such key"),
            "gone" => ("404 Not Found", "{\"error\": \"the model gone does not exist\"}"),
            _ => return Some(answer(request)),
        };
        Some(Reply::new(status, body))
    });
    let place = set_up(&server);
    let entry = |name: &str, model: &str, more: &str| {
        let url = &server.address;
        format!("[{name}]\nmodel = \"{model}\"\nurl = \"{url}\"\n{more}\n")
    };
    let entries = [
        entry("first", "first", "options = { temperature = 0 }"),
        entry("bad", "bad", ""),
        entry("gone", "gone", ""),
        entry("poor", "third", "budget = { calls = 20 }"),
    ];
    place.write("bots.toml", &entries.concat());
    let names = "chat:first,chat:bad,chat:gone,chat:poor";
    let arguments = ["tournament", "models", "--with", names, "--seeds", "1", "--yes"];
    let output = command(&place, &arguments).output().unwrap();
    let (told, complained) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{told}{complained}");
    let rated: Vec<&str> = told.lines().filter(|line| line.contains("  chat:")).collect();
    assert!(rated.len() == 1 && rated[0].contains("chat:first"), "{told}");
    for (player, why) in [
        ("chat:bad", "it answered 401 Unauthorized"),
        ("chat:gone", "the endpoint knows no model “gone”"),
        ("chat:poor", "is used up (calls = 20)"),
    ] {
        let lines: Vec<&str> = complained
            .lines()
            .filter(|line| line.starts_with(&format!("left out: {player}")))
            .collect();
        assert!(lines.len() == 1 && lines[0].contains(why), "{player}: {complained}");
    }
    assert!(!complained.contains("no record: "), "{complained}");
    assert!(
        complained
            .contains("error: 3 players were left out; fix that, then run the same command again")
    );
    let asked = |model: &str| {
        let requests = server.requests.lock().unwrap();
        requests.iter().filter(|request| request.body["model"] == model).count()
    };
    assert_eq!((asked("bad"), asked("gone"), asked("third")), (1, 1, 20));
}

/// The server for Battlesnake that the documentation shows plays against a built-in player.
#[test]
fn the_starter_for_battlesnake_plays() {
    use std::io::{BufRead, BufReader};
    let page = include_str!("../../../../docs/protocols.md");
    let (_, rest) = page.split_once("```python snake.py\n").unwrap();
    let source = rest.split_once("```\n").unwrap().0;
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let place = Place::new();
    place.write("snake.py", &source.replace("8000", &free.to_string()));
    let url = format!("http://127.0.0.1:{free}");
    place.write("bots.toml", &format!("[snake]\nurl = \"{url}\"\nprotocol = \"battlesnake\"\n"));
    let mut snake = Command::new("python3");
    let mut snake =
        snake.arg("snake.py").current_dir(place.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(snake.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening"), "{line}");
    let arguments = ["match", "tron", "http:snake", "random", "--scenario", "obstacles", "--json"];
    let played = place.run(&arguments);
    snake.kill().unwrap();
    snake.wait().unwrap();
    let record: serde_json::Value = serde_json::from_slice(&played.stdout).unwrap();
    assert_eq!(record["outcome"]["fault"], serde_json::Value::Null);
    assert_eq!(record["outcome"]["scores"][0], 1.0, "a random player crashes first: {record}");
}

#[test]
fn questions_and_answers_are_shown_by_turn_and_the_key_nowhere() {
    let server = Server::start(true, |request, _| Some(answer(request)));
    let place = set_up(&server);
    let listed = text(&run(&place, &["bot", "list"]).stdout);
    assert!(listed.contains("chat:first, chat:second, chat:third"), "{listed}");
    let scenario = ["--scenario", "hackerrank", "--store", "quintain.sqlite"];
    let played = run(&place, &[&["match", "tron", "chat:first", "space"], &scenario[..]].concat());
    let said = text(&played.stderr);
    assert!(said.contains("chat:first: ") && said.contains("1 unreadable"), "{said}");
    let log = text(&run(&place, &["replay", "--log"]).stdout);
    for part in ["turn 0, A > You play the game tron", "turn 2, A Let me see.", "turn 3, A U"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let checked = text(&run(&place, &["bot", "check", "chat:second"]).stdout);
    assert!(checked.starts_with("ok   tron:hackerrank: “R” after "), "{checked}");
    assert!(checked.ends_with("chat:second is ready for a tournament\n"), "{checked}");
    let head = &server.requests.lock().unwrap()[0].head;
    assert!(head.contains(&format!("authorization: bearer {KEY}")));
    let files = contents(place.path());
    assert!(!files.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
}

/// Whatever is done with a model whose endpoint repeats the key in answers and refusals, the key is
/// in no output, log, page, store or other file.
#[test]
fn the_key_is_in_no_output_and_no_file_whatever_is_done() {
    let server = Server::start(true, |request, number| match number % 5 {
        1 => Some(
            Reply::new("500 Oops", format!("key {KEY} failed")).with_header("retry-after", "0"),
        ),
        3 => {
            let text = format!("My key is {KEY}.");
            let choices = json!([{ "message": { "content": text }, "finish_reason": "stop" }]);
            Some(Reply::new("200 OK", json!({ "choices": choices }).to_string()))
        }
        _ => Some(answer(request)),
    });
    let place = set_up(&server);
    let mut said = Vec::new();
    let mut run = |arguments: &[&str]| {
        let output = command(&place, arguments).output().unwrap();
        said.extend([output.stdout, output.stderr].concat());
    };
    let scenario = ["--scenario", "hackerrank", "--store", "quintain.sqlite", "-vvv"];
    run(&[&["match", "tron", "chat:first", "space", "--notes"], &scenario[..]].concat());
    run(&["tournament", "cup.toml", "-vvv"]);
    run(&["bot", "check", "chat:first", "-vvv"]);
    run(&["bot", "list"]);
    run(&["replay", "--log"]);
    run(&["replay", "--html", "match.html", "--any-size"]);
    run(&["report", "cup", "-o", "pages"]);
    run(&["export", "--what", "records", "--format", "jsonl"]);
    run(&["standings", "--full"]);
    // An endpoint that refuses the key, repeats it and ends the tournament.
    let refusing = Server::start(true, |_, _| {
        Some(Reply::new("401 Unauthorized", format!("no such key: {KEY}")))
    });
    let list = std::fs::read_to_string(place.path().join("bots.toml")).unwrap();
    place.write("bots.toml", &list.replace(&server.address, &refusing.address));
    run(&["tournament", "cup.toml", "--seeds", "4", "-vvv"]);
    run(&["bot", "check", "chat:second", "-vvv"]);
    assert!(text(&said).contains("(secret)"), "{}", text(&said));
    for bytes in [said, contents(place.path())] {
        assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
    }
}

#[test]
fn wrong_settings_of_a_model_are_explained_in_one_line() {
    let server = Server::start(true, |_, _| {
        Some(Reply::new("404 Not Found", json!({ "detail": "Not Found" }).to_string()))
    });
    let place = set_up(&server);
    let output = command(&place, &["bot", "check", "chat:first"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("BAD tron:hackerrank") && said.contains("is the path"), "{said}");
    let mut without = place.command(&["bot", "check", "chat:first"]);
    let output = without.env_remove("MODEL_KEY").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complained = text(&output.stderr);
    assert!(complained.contains("MODEL_KEY, for the key, is not set"), "{complained}");
}
