//! Modules that mean harm: each is refused before a match or loses it, with a reason, and the
//! arbiter spends no memory or time on them beyond their limits.

mod common;

use common::{Bench, direct, program};
use quintain_core::FaultKind;

/// Plays a module in the text format and returns its fault.
fn fault(text: &str, limits: &str) -> (FaultKind, String) {
    let bench = Bench::default();
    let player = bench.player("hostile", text);
    let fault = bench.fault(&format!("{player}{limits}"));
    (fault.kind, fault.detail)
}

/// Why a module in the text format is refused.
fn refusal(text: &str) -> String {
    let bench = Bench::default();
    let player = bench.player("hostile", text);
    bench.refusal(&player)
}

fn refusal_of_bytes(bytes: &[u8]) -> String {
    let bench = Bench::default();
    let path = bench.write("hostile.wasm", bytes);
    bench.refusal(&format!("wasm:{}", path.display()))
}

fn direct_fault(decide: &str, more: &str) -> (FaultKind, String) {
    fault(&direct(decide, more), "?fuel=20M&memory=4MB")
}

const FOR_EVER: &str = "(loop $more (br $more))";

// Time

#[test]
fn an_endless_loop_on_a_turn() {
    let (kind, detail) = direct_fault(FOR_EVER, "");
    assert_eq!((kind, &*detail), (FaultKind::Timeout, "turn 0: no answer within 20M of fuel"));
}

