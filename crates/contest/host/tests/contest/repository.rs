//! Submitting by pushing to a repository, with a token that can do nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use quintain_host::{admin, join_team, leave_team};

use crate::server::{Answer, Server};
use crate::setup::{Contest, WALKER};

/// Makes a token for a repository; returns the token, and the hook that the page gives.
fn make_token(server: &Server, cookie: &str) -> (String, String) {
    let Answer { status, body, .. } = server.form("/me/repository", cookie, "");
    assert_eq!(status, 200, "{body}");
    let between = |from: &str, to: &str| {
        let (_, after) = body.split_once(from).unwrap_or_else(|| panic!("{from}: {body}"));
        after.split_once(to).unwrap().0.to_owned()
    };
    let hook = between("<pre>", "</pre>").replace("&quot;", "\"").replace("&amp;", "&");
    (between("<code id=\"token\">", "</code>"), hook)
}

/// Runs Git in a folder, without this user's settings.
fn git(folder: &Path, arguments: &[&str]) -> Output {
    let settings = ["user.name=ada", "user.email=ada@example.org", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    command.args(settings.iter().flat_map(|setting| ["-c", setting]));
    command.args(arguments).output().unwrap()
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_push_hands_in_the_commit() {
    if let Some(tool) = ["git", "curl"].into_iter().find(|tool| !is_installed(tool)) {
        return eprintln!("skipped: {tool} is not installed");
    }
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let (token, hook) = make_token(&server, &cookie);

    let folder = contest.at().join("walker");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("bot.py"), WALKER).unwrap();
    let run_git = |arguments: &[&str]| {
        let output = git(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    run_git(&["init", "--quiet", "--bare", "../upstream"]);
    run_git(&["init", "--quiet"]);
    run_git(&["remote", "add", "origin", "../upstream"]);
    run_git(&["config", "quintain.token", &token]);
    run_git(&["add", "bot.py"]);
    run_git(&["commit", "--quiet", "--message", "a walker"]);
    let at = folder.join(".git/hooks/pre-push");
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(&at, hook).unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
    run_git(&["push", "origin", "HEAD"]);
    let ask = |token: &str, number: u32| {
        let path = format!("/api/submissions/{number}");
        server.ask("GET", &path, &[("authorization", &format!("Bearer {token}"))], &[])
    };
    let version = ask(&token, 1);
    assert!(version.status == 200 && version.body.contains("\"version\":1"), "{}", version.body);

    // If the contest refuses, nothing is pushed.
    run_git(&["config", "quintain.token", &"0".repeat(32)]);
    run_git(&["commit", "--quiet", "--allow-empty", "--message", "nothing"]);
    let refused = git(&folder, &["push", "origin", "HEAD"]);
    assert!(!refused.status.success(), "{refused:?}");
    let pushed = git(&folder, &["log", "--format=%s", "origin/main"]);
    assert_eq!(String::from_utf8_lossy(&pushed.stdout), "a walker\n");
}

#[test]
fn a_repositorys_token_can_only_hand_in() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let program = |number: u32| format!("print({number})").into_bytes();
    let (first, _) = make_token(&server, &cookie);
    assert_eq!(server.hand_in(&first, "bot.py", &program(1)).status, 201);
    assert_eq!(server.form("/sign-in", "", &format!("token={first}")).status, 403);

    // Making another one ends it, and so does revoking it, or a new invitation.
    let (second, _) = make_token(&server, &cookie);
    assert_eq!(server.hand_in(&first, "bot.py", &program(2)).status, 401);
    assert_eq!(server.hand_in(&second, "bot.py", &program(2)).status, 201);
    assert_eq!(server.form("/me/repository", &cookie, "ends=true").status, 303);
    assert_eq!(server.hand_in(&second, "bot.py", &program(3)).status, 401);
    let (third, _) = make_token(&server, &cookie);
    contest.invite("ada");
    assert_eq!(server.hand_in(&third, "bot.py", &program(3)).status, 401);

    // Neither another site's page nor a visitor without a session can make one.
    let cookie = server.sign_in(&contest.invite("bob"));
    let foreign = server.form_from("https://evil.example", "/me/repository", &cookie, "");
    assert_eq!(foreign.status, 403);
    assert_eq!(server.form("/me/repository", "", "").status, 401);
    // A banned participant cannot submit anything.
    let (token, _) = make_token(&server, &cookie);
    contest.ban("bob", true);
    assert_eq!(server.hand_in(&token, "bot.py", &program(4)).status, 403);
    // The log shows that tokens were made and ended, but no token.
    let log = contest.audit();
    assert!(log.contains("a token for a repository"), "{log}");
    assert!(![first, second, third, token].iter().any(|token| log.contains(token)), "{log}");
}

#[test]
fn a_teams_repositorys_token_is_worth_what_its_maker_is() {
    let Some(contest) = Contest::new() else { return };
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let (cup, catalog) = (&contest.cup(), &contest.catalog);
    let join = |who: &str| join_team(cup, "Reds", &[who.to_owned()], catalog, false).unwrap();
    let leave = |who: &str| leave_team(cup, &[who.to_owned()], catalog, false).unwrap();
    join("ada");
    join("bob");
    let server = contest.serve();
    let mut number = 0;
    let mut hand_in = |token: &str| {
        number += 1;
        server.hand_in(token, "bot.py", format!("print({number})").as_bytes())
    };
    let as_ada = server.sign_in(&ada);
    let (token, _) = make_token(&server, &as_ada);
    assert_eq!(hand_in(&token).status, 201);
    // The audit says who it was.
    let audit = contest.audit();
    assert!(audit.contains("ada: submitted version 1 of Reds"), "{audit}");
    // She is banned, and her team is not.
    contest.ban("ada", true);
    let refused = hand_in(&token);
    assert!(refused.status == 403 && refused.body.contains("you are banned"), "{}", refused.body);
    contest.ban("ada", false);
    assert_eq!(hand_in(&token).status, 201);
    // She leaves; coming back does not bring the token back.
    leave("ada");
    assert_eq!(hand_in(&token).status, 401);
    join("ada");
    assert_eq!(hand_in(&token).status, 401);
    assert_eq!(hand_in(&bob).status, 201);
    // A new invitation ends what she made for the team, too; what is his stays.
    let (hers, _) = make_token(&server, &server.sign_in(&ada));
    contest.invite("ada");
    assert_eq!(hand_in(&hers).status, 401);
    let (his, _) = make_token(&server, &server.sign_in(&bob));
    leave("ada");
    assert_eq!(hand_in(&his).status, 201);
    assert!(contest.audit().contains("bob: submitted version 4 of Reds"), "{}", contest.audit());
}

#[test]
fn a_token_that_a_merge_let_somebody_make_ends_with_the_merge() {
    let Some(contest) = Contest::new() else { return };
    let [eve, carl] = ["eve", "carl"].map(|name| contest.invite(name));
    let (cup, catalog) = (&contest.cup(), &contest.catalog);
    let server = contest.serve();
    let (own, _) = make_token(&server, &server.sign_in(&eve));
    admin::merge(cup, catalog, ("eve", "carl"), true).unwrap();
    // Her own one leads to where she was merged.
    assert_eq!(server.hand_in(&own, "bot.py", b"print(1)").status, 201);
    let (as_him, _) = make_token(&server, &server.sign_in(&eve));
    assert_eq!(server.hand_in(&as_him, "bot.py", b"print(2)").status, 201);
    admin::undo_merge(cup, catalog, "eve").unwrap();
    assert_eq!(server.hand_in(&as_him, "bot.py", b"print(3)").status, 401);
    assert_eq!(server.hand_in(&own, "bot.py", b"print(4)").status, 201);
    let audit = contest.audit();
    assert!(audit.contains("eve: submitted version 1"), "{audit}");
    assert_eq!(server.hand_in(&carl, "bot.py", b"print(5)").status, 201);
    // The same for the team in which he is.
    join_team(cup, "Reds", &["carl".to_owned()], catalog, false).unwrap();
    admin::merge(cup, catalog, ("eve", "carl"), true).unwrap();
    let (for_team, _) = make_token(&server, &server.sign_in(&eve));
    assert_eq!(server.hand_in(&for_team, "bot.py", b"print(6)").status, 201);
    admin::undo_merge(cup, catalog, "eve").unwrap();
    assert_eq!(server.hand_in(&for_team, "bot.py", b"print(7)").status, 401);
}
