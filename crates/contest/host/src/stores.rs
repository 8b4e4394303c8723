//! The contest's stores of records: the one that everybody sees, and the one of records that are
//! secret until their seeds are retired.

use std::path::Path;

use quintain_store::{Store, StoredRecord};

use crate::contest::Contest;

/// The stores of records, opened on first use.
#[derive(Default)]
pub(crate) struct Stores {
    shown: Option<Store>,
    hidden: Option<Store>,
}

impl Stores {
    /// Returns the store that everybody sees.
    pub(crate) fn open_shown(&mut self, contest: &Contest) -> Result<&mut Store, String> {
        open_store(&mut self.shown, &contest.store())
    }

    /// Returns the store of records that are secret for now.
    pub(crate) fn open_hidden(&mut self, contest: &Contest) -> Result<&mut Store, String> {
        open_store(&mut self.hidden, &contest.hidden_store())
    }

    /// Returns the record of a match, wherever it is.
    pub(crate) fn find(
        &mut self,
        contest: &Contest,
        record: &str,
    ) -> Result<Option<StoredRecord>, String> {
        let failed = |error: quintain_store::StoreError| error.to_string();
        match self.open_shown(contest)?.find(record).map_err(failed)? {
            None => self.open_hidden(contest)?.find(record).map_err(failed),
            found => Ok(found),
        }
    }
}

fn open_store<'a>(store: &'a mut Option<Store>, path: &Path) -> Result<&'a mut Store, String> {
    match store {
        Some(open) => Ok(open),
        none => {
            let opened = Store::open(path).map_err(|error| error.to_string())?;
            opened.sync_commits().map_err(|error| error.to_string())?;
            Ok(none.insert(opened))
        }
    }
}
