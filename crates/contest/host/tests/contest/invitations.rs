//! Invitations: display names in any script, the plain names that records have, and whole classes.

use quintain_host::{HostError, InvitedClass, NewToken, admin, invite, invite_class, rename};

use crate::ladder::row_of;
use crate::server::{Answer, Server};
use crate::setup::{Contest, WALKER};

impl Contest {
    fn try_invite(&self, name: &str) -> Result<NewToken, HostError> {
        invite(&self.cup(), name, &self.catalog)
    }

    fn invite_class(&self, list: &str) -> Result<InvitedClass, HostError> {
        invite_class(&self.cup(), list, &self.catalog, false)
    }
}

#[test]
fn participants_have_display_names_in_any_script() {
    let Some(contest) = Contest::new() else { return };
    let first = contest.try_invite("Ünal Şahin").unwrap();
    assert_eq!((first.display_name.as_str(), first.name.as_str()), ("Ünal Şahin", "Unal-Sahin"));
    // The same name without accents is probably the same person, who gets no second place.
    let refused = contest.try_invite("Unal Sahin").unwrap_err().to_string();
    assert!(refused.contains("too close to \"Ünal Şahin\""), "{refused}");
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE NOT is_house"), 2);
    let again = contest.try_invite("Ünal Şahin").unwrap();
    assert!(again.is_renewed && !first.is_renewed);
    let wei = contest.invite("王伟");
    let server = contest.serve();
    assert_eq!(server.form("/sign-in", "", &format!("token={}", first.token)).status, 403);
    server.enter(&again.token, WALKER);
    server.enter(&wei, WALKER);
    server.until("both play", |server| {
        ["Ünal Şahin", "王伟"].iter().all(|name| row_of(server, name).contains(" to "))
    });
    let grades = contest.grades(&[]);
    assert!(grades.contains(",Unal-Sahin,1,") && grades.contains(",Ünal Şahin,participant,"));
    // The organiser's page accepts such names too, and shows the name that records have.
    let organiser = server.sign_in(&contest.organiser);
    let page = server.form("/organiser/invite", &organiser, "name=Jos%C3%A9").body;
    assert!(page.contains(">José<") && page.contains("<code>Jose</code>"), "{page}");
    let page = server.form("/organiser/invite", &organiser, "name=Jos%C3%A9").body;
    assert!(page.contains("It replaces an older one"), "{page}");
    let refused = server.form("/organiser/invite", &organiser, "name=%3Cb%3E");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("id=\"onward\" href=\"/organiser\""), "{}", refused.body);
    assert!(contest.ban("王伟", true));
    assert!(!server.get("/").body.contains("王伟"));
}

