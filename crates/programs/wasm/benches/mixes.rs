//! What every kind of instruction takes for the fuel that it burns, compared with plain integer
//! arithmetic. A mix that takes much longer than its fuel says would let a module think for longer
//! than its rivals. Prints a line for each mix and fails if one goes beyond its bound.
//!
//! `cargo bench -p quintain-wasm --bench mixes [-- PART_OF_A_NAME]`

use std::path::Path;

use quintain_core::{Catalog, ExternalSource, MatchStart, Question, Seat, ThinkingClock};
use quintain_wasm::Modules;
use serde_json::Value;

/// How many times longer than plain integer arithmetic a unit of fuel may take.
const BOUND: f64 = 10.0;
/// The copies of a mix in its loop, its passes, and the runs of which the fastest counts.
const COPIES: usize = 32;
const PASSES: u32 = 20_000;
const RUNS: usize = 7;

/// Code that is run again and again, after something that is run once.
struct Mix {
    name: String,
    once: &'static str,
    /// Functions that only this mix calls.
    functions: String,
    code: String,
    /// Passes of the loop; fewer for code that takes long.
    passes: u32,
    copies: usize,
    bounded: bool,
    /// Whether it meets memory that was never touched.
    is_cold: bool,
}

impl Mix {
    fn new(name: impl Into<String>, code: impl Into<String>) -> Mix {
        let (name, code) = (name.into(), code.into());
        let (once, functions) = ("", String::new());
        let (passes, copies, bounded, is_cold) = (PASSES, COPIES, true, false);
        Mix { name, once, functions, code, passes, copies, bounded, is_cold }
    }

    fn with_passes(self, passes: u32) -> Mix {
        Mix { passes, ..self }
    }
}

