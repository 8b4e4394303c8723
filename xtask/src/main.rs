//! What `./check` and `./nightly` do.
//!
//! | command | does |
//! |---|---|
//! | `cargo xtask check [WING] [--no-install]` | everything that must pass before a change lands; for one wing, its part |
//! | `cargo xtask check windows` | the command built for Windows and tried under Wine, as every night |
//! | `cargo xtask nightly [--no-install]` | what is slow by design: before a release, and every night |
//! | `cargo xtask architecture` | the rules of the code's structure, in a second |
//!
//! Each step is one entry in [`check`] or [`nightly`]; [`tools`] says which programs the steps need
//! and how they are installed.

use std::process::ExitCode;

mod architecture;
mod check;
mod macos;
mod nightly;
mod steps;
mod terminal;
mod tools;
mod windows;
mod workspace;

const USAGE: &str = "usage: cargo xtask check [WING | windows] [--no-install]
       cargo xtask nightly [--no-install]
       cargo xtask architecture";

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let install = !words.iter().any(|word| word == "--no-install");
    words.retain(|word| word != "--no-install");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    std::env::set_current_dir(workspace::root()).expect("the workspace's folder exists");
    let result = match words[..] {
        ["check"] => check::check_everything(install),
        ["check", "windows"] => windows::check_windows(install),
        ["check", wing] if workspace::WINGS.contains(&wing) => check::check_wing(wing, install),
        ["check", other] => {
            eprintln!(
                "check: “{other}”: expected a wing ({}) or windows",
                workspace::WINGS.join(", ")
            );
            return ExitCode::from(2);
        }
        ["nightly"] => nightly::check_slow_things(install),
        ["architecture"] => architecture::check(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}
