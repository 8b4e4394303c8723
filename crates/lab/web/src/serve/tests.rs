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
/// Matches that people play.
mod play;

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

#[tokio::test]
async fn names_on_pages_neither_reorder_nor_hide_what_stands_beside_them() {
    let place = play_tournaments(&[CUP]);
    let claimed = claim_players(&place, |name| format!("\u{202e}\u{1b}[31m\u{feff}{name}\u{2066}"));
    let app = place.app(false);
    let of_one = claimed[0].clone();
    let part = ["", "/part", "/matches", "/compare"].map(|part| format!("/tournaments/1{part}"));
    for path in part.into_iter().chain([of_one, "/".to_owned(), "/matches".to_owned()]) {
        let page = app.get(&path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let hidden = ['\u{202e}', '\u{1b}', '\u{feff}', '\u{2066}'];
        assert!(!page.text.contains(hidden), "{path}");
    }
    let refused = app.get("/api/games/%E2%80%AEnort").await;
    assert!(!refused.text.contains('\u{202e}'), "{}", refused.text);
}

/// A page whose names are not marked as such.
fn without_names(page: &str) -> String {
    page.replace("<span class=\"name\">", "").replace("</span>", "")
}

#[tokio::test]
async fn what_is_wrong_with_an_address_is_said_in_its_own_words() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let order = "order: unknown “x”; expected one of arrival, upsets, worst, longest";
    for (path, status, expected) in [
        ("/api/tournaments/1/matches?order=x", StatusCode::BAD_REQUEST, order),
        ("/api/matches?page=-1", StatusCode::BAD_REQUEST, "page: expected a whole number from 0"),
        (
            "/api/tournaments/1/results?form=z",
            StatusCode::BAD_REQUEST,
            "form: unknown “z”; expected csv or jsonl",
        ),
        (
            "/api/matches/7b/question?x=1",
            StatusCode::BAD_REQUEST,
            "unknown “x” in the address; expected turn or seat",
        ),
        (
            "/api/matches/7b/judgement",
            StatusCode::BAD_REQUEST,
            "“player” is missing in the address",
        ),
        ("/api/tests/abc", StatusCode::NOT_FOUND, "there is no test “abc”: tests have numbers"),
    ] {
        let answer = app.get(path).await;
        assert_eq!((answer.status, answer.json()["error"].as_str()), (status, Some(expected)));
    }
    let page = app.get("/matches?order=x").await;
    assert!(page.status == StatusCode::BAD_REQUEST && page.text.contains(order), "{}", page.text);
}

#[tokio::test]
async fn a_page_that_is_sent_to_somebody_says_what_it_shows_but_not_who_won_a_match() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let of = |page: &str| {
        let (_, rest) = page.split_once("property=\"og:description\" content=\"")?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let tournament = app.get("/tournaments/1").await.text;
    assert!(of(&tournament).unwrap().contains("is first of 3 players"), "{tournament}");
    let compare = app.get("/tournaments/1/compare").await.text;
    let verdict = of(&compare).unwrap();
    let answer = format!("class=\"answer\"><strong>{verdict}</strong>");
    assert!(without_names(&compare).contains(&answer), "{compare}");
    let found = app.get("/api/tournaments/1/matches").await.json();
    let shown = app.get(&format!("/matches/{}", found["matches"][0]["id"].as_str().unwrap())).await;
    assert!(!of(&shown.text).unwrap().contains("beat"), "{}", shown.text);
}

#[tokio::test]
async fn the_page_of_a_swiss_tournament_says_no_more_than_its_table_does() {
    let swiss = CUP.replace("seeds = 4", "seeds = 6\npairing = \"swiss\"");
    let place = play_tournaments(&[&swiss]);
    let page = place.app(false).get("/tournaments/1").await.text;
    assert!(page.contains("Results decided who met whom"), "{page}");
    assert!(!page.contains("Not certain yet") && !page.contains("ranks are certain"), "{page}");
    assert!(page.contains("Round 1 of ") && page.contains("class=\"meeting\""), "{page}");
}

