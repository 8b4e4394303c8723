//! The languages for a new player, and what each needs.

use crate::types::{Model, go, python, rust, typescript};

/// A module is tested as an ordinary program.
const C_TEST: &str = "${CC:-cc} -O2 -o \"$place/bot\" bot.c || exit 1";
const CPP_TEST: &str = "${CXX:-c++} -O2 -std=c++17 -o \"$place/bot\" bot.cpp || exit 1";

/// Checks that a program that has to be built has been built, before it is tested.
const CPP_BUILT: &str =
    "[ -e bot ] || { echo 'there is no bot yet; build it first: BUILD'; exit 1; }";
const JAVA_BUILT: &str =
    "[ -e Bot.class ] || { echo 'there is no Bot.class yet; build it first: BUILD'; exit 1; }";

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
    /// C, as a WebAssembly module
    #[value(aliases = ["c", "wasm"])]
    CWasm,
    /// C++, as a WebAssembly module
    #[value(aliases = ["c++-wasm"])]
    CppWasm,
    /// Rust, as a WebAssembly module
    #[value(alias = "rs-wasm")]
    RustWasm,
    /// Zig, as a WebAssembly module
    #[value(alias = "zig")]
    ZigWasm,
    /// AssemblyScript, as a WebAssembly module
    #[value(aliases = ["assemblyscript", "as"])]
    AssemblyscriptWasm,
    /// JavaScript with QuickJS, as a WebAssembly module
    #[value(alias = "js-wasm")]
    JavascriptWasm,
    /// Python with MicroPython, as a WebAssembly module
    #[value(aliases = ["py-wasm", "python3-wasm"])]
    PythonWasm,
}

/// The parts of a language's starter.
pub(super) struct Starter {
    /// The files, with their names in the folder.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The file that holds `choose`.
    pub(super) source: &'static str,
    /// The command that builds it, if anything has to be built.
    pub(super) build: Option<&'static str>,
    /// What plays.
    pub(super) entry: Entry,
    /// The file with the types of the game, and the function that writes it, for languages with types
    /// for JSON.
    pub(super) types: Option<(&'static str, WriteTypes)>,
    /// The command that checks its types, if building does not.
    pub(super) check: Option<&'static str>,
    /// The command that runs its test, in the folder.
    pub(super) test: &'static str,
    /// For `test.sh`, if there is no better test: the preparation, and the program.
    pub(super) script: Option<(&'static str, &'static str)>,
}

/// Writes the types of a game, given its name.
pub(super) type WriteTypes = fn(&Model, &str) -> String;

/// The part of a folder that plays.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// The program run by this command; NAME stands for the player's name.
    Program(&'static str),
    /// A WebAssembly module.
    Module {
        /// Its file.
        file: &'static str,
        /// Where to get its compiler.
        compiler: &'static str,
        /// Whether its function is called; otherwise it reads lines.
        is_called: bool,
    },
}

impl Entry {
    /// Returns the player's text, relative to the parent of its folder.
    pub(super) fn player(self, name: &str) -> String {
        match self {
            Entry::Program(_) => format!("bot:{name}"),
            Entry::Module { file, .. } => format!("wasm:{name}/{file}"),
        }
    }

    /// Returns where to get the compiler, if it is not the language's own.
    pub(super) fn compiler(self) -> Option<&'static str> {
        match self {
            Entry::Program(_) => None,
            Entry::Module { compiler, .. } => Some(compiler),
        }
    }
}

/// Where to get compilers for modules.
const ZIG: &str = "`pip install ziglang` installs the compiler";
const RUST: &str = "`rustup target add wasm32-wasip1` lets Rust compile to WebAssembly";
const NPX: &str = "`npx`, part of Node.js, fetches the compiler";
const QUICKJS: &str = "`npx`, part of Node.js, fetches QuickJS and Binaryen";
const MICROPYTHON: &str = "`npx`, part of Node.js, fetches MicroPython and Binaryen";

