//! What modules may import: WASI preview 1 with three streams and nothing else (a clock that counts
//! the fuel burnt, random numbers from the seat's seed, no files, no network, no arguments), and
//! `quintain.fuel_left`.
//!
//! What a call costs us also costs the module, in fuel.

use std::future::{Future, poll_fn};
use std::task::Poll;

use wasmtime::{Caller, Extern, FuncType, Linker, Memory, Val, ValType};

use crate::host::{EndReason, Host, burn, fill, now};
use crate::limits::FUEL_PER_NANOSECOND;

/// Units of fuel for a call; each byte moved by it adds one more.
const CALL: u64 = 400;
/// Units of fuel for each random byte.
const RANDOM: u64 = 4;
/// The most buffers of one call.
const MAX_BUFFERS: u32 = 1024;
/// The time at which every match begins, in nanoseconds since 1970.
const BEGINNING: u64 = 1_000_000_000_000_000_000;

/// Error numbers of WASI.
mod errno {
    pub(super) const SUCCESS: i32 = 0;
    pub(super) const BADF: i32 = 8;
    pub(super) const FAULT: i32 = 21;
    pub(super) const INVAL: i32 = 28;
    pub(super) const NOSYS: i32 = 52;
    pub(super) const SPIPE: i32 = 70;
}

const WASI: &str = "wasi_snapshot_preview1";

/// Functions of WASI that have nothing to work on here, with their parameters (`i` is i32, `I` is
/// i64) and the value that they return.
const REFUSING: [(&str, &str, i32); 31] = [
    ("fd_advise", "iIIi", errno::BADF),
    ("fd_allocate", "iII", errno::BADF),
    ("fd_datasync", "i", errno::BADF),
    ("fd_fdstat_set_flags", "ii", errno::SUCCESS),
    ("fd_fdstat_set_rights", "iII", errno::BADF),
    ("fd_filestat_get", "ii", errno::BADF),
    ("fd_filestat_set_size", "iI", errno::BADF),
    ("fd_filestat_set_times", "iIIi", errno::BADF),
    ("fd_pread", "iiiIi", errno::SPIPE),
    ("fd_prestat_dir_name", "iii", errno::BADF),
    ("fd_prestat_get", "ii", errno::BADF),
    ("fd_pwrite", "iiiIi", errno::SPIPE),
    ("fd_readdir", "iiiIi", errno::BADF),
    ("fd_renumber", "ii", errno::BADF),
    ("fd_seek", "iIii", errno::SPIPE),
    ("fd_sync", "i", errno::BADF),
    ("fd_tell", "ii", errno::SPIPE),
    ("path_create_directory", "iii", errno::BADF),
    ("path_filestat_get", "iiiii", errno::BADF),
    ("path_filestat_set_times", "iiiiIIi", errno::BADF),
    ("path_link", "iiiiiii", errno::BADF),
    ("path_open", "iiiiiIIii", errno::BADF),
    ("path_readlink", "iiiiii", errno::BADF),
    ("path_remove_directory", "iii", errno::BADF),
    ("path_rename", "iiiiii", errno::BADF),
    ("path_symlink", "iiiii", errno::BADF),
    ("path_unlink_file", "iii", errno::BADF),
    ("sock_accept", "iii", errno::BADF),
    ("sock_recv", "iiiiii", errno::BADF),
    ("sock_send", "iiiii", errno::BADF),
    ("sock_shutdown", "ii", errno::BADF),
];

