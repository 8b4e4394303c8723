//! A phase with other scenarios has a ladder of its own; a ladder is reset, and matches are struck
//! out.

use quintain_host::admin;

use crate::setup::{Contest, WALKER};

const OPEN: &str = "name = \"open\"\nsubmissions = true\nladder = true";

#[test]
fn a_phase_with_other_scenarios_has_a_ladder_of_its_own() {
    let Some(contest) = Contest::new() else { return };
    let second =
        format!("{OPEN}\n[[phases]]\nname = \"second\"\nscenarios = [\"empty?width=5&height=5\"]");
    contest.edit(&[(OPEN, &second), ("matches = 1000", "matches = 8")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("the first ladder rests", |server| server.get("/").body.contains("rests until"));
    let first = server.count_played();
    contest.choose_phase("second", false).unwrap();
    let on = |scenario: &str| {
        contest.one(&format!(
            "SELECT count(*) FROM matches WHERE kind = 'ladder' AND scenario LIKE '%={scenario}&%'"
        ))
    };
    // Old counts and ratings do not stay.
    server.until("the second ladder rests", |server| {
        let page = server.get("/").body;
        on("5") > 0 && page.contains(">second<") && page.contains("rests until")
    });
    assert_eq!(on("7"), first as i64);
    assert_eq!(on("5"), server.count_played() as i64);
    let cookie = server.sign_in(&ada);
    assert!(!server.get_as(&cookie, "/me").body.contains("width=7&amp;height=7</th>"));
    // Back in the first phase, its ladder is as it was.
    contest.choose_phase("open", false).unwrap();
    server.until("the first ladder is back", |server| server.count_played() == first);
    drop(server);
    contest.verify();
}

#[test]
fn a_reset_ladder_begins_anew_and_is_audited() {
    let Some(contest) = Contest::new() else { return };
    let open = "submissions = true\nladder = true";
    let frozen = format!("{open}\n[[phases]]\nname = \"frozen\"\nsubmissions = false");
    contest.edit(&[("matches = 1000", "matches = 6"), (open, &frozen)]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let rests = |server: &crate::server::Server| server.get("/").body.contains("rests until");
    server.until("the ladder rests", rests);
    // Nobody waits for another version where none is accepted.
    contest.choose_phase("frozen", false).unwrap();
    let ended = server.get("/").body;
    assert!(!rests(&server) && ended.contains("the ladder has ended: all have their"), "{ended}");
    contest.choose_phase("open", false).unwrap();
    let before = server.count_played() as i64;
    let organiser = server.sign_in(&contest.organiser);
    let asked = server.form("/organiser/reset", &organiser, "");
    let what = format!("None of the {before} matches of the ladder counts any more");
    assert!(asked.status == 409 && asked.body.contains(&what), "{}", asked.body);
    assert!(asked.body.contains("name=\"confirm\" value=\"true\""), "{}", asked.body);
    assert_eq!(server.count_played() as i64, before);
    assert_eq!(server.form("/organiser/reset", &organiser, "confirm=true").status, 303);
    let all = "SELECT count(*) FROM matches WHERE record IS NOT NULL";
    server.until("another one is played", |_| contest.one(all) > before);
    server.until("it rests as well", rests);
    assert_eq!(server.count_played() as i64, contest.one(all) - before);
    assert!(contest.audit().contains(&format!("reset the ladder after {before} matches")));
    drop(server);
    contest.verify();
    // What was struck out does not count before either.
    let last = contest.one("SELECT max(id) FROM matches").to_string();
    admin::strike(&contest.cup(), &contest.catalog, &[last], Some("the machine")).unwrap();
    let counted = contest.one(all) - before - 1;
    let reset = |is_confirmed| admin::reset(&contest.cup(), &contest.catalog, is_confirmed);
    let asked = reset(false).unwrap_err().to_string();
    assert!(asked.starts_with(&format!("none of the {counted} matches of the ladder")), "{asked}");
    assert!(asked.contains("confirm it with --confirm"), "{asked}");
    assert_eq!(reset(true).unwrap() as i64, counted);
    assert!(contest.audit().contains(&format!("reset the ladder after {counted} matches")));
}

#[test]
fn matches_are_struck_out_with_a_reason_and_count_again() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("some are played", |server| server.count_played() >= 6);
    assert!(contest.pause(true));
    let under_way = "SELECT count(*) FROM matches WHERE record IS NULL";
    server.until("all have ended", |_| contest.one(under_way) == 0);
    let before = server.count_played();
    let number = contest.one(
        "SELECT max(match) FROM seats
         WHERE version = (SELECT active FROM participants WHERE name = 'ada')",
    );
    let strike = |matches: &str, reason: Option<&str>| {
        admin::strike(&contest.cup(), &contest.catalog, &[matches.to_owned()], reason)
    };
    assert_eq!(strike(&number.to_string(), Some("the machine was busy")).unwrap(), 1);
    server.until("it does not count", |server| server.count_played() == before - 1);
    let mine = server.get_as(&server.sign_in(&ada), &format!("/me/matches/{number}")).body;
    assert!(mine.contains("does not count: ") && mine.contains("the machine was busy"), "{mine}");
    assert!(contest.audit().contains(&format!("struck out match {number}: the machine was busy")));
    let again = strike(&number.to_string(), Some("twice")).unwrap_err().to_string();
    assert!(again.contains("nothing changed"), "{again}");
    for bad in ["x", "1-y", "0"] {
        assert!(strike(bad, Some("why")).is_err(), "{bad}");
    }
    let organiser = server.sign_in(&contest.organiser);
    let form = format!("matches=1-{number}&reason=all+of+them");
    assert_eq!(server.form("/organiser/strike", &organiser, &form).status, 303);
    server.until("none counts", |server| server.count_played() == 0);
    let form = format!("matches=1-{number}&reason=");
    assert_eq!(server.form("/organiser/strike", &organiser, &form).status, 303);
    server.until("all count again", |server| server.count_played() == before);
    drop(server);
    contest.verify();
}
