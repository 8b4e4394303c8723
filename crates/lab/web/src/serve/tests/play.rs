use quintain_core::{Seat, Streams};
use quintain_protocol::ToProgram;

use super::*;

#[tokio::test]
async fn matches_under_way_are_bounded_in_number() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
    let begin = async |client: u8| app.post_from(client, "/api/play", &wish).await;
    let mut ids = Vec::new();
    // One client gets its share, and the others get theirs all the same.
    for client in 1..=4 {
        for _ in 0..8 {
            let begun = begin(client).await;
            assert_eq!(begun.status, StatusCode::CREATED);
            ids.push(begun.json()["id"].as_str().unwrap().to_owned());
        }
        let refused = begin(client).await;
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert!(refused.text.contains("from your address"), "{}", refused.text);
    }
    // Four addresses do not shut out a fifth: matches of theirs are put aside, and go on later.
    let mut own = 0;
    while begin(5).await.status == StatusCode::CREATED {
        own += 1;
    }
    assert!((5..8).contains(&own), "it got {own}");
    for id in &ids {
        let answer = app.get(&format!("/api/play/{id}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    }
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
async fn a_hint_says_in_words_what_it_builds_and_marks_it_by_kind() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "pentocity", "scenario": "stars?side=20", "seed": 1 });
    let view = app.post("/api/play", &wish).await.json();
    let hint = app.post(&format!("{}/hint", path_of(&view)), &json!({})).await.json();
    let told = hint["told"].as_str().unwrap();
    assert!(told.starts_with("builds a ") && told.contains(" at row "), "{told}");
    let parts = hint["parts"].as_array().unwrap();
    // What it builds comes before what it lays, each with its own cells.
    let kinds: Vec<&str> = parts.iter().map(|part| part["what"].as_str().unwrap()).collect();
    assert!(matches!(kinds[0], "residence" | "factory"), "{kinds:?}");
    let marked = parts.iter().map(|part| part["cells"].as_array().unwrap().len()).sum::<usize>();
    assert_eq!(marked, hint["cells"].as_array().unwrap().len(), "{hint}");
    for (name, word) in [("road", "of road"), ("water", "of water"), ("park", "of park")] {
        assert_eq!(kinds.contains(&name), told.contains(word), "{told}: {kinds:?}");
    }
}

#[tokio::test]
async fn a_persons_module_gets_the_messages_of_programs_and_the_match_is_not_kept() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({
        "game": "gather", "scenario": "torus?width=9&height=9&players=3", "opponent": "random",
        "think": 100, "seed": 7,
    });
    let view = app.post("/api/play", &wish).await.json();
    let path = format!("/api/play/{}", view["id"].as_str().unwrap());
    let asked = app.post(&format!("{path}/question"), &json!({})).await.json();
    let read = |name: &str| serde_json::from_str(asked[name].as_str().unwrap()).unwrap();
    assert!(matches!(read("hello"), ToProgram::Hello { .. }));
    let ToProgram::Turn(turn) = read("turn") else { panic!("{asked}") };
    assert_eq!((turn.turn, turn.time_ms, json!(turn.actions)), (0, 100, view["offered"].clone()));
    let ToProgram::Start(start) = read("start") else { panic!("{asked}") };
    // The match's own seed is small, so what is drawn from it would reveal what is hidden.
    assert_ne!(start.seed, Streams::new(7).player_seed(Seat::new(0)));
    assert_eq!(app.get(&path).await.json()["is_kept"], false);
}

