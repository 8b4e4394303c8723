//! The file that a scenario names (a map, a chain, a problem, a list), found from several folders,
//! and the scenario with the digest of that file, which plays the same board anywhere.

use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::files::{TextFileError, digest_in, keep_file, kept_file, read_text};
use crate::spec::Spec;

/// The parameters of scenarios that read a file.
const PATH: &str = "path";
const DIGEST: &str = "digest";

/// A scenario's file. Its text is [kept](crate::keep_file) in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ScenarioFile {
    /// Where it was found.
    pub found_at: PathBuf,
    /// Its name without folders.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its digest.
    pub digest: String,
    /// The scenario with the digest.
    pub pinned: String,
}

impl ScenarioFile {
    /// The scenario with another path of the same file.
    pub fn at_path(&self, path: &str) -> String {
        with_argument(&self.pinned, PATH, path)
    }
}

impl Catalog {
    /// Finds the file that a scenario of a game names: the first of the `candidates` for its path
    /// that is a file, or else the text that is kept under the scenario's digest. None if the
    /// scenario names no file.
    ///
    /// # Errors
    /// If there is no such file, it cannot be read, or has another digest than the scenario says.
    pub fn scenario_file(
        &self,
        game: &str,
        scenario: &str,
        candidates: &dyn Fn(&Path) -> Vec<PathBuf>,
    ) -> Result<Option<ScenarioFile>, TextFileError> {
        let Some(path) = self.path_in(game, scenario) else { return Ok(None) };
        let found = candidates(&path).into_iter().find(|place| place.is_file());
        let is_found = found.is_some();
        let found_at = found.unwrap_or_else(|| path.clone());
        let kept = digest_in(scenario).filter(|_| !is_found).and_then(|known| kept_file(&known));
        let text = match kept {
            Some(kept) => kept.as_ref().to_owned(),
            None => read_text(&found_at)?,
        };
        let digest = keep_file(&text);
        if let Some(expected) = digest_in(scenario)
            && expected != digest
        {
            return Err(TextFileError::Changed { path: found_at, found: digest, expected });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let pinned = with_argument(scenario, DIGEST, &digest);
        Ok(Some(ScenarioFile { found_at, name, text, digest, pinned }))
    }

    /// The path of the file that a scenario of a game names, if it names one.
    fn path_in(&self, game: &str, scenario: &str) -> Option<PathBuf> {
        let spec: Spec = scenario.parse().ok()?;
        let scenarios = self.entry(game).ok()?.scenarios();
        let known = scenarios.iter().find(|known| known.name() == spec.path)?;
        let has = |name: &str| known.parameters.iter().any(|parameter| parameter.name == name);
        let (_, path) = spec.arguments.iter().find(|(key, _)| key == PATH)?;
        (has(PATH) && has(DIGEST) && !path.is_empty()).then(|| PathBuf::from(path))
    }
}

/// Sets an argument of a scenario.
fn with_argument(scenario: &str, key: &str, value: &str) -> String {
    let Ok(mut spec) = scenario.parse::<Spec>() else { return scenario.to_owned() };
    match spec.arguments.iter_mut().find(|(known, _)| known == key) {
        Some((_, known)) => value.clone_into(known),
        None => spec.arguments.push((key.to_owned(), value.to_owned())),
    }
    spec.to_string()
}
