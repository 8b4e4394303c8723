//! What participants do in a browser.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::contest::{Contest, Server, command, quintain};
use crate::webdriver::Browser;

/// Unpacks a download.
pub(crate) fn unzip(bytes: &[u8], to: &Path) {
    zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap().extract(to).unwrap();
}

/// Follows a link to a download with the browser's session, and unpacks it.
fn download(browser: &mut Browser, link: &str, to: &Path) {
    browser.script(&format!(
        "const link = document.querySelector({link:?});
         fetch(link.href).then((answer) => answer.arrayBuffer()).then((buffer) => {{
             let text = '';
             for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
             window.downloaded = btoa(text);
         }});"
    ));
    browser.until("return window.downloaded !== undefined");
    let packed = browser.text("return window.downloaded");
    unzip(&STANDARD.decode(packed).unwrap(), to);
}

#[test]
fn from_the_starter_kit_to_the_ladder_by_page_and_by_command() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let Some(mut browser) = Browser::open() else { return };
    let [eve, bob] = ["eve", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    browser.go(&format!("http://{}/", server.address));
    browser.click("header a[href='/kits']");
    browser.until("return document.querySelectorAll('#kits a').length >= 6");
    download(&mut browser, "#kits a[href='/kits/python.zip']", contest.at());
    // The commands in its guide work at once.
    let kit = contest.at().join("tron-python");
    let guide = fs::read_to_string(kit.join("CONTEST.md")).unwrap();
    let commands: Vec<&str> = guide
        .lines()
        .filter(|line| line.starts_with("quintain ") && !line.contains("quintain submit"))
        .collect();
    assert_eq!(commands.len(), 2, "{guide}");
    for line in commands {
        let shell = line.replacen("quintain", env!("CARGO_BIN_EXE_quintain"), 1);
        let done = std::process::Command::new("sh").args(["-c", &shell]).current_dir(&kit).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    }
    // Eve hands it in by page, with a word to herself; Bob by command.
    let file = kit.join("my-bot/bot.py");
    let source = fs::read_to_string(&file).unwrap();
    let begin = source.find("def choose(").unwrap();
    let end = begin + source[begin..].find(":\n").unwrap() + 2;
    let line = "    __import__('sys').stderr.write('up we go\\n')\n";
    fs::write(&file, format!("{}{line}{}", &source[..end], &source[end..])).unwrap();
    browser.go(&format!("http://{}/sign-in?token={eve}", server.address));
    browser.click("main button");
    browser.until("return location.pathname === '/me'");
    browser.choose("#file", &file);
    browser.click("form[action='/me/submit'] button");
    // The result of the check is shown without reloading the page, once that of the upload is there.
    browser.until("return document.querySelector('#versions')?.textContent.includes('Version 1')");
    browser.script("window.isTheSamePage = true");
    let passed = "return document.querySelector('#versions').textContent.includes('1: passed')
                  && document.querySelector('#standing form') !== null && window.isTheSamePage";
    browser.until(passed);
    let to = format!("http://{}", server.address);
    let submit = ["submit", "--to", &to, "--token", &bob, "my-bot"];
    assert!(command(&kit, &submit).output().unwrap().status.success());
    browser.go(&format!("http://{}/", server.address));
    browser.until(
        "const rows = [...document.querySelectorAll('#ladder tbody tr')];
         const rated = (name) => rows.some((row) =>
             row.textContent.includes(name) && row.cells[4].textContent.includes('to'));
         return rated('eve v1 (you)') && rated('bob');",
    );
    // Her page: matches by opponent, her program's output, a challenge.
    browser.click("header a[href='/me']");
    browser.until("return document.querySelectorAll('#opponents tbody tr').length > 0");
    browser.click("form[action='/me/challenge'] button");
    browser.until("return location.pathname === '/me'");
    server.until("her challenge is played", |_| {
        let sql = "SELECT count(*) FROM matches WHERE kind = 'challenge' AND record IS NOT NULL";
        contest.database().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 1
    });
    // The last of them: the host keeps the output in the last matches, and goes on playing.
    let latest = "SELECT s.match FROM said AS s JOIN versions AS v ON v.id = s.version
                  JOIN participants AS p ON p.id = v.participant
                  WHERE p.name = 'eve' AND s.text LIKE '%up we go%'
                  ORDER BY s.match DESC LIMIT 1";
    let latest: i64 = contest.database().query_row(latest, [], |row| row.get(0)).unwrap();
    browser.go(&format!("http://{}/me/matches/{latest}", server.address));
    browser.until("return document.querySelector('pre')?.textContent.includes('up we go')");

    browser.click("main a[href^='/matches/']");
    browser.until("return document.querySelector('canvas') !== null");
    assert!(!browser.text("return document.body.textContent").contains("up we go"));
    assert_eq!(browser.complaints(), "");
}

/// Returns the kits that a contest offers: their files at /kits.
fn kits_of(server: &Server) -> Vec<String> {
    let page = server.get("/kits").body;
    let files = page.split("href=\"/kits/").skip(1).filter_map(|rest| rest.split('"').next());
    files.map(str::to_owned).collect()
}

