//! What the pages are like in one hand: on a narrow screen, with a finger and without keys.

use quintain_arena::Shard;

use crate::served::{Server, play_tournament};
use crate::webdriver::Browser;

const CUP: &str = "name = \"cup\"\ngame = \"tron\"\nscenarios = [\"empty?width=9&height=9\"]\n\
    players = [\"wall-hugger\", \"space\"]\nseeds = 1\n";
const TURN: &str =
    "return document.querySelector('#session .caption').textContent.split(':')[0].trim()";
const DRAWN: &str = "return document.querySelector('#session canvas').toDataURL()";

#[test]
fn games_are_played_on_a_phone() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    play_tournament(folder.path(), CUP, Shard::WHOLE);
    let server = Server::start(folder.path());
    browser.view(390, 844);
    browser.touch(true);
    a_building_is_placed_with_a_finger(&mut browser, &server);
    every_game_is_played_without_keys(&mut browser, &server);
    assert_eq!(browser.complaints(), "");
}

/// Begins a match on a known seed.
fn begin(browser: &mut Browser, server: &Server, game: &str, scenario: &str, opponent: &str) {
    browser.go(&server.at("/play"));
    let wish = serde_json::json!({
        "game": game, "scenario": scenario, "opponent": opponent, "seed": 1, "think": 100,
    });
    let id = browser.text(&format!(
        "const wish = {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},
                         body: JSON.stringify({wish}) }};
         return fetch('/api/play', wish).then((answer) => answer.json()).then(({{ id }}) => id)"
    ));
    browser.go(&server.at(&format!("/play/{game}#match={id}")));
    browser.until("return document.querySelector('#session canvas') !== null");
}

/// Where the point of the board at these shares of its width and height is in the window.
fn point_of_board(browser: &mut Browser, across: f64, down: f64) -> (f64, f64) {
    let place = browser.script(&format!(
        "const box = document.querySelector('#session canvas').getBoundingClientRect();
         return [box.left + box.width * {across}, box.top + box.height * {down}]"
    ));
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

fn a_building_is_placed_with_a_finger(browser: &mut Browser, server: &Server) {
    // A board of 50 × 50 cells, which are 7 pixels wide on a phone.
    begin(browser, server, "pentocity", "g1", "");
    let can_place = "return document.querySelector('.nudge .play').disabled === false";
    let is_zoomed = "return document.querySelector('#session canvas').classList.contains('zoomed')";
    assert_eq!(browser.text(is_zoomed), "false");
    let (x, y) = point_of_board(browser, 0.01, 0.5);
    browser.tap(x, y);
    browser.until(can_place);
    assert_eq!(browser.text(TURN), "turn 0", "the first tap shows what would be built");
    assert_eq!(browser.text(is_zoomed), "true", "and makes cells as large as fingers");
    // Buttons move it by a cell, turn it, and place it.
    for button in [".nudge [aria-label='a cell up']", ".tools button"] {
        let before = browser.text(DRAWN);
        browser.click(button);
        browser.until(&format!(
            "return document.querySelector('#session canvas').toDataURL() !== {before:?}"
        ));
    }
    browser.until(can_place);
    browser.click(".nudge .play");
    browser.until(&format!("{TURN} === 'turn 1'"));
    // The next one is placed by two taps at the same place.
    let (x, y) = point_of_board(browser, 0.04, 0.9);
    browser.tap(x, y);
    browser.until(can_place);
    assert_eq!(browser.text(TURN), "turn 1");
    browser.tap(x, y);
    browser.until(&format!("{TURN} === 'turn 2'"));
    assert_eq!(browser.text(is_zoomed), "true", "two taps do not show the whole board");
    browser.click(".zoom button:last-child");
    assert_eq!(browser.text(is_zoomed), "false");
}

fn every_game_is_played_without_keys(browser: &mut Browser, server: &Server) {
    for (game, scenario, opponent, button) in [
        ("tron", "rooms?width=19&height=15", "space", ".pad button"),
        ("gather", "torus?width=9&height=9&players=3", "salsa", ".pad button"),
        ("hextris", "drawn?size=21", "", ".pad [title^=right]"),
        ("polymer", "random?n=24&width=12&height=12", "", ".pad button"),
        // The third dimension has buttons as well.
        ("polymer", "hp3d?sequence=HHPPHPPHPHPPHPHH&side=6", "", ".tools [data-key]"),
        // This one rejects what is asked for.
        ("pentocity", "stars?side=20", "", ".tools button:nth-of-type(6)"),
    ] {
        begin(browser, server, game, scenario, opponent);
        let words = browser.text("return document.querySelector('#session').innerText");
        for key in ["PgUp", "arrows lay", "arrows or", "(t)", "(x)", "(f)"] {
            assert!(!words.contains(key), "{game} names the key {key}: {words}");
        }
        browser.click(button);
        browser.until(&format!("{TURN} === 'turn 1'"));
        let fits = "return document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.text(fits), "true", "{game}");
    }
}
