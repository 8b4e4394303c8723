//! The final: a whole schedule on seeds that were published as a digest, which anybody can verify.

use crate::contest::{Contest, Server, output, quintain};

/// Returns the text of the element with this id.
fn text_of(page: &str, id: &str) -> Option<String> {
    let rest = page.split(&format!("id=\"{id}\">")).nth(1)?;
    Some(rest.split('<').next().unwrap_or_default().to_owned())
}

#[test]
fn the_final_is_played_by_the_schedule_of_its_seed() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    contest.edit(&[(
        "name = \"open\"\nsubmissions = true\nladder = true",
        "name = \"practice\"\n[[phases]]\nname = \"final\"\nfrom = 2100-01-01T00:00:00Z\nfinal = 2",
    )]);
    let ada = contest.invite("ada");
    let mut server = contest.serve();
    // Without any participant's program it would be over before it began.
    let empty = output(contest.at(), &["host", "phase", "cup", "final", "--begin"]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&empty.stderr).contains("nobody's program is on the ladder"));
    assert!(contest.submit(&server, &ada, "walker").status.success());
    // Her second version is the one that will play in the final.
    let source = std::fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    std::fs::write(contest.at().join("walker/bot.py"), format!("{source}\n# two\n")).unwrap();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    let before = server.get("/final").body;
    let digest = text_of(&before, "commitment").unwrap();
    assert!(text_of(&before, "seed").is_none(), "it is a secret still");
    assert!(contest.host("phase", &[]).contains("> practice"));
    let seen = server.ask("GET", "/me", &[("cookie", &server.sign_in(&ada))], &[]).body;
    assert!(!seen.contains("id=\"in-final\""), "{seen}");
    // It is played only once, so it begins only on explicit request.
    let refused = output(contest.at(), &["host", "phase", "cup", "final"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("by the 1 program on the ladder"));
    let organiser = server.sign_in(&contest.organiser);
    assert_eq!(server.form("/organiser/phase", &organiser, "phase=final").status, 400);
    let phases = contest.host("phase", &["fin", "--begin"]);
    assert!(
        phases.contains("> final: from 2100-01-01T00:00:00Z; the final, 2 rounds (chosen"),
        "{phases}"
    );
    // A kill in the middle does not change anything.
    let is_over = |page: &str| text_of(page, "seed").is_some();
    server.until("the final has begun", |server| {
        server.get("/final").body.contains("of 12 matches played")
    });
    drop(server);
    server = contest.serve();
    server.until("the final is over", |server| is_over(&server.get("/final").body));
    assert_eq!(contest.submit(&server, &ada, "walker").status.code(), Some(2), "too late");
    the_final_stays_what_it_was(&contest, &server, &ada);
    let page = server.get("/final").body;
    let seed = text_of(&page, "seed").unwrap();
    assert_eq!(text_of(&page, "commitment"), Some(digest.clone()));
    let told = format!("quintain host: the final's seed is {seed}");
    assert_eq!(blake3::hash(told.as_bytes()).to_hex().to_string(), digest);
    assert!(page.contains("12 of 12 matches played") && page.contains("likely ranks"));
    drop(server);
    let said = contest.host("verify", &[]);
    assert!(said.contains("the final: 12 of 12 matches, as its seed determines them"), "{said}");

    // A final that has begun cannot be turned into another one afterwards.
    contest.edit(&[("final = 2", "final = 3")]);
    let other = output(contest.at(), &["host", "grades", "cup"]);
    assert_eq!(other.status.code(), Some(2));
    let told = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(told.contains("began with 12 matches, but by host.toml it would have 18"), "{told}");
    contest.edit(&[("final = 3", "final = 2")]);

    // Another result, another seed, another winner: each is detected.
    for change in [
        "UPDATE matches SET scores = '9 9' WHERE id = (SELECT max(id) FROM matches)",
        "UPDATE matches SET slot = 77 WHERE slot = 3",
        "UPDATE settings SET value = 'chosen' WHERE key = 'final'",
    ] {
        contest.database().execute_batch(&format!("BEGIN; {change}; COMMIT")).unwrap();
        let verified = output(contest.at(), &["host", "verify", "cup"]);
        assert_eq!(verified.status.code(), Some(1), "{change}");
        assert!(String::from_utf8_lossy(&verified.stdout).contains("bad: match"), "{change}");
    }
}

