//! A game of one's own: a crate that plays three in a line, to be replaced file by file. In a
//! checkout of the workbench it becomes one of the workbench's games; anywhere else, it becomes a
//! separate program with all verbs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quintain_core::{Catalog, TextFileError, read_settings};

use super::files::{check_name, refuse_existing, write_file};
use crate::failure::{Failure, cannot_read};

macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../starters/game/", $name)))),*]
    };
}

/// The game's own files, under the name `new-game`.
const GAME: [(&str, &str); 12] = embed![
    "src/lib.rs",
    "src/rules.rs",
    "src/environment.rs",
    "src/scenarios.rs",
    "src/notation.rs",
    "src/encoding.rs",
    "src/scene.rs",
    "src/players/mod.rs",
    "src/players/centre.rs",
    "tests/check_game.rs",
    "tests/rules.rs",
    "tests/snapshots/check_game__signatures.snap",
];
const README: &str = include_str!("../../../starters/game/README.md");
const MAIN: &str = include_str!("../../../starters/game/main.rs");
const RUSTFMT: &str = include_str!("../../../starters/game/rustfmt.toml");
const MEMBER: &str = include_str!("../../../starters/game/member.toml");
const STANDALONE: &str = include_str!("../../../starters/game/standalone.toml");

/// The folders of `crates/` whose crates are named as a game's would be: `quintain-NAME`.
const WINGS: [&str; 6] = ["engine", "learn", "programs", "lab", "contest", "app"];

pub(super) fn new_game(
    name: &str,
    workbench: Option<&Path>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let names = Names::of(name)?;
    if catalog.entry(name).is_ok() {
        return Err(Failure::Usage(format!("{name} is a game already; choose another name")));
    }
    match (workbench, find_checkout()) {
        (None, Some(checkout)) => add_to_checkout(&names, &checkout, out),
        (workbench, _) => begin_program(&names, workbench, out),
    }
}

/// The names of the game.
struct Names {
    /// For users: nine-men.
    name: String,
    /// For crates and modules: nine_men.
    identifier: String,
    /// For types: NineMen.
    type_name: String,
}

impl Names {
    fn of(name: &str) -> Result<Names, Failure> {
        check_name(name)?;
        let parts: Vec<&str> = name.split('-').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err(Failure::Usage(format!(
                "“{name}”: expected single hyphens between words, such as nine-men"
            )));
        }
        let capital = |part: &&str| part[..1].to_ascii_uppercase() + &part[1..];
        let type_name: String = parts.iter().map(capital).collect();
        let is_used = GAME.iter().any(|(_, text)| words(text).any(|word| word == type_name));
        if is_used {
            return Err(Failure::Usage(format!(
                "“{name}”: {type_name} is a word that every game uses; choose another name"
            )));
        }
        let crate_name = format!("quintain-{name}");
        if STANDALONE.split_whitespace().any(|word| word == crate_name) {
            return Err(Failure::Usage(format!(
                "“{name}”: {crate_name} is a crate of the workbench; choose another name"
            )));
        }
        Ok(Names { name: name.to_owned(), identifier: name.replace('-', "_"), type_name })
    }

    fn put_into(&self, text: &str) -> String {
        text.replace("new-game", &self.name)
            .replace("new_game", &self.identifier)
            .replace("NewGame", &self.type_name)
    }
}

/// Returns the words of a source file.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns the checkout of the workbench that contains this folder.
fn find_checkout() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find(|folder| is_checkout(folder)).map(Path::to_owned)
}

fn is_checkout(folder: &Path) -> bool {
    ["crates/games/catalog/src/lib.rs", "crates/engine/core/Cargo.toml"]
        .iter()
        .all(|file| folder.join(file).is_file())
}

fn add_to_checkout(names: &Names, checkout: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let Names { name, identifier, .. } = names;
    let seen = format!("crates/games/{name}");
    let folder = checkout.join(&seen);
    refuse_existing(&folder)?;
    for wing in WINGS {
        refuse_existing(&checkout.join(format!("crates/{wing}/{name}")))?;
    }
    // Both files are read before anything is written.
    let lines = [
        (
            "crates/games/catalog/Cargo.toml",
            "quintain-",
            format!("quintain-{name} = {{ path = \"../{name}\" }}"),
        ),
        (
            "crates/games/catalog/src/lib.rs",
            ".with(add_to(quintain_",
            format!("        .with(add_to(quintain_{identifier}::entry()))"),
        ),
    ];
    let mut changed = Vec::new();
    for (file, pattern, line) in lines {
        let path = checkout.join(file);
        let text = read_settings(&path).map_err(unreadable)?;
        changed.push((path.clone(), with_line_after_last(&path, &text, pattern, &line)?));
    }
    write_game(names, &folder)?;
    write_file(&folder.join("Cargo.toml"), &names.put_into(MEMBER))?;
    for (path, text) in changed {
        write_file(&path, &text)?;
    }
    format_sources(&folder);
    writeln!(out, "{seen} plays three in a line; replace it with your game, file by file.")?;
    writeln!(out, "CONTRIBUTING.md says what each file holds. Try:\n")?;
    let test = format!("cargo test -p quintain-{name}");
    writeln!(out, "  {:<1$}    # play it", format!("cargo run -- match {name}"), test.len())?;
    writeln!(out, "  {test}    # checks that every game must pass")?;
    Ok(())
}

