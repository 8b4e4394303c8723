//! CodinGame's protocol: one process per match, players move in turn. Input each turn: `N P`
//! (players, own number), then for each player where its trail begins and where its head is,
//! `X0 Y0 X1 Y1`, all −1 once it has fallen. Output: a word, in about 100 ms. The program must
//! remember the trails itself.

use std::time::Duration;

use quintain_core::{
    ClientCodec, ForeignProtocol, Lifecycle, MatchStart, Parsed, ProtocolError, Question, Request,
    Seat, ServerCodec,
};
use serde_json::Value;

use super::lines::{parse_numbers, parse_word, read_position, word};
use crate::notation::position_json;
use crate::rules::Trails;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, MAX_SEATS, State};

pub(super) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "codingame-tron",
    summary: "one process a match; the heads each turn, answered by a word",
    source: "CodinGame, Tron Battle",
    lifecycle: Lifecycle::Match,
    has_events: false,
    referee: || Box::new(Referee::default()),
    program: Some(|| Box::new(Program::default())),
};

/// The board within its border.
const WIDTH: usize = 30;
const HEIGHT: usize = 20;
const TIME: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Referee {
    starts: Vec<usize>,
}

impl ServerCodec for Referee {
    fn match_start(
        &mut self,
        match_start: &MatchStart,
        setting: &Value,
    ) -> Result<String, ProtocolError> {
        if match_start.seats > MAX_SEATS {
            return Err(format!("CodinGame's protocol is for at most {MAX_SEATS} players").into());
        }
        // Of two players, none is left to enter the trail of the one who falls.
        if match_start.seats > 2 && setting["trails"] != Trails::Vanish.to_string() {
            return Err("CodinGame's protocol is for boards where the trails of those who fall \
                        vanish (trails=vanish)"
                .into());
        }
        Ok(String::new())
    }

    fn question(&mut self, question: &Question) -> Result<String, ProtocolError> {
        let state = read_position(question)?;
        if self.starts.is_empty() {
            check_board(&state)?;
        }
        let own = question.seat;
        let seats = || Seat::all(state.seats());
        let place = |cell: usize| (cell % state.width() - 1, cell / state.width() - 1);
        if self.starts.is_empty() {
            self.starts = seats().map(|seat| start_of(&state, seat, own)).collect();
        }
        let mut text = format!("{} {}\n", state.seats(), own.index());
        for seat in seats() {
            if state.is_alive(seat) {
                let (x0, y0) = place(self.starts[seat.index()]);
                let (x1, y1) = place(state.head(seat));
                text += &format!("{x0} {y0} {x1} {y1}\n");
            } else {
                text += "-1 -1 -1 -1\n";
            }
        }
        Ok(text)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError> {
        parse_word(line).map(|direction| Some(direction.to_string().into()))
    }
}

/// Refuses a board other than the contest's: the protocol transmits neither its size nor its walls.
fn check_board(state: &State) -> Result<(), ProtocolError> {
    let (width, height) = (state.width() - 2, state.height() - 2);
    if (width, height) != (WIDTH, HEIGHT) {
        return Err(format!(
            "CodinGame's protocol is for boards of {WIDTH}×{HEIGHT} cells within the border, but \
             this one has {width}×{height}"
        )
        .into());
    }
    let mut inner = (1..=height).flat_map(|row| (1..=width).map(move |column| (row, column)));
    if let Some((row, column)) =
        inner.find(|(row, column)| state.cell(row * state.width() + column) == Cell::Wall)
    {
        return Err(format!(
            "CodinGame's protocol is for boards without walls, but this one has a wall at \
             ({row}, {column})"
        )
        .into());
    }
    Ok(())
}

/// Where a trail begins, seen when `own` is asked first: the seats before it have moved once.
fn start_of(state: &State, seat: Seat, own: Seat) -> usize {
    let head = state.head(seat);
    if seat.index() >= own.index() {
        return head;
    }
    let trail = Direction::ALL.map(|to| state.neighbour(head, to)).into_iter();
    let mut own_cells = trail.filter(|cell| state.cell(*cell) == Cell::Trail(seat));
    own_cells.next().unwrap_or(head)
}

#[derive(Default)]
struct Program {
    /// The number of players and the own number, once the first line of a turn has been read.
    now: Option<(usize, usize)>,
    lines: Vec<[i32; 4]>,
    board: Vec<Vec<char>>,
    turn: u32,
}

impl ClientCodec for Program {
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError> {
        let Some((players, own)) = self.now else {
            if line.trim().is_empty() {
                return Ok(Parsed::More);
            }
            let [players, own] = parse_numbers::<2>(line)?;
            if !(2..=MAX_SEATS as i32).contains(&players) || !(0..players).contains(&own) {
                return Err(
                    format!("expected 2 to {MAX_SEATS} players and one's own number").into()
                );
            }
            self.now = Some((players as usize, own as usize));
            return Ok(Parsed::More);
        };
        self.lines.push(parse_numbers(line)?);
        if self.lines.len() < players {
            return Ok(Parsed::More);
        }
        self.now = None;
        let lines = std::mem::take(&mut self.lines);
        self.see(&lines)?;
        let alive: Vec<bool> = lines.iter().map(|line| line[0] >= 0).collect();
        let heads: Vec<(usize, usize)> =
            lines
                .iter()
                .map(|line| {
                    if line[0] < 0 { (1, 1) } else { (line[3] as usize + 1, line[2] as usize + 1) }
                })
                .collect();
        let mut board = self.board.clone();
        for (seat, &(row, column)) in heads.iter().enumerate().filter(|(seat, _)| alive[*seat]) {
            board[row][column] = char::from(b'A' + seat as u8);
        }
        let rows = board.iter().map(|row| row.iter().collect()).collect();
        let turn = self.turn;
        self.turn += 1;
        let played = turn as usize * players + own;
        Ok(Parsed::Request(Request {
            scenario: format!("codingame?players={players}"),
            seat: Seat::new(own),
            turn: played as u32,
            observation: position_json(rows, &heads, &alive, played, own),
            time: Some(TIME),
        }))
    }

    fn answer(&mut self, action: &str) -> String {
        let direction: Direction = action.parse().expect("players answer with directions");
        format!("{}\n", word(direction))
    }
}

impl Program {
    /// Draws what the lines say into the remembered board.
    fn see(&mut self, lines: &[[i32; 4]]) -> Result<(), ProtocolError> {
        if self.board.is_empty() {
            let edge = vec!['#'; WIDTH + 2];
            let mut row = vec![' '; WIDTH + 2];
            (row[0], row[WIDTH + 1]) = ('#', '#');
            self.board = vec![row; HEIGHT + 2];
            (self.board[0], self.board[HEIGHT + 1]) = (edge.clone(), edge);
        }
        for (seat, line) in lines.iter().enumerate() {
            let trail = char::from(b'a' + seat as u8);
            if line[0] < 0 {
                let cells = self.board.iter_mut().flatten();
                cells.filter(|sign| **sign == trail).for_each(|sign| *sign = ' ');
                continue;
            }
            for [x, y] in [[line[0], line[1]], [line[2], line[3]]] {
                if !(0..WIDTH as i32).contains(&x) || !(0..HEIGHT as i32).contains(&y) {
                    return Err(format!("expected cells on a board of {WIDTH}×{HEIGHT}").into());
                }
                self.board[y as usize + 1][x as usize + 1] = trail;
            }
        }
        Ok(())
    }
}
