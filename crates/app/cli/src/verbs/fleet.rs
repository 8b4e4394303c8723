//! `quintain fleet init`: writes the configuration of a NATS server that asks for passwords, and
//! says what to type on each machine.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use quintain_scene::quote;

use crate::failure::{Failure, cannot_write};
use crate::options;
use crate::server::{WORKER_PASSWORD, own_address};
use crate::usage::{draw_password, port};

/// Who may do what, as in `deploy/nats`.
const ACCOUNTS: &str = include_str!("../../starters/fleet/accounts.conf");
const SERVER: &str = "nats.conf";
const COORDINATOR_PASSWORD: &str = "coordinator.password";
const CERTIFICATE: &str = "server.pem";
/// The usual port of NATS servers.
const PORT: u16 = 4222;
/// How long a certificate is valid.
const DAYS: u32 = 3650;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: FleetVerb,
}

#[derive(clap::Subcommand)]
enum FleetVerb {
    /// Write the configuration of a NATS server with passwords, and print what to type on each
    /// machine
    Init(Init),
}

#[derive(Clone, clap::Args)]
struct Init {
    /// The folder for the configuration, the passwords and the server's data
    #[arg(default_value = "fleet")]
    folder: PathBuf,
    /// The name or address of this machine, as other machines reach it [default: its address in
    /// the network]
    #[arg(long, value_name = "HOST")]
    name: Option<String>,
    #[arg(short, long, default_value_t = PORT, value_parser = port, allow_negative_numbers = true)]
    #[arg(help = options::PORT)]
    port: u16,
    /// Encrypt connections, with a certificate that openssl makes
    #[arg(long)]
    tls: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let FleetVerb::Init(init) = &args.verb;
    if let Some(said) = init.renew()? {
        return Ok(out.write_all(said.as_bytes())?);
    }
    let host = match &init.name {
        Some(name) => check_name(name)?.to_owned(),
        None => own_address().ok_or_else(|| {
            let problem =
                "this machine has no network; name it as others will reach it: --name HOST";
            Failure::Usage(problem.to_owned())
        })?,
    };
    let init = &Init { port: choose_port(init.port)?, ..init.clone() };
    let password = init.write(&host)?;
    Ok(out.write_all(init.explain(&host, &password).as_bytes())?)
}

/// The port that was asked for; for 0 one that is free now.
fn choose_port(asked: u16) -> Result<u16, Failure> {
    if asked != 0 {
        return Ok(asked);
    }
    let free = TcpListener::bind("0.0.0.0:0").and_then(|listener| listener.local_addr());
    let free = free.map_err(|error| Failure::Failed(format!("no port is free: {error}")))?;
    Ok(free.port())
}

/// Checks that a name can stand in an address and in a certificate.
fn check_name(name: &str) -> Result<&str, Failure> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || ".-".contains(sign);
    match !name.is_empty() && name.chars().all(fits) {
        true => Ok(name),
        false => Err(Failure::Usage(format!(
            "--name “{name}”: expected a name or an address, such as desk.local or 192.168.1.20"
        ))),
    }
}

impl Init {
    /// Renews who may do what if an earlier version has written the folder; returns what to say
    /// about it.
    fn renew(&self) -> Result<Option<String>, Failure> {
        let at = |name: &str| self.folder.join(name);
        let [accounts, before] = [at("accounts.conf"), at("accounts.conf.old")];
        let is_old = std::fs::read_to_string(&accounts).is_ok_and(|text| text != ACCOUNTS);
        if !at(SERVER).exists() || !is_old {
            return Ok(None);
        }
        std::fs::rename(&accounts, &before).map_err(|error| cannot_write(&before, &error))?;
        std::fs::write(&accounts, ACCOUNTS).map_err(|error| cannot_write(&accounts, &error))?;
        Ok(Some(format!(
            "{} is renewed: workers have an account of their own now. Passwords stay; what you \
             have changed there is in {}\n\nRestart the server:\n  nats-server -c {}\n\
             Workers of an earlier version may not play any more: update them.\n",
            accounts.display(),
            before.display(),
            quote(&at(SERVER).display().to_string()),
        )))
    }

