//! The wings, the crates and the sources of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// The wings, from the lowest to the highest: a crate depends on crates of its own wing and of the
/// wings before it. `crates/README.md` says what each is for.
pub const WINGS: [&str; 7] = ["engine", "learn", "games", "programs", "lab", "contest", "app"];

/// A crate below `crates/`.
pub struct Crate {
    /// The package's name, such as `quintain-core`.
    pub name: String,
    /// The folder, such as `crates/engine/core`.
    pub folder: PathBuf,
    /// The wing, such as `engine`.
    pub wing: &'static str,
    /// The packages of the workspace that it depends on, except for tests.
    pub dependencies: Vec<String>,
}

/// Returns the workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("xtask has a parent")
}

/// Returns the folder into which Cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Returns all crates below `crates/`, by wing, then by name.
pub fn crates() -> Vec<Crate> {
    WINGS.iter().flat_map(|wing| crates_of(wing)).collect()
}

/// Returns the crates of a wing, by name.
pub fn crates_of(wing: &str) -> Vec<Crate> {
    let Some(wing) = WINGS.into_iter().find(|known| *known == wing) else { return Vec::new() };
    let wing_folder = root().join("crates").join(wing);
    let mut found: Vec<Crate> = folders(&wing_folder)
        .into_iter()
        .filter_map(|folder| {
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            let (name, dependencies) = read_manifest(&manifest);
            Some(Crate { name, folder, wing, dependencies })
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns the Rust sources below a folder, in order; none where there is no such folder.
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_dir()).collect()
}

/// Returns a package's name, and the packages of the workspace on which it depends except for
/// tests.
fn read_manifest(manifest: &str) -> (String, Vec<String>) {
    let mut section = "";
    let mut name = String::new();
    let mut dependencies = Vec::new();
    for line in manifest.lines() {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
        } else if section == "package" && line.starts_with("name = ") {
            name = line["name = ".len()..].trim_matches('"').to_owned();
        } else if section.ends_with("dependencies") && !section.contains("dev-") {
            let key: String =
                line.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            if key.starts_with("quintain-") {
                dependencies.push(key);
            }
        }
    }
    (name, dependencies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wing_has_crates_and_their_dependencies_are_read() {
        for wing in WINGS {
            assert!(!crates_of(wing).is_empty(), "{wing}");
        }
        let all = crates();
        let core = all.iter().find(|krate| krate.name == "quintain-core").unwrap();
        assert_eq!((core.wing, core.dependencies.len()), ("engine", 0));
        assert!(all.iter().map(|krate| krate.dependencies.len()).sum::<usize>() > 60);
    }

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nquintain-b.workspace = true\n\
                        [dev-dependencies]\nquintain-c = { path = \"../c\" }\n\
                        [target.'cfg(unix)'.dependencies]\nquintain-d.workspace = true\n";
        let (name, dependencies) = read_manifest(manifest);
        assert_eq!(name, "a");
        assert_eq!(dependencies, ["quintain-b", "quintain-d"]);
    }
}
