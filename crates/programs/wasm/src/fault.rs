//! Names the ways in which modules fail, worded for the author of the module.

use quintain_core::{Fault, FaultKind, cut};
use wasmtime::{Trap, WasmBacktrace};

use crate::direct::BadPlace;
use crate::host::{EndReason, Wire};
use crate::limits::{write_fuel, write_memory};
use crate::patience::GivenUp;
use crate::program::Stop;

/// The number of characters quoted from a line that was not understood.
const QUOTED: usize = 80;

/// Where a module was when it failed, and what its limits were.
pub(crate) struct Scene<'a> {
    /// `turn 3`, `before the first turn`.
    pub(crate) when: &'a str,
    /// The fuel that it had.
    pub(crate) fuel: u64,
    /// Bytes of linear memory that it may have.
    pub(crate) memory: u64,
    pub(crate) wire: &'a Wire,
}

/// Makes the fault of a module whose run ended.
pub(crate) fn fault(stop: &Stop, scene: &Scene<'_>) -> Fault {
    let Scene { when, fuel, memory, wire } = scene;
    let ends = wire.lock();
    let error = match stop {
        Stop::Error(error) => error,
        Stop::GivenUp(GivenUp::Match) => {
            return Fault::new(FaultKind::Timeout, format!("{when}: the match was given up"));
        }
        Stop::GivenUp(GivenUp::TooLong(time)) => {
            let fuel = write_fuel(*fuel);
            let problem = format!("{when}: {fuel} of fuel took more than {time:.0?}");
            return Fault::new(FaultKind::Arena, problem);
        }
    };
    let (kind, detail) = if let Some(ended) = error.downcast_ref::<EndReason>() {
        let kind = match ended {
            EndReason::Exit(_) => FaultKind::Crash,
            EndReason::Output | EndReason::Line => FaultKind::Flood,
        };
        (kind, ended.to_string())
    } else if let Some(place) = error.downcast_ref::<BadPlace>() {
        (FaultKind::Protocol, place.to_string())
    } else {
        match error.downcast_ref::<Trap>() {
            Some(Trap::OutOfFuel) => {
                let fuel = write_fuel(*fuel);
                (FaultKind::Timeout, format!("no answer within {fuel} of fuel"))
            }
            Some(Trap::StackOverflow) => {
                let place = place_of(error);
                (FaultKind::Crash, format!("its calls were too deep{place}: no stack was left"))
            }
            Some(trap) if ends.refused_memory => {
                let memory = write_memory(*memory);
                let (trap, place) = (name(trap), place_of(error));
                let detail =
                    format!("{trap}{place}, after it was refused more memory than {memory}");
                (FaultKind::Memory, detail)
            }
            Some(trap) => (FaultKind::Crash, format!("{}{}", name(trap), place_of(error))),
            None => (FaultKind::Crash, error.root_cause().to_string().replace('\n', "; ")),
        }
    };
    Fault::new(kind, format!("{when}: {detail}")).with_output(ends.stderr.last_lines())
}

/// The engine's name for a trap.
fn name(trap: &Trap) -> String {
    let name = trap.to_string();
    name.strip_prefix("wasm trap: ").unwrap_or(&name).to_owned()
}

/// The innermost function that has a name in the module, as ` in NAME`; nothing if none has one.
fn place_of(error: &wasmtime::Error) -> String {
    let trace = error.downcast_ref::<WasmBacktrace>();
    let names = trace.iter().flat_map(|trace| trace.frames());
    let name = names.filter_map(|frame| frame.func_name()).find(|name| !name.is_empty());
    name.map_or(String::new(), |name| format!(" in {}", shorten(name)))
}

/// The first characters of a text, with control characters escaped.
fn shorten(text: &str) -> String {
    cut(text, QUOTED).chars().flat_map(char::escape_debug).collect()
}

/// Quotes a line that was not understood, with control characters escaped.
pub(crate) fn quote(line: &str) -> String {
    format!("“{}”", shorten(line))
}
