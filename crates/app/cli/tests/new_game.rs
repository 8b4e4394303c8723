//! `quintain new game`, in a copy of the files that it changes in a checkout, and anywhere else.
//! The template itself is a crate of the workspace; its own tests show that it compiles and passes
//! `check_game`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

fn folder(name: &str) -> PathBuf {
    // Not in the target folder: that may lie in a checkout.
    let root =
        std::env::temp_dir().join(format!("quintain-new-game-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    root
}

/// Makes a copy of the files in which a new game is registered, and by which a checkout is
/// recognised.
fn checkout(name: &str) -> PathBuf {
    let root = folder(name);
    for file in [
        "Cargo.toml",
        "crates/engine/core/Cargo.toml",
        "crates/games/catalog/Cargo.toml",
        "crates/games/catalog/src/lib.rs",
    ] {
        let to = root.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(Path::new(REPOSITORY).join(file), &to).unwrap();
    }
    root
}

fn files_under(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.insert(path);
        }
    }
    files
}

/// The texts of all files under a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    files_under(folder).into_iter().map(read).collect()
}

fn new_game(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quintain"))
        .args(["new", "game"])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn message(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let files = files_under(folder).into_iter();
    files.map(|file| file.strip_prefix(folder).unwrap().to_owned()).collect()
}

fn assert_renamed(made: &Path) {
    for file in files_under(made) {
        let text = fs::read_to_string(&file).unwrap();
        for left in ["new-game", "new_game", "NewGame", "WORKBENCH", "NAME"] {
            assert!(!text.contains(left), "{} has {left}", file.display());
        }
    }
    let rules = fs::read_to_string(made.join("src/rules.rs")).unwrap();
    assert!(rules.contains("impl Rules for NineMen"));
}

#[test]
fn in_a_checkout_a_new_game_changes_two_files_of_the_catalog() {
    let root = checkout("checkout");
    // This also works from a folder below.
    let before = contents(&root);
    let output = new_game(&root.join("crates/games/catalog/src"), &["nine-men"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = root.join("crates/games/nine-men");
    assert_eq!(names(&made), names(&Path::new(REPOSITORY).join("templates/game")));
    assert_renamed(&made);
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let added = |file: &str, line: &str| {
        let before = fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap();
        let after = read(file);
        let new: Vec<&str> =
            after.lines().filter(|it| !before.lines().any(|old| old == *it)).collect();
        assert_eq!(new, [line], "{file}");
        assert_eq!(after.lines().count(), before.lines().count() + 1, "{file}");
    };
    let dependency = "quintain-nine-men = { path = \"../nine-men\" }";
    added("crates/games/catalog/Cargo.toml", dependency);
    added("crates/games/catalog/src/lib.rs", "        .with(add_to(quintain_nine_men::entry()))");
    let after = contents(&root);
    let changed: Vec<_> = before.iter().filter(|(path, text)| after[*path] != **text).collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(message(&new_game(&root, &["nine-men"])).contains("nine-men exists"));
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn anywhere_else_it_is_a_program_with_all_verbs() {
    let root = folder("elsewhere");
    let output = new_game(&root, &["nine-men"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = root.join("nine-men");
    assert_renamed(&made);
    let own = [".gitignore", "README.md", "rustfmt.toml", "src/main.rs"].map(PathBuf::from);
    let mut expected = names(&Path::new(REPOSITORY).join("templates/game"));
    expected.extend(own);
    assert_eq!(names(&made), expected);
    let manifest = fs::read_to_string(made.join("Cargo.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    // The game and its checks are built without the command.
    let optional = format!("\nquintain-cli = {{ version = \"{version}\", optional = true }}\n");
    assert!(manifest.contains(&optional), "{manifest}");
    assert!(manifest.contains(&format!("\nquintain-core = \"{version}\"\n")), "{manifest}");
    let main = fs::read_to_string(made.join("src/main.rs")).unwrap();
    assert!(main.contains("quintain_nine_men::entry()"), "{main}");

    let output = new_game(&root, &["ten-men", "--workbench", REPOSITORY]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = fs::read_to_string(root.join("ten-men/Cargo.toml")).unwrap();
    for line in manifest.lines().filter(|line| line.contains("path = \"/")) {
        let path = line.split('"').nth(1).unwrap();
        assert!(Path::new(path).join("Cargo.toml").is_file(), "{line}");
    }
    assert!(manifest.contains("crates/app/cli\", optional = true }"), "{manifest}");
    assert!(message(&new_game(&root, &["x", "--workbench", "."])).contains("crates/engine/core"));
    fs::remove_dir_all(root).unwrap();
}

/// The dependencies of the program outside are those with which the template was compiled.
#[test]
fn both_manifests_ask_for_the_same() {
    let read = |file: &str| fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap();
    let workspace = read("Cargo.toml");
    let standalone = read("crates/app/cli/starters/game/standalone.toml");
    let member = read("templates/game/Cargo.toml");
    let name = |line: &str| line.split([' ', '.']).next().unwrap().to_owned();
    for line in member.lines().filter(|line| line.ends_with(".workspace = true")) {
        if ["version", "edition", "license", "rust-version"].contains(&name(line).as_str()) {
            continue;
        }
        let name = format!("{} = ", name(line));
        let wanted = match name.starts_with("quintain-") {
            true => format!("{name}WORKBENCH"),
            false => workspace.lines().find(|line| line.starts_with(&name)).unwrap().to_owned(),
        };
        assert!(standalone.lines().any(|line| line == wanted), "standalone.toml: no “{wanted}”");
    }
    let minimum = |text: &str| {
        text.lines().find(|line| line.starts_with("rust-version = ")).unwrap().to_owned()
    };
    assert_eq!(minimum(&standalone), minimum(&workspace));
}

#[test]
fn a_name_that_cannot_be_is_refused_and_nothing_is_made() {
    let root = checkout("refused");
    for name in ["Nine", "nine men", "9men", "nine-", "../nine", ""] {
        let message = message(&new_game(&root, &[name]));
        assert!(message.contains("expected a name of"), "{name}: {message}");
    }
    let refused = |name: &str| message(&new_game(&root, &[name]));
    assert!(refused("nine--men").contains("expected single hyphens"));
    assert!(refused("state").contains("State is a word that every game uses"));
    assert!(refused("search").contains("quintain-search is a crate of the workbench"));
    assert!(refused("tron").contains("tron is a game already"));
    assert_eq!(fs::read_dir(root.join("crates/games")).unwrap().count(), 1, "only the catalog");
    fs::remove_dir_all(root).unwrap();
}
