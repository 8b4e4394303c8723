//! What `-v` shows, on standard error.

use tracing_subscriber::EnvFilter;

/// Starts logging: warnings only, or more the more often `-v` was given. `RUST_LOG`
/// chooses in detail.
pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        // What the NATS client has to say beyond its errors, ours say better.
        0 => "warn,async_nats=off",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
}
