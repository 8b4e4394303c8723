//! Where the crates of the workspace and their sources are, for tests of its shape.

#![allow(dead_code, reason = "each test takes what it needs")]

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

/// All sources in Rust below a folder; none where there is no such folder.
pub fn find_sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(find_sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
