//! The server at which machines meet, as the command line names it.

use std::path::PathBuf;

use quintain_fleet::Server;

use crate::failure::Failure;

/// How to prove who we are, by NATS's own means.
#[derive(clap::Args)]
#[command(next_help_heading = "At the server")]
pub(crate) struct Proof {
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

/// The server of this address.
pub(crate) fn server(address: &str, proof: &Proof) -> Result<Server, Failure> {
    let mut server: Server = address.parse()?;
    server.credentials = proof.creds.clone();
    server.authority = proof.ca.clone();
    server.certificate = proof.cert.clone().zip(proof.key.clone());
    Ok(server)
}