#[test]
fn impossible_names_and_names_that_are_nearly_equal_are_refused() {
    let Some(contest) = Contest::new() else { return };
    for name in ["", "a\tb", "../x", "-x", "random", "<b>", "=1+1"] {
        let refused = contest.try_invite(name).unwrap_err().to_string();
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    for alike in ["RANDOM", "wall hugger", "ada.2", "ada v2", "r\u{430}ndom", "ad\u{feff}a"] {
        let refused = contest.try_invite(alike).unwrap_err().to_string();
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    let long = contest.try_invite(&"a".repeat(10_000)).unwrap_err().to_string();
    assert!(long.len() < 400, "{long}");
    contest.invite("Émile Dupont");
    for close in ["émile dupont", "Émile  Dupont", "ÉMILE-DUPONT", "Emile Dupont"] {
        let refused = contest.try_invite(close).unwrap_err().to_string();
        assert!(refused.contains("too close to \"Émile Dupont\""), "{refused}");
    }
    // A participant with another display name that is equal in plain letters has another name, and
    // another file regardless of case.
    contest.invite("李");
    assert_eq!(contest.try_invite("理").unwrap().name, "Li-2");
    contest.invite("Émile Dupont");
}

#[test]
fn a_name_without_its_accents_finds_the_participant_and_numbers_tell_two_of_them_apart() {
    let Some(contest) = Contest::new() else { return };
    let list = "name,number,mail\nJosé García,1,j@example.org\nJose Garcia,2,jg@example.org\n\
                Ewa Łukasiewicz,3,ewa@example.org\n";
    let class = contest.invite_class(list).unwrap();
    let names: Vec<&str> = class.invited.iter().map(|new| new.display_name.as_str()).collect();
    assert_eq!(names, ["José García", "Jose Garcia 2", "Ewa Łukasiewicz"]);
    let rename = |name: &str, to: &str| rename(&contest.cup(), name, to, &contest.catalog);
    rename("ewa lukasiewicz", "Ewa Nowak").unwrap();
    rename("Ewa Nowak", "Ewa Łukasiewicz").unwrap();
    let taken = rename("Ewa Łukasiewicz", "Jose Garcia").unwrap_err().to_string();
    assert!(taken.contains("too close to"), "{taken}");
    // A known number with another name is somebody who changed it, or a slip: it is said.
    let again =
        contest.invite_class(&list.replace("Ewa Ł", "Eva Ł").replace("José", "Jose")).unwrap();
    assert_eq!((again.invited.len(), again.known.len()), (0, 3));
    let remark = "line 4: this number or address is that of Ewa Łukasiewicz, not Eva Łukasiewicz; \
                  nothing is renamed";
    assert_eq!(again.remarks, [remark]);
    let wrong =
        contest.invite_class("name,mail\nZoë,notamail\nYao,y@x y\n").unwrap_err().to_string();
    assert!(wrong.contains("line 2: \"notamail\" is no e-mail address"), "{wrong}");
    assert!(wrong.contains("; line 3: ") && wrong.lines().count() == 1, "{wrong}");
}

#[test]
fn a_class_is_invited_from_a_list_and_earlier_tokens_stay_valid() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("Ada Lovelace");
    let class = contest.invite_class("group;name\n1;Ada Lovelace\n2;Émile Dupont\n").unwrap();
    let table = class.table("https://cup.example/").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "called,name,token,link"), "{table}");
    let cells: Vec<&str> = lines[1].split(',').collect();
    let token = cells[2];
    assert_eq!(cells[..2], ["Émile Dupont", "Emile-Dupont"]);
    assert_eq!(cells[3], format!("https://cup.example/sign-in?token={token}"));
    // The page does the same.
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let list = "list=Grace+Hopper%0D%0AAda+Lovelace%0D%0A";
    let page = server.form("/organiser/invite-class", &organiser, list).body;
    assert!(
        page.contains(
            "1 invited; the token is shown only now; already invited, and unchanged: <span \
             class=\"name\">Ada Lovelace<"
        ),
        "{page}"
    );
    assert!(page.contains("download=\"invitations.csv\""), "{page}");
    // Nothing is said of tokens that nobody got.
    let again = server.form("/organiser/invite-class", &organiser, list).body;
    let nobody = "Nobody on the list is new: no token was made, and those made before stay valid";
    assert!(again.contains(nobody) && !again.contains("shown only now"), "{again}");
    let link = page.split("/sign-in?token=").nth(1).unwrap();
    for token in [&ada, token, &link[..32]] {
        assert_eq!(server.form("/sign-in", "", &format!("token={token}")).status, 303);
    }
    let participant = server.sign_in(&ada);
    assert_eq!(server.form("/organiser/invite-class", &participant, list).status, 403);
    // So is the file that a platform exports.
    let file = |cookie: &str, bytes: &[u8]| {
        let head = "--X\r\ncontent-disposition: form-data; name=\"file\"; \
                    filename=\"class.csv\"\r\ncontent-type: text/csv\r\n\r\n";
        let body = [head.as_bytes(), bytes, b"\r\n--X--\r\n"].concat();
        let origin = format!("http://{}", server.address);
        let kind = ("content-type", "multipart/form-data; boundary=X");
        let headers = [kind, ("origin", origin.as_str()), ("cookie", cookie)];
        server.ask("POST", "/organiser/invite-file", &headers, &body)
    };
    let canvas = "\u{feff}Student,ID,SIS User ID,SIS Login ID,Section\n    Mögliche Punkte,,,,\n\
                  \"Hopper, Rear\",11,2,rhopper,T\n";
    let page = file(&organiser, canvas.as_bytes()).body;
    assert!(page.contains("1 invited") && page.contains(">Rear Hopper<"), "{page}");
    assert!(!page.contains("Punkte"), "{page}");
    assert_eq!(file(&participant, canvas.as_bytes()).status, 403);
    let latin = file(&organiser, b"name\nAndr\xe9\n");
    assert!(latin.status == 422 && latin.body.contains("save it as UTF-8"), "{}", latin.body);
}

