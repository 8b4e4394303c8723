//! The rounds of a Swiss tournament in characters: a line for each meeting.

use quintain_scene::TEXT_WIDTH;
use quintain_standings::{Meeting, Rounds};

use super::bracket::fit;

/// The columns that are not for names: the indent, the points, the spaces around them.
const BESIDE_NAMES: usize = 16;

/// Draws the rounds in this width.
pub(super) fn draw(rounds: &Rounds, width: Option<usize>) -> String {
    let width = width.unwrap_or(TEXT_WIDTH);
    let longest = rounds.players.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let room = longest.min(width.saturating_sub(BESIDE_NAMES) / 2).max(4);
    let mut text = String::new();
    for (number, round) in (1..).zip(&rounds.rounds) {
        text += &format!("Round {number} of {}\n", rounds.planned);
        for meeting in round {
            text += &format!("  {}\n", describe(rounds, meeting, room));
        }
    }
    text
}

fn describe(rounds: &Rounds, meeting: &Meeting, room: usize) -> String {
    let name = |seat: usize| {
        let name = meeting.players[seat].map_or("", |player| rounds.players[player].as_str());
        fit(name, "", room)
    };
    let points = match meeting.points {
        _ if meeting.is_bye => return format!("{:<room$}  rests", name(0)),
        Some([one, other]) => format!("{one}–{other}"),
        None => "open".to_owned(),
    };
    format!("{:<room$}  {points:^8}  {}", name(0), name(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meeting_has_a_line_that_fits() {
        let names: Vec<String> =
            ["short", "one-with-a-very-long-name-indeed", "c"].map(str::to_owned).to_vec();
        let first = vec![Meeting::between(0, 1, Some([2.5, 1.5])), Meeting::rest(2)];
        let second = vec![Meeting::between(0, 2, None), Meeting::rest(1)];
        let rounds = Rounds::new(names, vec![first, second], 3, 4);
        let text = draw(&rounds, Some(40));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "Round 1 of 3",
                "  short         2.5–1.5   one-with-a-…",
                "  c             rests",
                "Round 2 of 3",
                "  short           open    c",
                "  one-with-a-…  rests",
            ]
        );
    }
}
