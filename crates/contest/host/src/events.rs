//! The event log: a line of JSON for each submission, check, sign-in and change by the organiser,
//! in the contest's folder; and how many there were of each, for `/metrics`. It never has tokens,
//! sessions, seeds, or what programs say.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use crate::lock::lock;

/// The file's name in the contest's folder, and that of the one before.
const FILE: &str = "events.jsonl";
const BEFORE: &str = "events.1.jsonl";
/// Size in bytes from which on a new file begins; the one before is kept.
const MAX_FILE: u64 = 16 << 20;

/// A kind of event and its result.
type Counted = (&'static str, &'static str);

/// The event log of a contest.
pub(crate) struct Events {
    folder: PathBuf,
    open: Mutex<Option<(File, u64)>>,
    counts: Mutex<BTreeMap<Counted, u64>>,
}

impl Events {
    pub(crate) fn new(folder: &Path) -> Events {
        Events { folder: folder.to_owned(), open: Mutex::default(), counts: Mutex::default() }
    }

    /// Logs an event: its kind, its result, and more about it. If it cannot be written, as on a
    /// full disk, what happened counts nevertheless.
    pub(crate) fn log(&self, event: &'static str, result: &'static str, more: Value) {
        *lock(&self.counts).entry((event, result)).or_default() += 1;
        let at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let mut line = Map::new();
        for (key, value) in [("at", at.as_str()), ("event", event), ("result", result)] {
            line.insert(key.to_owned(), json!(value));
        }
        if let Value::Object(more) = more {
            line.extend(more);
        }
        let line = Value::Object(line).to_string();
        tracing::info!("{line}");
        let _ = self.append(&line);
    }

    fn append(&self, line: &str) -> std::io::Result<()> {
        let path = self.folder.join(FILE);
        let mut open = lock(&self.open);
        if open.as_ref().is_some_and(|(_, size)| *size > MAX_FILE) {
            *open = None;
            fs::rename(&path, self.folder.join(BEFORE))?;
        }
        if open.is_none() {
            let file = File::options().append(true).create(true).open(&path)?;
            let size = file.metadata()?.len();
            *open = Some((file, size));
        }
        if let Some((file, size)) = open.as_mut() {
            // One write, so that a line is whole whoever reads it.
            file.write_all(format!("{line}\n").as_bytes())?;
            *size += line.len() as u64 + 1;
        }
        Ok(())
    }

    /// Returns how many events there were of each kind and result since the host started.
    pub(crate) fn counts(&self) -> BTreeMap<Counted, u64> {
        lock(&self.counts).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_a_line_and_a_large_file_makes_room_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let events = Events::new(folder.path());
        events.log("check", "passed", json!({ "who": "ada", "version": 3 }));
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        let read: Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!((&read["event"], &read["version"]), (&json!("check"), &json!(3)), "{text}");
        lock(&events.open).as_mut().unwrap().1 = MAX_FILE + 1;
        events.log("check", "failed", json!({}));
        assert_eq!(fs::read_to_string(folder.path().join(BEFORE)).unwrap(), text);
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(text.contains("failed") && !text.contains("passed"), "{text}");
        assert_eq!(events.counts()[&("check", "failed")], 1);
    }
}
