//! Modules play: by lines and by calls, within their fuel, and the same every time.

mod common;

use std::sync::Arc;

use common::{Bench, direct, program};
use quintain_core::{Budget, Catalog, FaultKind, LogContent, Record, ReplayVerdict, Setup};
use quintain_wasm::{Modules, SentModules};

fn usual() -> String {
    program("", "", "", "")
}

fn fuel_of(record: &Record) -> Vec<f64> {
    let is_fuel = |note: &&quintain_core::Note| note.name == "fuel" && note.seat.index() == 0;
    record.notes.iter().filter(is_fuel).map(|note| note.value).collect()
}

#[test]
fn a_program_plays_by_lines_and_its_match_is_the_same_every_time() {
    let bench = Bench::default();
    let player = bench.player("usual", &usual());
    for seed in 0..5 {
        let record = bench.record(&player, seed);
        assert_eq!(record.outcome.fault, None);
        assert_eq!(record.to_json(), bench.record(&player, seed).to_json());
        bench.catalog.verify(&record).unwrap();
    }
    let played: Vec<String> = (0..5).map(|seed| bench.record(&player, seed).actions).collect();
    assert!(played.iter().any(|actions| *actions != played[0]), "the seed chooses");
}

#[test]
fn a_module_made_for_another_game_is_refused_before_anything_is_played() {
    let bench = Bench::default();
    let ready = r#"{\"type\":\"ready\",\"name\":\"text\"}"#;
    let of = |games: &str| {
        let with = format!(r#"{{\"type\":\"ready\",\"games\":[\"{games}\"]}}"#);
        // The text is longer, so it is stored at another address.
        let length = format!(r#"{{"type":"ready","games":["{games}"]}}"#).len() + 1;
        usual()
            .replace(&format!("(i32.const 64) \"{ready}"), &format!("(i32.const 320) \"{with}"))
            .replace(
                "(i32.const 64) (i32.const 31)",
                &format!("(i32.const 320) (i32.const {length})"),
            )
    };
    let tron = bench.player("tron", &of("tron"));
    assert_eq!(bench.record(&tron, 1).outcome.fault, None);
    let other = bench.player("other", &of("chess"));
    let said = bench.refusal(&other);
    assert!(said.ends_with("does not play tron; it says that it plays chess"), "{said}");
}

#[test]
fn a_module_that_was_sent_plays_as_its_file_does_and_reads_nothing_else() {
    let bench = Bench::default();
    let player = bench.player("up", &direct("", ""));
    let here = bench.catalog.player("tron", &player).unwrap();
    let file = here.portable_file().unwrap();
    let sent = SentModules::default();
    let source = Arc::new(sent.make(&player, &file).unwrap());
    let path = player.strip_prefix("wasm:").unwrap();
    std::fs::write(path, "something else").unwrap();
    assert!(here.portable_file().is_none(), "its file has changed");
    let catalog = bench.catalog.clone().with_external(source);
    let there = catalog.player("tron", &player).unwrap();
    assert_eq!((&there.spec, there.version), (&here.spec, here.version));
    let other = bench.player("other", &direct("", ""));
    let Err(error) = catalog.player("tron", &other) else { panic!("it was not sent") };
    assert!(error.to_string().ends_with("it was not sent"), "{error}");
    let refused = sent.make(&player, b"something else").err().unwrap();
    assert!(refused.to_string().contains("this is not a WebAssembly module"), "{refused}");
}

#[test]
fn a_file_without_the_prefix_gets_a_suggestion() {
    let bench = Bench::default();
    let player = bench.player("up", &direct("", ""));
    let file = player.strip_prefix("wasm:").unwrap();
    let said = bench.catalog.player("tron", file).err().unwrap().to_string();
    assert!(said.ends_with(&format!("did you mean {player}?")), "{said}");
    let missing = bench.catalog.player("tron", "missing.wasm").err().unwrap().to_string();
    assert!(!missing.contains("wasm:"), "{missing}");
}

#[test]
fn a_module_is_called_directly() {
    let bench = Bench::default();
    let up = bench.player("up", &direct("", ""));
    let record = bench.record(&up, 1);
    assert!(record.actions.starts_with("U "), "{}", record.actions);
    assert_eq!(record.outcome.fault, None);
    // Its whole message is read too, with notes.
    let reply = r#"{"type":"action","action":"R","notes":{"depth":4}}"#;
    let more = format!("(data (i32.const 128) {:?})", reply);
    let whole = format!(
        "(return (i64.or (i64.shl (i64.const 128) (i64.const 32)) (i64.const {})))",
        reply.len()
    );
    let record = bench.record(&bench.player("whole", &direct(&whole, &more)), 1);
    assert!(record.actions.starts_with("R "), "{}", record.actions);
    assert!(record.notes.iter().any(|note| note.name == "depth" && note.value == 4.0));
}

#[test]
fn a_direct_module_gets_the_match_and_every_turn() {
    // It sends back the beginning of the message that it was given, as an invalid action.
    let bench = Bench::default();
    let tell = "(return (i64.or (i64.shl (i64.const 1024) (i64.const 32)) (i64.const 60)))";
    let fault = bench.fault(&bench.player("turn", &direct(tell, "")));
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert!(fault.detail.contains(r#"{\"type\":\"turn\",\"turn\":0,\"observation\""#), "{fault}");
    let init = r#"(func (export "init") (param i32 i32)
        (memory.copy (i32.const 8192) (local.get 0) (i32.const 60)))"#;
    let tell = "(return (i64.or (i64.shl (i64.const 8192) (i64.const 32)) (i64.const 60)))";
    let fault = bench.fault(&bench.player("init", &direct(tell, init)));
    assert!(
        fault.detail.contains(r#"{\"type\":\"start\",\"match\":1,\"game\":\"tron\""#),
        "{fault}"
    );
}

/// A module that is asked in the packed encoding: it traps unless the question is as long as its
/// numbers say, and then does `decide` with the address of the mask.
fn packed(decide: &str) -> String {
    format!(
        r#"(module (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "decide_packed") (param $at i32) (param $length i32) (result i32)
    (local $mask i32) (local $number i32)
    (local.set $mask (i32.add (i32.add (local.get $at) (i32.const 36))
      (i32.mul (i32.load offset=24 (local.get $at)) (i32.const 4))))
    (if (i32.ne (i32.add (local.get $at) (local.get $length))
                (i32.add (i32.add (local.get $mask) (i32.load offset=20 (local.get $at)))
                         (i32.mul (i32.load offset=28 (local.get $at))
                                  (i32.load offset=32 (local.get $at)))))
      (then unreachable))
    {decide}))"#
    )
}

/// Takes the first allowed action.
const FIRST: &str = "(loop $next
    (if (i32.load8_u (i32.add (local.get $mask) (local.get $number)))
      (then (return (local.get $number))))
    (local.set $number (i32.add (local.get $number) (i32.const 1)))
    (br $next))
  unreachable";

#[test]
fn a_module_is_asked_in_the_numbers_of_the_games_encoding() {
    let bench = Bench::default();
    let first = bench.player("first", &packed(FIRST));
    for seed in 0..5 {
        let record = bench.record(&first, seed);
        assert_eq!(record.outcome.fault, None);
        assert_eq!(fuel_of(&record).len(), record.outcome.metrics["turns"] as usize);
        assert_eq!(bench.catalog.verify_players(&record, None), Ok(ReplayVerdict::Same));
    }
    // It is told its seed, the turn, its seat, its time, four actions, one feature, and the board.
    let told = "(if (i64.eqz (i64.load (local.get $at))) (then unreachable))
      (if (i32.ne (i32.load offset=8 (local.get $at)) (i32.load offset=36 (local.get $at)))
        (then unreachable))
      (if (i32.load offset=12 (local.get $at)) (then unreachable))
      (if (i32.ne (i32.load offset=16 (local.get $at)) (i32.const 10)) (then unreachable))
      (if (i32.ne (i32.load offset=20 (local.get $at)) (i32.const 4)) (then unreachable))
      (if (i32.ne (i32.load offset=24 (local.get $at)) (i32.const 1)) (then unreachable))";
    let told = bench.player("told", &packed(&format!("{told}{FIRST}")));
    assert_eq!(bench.record(&format!("{told}?fuel=50M"), 1).outcome.fault, None);
}

#[test]
fn invalid_action_numbers_are_forfeits() {
    let bench = Bench::default();
    let fault = bench.fault(&bench.player("none", &packed("(i32.const 4)")));
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert_eq!(fault.detail, "turn 0: 4 is not an action; expected 0 to 3");
    // It takes the first action that is not allowed, once there is one.
    let masked = format!(
        "(loop $all
           (if (i32.eqz (i32.load8_u (i32.add (local.get $mask) (local.get $number))))
             (then (return (local.get $number))))
           (local.set $number (i32.add (local.get $number) (i32.const 1)))
           (br_if $all (i32.lt_u (local.get $number) (i32.const 4))))
         (local.set $number (i32.const 0)) {FIRST}"
    );
    let fault = bench.fault(&bench.player("masked", &packed(&masked)));
    assert_eq!(fault.kind, FaultKind::Illegal);
    assert!(fault.detail.contains("is not legal here"), "{fault}");
}

