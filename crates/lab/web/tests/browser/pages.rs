//! What the pages show, and what they do with clicks and keys.

use std::path::Path;

use quintain_arena::{Shard, Tournament};

use crate::served::{Server, keep, open_store, play_match, play_tournament, write_page};
use crate::webdriver::{Browser, key};

/// A tournament of 6 matches a seed.
fn cup(seeds: u32) -> String {
    format!(
        "name = \"cup\"\ngame = \"tron\"\nscenarios = [\"empty?width=9&height=9\"]\n\
         players = [\"wall-hugger\", \"space\", \"random\"]\nseeds = {seeds}\n"
    )
}

/// Plays the tournament.
fn tournament(folder: &Path, seeds: u32) {
    play_tournament(folder, &cup(seeds), Shard::WHOLE);
}

const PLACE: &str = "return document.querySelector('.place').textContent";
const DRAWN: &str = "return document.querySelector('canvas').toDataURL()";

/// A name, and what is checked.
type Check = (&'static str, fn(&mut Browser));

/// Everything that is checked in one browser, since starting one takes longer than most checks.
const CHECKS: [Check; 13] = [
    (
        "standings are sorted and a match is opened scrubbed and shared",
        standings_are_sorted_and_a_match_is_opened_scrubbed_and_shared,
    ),
    ("a page from disk plays the match", a_page_from_disk_plays_the_match),
    (
        "an open page follows a tournament of another process",
        an_open_page_follows_a_tournament_of_another_process,
    ),
    (
        "the page of a running tournament plays its newest matches",
        the_page_of_a_running_tournament_plays_its_newest_matches,
    ),
    (
        "a chart shows turning points and names its axes",
        a_chart_shows_turning_points_and_names_its_axes,
    ),
    ("a phone shows the leaders of tournaments at once", a_phone_shows_the_latest_results_at_once),
    (
        "a match of tron is played to its end with keys",
        a_match_of_tron_is_played_to_its_end_with_keys,
    ),
    (
        "a match goes on after the server has restarted",
        a_match_goes_on_after_the_server_has_restarted,
    ),
    (
        "a click plays the cell under it and a match can be given up",
        a_click_plays_the_cell_under_it_and_a_match_can_be_given_up,
    ),
    ("a turn looks the same after steps and jumps", a_turn_looks_the_same_after_steps_and_jumps),
    (
        "an analysis lists mistakes and outlines what would have been better",
        an_analysis_lists_mistakes_and_outlines_what_would_have_been_better,
    ),
    ("views of games are complete", views_of_games_are_complete),
    ("board and buttons fit on one screen", board_and_buttons_fit_on_one_screen),
];

#[test]
fn pages_work_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    for (name, check) in CHECKS {
        println!("{name}");
        browser.reset();
        check(&mut browser);
    }
}

#[test]
#[ignore = "nightly: every view at both sizes; the ordinary check takes them in turn"]
fn every_view_is_complete_at_every_size() {
    let Some(mut browser) = Browser::open() else { return };
    check_views(&mut browser, &|_| &SIZES);
}

