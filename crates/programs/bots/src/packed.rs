//! A program packed to be played on a machine that does not have it: how it is started, its limits,
//! and its files as they play here. The bytes are the same whenever it is packed. Who unpacks it
//! trusts none of it, and confines it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use quintain_core::read_bytes_up_to;
use serde::{Deserialize, Serialize};

use crate::bot::Bot;
use crate::faults::Unstarted;
use crate::launch::Readable;
use crate::limits::Limits;
use crate::open::may_run;

/// The bytes at the beginning of a packed program.
const MARK: &[u8] = b"quintain program 1\n";
/// The most bytes of a program's files that are packed.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// The most bytes of a packed program.
const MAX_PACKED_BYTES: usize = 64 << 20;
/// The most letters in the name of a program that is packed.
const MAX_NAME: usize = 100;

/// How a program is started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Start {
    /// By a command, as written in bots.toml.
    Command {
        /// The command.
        command: String,
        /// The protocol, if it is not Quintain's.
        protocol: Option<String>,
    },
    /// As a WebAssembly module in this file.
    Module(String),
}

/// What a packed program says before its files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// How it is started.
    pub start: Start,
    /// What it may use.
    pub limits: Limits,
    /// What the version is mixed with, if it must not tell which program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// The version that it has where it comes from, if that is not found by its files alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The most matches that one process plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<NonZeroU64>,
    /// Whether a match is void in which it never begins to play; otherwise it forfeits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_void_unstarted: bool,
}

impl Head {
    /// A program of which nothing but this is known.
    pub fn new(start: Start, limits: Limits) -> Head {
        Head { start, limits, salt: None, version: None, matches: None, is_void_unstarted: false }
    }
}

/// Joins a program's head and its files, which are a `tar` archive.
///
/// # Errors
/// If the head has no text form.
pub fn join(head: &Head, files: &[u8]) -> Result<Vec<u8>, String> {
    let head = serde_json::to_vec(head).map_err(|error| error.to_string())?;
    Ok([MARK, &head, b"\n", files].concat())
}

/// Takes a packed program apart into its head and its files, which may be anything.
///
/// # Errors
/// If it is no packed program.
pub fn split(packed: &[u8]) -> Result<(Head, &[u8]), String> {
    let broken = || "it is not a packed program of this version".to_owned();
    let rest = packed.strip_prefix(MARK).ok_or_else(broken)?;
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(broken)?;
    let head = serde_json::from_slice(&rest[..end]).map_err(|error| error.to_string())?;
    Ok((head, &rest[end + 1..]))
}

/// Packs files, each with its path and whether it may be run, as an uncompressed `tar` archive.
///
/// # Errors
/// If a path is too long for `tar`.
pub fn tar<'a>(files: impl Iterator<Item = (&'a str, bool, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, is_executable, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_mode(if is_executable { 0o755 } else { 0o644 });
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, path, bytes)?;
    }
    tar.into_inner()
}

/// Whether a program of this name can be packed: the name is valid for a file, a table and a player
/// on every system. A version's name has its digits after `@`.
pub fn is_plain_name(name: &str) -> bool {
    let sign = |own: char| own.is_ascii_alphanumeric() || "._-@".contains(own);
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('.') && name.chars().all(sign)
}

impl Bot {
    /// Packs the program as it plays here.
    ///
    /// # Errors
    /// Why it cannot be played on another machine.
    pub(crate) fn pack(&self, unstarted: Unstarted) -> Result<Arc<[u8]>, String> {
        let entry = self.entry();
        let name = self.name().trim_start_matches("bot:");
        if !is_plain_name(name) {
            return Err(
                "its name has other characters than letters, digits, “.”, “_” and “-”".into()
            );
        }
        if let Some(word) = entry.command.find_leading_out() {
            return Err(format!("its command names {word}, which is outside of its folder"));
        }
        if !entry.read.is_empty() {
            return Err("it reads files outside of its folder (`read`)".to_owned());
        }
        if !entry.environment.is_empty() {
            return Err("it has an environment of its own, which may hold secrets".to_owned());
        }
        let files = self.packed_files()?;
        let protocol = Some(entry.protocol.clone());
        let start = Start::Command { command: entry.command.to_string(), protocol };
        let head = Head {
            version: Some(self.version()),
            matches: entry.matches,
            is_void_unstarted: unstarted == Unstarted::Void,
            ..Head::new(start, entry.limits.clone())
        };
        let packed = join(&head, files)?;
        match packed.len() <= MAX_PACKED_BYTES {
            true => Ok(packed.into()),
            false => Err(too_large()),
        }
    }

    /// Packs the copies of its files from which it runs.
    pub(crate) fn tar_files(&self) -> Result<Vec<u8>, String> {
        let mut files = PackedFiles::default();
        for Readable { source, at } in self.copies() {
            let Ok(within) = at.strip_prefix(self.folder()) else {
                return Err(format!("{} is outside of its folder", at.display()));
            };
            let within = text_of(within)?;
            files.add(source, &within)?;
        }
        let all = files.0.iter();
        tar(all.map(|(path, (runs, bytes))| (path.as_str(), *runs, bytes.as_slice())))
            .map_err(|error| format!("its files: {error}"))
    }
}

fn too_large() -> String {
    format!(
        "its folder holds more than {} MB; give the program a folder of its own (`folder` in \
         bots.toml)",
        MAX_FILE_BYTES >> 20
    )
}

/// A path within a folder, with `/` between names.
fn text_of(path: &Path) -> Result<String, String> {
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    let names = names.ok_or_else(|| format!("the name {} is no text", path.display()))?;
    Ok(names.join("/"))
}

/// Files by their paths: whether each may be run, and its content.
#[derive(Default)]
struct PackedFiles(BTreeMap<String, (bool, Vec<u8>)>);

impl PackedFiles {
    /// Adds a file, or all files of a folder.
    fn add(&mut self, source: &Path, at: &str) -> Result<(), String> {
        let failed = |error: io::Error| format!("{at}: {error}");
        let data = source.symlink_metadata().map_err(failed)?;
        if data.is_symlink() {
            return Err(format!("{at} is a link; put the file itself in its place"));
        }
        if data.is_file() {
            // It may have become a pipe by now.
            let read = read_bytes_up_to(source, MAX_FILE_BYTES);
            let bytes = read.map_err(|error| format!("{at}: {}", error.problem()))?;
            self.0.insert(at.to_owned(), (may_run(&data), bytes));
            let size = self.0.values().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
            return if size > MAX_FILE_BYTES { Err(too_large()) } else { Ok(()) };
        }
        for entry in fs::read_dir(source).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = text_of(Path::new(&entry.file_name()))?;
            let inside = if at.is_empty() { name } else { format!("{at}/{name}") };
            self.add(&entry.path(), &inside)?;
        }
        Ok(())
    }
}
