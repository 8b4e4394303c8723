//! Programs submitted as source: built in the sandbox, stored and reused, and stopped if they are
//! hostile.

use crate::setup::{Contest, has, zip};

const CPP: &[u8] = include_bytes!("programs/first.cpp");
const JAVA: &[u8] = include_bytes!("programs/Bot.java");

#[test]
fn sources_are_built_once_and_the_built_program_plays() {
    let Some(contest) = Contest::new() else { return };
    if !has("c++") {
        return;
    }
    let [ada, bob] = ["ada", "bob"].map(|name| contest.invite(name));
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "bot.cpp", CPP);
    let log = checked["log"].as_str().unwrap();
    assert_eq!(checked["stage"], "passed", "{log}");
    assert!(log.contains("building (c++)") && log.contains("ok  built\n"), "{log}");
    assert!(log.contains("started as: ./bot") && checked["active"] == true, "{checked}");
    // The same sources from another participant are built already.
    let again = server.hand_in_file_and_wait(&bob, "bot.cpp", CPP);
    assert_eq!(again["stage"], "passed", "{again}");
    assert!(again["log"].as_str().unwrap().contains("ok  built before"), "{again}");
    server.until("both play", |server| {
        let page = server.get("/").body;
        page.contains(">ada<") && page.contains(">bob<") && server.count_played() > 3
    });
}

#[test]
fn compilers_that_need_socket_pairs_build_where_these_are_allowed() {
    let Some(contest) = Contest::new() else { return };
    if !has("javac") {
        return;
    }
    let ada = contest.invite("ada");
    let server = contest.serve();
    let refused = server.hand_in(&ada, "Bot.java", JAVA);
    assert_eq!(refused.status, 422);
    let why = "programs in java are not built in this contest. That is no fault of the program: \
               the organiser can allow it";
    assert!(refused.body.contains(why), "{}", refused.body);
    drop(server);
    contest.edit(&[("socket_pairs = false", "socket_pairs = true")]);
    let server = contest.serve();
    let checked = server.hand_in_file_and_wait(&ada, "Bot.java", JAVA);
    assert_eq!(checked["stage"], "passed", "{checked}");
    assert!(checked["log"].as_str().unwrap().contains("ok  built\n"), "{checked}");
    assert!(server.get("/kits").body.contains("href=\"/kits/java.zip\""), "such kits are offered");
}

#[test]
fn a_missing_compiler_is_told_at_the_door_and_is_no_fault_of_the_program() {
    let Some(contest) = Contest::new() else { return };
    let files: [(&str, &str, &[u8]); 3] =
        [("go", "go.mod", b"module bot\n"), ("cargo", "Cargo.toml", b""), ("node", "bot.js", b"1")];
    // A machine may have all of them.
    let Some((tool, file, text)) = files.into_iter().find(|(tool, ..)| !has(tool)) else { return };
    contest.edit(&[("socket_pairs = false", "socket_pairs = true")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let refused = server.hand_in(&ada, file, text);
    assert_eq!(refused.status, 501, "{}", refused.body);
    let why = format!("this program needs {tool}, which is not installed on the machine");
    for part in
        [why.as_str(), "no fault of the program", "organiser can install it; then submit it"]
    {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    assert_eq!(contest.one("SELECT count(*) FROM versions WHERE digest <> ''"), 0);
    assert_eq!(contest.one("SELECT count(*) FROM spent"), 0, "it costs its author nothing");
    let page = server.get_as(&server.sign_in(&contest.organiser), "/organiser").body;
    let (_, languages) = page.split_once("id=\"languages\"").unwrap();
    let (languages, _) = languages.split_once("</p>").unwrap();
    assert!(languages.contains("Built from source here: "), "{languages}");
    assert!(tool == "node" || languages.contains(&format!("{tool} is not installed")));
}

#[test]
fn only_the_author_sees_why_a_build_failed() {
    let Some(contest) = Contest::new() else { return };
    if !has("cc") {
        return;
    }
    let ada = contest.invite("ada");
    let server = contest.serve();
    let broken = b"int main(void) { return nothing_of_this_name; }\n";
    let checked = server.hand_in_file_and_wait(&ada, "bot.c", broken);
    assert_eq!(checked["stage"], "failed");
    let log = checked["log"].as_str().unwrap();
    assert!(log.contains("nothing_of_this_name") && log.contains("exit code"), "{log}");
    assert!(!server.get("/").body.contains("nothing_of_this_name"));
}

#[test]
fn hostile_builds_end_at_their_limits() {
    let Some(contest) = Contest::new() else { return };
    // Low limits, which are reached soon. Two builds run at a time, and no matches, since most
    // builds wait for their limits.
    let limits = "[build]\nlanguages = { java = { build = \"\" } }\ntime = \"4s\"";
    contest.edit(&[
        ("[build]\ntime = \"60s\"", limits),
        ("scratch = \"1GB\"", "scratch = \"16MB\""),
        ("memory = \"2GB\"", "memory = \"256MB\""),
        ("unpacked = \"64MB\"", "unpacked = \"4MB\""),
        ("# threads = 1", "threads = 2"),
    ]);
    contest.pause(true);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let database = contest.cup().join("host.sqlite").display().to_string();
    let python = |line: &str| format!("python3 -c '{line}'");
    let builds = [
        ("sleep 1000".to_owned(), "longer than 4 s"),
        ("while :; do :; done".to_owned(), "longer than 4 s"),
        (python("import socket; socket.create_connection((\"127.0.0.1\", 80))"), "exit code 1"),
        (python("import socket; socket.socket().bind((\"0.0.0.0\", 0))"), "exit code 1"),
        ("cat /dev/zero > big".to_owned(), "cannot be built"),
        ("yes".to_owned(), "wrote more than is allowed"),
        (format!("cat {database}"), "exit code 1"),
        ("touch /bin/quintain".to_owned(), "exit code 1"),
        ("ln -s /etc/passwd bot.txt".to_owned(), "link or a device"),
        ("i=0; while [ $i -lt 2000 ]; do : > f$i; i=$((i+1)); done".to_owned(), "more than 1000"),
        (python("b = bytearray(3 << 30)"), "cannot be built"),
    ];
    let zipped = builds.each_ref().map(|(build, _)| {
        let list = format!("[bot]\ncommand = \"sh bot.sh\"\nbuild = {build:?}\n");
        zip(&[("bots.toml", &list), ("bot.sh", "exit 1\n")])
    });
    for files in &zipped {
        assert_eq!(server.hand_in(&ada, "", files).status, 201);
    }
    for ((build, why), files) in builds.iter().zip(&zipped) {
        // The same files again are the same version.
        let checked = server.hand_in_and_wait(&ada, files);
        assert_eq!(checked["stage"], "failed", "{build}");
        let log = checked["log"].as_str().unwrap();
        assert!(log.contains(*why), "{build}: {log}");
    }
    assert_eq!(server.get("/").status, 200, "the host goes on");
}
