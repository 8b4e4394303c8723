//! Embeds the files of `starters/`, so that a new language needs no line of Rust.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=starters");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let root = root.join("starters");
    let mut files = Vec::new();
    list_files(&root, &mut files)?;
    files.sort();
    let mut source = "&[\n".to_owned();
    for file in &files {
        // With the separators of the system that builds.
        let name = file.strip_prefix(&root).expect("it lies there").to_string_lossy();
        let name = name.replace('\\', "/");
        let (folder, name) = name.split_once('/').expect("each starter has a folder");
        source += &format!("    ({folder:?}, {name:?}, include_str!({file:?})),\n");
    }
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("starters.rs"), source + "]\n")
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list_files(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
