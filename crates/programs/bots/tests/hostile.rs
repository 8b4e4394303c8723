//! Hostile and broken programs: each ends in its own kind of fault, within its time, and nothing of
//! it is left behind.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "every file uses a part of it")]
mod common;

use std::time::{Duration, Instant};

use common::Bench;
use quintain_core::{Catalog, Fault, FaultKind, SeatFault, Setup};

fn fault_of(name: &str, script: &str, more: &str, budget: &str) -> Fault {
    Bench::new().fault_of(name, script, more, budget)
}

/// Plays a match with a program that tries something; it plays on only if it is denied.
fn is_denied(name: &str, attempt: &str) {
    let bench = Bench::new();
    let missing = bench.programs.protections().unwrap().missing();
    if !missing.is_empty() {
        eprintln!("skipped: {name}, because this machine lacks {}", missing.join(" and "));
        return;
    }
    let script = format!(
        "def attempt():\n    {}\nfor turn in turns():\n    try: attempt()\n    \
         except OSError as error: act(turn)\n    else: say({{\"succeeded\": True}})\n",
        attempt.replace('\n', "\n    ")
    );
    bench.bot(name, &script, "");
    std::fs::write(bench.folder.path().join("results.sqlite"), b"SQLite format 3\0 and more")
        .unwrap();
    assert_eq!(bench.play(name, "").fault, None, "{name} is denied");
}

#[test]
fn a_program_that_plays_well_plays_to_the_end() {
    let bench = Bench::new();
    bench.bot("well", "for turn in turns(): act(turn)", "");
    assert_eq!(bench.play("well", "").fault, None);
}

#[test]
fn one_that_exits_at_once_has_crashed_with_its_exit_code_and_its_last_words() {
    let fault = fault_of("exits", "sys.stderr.write('no config\\n'); sys.exit(3)", "", "");
    assert_eq!(fault.kind, FaultKind::Crash);
    assert_eq!(fault.detail, "it ended with exit code 3");
    assert_eq!(fault.said, ["no config"]);
}

#[test]
fn one_that_ends_before_it_is_ready_is_reported() {
    let fault = fault_of("hasty", "sys.exit(0)", "", "");
    assert_eq!(fault.kind, FaultKind::Crash);
    assert_eq!(fault.detail, "it ended with exit code 0 before it answered “hello”");
}

#[test]
fn one_that_exits_in_mid_match_has_crashed() {
    let script = "for turn in turns():\n    if turn['turn'] == 1: os._exit(0)\n    act(turn)";
    let fault = fault_of("leaves", script, "", "");
    assert_eq!(
        (fault.kind, fault.detail.as_str()),
        (
            FaultKind::Crash,
            "it ended with exit code 0 instead of answering; it must read messages until “bye”"
        )
    );
}

#[test]
fn one_that_fails_with_an_exception_shows_its_traceback() {
    let fault = fault_of("raises", "for turn in turns(): turn['board']", "", "");
    assert_eq!(fault.kind, FaultKind::Crash);
    assert_eq!(fault.said.last().unwrap(), "KeyError: 'board'");
}

#[test]
fn one_that_is_killed_by_a_signal_names_it() {
    let fault = fault_of("aborts", "os.abort()", "", "");
    assert_eq!(fault.detail, "it was ended by SIGABRT");
    let fault = fault_of("traps", "import ctypes; ctypes.string_at(0)", "", "");
    assert_eq!(fault.detail, "it was ended by SIGSEGV");
}

#[test]
fn one_that_is_silent_or_late_is_out_of_time_and_ends_soon_after() {
    let silent = "for turn in turns(): time.sleep(1000)";
    let late = "for turn in turns(): time.sleep(0.5); act(turn)";
    let deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
                for turn in turns(): time.sleep(1000)";
    let unfinished =
        "for turn in turns(): sys.stdout.write('{'); sys.stdout.flush(); time.sleep(9)";
    for (name, script) in
        [("silent", silent), ("late", late), ("deaf", deaf), ("unfinished", unfinished)]
    {
        let fault = fault_of(name, script, "", "move=200ms");
        assert_eq!(
            (fault.kind, fault.detail.as_str()),
            (FaultKind::Timeout, "no answer within 200ms"),
            "{name}"
        );
    }
}

