//! What programs take of the machine: disk space of each participant, and memory while nothing is
//! played.

use std::fs;

use crate::setup::{Contest, WALKER};

/// Numbers of files that lie in the contest's folder of what was submitted.
fn count_trees(contest: &Contest) -> usize {
    let trees = fs::read_dir(contest.cup().join("submissions")).unwrap();
    trees.filter(|tree| tree.as_ref().unwrap().path().join("files").is_dir()).count()
}

#[test]
fn a_participant_has_so_much_disk_space_and_is_told_what_can_be_deleted() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("disk = \"256MB\"", "disk = \"8kB\"")]);
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    let server = contest.serve();
    let broken: &[u8] = b"import sys; sys.exit(1)";
    server.enter(&ada, WALKER);
    for token in [&ada, &bob] {
        let failed = server.hand_in_file_and_wait(token, "bot.py", broken);
        assert_eq!(failed["stage"], "failed");
    }
    let third = format!("{WALKER}\n# three\n");
    let refused = server.hand_in(&ada, "bot.py", third.as_bytes());
    assert_eq!(refused.status, 507, "{}", refused.body);
    let said = "this takes 4 kB on the disk, and your versions take 8 kB of the 8 kB that you \
                have; on your page you can delete version 2 (4 kB)";
    assert!(refused.body.contains(said), "{}", refused.body);
    let cookie = server.sign_in(&ada);
    let page = server.get_as(&cookie, "/me").body;
    assert!(page.contains("take 8 kB of the 8 kB") && page.contains("files of version 2"));
    assert!(!page.contains("files of version 1"), "it plays: {page}");
    assert_eq!(server.form("/me/delete", &cookie, "version=1").status, 422);
    assert_eq!(server.form("/me/delete", &cookie, "version=2").status, 303);
    assert_eq!(server.form("/me/delete", &cookie, "version=2").status, 422);
    // Bob has submitted the same files, which stay.
    assert_eq!(count_trees(&contest), 2);
    assert_eq!(server.form("/me/delete", &server.sign_in(&bob), "version=1").status, 303);
    assert_eq!(count_trees(&contest), 1);
    assert!(contest.audit().contains("ada: deleted the files of ada.2"));
    // Deleting is no way to more checks than an hour has.
    assert_eq!(server.hand_in(&ada, "bot.py", broken).status, 429);
    server.enter(&ada, &third);
    contest.database().execute("UPDATE versions SET at = at - 3601", []).unwrap();
    server.until("a match of it that is under way ends", |server| {
        server.form("/me/delete", &cookie, "version=1").status == 303
    });
    let again = server.hand_in_file_and_wait(&ada, "bot.py", broken);
    assert_eq!((&again["version"], &again["stage"]), (&2.into(), &"failed".into()));
}

#[test]
fn files_of_versions_that_failed_are_deleted_after_a_while() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("keep_failed = \"168h\"", "keep_failed = \"1us\"")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    server.enter(&ada, WALKER);
    let failed = server.hand_in_file_and_wait(&ada, "bot.py", b"import sys; sys.exit(1)");
    assert_eq!(failed["stage"], "failed");
    assert_eq!(count_trees(&contest), 2);
    drop(server);
    let server = contest.serve();
    server.until("old files are looked for", |_| count_trees(&contest) == 1);
    let page = server.get_as(&server.sign_in(&ada), "/me").body;
    assert!(page.contains("Version 2</strong>: removed"), "{page}");
}

#[test]
fn programs_end_while_the_ladder_is_paused() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("ada");
    let server = contest.serve();
    // A name that no other test's process has.
    let name = "walks_until_the_pause.py";
    let checked = server.hand_in_file_and_wait(&ada, name, WALKER.as_bytes());
    assert_eq!(checked["stage"], "passed", "{checked}");
    let runs = || {
        fs::read_dir("/proc").unwrap().filter_map(Result::ok).any(|process| {
            let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).contains(name)
        })
    };
    server.until("it plays", |_| runs());
    contest.pause(true);
    server.until("its processes have ended", |_| !runs());
    let before = server.count_played();
    contest.pause(false);
    server.until("it plays again", |server| server.count_played() > before && runs());
}
