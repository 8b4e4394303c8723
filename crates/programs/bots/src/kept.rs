//! Whether the files of a kept version are still those that its hash was computed from. Anybody may
//! have put them there: a version is a folder that is named by a hash.
//!
//! The hash is that of the program in the folder that it came from ([`crate::versions`]). A few
//! things were listed there in another way than in the kept folder, which has no build tool's mark,
//! an empty file in place of what is shown, and another path of an interpreter. So the hash is
//! looked for among all forms that the program may have had.

use std::path::{Path, PathBuf};

use quintain_core::digest;

use crate::bots_file::BotEntry;
use crate::command::join_words;

/// What a version is computed from: eight hexadecimal digits name it.
pub(crate) fn hash_of(
    command: &str,
    protocol: &str,
    files_digest: &str,
    beside: Option<&str>,
) -> String {
    let beside = beside.map_or(String::new(), |beside| format!("\n{beside}"));
    digest(format!("{command}\n{protocol}\n{files_digest}{beside}").as_bytes())[..8].to_owned()
}

/// A kept version as it lies there.
pub(crate) struct Kept<'a> {
    pub(crate) entry: &'a BotEntry,
    /// The folder with its files.
    pub(crate) folder: &'a Path,
    /// The folder of its program now.
    pub(crate) first_folder: Option<&'a Path>,
    /// A line for each of its files, as [`crate::snapshot`] writes them.
    pub(crate) listing: &'a str,
    /// The files that its command names.
    pub(crate) named: &'a [PathBuf],
    /// The digest of what it reads besides its own files.
    pub(crate) beside: Option<&'a str>,
}

/// A line of a listing, with the name in it.
type Line<'a> = (&'a str, &'a str);

impl Kept<'_> {
    /// Whether it has this hash in one of the forms that it may have had.
    pub(crate) fn has_hash(&self, hash: &str) -> bool {
        let digests: Vec<String> =
            self.listings().iter().map(|listing| digest(listing.as_bytes())).collect();
        self.commands().iter().any(|command| {
            digests.iter().any(|files_digest| {
                hash_of(command, &self.entry.protocol, files_digest, self.beside) == hash
            })
        })
    }

    /// The command, and as it was if its program has stayed in the first folder: an interpreter
    /// there is not copied.
    fn commands(&self) -> Vec<String> {
        let (program, arguments) = (self.entry.command.program(), self.entry.command.arguments());
        let mut commands = vec![self.entry.command.to_string()];
        let stayed =
            self.first_folder.and_then(|first| Path::new(program).strip_prefix(first).ok());
        // One that is here would be started from here.
        if let Some(relative) = stayed.filter(|relative| !self.folder.join(relative).exists()) {
            for begin in ["", "./"] {
                let first = format!("{begin}{}", relative.display());
                let words: Vec<String> =
                    [first].into_iter().chain(arguments.iter().cloned()).collect();
                commands.push(join_words(&words));
            }
        }
        commands
    }

    /// The listings of all forms.
    fn listings(&self) -> Vec<String> {
        let lines =
            self.listing.lines().filter_map(|line| Some((line, line.splitn(3, ' ').nth(2)?)));
        // Only the command names files elsewhere.
        let all: Vec<Line<'_>> = lines.filter(|(_, name)| !Path::new(name).is_absolute()).collect();
        let filled: Vec<Line<'_>> =
            all.iter().copied().filter(|line| !self.is_placeholder(*line)).collect();
        let named: Vec<String> = self
            .named
            .iter()
            .filter_map(|file| file.strip_prefix(self.folder).ok())
            .map(|name| name.to_string_lossy().replace('\\', "/"))
            .collect();
        let mut caches = vec![None];
        for name in &named {
            caches.extend(name.match_indices('/').map(|(at, _)| Some(&name[..at])));
        }
        let mut listings = vec![self.listing.to_owned()];
        for lines in [&all, &filled] {
            for cache in &caches {
                listings.extend(list_forms(lines, &named, *cache));
            }
        }
        listings
    }

    /// Whether a line is that of an empty file or folder in place of what was shown there: the
    /// `bots.toml`, or what the program reads.
    fn is_placeholder(&self, (line, name): Line<'_>) -> bool {
        let is_empty = line[2..].starts_with(&digest(b""));
        let reads = |path: &PathBuf| path.ends_with(name);
        is_empty && (name == "bots.toml" || self.entry.read.iter().any(reads))
    }
}

/// The listings that a program with these files may have had in its first folder, in which `cache`
/// may have been a build tool's: as a folder of its own, and as a part of a folder of which only
/// files of some kinds are the program's.
fn list_forms(lines: &[Line<'_>], named: &[String], cache: Option<&str>) -> Vec<String> {
    let is_inside = |name: &str| {
        cache.is_some_and(|cache| {
            name.strip_prefix(cache).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let is_named = |name: &str| named.iter().any(|known| known == name);
    // Of a build tool's folder, only what the command names was kept.
    let is_left_over =
        |(line, name): &Line<'_>| is_inside(name) && !line.starts_with('d') && !is_named(name);
    if lines.iter().any(is_left_over) {
        return Vec::new();
    }
    let find = |name: &String| lines.iter().find(|(_, known)| known == name).copied();
    let others = || lines.iter().copied().filter(|(_, name)| !is_inside(name));
    let own = others().chain(named.iter().filter_map(find).filter(|(_, name)| is_inside(name)));
    let extension = |name: &str| Path::new(name).extension().map(ToOwned::to_owned);
    let kinds: Vec<_> = named.iter().filter_map(|name| extension(name)).collect();
    let of_kind = |name: &str| extension(name).is_some_and(|kind| kinds.contains(&kind));
    let partly = others().filter(|(_, name)| of_kind(name)).chain(named.iter().filter_map(find));
    let join = |lines: Vec<Line<'_>>| -> String {
        lines.into_iter().map(|(line, _)| format!("{line}\n")).collect()
    };
    vec![join(own.collect()), join(partly.collect())]
}
