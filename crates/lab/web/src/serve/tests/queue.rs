use super::*;

#[tokio::test]
async fn every_page_leads_to_the_tests_and_to_the_workers_if_there_are_some() {
    let page = play_tournaments(&[CUP]).app(false).get("/").await.text;
    assert!(page.contains("<a href=\"/tests\">"), "{page}");
    assert!(!page.contains("<a href=\"/workers\">"), "{page}");
    assert!(pages::own_links(true, true).contains(&("/workers", "workers")));
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
