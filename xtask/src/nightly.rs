//! What is slow by design, or needs what few machines have: every night and before a release.

use std::fs;

use crate::check::{self, Selection};
use crate::steps::{Steps, command};
use crate::{macos, tools, windows, workspace};

/// Everything of the ordinary check with all features, the other configurations, the
/// documentation, and the tests that are marked `#[ignore = "nightly: …"]`.
///
/// # Errors
/// What the first failing step says.
pub fn check_slow_things(install: bool) -> Result<(), String> {
    let mut steps = Steps::default();
    check::prepare(&mut steps, install)?;
    let everything = Selection::with_all_features();
    check::check_lints(&mut steps, &everything)?;
    // As `cargo run` builds it, without the features that few need; and without programs.
    for features in [&[][..], &["--no-default-features"]] {
        let mut clippy = command(&["cargo", "clippy", "--locked", "--package", "quintain-cli"]);
        clippy.args(features).args(["--", "-D", "warnings"]);
        steps.command(&format!("lints of the command {}", features.join(" ")), clippy)?;
    }
    let fuzz = "cargo check --manifest-path fuzz/Cargo.toml --no-default-features --target-dir \
                target --locked --quiet";
    steps.command("fuzz targets compile", command(&fuzz.split(' ').collect::<Vec<_>>()))?;
    check_dependencies(&mut steps)?;
    check_documentation(&mut steps)?;
    check::build_tests(&mut steps, &everything, install)?;
    check::run_tests(&mut steps, &everything, install)?;
    run_slow_tests(&mut steps, &everything, install)?;
    check::check_python(&mut steps, install)?;
    windows::check_at_night(&mut steps, install)?;
    macos::check_at_night(&mut steps, install)?;
    steps.print_summary();
    Ok(())
}

/// Advisories change without us and need the network: `cargo deny check advisories` checks them.
fn check_dependencies(steps: &mut Steps) -> Result<(), String> {
    if tools::find("cargo-deny").is_none() {
        steps.leave_out("licences and sources of dependencies", "cargo install cargo-deny");
        return Ok(());
    }
    let deny = ["cargo", "deny", "--locked", "check", "licenses", "bans", "sources"];
    steps.command("licences and sources of dependencies", command(&deny))
}

fn check_documentation(steps: &mut Steps) -> Result<(), String> {
    let mut doc = command(&["cargo", "doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    doc.args(["--features", check::ALL_FEATURES]).env("RUSTDOCFLAGS", "-D warnings");
    steps.command("documentation of code", doc)?;
    if tools::find("mdbook").is_none() {
        steps.leave_out("the documentation as a book", "cargo install mdbook");
        return Ok(());
    }
    steps.command("the documentation as a book", command(&["mdbook", "build"]))
}

/// Runs the tests that are marked `#[ignore = "nightly: …"]`, and no other ignored ones: some of
/// those are parts of tests that start them as processes.
fn run_slow_tests(steps: &mut Steps, everything: &Selection, install: bool) -> Result<(), String> {
    let names = slow_tests();
    println!("   {} slow tests: {}", names.len(), names.join(", "));
    let (mut tests, is_nextest) = check::test_command(everything, install);
    if is_nextest {
        let filter: Vec<String> = names.iter().map(|name| format!("test({name})")).collect();
        tests.args(["--run-ignored", "only", "--profile", "nightly", "-E", &filter.join(" | ")]);
    } else {
        tests.args(["--", "--ignored"]).args(&names);
    }
    steps.command("slow tests", tests)
}

/// Returns the names of the functions that are marked as slow tests.
fn slow_tests() -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["crates", "examples"] {
        for path in workspace::sources(&workspace::root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap_or_default();
            names.extend(marked_tests(&text));
        }
    }
    names
}

fn marked_tests(source: &str) -> impl Iterator<Item = String> + '_ {
    source.split("#[ignore = \"nightly").skip(1).filter_map(|rest| {
        let name = rest.split("fn ").nth(1)?;
        Some(name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
    })
}

#[cfg(test)]
mod tests {
    use super::marked_tests;

    #[test]
    fn only_tests_marked_for_the_night_are_found() {
        let source = "#[test]\n#[ignore = \"nightly: minutes\"]\nfn a_class_of_60() {}\n\
                      #[test]\n#[ignore = \"run by another test\"]\nfn part() {}\n";
        assert_eq!(marked_tests(source).collect::<Vec<_>>(), ["a_class_of_60"]);
    }
}
