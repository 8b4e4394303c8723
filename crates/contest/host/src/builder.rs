//! Runs a build ([`crate::build`]) in the sandbox.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quintain_bots::limits::Limits;
use serde::Serialize;

use crate::archive::Tree;
use crate::build::Recipe;
use crate::contest::Contest;

/// The name under which the build job is listed.
const JOB: &str = "build";

/// Builds the sources stored in `folder`; returns the result and what the build printed.
pub(crate) fn build(
    contest: &Contest,
    recipe: &Recipe,
    folder: &Path,
    stop: &Arc<AtomicBool>,
) -> (Result<Tree, String>, String) {
    match run(contest, recipe, folder, stop) {
        Ok((tree, output)) => (tree, output),
        Err(problem) => (Err(problem), String::new()),
    }
}

type Built = (Result<Tree, String>, String);

fn run(
    contest: &Contest,
    recipe: &Recipe,
    folder: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Built, String> {
    #[derive(Serialize)]
    struct Entry<'a> {
        command: [&'a str; 3],
        folder: &'a Path,
        read: &'a [PathBuf],
        limits: Limits,
    }
    let (builds, kept) = (&contest.config.build, contest.config.limits.tree());
    let script = recipe.script();
    let entry = Entry {
        command: ["sh", "-c", &script],
        folder,
        read: recipe.read(),
        limits: builds.limits(kept),
    };
    let text =
        toml::to_string(&BTreeMap::from([(JOB, entry)])).map_err(|error| error.to_string())?;
    let place = contest.job_folder().map_err(|error| error.to_string())?;
    let file = place.path().join("build.toml");
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let programs = contest.programs_of(file);
    let bot = programs.bot(&format!("bot:{JOB}")).map_err(|error| error.to_string())?;
    let end = bot.run_to_end(builds.time.0, builds.socket_pairs, Some(Arc::clone(stop)));
    let end = end.map_err(|fault| fault.to_string())?;
    let unpacked = |text: String| {
        let packed: String = text.split_ascii_whitespace().collect();
        let bytes = STANDARD.decode(packed).map_err(|_| "its result cannot be read".to_owned())?;
        Tree::untar(&bytes, kept).map_err(|refused| format!("its result: {refused}"))
    };
    Ok((end.output.map_err(|failure| failure.to_string()).and_then(unpacked), end.said))
}
