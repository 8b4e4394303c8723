//! The server at which machines meet, as the command line names it.

use std::path::PathBuf;

/// Credentials for the server, in the forms that NATS has.
#[derive(clap::Args)]
#[command(next_help_heading = "At the server")]
pub(crate) struct Credentials {
    /// A credentials file, as `nsc` writes it
    #[arg(long, value_name = "FILE", env = "QUINTAIN_CREDS", requires = "on")]
    pub(crate) creds: Option<PathBuf>,
    /// Certificates to trust beside the system's (PEM)
    #[arg(long, value_name = "FILE", requires = "on")]
    pub(crate) ca: Option<PathBuf>,
    /// A certificate of our own (PEM), with --key
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}
