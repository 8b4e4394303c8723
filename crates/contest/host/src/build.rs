//! Builds programs from source: in the sandbox, without a network, within limits. The resulting
//! files are a tree of their own, stored under their digest; the same sources are built only once
//! by the same recipe. The output of a build is trusted as little as any upload.
//!
//! The build job may write only to its scratch folder, which is gone when it ends. So it copies the
//! sources there, builds, and writes all files to its standard output, packed.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quintain_bots::limits::{Limits, Size, Time};
use serde::{Deserialize, Serialize};

use crate::archive::{Tree, TreeLimits};

/// Environment for compilers that have neither a home directory nor a network.
const ENVIRONMENT: &str = r#"export GOCACHE="$TMPDIR/go" GOPATH="$TMPDIR/path" GOPROXY=off
export GOTOOLCHAIN=local CARGO_HOME="$TMPDIR/cargo" CARGO_NET_OFFLINE=true
mkdir "$CARGO_HOME"
if [ -d vendor ]; then
printf '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "%s"\n' \
"$PWD/vendor" > "$CARGO_HOME/config.toml"
fi
"#;
/// Bytes of a line of the packed output.
const LINE: usize = 48_000;

/// How programs are built.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Builds {
    /// How long a build may take.
    pub(crate) time: Time,
    cpu: Time,
    memory: Size,
    scratch: Size,
    processes: u32,
    /// Cores that a build may use at once.
    cores: u32,
    /// Whether compilers may create connected pairs of sockets: see host.toml.
    pub(crate) socket_pairs: bool,
    languages: BTreeMap<String, Language>,
}

impl Default for Builds {
    fn default() -> Self {
        Builds {
            time: Time(Duration::from_secs(60)),
            cpu: Time(Duration::from_secs(240)),
            memory: Size(2 << 30),
            scratch: Size(1 << 30),
            processes: 64,
            cores: 4,
            socket_pairs: false,
            languages: BTreeMap::new(),
        }
    }
}

/// How the programs of a language are built.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Language {
    /// Files that identify the language; one of them is enough.
    shows: Vec<String>,
    /// The build command, for a shell.
    build: String,
    /// The command that starts the program; STEM is the name of the file that identified the
    /// language.
    start: String,
    /// Folders of the build's output that are not kept.
    leave_out: Vec<String>,
    /// Folders outside the system's that builds and programs need, such as a compiler's. Their
    /// `bin` folders are searched for programs.
    read: Vec<PathBuf>,
    /// Whether its compiler creates connected pairs of sockets.
    socket_pairs: bool,
}

/// How one program is built and started.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Recipe {
    /// The language, in words.
    pub(crate) language: String,
    pub(crate) build: String,
    leave_out: Vec<String>,
    read: Vec<PathBuf>,
}

/// Returns the languages that are built unless the contest's file says otherwise.
fn usual_languages() -> BTreeMap<String, Language> {
    let language = |known: &quintain_languages::Build| Language {
        shows: known.shows.clone(),
        build: known.build.clone(),
        start: known.start.clone(),
        leave_out: known.leave_out.clone(),
        read: find_toolchain(&known.toolchain).into_iter().collect(),
        socket_pairs: known.socket_pairs,
    };
    let all = quintain_languages::builds().iter();
    all.map(|known| (known.language.clone(), language(known))).collect()
}

/// Returns the folder that this command prints, a compiler's, if it is not among the system's.
fn find_toolchain(command: &[String]) -> Option<PathBuf> {
    let [program, arguments @ ..] = command else { return None };
    let output = std::process::Command::new(program).args(arguments).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (folder.is_absolute() && !folder.starts_with("/usr") && folder.is_dir()).then_some(folder)
}

impl Builds {
    /// Adds the usual languages to those of the contest's file. A language without a command is not
    /// built.
    pub(crate) fn with_usual(mut self) -> Builds {
        for (name, language) in usual_languages() {
            self.languages.entry(name).or_insert(language);
        }
        self
    }

