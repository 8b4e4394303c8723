//! The look of pages in a real browser, on a laptop and on a phone, compared with golden files in
//! `tests/browser/looks`: the visible landmarks in order, each with its role, its name and its
//! place; and a coarse picture of the page, one letter for 20 × 20 pixels. `UPDATE_GOLDEN=1`
//! rewrites them. Also the findings of axe, an accessibility checker. Skipped with a message where
//! Chromium, its driver or axe are not installed; the pictures also where letters have other sizes
//! than in the golden files.

use std::fs;
use std::path::{Path, PathBuf};

use quintain_arena::Shard;
use serde_json::Value;

use crate::served::{Server, keep, play_match, play_tournament, write_page};
use crate::webdriver::Browser;

/// A laptop and a phone.
const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];
const THEMES: [&str; 2] = ["light", "dark"];

/// A page: the name of its golden file, and its address.
struct Page {
    name: String,
    address: String,
    /// What is there once the page is complete.
    ready: &'static str,
}

/// A store with a tournament of every kind, matches of every game as pages from disk, and matches
/// that a person has begun.
struct Place {
    folder: tempfile::TempDir,
    server: Server,
}

const CUP: &str = "name = \"cup\"\ngame = \"tron\"\n\
    scenarios = [\"empty?width=9&height=9\", \"rooms?width=11&height=11\"]\n\
    players = [\"wall-hugger\", \"space\", \"random\"]\nseeds = 3\n";
const SOLO: &str = "name = \"solo\"\ngame = \"polymer\"\n\
    scenarios = [\"random?n=12&width=6&height=6\"]\nplayers = [\"greedy\", \"random\"]\nseeds = \
    12\n";

/// Matches to show, with their game and a turn in the middle.
const MATCHES: [(&str, &[&str], &str); 5] = [
    ("tron", &["wall-hugger", "space"], "rooms?width=19&height=15"),
    ("gather", &["salsa", "salsa", "salsa"], "torus?width=9&height=9&players=3"),
    ("pentocity", &["g1"], "stars?side=20"),
    ("hextris", &["greedy"], "drawn?size=21"),
    ("polymer", &["greedy"], "random?n=24&width=12&height=12"),
];

/// Matches to play, with their opponent.
const PLAYED: [(&str, &str, &str); 5] = [
    ("tron", "rooms?width=19&height=15", "space"),
    ("gather", "torus?width=9&height=9&players=3", "salsa"),
    ("pentocity", "stars?side=20", ""),
    ("hextris", "drawn?size=21", ""),
    ("polymer", "random?n=24&width=12&height=12", ""),
];

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for text in [CUP, SOLO] {
            play_tournament(folder.path(), text, Shard::WHOLE);
        }
        for (game, players, scenario) in MATCHES {
            let record = play_match(game, players, scenario, 1);
            write_page(folder.path(), &format!("{game}.html"), &record);
        }
        let server = Server::start(folder.path());
        Place { folder, server }
    }

    /// Returns the pages on which nobody has begun a match.
    fn pages(&self) -> Vec<Page> {
        let served = [
            ("home", "/", ".pictures img"),
            ("tournament", "/tournaments/1", "#standings-table button"),
            ("tournament-solo", "/tournaments/2", "#standings-table button"),
            ("matches", "/tournaments/1/matches?player=space", "#matches tbody"),
            ("compare", "/tournaments/2/compare", ".scatter"),
            ("play", "/play", ".pictures .button"),
            ("invitation", "/play/gather", "#invitation button"),
        ];
        let served = served.map(|(name, path, ready)| Page {
            name: name.to_owned(),
            address: self.server.at(path),
            ready,
        });
        let shown = MATCHES.map(|(game, ..)| Page {
            name: format!("match-{game}"),
            address: format!("file://{}/{game}.html#turn=3", self.folder.path().display()),
            ready: ".viewer .place",
        });
        served.into_iter().chain(shown).collect()
    }

    /// Begins the matches to play, each on a known seed, and returns their pages.
    fn begin_matches(&self, browser: &mut Browser) -> Vec<Page> {
        browser.go(&self.server.at("/play"));
        let mut begin = |(game, scenario, opponent): (&str, &str, &str)| {
            let wish = serde_json::json!({
                "game": game, "scenario": scenario, "opponent": opponent, "seed": 1, "think": 100,
            });
            let id = browser.text(&format!(
                "const wish = {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},
                                body: JSON.stringify({wish}) }};
                 return fetch('/api/play', wish).then((answer) => answer.json()).then((view) => \
                 view.id)"
            ));
            Page {
                name: format!("play-{game}"),
                address: self.server.at(&format!("/play/{game}#match={id}")),
                ready: "#session canvas",
            }
        };
        PLAYED.map(&mut begin).into()
    }
}

