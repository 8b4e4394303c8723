//! What must pass before a change lands. docs/performance.md has the time of each step.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::{Steps, command, run};
use crate::{architecture, tools, workspace};

/// The features of the ordinary check: all but `onnx` and `parquet`, whose libraries take a tenth
/// of the build and which change seldom. The nightly check has them.
pub const FEATURES: &str =
    "quintain-cli/fleet,quintain-cli/host,quintain-cli/remote,quintain-cli/wasm";

/// The features of the nightly check.
pub const ALL_FEATURES: &str = "quintain-cli/full";

/// Everything.
///
/// # Errors
/// What the first failing step says.
pub fn check_everything(install: bool) -> Result<(), String> {
    let mut steps = Steps::default();
    prepare(&mut steps, install)?;
    check_scripts(&mut steps)?;
    let selection = Selection::everything();
    build_tests(&mut steps, &selection, install)?;
    run_tests(&mut steps, &selection, install)?;
    check_python(&mut steps, install)?;
    steps.print_summary();
    Ok(())
}

/// One wing: its crates' lints and tests, and for `app` the Python package.
///
/// # Errors
/// What the first failing step says.
pub fn check_wing(wing: &str, install: bool) -> Result<(), String> {
    let mut steps = Steps::default();
    prepare(&mut steps, install)?;
    let selection = Selection::of_wing(wing);
    build_tests(&mut steps, &selection, install)?;
    run_tests(&mut steps, &selection, install)?;
    if wing == "app" {
        check_python(&mut steps, install)?;
    }
    steps.print_summary();
    Ok(())
}

/// Which packages are checked, with which features, as arguments of Cargo.
pub struct Selection(Vec<String>);

impl Selection {
    /// The whole workspace with the features of the ordinary check.
    pub fn everything() -> Selection {
        Selection(["--workspace", "--features", FEATURES].map(str::to_owned).to_vec())
    }

    /// The whole workspace with all features.
    pub fn with_all_features() -> Selection {
        Selection(["--workspace", "--features", ALL_FEATURES].map(str::to_owned).to_vec())
    }

    /// The crates of a wing.
    fn of_wing(wing: &str) -> Selection {
        let crates = workspace::crates_of(wing);
        let mut arguments: Vec<String> =
            crates.iter().flat_map(|krate| ["--package".to_owned(), krate.name.clone()]).collect();
        let features = match wing {
            "app" => FEATURES,
            "contest" => "quintain-host/fleet,quintain-host/wasm",
            _ => "",
        };
        arguments.extend(["--features", features].map(str::to_owned));
        Selection(arguments)
    }
}

/// Installs what is missing, and checks what needs no compiler.
pub fn prepare(steps: &mut Steps, install: bool) -> Result<(), String> {
    // A golden file that differs is a failure here and is never overwritten.
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("INSTA_UPDATE", "no") };
    steps.run("what tests need", |steps| tools::prepare(steps, install))?;
    steps.command("formatting", command(&["cargo", "fmt", "--all", "--check"]))?;
    steps.run("architecture", |_| architecture::check())
}

fn check_scripts(steps: &mut Steps) -> Result<(), String> {
    let Some(tsc) = tools::tsc() else {
        steps.leave_out("the types of the pages' scripts", "install npm or TypeScript");
        return Ok(());
    };
    let mut check = Command::new(tsc);
    check.args(["-p", "crates/lab/web/src/assets/jsconfig.json"]);
    steps.command("types of the pages' scripts", check)
}

/// Clippy on everything that is selected, also benches and examples.
pub fn check_lints(steps: &mut Steps, selection: &Selection) -> Result<(), String> {
    let mut clippy = command(&["cargo", "clippy", "--locked", "--all-targets"]);
    clippy.args(&selection.0).args(["--", "-D", "warnings"]);
    steps.command("lints", clippy)
}

/// Lets Clippy's compiler compile the crates of the workspace, so that one compilation serves the
/// lints and the tests. `cargo clippy` beside `cargo build` would compile each crate twice, and
/// those of other people for the lints alone. Clippy's compiler leaves out optimisations of the
/// intermediate code, so it is no compiler for programs that users run.
fn with_lints(mut command: Command) -> Command {
    // As an option and not as a variable, since tests run Cargo for programs of their own.
    if tools::find("clippy-driver").is_some() {
        command.args(["--config", "build.rustc-workspace-wrapper='clippy-driver'"]);
        command.env("CLIPPY_ARGS", "-Dwarnings");
    }
    command
}

