//! Names the ways in which modules fail, worded for the author of the module.

use quintain_core::{Fault, FaultKind};
use wasmtime::Trap;

use crate::direct::BadPlace;
use crate::host::{EndReason, Wire};
use crate::limits::{write_fuel, write_memory};
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
    let Stop::Error(error) = stop else {
        return Fault::new(FaultKind::Timeout, format!("{when}: the match was given up"));
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
                (FaultKind::Crash, "its calls were too deep: no stack was left".to_owned())
            }
            Some(trap) if ends.refused_memory => {
                let memory = write_memory(*memory);
                let detail =
                    format!("{}, after it was refused more memory than {memory}", name(trap));
                (FaultKind::Memory, detail)
            }
            Some(trap) => (FaultKind::Crash, name(trap)),
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

/// Quotes a line that was not understood, with control characters escaped.
pub(crate) fn quote(line: &str) -> String {
    let mut text: String = line.chars().take(QUOTED).flat_map(char::escape_debug).collect();
    if line.chars().nth(QUOTED).is_some() {
        text.push('…');
    }
    format!("“{text}”")
}
