//! The series of a store.

use std::path::Path;

use quintain_scene::clean;
use quintain_store::{Store, StoreError, TestSeries};

use super::super::desk::Desk;
use crate::failure::Failure;

/// All series of a store; none if there is no store yet.
pub(super) fn read_all(path: &Path) -> Result<Vec<TestSeries>, Failure> {
    match Store::open_to_read(path) {
        Err(StoreError::Missing(_)) => Ok(Vec::new()),
        opened => Ok(opened?.all_test_series()?),
    }
}

pub(super) fn unknown(desk: &Desk<'_, '_>, name: &str) -> Failure {
    let (path, option) = (desk.store.display(), &desk.option);
    Failure::Usage(format!(
        "{path}: there is no series {}; quintain tests series{option} shows all",
        clean(name)
    ))
}
