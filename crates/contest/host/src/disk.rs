//! The disk space of what was submitted: how much each participant takes, and which files go when
//! a version is deleted, or failed its check a while ago.

use std::fs;
use std::path::Path;

use crate::archive::Tree;
use crate::contest::Contest;
use crate::error::{HostError, file_error};
use crate::lock::lock;
use crate::program;
use crate::state::{Stage, Version, now};

/// Size of the blocks in which file systems give space.
const BLOCK: u64 = 4 << 10;

fn in_blocks(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK)
}

/// Returns the space that all files below a folder take, as far as they can be read.
pub(crate) fn size_below(folder: &Path) -> u64 {
    let (mut folders, mut bytes) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(data) if data.is_dir() => folders.push(entry.path()),
                Ok(data) => bytes += in_blocks(data.len()),
                // The file has been removed since.
                Err(_) => {}
            }
        }
    }
    bytes
}

/// Returns the space that a stored tree takes. It is named by its digest and never changes, so it
/// is measured once.
fn measure_tree(contest: &Contest, digest: &str) -> u64 {
    if let Some(known) = lock(&contest.tree_sizes).get(digest) {
        return *known;
    }
    let bytes = size_below(&program::files_of(&contest.folder, digest));
    // It is not there while it is being deleted.
    if bytes > 0 {
        lock(&contest.tree_sizes).insert(digest.to_owned(), bytes);
    }
    bytes
}

/// The space that a participant's versions take.
pub(crate) struct Usage {
    /// Each version with its own space; files that two of them share count for the earlier one.
    pub(crate) versions: Vec<(Version, u64)>,
    pub(crate) bytes: u64,
    /// The most that they may take.
    pub(crate) most: u64,
}

impl Usage {
    /// Measures the versions of a participant.
    pub(crate) fn of(contest: &Contest, participant: i64) -> Result<Usage, HostError> {
        let mut versions = contest.read_state().versions_of(participant)?;
        versions.reverse();
        let mut counted: Vec<String> = Vec::new();
        let mut measure = |version: &Version| {
            let mut bytes = 0;
            let kept = [&version.digest, &version.built].into_iter();
            for digest in kept.filter(|digest| !digest.is_empty() && has_files(version)) {
                if !counted.contains(digest) {
                    bytes += measure_tree(contest, digest);
                    counted.push(digest.clone());
                }
            }
            bytes
        };
        let versions: Vec<(Version, u64)> = versions
            .into_iter()
            .map(|version| {
                let bytes = measure(&version);
                (version, bytes)
            })
            .collect();
        let bytes = versions.iter().map(|(_, bytes)| bytes).sum();
        Ok(Usage { versions, bytes, most: contest.config.limits.disk.0 })
    }

    /// Refuses a tree for which there is not enough space left, and says what can be deleted.
    pub(crate) fn check(&self, contest: &Contest, tree: &Tree) -> Result<(), String> {
        let digest = tree.digest();
        let is_kept = |version: &Version| has_files(version) && version.digest == digest;
        let needed: u64 =
            tree.files().values().map(|file| in_blocks(file.bytes.len() as u64)).sum();
        let is_there = self.versions.iter().any(|(version, _)| is_kept(version));
        if is_there || self.bytes + needed <= self.most {
            return Ok(());
        }
        let able = self.versions.iter().filter(|(version, _)| can_delete(contest, version));
        let mut able: Vec<(i64, u64)> =
            able.map(|(version, bytes)| (version.number, *bytes)).collect();
        able.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let able: Vec<String> = able
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .take(MAX_NAMED)
            .map(|(number, bytes)| format!("version {number} ({})", describe_size(bytes)))
            .collect();
        let advice = match able.is_empty() {
            true => "none of them can be deleted now".to_owned(),
            false => format!("on your page you can delete {}", able.join(", ")),
        };
        Err(format!(
            "this takes {} on the disk, and your versions take {} of the {} that you have; \
             {advice}",
            describe_size(needed),
            describe_size(self.bytes),
            describe_size(self.most)
        ))
    }
}

/// Maximum number of versions named in a refusal.
const MAX_NAMED: usize = 5;

/// Returns a size as people read it.
pub(crate) fn describe_size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} kB", bytes.div_ceil(1 << 10)),
        _ => format!("{:.1} MB", bytes as f64 / f64::from(1 << 20)),
    }
}

fn has_files(version: &Version) -> bool {
    version.stage != Stage::Removed
}

/// Returns whether a version can be deleted: it is checked, and neither plays nor will.
pub(crate) fn can_delete(contest: &Contest, version: &Version) -> bool {
    matches!(version.stage, Stage::Passed | Stage::Failed)
        && !lock(&contest.finals).as_ref().is_some_and(|finals| finals.includes(version.id))
        && contest.read_state().is_idle(version.id).unwrap_or(false)
}

/// Deletes the files of a version; its results stay. Returns whether it could be deleted.
pub(crate) fn delete(contest: &Contest, version: &Version, by: &str) -> Result<bool, HostError> {
    if !can_delete(contest, version) {
        return Ok(false);
    }
    // Nobody submits files while those that nobody needs are found and deleted.
    let _no_files_come = contest.files.write();
    let Some(unused) = contest.write_state().remove_version(by, version)? else { return Ok(false) };
    contest.drop_player(version);
    for digest in unused {
        program::remove(&contest.folder, &digest).map_err(file_error(&contest.folder))?;
    }
    Ok(true)
}

/// Deletes the files of versions that failed their check so long ago as host.toml says.
pub(crate) fn delete_failed(contest: &Contest) -> Result<(), HostError> {
    let age = contest.config.limits.keep_failed.0.as_secs() as i64;
    let failed = contest.read_state().list_failed_before(now() - age)?;
    for version in failed {
        delete(contest, &version, "host")?;
    }
    Ok(())
}
