//! How a position looks, and how it is played by hand.

use quintain_core::ui::{Keyboard, Paint, Scene};
use quintain_core::{Presentation, Seat};

use crate::notation::letter;
use crate::rules::{NewGame, SIDE, State};

pub(crate) struct NewGamePresentation;

impl Presentation<NewGame> for NewGamePresentation {
    fn scene(&self, _rules: &NewGame, state: &State, _eye: Option<Seat>) -> Scene {
        Scene::board(SIDE, SIDE, |index| match state.mark(index) {
            Some(seat) => (Paint::Seat(seat.index() as u16), letter(Some(seat))),
            None => (Paint::Floor, ' '),
        })
    }

    fn keyboard(&self) -> Option<Keyboard> {
        let keys = Keyboard::new("1 to 9 mark a cell", |key| key.among("123456789"));
        Some(keys.with_cells("point at a cell", |gesture| {
            gesture.means(gesture.at.row * SIDE as i32 + gesture.at.column + 1)
        }))
    }
}
