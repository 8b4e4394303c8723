//! A visitor's own WebAssembly module in the play page and beside a replay.

use std::path::{Path, PathBuf};

use quintain_arena::Shard;

use crate::served::{Server, play_tournament};
use crate::webdriver::Browser;

/// Returns a module with this `decide`, which answers with the byte at 64.
fn called(decide: &str) -> String {
    format!(
        r#"(module
  (memory (export "memory") 1)
  (data (i32.const 64) "U")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64)
    {decide}
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#
    )
}

const ENDLESS: &str = "(loop $again (br $again))";

/// Takes pages until no more are given, and traps if these are not the 4096 of 256 MB.
const GREEDY: &str = "(loop $more
    (br_if $more (i32.ne (memory.grow (i32.const 64)) (i32.const -1))))
  (if (i32.ne (memory.size) (i32.const 4033)) (then (unreachable)))";

/// A module that reads lines, and answers `turn` with the digit at which its clock has arrived.
const READER: &str = include_str!("reader.wat");

/// Writes a module, and returns its file.
fn module(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, wat::parse_str(text).unwrap_or_else(|error| panic!("{name}: {error}")))
        .unwrap();
    file
}

const SAID: &str = "return document.querySelector('.own .lines').textContent";
/// The scroll position of the page does not matter.
const GO_UP: &str = "document.querySelector('.pad button').click()";
const CAPTION: &str = "return document.querySelector('.caption').textContent";

impl Browser {
    /// Begins a match of tron on a small board.
    fn begin_match(&mut self, server: &Server) {
        self.go(&server.at("/play/tron"));
        self.script(
            "const form = document.getElementById('invitation');
             form.own_scenario.value = 'empty?width=9&height=9';
             form.opponent.value = 'random'; form.think.value = '100';",
        );
        self.click("#invitation button");
        self.until("return document.querySelector('.own') !== null");
        self.click(".own summary");
    }

    /// Chooses a module and asks it; returns what the page then shows.
    fn ask_module(&mut self, file: &Path) -> String {
        self.choose(".own input", file);
        let name = file.file_name().unwrap().to_str().unwrap();
        self.until(&format!(
            "return document.querySelector('.own .lines').textContent.startsWith({name:?})"
        ));
        let is_refused = "return document.querySelector('.own .ask').disabled";
        if self.script(is_refused) == serde_json::Value::Bool(false) {
            self.click(".own .ask");
            self.until(
                "return !/ (is ready\\.|thinks …)$/.test(document.querySelector('.own \
                 .lines').textContent)",
            );
        }
        self.text(SAID)
    }
}

#[test]
fn a_visitors_module_advises_and_plays_in_pages() {
    let Some(mut browser) = Browser::open() else { return };
    for check in [
        a_module_advises_and_plays_in_the_page_and_harms_nobody,
        a_module_is_the_opponent_in_the_page,
        a_module_says_beside_a_replay_what_it_would_have_done,
    ] {
        browser.reset();
        check(&mut browser);
    }
}

