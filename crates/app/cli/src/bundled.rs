//! Tournaments bundled with the program, so that they can be played by name in any folder.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use quintain_arena::{LeavesOut, Tournament, TournamentError, set_seeds};
use quintain_core::{Catalog, did_you_mean, read_settings};

use crate::failure::Failure;
use crate::messages::print_notice;

/// Name and text of each; a test makes sure that none is missing.
const TOURNAMENTS: [(&str, &str); 8] = [
    ("quick", include_str!("../tournaments/quick.toml")),
    ("tron", include_str!("../tournaments/tron.toml")),
    ("gather", include_str!("../tournaments/gather.toml")),
    ("gather-mixed", include_str!("../tournaments/gather-mixed.toml")),
    ("hextris", include_str!("../tournaments/hextris.toml")),
    ("pentocity", include_str!("../tournaments/pentocity.toml")),
    ("polymer", include_str!("../tournaments/polymer.toml")),
    ("models", include_str!("../tournaments/models.toml")),
];

/// Returns all names.
pub(crate) fn all_names() -> [&'static str; TOURNAMENTS.len()] {
    TOURNAMENTS.map(|(name, _)| name)
}

/// Returns the names as text for help messages.
pub(crate) fn names() -> String {
    all_names().join(", ")
}

/// Returns the requested file: the one of this name, or of this name with its extension added. A
/// folder of the same name, such as that of a program, is in nobody's way.
pub(crate) fn file_of(asked: &Path) -> PathBuf {
    match is_there(asked) || asked.extension().is_some() {
        true => asked.to_owned(),
        false => asked.with_extension("toml"),
    }
}

/// Whether a file of this name is there, or something else that can be read.
fn is_there(asked: &Path) -> bool {
    asked.exists() && !(asked.is_dir() && asked.with_extension("toml").is_file())
}

/// Loads the requested tournament, a file or a bundled one by name, with another number of seeds if
/// one is given.
pub(crate) fn load(
    asked: &Path,
    seeds: Option<NonZeroU64>,
    catalog: &Catalog,
    leaves_out: LeavesOut<'_>,
) -> Result<Tournament, Failure> {
    let Source { text, file } = find(asked)?.with_seeds(seeds);
    Ok(Tournament::parse_able(&text, &file, catalog, leaves_out)?)
}

/// A tournament's text, and what errors call the file that it is from.
pub(crate) struct Source {
    pub(crate) text: String,
    pub(crate) file: String,
}

impl Source {
    /// The same with another number of seeds, if one is given.
    pub(crate) fn with_seeds(self, seeds: Option<NonZeroU64>) -> Source {
        match seeds {
            Some(seeds) => Source { text: set_seeds(&self.text, seeds.get()), ..self },
            None => self,
        }
    }
}

/// Finds the text of the requested tournament, a file or a bundled one by name.
pub(crate) fn find(asked: &Path) -> Result<Source, Failure> {
    let read = |path: &Path| -> Result<Source, TournamentError> {
        Ok(Source { text: read_settings(path)?, file: path.display().to_string() })
    };
    if is_there(asked) {
        return Ok(read(asked)?);
    }
    let name = asked.to_string_lossy();
    let file = file_of(asked);
    let find = |name: &str| TOURNAMENTS.iter().find(|(known, _)| *known == name);
    if let Some((name, text)) = find(&name) {
        if file.is_file() {
            let file = file.display();
            print_notice(&format!("this is quintain's own tournament {name}; yours is {file}"));
        }
        return Ok(Source { text: (*text).to_owned(), file: (*name).to_owned() });
    }
    if file.is_file() {
        return Ok(read(&file)?);
    }
    let is_plain = asked.components().count() == 1 && asked.extension().is_none();
    if is_plain {
        let names = TOURNAMENTS.iter().map(|(known, _)| *known);
        let message = did_you_mean("tournament", &name, names);
        return Err(Failure::Usage(format!("{message} (a file of your own ends in .toml)")));
    }
    let stem = asked.file_stem().unwrap_or_default().to_string_lossy();
    match (read(asked), find(&stem)) {
        (Ok(source), _) => Ok(source),
        (Err(error), None) => Err(error.into()),
        (Err(error), Some((known, _))) => Err(Failure::Usage(format!(
            "{error}; `quintain tournament {known}` plays the tournament of that name that comes \
             with quintain"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quintain_arena::Series;

    use super::*;

    #[test]
    fn a_folder_of_the_same_name_does_not_hide_a_tournament_file() {
        let folder = tempfile::tempdir().unwrap();
        let asked = folder.path().join("mine");
        std::fs::create_dir(&asked).unwrap();
        assert_eq!(file_of(&asked), asked);
        std::fs::write(folder.path().join("mine.toml"), TOURNAMENTS[0].1).unwrap();
        assert_eq!(file_of(&asked), folder.path().join("mine.toml"));
        assert!(load(&asked, None, &crate::catalog::catalog(), &|_| None).is_ok());
    }

    #[test]
    fn every_tournament_of_the_repository_can_be_played_by_name() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tournaments");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let files: BTreeSet<String> =
            files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        let names: BTreeSet<String> = TOURNAMENTS.map(|(name, _)| name.to_owned()).into();
        assert_eq!(files, names);
        let catalog = crate::catalog::catalog();
        for (name, text) in TOURNAMENTS {
            if Series::is_series(text) {
                let series = Series::parse(text, name, &["random".to_owned()], &catalog);
                // The ladder has that player, too: only its being named twice is wrong.
                let problem = series.err().expect("random is on every ladder").to_string();
                assert!(problem.contains("random"), "{name}: {problem}");
                continue;
            }
            let tournament = load(Path::new(name), None, &catalog, &|_| None);
            tournament.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