/// Opens a page with this size in pixels, as it looks before anybody does anything.
fn open(browser: &mut Browser, page: &Page, (width, height): (u32, u32)) {
    browser.view(width, height);
    browser.touch(width < 600);
    // A page that is already open would not be reloaded.
    browser.go("about:blank");
    browser.go(&page.address);
    browser.until(&format!("return document.querySelector({:?}) !== null", page.ready));
    browser.until(
        "return document.readyState === 'complete' && document.querySelector('[aria-busy]') === null
             && document.fonts.status === 'loaded'",
    );
    // Times since something was played differ from run to run.
    browser.script(
        "document.querySelectorAll('.pictures .note').forEach((note) => (note.textContent = '…'));
         const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
         while (texts.nextNode()) {
             const text = texts.currentNode;
             if (/\\d{4}-\\d\\d-\\d\\d/.test(text.data)) text.data = '2000-01-01';
         }",
    );
}

/// The visible content of a page.
#[derive(PartialEq, Debug)]
struct Look {
    /// The width of the page's letters.
    letters: String,
    landmarks: Vec<String>,
    /// The amount of ink in each 20 × 20 pixels.
    picture: Vec<String>,
}

/// One line for each landmark: its role, its name and its place. Many of the same are one line, and
/// whatever cannot be seen or reached is left out.
const LANDMARKS: &str = r#"
    const wanted = "h1, h2, h3, nav, form, main a.button, button, select, input, summary, table, figure, svg[role=img], img, canvas[role=img], .legend, .legend li, .panel, .overlays, .chart, .plot, .caption, .controls, .score, .summary, .pad, .tools, .lead, .spread-grid, .axis-unit, .live-boards";
    const roles = { H1: "heading", H2: "heading", H3: "heading", A: "link", INPUT: "input" };
    const words = (text) => text.replace(/\s+/g, " ").trim().slice(0, 60);
    const name = (found) => {
        if (found.tagName === "IMG") return found.alt;
        if (found.tagName === "svg" || found.closest("table")) return "";
        if (/^(H[123]|BUTTON|A|SUMMARY|LI)$/.test(found.tagName) || /caption|summary|axis-unit/.test(found.className)) {
            return words(found.getAttribute("aria-label") ?? found.textContent);
        }
        return found.getAttribute("aria-label") ?? found.name ?? "";
    };
    const role = (found) => found.getAttribute("role") ?? roles[found.tagName]
        ?? (/^(DIV|UL|OL|LI|P|SPAN)$/.test(found.tagName) ? String(found.closest("[class]").className).split(" ")[0] : found.tagName.toLowerCase());
    const lines = [];
    for (const found of document.querySelectorAll(wanted)) {
        found.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
        const box = found.getBoundingClientRect();
        const isEmpty = found.childElementCount === 0 && /^(DIV|UL|OL|P|SPAN)$/.test(found.tagName) && found.textContent === "";
        if (!found.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || box.width < 2 || box.height < 2 || isEmpty) continue;
        const scrolls = found.closest(".wide, .overlays, .mistakes, pre") !== null;
        const notes = [];
        if (!scrolls && (box.left < -1 || box.right > innerWidth + 1)) notes.push("OUTSIDE OF THE PAGE");
        const x = Math.max(1, Math.min(innerWidth - 1, box.left + box.width / 2));
        const y = box.height > innerHeight ? innerHeight / 2 : box.top + box.height / 2;
        const top = document.elementFromPoint(x, y);
        if (top && !found.contains(top) && !top.contains(found)) notes.push(`COVERED BY ${top.tagName} ${top.className}`);
        const middle = box.left + box.width / 2;
        const place = box.width > innerWidth * 0.6 ? "wide" : middle < innerWidth / 2 ? "left" : "right";
        const holds = /^(heading|canvas|img|table|figure|legend|panel|chart|form|controls|caption|pad|tools)$/.test(role(found)) && !found.closest("table, li");
        const line = [role(found), name(found) && JSON.stringify(name(found)), holds ? place : "", ...notes].filter(Boolean).join(" ");
        const last = lines[lines.length - 1];
        if (last?.line === line) last.count++;
        else lines.push({ line, count: 1 });
    }
    scrollTo(0, 0);
    return lines.map(({ line, count }) => (count > 1 ? `${line} × ${count}` : line));
