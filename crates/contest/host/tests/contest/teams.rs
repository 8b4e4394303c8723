//! Teams: one place on the ladder, several people who hand in for it, each signed in as themselves.

use quintain_host::{InvitedClass, admin, invite_class, join_team, leave_team};

use crate::setup::{Contest, WALKER, walker_beginning};

const CLASS: &str = "name,number,Team\nAda Lovelace,1001,Blue\nGeorge Boole,1002,Blue\n\
                     Eve,1003,\n";

fn invite_all(contest: &Contest, list: &str) -> InvitedClass {
    invite_class(&contest.cup(), list, &contest.catalog).unwrap()
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
    // George is signed in as himself, sees the program of the team, and hands in another.
    let as_george = server.sign_in(&george);
    let page = server.get_as(&as_george, "/me").body;
    for text in [">Blue<", "George Boole", "Ada Lovelace, George Boole", "Version 1"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(page.contains(", by <span class=\"name\">Ada Lovelace"), "{page}");
    server.enter(&george, &walker_beginning("pass"));
    let audit = contest.audit();
    assert!(audit.contains("Ada-Lovelace: handed in version 1 of Blue"), "{audit}");
    assert!(audit.contains("George-Boole: handed in version 2 of Blue"), "{audit}");
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
    assert!(page.contains("id=\"before-team\"") && page.contains("Hand it in again"), "{page}");
    let own = contest.invite("fay");
    server.enter(&own, WALKER);
    let joined = join_team(&contest.cup(), "Reds", &["fay".to_owned()], &contest.catalog).unwrap();
    assert_eq!(joined.remarks.len(), 1);
    assert!(joined.remarks[0].starts_with("version 1 of fay has left the ladder"), "{joined:?}");
    leave_team(&contest.cup(), &["fay".to_owned()], &contest.catalog).unwrap();
    let join = |team: &str, who: &str| {
        let joined = join_team(&contest.cup(), team, &[who.to_owned()], &contest.catalog);
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
    // Who has handed in for a team stays; a team without programs can be removed.
    let leave = |who: &str| leave_team(&contest.cup(), &[who.to_owned()], &contest.catalog);
    assert_eq!(leave("bob").unwrap(), 1);
    assert_eq!(team_of("bob"), None);
    let remove = |who: &str| admin::remove(&contest.cup(), &contest.catalog, who, false);
    assert!(remove("bob").unwrap_err().to_string().contains("has handed in programs"));
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
    let refused = invite_class(&contest.cup(), CLASS, &contest.catalog).unwrap_err().to_string();
    assert!(refused.contains("nobody is invited") && refused.contains("\"Blue\""), "{refused}");
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE name LIKE 'Ada%'"), 0);
}
