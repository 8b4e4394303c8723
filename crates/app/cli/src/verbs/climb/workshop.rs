//! The folder of a climb, beside the `bots.toml`: a copy of the program to edit, its versions, its
//! matches and the record. The program's own folder is never written to.
//!
//! ```text
//! .quintain-climbs/NAME/bots.toml           the program's entry, with folder = "work"
//! .quintain-climbs/NAME/work                the copy that is edited
//! .quintain-climbs/NAME/.quintain-versions  every edit that can play
//! .quintain-climbs/NAME/quintain.sqlite     their matches
//! .quintain-climbs/NAME/rounds/N            what the editor was told, said and changed in round N
//! .quintain-climbs/NAME/first               the version that everything began with
//! .quintain-climbs/NAME/climb.jsonl         the record
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quintain_bots::versions::Version;
use quintain_bots::{Programs, Settings, Unstarted};
use quintain_core::{Access, Catalog, read_settings, reason};

use super::problem::Problem;
use crate::context::Context;
use crate::failure::Failure;
use crate::verbs::watch::trial::Trial;

const FOLDER: &str = ".quintain-climbs";
/// The file that names the version that everything begins with.
const FIRST: &str = "first";

/// The folder of a climb, with the players that its matches need.
pub(super) struct Workshop {
    name: String,
    folder: PathBuf,
    origin: String,
    programs: Arc<Programs>,
    catalog: Catalog,
}

impl Workshop {
    /// Opens the folder of a program's climb, or makes it. What a model writes is built in the
    /// sandbox; what a command of the user's writes, as if the user had.
    pub(super) fn open(
        name: &str,
        is_by_model: bool,
        context: &Context<'_>,
    ) -> Result<Workshop, Failure> {
        let kept = context.programs.keep(name)?;
        let file = context.programs.file_path();
        let base = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let base = base.unwrap_or(Path::new("."));
        let base = dunce::canonicalize(base).unwrap_or_else(|_| base.to_owned());
        let folder = base.join(FOLDER).join(name);
        let origin = kept.hash().to_owned();
        if !folder.join(FIRST).is_file() {
            // A climb that could not begin left an older program behind.
            let _ = fs::remove_file(folder.join("bots.toml"));
        }
        context.programs.begin_copy(&kept, &folder)?;
        let settings =
            Settings { file: folder.join("bots.toml"), ..context.programs.settings().clone() };
        let programs = match is_by_model {
            true => Programs::of_strangers(settings),
            false => Programs::new(settings),
        };
        let sources = programs.asking_sources(Unstarted::Void);
        let catalog = sources.into_iter().fold(crate::catalog::catalog(), Catalog::with_external);
        Ok(Workshop { name: name.to_owned(), folder, origin, programs, catalog })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The version of the program, in its own folder, that the climb begins with.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(super) fn programs(&self) -> &Arc<Programs> {
        &self.programs
    }

    pub(super) fn store(&self) -> PathBuf {
        self.folder.join("quintain.sqlite")
    }

    /// The folder of what was said in a round.
    pub(super) fn round(&self, round: u64) -> Result<PathBuf, Failure> {
        let place = self.folder.join("rounds").join(round.to_string());
        fs::create_dir_all(&place).map_err(|error| cannot_keep(&place, &error))?;
        Ok(place)
    }

    /// The version that everything begins with.
    pub(super) fn start(&self, trial: &Trial<'_>) -> Result<Version, Failure> {
        let first = self.folder.join(FIRST);
        if let Ok(hash) = read_settings(&first) {
            return self.version(hash.trim());
        }
        let mut said = Vec::new();
        let Some(ready) = trial.prepare(&mut said)? else {
            let said = Problem::of(&String::from_utf8_lossy(&said)).line;
            return Err(Failure::Failed(format!("{} cannot play yet: {said}", self.name)));
        };
        fs::write(&first, ready.version.hash()).map_err(|error| cannot_keep(&first, &error))?;
        Ok(ready.version)
    }

    /// A version of this climb.
    pub(super) fn version(&self, hash: &str) -> Result<Version, Failure> {
        let versions = self.programs.versions(&self.name)?;
        versions.into_iter().find(|version| version.hash() == hash).ok_or_else(|| {
            let folder = self.folder.display();
            Failure::Failed(format!("{folder}: the version {hash} of its record is gone"))
        })
    }

    /// Makes the copy that is edited equal to a version; returns where it is.
    pub(super) fn lay_out(&self, version: &Version) -> Result<PathBuf, Failure> {
        Ok(self.programs.lay_out(version)?)
    }
}

fn cannot_keep(place: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot write {}: {}", place.display(), reason(error, Access::Write)))
}
