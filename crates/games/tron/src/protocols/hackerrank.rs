//! HackerRank's protocol: one process per move. Input: `r` or `g`; the heads as
//! `r_row r_col g_row g_col`; the board in `#`, `-`, `r`, `g` (after a line `rows cols` in the
//! variant for any size). Output: a word.

use quintain_core::{
    ClientCodec, ForeignProtocol, Lifecycle, Parsed, ProtocolError, Question, Request, Seat,
    ServerCodec,
};
use serde_json::Value;

use super::lines::{draw_rows, parse_numbers, parse_word, read_position, word};
use crate::notation::position_json;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, MAX_SIDE};

pub(super) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "hackerrank-tron",
    summary: "a process for every move; the board in rows, answered by a word",
    source: "HackerRank, Tron",
    lifecycle: Lifecycle::Question,
    has_events: false,
    referee: || Box::new(Referee),
    program: Some(|| Box::new(Program { lines: Vec::new() })),
};

/// The side of the board where no line states its size.
const SIDE: usize = 15;

struct Referee;

impl ServerCodec for Referee {
    fn question(&mut self, question: &Question) -> Result<String, ProtocolError> {
        let state = read_position(question)?;
        if state.seats() != 2 {
            return Err("HackerRank's protocol is for two players".into());
        }
        let place = |seat: usize| {
            let cell = state.head(Seat::new(seat));
            (cell / state.width(), cell % state.width())
        };
        let (red, green) = (place(0), place(1));
        let own = if question.seat == Seat::new(1) { 'g' } else { 'r' };
        let mut text = format!("{own}\n{} {} {} {}\n", red.0, red.1, green.0, green.1);
        if (state.height(), state.width()) != (SIDE, SIDE) {
            text += &format!("{} {}\n", state.height(), state.width());
        }
        text += &draw_rows(&state, |cell| match state.cell(cell) {
            Cell::Free => '-',
            Cell::Wall => '#',
            Cell::Trail(seat) => ['r', 'g'][seat.index()],
        });
        Ok(text)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError> {
        parse_word(line).map(|direction| Some(direction.to_string().into()))
    }
}

struct Program {
    lines: Vec<String>,
}

impl ClientCodec for Program {
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError> {
        self.lines.push(line.trim_end().to_owned());
        if self.lines.len() < 3 {
            return Ok(Parsed::More);
        }
        let sized = parse_numbers::<2>(&self.lines[2]).ok();
        let (height, first) = match sized {
            None => (SIDE, 2),
            Some([height, width]) => {
                let sides = 3..=MAX_SIDE as i32;
                if !sides.contains(&height) || !sides.contains(&width) {
                    self.lines.clear();
                    return Err(format!("expected sides from 3 to {MAX_SIDE}").into());
                }
                (height as usize, 3)
            }
        };
        if self.lines.len() < first + height {
            return Ok(Parsed::More);
        }
        let lines = std::mem::take(&mut self.lines);
        let seat = match lines[0].as_str() {
            "r" => Seat::new(0),
            "g" => Seat::new(1),
            other => return Err(format!("expected r or g, got “{other}”").into()),
        };
        let [a, b, c, d] = parse_numbers::<4>(&lines[1])?;
        let on_board = |number: i32| {
            let place = usize::try_from(number).ok().filter(|place| *place < MAX_SIDE);
            place.ok_or_else(|| ProtocolError::from("expected heads on the board"))
        };
        let heads = [(on_board(a)?, on_board(b)?), (on_board(c)?, on_board(d)?)];
        let board: Vec<String> = (lines[first..].iter().enumerate())
            .map(|(row, line)| {
                let sign = |(column, sign)| match sign {
                    '-' => ' ',
                    'r' if heads[0] == (row, column) => 'A',
                    'g' if heads[1] == (row, column) => 'B',
                    'r' => 'a',
                    'g' => 'b',
                    sign => sign,
                };
                line.chars().enumerate().map(sign).collect()
            })
            .collect();
        // Every move leaves one trail cell behind.
        let trail = board.iter().flat_map(|row| row.chars()).filter(|sign| *sign == 'a').count();
        Ok(Parsed::Request(Request {
            scenario: "hackerrank".to_owned(),
            seat,
            turn: trail as u32,
            observation: position_json(board, &heads, &[true, true], trail, 0),
            time: None,
        }))
    }

    fn answer(&mut self, action: &str) -> String {
        let direction: Direction = action.parse().expect("players answer with directions");
        format!("{}\n", word(direction))
    }
}