fn standings_are_sorted_and_a_match_is_opened_scrubbed_and_shared(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 3);
    let server = Server::start(folder.path());

    browser.go(&server.at("/"));
    browser.click("main table a");
    browser.until("return document.querySelectorAll('#standings-table tbody tr').length === 3");
    let ranks = "return [...document.querySelectorAll('#standings-table tbody tr')]
        .map((row) => row.cells[0].textContent).join(' ')";
    assert_eq!(browser.text(ranks), "1 2 3");
    browser.click("#standings-table thead th button");
    browser.click("#standings-table thead th button");
    assert_eq!(browser.text(ranks), "3 2 1");
    let sorted = "return document.querySelector('#standings-table th').getAttribute('aria-sort')";
    assert_eq!(browser.text(sorted), "descending");

    browser.click(".tabs a[href$='/matches']");
    browser.until("return document.querySelectorAll('#matches tbody tr').length > 0");
    browser.script("document.querySelector('[name=order]').value = 'longest'");
    browser.click(".search button");
    browser.until("return location.search.includes('order=longest')");
    browser.click("#matches tbody a");
    browser.until("return document.querySelector('canvas') !== null");
    // It plays by itself until the user takes over.
    browser.until("return !document.querySelector('.place').textContent.startsWith('turn 0 of')");
    let title = browser.text("return document.querySelector('h1').textContent");
    assert!(title.starts_with("Tron, empty 9×9, seed "), "{title}");
    browser.press(&[key::HOME]);
    assert!(browser.text(PLACE).starts_with("turn 0 of"));
    let ending = "return document.querySelector('.ending').checkVisibility()";
    assert_eq!(browser.text(ending), "false", "the result is told at the end");

    // Keys step, the slider scrubs, a click on an overlay draws something else.
    browser.press(&[key::RIGHT, key::RIGHT]);
    assert!(browser.text(PLACE).starts_with("turn 2 of"));
    browser.press(&[key::HOME]);
    browser.script(
        "const slider = document.querySelector('.viewer input[type=range]');
         slider.value = 3; slider.dispatchEvent(new Event('input'))",
    );
    assert!(browser.text(PLACE).starts_with("turn 3 of"));
    let before = browser.text(DRAWN);
    browser.click("[data-overlay=territory]");
    assert_ne!(browser.text(DRAWN), before);
    browser.until("return location.hash === '#turn=3&show=territory'");
    let label = "return document.querySelector('canvas').getAttribute('aria-label')";
    assert!(browser.text(label).starts_with("The board after turn 3 of"));

    // The permalink leads back to the turn and the overlay.
    let link = browser.text("return location.href");
    browser.go(&server.at("/"));
    browser.go(&link);
    browser.until("return document.querySelector('.place')?.textContent.startsWith('turn 3 of')");
    let pressed = "return document.querySelector('[data-overlay]').getAttribute('aria-pressed')";
    assert_eq!(browser.text(pressed), "true");
    assert_eq!(browser.complaints(), "");
}

fn a_page_from_disk_plays_the_match(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let record = play_match("tron", &["wall-hugger", "space"], "empty?width=9&height=9", 1);
    let size = write_page(folder.path(), "m.html", &record);
    assert!(size < 300_000, "{size} bytes");
    browser.go(&format!("file://{}#turn=2", folder.path().join("m.html").display()));
    browser.until("return document.querySelector('.place')?.textContent.startsWith('turn 2 of')");
    browser.press(&[key::END]);
    let last = browser.text(PLACE);
    let (turn, of) = last.trim_start_matches("turn ").split_once(" of ").unwrap();
    assert_eq!(turn, of);
    browser.press(&[" "]);
    browser.until("return Number(document.querySelector('input[type=range]').value) > 0");
    let loaded = "return performance.getEntriesByType('resource').length";
    assert_eq!(browser.text(loaded), "0", "it loads nothing");
    // On a narrow page nothing is wider than the page.
    browser.resize(360, 700);
    browser.until("return document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(browser.complaints(), "");
}

fn an_open_page_follows_a_tournament_of_another_process(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let tournament = Tournament::parse(&cup(4), "cup.toml", &quintain_games::catalog()).unwrap();
    open_store(folder.path()).enter(&tournament.store_entry()).unwrap();
    let server = Server::start(folder.path());
    browser.go(&server.at("/tournaments/1"));
    browser.until("return document.querySelector('#live').textContent.includes('0 of 24')");
    browser.script("window.isTheSamePage = true");
    play_tournament(folder.path(), &cup(4), Shard::WHOLE);
    browser.until("return document.querySelector('#live').textContent.includes('24 of 24')");
    browser.until("return document.querySelectorAll('#standings-table tbody tr').length === 3");
    assert_eq!(browser.text("return String(window.isTheSamePage)"), "true");
    // Rows that were added later can be sorted like the earlier ones.
    browser.click("#standings-table thead th:nth-child(2) button");
    assert_eq!(browser.complaints(), "");
}

fn the_page_of_a_running_tournament_plays_its_newest_matches(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let play = |share: &str| {
        play_tournament(folder.path(), &cup(40), share.parse().unwrap());
    };
    play("1/40");
    let server = Server::start(folder.path());
    browser.go(&server.at("/tournaments/1"));
    let boards = "const boards = [...document.querySelectorAll('.live-boards canvas')]";
    browser.until(&format!("{boards}; return boards.length === 4"));
    let are_over = format!(
        "{boards}; return boards.length === 4 && boards.every(({{ dataset }}) => {{
             const [turn, last] = (dataset.turn ?? '0 of 1').split(' of ');
             return turn === last;
         }})"
    );
    browser.until(&are_over);
    let shown = "return [...document.querySelectorAll('.live-boards .card')].map((card) => \
        card.href).join()";
    let before = browser.text(shown);
    play("2/40");
    browser.until(&format!("{} !== {before:?}", shown.replace("; ", " ")));
    browser.until(&are_over);
    assert_eq!(browser.text("return document.querySelectorAll('.live-boards img').length"), "0");
    // When all are played, only pictures are left.
    play_tournament(folder.path(), &cup(40), Shard::WHOLE);
    browser.until("return document.querySelector('#live').textContent.includes('240 of 240')");
    browser.until("return document.querySelector('.live-boards') === null");
    let shown = browser.text("return document.querySelectorAll('#notable + .pictures img').length");
    assert!(["1", "2", "3"].contains(&shown.as_str()), "{shown}");
    assert_eq!(browser.complaints(), "");
}

