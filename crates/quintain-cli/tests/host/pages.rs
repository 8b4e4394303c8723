//! What participants do with a browser.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::contest::{Contest, command, quintain};
use crate::webdriver::Browser;

/// Unpacks what was downloaded.
fn unzip(bytes: &[u8], to: &Path) {
    zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap().extract(to).unwrap();
}

/// Follows a link to a download with what the browser has, and unpacks it.
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
    // What its guide says works at once.
    let kit = contest.at().join("tron-python");
    let guide = fs::read_to_string(kit.join("CONTEST.md")).unwrap();
    let commands: Vec<&str> = guide
        .lines()
        .filter(|line| line.starts_with("quintain ") && !line.contains("ADDRESS"))
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
    browser.until("return document.body.textContent.includes('Version 1')");
    let to = format!("http://{}", server.address);
    let submit = ["submit", "--to", &to, "--token", &bob, "my-bot"];
    assert!(command(&kit, &submit).output().unwrap().status.success());
    browser.go(&format!("http://{}/", server.address));
    browser.until(
        "const rows = [...document.querySelectorAll('#ladder tbody tr')];
         const rated = (name) => rows.some((row) =>
             row.textContent.includes(name) && row.cells[4].textContent.includes('to'));
         return rated('eve (you)') && rated('bob');",
    );
    // Her page: matches by opponent, what her program said, a match that counts for nothing.
    browser.click("header a[href='/me']");
    browser.until("return document.querySelectorAll('#opponents tbody tr').length > 0");
    browser.click("form[action='/me/challenge'] button");
    browser.until("return location.pathname === '/me'");
    server.until("her challenge is played", |_| {
        let sql = "SELECT count(*) FROM matches WHERE kind = 'challenge' AND record IS NOT NULL";
        contest.database().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() == 1
    });
    let latest = "SELECT match FROM said WHERE text LIKE '%up we go%' LIMIT 1";
    let latest: i64 = contest.database().query_row(latest, [], |row| row.get(0)).unwrap();
    browser.go(&format!("http://{}/me/matches/{latest}", server.address));
    browser.until("return document.querySelector('pre').textContent.includes('up we go')");
    browser.click("main a[href^='/matches/']");
    browser.until("return document.querySelector('canvas') !== null");
    assert!(!browser.text("return document.body.textContent").contains("up we go"));
    assert_eq!(browser.complaints(), "");
}

#[test]
fn every_kit_has_a_program_a_list_and_a_guide() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let server = contest.serve();
    let page = server.get("/kits").body;
    let kits: Vec<&str> =
        page.split("/kits/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(kits.len() >= 6, "{kits:?}");
    for kit in kits {
        let folder = contest.at().join(kit);
        fs::create_dir(&folder).unwrap();
        unzip(&server.bytes(&format!("/kits/{kit}")), &folder);
        let inside = folder.join(format!("tron-{}", kit.trim_end_matches(".zip")));
        assert!(inside.join("CONTEST.md").is_file() && inside.join("my-bot/README.md").is_file());
        if kit == "sh.zip" {
            quintain(&inside, &["match", "tron", "bot:my-bot", "random"]);
        }
    }
    assert_eq!(server.get("/kits/..%2Fhost.toml").status, 404);
}
