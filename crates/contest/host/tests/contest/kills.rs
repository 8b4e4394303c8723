//! A host that is killed, as by a power failure. [`crate::class`] kills it more often.

use crate::setup::{Contest, WALKER};

#[test]
fn a_killed_host_loses_nothing_acknowledged_and_counts_nothing_twice() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let mut server = contest.serve_to_be_killed();
    let answer = server.hand_in(&ada, "bot.py", WALKER.as_bytes());
    assert_eq!(answer.status, 201, "{}", answer.body);
    let mut seen = 0;
    for round in 0..4 {
        // Each time at another moment of the current work.
        server.until("matches go on", |server| server.count_played() > seen + round);
        seen = server.count_played();
        drop(server);
        server = contest.serve_to_be_killed();
        let after = server.count_played();
        assert!(after >= seen, "{after} of {seen} are left");
    }
    server.until("ada is on the ladder", |server| server.get("/").body.contains(">ada<"));
    drop(server);
    let counted = contest.one("SELECT count(*) FROM matches WHERE record IS NOT NULL");
    assert!(counted >= seen as i64);
    assert_eq!(counted, contest.one("SELECT count(DISTINCT record) FROM matches"));
    let database = contest.database();
    let mut records =
        database.prepare("SELECT record FROM matches WHERE record IS NOT NULL").unwrap();
    let records = records.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let store = rusqlite::Connection::open(contest.cup().join("matches.sqlite")).unwrap();
    for record in records {
        let id = record.unwrap();
        let sql = "SELECT count(*) FROM records WHERE lower(hex(id)) = ?1";
        let found = store.query_row(sql, [&id], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(found, 1, "{id}");
    }
}

#[test]
fn a_match_that_a_kill_left_out_is_made_up_for_and_the_next_one_counts_once() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("matches = 1000", "matches = 12")]);
    let server = contest.serve();
    server.until("the ladder rests", |server| server.count_played() == 12);
    drop(server);
    // Of two matches under way at once, the later one was entered before the kill.
    let left_out = contest.one("SELECT id FROM matches ORDER BY id LIMIT 1 OFFSET 9");
    let database = contest.database();
    database.execute("DELETE FROM matches WHERE id = ?1", [left_out]).unwrap();
    database.execute("DELETE FROM seats WHERE match = ?1", [left_out]).unwrap();
    drop(database);
    let server = contest.serve();
    server.until("it is made up for", |server| server.count_played() == 12);
    drop(server);
    assert_eq!(contest.verify().good, 12);
}
