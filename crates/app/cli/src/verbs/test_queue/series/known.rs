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
    let (queue, option) = (desk.name(), &desk.option);
    Failure::Usage(format!(
        "there is no series {} in {queue}; quintain tests series{option} shows all",
        clean(name)
    ))
}
