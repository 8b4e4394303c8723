use std::collections::BTreeSet;
use std::path::{Path as File, PathBuf};

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode};
use quintain_arena::{RunProgress, Tournament, run};
use quintain_store::{Filter, Store};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::replay::tests::catalog;

/// Clients who mean harm, over real connections from addresses of their own.
#[cfg(target_os = "linux")]
mod attacks;

const CUP: &str = r#"
    name = "cup <b>of</b> bots"
    game = "tron"
    scenarios = ["empty?width=9&height=9", "rooms?width=11&height=11"]
    players = ["wall-hugger", "space", "random"]
    seeds = 4
"#;

const SOLO: &str = r#"
    name = "solo"
    game = "polymer"
    scenarios = ["random?n=12&width=6&height=6"]
    players = ["greedy", "random"]
    seeds = 5
"#;

/// A store in a folder of its own, with tournaments played.
struct Place {
    _folder: tempfile::TempDir,
    store: PathBuf,
}

fn play_tournaments(files: &[&str]) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    for file in files {
        play_into(&store, file);
    }
    Place { _folder: folder, store }
}

fn play_into(store: &File, file: &str) {
    let tournament = Tournament::parse(file, "test.toml", &catalog()).unwrap();
    let mut store = Store::open(store).unwrap();
    let options =
        quintain_arena::RunOptions { threads: 1, ..quintain_arena::RunOptions::default() };
    run(&tournament, &mut store, &options, &mut |_: &RunProgress| {}).unwrap();
}

impl Place {
    fn app(&self, allow_play: bool) -> App {
        let (store, catalog) = (self.store.clone(), catalog());
        let options =
            Options { store, catalog, allow_play, matches: <_>::default(), workers: None };
        App(router(options, None, &Limits::default(), "127.0.0.1:8080".parse().unwrap()))
    }
}

struct App(Router);

struct Answer {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }
}

impl App {
    async fn send(&self, request: Request<Body>) -> Answer {
        self.send_from(1, request).await
    }

    /// As the client with this number.
    async fn send_from(&self, client: u8, mut request: Request<Body>) -> Answer {
        let from = SocketAddr::from(([127, 0, 0, client], 40_000));
        request.extensions_mut().insert(ConnectInfo(from));
        let response = self.0.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 8 << 20).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).header("host", "localhost:8080");
        let request = request.header("accept-encoding", "gzip");
        self.send(request.body(Body::empty()).unwrap()).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_from(1, path, body).await
    }

    async fn post_from(&self, client: u8, path: &str, body: &Value) -> Answer {
        let request = Request::post(path).header("host", "localhost:8080");
        let request = request.header("content-type", "application/json");
        self.send_from(client, request.body(Body::from(body.to_string())).unwrap()).await
    }
}