/// Returns a module, with the way to talk to it.
const fn module(compiler: &'static str, is_called: bool) -> Entry {
    Entry::Module { file: "bot.wasm", compiler, is_called }
}

/// The files of a player in Rust, for any target. The manifest is not named Cargo.toml here, since that
/// would make the folder a package of its own.
const RUST_FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("../../../starters/rust/manifest.toml")),
    ("src/main.rs", include_str!("../../../starters/rust/src/main.rs")),
    ("tests/example.rs", include_str!("../../../starters/rust/tests/example.rs")),
];
/// The test of a module whose function is called.
const CALLED_TEST: (&str, &str) =
    ("bot.test.js", include_str!("../../../starters/called/bot.test.js"));

impl Language {
    pub(super) fn starter(self) -> Starter {
        match self {
            Language::Python => Starter {
                files: &[
                    ("bot.py", include_str!("../../../starters/python/bot.py")),
                    ("test_bot.py", include_str!("../../../starters/python/test_bot.py")),
                ],
                source: "bot.py",
                build: None,
                entry: Entry::Program("python3 bot.py"),
                types: Some(("observation.py", python::write)),
                check: None,
                test: "python3 -m unittest",
                script: None,
            },
            Language::Javascript => Starter {
                files: &[
                    ("bot.js", include_str!("../../../starters/javascript/bot.js")),
                    ("bot.test.js", include_str!("../../../starters/javascript/bot.test.js")),
                    ("node.d.ts", include_str!("../../../starters/javascript/node.d.ts")),
                    ("tsconfig.json", include_str!("../../../starters/javascript/tsconfig.json")),
                ],
                source: "bot.js",
                build: None,
                entry: Entry::Program("node bot.js"),
                types: Some(("observation.d.ts", typescript::write)),
                check: Some("npx -p typescript tsc"),
                test: "node --test",
                script: None,
            },
            Language::Rust => Starter {
                files: RUST_FILES,
                source: "src/main.rs",
                build: Some("cargo build --release"),
                entry: Entry::Program("./target/release/NAME"),
                types: Some(("src/observation.rs", rust::write)),
                check: None,
                test: "cargo test",
                script: None,
            },
            Language::Cpp => Starter {
                files: &[("bot.cpp", include_str!("../../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some("c++ -O2 -std=c++17 -o bot bot.cpp"),
                entry: Entry::Program("./bot"),
                types: None,
                check: None,
                test: "sh test.sh",
                script: Some((CPP_BUILT, "./bot")),
            },
            Language::Java => Starter {
                files: &[("Bot.java", include_str!("../../../starters/java/Bot.java"))],
                source: "Bot.java",
                build: Some("javac Bot.java"),
                entry: Entry::Program("java -cp . Bot"),
                types: None,
                check: None,
                test: "sh test.sh",
                script: Some((JAVA_BUILT, "java -cp . Bot")),
            },
            Language::Go => Starter {
                files: &[
                    ("go.mod", include_str!("../../../starters/go/go.mod")),
                    ("main.go", include_str!("../../../starters/go/main.go")),
                    ("main_test.go", include_str!("../../../starters/go/main_test.go")),
                ],
                source: "main.go",
                build: Some("go build -o bot"),
                entry: Entry::Program("./bot"),
                types: Some(("observation.go", go::write)),
                check: None,
                test: "go test",
                script: None,
            },
            Language::Sh => Starter {
                files: &[("bot.sh", include_str!("../../../starters/sh/bot.sh"))],
                source: "bot.sh",
                build: None,
                entry: Entry::Program("sh bot.sh"),
                types: None,
                check: None,
                test: "sh test.sh",
                script: Some(("", "sh bot.sh")),
            },
            Language::CWasm => Starter {
                files: &[("bot.c", include_str!("../../../starters/c/bot.c"))],
                source: "bot.c",
                build: Some(
                    "python3 -m ziglang cc -target wasm32-wasi -O2 -s -o bot.wasm bot.c \
                     && echo bot.wasm is built",
                ),
                entry: module(ZIG, false),
                types: None,
                check: None,
                test: "sh test.sh",
                script: Some((C_TEST, "\"$place/bot\"")),
            },
            Language::CppWasm => Starter {
                files: &[("bot.cpp", include_str!("../../../starters/cpp/bot.cpp"))],
                source: "bot.cpp",
                build: Some(
                    "python3 -m ziglang c++ -target wasm32-wasi -O2 -std=c++17 -fno-exceptions -s \
                     -o bot.wasm bot.cpp && echo bot.wasm is built",
                ),
                entry: module(ZIG, false),
                types: None,
                check: None,
                test: "sh test.sh",
                script: Some((CPP_TEST, "\"$place/bot\"")),
            },
            Language::RustWasm => Starter {
                files: RUST_FILES,
                source: "src/main.rs",
                build: Some(
                    "cargo build --release --target wasm32-wasip1 \
                     && cp target/wasm32-wasip1/release/NAME.wasm bot.wasm && echo bot.wasm is built",
                ),
                entry: module(RUST, false),
                types: Some(("src/observation.rs", rust::write)),
                check: None,
                test: "cargo test",
                script: None,
            },
            Language::ZigWasm => Starter {
                files: &[("bot.zig", include_str!("../../../starters/zig/bot.zig")), CALLED_TEST],
                source: "bot.zig",
                build: Some(
                    "python3 -m ziglang build-exe -target wasm32-freestanding -fno-entry -rdynamic \
                     -O ReleaseFast -fstrip -femit-bin=bot.wasm bot.zig && echo bot.wasm is built",
                ),
                entry: module(ZIG, true),
                types: None,
                check: None,
                test: "node --test",
                script: None,
            },
            Language::AssemblyscriptWasm => Starter {
                files: &[
                    ("bot.ts", include_str!("../../../starters/assemblyscript/bot.ts")),
                    CALLED_TEST,
                ],
                source: "bot.ts",
                build: Some(
                    "npx --yes --package=assemblyscript@0.28 asc bot.ts -O3 --use abort= -o bot.wasm \
                     && echo bot.wasm is built",
                ),
                entry: module(NPX, true),
                types: None,
                check: None,
                test: "node --test",
                script: None,
            },
            Language::JavascriptWasm => Starter {
                files: &[
                    ("bot.js", include_str!("../../../starters/javascript-wasm/bot.js")),
                    ("build.js", include_str!("../../../starters/javascript-wasm/build.js")),
                    ("engine.js", include_str!("../../../starters/javascript-wasm/engine.js")),
                    ("engine.wat", include_str!("../../../starters/javascript-wasm/engine.wat")),
                    (
                        "console.d.ts",
                        include_str!("../../../starters/javascript-wasm/console.d.ts"),
                    ),
                    (
                        "tsconfig.json",
                        include_str!("../../../starters/javascript-wasm/tsconfig.json"),
                    ),
                    CALLED_TEST,
                ],
                source: "bot.js",
                build: Some(
                    "npx --yes --package=quickjs-wasi@3.6 --package=binaryen@123 -- node build.js",
                ),
                entry: module(QUICKJS, true),
                types: Some(("observation.d.ts", typescript::write)),
                check: Some("npx -p typescript tsc"),
                test: "node --test",
                script: None,
            },
            Language::PythonWasm => Starter {
                files: &[
                    ("bot.py", include_str!("../../../starters/python-wasm/bot.py")),
                    ("build.js", include_str!("../../../starters/python-wasm/build.js")),
                    ("engine.py", include_str!("../../../starters/python-wasm/engine.py")),
                    ("engine.wat", include_str!("../../../starters/python-wasm/engine.wat")),
                    CALLED_TEST,
                ],
                source: "bot.py",
                build: Some(
                    "npx --yes --package=@micropython/micropython-webassembly-pyscript@1.27 \
                     --package=binaryen@123 -- node build.js",
                ),
                entry: module(MICROPYTHON, true),
                types: Some(("observation.py", python::write)),
                check: None,
                test: "node --test",
                script: None,
            },
        }
    }
}
