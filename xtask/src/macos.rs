//! The command compiled and linked for macOS, from any system: whether it also runs there, only a
//! Mac can tell, on which a release builds it.

use std::path::Path;

use crate::check::ALL_FEATURES;
use crate::steps::{Steps, command, run, succeeds};
use crate::tools;

const TARGET: &str = "aarch64-apple-darwin";

/// Lints the command with the features of every kind of build, and links it with its usual ones:
/// with all of them, the certificates of the system want frameworks that only Apple's SDK has.
///
/// # Errors
/// What the first failing step says.
pub fn check_at_night(steps: &mut Steps, install: bool) -> Result<(), String> {
    let Some(zigbuild) = tools::zigbuild(install) else {
        steps.leave_out("the command on macOS", "pip install ziglang cargo-zigbuild");
        return Ok(());
    };
    if succeeds(&["rustup", "--version"]) {
        run(command(&["rustup", "target", "add", TARGET]))?;
    }
    // It looks for the Python that has Zig.
    let beside = zigbuild.parent().map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(beside.into_iter().chain(std::env::split_paths(&path)))
        .map_err(|error| format!("PATH: {error}"))?;
    let zig = |verb: &str, features: &[&str]| {
        let mut zig = command(&[&zigbuild.to_string_lossy(), verb, "--locked"]);
        zig.args(["--package", "quintain-cli", "--target", TARGET]).args(features);
        zig.env("PATH", &path);
        zig
    };
    let all = ["--features", ALL_FEATURES];
    for features in [&["--no-default-features"][..], &[], &all] {
        let mut lints = zig("clippy", features);
        lints.args(["--", "-D", "warnings"]);
        steps.command(&format!("lints for macOS {}", features.join(" ")), lints)?;
    }
    steps.command("the command for macOS, linked", zig("zigbuild", &[]))
}