#[test]
fn a_start_function_that_loops() {
    let more = format!("(func $start {FOR_EVER}) (start $start)");
    let said = refusal(&direct("", &more));
    let expected = "never started: timeout: before init: no answer within 2G of fuel";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn an_endless_init_and_a_program_that_never_greets() {
    let init = format!("(func (export \"init\") (param i32 i32) {FOR_EVER})");
    assert_eq!(direct_fault("", &init).1, "init: no answer within 2G of fuel");
    let said = refusal(&program("", FOR_EVER, "", ""));
    let expected = "never started: timeout: hello: no answer within 2G of fuel";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn work_in_single_instructions() {
    // Each would burn one unit, if it were not done in pieces: 20M times 4 MB.
    let grown = "(drop (memory.grow (i32.const 60)))";
    for work in [
        "(memory.fill (i32.const 0) (i32.const 1) (i32.const 3900000))",
        "(memory.copy (i32.const 0) (i32.const 1) (i32.const 3900000))",
        "(memory.copy (i32.const 1) (i32.const 0) (i32.const 3900000))",
        "(drop (memory.grow (i32.const 0)))",
        "(drop (memory.grow (i32.const 60000)))",
    ] {
        let decide = format!("{grown} (loop $more {work} (br $more))");
        assert_eq!(direct_fault(&decide, "").0, FaultKind::Timeout, "{work}");
    }
}

#[test]
fn work_in_calls_of_ours() {
    let imports = r#"(import "wasi_snapshot_preview1" "clock_time_get"
        (func $clock (param i32 i64 i32) (result i32)))
      (import "wasi_snapshot_preview1" "poll_oneoff"
        (func $poll (param i32 i32 i32 i32) (result i32)))"#;
    for work in [
        "(drop (call $random (i32.const 2000) (i32.const 100000)))",
        "(drop (call $clock (i32.const 1) (i64.const 0) (i32.const 400)))",
        "(drop (call $poll (i32.const 2000) (i32.const 2000) (i32.const 1000) (i32.const 8)))",
        "(drop (call $fd_write (i32.const 2) (i32.const 2000) (i32.const 1024) (i32.const 8)))",
    ] {
        let turn = format!("(loop $more {work} (br $more))");
        let (kind, detail) = fault(&program(imports, "", &turn, ""), "?fuel=20M");
        assert_eq!(kind, FaultKind::Timeout, "{work}: {detail}");
    }
}

// Memory

#[test]
fn memory_that_grows_without_end() {
    let decide = "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
        (unreachable)";
    let (kind, detail) = direct_fault(decide, "");
    assert_eq!(kind, FaultKind::Memory);
    assert!(detail.ends_with("after it was refused more memory than 4MB"), "{detail}");
}

#[test]
fn memory_of_four_gigabytes_from_the_beginning() {
    let text = direct("", "")
        .replace("(memory (export \"memory\") 1)", "(memory (export \"memory\") 65536)");
    let said = refusal(&text);
    assert!(said.ends_with("it begins with 4GB of memory; a module may have 2GB"), "{said}");
}

#[test]
fn huge_tables() {
    let said = refusal(&direct("", "(table 10000000 funcref)"));
    assert!(
        said.contains("tables of 10000000 elements; a module may have at most 100000"),
        "{said}"
    );
    let many = "(table 60000 funcref)".repeat(2);
    assert!(refusal(&direct("", &many)).contains("tables of 120000 elements"));
    let grow = "(drop (table.grow 0 (ref.null func) (i32.const 1000000000)))";
    assert!(refusal(&direct(grow, "(table 1 funcref)")).contains("it uses table.grow"));
}

#[test]
fn several_memories_and_memories_of_64_bits() {
    let said = refusal(&direct("", "(memory 1)"));
    assert!(said.contains("not a valid module of WebAssembly 2"), "{said}");
    let said = refusal("(module (memory (export \"memory\") i64 1) (func (export \"_start\")))");
    assert!(said.contains("not a valid module of WebAssembly 2"), "{said}");
}

#[test]
fn deep_recursion() {
    let more = "(func $deep (param i32) (result i32)
        (i32.add (call $deep (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))";
    let (kind, detail) = direct_fault("(drop (call $deep (i32.const 0)))", more);
    let expected = "turn 0: its calls were too deep in deep: no stack was left";
    assert_eq!((kind, &*detail), (FaultKind::Crash, expected));
}

#[test]
fn places_outside_of_its_memory() {
    let bytes = "(return (i64.const -1))";
    assert_eq!(direct_fault(bytes, "").0, FaultKind::Flood);
    let outside = "(return (i64.const 0x7fffffff00000010))";
    let (kind, detail) = direct_fault(outside, "");
    assert_eq!(kind, FaultKind::Protocol);
    assert_eq!(detail, "turn 0: decide returned 16 bytes at 2147483647, outside its memory");
    let alloc = direct("", "").replace("(i32.const 1024))", "(i32.const -5))");
    let (kind, detail) = fault(&alloc, "");
    assert_eq!(kind, FaultKind::Protocol);
    assert!(detail.contains("alloc returned 4294967291 for"), "{detail}");
    // Calls of WASI with addresses outside the memory fail, and do nothing more.
    let turn = "(drop (call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 8)))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 8)))
        (drop (call $random (i32.const -8) (i32.const 100)))
        (drop (call $fd_read (i32.const 0) (i32.const -1) (i32.const 1) (i32.const -1)))";
    let bench = Bench::default();
    let record = bench.record(&bench.player("outside", &program("", "", turn, "")), 1);
    assert_eq!(record.outcome.fault, None);
}

// Output

#[test]
fn output_without_end() {
    let turn =
        "(loop $more (call $write (i32.const 1) (i32.const 65536) (i32.const 65536)) (br $more))";
    let (kind, detail) = fault(&program("", "", turn, ""), "");
    assert_eq!(kind, FaultKind::Flood);
    assert_eq!(detail, "turn 0: it wrote more than 1048576 bytes without a line end");
    let turn = "(i32.store8 (i32.const 4999) (i32.const 10))
      (loop $more (call $write (i32.const 1) (i32.const 4000) (i32.const 1000)) (br $more))";
    let (kind, detail) = fault(&program("", "", turn, ""), "");
    assert_eq!(kind, FaultKind::Flood);
    assert_eq!(detail, "turn 0: it wrote more than 16777216 bytes in one match");
    let turn =
        "(loop $more (call $write (i32.const 2) (i32.const 0) (i32.const 65536)) (br $more))";
    assert_eq!(fault(&program("", "", turn, ""), "").0, FaultKind::Flood);
}

#[test]
fn more_than_one_line_and_lines_that_nobody_asked_for() {
    let twice = "(call $write (i32.const 1) (i32.const 64) (i32.const 31))";
    let (kind, detail) = fault(&program("", "", twice, ""), "");
    assert_eq!(kind, FaultKind::Protocol);
    assert!(detail.starts_with("turn 0: it wrote more than one line"), "{detail}");
    let silent = "(br $next)";
    let (_, detail) = fault(&program("", "", silent, ""), "");
    assert_eq!(detail, "turn 0: it waits for more, and has not answered");
    let early = "(drop (call $line)) (call $write (i32.const 1) (i32.const 64) (i32.const 31))
      (drop (call $line)) (call $write (i32.const 1) (i32.const 64) (i32.const 31))";
    let (_, detail) = fault(&program("", early, "", ""), "");
    assert!(detail.starts_with("turn 0: it spoke before it was asked"), "{detail}");
}

#[test]
fn a_reply_that_is_no_action() {
    let zero = "(return (i64.const 3))";
    let (kind, detail) = direct_fault(zero, "");
    assert_eq!(kind, FaultKind::Protocol);
    assert!(detail.contains("is not an action"), "{detail}");
}

// Endings

#[test]
fn traps_everywhere() {
    let (kind, detail) = direct_fault("(unreachable)", "");
    assert_eq!(
        (kind, &*detail),
        (FaultKind::Crash, "turn 0: wasm `unreachable` instruction executed")
    );
    let init = "(func (export \"init\") (param i32 i32) (unreachable))";
    assert!(direct_fault("", init).1.starts_with("init: "));
    let start = "(func $start (unreachable)) (start $start)";
    let said = refusal(&direct("", start));
    let expected = "never started: crash: before init: wasm `unreachable` instruction executed in \
        start";
    assert!(said.ends_with(expected), "{said}");
    let divide = "(drop (i32.div_u (i32.const 1) (i32.const 0)))";
    assert_eq!(direct_fault(divide, "").1, "turn 0: integer divide by zero");
    assert!(
        direct_fault("(call_indirect (i32.const 0))", "(table 1 funcref)")
            .1
            .contains("uninitialized")
    );
    assert_eq!(direct_fault("(drop (i32.load (i32.const -4)))", "").0, FaultKind::Crash);
}

#[test]
fn a_program_that_ends() {
    let exit = "(import \"wasi_snapshot_preview1\" \"proc_exit\" (func $exit (param i32)))";
    let (kind, detail) = fault(&program(exit, "", "(call $exit (i32.const 3))", ""), "");
    assert_eq!((kind, &*detail), (FaultKind::Crash, "turn 0: it ended by itself, with status 3"));
    let said = refusal(&program("", "(return)", "", ""));
    let expected = "never started: crash: hello: it ended by itself, with status 0";
    assert!(said.ends_with(expected), "{said}");
}

// Files that are not modules

#[test]
fn files_that_are_no_modules() {
    assert!(refusal_of_bytes(b"").contains("not a WebAssembly module"));
    assert!(refusal_of_bytes(b"#!/bin/sh\n").contains("not a WebAssembly module"));
    assert!(refusal_of_bytes(b"\0asm").contains("not a valid module"));
    assert!(refusal_of_bytes(b"\0asm\x01\0\0\0").contains("exports neither _start"));
    let component = b"\0asm\x0d\0\x01\0";
    assert!(refusal_of_bytes(component).contains("this is a component"));
    // Nothing that is nested in a component is looked at, however much it is.
    let nested = [&component[..], &[4, 0xff, 0xff, 0xff, 7], &component.repeat(1 << 20)].concat();
    assert!(refusal_of_bytes(&nested).contains("this is a component"));
    assert!(Bench::default().refusal("wasm:").contains("expected a file"));
}

#[test]
fn malformed_modules_are_refused_wherever_they_are_cut_or_changed() {
    let good = wat::parse_str(program(
        "",
        "",
        "(memory.fill (i32.const 0) (i32.const 0) (i32.const 9))",
        "",
    ))
    .unwrap();
    for end in 0..good.len() {
        let bench = Bench::default();
        let path = bench.write("cut.wasm", &good[..end]);
        let cut = bench.catalog.player("tron", &format!("wasm:{}", path.display()));
        // The part that is cut off may consist of whole sections, of data and of names.
        assert!(cut.is_err() || matches!(good[end], 0 | 11), "cut at {end}");
    }
    // A changed byte may leave a module valid; it must not bring the arbiter down.
    let bench = Bench::default();
    for place in 8..good.len() {
        let mut changed = good.clone();
        changed[place] ^= 0x55;
        let path = bench.write(&format!("{place}.wasm"), &changed);
        let _ = bench.catalog.player("tron", &format!("wasm:{}", path.display()));
    }
}

#[test]
fn exports_that_are_missing_or_others() {
    let text = "(module (memory (export \"memory\") 1) (func (export \"_start\") (param i32)))";
    assert!(
        refusal(text).contains("_start is (i32) -> (), expected () -> ()"),
        "{}",
        refusal(text)
    );
    let text = "(module (func (export \"_start\")))";
    assert!(refusal(text).contains("there is no memory"));
    let text = direct("", "").replace("\"alloc\"", "\"malloc\"");
    assert!(refusal(&text).contains("there is no alloc"));
    let text = "(module (memory (export \"memory\") 1)
        (func (export \"alloc\") (param i32) (result i32) (i32.const 0))
        (func (export \"decide\") (param i32) (result i32) (i32.const 0)))";
    assert!(refusal(text).contains("decide is (i32) -> (i32), expected (i32, i32) -> (i64)"));
    let text =
        "(module (memory (export \"memory\") 1) (global (export \"_start\") i32 (i32.const 0)))";
    assert!(refusal(text).contains("exports neither"));
}

#[test]
fn imports_that_do_not_exist() {
    let import = |module: &str, name: &str, kind: &str| {
        refusal(&format!(
            "(module (import \"{module}\" \"{name}\" {kind})
            (memory (export \"memory\") 1) (func (export \"_start\")))"
        ))
    };
    let said = import("env", "system", "(func (param i32) (result i32))");
    assert!(said.contains("it imports env.system, which is not offered"), "{said}");
    assert!(import("env", "memory", "(table 1 funcref)").contains("it imports env.memory"));
    assert!(import("env", "x", "(global i32)").contains("it imports env.x"));
    let wrong = import("wasi_snapshot_preview1", "fd_read", "(func (param i64))");
    assert!(wrong.contains("cannot be compiled") && wrong.contains("fd_read"), "{wrong}");
    let unstable =
        import("wasi_unstable", "fd_read", "(func (param i32 i32 i32 i32) (result i32))");
    assert!(unstable.contains("it imports wasi_unstable.fd_read"));
}

#[test]
fn files_and_the_network_are_not_there() {
    // Every call that would open something returns an error number.
    let imports = r#"
      (import "wasi_snapshot_preview1" "path_open"
        (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "sock_accept" (func $accept (param i32 i32 i32) (result i32)))"#;
    let turn = r#"
      (if (i32.eqz (call $open (i32.const 3) (i32.const 0) (i32.const 256) (i32.const 4) (i32.const 0)
          (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 8))) (then unreachable))
      (if (i32.eqz (call $prestat (i32.const 3) (i32.const 8))) (then unreachable))
      (if (i32.eqz (call $accept (i32.const 3) (i32.const 0) (i32.const 8))) (then unreachable))"#;
    let bench = Bench::default();
    let record = bench.record(&bench.player("files", &program(imports, "", turn, "")), 1);
    assert_eq!(record.outcome.fault, None);
}

#[test]
fn code_that_would_take_long_to_compile() {
    let long = "(drop (i32.const 77777777))".repeat(100_000);
    let said = refusal(&direct(&long, ""));
    assert!(said.contains("a function of") && said.contains("may have at most 512kB"), "{said}");
    let many = "(func)".repeat(60_000);
    assert!(refusal(&direct("", &many)).contains("functions; a module may have at most 50000"));
    let globals = "(global (mut i32) (i32.const 0))".repeat(10_001);
    assert!(refusal(&direct("", &globals)).contains("global variables; a module may have at"));
    let types: String = (0..2_001)
        .map(|n| {
            let parameters: String =
                (0..11).map(|bit| if n >> bit & 1 == 0 { " i32" } else { " i64" }).collect();
            format!("(type (func (param{parameters})))")
        })
        .collect();
    assert!(refusal(&direct("", &types)).contains("a module may have at most 2000 types"));
    let bench = Bench::default();
    let path =
        bench.write("large.wasm", &[b"\0asm\x01\0\0\0".to_vec(), vec![0; 17 << 20]].concat());
    let said = bench.refusal(&format!("wasm:{}", path.display()));
    assert!(said.contains("it is larger than 16MB"), "{said}");
}

#[test]
fn code_whose_branches_would_take_long_to_compile() {
    let nested = format!("{}{}", "(loop ".repeat(41), "(br_if 0 (i32.const 0)))".repeat(41));
    let said = refusal(&direct(&nested, ""));
    assert!(said.contains("loops within loops, 41 deep; a module may have 40"), "{said}");
    let locals = format!("(func (local {}) {})", "i64 ".repeat(5000), "(block)".repeat(600));
    let flat = format!("(func (param i32) {})", "(block (br_if 0 (local.get 0)))".repeat(20_000));
    let values = "i64 ".repeat(1000);
    let calls = format!(
        "(func $many (param {values}) (result {values}) unreachable)
         (func (param {values}) {} {} {})",
        (0..1000).map(|local| format!("(local.get {local})")).collect::<String>(),
        "(call $many)".repeat(200),
        "(drop)".repeat(1000)
    );
    for slow in [locals, flat, calls] {
        let said = refusal(&direct("", &slow));
        assert!(said.contains("branches and local variables"), "{said}");
    }
}

#[test]
fn branches_burn_fuel_for_every_value_that_they_carry() {
    let fuel = |count: usize| {
        let values = " i64".repeat(count);
        let turn = format!(
            "{} (local.set 0 (i32.const 1000))
             (loop $turn (param{values}) (result{values})
               (i64.const 7)
               (br_if $turn (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))
               (drop)) {}",
            "(i64.const 1)".repeat(count),
            "(drop)".repeat(count)
        );
        let turn = direct(&turn, "");
        let bench = Bench::default();
        let record = bench.record(&bench.player("carries", &turn), 1);
        assert_eq!(record.outcome.fault, None);
        record.notes.iter().find(|note| note.name == "fuel").expect("fuel is noted").value
    };
    let [one, many] = [1, 500].map(fuel);
    assert!(many > one + 499.0 * 1000.0, "{one} and {many}");
}

/// The fuel of a decision that runs this code.
fn fuel_of(decide: &str, more: &str) -> f64 {
    let bench = Bench::default();
    let record = bench.record(&bench.player("measured", &direct(decide, more)), 1);
    assert_eq!(record.outcome.fault, None);
    record.notes.iter().find(|note| note.name == "fuel").expect("fuel is noted").value
}

#[test]
fn stores_burn_what_they_take_where_they_lie_across_two_pages() {
    let store = "(i32.store (i32.const 4094) (i32.const 7))";
    let [one, many] = [1, 101].map(|count| fuel_of(&store.repeat(count), ""));
    // 49 units of time were measured, and 10 times the fuel is the bound.
    assert!(many - one >= 100.0 * 11.0, "{one} and {many}");
}

#[test]
fn calls_burn_fuel_for_the_room_that_a_function_needs() {
    let large = |count: usize| {
        format!(
            "(func $word (result i64) (i64.load (i32.const 64)))
             (func $large (param i32)
               (if (i32.eqz (local.get 0)) (then (return)))
               (i64.store (i32.const 0) {} (call $word) {}))",
            "(i64.load (local.get 0))".repeat(count),
            "(i64.xor)".repeat(count)
        )
    };
    let call = "(call $large (i32.const 0))".repeat(10);
    let [small, large] = [10, 2000].map(|count| fuel_of(&call, &large(count)));
    // With 8000 values, some 400 units of time were measured for such a call.
    assert!((large - small) / 10.0 >= 60.0, "{small} and {large}");
}

#[test]
fn a_module_that_has_started_makes_no_match_void_by_starting_no_more() {
    let mut crashed = 0;
    for unlucky in [0, 1] {
        let start = format!(
            "(drop (call $random (i32.const 16) (i32.const 1)))
             (if (i32.eq (i32.and (i32.load8_u (i32.const 16)) (i32.const 1)) (i32.const {unlucky}))
               (then (unreachable)))"
        );
        let bench = Bench::default();
        let player = bench.player("moody", &program("", &start, "", ""));
        // One of the two does not start when it is checked, either.
        if bench.catalog.player("tron", &player).is_err() {
            continue;
        }
        for seed in 1..9 {
            let fault = bench.record(&player, seed).outcome.fault;
            crashed += usize::from(fault.is_some_and(|fault| fault.fault.kind == FaultKind::Crash));
        }
    }
    assert!(crashed > 0, "it always started");
}

// Anything that could differ between machines

#[test]
fn the_bits_of_nan_are_the_same_everywhere() {
    // 0/0, infinity minus itself and the root of -1 all give the canonical NaN; if its bits were
    // the processor's, they would differ in the sign.
    for nan in [
        "(f64.div (f64.const 0) (f64.const 0))",
        "(f64.sub (f64.const inf) (f64.const inf))",
        "(f64.sqrt (f64.const -1))",
        "(f64.add (f64.const nan:0x4000000000001) (f64.const 1))",
        "(f64.promote_f32 (f32.div (f32.const 0) (f32.const -0)))",
    ] {
        let decide = format!(
            "(if (i64.ne (i64.reinterpret_f64 {nan}) (i64.const 0x7ff8000000000000))
                (then unreachable))"
        );
        let bench = Bench::default();
        let record = bench.record(&bench.player("nan", &direct(&decide, "")), 1);
        assert_eq!(record.outcome.fault, None, "{nan}");
    }
}

#[test]
fn threads_and_relaxed_arithmetic_are_not_offered() {
    let shared = "(module (memory (export \"memory\") 1 2 shared) (func (export \"_start\")))";
    assert!(refusal(shared).contains("not a valid module"));
    let relaxed = "(drop (f32x4.relaxed_madd (v128.const i64x2 0 0) (v128.const i64x2 0 0)
        (v128.const i64x2 0 0)))";
    assert!(refusal(&direct(relaxed, "")).contains("not a valid module"));
}