fn a_chart_shows_turning_points_and_names_its_axes(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let mut open = |game: &str, players: &[&str], scenario: &str, seed: u64| {
        let page = format!("{game}.html");
        write_page(folder.path(), &page, &play_match(game, players, scenario, seed));
        browser.go(&format!("file://{}#turn=0", folder.path().join(page).display()));
        browser.until("return document.querySelector('.chart .plot') !== null");
        // At the first turn nothing is told of the others, unless somebody asks.
        let tell = "const tell = document.querySelector('.tell');
                    if (tell.getAttribute('aria-pressed') !== WANTED) tell.click()";
        browser.script(&tell.replace("WANTED", "'true'"));
        let axis = browser
            .text("return document.querySelector('.axis-y').innerText.split(/\\s+/).join(' ')");
        let points = browser.text(
            "return [...document.querySelectorAll('.turning button')].map((point) => \
             point.textContent).join('; ')",
        );
        browser.script("document.querySelector('.turning li:last-child button').click()");
        browser.script(&tell.replace("WANTED", "'false'"));
        (axis, points, browser.text(PLACE))
    };
    let (axis, points, place) =
        open("tron", &["wall-hugger", "space"], "rooms?width=19&height=15", 1);
    assert_eq!(axis, "100 % 0");
    assert_eq!(points, "turn 33: B takes the lead; turn 46: A was cut off");
    assert!(points.contains(place.split(" of ").next().unwrap()), "{points}: {place}");
    let (axis, points, _) = open("gather", &["salsa"; 3], "torus?width=9&height=9&players=3", 1);
    assert_eq!(axis, "3 units 1");
    assert_eq!(points, "turn 12: A, C up by 1; turn 28: B up by 2; turn 28: C up by 1");
    // A dead end at the end leaves room for what came before it.
    let (axis, points, place) = open("polymer", &["random"], "random?n=24&width=12&height=12", 10);
    assert_eq!(axis, "0 score -4");
    assert_eq!(points, "turn 20: down by 32");
    assert_eq!(place, "turn 20 of 20");
    // The chart has the theme's colours, as the page has: nothing inverts them.
    let filter = "document.documentElement.dataset.theme = 'dark';
                  return getComputedStyle(document.querySelector('.chart svg')).filter";
    assert_eq!(browser.text(filter), "none");
    assert_eq!(browser.complaints(), "");
}

