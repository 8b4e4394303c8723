//! Lessons that the organiser publishes: everybody sees them, and nothing in them says who played.

use std::fs;
use std::os::unix::fs::symlink;

use quintain_core::keep_file;
use quintain_host::{HostError, NewLessonSet, backup, publish_lessons, restore, withdraw_lessons};
use quintain_lessons::{Attempt, Lesson, attempt};
use serde_json::{Value, json};

use crate::server::Server;
use crate::setup::{Contest, WALKER, unzip};

/// A lesson of tron on a board of its own, as `quintain lesson` writes it.
pub(crate) fn lesson() -> Value {
    let board = ["#####", "#   #", "#1 2#", "#   #", "#   #", "#####", ""];
    let digest = keep_file(&board.join("\n"));
    json!({
        "format": 1,
        "game": "tron",
        "rules": 1,
        "scenario": format!("file?path=lesson&digest={digest}"),
        "files": [board],
        "seed": 1,
        "budget": "",
        "seat": 0,
        "mistakes": ["U", "L"],
        "better": ["R", "D"],
        "sentence": "A is to decide. U loses if B goes L. R at least draws.",
        "verified": {
            "exact": true,
            "player": "champion",
            "budget": "iterations=2000,nodes=10000",
            "better": 0.5,
            "mistake": 0.0
        },
    })
}

/// Publishes lessons from a new folder.
pub(crate) fn publish(contest: &Contest, lessons: &[Value]) -> Result<NewLessonSet, HostError> {
    let folder = tempfile::tempdir().unwrap();
    for (number, lesson) in lessons.iter().enumerate() {
        let file = folder.path().join(format!("{:04}.json", number + 1));
        fs::write(file, lesson.to_string()).unwrap();
    }
    publish_lessons(&contest.cup(), folder.path(), &contest.catalog)
}

/// Returns a lesson with another value in a field.
fn with(field: &str, value: Value) -> Value {
    let mut changed = lesson();
    changed[field] = value;
    changed
}

/// Checks what a visitor who is not signed in sees of the first set.
fn check_first_set(server: &Server) {
    let page = server.get("/lessons").body;
    assert!(page.contains("A is to decide. <span class=\"name\">U</span> is a mistake."), "{page}");
    let hidden = page.split("<details>").nth(1).expect("the answer is in a fold");
    assert!(hidden.contains("R or D") && hidden.contains("R at least draws"), "{hidden}");
    assert!(page.contains("src=\"data:image/svg+xml;base64,"), "{page}");
    assert!(server.get("/").body.contains("href=\"/lessons\""));
}

#[test]
fn a_published_set_can_be_downloaded_and_run_and_lasts_until_it_is_withdrawn() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    assert!(server.get("/lessons").body.contains("None is published yet"));
    assert!(!server.get("/").body.contains("href=\"/lessons\""));
    let set = publish(&contest, &[lesson(), lesson()]).unwrap();
    assert_eq!((set.number, set.lessons), (1, 2));
    check_first_set(&server);
    unzip(&server.bytes("/lessons/1.zip"), contest.at());
    let file = contest.at().join("lessons-1/0002.json");
    let downloaded = Lesson::read(&file).unwrap();
    let champion = contest.catalog.player("tron", "champion").unwrap();
    let answer = attempt(&contest.catalog, &champion, &downloaded).unwrap();
    assert!(matches!(answer, Attempt::Passed { .. }), "{answer:?}");
    assert!(downloaded.messages.iter().any(|line| line.contains("\"type\":\"turn\"")));
    drop(server);
    check_first_set(&contest.serve());
    // Copies have it, too.
    let [copy, again] = ["copy", "again"].map(|name| contest.at().join(name));
    backup(&contest.cup(), &copy).unwrap();
    restore(&copy, &again).unwrap();
    assert_eq!(withdraw_lessons(&again, 1, &contest.catalog).map_err(|e| e.to_string()), Ok(()));
    let site = contest.export("site", 0, true);
    assert_eq!(Lesson::read(&site.join("lessons-1/0002.json")).unwrap(), downloaded);
    assert!(
        fs::read_to_string(site.join("lessons.html")).unwrap().contains(">U</span> is a mistake")
    );
    assert!(fs::read_to_string(site.join("index.html")).unwrap().contains("lessons.html"));
    withdraw_lessons(&contest.cup(), 1, &contest.catalog).unwrap();
    let server = contest.serve();
    for path in ["/lessons/1", "/lessons/1.zip", "/lessons/..%2Fhost.toml", "/lessons/1.zip.zip"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    let refused = withdraw_lessons(&contest.cup(), 1, &contest.catalog).unwrap_err().to_string();
    assert_eq!(refused, "there is no lesson set 1; published: none");
    assert_eq!(publish(&contest, &[lesson()]).unwrap().number, 2, "numbers are not used again");
    let audit = contest.audit();
    for line in [
        "organiser: published lesson set 1, lessons in it: 2\n",
        "organiser: withdrew lesson set 1\n",
    ] {
        assert!(audit.contains(line), "{audit}");
    }
}

