//! How a game is shown and played by hand. It is registered on the entry next to the rules; neither
//! rules nor players have access to it. Code that draws pixels or reads keys is elsewhere.

use crate::ui::{Keyboard, Scene};

use crate::outcome::Note;
use crate::rules::Rules;
use crate::seat::Seat;

/// What people see of a game, and the keys they play it with.
///
/// # Example
/// A game whose position is a row of cells, some of them taken:
/// ```
/// use quintain_core::{Presentation, Rules, Seat};
/// use quintain_core::ui::{Mark, Paint, Point, Scene, Sign};
///
/// struct Row;
///
/// impl<R: Rules<State = Vec<bool>>> Presentation<R> for Row {
///     fn scene(&self, _: &R, state: &Vec<bool>, _observer: Option<Seat>) -> Scene {
///         let mut scene = Scene::square(state.len(), 1);
///         let taken = (0..state.len()).filter(|cell| state[*cell]);
///         let marks = taken.map(|cell| Mark::Cell {
///             at: Point::new(cell as i32, 0),
///             paint: Paint::Wall,
///             glyph: '#',
///         });
///         scene.layer("board", marks.collect()).means(Sign::Cell(Paint::Wall, '#'), "taken");
///         scene
///     }
/// }
/// ```
pub trait Presentation<R: Rules>: Send + Sync + 'static {
    /// How a position looks, to the referee (`observer` is `None`) or to one seat.
    fn scene(&self, rules: &R, state: &R::State, observer: Option<Seat>) -> Scene;

    /// How a position looks to the referee without overlays: the other layers of
    /// [`scene`](Presentation::scene). Worth defining where overlays take long to draw.
    fn board(&self, rules: &R, state: &R::State) -> Scene {
        let mut scene = self.scene(rules, state, None);
        scene.layers.retain(|layer| !layer.overlay);
        scene
    }

    /// Like [`board`](Presentation::board) after a turn, except that its first layer has only the
    /// cells that the turn may have changed; the others stay as they were. With `None`, all of the
    /// board is drawn. Worth defining where matches are long and boards large.
    fn board_since(&self, _rules: &R, _state: &R::State) -> Option<Scene> {
        None
    }

    /// Adds overlays with what players noted about the decisions that led to the position. `scene`
    /// was drawn by [`scene`](Presentation::scene) for the same `observer`, and already has the
    /// same overlays, empty, so that a viewer knows them from the start. As there, what one seat is
    /// shown must depend only on what it observes.
    fn annotate(
        &self,
        _rules: &R,
        _state: &R::State,
        _notes: &[Note],
        _observer: Option<Seat>,
        _scene: &mut Scene,
    ) {
    }

    /// What decided a match, in one sentence for people without a full stop, such as “A was cut off
    /// on turn 16 with 12 cells; B had 52”. It names seats by their [letters](Seat::letter).
    /// `positions` are the one before the first turn and those after every turn. With `None`,
    /// people read only how and when the match ended.
    fn decision(
        &self,
        _rules: &R,
        _positions: &mut dyn Iterator<Item = R::State>,
    ) -> Option<String> {
        None
    }

    /// What a seat did, as a sentence goes on after its name: “goes right”, “builds a residence at
    /// row 3, column 7”. `after` is the position to which its action led. With `None`, people read
    /// the action's notation.
    fn tell(
        &self,
        _rules: &R,
        _after: &R::State,
        _seat: Seat,
        _action: &R::Action,
    ) -> Option<String> {
        None
    }

    /// What people read in place of the names of [figures](Rules::metrics), which records keep:
    /// name and title, in the order in which they are shown. A figure that is not listed comes
    /// last, under its name.
    fn figure_titles(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// How a person plays, if one can.
    fn keyboard(&self) -> Option<Keyboard> {
        None
    }
}

/// The presentation of a game that has no drawing yet: one empty cell, with the position in words
/// below it.
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
