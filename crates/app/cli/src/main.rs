//! The `quintain` command with the games of the workbench.

use std::process::ExitCode;

fn main() -> ExitCode {
    quintain_cli::run(quintain_games::catalog)
}
