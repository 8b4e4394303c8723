//! NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.
//! Build it with `BUILD`; `cargo test` plays the beginning of a match.

mod observation;

use std::io::{self, BufRead, Write};

use observation::Observation;
use serde_json::{json, Value};

/// Returns one of `actions`, or another action of the game, as [`observation::Action`] has it.
/// `observation` is what this seat sees, `game` the message that began the match, with `seat`,
/// `seats`, `setting` (an [`observation::Setting`]) and more.
fn choose<'a>(
    _observation: &Observation,
    actions: &'a [Value],
    _game: &Value,
    random: &mut Random,
) -> &'a Value {
    &actions[random.below(actions.len())]
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

fn main() -> io::Result<()> {
    play(io::stdin().lock(), io::stdout())
}

/// Speaks the protocol.
fn play(input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut game = Value::Null;
    let mut random = Random(0);
    for line in input.lines() {
        let mut message: Value = serde_json::from_str(&line?)?;
        match message["type"].as_str() {
            Some("hello") => {
                let ready =
                    json!({ "type": "ready", "name": "NAME", "games": ["GAME"], "protocol": 2 });
                writeln!(out, "{ready}")?;
            }
            Some("start") => {
                random = Random(message["seed"].as_u64().unwrap_or(0));
                game = message;
            }
            Some("turn") => {
                let seen = message["observation"].take();
                let observation: Observation = serde_json::from_value(seen)?;
                let actions = message["actions"].as_array().map_or(&[][..], Vec::as_slice);
                let action = choose(&observation, actions, &game, &mut random);
                writeln!(out, "{}", json!({ "type": "action", "action": action }))?;
                // Standard output belongs to the protocol; for debugging, print to standard error:
                // eprintln!("{action}");
            }
            Some("bye") => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
