use super::*;

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