#[test]
fn one_that_dawdles_at_every_answer_uses_up_its_time_for_the_match() {
    let script = "for turn in turns(): time.sleep(0.2); act(turn)";
    let fault = fault_of("dawdles", script, "limits = { match = \"300ms\" }", "");
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    assert_eq!(fault.detail, "it has used up the 300ms that it may think in a match");
}

#[test]
fn one_that_never_says_hello_is_out_of_time_at_its_start() {
    let fault = fault_of("mute", "time.sleep(1000)", "limits = { start = \"300ms\" }", "");
    assert_eq!(
        (fault.kind, fault.detail.as_str()),
        (FaultKind::Timeout, "hello: no answer within 300ms")
    );
}

#[test]
fn one_that_writes_without_end_is_a_flood() {
    let lines = "for turn in turns():\n    while True: sys.stdout.write('x' * 1000 + '\\n' * 1)";
    let one_line = "for turn in turns():\n    while True: sys.stdout.write('x' * 100000)";
    let errors = "for turn in turns():\n    while True: sys.stderr.write('x' * 100000)";
    let limits = "limits = { output = \"4MB\" }";
    assert_eq!(fault_of("chatters", lines, limits, "").kind, FaultKind::Protocol);
    assert_eq!(fault_of("drones", one_line, limits, "").kind, FaultKind::Flood);
    assert_eq!(fault_of("complains", errors, limits, "").kind, FaultKind::Flood);
    let unasked = "for turn in turns():\n    \
         os.write(1, b'{\"type\":\"action\",\"action\":\"U\"}\\n' * 1000); time.sleep(1000)";
    let fault = fault_of("hurries", unasked, limits, "");
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert!(fault.detail.contains("spoke more often than it was asked"), "{}", fault.detail);
}

#[test]
fn one_that_ends_with_its_match_is_restarted_for_the_next() {
    let bench = Bench::new();
    let script = "for line in sys.stdin:\n    message = json.loads(line)\n    \
         if message['type'] == 'hello': say({'type': 'ready'})\n    \
         if message['type'] == 'turn': act(message)\n    \
         if message['type'] == 'end': os._exit(0)";
    bench.bot("leaves", script, "");
    // When this one ends, the next match has begun.
    bench.bot("lingers", &script.replace("os._exit", "time.sleep(0.02); os._exit"), "");
    for round in 0..40 {
        assert_eq!(bench.play("leaves", "").fault, None, "in match {round}");
    }
    let first = bench.record("lingers", &Setup::new(1));
    for round in 0..5 {
        let again = bench.record("lingers", &Setup::new(1));
        assert_eq!(again.to_json(), first.to_json(), "in match {round}");
    }
}

#[test]
fn one_that_crashes_in_its_second_match_has_no_more_time_and_crashes_once() {
    let second = |at_once: &str, later: &str| {
        format!(
            "ended = 0\nfor line in sys.stdin:\n    message = json.loads(line)\n    \
             if message['type'] == 'hello': say({{'type': 'ready'}})\n    \
             if message['type'] == 'end': ended += 1\n    \
             if message['type'] == 'turn':\n        \
             if message['turn'] == 0:\n            {at_once}\n        \
             if ended and message['turn'] == 1: {later}\n        \
             act(message)"
        )
    };
    let bench = Bench::new();
    // Before it crashes it takes most of its time; a new process takes 400 ms like the first.
    let first_turn = "time.sleep(0.5 if ended else 0.4)\n            if ended: os._exit(1)";
    bench.bot("dawdles", &second(first_turn, "pass"), "");
    bench.bot("crashes", &second("pass", "os._exit(1)"), "");
    assert_eq!(bench.play("dawdles", "move=700ms").fault, None);
    let fault = bench.play("dawdles", "move=700ms").fault.expect("both together are late").fault;
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    assert_eq!(fault.detail, "no answer within 700ms");
    // Once it has answered, a crash is a crash.
    assert_eq!(bench.play("crashes", "").fault, None);
    let fault = bench.play("crashes", "").fault.expect("it crashes at its second answer").fault;
    assert_eq!(
        (fault.kind, fault.detail.as_str()),
        (FaultKind::Crash, "it ended with exit code 1")
    );
}

