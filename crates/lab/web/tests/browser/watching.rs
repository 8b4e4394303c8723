//! The viewer in use: results that are not told too early, zoom, chains in space, forfeits, and
//! what can be taken away.

use std::path::Path;

use quintain_core::{LogContent, LogEntry, Seat};
use quintain_games::catalog;
use quintain_web::Replay;
use quintain_web::standalone::{LIMIT, render_page};
use serde_json::json;

use crate::served::{Server, keep, play_match, write_page};
use crate::webdriver::{Browser, key};

const DRAWN: &str = "return document.querySelector('canvas').toDataURL()";
const TITLE: &str = "return document.querySelector('h1').textContent";
const SPACE: &str = "hp3d?sequence=HHPPHPPHPHPPHPHH&side=6";

/// A name, and what is checked.
type Check = (&'static str, fn(&mut Browser));

#[test]
fn matches_are_watched_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let checks: [Check; 6] = [
        ("the result is told at the end, or on request", the_result_is_told_at_the_end),
        ("a board is looked at in parts", a_board_is_looked_at_in_parts),
        ("a chain in space is turned", a_chain_in_space_is_turned),
        ("a forfeit is marked on the board and its slider", a_forfeit_is_marked),
        ("what a model was asked unfolds, at every turn", what_a_model_was_asked_unfolds),
        ("a match is shown in a page of another server", a_match_is_shown_in_another_page),
    ];
    for (name, check) in checks {
        println!("{name}");
        browser.reset();
        check(&mut browser);
        assert_eq!(browser.complaints(), "", "{name}");
    }
}

/// Opens the page of a match from disk, at a turn.
fn open(
    browser: &mut Browser,
    folder: &Path,
    (game, players, scenario): (&str, &[&str], &str),
    turn: usize,
) {
    let page = format!("{game}.html");
    write_page(folder, &page, &play_match(game, players, scenario, 1));
    browser.go(&format!("file://{}#turn={turn}", folder.join(page).display()));
    browser.until("return document.querySelector('.place') !== null");
}

fn the_result_is_told_at_the_end(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let tron = ("tron", &["wall-hugger", "space"][..], "rooms?width=19&height=15");
    open(browser, folder.path(), tron, 3);
    assert!(browser.text(TITLE).ends_with(": wall-hugger and space"), "{}", browser.text(TITLE));
    // Nor do the chart, the marks on the slider and the list of turning points tell what comes.
    let after = "const shown = [...document.querySelectorAll('.moments i, .turning li')]
             .filter((part) => part.checkVisibility() && Number(part.dataset.turn) > 3);
         const veil = document.querySelector('.chart .veil');
         return `${shown.length} ${Number(veil.getAttribute('width')) > 400}`";
    assert_eq!(browser.text(after), "0 true");
    browser.press(&[key::END]);
    assert!(browser.text(TITLE).contains(" beat "), "{}", browser.text(TITLE));
    assert!(browser.text(after).ends_with("false") && browser.text(after) != "0 false");
    browser.press(&[key::HOME]);
    assert!(!browser.text(TITLE).contains(" beat "));
    browser.click(".tell");
    assert!(browser.text(TITLE).contains(" beat "), "who asks is told");
    browser.click(".tell");
    // The words beside the board end with the turn that is shown.
    browser.press(&[key::RIGHT, key::RIGHT]);
    let told = "return [...document.querySelectorAll('.story li:not([hidden]) .at')].map((at) => \
                at.textContent).join(' ')";
    assert_eq!(browser.text(told), "0 1 2");
    browser.click(".story li:nth-child(2) button");
    assert_eq!(browser.text(told), "0 1");
}

fn a_board_is_looked_at_in_parts(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    open(browser, folder.path(), ("pentocity", &["g1"], "stars?side=20"), 3);
    let is_zoomed = "return document.querySelector('canvas').classList.contains('zoomed')";
    let whole = browser.text(DRAWN);
    let wheel = "const canvas = document.querySelector('canvas');
         const box = canvas.getBoundingClientRect();
         canvas.dispatchEvent(new WheelEvent('wheel', {
             deltaY: -300, clientX: box.left + 50, clientY: box.top + 50, cancelable: true }))";
    browser.script(wheel);
    assert_eq!(browser.text(is_zoomed), "false", "the wheel scrolls the page");
    browser.script("document.querySelector('canvas').focus()");
    browser.script(wheel);
    assert_eq!(browser.text(is_zoomed), "true", "unless the board was chosen");
    let zoomed = browser.text(DRAWN);
    assert_ne!(zoomed, whole);
    let drag = "const canvas = document.querySelector('canvas');
         const { left, top } = canvas.getBoundingClientRect();
         const at = (x, y) => ({ pointerId: 1, button: 0, clientX: left + x, clientY: top + y });
         canvas.dispatchEvent(new PointerEvent('pointerdown', at(200, 200)));
         canvas.dispatchEvent(new PointerEvent('pointermove', at(120, 150)));
         canvas.dispatchEvent(new PointerEvent('pointerup', at(120, 150)))";
    browser.script(drag);
    assert_ne!(browser.text(DRAWN), zoomed, "a drag moves it");
    browser.script("document.querySelector('canvas').dispatchEvent(new MouseEvent('dblclick'))");
    assert_eq!(browser.text(DRAWN), whole, "a double tap shows all");
    browser.press(&["+"]);
    assert_eq!(browser.text(is_zoomed), "true");
    browser.press(&["0"]);
    assert_eq!(browser.text(DRAWN), whole);
}

