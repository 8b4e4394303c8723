use super::*;

/// Begins an analysis, and returns its final result.
async fn analyse(app: &App, path: &str, player: &str) -> Value {
    loop {
        let answer = app.get(&format!("{path}?player={player}")).await;
        // A client that asks too often waits as a page does.
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
    let answer = analyse(&app, &path, "greedy").await;
    assert_eq!(answer["review"]["complete"], true);
    let record = app.get(&format!("/api/matches/{id}")).await.json();
    let turns = answer["review"]["turns"].as_array().unwrap();
    assert_eq!(turns.last().unwrap()["values"], record["outcome"]["scores"]);
    // The result is kept, and returned at once when it is requested again.
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
    assert!(refused.text.contains("too many analyses from your address"), "{}", refused.text);
    let waiting = app.post_from(2, &path(1), &uct).await.json();
    assert_eq!((&waiting["state"], &waiting["ahead"]), (&json!("waiting"), &json!(1)));
    analyse(&app, &path(1), "uct").await;
    analyse(&app, &path(0), "uct").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_somebody_tries_is_evaluated_by_playing_on() {
    let place = play_tournaments(&[SOLO]);
    let app = place.app(true);
    let id = app.get("/api/matches").await.json()["matches"][0]["id"].as_str().unwrap().to_owned();
    let replay = app.get(&format!("/api/matches/{id}/replay")).await.json();
    let played = replay["turns"][1]["played"][0][1].as_str().unwrap();
    let path = |player: &str, action: &str| {
        let (turn, seat) = (0, 0);
        format!(
            "/api/matches/{id}/judgement?player={player}&turn={turn}&seat={seat}&action={action}"
        )
    };
    let same = app.get(&path("greedy", played)).await;
    assert_eq!(same.json(), json!({ "gain": 0.0, "later": 0 }));
    for action in ["R", "D", "L", "U"].into_iter().filter(|action| *action != played) {
        let judged = app.get(&path("greedy", action)).await;
        // A step that the rules refuse is no move to evaluate.
        let is_known = judged.status == StatusCode::OK && judged.json()["gain"].is_number();
        assert!(is_known || judged.status == StatusCode::UNPROCESSABLE_ENTITY, "{}", judged.text);
    }
    for (player, action, status) in [
        ("champion?nodes=1", played, StatusCode::BAD_REQUEST),
        ("greedy", "nowhere", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        assert_eq!(app.get(&path(player, action)).await.status, status, "{player} {action}");
    }
    let watching = place.app(false);
    let closed = watching.get(&path("greedy", played)).await;
    assert_eq!(closed.status, StatusCode::NOT_FOUND, "where nobody may play");
}

/// Has a lesson made for a seat, and returns the final answer.
async fn teach(app: &App, path: &str, seat: usize) -> Value {
    assert_eq!(app.post(path, &json!({ "seat": seat })).await.status, StatusCode::OK);
    loop {
        let answer = app.get(&format!("{path}?seat={seat}")).await.json();
        if matches!(answer["state"].as_str(), Some("done" | "failed")) {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_have_lessons_made_of_losses_of_players_of_the_roster() {
    let place = play_tournaments(&[CUP]);
    let app = place.app(true);
    let found = app.get("/api/matches").await.json();
    let lost = |own: &&Value| own["scores"] == json!([0.0, 1.0]);
    let losses = found["matches"].as_array().unwrap().iter().filter(lost);
    let paths: Vec<String> =
        losses.map(|own| format!("/api/matches/{}/lesson", own["id"].as_str().unwrap())).collect();
    let path = &paths[0];
    assert_eq!(app.get(&format!("{path}?seat=0")).await.json()["state"], "unasked");
    assert_eq!(app.post(path, &json!({ "seat": 7 })).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(place.app(false).post(path, &json!({})).await.status, StatusCode::NOT_FOUND);
    let of_winner = teach(&app, path, 1).await;
    assert!(of_winner["error"].as_str().unwrap().contains("no lost decision"), "{of_winner}");
    for path in &paths {
        let answer = teach(&app, path, 0).await;
        if answer["state"] == "done" {
            assert_eq!(answer["lesson"]["lesson"]["seat"], 0, "{answer}");
            return;
        }
        assert!(answer["error"].as_str().unwrap().contains("no single decision"), "{answer}");
    }
    panic!("one of {} losses gives a lesson", paths.len());
}

#[tokio::test]
async fn a_strangers_record_does_not_choose_what_is_read_or_how_long_its_lesson_takes() {
    for (claimed, why) in [
        ("puct?net=/etc/passwd", "net=/etc/passwd: it cannot be changed here"),
        ("champion?table_bits=26", "table_bits=26: at most 18 is allowed here"),
        ("bot:mine", "bot:mine"),
    ] {
        let place = play_tournaments(&[PARAMETERS]);
        let paths = claim_players(&place, |_| claimed.to_owned());
        let path = format!("/api{}/lesson", paths[0]);
        let refused = place.app(true).post(&path, &json!({ "seat": 0 })).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{claimed}: {}", refused.text);
        assert!(refused.text.contains(why), "{claimed}: {}", refused.text);
    }
}

const PARAMETERS: &str = r#"
    name = "parameters"
    game = "tron"
    scenarios = ["empty?width=7&height=7"]
    players = ["space", "uct?iterations=20"]
    seeds = 1
"#;

#[tokio::test]
async fn where_no_lessons_are_made_the_page_has_the_commands_that_make_them() {
    let place = play_tournaments(&[PARAMETERS]);
    let app = place.app(false);
    let found = app.get("/api/matches").await.json();
    let id = found["matches"][0]["id"].as_str().unwrap();
    let page = app.get(&format!("/matches/{id}")).await.text;
    // Visitors from elsewhere learn the name of the store, not where it is.
    let store = place.store.file_name().unwrap().to_string_lossy();
    for player in ["tron/space", "'tron/uct?iterations=20'"] {
        let words = format!("quintain lesson {player} --record {} --store {store}", &id[..8]);
        assert!(page.contains(&format!("<code>{words}</code>")), "{words}: {page}");
    }
    let page = place.app(true).get(&format!("/matches/{id}")).await.text;
    assert!(!page.contains("how-to-learn"), "{page}");
    assert!(page.contains("data-lessons=\"[&quot;quintain lesson "), "{page}");
}
