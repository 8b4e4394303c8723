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
pub(crate) struct Troubles {
    occurring: Mutex<Option<Occurring>>,
    /// Called with each trouble that begins, and without one when it ends.
    reporter: Mutex<Option<Reporter>>,
}

type Reporter = Box<dyn Fn(Option<&Trouble>) + Send>;

struct Occurring {
    trouble: Trouble,
    last: Instant,
}

/// What does not go on, in words for everybody: names of files are the organiser's affair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TroubleKind {
    /// Matches are not chosen, or their results are not entered.
    Matches,
    /// What is submitted is not stored.
    Submissions,
}

impl TroubleKind {
    pub(crate) fn words(self) -> &'static str {
        match self {
            TroubleKind::Matches => "matches cannot be played or entered",
            TroubleKind::Submissions => "what is submitted cannot be stored",
        }
    }
}

/// Something that goes wrong again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Trouble {
    pub(crate) kind: TroubleKind,
    pub(crate) what: String,
    /// When it began, in seconds since 1970.
    pub(crate) since: i64,
    /// How often it occurred.
    pub(crate) count: u64,
}

impl Troubles {
    /// Has another process learn of troubles.
    pub(crate) fn report_to(&self, reporter: impl Fn(Option<&Trouble>) + Send + 'static) {
        *lock(&self.reporter) = Some(Box::new(reporter));
    }

    fn report(&self) {
        let current = self.current();
        if let Some(reporter) = &*lock(&self.reporter) {
            reporter(current.as_ref());
        }
    }

    /// Notes that something went wrong, and warns if it is new.
    pub(crate) fn occur(&self, kind: TroubleKind, what: &str) {
        if self.note(kind, what, Instant::now()) {
            self.report();
            tracing::warn!("{what}; reported once; the organiser's page counts repeats");
        }
    }

    /// Notes that something succeeded, and says if that ends a trouble.
    pub(crate) fn succeed(&self) {
        if let Some(Trouble { what, count, .. }) = self.end(Instant::now()) {
            self.report();
            tracing::warn!("resolved after {count} times: {what}");
        }
    }

    fn note(&self, kind: TroubleKind, what: &str, now_at: Instant) -> bool {
        let mut occurring = lock(&self.occurring);
        match occurring.as_mut().filter(|known| known.trouble.what == what) {
            Some(known) => {
                known.trouble.count += 1;
                known.last = now_at;
                false
            }
            None => {
                let trouble = Trouble { kind, what: what.to_owned(), since: now(), count: 1 };
                *occurring = Some(Occurring { trouble, last: now_at });
                true
            }
        }
    }

    fn end(&self, now_at: Instant) -> Option<Trouble> {
        let mut occurring = lock(&self.occurring);
        let is_over = |known: &&mut Occurring| now_at.duration_since(known.last) >= CALM;
        occurring.as_mut().filter(is_over)?;
        occurring.take().map(|known| known.trouble)
    }

    /// Returns the current trouble.
    pub(crate) fn current(&self) -> Option<Trouble> {
        lock(&self.occurring).as_ref().map(|known| known.trouble.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_once_and_counted_until_something_succeeds_later() {
        let (troubles, begun) = (Troubles::default(), Instant::now());
        let said: Vec<bool> =
            (0..258).map(|_| troubles.note(TroubleKind::Matches, "disk full", begun)).collect();
        assert_eq!(said.iter().filter(|said| **said).count(), 1);
        assert_eq!(troubles.current().unwrap().count, 258);
        // Another thread may succeed at the same time.
        assert_eq!(troubles.end(begun), None);
        assert_eq!(troubles.end(begun + CALM).unwrap().count, 258);
        assert_eq!((troubles.current(), troubles.end(begun + CALM)), (None, None));
    }
}
