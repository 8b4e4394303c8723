//! A player of tron and hextris as a program of its own: it needs nothing of the
//! workbench but the protocol. The same player stands beside it in four languages.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

/// The cells that can be reached from a cell; they are filled in.
fn room(board: &mut [Vec<u8>], row: usize, column: usize) -> usize {
    let mut edge = vec![(row, column)];
    let mut cells = 0;
    while let Some((row, column)) = edge.pop() {
        if board[row][column] == b' ' {
            board[row][column] = b'#';
            cells += 1;
            edge.extend([
                (row - 1, column),
                (row, column + 1),
                (row + 1, column),
                (row, column - 1),
            ]);
        }
    }
    cells
}

/// The way to the largest room.
fn tron(seen: &Value, seat: usize) -> Option<String> {
    let rows = seen["board"].as_array()?.iter();
    let board: Vec<Vec<u8>> =
        rows.map(|row| row.as_str().map(|row| row.as_bytes().to_vec())).collect::<Option<_>>()?;
    let head = |axis: usize| seen["heads"][seat][axis].as_u64();
    let (row, column) = (head(0)? as usize, head(1)? as usize);
    let ways = [
        ("U", row - 1, column),
        ("R", row, column + 1),
        ("D", row + 1, column),
        ("L", row, column - 1),
    ];
    let best =
        ways.into_iter().max_by_key(|&(_, row, column)| room(&mut board.clone(), row, column))?;
    Some(best.0.to_owned())
}

/// The longest way down.
fn hextris(actions: &Value) -> Option<String> {
    let actions = actions.as_array()?.iter().filter_map(Value::as_str);
    actions.max_by_key(|action| action.len()).map(str::to_owned)
}

fn main() -> io::Result<()> {
    let mut start = Value::Null;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let answer = match message["type"].as_str() {
            Some("hello") => {
                json!({ "type": "ready", "name": "bot.rs", "games": ["tron", "hextris"] })
            }
            Some("start") => {
                start = message;
                continue;
            }
            Some("turn") => {
                let seat = start["seat"].as_u64().unwrap_or(0) as usize;
                let action = match start["game"].as_str() {
                    Some("tron") => tron(&message["observation"], seat),
                    _ => hextris(&message["actions"]),
                };
                json!({ "type": "action", "action": action })
            }
            Some("bye") => return Ok(()),
            _ => continue,
        };
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}