#[tokio::test]
async fn the_page_of_a_gauntlet_is_about_its_challenger() {
    let gauntlet = CUP.replace("seeds = 4", "seeds = 4\npairing = \"gauntlet\"");
    let place = play_tournaments(&[&gauntlet]);
    let page = without_names(&place.app(false).get("/tournaments/1").await.text);
    let challenger = gauntlet.split("players = [\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(page.contains(&format!("<strong>{challenger} took ")), "{page}");
}

#[tokio::test]
async fn every_page_leads_to_the_tests_and_to_the_workers_if_there_are_some() {
    let page = play_tournaments(&[CUP]).app(false).get("/").await.text;
    assert!(page.contains("<a href=\"/tests\">"), "{page}");
    assert!(!page.contains("<a href=\"/workers\">"), "{page}");
    assert!(pages::own_links(true, true).contains(&("/workers", "workers")));
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
        "/tournaments/1/matches?player=space&against=random".to_owned(),
        "/tournaments/1/compare".to_owned(),
        "/tournaments/2/compare?a=random&b=greedy".to_owned(),
        "/tests".to_owned(),
        "/matches".to_owned(),
        format!("/matches/{id}"),
        "/play".to_owned(),
        "/games/tron".to_owned(),
        "/games/tron/picture.svg".to_owned(),
        "/games/polymer/explained.svg".to_owned(),
        "/assets/base.css".to_owned(),
        "/assets/viewer.js".to_owned(),
    ] {
        let answer = app.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_tournament_of_rivals_begins_with_who_is_best_and_then_what_to_watch() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let page = app.get("/tournaments/1").await.text;
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part}: {page}"));
    let order = [
        "is first of 3 players",
        "class=\"ratings\"",
        "Worth watching",
        "Who met whom",
        "id=\"standings\"",
    ];
    assert!(order.map(at).is_sorted(), "{page}");
    assert!(page.contains("the longest: "), "{page}");
    // Scores and results of what is to be watched are folded away.
    let (_, watch) = page.split_once("id=\"notable\"").unwrap();
    let (watch, _) = watch.split_once("</ul>").unwrap();
    assert!(watch.contains("<details class=\"untold\">"), "{watch}");
    let told = |card: &&str| !card.contains("<details") && card.contains("class=\"number\"");
    assert_eq!(
        watch
            .split("</details>")
            .flat_map(|card| card.split("<details").next())
            .filter(told)
            .count(),
        0,
        "{watch}"
    );
    assert!(!page.contains("How scores spread"), "won, drawn and lost do not spread: {page}");

    // A cell of who met whom leads to its matches.
    let cell = page.split("?player=wall-hugger&amp;against=random\">").nth(1).unwrap();
    let games = cell.split('<').next().unwrap().split('–').map(|n| n.parse::<u64>().unwrap());
    let query = "/api/tournaments/1/matches?player=wall-hugger&against=random";
    assert_eq!(app.get(query).await.json()["total"], games.sum::<u64>());
    let compared = app.get("/tournaments/1/compare?a=random&b=wall-hugger").await.text;
    let compared = without_names(&compared);
    assert!(compared.contains("matches between them"), "{compared}");
    assert!(compared.contains("should watch"), "{compared}");
    assert!(!compared.contains("class=\"scatter\""), "{compared}");
    // After what the standings are sure of comes the sentence that the command prints about the
    // same matches.
    let store = Store::open_to_read(&place.store).unwrap();
    let info = store.tournament_by_number(1).unwrap();
    let review = review(&store, &info, "random", "wall-hugger").unwrap().unwrap();
    let printed = render_comparison(&review.comparison, Detail::Answer, None);
    let sentence = printed.lines().next().unwrap();
    let sure = compared.find("<strong>wall-hugger is certainly better than random").unwrap();
    assert!(compared.find(sentence).is_some_and(|at| at > sure), "{sentence}: {compared}");
    assert!(compared.contains("class=\"curve\""), "{compared}");
}

