//! Downloads from the organiser's page: what a command writes into a folder, packed as a zip. The
//! folder lies within the contest's and is deleted once it is packed. The zip is a file without a
//! name, so it disappears once it is sent, or when the host ends, however that happens.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::backup::backup;
use crate::contest::{Contest, DOWNLOADS};
use crate::error::{HostError, file_error};
use crate::export::{ExportOptions, export};
use crate::letters::letters;

/// What can be downloaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Download {
    /// The site of files, with a number of matches of each version.
    Site {
        /// The latest matches of each version that have a page.
        matches: u32,
    },
    /// Tables without names.
    Anonymous,
    /// A letter for every participant.
    Letters,
    /// A copy of the whole contest.
    Backup,
}

impl Download {
    /// Returns the name of the folder in the zip, and of the zip.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Download::Site { .. } => "site",
            Download::Anonymous => "anonymous",
            Download::Letters => "letters",
            Download::Backup => "backup",
        }
    }

    /// Returns the text that the audit records for it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Download::Site { .. } => "downloaded the site of files",
            Download::Anonymous => "downloaded the tables without names",
            Download::Letters => "downloaded the letters",
            Download::Backup => "downloaded a backup",
        }
    }
}

/// Makes a download in the way the command does. The contest is opened once more, so that nothing
/// of the running one is locked meanwhile.
///
/// # Errors
/// As for the command, and if the result cannot be packed.
pub(crate) fn make(contest: &Contest, what: Download) -> Result<File, HostError> {
    let place = contest.folder.join(DOWNLOADS);
    let failed = file_error(&place);
    fs::create_dir_all(&place).map_err(&failed)?;
    let made = tempfile::tempdir_in(&place).map_err(&failed)?;
    let (from, to) = (&contest.folder, made.path().join(what.name()));
    match what {
        Download::Site { matches } => {
            let options = ExportOptions { matches, is_anonymous: false };
            export(from, &to, &contest.all_games, options)?;
        }
        Download::Anonymous => {
            let options = ExportOptions { matches: 0, is_anonymous: true };
            export(from, &to, &contest.all_games, options)?;
        }
        Download::Letters => {
            letters(from, &to, &contest.all_games)?;
        }
        Download::Backup => backup(from, &to)?,
    }
    let zip = tempfile::tempfile_in(&place).map_err(&failed)?;
    pack(made.path(), zip).map_err(failed)
}

/// Packs the files below a folder one by one, and rewinds to the beginning of the zip.
fn pack(folder: &Path, file: File) -> io::Result<File> {
    let mut zip = ZipWriter::new(file);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .large_file(true);
    for path in files_below(folder)? {
        let name = path.strip_prefix(folder).map_err(io::Error::other)?;
        let mut from = File::open(&path)?;
        // Whether a program is executable matters, and not its bytes alone.
        #[cfg(unix)]
        let options = {
            let rights = from.metadata()?.permissions();
            options.unix_permissions(std::os::unix::fs::PermissionsExt::mode(&rights) & 0o777)
        };
        zip.start_file(name.to_string_lossy().replace('\\', "/"), options)?;
        io::copy(&mut from, &mut zip)?;
    }
    let mut file = zip.finish()?;
    file.rewind()?;
    Ok(file)
}

/// Returns the files below a folder, ordered by path.
fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_packed_folder_has_every_file_in_order_of_paths() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("site/matches")).unwrap();
        for (name, text) in [("site/index.html", "first"), ("site/matches/1.html", "second")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let packed = pack(folder.path(), tempfile::tempfile().unwrap()).unwrap();
        let mut zip = zip::ZipArchive::new(packed).unwrap();
        let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, ["site/index.html", "site/matches/1.html"]);
        let mut text = String::new();
        zip.by_name("site/matches/1.html").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "second");
    }
}
