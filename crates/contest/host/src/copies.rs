//! Hidden copies of programs on the ladder. A copy plays like everybody else, but nobody sees it
//! there, and its author does not know of it. How far it stands from the program that it is a copy
//! of is noise of the ladder: the luck of matches, and the load of the machine.

use crate::contest::Contest;
use crate::error::HostError;
use crate::state::{NewCopy, Version};

/// So many participants' programs have to be on the ladder for each copy, which takes its share of
/// the machine's time.
const PROGRAMS_PER_COPY: usize = 6;

/// Returns what has to change: the copies that end, and the versions of which others begin. Copied
/// are those who have been on the ladder longest, each once: they stay.
fn changes(versions: &[Version], most: usize) -> (Vec<i64>, Vec<&Version>) {
    let is_program = |version: &&Version| version.copy_of.is_none() && !version.is_house();
    let mut programs: Vec<&Version> = versions.iter().filter(is_program).collect();
    programs.sort_by_key(|version| version.id);
    let wanted = most.min(programs.len() / PROGRAMS_PER_COPY);
    let (mut ending, mut copied) = (Vec::new(), Vec::new());
    for version in versions {
        let Some(original) = version.copy_of else { continue };
        let is_there = programs.iter().any(|program| program.id == original);
        match is_there && copied.len() < wanted {
            true => copied.push(original),
            false => ending.push(version.participant),
        }
    }
    let others = programs.into_iter().filter(|program| !copied.contains(&program.id));
    (ending, others.take(wanted - copied.len()).collect())
}

/// Begins and ends copies, so that there are as many as host.toml says; returns whether that
/// changed who plays.
pub(crate) fn keep_copies(contest: &Contest, versions: &[Version]) -> Result<bool, HostError> {
    let (ending, beginning) = changes(versions, contest.config.copies);
    if ending.is_empty() && beginning.is_empty() {
        return Ok(false);
    }
    let new = |original: &&Version| NewCopy {
        of: original.id,
        digest: original.digest.clone(),
        built: original.built.clone(),
    };
    let beginning: Vec<NewCopy> = beginning.iter().map(new).collect();
    contest.write_state().change_copies(&ending, &beginning)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(id: i64, copy_of: Option<i64>) -> Version {
        let digest = "d".to_owned();
        Version { id, participant: 100 + id, digest, copy_of, ..Version::default() }
    }

    #[test]
    fn there_is_a_copy_for_every_six_programs_and_it_ends_with_its_original() {
        let mut versions: Vec<Version> = (1..=13).map(|id| version(id, None)).collect();
        let of = |versions: &[Version], most| {
            let (ending, beginning) = changes(versions, most);
            (ending, beginning.iter().map(|version| version.id).collect::<Vec<_>>())
        };
        assert_eq!(of(&versions[..5], 2), (vec![], vec![]));
        assert_eq!(of(&versions[..6], 2), (vec![], vec![1]));
        assert_eq!(of(&versions, 2), (vec![], vec![1, 2]));
        assert_eq!(of(&versions, 0), (vec![], vec![]));
        versions.extend([version(20, Some(1)), version(21, Some(2))]);
        assert_eq!(of(&versions, 2), (vec![], vec![]));
        // The author of the first one submits another version.
        versions[0].id = 30;
        assert_eq!(of(&versions, 2), (vec![120], vec![3]));
        assert_eq!(of(&versions, 0), (vec![120, 121], vec![]));
    }
}