fn a_phone_shows_the_latest_results_at_once(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 2);
    let server = Server::start(folder.path());
    browser.view(390, 844);
    browser.go(&server.at("/"));
    browser.until("return document.querySelector('.results') !== null");
    assert_in_reach(browser, ".results li", "home");
    let wide = browser.text("return document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(wide, "true", "home is wider than the page");
}

fn a_match_of_tron_is_played_to_its_end_with_keys(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 1);
    let server = Server::start(folder.path());
    browser.go(&server.at("/play/tron"));
    browser.script(
        "const form = document.getElementById('invitation');
         form.own_scenario.value = 'empty?width=9&height=9';
         form.opponent.value = 'space';
         form.elements.name.value = '<script>alert(1)</script>';",
    );
    browser.click("#invitation button");
    browser.until("return document.querySelector('canvas') !== null");
    // Reloading a page shows the same match.
    browser.script("location.reload()");
    browser.until("return document.querySelector('canvas') !== null");
    let over = "return document.querySelector('.result')?.hidden === false";
    for _ in 0..30 {
        let turn = browser.text("return document.querySelector('.caption').textContent");
        browser.press(&[key::UP]);
        browser.until(&format!(
            "return document.querySelector('.caption').textContent !== {turn:?}
             || document.querySelector('.result').hidden === false"
        ));
        if browser.script(over) == serde_json::Value::Bool(true) {
            break;
        }
    }
    browser.until(over);
    browser.click(".result a");
    browser.until("return document.querySelector('.players') !== null");
    let names = browser.text("return document.querySelector('.players').textContent");
    assert!(names.contains("human:<script>alert(1)</script>"), "{names}");
    let id = browser.text("return location.pathname.split('/').pop()");
    let record = open_store(folder.path()).find(&id).unwrap().unwrap();
    assert!(record.json.contains("human:<script>"), "the match is kept: {}", record.json);
    assert_eq!(browser.complaints(), "");
}

fn a_match_goes_on_after_the_server_has_restarted(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 1);
    let server = Server::start(folder.path());
    browser.go(&server.at("/play/gather"));
    browser.script(
        "const form = document.getElementById('invitation');
         form.own_scenario.value = 'torus?width=9&height=9&players=3';
         form.opponent.value = 'salsa'; form.think.value = '100'",
    );
    browser.click("#invitation button");
    let turn = |turn: u32| {
        format!(
            "return document.querySelector('#session .caption')?.textContent.startsWith('turn \
             {turn}:')"
        )
    };
    browser.until(&turn(0));
    browser.press(&[key::UP]);
    browser.until(&turn(1));
    browser.press(&[key::RIGHT]);
    browser.until(&turn(2));
    let drawn = "return document.querySelector('#session canvas').toDataURL()";
    let before = browser.text(drawn);
    let server = server.restart(folder.path());
    // The page that was open continues, and so does one that is reloaded.
    browser.press(&[key::RIGHT]);
    browser.until(&turn(3));
    let next = browser.text(drawn);
    assert_ne!(next, before);
    let server = server.restart(folder.path());
    browser.script("document.querySelector('#session').dataset.isOld = 1; location.reload()");
    browser.until("return document.querySelector('#session:not([data-is-old]) canvas') !== null");
    browser.until(&turn(3));
    assert_eq!(browser.text(drawn), next);
    drop(server);
    assert_eq!(browser.complaints(), "");
}

