//! Takes the network that the variable `NETWORK` names into the program; without it, tron's own.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=NETWORK");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let own = here.join("../../crates/games/tron/networks/tron.safetensors");
    let network = env::var_os("NETWORK").map_or(own, PathBuf::from);
    println!("cargo::rerun-if-changed={}", network.display());
    let copy = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("network");
    if let Err(error) = fs::copy(&network, copy) {
        println!(
            "cargo::error=NETWORK={}: {error}; expected the whole path of a network's file",
            network.display()
        );
    }
}
