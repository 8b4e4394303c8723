//! How a position looks: walls, trails and heads; over them, when asked for, which
//! seat reaches which cell first.

use quintain_core::{Presentation, Seat};
use quintain_ui::{Keyboard, Mark, Paint, Point, Scene};

use crate::rules::Tron;
use crate::rules::state::{Cell, State};
use crate::rules::territory::{Claim, claims};

/// How tron is shown and played by hand.
pub(crate) struct TronPresentation;

impl Presentation<Tron> for TronPresentation {
    fn scene(&self, _rules: &Tron, state: &State, _eye: Option<Seat>) -> Scene {
        draw(state)
    }

    fn keyboard(&self) -> Option<Keyboard> {
        Some(crate::keyboard::KEYBOARD)
    }
}

/// The drawing of a position.
fn draw(state: &State) -> Scene {
    let mut scene = Scene::square(state.width(), state.height());
    let at = |cell: usize| Point::new((cell % state.width()) as i32, (cell / state.width()) as i32);
    let cells = 0..state.width() * state.height();
    let board = cells.map(|cell| {
        let (paint, glyph) = match state.cell(cell) {
            Cell::Free => (Paint::Floor, ' '),
            Cell::Wall => (Paint::Wall, '#'),
            Cell::Trail(seat) if state.head(seat) == cell => {
                (Paint::Head(seat.index() as u16), letter(b'A', seat))
            }
            Cell::Trail(seat) => (Paint::Seat(seat.index() as u16), letter(b'a', seat)),
        };
        Mark::Cell { at: at(cell), paint, glyph }
    });
    scene.layer("board", board.collect());

    let fallen = Seat::all(state.seats()).filter(|seat| !state.is_alive(*seat));
    let crashes = fallen.map(|seat| Mark::Cell {
        at: at(state.head(seat)),
        paint: Paint::Accent,
        glyph: '*',
    });
    scene.layer("crashes", crashes.collect());

    let territory = claims(state).into_iter().enumerate().filter_map(|(cell, claim)| {
        let (paint, glyph) = match claim {
            Claim::Nobody => return None,
            Claim::Seat(seat) => (Paint::Claim(seat.index() as u16), letter(b'1', seat)),
            Claim::Contested => (Paint::Heat(96), '='),
        };
        Some(Mark::Cell { at: at(cell), paint, glyph })
    });
    scene.overlay("territory", territory.collect());

    let alive = state.alive().count();
    scene.caption = format!("{alive} of {} alive", state.seats());
    scene
}

fn letter(first: u8, seat: Seat) -> char {
    char::from(first + seat.index() as u8)
}