#[tokio::test]
async fn every_page_of_a_tournament_is_there() {
    let place = play_tournaments(&[CUP, SOLO]);
    let app = place.app(false);
    let found = app.get("/api/tournaments/1/matches").await.json();
    let id = found["matches"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(found["total"], 48);
    for path in [
        "/".to_owned(),
        "/tournaments/1".to_owned(),
        "/tournaments/1/part".to_owned(),
        "/tournaments/2".to_owned(),
        "/tournaments/1/matches?player=space&outcome=won&order=longest".to_owned(),
        "/tournaments/1/matches?order=upsets".to_owned(),
        "/tournaments/2/matches?player=random&order=worst".to_owned(),
        "/tournaments/1/compare".to_owned(),
        "/tournaments/2/compare?a=random&b=greedy".to_owned(),
        "/matches".to_owned(),
        format!("/matches/{id}"),
        "/play".to_owned(),
        "/assets/base.css".to_owned(),
        "/assets/viewer.js".to_owned(),
    ] {
        let answer = app.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_description_and_the_api_are_the_same() {
    let described: Value = serde_json::from_str(api::OPENAPI).unwrap();
    let paths: BTreeSet<&str> =
        described["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let routes = routes(true, true, true);
    let routed: BTreeSet<&str> =
        routes.iter().map(|(path, _)| *path).filter(|path| path.starts_with("/api/")).collect();
    assert_eq!(paths, routed);

    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let id = app.get("/api/matches").await.json()["matches"][0]["id"].as_str().unwrap().to_owned();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let Some(get) = methods.get("get") else { continue };
        if path.ends_with("/events") || path == "/api/play/{id}" {
            continue;
        }
        let named = path.replace("{number}", "1").replace("{id}", &id).replace("{game}", "tron");
        let answer = app.get(&named).await;
        assert_eq!(answer.status, StatusCode::OK, "{named}: {}", answer.text);
        let kinds = get["responses"]["200"]["content"].as_object().unwrap();
        let kind = answer.headers["content-type"].to_str().unwrap();
        assert!(kinds.contains_key(kind), "{named} is {kind}");
        let schema = &kinds[kind]["schema"];
        let name = schema["$ref"].as_str().or(schema["items"]["$ref"].as_str());
        if let Some(name) = name.filter(|_| !path.ends_with("/replay")) {
            let schema = &described["components"]["schemas"][name.rsplit('/').next().unwrap()];
            let value = answer.json();
            let value = if value.is_array() { &value[0] } else { &value };
            for field in schema["required"].as_array().unwrap() {
                assert!(value.get(field.as_str().unwrap()).is_some(), "{named} lacks {field}");
            }
            for field in value.as_object().unwrap().keys() {
                assert!(schema["properties"].get(field).is_some(), "{named}: {field} is new");
            }
        }
    }
}

#[tokio::test]
async fn exports_are_those_of_the_command() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let store = Store::open_to_read(&place.store).unwrap();
    let id = store.tournament(None).unwrap().id;
    let filter = Filter { sorted: true, ..Filter::tournament(id) };
    let mut csv = Vec::new();
    let table = quintain_report::export::ExportFormat::Csv;
    quintain_report::export::results(&store, &filter, table, &mut csv).unwrap();
    assert_eq!(app.get("/api/tournaments/1/results?form=csv").await.text.as_bytes(), csv);
    let mut records = Vec::new();
    quintain_report::export::records(&store, &filter, &mut records).unwrap();
    assert_eq!(app.get("/api/tournaments/1/records").await.text.as_bytes(), records);
    let first = String::from_utf8(records).unwrap().lines().next().unwrap().to_owned();
    let record = quintain_core::Record::from_json(&first).unwrap();
    let short = format!("/api/matches/{}", &record.id[..10]);
    assert_eq!(app.get(&short).await.text, first, "by the first digits of its id");
}

#[tokio::test]
async fn searches_find_what_they_say() {
    let place = play_tournaments(&[CUP, SOLO]);
    let app = place.app(false);
    let search = async |query: &str| app.get(&format!("/api/tournaments/{query}")).await.json();
    let all = search("1/matches").await;
    let lost = search("1/matches?player=random&outcome=lost").await;
    let drawn = search("1/matches?player=random&outcome=drawn").await;
    let won = search("1/matches?player=random&outcome=won").await;
    let with_it = search("1/matches?player=random").await;
    let total = |found: &Value| found["total"].as_u64().unwrap();
    assert_eq!(total(&lost) + total(&drawn) + total(&won), total(&with_it));
    assert!(total(&lost) > 0 && total(&with_it) < total(&all));
    let longest = search("1/matches?order=longest").await;
    let turns: Vec<u64> = longest["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["turns"].as_u64().unwrap())
        .collect();
    assert!(turns.is_sorted_by(|a, b| a >= b), "{turns:?}");
    let worst = search("2/matches?player=random&order=worst").await;
    let behind: Vec<f64> = worst["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["measure"].as_f64().unwrap())
        .collect();
    assert_eq!(behind.len(), 5);
    assert!(behind.is_sorted_by(|a, b| a >= b), "{behind:?}");
    let standings = search("1/standings").await;
    let upsets = search("1/matches?order=upsets").await;
    let rating = |name: &str| {
        let rows = standings["overall"].as_array().unwrap();
        rows.iter().find(|row| row["player"] == name).unwrap()["elo"]["rating"].as_f64().unwrap()
    };
    for found in upsets["matches"].as_array().unwrap() {
        let (players, scores) = (&found["players"], &found["scores"]);
        let winner = usize::from(scores[1].as_f64() > scores[0].as_f64());
        let (won, lost) =
            (players[winner].as_str().unwrap(), players[1 - winner].as_str().unwrap());
        let by = rating(lost) - rating(won);
        assert!((found["measure"].as_f64().unwrap() - by).abs() < 1e-6 && by > 0.0);
    }
}

#[tokio::test]
async fn a_comparison_is_that_of_the_paired_scores() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(false);
    let one = app.get("/api/tournaments/1/compare?a=greedy&b=random").await.json();
    let other = app.get("/api/tournaments/1/compare?a=random&b=greedy").await.json();
    let pairs = one["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 5);
    let value = |pair: &Value, who: &str| pair[who].as_f64().unwrap();
    let mean: f64 = pairs.iter().map(|p| value(p, "a") - value(p, "b")).sum::<f64>() / 5.0;
    let difference = |found: &Value| found["difference"]["difference"].as_f64().unwrap();
    assert!((difference(&one) - mean).abs() < 1e-9);
    assert!((difference(&other) + mean).abs() < 1e-9);
    let low = one["difference"]["interval"]["low"].as_f64().unwrap();
    let high = other["difference"]["interval"]["high"].as_f64().unwrap();
    assert!((low + high).abs() < 1e-9 && low <= mean);
    let unknown = app.get("/api/tournaments/1/compare?a=gredy").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.text.contains("did you mean"), "{}", unknown.text);
}

#[tokio::test]
async fn names_from_outside_are_text_on_every_page() {
    let place = play_tournaments(&[CUP]);
    let mut store = Store::open(&place.store).unwrap();
    // A record of a player whose name is markup, in the tournament.
    let mut stored = None;
    store
        .stored(&Filter { limit: Some(1), ..Filter::default() }, |row| {
            stored = Some(row.record().unwrap());
            Ok::<(), quintain_store::StoreError>(())
        })
        .unwrap();
    let mut record = stored.unwrap();
    record.fixture.seats[0] =
        "exec:<script>alert(1)</script>\"'><img src=x onerror=alert(2)>".to_owned();
    record.outcome.ending = "<script>alert(3)</script>".to_owned();
    record.id = record.fixture.id();
    let id = store.tournament(None).unwrap().id;
    store
        .insert(Some(id), &[quintain_store::RecordRow::new(&record, std::time::Duration::ZERO)])
        .unwrap();
    let app = place.app(false);
    for path in
        ["/", "/tournaments/1", "/tournaments/1/matches", "/tournaments/1/compare", "/matches"]
    {
        let answer = app.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(
            !answer.text.contains("<script>alert") && !answer.text.contains("<img src=x"),
            "{path}"
        );
        assert!(!answer.text.contains("<b>of</b>"), "{path}");
    }
    let page = app.get("/tournaments/1").await.text;
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the name is shown");
    let answer = app.get("/tournaments/1/compare?a=%3Cscript%3Ealert(4)%3C/script%3E").await;
    assert!(!answer.text.contains("<script>alert"), "{}", answer.text);
}

#[tokio::test]
async fn no_path_leads_out_of_what_is_served() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    for path in [
        "/assets/../serve.rs",
        "/assets/..%2f..%2fCargo.toml",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets//etc/passwd",
        "/matches/..%2f..%2fetc%2fpasswd",
        "/api/matches/%2e%2e%2fstore.sqlite",
        "/store.sqlite",
        "/api/games/..%2f..",
        "/tournaments/1%20OR%201=1",
    ] {
        let answer = app.get(path).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.status);
        assert!(!answer.text.contains("root:"), "{path}");
    }
    for scenario in
        ["file?path=/etc/passwd", "tron:file?path=/etc/passwd", " file?path=/etc/passwd"]
    {
        let wish = json!({ "game": "tron", "scenario": scenario, "opponent": "space" });
        let answer = app.post("/api/play", &wish).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{scenario}: {}", answer.text);
    }
}

#[tokio::test]
async fn nothing_is_written_unless_people_may_play() {
    let place = play_tournaments(&[CUP]);
    let before = std::fs::read(&place.store).unwrap();
    let app = place.app(false);
    let wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
    for path in ["/api/play", "/api/tournaments", "/", "/tournaments/1", "/api/matches"] {
        let answer = app.post(path, &wish).await;
        assert!(
            matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED),
            "{path}: {}",
            answer.status
        );
    }
    for method in [Method::PUT, Method::DELETE, Method::PATCH] {
        let request = Request::builder().method(method).uri("/api/tournaments/1");
        let request =
            request.header("host", "localhost").header("content-type", "application/json");
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    }
    assert_eq!(app.get("/play/tron").await.status, StatusCode::NOT_FOUND);
    assert_eq!(std::fs::read(&place.store).unwrap(), before);
}

