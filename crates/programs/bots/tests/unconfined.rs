//! Programs that nothing confines, as on Windows and macOS: they speak the same protocol, and each
//! way to fail has the same fault as in the sandbox.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::fs;

use common::Bench;
use quintain_bots::check::{CheckTerms, CheckTime, check};
use quintain_core::{Fault, FaultKind, Setup};

fn fault_of(name: &str, script: &str, more: &str, budget: &str) -> Fault {
    Bench::unconfined().fault_of(name, script, more, budget)
}

#[test]
fn a_good_program_passes_the_check_and_plays_several_matches_in_one_process() {
    let bench = Bench::unconfined();
    bench.bot("well", "for turn in turns(): act(turn)", "");
    let bot = bench.programs.bot("bot:well").unwrap();
    let terms = CheckTerms { seed: 1, repeats: true, ..CheckTerms::default() };
    let terms = CheckTerms { partner: Some("random".to_owned()), ..terms };
    let mut said = Vec::new();
    let is_good = check(&bench.catalog, &bot, &terms, CheckTime::default(), &mut |finding| {
        said.push(finding.text.clone());
    });
    assert!(is_good, "{said:?}");
    assert!(bot.confinement().starts_with("not confined"));
    let first = bench.record("well", &Setup::new(1));
    assert_eq!(bench.record("well", &Setup::new(1)).to_json(), first.to_json());
}

#[test]
fn a_program_plays_the_same_match_with_and_without_the_sandbox() {
    let script = "for turn in turns(): act(turn, turn['actions'][turn['turn'] % 3 % \
                  len(turn['actions'])])";
    let [confined, unconfined] = [Bench::new(), Bench::unconfined()].map(|bench| {
        bench.bot("same", script, "");
        bench.record("same", &Setup::new(7)).to_json()
    });
    assert_eq!(confined, unconfined);
}

#[test]
fn every_way_to_fail_has_its_fault() {
    use FaultKind::{Crash, Flood, Memory, Processes, Protocol, Timeout};
    let ends = "sys.stderr.write('no config\\n'); sys.exit(3)";
    let deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
                for turn in turns(): time.sleep(1000)";
    let unfinished = "for turn in turns(): sys.stdout.write('{'); sys.stdout.flush(); \
                      time.sleep(9)";
    let lines = "for turn in turns():\n    while True: sys.stdout.write('x' * 1000 + '\\n')";
    let one_line = "for turn in turns():\n    while True: sys.stdout.write('x' * 100000)";
    let errors = "for turn in turns():\n    while True: sys.stderr.write('x' * 100000)";
    let hoards = "for turn in turns():\n    kept = []\n    \
                  while True: kept.append(bytearray(1 << 20))";
    let breeds = "import subprocess\nfor turn in turns():\n    \
                  kept = [subprocess.Popen(['sleep', '1000']) for _ in range(30)]\n    \
                  time.sleep(1000)";
    let speaks_twice = "for turn in turns(): act(turn); act(turn)";
    let spins = "for turn in turns():\n    while True: pass";
    let kill = "for turn in turns(): os.kill(os.getpid(), 9)";
    let (output, move_) = ("limits = { output = \"4MB\" }", "move=200ms");
    for (name, script, more, budget, kind, detail) in [
        ("ends", ends, "", "", Crash, "it ended with exit code 3"),
        ("killed", kill, "", "", Crash, "it was ended by SIGKILL"),
        ("deaf", deaf, "", move_, Timeout, "no answer within 200ms"),
        ("unfinished", unfinished, "", move_, Timeout, "no answer within 200ms"),
        ("spins", spins, "", move_, Timeout, "no answer within 200ms"),
        ("burns", spins, "limits = { cpu = \"300ms\" }", "", Timeout, "it may use 0.30 s"),
        ("chatters", lines, output, "", Protocol, "turn 0: expected"),
        ("drones", one_line, output, "", Flood, "without a line end"),
        ("complains", errors, output, "", Flood, "it wrote more than 4MB in one match"),
        ("hoards", hoards, "limits = { memory = \"100MB\" }", "", Memory, "it may take 100 MB"),
        ("breeds", breeds, "limits = { processes = 20 }", "", Processes, "it may have 20"),
        ("speaks", speaks_twice, "", "", Protocol, "it spoke more often than it was asked"),
    ] {
        let fault = fault_of(name, script, more, budget);
        assert_eq!(fault.kind, kind, "{name}: {fault}");
        assert!(fault.detail.contains(detail), "{name}: {fault}");
        if name == "ends" {
            assert_eq!(fault.said, ["no config"]);
        }
    }
}

#[test]
fn what_a_program_has_started_ends_with_it() {
    let starts = "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n";
    // What it has started keeps its output open.
    for (end, kind) in [
        ("for turn in turns(): os._exit(0)", FaultKind::Crash),
        ("for turn in turns(): time.sleep(1000)", FaultKind::Timeout),
    ] {
        let fault = fault_of("parent", &format!("{starts}{end}"), "", "move=2s");
        assert_eq!(fault.kind, kind, "{fault}");
    }
}

#[test]
fn lines_that_end_in_cr_lf_and_text_to_standard_error_are_read_as_in_the_sandbox() {
    let bench = Bench::unconfined();
    let script = "for turn in turns():\n    print('turn', turn['turn'], file=sys.stderr)\n    \
                  sys.stderr.flush()\n    \
                  sys.stdout.write(json.dumps({'type': 'action', 'action': turn['actions'][0]}) \
                  + '\\r\\n'); sys.stdout.flush()";
    bench.bot("dos", script, "");
    assert_eq!(bench.play("dos", "").fault, None);
    assert!(bench.programs.bot("bot:dos").unwrap().writes_carriage_returns());
}

#[test]
fn a_file_that_cannot_be_run_is_explained() {
    let bench = Bench::unconfined();
    let script = bench.folder.path().join("bot");
    fs::write(&script, "#!/opt/python9/bin/python\n").unwrap();
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&script, rights).unwrap();
    fs::write(bench.folder.path().join("bots.toml"), "[bot]\ncommand = \"./bot\"\n").unwrap();
    let fault = bench.play("bot", "").fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Crash);
    assert!(fault.detail.contains("the interpreter /opt/python9/bin/python"), "{fault}");
}