    /// Returns the languages that are built here.
    fn list_buildable(&self) -> impl Iterator<Item = (&String, &Language)> {
        let may = |language: &Language| self.socket_pairs || !language.socket_pairs;
        let all = self.languages.iter();
        all.filter(move |(_, language)| !language.build.is_empty() && may(language))
    }

    /// Returns the recipe for a tree and how its result is started, if a file identifies its
    /// language.
    pub(crate) fn find(&self, tree: &Tree) -> Option<(Recipe, String)> {
        self.list_buildable()
            .flat_map(|(name, language)| {
                language.shows.iter().map(move |file| (name, language, file))
            })
            .find(|(_, _, file)| tree.files().contains_key(*file))
            .map(|(name, language, file)| {
                let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
                let recipe = Recipe {
                    language: name.clone(),
                    build: language.build.clone(),
                    leave_out: language.leave_out.clone(),
                    read: language.read.clone(),
                };
                (recipe, language.start.replace("STEM", &stem))
            })
    }

    /// Returns the language of a tree that is not built here because its compiler needs something
    /// not allowed.
    pub(crate) fn find_disallowed_language(&self, tree: &Tree) -> Option<&str> {
        let mut all = self.languages.iter();
        let is_shown =
            |language: &Language| language.shows.iter().any(|name| tree.files().contains_key(name));
        let is_it = |language: &Language| {
            language.socket_pairs && !self.socket_pairs && !language.build.is_empty()
        };
        let found = all.find(|(_, language)| is_it(language) && is_shown(language));
        found.map(|(name, _)| name.as_str())
    }

    /// Returns the recipe for a build command that a program brings along.
    pub(crate) fn own(&self, build: &str) -> Recipe {
        Recipe {
            language: "its own".to_owned(),
            build: build.to_owned(),
            // What cargo keeps for its next build; the programs are next to these folders.
            leave_out: ["deps", "build", "incremental", "examples", ".fingerprint"]
                .map(|folder| format!("target/release/{folder}"))
                .into(),
            read: self.languages.values().flat_map(|language| language.read.clone()).collect(),
        }
    }

    /// Returns the languages that can be built on this machine, with the files that identify them.
    pub(crate) fn languages(&self) -> impl Iterator<Item = (&str, &[String])> {
        let all = self.list_with(&is_installed);
        all.filter(|known| known.why_not.is_none()).map(|known| (known.name, known.shows))
    }

    /// Returns all languages that can be built from source, and why some are not built here.
    pub(crate) fn list(&self) -> Vec<KnownLanguage<'_>> {
        self.list_with(&is_installed).collect()
    }

    /// As [`Builds::list`], where `has_tool` says whether a program is installed, perhaps in one of
    /// these folders. What the contest's file itself says how to build is not doubted.
    fn list_with(
        &self,
        has_tool: &dyn Fn(&str, &[PathBuf]) -> bool,
    ) -> impl Iterator<Item = KnownLanguage<'_>> {
        let why_not = |name: &str, language: &Language| {
            if language.socket_pairs && !self.socket_pairs {
                return Some("socket_pairs = true in host.toml allows it".to_owned());
            }
            let is_usual = quintain_languages::builds()
                .iter()
                .any(|known| known.language == name && known.build == language.build);
            let starts = language.start.split_whitespace().next().unwrap_or_default();
            let mut tools = [tool_of(name, &language.build), starts].into_iter();
            let is_missing = |tool: &&str| !tool.contains('/') && !has_tool(tool, &language.read);
            tools
                .find(is_missing)
                .filter(|_| is_usual)
                .map(|tool| format!("{tool} is not installed"))
        };
        let all = self.languages.iter().filter(|(_, language)| !language.build.is_empty());
        all.map(move |(name, language)| KnownLanguage {
            name: name.as_str(),
            shows: language.shows.as_slice(),
            why_not: why_not(name, language),
        })
    }

    /// Returns the tool among those that a program needs which this machine lacks, if it is one
    /// that a usual language is built or run with: others may be anything that a shell knows.
    pub(crate) fn find_missing_tool<'a>(
        &self,
        mut tools: impl Iterator<Item = (&'a str, &'a [PathBuf])>,
    ) -> Option<&'a str> {
        let builds = quintain_languages::builds();
        let is_usual = |tool: &str| {
            let starts = |known: &quintain_languages::Build| {
                known.start.split_whitespace().next() == Some(tool)
            };
            INTERPRETERS.contains(&tool)
                || builds
                    .iter()
                    .any(|known| tool_of(&known.language, &known.build) == tool || starts(known))
        };
        let found = tools.find(|(tool, read)| {
            is_usual(tool) && !tool.contains('/') && !is_installed(tool, read)
        });
        found.map(|(tool, _)| tool)
    }

    pub(crate) fn limits(&self, kept: TreeLimits) -> Limits {
        Limits {
            start: self.time,
            answer: self.time,
            cpu: self.cpu,
            cores: NonZeroU32::new(self.cores).unwrap_or(NonZeroU32::MIN),
            memory: self.memory,
            scratch: self.scratch,
            line: Size(LINE as u64 * 2),
            // Encoded as text, a file is a third larger, and its name takes a little more.
            output: Size(kept.bytes / 2 * 3 + kept.files as u64 * 2048 + (1 << 20)),
            processes: self.processes,
            files: 128,
            ..Limits::default()
        }
    }
}

