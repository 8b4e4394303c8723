//! Players that ask services and models, as the command seats them.

use std::path::PathBuf;
use std::sync::Arc;

use quintain_bots::{Programs, Protection, Settings};
use quintain_core::Catalog;
use quintain_remote::{Chats, Services};

/// The players, with these services and models in bots.toml.
pub struct Bench {
    pub folder: tempfile::TempDir,
    pub catalog: Catalog,
    pub chats: Arc<Chats>,
}

impl Bench {
    pub fn new(bots: &str) -> Bench {
        Bench::in_folder(tempfile::tempdir().unwrap(), bots)
    }

    /// The same as a process that starts in a folder where others have played.
    pub fn in_folder(folder: tempfile::TempDir, bots: &str) -> Bench {
        let file = folder.path().join("bots.toml");
        std::fs::write(&file, bots).unwrap();
        let games = quintain_games::catalog();
        let protocols = games.entries().flat_map(|entry| {
            entry.protocols().iter().map(move |protocol| (entry.name(), *protocol))
        });
        let programs = Programs::new(Settings {
            launcher: PathBuf::from("quintain"),
            file,
            protection: Protection::default(),
            protocols: protocols.collect(),
        });
        let sources = Services::sources(&programs);
        let chats = Chats::new(&programs, &games);
        let catalog = sources.into_iter().fold(games, Catalog::with_external);
        let catalog = catalog.with_external(Arc::clone(&chats) as _);
        Bench { folder, catalog, chats }
    }
}