/// Defines everything that a module may import.
pub(crate) fn define(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    for (name, parameters, answer) in REFUSING {
        let kinds = parameters.chars().map(|kind| match kind {
            'i' => ValType::I32,
            _ => ValType::I64,
        });
        let kind = FuncType::new(linker.engine(), kinds, [ValType::I32]);
        linker.func_new(WASI, name, kind, move |mut caller, _, results| {
            burn(&mut caller, CALL)?;
            results[0] = Val::I32(answer);
            Ok(())
        })?;
    }
    linker.func_wrap(WASI, "proc_raise", |mut caller: Caller<'_, Host>, _: i32| {
        burn(&mut caller, CALL).map(|()| errno::NOSYS)
    })?;
    linker.func_wrap(WASI, "proc_exit", |_: Caller<'_, Host>, status: i32| {
        Err::<(), _>(wasmtime::Error::from(EndReason::Exit(status)))
    })?;
    linker.func_wrap(WASI, "sched_yield", |mut caller: Caller<'_, Host>| {
        burn(&mut caller, CALL).map(|()| errno::SUCCESS)
    })?;
    for name in ["args_get", "environ_get"] {
        linker.func_wrap(WASI, name, |mut caller: Caller<'_, Host>, _: i32, _: i32| {
            burn(&mut caller, CALL).map(|()| errno::SUCCESS)
        })?;
    }
    for name in ["args_sizes_get", "environ_sizes_get"] {
        linker.func_wrap(WASI, name, |mut caller: Caller<'_, Host>, count: u32, size: u32| {
            burn(&mut caller, CALL)?;
            write_all(&mut caller, &[(count, &[0; 4]), (size, &[0; 4])])
        })?;
    }
    linker.func_wrap(WASI, "clock_res_get", |mut caller: Caller<'_, Host>, _: i32, at: u32| {
        burn(&mut caller, CALL)?;
        write_all(&mut caller, &[(at, &1u64.to_le_bytes())])
    })?;
    linker.func_wrap(WASI, "clock_time_get", clock_time_get)?;
    linker.func_wrap(WASI, "random_get", random_get)?;
    linker.func_wrap(WASI, "fd_write", fd_write)?;
    linker.func_wrap(WASI, "fd_fdstat_get", fd_fdstat_get)?;
    linker.func_wrap(WASI, "fd_close", |mut caller: Caller<'_, Host>, file: i32| {
        burn(&mut caller, CALL)?;
        wasmtime::Result::Ok(if is_stream(file) { errno::SUCCESS } else { errno::BADF })
    })?;
    linker.func_wrap(WASI, "poll_oneoff", poll_oneoff)?;
    linker.func_wrap_async(WASI, "fd_read", |caller, (file, buffers, count, read)| {
        Box::new(fd_read(caller, file, buffers, count, read))
    })?;
    linker.func_wrap("quintain", "fuel_left", |mut caller: Caller<'_, Host>| {
        burn(&mut caller, CALL)?;
        caller.get_fuel()
    })?;
    Ok(())
}

fn is_stream(file: i32) -> bool {
    (0..=2).contains(&file)
}

fn memory(caller: &mut Caller<'_, Host>) -> Option<Memory> {
    caller.get_export("memory").and_then(Extern::into_memory)
}

/// Writes to addresses in the module's memory; an address outside it is the caller's error, not a
/// trap.
fn write_all(caller: &mut Caller<'_, Host>, parts: &[(u32, &[u8])]) -> wasmtime::Result<i32> {
    let Some(memory) = memory(caller) else { return Ok(errno::FAULT) };
    for (at, bytes) in parts {
        if memory.write(&mut *caller, *at as usize, bytes).is_err() {
            return Ok(errno::FAULT);
        }
    }
    Ok(errno::SUCCESS)
}

/// The buffers of a call as addresses and lengths; `None` if they lie outside the memory.
fn read_buffers(
    caller: &mut Caller<'_, Host>,
    at: u32,
    count: u32,
) -> Option<(Memory, Vec<(usize, usize)>)> {
    let memory = memory(caller).filter(|_| count <= MAX_BUFFERS)?;
    let data = memory.data(&*caller);
    let list = data.get(at as usize..)?.get(..count as usize * 8)?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let buffers: Vec<(usize, usize)> =
        list.chunks_exact(8).map(|pair| (word(&pair[..4]), word(&pair[4..]))).collect();
    let inside = |&(at, length): &(usize, usize)| at + length <= data.len();
    buffers.iter().all(inside).then_some((memory, buffers))
}

fn clock_time_get(
    mut caller: Caller<'_, Host>,
    clock: i32,
    _precision: u64,
    at: u32,
) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL)?;
    let beginning = if clock == 0 { BEGINNING } else { 0 };
    let time = beginning + now(&mut caller)?;
    write_all(&mut caller, &[(at, &time.to_le_bytes())])
}

fn random_get(mut caller: Caller<'_, Host>, at: u32, length: u32) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL + RANDOM * u64::from(length))?;
    let Some(memory) = memory(&mut caller) else { return Ok(errno::FAULT) };
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let place = data.get_mut(at as usize..).and_then(|rest| rest.get_mut(..length as usize));
    let Some(place) = place else { return Ok(errno::FAULT) };
    for chunk in place.chunks_mut(8) {
        let bits = host.rng.bits().to_le_bytes();
        chunk.copy_from_slice(&bits[..chunk.len()]);
    }
    Ok(errno::SUCCESS)
}

fn fd_write(
    mut caller: Caller<'_, Host>,
    file: i32,
    buffers: u32,
    count: u32,
    written: u32,
) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL + 8 * u64::from(count.min(MAX_BUFFERS)))?;
    if !matches!(file, 1 | 2) {
        return Ok(errno::BADF);
    }
    let Some((memory, buffers)) = read_buffers(&mut caller, buffers, count) else {
        return Ok(errno::FAULT);
    };
    let length = buffers.iter().map(|(_, length)| *length as u64).sum::<u64>();
    burn(&mut caller, length)?;
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let mut ends = host.wire.lock();
    for (at, length) in buffers {
        let bytes = &data[at..at + length];
        if file == 1 { ends.write(bytes)? } else { ends.write_stderr(bytes)? }
    }
    drop(ends);
    // All buffers together lie within 32-bit memory unless they overlap, and are bounded by now.
    write_all(&mut caller, &[(written, &(length as u32).to_le_bytes())])
}

