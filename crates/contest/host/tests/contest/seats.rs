//! Programs at both seats of a game whose seats play different roles: one builds, the other asks.

use std::fs;

use quintain_host::NewContest;

use crate::setup::{Contest, WALKER, replace};

/// Returns the first cells of a table's rows, each with the number in the column.
fn rows(page: &str, table: &str) -> Vec<String> {
    let begin = page.find(&format!("id=\"{table}\"")).unwrap_or_else(|| panic!("{table}: {page}"));
    let end = begin + page[begin..].find("</table>").unwrap();
    page[begin..end].split("<tr>").skip(2).map(str::to_owned).collect()
}

/// Returns a contest of builders and sequencers on a small board.
fn duels() -> Option<Contest> {
    let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let contest = Contest::create(&NewContest {
        game: "pentocity".to_owned(),
        scenarios: list(&["duel?side=7"]),
        house: list(&["g1", "sequencer?of=g6"]),
        seats: list(&["builder", "sequencer"]),
        ..NewContest::default()
    })?;
    contest.edit(&[("matches = 1000", "matches = 400")]);
    Some(contest)
}

#[test]
fn a_sequencer_may_answer_anything_as_builder() {
    let Some(contest) = duels() else { return };
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    // At the first seat, where it would build, it does this.
    let builds = |how: &str| {
        let text = format!("            if match['seat'] == 0:\n                {how}\n");
        let otherwise = format!("{text}            else:\n                action = choose(");
        replace(WALKER, "            action = choose(", &otherwise)
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
    server.enter(&bob, &builds("action = message['actions'][0]"));
    server.until("it has asked", |server| {
        let page = server.get("/seats").body;
        rows(&page, "second-seat").iter().any(|row| row.contains("bob v1"))
    });
    assert!(!server.get("/seats").body.contains("ada"));
}

#[test]
fn standings_by_seat_rank_builders_and_sequencers() {
    let Some(contest) = duels() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "bot.py", WALKER.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    let log = checked["log"].as_str().unwrap();
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
    contest.verify();
    let site = contest.export("site", 5, false);
    let table = fs::read_to_string(site.join("seats.csv")).unwrap();
    assert!(table.starts_with("builder,sequencer,mean_score\n"), "{table}");
    assert_eq!(table.lines().count(), 7, "{table}");
}

#[test]
fn without_named_seats_there_are_no_standings_by_seat() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    assert_eq!(server.get("/seats").status, 404);
    assert!(!server.get("/").body.contains("/seats"));
}