#[test]
fn whether_one_that_speaks_out_of_turn_forfeits_is_no_matter_of_time() {
    let twice = "for turn in turns(): act(turn); act(turn)";
    // Its second line comes long after the first has been read.
    let computes = "for turn in turns():\n    act(turn)\n    \
         end = time.process_time() + 0.02\n    \
         while time.process_time() < end: pass\n    act(turn)";
    let out_of_turn = |kind: &str| {
        format!(
            "for line in sys.stdin:\n    message = json.loads(line)\n    \
             if message['type'] == 'hello': say({{'type': 'ready'}})\n    \
             if message['type'] == 'turn': act(message)\n    \
             if message['type'] == '{kind}': act({{'actions': ['U']}})"
        )
    };
    let bench = Bench::new();
    let setup = Setup::new(1);
    let programs = [
        ("twice", twice.to_owned(), true),
        ("computes", computes.to_owned(), true),
        ("early", out_of_turn("hello"), true),
        ("starts", out_of_turn("start"), true),
        // Nobody asks any more, and the next match has a process of its own.
        ("ends", out_of_turn("end"), false),
    ];
    programs.iter().for_each(|(name, script, _)| bench.bot(name, script, ""));
    for (name, _, is_fault) in programs {
        let first = bench.record(name, &setup);
        match &first.outcome.fault {
            Some(SeatFault { fault, .. }) => {
                assert!(is_fault, "{name}: {fault}");
                assert_eq!(fault.kind, FaultKind::Protocol, "{name}: {fault}");
                assert!(fault.detail.starts_with("it spoke more often"), "{name}: {fault}");
            }
            None => assert!(!is_fault, "{name}: {:?}", first.outcome),
        }
        for _ in 0..4 {
            let again = bench.record(name, &setup);
            assert_eq!(again.to_json(), first.to_json(), "{name}");
        }
    }
}

#[test]
fn one_that_talks_nonsense_has_broken_the_protocol() {
    let garbage = "for turn in turns(): print('left, please', flush=True)";
    let fault = fault_of("nonsense", garbage, "", "");
    assert_eq!(fault.kind, FaultKind::Protocol);
    assert_eq!(
        fault.detail,
        "turn 0: expected {\"type\":\"action\",\"action\":…}, got “left, please”"
    );
    let bytes = "for turn in turns(): os.write(1, b'\\xff\\xfe\\x00\\n')";
    assert_eq!(fault_of("bytes", bytes, "", "").kind, FaultKind::Protocol);
    let action = "for turn in turns(): act(turn, 'northwards')";
    assert_eq!(fault_of("compass", action, "", "").kind, FaultKind::Protocol);
}

#[test]
fn one_that_does_not_play_the_game_is_not_asked() {
    let bench = Bench::new();
    let script = "for line in sys.stdin:\n    message = json.loads(line)\n    kind = \
                  message['type']\n    \
                  if kind == 'hello': say({'type': 'ready', 'games': ['chess']})\n    \
                  if kind == 'turn': act(message)";
    bench.bot("chess", script, "");
    let fault = bench.play("chess", "").fault.unwrap().fault;
    assert_eq!(fault.detail, "it does not play tron; it plays chess");
}

#[test]
fn an_illegal_action_is_explained_and_the_next_match_is_played() {
    let bench = Bench::new();
    // It moves back onto itself; asked again, it reports what it has heard in the meantime.
    let script = "for line in sys.stdin:\n    \
         message = json.loads(line)\n    \
         if message['type'] == 'hello': say({'type': 'ready'})\n    \
         if message['type'] == 'illegal': print('heard:', message['reason'], file=sys.stderr)\n    \
         if message['type'] == 'end': print('seat', message['fault_seat'], file=sys.stderr)\n    \
         if message['type'] == 'start': number = message['match']\n    \
         if message['type'] == 'turn' and (number, message['turn']) == (2, 1): sys.exit(0)\n    \
         if message['type'] == 'turn': act(message, 'UD'[message['turn'] % 2])\n";
    bench.bot("folds", script, "");
    let first = bench.play_alone("folds").fault.expect("the walk may not cross itself").fault;
    assert_eq!(first.kind, FaultKind::Illegal, "{first}");
    let second = bench.play_alone("folds").fault.expect("it ends itself").fault;
    assert_eq!(second.kind, FaultKind::Crash, "{second}");
    assert_eq!(second.said, [format!("heard: {}", first.detail), "seat 0".to_owned()]);
}

