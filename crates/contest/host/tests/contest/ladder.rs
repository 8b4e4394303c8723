//! Programs that are submitted, and the ladder that they climb.

use std::collections::BTreeSet;
use std::fs;

use quintain_host::client::Client;
use quintain_host::letters;

use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_choosing};

/// Returns the ladder's row of a participant.
pub(crate) fn row_of(server: &Server, name: &str) -> String {
    let (page, name) = (server.get("/").body, format!(">{name}<"));
    let mut rows = page.split("<tr>").filter_map(|rest| rest.split("</tr>").next());
    rows.find(|row| row.contains(&name)).unwrap_or_default().to_owned()
}

/// Returns what follows in the first link of a page to such an address.
fn link_to(page: &str, to: &str) -> String {
    let begin = format!("href=\"{to}");
    let link = page.split(&begin).nth(1).unwrap_or_else(|| panic!("{page}"));
    link.split('"').next().unwrap().to_owned()
}

#[test]
fn a_program_that_passes_its_check_is_rated_and_its_matches_can_be_watched() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let folder = contest.at().join("walker");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("bot.py"), WALKER).unwrap();
    // As the command does it; an address needs no scheme.
    let version = server.submit(&ada, &folder).unwrap();
    assert_eq!((version.stage.as_str(), version.active), ("passed", Some(true)), "{version:?}");
    assert!(version.log.contains("ok  hello: ready"), "{version:?}");
    server.until("ada is rated", |server| row_of(server, "ada").contains(" to "));
    // The record is an ordinary one: the viewer shows it.
    let cookie = server.sign_in(&ada);
    let mine = server.get_as(&cookie, "/me").body;
    let own = format!("/me/matches/{}", link_to(&mine, "/me/matches/"));
    assert_eq!(server.get(&own).status, 401, "what programs say is their authors' own");
    let link = link_to(&server.get_as(&cookie, &own).body, "/matches/");
    assert!(server.get(&format!("/matches/{link}")).body.contains("ada v1"));
    let replay = format!("/api/matches/{link}/replay");
    assert_eq!(server.ask("GET", &replay, &[("accept-encoding", "gzip")], &[]).status, 200);
    // The same files are the same version, which is checked already.
    let client = Client::new(&server.address, &ada, None).unwrap();
    let again = client.submit(&folder, &mut |_| {}).unwrap();
    assert!(again.version == 1 && again.is_checked(), "{again:?}");
}

#[test]
fn a_program_that_fails_its_check_says_why_to_its_author_and_changes_nothing() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let broken = server.hand_in_file_and_wait(&ada, "bot.py", b"import sys\nsys.exit('no luck')\n");
    let log = broken["log"].as_str().unwrap();
    assert_eq!(broken["stage"], "failed");
    assert!(log.contains("BAD hello") && log.contains("no luck"), "{log}");
    let cookie = server.sign_in(&ada);
    let mine = server.get_as(&cookie, "/me").body;
    assert!(mine.contains("Version 2") && mine.contains("no luck"), "{mine}");
    assert!(!server.get("/").body.contains("no luck"));
    assert_eq!(server.form("/me/activate", &cookie, "version=2").status, 422);
    assert!(server.get("/").body.contains(">ada<"));
}

#[test]
fn the_latest_version_plays_until_its_author_activates_another() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&ada, &format!("{WALKER}\n# another\n"));
    // Submitting the first version's files again says that another version plays.
    let old = server.hand_in_file_and_wait(&ada, "bot.py", WALKER.as_bytes());
    assert_eq!((&old["version"], &old["active"]), (&1.into(), &false.into()), "{old}");
    let plays = |number: u32| {
        row_of(&server, "ada").contains(&format!("<td class=\"number less\">{number}</td>"))
    };
    assert!(plays(2));
    let cookie = server.sign_in(&ada);
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 303);
    assert!(plays(1));
}

#[test]
fn the_organiser_pauses_exports_grades_and_bans_by_page() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let (organiser, cookie) = (server.sign_in(&contest.organiser), server.sign_in(&ada));
    assert_eq!(server.form("/organiser/pause", &organiser, "paused=true").status, 303);
    assert!(server.get("/").body.contains("paused"));
    let grades = server.get_as(&organiser, "/organiser/grades.csv").body;
    assert!(grades.contains("rank,name,version") && grades.contains(",ada,1,"), "{grades}");
    assert!(grades.contains(",house,ladder,") && grades.contains(",participant,ladder,"));
    assert_eq!(server.form("/organiser/ban", &organiser, "name=ada&banned=true").status, 303);
    assert!(!server.get("/").body.contains(">ada<"));
    assert_eq!(server.hand_in(&ada, "bot.py", WALKER.as_bytes()).status, 403);
    assert_eq!(server.get_as(&cookie, "/me").status, 303);
}