fn a_click_plays_the_cell_under_it_and_a_match_can_be_given_up(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 1);
    let server = Server::start(folder.path());
    browser.go(&server.at("/play/pentocity"));
    browser.script("document.getElementById('invitation').own_scenario.value = 'stars?side=20'");
    browser.click("#invitation button");
    browser.until("return document.querySelector('#session canvas') !== null");
    // The pointer asks about one place, and then another one is clicked.
    browser.script(
        "window.asked = [];
         window.answered = 0;
         const plain = window.fetch;
         window.fetch = (address, options) => {
           window.asked.push([String(address).split('/').pop(), JSON.parse(options?.body ?? \
           'null')]);
           return plain(address, options).then((answer) => {
             answer.clone().text().then(() => setTimeout(() => { window.answered += 1; }));
             return answer;
           });
         };
         const canvas = document.querySelector('#session canvas');
         const box = canvas.getBoundingClientRect();
         window.at = (share) => ({ clientX: box.left + box.width * share, clientY: box.top + \
         box.height * 0.07 });
         canvas.dispatchEvent(new PointerEvent('pointermove', at(0.3)));
         canvas.dispatchEvent(new MouseEvent('click', at(0.6)));",
    );
    // Where nothing can hover, a click shows, and one more builds. On a busy machine it may be that
    // more than one only shows; no click is made while an answer is waited for.
    browser.until(
        "const caption = document.querySelector('#session .caption').textContent;
         if (caption.startsWith('turn 1')) return true;
         const is_idle = window.answered >= 2 && window.answered === window.asked.length;
         if (is_idle && !window.asked.some(([what]) => what === 'move')) {
           document.querySelector('#session canvas').dispatchEvent(new MouseEvent('click', \
           window.at(0.6)));
         }
         return false",
    );
    let asked = browser.script("return window.asked");
    let of = |what: &str| -> Vec<&serde_json::Value> {
        let all = asked.as_array().unwrap().iter();
        all.filter(|one| one[0] == what).map(|one| &one[1]).collect()
    };
    let (points, moves) = (of("point"), of("move"));
    let [before, clicked] = [points[0], points[1]].map(|point| point["column"].as_u64().unwrap());
    assert!(before + 3 < clicked, "{asked}");
    let [action] = moves.as_slice() else { panic!("one move: {asked}") };
    // The action names the building's corner, the pointer its middle.
    let corner = action["action"].as_str().unwrap().rsplit(',').next().unwrap().parse::<u64>();
    assert!(corner.unwrap().abs_diff(clicked) <= 2, "{asked}");
    // It takes a second press: nothing of the match is kept.
    browser.click(".tools button:nth-last-of-type(1)");
    browser.until(
        "return document.querySelector('#session .said:not(:empty)').textContent
         .includes('Press again to give up')",
    );
    browser.click(".tools button:nth-last-of-type(1)");
    browser.until("return document.querySelector('#session .result').checkVisibility()");
    // The board and the score stay.
    let said = browser.text("return document.querySelector('#session .result').innerText");
    assert!(said.starts_with("You gave up on turn 1 with a score of"), "{said}");
    let is_shown = "return document.querySelector('#session canvas').checkVisibility()";
    assert_eq!(browser.text(is_shown), "true");
    assert_eq!(browser.text("return location.hash"), "");
    // The server knows of its end: the next match ends nothing once more.
    browser.click("#session .result button");
    browser.until("return location.hash.startsWith('#match=')");
    assert_eq!(browser.complaints(), "");
}

fn a_turn_looks_the_same_after_steps_and_jumps(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    write_page(folder.path(), "m.html", &play_match("pentocity", &["g1"], "stars", 1));
    browser.go(&format!("file://{}", folder.path().join("m.html").display()));
    browser.until("return document.querySelector('canvas') !== null");
    // Jumps back and forth end where steps do: the drawing does not depend on the way.
    browser.press(&[key::END]);
    let end = browser.text(DRAWN);
    browser.press(&[key::HOME]);
    assert_ne!(browser.text(DRAWN), end);
    browser.script(
        "const slider = document.querySelector('input[type=range]');
         for (let turn = 0; turn <= Number(slider.max); turn++) {
           slider.value = turn; slider.dispatchEvent(new Event('input'));
         }",
    );
    assert_eq!(browser.text(DRAWN), end);
    assert_eq!(browser.complaints(), "");
}

