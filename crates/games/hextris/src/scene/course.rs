//! What made the score of a match, in words: how many units came, and the lines that they removed.

use crate::rules::commands::{Command, command_of};
use crate::rules::{Hextris, State};

/// Describes what decided a match with these positions.
pub(super) fn describe(
    rules: &Hextris,
    positions: &mut dyn Iterator<Item = State>,
) -> Option<String> {
    let mut last: Option<State> = None;
    let (mut most, mut turn_of_most) = (0, 0);
    for (turn, state) in positions.enumerate() {
        let removed = state.lines - last.as_ref().map_or(0, |last| last.lines);
        if removed > most {
            (most, turn_of_most) = (removed, turn);
        }
        last = Some(state);
    }
    let (last, instance) = (last?, rules.instance());
    let (came, all) = (last.came, instance.queue().len());
    let end = match instance.is_stuck(&last) {
        true => format!("There was no room for unit {} of {all}", came + 1),
        false => format!("All {all} units were placed"),
    };
    let lines = match (last.lines, most) {
        (0, _) => "no line was removed".to_owned(),
        (1, _) => format!("1 line was removed, on turn {turn_of_most}"),
        (lines, 1) => format!("{lines} lines were removed, one at a time"),
        (lines, most) => {
            format!("{lines} lines were removed, {most} of them at once on turn {turn_of_most}")
        }
    };
    Some(format!("{end}; {lines}"))
}

/// Says where letters led the unit, and whether it locked.
pub(super) fn tell(rules: &Hextris, after: &State, letters: &str) -> String {
    // A unit that is where it came has only just come: the one before it has locked.
    let has_locked = after
        .walk
        .as_ref()
        .is_none_or(|walk| walk.position() == rules.instance().unit(after).spawn());
    let mut commands: Vec<Command> = letters.bytes().filter_map(command_of).collect();
    if has_locked {
        // The command that finds no room moves nothing.
        commands.pop();
    }
    let count =
        |command: Command| commands.iter().filter(|known| **known == command).count() as i64;
    let [west, east, left, right] =
        [Command::West, Command::East, Command::SouthWest, Command::SouthEast].map(count);
    // Six turns are none.
    let turns =
        (count(Command::Clockwise) - count(Command::CounterClockwise) + 2).rem_euclid(6) - 2;
    // A step down leads half a cell to a side.
    let halves = 2 * (east - west) + right - left;
    let cells = |halves: i64| match (halves / 2, halves % 2) {
        (0, _) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    };
    let mut ways = Vec::new();
    if left + right > 0 {
        ways.push(format!("{} down", left + right));
    }
    if halves != 0 {
        let side = if halves < 0 { "left" } else { "right" };
        ways.push(format!("{} to the {side}", cells(halves.abs())));
    }
    let mut does = Vec::new();
    if !ways.is_empty() {
        does.push(format!("moves {}", ways.join(" and ")));
    }
    if turns != 0 {
        let way = if turns > 0 { "clockwise" } else { "counterclockwise" };
        let times = match turns.abs() {
            1 => String::new(),
            2 => " twice".to_owned(),
            many => format!(" {many} times"),
        };
        does.push(format!("turns {way}{times}"));
    }
    if has_locked {
        does.push(match after.before {
            0 => "locks".to_owned(),
            1 => "locks and removes a line".to_owned(),
            lines => format!("locks and removes {lines} lines"),
        });
    }
    match does.is_empty() {
        true => "the unit ends where it was".to_owned(),
        false => format!("the unit {}", does.join(", ")),
    }
}

/// What the figures of a match are called.
pub(super) const FIGURES: &[(&str, &str)] = &[
    ("moves", "points from locks"),
    ("power", "points from phrases"),
    ("lines", "lines removed"),
    ("units", "units that came"),
    ("phrases", "different phrases spoken"),
    ("letters", "letters spoken"),
];