#[tokio::test]
async fn foreign_pages_and_foreign_names_are_refused() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let ask = |host: &str, origin: Option<&str>, kind: &str| {
        let wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
        let mut request =
            Request::post("/api/play").header("host", host).header("content-type", kind);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        request.body(Body::from(wish.to_string())).unwrap()
    };
    let json = "application/json";
    for (request, status) in [
        (ask("localhost:8080", None, json), StatusCode::CREATED),
        (ask("localhost:8080", Some("http://localhost:8080"), json), StatusCode::CREATED),
        (ask("evil.example:8080", None, json), StatusCode::FORBIDDEN),
        (ask("localhost:8080", Some("http://evil.example"), json), StatusCode::FORBIDDEN),
        (ask("localhost:8080", Some("null"), json), StatusCode::FORBIDDEN),
        (ask("localhost:8080", None, "text/plain"), StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let answer = app.send(request).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn what_is_too_large_or_out_of_range_is_refused() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = |name: &str, value: Value| {
        let mut wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
        wish[name] = value;
        wish
    };
    for (wish, status) in [
        (wish("name", "x".repeat(20_000).into()), StatusCode::PAYLOAD_TOO_LARGE),
        (wish("name", "x".repeat(41).into()), StatusCode::BAD_REQUEST),
        (wish("name", "a\u{7}b".into()), StatusCode::BAD_REQUEST),
        (wish("seat", 2.into()), StatusCode::BAD_REQUEST),
        (wish("think", 3_600_000.into()), StatusCode::BAD_REQUEST),
        (wish("opponent", "exec:\"rm -rf /\"".into()), StatusCode::BAD_REQUEST),
        (wish("opponent", "nobody".into()), StatusCode::BAD_REQUEST),
        (wish("game", "chess".into()), StatusCode::NOT_FOUND),
    ] {
        let answer = app.post("/api/play", &wish).await;
        assert_eq!(answer.status, status, "{wish}: {}", answer.text);
    }
    let crowd = json!({
        "game": "gather", "scenario": "full", "opponent": "random", "seat": 0,
    });
    assert_eq!(app.post("/api/play", &crowd).await.status, StatusCode::BAD_REQUEST);
    let large = json!({ "game": "polymer", "scenario": "random?width=900&height=900" });
    assert_eq!(app.post("/api/play", &large).await.status, StatusCode::BAD_REQUEST);
    let long = format!("/tournaments/1/matches?player={}", "x".repeat(3000));
    assert_eq!(app.get(&long).await.status, StatusCode::URI_TOO_LONG);
}

#[tokio::test]
async fn matches_under_way_are_bounded_in_number() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
    let begin = async |client: u8| app.post_from(client, "/api/play", &wish).await;
    // One client gets its share, and the others get theirs all the same.
    for client in 1..=4 {
        for _ in 0..8 {
            assert_eq!(begin(client).await.status, StatusCode::CREATED);
        }
        let refused = begin(client).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.text.contains("of your address"), "{}", refused.text);
    }
    assert_eq!(begin(5).await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_match_that_is_over_makes_room() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({
        "game": "tron", "scenario": "empty?width=5&height=5", "opponent": "space", "think": 10,
    });
    let mut ids = BTreeSet::new();
    for _ in 0..10 {
        let view = play_to_the_end(&app, &wish).await;
        ids.insert(view["id"].as_str().unwrap().to_owned());
    }
    let mut there = 0;
    for id in &ids {
        there += u32::from(app.get(&format!("/api/play/{id}")).await.status == StatusCode::OK);
    }
    assert_eq!(there, 8, "the first two made room");
}