#[test]
fn nothing_that_is_published_says_who_played() {
    let Some(contest) = Contest::new() else { return };
    contest.invite("Ada");
    let mut told = lesson();
    let record = "2af32d5d2af32d5d2af32d5d2af32d5d";
    told["origin"] = json!({ "record": record, "turn": 10 });
    told["messages"] = json!(["{\"type\":\"start\",\"names\":[\"Ada\",\"bob\"]}"]);
    told["player"] = json!("bot:Ada.2");
    told["budget"] = json!("move=1000s");
    let scenario = told["scenario"].as_str().unwrap().replace("path=lesson", "path=/home/Ada/map");
    told["scenario"] = json!(scenario);
    publish(&contest, &[told]).unwrap();
    let server = contest.serve();
    unzip(&server.bytes("/lessons/1.zip"), contest.at());
    let file = fs::read_to_string(contest.at().join("lessons-1/0001.json")).unwrap();
    let page = server.get("/lessons").body;
    for word in ["Ada", "bob", "/home", record, "1000s"] {
        assert!(!file.contains(word) && !page.contains(word), "{word}: {file}");
    }
}

#[test]
fn a_lesson_that_is_none_of_the_contest_or_names_somebody_is_refused_and_nothing_is_published() {
    let Some(contest) = Contest::new() else { return };
    contest.invite("Zoë Quint");
    let digest = lesson()["scenario"].as_str().unwrap().to_owned();
    let verified = |player: &str| {
        let mut verified = lesson()["verified"].clone();
        verified["player"] = json!(player);
        verified
    };
    let cases = [
        ("game", json!("hextris"), "this contest plays tron"),
        ("rules", json!(99), "made for version 99 of the rules"),
        ("format", json!(99), "this version reads formats up to 1"),
        ("scenario", json!("file?path=/etc/passwd"), "is no scenario of this contest"),
        ("scenario", json!("empty?width=9&height=9"), "is no scenario of this contest"),
        ("scenario", json!("file?path=x&digest=000000000000"), "it lacks the file of"),
        ("files", json!([]), "it lacks the file of"),
        ("files", json!([["###"], ["###"]]), "it lacks the file of"),
        ("scenario", json!(format!("{digest}&walls=9")), "walls"),
        ("actions", json!("U"), "turn 0 is not whole"),
        ("actions", json!("U nonsense"), "its actions do not replay"),
        ("seat", json!(7), "its seat 7 does not decide there"),
        ("mistakes", json!(["nonsense"]), "nonsense"),
        ("mistakes", json!([]), "“mistakes” is empty"),
        ("better", json!([]), "“better” is empty"),
        ("better", json!(["R", "U"]), "“better”: U is one of its mistakes"),
        ("sentence", json!("Here zoë quint, loses."), "it names the participant Zoë Quint"),
        ("sentence", json!("Zoe-Quint loses."), "it names the participant Zoe-Quint"),
        ("sentence", json!("x".repeat(2001)), "more than 2000 bytes"),
        ("verified", verified("bot:ada"), "verified by"),
        ("verified", verified("puct?net=/etc/passwd"), "which may be a file"),
        ("opponent", json!({ "player": "bot:ada", "better": 1, "mistake": 0 }), "punished by"),
        (
            "opponent",
            json!({ "player": "puct?net=/etc/passwd", "better": 1, "mistake": 0 }),
            "which may be a file",
        ),
        ("more", json!("x".repeat(1 << 20)), "more than 1048576 bytes"),
    ];
    for (field, value, why) in cases {
        let refused = publish(&contest, &[lesson(), with(field, value)]).unwrap_err().to_string();
        assert!(refused.contains(why) && refused.contains("0002.json"), "{field}: {refused}");
        assert!(refused.lines().count() == 1 && refused.ends_with("nothing was published"));
    }
    let many = vec![lesson(); 51];
    assert!(publish(&contest, &many).unwrap_err().to_string().contains("51 lessons"));
    assert!(publish(&contest, &[]).unwrap_err().to_string().contains("it holds no lessons"));
    assert_eq!(contest.one("SELECT count(*) FROM lesson_sets"), 0);
    // The same words in a contest in which nobody has the name.
    publish(&contest, &[with("sentence", json!("Quinta loses."))]).unwrap();
}

