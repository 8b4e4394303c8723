//! Hidden copies of programs measure how far apart identical programs stand, and nobody sees them.

use quintain_host::admin;

use crate::setup::{Contest, WALKER};

#[test]
fn a_hidden_copy_plays_and_the_page_says_how_far_apart_identical_programs_stand() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    for number in 0..6 {
        let token = contest.invite(&format!("student {number}"));
        server.enter(&token, &format!("{WALKER}\n# {number}\n"));
    }
    server.until("the page says how far apart identical programs stand", |server| {
        server.get("/").body.contains("Two identical programs stand")
    });
    let copy = contest.one("SELECT participant FROM versions WHERE copy_of IS NOT NULL");
    let page = server.get("/").body;
    assert!(!page.contains("hidden copy") && !page.contains("_copy"), "{page}");
    assert_eq!(page.matches("<th scope=\"row\">").count(), 8, "six and the house: {page}");
    assert_eq!(server.get(&format!("/participants/{copy}")).status, 404);
    let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
    assert_eq!(users.len(), 7, "six and the organiser: {users:?}");
    let status = admin::status(&contest.cup(), &contest.catalog).unwrap();
    assert_eq!((status.versions.on_ladder, status.house), (6, 2));
    // The ranks of the ladder's grades are certain ones.
    let grades = contest.grades(&["name", "rank", "best_rank", "worst_rank"]);
    for line in grades.lines().skip(1).filter(|line| !line.starts_with("organiser")) {
        let cells: Vec<u64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        assert!(cells[1] <= cells[0] && cells[0] <= cells[2], "{grades}");
    }
    assert_eq!(grades.lines().count(), 9, "{grades}");
    // It ends with its original, and another begins.
    let original = "SELECT p.id FROM participants AS p JOIN versions AS v ON v.participant = p.id
                    WHERE v.id = (SELECT copy_of FROM versions WHERE copy_of IS NOT NULL LIMIT 1)";
    let name: String = contest
        .database()
        .query_row("SELECT name FROM participants WHERE id = ?1", [contest.one(original)], |row| {
            row.get(0)
        })
        .unwrap();
    contest.ban(&name, true);
    let seventh = contest.invite("student 7");
    server.enter(&seventh, WALKER);
    let playing = "SELECT count(*) FROM participants AS p JOIN versions AS v ON v.id = p.active
                   WHERE v.copy_of IS NOT NULL";
    let all = "SELECT count(*) FROM versions WHERE copy_of IS NOT NULL";
    server.until("another copy plays", |_| contest.one(all) == 2 && contest.one(playing) == 1);
    drop(server);
    contest.verify();
    assert!(!contest.audit().contains("_copy"));
}