#[test]
fn a_class_comes_from_moodle_and_goes_on_as_people_are() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("Ada Lovelace");
    let moodle = "\u{feff}\"First name\",\"Last name\",\"ID number\",\"Email address\"\n\
                  Ada,Lovelace,1001,ada@example.org\n\
                  Anna,Müller,1002,anna@example.org\nAnna,Müller,1003,am@example.org\n\
                  Bob,Wrong,1004,bob@example.org\n";
    let class = contest.invite_class(moodle).unwrap();
    assert_eq!(class.known, [""; 0]);
    let kept = "Ada Lovelace was invited before; the number and the address of this list is kept";
    assert!(class.remarks[0].contains(kept), "{:?}", class.remarks);
    let table = class.table("").unwrap();
    assert!(table.starts_with("called,name,token,link,number,mail\n"), "{table}");
    assert!(table.contains("Anna Müller 2,Anna-Muller-2,") && table.contains(",1003,am@"));
    // The same list again, in which somebody has another name since: nobody is invited twice.
    let again = contest.invite_class(&moodle.replace("Lovelace", "King")).unwrap();
    assert_eq!((again.invited.len(), again.known.len()), (0, 4));
    let grades = contest.grades(&["called", "number", "mail"]);
    assert!(grades.contains("Ada Lovelace,1001,ada@example.org"), "{grades}");
    // Another list that says less erases nothing.
    let canvas = "Student,ID,SIS User ID,SIS Login ID,Section\n\"Müller, Anna\",77003,1002,am7,B\n";
    let other = contest.invite_class(canvas).unwrap();
    assert!(other.remarks[0].contains("the login and the number at Canvas"), "{:?}", other.remarks);
    let grades = contest.grades(&["called", "number", "mail"]);
    assert!(grades.contains("Anna Müller,1002,anna@example.org"), "{grades}");
    // Who was invited twice by hand is one, with both tokens.
    let twin = contest.invite("Ada King");
    let server = contest.serve();
    server.enter(&twin, WALKER);
    let organiser = server.sign_in(&contest.organiser);
    let merge = |name: &str, into: &str| {
        server.form("/organiser/merge", &organiser, &format!("name={name}&into={into}"))
    };
    let refused = merge("Ada-King", "Ada-Lovelace");
    assert!(
        refused.status == 400 && refused.body.contains("only “Ada-King” has a program")
            || refused.body.contains("only &quot;Ada-King&quot; has a program"),
        "{}",
        refused.body
    );
    assert_eq!(merge("Ada-Lovelace", "Ada-King").status, 303);
    for token in [&ada, &twin] {
        assert!(server.get_as(&server.sign_in(token), "/me").body.contains("<h1>"), "signed in");
        assert_eq!(server.hand_in(token, "bot.py", WALKER.as_bytes()).status, 201);
    }
    assert_eq!(contest.one("SELECT count(*) FROM versions WHERE digest <> ''"), 1);
    let grades = contest.grades(&["called", "number"]);
    assert!(grades.contains("Ada King,1001") && !grades.contains("Ada Lovelace"), "{grades}");
    // Names change, and a wrong line goes.
    let rename = "name=Ada-King&new=Countess+of+Lovelace";
    assert_eq!(server.form("/organiser/rename", &organiser, rename).status, 303);
    assert!(server.get("/").body.contains("Countess of Lovelace"));
    let taken = server.form("/organiser/rename", &organiser, "name=Ada-King&new=Bob+Wrong");
    assert_eq!(taken.status, 400, "{}", taken.body);
    assert_eq!(server.form("/organiser/remove", &organiser, "name=Ada-King").status, 400);
    assert_eq!(server.form("/organiser/remove", &organiser, "name=Bob-Wrong").status, 303);
    let audit = contest.audit();
    for line in ["merged Ada-Lovelace into Ada-King", "removed Bob-Wrong", "is called Countess"] {
        assert!(audit.contains(line), "{audit}");
    }
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(!page.contains("Bob Wrong</"), "{page}");
}

