//! Teams: one place on the ladder, several people who submit for it, each signed in as themselves.

use quintain_host::{InvitedClass, admin, invite_class, join_team, leave_team};

use crate::setup::{Contest, WALKER, walker_beginning};

const CLASS: &str = "name,number,Team\nAda Lovelace,1001,Blue\nGeorge Boole,1002,Blue\n\
                     Eve,1003,\n";

fn invite_all(contest: &Contest, list: &str) -> InvitedClass {
    invite_class(&contest.cup(), list, &contest.catalog, false).unwrap()
}

#[test]
fn a_team_of_a_class_list_has_one_place_and_each_member_hands_in_for_it() {
    let Some(contest) = Contest::new() else { return };
    let class = invite_all(&contest, CLASS);
    let [ada, george, eve] = [0, 1, 2].map(|at| class.invited[at].token.clone());
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&eve, WALKER);
    let ladder = server.get("/").body;
    assert!(ladder.contains(">Blue<") && ladder.contains(">Eve<"), "{ladder}");
    assert!(!ladder.contains("Lovelace"), "{ladder}");
    // George is signed in as himself, sees the program of the team, and submits another.
    let as_george = server.sign_in(&george);
    let page = server.get_as(&as_george, "/me").body;
    for text in [">Blue<", "George Boole", "Ada Lovelace, George Boole", "Version 1"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(page.contains(", by <span class=\"name\">Ada Lovelace"), "{page}");
    server.enter(&george, &walker_beginning("pass"));
    let audit = contest.audit();
    assert!(audit.contains("Ada-Lovelace: submitted version 1 of Blue"), "{audit}");
    assert!(audit.contains("George-Boole: submitted version 2 of Blue"), "{audit}");
    assert_eq!(server.form("/me/activate", &as_george, "version=1").status, 303);
    assert!(contest.audit().contains("George-Boole: activated version 1"));
    // Everybody has a row of grades, as the team stands.
    let grades = contest.grades(&["called", "version", "team", "number", "is"]);
    assert!(grades.contains("Ada Lovelace,1,Blue,1001,participant"), "{grades}");
    assert!(grades.contains("George Boole,1,Blue,1002,participant"), "{grades}");
    assert!(grades.contains("Blue,1,,,team") && grades.contains("Eve,1,,1003,"), "{grades}");
    let letters = contest.at().join("letters");
    assert_eq!(quintain_host::letters(&contest.cup(), &letters, &contest.catalog).unwrap(), 3);
    let letter = std::fs::read_to_string(letters.join("George-Boole.md")).unwrap();
    assert!(letter.contains("| 2 |"), "{letter}");
    let team =
        "You play for the team Blue, with Ada Lovelace. What follows is of the team’s program.";
    assert!(letter.contains(team), "{letter}");
    let alone = std::fs::read_to_string(letters.join("Eve.md")).unwrap();
    assert!(!alone.contains("team"), "{alone}");
    // A banned team is signed out, whoever of it was signed in.
    assert!(contest.ban("Blue", true));
    let hand_in = || server.hand_in(&ada, "bot.py", b"print(1)");
    for answer in [
        server.get_as(&as_george, "/me"),
        server.form("/sign-in", "", &format!("token={ada}")),
        hand_in(),
    ] {
        assert_eq!(answer.status, 403, "{}", answer.body);
        assert!(answer.body.contains("your team “Blue” is banned from this contest"));
    }
    // So is a person, who reads it too.
    assert!(contest.ban("Blue", false) && contest.ban("Ada Lovelace", true));
    let refused = hand_in();
    assert!(refused.status == 403 && refused.body.contains("you are banned"), "{}", refused.body);
    assert!(server.get_as(&as_george, "/me").body.contains(">Blue<"));
}

