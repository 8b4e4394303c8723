//! An arena that is interrupted, killed or paused, and programs that outlast their time: nothing of
//! a program stays behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use quintain_core::{FaultKind, Record};

use crate::place::{HELLO, Place, comes_true, has, python, running};
use crate::tournaments::tournament;

/// Counts the files of programs in a folder.
fn count_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.filter(|name| name.to_string_lossy().starts_with("quintain-")).count()
}

#[test]
fn no_copy_of_a_program_is_left_however_the_arena_ends() {
    let place = Place::new();
    let temporary = place.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    place.write("slow.py", &format!("{HELLO}for turn in turns(): time.sleep(1000)\n"));
    for signal in ["TERM", "HUP", "INT", "KILL"] {
        let program = format!("exec:\"{} slow.py\"", python());
        let mut command = place.command(&["match", "tron", &program, "basic"]);
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
        let mut arena = command.spawn().unwrap();
        comes_true("its files are copied", || count_files(&temporary) == 1);
        let arguments = [format!("-{signal}"), arena.id().to_string()];
        assert!(Command::new("kill").args(arguments).status().unwrap().success());
        arena.wait().unwrap();
        comes_true(signal, || count_files(&temporary) == 0);
    }
}

/// Reads no question. Its pipe is as short as possible, which a sandbox would not let it make it,
/// and a question does not fit in.
const READS_NOTHING: &str = "
import fcntl
SET_PIPE_SIZE = 1031
for line in sys.stdin:
    say({'type': 'ready'})
    fcntl.fcntl(0, SET_PIPE_SIZE, 4096)
    time.sleep(1000)
";

#[test]
fn a_killed_arena_ends_its_programs() {
    if !has("python3") {
        return;
    }
    let thinks_long = "for turn in turns(): time.sleep(1000)\n";
    for (signal, script) in [
        ("-KILL", thinks_long),
        ("-INT", thinks_long),
        ("-KILL", READS_NOTHING),
        ("-INT", READS_NOTHING),
    ] {
        let place = Place::new();
        place.write("bot.py", &format!("{HELLO}{script}"));
        let marker = format!("{}/program", place.path().display());
        let environment = format!("environment = {{ MARKER = \"{marker}\" }}\n");
        let entry = format!("[slow]\ncommand = \"{} bot.py\"\n{environment}", python());
        place.write("bots.toml", &entry);
        let file = tournament(&["bot:slow", "basic"], 50, "empty?width=128&height=128");
        place.write("slow.toml", &file.replace("300ms", "100s"));
        let mut arena = place
            .command(&["tournament", "slow.toml", "--quiet", "--trust"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        comes_true("the program runs", || !running(&marker).is_empty());
        let pid = arena.id().to_string();
        // Earlier than the hundred seconds that the program has. It is asked more than once, since
        // a request that comes before the command listens for it may be lost.
        comes_true(&format!("the arena ends by {signal}: {script}"), || {
            Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status().unwrap();
            arena.try_wait().unwrap().is_some()
        });
        comes_true("no program outlives the arena", || running(&marker).is_empty());
    }
}

#[test]
fn one_that_reads_nothing_is_out_of_time_like_any_other() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    place.write("bot.py", &format!("{HELLO}{READS_NOTHING}"));
    let program = format!("exec:\"{} bot.py\"", python());
    let scenario =
        ["--scenario", "empty?width=128&height=128", "--budget", "move=300ms", "--trust"];
    let record = place.record(&[&[program.as_str(), "basic"], &scenario[..]].concat());
    let fault = record.outcome.fault.expect("it answers nothing");
    assert_eq!((fault.seat.index(), fault.fault.kind), (0, FaultKind::Timeout));
}

/// Ctrl-Z and fg, or the lid of a laptop, while a program thinks.
#[test]
fn a_pause_of_the_arena_is_not_a_programs_thinking_time() {
    if !has("python3") {
        return;
    }
    let place = Place::new();
    let script = "
for turn in turns():
    time.sleep(0.2)
    say({'type': 'action', 'action': turn['actions'][0]})
";
    place.write("bot.py", &format!("{HELLO}{script}"));
    let program = format!("exec:\"{} bot.py\"", python());
    let budget =
        ["--budget", "move=1s", "--save", "record.json", "--scenario", "empty?width=7&height=7"];
    let mut command = place.command(&[&["match", "tron", &program, "basic"], &budget[..]].concat());
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let marker = place.path().display().to_string();
    comes_true("the program runs", || running(&marker).len() >= 2);
    let pid = arena.id().to_string();
    let send = |signal: &str| {
        assert!(Command::new("kill").args([signal, pid.as_str()]).status().unwrap().success());
    };
    send("-STOP");
    // The pause itself, longer than a move may take.
    std::thread::sleep(Duration::from_secs(2));
    assert!(arena.try_wait().unwrap().is_none(), "the match ended before the pause");
    send("-CONT");
    assert!(arena.wait().unwrap().success());
    let record = fs::read_to_string(place.path().join("record.json")).unwrap();
    assert_eq!(Record::from_json(&record).unwrap().outcome.fault, None);
}