fn a_chain_in_space_is_turned(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    open(browser, folder.path(), ("polymer", &["greedy"], SPACE), 9);
    let first = browser.text(DRAWN);
    browser.script(
        "const canvas = document.querySelector('canvas');
         const at = (x) => ({ pointerId: 1, button: 0, clientX: x, clientY: 200 });
         canvas.dispatchEvent(new PointerEvent('pointerdown', at(200)));
         canvas.dispatchEvent(new PointerEvent('pointermove', at(290)));
         canvas.dispatchEvent(new PointerEvent('pointerup', at(290)))",
    );
    let turned = browser.text(DRAWN);
    assert_ne!(turned, first);
    // The slices side by side are still there.
    browser.click("[data-space]");
    browser.until("return location.hash.includes('view=slices')");
    assert_ne!(browser.text(DRAWN), turned);
    let shape = "const { width, height } = document.querySelector('canvas'); return width / height";
    assert!(browser.text(shape).parse::<f64>().unwrap() > 3.0);
}

fn a_forfeit_is_marked(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let record = play_match("tron", &["wall-hugger", "space"], "empty?width=9&height=9", 1);
    let game = catalog().game_of(&record).unwrap();
    let mut replay = Replay::of(game.as_ref(), &record).unwrap();
    let long = "x".repeat(400);
    let fault = json!({ "seat": 1, "kind": "crash", "detail": "it ended", "said": [long] });
    replay.outcome.as_mut().unwrap().fault = Some(serde_json::from_value(fault).unwrap());
    let page = folder.path().join("forfeit.html");
    std::fs::write(&page, render_page(replay, LIMIT).unwrap()).unwrap();
    browser.view(1280, 800);
    browser.go(&format!("file://{}#turn=1", page.display()));
    browser.until("return document.querySelector('.moments .forfeit') !== null");
    let banner = "const banner = document.querySelector('.banner');
                  return banner.checkVisibility() ? banner.textContent : ''";
    assert_eq!(browser.text(banner), "");
    browser.press(&[key::END]);
    assert_eq!(browser.text(banner), "B forfeits: crash");
    let wide = "return document.documentElement.scrollWidth <= innerWidth
                    && document.querySelector('pre.fault').scrollWidth <= 360";
    assert_eq!(browser.text(wide), "true", "what it said is wrapped");
}

fn what_a_model_was_asked_unfolds(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let mut record = play_match("tron", &["wall-hugger", "space"], "empty?width=9&height=9", 1);
    let row = "|".to_owned() + &"##. . A ".repeat(20) + "|";
    for turn in 0..2 {
        let rules = "Whoever enters a wall crashes. ".repeat(12);
        let asked = format!("Turn {turn}. This is what you see:\n{row}\n{row}\n\n{rules}");
        let content = LogContent::Exchange { asked, answered: "I go on.\nU".to_owned() };
        record.log.push(LogEntry { turn, seat: Seat::new(0), content });
    }
    for (width, height) in [(1280, 800), (390, 844)] {
        write_page(folder.path(), "asked.html", &record);
        browser.view(width, height);
        browser.go("about:blank");
        browser.go(&format!("file://{}#turn=1", folder.path().join("asked.html").display()));
        browser.until("return document.querySelector('.asked') !== null");
        let said = "return document.querySelector('.players .notes').textContent";
        assert!(browser.text(said).contains("I go on.\nU"), "{}", browser.text(said));
        let shown = "const asked = document.querySelector('.asked pre');
                     return asked.checkVisibility() ? asked.textContent.split('\\n')[0] : ''";
        assert_eq!(browser.text(shown), "");
        browser.click(".asked summary");
        assert_eq!(browser.text(shown), "Turn 0. This is what you see:");
        // A wide board scrolls within its place, words are wrapped, and the page stays as wide as
        // the window.
        let fits = "return document.documentElement.scrollWidth <= innerWidth
                        && document.querySelector('.asked .words').scrollWidth > 900
                        && [...document.querySelectorAll('.asked .prose')].every((prose) =>
                            prose.scrollWidth <= prose.parentElement.clientWidth)";
        assert_eq!(browser.text(fits), "true", "{width}");
        browser.script("document.activeElement.blur()");
        browser.press(&[key::RIGHT]);
        browser.until("return document.querySelector('.place').textContent.startsWith('turn 2')");
        assert_eq!(browser.text(shown), "Turn 1. This is what you see:");
    }
}