"#;

/// The ink in each 20 × 20 pixels of a screenshot, by the difference from the page's own colour.
const PICTURE: &str = r##"
    const bytes = Uint8Array.from(atob("SCREENSHOT"), (letter) => letter.charCodeAt(0));
    return createImageBitmap(new Blob([bytes])).then((picture) => {
        const { width, height } = picture;
        const context = new OffscreenCanvas(width, height).getContext("2d");
        context.drawImage(picture, 0, 0);
        const { data } = context.getImageData(0, 0, width, height);
        const ground = data.slice(0, 3);
        const rows = [];
        for (let top = 0; top < height; top += 20) {
            let row = "";
            for (let left = 0; left < width; left += 20) {
                let ink = 0;
                const [right, bottom] = [Math.min(width, left + 20), Math.min(height, top + 20)];
                for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) {
                    const at = 4 * (y * width + x);
                    ink += Math.max(...[0, 1, 2].map((c) => Math.abs(data[at + c] - ground[c])));
                }
                ink /= 255 * (right - left) * (bottom - top);
                const steps = [[0.012, " "], [0.07, "."], [0.2, ":"], [0.5, "o"], [Infinity, "#"]];
                row += steps.find(([most]) => ink < most)[1];
            }
            rows.push(row);
        }
        return rows;
    })
"##;

/// The levels of a picture, from none to much.
const INK: &str = " .:o#";
/// Height of a page's picture in pixels from the top, at most.
const TALL: u32 = 2000;

impl Look {
    fn of(browser: &mut Browser) -> Look {
        let texts = |value: Value| -> Vec<String> {
            let lines = value.as_array().unwrap().iter();
            lines.map(|line| line.as_str().unwrap().to_owned()).collect()
        };
        let letters = browser.text(
            "const letters = document.createElement('span');
             letters.textContent = 'The quick brown fox jumps over the lazy dog, 0123456789.';
             letters.style = 'position: absolute; white-space: nowrap';
             document.body.append(letters);
             const { width, height } = letters.getBoundingClientRect();
             letters.remove();
             return `${width.toFixed(1)} × ${height.toFixed(1)}`",
        );
        let landmarks = texts(browser.script(LANDMARKS));
        // How far below the first screen a lazy picture is loaded depends on how fast the
        // connection seems to the browser.
        browser.until(
            "const images = [...document.images];
             images.forEach((image) => { image.loading = 'eager'; });
             return images.every((image) => image.complete)",
        );
        let screenshot = browser.screenshot(TALL);
        let picture = texts(browser.script(&PICTURE.replace("SCREENSHOT", &screenshot)));
        Look { letters, landmarks, picture }
    }

    fn write(&self) -> String {
        let Look { letters, landmarks, picture } = self;
        let picture: String = picture.iter().map(|row| format!("|{row}|\n")).collect();
        format!("letters {letters}\n\n{}\n\n{picture}", landmarks.join("\n"))
    }

