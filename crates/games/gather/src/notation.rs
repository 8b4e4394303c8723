//! Text forms. A move is written as on the compass, `W` or `SE`, or as `stay`; the course's numbers
//! are read too. A position is drawn as rows of cells: `.` no trail, `a`…`z` where that seat alone
//! left its unit, `2`…`9` and `+` where that many units are on the trail, `A`…`Z` a player, `*`
//! several.

use std::fmt;
use std::str::FromStr;

use crate::rules::state::State;
use crate::rules::torus::Move;

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Move::Stay => "stay",
            Move::W => "W",
            Move::E => "E",
            Move::N => "N",
            Move::S => "S",
            Move::NW => "NW",
            Move::NE => "NE",
            Move::SW => "SW",
            Move::SE => "SE",
        })
    }
}

/// The error for a text that is not a move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("“{0}” is not a direction; write stay, W, E, N, S, NW, NE, SW, SE or 0 to 8")]
pub struct MoveError(String);

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Self, MoveError> {
        let known = Move::ALL.into_iter().enumerate();
        let mut matching = known
            .filter(|(number, to)| {
                to.to_string().eq_ignore_ascii_case(text) || number.to_string() == text
            })
            .map(|(_, to)| to);
        matching.next().ok_or_else(|| MoveError(text.to_owned()))
    }
}

/// The lower-case letter of a seat or unit.
pub(crate) fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}

/// The character for a trail with these units.
pub(crate) fn trail_sign(mut units: impl Iterator<Item = usize>) -> char {
    let Some(first) = units.next() else { return '.' };
    match units.count() {
        0 => letter(first),
        more @ 1..=8 => char::from(b'1' + more as u8),
        _ => '+',
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let torus = self.torus();
        for row in 0..torus.height {
            for column in 0..torus.width {
                let cell = torus.index(crate::rules::torus::Cell { column, row });
                let mut here = self.players_on(cell);
                let sign = match (here.next(), here.next()) {
                    (None, _) => trail_sign(self.trail(cell)),
                    (Some(seat), None) => letter(seat).to_ascii_uppercase(),
                    (Some(_), Some(_)) => '*',
                };
                write!(f, "{sign}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {}\n{self}", self.round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_read_back_as_words_and_as_the_courses_numbers() {
        for (number, to) in Move::ALL.into_iter().enumerate() {
            assert_eq!(to.to_string().parse(), Ok(to));
            assert_eq!(number.to_string().parse(), Ok(to));
        }
        assert_eq!("sw".parse(), Ok(Move::SW));
        assert!("9".parse::<Move>().unwrap_err().to_string().contains("“9” is not a direction"));
        assert!("up".parse::<Move>().unwrap_err().to_string().contains("NW, NE"));
    }
}
