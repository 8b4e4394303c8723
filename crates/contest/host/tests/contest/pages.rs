//! What participants do in a browser.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::setup::{Contest, WALKER, replace, unzip};
use crate::webdriver::Browser;

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
fn a_participant_goes_from_the_starter_kit_to_the_ladder_in_a_browser() {
    let Some(contest) = Contest::new() else { return };
    let Some(mut browser) = Browser::open() else { return };
    let [eve, bob] = ["eve", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    browser.go(&format!("http://{}/", server.address));
    browser.click("header a[href='/kits']");
    browser.until("return document.querySelectorAll('#kits a').length >= 1");
    download(&mut browser, "#kits a[href='/kits/python.zip']", contest.at());
    // Eve changes the kit and submits it by page; Bob submits his.
    let file = contest.at().join("tron-python/my-bot/bot.py");
    server.enter(&bob, &fs::read_to_string(&file).unwrap());
    let line = "actions, match):\n    sys.stderr.write('up we go\\n')\n";
    fs::write(&file, replace(WALKER, "actions, match):\n", line)).unwrap();
    browser.go(&format!("http://{}/sign-in?token={eve}", server.address));
    browser.click("main button");
    browser.until("return location.pathname === '/me'");
    browser.choose("#file", &file);
    browser.click("form[action='/me/submit'] button");
    // The result of the check is shown without reloading the page, once that of the upload is
    // there.
    browser.until("return document.querySelector('#versions')?.textContent.includes('Version 1')");
    browser.script("window.isTheSamePage = true");
    let passed = "return document.querySelector('#versions').textContent.includes('1: passed')
                  && document.querySelector('#how-it-does form') !== null && window.isTheSamePage";
    browser.until(passed);
    browser.go(&format!("http://{}/", server.address));
    browser.until(
        "const rows = [...document.querySelectorAll('#ladder tbody tr')];
         const rated = (name) => rows.some((row) => row.textContent.includes(name)
             && [...row.cells].some((cell) => / to /.test(cell.textContent)));
         return rated('eve v1 (you)') && rated('bob');",
    );
    // Her page: matches by opponent, her program's output, a challenge.
    browser.click("header a[href='/me']");
    browser.until("return document.querySelectorAll('#opponents tbody tr').length > 0");
    browser.click("form[action='/me/challenge'] button");
    browser.until("return location.pathname === '/me'");
    server.until("her challenge is played", |_| {
        let sql = "SELECT count(*) FROM matches WHERE kind = 'challenge' AND record IS NOT NULL";
        contest.one(sql) == 1
    });
    // The last of them: the host keeps the output in the last matches, and goes on playing.
    let latest = contest.one(
        "SELECT s.match FROM said AS s JOIN versions AS v ON v.id = s.version
         JOIN participants AS p ON p.id = v.participant
         WHERE p.name = 'eve' AND s.text LIKE '%up we go%'
         ORDER BY s.match DESC LIMIT 1",
    );
    browser.go(&format!("http://{}/me/matches/{latest}", server.address));
    browser.until("return document.querySelector('pre')?.textContent.includes('up we go')");
    browser.click("main a[href^='/matches/']");
    browser.until("return document.querySelector('canvas') !== null");
    assert!(!browser.text("return document.body.textContent").contains("up we go"));
    assert_eq!(browser.complaints(), "");
}

#[test]
fn kits_that_can_be_built_here_are_offered_and_can_be_handed_in_as_downloaded() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let page = server.get("/kits").body;
    let left_out = page.split("id=\"no-kits\"").nth(1).unwrap();
    assert!(left_out.contains("java: ") && left_out.contains("socket_pairs"), "{page}");
    assert!(left_out.contains("a module is submitted built"), "{page}");
    assert_eq!(server.get("/kits/java.zip").status, 404);
    assert_eq!(server.get("/kits/..%2Fhost.toml").status, 404);
    assert!(page.contains("href=\"/kits/python.zip\""), "{page}");
    let kit = server.bytes("/kits/python.zip");
    unzip(&kit, contest.at());
    let inside = contest.at().join("tron-python");
    let guide = fs::read_to_string(inside.join("CONTEST.md")).unwrap();
    let own = format!("quintain submit --to http://{} --token TOKEN my-bot\n", server.address);
    assert!(guide.contains("quintain match \"tron:empty?") && guide.contains(&own), "{guide}");
    assert!(inside.join("my-bot/README.md").is_file());
    let checked = server.hand_in_and_wait(&ada, &kit);
    assert_eq!(checked["stage"], "passed", "{checked}");
    // The folder alone is the same program.
    let alone = server.submit(&ada, &inside.join("my-bot")).unwrap();
    assert_eq!(checked["version"], alone.version);
}