    fn read(text: &str) -> Look {
        let mut parts = text.split("\n\n");
        let mut lines = || -> Vec<String> {
            parts.next().unwrap_or_default().lines().map(str::to_owned).collect()
        };
        let (letters, landmarks, picture) = (lines(), lines(), lines());
        let letters = letters.concat().trim_start_matches("letters ").to_owned();
        let picture = picture.iter().map(|row| row.trim_matches('|').to_owned()).collect();
        Look { letters, landmarks, picture }
    }

    /// Returns what has changed, by landmarks.
    fn landmarks_unlike(&self, now: &Look) -> Option<String> {
        let (then, now) = (&self.landmarks, &now.landmarks);
        let gone = then.iter().filter(|line| !now.contains(line)).map(|line| format!("- {line}"));
        let come = now.iter().filter(|line| !then.contains(line)).map(|line| format!("+ {line}"));
        let changes: Vec<String> = gone.chain(come).collect();
        match then == now {
            true => None,
            false if changes.is_empty() => Some("other order".to_owned()),
            false => Some(changes.join("\n")),
        }
    }

    /// Returns whether letters have the same size in both; otherwise pictures differ anyway.
    fn is_comparable(&self, other: &Look) -> bool {
        self.letters == other.letters
    }

    /// Counts cells of the picture that differ from all cells around the same place: by two levels,
    /// or because only one of them is empty.
    fn cells_unlike(&self, other: &Look) -> usize {
        self.cells_alone(other) + other.cells_alone(self)
    }

    fn cells_alone(&self, other: &Look) -> usize {
        let level = |look: &Look, row: usize, column: usize| {
            let letter = look.picture.get(row).and_then(|row| row.chars().nth(column));
            letter.and_then(|letter| INK.find(letter))
        };
        let mut found = 0;
        for (row, cells) in self.picture.iter().enumerate() {
            for column in 0..cells.chars().count() {
                let own = level(self, row, column).unwrap_or(0);
                let around = (row.saturating_sub(1)..=row + 1).flat_map(|row| {
                    (column.saturating_sub(1)..=column + 1).map(move |column| (row, column))
                });
                let is_like = around.into_iter().any(|(row, column)| {
                    level(other, row, column)
                        .is_some_and(|there| there.abs_diff(own) < 2 && (there == 0) == (own == 0))
                });
                found += usize::from(!is_like);
            }
        }
        found
    }
}

/// Number of cells of a picture that may differ.
const STRAY: usize = 6;

fn golden(page: &Page, (width, height): (u32, u32)) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/looks");
    folder.join(format!("{}-{width}x{height}.txt", page.name))
}

/// Returns the differences from the golden file.
fn compare_with_golden(browser: &mut Browser, page: &Page, size: (u32, u32)) -> Option<String> {
    let file = golden(page, size);
    open(browser, page, size);
    let now = Look::of(browser);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, now.write()).unwrap();
        return None;
    }
    let then = Look::read(&fs::read_to_string(&file).unwrap_or_default());
    let unlike = then.landmarks_unlike(&now).or_else(|| {
        if !then.is_comparable(&now) {
            eprintln!("skipped: the picture of {}, for letters are of other sizes", page.name);
            return None;
        }
        let cells = then.cells_unlike(&now);
        (cells > STRAY)
            .then(|| format!("{cells} cells of the picture; it is now:\n{}", now.write()))
    });
    unlike.map(|unlike| format!("{}:\n{unlike}", file.display()))
}

