//! Running a program that is not trusted. Between the arena and the program stand two
//! small processes of our own, this same executable started again:
//!
//! ```text
//! arena ── hold ── supervise ── dress, which becomes the program
//! ```
//!
//! *hold* makes the namespaces and ends everything when the arena is gone; *supervise*
//! is the first process in there: it watches memory, processes and time, keeps the
//! last of what is said on standard error, reaps, and reports how it ended; *dress*
//! gives up every right that a player does not need and becomes the program.
//!
//! Where the kernel gives no namespaces, *hold* is left out and *supervise* kills what
//! descends from it. What a match is, is not known here.

mod confine;
mod hold;
mod plan;
mod probe;
mod report;
mod supervise;

pub use plan::{Plan, Protection};
pub use probe::Protections;
pub use report::{Ending, Report};

/// The first argument of the executable when it is one of the processes between.
const STAGE: &str = "__quintain_sandbox";

/// Turns this process into one of those between the arena and a program, if it was
/// started as one. Every executable that runs programs calls this first of all.
pub fn take_over_if_asked() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(STAGE) {
        return;
    }
    let stage = arguments.next().unwrap_or_default();
    let plan = arguments.next().unwrap_or_default();
    if stage == "probe" {
        probe::answer();
        std::process::exit(0);
    }
    let plan: Plan = match serde_json::from_str(&plan) {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("sandbox: no plan: {error}");
            std::process::exit(2);
        }
    };
    let code = match stage.as_str() {
        "hold" => hold::run(&plan),
        "supervise" => supervise::run(&plan),
        "dress" => confine::run(&plan),
        _ => 2,
    };
    std::process::exit(code);
}
