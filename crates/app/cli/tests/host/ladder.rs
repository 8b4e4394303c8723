//! Programs that are handed in by command, and the ladder that they climb.

use std::collections::BTreeSet;
use std::fs;

use crate::contest::{Contest, output, quintain};

#[test]
fn a_program_is_handed_in_by_command_and_climbs_the_ladder() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    // An address needs no scheme.
    let hand_in = ["submit", "--to", &server.address, "--token", &ada, "walker"];
    let submitted = output(contest.at(), &hand_in);
    let said = String::from_utf8_lossy(&submitted.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&submitted.stderr);
    assert!(submitted.status.success(), "{said}{wrong}");
    assert!(said.contains("ok  hello: ready") && said.ends_with("is on the ladder\n"), "{said}");
    server.until("ada is rated", |server| {
        let page = server.get("/").body;
        let row = page.split("<tr>").find(|row| row.contains(">ada<")).unwrap_or("").to_owned();
        row.contains(" to ")
    });
    // The record is an ordinary one: the viewer shows it.
    let cookie = server.sign_in(&ada);
    let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]);
    let link = |page: &str, to: &str| {
        let begin = format!("href=\"{to}");
        page.split(&begin)
            .nth(1)
            .unwrap_or_else(|| panic!("{page}"))
            .split('"')
            .next()
            .unwrap()
            .to_owned()
    };
    let number = link(&mine.body, "/me/matches/");
    let own = format!("/me/matches/{number}");
    assert_eq!(server.get(&own).status, 401, "what programs say is their authors' own");
    let own = server.ask("GET", &own, &[("cookie", &cookie)], &[]);
    let link = link(&own.body, "/matches/");
    assert!(server.get(&format!("/matches/{link}")).body.contains("bot:ada.1"));
    let replay = format!("/api/matches/{link}/replay");
    assert_eq!(server.ask("GET", &replay, &[("accept-encoding", "gzip")], &[]).status, 200);

    // The same files are the same version; a program that fails says why and changes nothing.
    let again = contest.submit(&server, &ada, "walker");
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("version 1,"));
    fs::create_dir(contest.at().join("broken")).unwrap();
    fs::write(contest.at().join("broken/bot.py"), "import sys\nsys.exit('no luck')\n").unwrap();
    let broken = contest.submit(&server, &ada, "broken");
    assert_eq!(broken.status.code(), Some(1));
    let said = String::from_utf8_lossy(&broken.stdout).into_owned();
    assert!(said.contains("BAD hello") && said.contains("no luck"), "{said}");
    let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
    assert!(mine.contains("Version 2") && mine.contains("no luck"), "the author sees why");
    assert!(!server.get("/").body.contains("no luck"));
    assert_eq!(server.form("/me/activate", &cookie, "version=2").status, 422);

    // A second version goes on the ladder, and the first can be restored.
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    fs::write(contest.at().join("walker/bot.py"), format!("{source}\n# another\n")).unwrap();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    // Handing in the first version's files again says which version plays.
    fs::write(contest.at().join("walker/bot.py"), &source).unwrap();
    let old = contest.submit(&server, &ada, "walker");
    let said = String::from_utf8_lossy(&old.stdout).into_owned();
    assert!(said.contains("version 1 has these files") && !said.contains("1 is on the"), "{said}");
    let active = |number: &str| {
        let page = server.get("/").body;
        let row = page.split("<tr>").find(|row| row.contains(">ada<")).unwrap_or("").to_owned();
        row.contains(&format!("<td class=\"number less\">{number}</td>"))
    };
    assert!(active("3"));
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 303);
    assert!(active("1"));

    // The organiser pauses, exports and bans.
    let organiser = server.sign_in(&contest.organiser);
    assert_eq!(server.form("/organiser/pause", &organiser, "paused=true").status, 303);
    assert!(server.get("/").body.contains("paused"));
    let grades = server.ask("GET", "/organiser/grades.csv", &[("cookie", &organiser)], &[]);
    assert!(grades.body.contains("rank,name,version") && grades.body.contains(",ada,1,"));
    assert!(grades.body.contains(",house,ladder,") && grades.body.contains(",participant,ladder,"));
    assert_eq!(server.form("/organiser/ban", &organiser, "name=ada&banned=true").status, 303);
    assert!(!server.get("/").body.contains(">ada<"));
    assert_eq!(contest.submit(&server, &ada, "walker").status.code(), Some(2));
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 303);
}

