//! The files of scenarios: maps, chains, problems, lists. They are part of the contest: a copy of
//! each lies in its folder, is checked when the contest starts, and goes into backups, starter kits
//! and exports. A scenario names its file by path and digest, so all of them play the same board.

use std::fs;
use std::path::Path;

use quintain_core::{Catalog, ScenarioFile, TextFileError};

use crate::error::{HostError, file_error};

/// Folder of the files within the contest's.
pub(crate) const MAPS: &str = "maps";

/// The file of a scenario of the contest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MapFile {
    /// The scenario as the contest's file has it.
    pub(crate) scenario: String,
    pub(crate) file: ScenarioFile,
}

impl MapFile {
    /// Returns its path in the contest's folder, in kits and in exports.
    pub(crate) fn place(&self) -> String {
        format!("{MAPS}/{}", self.file.name)
    }

    /// Returns the scenario with the path that the file has in kits and exports.
    pub(crate) fn portable(&self) -> String {
        self.file.at_path(&self.place())
    }
}

/// Finds the file of a scenario, if it names one: where its path leads from the contest's folder,
/// among the copies there, or where it leads from the current folder.
///
/// # Errors
/// If it is in none of these, cannot be read, or has another digest than the scenario.
pub(crate) fn find(
    folder: &Path,
    catalog: &Catalog,
    game: &str,
    scenario: &str,
) -> Result<Option<MapFile>, TextFileError> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    let candidates =
        |path: &Path| vec![folder.join(path), folder.join(MAPS).join(name(path)), path.to_owned()];
    let found = catalog.scenario_file(game, scenario, &candidates)?;
    Ok(found.map(|file| MapFile { scenario: scenario.to_owned(), file }))
}

/// Copies a file into the contest's folder, unless it is there.
pub(crate) fn take_in(folder: &Path, map: &MapFile) -> Result<(), HostError> {
    let place = folder.join(map.place());
    if place.exists() || map.file.found_at.starts_with(folder) {
        return Ok(());
    }
    let failed = file_error(&place);
    fs::create_dir_all(folder.join(MAPS)).map_err(&failed)?;
    fs::write(&place, &map.file.text).map_err(&failed)
}

/// Reads the files that a new contest's scenarios name, and points the scenarios at the copies that
/// the contest will have.
///
/// # Errors
/// If a file cannot be read, or two of them have one name.
pub(crate) fn adopt(
    catalog: &Catalog,
    game: &str,
    scenarios: &mut [String],
) -> Result<Vec<MapFile>, String> {
    let mut maps: Vec<MapFile> = Vec::new();
    for scenario in scenarios {
        let found = find(Path::new(""), catalog, game, scenario);
        let Some(map) = found.map_err(|error| error.to_string())? else { continue };
        let differs = |known: &MapFile| {
            known.file.name == map.file.name && known.file.digest != map.file.digest
        };
        if maps.iter().any(differs) {
            return Err(format!("{scenario}: two different files are called {}", map.file.name));
        }
        *scenario = map.portable();
        maps.push(map);
    }
    Ok(maps)
}

/// Writes the files into the folder for them in a backup or an export.
pub(crate) fn copy(maps: &[MapFile], to: &Path) -> Result<(), HostError> {
    maps.iter().try_for_each(|map| take_in(to, map))
}

/// Copies the folder of files, if there is one, from one contest to another.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<(), HostError> {
    let Ok(files) = fs::read_dir(from.join(MAPS)) else { return Ok(()) };
    let to = to.join(MAPS);
    fs::create_dir_all(&to).map_err(file_error(&to))?;
    for file in files {
        let path = file.map_err(file_error(from))?.path();
        if !path.is_symlink() && path.is_file() {
            let name = path.file_name().unwrap_or_default();
            fs::copy(&path, to.join(name)).map_err(file_error(&path))?;
        }
    }
    Ok(())
}