/// Nobody can change to another version any more; grades and the exported site show the final; a ban
/// removes nobody from it.
fn the_final_stays_what_it_was(contest: &Contest, server: &Server, ada: &str) {
    let cookie = server.sign_in(ada);
    let late = server.form("/me/activate", &cookie, "version=1");
    assert_eq!(late.status, 403);
    assert!(late.body.contains("id=\"onward\" href=\"/me\""), "{}", late.body);
    let mine = server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body;
    assert!(mine.contains("on the ladder, in the final"), "{mine}");
    assert!(mine.contains("id=\"in-final\"") && !mine.contains(", so far"), "{mine}");
    assert!(
        !mine.contains("/me/activate") && mine.contains("nobody can change to another version")
    );
    assert!(contest.host("users", &[]).contains("version 2"));
    let row = |table: &str, name: &str| {
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let found = lines.find(|cells| cells[1] == name).unwrap_or_default();
        found.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let grades = contest.host("grades", &[]);
    let ada = row(&grades, "ada");
    assert_eq!(
        (ada[2].as_str(), ada[6].as_str(), ada[11].as_str()),
        ("2", "8", "final"),
        "{grades}"
    );
    assert!(!ada[3].is_empty() && !ada[12].is_empty(), "{grades}");
    assert_eq!(row(&grades, "random")[10], "house", "{grades}");
    let front = server.get("/").body;
    assert!(front.contains("the final</a> is over") && !front.contains("paused"), "{front}");
    // If two rounds say nothing for certain, the page says so.
    let page = server.get("/final").body;
    let is_unsure = page.matches(">1–3<").count() == 3;
    assert_eq!(page.contains("id=\"too-few\""), is_unsure, "{page}");
    let rows = |page: &str| page.matches("<th scope=\"row\">").count();
    assert_eq!(rows(&page), 3);
    contest.host("ban", &["ada"]);
    let after = server.get("/final").body;
    assert!(rows(&after) == 3 && after.contains(" (banned)</th>"), "{after}");
    assert_eq!(row(&contest.host("grades", &[]), "ada")[10], "banned");
    contest.host("export", &["site"]);
    let index = std::fs::read_to_string(contest.at().join("site/index.html")).unwrap();
    let first = index.split("<h2>").nth(1).unwrap();
    assert!(first.starts_with("The final") && first.contains("ada</span> (banned)"), "{index}");
    assert!(contest.at().join("site/final.csv").is_file());
}

#[test]
fn alone_everybody_plays_the_same_seeds_and_at_large_tables_everybody_has_a_seat() {
    for (game, scenario, house) in [
        ("hextris", "", "\"random\""),
        ("tron", "codingame?players=4", "\"random\", \"wall-hugger\", \"space\""),
    ] {
        let Some(contest) = Contest::of(game, "per_hour = 20 ") else { return };
        let file = contest.at().join("cup/host.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let own = |line: &str| match line.split_once(" = ") {
            Some(("scenarios", _)) if !scenario.is_empty() => {
                format!("scenarios = [\"{scenario}\"]")
            }
            Some(("house", _)) if game == "tron" => format!("house = [{house}]"),
            Some(("budget", _)) => "budget = \"move=100ms\"".to_owned(),
            _ => line.to_owned(),
        };
        let text = text.lines().map(own).collect::<Vec<_>>().join("\n");
        let last = "name = \"open\"\nfinal = 1";
        let text = text.replace("name = \"open\"\nsubmissions = true\nladder = true", last);
        std::fs::write(&file, text).unwrap();
        let server = contest.serve();
        server.until("the final is over", |server| {
            text_of(&server.get("/final").body, "seed").is_some()
        });
        drop(server);
        let said = quintain(contest.at(), &["host", "verify", "cup"]);
        assert!(said.contains("as its seed determines them"), "{said}");
    }
}

#[test]
fn names_are_hidden_until_the_final_is_over_and_everybody_gets_a_letter() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    contest.edit(&[
        ("hidden_names = false", "hidden_names = true"),
        (
            "name = \"open\"\nsubmissions = true\nladder = true",
            "name = \"practice\"\n[[phases]]\nname = \"final\"\nfrom = 2100-01-01T00:00:00Z\nfinal = 1",
        ),
    ]);
    let ada = contest.invite("Ada Lovelace");
    contest.invite("idle|*one*");
    let server = contest.serve();
    assert!(contest.submit(&server, &ada, "walker").status.success());
    let cookie = server.sign_in(&ada);
    let front = server.ask("GET", "/", &[("cookie", &cookie)], &[]).body;
    assert!(!front.contains("Lovelace") && front.contains(" (you)"), "{front}");
    assert!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).body.contains("Ada Lovelace"));
    assert!(contest.host("grades", &[]).contains("Ada Lovelace"), "the organiser knows them");
    contest.host("letters", &["early"]);
    contest.host("phase", &["final", "--begin"]);
    server
        .until("the final is over", |server| text_of(&server.get("/final").body, "seed").is_some());
    server.until("names are shown", |server| server.get("/final").body.contains("Ada Lovelace"));
    assert!(server.get("/").body.contains("Ada Lovelace"));
    assert!(contest.host("letters", &["letters"]).starts_with("2 letters"));
    let letters_in = |folder: &str| {
        let entries = std::fs::read_dir(contest.at().join(folder)).unwrap();
        let texts = entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        texts.collect::<Vec<_>>()
    };
    let of = |folder: &str, name: &str| {
        let found = letters_in(folder).into_iter().find(|text| text.starts_with(name));
        found.unwrap_or_else(|| panic!("no letter to {name}"))
    };
    let letter = of("letters", "# Ada Lovelace: ");
    for part in [
        "In the final, your version 1 is number ",
        "It played 4 matches of the final; 0 ended",
        "| random | ",
    ] {
        assert!(letter.contains(part), "{part}: {letter}");
    }
    assert!(of("early", "# Ada Lovelace: ").contains("In the ladder, your version 1 is number "));
    assert!(of("letters", "# idle\\|\\*one\\*: ").contains("None of your programs took part"));
    let again = output(contest.at(), &["host", "letters", "cup", "letters"]);
    assert_eq!(again.status.code(), Some(2), "nothing is overwritten");
}
