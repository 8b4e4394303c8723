//! Where the crates of the workspace are, for tests of its shape.

use std::fs;
use std::path::{Path, PathBuf};

pub const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The folders of all crates, and of the template of a game.
pub fn crates() -> Vec<PathBuf> {
    let root = Path::new(REPOSITORY);
    let folders = ["crates", "crates/games"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let paths = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut crates: Vec<PathBuf> = paths
        .filter(|path| path.join("Cargo.toml").exists())
        .chain([root.join("templates/game")])
        .collect();
    crates.sort();
    assert!(crates.len() > 25);
    crates
}