/// A language whose programs can be built from source.
pub(crate) struct KnownLanguage<'a> {
    pub(crate) name: &'a str,
    /// The files that identify it.
    pub(crate) shows: &'a [String],
    /// Why it is not built here, and what would change that.
    pub(crate) why_not: Option<String>,
}

/// Says that a program cannot be built or run because of the machine, who can change that, and what
/// comes then.
pub(crate) fn describe_missing_tool(tool: &str, then: &str) -> String {
    format!(
        "this program needs {tool}, which is not installed on the machine of this contest. That is \
         no fault of the program: the organiser can install it; {then}"
    )
}

/// Programs that run others, by the names of their files.
const INTERPRETERS: [&str; 2] = ["python3", "node"];

/// Returns the compiler of a language, or whatever starts this build.
fn tool_of<'a>(language: &str, build: &'a str) -> &'a str {
    match language {
        "rust" => "cargo",
        _ => build.split_whitespace().next().unwrap_or_default(),
    }
}

/// Returns whether a program is found on the search path, or in the `bin` of one of these folders.
pub(crate) fn is_installed(tool: &str, folders: &[PathBuf]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = folders.iter().map(|folder| folder.join("bin"));
    std::env::split_paths(&path).chain(more).any(|folder| folder.join(tool).is_file())
}

impl Recipe {
    /// Returns the compiler, or whatever starts the build.
    pub(crate) fn tool(&self) -> &str {
        tool_of(&self.language, &self.build)
    }

