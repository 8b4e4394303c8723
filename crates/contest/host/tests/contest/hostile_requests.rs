//! Hostile requests.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use crate::server::Server;
use crate::setup::{Contest, WALKER, zip};

const PROGRAM: &[u8] = WALKER.as_bytes();

#[test]
fn unauthorized_visitors_get_401_and_403() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    for token in [&"0".repeat(32), "", "' OR 1=1 --"] {
        assert_eq!(server.hand_in(token, "bot.py", PROGRAM).status, 401, "{token}");
    }
    assert_eq!(server.form("/sign-in", "", "token=guess").status, 403);
    let (name, _) = cookie.split_once('=').unwrap();
    let forged = format!("{name}={}", "a".repeat(32));
    assert_eq!(server.get_as(&forged, "/me").status, 303);
    assert_eq!(server.form("/me/activate", &forged, "version=1").status, 401);
    for path in ["/organiser", "/organiser/grades.csv"] {
        assert_eq!(server.get_as(&cookie, path).status, 403, "{path}");
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for what in ["pause", "phase", "rejudge", "ban", "invite"] {
        let path = &format!("/organiser/{what}");
        let body = "paused=true&name=bob&banned=true";
        assert_eq!(server.form(path, &cookie, body).status, 403, "{path}");
    }
}

#[test]
fn two_contests_on_one_machine_keep_their_visitors_apart() {
    let (Some(one), Some(other)) = (Contest::new(), Contest::new()) else { return };
    let (ada, bob) = (one.invite("ada"), other.invite("bob"));
    let (first, second) = (one.serve(), other.serve());
    // A browser sends both cookies to both ports.
    let both = format!("{}; {}", first.sign_in(&ada), second.sign_in(&bob));
    assert!(first.get_as(&both, "/me").body.contains("ada"));
    assert!(second.get_as(&both, "/me").body.contains("bob"));
}

#[test]
fn a_link_from_elsewhere_finds_its_visitor_signed_in() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let signed_in = server.form("/sign-in", "", &format!("token={ada}"));
    // With Strict, a browser that follows a link in webmail would not send the cookie.
    assert!(signed_in.head.contains("; samesite=lax;"), "{}", signed_in.head);
    let cookie = signed_in.cookie();
    let from = [
        ("cookie", cookie.as_str()),
        ("referer", "https://moodle.example/"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
    ];
    let page = server.ask("GET", "/me", &from, &[]);
    assert!(page.status == 200 && page.body.contains("ada"), "{}", page.body);
    // A cache in between must not show it to others: of the ladder, too, whose head names her.
    for page in [page, server.get_as(&cookie, "/")] {
        assert!(
            page.body.contains("ada")
                && ["private", "no-store"]
                    .iter()
                    .any(|kept| page.head.contains(&format!("cache-control: {kept}"))),
            "{}",
            page.head
        );
    }
}

#[test]
fn a_lab_behind_one_address_is_served() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    let request = format!("GET / HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    // All ask at once, and keep their connections for another page.
    let mut lab: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    for (number, stream) in lab.iter_mut().enumerate() {
        let mut begin = [0; 13];
        stream.read_exact(&mut begin).unwrap_or_else(|error| panic!("{number}: {error}"));
        assert_eq!(&begin, b"HTTP/1.1 200 ", "{number}");
    }
}

#[test]
fn forms_on_foreign_pages_get_403() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    // With the cookie, which a browser would not even send.
    let cookie = server.sign_in(&ada);
    for origin in ["https://evil.example", "null", ""] {
        let answer = server.form_from(origin, "/sign-out", &cookie, "");
        assert_eq!(answer.status, 403, "{origin}");
    }
    let own = server.ask("POST", "/sign-out", &[("cookie", &cookie)], &[]);
    assert_eq!(own.status, 403, "without an origin");
    assert_eq!(server.get_as(&cookie, "/me").status, 200);
    let head = server.get("/me").head;
    for mark in ["content-security-policy", "x-frame-options", "referrer-policy: same-origin"] {
        assert!(head.contains(mark), "{head}");
    }
}

#[test]
fn uploads_with_hostile_names_or_sizes_are_refused() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E.py";
    let answer = server.hand_in(&ada, name, PROGRAM);
    assert!(answer.status == 422 && !answer.body.contains("<script>"), "{}", answer.body);
    assert_eq!(server.hand_in(&ada, "..%2F..%2Fbot.py", PROGRAM).status, 422);
    assert_eq!(server.hand_in(&ada, "bot.py", &vec![b'#'; 9 << 20]).status, 413);
    let large = server.hand_in(&ada, "bot.py", &vec![b'#'; (8 << 20) + 1]);
    assert!(large.body.contains("too large: 8MB is the most"), "{}", large.body);
    let cookie = server.sign_in(&ada);
    assert_eq!(server.form("/me/activate", &cookie, &"version=1&".repeat(2000)).status, 413);
}

