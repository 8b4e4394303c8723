//! Passes on what there is to say about a run while it is played.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::{Fleet, Run};
use crate::RunNews;
use crate::wire::host_of;

impl Fleet {
    /// What machines have played so far.
    pub(super) fn list_played(&self) -> BTreeMap<String, u64> {
        let news = self.news.as_ref();
        news.map_or_else(BTreeMap::new, |news| {
            news.lock().unwrap_or_else(PoisonError::into_inner).played_by.clone()
        })
    }
}

impl Run<'_, '_, '_> {
    /// Passes on what there is to say.
    pub(super) fn report_news(&self) {
        let Some(news) = &self.fleet.news else { return };
        let mut played_by = self.played_before.clone();
        for (who, played) in self.results.played_by_worker() {
            *played_by.entry(host_of(&who).to_owned()).or_default() += played;
        }
        let lines = self.results.troubles().chain(self.results.shut_out_lines());
        let troubles = lines.cloned().collect();
        *news.lock().unwrap_or_else(PoisonError::into_inner) = RunNews { troubles, played_by };
    }
}
