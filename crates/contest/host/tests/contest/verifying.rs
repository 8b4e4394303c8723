//! The exported page of a final, on which anybody verifies it: without a server, from a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quintain_final::{FinalDocument, VERIFIER_MARK, Verification};
use quintain_host::{ExportOptions, admin, export};

use crate::setup::{Contest, WALKER, walker_beginning};
use crate::webdriver::Browser;

const OPEN: &str = "name = \"open\"\nsubmissions = true\nladder = true";
const WITH_FINAL: &str = "name = \"practice\"\nsubmissions = true\nladder = true\n\
                          [[phases]]\nname = \"final\"\nfinal = 2\n";
const TARGET: &str = "wasm32-unknown-unknown";
/// Matches of the final: four programs meet twice in each of two rounds.
const MATCHES: usize = 24;

/// Plays a final in which ada and bob take part, and exports it with this module.
fn export_final(module: &[u8]) -> Option<(Contest, PathBuf)> {
    let contest = Contest::new()?;
    contest.edit(&[(OPEN, WITH_FINAL)]);
    let [ada, bob] = ["Ada", "Bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    server.enter(&ada, WALKER);
    server.enter(&bob, &walker_beginning("pass"));
    contest.choose_phase("final", true).unwrap();
    server.until("the final is over", |server| server.get("/final").body.contains("id=\"seed\""));
    let show = server.get("/show").body;
    assert!(show.contains("the final is over") && show.contains("class=\"place-1\""), "{show}");
    // The house takes no place in the knockout and on the podium; who has won is said once.
    let knockout = show.split("id=\"knockout\"").nth(1).unwrap_or_default();
    let (knockout, podium) = knockout.split_once("id=\"podium\"").unwrap_or_default();
    assert!(knockout.contains("Last duel"), "{show}");
    assert_eq!(show.matches("Winner").count(), 1, "{show}");
    assert!(podium.contains("Winner") && podium.contains("class=\"place-2\""), "{show}");
    assert!(!podium.contains("class=\"place-3\""), "only two take part: {show}");
    for house in ["wall-hugger", "random"] {
        let end = podium.find("</ol>").unwrap();
        assert!(!knockout.contains(house) && !podium[..end].contains(house), "{show}");
    }
    let page = server.get_as(&server.sign_in(&contest.organiser), "/organiser").body;
    assert!(page.contains("id=\"not-verified\"") && page.contains("scripts/verifier"), "{page}");
    drop(server);
    // Without the module, the site and whoever exports it hear that it lacks the page.
    let without = contest.at().join("without");
    let options = ExportOptions { matches: 1, is_anonymous: false };
    let remark = export(&contest.cup(), &without, &contest.catalog, options).unwrap().remark;
    let remark = remark.unwrap();
    let command = format!("scripts/verifier {}", contest.cup().join("verifier.wasm").display());
    assert!(remark.contains("no verify.html") && remark.contains(&command), "{remark}");
    assert_eq!(remark.lines().count(), 1);
    assert!(!without.join("verify.html").exists());
    let page = fs::read_to_string(without.join("final.html")).unwrap();
    assert!(page.contains("id=\"not-verified\"") && !page.contains("verify.html"), "{page}");
    let file = contest.cup().join("verifier.wasm");
    // What is no module, and one of another version.
    for other in [&b"garbage"[..], b"\0asm\x01\0\0\0"] {
        fs::write(&file, other).unwrap();
        let to = contest.at().join("other");
        let refused = export(&contest.cup(), &to, &contest.catalog, options).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("is not the verifier of this version"), "{refused}");
        assert!(refused.contains(&command) && refused.lines().count() == 1, "{refused}");
        assert!(!to.exists());
    }
    fs::write(&file, module).unwrap();
    let with = contest.at().join("with");
    assert_eq!(export(&contest.cup(), &with, &contest.catalog, options).unwrap().remark, None);
    let site = contest.export("site", 1, false);
    assert!(!fs::read_to_string(site.join("final.html")).unwrap().contains("not-verified"));
    assert!(fs::read_to_string(site.join("final.html")).unwrap().contains("verify.html"));
    assert!(!contest.export("anonymous", 1, true).join("verify.html").exists());
    Some((contest, site.join("verify.html")))
}

