//! `quintain completions`: a shell's completion script.

use std::io::Write;

use clap::Command;
use clap_complete::Shell;

use crate::failure::Failure;

#[derive(clap::Args)]
#[command(after_help = "For example: quintain completions bash > \
    ~/.local/share/bash-completion/completions/quintain")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, command: &mut Command, out: &mut dyn Write) -> Result<(), Failure> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "quintain", &mut script);
    Ok(out.write_all(&script)?)
}
