//! Several losses of a player, of which one becomes a lesson. All are looked at quickly before one
//! is looked at closely: most matches are lost in a way that a small board shows, and the slowest
//! looks are for those that show none.

use std::time::Instant;

use quintain_core::{PlayerHandle, Record, Seat, now};

use crate::task::{LessonError, Look, Taught, Teacher};
use crate::teacher::Findings;

/// The most losses that are looked at.
const MOST: usize = 6;
/// The parts of the time after which no further loss is looked at, and after which none is looked
/// at again for small boards alone.
const FOR_ENDINGS: f64 = 0.3;
const FOR_SMALL_BOARDS: f64 = 0.6;

/// A match that was lost, and what is known about it.
struct Loss {
    record: Record,
    seat: Seat,
    findings: Findings,
}

/// The losses of a player, and the lesson that was found in them.
pub struct Losses<'a> {
    teacher: &'a Teacher<'a>,
    player: &'a PlayerHandle,
    begun: Option<Instant>,
    number: usize,
    /// Those in which a closer look may find more.
    open: Vec<Loss>,
    found: Option<(Record, Taught)>,
    /// A small board whose mistake the judge does not confirm.
    doubtful: Option<(Record, Taught)>,
    /// Why the last one gave no lesson.
    problem: Option<LessonError>,
}

impl Teacher<'_> {
    /// Makes a lesson of a match that a seat lost (or, in games without rivals, played). `player`
    /// is the player of that seat. A closer look follows one that finds nothing.
    ///
    /// # Errors
    /// [`LessonError`] says why there is none.
    pub fn teach(
        &self,
        record: &Record,
        seat: Seat,
        player: &PlayerHandle,
    ) -> Result<Taught, LessonError> {
        let mut losses = Losses::new(self, player);
        losses.add(record, seat);
        let taught = losses.teach().unwrap_or(Err(LessonError::Stopped));
        taught.map(|(_, taught)| taught)
    }
}

impl<'a> Losses<'a> {
    /// No losses so far.
    pub fn new(teacher: &'a Teacher<'a>, player: &'a PlayerHandle) -> Losses<'a> {
        let (number, open) = (0, Vec::new());
        let (found, doubtful, problem) = (None, None, None);
        Losses { teacher, player, begun: now(), number, open, found, doubtful, problem }
    }

    /// The number of losses that were looked at.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Looks at the ending of one more, and returns whether others are wanted.
    pub fn add(&mut self, record: &Record, seat: Seat) -> bool {
        self.number += 1;
        let loss = Loss { record: record.clone(), seat, findings: Findings::default() };
        self.look_at(Look::Ending, loss);
        self.wants_more() && self.number < MOST && !self.is_past(FOR_ENDINGS)
    }

    /// Looks at them again, more and more closely, unless a lesson was found. Returns the match and
    /// its lesson, or why the last one gave none. None if there is no loss.
    pub fn teach(mut self) -> Option<Result<(Record, Taught), LessonError>> {
        let mut look = Look::Ending;
        while let Some(closer) = look.closer().filter(|_| self.wants_more()) {
            look = closer;
            let is_slow = look.is_content_with_whole();
            // A small board that is proved comes before the board of a match.
            if is_slow && self.doubtful.is_some() {
                break;
            }
            for loss in std::mem::take(&mut self.open) {
                let is_late = !is_slow && self.is_past(FOR_SMALL_BOARDS);
                match self.wants_more() && !is_late {
                    true => self.look_at(look, loss),
                    false => self.open.push(loss),
                }
            }
        }
        // What was seen when the time was over is taught without a closer look.
        for loss in std::mem::take(&mut self.open) {
            if self.is_stopped() && self.found.is_none() && loss.findings.has_falls() {
                self.look_at(Look::Whole, loss);
            }
        }
        let found = self.found.or(self.doubtful);
        found.map(Ok).or_else(|| self.problem.map(Err))
    }

    fn look_at(&mut self, look: Look, mut loss: Loss) {
        let is_late = self.is_past(FOR_SMALL_BOARDS);
        let Loss { record, seat, findings } = &mut loss;
        let made = self.teacher.look(look, record, (*seat, self.player), findings, is_late);
        match made {
            Ok(taught) if taught.is_confirmed || taught.size.is_none() => {
                self.found = Some((loss.record, taught));
            }
            Ok(taught) => {
                self.doubtful.get_or_insert_with(|| (loss.record.clone(), taught));
                self.open.push(loss);
            }
            Err(problem) => {
                let is_stopped = matches!(problem, LessonError::Stopped);
                if is_stopped || self.teacher.may_find_more(&loss.record, &problem) {
                    self.open.push(loss);
                }
                // That a closer look was stopped says less than what another one has found out.
                if self.problem.is_none() || !is_stopped {
                    self.problem = Some(problem);
                }
            }
        }
    }

    fn wants_more(&self) -> bool {
        self.found.is_none() && !self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.teacher.is_stopped()
    }

    /// Whether this part of the time is over.
    fn is_past(&self, part: f64) -> bool {
        let (Some(begun), Some(until)) = (self.begun, self.teacher.until) else { return false };
        begun.elapsed() > until.saturating_duration_since(begun).mul_f64(part)
    }
}