/// Returns the text of a hidden element of the page.
fn text_of(page: &str, id: &str) -> String {
    let rest = page.split(&format!("<pre id=\"{id}\" hidden>")).nth(1).unwrap();
    rest.split("</pre>").next().unwrap().replace("&lt;", "<").replace("&amp;", "&")
}

/// Returns the text of each cell of the body of a table of the page.
fn cells_of(page: &str, id: &str) -> Vec<Vec<String>> {
    let table = page.split(&format!("<table id=\"{id}\">")).nth(1).unwrap();
    let body = table.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    let cells = |row: &str| {
        let cells =
            row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap().to_owned());
        cells.collect()
    };
    body.split("<tr>").skip(1).map(cells).collect()
}

#[test]
fn an_exported_final_is_verified_from_its_page_alone() {
    let Some((contest, page)) = export_final(format!("\0asm{VERIFIER_MARK}").as_bytes()) else {
        return;
    };
    let page = fs::read_to_string(page).unwrap();
    let document: FinalDocument = serde_json::from_str(&text_of(&page, "final")).unwrap();
    let ada = document.players.iter().find(|player| player.label == "Ada v1").unwrap();
    assert!(ada.digest.is_some() && ada.player.starts_with("bot:"), "{ada:?}");
    let ada_digest = ada.digest.clone().unwrap();
    assert!(page.contains(&ada_digest), "the page shows it");
    let mut verification = Verification::begin(contest.catalog.clone(), document).unwrap();
    let records = text_of(&page, "records");
    for (place, record) in records.lines().enumerate() {
        verification.check(place, record).unwrap();
    }
    let verdict = verification.finish().unwrap();
    assert_eq!((verdict.matches, verdict.ranks), (MATCHES, 4));
    // What is proved is the player of the records; the rest is said to be the host's word.
    let shown = &verdict.shown;
    let row = shown.standings.iter().find(|row| row[4] == "Ada v1").unwrap();
    assert!(
        row[2] == "bot:Ada.1"
            && shown.programs.contains(&vec![
                "bot:Ada.1".to_owned(),
                "Ada v1".to_owned(),
                ada_digest
            ])
    );
    assert!(page.contains("is only the host’s word"), "{page}");
    // What is seen is what is compared.
    assert_eq!(cells_of(&page, "standings"), verdict.shown.standings);
    assert_eq!(cells_of(&page, "programs"), verdict.shown.programs);
    assert!(page.contains(&format!("<code id=\"commitment\">{}<", verdict.shown.commitment)));
}

#[test]
fn a_contest_is_not_exported_if_a_record_was_changed() {
    let Some(contest) = Contest::new() else { return };
    let server = contest.serve();
    server.until("the house plays", |server| server.count_played() > 3);
    contest.pause(true);
    server.until("those under way have ended", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NULL") == 0
    });
    drop(server);
    // One turn of one match, in the records alone.
    let store = rusqlite::Connection::open(contest.cup().join("matches.sqlite")).unwrap();
    let (record, json): (i64, String) = store
        .query_row("SELECT record, json FROM records ORDER BY record LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let at = json.find("\"actions\":\"").unwrap() + "\"actions\":\"".len();
    let mut changed = json.clone().into_bytes();
    changed[at] = if changed[at] == b'U' { b'D' } else { b'U' };
    let write = |json: &str| {
        let change = "UPDATE records SET json = ?2 WHERE record = ?1";
        store.execute(change, rusqlite::params![record, json]).unwrap();
    };
    write(&String::from_utf8(changed).unwrap());
    let to = contest.at().join("site");
    for is_anonymous in [false, true] {
        let options = ExportOptions { matches: 1, is_anonymous };
        let refused = export(&contest.cup(), &to, &contest.catalog, options).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.starts_with("nothing is exported, since the records"), "{refused}");
        assert!(refused.contains("match 1, record ") && refused.lines().count() == 1, "{refused}");
        assert!(!to.exists());
    }
    // What counts for nothing keeps nobody from the rest.
    admin::strike(&contest.cup(), &contest.catalog, &["1".to_owned()], Some("damaged")).unwrap();
    contest.export("site", 1, false);
    admin::strike(&contest.cup(), &contest.catalog, &["1".to_owned()], None).unwrap();
    write(&json);
    contest.export("again", 1, false);
}

