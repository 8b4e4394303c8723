//! What organisers do while the host runs, by functions and by page.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use quintain_host::admin::Rejudged;
use quintain_host::client::Client;
use quintain_host::{NewContest, admin, init};

use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_beginning};

#[test]
fn the_organiser_pauses_rejudges_and_bans_while_the_host_runs() {
    let Some(contest) = Contest::new() else { return };
    let (cup, catalog) = (contest.cup(), &contest.catalog);
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let users = admin::users(&cup, catalog).unwrap();
    let user = users.iter().find(|user| user.name == "ada").unwrap();
    assert_eq!((user.is, user.active, user.versions), ("on the ladder", Some(1), 1));
    assert!(contest.pause(true) && !contest.pause(true));
    assert!(server.get("/").body.contains("paused"));
    assert!(contest.pause(false) && !contest.pause(false));
    let ada = Rejudged::Participant("ada");
    assert_eq!(admin::rejudge(&cup, catalog, ada, false).unwrap(), 1);
    server.until("it is checked again", |_| {
        let sql = "SELECT stage FROM versions WHERE digest <> ''";
        contest.database().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap() == "passed"
    });
    assert!(contest.ban("ada", true) && !contest.ban("ada", true));
    assert!(!server.get("/").body.contains(">ada<"));
    assert!(contest.ban("ada", false));
    assert!(server.get("/").body.contains(">ada<"));
    let audit = contest.audit();
    for what in [
        "organiser: paused",
        "organiser: resumed",
        "ada: submitted version 1",
        "a version of ada is checked again",
        "banned ada",
        "let in again: ada",
    ] {
        assert_eq!(audit.matches(what).count(), 1, "{what}: {audit}");
    }
    assert!(admin::ban(&cup, catalog, "eve", true).is_err());
    assert!(admin::rejudge(&cup, catalog, Rejudged::Participant("eve"), false).is_err());
    assert!(contest.choose_phase("no", false).is_err());
}

#[test]
fn rejudging_changes_nobodys_choice() {
    let Some(contest) = Contest::new() else { return };
    let (cup, catalog) = (contest.cup(), &contest.catalog);
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    for (token, program) in [(&ada, WALKER), (&ada, &walker_beginning("pass")), (&bob, WALKER)] {
        server.enter(token, program);
    }
    let (as_ada, as_bob) = (server.sign_in(&ada), server.sign_in(&bob));
    assert_eq!(server.form("/me/activate", &as_ada, "version=1").status, 303);
    assert_eq!(server.form("/me/withdraw", &as_bob, "").status, 303);
    let active = || -> Vec<Option<i64>> {
        let users = admin::users(&cup, catalog).unwrap();
        users.iter().filter(|user| !user.is_organiser).map(|user| user.active).collect()
    };
    assert_eq!(active(), [Some(1), None]);
    assert_eq!(admin::rejudge(&cup, catalog, Rejudged::Everybody, false).unwrap(), 3);
    server.until("all are checked again", |_| {
        let sql = "SELECT count(*) FROM versions WHERE digest <> '' AND stage = 'passed'";
        contest.database().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 3
    });
    assert_eq!(active(), [Some(1), None]);
    assert!(contest.audit().contains("3 versions of everybody are checked again"));
}

#[test]
fn in_a_freeze_rejudging_wants_a_confirmation() {
    let Some(contest) = Contest::new() else { return };
    let (cup, catalog) = (contest.cup(), &contest.catalog);
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let file = fs::read_to_string(cup.join("host.toml")).unwrap();
    let frozen = format!("{file}\n[[phases]]\nname = \"freeze\"\nsubmissions = false\n");
    fs::write(cup.join("host.toml"), frozen).unwrap();
    contest.choose_phase("freeze", false).unwrap();
    let rejudge = |forced| admin::rejudge(&cup, catalog, Rejudged::Everybody, forced);
    let refused = rejudge(false).unwrap_err().to_string();
    assert!(refused.contains("\"freeze\" takes no programs"), "{refused}");
    assert_eq!(rejudge(true).unwrap(), 1);
}

#[test]
fn only_the_owner_reads_the_folder_of_a_contest() {
    let Some(contest) = Contest::new() else { return };
    let mode = || fs::metadata(contest.cup()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o700);
    fs::set_permissions(contest.cup(), fs::Permissions::from_mode(0o755)).unwrap();
    let _server = contest.serve();
    assert_eq!(mode(), 0o700);
}