#[test]
fn zeros_that_a_spreadsheet_dropped_make_nobody_twice() {
    let Some(contest) = Contest::new() else { return };
    let first = "name,number,mail\nJörg Müller,0070001,j@example.org\n\
                 Anna Groß,0070002,a@example.org\nAnna Groß,0070003,a2@example.org\n\
                 Bärbel Straßner,0070006,\n";
    contest.invite_class(first).unwrap();
    let kept = |count: usize| {
        format!(
            "{count} numbers of this list lack the zeros at their beginning, which spreadsheets \
             drop; those known are kept: 0070001 of Jörg Müller, not 70001, for example"
        )
    };
    for list in [
        "name,number\nJörg Müller,70001\nAnna Groß,70003\nAnna Groß,70002\n\
         Bärbel Straßner,70006\n",
        "name,number,mail\nJörg König,70001,j@example.org\nAnna Groß,70002,a@example.org\n",
    ] {
        let again = contest.invite_class(list).unwrap();
        assert!(again.invited.is_empty(), "{again:?}");
        let zeros: Vec<&String> =
            again.remarks.iter().filter(|remark| remark.contains("zeros")).collect();
        let count = if list.contains("Bärbel") { 4 } else { 2 };
        assert_eq!(zeros, [&kept(count)], "{again:?}");
    }
    let grades = contest.grades(&["called", "number"]);
    for row in ["Jörg Müller,0070001", "Anna Groß 2,0070003", "Bärbel Straßner,0070006"] {
        assert!(grades.contains(row), "{grades}");
    }
    // Another name is another person.
    let other = contest.invite_class("name,number\nEva Neu,70001\n").unwrap();
    assert_eq!(other.invited.len(), 1);
}

#[test]
fn a_merged_name_opens_nobody_elses_account_and_a_merge_is_taken_back() {
    let Some(contest) = Contest::new() else { return };
    contest.append("\n[grades]\nmilestones = { passed = 5 }\n");
    let list = "name,number,mail\nLea Lang,1,lea@example.org\nLeo Lang,2,leo@example.org\n";
    let class = contest.invite_class(list).unwrap();
    let [lea, leo] = [0, 1].map(|at| class.invited[at].token.clone());
    let merge = |is_confirmed| {
        let pair = ("Lea-Lang", "Leo-Lang");
        admin::merge(&contest.cup(), &contest.catalog, pair, is_confirmed)
    };
    let asked = merge(false).unwrap_err().to_string();
    for text in ["different matriculation numbers, 1 and 2", "lea@example.org", "--confirm"] {
        assert!(asked.contains(text), "{asked}");
    }
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let form = |to: &str, body: &str| server.form(&format!("/organiser/{to}"), &organiser, body);
    let asked = form("merge", "name=Lea-Lang&into=Leo-Lang");
    assert!(asked.status == 409 && asked.body.contains("two people"), "{}", asked.body);
    assert_eq!(form("merge", "name=Lea-Lang&into=Leo-Lang&confirm=true").status, 303);
    // Nobody gets a token by her name that signs in as him.
    let refused = contest.try_invite("Lea Lang").unwrap_err().to_string();
    assert!(refused.starts_with("Lea Lang is merged into Leo Lang"), "{refused}");
    assert!(refused.contains("merge FOLDER Lea-Lang --undo"), "{refused}");
    let banned = admin::ban(&contest.cup(), &contest.catalog, "Lea-Lang", true).unwrap_err();
    assert!(banned.to_string().contains("is merged into Leo Lang"), "{banned}");
    assert_eq!(form("invite", "name=Lea+Lang").status, 400);
    // The list, the participants, the letters and the tables say who has no row.
    let again = contest.invite_class(list).unwrap();
    assert_eq!(again.known, ["Leo Lang"]);
    assert!(again.remarks[0].starts_with("line 2: Lea Lang is merged into Leo Lang"), "{again:?}");
    let merged = "Lea Lang (merged into Leo Lang)";
    let said = admin::describe_merged(&contest.cup(), &contest.catalog).unwrap().unwrap();
    assert!(said.ends_with(merged), "{said}");
    for format in [admin::PointsFormat::Moodle, admin::PointsFormat::Canvas] {
        let points = admin::points(&contest.cup(), &contest.catalog, format, admin::Publishing::No);
        let points = points.unwrap();
        assert!(points.remarks.concat().contains(merged));
    }
    let page = server.get_as(&organiser, "/organiser").body;
    assert!(page.contains("merged into <span class=\"name\">Leo Lang"), "{page}");
    // Back: her token is her own, and whoever signed in by it as him is out.
    let as_him = server.sign_in(&lea);
    assert!(server.get_as(&as_him, "/me").body.contains("Leo Lang"));
    assert_eq!(form("undo-merge", "name=Lea-Lang").status, 303);
    assert!(!server.get_as(&as_him, "/me").body.contains("Leo Lang"));
    assert!(server.get_as(&server.sign_in(&lea), "/me").body.contains("Lea Lang"));
    assert!(server.get_as(&server.sign_in(&leo), "/me").body.contains("Leo Lang"));
    assert!(contest.audit().contains("Lea-Lang is no longer merged into Leo-Lang"));
    let none = admin::undo_merge(&contest.cup(), &contest.catalog, "Lea-Lang").unwrap_err();
    assert!(none.to_string().contains("is merged into nobody"), "{none}");
}