#[tokio::test]
async fn a_visitor_makes_no_opponent_larger_than_it_is() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish =
        |opponent: &str| json!({ "game": "tron", "scenario": "empty", "opponent": opponent });
    let refused = app.post("/api/play", &wish("champion?table_bits=26")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text.contains("table_bits=26: at most 18"), "{}", refused.text);
    for opponent in ["champion?table_bits=12", "champion"] {
        let begun = app.post("/api/play", &wish(opponent)).await;
        assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text);
    }
}

/// Plays the first offered action until the match is over.
async fn play_to_the_end(app: &App, wish: &Value) -> Value {
    let begun = app.post("/api/play", wish).await;
    assert_eq!(begun.status, StatusCode::CREATED, "{}", begun.text);
    let mut view = begun.json();
    let path = format!("/api/play/{}/move", view["id"].as_str().unwrap());
    for _ in 0..400 {
        if view["over"] == true {
            return view;
        }
        let offered = view["offered"].as_array().unwrap();
        let action = offered.first().cloned().unwrap_or("reject".into());
        let answer = app.post(&path, &json!({ "action": action })).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        view = answer.json();
    }
    panic!("the match does not end");
}

#[tokio::test]
async fn a_match_that_a_person_played_is_a_record_like_any_other() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    for (game, scenario, opponent) in [
        ("tron", "empty?width=9&height=9", "space"),
        ("gather", "torus?width=5&height=5&players=3", "random"),
        ("pentocity", "stars?side=20", ""),
        ("polymer", "random?n=12&width=6&height=6", ""),
        ("connect-four", "standard", "random"),
    ] {
        let wish = json!({
            "game": game, "scenario": scenario, "opponent": opponent, "name": "<b>Ada</b>",
            "think": 10,
        });
        let view = play_to_the_end(&app, &wish).await;
        let id = view["record"].as_str().unwrap();
        let store = Store::open_to_read(&place.store).unwrap();
        let record = store.get(id).unwrap().record().unwrap();
        assert_eq!(record.fixture.seats[0], "human:<b>Ada</b>");
        catalog().verify(&record).unwrap();
        assert_eq!(app.get(&format!("/matches/{id}")).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_person_sees_no_more_than_the_seat() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({
        "game": "gather", "scenario": "torus?width=9&height=9&players=3", "opponent": "random",
    });
    let view = app.post("/api/play", &wish).await.json();
    let tracks = view["replay"]["tracks"].as_array().unwrap();
    for track in tracks {
        let runs = track["cells"][0].as_array().unwrap();
        let seen: u64 = runs.iter().skip(1).step_by(3).map(|run| run.as_u64().unwrap()).sum();
        assert!(seen <= 9, "{}: {seen} cells", track["name"]);
    }
    assert!(view.get("state").is_none() && view["replay"]["seed"] == "");
    assert!(view.get("seed").is_none() && view.get("actions").is_none());
}

#[tokio::test]
async fn a_hint_is_legal_and_a_helped_match_is_not_kept() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "hextris", "scenario": "drawn?size=21", "seed": 1 });
    let view = app.post("/api/play", &wish).await.json();
    assert_eq!(view["is_kept"], true);
    let id = view["id"].as_str().unwrap();
    let hint = app.post(&format!("/api/play/{id}/hint"), &json!({})).await.json();
    let played = app
        .post(&format!("/api/play/{id}/move"), &json!({ "action": hint["action"] }))
        .await
        .json();
    assert_eq!((&played["turn"], &played["is_kept"]), (&json!(1), &json!(false)), "{hint}");
}