#[test]
fn the_organiser_makes_teams_and_members_leave_them() {
    let Some(contest) = Contest::new() else { return };
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let team_of = |name: &str| {
        let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
        users.into_iter().find(|user| user.name == name).unwrap().team
    };
    let organiser = server.sign_in(&contest.organiser);
    let number = contest.one("SELECT id FROM participants WHERE name = 'ada'");
    let body = format!("who={number}&action=join&text=Reds");
    assert_eq!(server.form("/organiser/bulk", &organiser, &body).status, 303);
    assert_eq!(team_of("ada").as_deref(), Some("Reds"));
    // What she had herself has left the ladder, and everybody concerned hears of it.
    assert!(!server.get("/").body.contains(">ada<"));
    let audit = contest.audit();
    let left = "put ada into the team Reds; their own version 1 leaves the ladder";
    assert!(audit.contains(left), "{audit}");
    let page = server.get_as(&server.sign_in(&ada), "/me").body;
    assert!(page.contains("id=\"before-team\" open"), "{page}");
    let own = contest.invite("fay");
    server.enter(&own, WALKER);
    let joined =
        join_team(&contest.cup(), "Reds", &["fay".to_owned()], &contest.catalog, false).unwrap();
    assert_eq!(joined.remarks.len(), 1);
    assert!(joined.remarks[0].starts_with("version 1 of fay has left the ladder"), "{joined:?}");
    assert!(joined.remarks[0].contains("`quintain host activate FOLDER fay 1`"), "{joined:?}");
    leave_team(&contest.cup(), &["fay".to_owned()], &contest.catalog, false).unwrap();
    let join = |team: &str, who: &str| {
        let joined = join_team(&contest.cup(), team, &[who.to_owned()], &contest.catalog, false);
        joined.map(|joined| joined.members)
    };
    assert_eq!(join("Reds", "bob").unwrap(), 1);
    assert_eq!(join("Reds", "bob").unwrap(), 0);
    server.enter(&bob, WALKER);
    assert!(server.get("/").body.contains(">Reds<"));
    for (team, who, why) in
        [("ada", "bob", "no team"), ("Blues", "Reds", "is a team"), ("Reds", "eve", "eve")]
    {
        let error = join(team, who).unwrap_err().to_string();
        assert!(error.contains(why) && error.lines().count() == 1, "{error}");
    }
    // Who has submitted for a team stays; a team without programs can be removed.
    let leave = |who: &str| leave_team(&contest.cup(), &[who.to_owned()], &contest.catalog, false);
    assert_eq!(leave("bob").unwrap(), 1);
    assert_eq!(team_of("bob"), None);
    let remove = |who: &str| admin::remove(&contest.cup(), &contest.catalog, who, false);
    assert!(remove("bob").unwrap_err().to_string().contains("has submitted programs"));
    assert_eq!(join("Blues", "bob").unwrap(), 1);
    remove("Blues").unwrap();
    assert_eq!(team_of("bob"), None);
    // Who shares in a team's results is not removed unseen.
    let asked = remove("ada").unwrap_err().to_string();
    assert!(asked.contains("\"ada\" plays for the team \"Reds\", whose results stay"), "{asked}");
    let asked = server.form("/organiser/remove", &organiser, "name=ada");
    assert!(asked.status == 409 && asked.body.contains("whose results stay"), "{}", asked.body);
    // Two teams become one.
    assert_eq!(join("Greens", "bob").unwrap(), 1);
    admin::merge(&contest.cup(), &contest.catalog, ("Greens", "Reds"), false).unwrap();
    assert_eq!(team_of("bob").as_deref(), Some("Reds"));
    let alone = admin::merge(&contest.cup(), &contest.catalog, ("ada", "Reds"), false);
    assert!(alone.unwrap_err().to_string().contains("is a team"));
}

