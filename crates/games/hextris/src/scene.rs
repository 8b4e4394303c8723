//! How a position looks: the honeycomb, the unit with its pivot, its ghost where it would
//! fall, and the phrase on the lips; over it, when asked for, how good the places look
//! where the unit can lock.

use std::collections::BTreeMap;

use quintain_core::{Presentation, Seat};
use quintain_ui::{Keyboard, Lattice, Mark, Paint, Point, Scene};

use crate::rules::Hextris;
use crate::rules::State;
use crate::rules::commands::Command;
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
    scene.layer("board", drawn.collect());
    if let Some(walk) = &state.walk {
        let unit = instance.unit(state);
        let position = walk.position();
        let lands = ghost(unit, state).unwrap_or(position);
        let shadow = unit.cells(lands).map(|cell| mark(cell, Paint::Claim(0), ':'));
        scene.layer("ghost", shadow.collect());
        // A phrase that has just been spoken lights the unit up.
        let lit = !instance.phrases().heard(state.node).is_empty();
        let (paint, glyph) = if lit { (Paint::Accent, '*') } else { (Paint::Seat(0), 'o') };
        let body = unit.cells(position).map(|cell| mark(cell, paint, glyph));
        scene.layer("unit", body.collect());
        let pivot = Cell { x: position.x.into(), y: position.y.into() };
        if (0..width).contains(&pivot.x) && (0..height).contains(&pivot.y) {
            let inside = unit.cells(position).any(|cell| cell == pivot);
            let glyph = if inside { '@' } else { '+' };
            scene.layer("pivot", vec![mark(pivot, Paint::Head(0), glyph)]);
        }
        scene.overlay("places", places(rules, state));
    }
    scene.caption = caption(rules, state);
    scene
}

fn mark(cell: Cell, paint: Paint, glyph: char) -> Mark {
    Mark::Cell { at: Point::new(cell.x, cell.y), paint, glyph }
}

/// For each cell, the best evaluation of a place that the unit covers it in: from cold,
/// the worst of all places, to hot.
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
    let spoken: Vec<String> = phrases
        .texts()
        .iter()
        .zip(&state.counts)
        .filter(|(_, count)| **count > 0)
        .map(|(text, count)| format!("{text} ×{count}"))
        .collect();
    let mut caption = format!(
        "unit {} of {}, score {} (moves {}, power {}), lines {}",
        state.came,
        instance.queue().len(),
        instance.score(state),
        state.moves,
        instance.power(state),
        state.lines
    );
    let heard = phrases.beginning(state.node);
    if !phrases.heard(state.node).is_empty() {
        caption += &format!("; “{heard}”");
    } else if !heard.is_empty() {
        caption += &format!("; “{heard}…”");
    }
    if !spoken.is_empty() {
        caption += &format!("; {}", spoken.join(", "));
    }
    caption
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::{Entry, Rng};

    /// The drawing after what was said, with the glyphs of its layers one over the other.
    fn render(said: &str) -> (Scene, Vec<String>) {
        let (built, _) = Entry::build(&crate::entry(), "drawn?size=21").unwrap();
        let rules = built.rules().clone();
        let mut state = built.start(&mut Rng::from_seed(0));
        said.bytes().for_each(|letter| {
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
    fn the_phrase_on_the_lips_is_in_the_caption_and_a_whole_one_lights_the_unit() {
        let lit = |scene: &Scene| {
            let unit = scene.layers.iter().find(|layer| layer.name == "unit").unwrap();
            matches!(unit.marks[0], Mark::Cell { paint: Paint::Accent, .. })
        };
        let (scene, _) = render("ei");
        assert!(scene.caption.ends_with("“ei…”") && !lit(&scene), "{}", scene.caption);
        let (scene, _) = render("ei!");
        assert!(scene.caption.ends_with("“ei!”; ei! ×1") && lit(&scene), "{}", scene.caption);
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
