//! Events that end or repeat a trial: saves of the program's files, and the user's request to stop.
//! The files are polled a few times a second, because change notifications differ between systems,
//! and miss some changes on network drives and in containers.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use quintain_bots::{Footprint, Programs};

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(200);

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum News {
    /// A file of the program was saved.
    Saved,
    /// The user asked to stop.
    Stop,
}

/// The last known state of the program's files. It is locked during a build, so that no one looks
/// at half-written files.
pub(in crate::verbs) struct Saves {
    seen: Footprint,
    /// Files that builds have changed.
    built: BTreeSet<PathBuf>,
    has_built: bool,
    /// Whether something was saved that has not been reported yet.
    is_pending: bool,
}

impl Saves {
    pub(in crate::verbs) fn new(seen: Footprint) -> Saves {
        Saves { seen, built: BTreeSet::new(), has_built: false, is_pending: false }
    }

    /// Returns whether something was saved and has not changed since the last look: many programs
    /// empty a file before writing it, or write several files in a row.
    fn notice(&mut self, now: Footprint) -> bool {
        let changes = !now.changes(&self.seen).is_empty();
        self.seen = now;
        self.is_pending |= changes;
        !changes && std::mem::take(&mut self.is_pending)
    }

    /// Notes that the program was built and that its files now have this state. Files written by a
    /// build do not count as saves. A file that no earlier build has written may have been saved in
    /// the meantime, so it counts as a save, once.
    pub(in crate::verbs) fn note_build(&mut self, now: Footprint) {
        let changes = now.changes(&self.seen);
        self.is_pending = self.has_built && changes.iter().any(|file| !self.built.contains(file));
        self.built.extend(changes);
        self.has_built = true;
        self.seen = now;
    }
}

/// Reports saves and the request to stop. Both set `hurry`, so that matches under way end.
pub(super) fn watch(
    programs: &Arc<Programs>,
    name: &str,
    saves: &Arc<Mutex<Saves>>,
    stop: &Arc<AtomicBool>,
    hurry: &Arc<AtomicBool>,
) -> Receiver<News> {
    let (sender, news) = channel();
    let (programs, name, saves) = (Arc::clone(programs), name.to_owned(), Arc::clone(saves));
    let (stop, hurry) = (Arc::clone(stop), Arc::clone(hurry));
    thread::spawn(move || {
        loop {
            let is_over = stop.load(Ordering::SeqCst);
            let mut saves = saves.lock().unwrap_or_else(PoisonError::into_inner);
            // While bots.toml is being written, it may not name any program.
            let is_saved = programs.measure(&name).is_ok_and(|now| saves.notice(now));
            drop(saves);
            let news = match (is_over, is_saved) {
                (true, _) => News::Stop,
                (false, true) => News::Saved,
                (false, false) => {
                    thread::sleep(PAUSE);
                    continue;
                }
            };
            hurry.store(true, Ordering::SeqCst);
            if sender.send(news).is_err() || is_over {
                return;
            }
        }
    });
    news
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Returns the programs of a folder, with one program in a separate folder.
    fn programs(folder: &Path) -> Arc<Programs> {
        fs::create_dir(folder.join("mine")).unwrap();
        let entry = "[mine]\ncommand = \"./bot\"\nfolder = \"mine\"\nbuild = \"make\"\n";
        fs::write(folder.join("bots.toml"), entry).unwrap();
        Programs::new(quintain_bots::Settings {
            launcher: PathBuf::from("/nonexistent"),
            file: folder.join("bots.toml"),
            protection: quintain_bots::sandbox::Protection::Off,
            protocols: Vec::new(),
        })
    }

    #[test]
    fn a_build_is_not_a_save_but_a_save_during_it_is() {
        let place = tempfile::tempdir().unwrap();
        let programs = programs(place.path());
        let write = |file: &str, text: &str| {
            fs::write(place.path().join("mine").join(file), text).unwrap();
        };
        let measure = || programs.measure("mine").unwrap();
        let mut saves = Saves::new(measure());
        write("bot", "1");
        saves.note_build(measure());
        assert!(!saves.notice(measure()), "the first build");
        write("bot.c", "");
        assert!(!saves.notice(measure()), "it is just being written");
        write("bot.c", "saved");
        assert!(!saves.notice(measure()), "it may still be");
        assert!(saves.notice(measure()), "a save");
        write("bot", "22");
        saves.note_build(measure());
        assert!(!saves.notice(measure()), "the same file built again");
        write("bot", "333");
        write("bot.c", "saved again");
        saves.note_build(measure());
        assert!(saves.notice(measure()), "a save during a build");
        assert!(!saves.notice(measure()), "it is reported once");
    }
}
