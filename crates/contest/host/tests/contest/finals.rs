//! The final: a whole schedule on seeds that were published as a digest, which anybody can verify.

use quintain_host::admin::PhaseChoice;
use quintain_host::{ExportOptions, admin, export, join_team, letters, verify};

use crate::server::Server;
use crate::setup::{Contest, WALKER};

/// One open phase, and in its place practice and a final that begins by request.
const OPEN: &str = "name = \"open\"\nsubmissions = true\nladder = true";
const PRACTICE: &str =
    "name = \"practice\"\n[[phases]]\nname = \"final\"\nfrom = 2100-01-01T00:00:00Z\nfinal = ";

/// Returns the text of the element with this id.
fn text_of(page: &str, id: &str) -> Option<String> {
    let rest = page.split(&format!("id=\"{id}\">")).nth(1)?;
    Some(rest.split('<').next().unwrap_or_default().to_owned())
}

#[test]
fn a_final_whose_time_has_passed_at_the_start_waits_for_a_confirmation() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    drop(server);
    let slip = PRACTICE.replace("2100", "2020");
    contest.edit(&[(OPEN, &format!("{slip}2"))]);
    let Err(refused) = contest.try_serve() else { panic!("the final began by a slip") };
    let refused = refused.to_string();
    assert!(
        refused.contains("the time of \"final\" (2020-01-01 00:00 UTC) has passed"),
        "{refused}"
    );
    contest.choose_phase("final", true).unwrap();
    contest.serve().until("the final has begun", |server| {
        server.get("/final").body.contains("of 12 matches played")
    });
}

#[test]
fn the_final_is_played_by_the_schedule_of_its_seed() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[(OPEN, &format!("{PRACTICE}2"))]);
    let ada = contest.invite("ada");
    let mut server = contest.serve_to_be_killed();
    // Without any participant's program it would be over before it began.
    let empty = contest.choose_phase("final", true).unwrap_err().to_string();
    assert!(empty.contains("nobody's program is on the ladder"), "{empty}");
    // Her second version is the one that will play in the final.
    server.enter(&ada, WALKER);
    server.enter(&ada, &format!("{WALKER}\n# two\n"));
    let before = server.get("/final").body;
    let digest = text_of(&before, "commitment").unwrap();
    assert!(text_of(&before, "seed").is_none(), "it is a secret still");
    let seen = server.get_as(&server.sign_in(&ada), "/me").body;
    assert!(!seen.contains("id=\"in-final\""), "{seen}");
    // It is played only once, so it begins only on explicit request.
    let refused = contest.choose_phase("final", false).unwrap_err().to_string();
    assert!(refused.contains("by the 1 program on the ladder"), "{refused}");
    let organiser = server.sign_in(&contest.organiser);
    let asked = server.form("/organiser/phase", &organiser, "phase=final");
    assert_eq!(asked.status, 409, "{}", asked.body);
    for field in ["name=\"phase\" value=\"final\"", "name=\"begin\" value=\"true\""] {
        assert!(asked.body.contains(field), "{}", asked.body);
    }
    contest.choose_phase("fin", true).unwrap();
    let phases = admin::phases(&contest.cup(), &contest.catalog).unwrap();
    let last = phases.iter().find(|phase| phase.is_now).unwrap();
    assert!((last.name.as_str(), last.rounds, last.is_chosen) == ("final", Some(2), true));
    // A kill in the middle does not change anything.
    let is_over = |page: &str| text_of(page, "seed").is_some();
    server.until("the final has begun", |server| {
        server.get("/final").body.contains("of 12 matches played")
    });
    drop(server);
    server = contest.serve();
    server.until("the final is over", |server| is_over(&server.get("/final").body));
    assert_eq!(server.hand_in(&ada, "bot.py", b"# late").status, 403, "too late");
    let stays = admin::undo_final(&contest.cup(), &contest.catalog, true).unwrap_err().to_string();
    assert!(stays.contains("are published"), "{stays}");
    expect_a_final_that_stays(&contest, &server, &ada);
    let page = server.get("/final").body;
    let seed = text_of(&page, "seed").unwrap();
    assert_eq!(text_of(&page, "commitment"), Some(digest.clone()));
    let committed = format!("quintain host: the final's seed is {seed}");
    assert_eq!(blake3::hash(committed.as_bytes()).to_hex().to_string(), digest);
    assert!(page.contains("12 of 12 matches played") && page.contains("likely ranks"));
    drop(server);
    assert_eq!(contest.verify().finals, Some((12, 12)));
    expect_a_missing_match_to_be_told_and_not_played_again(&contest);
    expect_changes_to_be_detected(&contest);
}

