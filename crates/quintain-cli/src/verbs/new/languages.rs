//! The languages in which a player can be begun, and what each needs.

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Language {
    #[value(aliases = ["py", "python3"])]
    Python,
    #[value(aliases = ["js", "node", "nodejs"])]
    Javascript,
    #[value(alias = "rs")]
    Rust,
    #[value(aliases = ["c++", "cc", "cxx"])]
    Cpp,
    Java,
    #[value(alias = "golang")]
    Go,
    #[value(aliases = ["shell", "bash"])]
    Sh,
    /// C, as a module of WebAssembly
    #[value(aliases = ["c", "wasm"])]
    CWasm,
    /// C++, as a module of WebAssembly
    #[value(aliases = ["c++-wasm"])]
    CppWasm,
}

/// What a language needs.
pub(super) struct Starter {
    /// The files, by their names in the folder.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The file that holds `choose`.
    pub(super) source: &'static str,
    /// What builds it, if anything has to.
    pub(super) build: Option<&'static str>,
    /// What plays.
    pub(super) entry: Entry,
}

/// What plays of a folder.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// What this command runs; NAME stands for the player's name.
    Program(&'static str),
    /// This module of WebAssembly.
    Module(&'static str),
}

impl Entry {
    /// The player's text, seen from the folder above its own.
    pub(super) fn player(self, name: &str) -> String {
        match self {
            Entry::Program(_) => format!("bot:{name}"),
            Entry::Module(file) => format!("wasm:{name}/{file}"),
        }
    }
}

impl Language {
    pub(super) fn starter(self) -> Starter {
        match self {
            Language::Python => Starter {
                files: &[("bot.py", include_str!("../../../starters/python/bot.py"))],
                source: "bot.py",
                build: None,
                entry: Entry::Program("python3 bot.py"),
            },
            Language::Javascript => Starter {
                files: &[("bot.js", include_str!("../../../starters/javascript/bot.js"))],
                source: "bot.js",
                build: None,
                entry: Entry::Program("node bot.js"),
            },
            Language::Rust => Starter {
                files: &[
                    // Not named Cargo.toml, which would make the folder a package of its own.
                    ("Cargo.toml", include_str!("../../../starters/rust/manifest.toml")),
                    ("src/main.rs", include_str!("../../../starters/rust/src/main.rs")),
                ],
                source: "src/main.rs",
                build: Some("cargo build --release"),
                entry: Entry::Program("./target/release/NAME"),
            },
            Language::Cpp => Starter {
                files: &[("bot.cpp", include_str!("../../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some("c++ -O2 -std=c++17 -o bot bot.cpp"),
                entry: Entry::Program("./bot"),
            },
            Language::Java => Starter {
                files: &[("Bot.java", include_str!("../../../starters/java/Bot.java"))],
                source: "Bot.java",
                build: Some("javac Bot.java"),
                entry: Entry::Program("java -cp . Bot"),
            },
            Language::Go => Starter {
                files: &[
                    ("go.mod", include_str!("../../../starters/go/go.mod")),
                    ("main.go", include_str!("../../../starters/go/main.go")),
                ],
                source: "main.go",
                build: Some("go build -o bot"),
                entry: Entry::Program("./bot"),
            },
            Language::Sh => Starter {
                files: &[("bot.sh", include_str!("../../../starters/sh/bot.sh"))],
                source: "bot.sh",
                build: None,
                entry: Entry::Program("sh bot.sh"),
            },
            Language::CWasm => Starter {
                files: &[("bot.c", include_str!("../../../starters/c/bot.c"))],
                source: "bot.c",
                build: Some("python3 -m ziglang cc -target wasm32-wasi -O2 -s -o bot.wasm bot.c"),
                entry: Entry::Module("bot.wasm"),
            },
            Language::CppWasm => Starter {
                files: &[("bot.cpp", include_str!("../../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some(
                    "python3 -m ziglang c++ -target wasm32-wasi -O2 -std=c++17 -fno-exceptions -s \
                     -o bot.wasm bot.cpp",
                ),
                entry: Entry::Module("bot.wasm"),
            },
        }
    }
}
