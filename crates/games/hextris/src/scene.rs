//! How a position looks: the honeycomb, the unit with its pivot, its ghost where it would fall, and
//! the phrase being spoken; on request, under the unit, how good the places look where it can lock.
//! Beside the board are the units to come, the text with its phrases highlighted, and what phrases
//! were worth.

mod course;

use std::collections::BTreeMap;

use quintain_core::ui::{Keyboard, Lattice, Mark, Paint, PanelBody, Point, Scene, Sign, Span};
use quintain_core::{Presentation, Seat};

use crate::notation::CommandString;
use crate::rules::Hextris;
use crate::rules::State;
use crate::rules::commands::Command;
use crate::rules::history::Spoken;
use crate::rules::phrases::{ONCE, Phrases};
use crate::rules::units::{Cell, Position, Unit};

/// Where a unit comes to rest if it falls as straight as it can: left, right, left, …
pub fn ghost(unit: &Unit, state: &State) -> Option<Position> {
    let mut at = state.walk.as_ref()?.position();
    loop {
        let order = match at.y & 1 {
            0 => [Command::SouthEast, Command::SouthWest],
            _ => [Command::SouthWest, Command::SouthEast],
        };
        let next = order.map(|command| at.after(command, unit.period()));
        match next.into_iter().find(|next| unit.fits(&state.board, *next)) {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
}

/// How hextris is shown and played by hand.
pub(crate) struct HextrisPresentation;

impl Presentation<Hextris> for HextrisPresentation {
    fn scene(&self, rules: &Hextris, state: &State, _eye: Option<Seat>) -> Scene {
        draw(rules, state)
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }

    fn tell(
        &self,
        rules: &Hextris,
        after: &State,
        _: Seat,
        action: &CommandString,
    ) -> Option<String> {
        Some(course::tell(rules, after, action.text()))
    }

    fn figure_titles(&self) -> &'static [(&'static str, &'static str)] {
        course::FIGURES
    }

    fn decision(
        &self,
        rules: &Hextris,
        positions: &mut dyn Iterator<Item = State>,
    ) -> Option<String> {
        course::describe(rules, positions)
    }
}

/// The drawing of a position.
fn draw(rules: &Hextris, state: &State) -> Scene {
    let instance = rules.instance();
    let board = &state.board;
    let (width, height) = (board.width() as i32, board.height() as i32);
    let mut scene = Scene { lattice: Lattice::Hex, width, height, ..Scene::default() };
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| Cell { x, y }));
    let drawn = cells.map(|cell| match board.is_full(cell.x, cell.y) {
        true => mark(cell, Paint::Thing(0), '#'),
        false => mark(cell, Paint::Floor, '.'),
    });
    scene.layer("board", drawn.collect()).means(Sign::Cell(Paint::Thing(0), '#'), "full");
    let UnitLayers { shadow, places, lands, body, pivot } = UnitLayers::of(rules, state);
    scene.layer("ghost", shadow);
    scene
        .overlay("places", places)
        .means(Sign::Cell(Paint::Heat(255), '9'), "the best place to lock in")
        .means(Sign::Cell(Paint::Heat(0), '0'), "the worst");
    // The unit is drawn over every overlay.
    let layer = scene.layer("unit", [lands, body].concat());
    layer
        .means(Sign::Cell(Paint::Seat(0), 'o'), "the unit")
        .means(Sign::Cell(Paint::Head(0), '@'), "its pivot")
        .means(Sign::Outline(Paint::Seat(0)), "where it falls to");
    if !instance.phrases().is_empty() {
        layer.means(Sign::Cell(Paint::Accent, '*'), "a phrase is spoken");
    }
    if instance.unit_without_room(state).is_some() {
        layer.means(Sign::Outline(Paint::Bad), "the next unit, for which there is no room");
    }
    scene.layer("pivot", pivot);
    panels(rules, state, &mut scene);
    scene.caption = caption(rules, state);
    scene
}

/// The marks of the unit on its way.
#[derive(Default)]
struct UnitLayers {
    shadow: Vec<Mark>,
    places: Vec<Mark>,
    lands: Vec<Mark>,
    body: Vec<Mark>,
    pivot: Vec<Mark>,
}

