//! A knockout's bracket in characters: a line for each player, one column for each round.

use quintain_scene::TEXT_WIDTH;
use quintain_standings::{Bracket, Meeting};

/// The most and the fewest characters of a column.
const WIDEST: usize = 28;
const NARROWEST: usize = 8;
/// The fewest characters of a shortened name that say something.
const SHORTEST: usize = 4;
/// The lines between two columns, and a space on each side of the right one.
const LINES: usize = 3;

/// Draws a bracket in about this width. Players whose names do not fit have numbers: the first
/// column has them beside the names.
pub(super) fn draw(bracket: &Bracket, width: Option<usize>) -> String {
    let rounds = bracket.rounds.len();
    let columns = Columns::choose(bracket, width.unwrap_or(TEXT_WIDTH));
    let mut rows = vec![String::new(); 1 << rounds];
    for (number, round) in bracket.rounds.iter().enumerate() {
        // The lines of a meeting, and the two on which its players stand, the last of each half.
        let height = 2 << number;
        for (place, meeting) in round.iter().enumerate() {
            let first = place * height;
            let (upper, lower) = (first + height / 2 - 1, first + height - 1);
            if number == 0 {
                for (row, seat) in [(upper, 0), (lower, 1)] {
                    rows[row] = match meeting.players[seat] {
                        Some(player) => columns.name(bracket, player, "", columns.first),
                        None if meeting.is_bye => "–".to_owned(),
                        None => String::new(),
                    };
                }
            }
            let start = columns.first + (columns.later + LINES) * number;
            for (row, text) in rows.iter_mut().enumerate().take(lower + 1).skip(upper) {
                while text.chars().count() < start {
                    text.push(' ');
                }
                text.push_str(match row {
                    row if row == upper => " ┐",
                    row if row == lower => " ┴",
                    _ => " │",
                });
            }
            rows[lower].push(' ');
            rows[lower] += &match meeting.winner {
                Some(winner) => columns.name(bracket, winner, &score(meeting), columns.later),
                None => "?".to_owned(),
            };
        }
    }
    let mut text: String = rows.iter().map(|row| row.trim_end().to_owned() + "\n").collect();
    if bracket.rounds.iter().flatten().any(Meeting::is_tied) {
        text += "= a tie: the player earlier in the list advances\n";
    }
    text
}

/// The characters of the columns.
struct Columns {
    first: usize,
    later: usize,
    /// The digits of players' numbers, if they have any.
    digits: Option<usize>,
}

impl Columns {
    fn choose(bracket: &Bracket, width: usize) -> Columns {
        let rounds = bracket.rounds.len();
        let left = width.saturating_sub(LINES * rounds);
        let room = (left / (rounds + 1)).clamp(NARROWEST, WIDEST);
        let length = |name: &String| name.chars().count();
        let longest = bracket.players.iter().map(length).max().unwrap_or(0);
        let fits = |meeting: &Meeting| {
            let winner = meeting.winner.map_or(0, |winner| length(&bracket.players[winner]));
            winner + score(meeting).chars().count() <= room
        };
        if longest <= room && bracket.rounds.iter().flatten().all(fits) {
            return Columns { first: room, later: room, digits: None };
        }
        let digits = bracket.players.len().to_string().len();
        // What comes later needs room for a number and a score.
        let most = left.saturating_sub((digits + NARROWEST) * rounds).clamp(room, WIDEST);
        let first = (longest + digits + 1).min(most);
        let later = left.saturating_sub(first) / rounds.max(1);
        Columns { first, later: later.clamp(NARROWEST, WIDEST), digits: Some(digits) }
    }

    /// A player with what follows its name, in so many characters.
    fn name(&self, bracket: &Bracket, player: usize, rest: &str, room: usize) -> String {
        let name = &bracket.players[player];
        let Some(digits) = self.digits else { return fit(name, rest, room) };
        let number = format!("{:>digits$}", player + 1);
        let left = room.saturating_sub(digits + 1 + rest.chars().count());
        match left < SHORTEST {
            true => number + rest,
            false => format!("{number} {}", fit_ends(name, rest, room - digits - 1)),
        }
    }
}