#[test]
fn where_everybody_plays_alone_one_is_compared_on_common_seeds() {
    let Some(contest) = Contest::of("hextris", "per_hour = 20 ") else { return };
    let house = "house = [\"random\", \"greedy\"]";
    let file = contest.at().join("cup/host.toml");
    let text = fs::read_to_string(&file).unwrap();
    let own = |line: &str| match line.split_once(" = ") {
        Some(("house", _)) => house.to_owned(),
        // A small board, different in each match.
        Some(("scenarios", _)) => "scenarios = [\"drawn?size=0&seed={seed}\"]".to_owned(),
        _ => line.to_owned(),
    };
    fs::write(&file, text.lines().map(own).collect::<Vec<_>>().join("\n")).unwrap();
    let ada = contest.invite("ada");
    let server = contest.serve();
    let submitted = contest.submit(&server, &ada, "walker");
    assert!(submitted.status.success(), "{submitted:?}");
    // The ladder says how often each did better than the next.
    let cookie = server.sign_in(&ada);
    server.until("ada has seeds in common with both others", |server| {
        let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
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
    contest.host("export", &["site"]);
    let site = fs::read_to_string(contest.at().join("site/index.html")).unwrap();
    assert!(site.contains("better than the next on"), "{site}");
    assert_eq!(site.matches(" seeds</td>").count(), 2, "{site}");
    contest.host("letters", &["letters"]);
    let letter = fs::read_to_string(contest.at().join("letters/ada.md")).unwrap();
    // Only whoever stands last has nobody next, and two may share the last rank.
    let row = site.split("<tr>").find(|row| row.contains(">ada<")).unwrap();
    let sentence = " that both have played, it did better than ";
    assert_eq!(letter.contains(sentence), row.contains(" seeds</td>"), "{letter}");
    assert!(letter.contains("; mean score "), "{letter}");
    let grades = contest.host("grades", &["--columns", "name,mean_score"]);
    let score = grades.lines().find_map(|line| line.strip_prefix("ada,")).unwrap();
    assert!(score.parse::<f64>().unwrap() > 0.0, "{grades}");
    // Boards differ between seeds, and records contain the one that was played. A weak player may
    // well get the same few points on two boards; that all three do is next to impossible.
    let said = contest.host("verify", &[]);
    assert!(said.contains("matches verified"), "{said}");
    let table = fs::read_to_string(contest.at().join("site/matches.csv")).unwrap();
    let has_many_scores = |version: &str| {
        let column = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
        let own = table.lines().filter(|line| column(line, 4) == version);
        own.map(|line| column(line, 5)).collect::<BTreeSet<_>>().len() > 1
    };
    assert!(["ada.1", "greedy.1", "random.1"].into_iter().any(has_many_scores), "{table}");
}

#[test]
fn names_that_are_nearly_one_are_refused_and_one_problem_for_all_matches_is_told() {
    let Some(contest) = Contest::of("hextris", "per_hour = 20 ") else { return };
    contest.invite("Émile Dupont");
    for close in ["émile dupont", "Émile  Dupont", "ÉMILE-DUPONT"] {
        let refused = output(contest.at(), &["host", "invite", "cup", close]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{close}");
        assert!(said.contains("too close to \"Émile Dupont\""), "{said}");
    }
    // A participant with the same display name only in plain letters has another name, and another file
    // regardless of case.
    assert!(contest.host("invite", &["emile dupont"]).contains("they are emile-dupont-2"));
    contest.invite("Émile Dupont");
    let file = fs::read_to_string(contest.at().join("cup/host.toml")).unwrap();
    assert!(file.contains("scenarios = [\"drawn?seed={seed}\"]"), "{file}");
    let fixed = ["host", "init", "fixed", "--game", "hextris", "--scenario", "drawn?size=3"];
    let said = quintain(contest.at(), &fixed);
    assert!(said.contains("drawn?size=3&seed={seed} draws another for every match"), "{said}");
    let wrong = ["host", "init", "wrong", "--game", "hextris", "--scenario", "drawn?size={seed}"];
    assert_eq!(output(contest.at(), &wrong).status.code(), Some(2));
}

#[test]
fn killed_at_any_moment_nothing_acknowledged_is_lost_and_nothing_counts_twice() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let mut server = contest.serve();
    let program = fs::read(contest.at().join("walker/bot.py")).unwrap();
    let taken = server.hand_in(&ada, "bot.py", &program);
    assert_eq!(taken.status, 201, "{}", taken.body);
    let mut seen = 0;
    for round in 0..4 {
        // Each time at another moment of the current work.
        server.until("matches go on", |server| server.count_played() > seen + round);
        seen = server.count_played();
        drop(server);
        server = contest.serve();
        let after = server.count_played();
        assert!(after >= seen, "{after} of {seen} are left");
    }
    server.until("ada is on the ladder", |server| server.get("/").body.contains(">ada<"));
    drop(server);
    let open =
        |name: &str| rusqlite::Connection::open(contest.at().join("cup").join(name)).unwrap();
    let one = |connection: &rusqlite::Connection, sql: &str| {
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let state = open("host.sqlite");
    let counted = one(&state, "SELECT count(*) FROM matches WHERE record IS NOT NULL");
    assert!(counted >= seen as i64);
    assert_eq!(counted, one(&state, "SELECT count(DISTINCT record) FROM matches"));
    let mut records = state.prepare("SELECT record FROM matches WHERE record IS NOT NULL").unwrap();
    let records = records.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let store = open("matches.sqlite");
    for record in records {
        let id = record.unwrap();
        let sql = "SELECT count(*) FROM records WHERE lower(hex(id)) = ?1";
        let found = store.query_row(sql, [&id], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(found, 1, "{id}");
    }
}

#[test]
fn a_match_that_a_kill_left_out_is_made_up_for_and_its_follower_counts_once() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    contest.edit(&[("matches = 1000", "matches = 12")]);
    let server = contest.serve();
    server.until("the ladder rests", |server| server.count_played() == 12);
    drop(server);
    // Of two matches under way at once, the later one was entered before the kill.
    let database = contest.database();
    let left_out = "SELECT id FROM matches ORDER BY id LIMIT 1 OFFSET 9";
    let left_out: i64 = database.query_row(left_out, [], |row| row.get(0)).unwrap();
    database.execute("DELETE FROM matches WHERE id = ?1", [left_out]).unwrap();
    database.execute("DELETE FROM seats WHERE match = ?1", [left_out]).unwrap();
    drop(database);
    let server = contest.serve();
    server.until("it is made up for", |server| server.count_played() == 12);
    drop(server);
    let said = contest.host("verify", &[]);
    assert!(said.contains("12 matches verified"), "{said}");
}

#[test]
fn what_is_wrong_with_a_contest_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let output = output(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["host", "init", "cup", "--game", "chess"]).contains("chess"));
    assert!(refused(&["host", "init", "cup"]).contains("--game GAME; there are"));
    let late = ["host", "init", "cup", "--game", "tron", "--final", "soon"];
    assert_eq!(refused(&late).lines().count(), 1);
    let mixed = ["--scenario", "duel", "--scenario", "stars"];
    let mixed = [&["host", "init", "cup", "--game", "pentocity"], &mixed[..]].concat();
    assert!(refused(&mixed).contains("cannot be compared with those on"));
    assert!(refused(&["host", "serve", "cup"]).contains("quintain host init"));
    quintain(folder.path(), &["host", "init", "cup", "--game", "tron"]);
    assert!(refused(&["host", "init", "cup", "--game", "tron"]).contains("exists already"));
    for name in ["", "a\tb", "../x", "-x", "random", "<b>", "=1+1"] {
        let said = refused(&["host", "invite", "cup", "--", name]);
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let at = "http://127.0.0.1:9";
    let said = refused(&["submit", "--to", at, "--token", "t", "nothing"]);
    assert!(said.contains("there is no nothing: name the folder"), "{said}");
    let said = refused(&["submit", "--to", "ftp://cup", "--token", "t", "cup"]);
    assert!(said.contains("such as http://"), "{said}");
    fs::write(folder.path().join("cup/host.toml"), "name = 'x'\ngame = 7\n").unwrap();
    assert!(refused(&["host", "serve", "cup"]).contains("host.toml: line 2"));
}

#[test]
fn the_check_knows_the_budget_and_keeps_the_hosts_folder_to_itself() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    let begin = source.find("def choose(").unwrap();
    let end = begin + source[begin..].find(":\n").unwrap() + 2;
    let with = |line: &str| format!("{}    {line}\n{}", &source[..end], &source[end..]);
    // The contest allows 200 ms.
    let slow = server.hand_in_file_and_wait(
        &ada,
        "bot.py",
        with("__import__('time').sleep(2)").as_bytes(),
    );
    assert_eq!(slow["stage"], "failed");
    let log = slow["log"].as_str().unwrap();
    assert!(log.contains("BAD tron:") && !log.contains("ok  tron:"), "{log}");
    let wrong =
        server.hand_in_file_and_wait(&ada, "bot.py", with("raise KeyError('oh')").as_bytes());
    let log = wrong["log"].as_str().unwrap();
    assert!(log.contains("\"bot.py\"") && log.contains("KeyError"), "{log}");
    assert!(!log.contains("submissions") && !log.contains("cup/"), "{log}");
}

#[test]
fn the_check_meets_whoever_lives_long_enough_to_find_a_late_fault() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    contest.edit(&[("\"wall-hugger\"", "\"space\"")]);
    let server = contest.serve();
    // It survives for as long as it can, and then it has no move.
    let source = "import json, sys\n\
        for line in sys.stdin:\n    \
            message = json.loads(line)\n    \
            if message['type'] == 'hello':\n        \
                print(json.dumps({'type': 'ready', 'name': 'late'}), flush=True)\n    \
            if message['type'] == 'turn':\n        \
                plan = ['up', 'right', 'down'] if message['seat'] == 0 else ['down', 'left', 'up']\n        \
                turn = message['turn']\n        \
                if turn >= 4: raise KeyError(turn)\n        \
                free = [a for a in plan if a in message['actions']] or message['actions']\n        \
                print(json.dumps({'type': 'action', 'action': free[0]}), flush=True)\n";
    let checked = server.hand_in_file_and_wait(&ada, "bot.py", source.as_bytes());
    let log = checked["log"].as_str().unwrap();
    assert_eq!(checked["stage"], "failed", "{log}");
    assert!(log.contains("KeyError"), "{log}");
}

#[test]
fn whoever_leaves_the_ladder_comes_back_when_they_like() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    // The organiser tries it out, and takes it off again.
    for token in [&ada, &contest.organiser] {
        assert!(contest.submit(&server, token, "walker").status.success());
    }
    let cookie = server.sign_in(&contest.organiser);
    assert!(server.get("/").body.contains(">organiser<"));
    assert_eq!(server.form("/me/withdraw", &cookie, "").status, 303);
    assert!(!server.get("/").body.contains(">organiser<"));
    assert!(server.get("/").body.contains(">ada<"));
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 303);
    assert!(server.get("/").body.contains(">organiser<"));
    // Challenges stay visible, however much is played.
    let cookie = server.sign_in(&ada);
    let page = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
    let rival = page.split("<option value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("opponent={rival}&scenario=empty%3Fwidth%3D7%26height%3D7");
    assert_eq!(server.form("/me/challenge", &cookie, &form).status, 303);
    server.until("it is played", |server| {
        let page = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
        page.contains("id=\"tried\"")
    });
}