#[tokio::test]
async fn a_match_goes_on_from_what_was_played_before() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = |actions: &[&str]| {
        json!({
            "game": "connect-four", "scenario": "standard", "opponent": "random",
            "actions": actions,
        })
    };
    let view = app.post("/api/play", &wish(&["4", "4"])).await.json();
    assert_eq!((&view["turn"], &view["is_kept"]), (&json!(2), &json!(false)), "{view}");
    let refused = app.post("/api/play", &wish(&["4", "x"])).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text.contains("turn 1 of what was played"), "{}", refused.text);
}

#[tokio::test]
async fn a_match_that_is_given_up_makes_room() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "polymer", "scenario": "L08_s01", "seed": 1 });
    let mut ids = Vec::new();
    let refused = loop {
        let answer = app.post("/api/play", &wish).await;
        if !answer.status.is_success() {
            break answer;
        }
        ids.push(answer.json()["id"].as_str().unwrap().to_owned());
        assert!(ids.len() < 1000, "nobody is refused");
    };
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "{}", refused.text);
    let end = format!("/api/play/{}/end", ids[0]);
    assert_eq!(app.post(&end, &json!({})).await.status, StatusCode::NO_CONTENT);
    assert_eq!(app.post(&end, &json!({})).await.status, StatusCode::NOT_FOUND);
    assert!(app.post("/api/play", &wish).await.status.is_success());
}

