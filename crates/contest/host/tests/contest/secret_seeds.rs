//! Where everybody plays alone, nobody can learn the seeds of the ladder by heart: they are secret
//! while they are played, wherever one looks, and others come after them.

use std::fs;

use quintain_host::letters;
use quintain_store::Store;

use crate::setup::{Contest, walker_choosing};

fn hextris() -> Option<Contest> {
    Contest::of("hextris", &["drawn?size=0&seed={seed}"], &["random", "greedy"])
}

/// Returns a match of a participant on the running seeds: its number, seed and record.
fn running_match(contest: &Contest, name: &str) -> (i64, i64, String) {
    let sql = "SELECT m.id, m.seed, m.record FROM matches AS m
               JOIN seats AS s ON s.match = m.id JOIN versions AS v ON v.id = s.version
               JOIN participants AS p ON p.id = v.participant
               WHERE p.name = ?1 AND m.hidden AND m.record IS NOT NULL LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    contest.database().query_row(sql, [name], read).unwrap()
}

/// Ends the time of the running seeds.
fn let_time_pass(contest: &Contest) {
    contest.database().execute_batch("UPDATE sequences SET begun = begun - 3601").unwrap();
}

#[test]
fn seeds_and_records_are_secret_while_they_are_played_and_shown_afterwards() {
    let Some(contest) = hextris() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, &walker_choosing("print('I saw it', file=sys.stderr)"));
    let cookie = server.sign_in(&ada);
    let own = "SELECT count(*) FROM matches AS m JOIN seats AS s ON s.match = m.id
               JOIN versions AS v ON v.id = s.version JOIN participants AS p ON p.id = v.participant
               WHERE p.name = 'ada' AND m.record IS NOT NULL AND m.kind = 'ladder'";
    server.until("ada has played", |_| contest.one(own) >= 2);
    let (number, seed, record) = running_match(&contest, "ada");
    let committed = server.get("/seeds").body;
    let secret: String =
        contest.database().query_row("SELECT secret FROM sequences", [], |row| row.get(0)).unwrap();
    let sentence = format!("quintain host: the secret of the ladder's seeds is {secret}");
    let digest = blake3::hash(sentence.as_bytes()).to_hex().to_string();
    assert!(committed.contains(&digest) && committed.contains(", running"), "{committed}");
    let is_secret = |text: &str| {
        [seed.to_string(), record.clone(), secret.clone()].iter().all(|told| !text.contains(told))
    };
    // Pages and requests.
    let participant = contest.one("SELECT id FROM participants WHERE name = 'ada'");
    let pages =
        ["/", "/me", "/matches", "/seeds", "/api/matches", "/api/status"].map(str::to_owned);
    let own_match = format!("/me/matches/{number}");
    let of_ada = [format!("/participants/{participant}"), own_match.clone()];
    for path in pages.into_iter().chain(of_ada) {
        let page = server.get_as(&cookie, &path).body;
        assert!(is_secret(&page), "{path}: {page}");
    }
    assert!(!server.get_as(&cookie, &own_match).body.contains("I saw it"));
    for path in ["/matches/{}", "/api/matches/{}", "/api/matches/{}/replay", "/api/matches/{}/film"]
    {
        let path = path.replace("{}", &record);
        assert!(server.get_as(&cookie, &path).status >= 400, "{path}");
    }
    // What the organiser gives away.
    assert!(contest.pause(true));
    let site = contest.export("site", 5, false);
    let shown = Store::open_to_read(&site.join("matches.sqlite")).unwrap();
    assert!(shown.find(&record).unwrap().is_none());
    assert!(!site.join("hidden.sqlite").exists());
    letters(&contest.cup(), &contest.at().join("letters"), &contest.catalog).unwrap();
    for file in
        [site.join("index.html"), site.join("matches.csv"), contest.at().join("letters/ada.md")]
    {
        assert!(is_secret(&fs::read_to_string(&file).unwrap()), "{}", file.display());
    }
    let anonymous = contest.export("anonymous", 0, true);
    assert!(is_secret(&fs::read_to_string(anonymous.join("matches.csv")).unwrap()));
    // When their time is over, all is shown.
    let_time_pass(&contest);
    server.until("the record is shown", |server| {
        server.get(&format!("/matches/{record}")).status == 200
    });
    // The database says so a moment after the store has the record.
    server.until("the author sees it", |server| {
        let own = server.get_as(&cookie, &own_match).body;
        own.contains(&seed.to_string()) && own.contains("I saw it")
    });
    assert!(server.get("/seeds").body.contains(&secret));
    drop(server);
    contest.verify();
    // A seed that the secret does not yield is detected.
    let other = format!("UPDATE matches SET seed = 5 WHERE id = {number}");
    contest.database().execute_batch(&other).unwrap();
    let report = quintain_host::verify(&contest.cup(), &contest.catalog).unwrap();
    assert!(report.bad.iter().any(|bad| bad.contains("not in its sequence")), "{report:?}");
}

#[test]
fn seeds_that_were_shown_are_never_played_again() {
    let Some(contest) = hextris() else { return };
    let server = contest.serve();
    let in_sequence = |number: u32| {
        let sql = "SELECT count(*) FROM matches WHERE record IS NOT NULL AND sequence = ";
        contest.one(&format!("{sql}{number}"))
    };
    server.until("the first seeds are played", |_| in_sequence(1) >= 6);
    let_time_pass(&contest);
    // Somebody who has stored all moves of the best submits them now.
    let ada = contest.invite("ada");
    server.enter(&ada, crate::setup::WALKER);
    server.until("others are played", |_| in_sequence(2) >= 12);
    let common = "SELECT count(*) FROM matches AS a JOIN matches AS b ON a.seed = b.seed
                  WHERE a.sequence = 1 AND b.sequence = 2";
    assert_eq!(contest.one(common), 0);
    let old = "SELECT count(*) FROM matches AS m JOIN seats AS s ON s.match = m.id
               JOIN versions AS v ON v.id = s.version JOIN participants AS p ON p.id = v.participant
               WHERE p.name = 'ada' AND m.sequence = 1";
    assert_eq!(contest.one(old), 0);
    // All play the same seeds as before in their own time, and what they did still counts.
    assert!(server.count_played() as i64 >= in_sequence(1) + 12);
    drop(server);
    contest.verify();
}

#[test]
fn secret_records_are_in_a_backup_and_survive_a_restart() {
    let Some(contest) = hextris() else { return };
    let server = contest.serve();
    server.until("some are played", |server| server.count_played() >= 6);
    quintain_host::backup(&contest.cup(), &contest.at().join("copy")).unwrap();
    drop(server);
    let good = contest.verify().good;
    let copy = quintain_host::verify(&contest.at().join("copy"), &contest.catalog).unwrap();
    assert!(copy.bad.is_empty() && copy.good >= 6, "{copy:?}");
    let server = contest.serve();
    server.until("they go on", |server| server.count_played() as usize > good);
    drop(server);
    contest.verify();
}
