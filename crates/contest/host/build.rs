//! Takes the module of WebAssembly that verifies finals (`scripts/verifier`) into the program, if
//! the variable `QUINTAIN_VERIFIER` names its file. Releases are built so; without it, nothing but
//! a compiler is needed, and a contest has the module as a file.

use std::path::PathBuf;
use std::{env, fs};

const VARIABLE: &str = "QUINTAIN_VERIFIER";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let module = match env::var_os(VARIABLE).filter(|file| !file.is_empty()) {
        Some(file) => format!("Some(include_bytes!({:?}))", find(PathBuf::from(file))),
        None => "None".to_owned(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("verifier.rs");
    fs::write(out, format!("const BUILT_IN: Option<&[u8]> = {module};\n")).expect("it is writable");
}

/// Returns the absolute path of the module, which must be one.
fn find(file: PathBuf) -> PathBuf {
    let begins = fs::read(&file).map(|bytes| bytes.starts_with(b"\0asm"));
    if !begins.as_ref().is_ok_and(|is_module| *is_module) {
        panic!("{VARIABLE} is {}, which is no module: run scripts/verifier", file.display());
    }
    println!("cargo::rerun-if-changed={}", file.display());
    fs::canonicalize(file).expect("it was read")
}