#[test]
fn every_kit_that_is_offered_can_be_handed_in_as_it_was_downloaded() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    // Two are checked at a time, and nothing else is done meanwhile.
    contest.edit(&[("# threads = 1", "threads = 2")]);
    contest.host("pause", &[]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let page = server.get("/kits").body;
    let left_out = page.split("id=\"no-kits\"").nth(1).unwrap();
    assert!(left_out.contains("java: ") && left_out.contains("socket_pairs"), "{page}");
    assert!(left_out.contains("a module is handed in built"), "{page}");
    assert_eq!(server.get("/kits/java.zip").status, 404);
    let kits = kits_of(&server);
    assert!(kits.len() >= 3, "{kits:?}");
    let bytes_of = |kit: &String| server.bytes(&format!("/kits/{kit}"));
    let kits: Vec<(String, Vec<u8>)> =
        kits.into_iter().map(|kit| (kit.clone(), bytes_of(&kit))).collect();
    for (kit, bytes) in &kits {
        assert_eq!(server.hand_in(&ada, "", bytes).status, 201, "{kit}");
    }
    for (kit, bytes) in kits {
        let folder = contest.at().join(&kit);
        fs::create_dir(&folder).unwrap();
        unzip(&bytes, &folder);
        let inside = folder.join(format!("tron-{}", kit.trim_end_matches(".zip")));
        assert!(inside.join("CONTEST.md").is_file() && inside.join("my-bot/README.md").is_file());
        if kit == "sh.zip" {
            quintain(&inside, &["match", "tron", "bot:my-bot", "random"]);
        }
        let checked = server.hand_in_and_wait(&ada, &bytes);
        assert_eq!(checked["stage"], "passed", "{kit}: {checked}");
        if kit == "python.zip" {
            // The folder alone is the same program.
            let by_command = contest.submit(&server, &ada, &format!("{kit}/tron-python/my-bot"));
            let said = String::from_utf8_lossy(&by_command.stdout).into_owned();
            assert!(said.starts_with(&format!("version {},", checked["version"])), "{said}");
        }
    }
    assert_eq!(server.get("/kits/..%2Fhost.toml").status, 404);
}

#[test]
fn a_folder_is_handed_in_as_a_browser_sends_it() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
    let source = fs::read_to_string(contest.at().join("walker/bot.py")).unwrap();
    let part = |name: &str, text: &str| {
        format!(
            "--edge\r\ncontent-disposition: form-data; name=\"folder\"; filename=\"{name}\"\r\n\r\n\
             {text}\r\n"
        )
    };
    let kind = ("content-type", "multipart/form-data; boundary=edge");
    let origin = format!("http://{}", server.address);
    let send = |parts: &[String]| {
        let body = format!("{}--edge--\r\n", parts.concat());
        let headers = [kind, ("origin", origin.as_str()), ("cookie", cookie.as_str())];
        server.ask("POST", "/me/submit", &headers, body.as_bytes())
    };
    let files =
        [part("mine/bot.py", &source), part("mine/.git/config", "x"), part("mine/a/b", "y")];
    let taken = send(&files);
    assert_eq!(taken.status, 303, "{}", taken.body);
    server.until("it is on the ladder", |server| server.get("/").body.contains(">ada<"));
    let refused = send(&[part("mine/../../bot.py", &source)]);
    assert_eq!(refused.status, 422);
    // A page for people, with the contest's menu and the way back.
    assert!(refused.body.contains("id=\"onward\" href=\"/me\">my page<"), "{}", refused.body);
}

#[test]
fn whoever_is_lost_stays_in_the_contest() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    for path in ["/nowhere", "/organiser", "/matches", "/matches/00", "/play", "/kits/x.zip"] {
        let page = server.get(path).body;
        assert!(page.contains("href=\"/me\"") && page.contains("href=\"/kits\""), "{path}: {page}");
        assert!(!page.contains("href=\"/play\"") && !page.contains("allow-play"), "{path}: {page}");
    }
    let onward = |page: &str| {
        let rest = page.split("id=\"onward\" href=\"").nth(1).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    assert_eq!(onward(&server.get("/organiser").body), "/sign-in");
    assert_eq!(onward(&server.get("/nowhere").body), "/");
    assert_eq!(onward(&server.form("/sign-in", "", "token=guess").body), "/sign-in");
    // The menu depends on who is signed in.
    assert!(server.get("/").body.contains("href=\"/sign-in\""));
    let cookie = server.sign_in(&ada);
    let front = server.ask("GET", "/", &[("cookie", &cookie)], &[]).body;
    assert!(!front.contains("href=\"/sign-in\"") && front.contains("href=\"/me\""), "{front}");
    // From the ladder to any participant's matches.
    server.until("there are matches", |server| server.count_played() > 2);
    let page = server.get("/").body;
    let link = page.split("href=\"/participants/").nth(1).unwrap().split('"').next().unwrap();
    let matches = server.get(&format!("/participants/{link}"));
    assert!(matches.status == 200 && matches.body.contains("href=\"/matches/"), "{}", matches.body);
    assert_eq!(server.get("/participants/999").status, 404);
}