#[tokio::test]
async fn a_module_in_the_page_plays_the_other_seats_and_the_match_is_not_kept() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({
        "game": "tron", "scenario": "empty?width=9&height=9", "opponent": "outside", "think": 100,
    });
    let view = app.post("/api/play", &wish).await.json();
    assert_eq!((&view["waiting"], &view["is_kept"]), (&json!([0, 1]), &json!(false)));
    let path = format!("/api/play/{}", view["id"].as_str().unwrap());
    let asked = app.post(&format!("{path}/question"), &json!({ "seat": 1 })).await.json();
    let ToProgram::Start(start) = serde_json::from_str(asked["start"].as_str().unwrap()).unwrap()
    else {
        panic!("{asked}")
    };
    assert_eq!(start.seat, 1);
    let action = &view["offered"][0];
    let alone = app.post(&format!("{path}/move"), &json!({ "action": action })).await;
    assert_eq!(alone.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", alone.text);
    let joint = json!({ "action": action, "others": [[1, action]] });
    let view = app.post(&format!("{path}/move"), &joint).await.json();
    assert_eq!(view["turn"], 1, "{view}");
    // A player's seat is its own.
    let wish = json!({ "game": "tron", "scenario": "empty", "opponent": "space" });
    let view = app.post("/api/play", &wish).await.json();
    assert_eq!(view["waiting"], json!([0]));
    let path = format!("/api/play/{}", view["id"].as_str().unwrap());
    for (what, body) in [("question", json!({ "seat": 1 })), ("move", joint)] {
        let refused = app.post(&format!("{path}/{what}"), &body).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.text);
    }
}

#[tokio::test]
async fn a_module_gets_the_questions_of_a_stored_match() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let id = app.get("/api/matches").await.json()["matches"][0]["id"].as_str().unwrap().to_owned();
    let record = app.get(&format!("/api/matches/{id}")).await.json();
    let seed = record["fixture"]["seed"].as_u64().unwrap();
    let path =
        |turn: u32, seat: usize| format!("/api/matches/{id}/question?turn={turn}&seat={seat}");
    let asked = app.get(&path(2, 1)).await.json();
    let read = |name: &str| serde_json::from_str(asked[name].as_str().unwrap()).unwrap();
    let ToProgram::Turn(turn) = read("turn") else { panic!("{asked}") };
    assert_eq!((turn.turn, turn.time_ms), (2, 1000));
    let ToProgram::Start(start) = read("start") else { panic!("{asked}") };
    assert_eq!((start.seat, start.seed), (1, Streams::new(seed).player_seed(Seat::new(1))));
    let refused = app.get(&path(9999, 0)).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text.contains("the match ended on turn"), "{}", refused.text);
    let refused = app.get(&path(0, 7)).await;
    assert!(refused.text.contains("seat 7 does not move on turn 0"), "{}", refused.text);
    let closed = place.app(false).get(&path(0, 0)).await;
    assert_eq!(closed.status, StatusCode::NOT_FOUND, "where nobody may play");
}

#[tokio::test]
async fn visitors_read_no_file_however_they_name_it() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let secret = place.store.with_file_name("secret");
    std::fs::write(&secret, "the secret of the server").unwrap();
    let path = secret.display();
    for (game, scenario, opponent) in [
        ("pentocity", format!("file?path={path}"), ""),
        ("pentocity", format!("pentocity:file?path={path}"), ""),
        ("pentocity", format!("pentocity:pentocity:file?path={path}"), ""),
        ("polymer", format!(":polymer:file?path={path}"), ""),
        ("tron", format!("file?path={path}"), "random"),
        ("tron", "hackerrank".to_owned(), &format!("net?file={path}")),
        ("tron", "hackerrank".to_owned(), &format!("tron/net?file={path}")),
        ("tron", "hackerrank".to_owned(), &format!("tron/tron/net?file={path}")),
        ("tron", "hackerrank".to_owned(), &format!("puct?net={path}")),
    ] {
        let wish = json!({ "game": game, "scenario": scenario, "opponent": opponent });
        let refused = app.post("/api/play", &wish).await;
        assert!(refused.status.is_client_error(), "{wish}: {}", refused.status);
        let text = &refused.text;
        assert!(!text.contains("the secret") && !text.contains("not a network"), "{wish}: {text}");
    }
}

#[tokio::test]
async fn only_the_worker_of_a_module_may_compile_one_and_it_reaches_no_server() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let policy = async |path: &str| {
        let answer = app.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        answer.headers["content-security-policy"].to_str().unwrap().to_owned()
    };
    for path in ["/", "/play/tron", "/assets/play.js", "/assets/module.js", "/assets/wasi.js"] {
        assert!(!policy(path).await.contains("wasm"), "{path}");
    }
    let own = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
    assert_eq!(policy("/assets/module-worker.js").await, own);
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
    assert!(refused.text.contains("turn 1 of the moves played"), "{}", refused.text);
}

