//! Programs that are [packed](quintain_bots::packed) to be played elsewhere. The receiver trusts
//! none of it: files pass the same checks as an upload, the limits are bounded, and the program
//! runs in the sandbox of the receiving machine.

use std::path::PathBuf;
use std::sync::Arc;

use quintain_bots::limits::{Limits, Size, Time};
use quintain_bots::packed::{Head, MAX_FILE_BYTES, Start, is_plain_name, join, split};
use quintain_bots::{Command, ProgramFolder, Programs, Protection, Settings, Unstarted};
use quintain_core::{Catalog, ExternalError, ExternalPlayer, ExternalSource};

use crate::archive::{Refused, Tree, TreeLimits};
use crate::error::HostError;
use crate::module;
use crate::program::{FILES, ListedProgram, list_program, refuse_leading_out};
use crate::salted::salted;

/// Maximum number of a program's files, and of their bytes.
const UNPACKED: TreeLimits = TreeLimits { files: 10_000, bytes: MAX_FILE_BYTES };
/// The most that a program may be allowed on a machine that it was sent to.
const MEMORY: Size = Size(8 << 30);
const SCRATCH: Size = Size(8 << 30);
const TEXT: Size = Size(64 << 20);
const TIME: u64 = 600;
const PROCESSES: u32 = 1024;

/// Packs a program.
///
/// # Errors
/// If a file cannot be packed.
pub(crate) fn pack(
    tree: &Tree,
    start: &Start,
    limits: &Limits,
    salt: Option<String>,
) -> Result<Vec<u8>, Refused> {
    let head = Head { salt, ..Head::new(start.clone(), limits.clone()) };
    join(&head, &tree.tar()?).map_err(Refused)
}

fn unpack(bytes: &[u8]) -> Result<(Head, Tree), Refused> {
    let (head, files) = split(bytes).map_err(Refused)?;
    Ok((head, Tree::untar(files, UNPACKED)?))
}

/// Checks that a program may have these limits on a machine whose owner does not know it.
fn check_limits(limits: &Limits) -> Result<(), Refused> {
    let time = |time: Time| time.0.as_secs() <= TIME;
    let fits = limits.memory <= MEMORY
        && limits.scratch <= SCRATCH
        && limits.line.max(limits.output) <= TEXT
        && [limits.start, limits.answer, limits.first_answer].into_iter().all(time)
        && limits.processes.max(limits.files) <= PROCESSES;
    match fits {
        true => Ok(()),
        false => Err(Refused(format!(
            "its limits are too wide for a worker, which allows {MEMORY} of memory, {SCRATCH} of \
             scratch space, {TEXT} of text, {TIME} seconds, and {PROCESSES} processes and files"
        ))),
    }
}

/// Makes players from programs that were packed on another machine, and confines them as the owner
/// of this machine says.
pub struct ProgramMaker {
    /// An executable that calls [`quintain_bots::take_over_if_asked`] before anything else.
    pub launcher: PathBuf,
    /// How programs are confined.
    pub protection: Protection,
    /// All games, whose protocols programs may speak.
    pub catalog: Catalog,
}

impl ProgramMaker {
    /// Checks that programs can be confined in this way on this machine.
    ///
    /// # Errors
    /// What is missing for it.
    pub fn check(&self) -> Result<(), String> {
        let programs = self.programs(PathBuf::new());
        if cfg!(not(target_os = "linux")) {
            return Err(HostError::NoSandbox.to_string());
        }
        programs.check_confinement().map_err(|error| error.to_string())
    }

    fn programs(&self, file: PathBuf) -> Arc<Programs> {
        let protocols = self.catalog.entries().flat_map(|entry| {
            let name = entry.name();
            entry.protocols().iter().map(move |protocol| (name, *protocol))
        });
        Programs::new(Settings {
            launcher: self.launcher.clone(),
            file,
            protection: self.protection,
            protocols: protocols.collect(),
        })
    }

    /// Returns the source that knows a packed program as this player, `bot:NAME` or `wasm:NAME`.
    ///
    /// # Errors
    /// Why the program is not accepted.
    pub fn make(&self, player: &str, packed: &[u8]) -> Result<Arc<dyn ExternalSource>, String> {
        let (head, tree) = unpack(packed).map_err(|refused| refused.0)?;
        check_limits(&head.limits).map_err(|refused| refused.0)?;
        let name = player.split_once(':').map(|(_, name)| name).filter(|name| is_plain_name(name));
        let name = name.ok_or_else(|| format!("{player} is not a name for such a program"))?;
        let folder = ProgramFolder::new(&self.launcher).map_err(|error| error.to_string())?;
        // The program's output may contain paths that its author reads; the host recognises them by
        // the digest.
        let place = folder.path().join(tree.digest());
        let failed = |error: std::io::Error| format!("its files: {error}");
        tree.write(&place.join(FILES)).map_err(failed)?;
        let unstarted = match head.is_void_unstarted {
            true => Unstarted::Void,
            false => Unstarted::Forfeit,
        };
        let source = match &head.start {
            Start::Module(file) if !tree.files().contains_key(file) => {
                return Err(format!("its module {file:?} is not among its files"));
            }
            Start::Module(file) => {
                module::source(name, &place.join(FILES).join(file), head.limits.memory.0)?
            }
            Start::Command { command, protocol } => {
                let words = Command::parse(command).map_err(|error| error.to_string())?;
                refuse_leading_out(&words).map_err(|refused| refused.0)?;
                let listed = ListedProgram::new(command, protocol.as_deref(), &[], &head.limits);
                let listed = listed.playing_at_most(head.matches);
                let file = list_program(&place, name, &listed).map_err(|refused| refused.0)?;
                let [named, _] = self.programs(file).sources(unstarted);
                named
            }
        };
        let source: Arc<dyn ExternalSource> =
            Arc::new(Unpacked { source, version: head.version, _folder: folder });
        Ok(salted(source, head.salt))
    }
}

