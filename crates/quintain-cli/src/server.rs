//! The server at which machines meet, as the command line names it.

use std::path::PathBuf;

use quintain_fleet::Server;

use crate::failure::Failure;

/// Credentials for the server, in the forms that NATS has.
#[derive(clap::Args)]
#[command(next_help_heading = "At the server")]
pub(crate) struct Credentials {
    /// A credentials file, as `nsc` writes it
    #[arg(long, value_name = "FILE", env = "QUINTAIN_CREDS", requires = "on")]
    creds: Option<PathBuf>,
    /// Certificates to trust beside the system's (PEM)
    #[arg(long, value_name = "FILE", requires = "on")]
    ca: Option<PathBuf>,
    /// A certificate of our own (PEM), with --key
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

/// The server at this address, with these credentials.
pub(crate) fn server(address: &str, credentials: &Credentials) -> Result<Server, Failure> {
    let mut server: Server = address.parse()?;
    server.credentials = credentials.creds.clone();
    server.authority = credentials.ca.clone();
    server.certificate = credentials.cert.clone().zip(credentials.key.clone());
    Ok(server)
}
