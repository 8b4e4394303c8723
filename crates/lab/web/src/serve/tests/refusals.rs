use super::*;

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
