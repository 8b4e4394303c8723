//! Kept versions of programs, so that any two can play each other: `bot:NAME@HASH`. They lie beside
//! the `bots.toml`, in a folder that is not shown to any program:
//!
//! ```text
//! .quintain-versions/NAME/HASH/bots.toml    its entry as it was
//! .quintain-versions/NAME/HASH/files        its working folder as it was
//! .quintain-versions/NAME/best.toml         the best version so far, by game
//! ```
//!
//! HASH is the program's version: what it runs, its files, and what it reads besides them. What an
//! entry lists under `read` is not copied, and neither is the interpreter. Whenever a version is
//! used, its hash is computed again ([`crate::kept`]): anybody may have put files there. What git
//! tracks came with somebody's commit, so nothing of it is used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use quintain_core::{Access, file_name_problem, read_settings, reason};
use toml::{Table, Value};

use crate::bot::Bot;
use crate::bots_file::{BotEntry, BotsFile, find_folder};
use crate::command::{is_path, virtual_environment};
use crate::error::ProgramError;
use crate::open::{link, resolve};
use crate::programs::Programs;
pub use crate::version::Version;
use crate::version::{ENTRY, FILES};

/// The folder of all versions, beside the `bots.toml`.
pub(crate) const FOLDER: &str = ".quintain-versions";
/// The file by which git leaves the folder alone.
const IGNORE: &str = ".gitignore";
/// The copy of a program that is edited.
const WORK: &str = "work";
/// The best versions of a program so far, by game.
const BEST: &str = "best.toml";

impl Programs {
    /// Keeps a program of the `bots.toml` as it is now. The file is read again. If the version is
    /// already kept, it counts as saved now.
    ///
    /// # Errors
    /// [`ProgramError`] if there is no such program, it cannot be seated, or its files cannot be
    /// kept.
    pub fn keep(&self, name: &str) -> Result<Version, ProgramError> {
        let spec = format!("bot:{name}");
        let refused = |problem: String| ProgramError::Files { bot: spec.clone(), problem };
        if name.contains('@') || name.starts_with('.') || file_name_problem(name).is_some() {
            return Err(refused("versions of a program with such a name are not kept".to_owned()));
        }
        self.refuse_tracked_versions(&spec)?;
        let kept = list(&self.versions_folder()?);
        let is_alike = |other: &&str| *other != name && other.eq_ignore_ascii_case(name);
        let mut names = kept.iter().filter_map(|folder| folder.file_name()?.to_str());
        if let Some(other) = names.find(is_alike) {
            return Err(refused(format!(
                "its versions would lie in one folder with those of “{other}” where a system does \
                 not tell capital letters; choose another name"
            )));
        }
        let base = self.base()?;
        let entry = self.read_entry(name)?;
        let folder = find_folder(&spec, &entry, &base)?;
        let bot = self.make(&spec, entry.clone(), &base)?;
        let hash = format!("{:08x}", bot.version());
        let place = self.versions_folder()?.join(name).join(&hash);
        let failed = |error: io::Error| {
            refused(format!("cannot keep this version: {}", reason(&error, Access::Write)))
        };
        if !place.join(ENTRY).is_file() {
            let command =
                entry.command.find(&folder).map_err(|error| refused(error.to_string()))?;
            if let Some(file) = command.files.iter().find(|file| !file.starts_with(&folder)) {
                return Err(refused(format!(
                    "its versions cannot be kept, since its command names a file outside its \
                     folder: {}",
                    file.display()
                )));
            }
            // Written beside its final place, so that no one finds half of it.
            let part = place.with_extension(std::process::id().to_string());
            self.begin_versions().map_err(failed)?;
            let written = write_version(&part, name, &entry, &folder, &bot, self);
            let moved = written.and_then(|()| match fs::rename(&part, &place) {
                // Another process has kept the same version in the meantime.
                Err(_) if place.join(ENTRY).is_file() => fs::remove_dir_all(&part),
                moved => moved,
            });
            moved.map_err(|error| {
                drop(fs::remove_dir_all(&part));
                remove_empty_around(&part);
                failed(error)
            })?;
        }
        let entry = fs::File::options().append(true).open(place.join(ENTRY)).map_err(failed)?;
        let saved = SystemTime::now();
        entry.set_modified(saved).map_err(failed)?;
        Ok(Version { name: name.to_owned(), hash, saved, folder: place })
    }

