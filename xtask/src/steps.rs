//! Steps of a check: each is announced, timed and stops the check when it fails.

use std::process::Command;
use std::time::{Duration, Instant};

/// A check under way.
#[derive(Default)]
pub struct Steps {
    finished: Vec<FinishedStep>,
    left_out: Vec<String>,
}

struct FinishedStep {
    name: String,
    clock: Duration,
    /// Processor time of all processes that the step started; zero where the system does not tell.
    processor: Duration,
}

impl Steps {
    /// Runs a step.
    ///
    /// # Errors
    /// What the step says is wrong.
    pub fn run(
        &mut self,
        name: &str,
        step: impl FnOnce(&mut Steps) -> Result<(), String>,
    ) -> Result<(), String> {
        println!("\n== {name}");
        let (began, worked) = (Instant::now(), processor_time());
        let result = step(self);
        self.finished.push(FinishedStep {
            name: name.to_owned(),
            clock: began.elapsed(),
            processor: processor_time().saturating_sub(worked),
        });
        result.map_err(|problem| format!("check: {name}: {problem}"))
    }

    /// Runs a step that is one command.
    ///
    /// # Errors
    /// If the command fails.
    pub fn command(&mut self, name: &str, command: Command) -> Result<(), String> {
        self.run(name, |_| run(command))
    }

    /// Says that something is not checked, and what would make it possible.
    pub fn leave_out(&mut self, what: &str, how: &str) {
        println!("\n== left out: {what} ({how})");
        self.left_out.push(format!("{what} ({how})"));
    }

    /// Prints where the time went, the longest step first, and what was left out.
    pub fn print_summary(mut self) {
        println!("\n== all checks passed");
        println!("{:>8} {:>12}", "clock", "processor");
        let total = |of: fn(&FinishedStep) -> Duration| self.finished.iter().map(of).sum();
        let (clock, processor) = (total(|step| step.clock), total(|step| step.processor));
        self.finished.sort_by_key(|step| std::cmp::Reverse(step.clock));
        self.finished.push(FinishedStep { name: "in all".into(), clock, processor });
        for step in &self.finished {
            let (clock, processor) = (step.clock.as_secs(), step.processor.as_secs());
            println!("{clock:>6} s {processor:>10} s  {}", step.name);
        }
        for what in &self.left_out {
            println!("left out: {what}");
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub fn run(mut command: Command) -> Result<(), String> {
    let name = describe(&command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Returns a command from its words.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

/// Returns whether a command runs and succeeds; it prints nothing.
pub fn succeeds(words: &[&str]) -> bool {
    command(words).output().is_ok_and(|output| output.status.success())
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Returns the processor time of all ended child processes.
fn processor_time() -> Duration {
    // The 14th and 15th fields after the command's name are this in ticks, 100 of them a second.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        after_name.split_whitespace().skip(13).take(2).filter_map(|n| n.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}
