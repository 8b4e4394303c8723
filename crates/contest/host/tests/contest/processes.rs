//! Hosts and workers that tests kill: processes of this executable, which run one of the "tests"
//! below.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::server::{self, Server};

/// The variable with the folder of the contest to be served.
const CONTEST: &str = "QUINTAIN_TEST_CONTEST";

/// Begins a command that runs one of the tests of this executable, with this variable.
pub(crate) fn command(test: &str, variable: &str, value: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).env(variable, value);
    command
}

/// Serves the contest in this folder from a process, with further variables for it.
pub(crate) fn start_host(folder: &Path, variables: &[(&str, String)]) -> Server {
    let mut command = command("processes::serve_until_killed", CONTEST, folder);
    let mut child = command.envs(variables.iter().cloned()).stdout(Stdio::piped()).spawn().unwrap();
    let address = read_address(&mut child);
    Server::of_process(address, child)
}

/// Reads a host's output up to its address.
fn read_address(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.find_map(|line| Some(line.split_once("serving at ")?.1.to_owned()));
    // What is written later is read, too: a process whose output nobody takes ends with it, as
    // after a minute, when the harness says that the test still runs.
    thread::spawn(move || lines.for_each(drop));
    address.expect("the host begins")
}

#[test]
#[ignore = "no test, but the host that other tests start and kill"]
fn serve_until_killed() {
    let Some(folder) = std::env::var_os(CONTEST) else { return };
    #[cfg(feature = "fleet")]
    let workers = crate::workers::from_environment();
    #[cfg(not(feature = "fleet"))]
    let workers = None;
    let ready = |bound| println!("serving at {bound}");
    server::run(Path::new(&folder), workers, ready, || false).unwrap();
}