#[test]
fn modules_with_numbers_run_out_of_fuel() {
    let bench = Bench::default();
    let endless = bench.player("endless", &packed("(loop $more (br $more)) unreachable"));
    let fault = bench.fault(&format!("{endless}?fuel=50k"));
    assert_eq!(fault.detail, "turn 0: no answer within 50k of fuel");
    let wrong = "(module (memory (export \"memory\") 1)
        (func (export \"alloc\") (param i32) (result i32) (i32.const 0))
        (func (export \"decide_packed\") (param i32 i32) (result i64) (i64.const 0)))";
    let said = bench.refusal(&bench.player("wrong", wrong));
    assert!(
        said.contains("decide_packed is (i32, i32) -> (i64), expected (i32, i32) -> (i32)"),
        "{said}"
    );
}

#[test]
fn the_fuel_of_every_decision_is_kept_and_so_is_their_sum() {
    let bench = Bench::default();
    let player = bench.player("usual", &usual());
    let record = bench.record(&player, 1);
    let fuel = fuel_of(&record);
    let turns = record.outcome.metrics["turns"] as usize;
    assert_eq!(fuel.len(), turns);
    assert!(fuel.iter().all(|fuel| *fuel > 1000.0), "{fuel:?}");
    // The module's own note of that name does not count; its other notes do.
    assert_eq!(record.notes.iter().filter(|note| note.name == "seen").count(), turns);
    let sum = record.log.iter().find_map(|entry| match &entry.content {
        LogContent::Note { name, text } if name == "fuel" => Some(text.clone()),
        _ => None,
    });
    let total = fuel.iter().sum::<f64>() as u64;
    let sum = sum.expect("a summary");
    assert!(sum.contains(&format!("in {turns} decisions")), "{sum}");
    assert!(sum.starts_with(&total.to_string()) || total.is_multiple_of(1000), "{sum}, {total}");
    // Without notes the record contains none, and the rest is the same.
    let setup = Setup::new(1);
    let plain = bench.play([&player, "random"], &setup).unwrap();
    assert!(plain.notes.is_empty());
    assert_eq!((plain.actions, plain.outcome), (record.actions, record.outcome));
}

#[test]
fn running_out_of_fuel_is_a_forfeit_with_its_reason() {
    let bench = Bench::default();
    let endless = bench.player("endless", &program("", "", "(loop $more (br $more))", ""));
    let fault = bench.fault(&format!("{endless}?fuel=50k"));
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert_eq!(fault.detail, "turn 0: no answer within 50k of fuel");
    let endless = bench.player("calls", &direct("(loop $more (br $more))", ""));
    let fault = bench.fault(&format!("{endless}?fuel=2M"));
    assert_eq!(fault.detail, "turn 0: no answer within 2M of fuel");
}

#[test]
fn the_fuel_of_a_match_is_shared_by_its_decisions() {
    let bench = Bench::default();
    let player = bench.player("usual", &usual());
    let sum = |fuel: &[f64]| fuel.iter().sum::<f64>() as u64;
    let enough = sum(&fuel_of(&bench.record(&player, 1)));
    let exact = bench.record(&format!("{player}?match-fuel={}", enough + 1000), 1);
    assert_eq!(exact.outcome.fault, None);
    // It reads the time that it has, so it burns less where that has fewer digits.
    let fuel = fuel_of(&exact);
    let short = format!("{player}?match-fuel={}", sum(&fuel) - 1000);
    let fault = bench.fault(&short);
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert!(fault.detail.contains(&format!("turn {}", fuel.len() - 1)), "{fault}");
}

#[test]
fn a_match_of_time_is_one_of_fuel_five_units_a_nanosecond() {
    let bench = Bench::default();
    let endless = bench.player("endless", &direct("(loop $more (br $more))", ""));
    let fault = |budget: &str| {
        let setup = Setup::default().with_budget(budget.parse::<Budget>().unwrap());
        let record = bench.play([&endless, "random"], &setup).unwrap();
        record.outcome.fault.unwrap().fault.detail
    };
    assert_eq!(fault("move=2ms"), "turn 0: no answer within 10M of fuel");
    assert_eq!(fault("match=30ms"), "turn 0: no answer within 150M of fuel");
}

#[test]
fn a_stopped_match_ends_within_a_slice_of_fuel() {
    let bench = Bench::default();
    let endless = "(loop $more (br $more))";
    for text in [direct(endless, ""), program("", "", endless, "")] {
        let player = bench.player("endless", &text);
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(true));
        let setup = Setup::new(1).with_stop(stop);
        let spec = format!("{player}?fuel=900000G");
        let record = Bench::default().play([&spec, "random"], &setup).unwrap();
        let fault = record.outcome.fault.unwrap().fault;
        assert_eq!(fault.detail, "turn 0: the match was given up");
    }
}

#[test]
fn the_clock_is_the_fuel_and_sleeping_burns_it() {
    let imports = r#"
      (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32)
        (result i32)))
      (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32)
        (result i32)))"#;
    // Sleeps for 7 ms by a subscription to the clock at 512, and refuses to go on if less passed.
    let turn = r#"
      (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 400)))
      (i32.store (i32.const 528) (i32.const 1))
      (i64.store (i32.const 536) (i64.const 7000000))
      (if (call $poll (i32.const 512) (i32.const 600) (i32.const 1) (i32.const 700))
        (then unreachable))
      (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 408)))
      (if (i64.lt_u (i64.sub (i64.load (i32.const 408)) (i64.load (i32.const 400)))
        (i64.const 7000000))
        (then unreachable))"#;
    let bench = Bench::default();
    let player = bench.player("sleeper", &program(imports, "", turn, ""));
    let record = bench.record(&player, 1);
    assert_eq!(record.outcome.fault, None);
    assert!(fuel_of(&record).iter().all(|fuel| (35_000_000.0..35_500_000.0).contains(fuel)));
    let fault = bench.fault(&format!("{player}?fuel=30M"));
    assert_eq!(fault.detail, "turn 0: no answer within 30M of fuel");
}