#[test]
fn one_that_allocates_without_end_is_out_of_memory() {
    let script =
        "for turn in turns():\n    kept = []\n    while True: kept.append(bytearray(1 << 20))";
    let fault = fault_of("hoards", script, "limits = { memory = \"100MB\" }", "");
    assert_eq!(fault.kind, FaultKind::Memory);
    assert!(fault.detail.ends_with("it may take 100 MB"), "{}", fault.detail);
}

#[test]
fn one_that_forks_without_end_is_stopped_with_all_its_children() {
    let script = "for turn in turns():\n    while True:\n        try: os.fork()\n        \
                  except OSError: time.sleep(0.01)";
    let fault = fault_of("breeds", script, "limits = { processes = 20, answer = \"2s\" }", "");
    assert!(matches!(fault.kind, FaultKind::Processes | FaultKind::Timeout), "{fault}");
}

#[test]
fn one_whose_file_is_called_like_a_stage_of_the_sandbox_is_out_of_time_like_any_other() {
    let bench = Bench::new();
    bench.bot("sleeps", "for turn in turns(): time.sleep(1000)", "");
    let named = "__quintain_sandbox";
    let at = |name: &str| bench.folder.path().join(name);
    std::fs::rename(at("sleeps.py"), at(named)).unwrap();
    let file = std::fs::read_to_string(at("bots.toml")).unwrap();
    std::fs::write(at("bots.toml"), file.replace("sleeps.py", named)).unwrap();
    // It was once taken for a stage, was never late, and its match had no result.
    let outcome = bench.play("sleeps", "move=100ms");
    assert_eq!(outcome.fault.unwrap().fault.kind, FaultKind::Timeout);
}

#[test]
fn one_that_crashes_at_a_match_it_does_not_like_and_starts_no_more_loses_it() {
    let bench = Bench::new();
    let flag = bench.folder.path().join("flag");
    std::fs::write(&flag, "").unwrap();
    let script = "
dislikes = lambda: open(os.environ['FLAG']).read() == 'x'
if dislikes(): sys.exit(1)
for turn in turns():
    if dislikes(): sys.exit(1)
    act(turn)
";
    let more = format!("read = [\"flag\"]\nenvironment = {{ FLAG = \"{}\" }}", flag.display());
    bench.bot("picky", script, &more);
    // Where programs that never start make a match void.
    let [named, _] = bench.programs.sources(quintain_bots::Unstarted::Void);
    let catalog = Catalog::new().with(quintain_tron::entry()).with_external(named);
    let bench = Bench { catalog, ..bench };
    assert_eq!(bench.play("picky", "move=5s").fault, None);
    std::fs::write(&flag, "x").unwrap();
    let fault = bench.play("picky", "move=5s").fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Crash, "{fault}");
}

#[test]
fn one_that_sleeps_after_many_of_its_processes_waited_for_a_core_is_late() {
    // Added up, they wait for longer than the arena has patience, and compute for less than it may.
    let script = "
for turn in turns():
    for _ in range(55):
        if os.fork() == 0:
            end = time.process_time() + 0.012
            while time.process_time() < end: pass
            time.sleep(1000)
    time.sleep(1000)
";
    let more = "limits = { memory = \"2GB\" }";
    let fault = fault_of("voids", &format!("import time\n{script}"), more, "move=1s");
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
}

/// Plays with a program that has a process for every move, which runs this script.
fn play_by_processes(script: &str) -> Option<SeatFault> {
    let bench = Bench::new();
    let compute = "
def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
";
    let answer = "print('UP', flush=True)";
    let script = format!("{compute}{script}\n{answer}\n");
    bench.bot("moves", &script, "protocol = \"hackerrank-tron\"");
    bench.play("moves", "move=200ms").fault
}

#[test]
fn one_with_a_process_for_every_move_thinks_only_in_the_time_of_an_answer() {
    // It may take longer to start, when it knows no question.
    assert_eq!(play_by_processes("compute(0.3)\nsys.stdin.readline()"), None);
    let fault = play_by_processes("sys.stdin.readline()\ncompute(0.8)").unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    // It leaves a byte unread.
    let fault = play_by_processes("os.read(0, 100)\ncompute(0.8)").unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
}

#[test]
fn one_with_many_timers_is_ended() {
    let script = "
import ctypes
timers = [ctypes.CDLL(None).timerfd_create(1, 0) for _ in range(100)]
for turn in turns(): time.sleep(1000)
";
    let fault = fault_of("timers", &format!("import time\n{script}"), "", "move=5s");
    assert_eq!(fault.kind, FaultKind::Memory, "{fault}");
    assert!(fault.detail.contains("timers (timerfd); it may have 64"), "{fault}");
}