#[test]
fn the_organisers_page_chooses_phases_and_rejudges() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let organiser = server.sign_in(&contest.organiser);
    let send_form = |what: &str, body: &str| {
        server.form(&format!("/organiser/{what}"), &organiser, body).status
    };
    let is_chosen = || admin::phases(&contest.cup(), &contest.catalog).unwrap()[0].is_chosen;
    assert_eq!(send_form("phase", "phase=open"), 303);
    assert!(is_chosen());
    assert_eq!(send_form("phase", "phase="), 303);
    assert!(!is_chosen());
    assert_eq!(send_form("rejudge", "name=ada"), 303);
    assert_eq!((send_form("phase", "phase=never"), send_form("rejudge", "name=eve")), (400, 400));
}

#[test]
fn a_contest_is_served_by_one_host_only() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    // A second host would play its matches twice.
    let Err(second) = contest.try_serve() else { panic!("two hosts serve one contest") };
    let process = format!("cup is served already, by process {}", server.process());
    assert!(second.to_string().contains(&process), "{second}");
}

#[test]
fn a_contest_that_is_not_possible_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (cup, catalog) = (folder.path().join("cup"), quintain_games::catalog());
    let new = |game: &str, scenarios: &[&str]| NewContest {
        game: game.to_owned(),
        scenarios: scenarios.iter().map(|&scenario| scenario.to_owned()).collect(),
        ..NewContest::default()
    };
    let refused = |new: &NewContest| {
        let error = init(&cup, new, &catalog).unwrap_err().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    assert!(refused(&new("chess", &[])).contains("chess"));
    let late = NewContest { final_from: Some("soon".to_owned()), ..new("tron", &[]) };
    assert!(refused(&late).contains("such as 2030-01-31"));
    assert!(
        refused(&new("pentocity", &["duel", "stars"])).contains("cannot be compared with those on")
    );
    refused(&new("hextris", &["drawn?size={seed}"]));
    let Err(error) = Server::start(&cup, None) else {
        panic!("a contest that does not exist is served")
    };
    assert!(error.to_string().contains("quintain host init"), "{error}");
    init(&cup, &new("tron", &[]), &catalog).unwrap();
    assert!(refused(&new("tron", &[])).contains("exists already"));
    fs::write(cup.join("host.toml"), "name = 'x'\ngame = 7\n").unwrap();
    let Err(error) = Server::start(&cup, None) else {
        panic!("a contest without a game is served")
    };
    assert!(error.to_string().contains("host.toml: line 2"), "{error}");
}

#[test]
fn a_contest_on_one_problem_is_remarked_upon() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = quintain_games::catalog();
    let create = |name: &str, scenarios: &[&str]| {
        let cup = folder.path().join(name);
        let scenarios = scenarios.iter().map(|&scenario| scenario.to_owned()).collect();
        let new = NewContest { game: "hextris".to_owned(), scenarios, ..NewContest::default() };
        init(&cup, &new, &catalog).unwrap();
        cup
    };
    let file = fs::read_to_string(create("usual", &[]).join("host.toml")).unwrap();
    assert!(file.contains("scenarios = [\"drawn?seed={seed}\"]"), "{file}");
    let remarks = admin::remarks(&create("fixed", &["drawn?size=3"]), &catalog).unwrap().join("\n");
    let other = "drawn?size=3&seed={seed} draws another for every match";
    assert!(remarks.contains(other), "{remarks}");
}

#[test]
fn a_program_that_cannot_be_sent_is_refused_before() {
    let nothing = Path::new("/nowhere/at/all");
    let refused = |to: &str, path: &Path| {
        let client = Client::new(to, "t", None);
        client.and_then(|client| client.submit(path, &mut |_| {})).unwrap_err().to_string()
    };
    let message = refused("http://127.0.0.1:9", nothing);
    assert!(message.contains("there is no /nowhere/at/all: name the folder"), "{message}");
    assert!(refused("ftp://cup", nothing).contains("such as http://"));
}