#[test]
fn standard_error_of_a_module_is_kept_by_turn() {
    let bench = Bench::default();
    let turn = "(call $write (i32.const 2) (i32.const 256) (i32.const 4))";
    let record = bench.record(&bench.player("loud", &program("", "", turn, "")), 1);
    let said: Vec<u32> = record
        .log
        .iter()
        .filter(|entry| entry.content == LogContent::Stderr("URDL".to_owned()))
        .map(|entry| entry.turn)
        .collect();
    let turns = record.outcome.metrics["turns"] as u32;
    assert_eq!(said, (0..turns).collect::<Vec<_>>());
}

#[test]
fn its_version_is_that_of_the_file_and_of_fuel_and_its_limits_are_part_of_its_text() {
    let bench = Bench::default();
    let one = bench.player("one", &direct("", ""));
    let same = bench.player("same", &direct("", ""));
    let other = bench.player("other", &direct("(nop)", ""));
    let version = |player: &str| bench.catalog.player("tron", player).unwrap().version;
    assert_eq!(version(&one), version(&same));
    assert_ne!(version(&one), version(&other));
    let bytes = std::fs::read(one.strip_prefix("wasm:").unwrap()).unwrap();
    let digest = quintain_core::digest(&bytes);
    let priced = quintain_core::digest(format!("{digest} fuel 5").as_bytes());
    assert_eq!(format!("{:08x}", version(&one)), priced[..8]);
    assert_eq!(version(&one), version(&format!("{one}?fuel=5M")));
    let record = bench.record(&format!("{one}?fuel=5000k"), 1);
    assert_eq!(record.fixture.seats[0], format!("{one}?fuel=5M"));
    assert_eq!(record.fixture.versions.players[0], version(&one));
}