#[test]
fn the_names_of_those_who_were_merged_away_are_free_for_the_one_who_stays() {
    let Some(contest) = Contest::new() else { return };
    for name in ["A. Goldberg", "Adele Goldberg", "Ada Lovelace"] {
        contest.invite(name);
    }
    let (cup, catalog) = (&contest.cup(), &contest.catalog);
    let rename = |to: &str| quintain_host::rename(cup, "A. Goldberg", to, catalog);
    let taken = rename("Ada Lovelace").unwrap_err().to_string();
    assert!(taken.starts_with("\"Ada Lovelace\" is the name of another participant"), "{taken}");
    assert!(rename("Adele Goldberg").is_err(), "she is there");
    admin::merge(cup, catalog, ("Adele Goldberg", "A. Goldberg"), true).unwrap();
    rename("Adele Goldberg").unwrap();
    // The name is that of whoever stays, everywhere.
    assert_eq!(contest.invite_class("Adele Goldberg\n").unwrap().known, ["Adele Goldberg"]);
    let undone = admin::undo_merge(cup, catalog, "Adele-Goldberg").unwrap_err().to_string();
    assert!(undone.starts_with("Adele Goldberg has been called so since the merge"), "{undone}");
    quintain_host::rename(cup, "Adele Goldberg", "A. Goldberg", catalog).unwrap();
    assert_eq!(admin::undo_merge(cup, catalog, "Adele-Goldberg").unwrap(), "A. Goldberg");
}

#[test]
fn a_program_being_checked_does_not_enter_the_ladder_for_a_merged_person() {
    let Some(contest) = Contest::new() else { return };
    let (twin, ada) = (contest.invite("twin"), contest.invite("ada"));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&twin, WALKER);
    let merge = |is_confirmed| {
        admin::merge(&contest.cup(), &contest.catalog, ("twin", "ada"), is_confirmed)
    };
    let asked = merge(false).unwrap_err().to_string();
    assert!(asked.contains("the program of twin leaves the ladder"), "{asked}");
    merge(true).unwrap();
    // As if it had been waiting for its check.
    let sql = "UPDATE versions SET stage = 'waiting' WHERE participant =
               (SELECT id FROM participants WHERE name = 'twin')";
    contest.database().execute(sql, []).unwrap();
    let waiting = "SELECT count(*) FROM versions WHERE stage IN ('waiting', 'checking')";
    server.until("it is checked", |_| contest.one(waiting) == 0);
    assert_eq!(contest.one("SELECT count(*) FROM participants WHERE active AND merged"), 0);
}