#[test]
fn a_link_a_folder_and_a_file_that_is_no_lesson_are_not_published() {
    let Some(contest) = Contest::new() else { return };
    let folder = contest.at().join("lessons");
    let file = folder.join("0001.json");
    let refusal = |what: &str| {
        let refused = publish_lessons(&contest.cup(), &folder, &contest.catalog).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains(what) && refused.contains("nothing was published"), "{refused}");
    };
    refusal("lessons: ");
    fs::create_dir(&folder).unwrap();
    let outside = contest.at().join("outside.json");
    fs::write(&outside, lesson().to_string()).unwrap();
    symlink(&outside, &file).unwrap();
    refusal("found a link");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refusal("expected a file");
    fs::remove_dir(&file).unwrap();
    fs::write(&file, "[".repeat(100_000)).unwrap();
    refusal("not a lesson");
}

#[test]
fn markup_in_a_lesson_is_shown_as_text() {
    let Some(contest) = Contest::new() else { return };
    let markup = "<script>alert(1)</script>\u{202e}<img src=x onerror=alert(1)>";
    publish(&contest, &[with("sentence", json!(markup))]).unwrap();
    let site = contest.export("site", 0, false);
    let server = contest.serve();
    for page in
        [server.get("/lessons/1").body, fs::read_to_string(site.join("lessons.html")).unwrap()]
    {
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{page}");
        assert!(!page.contains('\u{202e}'), "{page}");
    }
}

#[test]
fn a_lesson_on_a_seed_that_is_secret_for_now_is_refused() {
    let Some(contest) = Contest::new() else { return };
    publish(&contest, &[with("seed", json!(77))]).unwrap();
    let sql = "INSERT INTO matches (kind, scenario, seed, seats, hidden)
               VALUES ('ladder', 's', 77, '1', TRUE)";
    contest.database().execute(sql, []).unwrap();
    let refused = publish(&contest, &[with("seed", json!(77))]).unwrap_err().to_string();
    assert!(refused.contains("secret until it is retired"), "{refused}");
}

#[test]
fn a_lesson_may_be_a_whole_match_on_a_scenario_of_the_contest() {
    let Some(contest) = Contest::new() else { return };
    let mut whole = with("scenario", json!("empty?width=7&height=7"));
    whole["files"] = json!([]);
    let game = contest.catalog.game("tron", "empty?width=7&height=7").unwrap();
    whole["scenario"] = json!(game.scenario());
    let state = game.begin(1);
    let offered = state.actions(state.acting()[0]);
    (whole["mistakes"], whole["better"]) = (json!([offered[0]]), json!([offered[1]]));
    assert_eq!(publish(&contest, &[whole]).unwrap().lessons, 1);
}

#[test]
fn the_check_of_a_program_says_which_published_lessons_it_passes() {
    let Some(contest) = Contest::new() else { return };
    let mut turned = lesson();
    (turned["mistakes"], turned["better"]) = (json!(["R", "D"]), json!(["U", "L"]));
    publish(&contest, &[lesson(), turned]).unwrap();
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let page = server.get_as(&server.sign_in(&ada), "/me").body;
    // Each action is a mistake in one of them, and every action passes the other.
    assert!(page.contains("lessons of set 1: 1 of 2 passed; not "), "{page}");
}

