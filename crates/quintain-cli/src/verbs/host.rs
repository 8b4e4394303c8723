//! `quintain host`: a contest that runs itself; and `quintain submit`, which hands in a program.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use quintain_core::Catalog;
use quintain_host::{HostError, client};
use quintain_scene::clean;

use crate::failure::Failure;
use crate::stop;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Begin a contest: a folder with a commented host.toml, and the organiser's token
    Init {
        /// The folder; it is made
        folder: PathBuf,
        /// The game
        #[arg(long)]
        game: String,
    },
    /// Run a contest: its pages, the checks and the ladder
    Serve {
        /// The contest's folder
        folder: PathBuf,
        /// The port; 0 takes one that is free
        #[arg(short, long, default_value_t = 8080)]
        port: u16,
        /// The address to listen on; others than this machine's own let everybody in who reaches it
        #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
        host: IpAddr,
    },
    /// Make a token for a participant; one they had before ends
    Invite {
        /// The contest's folder
        folder: PathBuf,
        /// Letters, digits, - and _
        name: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct SubmitArgs {
    /// The folder of the program, or its one file
    program: PathBuf,
    /// The address of the contest: http://host:8080
    #[arg(long, value_name = "URL")]
    to: String,
    /// The token of your invitation
    #[arg(long, env = "QUINTAIN_TOKEN", hide_env_values = true)]
    token: String,
    /// Do not wait for the check
    #[arg(long)]
    no_wait: bool,
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Failure {
        match error {
            HostError::Usage(_)
            | HostError::Config { .. }
            | HostError::Sandbox(_)
            | HostError::Newer { .. } => Failure::Usage(error.to_string()),
            HostError::Store(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.what {
        What::Init { folder, game } => {
            let token = quintain_host::init(folder, game, catalog)?;
            let shown = folder.display();
            writeln!(out, "{shown}/host.toml says what is played; look it through")?;
            writeln!(out, "the organiser's token, shown this once: {token}")?;
            writeln!(out, "then: quintain host serve {shown}")?;
            Ok(())
        }
        What::Serve { folder, port, host } => {
            serve(folder, SocketAddr::new(*host, *port), catalog, out)
        }
        What::Invite { folder, name } => {
            let token = quintain_host::invite(folder, name, catalog)?;
            writeln!(out, "the token of {name}, shown this once: {token}")?;
            writeln!(out, "their page: the contest's address with /sign-in?token={token}")?;
            Ok(())
        }
    }
}

fn serve(
    folder: &Path,
    address: SocketAddr,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let flag = stop::watch_signals();
    let mut printed = Ok(());
    let shown = folder.display().to_string();
    let ready = |bound: SocketAddr| {
        printed =
            writeln!(out, "{shown} at http://{bound}/; Ctrl-C ends it").and_then(|()| out.flush());
        if !bound.ip().is_loopback() {
            eprintln!(
                "warning: tokens travel in the clear to {bound}; put a proxy with HTTPS before it"
            );
        }
    };
    // The link always leads to this executable, even if its file has been replaced.
    let launcher = Path::new("/proc/self/exe");
    quintain_host::serve(folder, catalog, launcher, address, ready, || {
        flag.load(Ordering::SeqCst)
    })?;
    Ok(printed?)
}

pub(crate) fn submit(args: &SubmitArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let submitted = client::submit(&args.to, &args.token, &args.program)?;
    writeln!(out, "version {}, {}", submitted.version, &submitted.digest[..12])?;
    out.flush()?;
    if args.no_wait {
        return Ok(());
    }
    let checked = client::wait(&args.to, &args.token, submitted)?;
    for line in checked.log.lines() {
        writeln!(out, "  {}", clean(line))?;
    }
    match checked.stage.as_str() {
        "passed" => Ok(writeln!(out, "version {} is on the ladder", checked.version)?),
        _ => Err(Failure::Failed(format!("version {} did not pass the check", checked.version))),
    }
}