    /// Begins a folder in which a copy of a kept version is edited: its files in `work`, and a
    /// `bots.toml` that names that copy, with the build step that the program has now. Only what is
    /// not there yet is made.
    ///
    /// # Errors
    /// [`ProgramError`] if the folder cannot be written.
    pub fn begin_copy(&self, version: &Version, folder: &Path) -> Result<(), ProgramError> {
        if folder.join(ENTRY).is_file() {
            return Ok(());
        }
        self.bot(&version.player())?;
        let build = self.read_entry(&version.name)?.build;
        let begin = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            restore(version, &folder.join(WORK))?;
            let text = read_settings(&version.folder.join(ENTRY)).map_err(io::Error::other)?;
            let mut all: Table = toml::from_str(&text).map_err(io::Error::other)?;
            if let Some(Value::Table(entry)) = all.get_mut(&version.name) {
                entry.insert("folder".to_owned(), WORK.into());
                if let Some(build) = build {
                    entry.insert("build".to_owned(), build.into());
                }
            }
            // Written last: a folder without it has not begun.
            fs::write(folder.join(ENTRY), all.to_string())
        };
        begin().map_err(|error| ProgramError::Files {
            bot: version.player(),
            problem: format!("cannot be copied: {}", reason(&error, Access::Write)),
        })
    }

    /// Makes the copy in a folder that [`Programs::begin_copy`] began equal to a kept version; what
    /// else lies there is deleted. Returns where the copy is.
    ///
    /// # Errors
    /// [`ProgramError`] if it cannot be written.
    pub fn lay_out(&self, version: &Version) -> Result<PathBuf, ProgramError> {
        self.bot(&version.player())?;
        let work = self.base()?.join(WORK);
        match restore(version, &work) {
            Ok(()) => Ok(work),
            Err(error) => Err(ProgramError::Files {
                bot: version.player(),
                problem: format!("cannot be laid out: {}", reason(&error, Access::Write)),
            }),
        }
    }

    /// Deletes a version that was not worth keeping.
    ///
    /// # Errors
    /// [`ProgramError`] if it cannot be deleted.
    pub fn discard(&self, version: &Version) -> Result<(), ProgramError> {
        fs::remove_dir_all(&version.folder).map_err(|error| ProgramError::Files {
            bot: version.player(),
            problem: format!("cannot be deleted: {error}"),
        })?;
        remove_empty_around(&version.folder);
        Ok(())
    }

    /// The kept versions of a program, ordered by when they were last saved.
    ///
    /// # Errors
    /// [`ProgramError`] if the system has no current folder.
    pub fn versions(&self, name: &str) -> Result<Vec<Version>, ProgramError> {
        let all = self.versions_folder()?;
        // Found by listing, so that no name can lead out of the folder.
        let Some(folder) = list(&all).into_iter().find(|folder| folder.ends_with(name)) else {
            return Ok(Vec::new());
        };
        let version = |folder: PathBuf| {
            let hash = folder.file_name()?.to_str()?.to_owned();
            let is_hash = hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            let saved = folder.join(ENTRY).metadata().ok()?.modified().ok()?;
            is_hash.then_some(Version { name: name.to_owned(), hash, saved, folder })
        };
        let mut versions: Vec<Version> = list(&folder).into_iter().filter_map(version).collect();
        versions.sort_by(|one, other| (one.saved, &one.hash).cmp(&(other.saved, &other.hash)));
        Ok(versions)
    }

    /// The version of a program that is noted as its best in a game, if it is still kept.
    ///
    /// # Errors
    /// [`ProgramError`] if the system has no current folder.
    pub fn best_version(&self, name: &str, game: &str) -> Result<Option<Version>, ProgramError> {
        self.refuse_tracked_versions(&format!("bot:{name}"))?;
        let noted = read_best(&self.versions_folder()?.join(name));
        let hash = noted.get(game).and_then(Value::as_str);
        Ok(self.versions(name)?.into_iter().find(|version| Some(version.hash()) == hash))
    }

    /// Notes a version as the best one so far in a game.
    ///
    /// # Errors
    /// [`ProgramError`] if the note cannot be written.
    pub fn note_best(&self, version: &Version, game: &str) -> Result<(), ProgramError> {
        let folder = version.folder.parent().unwrap_or(&version.folder);
        let mut noted = read_best(folder);
        noted.insert(game.to_owned(), version.hash.as_str().into());
        let part = folder.join(format!("{BEST}.{}", std::process::id()));
        let written = fs::write(&part, noted.to_string());
        written.and_then(|()| fs::rename(&part, folder.join(BEST))).map_err(|error| {
            ProgramError::Files {
                bot: version.player(),
                problem: format!("cannot be noted: {}", reason(&error, Access::Write)),
            }
        })
    }

    /// The version that a player's text names by its first digits, if it does.
    pub(crate) fn find_version_of(&self, spec: &str) -> Result<Option<Version>, ProgramError> {
        let Some(text) = spec.strip_prefix("bot:") else { return Ok(None) };
        let Some((name, digits)) = text.rsplit_once('@') else { return Ok(None) };
        let file = self.file()?;
        if file.bot(text).is_ok() {
            return Ok(None);
        }
        // A program that may no longer play has no versions that may play.
        file.bot(name)?;
        let versions = self.versions(name)?;
        let mut found = versions.iter().filter(|known| known.hash.starts_with(digits));
        let refused = |problem: &str| {
            let known: Vec<&str> = versions.iter().rev().map(Version::hash).take(5).collect();
            let known = match known.is_empty() {
                true => format!(
                    "none is kept here; quintain compare {name}@git:REVISION {name} --game GAME \
                     builds that of a commit again, and quintain watch {name} --against \
                     GAME/PLAYER keeps what the folder holds"
                ),
                false => format!("the last ones are {}", known.join(", ")),
            };
            ProgramError::Files { bot: spec.to_owned(), problem: format!("{problem}; {known}") }
        };
        match (found.next().filter(|_| !digits.is_empty()), found.next()) {
            (Some(version), None) => Ok(Some(version.clone())),
            (Some(_), Some(_)) => Err(refused("several versions begin with these digits")),
            (None, _) => Err(refused("there is no such version")),
        }
    }

    /// The current folder of a program.
    ///
    /// # Errors
    /// [`ProgramError`] if there is no such program, or no such folder.
    pub fn folder_of(&self, name: &str) -> Result<PathBuf, ProgramError> {
        find_folder(&format!("bot:{name}"), &self.read_entry(name)?, &self.base()?)
    }

    /// A program's entry, as it is now in the file.
    pub(crate) fn read_entry(&self, name: &str) -> Result<BotEntry, ProgramError> {
        BotsFile::load(self.file_path())?.bot(name).cloned()
    }

    /// The same as it is written; none if it is gone.
    pub(crate) fn read_table(&self, name: &str) -> Option<Table> {
        let text = read_settings(self.file_path()).ok()?;
        let mut all = toml::from_str::<Table>(&text).ok()?;
        match all.remove(name) {
            Some(Value::Table(table)) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn versions_folder(&self) -> Result<PathBuf, ProgramError> {
        Ok(self.base()?.join(FOLDER))
    }

    /// Makes the folder of all versions, which is nothing for a repository.
    pub(crate) fn begin_versions(&self) -> io::Result<()> {
        let all = self.versions_folder().map_err(io::Error::other)?;
        fs::create_dir_all(&all)?;
        fs::write(all.join(IGNORE), "*\n")
    }
}

/// A table that was noted; empty if it cannot be read.
pub(crate) fn read_table(file: &Path) -> Table {
    let text = read_settings(file).unwrap_or_default();
    toml::from_str(&text).unwrap_or_default()
}

/// The best versions by game; empty if nothing is noted, or if the notes cannot be read.
fn read_best(folder: &Path) -> Table {
    read_table(&folder.join(BEST))
}

/// Removes the folders around a version that is gone: the program's, and the one of all versions. A
/// folder that is not empty stays.
fn remove_empty_around(version: &Path) {
    let mut around = version.ancestors().skip(1).take(2);
    let _ = around.try_for_each(|folder| {
        if let [ignore] = &list(folder)[..]
            && ignore.ends_with(IGNORE)
        {
            fs::remove_file(ignore)?;
        }
        fs::remove_dir(folder)
    });
}

fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Writes a version's files and its entry.
fn write_version(
    place: &Path,
    name: &str,
    entry: &BotEntry,
    folder: &Path,
    bot: &Bot,
    programs: &Programs,
) -> io::Result<()> {
    let files = place.join(FILES);
    fs::create_dir_all(place)?;
    copy_folder(bot.copied_folder(), &files)?;
    if bot.about().is_dir() {
        copy_folder(bot.about(), &files)?;
    }
    let text = read_settings(programs.file_path()).map_err(io::Error::other)?;
    let all: Table = toml::from_str(&text).map_err(io::Error::other)?;
    let Some(Value::Table(mut table)) = all.get(name).cloned() else {
        return Err(io::Error::other("its entry is gone"));
    };
    table.remove("build");
    table.insert("folder".to_owned(), FILES.into());
    if !entry.read.is_empty() {
        let paths = entry.read.iter().map(|path| folder.join(path).display().to_string());
        table.insert("read".to_owned(), paths.map(Value::from).collect::<Vec<_>>().into());
    }
    let program = entry.command.program();
    if is_path(program) && !files.join(program).exists() {
        // Made by a build tool in a separate folder, or by an interpreter.
        let path = folder.join(program);
        let is_own = virtual_environment(&path).is_none()
            && resolve(&path).is_ok_and(|path| path.starts_with(folder));
        if is_own {
            let copy = files.join(program);
            fs::create_dir_all(copy.parent().unwrap_or(&files))?;
            fs::copy(&path, copy)?;
        } else {
            let words = [path.display().to_string()];
            let words = words.iter().chain(entry.command.arguments());
            let words: Vec<Value> = words.map(|word| word.as_str().into()).collect();
            table.insert("command".to_owned(), words.into());
        }
    }
    let entry = Table::from_iter([(name.to_owned(), Value::Table(table))]);
    // The entry is written last: a folder without it is not a version.
    fs::write(place.join(ENTRY), entry.to_string())
}

/// Makes a folder equal to the files of a version.
fn restore(version: &Version, work: &Path) -> io::Result<()> {
    match fs::remove_dir_all(work) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => copy_folder(&version.folder.join(FILES), work),
    }
}

