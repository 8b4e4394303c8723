use super::*;

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