#[test]
fn a_team_of_a_final_that_has_begun_stays_together_on_the_page_too() {
    let Some(contest) = Contest::new() else { return };
    let open = "submissions = true\nladder = true";
    contest.edit(&[(open, &format!("{open}\n[[phases]]\nname = \"final\"\nfinal = 500"))]);
    let ada = invite_all(&contest, CLASS).invited[0].token.clone();
    let server = contest.serve();
    server.enter(&ada, WALKER);
    contest.choose_phase("final", true).unwrap();
    server.until("it has begun", |server| server.get("/final").body.contains("matches played"));
    let number = contest.one("SELECT id FROM participants WHERE name = 'Ada-Lovelace'");
    let organiser = server.sign_in(&contest.organiser);
    let refused = server.form("/organiser/bulk", &organiser, &format!("who={number}&action=leave"));
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("belong to the teams as they were"), "{}", refused.body);
    let merged =
        admin::merge(&contest.cup(), &contest.catalog, ("Eve", "George-Boole"), true).unwrap_err();
    assert!(merged.to_string().contains("the final has begun"), "{merged}");
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE team IS NOT NULL"), 2);
}

#[test]
fn a_list_whose_team_is_a_person_invites_nobody() {
    let Some(contest) = Contest::new() else { return };
    contest.invite("Blue");
    let refused =
        invite_class(&contest.cup(), CLASS, &contest.catalog, false).unwrap_err().to_string();
    assert!(refused.contains("nobody is invited") && refused.contains("\"Blue\""), "{refused}");
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE name LIKE 'Ada%'"), 0);
}

#[test]
fn teams_do_not_change_in_a_freeze_without_a_question_and_the_organiser_has_a_way_back() {
    let Some(contest) = Contest::new() else { return };
    let (max, mia) = (contest.invite("Max"), contest.invite("Mia"));
    let server = contest.serve();
    server.enter(&max, WALKER);
    server.enter(&mia, WALKER);
    contest.append(
        "[[phases]]\nname = \"frozen\"\nfrom = 2020-01-31T19:00:00Z\nsubmissions = false\n",
    );
    drop(server);
    let server = contest.serve();
    let on_ladder =
        || contest.one("SELECT count(*) FROM participants WHERE active AND NOT is_house");
    let both = ["Max".to_owned(), "Mia".to_owned()];
    let join = |is_forced| join_team(&contest.cup(), "T", &both, &contest.catalog, is_forced);
    let asked = join(false).unwrap_err().to_string();
    for text in ["Max; Mia", "\"frozen\" takes no programs", "off the ladder", "--force"] {
        assert!(asked.contains(text), "{asked}");
    }
    // So does a list, which invites nobody then, and the page.
    let list = "name,team\nMax,T\nZoe,\n";
    let asked = invite_class(&contest.cup(), list, &contest.catalog, false).unwrap_err();
    assert!(asked.to_string().contains("--force"), "{asked}");
    let organiser = server.sign_in(&contest.organiser);
    let form = |to: &str, body: &str| server.form(&format!("/organiser/{to}"), &organiser, body);
    let number = contest.one("SELECT id FROM participants WHERE name = 'Max'");
    assert_eq!(form("bulk", &format!("who={number}&action=join&text=T")).status, 409);
    let asked = form("invite-class", "list=name,team%0AMax,T%0A");
    assert!(asked.status == 409 && asked.body.contains("name=\"force\""), "{}", asked.body);
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE is_team OR name = 'Zoe'"), 0);
    assert_eq!(on_ladder(), 2);
    assert_eq!(join(true).unwrap().members, 2);
    assert_eq!(on_ladder(), 0);
    // Back: out of the team, and their versions on the ladder.
    let activate =
        |who: &str, version| admin::activate(&contest.cup(), &contest.catalog, who, version);
    let leave = |is_forced| leave_team(&contest.cup(), &both, &contest.catalog, is_forced);
    assert!(leave(false).unwrap_err().to_string().contains("--force"));
    assert_eq!(leave(true).unwrap(), 2);
    assert!(!activate("Max", 1).unwrap().has_final_begun);
    let page = server.get_as(&organiser, &format!("/organiser/participants/{}", number + 1)).body;
    assert!(page.contains("Put on the ladder"), "{page}");
    assert_eq!(form("activate", "name=Mia&version=1").status, 303);
    assert_eq!(on_ladder(), 2);
    assert!(contest.audit().contains("organiser: activated version 1 of Mia"));
    let none = activate("Max", 2).unwrap_err().to_string();
    assert!(
        none.contains("no version 2 of their own that has passed the check (those that have: 1)"),
        "{none}"
    );
}