fn unreadable(error: TextFileError) -> Failure {
    Failure::Failed(format!("cannot read {error}"))
}

/// Inserts a line after the last one that contains a pattern.
fn with_line_after_last(
    path: &Path,
    text: &str,
    pattern: &str,
    line: &str,
) -> Result<String, Failure> {
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.contains(pattern)).ok_or_else(|| {
        Failure::Failed(format!(
            "{}: no line contains “{pattern}”, after which “{}” belongs; nothing was written",
            path.display(),
            line.trim()
        ))
    })?;
    lines.insert(last + 1, line);
    Ok(lines.join("\n") + "\n")
}

fn begin_program(
    names: &Names,
    workbench: Option<&Path>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = &names.name;
    let folder = Path::new(name);
    refuse_existing(folder)?;
    let checkout = match workbench {
        Some(path) if is_checkout(path) => {
            let folder = path.canonicalize().map_err(|error| cannot_read(path, &error))?;
            let manifest = folder.join("Cargo.toml");
            let manifest = read_settings(&manifest).map_err(unreadable)?;
            Some((folder, manifest))
        }
        Some(path) => {
            return Err(Failure::Usage(format!(
                "--workbench {}: expected a checkout of quintain, with the folder \
                 crates/engine/core",
                path.display()
            )));
        }
        None => None,
    };
    let manifest = names.put_into(STANDALONE);
    let manifest: String = manifest.lines().map(|line| source(line, checkout.as_ref())).collect();
    write_game(names, folder)?;
    write_file(&folder.join("Cargo.toml"), &manifest)?;
    write_file(&folder.join("src/main.rs"), &names.put_into(MAIN))?;
    write_file(&folder.join("README.md"), &README.replace("NAME", name))?;
    write_file(&folder.join("rustfmt.toml"), RUSTFMT)?;
    write_file(&folder.join(".gitignore"), "/target\n")?;
    if let Some((checkout, _)) = &checkout {
        // Uses the same versions of everything as the checkout, if it has been built.
        let _ = fs::copy(checkout.join("Cargo.lock"), folder.join("Cargo.lock"));
    }
    format_sources(folder);
    writeln!(out, "{name} plays three in a line; replace it with your game, file by file.")?;
    writeln!(out, "{name}/README.md says what each file holds. Try:\n")?;
    let play = format!("cargo run --release -- match {name}");
    writeln!(out, "  cd {name}")?;
    writeln!(out, "  {play}    # build for some minutes, and play")?;
    let test = "cargo test --no-default-features";
    writeln!(out, "  {test:<0$}    # checks that every game must pass", play.len())?;
    if checkout.is_none() {
        writeln!(
            out,
            "\nIt needs the crates of quintain {} from the registry. If they are not there, begin \
             it with --workbench DIR, a checkout of quintain.",
            env!("CARGO_PKG_VERSION")
        )?;
    }
    Ok(())
}

/// Returns a line of the manifest, with the source of the workbench's crate filled in: a folder of
/// the checkout, which its manifest names, or the registry.
fn source(line: &str, checkout: Option<&(PathBuf, String)>) -> String {
    let Some(line) = line.strip_suffix("WORKBENCH") else { return format!("{line}\n") };
    let (name, options) = line.split_once(" = ").unwrap_or((line, ""));
    let is_optional = options.trim() == "OPTIONAL";
    let version = env!("CARGO_PKG_VERSION");
    let place = match checkout {
        None if !is_optional => return format!("{name} = {version:?}\n"),
        None => format!("version = {version:?}"),
        Some((checkout, manifest)) => {
            let path = manifest
                .lines()
                .find_map(|known| known.strip_prefix(name)?.strip_prefix(" = { path = \""))
                .and_then(|rest| rest.split('"').next())
                .unwrap_or(name);
            let path = checkout.join(path).display().to_string();
            format!("path = {path:?}")
        }
    };
    let optional = if is_optional { ", optional = true" } else { "" };
    format!("{name} = {{ {place}{optional} }}\n")
}

fn write_game(names: &Names, folder: &Path) -> Result<(), Failure> {
    GAME.iter().try_for_each(|(file, text)| write_file(&folder.join(file), &names.put_into(text)))
}

/// Formats the sources, as another name may sort and wrap differently. If rustfmt is not installed,
/// this does no harm.
fn format_sources(folder: &Path) {
    let of_game = GAME.iter().map(|(file, _)| *file).filter(|file| file.ends_with(".rs"));
    let files: Vec<PathBuf> = of_game.map(|file| folder.join(file)).collect();
    let _ = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .args(files)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