impl UnitLayers {
    fn of(rules: &Hextris, state: &State) -> UnitLayers {
        let instance = rules.instance();
        let Some(walk) = &state.walk else {
            let stuck = instance.unit_without_room(state);
            let outline = |unit: &Unit| Mark::Outline {
                cells: unit.cells(unit.spawn()).map(|cell| Point::new(cell.x, cell.y)).collect(),
                paint: Paint::Bad,
            };
            return UnitLayers {
                lands: stuck.map(outline).into_iter().collect(),
                ..<_>::default()
            };
        };
        let (unit, position) = (instance.unit(state), walk.position());
        let lands = ghost(unit, state).unwrap_or(position);
        // A phrase that has just been spoken lights the unit up.
        let lit = !instance.phrases().phrases_at(state.node).is_empty();
        let (paint, glyph) = if lit { (Paint::Accent, '*') } else { (Paint::Seat(0), 'o') };
        let centre = Cell { x: position.x.into(), y: position.y.into() };
        let (width, height) = (state.board.width() as i32, state.board.height() as i32);
        let on_board = (0..width).contains(&centre.x) && (0..height).contains(&centre.y);
        let inside = unit.cells(position).any(|cell| cell == centre);
        let glyph_of_centre = if inside { '@' } else { '+' };
        let outline = |at: Position, paint: Paint| Mark::Outline {
            cells: unit.cells(at).map(|cell| Point::new(cell.x, cell.y)).collect(),
            paint,
        };
        UnitLayers {
            shadow: unit.cells(lands).map(|cell| mark(cell, Paint::Claim(0), ':')).collect(),
            places: places(rules, state),
            lands: vec![outline(lands, Paint::Seat(0))],
            body: unit
                .cells(position)
                .map(|cell| mark(cell, paint, glyph))
                .chain([outline(position, Paint::Accent)])
                .collect(),
            pivot: on_board
                .then(|| mark(centre, Paint::Head(0), glyph_of_centre))
                .into_iter()
                .collect(),
        }
    }
}

/// The number of coming units that are shown.
const NEXT: usize = 3;
/// The most columns and rows of their picture.
const PICTURE: (i32, i32) = (16, 9);
/// The number of letters of the text that are shown.
const LETTERS: usize = 96;
/// The number of phrases that are listed.
const LISTED: usize = 8;

fn panels(rules: &Hextris, state: &State, scene: &mut Scene) {
    let instance = rules.instance();
    scene.panel("next units", PanelBody::Picture(next_units(rules, state)));
    let phrases = instance.phrases();
    let mut figures: Vec<(String, String)> = vec![
        ("lines removed".to_owned(), state.lines.to_string()),
        ("points from locks".to_owned(), state.moves.to_string()),
    ];
    if phrases.is_empty() {
        scene.panel("score by part", PanelBody::Figures(figures));
        return;
    }
    scene.panel("spoken", PanelBody::Text(highlight_phrases(phrases, state.text.text())));
    let power = |count: u32, text: &str| 2 * text.len() as u64 * u64::from(count) + ONCE;
    let heard = phrases.texts().iter().zip(&state.counts).filter(|(_, count)| **count > 0);
    let mut heard: Vec<(&String, u32)> = heard.map(|(text, count)| (text, *count)).collect();
    heard.sort_by_key(|(text, count)| std::cmp::Reverse(power(*count, text)));
    figures.push(("points from phrases".to_owned(), instance.power(state).to_string()));
    let (listed, others) = heard.split_at(heard.len().min(LISTED));
    figures.extend(
        listed.iter().map(|(text, count)| {
            (format!("“{text}”"), format!("×{count}  {}", power(*count, text)))
        }),
    );
    if !others.is_empty() {
        let count: u32 = others.iter().map(|(_, count)| count).sum();
        let points: u64 = others.iter().map(|(text, count)| power(*count, text)).sum();
        let kinds = if others.len() == 1 { "phrase" } else { "phrases" };
        let name = format!("{} more {kinds}", others.len());
        figures.push((name, format!("×{count}  {points}")));
    }
    scene.panel("score by part", PanelBody::Figures(figures));
}