fn an_analysis_lists_mistakes_and_outlines_what_would_have_been_better(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "random?n=24&width=12&height=12";
    keep(folder.path(), &play_match("polymer", &["greedy"], scenario, 1));
    let server = Server::start(folder.path());
    browser.view(1280, 800);
    browser.go(&server.at("/matches"));
    browser.until("return document.querySelector('#matches tbody a') !== null");
    browser.click("#matches tbody a");
    browser.until("return document.querySelector('.analysis button') !== null");
    // While the match is played, what stands beside the board moves.
    browser.until("return !document.querySelector('.controls').textContent.includes('pause')");
    browser.click(".analysis button");
    browser.until(
        "return document.querySelector('.analysis-state').textContent.includes('every turn')",
    );
    // The list tells of no turn after the one that is shown.
    browser.click("[title^='First turn']");
    let listed = "return [...document.querySelectorAll('.mistakes li')].filter((mistake) =>
         mistake.checkVisibility()).length";
    assert_eq!(browser.text(&format!("{listed}.toString()")), "0");
    browser.click(".to-come button");
    browser.until(&format!("{listed} === 1"));
    browser.click(".mistakes li:not([hidden]) button");
    browser.until(
        "return document.querySelector('.best').textContent.includes('outlined on the board')",
    );
    let shown = browser.text("return document.querySelector('.chart select').value");
    assert_eq!(shown, "final score if champion plays on");
    // A mistake is practised from the turn on which it was made.
    let turn = browser.text(
        "const link = document.querySelector('.mistakes li:not([hidden]) a');
         return new URLSearchParams(link.hash.slice(1)).get('turn')",
    );
    browser.click(".mistakes li:not([hidden]) a");
    browser.until(&format!(
        "return document.querySelector('#session .caption')?.textContent.startsWith('turn {turn}:')"
    ));
    // What was played is told, and what would have been better on request.
    let task = browser.text("return document.querySelector('.practice p').textContent");
    let told = format!("On turn {}, greedy lays ", turn.parse::<u32>().unwrap() + 1);
    assert!(task.starts_with(&told) && task.ends_with(". Find better."), "{task}");
    browser.click(".practice button:nth-of-type(2)");
    browser.until(
        "return document.querySelector('.said.gain')?.textContent.startsWith('champion lays ')",
    );
    assert_eq!(browser.complaints(), "");
}

/// A game's view: how a match of it is played, what the legend says with every overlay, and the
/// panels beside the board.
struct GameView {
    game: &'static str,
    players: &'static [&'static str],
    scenario: &'static str,
    title: &'static str,
    legend: &'static [&'static str],
    panels: &'static [&'static str],
}

const VIEWS: [GameView; 5] = [
    GameView {
        game: "tron",
        players: &["wall-hugger", "space"],
        scenario: "rooms?width=19&height=15",
        title: "Tron, rooms 19×15, seed 1: ",
        legend: &[
            "wall",
            "crashed here",
            "A gets here first",
            "B gets here first",
            "several get here at once",
            "the way a player came",
        ],
        panels: &[],
    },
    GameView {
        game: "gather",
        players: &["salsa"; 3],
        scenario: "torus?width=9&height=9&players=3",
        title: "Gather, torus 9×9, seed 1: ",
        legend: &[
            "trail of unit a alone",
            "player A, who began with unit a",
            "players meet and pool what they hold",
            "somebody with units new to A",
            "trail of a unit that B lacks",
            "the way a player came",
        ],
        panels: &["who holds which units", "players who hold a unit", "meeting now"],
    },
    GameView {
        game: "pentocity",
        players: &["g1"],
        scenario: "stars?side=20",
        title: "Pentocity, stars, side 20, seed 1: ",
        legend: &[
            "residence",
            "factory",
            "road",
            "water",
            "park",
            "2 or 4: bonus points of this building",
            "last building and what was laid with it",
            "needs no road laid",
            "the request would touch most",
        ],
        panels: &["asked for", "score by part"],
    },
    GameView {
        game: "hextris",
        players: &["greedy"],
        scenario: "drawn?size=21",
        title: "Hextris, drawn, size 21, seed 1: ",
        legend: &[
            "full",
            "the unit",
            "its pivot",
            "where it falls to",
            "a phrase is spoken",
            "the best place to lock in",
        ],
        panels: &["next units", "spoken", "score by part"],
    },
    GameView {
        game: "polymer",
        players: &["greedy"],
        scenario: "random?n=24&width=12&height=12",
        title: "Polymer, random 12×12, n 24, seed 1: ",
        legend: &[
            "positive charge",
            "negative charge",
            "chain",
            "contact for the better",
            "head of the chain",
            "laid first",
            "beyond the edge: the other side again",
        ],
        panels: &["next", "a step earns", "contacts"],
    },
];

