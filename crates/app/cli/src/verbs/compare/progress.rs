//! The progress of a comparison, and how long it will take: probably, judging by the growth of the
//! evidence, and at most. Shown as a bar in a terminal, otherwise as a line now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use quintain_arena::compare::CompareProgress;

use crate::messages::print_notice;
use crate::silence::{Silence, describe_silence};

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The most letters of who is compared that stand before a bar.
const MOST_SHOWN: usize = 30;

/// The display of the progress.
pub(super) struct ProgressDisplay {
    place: Place,
    /// What is compared with what.
    sides: String,
    /// Maximum number of matches.
    most: u64,
    began: Instant,
    silence: Silence,
}

enum Place {
    Nothing,
    Bar(ProgressBar),
    Lines { next: Instant },
}

impl ProgressDisplay {
    pub(super) fn new(sides: String, most: u64, quiet: bool) -> ProgressDisplay {
        let began = Instant::now();
        let place = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Place::Nothing,
            (false, false) => Place::Lines { next: began + LINE_EVERY },
            (false, true) => {
                let style =
                    ProgressStyle::with_template("{prefix} {bar:16} {pos}/{len}, {wide_msg}")
                        .expect("the template is well-formed")
                        .progress_chars("━╸─");
                let shown = match sides.chars().count() > MOST_SHOWN {
                    true => sides.chars().take(MOST_SHOWN - 1).chain(['…']).collect(),
                    false => sides.clone(),
                };
                Place::Bar(ProgressBar::new(most).with_style(style).with_prefix(shown))
            }
        };
        ProgressDisplay { place, sides, most, began, silence: Silence::new() }
    }

    pub(super) fn update(&mut self, progress: CompareProgress) {
        let silent = self.silence.note(progress.matches);
        let text = describe_progress(progress, self.most, self.began.elapsed(), silent);
        match &mut self.place {
            Place::Nothing => {}
            Place::Bar(bar) => {
                bar.set_position(progress.matches);
                bar.set_message(text);
            }
            Place::Lines { next } => {
                if Instant::now() >= *next {
                    *next = Instant::now() + LINE_EVERY;
                    print_notice(&format!(
                        "{}: {} of at most {} matches, {text}",
                        self.sides, progress.matches, self.most
                    ));
                }
            }
        }
    }

    pub(super) fn clear(&self) {
        if let Place::Bar(bar) = &self.place {
            bar.finish_and_clear();
        }
    }
}

/// Describes the rate, the time left, and how many candidates have no verdict yet, where nothing
/// new has come for so long.
fn describe_progress(
    progress: CompareProgress,
    most: u64,
    elapsed: Duration,
    silent: Duration,
) -> String {
    let CompareProgress { matches, played, undecided, likely, .. } = progress;
    let mut parts = Vec::new();
    if played > 0 {
        let rate = played as f64 / elapsed.as_secs_f64().max(1e-9);
        let decimals = if rate < 10.0 { 1 } else { 0 };
        parts.push(format!("{rate:.decimals$}/s"));
        // No one needs forecasts of more than a century.
        let time = |until: u64| {
            let seconds = (until.saturating_sub(matches) as f64 / rate).min(3.2e9);
            Duration::from_secs_f64(seconds)
        };
        match describe_silence(time(most), silent) {
            Some(waiting) => parts.push(waiting),
            None => {
                if let Some(likely) = likely.filter(|likely| *likely < most) {
                    parts.push(format!("likely {} left", HumanDuration(time(likely))));
                }
                parts.push(format!("at most {} left", HumanDuration(time(most))));
            }
        }
    }
    parts.push(format!("{undecided} undecided"));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_tells_rate_and_time_left_as_it_is_likely_and_at_most() {
        let elapsed = Duration::from_secs(10);
        let mut progress = CompareProgress {
            matches: 300,
            played: 100,
            undecided: 2,
            likely: Some(900),
            evidence: [0.0; 2],
            decisive: 3.7,
        };
        assert_eq!(
            describe_progress(progress, 2000, elapsed, Duration::ZERO),
            "10/s, likely 60 seconds left, at most 3 minutes left, 2 undecided"
        );
        // Without growth there is no forecast, and one beyond the allowed matches does not count.
        progress.likely = None;
        let at_most = "10/s, at most 3 minutes left, 2 undecided";
        assert_eq!(describe_progress(progress, 2000, elapsed, Duration::ZERO), at_most);
        progress.likely = Some(2000);
        assert_eq!(describe_progress(progress, 2000, elapsed, Duration::ZERO), at_most);
        // Before the first round, or if everything came from the store, no one knows.
        progress.played = 0;
        assert_eq!(describe_progress(progress, 2000, elapsed, Duration::ZERO), "2 undecided");
    }
}