/// Draws the next units side by side. The picture has the same size on every turn.
fn next_units(rules: &Hextris, state: &State) -> Scene {
    let instance = rules.instance();
    let shape = |unit: &Unit| -> Vec<Cell> {
        let cells: Vec<Cell> = unit.cells(unit.spawn()).collect();
        let top = cells.iter().map(|cell| cell.y).min().unwrap_or(0);
        let left = cells.iter().map(|cell| cell.x).min().unwrap_or(0);
        // A shape keeps its form when it moves by an even number of rows.
        let top = top - top.rem_euclid(2);
        cells.into_iter().map(|cell| Cell { x: cell.x - left, y: cell.y - top }).collect()
    };
    let units = instance.problem().units();
    let side = |of: fn(&Cell) -> i32| {
        let cells = units.iter().flat_map(&shape).map(|cell| of(&cell) + 1);
        cells.max().unwrap_or(1)
    };
    let (wide, high) = (side(|cell| cell.x).min(PICTURE.0), side(|cell| cell.y).min(PICTURE.1));
    let shown = ((PICTURE.0 + 1) / (wide + 1)).clamp(1, NEXT as i32);
    let (width, height) = (shown * (wide + 1) - 1, high);
    let mut picture = Scene { lattice: Lattice::Hex, width, height, ..Scene::default() };
    let first = state.came as usize;
    let coming = first..instance.queue().len().min(first + shown as usize);
    let mut marks = Vec::new();
    for (place, number) in coming.enumerate() {
        let left = place as i32 * (wide + 1);
        let cells =
            shape(instance.nth(number)).into_iter().filter(|cell| cell.x < wide && cell.y < high);
        let cells = cells.map(|cell| Cell { x: cell.x + left, y: cell.y });
        let (paint, glyph) =
            if place == 0 { (Paint::Seat(0), 'o') } else { (Paint::Thing(0), '#') };
        marks.extend(cells.map(|cell| mark(cell, paint, glyph)));
    }
    picture.layer("units", marks);
    picture
}

/// The end of the text, with its phrases highlighted.
fn highlight_phrases(phrases: &Phrases, text: &str) -> Vec<Span> {
    let mut lit = vec![false; text.len()];
    let mut node = 0;
    for (at, byte) in text.bytes().enumerate() {
        node = phrases.after(node, byte);
        for phrase in phrases.phrases_at(node) {
            let long = phrases.texts()[usize::from(*phrase)].len();
            lit[at + 1 - long..=at].fill(true);
        }
    }
    let from = text.len().saturating_sub(LETTERS);
    let mut spans: Vec<Span> = Vec::new();
    if from > 0 {
        spans.push(Span { text: "…".to_owned(), lit: false });
    }
    // Letters are commands, and these are ASCII.
    for (letter, lit) in text.chars().zip(lit).skip(from) {
        match spans.last_mut().filter(|last| last.lit == lit) {
            Some(last) => last.text.push(letter),
            None => spans.push(Span { text: letter.to_string(), lit }),
        }
    }
    spans
}

fn mark(cell: Cell, paint: Paint, glyph: char) -> Mark {
    Mark::Cell { at: Point::new(cell.x, cell.y), paint, glyph }
}

/// Marks each cell with the best evaluation of a place in which the unit covers it, from cold (the
/// worst of all places) to hot.
fn places(rules: &Hextris, state: &State) -> Vec<Mark> {
    let unit = rules.instance().unit(state);
    let paths = rules.places(state);
    let mut values: BTreeMap<Cell, f64> = BTreeMap::new();
    for place in paths.places() {
        let mut board = state.board.clone();
        let lines = unit.lock(&mut board, place.position);
        let points = crate::rules::points(unit.size(), lines, state.before);
        let value = points as f64 + rules.evaluation().of(&board);
        for cell in unit.cells(place.position) {
            let best = values.entry(cell).or_insert(value);
            *best = best.max(value);
        }
    }
    let least = values.values().copied().fold(f64::INFINITY, f64::min);
    let most = values.values().copied().fold(f64::NEG_INFINITY, f64::max);
    let heat = |value: f64| ((value - least) / (most - least).max(1e-9) * 255.0) as u8;
    let marks = values.iter().map(|(cell, value)| {
        let heat = heat(*value);
        mark(*cell, Paint::Heat(heat), char::from(b'0' + (u32::from(heat) * 10 / 256) as u8))
    });
    marks.collect()
}

fn caption(rules: &Hextris, state: &State) -> String {
    let instance = rules.instance();
    let phrases = instance.phrases();
    let (came, all) = (state.came, instance.queue().len());
    let mut caption = match instance.is_stuck(state) {
        true => format!("no room for unit {} of {all}", came + 1),
        false => format!("unit {came} of {all}"),
    };
    caption += &format!(", score {}", instance.score(state));
    let spoken = list_spoken(phrases, &state.text);
    let heard = phrases.beginning(state.node);
    // A single letter almost always begins a phrase.
    if !spoken.is_empty() {
        caption += &format!("; spoken: {}", spoken.join(" "));
    } else if heard.len() > 1 {
        caption += &format!("; begun: “{heard}…”");
    }
    caption
}

