//! How a position looks: walls, trails and heads, overlaid on request with which seat reaches which
//! cell first.

mod course;

use std::fmt::Write;

use quintain_core::ui::{Keyboard, Mark, Paint, Point, Scene, Sign};
use quintain_core::{Presentation, Seat};

use crate::rules::Tron;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, LastEvent, State};
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

    fn tell(&self, _: &Tron, _: &State, _: Seat, action: &Direction) -> Option<String> {
        Some(course::tell(*action).to_owned())
    }

    fn decision(
        &self,
        _rules: &Tron,
        positions: &mut dyn Iterator<Item = State>,
    ) -> Option<String> {
        course::describe(positions)
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
    scene.layer("board", board.collect()).means(Sign::Cell(Paint::Wall, '#'), "wall");

    let fallen = Seat::all(state.seats()).filter(|seat| !state.is_alive(*seat));
    let crashes = fallen.map(|seat| Mark::Cell {
        at: at(state.head(seat)),
        paint: Paint::Accent,
        glyph: '*',
    });
    scene.layer("crashes", crashes.collect()).means(Sign::Cell(Paint::Accent, '*'), "crashed here");

    let territory = claims(state).into_iter().enumerate().filter_map(|(cell, claim)| {
        let (paint, glyph) = match claim {
            Claim::Nobody => return None,
            Claim::Seat(seat) => (Paint::Claim(seat.index() as u16), letter(b'1', seat)),
            Claim::Contested => (Paint::Heat(96), '='),
        };
        Some(Mark::Cell { at: at(cell), paint, glyph })
    });
    let layer = scene.overlay("territory", territory.collect());
    for seat in Seat::all(state.seats()) {
        let sign = Sign::Cell(Paint::Claim(seat.index() as u16), letter(b'1', seat));
        layer.means(sign, format!("{} gets here first", letter(b'A', seat)));
    }
    layer.means(Sign::Cell(Paint::Heat(96), '='), "several get here at once");

    scene.caption = caption(state);
    scene
}

/// Says which seats live and how the others fell.
fn caption(state: &State) -> String {
    let mut caption = format!("{} of {} alive", state.alive().count(), state.seats());
    let fallen: Vec<Seat> =
        Seat::all(state.seats()).filter(|seat| !state.is_alive(*seat)).collect();
    if let (&[first, second], LastEvent::HeadOn, 2) = (&fallen[..], state.last, state.seats()) {
        let (first, second) = (letter(b'A', first), letter(b'A', second));
        return caption + &format!("; {first} and {second} entered the same cell");
    }
    for seat in fallen {
        let how = match state.hit(seat) {
            Cell::Free if state.has_met(seat) => "entered the same cell as another".to_owned(),
            Cell::Free => "crashed".to_owned(),
            Cell::Wall => "ran into the wall".to_owned(),
            Cell::Trail(other) if other == seat => "ran into its own trail".to_owned(),
            Cell::Trail(other) => format!("ran into {}'s trail", letter(b'A', other)),
        };
        let turn = state.fell_on(seat);
        let _ = write!(caption, "; {} {how} on turn {turn}", letter(b'A', seat));
    }
    caption
}

fn letter(first: u8, seat: Seat) -> char {
    char::from(first + seat.index() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::read_map;
    use crate::rules::direction::Direction::{self, Down, Left, Right, Up};
    use crate::rules::{Moves, Trails};
    use quintain_core::Rules;

    fn caption_after(map: &str, joint: [Direction; 2]) -> String {
        let mut state = read_map(map).unwrap();
        Tron::new(2, Moves::Simultaneous, Trails::Stay).step(&mut state, &joint);
        draw(&state).caption
    }

    #[test]
    fn the_caption_tells_who_fell_when_and_who_met() {
        let map = "#####\n#1 2#\n#   #\n#####\n";
        assert_eq!(caption_after(map, [Down, Down]), "2 of 2 alive");
        assert_eq!(caption_after(map, [Up, Left]), "1 of 2 alive; A ran into the wall on turn 1");
        assert_eq!(
            caption_after(map, [Right, Left]),
            "0 of 2 alive; A and B entered the same cell"
        );
        assert_eq!(
            caption_after(map, [Up, Up]),
            "0 of 2 alive; A ran into the wall on turn 1; B ran into the wall on turn 1"
        );
    }

    #[test]
    fn the_caption_counts_the_turns_of_the_match_without_its_opening() {
        let position = read_map("#######\n#1    #\n#     #\n#    2#\n#######\n").unwrap();
        let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay);
        let scenario = crate::environment::scenario(rules.clone(), position, 3);
        let mut state = scenario.start(&mut quintain_core::Rng::from_seed(1));
        assert_eq!(state.turn(), 3);
        let mut turns = 0;
        while rules.turn(&state) != quintain_core::Turn::Over {
            rules.step(&mut state, &[Up, Down]);
            turns += 1;
        }
        let caption = draw(&state).caption;
        assert!(caption.ends_with(&format!("on turn {turns}")), "{caption} after {turns} turns");
    }

    #[test]
    fn of_more_than_two_the_caption_tells_who_met() {
        let mut state = read_map("#######\n#1 2  #\n#    3#\n#######\n").unwrap();
        let rules = Tron::new(3, Moves::Simultaneous, Trails::Stay);
        rules.step(&mut state, &[Right, Left, Down]);
        assert_eq!(
            draw(&state).caption,
            "0 of 3 alive; A entered the same cell as another on turn 1; \
             B entered the same cell as another on turn 1; C ran into the wall on turn 1"
        );
    }

    #[test]
    fn the_caption_tells_what_they_ran_into() {
        let map = "#####\n#12 #\n#   #\n#####\n";
        assert_eq!(
            caption_after(map, [Right, Down]),
            "1 of 2 alive; A ran into B's trail on turn 1"
        );
        let mut state = read_map(map).unwrap();
        let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay);
        rules.step(&mut state, &[Down, Right]);
        rules.step(&mut state, &[Up, Down]);
        assert_eq!(draw(&state).caption, "1 of 2 alive; A ran into its own trail on turn 2");
        // A position that was read from text does not say.
        let read: State = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
        assert_eq!(read, state);
        assert_eq!(draw(&read).caption, "1 of 2 alive; A crashed on turn 2");
    }
}
