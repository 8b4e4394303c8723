//! `./check windows`: builds the command for Windows and tries it under Wine, in a few minutes.
//! What Wine cannot show, such as the limits of a job object, a real Windows has to.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::check::FEATURES;
use crate::steps::{Steps, command, run, succeeds};
use crate::terminal::Cue::Text;
use crate::terminal::Deed::Press;
use crate::{check, terminal, tools, workspace};

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// Programs that this check runs, and the Debian package of each.
const NEEDED: [(&str, &str); 2] = [(COMPILER, "gcc-mingw-w64-x86-64"), ("wine", "wine64")];

/// Versions of Wine before 9 lack this library, by which Rust's standard library gets its random
/// numbers. In its place, an old function of Windows does the same.
const RANDOM_LIBRARY: &str = "bcryptprimitives.dll";
const RANDOM_SOURCE: &str = "#include <windows.h>\n\
     BOOLEAN NTAPI SystemFunction036(void *, ULONG);\n\
     __declspec(dllexport) BOOL WINAPI ProcessPrng(void *at, SIZE_T size) {\n\
         return SystemFunction036(at, (ULONG)size);\n\
     }\n";

/// The tournament that is played on both systems.
const CUP: &str = "name = \"both\"\ngame = \"tron\"\nformat = \"versus\"\n\
                   scenarios = [\"hackerrank?opening=6\", \"obstacles\"]\n\
                   players = [\"basic\", \"improved\", \"space\", \"wall-hugger\"]\n\
                   seeds = 8\nseed = 1\n";

/// Crates whose own tests run under Wine.
const TESTED: [&str; 2] = ["quintain-core", "quintain-store"];

/// How long a command may take that plays a few matches, under Wine and compiled for tests.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where the commands run, and the command of each system.
struct Place {
    folder: PathBuf,
    windows: PathBuf,
    linux: PathBuf,
    prefix: PathBuf,
}

/// Everything about Windows, as one check.
///
/// # Errors
/// What the first failing step says.
pub fn check_windows(install: bool) -> Result<(), String> {
    let mut steps = Steps::default();
    if let Some(missing) = prepare(install)? {
        return Err(format!("check: windows: {missing}"));
    }
    run_steps(&mut steps)?;
    steps.print_summary();
    Ok(())
}

/// The same as a part of the nightly check, where it is left out if something is missing.
///
/// # Errors
/// What the first failing step says.
pub fn check_at_night(steps: &mut Steps, install: bool) -> Result<(), String> {
    match prepare(install)? {
        Some(missing) => steps.leave_out("the command on Windows", &missing),
        None => run_steps(steps)?,
    }
    Ok(())
}

/// Installs what is missing; returns what still is.
fn prepare(install: bool) -> Result<Option<String>, String> {
    let is_missing = |program: &str| tools::find(program).is_none();
    let missing =
        || NEEDED.iter().filter(|(program, _)| is_missing(program)).map(|(_, name)| *name);
    let packages: Vec<&str> = missing().collect();
    if !packages.is_empty() && install && tools::can_install_packages() {
        tools::install_packages(&packages)?;
    }
    if succeeds(&["rustup", "--version"]) {
        run(command(&["rustup", "target", "add", TARGET]))?;
    }
    let packages: Vec<&str> = missing().collect();
    Ok((!packages.is_empty()).then(|| format!("install {}", packages.join(" "))))
}

fn run_steps(steps: &mut Steps) -> Result<(), String> {
    // What cannot exist on Windows is a message and no error of the compiler, with every feature.
    for features in [&["--no-default-features"][..], &[], &["--features", check::ALL_FEATURES]] {
        let mut lints = command(&["cargo", "clippy", "--locked", "--package", "quintain-cli"]);
        lints.args(["--target", TARGET]).args(features).args(["--", "-D", "warnings"]);
        steps.command(&format!("lints for Windows {}", features.join(" ")), lints)?;
    }
    for target in [&["--target", TARGET][..], &[]] {
        let mut build = command(&["cargo", "build", "--locked", "--package", "quintain-cli"]);
        build.args(["--features", FEATURES]).args(target);
        steps.command(&format!("the command {}", target.join(" ")), build)?;
    }
    let place = Place::new()?;
    steps.run("Windows: tests of crates", |_| place.try_tests_of_crates())?;
    steps.run("Windows: a match, and what the command says of itself", |_| place.try_matches())?;
    steps.run("Windows: a tournament, continued after a kill", |_| place.try_tournament())?;
    steps.run("Windows: stores of either system on the other", |_| place.try_stores())?;
    steps.run("Windows: files as its editors write them", |_| place.try_files())?;
    steps.run("Windows: paths of more than 260 letters", |_| place.try_long_paths())?;
    steps.run("Windows: keys and Ctrl-C in a terminal", |_| place.try_terminal())?;
    steps.run("Windows: a program in C as a player", |_| place.try_program())?;
    steps.run("Windows: the test of a new player", |_| place.try_local_test())?;
    steps.run("Windows: a module of WebAssembly", |steps| place.try_module(steps))?;
    steps.run("Windows: pages", |_| place.try_pages())
}