#[test]
fn a_module_file_is_read_once() {
    let bench = Bench::default();
    let player = bench.player("one", &direct("", ""));
    let before = bench.record(&player, 1);
    bench.player("one", &direct("(unreachable)", ""));
    assert_eq!(bench.record(&player, 1).to_json(), before.to_json());
}

#[test]
fn rewritten_bulk_instructions_work_and_burn_fuel() {
    // It fills, copies forward and backward across pieces, and reports the sum of the bytes.
    let bench = Bench::default();
    let more = r#"(data $text "abcdefgh")
      (func $sum (param $from i32) (param $to i32) (result i32) (local $sum i32)
        (loop $next
          (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31))
            (i32.load8_u (local.get $from))))
          (br_if $next (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 1)))
            (local.get $to))))
        (local.get $sum))"#;
    let work = |expected: i32| {
        format!(
            r#"
        (if (i32.ne (memory.grow (i32.const 1)) (i32.const 1)) (then unreachable))
        (memory.fill (i32.const 10000) (i32.const 7) (i32.const 20000))
        (memory.init $text (i32.const 10000) (i32.const 0) (i32.const 8))
        (memory.init $text (i32.const 20000) (i32.const 2) (i32.const 3))
        (memory.copy (i32.const 10500) (i32.const 10000) (i32.const 15000))
        (memory.copy (i32.const 9000) (i32.const 9500) (i32.const 15000))
        (memory.copy (i32.const 40000) (i32.const 9000) (i32.const 0))
        (memory.copy (i32.const 65000) (i32.const 10400) (i32.const 9001))
        (if (i32.ne (call $sum (i32.const 9000) (i32.const 80000)) (i32.const {expected}))
          (then unreachable))"#
        )
    };
    let mut memory = vec![0u8; 131_072];
    memory[10000..30000].fill(7);
    memory[10000..10008].copy_from_slice(b"abcdefgh");
    memory[20000..20003].copy_from_slice(b"cde");
    memory.copy_within(10000..25000, 10500);
    memory.copy_within(9500..24500, 9000);
    memory.copy_within(10400..19401, 65000);
    let sum = memory[9000..80000]
        .iter()
        .fold(0i32, |sum, byte| sum.wrapping_mul(31).wrapping_add(i32::from(*byte)));
    let once = "(global $done (mut i32) (i32.const 0))";
    let once_only = |work: String| {
        format!("(if (i32.eqz (global.get $done)) (then (global.set $done (i32.const 1)) {work}))")
    };
    let player = bench.player("bulk", &direct(&once_only(work(sum)), &format!("{once} {more}")));
    assert_eq!(bench.record(&player, 1).outcome.fault, None);
    let wrong =
        bench.player("wrong", &direct(&once_only(work(sum + 1)), &format!("{once} {more}")));
    assert_eq!(bench.fault(&wrong).kind, FaultKind::Crash);
    // Ten thousand fills of a megabyte would take seconds: they burn fuel in proportion.
    let fills = r#"(local $n i32) (if (i32.eq (memory.size) (i32.const 1))
        (then (drop (memory.grow (i32.const 20)))))
      (loop $again (memory.fill (i32.const 0) (i32.const 0) (i32.const 1048576)) (br $again))"#;
    let fills = bench.player("fills", &direct(fills, ""));
    assert_eq!(bench.fault(&format!("{fills}?fuel=1M")).kind, FaultKind::Timeout);
}