#[test]
fn a_folder_is_handed_in_as_a_browser_sends_it() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    let cookie = server.sign_in(&ada);
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
    let files = [part("mine/bot.py", WALKER), part("mine/.git/config", "x"), part("mine/a/b", "y")];
    let taken = send(&files);
    assert_eq!(taken.status, 303, "{}", taken.body);
    server.until("it is on the ladder", |server| server.get("/").body.contains(">ada<"));
    let refused = send(&[part("mine/../../bot.py", WALKER)]);
    assert_eq!(refused.status, 422);
    // A page for people, with the contest's menu and the way back.
    assert!(refused.body.contains("id=\"onward\" href=\"/me\">my page<"), "{}", refused.body);
}

#[test]
fn pages_of_errors_lead_back_into_the_contest() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    for path in ["/nowhere", "/organiser", "/matches", "/matches/00", "/play", "/kits/x.zip"] {
        let page = server.get(path).body;
        assert!(
            page.contains("href=\"/sign-in\"") && page.contains("href=\"/kits\""),
            "{path}: {page}"
        );
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
    let front = server.get_as(&server.sign_in(&ada), "/").body;
    assert!(!front.contains("href=\"/sign-in\"") && front.contains("href=\"/me\""), "{front}");
    // From the ladder to any participant's matches.
    server.until("there are matches", |server| server.count_played() > 2);
    let show = server.get("/show").body;
    assert!(show.contains("data-replay=\"/api/matches/") && show.contains("show.js"), "{show}");
    // A match of a contest has a number, and no seed in its title.
    let record = show.split("/api/matches/").nth(1).unwrap().split('/').next().unwrap();
    let title = server.get(&format!("/matches/{record}")).body;
    let title = title.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert!(title.starts_with("Tron on empty 7×7, match "), "{title}");
    let latest = server.get("/matches").body;
    assert!(
        latest.contains("Tron on empty 7×7, match ") && !latest.contains(", seed "),
        "{latest}"
    );
    let page = server.get("/").body;
    let link = page.split("href=\"/participants/").nth(1).unwrap().split('"').next().unwrap();
    let matches = server.get(&format!("/participants/{link}"));
    assert!(matches.status == 200 && matches.body.contains("href=\"/matches/"), "{}", matches.body);
    assert_eq!(server.get("/participants/999").status, 404);
}