#[test]
fn a_final_can_be_undone_until_its_result_is_published() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[(OPEN, &format!("{PRACTICE}2000"))]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let undo = |is_confirmed| admin::undo_final(&contest.cup(), &contest.catalog, is_confirmed);
    assert!(undo(true).unwrap_err().to_string().contains("no final has begun"));
    server.enter(&ada, WALKER);
    let digest = || text_of(&server.get("/final").body, "commitment").unwrap();
    let is_begun = |server: &Server| {
        let page = server.get("/final").body;
        page.contains("of 12000 matches played") && !page.contains(">0 of")
    };
    let first = digest();
    contest.choose_phase("final", true).unwrap();
    server.until("matches of the final are played", is_begun);
    // By the organiser's page.
    let organiser = server.sign_in(&contest.organiser);
    assert!(undo(false).unwrap_err().to_string().contains("of 12000 matches of the final"));
    let page = server.get_as(&organiser, "/organiser").body;
    for text in ["The final is played by 3 programs: ", " of 12000", "id=\"undo-final\""] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("/organiser/move-phase"), "{page}");
    let to = ("final", Some("2100-02-01T00:00"));
    let later = || admin::move_phase(&contest.cup(), &contest.catalog, to, true);
    assert!(later().unwrap_err().to_string().contains("undo the final first"));
    let ladder = server.get("/").body;
    assert!(
        ladder.contains("the ladder has ended, and <a href=\"/final\">the final</a> is played")
    );
    let asked = server.form("/organiser/undo-final", &organiser, "");
    assert!(asked.status == 409 && asked.body.contains("id=\"what-happens\""), "{}", asked.body);
    let nobody = server.form("/organiser/undo-final", &server.sign_in(&ada), "confirm=true");
    assert_eq!(nobody.status, 403);
    expect_a_final_that_does_not_stop_unseen(&contest, &server);
    let undone = server.form("/organiser/undo-final", &organiser, "confirm=true");
    assert_eq!(undone.status, 303, "{}", undone.body);
    assert!(!is_begun(&server) && contest.audit().contains("undid the final after"));
    // Seeds of its matches were seen, so the next final has others.
    let second = digest();
    assert_ne!(first, second);
    // Whoever noted the first digest learns what became of that final.
    let page = server.get("/final").body;
    let undone = page.split("id=\"undone\"").nth(1).unwrap_or_default();
    assert!(undone.contains(&first) && undone.contains(" of 12000 matches"), "{page}");
    assert!(!page.contains("since the contest began"), "{page}");
    let before = server.count_played();
    server.until("the ladder goes on", |server| server.count_played() > before);
    // The way on: the final is moved, and begins at its time again.
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(page.contains("The final begins when you set the phase “<span"), "{page}");
    assert!(page.contains("id=\"chosen\"") && page.contains("/organiser/move-phase"), "{page}");
    later().unwrap();
    assert_eq!(server.form("/organiser/phase", &organiser, "phase=").status, 303);
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(page.contains("begins at <time") && !page.contains("id=\"chosen\""), "{page}");
    // By a command, while the host runs.
    contest.choose_phase("final", true).unwrap();
    server.until("matches of the second final are played", is_begun);
    let site = contest.export("site", 0, false);
    let exported = std::fs::read_to_string(site.join("final.html")).unwrap();
    assert!(exported.contains(&first) && exported.contains(&second), "{exported}");
    let (was, _) = undo(true).unwrap();
    // What the command says is what is deleted, though the host plays on meanwhile.
    let told = format!("undid the final after {} of {} matches", was.played, was.planned);
    assert!(contest.audit().contains(&told), "{told}: {}", contest.audit());
    server.until("the host has noticed", |server| !is_begun(server));
    assert_ne!(digest(), second);
    drop(server);
    assert_eq!(contest.one("SELECT count(*) FROM matches WHERE kind = 'final'"), 0);
    let store = rusqlite::Connection::open(contest.cup().join("matches.sqlite")).unwrap();
    let kept: i64 = store.query_row("SELECT count(*) FROM records", [], |row| row.get(0)).unwrap();
    assert_eq!(contest.one("SELECT count(*) FROM matches WHERE record IS NOT NULL"), kept);
    assert_eq!(contest.verify().finals, None);
}

