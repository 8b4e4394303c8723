//! A line about work that takes longer than a second, at a terminal only: what is being done, and
//! how far it is.

use std::cell::RefCell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use quintain_scene::clean;

/// Work that takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work under way. The line is removed when this is dropped.
pub(crate) struct Waiting {
    what: String,
    steps: u64,
    begun: Instant,
    bar: RefCell<Option<ProgressBar>>,
}

impl Waiting {
    /// Begins work of this many steps.
    pub(crate) fn new(what: &str, steps: u64) -> Waiting {
        let bar = RefCell::default();
        Waiting { what: clean(what), steps, begun: Instant::now(), bar }
    }

    /// Says that this many steps are done.
    pub(crate) fn set(&self, done: u64) {
        let mut bar = self.bar.borrow_mut();
        if bar.is_none() && self.begun.elapsed() >= PATIENCE && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
            let new = ProgressBar::new(self.steps).with_message(self.what.clone());
            *bar = Some(new.with_style(style.expect("the template is well-formed")));
        }
        if let Some(bar) = &*bar {
            bar.set_position(done);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(bar) = &*self.bar.borrow() {
            bar.finish_and_clear();
        }
    }
}