/// At which sizes and in which themes the page of a number is looked at.
type Choice = dyn Fn(usize) -> Vec<((u32, u32), &'static str)>;

/// Each page once, so that every size meets every theme on pages of every kind.
fn in_turn(page: usize) -> Vec<((u32, u32), &'static str)> {
    vec![(SIZES[page % 2], THEMES[page / 2 % 2])]
}

/// Each page at every size in every theme.
fn all(_: usize) -> Vec<((u32, u32), &'static str)> {
    SIZES.iter().flat_map(|size| THEMES.map(|theme| (*size, theme))).collect()
}

#[test]
fn pages_look_as_they_did_and_axe_finds_nothing_serious() {
    check(&in_turn);
}

#[test]
#[ignore = "nightly: every page at both sizes in both themes; the ordinary check takes them in \
            turn"]
fn every_page_looks_as_it_did_and_axe_finds_nothing_serious() {
    check(&all);
}

fn check(choice: &Choice) {
    let Some(mut browser) = Browser::open() else { return };
    let place = Place::new();
    let mut pages = place.pages();
    pages.extend(place.begin_matches(&mut browser));
    compare_pages(&mut browser, &pages, choice);
    let tron = pages.iter().find(|page| page.name == "match-tron").unwrap();
    notice_what_disappears(&mut browser, tron, choice);
    if let Some(axe) = axe() {
        check_accessibility(&mut browser, &axe, &pages, choice);
    }
}

/// Compares pages with their golden files.
fn compare_pages(browser: &mut Browser, pages: &[Page], choice: &Choice) {
    let mut unlike = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let mut sizes: Vec<(u32, u32)> = choice(number).iter().map(|(size, _)| *size).collect();
        sizes.dedup();
        for size in sizes {
            unlike.extend(compare_with_golden(browser, page, size));
        }
    }
    assert!(
        unlike.is_empty(),
        "UPDATE_GOLDEN=1 rewrites the golden files\n{}",
        unlike.join("\n\n")
    );
    let golden = |page: &Page, size| Look::read(&fs::read_to_string(golden(page, size)).unwrap());
    for (page, size) in pages.iter().flat_map(|page| SIZES.map(|size| (page, size))) {
        let kept = golden(page, size).landmarks.join("\n");
        assert!(!kept.contains("COVERED") && !kept.contains("OUTSIDE"), "{}: {kept}", page.name);
    }
}

/// Checks that a part of a page that is missing is found.
fn notice_what_disappears(browser: &mut Browser, page: &Page, choice: &Choice) {
    let parts =
        ["h1", ".legend", ".controls", ".overlays", ".chart", ".players", "canvas[role=img]"];
    for size in SIZES {
        open(browser, page, size);
        let whole = Look::of(browser);
        assert_eq!(Look::read(&whole.write()), whole, "what is written can be read");
        assert_eq!((whole.landmarks_unlike(&whole), whole.cells_unlike(&whole)), (None, 0));
        let chosen = parts
            .iter()
            .enumerate()
            .filter(|(number, _)| choice(*number).iter().any(|(chosen, _)| *chosen == size));
        for (_, part) in chosen {
            open(browser, page, size);
            browser.script(&format!(
                "document.querySelectorAll({part:?}).forEach((part) => (part.style.display = \
                 'none'))"
            ));
            let without = Look::of(browser);
            let at = format!("without {part}, {size:?}");
            assert!(whole.landmarks_unlike(&without).is_some(), "{at}: the landmarks");
            assert!(whole.cells_unlike(&without) > STRAY, "{at}: the picture");
        }
        // It is not enough to be there: it must be visible.
        open(browser, page, size);
        browser.script(
            "const cover = document.createElement('div');
             cover.style = 'position: fixed; inset: 0; background: white';
             document.body.append(cover)",
        );
        let covered = Look::of(browser).landmarks.join("\n");
        assert!(covered.contains("COVERED BY DIV"), "{covered}");
    }
}

/// Returns the script of axe-core, where `./check` has installed it.
fn axe() -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/axe");
    let script = fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js"));
    if script.is_err() {
        eprintln!("skipped: axe-core is not in target/axe; ./check installs it");
    }
    script.ok()
}

