//! Battlesnake's form of questions: a JSON object a turn, in a line, with the board and all snakes,
//! answered by `{"move": "up"}`. A cycle is a snake whose tail never moves. Walls, and what crashed
//! cycles left behind, are hazards that kill at once. Rows count from the bottom, and the ring of
//! walls around a board is its edge. Services get it as the body of a request
//! (`docs/protocols.md`).

use std::time::Duration;

use quintain_core::{
    ClientCodec, ForeignProtocol, Lifecycle, MatchStart, Parsed, ProtocolError, Question, Request,
    Seat, ServerCodec,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::lines::{parse_word, read_position, word};
use crate::State;
use crate::notation::position_json;
use crate::rules::direction::Direction;
use crate::rules::state::{Cell, MAX_SIDE};

pub(super) const PROTOCOL: ForeignProtocol = ForeignProtocol {
    name: "battlesnake",
    summary: "one process a match, or a service; the board in JSON, answered by a move in JSON",
    source: "Battlesnake's API, version 1",
    lifecycle: Lifecycle::Match,
    has_events: true,
    referee: || Box::new(Referee::default()),
    program: Some(|| Box::new(Program)),
};

/// The time for an answer where nothing limits it: that of its ladders.
const TIMEOUT: Duration = Duration::from_millis(500);
/// The health of a snake, all of which a hazard takes.
const HEALTH: u32 = 100;

/// A cell, from the lower left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Place {
    x: usize,
    y: usize,
}

#[derive(Default)]
struct Referee {
    id: String,
    /// The cells of each seat, in the order in which it entered them.
    trails: Vec<Vec<usize>>,
}

impl Referee {
    /// Adds what has happened since the last question.
    fn follow(&mut self, state: &State) {
        self.trails.resize(state.seats(), Vec::new());
        for (seat, trail) in Seat::all(state.seats()).zip(&mut self.trails) {
            let own = |cell: &usize| state.cell(*cell) == Cell::Trail(seat);
            if trail.is_empty() {
                // In which order the cells of an opening were entered is not known.
                let cells = 0..state.width() * state.height();
                trail.extend(cells.filter(|cell| own(cell) && *cell != state.head(seat)));
            }
            if trail.last() != Some(&state.head(seat)) {
                trail.push(state.head(seat));
            }
        }
    }

    fn snake(&self, state: &State, seat: Seat) -> Value {
        let trail = self.trails[seat.index()].iter().rev();
        let body: Vec<Place> = trail.map(|cell| place_of(state, *cell)).collect();
        json!({
            "id": seat.letter(),
            "name": seat.letter(),
            "health": HEALTH,
            "body": body,
            "head": body[0],
            "length": body.len(),
            "latency": "0",
            "shout": "",
            "squad": "",
            "customizations": { "color": "#888888", "head": "default", "tail": "default" },
        })
    }
}

fn place_of(state: &State, cell: usize) -> Place {
    Place { x: cell % state.width() - 1, y: state.height() - 2 - cell / state.width() }
}

impl ServerCodec for Referee {
    fn match_start(
        &mut self,
        match_start: &MatchStart,
        setting: &Value,
    ) -> Result<String, ProtocolError> {
        if setting["moves"] != "simultaneous" {
            return Err("Battlesnake's protocol is for players that move at once".into());
        }
        self.id = format!("{}-{}", match_start.seed, match_start.seat.letter());
        Ok(String::new())
    }

    fn question(&mut self, question: &Question) -> Result<String, ProtocolError> {
        let state = read_position(question)?;
        self.follow(&state);
        let alive = |seat: Seat| state.is_alive(seat);
        let is_hazard = |cell: usize| match state.cell(cell) {
            Cell::Free => false,
            Cell::Wall => true,
            Cell::Trail(seat) => !alive(seat),
        };
        let rows = 1..state.height() - 1;
        let inner = rows.flat_map(|row| {
            let first = row * state.width();
            first + 1..first + state.width() - 1
        });
        let hazards: Vec<Place> =
            inner.filter(|cell| is_hazard(*cell)).map(|cell| place_of(&state, cell)).collect();
        let snakes: Vec<Value> = Seat::all(state.seats())
            .filter(|seat| alive(*seat))
            .map(|seat| self.snake(&state, seat))
            .collect();
        let timeout = question.time.unwrap_or(TIMEOUT).as_millis() as u64;
        let body = json!({
            "game": {
                "id": self.id,
                "ruleset": {
                    "name": "standard",
                    "version": "v1.0.0",
                    "settings": {
                        "foodSpawnChance": 0,
                        "minimumFood": 0,
                        "hazardDamagePerTurn": HEALTH,
                    },
                },
                "map": "tron",
                "source": "quintain",
                "timeout": timeout,
            },
            "turn": question.turn,
            "board": {
                "width": state.width() - 2,
                "height": state.height() - 2,
                "food": [],
                "hazards": hazards,
                "snakes": snakes,
            },
            "you": self.snake(&state, question.seat),
        });
        Ok(format!("{body}\n"))
    }

    fn answer(&mut self, line: &str) -> Result<Option<Value>, ProtocolError> {
        let expected = || ProtocolError::from("expected {\"move\":\"up\"}, or down, left or right");
        let answer: Value = serde_json::from_str(line).map_err(|_| expected())?;
        let named = answer["move"].as_str().ok_or_else(expected)?;
        let direction = parse_word(&named.to_ascii_uppercase()).map_err(|_| expected())?;
        Ok(Some(direction.to_string().into()))
    }
}

