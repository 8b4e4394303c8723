//! Machines that keep namespaces from their users, as labs and containers do: made here of
//! namespaces in which a setting or a mount takes them away.

use std::process::Output;

use crate::place::{Place, QUINTAIN, examples};

/// Runs the command where `taking` has taken something away; none where nobody may make such a
/// place.
fn run_without(place: &Place, taking: &str, arguments: &[&str]) -> Option<Output> {
    const CANNOT: i32 = 77;
    let line = format!("({taking}) 2>/dev/null || exit {CANNOT}; exec \"$0\" \"$@\"");
    let mut unshare = std::process::Command::new("unshare");
    unshare.args(["--map-root-user", "--mount", "sh", "-c", &line, QUINTAIN]).args(arguments);
    unshare.current_dir(place.path()).env_remove("QUINTAIN_SANDBOX");
    let output = unshare.output().ok()?;
    let error = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(CANNOT) || error.starts_with("unshare:") {
        eprintln!("skipped: no place can be made without them here");
        return None;
    }
    Some(output)
}

/// Checks that nothing runs there by default, with these pieces of a message in this order, and
/// that the same match is played with `--sandbox basic` and with `--trust`.
fn check_message_and_ways_out(taking: &str, pieces: &[&str]) {
    let place = Place::new();
    std::fs::copy(examples().join("bot.sh"), place.path().join("bot.sh")).unwrap();
    let play = ["match", "tron", "exec:\"sh bot.sh\"", "basic", "--seed", "3"];
    let Some(refused) = run_without(&place, taking, &play) else { return };
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let places: Vec<_> = pieces.iter().map(|piece| said.find(piece)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {said}");
    let played = |way: &[&str]| {
        let output = run_without(&place, taking, &[&play, way].concat()).unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        (String::from_utf8(output.stdout).unwrap(), error)
    };
    let (basic, warning) = played(&["--sandbox", "basic"]);
    assert!(warning.contains("programs run without user namespaces"), "{warning}");
    assert_eq!(played(&["--trust"]).0, basic);
}

#[test]
fn where_a_setting_allows_no_namespaces_a_student_reads_what_helps() {
    check_message_and_ways_out(
        "echo 0 > /proc/sys/user/max_user_namespaces",
        &[
            "programs are not run here",
            "user.max_user_namespaces is 0",
            "--sandbox basic",
            "does not stop them from reading the names of your files",
            "wasm:FILE",
            "sudo sysctl user.max_user_namespaces=10000",
        ],
    );
}

#[test]
fn where_parts_of_proc_are_hidden_as_in_containers_a_student_reads_what_helps() {
    check_message_and_ways_out(
        "mount -t tmpfs none /proc/fs",
        &["programs are not run here", "forbids them", "--sandbox basic", "wasm:FILE"],
    );
}