    /// Returns the key that identifies these sources built by this recipe.
    pub(crate) fn digest(&self, sources: &str) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        blake3::hash(format!("{sources}\n{text}").as_bytes()).to_hex().to_string()
    }

    /// Returns the folders that the build reads, in the form used in a program's list.
    pub(crate) fn read(&self) -> &[PathBuf] {
        &self.read
    }

    pub(crate) fn script(&self) -> String {
        let path: Vec<String> =
            self.read.iter().map(|folder| format!("{}/bin:", folder.display())).collect();
        let leave_out: Vec<String> =
            self.leave_out.iter().map(|name| format!("'./{}'", name.replace('\'', ""))).collect();
        let leave_out = match leave_out.is_empty() {
            true => String::new(),
            false => format!("rm -rf {}\n", leave_out.join(" ")),
        };
        format!(
            "set -e\nPATH='{path}'\"$PATH\"\nmkdir \"$TMPDIR/work\"\ncp -R . \"$TMPDIR/work\"\n\
             cd \"$TMPDIR/work\"\nchmod -R u+w .\n(\nset -e\n{ENVIRONMENT}{build}\n) \
             >&2 </dev/null\n{leave_out}\
             tar -cf \"$TMPDIR/kept\" .\nbase64 -w {LINE} \"$TMPDIR/kept\"\n",
            path = path.concat().replace('\'', ""),
            build = self.build,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> Tree {
        let limits = TreeLimits { files: 10, bytes: 1000 };
        let mut all = Tree::default();
        for name in names {
            all.add(name, false, b"x".to_vec(), limits).unwrap();
        }
        all
    }

    #[test]
    fn file_names_show_the_language() {
        let builds = Builds { socket_pairs: true, ..Builds::default() }.with_usual();
        let find = |names: &[&str]| builds.find(&tree(names));
        assert_eq!(find(&["bot.cpp", "board.h"]).unwrap().1, "./bot");
        assert_eq!(find(&["Main.java"]).unwrap().1, "java -cp . Main");
        assert_eq!(find(&["Cargo.toml", "src/main.rs"]).unwrap().0.language, "rust");
        assert!(find(&["notes.txt"]).is_none());
        let closed = Builds::default().with_usual();
        assert!(closed.find(&tree(&["Main.java"])).is_none(), "unless it is allowed");
    }

    #[test]
    fn only_languages_whose_compiler_is_installed_are_offered() {
        let text = "[languages.zig]\nshows = ['bot.zig']\nbuild = 'x=1 zig'\nstart = './bot'\n";
        let builds = toml::from_str::<Builds>(text).unwrap();
        let builds = Builds { socket_pairs: true, ..builds }.with_usual();
        let without = |missing: &'static str| {
            let has = move |tool: &str, _: &[PathBuf]| tool != missing && !tool.contains('=');
            let all = builds.list_with(&has).filter(|known| known.why_not.is_none());
            all.map(|known| known.name.to_owned()).collect::<Vec<_>>()
        };
        for (missing, language) in [("go", "go"), ("java", "java"), ("cargo", "rust")] {
            let (fewer, all) = (without(missing), without("nothing"));
            assert!(!fewer.iter().any(|name| name == language), "{fewer:?}");
            assert!(fewer.len() < all.len() && all.iter().any(|name| name == language), "{all:?}");
        }
        assert!(without("zig").iter().any(|name| name == "zig"), "host.toml knows better");
        let has = |tool: &str, _: &[PathBuf]| tool != "go";
        let all: Vec<_> = builds.list_with(&has).collect();
        let why =
            |name: &str| all.iter().find(|known| known.name == name).unwrap().why_not.as_deref();
        assert_eq!((why("go"), why("zig")), (Some("go is not installed"), None));
        let closed = Builds::default().with_usual();
        let java = closed.list().into_iter().find(|known| known.name == "java").unwrap();
        assert!(java.why_not.is_some_and(|why| why.starts_with("socket_pairs = true")));
    }

    #[test]
    fn only_tools_of_usual_languages_are_said_to_be_missing() {
        let builds = Builds::default().with_usual();
        let none: &[PathBuf] = &[];
        let missing = |tool: &'static str| builds.find_missing_tool([(tool, none)].into_iter());
        // Whatever a shell knows may begin a build.
        for tool in ["x=1", "cd", "./bot", "nowhere-to-be-found"] {
            assert_eq!(missing(tool), None, "{tool}");
        }
        assert_eq!(missing("go").is_some(), !is_installed("go", none));
    }

    #[test]
    fn host_toml_overrides_a_known_language() {
        let text = "[languages.java]\nbuild = ''\n[languages.zig]\nshows = ['bot.zig']\n\
                    build = 'zig build-exe bot.zig'\nstart = './bot'\n";
        let builds = toml::from_str::<Builds>(text).unwrap().with_usual();
        assert!(builds.find(&tree(&["Bot.java"])).is_none());
        assert_eq!(builds.find(&tree(&["bot.zig"])).unwrap().0.language, "zig");
    }

    #[test]
    fn another_recipe_or_another_source_is_another_build() {
        let builds = Builds::default().with_usual();
        let (recipe, _) = builds.find(&tree(&["bot.c"])).unwrap();
        let other = Recipe { build: "cc -O3 bot.c".into(), ..recipe.clone() };
        assert_eq!(recipe.digest("a"), recipe.digest("a"));
        assert_ne!(recipe.digest("a"), recipe.digest("b"));
        assert_ne!(recipe.digest("a"), other.digest("a"));
    }
}