#[test]
fn a_list_with_an_impossible_line_invites_nobody() {
    let Some(contest) = Contest::new() else { return };
    for (list, why) in [
        ("Grace Hopper\n<b>\n", "nobody is invited: line 2: a name has 1 to"),
        ("Grace Hopper\ngrace hopper\n", "line 2: \"grace hopper\" is too close to"),
        ("Grace Hopper\nGrace Hopper\n", "line 2: Grace Hopper is listed twice"),
        (
            "name,number\nEva Neu,1003\nBob,2\nGabi Neu,1003\n",
            "line 4: Gabi Neu has the number 1003, as has Eva Neu in line 2; correct one",
        ),
        ("name,number\nEva,1.23457E+05\n", "line 2: \"1.23457E+05\" is what a spreadsheet made"),
        ("name,number\nEva,=1+1\n", "line 2: \"=1+1\" is what a spreadsheet made"),
        ("Hopper,Grace\n", "no column of names was found in line 1: Hopper, Grace;"),
        ("name\r\nGrace\r\n<b>\r\n/\r\n", "line 4: a name has 1 to"),
    ] {
        let refused = contest.invite_class(list).unwrap_err().to_string();
        assert!(refused.contains(why), "{list:?}: {refused}");
    }
    let many: String = (0..20_000).map(|number| format!("Grace {number}\n")).collect();
    let refused = contest.invite_class(&many).unwrap_err().to_string();
    assert!(refused.contains("has 20000 names, and host.toml allows 1000"), "{refused}");
    let users = admin::users(&contest.cup(), &contest.catalog).unwrap();
    assert!(!users.iter().any(|user| user.name.contains("Grace")), "{users:?}");
}

/// Asks for the sign-in page with the header of a proxy.
fn sign_in_by_header(server: &Server, headers: &[(&str, &str)]) -> Answer {
    server.ask("GET", "/sign-in", headers, &[])
}

#[test]
fn only_the_proxy_signs_people_in_by_a_header() {
    let Some(contest) = Contest::new() else { return };
    contest.invite_class("name,login,mail\nAda Lovelace,al7,ada@example.org\n").unwrap();
    contest.invite("al7-fan");
    let is_session = |answer: &Answer| answer.head.contains("set-cookie: ");
    let by = |server: &Server, name: &str| sign_in_by_header(server, &[("x-remote-user", name)]);
    // Without being told so, a host believes no header.
    let server = contest.serve();
    assert!(!is_session(&by(&server, "al7")));
    drop(server);
    let text = std::fs::read_to_string(contest.cup().join("host.toml")).unwrap();
    let set = |from: &str| {
        let proxy = format!("[single_sign_on]\nheader = \"X-Remote-User\"\nfrom = [{from}]\n");
        std::fs::write(contest.cup().join("host.toml"), format!("{text}\n{proxy}")).unwrap();
    };
    // From elsewhere, also if an address is claimed.
    set("\"192.0.2.7\"");
    let server = contest.serve();
    assert!(!is_session(&by(&server, "al7")));
    let claimed = [("x-remote-user", "al7"), ("x-forwarded-for", "192.0.2.7")];
    assert!(!is_session(&sign_in_by_header(&server, &claimed)));
    drop(server);
    set("\"127.0.0.1\"");
    let server = contest.serve();
    for known in ["al7", "AL7", "ada@example.org", "al7-fan"] {
        let answer = by(&server, known);
        assert!(answer.status == 303 && is_session(&answer), "{known}: {}", answer.body);
    }
    let page = server.get_as(&by(&server, "al7").cookie(), "/me").body;
    assert!(page.contains("Ada Lovelace"), "{page}");
    // Not the organiser, house players, a name beside a login, strangers, or two at once.
    for unknown in ["organiser", "random", "Ada-Lovelace", "eve"] {
        let answer = by(&server, unknown);
        assert!(answer.status == 403 && !is_session(&answer), "{unknown}: {}", answer.head);
    }
    let twice = [("x-remote-user", "eve"), ("x-remote-user", "al7")];
    assert!(!is_session(&sign_in_by_header(&server, &twice)));
    contest.ban("Ada Lovelace", true);
    let banned = by(&server, "al7");
    assert!(banned.status == 403 && banned.body.contains("you are banned"), "{}", banned.body);
    drop(server);
    set("");
    let refused = contest.try_serve().map(drop).unwrap_err().to_string();
    assert!(refused.contains("needs the address of the proxy"), "{refused}");
}
