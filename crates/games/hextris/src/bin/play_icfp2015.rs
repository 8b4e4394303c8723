//! `play_icfp2015`, as the ICFP Programming Contest 2015 called its programs: does what
//! `quintain solve hextris` does, under that name and only with the contest's options.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quintain_core::{AnyEntry, ToolError, ToolRequest};
use quintain_hextris::entry;
use signal_hook::consts::{SIGINT, SIGTERM};

const USAGE: &str = "usage: play_icfp2015 -f FILE… [-t SECONDS] [-m MEGABYTES] [-c CORES] \
                     [-p PHRASE…]";

fn main() -> ExitCode {
    let entry = Arc::new(entry());
    let tool = entry.tool("solve").expect("hextris is solved");
    let solved = request(std::env::args_os().skip(1)).and_then(|request| tool.call(&request));
    match solved {
        Ok(list) => {
            use std::io::Write;
            let written = std::io::stdout().write_all(list.as_bytes());
            if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, ToolError::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// Reads the contest's options.
fn request(
    mut arguments: impl Iterator<Item = std::ffi::OsString>,
) -> Result<ToolRequest, ToolError> {
    let usage = |problem: String| ToolError::Usage(format!("{problem}; {USAGE}"));
    let mut request = ToolRequest::default();
    let mut speaks = false;
    while let Some(option) = arguments.next() {
        let option = option.to_string_lossy().into_owned();
        let name = match option.as_str() {
            "-f" | "-p" => "",
            "-t" => "time",
            "-m" => "memory",
            "-c" => "threads",
            _ => return Err(usage(format!("unexpected argument “{option}”"))),
        };
        let Some(value) = arguments.next() else {
            return Err(usage(format!("{option} needs a value")));
        };
        let value = value.to_string_lossy().into_owned();
        match option.as_str() {
            "-f" => request.inputs.push(value),
            "-p" => {
                speaks = true;
                request.options.push(("phrase".to_owned(), value));
            }
            _ => request.options.push((name.to_owned(), value)),
        }
    }
    if request.inputs.is_empty() {
        return Err(usage("no problem is given".to_owned()));
    }
    if !speaks {
        // If no phrases are given, none count; the workbench's own verb takes the contest's in that
        // case.
        request.options.push(("phrases".to_owned(), "none".to_owned()));
    }
    request.stop = stop_on_request();
    Ok(request)
}

/// A flag that Ctrl-C and SIGTERM set.
fn stop_on_request() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    // Without a handler, a signal ends the program at once; then nothing is lost but the list.
    for signal in [SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    stop
}