#[tokio::test]
async fn the_queue_of_tests_is_shown_with_the_evidence_of_each() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(false);
    assert!(app.get("/tests").await.text.contains("The queue is empty"));
    let about = "Tests of one player against another";
    assert!(!app.get("/").await.text.contains(about));
    let mut store = Store::open(&place.store).unwrap();
    let what = "<i>mine</i> against \u{202e}other".to_owned();
    let (who, question) = ("ann".to_owned(), String::new());
    let number = store.propose_test(&NewTest { priority: 2, who, what, question }).unwrap();
    assert!(app.get("/").await.text.contains(about));
    assert!(app.get("/tests/1").await.text.contains("Not begun yet"));

    let (_, lock) = store.take_test(&[]).unwrap().unwrap();
    let report = TestReport {
        players: ["mine".to_owned(), "other".to_owned()],
        matches: 40,
        most_matches: 2000,
        course: vec![(20, 0.5, -1.0), (40, 2.0, -3.0)],
        decisive: 3.7,
        answer: vec!["mine is better than other".to_owned()],
        faults: [BTreeMap::from([("time".to_owned(), 3)]), BTreeMap::new()],
        ..TestReport::default()
    };
    store.report_test(number, &report).unwrap();
    let page = app.get("/tests/1").await;
    assert_eq!(page.headers["refresh"], "5", "it is running");
    let shown = page.text;
    assert!(shown.contains("&lt;i&gt;mine") && !shown.contains('\u{202e}'), "{shown}");
    assert!(shown.contains("class=\"curve\"") && shown.contains("40 of at most 2000"), "{shown}");
    assert!(shown.contains("<strong>mine is better than other</strong>"), "{shown}");
    assert!(shown.contains("3 by time"), "{shown}");
    assert!(!shown.contains("id=\"pairs\"") && !shown.contains("id=\"machines\""), "{shown}");
    let faulty = FaultyMatch {
        id: "0123abcd".to_owned(),
        fault: "crash: exit code 1".to_owned(),
        last_lines: vec!["Traceback:".to_owned(), "<KeyError>".to_owned()],
    };
    let report = TestReport {
        pairs: Some([1, 2, 3, 4, 5, 6]),
        played_by: BTreeMap::from([("desk".to_owned(), 46)]),
        notes: vec!["mine crashed on its first move on desk:1; asking other workers".to_owned()],
        faulty: vec![faulty],
        ..report
    };
    store.report_test(number, &report).unwrap();
    let shown = app.get("/tests/1").await.text;
    for words in [
        "/matches/0123abcd",
        "Traceback:\n&lt;KeyError&gt;\n",
        "<td class=\"number\">6</td>",
        "desk</span></th><td class=\"number\">46</td>",
        "Test 1: mine crashed on its first move on desk:1; asking other workers.",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let open = [TestState::Running];
    assert!(store.change_test(number, &open, TestState::Proposed).unwrap());
    assert!(app.get("/tests/1").await.text.contains("Paused: it waits for its turn"));
    assert!(app.get("/tests?state=paused").await.text.contains("mine is better than other"));
    assert!(store.change_test(number, &[TestState::Proposed], TestState::Running).unwrap());
    drop(lock);
    assert!(app.get("/tests/1").await.text.contains("Interrupted"));
    store.change_test(number, &[TestState::Running], TestState::Decided).unwrap();
    let list = app.get("/tests").await;
    assert!(list.text.contains("Decided and stopped") && !list.headers.contains_key("refresh"));
    assert_eq!(app.get("/tests/2").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn long_queues_have_pages_and_are_filtered_by_state_and_by_person() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(false);
    let mut store = Store::open(&place.store).unwrap();
    for number in 1..=120 {
        let who = if number % 2 == 0 { "ann" } else { "<b>bob" }.to_owned();
        let (what, question) = (format!("question {number}."), String::new());
        store.propose_test(&NewTest { priority: 0, who, what, question }).unwrap();
    }
    let open = [TestState::Proposed];
    for number in 2..=120 {
        assert!(store.change_test(number, &open, TestState::Stopped).unwrap());
    }
    let first = app.get("/tests").await.text;
    let has = |page: &str, number: u64| page.contains(&format!("question {number}."));
    assert!(has(&first, 1) && has(&first, 120) && !has(&first, 2), "open ones, then the latest");
    assert!(
        first.contains("page 1 of 3") && first.contains("?state=&amp;who=&amp;page=1"),
        "{first}"
    );
    let last = app.get("/tests?page=2").await.text;
    assert!(has(&last, 2) && !has(&last, 1) && !last.contains("rel=\"next\""), "{last}");
    assert!(has(&app.get("/tests?page=99").await.text, 2), "there are not so many");
    let proposed = app.get("/tests?state=proposed").await.text;
    assert!(has(&proposed, 1) && !has(&proposed, 120) && !proposed.contains("page 1 of"));
    let ann = app.get("/tests?who=ann&page=1").await.text;
    assert!(has(&ann, 2) && !has(&ann, 3) && ann.contains("page 2 of 2"), "{ann}");
    assert!(ann.contains("&lt;b&gt;bob") && !ann.contains("<b>bob"));
    assert!(app.get("/tests?state=running").await.text.contains("None of 120 tests fits"));
}

#[tokio::test]
async fn the_page_of_a_test_says_why_nobody_plays_it_and_where_others_ask() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(false);
    let mut store = Store::open(&place.store).unwrap();
    let (who, what, question) = ("ann".to_owned(), "a or b".to_owned(), String::new());
    let number = store.propose_test(&NewTest { priority: 0, who, what, question }).unwrap();
    for page in ["/tests", "/tests/1"] {
        let page = app.get(page).await.text;
        assert!(page.contains("Nobody answers the queue: start `quintain tests run"), "{page}");
    }
    let mut runner = TestRunner {
        server: Some("nats://127.0.0.1:4222".to_owned()),
        obstacles: [(number, "no worker <i>is connected".to_owned())].into(),
        ..TestRunner::default()
    };
    let there = store.enter_runner(&runner).unwrap();
    for page in ["/tests", "/tests/1"] {
        let page = app.get(page).await.text;
        assert!(page.contains("Nobody plays test 1: no worker &lt;i&gt;is connected."), "{page}");
    }
    let alone = app.get("/tests/1").await.text;
    assert!(alone.contains("Other machines do not reach the server"), "{alone}");
    runner.address = Some("nats://club:4222".to_owned());
    runner.obstacles.clear();
    store.report_runner(&there, &runner).unwrap();
    let page = app.get("/tests/1").await.text;
    assert!(page.contains("--on nats://club:4222") && !page.contains("Nobody"), "{page}");
}

