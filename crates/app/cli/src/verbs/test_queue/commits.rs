//! Revisions in requests from other machines. A branch may be another one there, so whoever asks
//! names commits; and the machine that has the queue plays only what it gets from its remotes.

use quintain_scene::clean;

use crate::context::Context;
use crate::failure::Failure;
use crate::full_names::player_part;
use crate::verbs::compare::REVISION;

/// The fewest digits by which a commit is named.
const DIGITS: usize = 7;

/// Names a revision of a program by its commit, if the program is listed here. Refuses what would
/// mean something else on the other machine. `write` writes a revision as it is typed.
pub(super) fn name_commit(
    (program, revision): (&str, &str),
    write: &dyn Fn(&str) -> String,
    context: &Context<'_>,
) -> Result<String, Failure> {
    if context.programs.folder_of(program).is_ok() {
        return Ok(context.programs.commit(program, revision)?.id);
    }
    let is_hash = revision.len() >= DIGITS && revision.bytes().all(|one| one.is_ascii_hexdigit());
    if is_hash || revision.contains('/') {
        return Ok(revision.to_owned());
    }
    Err(Failure::Usage(format!(
        "{}: no bots.toml here lists {program}, so this would be {revision} of the machine that \
         has the queue; name a commit by its hash, or a branch of its remote, such as {}",
        write(revision),
        write("origin/main")
    )))
}

/// Gets a commit from the remotes of this machine's repository of a program; returns its whole
/// hash. A branch or a tag of this machine is nobody else's business.
pub(super) fn fetch_commit(
    (program, revision): (&str, &str),
    write: &dyn Fn(&str) -> String,
    context: &Context<'_>,
) -> Result<String, Failure> {
    if let Some(why) = context.programs.fetch(program, revision)? {
        return Err(Failure::Failed(format!(
            "{}: the machine that has the queue cannot ask its remotes for it: {why}",
            write(revision)
        )));
    }
    let of_remote = format!("refs/remotes/{revision}");
    let is_branch = revision.contains('/');
    let named = if is_branch { &of_remote } else { revision };
    let id = match context.programs.commit(program, named) {
        Ok(commit) => Some(commit.id),
        // Without a repository there is no commit at all.
        Err(error) => context.programs.commit(program, "HEAD").map(|_| None).map_err(|_| error)?,
    };
    let is_meant = |id: &String| is_branch || id.starts_with(&revision.to_lowercase());
    id.filter(is_meant).ok_or_else(|| {
        Failure::Usage(format!(
            "{}: the machine that has the queue does not get this revision from its remotes; push \
             it first (git push)",
            write(revision)
        ))
    })
}

/// Names the revisions among players by their commits, for another machine.
pub(super) fn name_commits<'a>(
    players: impl Iterator<Item = &'a mut String>,
    context: &Context<'_>,
) -> Result<(), Failure> {
    fix(players, context, name_commit)
}

/// Gets the commits that players are, and names them by their whole hashes. Whoever asks may have
/// left out what the command line does before.
pub(super) fn fetch_commits<'a>(
    players: impl Iterator<Item = &'a mut String>,
    context: &Context<'_>,
) -> Result<(), Failure> {
    fix(players, context, fetch_commit)
}

/// Replaces the revisions among players by what `find` returns: the hash of a commit. Refuses
/// programs without a version.
fn fix<'a>(
    players: impl Iterator<Item = &'a mut String>,
    context: &Context<'_>,
    find: impl Fn((&str, &str), &dyn Fn(&str) -> String, &Context<'_>) -> Result<String, Failure>,
) -> Result<(), Failure> {
    for name in players {
        let player = player_part(name, context.catalog);
        let place = &name[..name.len() - player.len()];
        let Some((program, revision)) = revision_of(player)? else {
            check_fixed(player)?;
            continue;
        };
        let write = |revision: &str| format!("{program}{REVISION}{revision}");
        let id = find((program, revision), &write, context)?;
        *name = format!("{place}bot:{program}{REVISION}{id}");
    }
    Ok(())
}

/// Refuses a program that is named without a version.
fn check_fixed(player: &str) -> Result<(), Failure> {
    match player.strip_prefix("bot:").filter(|name| !name.contains('@')) {
        None => Ok(()),
        Some(name) => Err(Failure::Usage(format!(
            "{player}: this would be what the folder of the machine that has the queue holds; name \
             a commit that you have pushed: {name}{REVISION}HEAD"
        ))),
    }
}

/// The program and the revision that a player names, if it does.
fn revision_of(player: &str) -> Result<Option<(&str, &str)>, Failure> {
    let Some((program, revision)) = player.split_once(REVISION) else { return Ok(None) };
    let program = program.strip_prefix("bot:").unwrap_or(program);
    match program.contains([':', '/']) {
        false => Ok(Some((program, revision))),
        true => Err(Failure::Usage(format!(
            "{}: only programs have revisions, such as mine{REVISION}HEAD",
            clean(player)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_that_of_a_program_and_a_program_has_a_version() {
        assert_eq!(revision_of("bot:mine@git:a/b").unwrap(), Some(("mine", "a/b")));
        assert_eq!(revision_of("mine@git:HEAD").unwrap(), Some(("mine", "HEAD")));
        assert_eq!(revision_of("bot:mine@0123abcd").unwrap(), None);
        for odd in ["tron/bot:mine@git:secret", "wasm:mine@git:HEAD", "./mine@git:HEAD"] {
            assert!(revision_of(odd).is_err(), "{odd}");
        }
        assert!(check_fixed("bot:mine@0123abcd").is_ok() && check_fixed("random").is_ok());
        assert!(check_fixed("bot:mine").is_err());
    }
}
