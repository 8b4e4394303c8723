//! How a game is shown and played by hand. Registered on the entry beside the rules:
//! neither rules nor players reach it, and what draws pixels or reads keys is elsewhere.

use quintain_ui::{Keyboard, Scene};

use crate::outcome::Note;
use crate::rules::Rules;
use crate::seat::Seat;

/// What people see of a game, and the keys they play it with.
pub trait Presentation<R: Rules>: Send + Sync + 'static {
    /// How a position looks: to the referee (`observer` is `None`) or to one seat.
    fn scene(&self, rules: &R, state: &R::State, observer: Option<Seat>) -> Scene;

    /// Adds to the drawing of a position what players noted on the decisions that led to
    /// it, as overlays. [`scene`](Presentation::scene) has the same overlays, empty, so
    /// that a viewer knows them from the start.
    fn annotate(&self, _rules: &R, _state: &R::State, _notes: &[Note], _scene: &mut Scene) {}

    /// How a person plays, if one can.
    fn keyboard(&self) -> Option<Keyboard> {
        None
    }
}

/// A game that nobody has drawn yet: one empty cell, with the position in words below it.
pub(crate) struct TextPresentation;

impl<R: Rules> Presentation<R> for TextPresentation {
    fn scene(&self, rules: &R, state: &R::State, observer: Option<Seat>) -> Scene {
        let mut scene = Scene::square(1, 1);
        scene.caption = match observer {
            None => format!("{state:?}"),
            Some(seat) => format!("{:?}", rules.observe(state, seat)),
        };
        scene
    }
}
