//! The log that `-v` shows on standard error.

use std::io::IsTerminal;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::plain::{Colours, Wall};

/// Starts logging: warnings only, or more for each `-v`. `RUST_LOG` selects targets and levels in
/// detail.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        // Our own messages say better what the NATS client logs beyond its errors. If the
        // environment sets the sandbox, weaker confinement of programs needs no warning.
        0 if std::env::var_os("QUINTAIN_SANDBOX").is_some() => {
            "warn,async_nats=off,quintain_bots::programs=error"
        }
        0 => "warn,async_nats=off",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let asked = std::env::var("RUST_LOG").ok().filter(|text| !text.is_empty());
    let asked: Option<Targets> = asked.and_then(|text| text.parse().ok());
    let asked_in_detail = asked.is_some();
    let filter = asked.unwrap_or_else(|| level.parse().expect("the levels above are well-formed"));
    let writer = match std::io::stderr().is_terminal() {
        true => BoxMakeWriter::new(|| Wall::new(std::io::stderr(), Colours::Stop)),
        false => BoxMakeWriter::new(std::io::stderr),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .with_target(verbose > 1 || asked_in_detail)
        .without_time();
    tracing_subscriber::registry().with(lines).with(filter).init();
}