/// A laptop and a phone.
static SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];

/// Whether anything that a selector finds is hidden, empty or outside the page's first screen; if
/// so, it is named.
const OUT_OF_REACH: &str = "return [...document.querySelectorAll(SELECTOR)]
    .map((found) => [found, found.getBoundingClientRect()])
    .filter(([, box]) => box.width < 1 || box.height < 1 || box.top < 0 || box.left < 0
        || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
    .map(([found]) => found.outerHTML.slice(0, 80)).join(' ')";

fn assert_in_reach(browser: &mut Browser, selector: &str, at: &str) {
    let found = browser.text(&format!("return document.querySelectorAll({selector:?}).length"));
    assert_ne!(found, "0", "{at}: there is no {selector}");
    let out = browser.text(&OUT_OF_REACH.replace("SELECTOR", &format!("{selector:?}")));
    assert_eq!(out, "", "{at}: {selector} is out of reach");
}

fn views_of_games_are_complete(browser: &mut Browser) {
    check_views(browser, &|view| &SIZES[view % 2..=view % 2]);
}

/// Checks that the view of each game has its title, legend, panels and controls, at these sizes.
fn check_views(browser: &mut Browser, sizes: &dyn Fn(usize) -> &'static [(u32, u32)]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, view) in VIEWS.iter().enumerate() {
        let record = play_match(view.game, view.players, view.scenario, 1);
        write_page(folder.path(), "m.html", &record);
        for &(width, height) in sizes(number) {
            let at = format!("{} at {width}×{height}", view.game);
            browser.view(width, height);
            // A different address each time, since a page that is already open is not reloaded.
            let page = folder.path().join("m.html").display().to_string();
            browser.go(&format!("file://{page}?{}-{width}#turn=3", view.game));
            browser.until("return document.querySelector('.place') !== null");
            let title = browser.text("return document.querySelector('h1').textContent");
            assert!(title.starts_with(view.title), "{at}: {title}");
            for chip in 0..browser
                .text("return document.querySelectorAll('[data-overlay]').length")
                .parse()
                .unwrap()
            {
                browser.script(&format!(
                    "document.querySelectorAll('[data-overlay]')[{chip}].click()"
                ));
            }
            let legend = browser.text(
                "return [...document.querySelectorAll('.legend li')].map((line) => \
                 line.textContent).join('|')",
            );
            let lines: Vec<&str> = legend.split('|').collect();
            for wanted in view.legend {
                assert!(lines.contains(wanted), "{at}: the legend has no “{wanted}”: {legend}");
            }
            let panels = browser.text(
                "return [...document.querySelectorAll('.panel h2')].map((title) => \
                 title.textContent).join('|')",
            );
            assert_eq!(panels, view.panels.join("|"), "{at}");
            assert_in_reach(browser, "canvas[role=img]", &at);
            assert_in_reach(browser, ".controls button, .controls select", &at);
            // On a phone there is no room for the switches of overlays above the fold.
            if width > 1000
                && browser.text("return document.querySelectorAll('[data-overlay]').length") != "0"
            {
                assert_in_reach(browser, "[data-overlay]", &at);
            }
            assert_in_reach(browser, "input[type=range]", &at);
            let wide = browser.text("return document.documentElement.scrollWidth <= innerWidth");
            assert_eq!(wide, "true", "{at}: it is wider than the page");
            // Something is drawn, in several colours, on the board and in every small picture,
            // except those of the empty floor.
            let blank = browser.text(
                "return [...document.querySelectorAll('.legend canvas, canvas[role=img]')]
                     .filter((canvas) => !canvas.closest('li')?.textContent.startsWith('nothing'))
                     .filter((canvas) => {
                         const { width, height } = canvas;
                         const copy = new OffscreenCanvas(width, height)
                             .getContext('2d', { willReadFrequently: true });
                         copy.drawImage(canvas, 0, 0);
                         const { data } = copy.getImageData(0, 0, width, height);
                         return data.every((value) => value === data[0]);
                     }).length",
            );
            assert_eq!(blank, "0", "{at}: something is blank");
            let ending = "return document.querySelector('.ending').checkVisibility()";
            assert_eq!(browser.text(ending), "false", "{at}: no result before the end");
            browser.press(&[key::END]);
            assert_eq!(browser.text(ending), "true", "{at}: the result at the end");
            let text = browser.text("return document.body.innerText");
            assert!(!text.contains("seat 0"), "{at}: players have letters");
        }
        assert_eq!(browser.complaints(), "");
    }
}

