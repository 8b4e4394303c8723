//! What programs write about a match besides their actions, by turn: standard error, notes in
//! words, drawings, what a model was asked and answered. Like times, it is kept next to a record
//! and never in it: when a text arrives depends on the machine, and a record must be the same every
//! time.

use std::collections::VecDeque;

pub use crate::ui::DRAWINGS;
use crate::ui::{Layer, Mark, Scene};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::seat::Seat;

/// How many bytes are kept of what one seat says in a match, at the beginning and at the end.
const TEXT: Room = Room { first: 16 << 10, last: 48 << 10 };
/// The same for what the seat draws, and for its exchanges with a model.
const DRAWN: Room = Room { first: 64 << 10, last: 960 << 10 };

/// An entry in the log of a program, about one of its turns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogEntry {
    /// The turn of the match, from 0.
    pub turn: u32,
    /// The seat that wrote it.
    pub seat: Seat,
    /// What was written.
    #[serde(flatten)]
    pub content: LogContent,
}

/// See [`LogEntry`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogContent {
    /// What it wrote to standard error.
    Stderr(String),
    /// What it noted in words; figures are [`Note`](crate::Note)s.
    Note {
        /// What it is about.
        name: String,
        /// The words.
        text: String,
    },
    /// What it drew on the board.
    Drawing(Vec<Mark>),
    /// What a model was asked and answered. The words that begin every question of a match are
    /// only in the first.
    Exchange {
        /// The question, or what was wrong with the answer before.
        asked: String,
        /// The answer.
        answered: String,
    },
    /// The number of entries that were left out here, because there were too many.
    LeftOut(u64),
}

impl LogContent {
    /// About how many bytes it takes.
    fn size(&self) -> usize {
        32 + match self {
            LogContent::Stderr(text) => text.len(),
            LogContent::Note { name, text } => name.len() + text.len(),
            LogContent::Drawing(marks) => marks.iter().map(mark_size).sum(),
            LogContent::Exchange { asked, answered } => asked.len() + answered.len(),
            LogContent::LeftOut(_) => 0,
        }
    }

    /// The words as lines, where there are any: a question's with `> ` before them. They may
    /// contain control characters.
    pub fn lines(&self) -> Vec<String> {
        match self {
            LogContent::Stderr(text) => text.lines().map(str::to_owned).collect(),
            LogContent::Note { name, text } => vec![format!("{name}: {text}")],
            LogContent::Exchange { asked, answered } => {
                let asked = asked.lines().map(|line| format!("> {line}"));
                asked.chain(answered.lines().map(str::to_owned)).collect()
            }
            LogContent::Drawing(_) | LogContent::LeftOut(_) => Vec::new(),
        }
    }
}

fn mark_size(mark: &Mark) -> usize {
    48 + match mark {
        Mark::Cell { .. } | Mark::Line { .. } => 0,
        Mark::Ring { held, .. } => 2 * held.len(),
        Mark::Outline { cells, .. } => 16 * cells.len(),
        Mark::Label { text, .. } => text.len(),
    }
}

/// Reads a log from its JSON form, and skips entries that only newer versions may know.
pub fn read_log(json: &str) -> Vec<LogEntry> {
    read_entries(serde_json::from_str(json).unwrap_or_default())
}

pub(crate) fn read_entries(entries: Vec<Value>) -> Vec<LogEntry> {
    entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect()
}

/// The JSON form of a log, in one line.
pub fn write_log(log: &[LogEntry]) -> String {
    serde_json::to_string(log).expect("logs have a JSON form")
}

/// Adds the drawings of a turn to a scene of a game with `seats` seats, as one overlay for each
/// player that drew. Marks outside the scene are dropped.
pub(crate) fn draw(log: &[LogEntry], observer: Option<Seat>, seats: usize, scene: &mut Scene) {
    for seat in Seat::all(seats).filter(|seat| observer.is_none_or(|observer| observer == *seat)) {
        let own = log.iter().filter(|entry| entry.seat == seat);
        let drawings = own.filter_map(|entry| match &entry.content {
            LogContent::Drawing(marks) => Some(marks),
            _ => None,
        });
        let marks: Vec<Mark> =
            drawings.flatten().filter(|mark| scene.contains(mark)).cloned().collect();
        if !marks.is_empty() {
            let name = overlay_of(seat, seats);
            scene.overlay(&name, marks);
        }
    }
}

/// The name of the overlay with what this seat drew, in a game with `seats` seats.
pub fn overlay_of(seat: Seat, seats: usize) -> String {
    if seats > 1 { Layer::drawings_of(&seat.letter()) } else { DRAWINGS.to_owned() }
}

/// How many bytes are kept at the beginning and at the end.
#[derive(Clone, Copy, Debug)]
struct Room {
    first: usize,
    last: usize,
}

/// The log of a match in progress, within its bounds.
#[derive(Clone, Debug, Default)]
pub struct MatchLog {
    /// The texts, the drawings and the exchanges of each seat, up to the last seat that has an
    /// entry.
    seats: Vec<[HeadAndTail; 3]>,
}

/// The beginning and the end of one seat's texts or drawings.
#[derive(Clone, Debug, Default)]
struct HeadAndTail {
    first: Vec<LogEntry>,
    first_bytes: usize,
    last: VecDeque<LogEntry>,
    last_bytes: usize,
    left_out: u64,
}

