//! The commands that make lessons of a recorded match. Whoever may not have one made here can type
//! them where the store is.

use std::path::Path;

use quintain_core::{Catalog, Record};
use quintain_scene::{clean, quote};

use super::shared::Shared;

/// The store that commands read without being told.
const USUAL_STORE: &str = "quintain.sqlite";
/// How the players begin that are programs and modules.
const PROGRAMS: [&str; 2] = ["bot:", "wasm:"];

/// Returns the command that makes a lesson for the player of each seat; none for people, for other
/// players that cannot be asked again, and in a contest, whose visitors do not have its store.
pub(super) fn lesson_commands(shared: &Shared, record: &Record) -> Vec<Option<String>> {
    if shared.context.is_some() {
        return Vec::new();
    }
    // Visitors from elsewhere need not know where files are on this machine.
    let store = match shared.is_local {
        true => shared.store.as_path(),
        false => Path::new(shared.store.file_name().unwrap_or_default()),
    };
    let store = match store == Path::new(USUAL_STORE) {
        true => String::new(),
        false => format!(" --store {}", quote(&clean(&store.display().to_string()))),
    };
    let id = &record.id[..8];
    let command = |seated: &String| {
        let player = quote(&named(&shared.catalog, &record.fixture.game, seated)?);
        Some(format!("quintain lesson {player} --record {id}{store}"))
    };
    record.fixture.seats.iter().map(command).collect()
}

/// Returns a seated player as a command names it: a program without the digest of its files.
fn named(catalog: &Catalog, game: &str, seated: &str) -> Option<String> {
    let seated = clean(seated);
    if PROGRAMS.iter().any(|kind| seated.starts_with(kind)) {
        return Some(seated.split('@').next().unwrap_or_default().to_owned());
    }
    let name = seated.split('?').next().unwrap_or_default();
    let entry = catalog.entry(game).ok()?;
    let is_known = entry.players().iter().any(|known| known.name() == name);
    is_known.then(|| format!("{game}/{seated}"))
}
