//! The extension as a program: the `quintain` command, in the same file as what Python imports. The
//! two have nearly everything in common, so a wheel with both in one file is a quarter smaller.
//!
//! An executable cannot be loaded as a library, but a library can be executed if it names its
//! interpreter (`.interp`) and where to begin (`build.rs`), as the C library itself does. What a
//! compiler puts into each executable is written here: the first instructions, initialisation, and
//! what Rust does before `main`. Python is absent then: `build_backend.py` marks its symbols as
//! ones that may be missing.

use std::ffi::{c_char, c_int, c_void};
use std::process::ExitCode;

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("the feature `command` is for Linux with glibc, on x86-64 and aarch64");

/// The program that loads this one.
#[cfg(target_arch = "x86_64")]
#[used]
#[unsafe(link_section = ".interp")]
static INTERPRETER: [u8; 28] = *b"/lib64/ld-linux-x86-64.so.2\0";
#[cfg(target_arch = "aarch64")]
#[used]
#[unsafe(link_section = ".interp")]
static INTERPRETER: [u8; 27] = *b"/lib/ld-linux-aarch64.so.1\0";

// The stack holds the arguments, and a register the function to call at the end; there is no frame
// below.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl quintain_command",
    ".hidden quintain_command",
    "quintain_command:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "mov rsi, rdx",
    "and rsp, -16",
    "call {begin}",
    "ud2",
    ".cfi_endproc",
    begin = sym begin,
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".globl quintain_command",
    ".hidden quintain_command",
    "quintain_command:",
    ".cfi_startproc",
    ".cfi_undefined x30",
    "mov x29, xzr",
    "mov x30, xzr",
    "mov x1, x0",
    "mov x0, sp",
    "bl {begin}",
    "brk #1",
    ".cfi_endproc",
    begin = sym begin,
);

type Arguments = *const *const c_char;
type Main = unsafe extern "C" fn(c_int, Arguments, Arguments) -> c_int;
type Initializer = unsafe extern "C" fn(c_int, Arguments, Arguments);

unsafe extern "C" {
    fn __libc_start_main(
        main: Main,
        count: c_int,
        arguments: Arguments,
        initialize: Option<Initializer>,
        finish: Option<unsafe extern "C" fn()>,
        finish_loader: *const c_void,
        stack_end: *const c_void,
    ) -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    // Where the linker has put the initializers; the second symbol marks their end.
    static __init_array_start: [Initializer; 0];
    static __init_array_end: [Initializer; 0];
}

/// The function that the first instructions call.
///
/// # Safety
/// `stack` must be the stack as the kernel passes it to a program: the number of arguments, then
/// their addresses.
unsafe extern "C" fn begin(stack: *const usize, finish_loader: *const c_void) -> ! {
    // SAFETY: promised by the caller; the rest is the C library's contract with every program.
    unsafe {
        let count = *stack as c_int;
        let arguments: Arguments = stack.add(1).cast();
        __libc_start_main(
            main,
            count,
            arguments,
            Some(initialize),
            None,
            finish_loader,
            stack.cast(),
        );
    }
    unreachable!("the C library ends the process when main returns")
}

/// Runs the initializers of this file, which the loader does only for libraries: one keeps the
/// arguments for Rust.
///
/// # Safety
/// It must be called once, before `main`, with the arguments of `main`.
unsafe extern "C" fn initialize(count: c_int, arguments: Arguments, environment: Arguments) {
    // SAFETY: the linker lays all initializers between the two symbols.
    unsafe {
        let mut next = (&raw const __init_array_start).cast::<Initializer>();
        let end = (&raw const __init_array_end).cast::<Initializer>();
        while next != end {
            (*next)(count, arguments, environment);
            next = next.add(1);
        }
    }
}

/// Runs the command. A closed pipe is an error and does not end the process, as in every Rust
/// program.
unsafe extern "C" fn main(_: c_int, _: Arguments, _: Arguments) -> c_int {
    const SIGPIPE: c_int = 13;
    const IGNORED: usize = 1;
    // SAFETY: no handler of ours is installed.
    unsafe { signal(SIGPIPE, IGNORED) };
    let code = quintain_cli::run(quintain_games::catalog);
    // An exit code does not reveal its number.
    let number = (0..=u8::MAX).find(|number| ExitCode::from(*number) == code);
    c_int::from(number.unwrap_or(1))
}
