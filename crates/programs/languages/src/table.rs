//! The table of languages, `languages.toml`, as data.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::types::{Model, go, python, rust, typescript};

/// The files of `starters/`: folder, name in the folder, text.
const FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/starters.rs"));

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../languages.toml")).expect("a test reads the table of languages")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sources: Vec<String>,
    starter: Vec<Starter>,
    build: Vec<Build>,
}

/// Returns the languages in which a player can begin.
pub fn starters() -> &'static [Starter] {
    &TABLE.starter
}

/// Returns how contests build programs that are submitted as sources, by language.
pub fn builds() -> &'static [Build] {
    &TABLE.build
}

/// Returns whether a file with this name or extension is a source from which programs are built.
pub fn is_source(name_or_extension: &str) -> bool {
    TABLE.sources.iter().any(|known| known.eq_ignore_ascii_case(name_or_extension))
}

/// A language in which a player can begin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Starter {
    /// Its name, for `--lang`.
    pub name: String,
    /// Other names for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What is not obvious from the name.
    #[serde(default)]
    pub summary: Option<String>,
    /// The folders of `starters/` with its files.
    folders: Vec<String>,
    /// The file with `choose`, the function to change.
    pub source: String,
    /// The command that builds it, if anything has to be built.
    #[serde(default)]
    pub build: Option<String>,
    /// The part of its folder that plays.
    pub plays: Entry,
    /// The file with the types of the game, for languages with types for JSON.
    #[serde(default)]
    pub(crate) types: Option<Types>,
    /// The command that checks its types, if the build does not.
    #[serde(default)]
    pub(crate) check: Option<String>,
    /// The command that runs its local test, in its folder.
    pub test: String,
    /// What `test.sh` runs, for languages without a better test.
    #[serde(default)]
    pub(crate) script: Option<Script>,
    /// What differs on Windows.
    #[serde(default)]
    pub(crate) windows: OnWindows,
}

/// What differs on Windows.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnWindows {
    /// What it would need and Windows does not have.
    pub(crate) lacks: Option<String>,
    /// The command that builds it, for `cmd`, if it is another one.
    pub(crate) build: Option<String>,
    /// What `test.bat` runs, in place of `test.sh`.
    pub(crate) script: Option<Script>,
}

/// The part of a player's folder that plays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// The program that this command starts.
    Program(String),
    /// A WebAssembly module, `bot.wasm`.
    Module(Module),
}

/// How a WebAssembly module is made and used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Module {
    /// Where to get the compiler.
    pub compiler: String,
    /// A shell command that succeeds if the compiler is available.
    pub probe: String,
    /// Whether its function is called; otherwise it reads lines.
    #[serde(default)]
    pub(crate) is_called: bool,
}

/// The file with the types of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Types {
    pub(crate) file: String,
    writer: Writer,
}

/// The language of a file with types.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Writer {
    Go,
    Python,
    Rust,
    TypeScript,
}

/// The commands of `test.sh`, or of `test.bat`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    #[serde(default)]
    pub(crate) prepare: String,
    pub(crate) command: String,
}

/// How contests build the programs of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The language, for people.
    pub language: String,
    /// Files that identify the language; one of them is enough.
    pub shows: Vec<String>,
    /// The build command, for a shell.
    pub build: String,
    /// The command that starts the program; STEM is the name of the file that identified the
    /// language.
    pub start: String,
    /// Folders of the build's output that are not kept.
    #[serde(default)]
    pub leave_out: Vec<String>,
    /// The command that prints the folder of the compiler, if that may be outside the system's
    /// folders.
    #[serde(default)]
    pub toolchain: Vec<String>,
    /// Whether the compiler creates connected pairs of sockets.
    #[serde(default)]
    pub socket_pairs: bool,
}

impl Starter {
    /// Returns the language with this name or alias, in uppercase or lowercase.
    pub fn find(name: &str) -> Option<&'static Starter> {
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        starters()
            .iter()
            .find(|starter| is_it(&starter.name) || starter.aliases.iter().any(|one| is_it(one)))
    }

    /// Returns the files, with their names in the player's folder.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let files = self
            .folders
            .iter()
            .flat_map(|folder| FILES.iter().filter(move |(own, _, _)| *own == folder.as_str()));
        files.map(|&(_, name, text)| match name {
            // Under its own name, it would make the folder here a package.
            "manifest.toml" => ("Cargo.toml", text),
            name => (name, text),
        })
    }

    /// Returns the player's text, relative to the parent of its folder.
    pub fn player(&self, name: &str) -> String {
        match self.plays {
            Entry::Program(_) => format!("bot:{name}"),
            Entry::Module(_) => format!("wasm:{name}/bot.wasm"),
        }
    }

    /// Returns how its module is made, if it is one.
    pub fn module(&self) -> Option<&Module> {
        match &self.plays {
            Entry::Program(_) => None,
            Entry::Module(module) => Some(module),
        }
    }
}

impl Types {
    pub(crate) fn write(&self, model: &Model, game: &str) -> String {
        match self.writer {
            Writer::Go => go::write(model, game),
            Writer::Python => python::write(model, game),
            Writer::Rust => rust::write(model, game),
            Writer::TypeScript => typescript::write(model, game),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_starter_has_its_source_and_every_folder_has_a_starter() {
        let mut used = BTreeSet::from(["test"]);
        for starter in starters() {
            let names: Vec<&str> = starter.files().map(|(name, _)| name).collect();
            assert!(names.contains(&starter.source.as_str()), "{}: {names:?}", starter.name);
            used.extend(starter.folders.iter().map(String::as_str));
        }
        let folders: BTreeSet<&str> = FILES.iter().map(|(folder, _, _)| *folder).collect();
        assert_eq!(folders, used);
    }

    #[test]
    fn every_name_means_one_language() {
        let mut known = BTreeSet::new();
        for starter in starters() {
            for name in starter.aliases.iter().chain([&starter.name]) {
                assert!(known.insert(name), "{name} means two languages");
                assert_eq!(Starter::find(&name.to_uppercase()).unwrap().name, starter.name);
            }
        }
        let builds: BTreeSet<&str> = builds().iter().map(|one| one.language.as_str()).collect();
        assert_eq!(builds.len(), super::builds().len());
    }

    #[test]
    fn extensions_of_sources_are_known_in_any_case() {
        assert!(is_source("RS") && is_source("makefile") && !is_source("wasm"));
    }
}