#[tokio::test]
async fn a_version_of_a_program_is_called_by_its_commit_with_what_that_is_about() {
    let place = play_tournaments(&[SOLO]);
    claim_players(&place, |name| format!("bot:{name}@ab12"));
    let app = place.app(false);
    let mut store = Store::open(&place.store).unwrap();
    let name = PlayerName { name: "greedy@git:1a2b3c4".to_owned(), title: "<i>less".to_owned() };
    store.note_player_names(&[("bot:greedy@ab12".to_owned(), name)].into()).unwrap();
    let page = app.get("/tournaments/1").await.text;
    assert!(page.contains("greedy@git:1a2b3c4") && page.contains("“&lt;i&gt;less”"), "{page}");
}

#[tokio::test]
async fn a_series_of_versions_is_shown_with_its_course_and_where_it_fell() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(false);
    let mut store = Store::open(&place.store).unwrap();
    let (who, question) = ("ann".to_owned(), String::new());
    let test = NewTest { priority: 0, who, what: "step".to_owned(), question };
    let version = |short: &str| NewVersion {
        info: VersionInfo {
            revision: short.to_owned(),
            short: short.to_owned(),
            day: "2015-08-07".to_owned(),
            title: format!("<i>{short}\u{202e}"),
            commits: 1,
            player: Some(format!("bot:mine@{short}")),
            remark: None,
        },
        step: (short != "aaa").then(|| test.clone()),
        anchored: None,
    };
    let series = NewSeries {
        name: "mine".to_owned(),
        what: "Each commit.".to_owned(),
        question: String::new(),
    };
    assert!(store.extend_series(&series, 0, &["aaa", "bbb", "ccc"].map(version)).unwrap());
    let waiting = app.get("/tests/series/1").await.text;
    assert!(waiting.contains("2 tests are open") && !waiting.contains("<svg"), "{waiting}");
    for (number, verdict, value) in [(1, "better", 20.0), (2, "worse", -40.0)] {
        let unit = "Elo".to_owned();
        let lead = Lead { value, low: Some(value - 10.0), high: Some(value + 10.0), unit };
        let report = TestReport {
            verdict: Some(verdict.to_owned()),
            lead: Some(lead),
            ..TestReport::default()
        };
        store.report_test(number, &report).unwrap();
        store.change_test(number, &[TestState::Proposed], TestState::Decided).unwrap();
    }
    let shown = app.get("/tests/series/1").await.text;
    for words in [
        "<strong>It fell at ccc “&lt;i&gt;ccc",
        "40 Elo (30 to 50) worse than bbb",
        "class=\"point fell\"",
        "href=\"/tests/2\"",
        "+20 (+10 to +30)",
        "Elo beside the first version, summed over the steps",
        "summed over 2 steps with their errors",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains('\u{202e}'));
    assert!(app.get("/tests").await.text.contains("href=\"/tests/series/1\""));
    assert_eq!(app.get("/tests/series/2").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_tournament_of_scores_shows_who_was_furthest_ahead_and_behind() {
    let place = play_tournaments(&[&SOLO.replace("seeds = 5", "seeds = 20")]);
    let app = place.app(false);
    let page = app.get("/tournaments/1").await.text;
    assert!(
        page.contains("the furthest ahead on its seed")
            && page.contains("; on the same seed the other one"),
        "{page}"
    );
    assert!(page.contains("How scores spread"), "{page}");
    let front = app.get("/").await.text;
    assert!(front.contains("</a> (polymer): "), "a sentence: {front}");
    for game in catalog().entries() {
        assert!(front.contains(&format!("href=\"/games/{}\"", game.name())), "{front}");
    }
}

#[tokio::test]
async fn a_match_that_is_the_same_on_every_seed_counts_once_in_a_comparison() {
    let boards = "name = \"boards\"\ngame = \"hextris\"\nformat = \"solo\"\n\
                  scenarios = [\"drawn?size=6\"]\nseeds = 3\n\
                  players = [\"greedy\", \"post\", \"post?speaks=false\"]\n";
    let place = play_tournaments(&[boards]);
    let app = place.app(false);
    let compare =
        async |a: &str, b: &str| app.get(&format!("/tournaments/1/compare?a={a}&b={b}")).await.text;
    let alike = compare("post", "post%3Fspeaks%3Dfalse").await;
    assert!(alike.contains("On 1 common seed "), "{alike}");
    // Greedy breaks ties at random. Where three seeds do not decide, no interval does.
    let other = compare("greedy", "post").await;
    assert!(other.contains("On 3 common seeds "), "{other}");
    assert!(!other.contains("95 % interval of the difference"), "{other}");
}

#[tokio::test]
async fn what_the_standings_are_sure_of_a_comparison_does_not_contradict() {
    let sure = SOLO.replace("seeds = 5", "seeds = 9");
    let rivals = CUP.replace("empty?width=9&height=9", "codingame?players=3");
    let place = play_tournaments(&[&sure, &rivals]);
    let app = place.app(false);
    let best = app.get("/tournaments/1").await.text;
    assert!(best.contains("greedy is certainly the best of 2 players"), "{best}");
    let compared = without_names(&app.get("/tournaments/1/compare?a=random&b=greedy").await.text);
    let answer = "<strong>greedy is certainly better than random in this tournament.</strong>";
    let at = |part: &str| compared.find(part).unwrap_or_else(|| panic!("{part}: {compared}"));
    assert!(at(answer) < at("Cannot tell yet"), "{compared}");
    assert!(at("Cannot tell yet") < at("may stop after any match"), "{compared}");
    // Rivals should watch what they lost to each other, others the seeds on which they fell behind.
    let lost = app.get("/tournaments/2/compare").await.text;
    assert!(lost.contains("should watch: lost to "), "{lost}");
    assert!(at("should watch: furthest behind ") < at("greedy scored "), "{compared}");
    assert!(compared.contains("/picture.svg") && compared.contains("on the same seed"));
    // With matches of several numbers of seats no sequential test is possible: standings answer.
    let several = app.get("/tournaments/2/compare?a=space&b=random").await.text;
    assert!(several.contains("<p class=\"answer\"><strong>"), "{several}");
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
async fn all_matches_can_be_searched_by_player_and_opponent() {
    let place = play_tournaments(&[CUP, SOLO]);
    let app = place.app(false);
    let search = async |query: &str| app.get(&format!("/api/matches{query}")).await.json();
    let all = search("").await;
    assert_eq!(all["total"], 58);
    let greedy = search("?player=greedy").await;
    assert_eq!(greedy["total"], 5);
    let lost = search("?player=random&against=space&outcome=lost").await;
    let won = search("?player=space&against=random&outcome=won").await;
    assert!(lost["total"].as_u64().unwrap() > 0 && lost["total"] == won["total"], "{lost}");
    let page = app.get("/matches?player=space&against=random&outcome=won").await.text;
    assert!(page.contains("space beat random, "), "{page}");
    assert!(page.contains("/picture.svg") && page.contains("loading=\"lazy\""), "{page}");
    let pair = search("?player=space&against=random").await;
    assert_eq!(pair["total"], 16);
    let newest_first = pair["matches"].as_array().unwrap();
    let times = newest_first.iter().map(|found| found["played_at"].as_i64().unwrap());
    assert!(times.is_sorted_by(|a, b| a >= b));
    for found in newest_first {
        let players = found["players"].as_array().unwrap();
        assert!(players.contains(&json!("space")) && players.contains(&json!("random")));
    }
    assert_eq!(search("?player=space&against=space").await["total"], 0);
    let page = app.get("/matches?player=%3Cb%3E&against=x").await.text;
    assert!(page.contains("&lt;b&gt; against x"), "{page}");
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
async fn exports_equal_those_of_the_command() {
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
async fn searches_find_matching_matches() {
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
async fn a_comparison_uses_paired_scores() {
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
async fn the_instances_of_a_family_are_shown_as_one_scenario() {
    let place = play_tournaments(&[r#"
        game = "polymer"
        scenarios = ["random?n=6&width=3&height=3&seed={seed}"]
        players = ["greedy", "random"]
        seeds = 3
    "#]);
    let app = place.app(false);
    let standings = app.get("/api/tournaments/1/standings").await.json();
    let family = standings["scenarios"][0]["scenario"].as_str().unwrap();
    let chosen = family.replace('?', "%3F").replace('&', "%26").replace('=', "%3D");
    let of = |text: &str| format!("/api/tournaments/1/matches?player=greedy&scenario={text}");
    let found = app.get(&of(&chosen.replace('{', "%7B").replace('}', "%7D"))).await.json();
    assert_eq!(found["total"], 3, "{found}");
    let one = app.get(&of(&chosen.replace("{seed}", "2"))).await.json();
    assert_eq!(one["total"], 1, "{one}");
    let compared = app.get("/api/tournaments/1/compare?a=greedy&b=random").await.json();
    let pairs = compared["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    assert!(pairs.iter().all(|pair| pair["scenario"] == family), "{compared}");
}

#[tokio::test]
async fn names_from_outside_are_text_on_every_page() {
    let place = play_tournaments(&[CUP]);
    let mut store = Store::open(&place.store).unwrap();
    // A record of a player whose name is markup, in the tournament.
    let mut stored = None;
    store
        .for_each_record(&Filter { limit: Some(1), ..Filter::default() }, |row| {
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
async fn no_path_leaves_the_served_pages() {
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
async fn only_the_viewer_alone_is_shown_in_frames_and_only_where_that_is_allowed() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let found = app.get("/api/tournaments/1/matches").await.json();
    let id = found["matches"][0]["id"].as_str().unwrap();
    let policy =
        |answer: &Answer| answer.headers["content-security-policy"].to_str().unwrap().to_owned();
    let framed = app.get(&format!("/embed/{id}")).await;
    assert_eq!(framed.status, StatusCode::OK, "{}", framed.text);
    assert!(policy(&framed).ends_with("frame-ancestors https://example.org"));
    assert!(!framed.headers.contains_key("x-frame-options"));
    for path in [format!("/matches/{id}"), "/".to_owned(), format!("/api/matches/{id}")] {
        let answer = app.get(&path).await;
        assert!(policy(&answer).ends_with("frame-ancestors 'none'"), "{path}");
        assert_eq!(answer.headers["x-frame-options"], "DENY", "{path}");
    }
    for (text, is_origin) in [
        ("https://example.org", true),
        ("https://*.example.org:8443", true),
        ("*", true),
        ("example.org", false),
        ("https://a.org; script-src *", false),
        ("https://", false),
    ] {
        assert_eq!(check_origin(text).is_ok(), is_origin, "{text}");
    }
}

#[tokio::test]
async fn a_match_is_taken_away_as_a_page_and_as_a_loop() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let found = app.get("/api/tournaments/1/matches").await.json();
    let id = found["matches"][0]["id"].as_str().unwrap();
    let page = app.get(&format!("/matches/{id}/page.html")).await;
    assert!(page.text.starts_with("<!DOCTYPE html>") && page.text.contains("id=\"replay\""));
    assert_eq!(page.headers["content-disposition"], "attachment");
    let film = app.get(&format!("/matches/{id}/match.gif")).await;
    // A loop is limited by its work: where there is no time, it is drawn all the same.
    let usual = limits::RenderingLimits::default();
    let renderings = limits::RenderingLimits { time: Duration::ZERO, ..usual };
    let busy = place.app_within(&Limits { renderings, ..Limits::default() });
    let same = busy.get(&format!("/matches/{id}/match.gif")).await;
    assert_eq!((same.status, &same.text), (StatusCode::OK, &film.text));
    assert_eq!(film.headers["content-type"], "image/gif");
    assert!(film.text.starts_with("GIF89a"));
    assert_eq!(app.get("/matches/ffff/match.gif").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn refusals_are_json_in_the_api_and_pages_elsewhere() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    for (path, status) in [
        ("/tournaments/first", StatusCode::NOT_FOUND),
        ("/tournaments/1/matches?page=x", StatusCode::BAD_REQUEST),
        ("/matches/%ff", StatusCode::BAD_REQUEST),
    ] {
        let page = app.get(path).await;
        assert_eq!(page.status, status, "{path}: {}", page.text);
        assert!(page.text.starts_with("<!DOCTYPE html>"), "{path}: {}", page.text);
        let data = app.get(&format!("/api{path}")).await;
        assert_eq!(data.status, status, "{path}: {}", data.text);
        assert!(data.json()["error"].is_string(), "{path}: {}", data.text);
    }
    for (body, status) in [
        (json!({ "game": 5 }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!("not an object"), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let answer = app.post("/api/play", &body).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text);
        assert!(answer.json()["error"].is_string(), "{body}: {}", answer.text);
    }
    let broken = Request::post("/api/play").header("host", "localhost:8080");
    let broken = broken.header("content-type", "application/json").body(Body::from("{")).unwrap();
    let answer = app.send(broken).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.json()["error"].is_string(), "{}", answer.text);
}

#[tokio::test]
async fn headers_larger_than_the_limit_are_refused() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(false);
    let rest = "host".len() + "localhost".len() + "cookie".len();
    for (more, status) in [(0, StatusCode::OK), (1, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)] {
        let value = "x".repeat(guard::HEADER - rest + more);
        let request = Request::get("/").header("host", "localhost").header("cookie", value);
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
}

#[tokio::test]
async fn requests_too_large_or_out_of_range_are_refused() {
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