#[test]
fn work_burns_what_it_takes() {
    let bench = Bench::default();
    let fuel = |code: &str| {
        // A file is read once, so each has its own.
        let player = bench.player(&quintain_core::digest(code.as_bytes()), &direct(code, ""));
        fuel_of(&bench.record(&format!("{player}?memory=64MB"), 1))[0]
    };
    let nothing = fuel("");
    let costs = |code: &str| fuel(code) - nothing;
    let fill = |bytes: u32| {
        costs(&format!("(memory.fill (i32.const 2000) (i32.const 1) (i32.const {bytes}))"))
    };
    let copy = |bytes: u32| {
        costs(&format!("(memory.copy (i32.const 2000) (i32.const 3000) (i32.const {bytes}))"))
    };
    for work in [&fill as &dyn Fn(u32) -> f64, &copy] {
        assert!((120.0..200.0).contains(&work(7)), "{}", work(7));
        for bytes in [256, 4096, 5000, 60_000] {
            let units = f64::from(bytes) / 4.0;
            assert!(
                (units..units * 1.1 + 220.0).contains(&work(bytes)),
                "{bytes}: {}",
                work(bytes)
            );
        }
    }
    // A page of 64 kB is cleared by the system when it is touched.
    let grow = |pages: u32| costs(&format!("(drop (memory.grow (i32.const {pages})))"));
    assert!((16_000.0..17_000.0).contains(&(grow(3) - grow(2))), "{}", grow(3) - grow(2));
    assert!(grow(60_000) < 1100.0, "memory that is refused costs nothing more");
    let sum = costs("(drop (i32.add (i32.const 7) (i32.const 5)))");
    let quotient = costs("(drop (i32.div_u (i32.const 7) (i32.const 5)))");
    let root = costs("(drop (f64.sqrt (f64.const 7)))");
    assert!(quotient > sum + 5.0 && root > sum + 5.0, "{sum}, {quotient}, {root}");
}

#[test]
fn modules_that_others_name_are_those_of_this_folder() {
    let catalog = Catalog::new()
        .with(quintain_tron::entry())
        .with_external(Arc::new(Modules::of_this_folder()));
    for file in ["/etc/passwd", "../a.wasm", "a/../../b.wasm"] {
        let refused = catalog.player("tron", &format!("wasm:{file}")).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("only files in this folder"), "{refused}");
    }
    let missing = catalog.player("tron", "wasm:no/such.wasm").map(|_| ()).unwrap_err();
    assert_eq!(missing.to_string(), "wasm:no/such.wasm: there is no such file");
}
