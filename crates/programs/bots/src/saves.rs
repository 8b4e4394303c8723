//! Detects whether someone has saved a file of a program: compares the names, sizes and times of
//! its files with those of before. The files' contents are not read; the program's version tells
//! whether it has truly changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::bots_file::find_folder;
use crate::error::ProgramError;
use crate::programs::Programs;
use crate::snapshot::visit_files;
use crate::store_file::is_store;

/// The most folder entries that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// How the files of a program look from outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Footprint {
    /// The files that are new, gone, or look different from `before`.
    pub fn changes(&self, before: &Footprint) -> BTreeSet<PathBuf> {
        let differs = |(path, looks): &(&PathBuf, &(u64, Option<SystemTime>))| {
            before.0.get(*path) != Some(*looks)
        };
        let here = self.0.iter().filter(differs).map(|(path, _)| path);
        let gone = before.0.keys().filter(|path| !self.0.contains_key(*path));
        here.chain(gone).cloned().collect()
    }

    fn add(&mut self, file: &Path) {
        if let Ok(data) = file.metadata() {
            self.0.insert(file.to_owned(), (data.len(), data.modified().ok()));
        }
    }

    fn add_folder(&mut self, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) {
        visit_files(folder, MAX_ENTRIES, &mut |path| {
            if is_wanted(&path) && !is_store(&path) {
                self.add(&path);
            }
        });
    }
}

impl Programs {
    /// How the files of a program of the `bots.toml` look now, including that file. In a folder
    /// that is not the program's own, only files of the kinds that its command names count, as for
    /// its version. A missing file is no error: it may be about to be saved.
    ///
    /// # Errors
    /// [`ProgramError`] if the file names no such program, or the program has no folder.
    pub fn measure(&self, name: &str) -> Result<Footprint, ProgramError> {
        let entry = self.read_entry(name)?;
        let folder = find_folder(&format!("bot:{name}"), &entry, &self.base()?)?;
        let words = entry.command.arguments().iter().map(String::as_str);
        let named = words.chain([entry.command.program()]).map(|word| folder.join(word));
        let named: Vec<PathBuf> = named.filter(|path| path.is_file()).collect();
        let kinds: BTreeSet<OsString> =
            named.iter().filter_map(|path| path.extension().map(OsString::from)).collect();
        let is_own = !entry.folder.as_os_str().is_empty();
        let is_wanted =
            |path: &Path| is_own || path.extension().is_some_and(|kind| kinds.contains(kind));
        let mut footprint = Footprint::default();
        footprint.add(self.file_path());
        footprint.add_folder(&folder, &is_wanted);
        named.iter().for_each(|path| footprint.add(path));
        Ok(footprint)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn saved_new_and_deleted_files_are_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let look = || {
            let mut footprint = Footprint::default();
            footprint.add_folder(folder.path(), &|_| true);
            footprint
        };
        fs::write(path("bot.py"), "x = 1").unwrap();
        fs::write(path("old.py"), "").unwrap();
        let before = look();
        assert!(look().changes(&before).is_empty());
        fs::write(path(".bot.py.swp"), "an editor's").unwrap();
        fs::write(path("quintain.sqlite-wal"), "a store's").unwrap();
        fs::create_dir(path("target")).unwrap();
        fs::write(path("target/CACHEDIR.TAG"), "").unwrap();
        fs::write(path("target/bot"), "built").unwrap();
        assert!(look().changes(&before).is_empty());
        fs::write(path("bot.py"), "x = 1000").unwrap();
        fs::write(path("new.py"), "").unwrap();
        fs::remove_file(path("old.py")).unwrap();
        let expected = ["bot.py", "new.py", "old.py"].map(path);
        assert_eq!(look().changes(&before), BTreeSet::from(expected));
    }
}
