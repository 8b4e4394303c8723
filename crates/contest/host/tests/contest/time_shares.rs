//! One participant's slow programs, builds and challenges leave the others their share of the
//! machine's time.

use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_choosing, zip};

/// Returns a program that is built for this many seconds.
pub(crate) fn built_for(seconds: f64, comment: &str) -> Vec<u8> {
    let list = format!("[bot]\ncommand = \"python3 bot.py\"\nbuild = \"sleep {seconds}\"\n");
    zip(&[("bots.toml", &list), ("bot.py", &format!("{WALKER}\n# {comment}\n"))])
}

/// Returns the numbers of the matches that a participant's versions have played.
fn matches_of(contest: &Contest, name: &str) -> Vec<i64> {
    let database = contest.database();
    let mut statement = database
        .prepare(
            "SELECT s.match FROM seats AS s JOIN versions AS v ON v.id = s.version
             JOIN participants AS p ON p.id = v.participant
             JOIN matches AS m ON m.id = s.match
             WHERE p.name = ?1 AND m.record IS NOT NULL ORDER BY s.match",
        )
        .unwrap();
    let rows = statement.query_map([name], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_slow_program_leaves_the_others_their_share() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# threads = 1", "threads = 1")]);
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&bob, &walker_choosing("__import__('time').sleep(0.08)"));
    // As a newcomer it may go ahead by some seconds, in which it plays match after match. From then
    // on the others play between two of its matches until they have used as much time.
    server.until("the others play between two matches of the slow one", |_| {
        let slow = matches_of(&contest, "bob");
        slow.len() >= 12 && slow.windows(2).any(|pair| pair[1] - pair[0] > 20)
    });
}

#[test]
fn long_builds_do_not_stop_the_ladder() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# threads = 1", "threads = 1"), ("time = \"60s\"", "time = \"1h\"")]);
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    for number in 0..3 {
        let answer = server.hand_in(&bob, "", &built_for(3000.0, &number.to_string()));
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let played = server.count_played();
    server.until("the ladder goes on", |server| server.count_played() > played + 50);
    let waiting = "SELECT count(*) FROM versions WHERE stage IN ('waiting', 'checking')";
    assert_eq!(contest.one(waiting), 3);
}

#[test]
fn whoever_has_used_up_their_time_for_checks_waits_and_others_do_not() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("check_time = \"10m\" ", "check_time = \"1s\" ")]);
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    // The second one is in time, but the first one's check takes all there is.
    for number in 1..=2 {
        let answer = server.hand_in(&bob, "", &built_for(1.2, &number.to_string()));
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let bearer = format!("Bearer {bob}");
    let ask = |server: &Server, number: u32| {
        let path = format!("/api/submissions/{number}");
        server.ask("GET", &path, &[("authorization", &bearer)], &[]).body
    };
    server.until("the first one has passed", |server| ask(server, 1).contains("\"passed\""));
    server.until("the second one waits", |server| {
        let answer = ask(server, 2);
        answer.contains("took 1s within an hour") && answer.contains("this one waits until 2")
    });
    let late = server.hand_in(&bob, "", &built_for(0.0, "3"));
    assert_eq!(late.status, 429);
    assert!(late.body.contains("submit again after 2"), "{}", late.body);
    let page = server.get_as(&server.sign_in(&bob), "/me").body;
    assert!(page.contains("id=\"checks-go-on\""), "{page}");
    server.enter(&ada, WALKER);
    assert!(ask(&server, 2).contains("\"waiting\""));
    // An hour later it goes on.
    contest.database().execute_batch("UPDATE spent SET at = at - 3601").unwrap();
    server.until("the second one has passed", |server| ask(server, 2).contains("\"passed\""));
    // What the organiser has checked again is not the participant's time.
    contest.database().execute_batch("DELETE FROM spent").unwrap();
    let rejudged = quintain_host::admin::Rejudged::Participant("bob");
    quintain_host::admin::rejudge(&contest.cup(), &contest.catalog, rejudged, false).unwrap();
    server.until("all are checked again", |_| {
        contest.one("SELECT count(*) FROM versions WHERE stage <> 'passed'") == 0
    });
    assert_eq!(contest.one("SELECT count(*) FROM spent"), 0);
}

#[test]
fn challenges_are_limited_by_the_time_that_they_take() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("challenge_time = \"2m\" ", "challenge_time = \"1ms\" ")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    // Each of its moves alone takes longer than all challenges of an hour may.
    server.enter(&ada, &walker_choosing("__import__('time').sleep(0.002)"));
    let cookie = server.sign_in(&ada);
    let rival = contest.one("SELECT id FROM versions WHERE digest = '' LIMIT 1");
    let form = format!("opponent={rival}&scenario=empty%3Fwidth%3D7%26height%3D7");
    assert_eq!(server.form("/me/challenge", &cookie, &form).status, 303);
    server.until("it is played", |server| {
        server.get_as(&cookie, "/me").body.contains("id=\"tried\"")
    });
    let refused = server.form("/me/challenge", &cookie, &form);
    assert_eq!(refused.status, 429);
    assert!(refused.body.contains("have played for 1ms within an hour"), "{}", refused.body);
}
