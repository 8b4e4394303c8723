//! Points by a formula: previewed, exported for learning platforms, published.

use quintain_host::admin::{self, PhaseChoice, PointsFormat, Publishing};
use quintain_host::invite_class;

use crate::setup::{Contest, WALKER};

const FORMULA: &str = "[grades]\nmax = 80\nranks = { 1 = 40, 3 = 20 }\nbeats = { random = 30 }\n\
                       milestones = { passed = 4, ladder = 6 }\n";

#[test]
fn points_are_previewed_published_and_imported_by_moodle_and_canvas() {
    let Some(contest) = Contest::new() else { return };
    let canvas = "Student,ID,SIS User ID,SIS Login ID,Section\n\
                  \"Lovelace, Ada\",11,1001,alovelace,CS 101\n\
                  \"Boole, George\",12,1002,gboole,CS 101\n";
    let class = invite_class(&contest.cup(), canvas, &contest.catalog, false).unwrap();
    let ada = &class.invited[0].token;
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let none = server.get_as(&organiser, "/organiser/points");
    assert!(none.status == 400 && none.body.contains("has no formula"), "{}", none.body);
    drop(server);
    let text = contest.settings();
    contest.edit(&[(text.as_str(), &format!("{text}\n{FORMULA}"))]);
    let server = contest.serve();
    server.enter(ada, WALKER);
    let (organiser, cookie) = (server.sign_in(&contest.organiser), server.sign_in(ada));
    let page = server.get_as(&organiser, "/organiser/points").body;
    assert!(page.contains("passed the check 4") && page.contains("Not published"), "{page}");
    assert!(page.contains("<th>missing</th>") && page.contains("The most is 80"), "{page}");
    assert_eq!(server.get_as(&cookie, "/organiser/points").status, 403);
    // What host.toml has now is what counts, and everybody reads it.
    contest.edit(&[("max = 80", "max = 70")]);
    assert!(server.get_as(&organiser, "/organiser/points").body.contains("The most is 70"));
    let rules = server.get("/rules").body;
    for part in ["30 points for beating random with 95 % certainty", "The most is 70"] {
        assert!(rules.contains(part), "{part}: {rules}");
    }
    let cut_off = "max is 70, but 80 points can be earned";
    assert!(server.get_as(&organiser, "/organiser/points").body.contains(cut_off));
    let told = admin::remarks(&contest.cup(), &contest.catalog).unwrap();
    assert!(told.iter().any(|remark| remark.contains(cut_off)), "{told:?}");
    contest.edit(&[("max = 70", "max = 80")]);
    let names = ["", "?format=moodle", "?format=canvas"].map(|format| {
        let head = server.get_as(&organiser, &format!("/organiser/points.csv{format}")).head;
        head.lines().find(|line| line.starts_with("content-disposition")).unwrap().to_owned()
    });
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
    assert!(!server.get_as(&cookie, "/me").body.contains("id=\"points\""));
    contest.pause(true);
    server.until("all matches are played", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
    });
    let points =
        |format| admin::points(&contest.cup(), &contest.catalog, format, Publishing::No).unwrap();
    let written = points(PointsFormat::Canvas);
    assert_eq!(written.remarks, [""; 0]);
    let table = written.table;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "Student,ID,SIS User ID,SIS Login ID,Section,tron contest");
    assert_eq!(lines[1], "    Points Possible,,,,,80");
    assert!(lines[2].starts_with("\"Lovelace, Ada\",11,1001,alovelace,CS 101,"), "{table}");
    assert_eq!(lines[3], "\"Boole, George\",12,1002,gboole,CS 101,0");
    // Whom no list has, no platform finds.
    let _token = contest.invite("Zoë");
    for (format, what) in [
        (PointsFormat::Moodle, "Moodle will not find Zoë: no ID number and no e-mail address"),
        (PointsFormat::Canvas, "Canvas will not find Zoë: no ID, no SIS user ID and no login"),
    ] {
        let remarks = points(format).remarks;
        assert!(remarks.len() == 1 && remarks[0].starts_with(what), "{remarks:?}");
        assert_eq!(remarks[0].lines().count(), 1);
        assert!(server.get_as(&organiser, "/organiser/points").body.contains(what));
    }
    let table = points(PointsFormat::Moodle).table;
    assert!(
        table.starts_with("ID number,Email address,Full name,tron contest\n1001,,Ada"),
        "{table}"
    );
    // What is published stays, whatever happens on the ladder.
    assert_eq!(server.form("/organiser/points", &organiser, "").status, 303);
    let seen = server.get_as(&cookie, "/me").body;
    let own = seen.split("id=\"points\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(own.contains(" of 80 (") && own.contains("on the ladder 6"), "{own}");
    assert!(own.contains("Your points of the ladder, published <time"), "{own}");
    assert_eq!(server.form("/me/withdraw", &cookie, "").status, 303);
    assert!(server.get_as(&cookie, "/me").body.contains(own));
    assert!(contest.audit().contains("organiser: published the points of the ladder"));
    drop(server);
    contest.edit(&[("beats = { random = 30 }", "beats = { rondom = 30 }")]);
    let wrong = admin::users(&contest.cup(), &contest.catalog).unwrap_err().to_string();
    assert!(wrong.contains("grades: beats: ") && wrong.contains("random"), "{wrong}");
}

/// Invites a class from a platform's list; returns the table of points for that platform, row by
/// row, without the points.
fn round_trip(list: &str, format: PointsFormat) -> Vec<String> {
    let Some(contest) = Contest::new() else { return Vec::new() };
    contest.append("[grades]\nmilestones = { passed = 4 }\n");
    invite_class(&contest.cup(), list, &contest.catalog, false).unwrap();
    // A second import of the same list changes nothing.
    let again = invite_class(&contest.cup(), list, &contest.catalog, false).unwrap();
    assert!(again.invited.is_empty() && again.remarks.is_empty(), "{:?}", again.remarks);
    let written = admin::points(&contest.cup(), &contest.catalog, format, Publishing::No).unwrap();
    let rows = written.table.lines().map(|row| row.rsplit_once(',').unwrap().0.to_owned());
    rows.collect()
}

#[test]
fn every_column_of_canvas_gradebook_goes_back_as_it_came() {
    for (list, head) in [
        (
            "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section,Q 1 (23)\r\n\
             \"    Points Possible\",,,,,,,10.00\r\n\
             \"Müller, Jörg\",11,00123,jmueller@u.edu,i-7,u.edu,\"CS 101, Tue and CS 102\",8.00\r\n\
             \"O'Neill \"\"Bob\"\", Seán\",12,S9,sean,,u.edu,CS 101,\r\n",
            "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section",
        ),
        (
            "\u{feff}Student;ID;SIS Login ID;Section;Quiz 1 (23)\n    Points Possible;;;;10,00\n\
             \"Müller, Jörg\";11;jm;T;8,00\nPrince;12;p;T;\n",
            "Student,ID,SIS Login ID,Section",
        ),
        (
            "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,,\n\
             \"da Silva, Jr.\",Ana,11,7,ana,T\nPrince,,12,8,p,T\n",
            "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section",
        ),
    ] {
        let rows = round_trip(list, PointsFormat::Canvas);
        if rows.is_empty() {
            return;
        }
        let columns = head.split(',').count();
        let delimiter = if list.contains(";ID;") { b';' } else { b',' };
        let plain = list.trim_start_matches('\u{feff}');
        let read = |text: &str, delimiter: u8| -> Vec<Vec<String>> {
            let mut rows = csv::ReaderBuilder::new();
            let rows = rows.has_headers(false).flexible(true).delimiter(delimiter);
            let mut rows: Vec<Vec<String>> = rows
                .from_reader(text.as_bytes())
                .records()
                .map(|row| row.unwrap().iter().take(columns).map(str::to_owned).collect())
                .collect();
            rows.sort();
            rows
        };
        assert_eq!(rows[0], head);
        assert_eq!(read(&rows.join("\n"), b','), read(plain, delimiter), "{list}");
    }
}

#[test]
fn every_column_of_moodles_participants_goes_back_as_it_came() {
    let list = "\u{feff}\"First name\",\"Last name\",\"ID number\",\"Email address\",Groups\r\n\
                \"Jörg \"\"Jo\"\"\",\"Müller, Dr.\",00123,joerg@u.edu,\"Group 1, Group 2\"\r\n";
    let rows = round_trip(list, PointsFormat::Moodle);
    if !rows.is_empty() {
        assert_eq!(rows[0], "ID number,Email address,First name,Last name,Groups");
        let names = "\"Jörg \"\"Jo\"\"\",\"Müller, Dr.\"";
        assert_eq!(rows[1], format!("00123,joerg@u.edu,{names},\"Group 1, Group 2\""));
    }
    let german = "Vorname;Nachname;Anmeldename;E-Mail-Adresse\r\nJörg;Müller;jm;joerg@u.edu\r\n";
    let rows = round_trip(german, PointsFormat::Moodle);
    if !rows.is_empty() {
        assert_eq!(rows[0], "ID number,Email address,Username,First name,Last name");
        assert_eq!(rows[1], ",joerg@u.edu,jm,Jörg,Müller");
    }
}

#[test]
fn the_column_by_which_moodle_finds_everybody_is_named() {
    let Some(contest) = Contest::new() else { return };
    contest.append("[grades]\nmilestones = { passed = 4 }\n");
    let remarks = |list: &str| {
        invite_class(&contest.cup(), list, &contest.catalog, false).unwrap();
        let (cup, catalog) = (&contest.cup(), &contest.catalog);
        admin::points(cup, catalog, PointsFormat::Moodle, Publishing::No).unwrap().remarks
    };
    assert_eq!(remarks("name,number,mail\nAda,1,ada@u.edu\n"), [""; 0]);
    let by_mail = remarks("name,number,mail\nBob,,bob@u.edu\n");
    assert_eq!(
        by_mail,
        ["in Moodle, map “Email address” to the user, which everybody has; 1 participant has no \
          ID number"]
    );
    let neither = remarks("name,number,mail\nCem,3,\n");
    assert!(neither[0].contains("no ID number of Bob; no e-mail address of Cem"), "{neither:?}");
}

#[test]
fn points_that_a_short_final_makes_unreachable_are_told_and_not_published_by_mistake() {
    let Some(contest) = Contest::new() else { return };
    let with_final = "name = \"practice\"\n[[phases]]\nname = \"final\"\nfinal = 5\n\
                      [grades]\nbeats = { random = 20 }\n";
    let open = "name = \"open\"\nsubmissions = true\nladder = true";
    contest.edit(&[(open, with_final)]);
    let why = "in a final of 5 rounds nobody can have the points for beating random: two programs \
               meet on 5 seeds, and at least 6 have to be won";
    let is_told = |remarks: &[String]| remarks.iter().any(|remark| remark.starts_with(why));
    assert!(is_told(&admin::remarks(&contest.cup(), &contest.catalog).unwrap()));
    let points = |publishing| {
        admin::points(&contest.cup(), &contest.catalog, PointsFormat::People, publishing)
    };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    assert!(server.get("/rules").body.contains(why));
    // Of the ladder, they can be had.
    assert!(is_told(&points(Publishing::No).unwrap().remarks));
    // Points of a ladder that goes on are not published by mistake either.
    let early = points(Publishing::Unconfirmed).unwrap_err().to_string();
    let running = "the points of the running ladder, of 1 participant, on their page";
    assert!(early.contains(running) && early.ends_with("with --confirm"), "{early}");
    assert!(!contest.audit().contains("published the points"));
    let published = points(Publishing::Confirmed).unwrap().remarks;
    assert_eq!(published[0], format!("published: {running}"));
    contest.invite("Idle");
    points(Publishing::Confirmed).unwrap();
    let remove =
        |is_confirmed| admin::remove(&contest.cup(), &contest.catalog, "Idle", is_confirmed);
    let asked = remove(false).unwrap_err().to_string();
    assert!(asked.starts_with("points are published: the row of Idle"), "{asked}");
    remove(true).unwrap();
    let organiser = server.sign_in(&contest.organiser);
    let asked = server.form("/organiser/points", &organiser, "");
    assert!(asked.status == 409 && asked.body.contains("running ladder"), "{}", asked.body);
    contest.pause(true);
    contest.choose_phase("final", true).unwrap();
    contest.pause(false);
    server.until("the final has begun", |_| {
        contest.one("SELECT count(*) FROM matches WHERE slot IS NOT NULL") > 0
    });
    // Whoever looks at points of a final that is not over hears of it.
    contest.pause(true);
    let written = points(Publishing::No).unwrap();
    let unfinished = "matches are played; ranks and points will change";
    let is_over = server.get("/final").body.contains("id=\"seed\"");
    assert!(is_over || written.remarks[0].contains(unfinished), "{:?}", written.remarks);
    let early = points(Publishing::Unconfirmed).unwrap_err().to_string();
    assert!(is_over || early.contains(unfinished), "{early}");
    let page = server.get_as(&organiser, "/organiser/points").body;
    assert!(is_over || page.contains("id=\"unfinished\""), "{page}");
    contest.pause(false);
    server.until("the final is over", |server| server.get("/final").body.contains("id=\"seed\""));
    assert!(server.get_as(&organiser, "/organiser/points").body.contains(why));
    let published = || contest.audit().contains("published the points of the final");
    let asked = server.form("/organiser/points", &organiser, "");
    // There it begins a sentence.
    let is_asked = asked.status == 409 && asked.body.contains(&why[1..]);
    assert!(is_asked && !published(), "{}", asked.body);
    let refused = points(Publishing::Unconfirmed).unwrap_err().to_string();
    assert!(
        refused.starts_with(why) && refused.ends_with("confirm it with --confirm"),
        "{refused}"
    );
    assert!(!published());
    assert_eq!(server.form("/organiser/points", &organiser, "confirm=true").status, 303);
    assert!(published());
    points(Publishing::Confirmed).unwrap();
}

#[test]
fn no_phase_is_said_to_be_over_while_the_organiser_has_chosen_it() {
    let Some(contest) = Contest::new() else { return };
    let open = "name = \"open\"\nsubmissions = true\nladder = true";
    let past = "\n[[phases]]\nname = \"frozen\"\nsubmissions = false\nfrom = 2020-01-01T00:00:00Z";
    contest.edit(&[(open, &format!("{open}{past}"))]);
    let is_told = || {
        let remarks = admin::remarks(&contest.cup(), &contest.catalog).unwrap();
        remarks.iter().any(|remark| remark.contains("the phase \"open\" is over"))
    };
    assert!(is_told(), "by the times, it is");
    contest.choose_phase("open", false).unwrap();
    assert!(!is_told());
    let choice = PhaseChoice { name: None, begins_final: false, is_confirmed: true };
    admin::choose_phase(&contest.cup(), &contest.catalog, choice).unwrap();
    assert!(is_told());
}
