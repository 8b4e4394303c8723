//! A tree of files as a program: how it is started, and where it lies. A tree says so itself by a
//! `bots.toml` with one table, as `quintain new player` writes them, or by the names of its files.
//! Nothing is built here: what needs a compiler is handed in as it was built.

use std::fs;
use std::path::{Path, PathBuf};

use quintain_bots::BotsFile;
use quintain_bots::limits::Limits;

use crate::archive::{Refused, Tree};

/// Below the contest's folder: every tree once, by its digest.
const TREES: &str = "submissions";
/// Below that of a tree: its files.
const FILES: &str = "files";
const BOTS: &str = "bots.toml";

/// How a program is started.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub(crate) struct Start {
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
}

/// How the program of a tree is started.
///
/// # Errors
/// [`Refused`] says what a tree must have.
pub(crate) fn start_of(tree: &Tree) -> Result<Start, Refused> {
    if let Some(file) = tree.files().get(BOTS) {
        return listed(&file.bytes);
    }
    let has = |name: &str| tree.files().contains_key(name);
    let usual = ["bot", "main"].iter().find_map(|stem| {
        [("py", "python3 "), ("js", "node "), ("sh", "sh ")].iter().find_map(|(ending, runs)| {
            let name = format!("{stem}.{ending}");
            has(&name).then(|| format!("{runs}{name}"))
        })
    });
    let executable = ["bot", "main"].iter().find(|name| has(name)).map(|name| format!("./{name}"));
    let single = || {
        let (name, file) = tree.files().iter().next().filter(|_| tree.files().len() == 1)?;
        match name.rsplit_once('.') {
            Some((_, "py")) => Some(format!("python3 {name}")),
            Some((_, "js")) => Some(format!("node {name}")),
            Some((_, "sh")) => Some(format!("sh {name}")),
            _ => file.is_executable.then(|| format!("./{name}")),
        }
    };
    let command = usual.or(executable).or_else(single);
    command
        .filter(|command| plain(command))
        .map(|command| Start { command, protocol: None })
        .ok_or_else(|| {
            Refused(
            "nothing says how it is started: name a file bot.py, bot.js, bot.sh or bot (built), or \
             add a bots.toml with one table and its command"
                .to_owned(),
        )
        })
}

/// Whether a shell's quoting leaves a command as it is.
fn plain(command: &str) -> bool {
    command.chars().all(|c| c.is_ascii_alphanumeric() || " ./_-".contains(c))
}

fn listed(bytes: &[u8]) -> Result<Start, Refused> {
    let text = String::from_utf8_lossy(bytes);
    let file =
        BotsFile::parse(Path::new(BOTS), &text).map_err(|error| Refused(error.to_string()))?;
    let names: Vec<&str> = file.names().collect();
    let [name] = names[..] else {
        return Err(Refused(format!("{BOTS}: expected one table, found {}", names.len())));
    };
    let entry = file.bot(name).map_err(|error| Refused(error.to_string()))?;
    let own = entry.folder.as_os_str().is_empty() || entry.folder == Path::new(".");
    if !own || !entry.read.is_empty() || !entry.environment.is_empty() || entry.build.is_some() {
        return Err(Refused(format!(
            "{BOTS}: a program that is handed in has a command and a protocol, and neither a \
             folder, files elsewhere, an environment nor a build; it is handed in as it was built"
        )));
    }
    Ok(Start { command: entry.command.to_string(), protocol: Some(entry.protocol.clone()) })
}

/// Keeps a tree on the disk, under its digest; it is there completely or not at all.
pub(crate) fn keep(folder: &Path, tree: &Tree) -> std::io::Result<String> {
    let digest = tree.digest();
    let (trees, place) = (folder.join(TREES), place(folder, &digest));
    if place.exists() {
        return Ok(digest);
    }
    fs::create_dir_all(&trees)?;
    // Two that hand in the same at once must not meet in one folder.
    let part =
        trees.join(format!("part-{}", crate::token::new_token().map_err(std::io::Error::other)?));
    fs::create_dir(&part)?;
    let written = tree.write(&part.join(FILES)).and_then(|()| fs::rename(&part, &place));
    if let Err(error) = written {
        // What is left is of no use; that it cannot be cleared away either is told by the error.
        let _ = fs::remove_dir_all(&part);
        // Somebody else was quicker with the same files.
        if !place.exists() {
            return Err(error);
        }
    }
    fs::File::open(&trees)?.sync_all()?;
    Ok(digest)
}

fn place(folder: &Path, digest: &str) -> PathBuf {
    folder.join(TREES).join(digest)
}

/// Clears away what was being kept when the host ended.
pub(crate) fn clear_parts(folder: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(folder.join(TREES)) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("part-")) {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

/// The file that names a kept tree's program as this player, under these limits.
pub(crate) fn write_entry(
    folder: &Path,
    digest: &str,
    player: &str,
    limits: &Limits,
) -> Result<PathBuf, Refused> {
    #[derive(serde::Serialize)]
    struct Entry<'a> {
        #[serde(flatten)]
        start: Start,
        folder: &'a str,
        limits: &'a Limits,
    }
    let place = place(folder, digest);
    let failed = |error: &dyn std::fmt::Display| Refused(format!("its files: {error}"));
    let limitless = crate::archive::TreeLimits { files: usize::MAX, bytes: u64::MAX };
    let tree = Tree::of_folder(&place.join(FILES), limitless)?;
    let entry = Entry { start: start_of(&tree)?, folder: FILES, limits };
    let text = toml::to_string(&std::collections::BTreeMap::from([(player, entry)]));
    let file = place.join(format!("{player}.toml"));
    let part = place.join(format!("{player}.part"));
    fs::write(&part, text.map_err(|error| failed(&error))?).map_err(|error| failed(&error))?;
    fs::rename(&part, &file).map_err(|error| failed(&error))?;
    Ok(file)
}