/// The parts of a question that a player needs.
#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    game: Game,
    turn: u32,
    board: Board,
    you: Snake,
}

#[derive(Default, Deserialize)]
struct Game {
    timeout: Option<u64>,
}

#[derive(Deserialize)]
struct Board {
    width: usize,
    height: usize,
    #[serde(default)]
    hazards: Vec<Place>,
    snakes: Vec<Snake>,
}

#[derive(Deserialize)]
struct Snake {
    id: String,
    body: Vec<Place>,
}

struct Program;

impl ClientCodec for Program {
    fn hear(&mut self, line: &str) -> Result<Parsed, ProtocolError> {
        if line.trim().is_empty() {
            return Ok(Parsed::More);
        }
        let asked: Asked = serde_json::from_str(line)
            .map_err(|error| format!("expected the JSON of a move request: {error}"))?;
        let Board { width, height, hazards, snakes } = asked.board;
        if !(1..=MAX_SIDE - 2).contains(&width) || !(1..=MAX_SIDE - 2).contains(&height) {
            return Err(format!("expected sides from 1 to {}", MAX_SIDE - 2).into());
        }
        let mut rows = vec![vec![b'#'; width + 2]];
        rows.extend((0..height).map(|_| [&b"#"[..], &vec![b' '; width], b"#"].concat()));
        rows.push(vec![b'#'; width + 2]);
        let at = |place: &Place| match place.x < width && place.y < height {
            true => Ok((height - place.y, place.x + 1)),
            false => {
                Err(ProtocolError::from(format!("({}, {}) is off the board", place.x, place.y)))
            }
        };
        for place in &hazards {
            let (row, column) = at(place)?;
            rows[row][column] = b'#';
        }
        let mut heads = Vec::new();
        for (snake, sign) in snakes.iter().zip(b'a'..) {
            for place in snake.body.iter().rev() {
                let (row, column) = at(place)?;
                rows[row][column] = sign;
            }
            let head = snake.body.first().ok_or("expected a snake with a body")?;
            let (row, column) = at(head)?;
            rows[row][column] = sign.to_ascii_uppercase();
            heads.push((row, column));
        }
        let own = snakes.iter().position(|snake| snake.id == asked.you.id);
        let own = own.ok_or("expected you among the snakes")?;
        let rows = rows.into_iter().map(|row| String::from_utf8_lossy(&row).into_owned());
        let alive = vec![true; heads.len()];
        let turn = asked.turn.min(u32::from(u16::MAX)) as usize;
        Ok(Parsed::Request(Request {
            // The walls are in the observation; only the rules' order of moves counts here.
            scenario: format!("empty?players={}", heads.len().max(2)),
            seat: Seat::new(own),
            turn: asked.turn,
            observation: position_json(rows.collect(), &heads, &alive, turn, 0),
            time: asked.game.timeout.map(Duration::from_millis),
        }))
    }

    fn answer(&mut self, action: &str) -> String {
        let direction: Direction = action.parse().expect("players answer with directions");
        format!("{}\n", json!({ "move": word(direction).to_ascii_lowercase() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(referee: &mut Referee, state: &State, seat: usize) -> Value {
        let observation = serde_json::to_value(state).unwrap();
        let question = Question::new(Seat::new(seat), 4, observation, Vec::new());
        serde_json::from_str(&referee.question(&question).unwrap()).unwrap()
    }

    #[test]
    fn rows_count_from_below_and_walls_are_hazards() {
        let state = crate::notation::parse_drawn("#####\n#A  #\n## B#\n#####");
        let asked = ask(&mut Referee::default(), &state, 1);
        assert_eq!(asked["board"]["width"], 3);
        assert_eq!(asked["board"]["height"], 2);
        assert_eq!(asked["board"]["hazards"], json!([{ "x": 0, "y": 0 }]));
        assert_eq!(asked["you"]["head"], json!({ "x": 2, "y": 0 }));
        assert_eq!(asked["board"]["snakes"][0]["head"], json!({ "x": 0, "y": 1 }));
        assert_eq!(asked["game"]["ruleset"]["settings"]["hazardDamagePerTurn"], 100);
    }

    #[test]
    fn a_body_begins_at_the_head_and_follows_the_trail_back() {
        let mut referee = Referee::default();
        let draw = crate::notation::parse_drawn;
        ask(&mut referee, &draw("######\n#A   #\n#   B#\n######"), 0);
        ask(&mut referee, &draw("######\n#aA  #\n#  Bb#\n######"), 0);
        let asked = ask(&mut referee, &draw("######\n#aa  #\n# ABb#\n######"), 0);
        let body = json!([{ "x": 1, "y": 0 }, { "x": 1, "y": 1 }, { "x": 0, "y": 1 }]);
        assert_eq!(asked["you"]["body"], body);
        assert_eq!(asked["you"]["length"], 3);
    }

    #[test]
    fn those_who_move_in_turn_are_refused() {
        let about = MatchStart::new("tron", "codingame", 2);
        let setting = json!({ "moves": "sequential", "trails": "vanish" });
        let refused = Referee::default().match_start(&about, &setting).unwrap_err();
        assert_eq!(refused.to_string(), "Battlesnake's protocol is for players that move at once");
    }
}
