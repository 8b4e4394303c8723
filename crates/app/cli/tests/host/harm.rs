//! Hostile requests.

use std::fs;

use crate::contest::Contest;

#[test]
fn requests_that_mean_harm_come_to_nothing() {
    let Some(contest) = Contest::new("per_hour = 3 ") else { return };
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let program = fs::read(contest.at().join("walker/bot.py")).unwrap();

    // Forged and missing tokens, sessions and permissions.
    assert_eq!(server.hand_in(&"0".repeat(32), "bot.py", &program).status, 401);
    assert_eq!(server.hand_in("", "bot.py", &program).status, 401);
    assert_eq!(server.hand_in("' OR 1=1 --", "bot.py", &program).status, 401);
    assert_eq!(server.form("/sign-in", "", "token=guess").status, 403);
    let forged = format!("quintain_session={}", "a".repeat(32));
    assert_eq!(server.ask("GET", "/me", &[("cookie", &forged)], &[]).status, 303);
    assert_eq!(server.form("/me/activate", &forged, "version=1").status, 401);
    for path in ["/organiser", "/organiser/grades.csv"] {
        assert_eq!(server.ask("GET", path, &[("cookie", &cookie)], &[]).status, 403, "{path}");
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for what in ["pause", "phase", "rejudge", "ban", "invite"] {
        let path = &format!("/organiser/{what}");
        let body = "paused=true&name=bob&banned=true";
        assert_eq!(server.form(path, &cookie, body).status, 403, "{path}");
    }

    // Forms on foreign pages, with the cookie that a browser would not even send.
    for origin in ["https://evil.example", "null", ""] {
        let answer = server.form_from(origin, "/sign-out", &cookie, "");
        assert_eq!(answer.status, 403, "{origin}");
    }
    let own = server.ask("POST", "/sign-out", &[("cookie", &cookie)], &[]);
    assert_eq!(own.status, 403, "without an origin");
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 200);

    // A name that would inject a script, a path that leads outside, an upload that is too large.
    let name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E.py";
    let answer = server.hand_in(&ada, name, &program);
    assert!(answer.status == 422 && !answer.body.contains("<script>"), "{}", answer.body);
    assert_eq!(server.hand_in(&ada, "..%2F..%2Fbot.py", &program).status, 422);
    assert_eq!(server.hand_in(&ada, "bot.py", &vec![b'#'; 9 << 20]).status, 413);
    let large = server.hand_in(&ada, "bot.py", &vec![b'#'; (8 << 20) + 1]);
    assert!(large.body.contains("too large: 8MB is the most"), "{}", large.body);
    assert_eq!(server.form("/me/activate", &cookie, &"version=1&".repeat(2000)).status, 413);
    let head = server.get("/me").head;
    for mark in ["content-security-policy", "x-frame-options", "referrer-policy: same-origin"] {
        assert!(head.contains(mark), "{head}");
    }

    // Participants can neither see nor activate what others handed in; the quota counts broken versions
    // too.
    assert_eq!(server.hand_in(&bob, "bot.py", b"import sys; sys.exit(1) # bob").status, 201);
    let answer = server.ask(
        "GET",
        "/api/submissions/1",
        &[("authorization", &format!("Bearer {ada}"))],
        &[],
    );
    assert_eq!(answer.status, 404);
    assert_eq!(server.form("/me/activate", &cookie, "version=1").status, 422);
    for number in 2..=4 {
        let text = format!("print({number})");
        let expected = if number <= 3 { 201 } else { 429 };
        assert_eq!(server.hand_in(&bob, "bot.py", text.as_bytes()).status, expected);
    }

    // A new token ends a stolen session and a stolen token.
    let stolen = server.sign_in(&bob);
    let fresh = contest.invite("bob");
    assert_eq!(server.ask("GET", "/me", &[("cookie", &stolen)], &[]).status, 303);
    assert_eq!(server.hand_in(&bob, "bot.py", &program).status, 401);
    assert_eq!(server.hand_in(&fresh, "bot.py", &program).status, 429, "the quota stays");
    assert_eq!(server.form("/sign-out", &cookie, "").status, 303);
    assert_eq!(server.ask("GET", "/me", &[("cookie", &cookie)], &[]).status, 303);
}

#[test]
fn behind_a_proxy_the_contest_answers_under_its_name() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let name = ("host", "cup.example.org");
    let server = contest.serve();
    assert_eq!(server.ask("GET", "/", &[name], &[]).status, 403, "not without a proxy");
    drop(server);
    contest.edit(&[("https = false", "https = true")]);
    let server = contest.serve();
    let origin = ("origin", "https://cup.example.org");
    let kind = ("content-type", "application/x-www-form-urlencoded");
    let body = format!("token={ada}");
    let signed_in = server.ask("POST", "/sign-in", &[name, origin, kind], body.as_bytes());
    assert!(signed_in.status == 303 && signed_in.head.contains("; secure"), "{}", signed_in.head);
    let foreign = ("origin", "https://evil.example");
    assert_eq!(server.ask("POST", "/sign-in", &[name, foreign, kind], body.as_bytes()).status, 403);
}

#[test]
fn a_command_cannot_have_a_program_shown_the_files_of_the_host() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let eve = contest.invite("eve");
    let server = contest.serve();
    let reader = "import sys\nprint(open(sys.argv[1], 'rb').read()[:99], file=sys.stderr)\n";
    let secrets = contest.at().join("cup/host.sqlite").display().to_string();
    let up = "../../../host.sqlite";
    for command in [
        format!("\"python3 bot.py {up}\""),
        format!("\"python3 bot.py {secrets}\""),
        format!("[\"python3\", \"bot.py\", \"--x=../../{up}\"]"),
        "\"python3 bot.py /etc/shadow\"".to_owned(),
        // A virtual environment would be visible as a whole.
        "\"/srv/venv/bin/python bot.py\"".to_owned(),
    ] {
        let mut tree = Vec::new();
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(&mut tree));
        for (name, text) in
            [("bot.py", reader), ("bots.toml", &format!("[x]\ncommand = {command}"))]
        {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let answer = server.hand_in(&eve, "bot.zip", &tree);
        assert_eq!(answer.status, 422, "{command}: {}", answer.body);
        assert!(answer.body.contains("outside of what is handed in"), "{}", answer.body);
    }
}
