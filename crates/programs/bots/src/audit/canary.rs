//! What an attack must not reach: the opponent's folder with a script, a store, and listeners.
//! Every kind of change to them is noticed.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use crate::sandbox::let_inherit;

/// The folder of the opponent.
pub(super) struct Canary {
    folder: PathBuf,
    before: Vec<String>,
    listener: UnixListener,
    datagrams: UnixDatagram,
    /// None if the name cannot be had: another attack that runs at the same time may hold it.
    abstract_listener: Option<UnixListener>,
    /// A file that every process started from now on inherits, like one left open by someone who
    /// started the arena.
    _left_open: OwnedFd,
}

impl Canary {
    /// Makes the folder, with the opponent's script.
    pub(super) fn put(folder: &Path, script: &str) -> io::Result<Canary> {
        fs::create_dir(folder)?;
        fs::write(folder.join("bystander.py"), script)?;
        fs::write(folder.join("results.sqlite"), b"SQLite format 3\0 and more")?;
        let listener = UnixListener::bind(folder.join("listener"))?;
        listener.set_nonblocking(true)?;
        let datagrams = UnixDatagram::bind(folder.join("datagrams"))?;
        datagrams.set_nonblocking(true)?;
        let abstract_listener = SocketAddr::from_abstract_name("quintain-canary")
            .and_then(|name| UnixListener::bind_addr(&name))
            .ok();
        if let Some(listener) = &abstract_listener {
            listener.set_nonblocking(true)?;
        }
        let left_open = OwnedFd::from(File::create(folder.join("left-open"))?);
        let_inherit(&left_open)?;
        let before = describe(folder)?;
        Ok(Canary {
            folder: folder.to_owned(),
            before,
            listener,
            datagrams,
            abstract_listener,
            _left_open: left_open,
        })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Lists what has happened to it.
    pub(super) fn harm(&self) -> Vec<String> {
        let mut harm = Vec::new();
        match describe(&self.folder) {
            Ok(now) => {
                let changed = now.iter().filter(|entry| !self.before.contains(entry));
                harm.extend(changed.map(|entry| format!("it changed a file: {entry}")));
                if now.len() < self.before.len() {
                    harm.push("it deleted a file".to_owned());
                }
            }
            Err(error) => harm.push(format!("it removed the opponent's folder: {error}")),
        }
        let abstract_reached = self.abstract_listener.as_ref().is_some_and(|l| l.accept().is_ok());
        if self.listener.accept().is_ok() || abstract_reached {
            harm.push("it connected to a socket outside".to_owned());
        }
        if self.datagrams.recv(&mut [0]).is_ok() {
            harm.push("it sent a datagram outside".to_owned());
        }
        harm
    }
}

/// Describes every entry of a folder and the folder itself, one per line: everything about them
/// that can be changed.
fn describe(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = vec![folder.to_owned()];
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let describe = |path: &PathBuf| -> io::Result<String> {
        let data = path.symlink_metadata()?;
        let content = if data.is_file() { fs::read(path)? } else { Vec::new() };
        Ok(format!(
            "{} mode {:o} owner {}:{} size {} changed {}.{} {}",
            path.display(),
            data.mode(),
            data.uid(),
            data.gid(),
            data.len(),
            // The change time moves with every change of metadata, extended attributes included.
            data.ctime(),
            data.ctime_nsec(),
            quintain_core::digest(&content),
        ))
    };
    paths.iter().map(describe).collect()
}
