//! `quintain bot apparmor`: the profile with which this executable may confine programs.

use std::io::Write;
use std::path::PathBuf;

use quintain_bots::sandbox;

use crate::failure::Failure;

#[derive(clap::Args)]
pub(super) struct ApparmorArgs {
    /// Install the profile and load it (with sudo)
    #[arg(long)]
    install: bool,
    /// The executable that confines programs [default: this one]
    executable: Option<PathBuf>,
}

/// Prints or installs the profile of an executable.
pub(super) fn run(args: &ApparmorArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let named = args.executable.clone().map_or_else(std::env::current_exe, Ok);
    let executable = named
        .and_then(|path| path.canonicalize())
        .map_err(|error| Failure::Usage(format!("the executable cannot be found: {error}")))?;
    if args.install {
        let installed = sandbox::install_apparmor_profile(&executable).map_err(|error| {
            let why = "run this with sudo, where AppArmor 4 is";
            Failure::Failed(format!("the profile cannot be installed: {error}; {why}"))
        })?;
        writeln!(out, "{} lets {} confine programs", installed.display(), executable.display())?;
        return Ok(());
    }
    let unnamed = || Failure::Failed("AppArmor cannot name the path of this executable".to_owned());
    write!(out, "{}", sandbox::apparmor_profile(&executable).ok_or_else(unnamed)?)?;
    Ok(())
}