#[test]
fn on_a_phone_all_columns_and_all_pages_fit_the_screen() {
    let Some(contest) = Contest::new() else { return };
    let Some(mut browser) = Browser::open() else { return };
    contest.edit(&[("matches = 1000", "matches = 20")]);
    let ada = contest.invite("Wolfeschlegelsteinhausenbergerdorff Maximiliana");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.until("she plays", |server| server.count_played() >= 20);
    browser.view(390, 844);
    let go = |browser: &mut Browser, path: &str| {
        browser.go(&format!("http://{}{path}", server.address));
        browser.until("return document.readyState === 'complete'");
        let beyond = "const right = document.documentElement.clientWidth;
                      const wide = [...document.body.querySelectorAll('*')].filter((part) =>
                          part.closest('.wide') === null
                          && part.getBoundingClientRect().right > right + 1);
                      return wide.map((part) => part.outerHTML.slice(0, 90)).join('; ')";
        assert_eq!(browser.text(beyond), "", "{path}");
    };
    for path in ["/", "/show", "/final", "/rules", "/kits", "/matches", "/lessons", "/sign-in"] {
        go(&mut browser, path);
    }
    // What is missing there stands elsewhere in its row, or on the page of the participant.
    go(&mut browser, "/");
    let shown = "const shown = [...document.querySelectorAll('#ladder thead th')]
                     .filter((head) => head.offsetWidth > 0);
                 return shown.map((head) => head.textContent).join(', ')
                     + (shown.every((head) => head.getBoundingClientRect().right <= 390)
                         ? '' : ' beyond');";
    assert_eq!(browser.text(shown), "rank, participant, rating, 95 % interval, matches, faults");
    go(&mut browser, &format!("/sign-in?token={ada}"));
    browser.click("main button");
    browser.until("return location.pathname === '/me'");
    go(&mut browser, "/me");
    let tables = "return [...document.querySelectorAll('main table')].every((table) =>
                      table.closest('.wide') !== null
                      || table.getBoundingClientRect().right <= 390)";
    assert_eq!(browser.text(tables), "true");
}

#[test]
fn the_page_for_the_projector_fits_the_screen_and_goes_on_by_itself() {
    let Some(contest) = Contest::new() else { return };
    let Some(mut browser) = Browser::open() else { return };
    let open = "submissions = true\nladder = true";
    let with_final = format!("{open}\n[[phases]]\nname = \"final\"\nfinal = 1");
    contest.edit(&[(open, &with_final)]);
    let names = ["Wolfeschlegelsteinhausenbergerdorff Maximiliana", "Bo", "Cy", "Di", "Ed", "Flo"];
    let server = contest.serve();
    for (at, name) in names.iter().enumerate() {
        server.enter(&contest.invite(name), &format!("{WALKER}\n# {at}\n"));
    }
    server.until("all play", |server| server.count_played() >= 20);
    let fits = "document.getAnimations().forEach((motion) => motion.finish());
                const page = document.documentElement;
                const beyond = [...document.querySelectorAll('#show *')].filter((part) => {
                    const box = part.getBoundingClientRect();
                    return box.bottom > innerHeight + 1 || box.right > innerWidth + 1;
                });
                return page.scrollHeight <= innerHeight && beyond.length === 0 ? 'fits'
                    : page.scrollHeight + beyond.map((part) => part.outerHTML).join('; ')";
    for (width, height) in [(1280, 800), (1920, 1080)] {
        browser.view(width, height);
        browser.go(&format!("http://{}/show", server.address));
        browser.until("return document.querySelector('#show-board canvas') !== null");
        browser.until("return document.querySelector('.show-players .points') !== null");
        assert_eq!(browser.text(fits), "fits", "{width}×{height}");
        assert_eq!(browser.text("return document.getElementById('full-screen').type"), "button");
    }
    contest.choose_phase("final", true).unwrap();
    server.until("the final is over", |server| server.get("/final").body.contains("id=\"seed\""));
    browser.go(&format!("http://{}/show", server.address));
    browser.until("return document.getElementById('podium') !== null");
    for (width, height) in [(1280, 800), (1920, 1080)] {
        browser.view(width, height);
        assert_eq!(browser.text(fits), "fits", "{width}×{height}");
    }
    let podium = browser.text("return document.getElementById('podium').textContent");
    assert!(!podium.contains("random") && !podium.contains("wall-hugger"), "{podium}");
    assert_eq!(browser.complaints(), "");
}

#[test]
fn nothing_in_the_field_for_a_token_looks_like_one() {
    let Some(contest) = Contest::new() else { return };
    let page = contest.serve().get("/sign-in").body;
    let field = page.split("<input id=\"token\"").nth(1).unwrap().split('>').next().unwrap();
    assert!(!field.contains("placeholder") && field.contains("value=\"\""), "{field}");
}
