//! The rules of the code's structure, as docs/design.md states them.

mod cycles;
mod games;
mod systems;
mod tokens;
mod width;
mod wings;

/// Checks all rules.
///
/// # Errors
/// Every place that breaks a rule, one a line, and what to do.
pub fn check() -> Result<(), String> {
    let problems = [
        wings::problems(),
        cycles::problems(),
        games::problems(),
        systems::problems(),
        width::problems(),
    ]
    .concat();
    if problems.is_empty() {
        println!(
            "   wings, cycles of files, rooms of games, systems, width of lines: as they should be"
        );
        return Ok(());
    }
    Err(format!("the structure differs from docs/design.md:\n{}", problems.join("\n")))
}
