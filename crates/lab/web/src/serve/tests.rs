use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path as File, PathBuf};

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode};
use flate2::read::GzDecoder;
use quintain_arena::compare::review;
use quintain_arena::{RunProgress, Tournament, run};
use quintain_report::{Detail, render_comparison};
use quintain_store::{
    FaultyMatch, Filter, Lead, NewSeries, NewTest, NewVersion, PlayerName, Store, TestReport,
    TestRunner, TestState, VersionInfo,
};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::replay::tests::catalog;

/// Analyses of matches for those who watch them.
mod analyses;
/// Hostile clients, each over real connections from its own address.
#[cfg(target_os = "linux")]
mod attacks;
/// Single matches: how they are found and taken away.
mod matches;
/// Matches that people play.
mod play;
/// The queue of tests, and series of versions.
mod queue;
/// Strangers, their names, and what they may not ask for.
mod refusals;
/// The pages of a tournament, and what they compare.
mod tournaments;

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

fn unpack(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// A store in a temporary folder, with tournaments played.
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
        self.app_with(allow_play, &Limits::default())
    }

    fn app_within(&self, limits: &Limits) -> App {
        self.app_with(false, limits)
    }

    fn app_with(&self, allow_play: bool, limits: &Limits) -> App {
        let (store, catalog) = (self.store.clone(), catalog());
        let frames = vec!["https://example.org".to_owned()];
        let matches = <_>::default();
        let guard = guard::Guard::new("127.0.0.1:8080".parse().unwrap()).framed_by(&frames);
        let options = Options { store, catalog, allow_play, matches, frames, workers: None };
        let shared = Arc::new(Shared::new(options, limits));
        App(router(Arc::clone(&shared), None, limits, guard), shared)
    }
}

/// The server's routes, and what they share.
struct App(Router, Arc<Shared>);

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

    /// Sends a request as the client with this number.
    async fn send_from(&self, client: u8, mut request: Request<Body>) -> Answer {
        let from = SocketAddr::from(([127, 0, 0, client], 40_000));
        request.extensions_mut().insert(ConnectInfo(from));
        let response = self.0.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 8 << 20).await.unwrap();
        let is_packed =
            parts.headers.get("content-encoding").is_some_and(|coding| coding == "gzip");
        let bytes = if is_packed { unpack(&bytes) } else { bytes.to_vec() };
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

/// Seats these players in the matches of the store, as a stranger's store may claim it; returns the
/// paths of the matches.
fn claim_players(place: &Place, name_of: impl Fn(&str) -> String) -> Vec<String> {
    let mut store = Store::open(&place.store).unwrap();
    let mut records = Vec::new();
    store
        .for_each_record(&Filter::default(), |row| {
            records.push(row.record().unwrap());
            Ok::<(), quintain_store::StoreError>(())
        })
        .unwrap();
    let id = store.tournament(None).unwrap().id;
    for record in &mut records {
        record.fixture.seats.iter_mut().for_each(|name| *name = name_of(name));
        record.id = record.fixture.id();
        let row = quintain_store::RecordRow::new(record, Duration::ZERO);
        store.insert(Some(id), &[row]).unwrap();
    }
    records.into_iter().map(|record| format!("/matches/{}", record.id)).collect()
}

/// A page whose names are not marked as such.
fn without_names(page: &str) -> String {
    page.replace("<span class=\"name\">", "").replace("</span>", "")
}

#[tokio::test]
async fn text_is_compressed_for_those_who_accept_it() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    for path in ["/", "/assets/board.js", "/assets/base.css", "/api/openapi.json"] {
        let packed = app.get(path).await;
        assert_eq!(packed.headers["content-encoding"], "gzip", "{path}");
        assert_eq!(packed.headers["vary"], "accept-encoding", "{path}");
        let request = Request::get(path).header("host", "localhost:8080");
        let plain = app.send(request.body(Body::empty()).unwrap()).await;
        assert!(!plain.headers.contains_key("content-encoding"), "{path}");
        assert_eq!(plain.text, packed.text, "{path}");
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
    let mut paths = paths;
    if !cfg!(feature = "fleet") {
        paths.remove("/api/workers");
    }
    assert_eq!(paths, routed);

    let place = play_tournaments(&[CUP]);
    let (who, what) = ("ann".to_owned(), "space against random".to_owned());
    let test = quintain_store::NewTest { priority: 0, who, what, question: "{}".to_owned() };
    Store::open(&place.store).unwrap().propose_test(&test).unwrap();
    let app = place.app(true);
    let id = app.get("/api/matches").await.json()["matches"][0]["id"].as_str().unwrap().to_owned();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let Some(get) = methods.get("get") else { continue };
        // A judgement is about a move, which no address has by itself.
        let others = ["/api/play/{id}", "/api/workers", "/api/matches/{id}/judgement"];
        if path.ends_with("/events") || others.contains(&path.as_str()) {
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
async fn a_missing_store_is_waited_for() {
    let place = play_tournaments(&[]);
    let app = place.app(false);
    let empty = app.get("/").await;
    assert_eq!(empty.status, StatusCode::OK);
    assert!(empty.text.contains("quintain tournament"), "{}", empty.text);
    assert_eq!(app.get("/api/tournaments").await.json(), json!([]));
    assert_eq!(app.get("/tournaments/1").await.status, StatusCode::NOT_FOUND);
    play_into(&place.store, SOLO);
    assert!(app.get("/").await.text.contains("solo"));
    // Cached data is refreshed when there is more.
    let before = app.get("/api/tournaments/1").await.json();
    assert_eq!((&before["played"], &before["fixtures"]), (&json!(10), &json!(10)));
}