/// The text of a module whose `decide` runs a mix.
fn module(mix: &Mix) -> String {
    let body = mix.code.repeat(mix.copies);
    let (once, passes, functions) = (mix.once, mix.passes, &mix.functions);
    format!(
        r#"(module
  (import "quintain" "fuel_left" (func $fuel_left (result i64)))
  (import "wasi_snapshot_preview1" "clock_time_get"
    (func $clock (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (memory (export "memory") 6000)
  (table 8 funcref) (elem (i32.const 0) $same $same) (elem declare func $same)
  (global $g (mut i32) (i32.const 1))
  {functions}
  (data $bytes "{bytes}")
  (func $same (param i32) (result i32) (local.get 0))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide") (param i32 i32) (result i64)
    (local $i i32) (local $n i32) (local $x i32) (local $y i64) (local $e f32) (local $f f64)
    (local $v v128) (local $p i32)
    (local.set $x (i32.const 123456789)) (local.set $y (i64.const 1234567890123456789))
    (local.set $e (f32.const 1.5)) (local.set $f (f64.const 1.5))
    (local.set $v (f64x2.splat (f64.const 1.5)))
    {once}
    (local.set $i (i32.const {passes}))
    (loop $more {body}
      (br_if $more (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    ;; What was computed is used.
    (i32.store (i32.const 0) (local.get $x)) (i64.store (i32.const 8) (local.get $y))
    (f32.store (i32.const 4) (local.get $e)) (f64.store (i32.const 16) (local.get $f))
    (v128.store (i32.const 32) (local.get $v))
    (i32.store8 (i32.const 64) (i32.const 85))
    (i64.or (i64.shl (i64.const 64) (i64.const 32)) (i64.const 1))))"#,
        bytes = "x".repeat(70_000),
    )
}

/// Chains of one instruction on a local: each needs the result of the one before.
fn chains() -> Vec<Mix> {
    let mut mixes = Vec::new();
    let types = [("i32", "x"), ("i64", "y"), ("f32", "e"), ("f64", "f")];
    let unary = |local: &str, op: &str| {
        Mix::new(op, format!("(local.set ${local} ({op} (local.get ${local})))"))
    };
    let binary = |kind: &str, local: &str, op: &str, value: &str| {
        let code =
            format!("(local.set ${local} ({op} (local.get ${local}) ({kind}.const {value})))");
        Mix::new(op, code)
    };
    for (kind, local) in types {
        if kind.starts_with('i') {
            for op in ["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "rotl", "rotr"] {
                mixes.push(binary(kind, local, &format!("{kind}.{op}"), "7"));
            }
            for op in ["div_s", "div_u", "rem_s", "rem_u"] {
                let op = format!("{kind}.{op}");
                let code = format!(
                    "(local.set ${local} ({op} ({kind}.const 0x7fffffff)
                      ({kind}.or (local.get ${local}) ({kind}.const 7))))"
                );
                mixes.push(Mix::new(op.clone(), code));
                let code = format!(
                    "(local.set ${local} ({op} (local.get ${local}) (local.get ${local})))
                     (local.set ${local} ({kind}.or (local.get ${local}) ({kind}.const -9)))"
                );
                mixes.push(Mix::new(format!("{op} by itself"), code));
            }
            for op in ["clz", "ctz", "popcnt", "extend8_s", "extend16_s"] {
                mixes.push(unary(local, &format!("{kind}.{op}")));
            }
        } else {
            for op in ["add", "sub", "mul", "div", "min", "max", "copysign"] {
                mixes.push(binary(kind, local, &format!("{kind}.{op}"), "1.0000001"));
            }
            for op in ["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"] {
                mixes.push(unary(local, &format!("{kind}.{op}")));
            }
            let tiny = if kind == "f32" { "1e-39" } else { "1e-310" };
            let code = format!(
                "(local.set ${local} ({kind}.mul ({kind}.const {tiny}) ({kind}.add (local.get \
                 ${local}) ({kind}.const 0.5))))"
            );
            mixes.push(Mix::new(format!("{kind}.mul, denormal"), code));
            let code = format!(
                "(local.set ${local} ({kind}.div ({kind}.const {tiny}) ({kind}.add (local.get \
                 ${local}) ({kind}.const 1.5))))"
            );
            mixes.push(Mix::new(format!("{kind}.div, denormal"), code));
        }
    }
    for (whole, local) in [("i32", "x"), ("i64", "y")] {
        for (float, from) in [("f32", "e"), ("f64", "f")] {
            for sign in ["s", "u"] {
                for trunc in ["trunc", "trunc_sat"] {
                    let code = format!(
                        "(local.set ${local} ({whole}.{trunc}_{float}_{sign} (local.get ${from})))
                         (local.set ${from} ({float}.convert_{whole}_{sign} (local.get ${local})))"
                    );
                    mixes.push(Mix::new(format!("{whole}.{trunc}_{float}_{sign}, convert"), code));
                }
            }
        }
    }
    mixes
}

/// Chains of instructions on vectors.
fn vectors() -> Vec<Mix> {
    let mut mixes = Vec::new();
    let mut add = |shape: &str, unary: bool, ops: &str| {
        for op in ops.split_whitespace() {
            let op = format!("{shape}.{op}");
            let more = if unary { "" } else { "(local.get $v)" };
            let code = format!("(local.set $v ({op} (local.get $v) {more}))");
            mixes.push(Mix::new(op, code));
        }
    };
    for shape in ["i8x16", "i16x8", "i32x4", "i64x2"] {
        add(shape, false, "add sub eq ne lt_s gt_s");
        add(shape, true, "abs neg");
    }
    for shape in ["i16x8", "i32x4", "i64x2"] {
        add(shape, false, "mul");
    }
    add("i8x16", true, "popcnt");
    add("i8x16", false, "add_sat_s swizzle avgr_u narrow_i16x8_s min_u");
    add("i16x8", false, "q15mulr_sat_s extmul_high_i8x16_s narrow_i32x4_u");
    add("i16x8", true, "extadd_pairwise_i8x16_s extend_high_i8x16_u");
    add("i32x4", false, "dot_i16x8_s extmul_low_i16x8_u");
    add("i64x2", false, "extmul_high_i32x4_s");
    for shape in ["f32x4", "f64x2"] {
        add(shape, false, "add mul div min max pmin eq lt");
        add(shape, true, "sqrt ceil floor trunc nearest abs neg");
    }
    add("i32x4", true, "trunc_sat_f32x4_s trunc_sat_f32x4_u trunc_sat_f64x2_s_zero");
    add("i32x4", true, "trunc_sat_f64x2_u_zero");
    add("f32x4", true, "convert_i32x4_s convert_i32x4_u demote_f64x2_zero");
    add("f64x2", true, "convert_low_i32x4_s convert_low_i32x4_u promote_low_f32x4");
    for (op, kind) in [("shl", "i8x16"), ("shr_s", "i8x16"), ("shr_s", "i64x2"), ("shr_u", "i8x16")]
    {
        let op = format!("{kind}.{op}");
        let code = format!("(local.set $v ({op} (local.get $v) (local.get $x)))");
        mixes.push(Mix::new(op, code));
    }
    for op in ["i8x16.all_true", "i8x16.bitmask", "i16x8.bitmask", "v128.any_true"] {
        let code = format!("(local.set $v (i32x4.splat ({op} (local.get $v))))");
        mixes.push(Mix::new(op, code));
    }
    let shuffle = "(local.set $v (i8x16.shuffle 31 1 30 2 29 3 28 4 27 5 26 6 25 7 24 8 \
        (local.get $v) (local.get $v)))";
    mixes.push(Mix::new("i8x16.shuffle", shuffle));
    let select = "(local.set $v (v128.bitselect (local.get $v) (local.get $v) (local.get $v)))";
    mixes.push(Mix::new("v128.bitselect", select));
    mixes
}

/// Memory, in and beyond the caches, and instructions on much of it.
fn memories() -> Vec<Mix> {
    let mut mixes = vec![
        Mix::new(
            "load, 16 kB",
            "(local.set $x (i32.load (i32.and (local.get $x) (i32.const 0x3ff0))))",
        ),
        Mix::new("store, 16 kB", "(i32.store (i32.const 0x1230) (local.get $x))"),
        Mix::new("memory.grow 0", "(drop (memory.grow (i32.const 0)))").with_passes(100),
        Mix::new("memory.size", "(local.set $x (memory.size))"),
        Mix::new("data.drop", "(data.drop $bytes)"),
    ];
    // The addresses are those of a generator that needs what was loaded before.
    for (size, mask) in [("1 MB", "0xffff0"), ("16 MB", "0xfffff0"), ("256 MB", "0xffffff0")] {
        let code = format!(
            "(local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525))
               (i32.add (i32.const 1013904223)
                 (i32.load (i32.and (local.get $x) (i32.const {mask}))))))"
        );
        let mix = Mix::new(format!("chase through {size}"), code);
        mixes.push(Mix { bounded: false, ..mix });
    }
    let cold = "(i32.store8 (local.get $p) (i32.const 1))
        (local.set $p (i32.add (local.get $p) (i32.const 4096)))";
    let once = "(local.set $p (i32.mul (memory.grow (i32.const 8000)) (i32.const 65536)))";
    // How long the system takes to clear a page differs a hundredfold between machines.
    let touch = Mix::new("first touch of 512 MB", cold).with_passes(4000);
    mixes.push(Mix { once, is_cold: true, bounded: false, ..touch });
    for bytes in [0_u32, 1, 7, 16, 40, 63, 64, 100, 256, 1000, 4096, 5000, 70_000, 90 << 20] {
        let passes = (PASSES / (1 + bytes / 100)).max(1);
        let copies = if bytes > 1 << 20 { 2 } else { COPIES };
        for (name, code) in [
            ("fill", format!("(memory.fill (i32.const 65536) (i32.const 0) (i32.const {bytes}))")),
            (
                "copy",
                format!("(memory.copy (i32.const 1000000) (i32.const 1000) (i32.const {bytes}))"),
            ),
            (
                "copy up",
                format!("(memory.copy (i32.const 1001) (i32.const 1000) (i32.const {bytes}))"),
            ),
        ] {
            let mix = Mix::new(format!("{name} {bytes}"), code).with_passes(passes);
            mixes.push(Mix { copies, ..mix });
        }
        if bytes <= 70_000 {
            let code = format!(
                "(memory.init $bytes (i32.const 1000000) (i32.const 0) (i32.const {bytes}))"
            );
            mixes.push(Mix::new(format!("init {bytes}"), code).with_passes(passes));
        }
    }
    mixes
}

