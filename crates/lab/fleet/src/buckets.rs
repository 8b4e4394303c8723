//! What the buckets at the server contain, and what changes in the one of tournaments. All of it is
//! read by requests, never by the library's watches: a worker has an account of its own that
//! imports requests alone, and a watch listens where others can send to, too.

use std::collections::HashMap;

use async_nats::jetstream::kv::{self, Operation};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::DirectGetErrorKind;
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::watch;

use crate::error::format_error;

/// How many entries are requested at a time.
const AT_ONCE: usize = 16;
/// How long the mark of a removed entry stays, in seconds: workers that were away leave the
/// tournament by it.
const MARKS_KEPT_S: i64 = 3600;
/// The most entries that are looked at when marks are swept.
const MOST_SWEPT: usize = 2000;
/// The header of a message that says that an entry was removed, and how.
const OPERATION: &str = "KV-Operation";

/// An entry of a bucket.
pub(crate) struct BucketEntry {
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
    pub(crate) revision: u64,
    /// Removed entries stay for a while, without a value.
    pub(crate) operation: Operation,
    pub(crate) written_s: i64,
}

/// The entries whose keys begin with `prefix`, at most `most` of them, and the marks of those that
/// were removed.
pub(crate) async fn entries(
    bucket: &kv::Store,
    prefix: &str,
    most: usize,
) -> Result<Vec<BucketEntry>, String> {
    let subjects = bucket.stream.info_with_subjects(format!("{}{prefix}>", bucket.prefix)).await;
    let subjects = subjects.map_err(|error| format_error(&error))?.take(most);
    let subjects: Vec<(String, usize)> =
        subjects.try_collect().await.map_err(|error| format_error(&error))?;
    let keys = subjects
        .into_iter()
        .filter_map(|(subject, _)| subject.strip_prefix(&bucket.prefix).map(str::to_owned));
    let entry = async |key: String| {
        let entry = bucket.entry(&key).await.map_err(|error| format_error(&error))?;
        Ok::<_, String>(entry.map(|entry| BucketEntry {
            key,
            value: entry.value.to_vec(),
            revision: entry.revision,
            operation: entry.operation,
            written_s: entry.created.unix_timestamp(),
        }))
    };
    let found: Vec<Option<BucketEntry>> =
        stream::iter(keys.map(entry)).buffer_unordered(AT_ONCE).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// The entries that [`entries`] returns, without those that were removed.
pub(crate) async fn present(
    bucket: &kv::Store,
    prefix: &str,
    most: usize,
) -> Result<Vec<BucketEntry>, String> {
    let mut found = entries(bucket, prefix, most).await?;
    found.retain(|entry| entry.operation == Operation::Put);
    Ok(found)
}

/// Removes the marks of entries that were removed long ago, so that they do not become ever more to
/// read. A failure is only logged: the next one who tidies up tries again.
pub(crate) async fn sweep(bucket: &kv::Store, prefix: &str, now_s: i64) {
    let found = match entries(bucket, prefix, MOST_SWEPT).await {
        Ok(found) => found,
        Err(problem) => return tracing::debug!("marks are not swept: {problem}"),
    };
    let oldest = now_s - MARKS_KEPT_S;
    for entry in found {
        if entry.operation == Operation::Put || entry.written_s > oldest {
            continue;
        }
        // Not beyond the mark: the entry may have been written again.
        let subject = format!("{}{}", bucket.prefix, entry.key);
        let purge = bucket.stream.purge().filter(subject).sequence(entry.revision + 1);
        if let Err(error) = purge.await {
            tracing::debug!("a mark is not swept: {error}");
        }
    }
}

/// What changes among the entries of a bucket whose keys begin with some prefix.
pub(crate) struct Changes {
    bucket: kv::Store,
    prefix: &'static str,
    forbidden: watch::Receiver<Option<String>>,
    /// When the server created the bucket: one that it has lost is created again.
    created: i128,
    /// The number of the last change that was read.
    seen: u64,
    /// Where the server does not let this user ask for the next change: the revisions that were
    /// read.
    listed: Option<HashMap<String, u64>>,
}

impl Changes {
    pub(crate) fn of(
        bucket: &kv::Store,
        prefix: &'static str,
        forbidden: watch::Receiver<Option<String>>,
    ) -> Changes {
        let created = bucket.stream.cached_info().created.unix_timestamp_nanos();
        Changes { bucket: bucket.clone(), prefix, forbidden, created, seen: 0, listed: None }
    }

    /// Whether the server has the accounts of an earlier version, so that all entries are read
    /// whenever one may have changed.
    pub(crate) fn are_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// Reads everything again at the next occasion.
    pub(crate) fn restart(&mut self) {
        self.seen = 0;
        if let Some(listed) = &mut self.listed {
            listed.clear();
        }
    }

    /// Reads everything again at the next occasion if the server has lost what was read.
    pub(crate) async fn restart_if_lost(&mut self) {
        let Ok(info) = self.bucket.stream.get_info().await else { return };
        if self.created != info.created.unix_timestamp_nanos()
            || info.state.last_sequence < self.seen
        {
            self.restart();
        }
        self.created = info.created.unix_timestamp_nanos();
    }

    /// Returns what has changed since the last call; at first everything.
    pub(crate) async fn read(&mut self) -> Result<Vec<BucketEntry>, String> {
        let mut changed = Vec::new();
        while self.listed.is_none() {
            match self.next().await {
                Ok(Some(entry)) => changed.push(entry),
                Ok(None) if self.listed.is_none() => return Ok(changed),
                Ok(None) => {}
                Err(problem) if changed.is_empty() => return Err(problem),
                // What was read counts; the rest comes with the next call.
                Err(_) => return Ok(changed),
            }
        }
        let all = entries(&self.bucket, self.prefix, usize::MAX).await?;
        let known = self.listed.get_or_insert_default();
        changed.extend(all.into_iter().filter(|entry| {
            known.insert(entry.key.clone(), entry.revision) != Some(entry.revision)
        }));
        Ok(changed)
    }

    /// The next change, if there is one.
    async fn next(&mut self) -> Result<Option<BucketEntry>, String> {
        let Changes { bucket, prefix, forbidden, seen, listed, .. } = self;
        let subject = format!("{}{prefix}>", bucket.prefix);
        // Accounts of earlier versions allow to ask for an entry, but not for the next one.
        // Forbidden requests are not answered.
        let asked = format!("direct.get.{}\"", bucket.stream_name.to_lowercase());
        let is_refused = |complaint: &Option<String>| {
            complaint.as_ref().is_some_and(|words| words.to_lowercase().contains(&asked))
        };
        // Whoever answers says which number a change has.
        let from = Some(seen.saturating_add(1));
        let answered = tokio::select! {
            answered = bucket.stream.direct_get_next_for_subject(subject, from) => answered,
            Ok(_) = forbidden.wait_for(is_refused) => {
                tracing::warn!(
                    "the accounts.conf of the NATS server is of an earlier version, in which \
                     workers can disturb coordinators and each other; `quintain fleet init` \
                     renews it there"
                );
                *listed = Some(HashMap::new());
                return Ok(None);
            }
        };
        match answered {
            Ok(message) => {
                *seen = message.sequence;
                Ok(read_entry(message, &bucket.prefix))
            }
            Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
            Err(error) => Err(format_error(&error)),
        }
    }
}

fn read_entry(message: StreamMessage, prefix: &str) -> Option<BucketEntry> {
    let operation = match message.headers.get(OPERATION).map(|operation| operation.as_str()) {
        Some("DEL") => Operation::Delete,
        Some("PURGE") => Operation::Purge,
        _ => Operation::Put,
    };
    Some(BucketEntry {
        key: message.subject.strip_prefix(prefix)?.to_owned(),
        value: message.payload.to_vec(),
        revision: message.sequence,
        operation,
        written_s: message.time.unix_timestamp(),
    })
}
