//! A knockout's bracket in characters: a line for each player, one column for each round.

use quintain_standings::{Bracket, Meeting};

/// The width that is used where none is given.
const USUAL_WIDTH: usize = 80;
/// The most and the fewest characters of a column.
const WIDEST: usize = 28;
const NARROWEST: usize = 8;
/// The lines between two columns, and a space on each side of the right one.
const LINES: usize = 3;

/// Draws a bracket in about this width.
pub(super) fn draw(bracket: &Bracket, width: Option<usize>) -> String {
    let rounds = bracket.rounds.len();
    let room = width.unwrap_or(USUAL_WIDTH).saturating_sub(LINES * rounds) / (rounds + 1);
    let room = room.clamp(NARROWEST, WIDEST);
    let mut rows = vec![String::new(); 1 << rounds];
    for (number, round) in bracket.rounds.iter().enumerate() {
        // The lines of a meeting, and the two on which its players stand, the last of each half.
        let height = 2 << number;
        for (place, meeting) in round.iter().enumerate() {
            let first = place * height;
            let (upper, lower) = (first + height / 2 - 1, first + height - 1);
            if number == 0 {
                for (row, seat) in [(upper, 0), (lower, 1)] {
                    let name = meeting.players[seat].map(|player| bracket.players[player].as_str());
                    let name = name.unwrap_or(if meeting.is_bye { "–" } else { "" });
                    rows[row] = fit(name, "", room);
                }
            }
            let start = (room + LINES) * number + room;
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
            let (name, score) = describe(bracket, meeting);
            rows[lower] += &fit(&name, &score, room);
        }
    }
    let mut text: String = rows.iter().map(|row| row.trim_end().to_owned() + "\n").collect();
    if bracket.rounds.iter().flatten().any(Meeting::is_tied) {
        text += "= a tie: the one that stands first in the list goes on\n";
    }
    text
}

/// Who has won a meeting, and by how much.
fn describe(bracket: &Bracket, meeting: &Meeting) -> (String, String) {
    let Some(winner) = meeting.winner else { return ("?".to_owned(), String::new()) };
    let name = bracket.players[winner].clone();
    let Some([one, other]) = meeting.points else { return (name, String::new()) };
    let (more, less) = if one >= other { (one, other) } else { (other, one) };
    let tie = if meeting.is_tied() { "=" } else { "" };
    (name, format!(" {more}–{less}{tie}"))
}

/// A name, shortened so that it fits into this room with what follows it.
pub(super) fn fit(name: &str, rest: &str, room: usize) -> String {
    let left = room.saturating_sub(rest.chars().count()).max(2);
    match name.chars().count() <= left {
        true => format!("{name}{rest}"),
        false => format!("{}…{rest}", name.chars().take(left - 1).collect::<String>()),
    }
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
    fn sixteen_players_fit_a_terminal_of_80_columns_and_24_lines() {
        let text = draw(&bracket(16, 16), Some(80));
        assert!(text.lines().count() <= 18, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("= a tie"), "{text}");
    }
}