/// Calls, tables, and functions of ours.
fn calls() -> Vec<Mix> {
    vec![
        Mix::new("select", "(local.set $x (select (local.get $x) (local.get $i) (local.get $x)))"),
        Mix::new("global", "(global.set $g (i32.add (global.get $g) (i32.const 1)))"),
        Mix::new("call", "(local.set $x (call $same (local.get $x)))"),
        Mix::new(
            "call_indirect",
            "(local.set $x (call_indirect (param i32) (result i32) (local.get $x) (i32.const 1)))",
        ),
        Mix::new("ref.func", "(drop (ref.func $same))"),
        Mix::new("ref.func, is_null", "(local.set $x (ref.is_null (ref.func $same)))"),
        Mix::new("table.get", "(drop (table.get 0 (i32.const 1)))"),
        Mix::new("table.get, is_null", "(local.set $x (ref.is_null (table.get 0 (i32.const 1))))"),
        Mix::new("table.set", "(table.set 0 (i32.const 2) (ref.null func))"),
        Mix::new("table.set ref.func", "(table.set 0 (i32.const 2) (ref.func $same))"),
        Mix::new("table.size", "(local.set $x (table.size 0))"),
        Mix::new("fuel_left", "(local.set $y (call $fuel_left))"),
        Mix::new("clock", "(drop (call $clock (i32.const 1) (i64.const 0) (i32.const 400)))"),
        Mix::new("random 1", "(drop (call $random (i32.const 400) (i32.const 1)))"),
        Mix::new("random 4096", "(drop (call $random (i32.const 400) (i32.const 4096)))")
            .with_passes(500),
        Mix::new("yield", "(drop (call $yield))"),
    ]
}