#[test]
fn solo_players_are_compared_on_common_seeds() {
    // A small board, different in each match.
    let scenario = "drawn?size=0&seed={seed}";
    let Some(contest) = Contest::of("hextris", &[scenario], &["random", "greedy"]) else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    // The ladder says how often each did better than the next.
    let cookie = server.sign_in(&ada);
    server.until("ada has seeds in common with both others", |server| {
        let mine = server.get_as(&cookie, "/me").body;
        let rows = mine.split_once("id=\"common-seeds\"").map_or(0, |(_, table)| {
            table.split_once("</table>").map_or(0, |(table, _)| table.matches("<tr>").count())
        });
        rows == 3 && mine.contains("better by")
    });
    server.until("the ladder compares", |server| {
        let page = server.get("/").body;
        page.contains("better than the next on") && page.matches(" seeds</td>").count() == 2
    });
    // From here on nothing changes any more: the site and the letter show the same standings.
    drop(server);
    let folder = contest.export("site", 5, false);
    let site = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(site.contains("better than the next on"), "{site}");
    // After further matches, two may share a rank and have no one next.
    assert!((1..=2).contains(&site.matches(" seeds</td>").count()), "{site}");
    letters(&contest.cup(), &contest.at().join("letters"), &contest.catalog).unwrap();
    let letter = fs::read_to_string(contest.at().join("letters/ada.md")).unwrap();
    // Only the last one has nobody next, and two may share the last rank.
    let row = site.split("<tr>").find(|row| row.contains(">ada<")).unwrap();
    let sentence = " that both have played, it did better than ";
    assert_eq!(letter.contains(sentence), row.contains(" seeds</td>"), "{letter}");
    assert!(letter.contains("; mean score "), "{letter}");
    let grades = contest.grades(&["name", "mean_score"]);
    let score = grades.lines().find_map(|line| line.strip_prefix("ada,")).unwrap();
    assert!(score.parse::<f64>().unwrap() > 0.0, "{grades}");
    // Boards differ between seeds, and records contain the one that was played. A weak player may
    // well get the same few points on two boards; that all three do is next to impossible.
    contest.verify();
    let table = fs::read_to_string(folder.join("matches.csv")).unwrap();
    let has_many_scores = |version: &str| {
        let column = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
        let own = table.lines().filter(|line| column(line, 4) == version);
        own.map(|line| column(line, 5)).collect::<BTreeSet<_>>().len() > 1
    };
    assert!(["ada.1", "greedy.1", "random.1"].into_iter().any(has_many_scores), "{table}");
}

#[test]
fn the_check_knows_the_budget_and_does_not_reveal_the_hosts_folder() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let hand_in = |line: &str| {
        let source = walker_choosing(line);
        let checked = server.hand_in_file_and_wait(&ada, "bot.py", source.as_bytes());
        assert_eq!(checked["stage"], "failed", "{checked}");
        checked["log"].as_str().unwrap().to_owned()
    };
    // The contest allows 600 ms.
    let log = hand_in("__import__('time').sleep(2)");
    assert!(log.contains("BAD tron:") && !log.contains("ok  tron:"), "{log}");
    let log = hand_in("raise KeyError('oh')");
    assert!(log.contains("\"bot.py\"") && log.contains("KeyError"), "{log}");
    assert!(!log.contains("submissions") && !log.contains("cup/"), "{log}");
}

/// A program that survives for as long as it can, and fails then.
const LATE: &str = "import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello':
        print(json.dumps({'type': 'ready', 'name': 'late'}), flush=True)
    if message['type'] == 'turn':
        plan = ['up', 'right', 'down'] if message['seat'] == 0 else ['down', 'left', 'up']
        turn = message['turn']
        if turn >= 4: raise KeyError(turn)
        free = [a for a in plan if a in message['actions']] or message['actions']
        print(json.dumps({'type': 'action', 'action': free[0]}), flush=True)
";

#[test]
fn the_check_plays_a_long_match_to_find_a_late_fault() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    contest.edit(&[("\"wall-hugger\"", "\"space\"")]);
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "bot.py", LATE.as_bytes());
    let log = checked["log"].as_str().unwrap();
    assert_eq!(checked["stage"], "failed", "{log}");
    assert!(log.contains("KeyError"), "{log}");
}

#[test]
fn a_participant_leaves_the_ladder_and_comes_back() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    // The organiser tries it out, and takes it off again.
    server.enter(&contest.organiser, WALKER);
    let cookie = server.sign_in(&contest.organiser);
    assert!(server.get("/").body.contains(">organiser<"));
    assert_eq!(server.form("/me/withdraw", &cookie, "").status, 303);
    assert!(!server.get("/").body.contains(">organiser<"));
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 303);
    assert!(server.get("/").body.contains(">organiser<"));
}

#[test]
fn a_challenge_is_played_and_shown_on_the_challengers_page() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let cookie = server.sign_in(&ada);
    let page = server.get_as(&cookie, "/me").body;
    let rival = page.split("<option value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("opponent={rival}&scenario=empty%3Fwidth%3D7%26height%3D7");
    assert_eq!(server.form("/me/challenge", &cookie, &form).status, 303);
    server.until("it is played", |server| {
        server.get_as(&cookie, "/me").body.contains("id=\"tried\"")
    });
}

#[test]
fn the_ladder_shows_how_everybody_fared_lately_and_the_latest_match() {
    let Some(contest) = Contest::new() else { return };
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("measures are noted twice", |_| {
        contest.one("SELECT count(DISTINCT at) FROM measures WHERE rank > 0") > 1
    });
    server.enter(&bob, WALKER);
    server.until("a newcomer is known", |_| {
        contest.one("SELECT count(DISTINCT version) FROM measures") > 1
    });
    server.until("the ladder shows the change", |server| {
        let row = |name: &str| row_of(server, name);
        row("ada").contains("class=\"sparkline\"") && row("bob").contains(">new<")
    });
    let page = server.get("/").body;
    assert!(page.contains(">change</th>") && page.contains("counts ranks since"), "{page}");
    let live: serde_json::Value = serde_json::from_str(&server.get("/live.json").body).unwrap();
    let record = live["record"].as_str().unwrap();
    assert!(live["title"].as_str().unwrap().contains(" – "), "{live}");
    let replay = format!("/api/matches/{record}/replay");
    assert_eq!(server.ask("GET", &replay, &[("accept-encoding", "gzip")], &[]).status, 200);
}
