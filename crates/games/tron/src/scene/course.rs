//! What decided a match, in words: who was cut off and with how much room, or who ran into what.

use quintain_core::Seat;

use crate::rules::direction::Direction;
use crate::rules::state::{Cell, State};

/// Two seats that cannot meet any more, and the room that each has left: whether it can reach each
/// cell.
struct Parting {
    turn: u32,
    rooms: [Vec<bool>; 2],
}

/// Describes what decided a match with these positions.
pub(super) fn describe(positions: &mut dyn Iterator<Item = State>) -> Option<String> {
    let mut parting = None;
    let mut last = None;
    for state in positions {
        if parting.is_none() {
            parting = find_parting(&state);
        }
        last = Some(state);
    }
    let last = last?;
    let seats: Vec<Seat> = Seat::all(last.seats()).collect();
    if seats.iter().filter(|seat| last.is_alive(**seat)).count() > 1 {
        return None;
    }
    Some(match seats[..] {
        [first, second] => describe_duel(&last, first, second, parting),
        _ => describe_order(&last, seats),
    })
}

/// Describes how one of two seats won, or why none did.
fn describe_duel(last: &State, first: Seat, second: Seat, parting: Option<Parting>) -> String {
    let loser = if last.is_alive(first) { second } else { first };
    let winner = if loser == first { second } else { first };
    let (end, is_draw) = (last.fell_on(loser), last.alive().next().is_none());
    let (lost, won) = (loser.letter(), winner.letter());
    let Some(Parting { turn, rooms }) = parting else {
        return match is_draw {
            true if last.has_met(first) => format!("{lost} and {won} met head-on on turn {end}"),
            true => format!("{lost} and {won} crashed on the same turn, {end}"),
            false => format!("{lost} {} on turn {end}", describe_crash(last, loser)),
        };
    };
    let count = |seat: Seat| rooms[seat.index()].iter().filter(|cell| **cell).count();
    let [own, theirs] = [loser, winner].map(count);
    if !is_draw && own < theirs {
        let own = format_room(own);
        return format!(
            "{lost} was cut off on turn {turn} with room for {own}; {won} had room for {theirs}"
        );
    }
    let ends = match is_draw {
        true => format!("both fell on turn {end}"),
        false => {
            let room = rooms[loser.index()].iter().enumerate();
            let filled = room.filter(|(cell, own)| **own && !last.is_free(*cell)).count();
            let crash = describe_crash(last, loser);
            format!("{lost} filled {filled} of its {own} and {crash} on turn {end}")
        }
    };
    let theirs = format_room(theirs);
    format!("{lost} and {won} parted on turn {turn} with room for {own} and {theirs}; {ends}")
}

/// Formats an amount of room.
fn format_room(cells: usize) -> String {
    match cells {
        0 => "no cell".to_owned(),
        1 => "1 cell".to_owned(),
        cells => format!("{cells} cells"),
    }
}

/// Describes what a seat crashed into.
fn describe_crash(last: &State, seat: Seat) -> String {
    match last.hit(seat) {
        Cell::Wall => "ran into a wall".to_owned(),
        Cell::Trail(owner) if owner == seat => "ran into its own trail".to_owned(),
        Cell::Trail(owner) => format!("ran into the trail of {}", owner.letter()),
        Cell::Free => "crashed".to_owned(),
    }
}

/// Describes in which order more than two seats fell.
fn describe_order(last: &State, mut seats: Vec<Seat>) -> String {
    seats.retain(|seat| !last.is_alive(*seat));
    seats.sort_by_key(|seat| last.fell_on(*seat));
    let falls = seats.iter().map(|seat| {
        format!("{} {} on turn {}", seat.letter(), describe_crash(last, *seat), last.fell_on(*seat))
    });
    falls.collect::<Vec<_>>().join(", ")
}

/// Returns the room of two living seats if no free cell can be reached by both.
fn find_parting(state: &State) -> Option<Parting> {
    let seats: Vec<Seat> = state.alive().collect();
    let [first, second] = seats[..] else { return None };
    if state.seats() != 2 {
        return None;
    }
    let [mine, theirs] = [first, second].map(|seat| find_room(state, seat));
    let is_shared = mine.iter().zip(&theirs).any(|(mine, theirs)| *mine && *theirs);
    let turn = state.turn() - state.opening_turns();
    (!is_shared).then_some(Parting { turn, rooms: [mine, theirs] })
}

/// Returns the free cells that a seat can reach, whatever the others do.
fn find_room(state: &State, seat: Seat) -> Vec<bool> {
    let mut room = vec![false; state.cells().len()];
    let neighbours = |cell| Direction::ALL.map(|to| state.neighbour(cell, to));
    let mut stack = neighbours(state.head(seat)).to_vec();
    while let Some(cell) = stack.pop() {
        if state.is_free(cell) && !std::mem::replace(&mut room[cell], true) {
            stack.extend(neighbours(cell));
        }
    }
    room
}

/// Says where a seat went.
pub(super) fn tell(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "goes up",
        Direction::Right => "goes right",
        Direction::Down => "goes down",
        Direction::Left => "goes left",
    }
}

#[cfg(test)]
mod tests {
    use quintain_core::Rules;

    use super::*;
    use crate::notation::parse_drawn;
    use crate::rules::{Moves, Trails, Tron};

    /// Plays from a drawn position and describes the match.
    fn play(board: &str, turns: &[[Direction; 2]]) -> String {
        let rules = Tron::new(2, Moves::Simultaneous, Trails::Stay);
        let mut state = parse_drawn(board);
        let mut positions = vec![state.clone()];
        for joint in turns {
            rules.step(&mut state, joint);
            positions.push(state.clone());
        }
        describe(&mut positions.into_iter()).unwrap()
    }

    #[test]
    fn a_seat_that_is_cut_off_has_less_room() {
        let told = play(
            "#######
             #A    #
             #a    #
             #bB   #
             #     #
             #     #
             #######",
            &[
                [Direction::Right, Direction::Right],
                [Direction::Right, Direction::Right],
                [Direction::Right, Direction::Right],
                [Direction::Right, Direction::Down],
                [Direction::Down, Direction::Left],
                [Direction::Down, Direction::Left],
            ],
        );
        assert_eq!(told, "A was cut off on turn 4 with room for 4 cells; B had room for 9");
    }

    #[test]
    fn who_shuts_itself_in_leaves_room_unused() {
        let told = play(
            "#########
             #a  #  b#
             #A  #  B#
             #   #   #
             #########",
            &[
                [Direction::Right, Direction::Down],
                [Direction::Up, Direction::Left],
                [Direction::Left, Direction::Left],
            ],
        );
        let rooms = "A and B parted on turn 0 with room for 7 and 7 cells";
        let end = "A filled 2 of its 7 and ran into its own trail on turn 3";
        assert_eq!(told, format!("{rooms}; {end}"));
    }

    #[test]
    fn players_that_never_part_meet_or_crash_into_something() {
        let board = "######
                     #A  B#
                     #a  b#
                     ######";
        let met = play(board, &[[Direction::Right, Direction::Up]]);
        assert_eq!(met, "B ran into a wall on turn 1");
        let own = play(board, &[[Direction::Down, Direction::Left]]);
        assert_eq!(own, "A ran into its own trail on turn 1");
        let narrow = "#####
                      #A B#
                      #a b#
                      #####";
        let met = play(narrow, &[[Direction::Right, Direction::Left]]);
        assert_eq!(met, "A and B met head-on on turn 1");
    }
}
