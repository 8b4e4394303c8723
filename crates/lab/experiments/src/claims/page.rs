//! The pages on which the claims of a source are reported.

use crate::experiment::Experiment;

/// Claims of a source that are reported on one page, which has at most 25 kB.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    /// The name of the page's file.
    pub(crate) name: &'static str,
    /// What of the source it is about; empty if the source has one page.
    pub(super) topic: &'static str,
    /// The claims, in chapters.
    pub(super) chapters: &'static [&'static [Experiment]],
}

impl Page {
    /// Makes the only page of a source.
    pub(super) const fn whole(
        name: &'static str,
        chapters: &'static [&'static [Experiment]],
    ) -> Page {
        Page { name, topic: "", chapters }
    }

    pub(super) fn experiments(&self) -> impl Iterator<Item = &'static Experiment> + use<> {
        self.chapters.iter().copied().flatten()
    }

    /// Whether an experiment is reported on this page.
    pub(crate) fn contains(&self, experiment: &str) -> bool {
        self.experiments().any(|known| known.name == experiment)
    }
}
