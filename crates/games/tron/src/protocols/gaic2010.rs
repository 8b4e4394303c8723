//! The protocol of the Google AI Challenge 2010: one process per match. Input each turn: `W H`,
//! then H rows of `#`, space, `1` = you, `2` = the other. Output: 1 north, 2 east, 3 south, 4 west;
//! within 1 s, the first within 3 s.

use std::time::Duration;

use quintain_core::{
    ClientCodec, ForeignProtocol, Lifecycle, Parsed, ProtocolError, Question, Request, Seat,
    ServerCodec,
};
use serde_json::Value;

use super::lines::{draw_rows, parse_numbers, read_position};
use crate::notation::position_json;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, MAX_SIDE};

pub(super) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "gaic2010",
    summary: "one process a match; the board each turn, answered by 1 to 4",
    source: "Google AI Challenge 2010",
    lifecycle: Lifecycle::Match,
    has_events: false,
    referee: || Box::new(Referee),
    program: Some(|| Box::new(Program::default())),
};

struct Referee;

impl ServerCodec for Referee {
    fn question(&mut self, question: &Question) -> Result<String, ProtocolError> {
        let state = read_position(question)?;
        if state.seats() != 2 {
            return Err("the protocol of 2010 is for two players".into());
        }
        let own = question.seat;
        let size = format!("{} {}\n", state.width(), state.height());
        let board = draw_rows(&state, |cell| match state.cell(cell) {
            Cell::Free => ' ',
            Cell::Trail(seat) if state.head(seat) == cell => {
                if seat == own {
                    '1'
                } else {
                    '2'
                }
            }
            Cell::Wall | Cell::Trail(_) => '#',
        });
        Ok(size + &board)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError> {
        let direction =
            line.trim().parse::<usize>().ok().and_then(|n| Direction::ALL.get(n.wrapping_sub(1)));
        let direction = direction.ok_or("expected 1, 2, 3 or 4")?;
        Ok(Some(direction.to_string().into()))
    }
}

#[derive(Default)]
struct Program {
    height: usize,
    rows: Vec<String>,
    turn: u32,
}

impl ClientCodec for Program {
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError> {
        if self.height == 0 {
            if line.trim().is_empty() {
                return Ok(Parsed::More);
            }
            let [width, height] = parse_numbers::<2>(line)?;
            if !(3..=MAX_SIDE as i32).contains(&width) || !(3..=MAX_SIDE as i32).contains(&height) {
                return Err(format!("expected sides from 3 to {MAX_SIDE}").into());
            }
            self.height = height as usize;
            return Ok(Parsed::More);
        }
        self.rows.push(line.trim_end_matches(['\r', '\n']).to_owned());
        if self.rows.len() < self.height {
            return Ok(Parsed::More);
        }
        self.height = 0;
        let rows = std::mem::take(&mut self.rows);
        let find = |head: char| {
            let found = rows.iter().enumerate().find_map(|(row, line)| {
                line.chars().position(|sign| sign == head).map(|column| (row, column))
            });
            found.ok_or_else(|| format!("expected a board with the head {head} on it"))
        };
        let heads = [find('1')?, find('2')?];
        let board = rows.iter().map(|row| row.replace('1', "A").replace('2', "B")).collect();
        let turn = self.turn;
        self.turn += 1;
        let seconds = if turn == 0 { 3 } else { 1 };
        Ok(Parsed::Request(Request {
            // The walls are in the observation; only the rules' order of moves counts here.
            scenario: "hackerrank".to_owned(),
            seat: Seat::new(0),
            turn,
            observation: position_json(board, &heads, &[true, true], turn as usize, 0),
            time: Some(Duration::from_secs(seconds)),
        }))
    }

    fn answer(&mut self, action: &str) -> String {
        let direction: Direction = action.parse().expect("players answer with directions");
        format!("{}\n", direction as usize + 1)
    }
}