/// By how much a meeting was won, behind a space; nothing if it was not played.
fn score(meeting: &Meeting) -> String {
    let Some([one, other]) = meeting.points.filter(|_| meeting.winner.is_some()) else {
        return String::new();
    };
    let (more, less) = if one >= other { (one, other) } else { (other, one) };
    let tie = if meeting.is_tied() { "=" } else { "" };
    format!(" {more}–{less}{tie}")
}

/// A name, shortened so that it fits into this room with what follows it.
pub(super) fn fit(name: &str, rest: &str, room: usize) -> String {
    let left = room.saturating_sub(rest.chars().count()).max(2);
    match name.chars().count() <= left {
        true => format!("{name}{rest}"),
        false => format!("{}…{rest}", name.chars().take(left - 1).collect::<String>()),
    }
}

/// The same, but of a long name both ends are left: names of versions and of players with settings
/// begin alike.
fn fit_ends(name: &str, rest: &str, room: usize) -> String {
    let left = room.saturating_sub(rest.chars().count()).max(2);
    let signs: Vec<char> = name.chars().collect();
    if signs.len() <= left {
        return format!("{name}{rest}");
    }
    let end = (left - 1) * 2 / 3;
    let (head, tail) = (&signs[..left - 1 - end], &signs[signs.len() - end..]);
    format!("{}…{}{rest}", head.iter().collect::<String>(), tail.iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bracket(players: usize, known: usize) -> Bracket {
        let names = (0..players).map(|number| format!("player-{number}")).collect();
        Bracket::new(names, |one, other| {
            let (low, high) = (one.min(other), one.max(other));
            let points = if (low + high) % 4 == 3 { [1.5, 2.5] } else { [2.0, 2.0] };
            (high < known).then(|| if one < other { points } else { [points[1], points[0]] })
        })
    }

    #[test]
    fn a_bracket_of_five_shows_who_rests_and_what_is_open() {
        let text = draw(&bracket(5, 4), Some(80));
        let lines: Vec<&str> = text.lines().collect();
        let one = |name| format!("{name:<17}");
        assert_eq!(lines[0], one("player-0") + " ┐");
        assert_eq!(lines[1], one("–") + " ┴ " + &one("player-0") + " ┐");
        assert_eq!(lines[2], one("player-3") + " ┐  " + &one("") + "│");
        assert_eq!(lines[3], one("player-4") + " ┴ " + &one("?") + " ┴ " + &one("?") + " ┐");
        let last = one("–") + " ┴ " + &one("player-2") + " ┴ " + &one("player-2 2.5–1.5") + " ┴ ?";
        assert_eq!(lines[7], last);
        assert_eq!(lines.len(), 8);
    }

    #[test]
    fn long_names_that_begin_alike_are_told_apart_by_numbers() {
        let names = (0..16).map(|number| format!("greedy?samples={number:02}&depth=1"));
        let played =
            |one: usize, other: usize| Some(if one < other { [2.0, 0.0] } else { [0.0, 2.0] });
        let bracket = Bracket::new(names.collect(), played);
        let text = draw(&bracket, Some(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with(" 1 greedy?samples=00&depth=1 ┐"), "{text}");
        let numbers = |line: &str| line.matches(" 1").count();
        assert_eq!(lines.iter().filter(|line| line.contains("┴  1 2–0")).count(), 4, "{text}");
        assert_eq!(numbers(lines[0]), 1, "{text}");
        let names = (0..16).map(|number| format!("bot:the-unreasonably-long-name-of-{number:02}"));
        let text = draw(&Bracket::new(names.collect(), played), Some(80));
        assert!((0..16).all(|number| text.contains(&format!("name-of-{number:02}"))), "{text}");
    }

    #[test]
    fn sixteen_players_fit_a_terminal_of_80_columns_and_24_lines() {
        let text = draw(&bracket(16, 16), Some(80));
        assert!(text.lines().count() <= 18, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("= a tie"), "{text}");
    }
}
