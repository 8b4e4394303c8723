//! The exported page of a final, on which anybody verifies it: without a server, from a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quintain_final::{FinalDocument, Verification};

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
    // The house takes no place in the knockout, and nobody takes the podium for it.
    let knockout = show.split("id=\"knockout\"").nth(1).unwrap_or_default();
    let (knockout, podium) = knockout.split_once("id=\"knockout-winner\"").unwrap_or_default();
    assert!(knockout.contains("Last duel") && !knockout.contains("wall-hugger"), "{show}");
    assert!(
        podium.starts_with(">Winner of the knockout: ") && podium.contains("Ranks of the final")
    );
    drop(server);
    let without = contest.export("without", 1, false);
    assert!(!without.join("verify.html").exists());
    assert!(!fs::read_to_string(without.join("final.html")).unwrap().contains("verify.html"));
    fs::write(contest.cup().join("verifier.wasm"), module).unwrap();
    let site = contest.export("site", 1, false);
    assert!(fs::read_to_string(site.join("final.html")).unwrap().contains("verify.html"));
    assert!(!contest.export("anonymous", 1, true).join("verify.html").exists());
    Some((contest, site.join("verify.html")))
}

/// Returns the text of a hidden element of the page.
fn text_of(page: &str, id: &str) -> String {
    let rest = page.split(&format!("<pre id=\"{id}\" hidden>")).nth(1).unwrap();
    rest.split("</pre>").next().unwrap().replace("&lt;", "<").replace("&amp;", "&")
}

#[test]
fn an_exported_final_is_verified_from_its_page_alone() {
    let Some((contest, page)) = export_final(b"module") else { return };
    let page = fs::read_to_string(page).unwrap();
    let document: FinalDocument = serde_json::from_str(&text_of(&page, "final")).unwrap();
    let ada = document.players.iter().find(|player| player.label == "Ada v1").unwrap();
    assert!(ada.digest.is_some() && ada.player.starts_with("bot:"), "{ada:?}");
    assert!(page.contains(ada.digest.as_ref().unwrap()), "the page shows it");
    let mut verification = Verification::begin(contest.catalog.clone(), document).unwrap();
    let records = text_of(&page, "records");
    for (place, record) in records.lines().enumerate() {
        verification.check(place, record).unwrap();
    }
    let verdict = verification.finish().unwrap();
    assert_eq!((verdict.matches, verdict.ranks), (MATCHES, 4));
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
    assert!(verdict.starts_with("You have verified 12 matches: "), "{verdict}");
    assert!(verdict.contains("the 3 ranks follow"), "{verdict}");
    let text = fs::read_to_string(&page).unwrap();
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