/// A source whose program lies in a folder that is deleted with it.
struct Unpacked {
    source: Arc<dyn ExternalSource>,
    /// The version that it has where it comes from, if that was said.
    version: Option<u32>,
    _folder: ProgramFolder,
}

impl ExternalSource for Unpacked {
    fn prefix(&self) -> &str {
        self.source.prefix()
    }

    fn resolve(&self, spec: &str, game: &str) -> Result<String, ExternalError> {
        self.source.resolve(spec, game)
    }

    fn version(&self, spec: &str) -> u32 {
        self.version.unwrap_or_else(|| self.source.version(spec))
    }

    fn is_reproducible(&self, spec: &str) -> bool {
        self.source.is_reproducible(spec)
    }

    fn foreign_protocol(&self, spec: &str) -> Option<&'static str> {
        self.source.foreign_protocol(spec)
    }

    fn is_numbered(&self, spec: &str) -> bool {
        self.source.is_numbered(spec)
    }

    fn open(&self, spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        self.source.open(spec)
    }
}

/// A file with a packed program that may be sent; the file is deleted when this is dropped.
pub(crate) struct PackedFile {
    pub(crate) path: PathBuf,
    pub(crate) digest: String,
}

impl PackedFile {
    /// Writes a packed program into a file of its own.
    pub(crate) fn write(path: PathBuf, bytes: &[u8]) -> std::io::Result<PackedFile> {
        let digest = blake3::hash(bytes).to_hex().to_string();
        std::fs::write(&path, bytes)?;
        Ok(PackedFile { path, digest })
    }
}

impl Drop for PackedFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> (Tree, Start) {
        let mut tree = Tree::default();
        tree.add("bot.py", false, b"print(1)".to_vec(), UNPACKED).unwrap();
        tree.add("lib/run", true, b"#!/bin/sh".to_vec(), UNPACKED).unwrap();
        (tree, Start::Command { command: "python3 bot.py".to_owned(), protocol: None })
    }

    #[test]
    fn packing_is_deterministic_and_reversible() {
        let (tree, start) = program();
        let packed = pack(&tree, &start, &Limits::default(), None).unwrap();
        assert_eq!(packed, pack(&tree, &start, &Limits::default(), None).unwrap());
        let (head, unpacked) = unpack(&packed).unwrap();
        assert_eq!((head.start, head.limits), (start, Limits::default()));
        assert_eq!((unpacked.digest(), unpacked), (tree.digest(), tree));
    }

    #[test]
    fn a_damaged_packed_program_is_refused() {
        let (tree, start) = program();
        let packed = pack(&tree, &start, &Limits::default(), None).unwrap();
        assert!(
            unpack(b"").is_err()
                && unpack(&packed[..19]).is_err()
                && unpack(&packed[..60]).is_err()
        );
        let mut leading_out = tree;
        // A path that no upload can have cannot be sent either.
        assert!(leading_out.add("../x", false, Vec::new(), UNPACKED).is_err());
        let mut bytes = tar::Builder::new(Vec::new());
        let mut link = tar::Header::new_ustar();
        link.set_entry_type(tar::EntryType::Symlink);
        link.set_size(0);
        bytes.append_link(&mut link, "bot.py", "/etc/passwd").unwrap();
        let bytes = bytes.into_inner().unwrap();
        let forged = join(&split(&packed).unwrap().0, &bytes).unwrap();
        assert!(unpack(&forged).err().unwrap().0.contains("a link or a device"));
    }

    #[test]
    fn limits_too_wide_for_a_worker_are_refused() {
        assert!(check_limits(&Limits::default()).is_ok());
        let wide = Limits { memory: Size(1 << 40), ..Limits::default() };
        assert!(check_limits(&wide).err().unwrap().0.contains("too wide for a worker"));
        assert!(check_limits(&Limits { processes: 5000, ..Limits::default() }).is_err());
    }

    #[test]
    fn a_packed_program_cannot_name_files_of_the_worker() {
        let launcher = PathBuf::from("/nonexistent");
        let catalog = quintain_games::catalog();
        let maker = ProgramMaker { launcher, protection: Protection::Full, catalog };
        let refuses = |player: &str, start: Start| {
            let packed = pack(&program().0, &start, &Limits::default(), None).unwrap();
            maker.make(player, &packed).err().unwrap()
        };
        for command in ["python3 bot.py /etc/shadow", "python3 bot.py ../../x", "/srv/bin/x"] {
            let start = Start::Command { command: command.to_owned(), protocol: None };
            assert!(refuses("bot:ada.1", start).contains("outside of what is submitted"));
        }
        for file in ["/etc/shadow", "../../../etc/shadow", "no.wasm"] {
            let message = refuses("wasm:ada.1", Start::Module(file.to_owned()));
            assert!(message.contains("is not among its files"), "{message}");
        }
        let message = refuses("bot:../ada", program().1);
        assert!(message.contains("not a name for such a program"), "{message}");
    }

    #[test]
    fn a_player_needs_a_name_that_can_be_a_file() {
        assert!(["Unal-Sahin.2", "mine@0123abcd"].into_iter().all(is_plain_name));
        let bad = ["", "../x", "a/b", "a b", ".hidden", "x\"y", "ä.1"];
        assert!(bad.into_iter().all(|name| !is_plain_name(name)));
    }
}
