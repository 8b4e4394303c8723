//! `templates/new-game` in a copy of what it changes. That the template itself compiles and
//! passes `check_game` is shown by its own tests, as it is a crate of the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A copy of the files that a new game is made of and registered in.
fn copy(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    let mut files = files_under(&Path::new(REPOSITORY).join("templates"));
    for file in
        ["Cargo.toml", "crates/quintain-games/Cargo.toml", "crates/quintain-games/src/lib.rs"]
    {
        files.push(Path::new(REPOSITORY).join(file));
    }
    for file in files {
        let to = root.join(file.strip_prefix(REPOSITORY).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, &to).unwrap();
    }
    root
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn new_game(root: &Path, name: &str) -> Output {
    Command::new(root.join("templates/new-game")).arg(name).output().expect("bash is installed")
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let files = files_under(folder).into_iter();
    files.map(|file| file.strip_prefix(folder).unwrap().to_owned()).collect()
}

#[test]
fn a_new_game_has_its_name_everywhere_and_is_in_the_catalog_by_one_line() {
    let root = copy("named");
    let output = new_game(&root, "nine-men");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = root.join("crates/games/nine-men");
    assert_eq!(names(&made), names(&root.join("templates/game")));
    for file in files_under(&made) {
        let text = fs::read_to_string(&file).unwrap();
        for left in ["new-game", "new_game", "NewGame"] {
            assert!(!text.contains(left), "{} has {left}", file.display());
        }
    }
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    assert!(read("crates/games/nine-men/src/rules.rs").contains("impl Rules for NineMen"));
    let added = |file: &str, line: &str| {
        let before = fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap();
        let after = read(file);
        let new: Vec<&str> =
            after.lines().filter(|it| !before.lines().any(|old| old == *it)).collect();
        assert_eq!(new, [line], "{file}");
        assert_eq!(after.lines().count(), before.lines().count() + 1, "{file}");
    };
    added("Cargo.toml", "quintain-nine-men = { path = \"crates/games/nine-men\" }");
    added("crates/quintain-games/Cargo.toml", "quintain-nine-men.workspace = true");
    added("crates/quintain-games/src/lib.rs", "        .with(add_to(quintain_nine_men::entry()))");
}

#[test]
fn a_name_that_cannot_be_is_refused_and_nothing_is_made() {
    let root = copy("refused");
    for name in ["Nine", "nine men", "9men", "nine-", "../nine", ""] {
        let output = new_game(&root, name);
        assert!(!output.status.success(), "{name}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("expected small letters"));
    }
    let used = new_game(&root, "state");
    assert!(String::from_utf8_lossy(&used.stderr).contains("State is a word that every game uses"));
    assert!(!root.join("crates/games").exists());
    assert!(new_game(&root, "nine").status.success());
    let again = new_game(&root, "nine");
    assert!(String::from_utf8_lossy(&again.stderr).contains("crates/games/nine exists"));
}
