//! Waits for the answer of a test that was proposed, here or on another machine, for workflows that
//! go on by it.

use std::io::Write;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::failure::Failure;
use crate::messages::print_notice;
use crate::options;
use crate::plain::clean_lines;

/// How often the test is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Default, clap::Args)]
pub(super) struct Waiting {
    /// Wait for the answer, and show it
    #[arg(long)]
    wait: bool,
    #[arg(long, requires = "wait", help = options::EXIT_CODE)]
    exit_code: bool,
}

impl Waiting {
    /// Whether anything is waited for.
    pub(super) fn is_wanted(&self) -> bool {
        self.wait
    }

    /// Waits for the answer of the test that `proposed` tells of. `show` asks its queue for a test,
    /// as JSON or as text.
    pub(super) fn wait(
        &self,
        proposed: &str,
        show: &dyn Fn(i64, bool) -> Result<String, Failure>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let number = read_number(proposed).ok_or_else(|| {
            let problem = "the queue does not say which test it has added; wait with `tests show`";
            Failure::Failed(problem.to_owned())
        })?;
        print_notice(&format!(
            "waiting for the answer to test {number}; Ctrl-C leaves it in the queue"
        ));
        let mut told = String::new();
        loop {
            let test = match show(number, true) {
                Ok(test) => serde_json::from_str::<Value>(&test).unwrap_or_default(),
                // Whoever answers the queue may be away for a while.
                Err(Failure::Failed(problem)) => {
                    tell_once(&mut told, &problem);
                    thread::sleep(INTERVAL);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let is_over = ["decided", "stopped"].iter().any(|state| test["state"] == *state);
            if is_over {
                let shown = show(number, false)?;
                out.write_all(clean_lines(&shown).as_bytes())?;
                out.flush()?;
                return self.conclude(&test);
            }
            let notes = test["report"]["notes"].as_array().into_iter().flatten();
            let problems = notes.chain([&test["obstacle"]]).filter_map(Value::as_str);
            let problems: Vec<&str> = problems.collect();
            if !problems.is_empty() {
                tell_once(&mut told, &problems.join("; "));
            }
            thread::sleep(INTERVAL);
        }
    }

    fn conclude(&self, test: &Value) -> Result<(), Failure> {
        if test["state"] == "stopped" {
            return Err(Failure::Failed(format!(
                "test {} was stopped without an answer",
                test["number"]
            )));
        }
        match status_of(test["report"]["verdict"].as_str()) {
            0 => Ok(()),
            status if self.exit_code => Err(Failure::Answer(status)),
            _ => Ok(()),
        }
    }
}

/// The exit status that says what a test has found.
fn status_of(verdict: Option<&str>) -> u8 {
    match verdict {
        Some("better") => 0,
        Some("no difference" | "alike") => 10,
        Some("worse") => 20,
        _ => 30,
    }
}

/// Says what keeps the test from being played, once each time that it changes.
fn tell_once(told: &mut String, problem: &str) {
    if *told != problem {
        problem.clone_into(told);
        print_notice(problem);
    }
}

/// The number of the test that an answer tells of: `test 7: …`.
fn read_number(proposed: &str) -> Option<i64> {
    let mut lines = proposed.lines();
    lines.find_map(|line| line.strip_prefix("test ")?.split_once(": ")?.0.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_test_is_read_and_its_verdict_is_a_status() {
        let said = "mine@git:main is mine@git:123\ntest 12: mine against other\nin the queue\n";
        assert_eq!(read_number(said), Some(12));
        assert_eq!(read_number("no test 3: none"), None);
        let verdicts = [Some("better"), Some("alike"), Some("worse"), Some("cannot tell"), None];
        assert_eq!(verdicts.map(status_of), [0, 10, 20, 30, 30]);
    }
}