#[test]
fn the_games_that_one_says_it_plays_are_not_quoted_at_length() {
    let script = "
say({'type': 'ready', 'games': ['x' * 900000]})
for line in sys.stdin: pass
";
    let bench = Bench::new();
    bench.bot("talks", script, "");
    let fault = bench.play("talks", "move=5s").fault.unwrap().fault;
    assert_eq!(fault.kind, FaultKind::Protocol, "{fault}");
    assert!(fault.detail.len() < 3000, "{} bytes", fault.detail.len());
}

#[test]
fn one_that_uses_up_its_processor_time_is_stopped() {
    let script = "for turn in turns():\n    while True: pass";
    let fault = fault_of("burns", script, "limits = { cpu = \"300ms\" }", "");
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert!(fault.detail.contains("it may use 0.30 s"), "{}", fault.detail);
}

#[test]
fn a_full_scratch_folder_is_reported() {
    let script = "for turn in turns():\n    with open('/tmp/notes', 'wb') as notes:\n        \
                  while True: notes.write(bytes(1 << 16))";
    let fault = fault_of("writes", script, "limits = { scratch = \"8MB\", answer = \"5s\" }", "");
    assert_eq!(fault.kind, FaultKind::Crash);
    let expected = "it ended with exit code 1; its scratch folder of 8MB was full";
    assert_eq!(fault.detail, expected);
}

#[test]
fn one_that_closes_its_output_has_crashed() {
    let script = "for turn in turns(): os.close(1); time.sleep(1000)";
    let fault = fault_of("closes", script, "", "");
    assert_eq!(fault.detail, "it closed its standard output");
}

#[test]
fn children_that_outlive_their_program_are_ended_with_it() {
    let script = "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: \
                  time.sleep(1000)\n    \
                  os._exit(0)\nfor turn in turns(): os._exit(0)";
    assert_eq!(fault_of("orphans", script, "", "").kind, FaultKind::Crash);
}

#[test]
fn it_cannot_reach_the_network() {
    is_denied("dials", "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_STREAM)");
    is_denied("resolves", "import socket\nsocket.create_connection(('127.0.0.1', 1))");
    is_denied("local", "import socket\nsocket.socket(socket.AF_UNIX)");
}

#[test]
fn it_cannot_read_what_is_not_its_own() {
    is_denied("passwords", "open('/etc/passwd')");
    is_denied(
        "neighbours",
        "if len([p for p in os.listdir('/proc') if p.isdigit()]) < 4: raise OSError",
    );
    is_denied("store", "open('results.sqlite')");
    is_denied("home", "os.listdir(os.path.expanduser('~root'))");
}

#[test]
fn it_cannot_write_outside_its_scratch_folder() {
    is_denied("scribbles", "open('note.txt', 'w')");
    is_denied("litters", "open('/var/tmp/quintain-litter', 'w')");
    is_denied(
        "fills",
        "f = open(os.environ['HOME'] + '/full', 'wb')\nfor i in range(200): f.write(bytes(1 << \
         20))",
    );
    let bench = Bench::new();
    let script =
        "open(os.environ['HOME'] + '/note', 'w').write('kept')\nfor turn in turns(): act(turn)";
    bench.bot("notes", script, "");
    assert_eq!(bench.play("notes", "").fault, None, "its scratch folder is its own");
}

#[test]
fn it_cannot_kill_others_or_gain_rights() {
    is_denied("parricide", "os.kill(os.getppid(), 9)\ntime.sleep(0.05)\nraise OSError");
    is_denied(
        "mounts",
        "import ctypes\nlibc = ctypes.CDLL(None)\nif libc.mount(b'x', b'/tmp', b'tmpfs', 0, 0): \
         raise OSError",
    );
    is_denied("unshares", "import ctypes\nif ctypes.CDLL(None).unshare(0x10000000): raise OSError");
}

#[test]
fn a_late_program_is_ended_rather_than_waited_for() {
    // This does not measure speed: the bound is far beyond what ending takes, and finds a way of
    // ending that waits for something.
    let bench = Bench::new();
    bench.bot("stays", "for turn in turns(): time.sleep(1000)", "");
    let begun = Instant::now();
    bench.play("stays", "move=100ms");
    assert!(begun.elapsed() < Duration::from_secs(5));
}
