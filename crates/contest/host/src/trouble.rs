//! What keeps a contest from going on, such as a full disk: it is said once, then counted, and the
//! organiser's page shows it for as long as it lasts.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::state::now;

/// A trouble is over when something succeeds this long after it occurred last: threads that still
/// succeed do not hide those that do not.
const CALM: Duration = Duration::from_secs(5);

/// The current trouble, if there is any.
#[derive(Default)]
pub(crate) struct Troubles(Mutex<Option<Occurring>>);

struct Occurring {
    trouble: Trouble,
    last: Instant,
}

/// Something that goes wrong again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Trouble {
    pub(crate) what: String,
    /// When it began, in seconds since 1970.
    pub(crate) since: i64,
    /// How often it occurred.
    pub(crate) count: u64,
}

impl Troubles {
    /// Notes that something went wrong, and warns if it is new.
    pub(crate) fn occur(&self, what: &str) {
        if self.note(what, Instant::now()) {
            tracing::warn!("{what}; this is said once, and counted on the organiser's page");
        }
    }

    /// Notes that something succeeded, and says if that ends a trouble.
    pub(crate) fn succeed(&self) {
        if let Some(Trouble { what, count, .. }) = self.end(Instant::now()) {
            tracing::warn!("it goes on again after {count} times: {what}");
        }
    }

    fn note(&self, what: &str, now_at: Instant) -> bool {
        let mut occurring = lock(&self.0);
        match occurring.as_mut().filter(|known| known.trouble.what == what) {
            Some(known) => {
                known.trouble.count += 1;
                known.last = now_at;
                false
            }
            None => {
                let trouble = Trouble { what: what.to_owned(), since: now(), count: 1 };
                *occurring = Some(Occurring { trouble, last: now_at });
                true
            }
        }
    }

    fn end(&self, now_at: Instant) -> Option<Trouble> {
        let mut occurring = lock(&self.0);
        let is_over = |known: &&mut Occurring| now_at.duration_since(known.last) >= CALM;
        occurring.as_mut().filter(is_over)?;
        occurring.take().map(|known| known.trouble)
    }

    /// Returns the current trouble.
    pub(crate) fn current(&self) -> Option<Trouble> {
        lock(&self.0).as_ref().map(|known| known.trouble.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_once_and_counted_until_something_succeeds_later() {
        let (troubles, begun) = (Troubles::default(), Instant::now());
        let said: Vec<bool> = (0..258).map(|_| troubles.note("disk full", begun)).collect();
        assert_eq!(said.iter().filter(|said| **said).count(), 1);
        assert_eq!(troubles.current().unwrap().count, 258);
        // Another thread may succeed at the same time.
        assert_eq!(troubles.end(begun), None);
        assert_eq!(troubles.end(begun + CALM).unwrap().count, 258);
        assert_eq!((troubles.current(), troubles.end(begun + CALM)), (None, None));
    }
}