#[test]
fn what_a_member_handed_in_before_plays_for_the_team_by_page_and_by_command() {
    let Some(contest) = Contest::new() else { return };
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&bob, &walker_beginning("pass"));
    let both = ["ada".to_owned(), "bob".to_owned()];
    join_team(&contest.cup(), "Reds", &both, &contest.catalog, false).unwrap();
    let active = || {
        contest.one(
            "SELECT coalesce(max(v.number), 0) FROM participants AS p
             JOIN versions AS v ON v.id = p.active WHERE p.name = 'Reds'",
        )
    };
    assert_eq!(active(), 0);
    // The member, on the own page; what others submitted for themselves is not theirs to choose.
    let cookie = server.sign_in(&ada);
    let page = server.get_as(&cookie, "/me").body;
    assert!(page.contains("Put your version 1 on the ladder for the team"), "{page}");
    assert_eq!(server.form("/me/for-team", &cookie, "version=2").status, 422);
    assert_eq!(server.form("/me/for-team", &cookie, "version=1").status, 303);
    assert_eq!(active(), 1);
    assert!(!server.get_as(&cookie, "/me").body.contains("for the team</button>"));
    // The organiser, by the command and on the page of a member's programs.
    let activate =
        |who: &str, version| admin::activate(&contest.cup(), &contest.catalog, who, version);
    let activated = activate("bob", 1).unwrap();
    assert_eq!(activated.what, "version 1 of bob, which is version 2 of the team Reds now,");
    assert_eq!(active(), 2);
    assert!(contest.audit().contains("version 2 of Reds, which was version 1 of bob"));
    let organiser = server.sign_in(&contest.organiser);
    let number = contest.one("SELECT id FROM participants WHERE name = 'ada'");
    let page = server.get_as(&organiser, &format!("/organiser/participants/{number}")).body;
    assert!(page.contains("Put on the ladder"), "{page}");
    // The same files are the same version.
    assert_eq!(server.form("/organiser/activate", &organiser, "name=ada&version=1").status, 303);
    assert_eq!((active(), contest.one("SELECT count(*) FROM versions WHERE number = 3")), (1, 0));
    let none = activate("ada", 7).unwrap_err().to_string();
    assert!(none.ends_with("(those that have: 1); for a version of the team, name Reds"), "{none}");
    // The host plays it.
    let team = contest.one("SELECT id FROM participants WHERE name = 'Reds'");
    server.until("it plays", |_| {
        contest.one(&format!(
            "SELECT count(*) FROM seats AS s JOIN matches AS m ON m.id = s.match
             WHERE m.record IS NOT NULL AND s.version IN
             (SELECT id FROM versions WHERE participant = {team})"
        )) > 0
    });
}

#[test]
fn a_list_says_who_of_those_invited_before_joins_a_team() {
    let Some(contest) = Contest::new() else { return };
    let list = "name,team\nDora Lange,\nCem Öztürk,\nEve,\n";
    invite_all(&contest, list);
    let moving = list.replace("Dora Lange,", "Dora Lange,Blue").replace("türk,", "türk,Blue");
    let class = invite_all(&contest, &moving);
    assert_eq!(class.known, ["Eve"]);
    let joins = ["Dora Lange", "Cem Öztürk"]
        .map(|name| format!("{name} was invited before, and joins the team Blue"));
    assert_eq!(class.remarks, joins);
    assert_eq!(invite_all(&contest, &moving).known.len(), 3);
}

#[test]
fn the_answer_to_a_command_says_whether_another_version_is_on_the_ladder() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let answer = || server.hand_in_file_and_wait(&ada, "bot.py", WALKER.as_bytes());
    assert_eq!(answer()["other_active"], false);
    server.enter(&ada, &walker_beginning("pass"));
    assert_eq!(answer()["other_active"], true);
    let cookie = server.sign_in(&ada);
    assert_eq!(server.form("/me/withdraw", &cookie, "").status, 303);
    let off = answer();
    assert_eq!((&off["active"], &off["other_active"]), (&false.into(), &false.into()));
}
