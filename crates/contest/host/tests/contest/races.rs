//! Actions that are done at the same time or repeatedly have the same result as once.

use crate::server::{Answer, Server};
use crate::setup::{Contest, WALKER};

/// Does something in this many threads at once, each with its number.
fn at_once<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> =
            (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Submits until there is an upload place, as only a few uploads of a person are read at once.
fn hand_in(server: &Server, token: &str, bytes: &[u8]) -> Answer {
    loop {
        let answer = server.hand_in(token, "bot.py", bytes);
        if !answer.head.contains("retry-after: ") {
            return answer;
        }
    }
}

#[test]
fn of_two_simultaneous_activations_the_last_one_counts_and_both_are_logged() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    for number in 1..=2 {
        server.enter(&ada, &format!("{WALKER}\n# {number}\n"));
    }
    let cookie = server.sign_in(&ada);
    let rounds = 10;
    for _ in 0..rounds {
        let done = at_once(2, |number| {
            server.form("/me/activate", &cookie, &format!("version={}", number + 1)).status
        });
        assert_eq!(done, [303, 303]);
        // The last one in the log is the one on the ladder, once.
        let audit = contest.audit();
        let last = audit.lines().next().unwrap();
        let active = contest.one(
            "SELECT v.number FROM versions AS v JOIN participants AS p ON p.active = v.id
             WHERE p.name = 'ada'",
        );
        assert!(last.contains(&format!("ada: activated version {active}")), "{active}: {last}");
        assert_eq!(server.get("/").body.matches(">ada<").count(), 1);
    }
    let logged = "SELECT count(*) FROM audit WHERE what LIKE 'activated version %'";
    assert_eq!(contest.one(logged), 2 * rounds);
    // Both have the matches that they had, and the ladder is computed again as it was.
    drop(server);
    contest.verify();
}

#[test]
fn simultaneous_uploads_respect_the_quota() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("per_hour = 20 ", "per_hour = 5 ")]);
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    // The same files: one version, whoever was first.
    let same = at_once(8, |_| hand_in(&server, &ada, b"import sys; sys.exit(1)"));
    for answer in &same {
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert!(answer.body.contains("\"version\":1"), "{}", answer.body);
    }
    // Different files: as many versions as allowed.
    let others = at_once(16, |number| {
        hand_in(&server, &bob, format!("import sys; sys.exit({number})").as_bytes()).status
    });
    assert_eq!(others.iter().filter(|status| **status == 201).count(), 5, "{others:?}");
    assert!(others.iter().all(|status| matches!(status, 201 | 429)), "{others:?}");
    let of = |name: &str| {
        let sql =
            "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant";
        contest.one(&format!("{sql} WHERE p.name = '{name}'"))
    };
    assert_eq!((of("ada"), of("bob")), (1, 5));
}

#[test]
fn the_quota_cannot_be_evaded() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("per_hour = 20 ", "per_hour = 3 ")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let program = |number: u32| format!("import sys; sys.exit({number})").into_bytes();
    let failed = server.hand_in_file_and_wait(&ada, "bot.py", &program(1));
    assert_eq!(failed["stage"], "failed");
    // The same files are the same version as before: nothing is checked again, and none of the
    // quota is used.
    for _ in 0..5 {
        let again = hand_in(&server, &ada, &program(1));
        assert!(again.body.contains("\"version\":1") && again.body.contains("failed"));
    }
    assert_eq!(hand_in(&server, &ada, &program(2)).status, 201);
    assert_eq!(hand_in(&server, &ada, &program(3)).status, 201);
    // Then nothing more is accepted: neither by a session, nor with a new token, nor with a
    // repository's, nor under another file name, nor after a ban that was lifted.
    assert_eq!(hand_in(&server, &ada, &program(4)).status, 429);
    let cookie = server.sign_in(&ada);
    let page = server.form("/me/repository", &cookie, "").body;
    let repository = page.split("<code id=\"token\">").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(hand_in(&server, repository, &program(4)).status, 429);
    contest.ban("ada", true);
    assert_eq!(hand_in(&server, &ada, &program(4)).status, 403);
    contest.ban("ada", false);
    let fresh = contest.invite("ada");
    assert_eq!(server.hand_in(&fresh, "main.py", &program(4)).status, 429);
    assert_eq!(contest.one("SELECT count(*) FROM versions WHERE digest <> ''"), 3);
}
