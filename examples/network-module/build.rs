//! Takes the network that the variable `NETWORK` names into the program; without it, tron's own.

use std::path::PathBuf;
use std::{env, fs};

/// The games with a network, each of which is left out unless the network is for it.
const GAMES: [&str; 5] = ["tron", "polymer", "gather", "hextris", "pentocity"];

fn main() {
    println!("cargo::rerun-if-env-changed=NETWORK");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let own = here.join("../../crates/games/tron/networks/tron.safetensors");
    let network = env::var_os("NETWORK").map_or(own, PathBuf::from);
    println!("cargo::rerun-if-changed={}", network.display());
    let wrong = |problem: &str| {
        let expected = "expected the whole path of a file of quintain.train";
        println!("cargo::error=NETWORK={}: {problem}; {expected}", network.display());
    };
    let bytes = match fs::read(&network) {
        Ok(bytes) => bytes,
        Err(error) => return wrong(&error.to_string()),
    };
    let names: Vec<String> = GAMES.iter().map(|game| format!("\"{game}\"")).collect();
    println!("cargo::rustc-check-cfg=cfg(game, values({}))", names.join(","));
    // The file begins with its header as JSON, which names the game.
    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]).replace(' ', "");
    let is_named = |game: &&&str| header.contains(&format!("\"game\":\"{game}\""));
    match GAMES.iter().find(is_named) {
        Some(game) => println!("cargo::rustc-cfg=game=\"{game}\""),
        None => return wrong("it is for none of the five games"),
    }
    let copy = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("network");
    fs::write(copy, bytes).expect("cargo has made the folder");
}
