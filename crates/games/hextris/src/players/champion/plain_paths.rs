//! Paths to the placements of a game, without regard to phrases. From each place a path is traced
//! back up, row by row, through the positions that [`Reach`] has found; so none is missed, unlike
//! by the [path search](super::path_search), and it takes no longer than the sweep.

use crate::players::champion::reach::Reach;
use crate::players::solver::SolverInput;
use crate::rules::board::Board;
use crate::rules::commands::Command;
use crate::rules::paths::{Paths, Shortcuts};
use crate::rules::units::{Position, Unit};
use crate::rules::walk::Walk;

/// Spells a game in which the units lock at these positions one after the other, from where the
/// input starts, without the first `known` of them. It ends before the first unit that cannot come
/// to its position.
pub(super) fn spell(input: &SolverInput<'_>, positions: &[Position], known: usize) -> String {
    let start = input.start;
    let (Some(walk), Some(first)) = (&start.walk, (start.came as usize).checked_sub(1)) else {
        return String::new();
    };
    let mut board = start.board.clone();
    let mut reach = Reach::new();
    let mut text = String::new();
    for (index, position) in positions.iter().enumerate() {
        let unit = input.instance.nth(first + index);
        if index >= known {
            let path = match index {
                0 => find_path_on(unit, &board, walk, *position),
                _ => find_path(unit, &board, *position, &mut reach),
            };
            let Some(path) = path else { break };
            text.push_str(&path);
        }
        unit.lock(&mut board, *position);
    }
    text
}

/// Returns the letters that lead a unit from where it appears to a position and lock it there.
fn find_path(unit: &Unit, board: &Board, target: Position, reach: &mut Reach) -> Option<String> {
    let start = unit.spawn();
    reach.sweep(unit, board, start);
    let is_reached = |position: Position| {
        let row = i32::from(position.y) - reach.first_row();
        let rows = usize::try_from(row).ok().and_then(|row| reach.reachable().get(row));
        let left = unit.left(position);
        let bits = rows.map_or(0, |rows| rows[usize::from(position.rotation)]);
        (0..128).contains(&left) && bits >> left & 1 == 1
    };
    let mut lock = Command::ALL.into_iter();
    let lock = lock.find(|command| !unit.fits(board, target.after(*command, unit.period())))?;
    if !is_reached(target) {
        return None;
    }
    let mut letters = vec![lock.letter()];
    let mut lowest = target;
    // One row after the other: a shortest path back to where the unit starts or comes down into the
    // row.
    loop {
        // The positions seen, each with the number of the one that it leads to and the command.
        let mut seen = vec![(lowest, 0, lock)];
        let mut next = 0;
        let (end, above) = loop {
            let here = seen.get(next)?.0;
            if here == start {
                break (next, None);
            }
            let above = find_above(here, unit).find(|(above, _)| is_reached(*above));
            if above.is_some() {
                break (next, above);
            }
            for (command, back) in TURNING_BACK {
                let before = here.after(back, unit.period());
                if is_reached(before) && seen.iter().all(|known| known.0 != before) {
                    seen.push((before, next, command));
                }
            }
            next += 1;
        };
        // The letters are written backwards, those of a row too.
        let from = letters.len();
        let mut at = end;
        while at != 0 {
            let (_, to, command) = seen[at];
            letters.push(command.letter());
            at = to;
        }
        letters[from..].reverse();
        match above {
            Some((position, command)) => {
                letters.push(command.letter());
                lowest = position;
            }
            None => break,
        }
    }
    Some(letters.iter().rev().map(|letter| char::from(*letter)).collect())
}

/// The same for a unit that may have moved before: it may not go back to where it has been. It
/// takes longer.
pub(super) fn find_path_on(
    unit: &Unit,
    board: &Board,
    walk: &Walk,
    target: Position,
) -> Option<String> {
    let mut paths = Paths::new();
    paths.explore(unit, board, walk, Shortcuts::default());
    let cells = unit.footprint(target);
    let place = paths.places().iter().find(|place| unit.footprint(place.position) == cells)?;
    Some(paths.commands_to(place))
}

/// The commands that stay in a row, each with the one that takes it back.
const TURNING_BACK: [(Command, Command); 4] = [
    (Command::West, Command::East),
    (Command::East, Command::West),
    (Command::Clockwise, Command::CounterClockwise),
    (Command::CounterClockwise, Command::Clockwise),
];

/// The two positions from which a unit comes down to this one, with the commands that lead there.
fn find_above(position: Position, unit: &Unit) -> impl Iterator<Item = (Position, Command)> {
    (-1..=1).flat_map(move |aside| {
        let above = Position { x: position.x + aside, y: position.y - 1, ..position };
        [Command::SouthWest, Command::SouthEast]
            .into_iter()
            .filter(move |command| above.after(*command, unit.period()) == position)
            .map(move |command| (above, command))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quintain_core::Rng;

    use super::*;
    use crate::rules::Instance;
    use crate::rules::phrases::Phrases;
    use crate::scenarios::generate::{Filling, LAST_SIZE, Units, draw_problem};

    #[test]
    fn a_path_leads_to_every_place_and_never_back() {
        let mut rng = Rng::from_seed(3);
        for size in 0..=LAST_SIZE {
            let problem = Arc::new(draw_problem(size, Units::Usual, Filling::Usual, 7));
            let instance = Instance::new(problem, 0, Arc::new(Phrases::new([""; 0])));
            let mut state = instance.start();
            let (mut reach, mut paths) = (Reach::new(), Paths::new());
            for n in 0..12 {
                let Some(walk) = &state.walk else { break };
                let unit = instance.nth(n);
                paths.explore(unit, &state.board, walk, Shortcuts::default());
                let places = paths.places();
                for place in places.iter().step_by(1 + places.len() / 40) {
                    let path = find_path(unit, &state.board, place.position, &mut reach).unwrap();
                    let mut after = state.clone();
                    for letter in path.bytes() {
                        assert_eq!(after.came, state.came, "locked before the end of {path}");
                        instance.speak(&mut after, letter).unwrap();
                    }
                    let mut board = state.board.clone();
                    unit.lock(&mut board, place.position);
                    assert_eq!(after.board, board, "size {size}, {path}");
                }
                let place = places[rng.below(places.len())];
                for letter in paths.commands_to(&place).bytes() {
                    instance.speak(&mut state, letter).unwrap();
                }
            }
        }
    }
}