/// The clock does not stop a final, nor reopen the submissions, before the organiser knows it.
fn expect_a_final_that_does_not_stop_unseen(contest: &Contest, server: &Server) {
    let auto = |is_confirmed| {
        let choice = PhaseChoice { name: None, begins_final: false, is_confirmed };
        admin::choose_phase(&contest.cup(), &contest.catalog, choice)
    };
    let asked = auto(false).unwrap_err().to_string();
    for part in [
        "by the times, the phase is \"practice\" now; the final stops at ",
        " of 12000 matches; programs are accepted again; to do it, confirm it with --confirm",
    ] {
        assert!(asked.contains(part), "{asked}");
    }
    let by_name = contest.choose_phase("practice", false).unwrap_err().to_string();
    assert!(by_name.starts_with("the final stops at "), "{by_name}");
    let health = || server.get("/health").body;
    assert!(health().contains("\"contest\":\"final\""), "{}", health());
    auto(true).unwrap();
    assert!(health().contains("\"contest\":\"final stopped\""), "{}", health());
    let organiser = server.get_as(&server.sign_in(&contest.organiser), "/organiser").body;
    assert!(
        organiser.contains("The final has stopped at ") && organiser.contains("It goes on when")
    );
    let ladder = server.get("/").body;
    assert!(ladder.contains("the final</a> has stopped at "), "{ladder}");
    contest.choose_phase("final", false).unwrap();
}

/// The secret is known by now, so a match that gets lost is not played again: verifying and
/// exporting fail, and the organiser is told.
fn expect_a_missing_match_to_be_told_and_not_played_again(contest: &Contest) {
    let database = || contest.database();
    let lost = "CREATE TABLE lost AS SELECT * FROM matches WHERE slot = 3;
                DELETE FROM matches WHERE slot = 3";
    database().execute_batch(lost).unwrap();
    let is_it = |text: &str| text.contains("match 4 of the final (") && text.contains("missing");
    let check = || {
        let report = verify(&contest.cup(), &contest.catalog).unwrap();
        assert_eq!(report.finals, Some((11, 12)));
        assert!(report.bad.len() == 1 && is_it(&report.bad[0]), "{:?}", report.bad);
    };
    check();
    let options = ExportOptions { matches: 0, is_anonymous: false };
    let to = contest.at().join("lacking");
    let refused = export(&contest.cup(), &to, &contest.catalog, options).unwrap_err().to_string();
    assert!(refused.starts_with("nothing is exported") && is_it(&refused), "{refused}");
    let stays = admin::undo_final(&contest.cup(), &contest.catalog, true).unwrap_err().to_string();
    assert!(stays.contains("are published"), "{stays}");
    // Nothing says that the final has stopped: which match, why and what to do, in the same words
    // everywhere.
    let missing = admin::describe_missing(&contest.cup(), &contest.catalog).unwrap().unwrap();
    assert!(is_it(&missing) && missing.contains("restore a backup"), "{missing}");
    let bad = verify(&contest.cup(), &contest.catalog).unwrap().bad;
    assert_eq!(bad, std::slice::from_ref(&missing));
    let progress = admin::final_progress(&contest.cup(), &contest.catalog).unwrap().unwrap();
    assert!(progress.is_over && progress.played < progress.planned, "{progress:?}");
    // The host asks for the next match more than once before it answers these pages.
    let server = contest.serve();
    for _ in 0..3 {
        let page = server.get("/final").body;
        assert!(page.contains("11 of 12 matches played"), "{page}");
        assert!(page.contains("id=\"lacks\"") && page.contains("id=\"seed\""), "{page}");
        assert!(!server.get("/").body.contains("has stopped at"));
    }
    assert!(contest.audit().contains(&missing), "{}", contest.audit());
    drop(server);
    check();
    database().execute_batch("INSERT INTO matches SELECT * FROM lost; DROP TABLE lost").unwrap();
    contest.verify();
}