/// Runs axe, and checks that it works.
fn check_accessibility(browser: &mut Browser, axe: &str, pages: &[Page], choice: &Choice) {
    let mut found = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        for (size, theme) in choice(number) {
            let serious = list_faults(browser, axe, page, size, theme);
            if !serious.is_empty() {
                found.push(format!("{} at {size:?}, {theme}:\n{serious}", page.name));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    // An image without a text is found.
    open(browser, &pages[0], SIZES[0]);
    browser.script(&format!("{axe}; window.axe = axe"));
    let faults = browser.text(
        "document.body.append(Object.assign(document.createElement('img'), { src: '/x.png' }));
         return axe.run().then(({ violations }) => violations.map(({ id }) => id).join(' '))",
    );
    assert!(faults.contains("image-alt"), "{faults}");
}

/// The serious faults of a page, a line each.
fn list_faults(
    browser: &mut Browser,
    axe: &str,
    page: &Page,
    size: (u32, u32),
    theme: &str,
) -> String {
    open(browser, page, size);
    browser.script(&format!("{axe}; window.axe = axe"));
    browser.text(&format!(
        "document.documentElement.dataset.theme = '{theme}';
         // Colours change bit by bit.
         document.body.getBoundingClientRect();
         const still = Promise.all(document.getAnimations().map((one) => one.finished));
         return still.then(() => axe.run(document, {{ resultTypes: ['violations'] }})).then(({{ \
         violations }}) =>
             violations.filter(({{ impact }}) => impact === 'serious' || impact === 'critical')
                 .map(({{ id, help, nodes }}) => `  ${{id}}: ${{help}}: `
                     + nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' '))
                 .join('\\n'))"
    ))
}

/// Boards that are drawn for the figures, with their players and seed.
const DRAWN: [(&str, &str, &[&str], &str, u64); 5] = [
    (
        "gather, 76×50, 3 players",
        "gather",
        &["hybrid"; 3],
        "torus?width=76&height=50&players=3",
        10,
    ),
    ("pentocity, 50×50", "pentocity", &["g1"], "stars", 1),
    ("hextris, 20×15", "hextris", &["greedy"], "drawn?size=8", 1),
    ("tron, 31×21", "tron", &["space"; 2], "rooms?width=31&height=21", 1),
    // The server takes seconds to draw it all.
    ("gather, 100×100, 9 players", "gather", &["random"; 9], "course?board=100x100&players=9", 1),
];

/// The cost of drawing; its figures are those of docs/performance.md.
#[test]
#[ignore = "it measures: run it alone, with --release --nocapture"]
fn how_long_drawing_takes() {
    let Some(mut browser) = Browser::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (_, game, players, scenario, seed) in DRAWN {
        keep(folder.path(), &play_match(game, players, scenario, seed));
    }
    let server = Server::start(folder.path());
    browser.go(&server.at("/"));
    let listed = "return fetch('/api/matches').then((answer) => answer.json()).then(({ matches }) \
                  => matches)";
    let matches = browser.script(listed);
    let matches = matches.as_array().unwrap().iter().rev();
    println!("| match | turns | a turn | the page until the board is drawn |");
    println!("|---|---:|---:|---:|");
    for ((name, ..), found) in DRAWN.iter().zip(matches) {
        let page = server.at(&format!("/matches/{}#turn=0", found["id"].as_str().unwrap()));
        let begun = |browser: &mut Browser| {
            // A page of the same server has the same process.
            browser.go(&server.at("/tests"));
            browser.processor_time()
        };
        let mut opened: Vec<f64> = (0..5)
            .map(|_| {
                let begun = begun(&mut browser);
                browser.go(&page);
                browser.until("return performance.getEntriesByName('drawn').length > 0");
                browser.processor_time() - begun
            })
            .collect();
        opened.sort_by(f64::total_cmp);
        let begun = browser.processor_time();
        // Each turn is painted before the next one.
        let turns = browser.script(
            "const slider = document.querySelector('.viewer input[type=range]');
             const painted = () => new Promise((go_on) => requestAnimationFrame(() => \
             setTimeout(go_on)));
             return (async () => {
                 const turns = Math.min(300, Number(slider.max));
                 const first = Math.floor((Number(slider.max) - turns) / 2);
                 for (let turn = 1; turn <= turns; turn++) {
                     slider.value = first + turn;
                     slider.dispatchEvent(new Event('input'));
                     await painted();
                 }
                 return [slider.max, turns];
             })()",
        );
        let turn = (browser.processor_time() - begun) / turns[1].as_f64().unwrap();
        let (turns, open) = (turns[0].as_str().unwrap(), opened[2]);
        println!("| {name} | {turns} | {turn:.1} ms | {open:.0} ms |");
    }
}
