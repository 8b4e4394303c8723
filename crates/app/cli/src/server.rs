//! The server where machines meet, as named on the command line and in the environment. Passwords
//! come from the environment or from files, since everybody on the machine can read a command line.

use std::net::UdpSocket;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use quintain_core::format_duration;
use quintain_scene::quote;

use crate::options;
use crate::usage::time;

/// An address for documentation (RFC 5737), to which nothing is sent.
const ELSEWHERE: &str = "192.0.2.1:9";
/// What stands above the options of a login.
pub(crate) const SERVER_HEADING: &str = "NATS server";
/// The variable that names the server for all verbs that have `--on`.
const ON: &str = "QUINTAIN_ON";

/// The user for workers, and the file of its password, as `quintain fleet init` writes them.
#[cfg(any(feature = "fleet", feature = "host"))]
const WORKER: &str = "worker";
pub(crate) const WORKER_PASSWORD: &str = "worker.password";

/// Credentials for the server, in the forms that NATS has.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = SERVER_HEADING)]
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

/// How matches are handed out to the workers at a server. The option that names the server is `on`.
#[derive(Clone, clap::Args)]
pub(crate) struct HandOut {
    #[command(flatten)]
    pub(crate) credentials: Credentials,
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = time)]
    #[arg(help = options::with(options::PATIENCE, "[default: 30s]"))]
    #[arg(requires = "on", help_heading = SERVER_HEADING)]
    pub(crate) patience: Option<Duration>,
    /// The number of cluster nodes that keep each message [default: unchanged; initially 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    #[arg(requires = "on", help_heading = SERVER_HEADING)]
    pub(crate) replicas: Option<u8>,
    /// The share of matches, from 0 to 1, that a second worker plays too, to find workers that lie;
    /// matches with a time limit are never played twice [default: 0.02]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    #[arg(value_parser = within(0.0..=1.0, 0.02), requires = "on", help_heading = SERVER_HEADING)]
    pub(crate) twice: Option<f64>,
    /// Weight of this tournament's share of the workers' time, from 0.01 to 100: with 2 it gets
    /// twice the time of one with 1 [default: 1]
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    #[arg(value_parser = within(0.01..=100.0, 0.5), requires = "on", help_heading = SERVER_HEADING)]
    pub(crate) weight: Option<f64>,
}

impl Credentials {
    /// The options with their values, except passwords.
    fn options(&self) -> Vec<(&'static str, Option<String>)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        vec![
            ("--creds", path(&self.creds)),
            ("--ca", path(&self.ca)),
            ("--cert", path(&self.cert)),
            ("--key", path(&self.key)),
            ("--user", self.user.clone()),
            ("--password-file", path(&self.password_file)),
        ]
    }

    /// What a command line needs to log in as this one, behind a space.
    pub(crate) fn login(&self) -> String {
        write_options(self.options())
    }

    /// What a worker's command line needs to log in, as far as it is known here: `quintain fleet
    /// init` writes the password of workers beside that of coordinators.
    #[cfg(any(feature = "fleet", feature = "host"))]
    pub(crate) fn worker_login(&self) -> String {
        self.of_workers().login()
    }

    #[cfg(any(feature = "fleet", feature = "host"))]
    pub(crate) fn of_workers(&self) -> Credentials {
        let file = self.password_file.as_ref().map(|file| file.with_file_name(WORKER_PASSWORD));
        let Some(file) = file.filter(|path| path.is_file()) else { return self.clone() };
        let (user, password_file) = (Some(WORKER.to_owned()), Some(file));
        Credentials { user, password_file, ..self.clone() }
    }

    /// The same with files named without their folders, which are other ones on other machines.
    #[cfg(feature = "fleet")]
    pub(crate) fn without_folders(&self) -> Credentials {
        let name = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| path.file_name().map_or_else(|| path.clone(), PathBuf::from))
        };
        Credentials {
            creds: name(&self.creds),
            password_file: name(&self.password_file),
            ca: name(&self.ca),
            cert: name(&self.cert),
            key: name(&self.key),
            ..self.clone()
        }
    }
}

/// Has every `--on` of a command and its verbs read [`ON`], unless it is set to nothing.
pub(crate) fn with_variable(command: clap::Command) -> clap::Command {
    if std::env::var_os(ON).is_some_and(|value| value.is_empty()) {
        return command;
    }
    let read = |arg: clap::Arg| match arg.get_long() {
        Some("on") => arg.env(ON),
        _ => arg,
    };
    command.mut_args(read).mut_subcommands(with_variable)
}

/// Whether the environment names this server.
pub(crate) fn is_of_environment(address: &str) -> bool {
    std::env::var(ON).is_ok_and(|value| value == address)
}

/// What to do so that no server is meant.
pub(crate) fn leave_out_on(address: &str) -> String {
    match is_of_environment(address) {
        true => format!("unset {ON}"),
        false => "leave out --on".to_owned(),
    }
}

/// Writes options as they are typed, each behind a space.
fn write_options(options: Vec<(&'static str, Option<String>)>) -> String {
    let given = options.into_iter().filter_map(|(option, value)| Some((option, value?)));
    given.map(|(option, value)| format!(" {option} {}", quote(&value))).collect()
}

impl HandOut {
    /// The options with their values, except passwords.
    pub(crate) fn options(&self) -> Vec<(&'static str, Option<String>)> {
        let mut options = self.credentials.options();
        options.extend([
            ("--patience", self.patience.map(format_duration)),
            ("--replicas", self.replicas.map(|nodes| nodes.to_string())),
            ("--twice", self.twice.map(|share| share.to_string())),
            ("--weight", self.weight.map(|weight| weight.to_string())),
        ]);
        options
    }
}

/// Returns a parser of numbers within bounds, of which it names an example.
fn within(
    bounds: RangeInclusive<f64>,
    example: f64,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let read = text.parse().ok().filter(|number| bounds.contains(number));
        let (low, high) = (bounds.start(), bounds.end());
        read.ok_or_else(|| format!("expected a number from {low} to {high}, such as {example}"))
    }
}

/// The address from which this machine reaches others. Choosing it sends nothing.
pub(crate) fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect(ELSEWHERE).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified()).then(|| address.to_string())
}

/// Returns addresses in a form that can be shown, without passwords and tokens.
pub(crate) fn hide_password(addresses: &str) -> String {
    let one = |address: &str| match address.rsplit_once('@') {
        Some((named, host)) => {
            let (scheme, user) = named.split_once("://").unwrap_or(("nats", named));
            match user.split_once(':') {
                Some((user, _)) => format!("{scheme}://{user}:PASSWORD@{host}"),
                None => format!("{scheme}://TOKEN@{host}"),
            }
        }
        None => address.to_owned(),
    };
    addresses.split(',').map(one).collect::<Vec<_>>().join(",")
}