/// Compiles and lints the tests, so that the time of the next step is that of the tests alone. The
/// libraries are among what is built, since one of them is the Python package's extension.
pub fn build_tests(steps: &mut Steps, selection: &Selection, install: bool) -> Result<(), String> {
    let mut build = command(&["cargo", "build", "--locked", "--lib", "--bins", "--tests"]);
    build.args(&selection.0);
    if tools::find("clippy-driver").is_none() {
        steps.leave_out("lints", "rustup component add clippy");
    }
    steps.command("building the tests, with lints", with_lints(build))?;
    if tools::nextest(install).is_none() {
        steps.leave_out("tests side by side", "install cargo-nextest or python3-venv");
    }
    Ok(())
}

/// Runs the tests, then the examples in the documentation of code.
pub fn run_tests(steps: &mut Steps, selection: &Selection, install: bool) -> Result<(), String> {
    set_sandbox(steps);
    let (tests, _) = test_command(selection, install);
    steps.command("tests", tests)?;
    let mut examples = command(&["cargo", "test", "--locked", "--doc", "--no-fail-fast"]);
    examples.args(&selection.0);
    steps.command("examples in the documentation of code", with_lints(examples))
}

/// Returns the command that runs the tests of a selection, and whether it is cargo-nextest's; else
/// it is `cargo test`. It compiles as [`build_tests`] does, so nothing is compiled twice, and
/// leaves out examples, which contain no tests.
pub fn test_command(selection: &Selection, install: bool) -> (Command, bool) {
    let nextest = tools::nextest(install);
    let is_nextest = nextest.is_some();
    let mut tests = match nextest {
        Some(nextest) => {
            let mut tests = Command::new(nextest);
            tests.args(["nextest", "run", "--test-threads", &test_threads().to_string()]);
            tests
        }
        None => command(&["cargo", "test"]),
    };
    tests.args(["--no-fail-fast", "--lib", "--bins", "--tests", "--locked"]).args(&selection.0);
    (with_lints(tests), is_nextest)
}

/// Returns how many tests run side by side: half as many again as there are cores, since many tests
/// wait for programs, browsers and servers.
fn test_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores + cores.div_ceil(2)
}

/// Programs play fully confined. If this machine lacks something for that (as containers do), tests
/// confine them with what there is, and the tests of what is missing say that they are skipped.
fn set_sandbox(steps: &mut Steps) {
    let quintain = workspace::target().join("debug/quintain");
    let mut probe = Command::new(quintain);
    let Ok(output) = probe.args(["match", "polymer", "exec:true"]).output() else { return };
    let message = String::from_utf8_lossy(&output.stderr);
    if message.contains("programs are not run here") {
        steps.leave_out("the full sandbox", message.trim());
        // SAFETY: no other thread runs.
        unsafe { std::env::set_var("QUINTAIN_SANDBOX", "basic") };
    }
}

/// Tests the Python package in an environment of its own, with the extension that the build left in
/// `target/`. `scripts/wheel-test` tests it as users install it.
pub fn check_python(steps: &mut Steps, install: bool) -> Result<(), String> {
    const TESTED_WITH: [&str; 7] =
        ["numpy", "gymnasium", "pettingzoo", "pandas", "polars", "pytest", "mypy"];
    let environment = PathBuf::from("target/python");
    if !cfg!(target_os = "linux") {
        steps.leave_out("the Python package", "on this system: maturin develop, and pytest");
        return Ok(());
    }
    let is_there = environment.join("bin/pytest").exists();
    if !(is_there || install && tools::pip(&environment, &TESTED_WITH)) {
        steps.leave_out("the Python package", "install Python 3.10 or later, and python3-venv");
        return Ok(());
    }
    steps.run("tests of the Python package", |_| {
        let package = workspace::root().join("crates/app/py/python");
        let built = workspace::target().join("debug/lib_quintain.so");
        std::fs::copy(&built, package.join("quintain/_quintain.abi3.so"))
            .map_err(|error| format!("{}: {error}", built.display()))?;
        // By a file of the environment and not by PYTHONPATH, which tests set for themselves.
        let python = environment.join("bin/python3");
        let place = Command::new(&python)
            .args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"])
            .output()
            .map_err(|error| format!("{}: {error}", python.display()))?;
        let place = PathBuf::from(String::from_utf8_lossy(&place.stdout).into_owned());
        std::fs::write(place.join("quintain.pth"), package.display().to_string())
            .map_err(|error| format!("{}: {error}", place.display()))?;
        let mut pytest = Command::new(python);
        pytest.args(["-m", "pytest", "--quiet"]);
        run(pytest)
    })
}
