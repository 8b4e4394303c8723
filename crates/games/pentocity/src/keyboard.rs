//! How a person builds: the cell pointed at is the middle of the building. If no road cells were
//! marked, the building comes with the shortest road, as offered. The rules decide what is allowed:
//! a gesture may mean an action that they refuse.

use std::fmt::Write;

use quintain_core::ui::Point;
use quintain_core::ui::{Gesture, Key, Keyboard, Pointed, Pointing};
use quintain_grid::Cell;

use crate::notation::Observation;
use crate::rules::state::Move;

/// The keyboard of pentocity.
pub(crate) const KEYBOARD: Keyboard = Keyboard {
    help: "x rejects the request",
    action,
    names: &[],
    pointing: Some(Pointing {
        help: "point where the building is to stand; t turns it; mark water, park or road first",
        marks: &[('w', "water"), ('p', "park"), ('r', "road")],
        others: &[('x', "reject")],
        action: interpret_pointing,
    }),
    solution: None,
};

fn action(key: Key) -> Option<String> {
    (key == Key::Character('x')).then(|| Move::Reject.to_string())
}

fn interpret_pointing(gesture: &Gesture<'_>) -> Option<Pointed> {
    let seen: Observation = serde_json::from_value(gesture.observation.clone()).ok()?;
    let (request, side) = (seen.state().request()?, seen.state().board().side() as i32);
    let rotation = gesture.turns % request.rotations();
    let piece = request.rotated(rotation);
    let shape = piece.shape();
    let first = |at: i32, long: u8| (at - i32::from(long - 1) / 2).clamp(0, side - i32::from(long));
    let row = first(gesture.at.row, shape.height);
    let column = first(gesture.at.column, shape.width);
    let mut action = format!("r{rotation}@{row},{column}");
    let mut cells: Vec<Point> = shape
        .cells
        .iter()
        .map(|&(down, right)| Point::new(column + i32::from(right), row + i32::from(down)))
        .collect();
    let state = seen.state();
    let is_free = |at: &Point| {
        let (Ok(row), Ok(col)) = (u8::try_from(at.row), u8::try_from(at.column)) else {
            return false;
        };
        let cell = Cell { row, col };
        state.board().has(cell) && state.board().empty().contains(cell)
    };
    // Nothing can be laid on what is taken: such marks mean nothing.
    let marks: Vec<(char, Point)> =
        gesture.marks.iter().filter(|(_, at)| is_free(at)).copied().collect();
    let marked = |key: char| marks.iter().filter(move |(own, _)| *own == key);
    if marked('r').next().is_none() {
        // The offered action with this building on this place, if there is one.
        let place = action.clone();
        let same = |offer: &&String| offer.split(';').next() == Some(place.as_str());
        if let Some(Ok(Move::Build(build))) = gesture.offered.iter().find(same).map(|o| o.parse()) {
            for cell in &build.road {
                cells.push(Point::new(i32::from(cell.col), i32::from(cell.row)));
            }
            if let Some((_, rest)) = gesture.offered.iter().find(same)?.split_once(";road=") {
                let road = rest.split(';').next().unwrap_or_default();
                let _ = write!(action, ";road={road}");
            }
        }
    }
    for (key, name) in [('r', "road"), ('w', "water"), ('p', "park")] {
        for (index, (_, at)) in marked(key).enumerate() {
            let before = if index == 0 { format!(";{name}=") } else { "+".to_owned() };
            let _ = write!(action, "{before}{},{}", at.row, at.column);
        }
    }
    cells.extend(marks.iter().map(|(_, at)| *at));
    Some(Pointed { action, cells })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintain_core::{Catalog, Seat};
    use serde_json::Value;

    fn gesture<'a>(
        at: (i32, i32),
        turns: u8,
        marks: &'a [(char, Point)],
        observation: &'a Value,
        offered: &'a [String],
    ) -> Gesture<'a> {
        Gesture { at: Point::new(at.1, at.0), turns, marks, observation, offered }
    }

    #[test]
    fn pointing_builds_around_the_cell_with_the_road_that_is_offered() {
        let catalog = Catalog::new().with(crate::entry());
        let game = catalog.game("pentocity", "stars?side=20").unwrap();
        let mut state = game.begin(1);
        let seat = Seat::new(0);
        for _ in 0..4 {
            let (seen, offered) = (state.observation(seat), state.actions(seat));
            let away =
                |cell: (i32, i32)| interpret_pointing(&gesture(cell, 1, &[], &seen, &offered));
            let meant = away((9, 9)).unwrap();
            if state.check(seat, &meant.action).is_ok() {
                assert!(offered.contains(&meant.action), "{} is an offer", meant.action);
                assert!(meant.cells.len() >= 5);
            }
            let corner = away((0, 0)).unwrap();
            assert!(corner.action.starts_with("r") && corner.action.contains("@0,0"));
            let mut wishes = [&meant.action, &corner.action].into_iter().chain(&offered);
            let play = wishes.find(|wish| state.check(seat, wish).is_ok()).unwrap().clone();
            state.play(&[&play]).unwrap();
        }
    }

    #[test]
    fn marks_become_water_park_and_road() {
        let catalog = Catalog::new().with(crate::entry());
        let game = catalog.game("pentocity", "stars?side=20").unwrap();
        let state = game.begin(1);
        let (seen, offered) = (state.observation(Seat::new(0)), state.actions(Seat::new(0)));
        let marks = [('w', Point::new(9, 2)), ('w', Point::new(9, 3)), ('r', Point::new(19, 19))];
        let meant = interpret_pointing(&gesture((0, 0), 0, &marks, &seen, &offered)).unwrap();
        assert!(meant.action.ends_with(";road=19,19;water=2,9+3,9"), "{}", meant.action);
        assert!(meant.action.parse::<Move>().is_ok());
        let refused = state.check(Seat::new(0), "r0@19,19").unwrap_err().to_string();
        assert!(refused.contains("outside of the land"), "{refused}");
    }

    #[test]
    fn marks_on_taken_cells_are_left_out() {
        let catalog = Catalog::new().with(crate::entry());
        let game = catalog.game("pentocity", "stars?side=20").unwrap();
        let mut state = game.begin(1);
        let seat = Seat::new(0);
        let mut builds = state.actions(seat).into_iter().filter(|action| action.contains('@'));
        let build = builds.next().unwrap();
        state.play(&[&build]).unwrap();
        let (seen, offered) = (state.observation(seat), state.actions(seat));
        let known: Observation = serde_json::from_value(seen.clone()).unwrap();
        let built = known.state().board().occupied().cells().next().unwrap();
        let taken = Point::new(i32::from(built.col), i32::from(built.row));
        let free = Point::new(10, 10);
        let marks = [('w', taken), ('w', free), ('w', Point::new(-1, 0))];
        let meant = interpret_pointing(&gesture((15, 15), 0, &marks, &seen, &offered)).unwrap();
        assert!(meant.action.ends_with(";water=10,10"), "{}", meant.action);
        assert!(meant.cells.contains(&free) && !meant.cells.contains(&Point::new(-1, 0)));
    }
}