#[test]
fn a_set_that_somebody_damaged_stops_neither_checks_nor_the_ladder() {
    let Some(contest) = Contest::new() else { return };
    publish(&contest, &[lesson()]).unwrap();
    let damage = |change: &str| contest.database().execute_batch(change).unwrap();
    damage("UPDATE lesson_sets SET lessons = replace(lessons, '\"seat\":0', '\"seat\":7')");
    let server = contest.serve();
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    server.enter(&ada, WALKER);
    assert!(server.get_as(&server.sign_in(&ada), "/me").body.contains("not 1 (no answer)"));
    damage("UPDATE lesson_sets SET lessons = 'nonsense'");
    server.enter(&bob, WALKER);
    let page = server.get("/lessons");
    assert!(
        page.status == 400 && page.body.contains("lesson set 1 cannot be read"),
        "{}",
        page.body
    );
    assert_eq!(server.get("/").status, 200);
    withdraw_lessons(&contest.cup(), 1, &contest.catalog).unwrap();
    assert_eq!(server.get("/lessons").status, 200);
}

/// Uploads files to the organiser's page.
fn upload(server: &Server, cookie: &str, files: &[(&str, &str)]) -> crate::server::Answer {
    let mut body = String::new();
    for (name, text) in files {
        body += &format!(
            "--X\r\ncontent-disposition: form-data; name=\"folder\"; filename=\"{name}\"\r\n\r\n\
             {text}\r\n"
        );
    }
    body += "--X--\r\n";
    let origin = format!("http://{}", server.address);
    let kind = ("content-type", "multipart/form-data; boundary=X");
    let headers = [kind, ("origin", origin.as_str()), ("cookie", cookie)];
    server.ask("POST", "/organiser/lessons", &headers, body.as_bytes())
}

#[test]
fn the_organiser_publishes_and_withdraws_sets_on_the_page_which_asks_first() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let [organiser, ada] = [&contest.organiser, &ada].map(|token| server.sign_in(token));
    let text = lesson().to_string();
    let files = [("week-1/0001.json", text.as_str()), ("week-1/README.md", "Change it.")];
    assert_eq!(upload(&server, &ada, &files).status, 403, "a participant may not");
    let asked = upload(&server, &organiser, &files);
    assert_eq!(asked.status, 409, "{}", asked.body);
    assert!(asked.body.contains("This publishes 1 lesson as a set"), "{}", asked.body);
    assert_eq!(contest.one("SELECT count(*) FROM lesson_sets"), 0);
    let draft = asked.body.split("name=\"draft\" value=\"").nth(1).unwrap();
    let draft = draft.split('"').next().unwrap();
    let publish = |draft: &str| {
        let form = format!("draft={draft}&confirm=true");
        server.form("/organiser/publish-lessons", &organiser, &form).status
    };
    assert_eq!((publish("another"), publish(draft), publish(draft)), (422, 303, 422));
    check_first_set(&server);
    assert!(server.get_as(&organiser, "/organiser").body.contains("Set 1"));
    let named = with("sentence", json!("ada loses.")).to_string();
    let refused = upload(&server, &organiser, &[("week-2/0001.json", &named)]);
    assert!(refused.status == 400 && refused.body.contains("nothing was published"));
    assert!(refused.body.contains("0001.json: it names the participant ada"), "{}", refused.body);
    let withdraw = |form: &str| server.form("/organiser/withdraw-lessons", &organiser, form);
    let asked = withdraw("set=1");
    assert!(asked.status == 409 && asked.body.contains("Nobody sees lesson set 1 any more"));
    assert_eq!(server.get("/lessons/1").status, 200);
    assert_eq!(withdraw("set=1&confirm=true").status, 303);
    assert_eq!(server.get("/lessons/1").status, 404);
    assert_eq!(withdraw("set=1&confirm=true").status, 400);
    let audit = contest.audit();
    for line in [
        "organiser: published lesson set 1, lessons in it: 1\n",
        "organiser: withdrew lesson set 1\n",
    ] {
        assert!(audit.contains(line), "{audit}");
    }
}