/// A final that has begun cannot be turned into another one afterwards. Another result, another
/// seed, another winner: each is detected.
fn expect_changes_to_be_detected(contest: &Contest) {
    contest.edit(&[("final = 2", "final = 3")]);
    let other = admin::grades(&contest.cup(), &contest.catalog, &[]).unwrap_err().to_string();
    assert!(other.contains("began with 12 matches, but by host.toml it would have 18"), "{other}");
    contest.edit(&[("final = 3", "final = 2")]);
    for change in [
        "UPDATE matches SET scores = '9 9' WHERE id = (SELECT max(id) FROM matches)",
        "UPDATE matches SET slot = 77 WHERE slot = 3",
        "UPDATE settings SET value = 'chosen' WHERE key = 'final'",
    ] {
        contest.database().execute_batch(&format!("BEGIN; {change}; COMMIT")).unwrap();
        let bad = verify(&contest.cup(), &contest.catalog).unwrap().bad;
        assert!(bad.iter().any(|problem| problem.starts_with("match")), "{change}: {bad:?}");
    }
}

/// Nobody can change to another version any more; grades and the exported site show the final; a
/// ban removes nobody from it.
fn expect_a_final_that_stays(contest: &Contest, server: &Server, ada: &str) {
    let cookie = server.sign_in(ada);
    let late = server.form("/me/activate", &cookie, "version=1");
    assert_eq!(late.status, 403);
    assert!(late.body.contains("id=\"onward\" href=\"/me\""), "{}", late.body);
    let mine = server.get_as(&cookie, "/me").body;
    assert!(mine.contains("on the ladder, in the final"), "{mine}");
    assert!(mine.contains("id=\"in-final\"") && !mine.contains(", so far"), "{mine}");
    assert!(
        !mine.contains("/me/activate") && mine.contains("nobody can change to another version")
    );
    let team = join_team(&contest.cup(), "Late", &["ada".to_owned()], &contest.catalog, false);
    assert!(team.unwrap_err().to_string().contains("belong to the teams as they were"));
    expect_questions_before_anything_about_the_final_changes(contest);
    let status = admin::status(&contest.cup(), &contest.catalog).unwrap();
    assert!(!status.plays, "what is over is not played");
    assert!(mine.contains("The final is over. All ranks are on the page of"), "{mine}");
    let organiser = server.get_as(&server.sign_in(&contest.organiser), "/organiser").body;
    for text in
        ["The final is over. Its result, of 3 programs, is published", "href=\"#downloads\""]
    {
        assert!(organiser.contains(text), "{text}: {organiser}");
    }
    // Nothing is offered that would be refused.
    for none in ["id=\"undo-final\"", "id=\"chosen\"", "/organiser/move-phase", "id=\"now\""] {
        assert!(!organiser.contains(none), "{none}: {organiser}");
    }
    let move_final = |to| {
        admin::move_phase(&contest.cup(), &contest.catalog, ("final", Some(to)), true).unwrap_err()
    };
    let past = move_final("2100-02-01T00:00").to_string();
    assert_eq!(past, "the final is over and stays, so \"final\" is past");
    let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
    assert!(users.iter().all(|user| user.name != "Late"), "{users:?}");
    assert!(users.iter().any(|user| user.active == Some(2)), "{users:?}");
    let row = |table: &str, name: &str| {
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let found = lines.find(|cells| cells[1] == name).unwrap_or_default();
        found.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let grades = contest.grades(&[]);
    let ada = row(&grades, "ada");
    assert_eq!(
        (ada[2].as_str(), ada[6].as_str(), ada[11].as_str()),
        ("2", "8", "final"),
        "{grades}"
    );
    assert!(!ada[3].is_empty() && !ada[12].is_empty(), "{grades}");
    assert_eq!(row(&grades, "random")[10], "house", "{grades}");
    let front = server.get("/").body;
    assert!(front.contains("the final</a> is over") && !front.contains("paused"), "{front}");
    // What is over comes first.
    let at = |page: &str, id: &str| page.find(&format!("id=\"{id}\"")).unwrap_or(usize::MAX);
    assert!(at(&front, "final") < at(&front, "ladder"), "{front}");
    assert!(at(&mine, "in-final") < at(&mine, "at-once"), "{mine}");
    // If two rounds say nothing for certain, the page says so.
    let page = server.get("/final").body;
    let is_unsure = page.matches(">1–3<").count() == 3;
    assert_eq!(page.contains("id=\"too-few\""), is_unsure, "{page}");
    let rows = |page: &str| page.matches("<th scope=\"row\">").count();
    assert_eq!(rows(&page), 3);
    contest.ban("ada", true);
    let after = server.get("/final").body;
    assert!(rows(&after) == 3 && after.contains(" (banned)</th>"), "{after}");
    assert_eq!(row(&contest.grades(&[]), "ada")[10], "banned");
    let site = contest.export("site", 5, false);
    let index = std::fs::read_to_string(site.join("index.html")).unwrap();
    let first = index.split("<h2>").nth(1).unwrap();
    assert!(first.starts_with("The final") && first.contains("ada</span> (banned)"), "{index}");
    assert!(site.join("final.csv").is_file());
    // A page of a match is called by its number, as everywhere in the contest.
    let pages: Vec<_> = std::fs::read_dir(site.join("matches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!pages.is_empty());
    for page in pages {
        let number = page.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&page).unwrap();
        let title = text.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
        assert!(title.starts_with(&format!("match {number} on ")), "{title}");
        assert!(!title.contains("seed") && title.contains(" and "), "{title}");
    }
}

/// Once there has been a final, what touches it wants to be confirmed, and a merge stays.
fn expect_questions_before_anything_about_the_final_changes(contest: &Contest) {
    let (cup, catalog) = (&contest.cup(), &contest.catalog);
    for phase in ["practice", "frozen"] {
        if !admin::phases(cup, catalog).unwrap().iter().any(|known| known.name == phase) {
            continue;
        }
        let asked = contest.choose_phase(phase, false).unwrap_err().to_string();
        assert!(asked.starts_with("the final is over and stays"), "{asked}");
        assert!(asked.ends_with("confirm it with --confirm"), "{asked}");
        contest.choose_phase(phase, true).unwrap();
        contest.choose_phase("final", false).unwrap();
    }
    contest.invite("Idle");
    let asked = admin::remove(cup, catalog, "Idle", false).unwrap_err().to_string();
    assert!(asked.starts_with("the final has begun: the row of Idle disappears"), "{asked}");
    // As if they had been merged before.
    contest.invite("Idle 2");
    let merge = "UPDATE participants SET merged = (SELECT id FROM participants WHERE name = 'Idle')
                 WHERE name = 'Idle-2'";
    contest.database().execute(merge, []).unwrap();
    let stays = admin::undo_merge(cup, catalog, "Idle-2").unwrap_err().to_string();
    assert!(stays.contains("a merge that is taken back could not be made again"), "{stays}");
    for name in ["Idle-2", "Idle"] {
        admin::remove(cup, catalog, name, true).unwrap();
    }
}

#[test]
fn a_final_of_solo_players_or_at_a_large_table_follows_its_schedule() {
    for (game, scenario, house) in [
        ("hextris", "drawn?size=0&seed={seed}", &["random", "greedy"][..]),
        ("tron", "codingame?players=4", &["random", "wall-hugger", "space"]),
    ] {
        let Some(contest) = Contest::of(game, &[scenario], house) else { return };
        contest.edit(&[(OPEN, "name = \"open\"\nfinal = 1")]);
        let server = contest.serve();
        server.until("the final is over", |server| {
            text_of(&server.get("/final").body, "seed").is_some()
        });
        drop(server);
        let finals = contest.verify().finals;
        assert!(finals.is_some_and(|(played, planned)| played == planned && planned > 0));
        let ended = |change: &str| {
            contest.database().execute_batch(&format!("UPDATE matches SET at = {change}")).unwrap();
            admin::status(&contest.cup(), &contest.catalog).unwrap().matches.last_minute
        };
        assert_eq!(ended("1000"), 0);
        // A clock that was put back does not hide any.
        assert_eq!(ended("4000000000 WHERE id IN (SELECT id FROM matches LIMIT 2)"), 2);
    }
}

#[test]
fn names_are_hidden_until_the_final_is_over_and_every_participant_gets_a_letter() {
    let Some(contest) = Contest::new() else { return };
    contest
        .edit(&[("hidden_names = false", "hidden_names = true"), (OPEN, &format!("{PRACTICE}1"))]);
    let ada = contest.invite("Ada Lovelace");
    contest.invite("idle|*one*");
    let write_letters =
        |to: &str| letters(&contest.cup(), &contest.at().join(to), &contest.catalog);
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let cookie = server.sign_in(&ada);
    let front = server.get_as(&cookie, "/").body;
    assert!(!front.contains("Lovelace") && front.contains(" (you)"), "{front}");
    assert!(server.get_as(&cookie, "/me").body.contains("Ada Lovelace"));
    assert!(contest.grades(&[]).contains("Ada Lovelace"), "the organiser knows them");
    write_letters("early").unwrap();
    contest.choose_phase("final", true).unwrap();
    server
        .until("the final is over", |server| text_of(&server.get("/final").body, "seed").is_some());
    server.until("names are shown", |server| server.get("/final").body.contains("Ada Lovelace"));
    assert!(server.get("/").body.contains("Ada Lovelace"));
    assert_eq!(write_letters("letters").unwrap(), 2);
    let letters_in = |folder: &str| {
        let entries = std::fs::read_dir(contest.at().join(folder)).unwrap();
        let texts = entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        texts.collect::<Vec<_>>()
    };
    let of = |folder: &str, name: &str| {
        let found = letters_in(folder).into_iter().find(|text| text.starts_with(name));
        found.unwrap_or_else(|| panic!("no letter to {name}"))
    };
    let letter = of("letters", "# Ada Lovelace: ");
    for part in [
        "In the final, your version 1 is number ",
        "It played 4 matches of the final; 0 ended",
        "| random | ",
    ] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
    assert!(of("early", "# Ada Lovelace: ").contains("In the ladder, your version 1 is number "));
    assert!(of("letters", "# idle\\|\\*one\\*: ").contains("None of your programs took part"));
    assert!(write_letters("letters").is_err(), "nothing is overwritten");
}
