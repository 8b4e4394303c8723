//! A new player in an empty folder. The tests of programs and of modules use this file too.

#![allow(dead_code, reason = "every test uses a part of it")]

use std::path::PathBuf;
use std::process::{Command, Output};

use quintain_languages::{GameInfo, Shell, Starter, begin};
use tempfile::TempDir;

/// A new player, in a folder of its name in `place`.
pub struct Player {
    pub place: TempDir,
    name: String,
    pub starter: &'static Starter,
    /// The command that builds it, as printed.
    pub build: Option<String>,
}

impl Player {
    pub fn new(language: &str, game: &str) -> Player {
        Player::named("mine", Starter::find(language).unwrap(), game)
    }

    pub fn named(name: &str, starter: &'static Starter, game: &str) -> Player {
        let catalog = quintain_games::catalog();
        let game = GameInfo::of(catalog.entry(game).unwrap(), &catalog).unwrap();
        let begun = begin(name, starter, &game, true, Shell::Unix);
        let player = Player {
            place: tempfile::tempdir().unwrap(),
            name: name.to_owned(),
            starter,
            build: starter.build.as_ref().map(|_| begun.steps[0].command.clone()),
        };
        for (file, text) in begun.files {
            let path = player.folder().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        player
    }

    pub fn folder(&self) -> PathBuf {
        self.place.path().join(&self.name)
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder().join(file)).unwrap()
    }

    /// Replaces a part of a file that is there.
    pub fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(self.folder().join(file), text.replace(from, to)).unwrap();
    }

    /// Builds it by the printed step.
    pub fn build(&self) -> Output {
        let step = self.build.as_ref().expect("it has to be built");
        shell(step).current_dir(self.place.path()).output().unwrap()
    }

    /// Builds it, if necessary, and returns false if the compiler is not there.
    pub fn is_built(&self) -> bool {
        let words = self.build.as_deref().and_then(|step| step.split("&& ").nth(1));
        if let Some(compiler) = words.and_then(|step| step.split(' ').next())
            && !is_installed(compiler)
        {
            return false;
        }
        if self.build.is_some() {
            let built = self.build();
            assert!(built.status.success(), "{}: {}", self.starter.name, text_of(&built));
        }
        true
    }

    /// Runs the local test, as its page says.
    pub fn run_local_test(&self) -> (bool, String) {
        let page = self.read("README.md");
        let step =
            page.lines().find_map(|line| line.strip_prefix("- `")?.split_once("`, in this folder"));
        let (step, _) = step.unwrap_or_else(|| panic!("{page}"));
        let output = shell(step).current_dir(self.folder()).output().unwrap();
        (output.status.success(), format!("{step}\n{}", text_of(&output)))
    }

    /// Checks that the local test passes, and that its example has a beginning and an end.
    pub fn passes_local_test(&self) {
        let example = self.read("example.jsonl");
        let kinds: Vec<&str> =
            example.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
        assert_eq!(kinds[..3], ["hello", "start", "turn"], "{example}");
        assert_eq!(kinds.last(), Some(&"bye"), "{example}");
        let (passes, output) = self.run_local_test();
        assert!(passes, "{}: {output}", self.starter.name);
    }

    /// Runs the local test, which must fail without a traceback, and returns its output.
    pub fn fails_local_test(&self) -> String {
        let (passes, output) = self.run_local_test();
        assert!(!passes, "{output}");
        assert!(!output.contains("Traceback") && !output.contains("    at "), "{output}");
        output
    }
}

/// Returns a line for a shell that finds the compilers in this workspace's `target`, and that needs
/// no network.
pub fn shell(line: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", installed("ziglang/bin").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", path);
    shell.env("CARGO_NET_OFFLINE", "true").env("npm_config_offline", "true");
    // The dependencies of players in Rust are compiled once for all tests. Their speed does not
    // matter, and Cargo takes longer to optimise them.
    shell.env("CARGO_BUILD_BUILD_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/players"));
    shell.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
    shell.env_remove("CARGO_TARGET_DIR").env_remove("RUST_BACKTRACE");
    shell
}

/// Returns a folder of this workspace's `target`, in which `./check` installs compilers.
pub fn installed(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../target").join(folder)
}

/// Returns whether a program can be run here; if not, what needs it is skipped, visibly.
pub fn is_installed(tool: &str) -> bool {
    // Go has no --version, but its complaint shows that it is there.
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no {tool} here");
    }
    found
}

pub fn text_of(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Returns all games, by name.
pub fn games() -> Vec<&'static str> {
    quintain_games::catalog().entries().map(|entry| entry.name()).collect()
}