impl Place {
    fn new() -> Result<Place, String> {
        let target = workspace::root().join(workspace::target());
        let base = target.join("windows");
        let folder = base.join("play");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| at(&folder, &error))?;
        }
        fs::create_dir_all(&folder).map_err(|error| at(&folder, &error))?;
        let place = Place {
            folder,
            windows: target.join(TARGET).join("debug/quintain.exe"),
            linux: target.join("debug/quintain"),
            prefix: base.join("prefix"),
        };
        place.add_random_numbers(&base)?;
        Ok(place)
    }

    /// Builds the library that old versions of Wine lack, beside the command and beside tests.
    fn add_random_numbers(&self, base: &Path) -> Result<(), String> {
        let source = base.join("random.c");
        fs::write(&source, RANDOM_SOURCE).map_err(|error| at(&source, &error))?;
        let library = self.windows.with_file_name(RANDOM_LIBRARY);
        let mut compile = command(&[COMPILER, "-shared", "-O1", "-o"]);
        compile.arg(&library).arg(source).arg("-ladvapi32");
        run(compile)?;
        let beside_tests = self.windows.with_file_name("deps").join(RANDOM_LIBRARY);
        fs::copy(library, &beside_tests).map_err(|error| at(&beside_tests, &error)).map(drop)
    }

    /// The command of Windows with these arguments, under Wine.
    fn wine(&self, arguments: &[&str]) -> Command {
        let mut wine = self.wine_with(&self.windows);
        wine.args(arguments);
        wine
    }

    fn wine_with(&self, program: &Path) -> Command {
        let mut wine = Command::new("wine");
        wine.arg(program).current_dir(&self.folder);
        self.set_up(&mut wine);
        wine
    }

    /// Tells a command how Wine runs what it starts.
    fn set_up(&self, command: &mut Command) {
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env("WINEARCH", "win64");
        // Neither is asked for, since neither is needed.
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=").env_remove("DISPLAY");
    }

    /// The tests of crates that deal with files and locks in ways of Windows' own.
    fn try_tests_of_crates(&self) -> Result<(), String> {
        let mut tests = command(&["cargo", "test", "--locked", "--quiet", "--lib"]);
        tests.args(["--target", TARGET]);
        tests.args(TESTED.iter().flat_map(|name| ["--package", name]));
        tests.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine");
        self.set_up(&mut tests);
        run(tests)
    }

    fn linux(&self, arguments: &[&str]) -> Command {
        let mut linux = Command::new(&self.linux);
        linux.args(arguments).current_dir(&self.folder);
        linux
    }

    /// What the command of Windows prints; it must succeed.
    fn windows_says(&self, arguments: &[&str]) -> Result<String, String> {
        says(self.wine(arguments), 0)
    }

    fn linux_says(&self, arguments: &[&str]) -> Result<String, String> {
        says(self.linux(arguments), 0)
    }

    fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join(file);
        fs::write(&path, text).map_err(|error| at(&path, &error))
    }

    fn read(&self, file: &str) -> Result<String, String> {
        let path = self.folder.join(file);
        fs::read_to_string(&path).map_err(|error| at(&path, &error))
    }

    fn try_matches(&self) -> Result<(), String> {
        let version = self.windows_says(&["--version", "--verbose"])?;
        expect(&version, "system:   windows on x86_64")?;
        expect(&version, "sandbox:  none")?;
        let arguments =
            ["match", "tron", "advanced", "space", "--scenario", "obstacles", "--seed", "3"];
        let played = self.windows_says(&[&arguments[..], &["--save", "windows.json"]].concat())?;
        let linux = self.linux_says(&[&arguments[..], &["--save", "linux.json"]].concat())?;
        same("what match prints", &played.replace("windows.json", "linux.json"), &linux)?;
        same("the record of a match", &self.read("windows.json")?, &self.read("linux.json")?)
    }

    fn try_tournament(&self) -> Result<(), String> {
        let options = ["tournament", "cup.toml", "--store", "windows.sqlite"];
        self.write("cup.toml", CUP)?;
        let store = self.folder.join("windows.sqlite");
        let mut killed = self.wine(&options).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let killed = killed.as_mut().map_err(|error| error.to_string())?;
        // A store that has grown has records in it.
        let begun = Instant::now();
        while fs::metadata(&store).map_or(0, |data| data.len()) < 100_000 {
            if begun.elapsed() > PATIENCE || !matches!(killed.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = killed.kill();
        let _ = killed.wait();
        let continued = self.windows_says(&options)?;
        expect(&continued, "192 of 192 matches")?;
        expect(&self.windows_says(&options)?, "192 of 192 matches")?;
        self.expect_no_locks()
    }

    /// What a run holds while it plays, nobody finds afterwards.
    fn expect_no_locks(&self) -> Result<(), String> {
        let entries = fs::read_dir(&self.folder).map_err(|error| at(&self.folder, &error))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        match names.into_iter().find(|name| name.contains("-run-")) {
            Some(left) => Err(format!("{left} stays behind")),
            None => Ok(()),
        }
    }

    fn try_stores(&self) -> Result<(), String> {
        self.linux_says(&["tournament", "cup.toml", "--store", "linux.sqlite"])?;
        for store in ["linux.sqlite", "windows.sqlite"] {
            expect(&self.windows_says(&["verify", "--store", store])?, "192 records")?;
            expect(&self.linux_says(&["verify", "--store", store])?, "192 records")?;
        }
        let records = |says: &dyn Fn(&[&str]) -> Result<String, String>, store: &str| {
            let text = says(&["export", "--what", "records", "--store", store])?;
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            Ok::<String, String>(lines.join("\n"))
        };
        let windows = records(&|words| self.linux_says(words), "windows.sqlite")?;
        let linux = records(&|words| self.windows_says(words), "linux.sqlite")?;
        same("the records of a tournament", &windows, &linux)
    }

    /// Files with CR LF and a byte order mark, paths with backslashes and drives, forbidden names.
    fn try_files(&self) -> Result<(), String> {
        let cup = "\u{feff}name = \"cup\"\r\ngame = \"tron\"\r\nformat = \"versus\"\r\n\
                   scenarios = [\"obstacles\"]\r\nplayers = [\"basic\", \"space\"]\r\n\
                   seeds = 2\r\n";
        fs::create_dir_all(self.folder.join("own files")).map_err(|error| error.to_string())?;
        self.write("own files/cup.toml", cup)?;
        let here = self.windows_path(&self.folder)?;
        let file = format!("{here}\\own files\\cup.toml");
        expect(&self.windows_says(&["tournament", &file, "--store", "cup.sqlite"])?, "4 of 4")?;
        let map = "\u{feff}#######\r\n#1 # 2#\r\n#     #\r\n#######\r\n";
        self.write("own files/map.txt", map)?;
        let played = |path: &str| {
            let scenario = format!("file?path={path}");
            self.windows_says(&["match", "tron", "basic", "space", "-s", &scenario, "--seed", "1"])
        };
        let by_drive = played(&format!("{here}\\own files\\map.txt"))?;
        expect(&by_drive, "free cells left")?;
        let board = |text: &str| text.lines().skip(1).collect::<Vec<_>>().join("\n");
        let here = board(&played("own files/map.txt")?);
        same("a map by two paths", &board(&by_drive), &here)?;
        for name in ["con", "aux"] {
            let refused = says(self.wine(&["new", "player", name]), 2)?;
            expect(&refused, "Windows keeps this name for a device")?;
        }
        let refused = says(self.linux(&["new", "player", "nul"]), 2)?;
        expect(&refused, "Windows keeps this name for a device")
    }

    /// Wine itself has no such limit, so this shows that the forms without one are right.
    fn try_long_paths(&self) -> Result<(), String> {
        let folder = ["a-folder-whose-name-is-long"; 12].join("/");
        fs::create_dir_all(self.folder.join(&folder)).map_err(|error| error.to_string())?;
        let store = format!("{folder}/store.sqlite");
        let cup = ["tournament", "own files/cup.toml", "--store", &store];
        expect(&self.windows_says(&cup)?, "4 of 4")?;
        expect(&self.windows_says(&["verify", "--store", &store])?, "4 records")?;
        expect(&self.linux_says(&["verify", "--store", &store])?, "4 records")?;
        let record = format!("{folder}/match.json");
        self.windows_says(&["match", "tron", "--seed", "3", "--save", &record])?;
        expect(&self.windows_says(&["verify", &record])?, "verified")
    }

    /// Keys with and without sequences of their own, help, and both meanings of Ctrl-C.
    fn try_terminal(&self) -> Result<(), String> {
        let play = [
            (Text("turn 0"), Press("d")),
            (Text("turn 1"), Press("\u{1b}[C")),
            (Text("turn 2"), Press("?")),
            (Text("q or Esc ends"), Press("x")),
            (Text("turn 2"), Press("\u{3}")),
        ];
        let wine = self.wine(&["play", "tron"]);
        let (shown, code) = terminal::use_terminal(&wine, &play, PATIENCE)?;
        same_code("Ctrl-C ends a game", code, 0, &shown)?;
        expect(&shown, "\u{1b}[38;5;")?;
        self.write("long.toml", &CUP.replace("seeds = 8", "seeds = 800"))?;
        let options = ["tournament", "long.toml", "--store", "long.sqlite"];
        let wine = self.wine(&options);
        let stop = [(Text("leader"), Press("\u{3}"))];
        let (shown, code) = terminal::use_terminal(&wine, &stop, PATIENCE)?;
        same_code("Ctrl-C stops a tournament", code, 130, &shown)?;
        expect(&shown, "matches played, all of them in long.sqlite")?;
        expect(&self.windows_says(&["verify", "--store", "long.sqlite"])?, "verified")
    }

    /// The test that is written for `cmd`, with a program that is right and one that is not, and
    /// a language that Windows cannot run.
    fn try_local_test(&self) -> Result<(), String> {
        let refused = says(self.wine(&["new", "player", "script", "--lang", "sh"]), 2)?;
        expect(&refused, "quintain in WSL")?;
        self.windows_says(&["new", "player", "tested", "--lang", "cpp"])?;
        let test = |status| {
            let mut cmd = self.wine_with(Path::new("cmd"));
            cmd.args(["/c", r"tested\test.bat"]);
            says(cmd, status)
        };
        expect(&test(1)?, "there is no bot.exe yet; build it first: c++ -O2")?;
        let copy = |program: &str| {
            let to = self.folder.join("tested/bot.exe");
            fs::copy(self.folder.join(program), &to).map_err(|error| at(&to, &error)).map(drop)
        };
        copy("mine/bot.exe")?;
        expect(&test(0)?, "turns, each answered with an action")?;
        copy("crashes.exe")?;
        expect(&test(1)?, "it ended with exit code 3")
    }

    /// A path as Windows writes it.
    fn windows_path(&self, path: &Path) -> Result<String, String> {
        let mut winepath = Command::new("winepath");
        winepath.arg("-w").arg(path).env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all");
        says(winepath, 0).map(|path| path.trim().to_owned())
    }

    /// A program that is compiled for Windows plays there, and every way to fail is a fault.
    fn try_program(&self) -> Result<(), String> {
        self.windows_says(&["new", "player", "first"])?;
        expect(&self.read("bots.toml")?, "py -3 bot.py")?;
        self.windows_says(&["new", "player", "mine", "--lang", "c-wasm"])?;
        let mut compile = command(&[COMPILER, "-O1", "-o", "mine/bot.exe", "mine/bot.c"]);
        compile.current_dir(&self.folder);
        run(compile)?;
        let here = self.windows_path(&self.folder)?;
        let bots = format!(
            "[mine]\r\ncommand = './bot'\r\nfolder = 'mine'\r\n\r\n[exact]\r\n\
             command = '{here}\\mine\\bot.exe'\r\nfolder = 'mine'\r\n"
        );
        self.write("bots.toml", &bots)?;
        let checked = self.windows_says(&["bot", "check", "bot:mine"])?;
        expect(&checked, "not confined")?;
        expect(&checked, "ok   bye")?;
        expect_not(&checked, "BAD")?;
        self.windows_says(&["match", "tron", "bot:exact", "basic"])?;
        self.windows_says(&["match", "tron", "exec:\"mine\\bot.exe\"", "basic"])?;
        let compared = ["compare", "bot:mine", "basic", "--game", "tron", "--matches", "20"];
        expect(&self.windows_says(&compared)?, "basic")?;
        self.try_faults()
    }

    fn try_faults(&self) -> Result<(), String> {
        let sources = [
            ("crashes", "int main(void) { return 3; }", "exit code 3"),
            (
                "sleeps",
                "#include <windows.h>\nint main(void) { Sleep(60000); return 0; }",
                "no answer within",
            ),
            (
                "floods",
                "#include <stdio.h>\nint main(void) { for (;;) fputs(\"xxxxxxxx\", stdout); }",
                "without a line end",
            ),
            // What it starts keeps its output open and must end with it.
            (
                "starts",
                "#include <process.h>\n#include <windows.h>\n\
                 int main(int count, char **words) {\n\
                     if (count > 1) Sleep(60000);\n\
                     else _spawnl(_P_NOWAIT, words[0], words[0], \"child\", NULL);\n\
                     return 5; }",
                "exit code 5",
            ),
        ];
        for (name, source, expected) in sources {
            self.write(&format!("{name}.c"), source)?;
            let mut compile = command(&[COMPILER, "-O1", "-o"]);
            compile.args([format!("{name}.exe"), format!("{name}.c")]).current_dir(&self.folder);
            run(compile)?;
            let bots = format!(
                "[{name}]\ncommand = \"./{name}\"\n\
                 limits = {{ start = \"2s\", output = \"2MB\" }}\n"
            );
            self.write("bots.toml", &bots)?;
            let refused = says(self.wine(&["match", "tron", &format!("bot:{name}"), "basic"]), 2)?;
            expect(&refused, expected).map_err(|problem| format!("{name}: {problem}"))?;
        }
        Ok(())
    }

    /// A module decides the same on both systems.
    fn try_module(&self, steps: &mut Steps) -> Result<(), String> {
        let Some(python) = tools::ziglang() else {
            steps.leave_out("modules of WebAssembly on Windows", "pip install ziglang");
            return Ok(());
        };
        let python = workspace::root().join(python);
        let python = if python.exists() { python } else { PathBuf::from("python3") };
        let mut compile = Command::new(python);
        compile.args(["-m", "ziglang", "cc", "-target", "wasm32-wasi", "-O2", "-o"]);
        compile.args(["mine/bot.wasm", "mine/bot.c"]).current_dir(&self.folder);
        run(compile)?;
        let arguments = ["match", "tron", "wasm:mine/bot.wasm", "basic", "--seed", "5", "--save"];
        self.windows_says(&[&arguments[..], &["windows.json"]].concat())?;
        self.linux_says(&[&arguments[..], &["linux.json"]].concat())?;
        same("the record of a module", &self.read("windows.json")?, &self.read("linux.json")?)?;
        let options = ["--game", "tron", "--matches", "20"];
        let compare = [&["compare", "wasm:mine/bot.wasm", "basic"], &options[..]].concat();
        expect(&self.windows_says(&compare)?, "basic")?;
        self.linux_says(&["verify", "windows.json", "--players"]).map(drop)
    }

    fn try_pages(&self) -> Result<(), String> {
        let mut serve = self.wine(&["serve", "--store", "windows.sqlite", "--port", "0"]);
        let mut server = serve.stdout(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
        let fetched = fetch_pages(&mut server);
        let _ = server.kill();
        let _ = server.wait();
        fetched
    }
}

/// Fetches the first page of a server, whose first line names its address.
fn fetch_pages(server: &mut Child) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the server: {error}");
    let output = server.stdout.take().expect("standard output is a pipe");
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).map_err(failed)?;
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.ok_or_else(|| format!("the server says “{}”", line.trim()))?;
    let mut page = TcpStream::connect(address).map_err(failed)?;
    page.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    page.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = Vec::new();
    page.read_to_end(&mut answer).map_err(failed)?;
    let answer = String::from_utf8_lossy(&answer);
    expect(&answer, "HTTP/1.1 200")?;
    expect(&answer, "both")
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// What a command prints to both of its streams, with the line ends of Unix. It must end with this
/// status.
fn says(mut command: Command, status: i32) -> Result<String, String> {
    let shown: Vec<String> =
        command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let shown = shown.join(" ");
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
    match output.status.code() == Some(status) {
        true => Ok(text),
        false => Err(format!("{shown}: {} instead of {status}:\n{text}", output.status)),
    }
}

fn expect(text: &str, part: &str) -> Result<(), String> {
    // Messages are wrapped to the width of a terminal.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let part_flat = part.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.contains(&part_flat) {
        true => Ok(()),
        false => Err(format!("expected “{part}” in:\n{text}")),
    }
}

fn expect_not(text: &str, part: &str) -> Result<(), String> {
    match text.contains(part) {
        true => Err(format!("“{part}” is unexpected in:\n{text}")),
        false => Ok(()),
    }
}

fn same_code(what: &str, code: Option<i32>, expected: i32, shown: &str) -> Result<(), String> {
    match code == Some(expected) {
        true => Ok(()),
        false => Err(format!("{what}: exit code {code:?}, expected {expected}:\n{shown}")),
    }
}

fn same(what: &str, windows: &str, linux: &str) -> Result<(), String> {
    match windows == linux {
        true => Ok(()),
        false => Err(format!("{what}: on Windows\n{windows}\nand on Linux\n{linux}")),
    }
}