/// Builds the module quickly; none where that cannot be done.
fn build_module() -> Option<Vec<u8>> {
    let mut rustc = Command::new("rustc");
    let found = rustc.args(["--print", "target-libdir", "--target", TARGET]).output().ok()?.stdout;
    if !Path::new(String::from_utf8(found).unwrap().trim()).is_dir() {
        eprintln!("skipped: Rust's standard library for {TARGET} is not installed");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verifier");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["rustc", "--locked", "--package", "quintain-verifier", "--lib"]);
    cargo.args(["--crate-type", "cdylib", "--target", TARGET, "--quiet", "--target-dir"]);
    cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    let output = cargo.arg(&target).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(fs::read(target.join(TARGET).join("debug/quintain_verifier.wasm")).unwrap())
}

/// Presses the button of a page that is opened from disk; returns the verdict.
fn verify(browser: &mut Browser, page: &Path) -> String {
    browser.go(&format!("file://{}", page.display()));
    browser.until("return document.getElementById('verify').disabled === false");
    browser.click("#verify");
    browser.until(
        "return ['verified', 'fault'].includes(document.getElementById('verdict').className)",
    );
    browser.text("return document.getElementById('verdict').textContent")
}

#[test]
#[ignore = "nightly: it compiles all games for WebAssembly"]
fn a_browser_verifies_a_final_from_disk_and_refuses_it_after_one_byte_was_changed() {
    let Some(mut browser) = Browser::open() else { return };
    let Some(module) = build_module() else { return };
    let Some((_contest, page)) = export_final(&module) else { return };
    let verdict = verify(&mut browser, &page);
    assert!(verdict.starts_with("You have verified 24 matches: "), "{verdict}");
    assert!(verdict.contains("the 4 ranks follow"), "{verdict}");
    let text = fs::read_to_string(&page).unwrap();
    // A cell of the table that everybody sees.
    for (id, change) in [("standings", "<tbody><tr><td>"), ("programs", "<tbody><tr><td>")] {
        let at = text.find(&format!("<table id=\"{id}\">")).unwrap();
        let at = at + text[at..].find(change).unwrap() + change.len();
        fs::write(&page, format!("{}9{}", &text[..at], &text[at..])).unwrap();
        let verdict = verify(&mut browser, &page);
        let refused =
            format!("This final is not what it says. Line 1 of the table of {id} on this");
        assert!(verdict.starts_with(&refused), "{verdict}");
    }
    let digest = "<code id=\"commitment\">";
    fs::write(&page, text.replace(digest, &format!("{digest}0"))).unwrap();
    let verdict = verify(&mut browser, &page);
    assert!(verdict.contains("shows another digest of the seed"), "{verdict}");
    // What the rules cannot read says nothing about the final.
    fs::write(&page, text.replace("\"rounds\":", "\"round\":")).unwrap();
    let verdict = verify(&mut browser, &page);
    let nothing = "Nothing was verified: the rules in this page do not fit it (";
    assert!(verdict.starts_with(nothing) && verdict.ends_with(")."), "{verdict}");
    let actions = "\"actions\":\"";
    let at = text.match_indices(actions).nth(6).unwrap().0 + actions.len();
    let mut changed = text.clone().into_bytes();
    changed[at] = if changed[at] == b'U' { b'D' } else { b'U' };
    fs::write(&page, changed).unwrap();
    let verdict = verify(&mut browser, &page);
    assert!(verdict.starts_with("This final is not what it says. Match 7 ("), "{verdict}");
    assert!(verdict.contains("was changed after it was written"), "{verdict}");
    assert_eq!(browser.complaints(), "");
}
