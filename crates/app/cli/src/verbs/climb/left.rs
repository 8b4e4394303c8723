//! What an editor left in a round, noted as soon as it is done: whoever is interrupted between then
//! and the end of the check goes on with it, and asks for nothing again.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use quintain_core::read_text;
use serde_json::{Value, json};

use crate::failure::{Failure, cannot_write};

/// The file in the folder of a round.
const FILE: &str = "edit.json";

/// What an editor left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Left {
    /// The version that was edited.
    pub(super) from: String,
    /// What was changed, in a few lines.
    pub(super) changed: String,
    /// Why nothing can be done with the answer.
    pub(super) refused: Option<String>,
}

impl Left {
    /// What the editor left in the round of this folder, if it had this version to edit.
    pub(super) fn read(place: &Path, from: &str) -> Option<Left> {
        let text = read_text(&place.join(FILE)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let left =
            Left { from: text("from")?, changed: text("changed")?, refused: text("refused") };
        (left.from == from).then_some(left)
    }

    /// Notes it, whole or not at all.
    pub(super) fn write(&self, place: &Path) -> Result<(), Failure> {
        let Left { from, changed, refused } = self;
        let text = json!({ "from": from, "changed": changed, "refused": refused }).to_string();
        let (path, part) = (place.join(FILE), place.join("edit.json.part"));
        let write = || {
            let mut file = File::create(&part)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            fs::rename(&part, &path)
        };
        write().map_err(|error| cannot_write(&path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_read_by_whoever_edits_the_same_version() {
        let place = tempfile::tempdir().unwrap();
        let changed = "bot.py: deleted\n".to_owned();
        let left = Left { from: "1f0c0000".to_owned(), changed, refused: None };
        assert_eq!(Left::read(place.path(), "1f0c0000"), None);
        left.write(place.path()).unwrap();
        assert_eq!(Left::read(place.path(), "1f0c0000"), Some(left));
        assert_eq!(Left::read(place.path(), "2f0c0000"), None);
    }
}