fn a_match_is_shown_in_another_page(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let record = play_match("tron", &["wall-hugger", "space"], "empty?width=9&height=9", 1);
    keep(folder.path(), &record);
    let server = Server::start(folder.path());
    let id = &record.id;
    let outer = folder.path().join("outer.html");
    let frame = server.at(&format!("/embed/{id}#turn=2"));
    std::fs::write(&outer, format!("<iframe src=\"{frame}\" width=640 height=560></iframe>"))
        .unwrap();
    // The viewer alone.
    browser.go(&frame);
    browser.until("return document.querySelector('.place')?.textContent.startsWith('turn 2 of')");
    assert_eq!(browser.text("return String(document.querySelector('nav'))"), "null");
    // The page of the match offers the code, and the files.
    browser.go(&server.at(&format!("/matches/{id}#turn=2")));
    browser.until("return document.querySelector('.share') !== null");
    let words = browser.text("return document.querySelector('.share').innerText");
    for word in ["picture", "record", "one-file page", "GIF", "embed"] {
        assert!(words.contains(word), "{word}: {words}");
    }
}

/// Moves the slider and zooms at random.
const RANDOM: &str = "
    const canvas = document.querySelector('canvas[role=img]');
    const slider = document.querySelector('.viewer input[type=range]');
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const box = canvas.getBoundingClientRect();
    const turns = Number(slider.max) + 1;
    for (let move = 0; move < 500; move++) {
        slider.value = Math.floor(random() * turns);
        slider.dispatchEvent(new Event('input'));
        canvas.dispatchEvent(new WheelEvent('wheel', {
            deltaY: (random() - 0.5) * 600, ctrlKey: true, cancelable: true,
            clientX: box.left + random() * box.width, clientY: box.top + random() * box.height }));
        const press = (key) => dispatchEvent(new KeyboardEvent('keydown', { key }));
        if (move % 7 === 0) ['1', '2', '3'].forEach(press);
        if (move % 11 === 0) press('ArrowRight');
    }
    canvas.dispatchEvent(new MouseEvent('dblclick'));
    return document.querySelector('.place').textContent";

#[test]
#[ignore = "nightly: 1500 moves of the slider and as many zooms in each game"]
fn five_hundred_random_moves_and_zooms_leave_every_viewer_sound() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (game, players, scenario) in [
        ("tron", &["wall-hugger", "space"][..], "rooms?width=19&height=15"),
        ("gather", &["salsa"; 3][..], "torus?width=9&height=9&players=3"),
        ("pentocity", &["g1"][..], "stars?side=20"),
        ("hextris", &["greedy"][..], "drawn?size=21"),
        ("polymer", &["greedy"][..], "random?n=24&width=12&height=12"),
        ("polymer", &["greedy"][..], SPACE),
    ] {
        browser.reset();
        open(&mut browser, folder.path(), (game, players, scenario), 1);
        browser.text(RANDOM);
        let (heap, nodes) = browser.memory();
        browser.text(RANDOM);
        let place = browser.text(RANDOM);
        // The first moves keep some positions; the others are over the same turns.
        let (heap_now, nodes_now) = browser.memory();
        let sizes = format!("{heap} bytes and {nodes} nodes, then {heap_now} and {nodes_now}");
        println!("{game} {scenario}: {sizes}");
        assert!(heap_now <= heap + heap / 10 + 500_000, "{game}: {sizes}");
        assert!(nodes_now <= nodes + nodes / 10 + 100, "{game}: {sizes}");
        // However it got there, a turn looks as if the page had been opened at it.
        let drawn = browser.text(DRAWN);
        let turn = place.split(' ').nth(1).unwrap();
        browser.press(&[key::HOME]);
        browser.script(&format!(
            "const slider = document.querySelector('.viewer input[type=range]');
             slider.value = {turn}; slider.dispatchEvent(new Event('input'))"
        ));
        assert_eq!(browser.text(DRAWN), drawn, "{game} {scenario}, {place}");
        assert_eq!(browser.complaints(), "", "{game} {scenario}");
    }
}