#[test]
fn the_organiser_does_something_with_all_who_are_selected() {
    let Some(contest) = Contest::new() else { return };
    let tokens = ["ada", "bob", "eve"].map(|name| contest.invite(name));
    let server = contest.serve();
    tokens.iter().for_each(|token| server.enter(token, WALKER));
    let organiser = server.sign_in(&contest.organiser);
    let page = server.get_as(&organiser, "/organiser").body;
    assert_eq!(page.matches("name=\"who\"").count(), 3, "{page}");
    let number =
        |name: &str| contest.one(&format!("SELECT id FROM participants WHERE name = '{name}'"));
    let selected = format!("who={}&who={}", number("ada"), number("bob"));
    let act = |rest: &str| {
        server.form("/organiser/bulk", &organiser, &format!("{selected}&{rest}")).status
    };
    assert_eq!(act("action=message&text=Mind+the+%3Cb%3Edeadline"), 303);
    for (token, is_told) in tokens.iter().zip([true, true, false]) {
        let page = server.get_as(&server.sign_in(token), "/me").body;
        assert_eq!(page.contains("Mind the &lt;b&gt;deadline"), is_told, "{page}");
    }
    // What takes programs off the ladder asks first.
    let asked = server.form("/organiser/bulk", &organiser, &format!("{selected}&action=withdraw"));
    assert!(asked.body.contains("put a version there: ada; bob"), "{}", asked.body);
    assert_eq!((act("action=withdraw"), act("action=ban")), (409, 409));
    assert!(server.get("/").body.contains(">ada<"));
    assert_eq!(act("action=withdraw&confirm=true"), 303);
    let ladder = server.get("/").body;
    assert!(!ladder.contains(">ada<") && ladder.contains(">eve<"), "{ladder}");
    assert_eq!(act("action=rejudge"), 303);
    assert_eq!(act("action=ban&confirm=true"), 303);
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE is_banned"), 2);
    assert_eq!(act("action=lift"), 303);
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE is_banned"), 0);
    let audit = contest.audit();
    for what in ["wrote to 2 participants: Mind the", "took ada off the ladder", "banned bob"] {
        assert!(audit.contains(&format!("organiser: {what}")), "{what}: {audit}");
    }
    // Nothing is done without anybody selected, without a text, or by anybody else.
    for (body, status) in [("action=ban", 400), ("who=1&action=ban", 400), ("action=dance", 422)] {
        assert_eq!(server.form("/organiser/bulk", &organiser, body).status, status, "{body}");
    }
    assert_eq!(act("action=message&text=+"), 400);
    let as_eve = server.sign_in(&tokens[2]);
    assert_eq!(server.form("/organiser/bulk", &as_eve, &selected).status, 403);
}

#[test]
fn somebody_with_an_extension_hands_in_after_the_deadline_and_nobody_else() {
    let Some(contest) = Contest::new() else { return };
    contest.append(
        "[[phases]]\nname = \"frozen\"\nfrom = 2020-01-31T19:00:00Z\nsubmissions = false\n",
    );
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    let hand_in = |token: &str, text: &str| server.hand_in(token, "bot.py", text.as_bytes());
    let late = hand_in(&ada, WALKER);
    assert_eq!(late.status, 403);
    for part in ["programs were accepted until 2020-01-31 19:00 UTC", "asks the organiser"] {
        assert!(late.body.contains(part), "{}", late.body);
    }
    let extend = |name: &str, until: Option<&str>| {
        admin::extend(&contest.cup(), &contest.catalog, name, until)
    };
    for (until, why) in [("soon", "is no time"), ("2020-02-01T00:00:00Z", "has passed")] {
        let error = extend("ada", Some(until)).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let granted = extend("ada", Some("2090-01-31T19:00")).unwrap();
    assert_eq!(granted.until.as_deref(), Some("2090-01-31 19:00 UTC"));
    assert!(contest.audit().contains("organiser: ada may submit until 2090-01-31 19:00 UTC"));
    assert_eq!(hand_in(&bob, WALKER).status, 403);
    server.enter(&ada, WALKER);
    let page = server.get_as(&server.sign_in(&ada), "/me").body;
    assert!(page.contains("id=\"extended\"") && page.contains("name=\"file\""), "{page}");
    // By the organiser's page, for a whole team by any of its members, and back.
    let organiser = server.sign_in(&contest.organiser);
    let team = ["bob".to_owned()];
    quintain_host::join_team(&contest.cup(), "Blue", &team, &contest.catalog, true).unwrap();
    let form = |body: &str| server.form("/organiser/extend", &organiser, body).status;
    assert_eq!(form("name=bob&until=2090-01-31T19:00"), 303);
    assert!(contest.audit().contains("organiser: Blue may submit until"));
    assert_eq!(hand_in(&bob, WALKER).status, 201);
    assert_eq!(form("name=Blue&until="), 303);
    assert_eq!(hand_in(&bob, &walker_beginning("pass")).status, 403);
}

#[test]
fn a_phase_is_moved_while_the_host_runs() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# time_zone = ", "time_zone = ")]);
    let file = contest.settings();
    let freeze = "[[phases]]\nname = \"freeze\"\nfrom = 2090-01-31T19:00:00\n\
                  submissions = false\n";
    contest.edit(&[(file.as_str(), &format!("{file}\n{freeze}"))]);
    let server = contest.serve();
    let page = server.get("/").body;
    assert!(page.contains("datetime=\"2090-01-31T18:00:00Z\">2090-01-31 19:00 CET<"), "{page}");
    let organiser = server.sign_in(&contest.organiser);
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(page.contains("value=\"2090-01-31T19:00\"") && page.contains("Europe/Berlin"));
    let act = |body: &str| server.form("/organiser/move-phase", &organiser, body).status;
    assert_eq!(act("phase=freeze&from=2090-07-31T20:30"), 303);
    let moved = "Programs are accepted until <time datetime=\"2090-07-31T18:30:00Z\">2090-07-31 \
                 20:30 CEST</time>";
    assert!(server.get("/").body.contains(moved));
    // At once, by a time that has passed.
    assert_eq!(act("phase=freeze&from=2020-01-01T12:00"), 409);
    assert!(server.get("/").body.contains(moved));
    assert_eq!(act("phase=freeze&from=2020-01-01T12:00&confirm=true"), 303);
    assert!(server.get("/").body.contains("Programs are no longer accepted"));
    assert_eq!(
        (act("phase=freeze&from=soon"), act("phase=open2&from=2090-01-01T00:00")),
        (400, 400)
    );
    assert_eq!((act("phase=freeze"), act("phase=freeze&confirm=true")), (409, 303));
    let phases = admin::phases(&contest.cup(), &contest.catalog).unwrap();
    assert_eq!(phases[1].from_text.as_deref(), Some("2090-01-31 19:00 CET"));
    assert!(!phases[1].is_moved && contest.audit().contains("organiser: moved the begin of"));
}