/// Memory that lies across two pages.
fn across_pages() -> Vec<Mix> {
    let mixes = [
        ("i32.store", "(i32.store (i32.const 4094) (local.get $x))"),
        ("v128.store", "(v128.store (i32.const 4088) (local.get $v))"),
        (
            "i32.store, load",
            "(i32.store (i32.const 4094) (local.get $x))
             (local.set $x (i32.load (i32.const 4093)))",
        ),
        ("i64.store, load", "(i64.store (i32.const 4092) (i64.load (i32.const 4092)))"),
        ("v128.store, load", "(v128.store (i32.const 4088) (v128.load (i32.const 4087)))"),
    ];
    mixes.map(|(name, code)| Mix::new(format!("{name} across pages"), code)).into()
}

/// Calls of functions that need much room and return at once.
fn frames() -> Vec<Mix> {
    let holding = |count: usize| {
        let loads: String =
            (0..count).map(|at| format!("(i64.load offset={} (local.get 0))", 8 * at)).collect();
        let functions = format!(
            "(func $word (result i64) (i64.load (i32.const 64)))
             (func $large (param i32)
               (if (i32.eqz (local.get 0)) (then (return)))
               (i64.store (i32.const 0) {loads} (call $word) {}))",
            "(i64.xor)".repeat(count)
        );
        let mix = Mix::new(format!("call, {count} values"), "(call $large (i32.const 0))");
        Mix { functions, copies: 8, ..mix.with_passes(2000) }
    };
    [100, 1000, 8000, 30_000].into_iter().map(holding).collect()
}

/// Branches that carry values on the stack, and joins of ways on which locals differ.
fn branches() -> Vec<Mix> {
    let carrying = |count: usize| {
        let types = " i64".repeat(count);
        let values = "(local.get $y)".repeat(count);
        let drops = "(drop)".repeat(count);
        let code = format!(
            "{values} (local.set $n (i32.const 100))
             (loop $turn (param{types}) (result{types})
               (i64.const 7)
               (br_if $turn (local.tee $n (i32.sub (local.get $n) (i32.const 1))))
               (local.set $y))
             {drops}"
        );
        let mix = Mix::new(format!("a branch with {count} values"), code).with_passes(2000);
        Mix { copies: 1, ..mix }
    };
    [1, 2, 10, 100, 900].into_iter().map(carrying).collect()
}

/// Code that goes on in one of many places, which no processor foresees, and whose instructions
/// are not at hand: among functions of a table, and among branches of one function. `dead` is the
/// number of instructions between two places that nobody meets.
fn anywhere() -> Vec<Mix> {
    // A step of a generator, whose high bits are the place.
    let next = "(local.set $x
                  (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))";
    let place =
        |places: usize| format!("(i32.shr_u (local.get $x) (i32.const {}))", 32 - places.ilog2());
    let never = |dead: usize, local: &str| {
        let step =
            format!("(local.set {local} (i32.rotl (local.get {local}) (local.get {local})))");
        match dead {
            0 => String::new(),
            _ => {
                format!("(if (i32.eq (global.get $g) (i32.const 77)) (then {}))", step.repeat(dead))
            }
        }
    };
    let functions = |places: usize, dead: usize| {
        let body = never(dead, "0");
        let function = |number: usize| {
            format!(
                "(func $f{number} (param i32) (result i32)
                   {body} (i32.add (local.get 0) (i32.const {number})))"
            )
        };
        let all: String = (0..places).map(function).collect();
        let names: String = (0..places).map(|number| format!(" $f{number}")).collect();
        let code = format!(
            "{next}
             (local.set $x (call_indirect $many (param i32) (result i32) (local.get $x) {}))",
            place(places)
        );
        Mix {
            functions: format!(
                "(table $many {places} funcref)
                 (elem (table $many) (i32.const 0) func{names}) {all}"
            ),
            ..Mix::new(format!("any of {places} functions, {dead}"), code)
        }
    };
    let branches = |places: usize, dead: usize| {
        let begin: String = (0..places).map(|number| format!("(block $b{number} ")).collect();
        let targets: String = (0..places).map(|number| format!(" $b{number}")).collect();
        let leave = |number: usize| {
            let body = never(dead, "$x");
            format!(
                ") {body} (local.set $x (i32.add (local.get $x) (i32.const {number}))) (br $out)"
            )
        };
        let all: String = (0..places).map(leave).collect();
        let code =
            format!("{next} (block $out {begin} (br_table{targets} $out {}) {all})", place(places));
        let mix = Mix::new(format!("any of {places} branches, {dead}"), code);
        Mix { copies: 1, passes: PASSES * 20, ..mix }
    };
    vec![
        functions(64, 0),
        functions(512, 0),
        functions(4096, 0),
        functions(4096, 100),
        functions(4096, 250),
        functions(32_768, 0),
        branches(64, 0),
        branches(512, 0),
        branches(512, 100),
    ]
}