/// Returns a path of the API for a match.
fn path_of(view: &Value) -> String {
    format!("/api/play/{}", view["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_match_goes_on_after_the_server_has_restarted() {
    let place = play_tournaments(&[CUP]);
    for (game, scenario, opponent) in [
        ("gather", "torus?width=5&height=5&players=3", "random"),
        ("polymer", "random?n=12&width=6&height=6", ""),
    ] {
        let app = place.app(true);
        let wish = json!({
            "game": game, "scenario": scenario, "opponent": opponent, "name": "Ada", "think": 10,
            "seed": 2,
        });
        let mut view = app.post("/api/play", &wish).await.json();
        let path = path_of(&view);
        let mut app = app;
        let mut before = Value::Null;
        for turn in 0.. {
            if view["over"] == true {
                break;
            }
            assert!(turn < 400, "{game}: the match does not end");
            if turn % 4 == 3 {
                app = place.app(true);
            }
            before = app.get(&path).await.json();
            assert_eq!(before, view, "{game}, turn {turn}");
            let action = view["offered"][0].clone();
            view = app.post(&format!("{path}/move"), &json!({ "action": action })).await.json();
        }
        assert!(before["turn"].as_u64().unwrap() > 8, "{game}: the server has restarted twice");
        assert_eq!(before["is_kept"], true, "{game}");
        let store = Store::open_to_read(&place.store).unwrap();
        let id = view["record"].as_str().unwrap_or_else(|| panic!("{game}: no record"));
        catalog().verify(&store.get(id).unwrap().record().unwrap()).unwrap();
        // A finished match stays finished, and is stored once.
        assert_eq!(place.app(true).get(&path).await.json(), view, "{game}");
        let records = store.records().unwrap();
        place.app(true).post(&format!("{path}/undo"), &json!({})).await;
        assert_eq!(store.records().unwrap(), records, "{game}");
    }
}

#[tokio::test]
async fn a_move_for_another_turn_is_refused() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "hextris", "scenario": "drawn?size=21", "seed": 1 });
    let path = path_of(&app.post("/api/play", &wish).await.json());
    let hint = app.post(&format!("{path}/hint"), &json!({})).await.json();
    let of_turn = |turn: u32| json!({ "action": hint["action"], "turn": turn });
    let played = app.post(&format!("{path}/move"), &of_turn(0)).await;
    assert_eq!(played.json()["turn"], 1);
    // Another page still shows the turn before.
    let stale = app.post(&format!("{path}/move"), &of_turn(0)).await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert_eq!(stale.json()["error"], "the match went on elsewhere; it is at turn 1");
    assert_eq!(app.get(&path).await.json()["turn"], 1);
}

#[tokio::test]
async fn a_move_is_taken_back_after_the_server_has_restarted() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "hextris", "scenario": "drawn?size=21", "seed": 1 });
    let view = app.post("/api/play", &wish).await.json();
    let path = path_of(&view);
    let hint = app.post(&format!("{path}/hint"), &json!({})).await.json();
    let action = json!({ "action": hint["action"] });
    app.post(&format!("{path}/move"), &action).await;
    let undone = place.app(true).post(&format!("{path}/undo"), &json!({})).await.json();
    assert_eq!((&undone["turn"], &undone["can_undo"]), (&json!(0), &json!(false)));
    assert_eq!(undone["is_kept"], false, "it was helped");
    let taken_up = place.app(true).get(&path).await.json();
    assert_eq!(taken_up["turn"], 0);
}