    /// Writes all files; returns the workers' password.
    fn write(&self, host: &str) -> Result<String, Failure> {
        let at = |name: &str| self.folder.join(name);
        if at(SERVER).exists() {
            return Err(Failure::Usage(format!(
                "{} is there already; its passwords stay valid. Delete the folder, or name another",
                at(SERVER).display()
            )));
        }
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| cannot_write(&self.folder, &error))?;
        // The server reads names of files from the folder in which it is started.
        let whole = dunce::canonicalize(&self.folder);
        let whole = whole.map_err(|error| cannot_write(&self.folder, &error))?;
        if self.tls {
            make_certificate(&whole, host)?;
        }
        let [coordinator, worker] = [draw_password()?, draw_password()?];
        let passwords =
            format!("COORDINATOR_PASSWORD: \"{coordinator}\"\nWORKER_PASSWORD: \"{worker}\"\n");
        write_secret(&at("passwords.conf"), &passwords)?;
        write_secret(&at(COORDINATOR_PASSWORD), &format!("{coordinator}\n"))?;
        write_secret(&at(WORKER_PASSWORD), &format!("{worker}\n"))?;
        // Passwords and keys are nothing for a repository.
        let all = ".gitignore";
        for (name, text) in
            [("accounts.conf", ACCOUNTS), (SERVER, &self.server(&whole)), (all, "*\n")]
        {
            std::fs::write(at(name), text).map_err(|error| cannot_write(&at(name), &error))?;
        }
        Ok(worker)
    }

    /// The server's configuration.
    fn server(&self, folder: &Path) -> String {
        let file = |name: &str| {
            let path = folder.join(name).display().to_string().replace('\\', "/");
            format!("\"{}\"", path.replace('"', "\\\""))
        };
        let mut text = format!(
            "# Every network of this machine; nobody gets in without a password.\n\
             listen: \"0.0.0.0:{}\"\n\
             jetstream {{ store_dir: {} }}\n",
            self.port,
            file("data")
        );
        if self.tls {
            let (certificate, key) = (file(CERTIFICATE), file("server.key"));
            let _ = writeln!(text, "tls {{ cert_file: {certificate}, key_file: {key} }}");
        }
        text + "include \"accounts.conf\"\n"
    }

    /// What to type where.
    fn explain(&self, host: &str, password: &str) -> String {
        let path = |name: &str| quote(&self.folder.join(name).display().to_string());
        let port = self.port;
        let (scheme, server) = (if self.tls { "tls" } else { "nats" }, path(SERVER));
        let copies = match self.tls {
            true => format!("{} and {}", path(COORDINATOR_PASSWORD), path(CERTIFICATE)),
            false => path(COORDINATOR_PASSWORD),
        };
        let [here, there] = match self.tls {
            true => [format!(" --ca {}", path(CERTIFICATE)), format!(" --ca {CERTIFICATE}")],
            false => [String::new(), String::new()],
        };
        let copied = match self.tls {
            true => format!(" (copy {} there)", path(CERTIFICATE)),
            false => String::new(),
        };
        let password_file = path(COORDINATOR_PASSWORD);
        let login = format!("--user coordinator --password-file {password_file}{here}");
        let member = format!("--user coordinator --password-file {COORDINATOR_PASSWORD}{there}");
        let at = format!("--on {scheme}://{host}:{port}");
        format!(
            "{server}: a NATS server on port {port} that asks for passwords

Start the server here:
  nats-server -c {server}
Start a worker on every other machine{copied}:
  quintain worker --on {scheme}://worker:{password}@{host}:{port}{there}
  (--owner NAME says whose machine it is; with --take-programs, it also plays programs that are sent
  to it, in a sandbox)
Hand out a tournament from here:
  quintain tournament FILE {at} {login}
Answer a queue of tests from here:
  quintain tests run --stay {at} {login}
Propose a test from another machine (copy {copies} there):
  quintain tests add PLAYER OTHER --game GAME {at} {member}
"
        )
    }
}

/// Writes a file that only this user may read, where the system knows users.
fn write_secret(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| cannot_write(path, &error))
}

/// Makes a key and a certificate for it that it signs itself, by which clients know the server.
fn make_certificate(folder: &Path, host: &str) -> Result<(), Failure> {
    let kind = if host.parse::<std::net::IpAddr>().is_ok() { "IP" } else { "DNS" };
    let settings = format!(
        "[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = extensions\n\
         [name]\nCN = quintain\n\
         [extensions]\nsubjectAltName = {kind}:{host}, DNS:localhost, IP:127.0.0.1\n\
         basicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n\
         extendedKeyUsage = serverAuth\n"
    );
    let file = folder.join("server.cnf");
    std::fs::write(&file, settings).map_err(|error| cannot_write(&file, &error))?;
    write_secret(&folder.join("server.key"), "")?;
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder);
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    openssl.args(["-nodes", "-days", &DAYS.to_string(), "-config", "server.cnf"]);
    openssl.args(["-keyout", "server.key", "-out", CERTIFICATE]);
    let output = openssl.output().map_err(|error| {
        Failure::Failed(format!(
            "openssl, which makes the certificate of --tls, does not start: {error}; install it, \
             or leave out --tls"
        ))
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::Failed(format!(
            "openssl does not make a certificate: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}