/// Nanoseconds for a unit of fuel, and the units that a copy of the mix burns.
fn measure(folder: &Path, mix: &Mix, start: &MatchStart, question: &Question) -> (f64, f64) {
    let file = folder.join("mix.wasm");
    std::fs::write(&file, wat::parse_str(module(mix)).expect("the text is a module")).unwrap();
    let modules = Modules::new();
    let spec = format!("wasm:{}?fuel=1000G&memory=1GB", file.display());
    let spec = modules.resolve(&spec, "tron").unwrap_or_else(|e| panic!("{}: {e}", mix.name));
    let mut least = (f64::INFINITY, 0.0);
    for _ in 0..RUNS {
        let mut player = modules.open(&spec).unwrap();
        player.start(start, &Value::Null).unwrap();
        if !mix.is_cold {
            player.answer(question).unwrap_or_else(|e| panic!("{}: {e}", mix.name));
        }
        let begun = ThinkingClock::start();
        let answer = player.answer(question).unwrap_or_else(|e| panic!("{}: {e}", mix.name));
        let seconds = begun.elapsed().as_secs_f64();
        let fuel = answer.notes.iter().find(|note| note.0 == "fuel").expect("fuel is noted").1;
        let each = fuel / (f64::from(mix.passes) * mix.copies as f64);
        least = if seconds / fuel < least.0 { (seconds / fuel, each) } else { least };
    }
    (least.0 * 1e9, least.1)
}

fn main() {
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let folder = tempfile::tempdir().unwrap();
    let game = Catalog::new().with(quintain_tron::entry()).game("tron", "hackerrank").unwrap();
    let begin = game.begin(1);
    let seat = Seat::new(0);
    let question = Question::new(seat, 0, begin.observation(seat), begin.actions(seat));
    let start = MatchStart::new("tron", "hackerrank", 2);
    // Plain integer arithmetic: the steps of a usual generator, each of which needs the last one.
    let plain = Mix::new(
        "plain",
        "(local.set $x (i32.xor (local.get $x) (i32.shl (local.get $x) (i32.const 13))))
         (local.set $x (i32.xor (local.get $x) (i32.shr_u (local.get $x) (i32.const 17))))
         (local.set $x (i32.xor (local.get $x) (i32.shl (local.get $x) (i32.const 5))))",
    );
    let (plain, _) = measure(folder.path(), &plain, &start, &question);
    println!("plain integer arithmetic: {plain:.3} ns a unit");
    println!("{:28} {:>9} {:>9} {:>8}", "mix", "units", "ns", "times");
    let all = [
        chains(),
        vectors(),
        memories(),
        across_pages(),
        calls(),
        frames(),
        branches(),
        anywhere(),
    ];
    let all = all.into_iter().flatten();
    let mut beyond = Vec::new();
    for mix in all.filter(|mix| part.as_ref().is_none_or(|part| mix.name.contains(part))) {
        let (unit, each) = measure(folder.path(), &mix, &start, &question);
        let times = unit / plain;
        println!("{:28} {each:9.1} {:9.1} {times:8.1}", mix.name, unit * each);
        if mix.bounded && times > BOUND {
            beyond.push(mix.name);
        }
    }
    println!(
        "beyond {BOUND} times: {}",
        if beyond.is_empty() { "none".into() } else { beyond.join(", ") }
    );
    assert!(beyond.is_empty(), "some mixes take more time than their fuel says");
}