/// Lists the phrases that end in the latest turn, each once, with how often it does.
fn list_spoken(phrases: &Phrases, spoken: &Spoken) -> Vec<String> {
    let mut heard: Vec<(u16, u32)> = Vec::new();
    let mut node = 0;
    for (at, byte) in spoken.text().bytes().enumerate() {
        node = phrases.after(node, byte);
        let ended = if at < spoken.latest() { &[] } else { phrases.phrases_at(node) };
        for phrase in ended {
            match heard.iter_mut().find(|(known, _)| known == phrase) {
                Some((_, count)) => *count += 1,
                None => heard.push((*phrase, 1)),
            }
        }
    }
    let name = |(phrase, count): (u16, u32)| match (&phrases.texts()[usize::from(phrase)], count) {
        (text, 1) => format!("“{text}”"),
        (text, count) => format!("“{text}” ×{count}"),
    };
    heard.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::Rng;

    /// The drawing after these letters, with the glyphs of its layers on top of each other.
    fn render(text: &str) -> (Scene, Vec<String>) {
        let (built, _) = crate::roster::roster().build("drawn?size=21").unwrap();
        let rules = built.rules().clone();
        let mut state = built.start(&mut Rng::from_seed(0));
        state.text = crate::rules::history::Spoken::empty();
        text.bytes().for_each(|letter| {
            rules.instance().speak(&mut state, letter).unwrap();
        });
        let scene = draw(&rules, &state);
        let mut rows = vec![vec![' '; scene.width as usize]; scene.height as usize];
        for mark in scene.layers.iter().filter(|layer| !layer.overlay).flat_map(|l| &l.marks) {
            if let Mark::Cell { at, glyph, .. } = mark {
                rows[at.row as usize][at.column as usize] = *glyph;
            }
        }
        (scene, rows.into_iter().map(String::from_iter).collect())
    }

    #[test]
    fn a_unit_casts_its_ghost_where_it_would_fall() {
        let (_, rows) = render("");
        assert_eq!(
            rows,
            [
                "....@.....",
                "..........",
                ".##.:##...",
                "...##..##.",
                ".##..##...",
                "...##..##.",
                ".##..##...",
                "...##..##."
            ]
        );
    }

    #[test]
    fn the_command_that_locks_a_unit_moves_it_nowhere() {
        let (built, _) = crate::roster::roster().build("drawn?size=21").unwrap();
        let mut state = built.start(&mut Rng::from_seed(0));
        // Two rows below, it lies on full cells.
        let letters = "lal";
        letters.bytes().for_each(|letter| {
            built.rules().instance().speak(&mut state, letter).unwrap();
        });
        assert_eq!(course::tell(built.rules(), &state, letters), "the unit moves 2 down, locks");
    }

    #[test]
    fn a_unit_for_which_there_is_no_room_is_outlined_and_counted() {
        let (built, _) = crate::roster::roster().build("drawn?size=21").unwrap();
        let rules = built.rules();
        let mut state = built.start(&mut Rng::from_seed(0));
        // Units that fall straight down pile up below the place where they come.
        while state.walk.is_some() {
            let letter =
                if state.walk.as_ref().unwrap().position().y & 1 == 0 { b'l' } else { b'a' };
            rules.instance().speak(&mut state, letter).unwrap();
        }
        assert!(rules.instance().is_stuck(&state));
        let scene = draw(rules, &state);
        let next = state.came + 1;
        assert!(scene.caption.starts_with(&format!("no room for unit {next} of")));
        let unit = scene.layers.iter().find(|layer| layer.name == "unit").unwrap();
        let is_bad = |mark: &Mark| matches!(mark, Mark::Outline { paint: Paint::Bad, .. });
        assert!(unit.marks.iter().any(is_bad));
    }

    #[test]
    fn the_phrase_on_the_lips_is_in_the_caption_and_a_whole_one_lights_the_unit() {
        let lit = |scene: &Scene| {
            let unit = scene.layers.iter().find(|layer| layer.name == "unit").unwrap();
            unit.marks.iter().any(|mark| matches!(mark, Mark::Cell { paint: Paint::Accent, .. }))
        };
        let (scene, _) = render("ei");
        assert!(scene.caption.ends_with("“ei…”") && !lit(&scene), "{}", scene.caption);
        let (scene, _) = render("ei!");
        assert!(scene.caption.ends_with("“ei!”") && lit(&scene), "{}", scene.caption);
    }

    #[test]
    fn a_phrase_is_lit_in_the_text_and_its_points_are_listed() {
        let (scene, _) = render("ei!");
        let body =
            |title: &str| &scene.panels.iter().find(|panel| panel.title == title).unwrap().body;
        let PanelBody::Text(spans) = body("spoken") else { panic!("a text") };
        assert_eq!(*spans, [Span { text: "ei!".to_owned(), lit: true }]);
        let PanelBody::Figures(figures) = body("score by part") else { panic!("figures") };
        assert!(figures.contains(&("“ei!”".to_owned(), "×1  306".to_owned())), "{figures:?}");
        let spans = highlight_phrases(&Phrases::contest(), &format!("{}ei!!", "p".repeat(200)));
        let lit: Vec<&str> = spans.iter().filter(|s| s.lit).map(|s| s.text.as_str()).collect();
        assert_eq!(lit, ["ei!"]);
        assert_eq!(spans.iter().map(|s| s.text.chars().count()).sum::<usize>(), LETTERS + 1);
    }

    #[test]
    fn the_caption_tells_every_phrase_of_the_turn_and_none_of_an_earlier_one() {
        let phrases = Phrases::new(["ei!", "ia!", "a! e"]);
        let mut spoken = Spoken::empty();
        let mut say = |text: &str| {
            spoken.begin_turn();
            text.bytes().for_each(|letter| spoken.add(letter));
            list_spoken(&phrases, &spoken)
        };
        assert_eq!(say("ppei!ia!p"), ["“ei!”", "“ia!”"]);
        assert_eq!(say("ppp"), [""; 0]);
        assert_eq!(say("ia!ia"), ["“ia!”"]);
        // A phrase belongs to the turn in which it ends.
        assert_eq!(say("! ei!ei!"), ["“ia!”", "“a! e”", "“ei!” ×2"]);
    }

    #[test]
    fn the_points_of_phrases_add_up_however_many_there_are() {
        let (built, _) = crate::roster::roster().build("drawn?size=21").unwrap();
        let mut state = built.start(&mut Rng::from_seed(0));
        for heard in [1, LISTED, LISTED + 1, state.counts.len()] {
            state.counts.iter_mut().enumerate().for_each(|(phrase, count)| {
                *count = if phrase < heard { 1 + phrase as u32 } else { 0 };
            });
            let scene = draw(built.rules(), &state);
            let panel = scene.panels.iter().find(|panel| panel.title == "score by part").unwrap();
            let PanelBody::Figures(figures) = &panel.body else { panic!("figures") };
            let points = |(_, value): &(String, String)| -> u64 {
                value.rsplit(' ').next().unwrap().parse().unwrap()
            };
            let all = figures.iter().position(|(name, _)| name == "points from phrases").unwrap();
            let listed = &figures[all + 1..];
            assert_eq!(listed.len(), heard.min(LISTED + 1));
            assert_eq!(listed.iter().map(points).sum::<u64>(), points(&figures[all]));
        }
    }

    #[test]
    fn the_unit_lies_over_every_overlay_and_the_next_ones_stand_beside_the_board() {
        let (scene, _) = render("");
        let place = |name: &str| scene.layers.iter().position(|layer| layer.name == name).unwrap();
        assert!(scene.layers[place("places")].overlay);
        assert!(place("places") < place("unit") && place("unit") < place("pivot"));
        let PanelBody::Picture(next) = &scene.panels[0].body else { panic!("a picture") };
        assert!(!next.layers[0].marks.is_empty() && next.is_within_bounds());
    }

    #[test]
    fn places_are_heated_by_how_good_they_look() {
        let (scene, _) = render("");
        let places = scene.layers.iter().find(|layer| layer.name == "places").unwrap();
        let heats: Vec<u8> = places
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Cell { paint: Paint::Heat(heat), .. } => Some(*heat),
                _ => None,
            })
            .collect();
        assert!(heats.contains(&0) && heats.contains(&255), "{heats:?}");
    }
}
