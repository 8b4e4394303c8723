//! Checks whether a program that has to be built was built after its sources were last written. It
//! only looks at the times of files; [`crate::build`] builds programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::bots_file::BotEntry;
use crate::snapshot::visit_files;

/// Maximum number of entries that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// Warns of a source in the program's folder that is newer than the file that is run.
pub(crate) fn warn_of_stale(spec: &str, entry: &BotEntry, folder: &Path, files: &[PathBuf]) {
    if let Some(source) = newer_source(entry, folder, files) {
        let (source, step) = (source.display(), entry.build_step(folder).unwrap_or_default());
        tracing::warn!("{spec}: {source} is newer than what was built from it; build it: {step}");
    }
}

/// The source that was written last, relative to the folder, if it is newer than every one of the
/// `files` that the command runs and that have to be built.
fn newer_source(entry: &BotEntry, folder: &Path, files: &[PathBuf]) -> Option<PathBuf> {
    entry.build.as_ref()?;
    let write_time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let is_built = |file: &&PathBuf| file.starts_with(folder) && !is_source(file);
    let built = files.iter().filter(is_built).filter_map(|file| write_time(file)).max()?;
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    let is_whole = visit_files(folder, MAX_ENTRIES, &mut |path| {
        if is_source(&path)
            && let Some(time) = write_time(&path)
            && newest.as_ref().is_none_or(|(known, _)| time > *known)
        {
            newest = Some((time, path));
        }
    });
    let (_, source) = newest.filter(|(time, _)| is_whole && *time > built)?;
    Some(source.strip_prefix(folder).map_or(source.clone(), Path::to_owned))
}

fn is_source(path: &Path) -> bool {
    let kind = path.extension().or(path.file_name()).unwrap_or_default();
    quintain_languages::is_source(&kind.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;
    use crate::command::Command;

    #[test]
    fn sources_newer_than_the_built_file_are_found() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let begun = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let write = |name: &str, second: u64| {
            let file = File::create(folder.join(name)).unwrap();
            file.set_modified(begun + Duration::from_secs(second)).unwrap();
        };
        fs::create_dir(folder.join("src")).unwrap();
        write("src/bot.cpp", 1);
        write("bot", 2);
        write("notes.txt", 9);
        let mut entry = BotEntry::new(Command::parse("./bot").unwrap());
        let files = [folder.join("bot")];
        entry.build = Some("make".to_owned());
        assert_eq!(newer_source(&entry, folder, &files), None);
        write("src/bot.cpp", 3);
        let found = newer_source(&entry, folder, &files);
        assert_eq!(found, Some(PathBuf::from("src/bot.cpp")));
        entry.build = None;
        assert_eq!(newer_source(&entry, folder, &files), None, "nothing has to be built");
    }
}