#[tokio::test]
async fn pointing_tells_points_and_the_rule_that_is_broken() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "pentocity", "scenario": "stars?side=20", "seed": 1 });
    let view = app.post("/api/play", &wish).await.json();
    let id = view["id"].as_str().unwrap();
    let point = format!("/api/play/{id}/point");
    let corner = app.post(&point, &json!({ "row": 0, "column": 0 })).await.json();
    assert_eq!(corner["refused"], Value::Null, "{corner}");
    assert!(
        corner["gain"].as_f64().unwrap() > 0.0 && corner["cells"].as_array().unwrap().len() >= 5
    );
    let moved =
        app.post(&format!("/api/play/{id}/move"), &json!({ "action": corner["action"] })).await;
    assert_eq!(moved.json()["turn"], 1);
    let taken = app.post(&point, &json!({ "row": 0, "column": 0 })).await.json();
    assert!(taken["refused"].as_str().unwrap().contains("taken"), "{taken}");
    let undone = app.post(&format!("/api/play/{id}/undo"), &json!({})).await.json();
    assert_eq!(undone["turn"], 0);
    let refused = app.post(&format!("/api/play/{id}/move"), &json!({ "action": "r0@19,19" })).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("outside of the land"), "{}", refused.text);
}

#[tokio::test]
async fn a_store_that_is_not_there_yet_is_waited_for() {
    let place = play_tournaments(&[]);
    let app = place.app(false);
    let empty = app.get("/").await;
    assert_eq!(empty.status, StatusCode::OK);
    assert!(empty.text.contains("quintain tournament"), "{}", empty.text);
    assert_eq!(app.get("/api/tournaments").await.json(), json!([]));
    assert_eq!(app.get("/tournaments/1").await.status, StatusCode::NOT_FOUND);
    play_into(&place.store, SOLO);
    assert!(app.get("/").await.text.contains("solo"));
    // What was read once is read anew when there is more.
    let before = app.get("/api/tournaments/1").await.json();
    assert_eq!((&before["played"], &before["fixtures"]), (&json!(10), &json!(10)));
}

/// What an analysis that was begun finds in the end.
async fn analysed(app: &App, path: &str, player: &str) -> Value {
    loop {
        let answer = app.get(&format!("{path}?player={player}")).await;
        // Whoever asks too often waits as a page does.
        let is_refused = answer.status == StatusCode::TOO_MANY_REQUESTS;
        let answer = answer.json();
        match answer["state"].as_str() {
            Some("done") => return answer,
            Some("waiting" | "running") => {}
            None if is_refused => {}
            _ => panic!("{answer}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_analysed_while_people_watch_it() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(true);
    let id = app.get("/api/matches").await.json()["matches"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/matches/{id}/analysis");
    assert_eq!(app.get(&path).await.json()["state"], "unasked");
    assert_eq!(app.post(&path, &json!({ "player": "greedy" })).await.status, StatusCode::OK);
    let answer = analysed(&app, &path, "greedy").await;
    assert_eq!(answer["review"]["complete"], true);
    let record = app.get(&format!("/api/matches/{id}")).await.json();
    let turns = answer["review"]["turns"].as_array().unwrap();
    assert_eq!(turns.last().unwrap()["values"], record["outcome"]["scores"]);
    // It is kept: whoever asks again gets it at once.
    assert_eq!(app.post(&path, &json!({ "player": "greedy" })).await.json(), answer);
    let page = app.get(&format!("/matches/{id}")).await.text;
    assert!(page.contains("data-analysts=\"champion "), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_analyse_one_match_at_a_time_by_players_as_they_are() {
    let place = play_tournaments(&[CUP]);
    let (app, watching) = (place.app(true), place.app(false));
    let found = app.get("/api/matches").await.json();
    let path = |number: usize| {
        format!("/api/matches/{}/analysis", found["matches"][number]["id"].as_str().unwrap())
    };
    let closed = watching.post(&path(0), &json!({})).await;
    assert_eq!(closed.status, StatusCode::NOT_FOUND, "where nobody may play");
    for player in ["champion?nodes=1000000", "bot:mine", "nobody"] {
        let refused = app.post(&path(0), &json!({ "player": player })).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{player}");
    }
    // It thinks for longer than a request takes.
    let uct = json!({ "player": "uct" });
    assert_eq!(app.post(&path(0), &uct).await.status, StatusCode::OK);
    let refused = app.post(&path(1), &uct).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.text.contains("too many analyses of your address"), "{}", refused.text);
    let waiting = app.post_from(2, &path(1), &uct).await.json();
    assert_eq!((&waiting["state"], &waiting["ahead"]), (&json!("waiting"), &json!(1)));
    analysed(&app, &path(1), "uct").await;
    analysed(&app, &path(0), "uct").await;
}