#[test]
fn deadlines_are_told_in_the_contests_time_zone_on_both_sides_of_a_change_of_clocks() {
    // The night between the freeze and the final has a change, and the last zone has none.
    for (zone, days, freeze, last) in [
        (
            "America/New_York",
            ["2090-03-11", "2090-03-12"],
            ("2090-03-11T23:00:00Z", "2090-03-11 18:00 EST"),
            ("2090-03-12T22:00:00Z", "2090-03-12 18:00 EDT"),
        ),
        (
            "Australia/Lord_Howe",
            ["2090-04-01", "2090-04-02"],
            ("2090-04-01T07:00:00Z", "2090-04-01 18:00 +11"),
            ("2090-04-02T07:30:00Z", "2090-04-02 18:00 +1030"),
        ),
        (
            "Asia/Kathmandu",
            ["2090-03-11", "2090-03-12"],
            ("2090-03-11T12:15:00Z", "2090-03-11 18:00 +0545"),
            ("2090-03-12T12:15:00Z", "2090-03-12 18:00 +0545"),
        ),
    ] {
        let at = days.map(|day| Some(format!("{day}T18:00:00")));
        let [begins_freeze, begins_final] = at;
        let new = NewContest {
            game: "tron".to_owned(),
            time_zone: Some(zone.to_owned()),
            freeze: begins_freeze,
            final_from: begins_final,
            ..NewContest::default()
        };
        let Some(contest) = Contest::create(&new) else { return };
        let ada = contest.invite("ada");
        let server = contest.serve();
        let told = |(utc, local): (&str, &str)| format!("<time datetime=\"{utc}\">{local}</time>");
        let page = server.get("/").body;
        assert!(page.contains(&format!("until {}", told(freeze))), "{page}");
        assert!(server.get("/final").body.contains(&told(last)), "{zone}");
        // The fields of the organiser's forms have local times, which mean the same moments.
        let organiser = server.sign_in(&contest.organiser);
        let page = server.get_as(&organiser, "/organiser").body;
        for day in days {
            assert!(page.contains(&format!("value=\"{day}T18:00\"")), "{page}");
        }
        let until = format!("name=ada&until={}T19%3A30", days[1]);
        assert_eq!(server.form("/organiser/extend", &organiser, &until).status, 303);
        let more = later(last.1);
        assert!(contest.audit().contains(&format!("ada may submit until {more}")), "{more}");
        // And so has what those are told who are late.
        contest
            .database()
            .execute_batch("UPDATE participants SET extended = 1000000000 WHERE name = 'ada'")
            .unwrap();
        contest.choose_phase("frozen", false).unwrap();
        let late = server.hand_in(&ada, "bot.py", WALKER.as_bytes());
        assert!(late.status == 403 && late.body.contains("your extension ended at 2001-09-0"));
    }
}

/// Returns a time an hour and a half later on the same day.
fn later(time: &str) -> String {
    time.replace("18:00", "19:30")
}