fn board_and_buttons_fit_on_one_screen(browser: &mut Browser) {
    let folder = tempfile::tempdir().unwrap();
    tournament(folder.path(), 1);
    let server = Server::start(folder.path());
    for (game, buttons) in [
        ("tron", ".pad button"),
        ("hextris", ".pad button"),
        ("pentocity", ".tools button:not([hidden])"),
    ] {
        for (width, height) in SIZES {
            let at = format!("{game} at {width}×{height}");
            browser.view(width, height);
            browser.go(&server.at(&format!("/play/{game}")));
            browser.until("return document.querySelector('#invitation select') !== null");
            browser.click("#invitation button");
            browser.until("return document.querySelector('#session canvas') !== null");
            assert_in_reach(browser, "#session canvas[role=img]", &at);
            assert_in_reach(browser, buttons, &at);
        }
    }
    // In a low window the board keeps its size, with the buttons beside it.
    browser.view(844, 390);
    browser.go(&server.at("/play/tron"));
    browser.until("return document.querySelector('#invitation select') !== null");
    browser.click("#invitation button");
    browser.until("return document.querySelector('#session canvas') !== null");
    let is_beside =
        "const board = document.querySelector('#session canvas').getBoundingClientRect();
         const pad = document.querySelector('.pad').getBoundingClientRect();
         return board.height >= 270 && pad.left >= board.right && pad.top < board.bottom";
    assert_eq!(browser.text(is_beside), "true");
    browser.view(1280, 800);
    // One click begins a match.
    browser.go(&server.at("/play"));
    browser.click(".pictures .button");
    browser.until("return document.querySelector('#session canvas') !== null");
    // The effects of buttons are described in words.
    browser.go(&server.at("/play/hextris"));
    browser.click("#invitation button");
    browser.until("return document.querySelector('.pad button') !== null");
    let words = browser.text("return document.querySelector('.pad').innerText");
    assert!(words.contains("turn right") && words.contains("down left"), "{words}");
    // A replay can be continued as a match.
    browser.view(1280, 800);
    browser.go(&server.at("/"));
    browser.until("return document.querySelector('.pictures img')?.naturalWidth > 0");
    browser.click(".pictures a");
    browser.until("return document.querySelector('.place') !== null");
    browser.press(&[key::HOME, key::RIGHT]);
    browser.click(".play-from a");
    browser.until(
        "return document.querySelector('#session .caption')?.textContent.startsWith('turn 1')",
    );
    assert_eq!(browser.complaints(), "");
}
