//! A server of pages, and commands in its folder.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs a command of quintain in this folder, and waits for it.
pub fn quintain(folder: &Path, arguments: &[&str]) -> String {
    let output = command(folder, arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintain"));
    command.args(arguments).current_dir(folder).env_remove("QUINTAIN_STORE");
    command
}

/// A server in this folder, which ends with the test.
pub struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub fn start(folder: &Path) -> Server {
        Server::start_at(folder, "0")
    }

    fn start_at(folder: &Path, port: &str) -> Server {
        let arguments = ["serve", "--store", "s.sqlite", "--port", port, "--allow-play"];
        let mut child = command(folder, &arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|word| word.starts_with("http://"));
        Server { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    /// Ends it without warning, and starts another one at the same address.
    #[allow(dead_code, reason = "most tests need one server only")]
    pub fn start_anew(self, folder: &Path) -> Server {
        let port = self.address.trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
        drop(self);
        Server::start_at(folder, &port)
    }

    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address.trim_end_matches('/'))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
