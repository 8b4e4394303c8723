//! What is compiled for some systems only has its reason in docs/design.md's table “What exists
//! where”, which names every file with such code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::tokens::tokens;
use crate::workspace::{crates, root, sources};

/// The conditions of `cfg` that tell systems apart.
const CONDITIONS: [&str; 6] =
    ["target_os", "target_family", "target_env", "target_arch", "unix", "windows"];

/// Returns the files that are missing in the table, and what it names that does not exist.
pub fn problems() -> Vec<String> {
    let design = fs::read_to_string(root().join("docs/design.md")).unwrap_or_default();
    let folder = root().join("crates");
    let (named, unknown) = read_table(&design, &folder);
    let unknown = unknown
        .into_iter()
        .map(|path| format!("docs/design.md, “What exists where”: there is no {path} in crates"));
    let missing = dependent_files(&folder)
        .into_iter()
        .filter(|file| !named.iter().any(|place| file.starts_with(place)));
    let missing = missing.map(|file| {
        format!(
            "crates/{} has a cfg of a system, whose reason belongs in docs/design.md, “What exists \
             where”",
            file.display()
        )
    });
    unknown.chain(missing).collect()
}

/// The files with a `cfg` of a system outside tests, seen from the folder of the crates.
fn dependent_files(folder: &Path) -> Vec<PathBuf> {
    let all = crates().into_iter().flat_map(|krate| sources(&krate.folder.join("src")));
    let is_test = |file: &PathBuf| {
        file.file_name().is_some_and(|name| name == "tests.rs")
            || file.components().any(|part| part.as_os_str() == "tests")
    };
    all.filter(|file| !is_test(file))
        .filter(|file| depends_on_system(&fs::read_to_string(file).unwrap_or_default()))
        .filter_map(|file| Some(file.strip_prefix(folder).ok()?.to_owned()))
        .collect()
}

/// Whether there is a `cfg`, `cfg_attr` or `cfg!` with a condition of a system outside tests.
fn depends_on_system(source: &str) -> bool {
    let tokens = tokens(source).unwrap_or_default();
    let begins = |word: &str| word == "cfg" || word == "cfg_attr";
    let mut starts = (0..tokens.len()).filter(|at| begins(&tokens[*at]));
    starts.any(|start| {
        let mut depth = 0;
        let mut inside = tokens[start + 1..].iter().take_while(|token| {
            match token.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth > 0 || token.as_str() == "!"
        });
        inside.any(|token| CONDITIONS.contains(&token.as_str()))
    })
}

/// Returns the files and folders that the table's last column names, seen from the folder of the
/// crates, and the names that lead nowhere.
fn read_table(design: &str, folder: &Path) -> (BTreeSet<PathBuf>, Vec<String>) {
    let section = design.split("\n## What exists where\n").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let (mut named, mut unknown) = (BTreeSet::new(), Vec::new());
    for row in section.lines().filter(|line| line.starts_with("| ")) {
        let cell = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        let mut beside = PathBuf::new();
        let names = cell.split('`').skip(1).step_by(2).filter(|name| !name.starts_with('/'));
        for name in names {
            let is_below_crates = name.contains('/');
            let path = match is_below_crates {
                true => PathBuf::from(name),
                false => beside.join(name),
            };
            if folder.join(&path).exists() && path.components().count() > 1 {
                beside = path.parent().map(Path::to_owned).unwrap_or_default();
                named.insert(path);
            } else if is_below_crates || name.ends_with(".rs") {
                unknown.push(name.to_owned());
            }
        }
    }
    (named, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_of_systems_outside_tests_count() {
        for source in [
            "#[cfg(unix)] fn f() {}",
            "fn f() -> bool { cfg!(all(feature = \"x\", target_os = \"linux\")) }",
            "#[cfg_attr(not(target_os = \"linux\"), path = \"b.rs\")] mod a;",
        ] {
            assert!(depends_on_system(source), "{source}");
        }
        for source in [
            "#[cfg(feature = \"unix\")] fn f(windows: bool) {}",
            "#[cfg(test)] mod tests { #[cfg(unix)] fn f() {} }",
            "#[cfg(all(test, unix))] mod tests {}",
            "fn f() { g(cfg!(debug_assertions), windows) }",
        ] {
            assert!(!depends_on_system(source), "{source}");
        }
    }

    #[test]
    fn names_in_the_last_column_are_files_and_folders() {
        let table = "x\n## What exists where\n\n| a | b |\n|---|---|\n\
                     | `--trust` | `engine/core/src/clock.rs`, `/proc`, `files.rs`: `x` |\n\
                     | x | `engine/core/src/nowhere.rs`, `lost.rs` |\n## Next\n";
        let (named, unknown) = read_table(table, &root().join("crates"));
        let named: Vec<String> = named.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(named, ["engine/core/src/clock.rs", "engine/core/src/files.rs"]);
        assert_eq!(unknown, ["engine/core/src/nowhere.rs", "lost.rs"]);
    }
}