/// Reports a terminal, so that libraries flush every line.
fn fd_fdstat_get(mut caller: Caller<'_, Host>, file: i32, at: u32) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL)?;
    if !is_stream(file) {
        return Ok(errno::BADF);
    }
    const CHARACTER_DEVICE: u8 = 2;
    const MAY_READ: u8 = 1 << 1;
    const MAY_WRITE: u8 = 1 << 6;
    let mut status = [0; 24];
    status[0] = CHARACTER_DEVICE;
    status[8] = if file == 0 { MAY_READ } else { MAY_WRITE };
    write_all(&mut caller, &[(at, &status)])
}

/// Returns at once: input is read by waiting, and time passes at once by burning fuel.
fn poll_oneoff(
    mut caller: Caller<'_, Host>,
    subscriptions: u32,
    events: u32,
    count: u32,
    happened: u32,
) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL + 80 * u64::from(count.min(MAX_BUFFERS)))?;
    if count == 0 || count > MAX_BUFFERS {
        return Ok(errno::INVAL);
    }
    let Some(memory) = memory(&mut caller) else { return Ok(errno::FAULT) };
    let mut list = vec![0; 48 * count as usize];
    if memory.read(&caller, subscriptions as usize, &mut list).is_err() {
        return Ok(errno::FAULT);
    }
    const CLOCK: u8 = 0;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    // Anything that does not wait for time has happened already.
    let is_clock = |subscription: &&[u8]| subscription[8] == CLOCK;
    let all: Vec<&[u8]> = list.chunks_exact(48).collect();
    let only_clocks = all.iter().all(is_clock);
    if only_clocks {
        let started = now(&mut caller)?;
        let pause = |subscription: &&[u8]| {
            let (clock, time) = (subscription[16], word(&subscription[24..32]));
            let is_absolute = subscription[40] & 1 == 1;
            let beginning = if clock == 0 { BEGINNING } else { 0 };
            if is_absolute { time.saturating_sub(beginning + started) } else { time }
        };
        let shortest = all.iter().map(pause).min().unwrap_or(0);
        burn(&mut caller, shortest.saturating_mul(FUEL_PER_NANOSECOND))?;
    }
    let mut written = Vec::new();
    for subscription in all.iter().filter(|one| only_clocks || !is_clock(one)) {
        let mut event = [0; 32];
        event[..8].copy_from_slice(&subscription[..8]);
        event[10] = subscription[8];
        written.extend_from_slice(&event);
    }
    let happened_count = (written.len() / 32) as u32;
    write_all(&mut caller, &[(events, &written), (happened, &happened_count.to_le_bytes())])
}

/// Reads standard input. If there is none, the instance waits, and the code that asks it goes on.
async fn fd_read(
    mut caller: Caller<'_, Host>,
    file: i32,
    buffers: u32,
    count: u32,
    read: u32,
) -> wasmtime::Result<i32> {
    burn(&mut caller, CALL + 8 * u64::from(count.min(MAX_BUFFERS)))?;
    if file != 0 {
        return Ok(errno::BADF);
    }
    let Some((memory, buffers)) = read_buffers(&mut caller, buffers, count) else {
        return Ok(errno::FAULT);
    };
    let wire = caller.data().wire.clone();
    if buffers.iter().any(|(_, length)| *length > 0) && wire.lock().input.is_empty() {
        let left = caller.get_fuel()?;
        {
            let mut ends = wire.lock();
            ends.left = left;
            ends.is_waiting = true;
        }
        wait(&wire).await;
        let given = wire.lock().given;
        fill(&mut caller, given)?;
    }
    let (data, host) = memory.data_and_store_mut(&mut caller);
    let mut ends = host.wire.lock();
    let mut length = 0;
    for (at, room) in buffers {
        let part = room.min(ends.input.len());
        for (place, byte) in data[at..at + part].iter_mut().zip(ends.input.drain(..part)) {
            *place = byte;
        }
        length += part;
    }
    drop(ends);
    burn(&mut caller, length as u64)?;
    write_all(&mut caller, &[(read, &(length as u32).to_le_bytes())])
}

/// Completes when there is input.
fn wait(wire: &crate::host::Wire) -> impl Future<Output = ()> {
    poll_fn(|_| match wire.lock().is_waiting {
        true => Poll::Pending,
        false => Poll::Ready(()),
    })
}