fn a_module_advises_and_plays_in_the_page_and_harms_nobody(browser: &mut Browser) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    play_tournament(folder, CUP, Shard::WHOLE);
    let server = Server::start(folder);
    browser.begin_match(&server);

    // A module that never answers is ended; the page says so and continues with the next.
    let endless = module(folder, "endless.wasm", &called(ENDLESS));
    let late = "endless.wasm took longer than 1.1 s to answer, and was stopped";
    assert_eq!(browser.ask_module(&endless), late);
    let begins_endlessly = "(module (func $f (loop $again (br $again))) (start $f)
        (func (export \"decide\")))";
    let stuck = module(folder, "stuck.wasm", begins_endlessly);
    let late = "stuck.wasm took longer than 10 s to begin, and was stopped";
    assert_eq!(browser.ask_module(&stuck), late);
    for (name, text, said) in [
        ("good.wasm", called(""), "good.wasm: U"),
        ("greedy.wasm", called(GREEDY), "greedy.wasm: U"),
        ("reader.wasm", READER.to_owned(), "reader.wasm: U (depth 3)"),
        ("trap.wasm", called("unreachable"), "trap.wasm: unreachable"),
        (
            "deep.wasm",
            called("(call 1 (i32.const 0) (i32.const 0)) drop"),
            "deep.wasm: its calls were too deep: no stack was left",
        ),
        (
            "large.wasm",
            "(module (memory 5000))".to_owned(),
            "large.wasm: it needs 312 MB of memory to start; the limit is 256 MB",
        ),
        ("none.wasm", "(module)".to_owned(), "none.wasm: it exports neither `decide` nor `_start`"),
    ] {
        let file = module(folder, name, &text);
        assert_eq!(browser.ask_module(&file), said);
    }
    let file = folder.join("text.wasm");
    std::fs::write(&file, "U").unwrap();
    assert_eq!(browser.ask_module(&file), "text.wasm: it is not a WebAssembly module");

    // Advice is not a move.
    assert!(browser.text(CAPTION).starts_with("turn 0"));
    let good = folder.join("good.wasm");
    assert_eq!(browser.ask_module(&good), "good.wasm: U");
    browser.click(".own .let");
    browser.until("return document.querySelector('.result').hidden === false");
    let result = browser.text("return document.querySelector('.result').textContent");
    assert!(result.contains("It is not kept in the store"), "{result}");
    // A rematch has the module again.
    browser.click(".result button");
    browser.until("return document.querySelector('.result').hidden");
    browser.until("return document.querySelector('.own .let').disabled === false");
    assert_eq!(browser.complaints(), "");
}

/// A tournament of two matches.
const CUP: &str = "game = \"tron\"\nscenarios = [\"empty?width=9&height=9\"]\n\
                   players = [\"space\", \"random\"]\nseeds = 1\n";

fn a_module_is_the_opponent_in_the_page(browser: &mut Browser) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    play_tournament(folder, CUP, Shard::WHOLE);
    let server = Server::start(folder);
    browser.go(&server.at("/play/tron"));
    browser.script(
        "const form = document.getElementById('invitation');
         form.own_scenario.value = 'empty?width=9&height=9';
         form.opponent.value = 'outside'; form.think.value = '100';",
    );
    browser.click("#invitation button");
    browser.until("return document.querySelector('.rival') !== null");
    browser.script(GO_UP);
    browser.until("return document.querySelector('.said').textContent !== ''");
    let said = browser.text("return document.querySelector('.said').textContent");
    assert_eq!(said, "Your opponent has not moved.");
    let lines = "return document.querySelector('.rival .lines').textContent";
    let trap = module(folder, "trap.wasm", &called("unreachable"));
    browser.choose(".rival input", &trap);
    browser.until("return document.querySelector('.rival .lines').textContent.includes('ready')");
    browser.script(GO_UP);
    browser.until("return document.querySelector('.rival .lines').textContent.includes('again')");
    let said = browser.text(lines);
    assert!(said.starts_with("trap.wasm: unreachable. Repeat your move"), "{said}");
    assert!(browser.text(CAPTION).starts_with("turn 0"), "nothing was played");
    let good = module(folder, "good.wasm", &called(""));
    browser.choose(".rival input", &good);
    browser.until("return document.querySelector('.rival .lines').textContent.startsWith('good')");
    // Both go up until they meet the wall.
    while browser.script("return document.querySelector('.result').hidden") == true {
        browser.script(GO_UP);
        browser.until("return document.querySelector('canvas').getAttribute('aria-busy') === null");
    }
    let result = browser.text("return document.querySelector('.result').textContent");
    assert!(result.contains("It is not kept in the store"), "{result}");
    assert_eq!(browser.complaints(), "");
}

fn a_module_says_beside_a_replay_what_it_would_have_done(browser: &mut Browser) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    play_tournament(folder, CUP, Shard::WHOLE);
    let server = Server::start(folder);
    browser.go(&server.at("/matches"));
    browser.until("return document.querySelector('a[href^=\"/matches/\"]') !== null");
    let record = browser.text(
        "return [...document.querySelectorAll('a[href^=\"/matches/\"]')]
            .map((link) => link.getAttribute('href')).find((link) => \
            /^.matches.[0-9a-f]+/.test(link))",
    );
    let record = record.split('#').next().unwrap().to_owned();
    browser.go(&server.at(&format!("{record}#turn=2")));
    browser.until("return document.querySelector('.own') !== null");
    browser.click(".own summary");
    // One whose function is called, and one that reads lines.
    for (name, text, with) in
        [("good.wasm", called(""), ""), ("reader.wasm", READER.to_owned(), " (depth 3)")]
    {
        let file = module(folder, name, &text);
        browser.choose(".own input", &file);
        browser.until(&format!(
            "return document.querySelector('.own .lines').textContent === '{name} is ready.'"
        ));
        browser.click(".own .ask");
        browser
            .until("return document.querySelector('.own .lines').textContent.startsWith('turn 2')");
        let said = browser.text(SAID);
        assert!(said.starts_with(&format!("turn 2: {name} at A: U{with}")), "{said}");
        assert!(said.ends_with(", as in the match") || said.contains("; in the match: "), "{said}");
    }
    // On every turn that is shown, and for the other seat.
    browser.click(".own input[type=checkbox]");
    browser.click("[title^=\"One turn forward\"]");
    browser.until("return document.querySelector('.own .lines').textContent.startsWith('turn 3')");
    browser.script(
        "const seat = document.querySelector('.own select');
         seat.value = '1'; seat.dispatchEvent(new Event('change'));",
    );
    browser.until("return document.querySelector('.own .lines').textContent.includes(' at B: U')");
    assert_eq!(browser.complaints(), "");
}
