//! The server where machines meet, as named on the command line and in the environment. Passwords
//! come from the environment or from files, since everybody on the machine can read a command line.

use std::path::PathBuf;

/// Credentials for the server, in the forms that NATS has.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "NATS server")]
pub(crate) struct Credentials {
    /// A credentials file, as written by `nsc`
    #[arg(long, value_name = "FILE", env = "QUINTAIN_CREDS")]
    pub(crate) creds: Option<PathBuf>,
    /// A user of the server; the password is in --password-file or $QUINTAIN_PASSWORD
    #[arg(long, value_name = "NAME", env = "QUINTAIN_USER")]
    pub(crate) user: Option<String>,
    /// A file with the user's password in its first line
    #[arg(long, value_name = "FILE", env = "QUINTAIN_PASSWORD_FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Certificates to trust besides the system's (PEM)
    #[arg(long, value_name = "FILE", env = "QUINTAIN_CA")]
    pub(crate) ca: Option<PathBuf>,
    /// A certificate of your own (PEM), with --key
    #[arg(long, value_name = "FILE", env = "QUINTAIN_CERT", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The certificate's key (PEM)
    #[arg(long, value_name = "FILE", env = "QUINTAIN_KEY", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// The subject prefix for replies, if this user may not listen to the usual ones
    /// [default: _INBOX, and _INBOX_coordinator where a tournament is handed out]
    #[arg(long, value_name = "PREFIX", env = "QUINTAIN_INBOX_PREFIX")]
    pub(crate) inbox_prefix: Option<String>,
}