impl MatchLog {
    /// Adds an entry. If a seat says too much, the middle is dropped: only the beginning and the
    /// end are kept.
    pub fn push(&mut self, entry: LogEntry) {
        let seat = entry.seat.index();
        if seat >= self.seats.len() {
            self.seats.resize_with(seat + 1, Default::default);
        }
        let [texts, drawings, exchanges] = &mut self.seats[seat];
        let (own, room) = match entry.content {
            LogContent::Drawing(_) => (drawings, DRAWN),
            LogContent::Exchange { .. } => (exchanges, DRAWN),
            _ => (texts, TEXT),
        };
        let size = entry.content.size();
        if own.last.is_empty() && own.first_bytes + size <= room.first {
            own.first_bytes += size;
            own.first.push(entry);
            return;
        }
        own.last_bytes += size;
        own.last.push_back(entry);
        while own.last_bytes > room.last
            && let Some(oldest) = own.last.pop_front()
        {
            own.last_bytes -= oldest.content.size();
            own.left_out += 1;
        }
    }

    /// All that was kept, turn by turn, seat by seat.
    pub fn into_entries(self) -> Vec<LogEntry> {
        let mut entries = Vec::new();
        for own in self.seats.into_iter().flatten() {
            let gap = own.first.last().map(|entry| (entry.turn, entry.seat));
            entries.extend(own.first);
            if let Some((turn, seat)) = gap.filter(|_| own.left_out > 0) {
                entries.push(LogEntry { turn, seat, content: LogContent::LeftOut(own.left_out) });
            }
            entries.extend(own.last);
        }
        // The sort is stable: the entries of one seat on one turn stay in order.
        entries.sort_by_key(|entry| (entry.turn, entry.seat));
        entries
    }
}

#[cfg(test)]
mod tests {
    use crate::ui::{Paint, Point};

    use super::*;

    fn log_entry(turn: u32, seat: usize, text: &str) -> LogEntry {
        LogEntry { turn, seat: Seat::new(seat), content: LogContent::Stderr(text.to_owned()) }
    }

    #[test]
    fn a_log_reads_back_turn_by_turn() {
        let mut log = MatchLog::default();
        for entry in
            [log_entry(0, 1, "b"), log_entry(0, 0, "a"), log_entry(1, 0, "c"), log_entry(1, 0, "d")]
        {
            log.push(entry);
        }
        let kept = log.into_entries();
        assert_eq!(
            kept,
            [
                log_entry(0, 0, "a"),
                log_entry(0, 1, "b"),
                log_entry(1, 0, "c"),
                log_entry(1, 0, "d")
            ]
        );
        assert_eq!(read_log(&write_log(&kept)), kept);
        let content = LogContent::Note { name: "plan".into(), text: "left".into() };
        let note = LogEntry { turn: 3, seat: Seat::new(0), content };
        assert_eq!(
            write_log(std::slice::from_ref(&note)),
            r#"[{"turn":3,"seat":0,"note":{"name":"plan","text":"left"}}]"#
        );
    }

    #[test]
    fn an_exchange_reads_back_and_shows_the_question_before_the_answer() {
        let content =
            LogContent::Exchange { asked: "U or D?\nNow!".into(), answered: "Up.\nU".into() };
        assert_eq!(content.lines(), ["> U or D?", "> Now!", "Up.", "U"]);
        let log = [LogEntry { turn: 2, seat: Seat::new(1), content }];
        assert_eq!(read_log(&write_log(&log)), log);
    }

    #[test]
    fn unknown_log_entries_are_skipped() {
        let json = r#"[{"turn":0,"seat":0,"sound":"beep"},{"turn":1,"seat":0,"stderr":"a","x":1}]"#;
        assert_eq!(read_log(json), [log_entry(1, 0, "a")]);
        assert_eq!(read_log("nonsense"), []);
    }

    #[test]
    fn long_logs_keep_beginning_and_end_and_count_the_gap() {
        let mut log = MatchLog::default();
        let text = "x".repeat(1000);
        for turn in 0..1000 {
            log.push(log_entry(turn, 0, &text));
        }
        let kept = log.into_entries();
        let bytes: usize = kept.iter().map(|entry| entry.content.size()).sum();
        assert!(bytes <= TEXT.first + TEXT.last + 32, "{bytes}");
        assert_eq!(kept[0].turn, 0);
        assert_eq!(kept.last().unwrap().turn, 999);
        let left_out = kept.iter().find_map(|entry| match entry.content {
            LogContent::LeftOut(count) => Some(count),
            _ => None,
        });
        assert_eq!(left_out, Some(1000 - (kept.len() as u64 - 1)));
    }

    #[test]
    fn drawings_are_overlays_for_their_owner_and_the_referee() {
        let cell =
            |column| Mark::Cell { at: Point::new(column, 0), paint: Paint::Good, glyph: ' ' };
        let content = LogContent::Drawing(vec![cell(1), cell(9), cell(-1)]);
        let log = [LogEntry { turn: 0, seat: Seat::new(1), content }];
        let layer_for = |observer: Option<usize>| {
            let mut scene = Scene::square(3, 3);
            draw(&log, observer.map(Seat::new), 2, &mut scene);
            scene.layers.first().map(|layer| (layer.name.clone(), layer.marks.clone()))
        };
        let own = Some(("drawings of B".to_owned(), vec![cell(1)]));
        assert_eq!(layer_for(None), own);
        assert_eq!(layer_for(Some(1)), own);
        assert_eq!(layer_for(Some(0)), None);
        assert_eq!(overlay_of(Seat::new(0), 1), DRAWINGS);
    }
}
