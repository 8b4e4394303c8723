//! The protocol of Riddles' Light Riders: one process per match, and lines of words. First
//! `settings NAME VALUE`; then each turn `update game round N`, `update game field F` and
//! `action move MS`, where F has the cells within the border row by row, with commas in between:
//! `.` free, `x` taken, `0` and `1` the heads. Output: a word in lower case.

use std::time::Duration;

use quintain_core::{
    Budget, ClientCodec, ForeignProtocol, Lifecycle, MatchStart, Parsed, ProtocolError, Question,
    Request, Seat, ServerCodec,
};
use serde_json::Value;

use super::lines::{parse_word, read_position, word};
use crate::State;
use crate::notation::position_json;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, MAX_SIDE};

pub(super) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "riddles-tron",
    summary: "one process a match; settings, then the field each turn, answered by a word",
    source: "Riddles, Light Riders",
    lifecycle: Lifecycle::Match,
    has_events: false,
    referee: || Box::new(Referee::default()),
    program: Some(|| Box::new(Program::default())),
};

/// The time that a program has where nothing limits it: the contest's time bank.
const TIME_BANK: Duration = Duration::from_secs(10);
/// The time that a program has for a move in the contest, besides the bank.
const TIME_PER_MOVE: Duration = Duration::from_millis(200);
/// The words for the heads and for taken and free cells.
const TAKEN: &str = "x";
const FREE: &str = ".";

#[derive(Default)]
struct Referee {
    budget: Budget,
    /// Whether the settings have been sent.
    has_begun: bool,
}

impl Referee {
    /// The settings, which are sent before the first position.
    fn settings(&self, state: &State, own: Seat) -> String {
        let Budget { per_move, per_match, increment, .. } = self.budget;
        let bank = per_match.or(per_move).unwrap_or(TIME_BANK).as_millis();
        let per_move = per_move.or(increment).unwrap_or(TIME_PER_MOVE).as_millis();
        let (own, width, height) = (own.index(), state.width() - 2, state.height() - 2);
        format!(
            "settings player_names player0,player1\nsettings your_bot player{own}\n\
             settings timebank {bank}\nsettings time_per_move {per_move}\n\
             settings your_botid {own}\nsettings field_width {width}\n\
             settings field_height {height}\n"
        )
    }
}

impl ServerCodec for Referee {
    fn match_start(
        &mut self,
        match_start: &MatchStart,
        _setting: &Value,
    ) -> Result<String, ProtocolError> {
        if match_start.seats != 2 {
            return Err("Riddles' protocol is for two players".into());
        }
        self.budget = match_start.budget;
        Ok(String::new())
    }

    fn question(&mut self, question: &Question) -> Result<String, ProtocolError> {
        let state = read_position(question)?;
        let begins = !std::mem::replace(&mut self.has_begun, true);
        let mut text = if begins { self.settings(&state, question.seat) } else { String::new() };
        let sign = |cell: usize| match state.cell(cell) {
            Cell::Free => FREE,
            Cell::Trail(seat) if state.head(seat) == cell => ["0", "1"][seat.index()],
            Cell::Wall | Cell::Trail(_) => TAKEN,
        };
        let rows = 1..state.height() - 1;
        let inner = rows.flat_map(|row| {
            let first = row * state.width();
            first + 1..first + state.width() - 1
        });
        let field: Vec<&str> = inner.map(sign).collect();
        let time = question.time.unwrap_or(TIME_BANK).as_millis();
        text += &format!(
            "update game round {}\nupdate game field {}\naction move {time}\n",
            question.turn,
            field.join(",")
        );
        Ok(text)
    }

    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError> {
        let direction = parse_word(&line.trim().to_ascii_uppercase());
        let direction = direction.map_err(|_| "expected up, down, left or right")?;
        Ok(Some(direction.to_string().into()))
    }
}

#[derive(Default)]
struct Program {
    own: usize,
    /// Columns and rows within the border.
    sides: [usize; 2],
    per_move: Option<Duration>,
    round: u32,
    field: Vec<String>,
}

impl Program {
    /// Reads a setting; those that change nothing are left out.
    fn set(&mut self, name: &str, value: &str) -> Result<(), ProtocolError> {
        let number = || {
            let number = value.parse::<usize>();
            number.map_err(|_| format!("expected a whole number for {name}"))
        };
        match name {
            "your_botid" => match number()? {
                own @ (0 | 1) => self.own = own,
                _ => return Err("expected 0 or 1 for your_botid".into()),
            },
            "field_width" | "field_height" => {
                let side = number()?;
                if !(1..=MAX_SIDE - 2).contains(&side) {
                    let most = MAX_SIDE - 2;
                    return Err(format!("expected sides from 1 to {most}").into());
                }
                self.sides[usize::from(name == "field_height")] = side;
            }
            "time_per_move" => self.per_move = Some(Duration::from_millis(number()? as u64)),
            _ => {}
        }
        Ok(())
    }

    /// The question that is complete with the time for it.
    fn request(&self, time: &str) -> Result<Request, ProtocolError> {
        let time: u64 = time.parse().map_err(|_| "expected a time in milliseconds")?;
        let [width, height] = self.sides;
        if self.field.is_empty() || self.field.len() != width * height {
            let found = self.field.len();
            return Err(format!("expected a field of {width}×{height} cells, got {found}").into());
        }
        let mut heads = [None; 2];
        let mut rows = vec!["#".repeat(width + 2)];
        for (row, cells) in self.field.chunks(width).enumerate() {
            let mut text = "#".to_owned();
            for (column, cell) in cells.iter().enumerate() {
                text.push(match cell.as_str() {
                    FREE => ' ',
                    TAKEN => '#',
                    head @ ("0" | "1") => {
                        heads[usize::from(head == "1")] = Some((row + 1, column + 1));
                        if head == "1" { 'B' } else { 'A' }
                    }
                    other => {
                        return Err(format!("“{other}” is no cell: expected ., x, 0 or 1").into());
                    }
                });
            }
            rows.push(text + "#");
        }
        rows.push("#".repeat(width + 2));
        let [Some(first), Some(second)] = heads else {
            return Err("expected a field with the heads 0 and 1 on it".into());
        };
        let time = Duration::from_millis(time);
        Ok(Request {
            // The walls are in the observation; only the rules' order of moves counts here.
            scenario: "riddles".to_owned(),
            seat: Seat::new(self.own),
            turn: self.round,
            observation: position_json(rows, &[first, second], &[true; 2], self.round as usize, 0),
            time: Some(self.per_move.map_or(time, |per_move| time.min(per_move))),
        })
    }
}

impl ClientCodec for Program {
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["settings", name, value] => self.set(name, value)?,
            ["update", "game", "round", round] => {
                self.round = round.parse().map_err(|_| "expected the number of a round")?;
            }
            ["update", "game", "field", field] => {
                self.field = field.split(',').map(str::to_owned).collect();
            }
            ["action", "move", time] => return self.request(time).map(Parsed::Request),
            [] | ["settings" | "update", ..] => {}
            _ => return Err("expected settings, update or action move".into()),
        }
        Ok(Parsed::More)
    }

    fn answer(&mut self, action: &str) -> String {
        let direction: Direction = action.parse().expect("players answer with directions");
        format!("{}\n", word(direction).to_ascii_lowercase())
    }
}
