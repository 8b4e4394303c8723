//! How a position looks: charges, the walk, and contacts for the better and for the
//! worse; over them, when asked for, the order of the monomers, and how a player that
//! noted it came to the last step.

use quintain_core::{Note, Presentation, Seat};
use quintain_ui::{Keyboard, Mark, Paint, Point, Scene};

use crate::notation::glyph;
use crate::rules::instance::{Instance, Interaction};
use crate::rules::step::Step;
use crate::rules::{Polymer, State};

/// Notes named `visits R` and so on: how often each step was tried.
pub(crate) const VISITS: &str = "visits";
/// Notes named `votes R` and so on: how many trees voted for each step.
pub(crate) const VOTES: &str = "votes";

/// How polymer is shown and played by hand.
pub(crate) struct PolymerPresentation;

impl Presentation<Polymer> for PolymerPresentation {
    fn scene(&self, rules: &Polymer, state: &State, _eye: Option<Seat>) -> Scene {
        draw(rules.instance(), state)
    }

    fn annotate(&self, rules: &Polymer, state: &State, notes: &[Note], scene: &mut Scene) {
        annotate(rules.instance(), state, notes, scene);
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }
}

/// The drawing of a position.
fn draw(instance: &Instance, state: &State) -> Scene {
    let torus = instance.torus();
    let (width, height) = (torus.width(), torus.height());
    let point = |cell: usize| Point::new((cell % width) as i32, (cell / width) as i32);
    let mut scene = Scene::square(width, height);

    let board = (0..torus.cells()).map(|cell| {
        let (paint, glyph) = match state.monomer(cell) {
            None => (Paint::Floor, ' '),
            Some(index) => {
                let paint = match instance.monomers()[index] {
                    0 => Paint::Thing(0),
                    1 => Paint::Thing(1),
                    _ => Paint::Thing(2),
                };
                (paint, glyph(instance, index))
            }
        };
        Mark::Cell { at: point(cell), paint, glyph }
    });
    scene.layer("board", board.collect());

    // Lines that go around the torus would cross the whole drawing: they end at its edge.
    let beside = |a: usize, b: usize| {
        let (a, b) = (point(a), point(b));
        (a.column - b.column).abs() + (a.row - b.row).abs() == 1
    };
    let walk = state.walk();
    let bonds = walk.windows(2).map(|bond| (usize::from(bond[0]), usize::from(bond[1])));
    let line = |from: usize, to: usize, paint: Paint| Mark::Line {
        from: point(from),
        to: point(to),
        paint,
    };
    scene.layer(
        "walk",
        bonds.filter(|(a, b)| beside(*a, *b)).map(|(a, b)| line(a, b, Paint::Seat(0))).collect(),
    );

    let mut contacts = Vec::new();
    for (index, cell) in walk.iter().enumerate() {
        let cell = usize::from(*cell);
        for next in torus.around(cell) {
            let Some(other) = state.monomer(usize::from(next)) else { continue };
            let both = instance.monomers()[index] * instance.monomers()[other];
            if other > index + 1 && both != 0 && beside(cell, usize::from(next)) {
                let is_good = i32::from(both) * instance.sign() > 0;
                let paint = if is_good { Paint::Good } else { Paint::Bad };
                contacts.push(line(cell, usize::from(next), paint));
            }
        }
    }
    scene.layer("contacts", contacts);
    let head = Mark::Cell {
        at: point(state.head()),
        paint: Paint::Accent,
        glyph: glyph(instance, walk.len() - 1),
    };
    scene.layer("head", vec![head]);

    let order = walk.iter().enumerate().map(|(index, cell)| {
        let heat = (255 * index / instance.len().max(2)) as u8;
        let sign = glyph(instance, index);
        Mark::Cell { at: point(usize::from(*cell)), paint: Paint::Heat(heat), glyph: sign }
    });
    scene.overlay("order", order.collect());
    scene.overlay(VISITS, Vec::new());
    scene.overlay(VOTES, Vec::new());

    let laid = walk.len();
    let worth = match instance.interaction() {
        Interaction::Charge => format!("R {}", state.r()),
        Interaction::Hp => {
            let bonds = instance.monomers()[..laid].windows(2);
            let bonds: i32 = bonds.map(|bond| i32::from(bond[0]) * i32::from(bond[1])).sum();
            format!("energy {}", bonds - state.r())
        }
    };
    scene.caption = format!("{laid} of {} monomers, {worth}", instance.len());
    scene
}

/// Draws the visits and votes of the last decision on the cells that were on offer, from
/// the head before. A cell shows its tenths of all visits, or the trees that voted for it.
fn annotate(instance: &Instance, state: &State, noted: &[Note], scene: &mut Scene) {
    let [.., before, _] = state.walk() else { return };
    let torus = instance.torus();
    let ways = torus.next(usize::from(*before));
    for name in [VISITS, VOTES] {
        let mut steps = Vec::new();
        for note in noted {
            let step =
                note.name.strip_prefix(name).map(str::trim).and_then(|s| s.parse::<Step>().ok());
            // Programs can note what they like.
            if let Some(step) = step.filter(|_| note.value >= 0.0) {
                steps.push((usize::from(ways[step as usize]), note.value));
            }
        }
        let all: f64 = steps.iter().map(|(_, value)| value).sum();
        let marks = steps.into_iter().map(|(cell, value)| {
            let share = if all > 0.0 { value / all } else { 0.0 };
            let figure = if name == VISITS { (10.0 * share).floor() } else { value };
            let glyph = char::from(b'0' + figure.min(9.0) as u8);
            let at = Point::new((cell % torus.width()) as i32, (cell / torus.width()) as i32);
            Mark::Cell { at, paint: Paint::Heat((255.0 * share) as u8), glyph }
        });
        if let Some(layer) = scene.layers.iter_mut().find(|layer| layer.name == name) {
            layer.marks = marks.collect();
        }
    }
}