#[test]
fn participants_neither_see_nor_activate_what_others_handed_in() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("per_hour = 20 ", "per_hour = 3 ")]);
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    assert_eq!(server.hand_in(&bob, "bot.py", b"import sys; sys.exit(1) # bob").status, 201);
    let header = format!("Bearer {ada}");
    let answer = server.ask("GET", "/api/submissions/1", &[("authorization", &header)], &[]);
    assert_eq!(answer.status, 404);
    assert_eq!(server.form("/me/activate", &server.sign_in(&ada), "version=1").status, 422);
    // The quota counts broken versions too.
    for number in 2..=4 {
        let text = format!("print({number})");
        let expected = if number <= 3 { 201 } else { 429 };
        assert_eq!(server.hand_in(&bob, "bot.py", text.as_bytes()).status, expected);
    }
}

#[test]
fn a_new_token_ends_a_stolen_token_and_a_stolen_session() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("per_hour = 20 ", "per_hour = 1 ")]);
    let bob = contest.invite("bob");
    let server = contest.serve();
    assert_eq!(server.hand_in(&bob, "bot.py", b"import sys; sys.exit(1)").status, 201);
    let stolen = server.sign_in(&bob);
    let fresh = contest.invite("bob");
    assert_eq!(server.get_as(&stolen, "/me").status, 303);
    assert_eq!(server.hand_in(&bob, "bot.py", PROGRAM).status, 401);
    assert_eq!(server.hand_in(&fresh, "bot.py", PROGRAM).status, 429, "the quota stays");
    let cookie = server.sign_in(&fresh);
    assert_eq!(server.form("/sign-out", &cookie, "").status, 303);
    assert_eq!(server.get_as(&cookie, "/me").status, 303);
}

#[test]
fn behind_a_proxy_the_contest_answers_under_its_name() {
    let Some(contest) = Contest::new() else { return };
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
    // On another port than 443, which the proxy passes on with the name.
    let (name_and_port, origin) =
        (("host", "cup.example.org:8443"), ("origin", "https://cup.example.org:8443"));
    let signed_in = server.ask("POST", "/sign-in", &[name_and_port, origin, kind], body.as_bytes());
    assert_eq!(signed_in.status, 303, "{}", signed_in.body);
    let foreign = ("origin", "https://evil.example");
    assert_eq!(server.ask("POST", "/sign-in", &[name, foreign, kind], body.as_bytes()).status, 403);
}

#[test]
fn commands_that_name_files_of_the_host_are_refused() {
    let Some(contest) = Contest::new() else { return };
    let eve = contest.invite("eve");
    let server = contest.serve();
    let reader = "import sys\nprint(open(sys.argv[1], 'rb').read()[:99], file=sys.stderr)\n";
    let secrets = contest.cup().join("host.sqlite").display().to_string();
    let up = "../../../host.sqlite";
    for command in [
        format!("\"python3 bot.py {up}\""),
        format!("\"python3 bot.py {secrets}\""),
        format!("[\"python3\", \"bot.py\", \"--x=../../{up}\"]"),
        "\"python3 bot.py /etc/shadow\"".to_owned(),
        // A virtual environment would be visible as a whole.
        "\"/srv/venv/bin/python bot.py\"".to_owned(),
    ] {
        let list = format!("[x]\ncommand = {command}");
        let answer =
            server.hand_in(&eve, "bot.zip", &zip(&[("bot.py", reader), ("bots.toml", &list)]));
        assert_eq!(answer.status, 422, "{command}: {}", answer.body);
        assert!(answer.body.contains("outside of what is submitted"), "{}", answer.body);
    }
}

/// Begins an upload of which only the first byte comes.
pub(crate) fn begin_upload(server: &Server, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "POST /api/submissions?name=bot.py HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer \
         {token}\r\ncontent-length: 1000000\r\n\r\n#",
        server.address
    );
    // A host that has seen enough closes the connection before that.
    let _ = stream.write_all(head.as_bytes());
    stream
}

#[test]
fn slow_uploads_of_some_keep_none_of_forty_others_out() {
    let Some(contest) = Contest::new() else { return };
    let slow = ["eve", "mallory"].map(|name| contest.invite(name));
    let class: Vec<String> =
        (1..=40).map(|number| contest.invite(&format!("student {number}"))).collect();
    let server = contest.serve();
    let open: RefCell<Vec<TcpStream>> = RefCell::default();
    // A third upload of the same person is one too many, and says so. Slow ones are given up after
    // a while, so others follow.
    server.until("all of the slow ones have their places", |server| {
        let begun = slow.iter().chain(&slow).map(|token| begin_upload(server, token));
        open.borrow_mut().extend(begun);
        let third = server.hand_in(&slow[0], "notes.txt", b"no program");
        third.status == 429 && third.head.contains("retry-after: ")
    });
    thread::scope(|scope| {
        for token in &class {
            let server = &server;
            scope.spawn(move || {
                let answer = server.hand_in(token, "bot.py", b"import sys; sys.exit(1)");
                assert_eq!(answer.status, 201, "{}", answer.body);
            });
        }
    });
}
