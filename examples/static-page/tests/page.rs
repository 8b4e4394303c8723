//! The page in a real browser, opened from disk: a match against a player of the page, and one
//! against a module that is chosen there. Skipped, saying so, where Chromium or Rust's standard
//! library for WebAssembly is not installed.

#[allow(dead_code, reason = "other tests of pages use the rest")]
#[path = "../../../crates/lab/web/tests/webdriver/mod.rs"]
mod webdriver;

use std::path::{Path, PathBuf};
use std::process::Command;

use webdriver::{Browser, key};

const TARGET: &str = "wasm32-unknown-unknown";

/// The page, with rules compiled quickly; none where that cannot be done.
fn build_page(folder: &Path) -> Option<PathBuf> {
    let mut rustc = Command::new("rustc");
    let said = rustc.args(["--print", "target-libdir", "--target", TARGET]).output().ok()?.stdout;
    if !Path::new(String::from_utf8(said).unwrap().trim()).is_dir() {
        eprintln!("skipped: Rust's standard library for {TARGET} is not installed");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("static-page");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["rustc", "--locked", "--package", "static-page", "--lib"]);
    cargo.args(["--crate-type", "cdylib", "--target", TARGET, "--quiet", "--target-dir"]);
    // Not optimised, they compile in two thirds of the time.
    cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    let output = cargo.arg(&target).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rules = std::fs::read(target.join(TARGET).join("debug/static_page.wasm")).unwrap();
    let page = folder.join("play.html");
    let text = quintain_web::play_page::render_play_page(&static_page::catalog(), &rules);
    std::fs::write(&page, text).unwrap();
    Some(page)
}

/// A module that always answers `4`.
const FOUR: &str = r#"(module
  (memory (export "memory") 1)
  (data (i32.const 64) "4")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64)
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#;

/// A module that reads lines, and answers every turn with `U`.
const READER: &str = include_str!("../../../crates/lab/web/tests/browser/reader.wat");

const IS_OVER: &str = "return document.querySelector('.result')?.hidden === false";
const RESULT: &str = "return document.querySelector('.result').textContent";
const IS_IDLE: &str = "return document.querySelector('canvas').getAttribute('aria-busy') === null";

#[test]
#[ignore = "nightly: it compiles the games for WebAssembly; src/rules.rs has tests without a \
            browser"]
fn matches_are_played_on_a_page_of_one_file() {
    let Some(mut browser) = Browser::open() else { return };
    let place = tempfile::tempdir().unwrap();
    let Some(page) = build_page(place.path()) else { return };
    browser.go(&format!("file://{}", page.display()));

    // By keys against a player of the page: upwards until the wall is met, or the other one has
    // lost.
    browser
        .until("return document.querySelectorAll('#invitation [name=opponent] option').length > 5");
    browser.script(
        "const form = document.getElementById('invitation');
         form.own_scenario.value = 'empty?width=9&height=9';
         form.opponent.value = 'champion'; form.think.value = '200';",
    );
    browser.click("#invitation button");
    browser.until("return document.querySelector('canvas') !== null");
    while browser.script(IS_OVER) != true {
        browser.press(&[key::UP]);
        browser.until(IS_IDLE);
    }
    let result = browser.text(RESULT);
    assert!(result.starts_with("You lost"), "{result}");
    browser.until("return document.querySelector('.result a').href.startsWith('blob:')");

    // Against modules that are chosen on the page: one is called, one reads lines.
    let four = wat::parse_str(FOUR).unwrap();
    meet_module(&mut browser, "connect-four", &place.path().join("four.wasm"), &four);
    while browser.script(IS_OVER) != true {
        browser.press(&["1"]);
        browser.until(IS_IDLE);
    }
    let result = browser.text(RESULT);
    assert!(result.starts_with("You won (four in a line)."), "{result}");
    let reader = wat::parse_str(READER).unwrap();
    meet_module(&mut browser, "tron", &place.path().join("reader.wasm"), &reader);
    browser.press(&[key::UP]);
    browser.until("return document.querySelector('.caption').textContent.startsWith('turn 1:')");
    let said = browser.text("return document.querySelector('.rival .lines').textContent");
    assert_eq!(said, "B reader.wasm has chosen (depth 3).");
    assert_eq!(browser.complaints(), "");
}

/// Begins a match against a module.
fn meet_module(browser: &mut Browser, game: &str, file: &Path, module: &[u8]) {
    std::fs::write(file, module).unwrap();
    browser.script(&format!(
        "document.getElementById('session').replaceChildren();
         const game = document.getElementById('game');
         game.value = '{game}'; game.dispatchEvent(new Event('change'));
         document.getElementById('invitation').opponent.value = 'outside';",
    ));
    browser.click("#invite summary");
    browser.click("#invitation button");
    browser.until("return document.querySelector('.rival') !== null");
    browser.choose(".rival input", file);
    let name = file.file_name().unwrap().to_str().unwrap();
    browser.until(&format!(
        "return document.querySelector('.rival .lines').textContent === '{name} is ready.'"
    ));
}