#[tokio::test]
async fn ended_and_abandoned_matches_are_gone_after_the_server_has_restarted() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "polymer", "scenario": "L08_s01", "seed": 1 });
    let begin = async || path_of(&app.post("/api/play", &wish).await.json());
    let (ended, left, there) = (begin().await, begin().await, begin().await);
    let status = async |path: &str| place.app(true).get(path).await.status;
    app.post(&format!("{ended}/end"), &json!({})).await;
    let folder = place.store.with_file_name("store.sqlite-play");
    let file = |path: &str| folder.join(path.rsplit('/').next().unwrap()).with_extension("json");
    let long_ago = SystemTime::now() - Duration::from_secs(31 * 60);
    std::fs::File::options()
        .append(true)
        .open(file(&left))
        .and_then(|file| file.set_modified(long_ago))
        .unwrap();
    assert_eq!(status(&ended).await, StatusCode::NOT_FOUND);
    assert_eq!(status(&left).await, StatusCode::NOT_FOUND);
    assert_eq!(status(&there).await, StatusCode::OK);
    // Beginning another match clears away what was abandoned.
    let next = path_of(&place.app(true).post("/api/play", &wish).await.json());
    assert_eq!(
        [&ended, &left, &there, &next].map(|path| file(path).exists()),
        [false, false, true, true]
    );
    // An id is not a path.
    std::fs::copy(file(&there), place.store.with_file_name("x.json")).unwrap();
    assert_eq!(status("/api/play/..%2fx").await, StatusCode::NOT_FOUND);
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
async fn a_gesture_far_from_the_board_is_refused_and_the_match_goes_on() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "pentocity", "scenario": "stars?side=20", "seed": 1 });
    let path = path_of(&app.post("/api/play", &wish).await.json());
    for cell in [i32::MIN, i32::MAX] {
        let mark = json!({ "row": 1, "column": 1, "marks": [["r", cell, 1]] });
        for at in [json!({ "row": cell, "column": 1 }), json!({ "row": 1, "column": cell }), mark] {
            let refused = app.post(&format!("{path}/point"), &at).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{}", refused.text);
        }
    }
    for at in [json!({ "row": -9999, "column": 9999 }), json!({ "row": 0, "column": 0 })] {
        let answer = app.post(&format!("{path}/point"), &at).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    }
}

#[tokio::test]
async fn a_match_whose_request_failed_is_set_up_again_and_holds_one_place() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let wish = json!({ "game": "polymer", "scenario": "L08_s01", "seed": 1 });
    let view = app.post("/api/play", &wish).await.json();
    let path = path_of(&view);
    let id = view["id"].as_str().unwrap();
    let anywhere = std::net::IpAddr::from([127, 0, 0, 1]);
    let session = app.1.sessions.get(id, anywhere, |_, _| panic!("it is open")).ok().unwrap();
    let failed = std::thread::spawn(move || {
        let _session = session.lock().unwrap();
        panic!("a request fails");
    });
    assert!(failed.join().is_err());
    let again = app.get(&path).await;
    assert_eq!(again.json(), view, "{}", again.text);
    // Seven more, and no eighth.
    for _ in 0..7 {
        assert_eq!(app.post("/api/play", &wish).await.status, StatusCode::CREATED);
    }
    assert_eq!(app.post("/api/play", &wish).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[expect(clippy::await_holding_lock, reason = "whoever laid the board out would wait for it")]
#[tokio::test]
async fn a_board_that_says_that_it_is_too_large_is_not_laid_out() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let _laying_out = app.1.laying_out.lock().unwrap();
    let scenario = "torus?width=2000&height=2000&players=2";
    let wish = json!({ "game": "gather", "scenario": scenario, "opponent": "random" });
    let refused = app.post("/api/play", &wish).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.text.contains("10000 cells is the most"), "{}", refused.text);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_pipe_among_the_kept_matches_holds_nobody_up() {
    let place = play_tournaments(&[CUP]);
    let folder = place.store.with_file_name("store.sqlite-play");
    std::fs::create_dir(&folder).unwrap();
    let id = "0123456789abcdef0123456789abcdef";
    let pipe = folder.join(id).with_extension("json");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let app = place.app(true);
    assert_eq!(app.get(&format!("/api/play/{id}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn pointing_shows_points_and_the_broken_rule() {
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