/// Copies a folder with its permissions into another one, which may be there; links stay links.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            link(&fs::read_link(&path)?, &copy)?;
        } else if kind.is_dir() {
            copy_folder(&path, &copy)?;
        } else {
            fs::copy(&path, &copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::programs::Settings;
    use crate::protection::Protection;

    /// Programs from a folder with these entries.
    fn programs(folder: &Path, entries: &str) -> Arc<Programs> {
        fs::write(folder.join("bots.toml"), entries).unwrap();
        Programs::new(Settings {
            launcher: PathBuf::from("/nonexistent"),
            file: folder.join("bots.toml"),
            protection: Protection::Off,
            protocols: Vec::new(),
        })
    }

    fn name_of(programs: &Programs, player: &str) -> Result<String, String> {
        programs.bot(player).map(|bot| bot.name().to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn versions_of_names_that_some_systems_take_for_one_are_not_kept_together() {
        let place = tempfile::tempdir().unwrap();
        for name in ["mine", "Mine", "con"] {
            fs::create_dir(place.path().join(name)).unwrap();
            fs::write(place.path().join(name).join("bot.sh"), "echo").unwrap();
        }
        let entry =
            |name: &str| format!("[{name}]\ncommand = \"sh bot.sh\"\nfolder = \"{name}\"\n");
        let programs = programs(place.path(), &["mine", "Mine", "con"].map(entry).concat());
        programs.keep("mine").unwrap();
        let refused = programs.keep("Mine").unwrap_err().to_string();
        assert!(refused.contains("in one folder with those of “mine”"), "{refused}");
        assert!(programs.keep("con").unwrap_err().to_string().contains("are not kept"));
        programs.keep("mine").unwrap();
    }

    #[test]
    fn kept_versions_stay_and_are_found_by_their_first_digits() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("mine/bot.sh");
        fs::create_dir(place.path().join("mine")).unwrap();
        fs::write(&source, "echo old").unwrap();
        let entries = "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\nbuild = \"true\"\n";
        let programs = programs(place.path(), entries);
        let old = programs.keep("mine").unwrap();
        assert_eq!(programs.keep("mine").unwrap().hash(), old.hash(), "nothing has changed");
        fs::write(&source, "echo new").unwrap();
        let new = programs.keep("mine").unwrap();
        assert_ne!(new.hash(), old.hash());
        let kept: Vec<String> =
            programs.versions("mine").unwrap().iter().map(Version::player).collect();
        assert_eq!(kept, [old.player(), new.player()]);
        let short = format!("bot:mine@{}", &old.hash()[..4]);
        assert_eq!(name_of(&programs, &short).unwrap(), old.player());
        let copy = programs.bot(&old.player()).unwrap().copied_folder().join("bot.sh");
        assert_eq!(fs::read_to_string(copy).unwrap(), "echo old");
        // Going back to a version saves it again.
        fs::write(&source, "echo old").unwrap();
        programs.keep("mine").unwrap();
        assert_eq!(programs.versions("mine").unwrap().last().unwrap().hash(), old.hash());
    }

    #[test]
    fn a_version_whose_files_or_command_were_replaced_is_refused() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("mine")).unwrap();
        fs::write(place.path().join("mine/bot.sh"), "echo strong").unwrap();
        let entry = "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n";
        let place_path = place.path().to_owned();
        let again = || programs(&place_path, entry);
        let kept = again().keep("mine").unwrap();
        let folder = kept.folder().to_owned();
        let replace = |file: &str, text: &str| {
            let (file, before) = (folder.join(file), fs::read(folder.join(file)).ok());
            fs::write(&file, text).unwrap();
            let refused = again().bot(&kept.player()).map(drop).unwrap_err().to_string();
            assert!(refused.contains("is not this version: its files, its command"), "{refused}");
            match before {
                Some(before) => fs::write(&file, before).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            assert_eq!(name_of(&again(), &kept.player()).unwrap(), kept.player());
        };
        replace("files/bot.sh", "echo weak");
        replace("files/more.sh", "echo weak");
        replace("bots.toml", "[mine]\ncommand = \"sh -e bot.sh\"\nfolder = \"files\"\n");
        let path = folder.join("files/bot.sh").display().to_string();
        let text = format!("[mine]\ncommand = [\"sh\", {path:?}]\nfolder = \"files\"\n");
        replace("bots.toml", &text);
    }

    #[cfg(unix)]
    #[test]
    fn a_kept_version_has_its_hash_in_whatever_way_the_program_lay_there() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        let write = |path: &str, text: &str| {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        };
        write("beside.sh", "echo 1");
        write("other.sh", "echo 2");
        write("data.txt", "3");
        write("whole/bot.sh", "echo 1");
        write("whole/README.md", "about it");
        write("whole/model.bin", "");
        write("whole/lib/a.sh", "echo 2");
        write("rust/src/main.rs", "");
        write("rust/target/CACHEDIR.TAG", "");
        write("rust/target/release/deps/x", "");
        fs::create_dir_all(at("rust/target/release")).unwrap();
        fs::copy("/bin/sh", at("rust/target/release/bot")).unwrap();
        write("python/bot.sh", "echo 1");
        write("python/.venv/pyvenv.cfg", "");
        fs::create_dir_all(at("python/.venv/bin")).unwrap();
        link(Path::new("/bin/sh"), &at("python/.venv/bin/python")).unwrap();
        fs::create_dir_all(at("listed/models")).unwrap();
        write("listed/bot.sh", "echo 1");
        write("listed/models/one.bin", "1");
        write("listed/model.bin", "2");
        for (name, entry) in [
            ("beside", "command = 'sh beside.sh'"),
            ("here", "command = 'sh beside.sh'\nfolder = '.'"),
            ("whole", "command = 'sh bot.sh README.md'\nfolder = 'whole'"),
            ("rust", "command = './target/release/bot -c exit'\nfolder = 'rust'"),
            ("cached", "command = 'rust/target/release/bot beside.sh'"),
            ("python", "command = '.venv/bin/python bot.sh'\nfolder = 'python'"),
            ("listed", "command = 'sh bot.sh'\nfolder = 'listed'\nread = ['models', 'model.bin']"),
        ] {
            let entries = format!("[{name}]\n{entry}\n");
            let kept = programs(place.path(), &entries).keep(name).unwrap();
            let again = programs(place.path(), &entries);
            assert_eq!(name_of(&again, &kept.player()).as_ref(), Ok(&kept.player()), "{name}");
            if name == "python" {
                let entry = kept.folder().join(ENTRY);
                let text = fs::read_to_string(&entry).unwrap();
                let elsewhere = text.replace("/python/.venv", "/whole/.venv");
                assert_ne!(text, elsewhere);
                fs::create_dir_all(at("whole/.venv/bin")).unwrap();
                link(Path::new("/bin/sh"), &at("whole/.venv/bin/python")).unwrap();
                fs::write(&entry, elsewhere).unwrap();
                let again = programs(place.path(), &entries);
                assert!(name_of(&again, &kept.player()).is_err(), "another interpreter");
                fs::write(&entry, text).unwrap();
            }
            let file = list(&kept.files()).into_iter().find(|file| file.ends_with("bot.sh"));
            let Some(file) = file else { continue };
            fs::write(file, "echo weak").unwrap();
            let again = programs(place.path(), &entries);
            assert!(name_of(&again, &kept.player()).is_err(), "{name}");
        }
    }

    #[test]
    fn text_about_a_program_is_kept_and_is_no_part_of_its_version_nor_seen_by_it() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("mine")).unwrap();
        let write = |name: &str, text: &str| fs::write(place.path().join("mine").join(name), text);
        write("bot.sh", "echo old").unwrap();
        write("openings.txt", "U").unwrap();
        let entries = "[mine]\ncommand = \"sh bot.sh\"\nfolder = \"mine\"\n";
        let programs = programs(place.path(), entries);
        let old = programs.keep("mine").unwrap();
        for name in ["README.md", "README", "LICENSE", "readme.txt", "notes.md"] {
            write(name, "about it").unwrap();
            assert_eq!(programs.keep("mine").unwrap().hash(), old.hash(), "{name}");
        }
        write("openings.txt", "R").unwrap();
        let new = programs.keep("mine").unwrap();
        assert_ne!(new.hash(), old.hash());
        assert!(new.folder().join("files/README.md").is_file());
        let copied = programs.bot(&new.player()).unwrap().copied_folder().to_owned();
        assert!(!copied.join("README.md").exists());
    }

    #[test]
    fn the_best_version_is_noted_by_game_and_forgotten_with_its_files() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("bot.sh"), "echo old").unwrap();
        let programs = programs(place.path(), "[mine]\ncommand = \"sh bot.sh\"\n");
        assert_eq!(programs.best_version("mine", "tron").unwrap(), None);
        let old = programs.keep("mine").unwrap();
        programs.note_best(&old, "tron").unwrap();
        fs::write(place.path().join("bot.sh"), "echo new").unwrap();
        let new = programs.keep("mine").unwrap();
        programs.note_best(&new, "gather").unwrap();
        let best = |game| programs.best_version("mine", game).unwrap().map(|one| one.player());
        assert_eq!((best("tron"), best("gather")), (Some(old.player()), Some(new.player())));
        programs.discard(&new).unwrap();
        assert_eq!((best("tron"), best("gather")), (Some(old.player()), None));
    }

    #[test]
    fn of_a_program_whose_only_version_is_given_up_no_folder_stays() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("bot.sh"), "echo old").unwrap();
        let entry = |name: &str| format!("[{name}]\ncommand = \"sh bot.sh\"\n");
        let programs = programs(place.path(), &(entry("mine") + &entry("other")));
        let all = place.path().join(FOLDER);
        let [mine, other] = ["mine", "other"].map(|name| programs.keep(name).unwrap());
        programs.discard(&mine).unwrap();
        assert!(!all.join("mine").exists() && all.join("other").exists());
        assert_eq!(fs::read_to_string(all.join(IGNORE)).unwrap(), "*\n");
        programs.discard(&other).unwrap();
        assert!(!all.exists());
    }

    #[test]
    fn a_built_program_is_kept_from_the_folder_of_its_build_tool() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("mine/target");
        fs::create_dir_all(&target).unwrap();
        fs::write(target.join("CACHEDIR.TAG"), "").unwrap();
        fs::copy("/bin/sh", target.join("bot")).unwrap();
        let entries = "[mine]\ncommand = \"./target/bot -c exit\"\nfolder = \"mine\"\n";
        let programs = programs(place.path(), entries);
        let kept = programs.keep("mine").unwrap();
        fs::remove_dir_all(&target).unwrap();
        assert_eq!(name_of(&programs, &kept.player()).unwrap(), kept.player());
    }

    #[test]
    fn unknown_versions_are_refused_with_the_known_ones() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("bot.sh"), "").unwrap();
        let entries = "[mine]\ncommand = \"sh bot.sh\"\n[out]\ncommand = \"sh /etc/passwd\"\n";
        let programs = programs(place.path(), entries);
        let said = name_of(&programs, "bot:mine@12").unwrap_err();
        let none = "bot:mine@12: there is no such version; none is kept here; quintain compare \
                    mine@git:REVISION mine --game GAME builds that of a commit again, and quintain \
                    watch mine --against GAME/PLAYER keeps what the folder holds";
        assert_eq!(said, none);
        let hash = programs.keep("mine").unwrap().hash;
        let said = name_of(&programs, "bot:mine@x").unwrap_err();
        assert_eq!(said, format!("bot:mine@x: there is no such version; the last ones are {hash}"));
        assert!(name_of(&programs, "bot:nobody@12").unwrap_err().contains("unknown bot"));
        assert!(name_of(&programs, "bot:mine@").unwrap_err().contains("no such version"));
        let said = programs.keep("out").unwrap_err().to_string();
        assert!(said.ends_with("names a file outside its folder: /etc/passwd"), "{said}");
    }
}
