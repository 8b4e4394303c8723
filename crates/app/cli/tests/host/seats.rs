//! Programs at both seats of a game whose seats play different roles: one builds, the other asks.

use std::fs;

use crate::contest::{Contest, quintain};

/// Returns the first cells of a table's rows, each with the number in the column.
fn rows(page: &str, table: &str) -> Vec<String> {
    let begin = page.find(&format!("id=\"{table}\"")).unwrap_or_else(|| panic!("{table}: {page}"));
    let end = begin + page[begin..].find("</table>").unwrap();
    page[begin..end].split("<tr>").skip(2).map(str::to_owned).collect()
}

/// Returns a contest of builders and sequencers on a small board.
fn duels() -> Option<Contest> {
    let contest = Contest::of("pentocity", "per_hour = 20 ")?;
    let file = contest.at().join("cup/host.toml");
    let text = fs::read_to_string(file).unwrap();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    contest.edit(&[
        (line("scenarios = "), "scenarios = [\"duel?side=7\"]"),
        (line("house = "), "house = [\"g1\", \"sequencer?of=g6\"]"),
        (line("# seats = "), "seats = [\"builder\", \"sequencer\"]"),
        ("matches = 1000", "matches = 400"),
    ]);
    Some(contest)
}

#[test]
fn whoever_has_a_sequencer_alone_answers_at_the_other_seat_as_they_like() {
    let Some(contest) = duels() else { return };
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    // At the first seat, where it would build, it does this.
    let builds = |how: &str| {
        let own = "            action = choose(";
        assert!(source.contains(own), "{source}");
        let text = format!("            if match['seat'] == 0:\n                {how}\n");
        let otherwise = format!("{text}            else:\n                action = choose(");
        source.replace(own, &otherwise)
    };
    // One that does not know the seat fails there, and is told what it may do.
    let alone = builds("sys.exit('I only ask')");
    let checked = server.hand_in_file_and_wait(&ada, "bot.py", alone.as_bytes());
    assert_eq!(checked["stage"], "failed", "{checked}");
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("BAD duel?side=7 as builder") && log.contains("I only ask"), "{log}");
    assert!(log.contains("ok  duel?side=7 as sequencer"), "{log}");
    assert!(log.contains("as builder, answer with any of the offered actions"), "{log}");
    // One that takes the first available action is on the ladder, and among the sequencers.
    let answering = builds("action = message['actions'][0]");
    let checked = server.hand_in_file_and_wait(&bob, "bot.py", answering.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    server.until("it has asked", |server| {
        let page = server.get("/seats").body;
        rows(&page, "second-seat").iter().any(|row| row.contains("bob v1"))
    });
    assert!(!server.get("/seats").body.contains("ada"));
}

#[test]
fn programs_ask_and_build_and_there_are_standings_of_both() {
    let Some(contest) = duels() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let submitted = contest.submit(&server, &ada, "walker");
    assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    let log = String::from_utf8_lossy(&submitted.stdout).into_owned();
    for seat in ["builder", "sequencer"] {
        assert!(log.contains(&format!("duel?side=7 as {seat} against random")), "{log}");
    }
    assert!(server.get("/").body.contains("href=\"/seats\""));
    server.until("everybody has met everybody at both seats", |server| {
        let page = server.get("/seats").body;
        rows(&page, "scores").len() == 3 && page.matches("<td class=\"number\">–</td>").count() == 3
    });
    let page = server.get("/seats").body;
    // Who is better is not certain after so few matches; that everybody is there is.
    for table in ["first-seat", "second-seat"] {
        let standings = rows(&page, table);
        assert_eq!(standings.len(), 3, "{standings:?}");
        for name in ["ada v1", "g1", "sequencer?of=g6"] {
            let has_name = |row: &String| row.contains(&format!(">{name}<"));
            assert_eq!(standings.iter().filter(|row| has_name(row)).count(), 1, "{standings:?}");
        }
    }
    assert!(rows(&page, "duels").len() == 3 && page.contains("the hardest first"));
    drop(server);
    quintain(contest.at(), &["host", "verify", "cup"]);
    contest.host("export", &["site"]);
    let table = fs::read_to_string(contest.at().join("site/seats.csv")).unwrap();
    assert!(table.starts_with("builder,sequencer,mean_score\n"), "{table}");
    assert_eq!(table.lines().count(), 7, "{table}");
}

#[test]
fn without_names_of_seats_there_are_no_standings_of_them() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let server = contest.serve();
    assert_eq!(server.get("/seats").status, 404);
    assert!(!server.get("/").body.contains("/seats"));
}
