//! The series of a store.

use std::path::Path;

use quintain_store::{Store, StoreError, TestSeries};

use crate::failure::Failure;
use crate::sources;

/// All series of a store; none if there is no store yet.
pub(super) fn read_all(path: &Path) -> Result<Vec<TestSeries>, Failure> {
    match Store::open_to_read(path) {
        Err(StoreError::Missing(_)) => Ok(Vec::new()),
        opened => Ok(opened?.all_test_series()?),
    }
}

pub(super) fn unknown(path: &Path, name: &str) -> Failure {
    let (path, option) = (path.display(), sources::option_for(path));
    Failure::Usage(format!(
        "{path}: there is no series {name}; quintain tests series{option} shows all"
    ))
}
